//! Random numbers, fresh from the system each time: nothing is seeded, so nothing is frozen in a snapshot or a fork.

use crate::call::{Call, Guest, breathe};
use capsule_abi::Errno;

/// Filled in one go; between two of them kills and deadlines are heeded.
const CHUNK: usize = 1 << 20;

pub async fn random_get(guest: &mut Guest<'_>, buf: i32, len: i32) -> wasmtime::Result<Result<(), Errno>> {
    let span = match Call::new(guest).memory.span(buf, len) {
        Ok(span) => span,
        Err(errno) => return Ok(Err(errno)),
    };
    let mut start = span.start;
    loop {
        let chunk = start..span.end.min(start.saturating_add(CHUNK));
        if getrandom::fill(Call::new(guest).memory.bytes_mut(&chunk)).is_err() {
            return Ok(Err(Errno::EIO));
        }
        start = chunk.end;
        if start >= span.end {
            return Ok(Ok(()));
        }
        let process = guest.data().process.clone();
        breathe(&process).await?;
    }
}
