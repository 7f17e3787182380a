//! The process itself.

use crate::call::{Guest, breathe, heed_signals};
use crate::ending::Ended;
use capsule_abi::Errno;

/// The lowest WASI signal whose number is not Linux's: the specification has no STKFLT.
const SIGCHLD: i32 = 16;
const LAST_SIGNAL: i32 = 30;

/// Any status is good; a parent sees its low eight bits.
pub fn proc_exit(status: i32) -> wasmtime::Result<()> {
    Err(Ended::Code(status as u8).into())
}

pub async fn proc_raise(guest: &mut Guest<'_>, signal: i32) -> wasmtime::Result<Result<(), Errno>> {
    let linux = match signal {
        0..SIGCHLD => signal,
        SIGCHLD..=LAST_SIGNAL => signal + 1,
        _ => return Ok(Err(Errno::EINVAL)),
    };
    let process = guest.data().process.clone();
    let outcome = process.kill(process.pid(), linux);
    heed_signals(&process).await?;
    Ok(outcome)
}

pub async fn sched_yield(guest: &mut Guest<'_>) -> wasmtime::Result<Result<(), Errno>> {
    let process = guest.data().process.clone();
    breathe(&process).await?;
    Ok(Ok(()))
}
