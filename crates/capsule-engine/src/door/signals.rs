//! Signals. A call that may send one to its own process heeds it before the guest runs on, as a return from a system
//! call does.

use crate::call::{Call, Guest, heed_signals};
use capsule_abi::Errno;

pub async fn kill(guest: &mut Guest<'_>, pid: i32, signal: i32) -> wasmtime::Result<Result<i32, Errno>> {
    let process = guest.data().process.clone();
    let outcome = process.kill(pid, signal).map(|()| 0);
    heed_signals(&process).await?;
    Ok(outcome)
}

pub fn signal_action(call: Call<'_>, signal: i32, disposition: i32) -> Result<i32, Errno> {
    call.process.signal_action(signal, disposition).map(|old| old as i32)
}

pub async fn signal_mask(guest: &mut Guest<'_>, how: i32, set: i32, old: i32) -> wasmtime::Result<Result<i32, Errno>> {
    let outcome = change_mask(Call::new(guest), how, set, old);
    let process = guest.data().process.clone();
    heed_signals(&process).await?;
    Ok(outcome)
}

fn change_mask(mut call: Call<'_>, how: i32, set: i32, old: i32) -> Result<i32, Errno> {
    let set = if set == 0 { None } else { Some(call.memory.u64(set)?) };
    if old != 0 {
        call.memory.check(old, 8)?;
    }
    let before = call.process.signal_mask(how, set)?;
    if old != 0 {
        call.memory.write_u64(old, before)?;
    }
    Ok(0)
}

pub fn signal_take(call: Call<'_>) -> Result<i32, Errno> {
    Ok(call.process.signal_take().map_or(0, |signal| signal.number().into()))
}

pub async fn pause(guest: &mut Guest<'_>) -> wasmtime::Result<Result<i32, Errno>> {
    let process = guest.data().process.clone();
    let errno = process.pause().await;
    heed_signals(&process).await?;
    Ok(Err(errno))
}
