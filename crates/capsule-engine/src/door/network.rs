//! HTTP requests: a record in, a descriptor out, records about it.

use crate::call::{Call, Guest, answer};
use capsule_abi::Errno;
use capsule_abi::http::{MAX_REQUEST, Request};

pub fn http_open(call: Call<'_>, request: i32, len: i32) -> Result<i32, Errno> {
    let record = call.memory.slice(request, len)?;
    if record.len() > MAX_REQUEST {
        return Err(Errno::E2BIG);
    }
    call.process.http_open(Request::from_wire(record).map_err(|_| Errno::EINVAL)?)
}

pub fn http_finish(call: Call<'_>, fd: i32) -> Result<i32, Errno> {
    call.process.http_finish(fd).map(|()| 0)
}

pub async fn http_head(guest: &mut Guest<'_>, fd: i32, buf: i32, len: i32) -> wasmtime::Result<Result<i32, Errno>> {
    let process = guest.data().process.clone();
    if let Err(errno) = Call::new(guest).memory.slice(buf, len) {
        return Ok(Err(errno));
    }
    let outcome = process.http_head(fd).await;
    let outcome = outcome.and_then(|head| tell(&mut Call::new(guest), buf, len, &head.to_wire()));
    answer(&process, outcome).await
}

pub fn http_error(mut call: Call<'_>, fd: i32, buf: i32, len: i32) -> Result<i32, Errno> {
    call.memory.slice(buf, len)?;
    match call.process.http_failure(fd)? {
        Some(failure) => tell(&mut call, buf, len, &failure.to_wire()),
        None => Ok(0),
    }
}

/// How long a record is; it is written where there is room for all of it.
fn tell(call: &mut Call<'_>, buf: i32, len: i32, record: &[u8]) -> Result<i32, Errno> {
    if record.len() <= len as u32 as usize {
        call.memory.write(buf, record)?;
    }
    i32::try_from(record.len()).map_err(|_| Errno::EOVERFLOW)
}
