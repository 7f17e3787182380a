//! Processes: how they come, go and are grouped, and what they may use.

use crate::call::{Call, Guest, answer, heed_signals};
use crate::ending::Ended;
use crate::{fork as copying, fuel, program};
use capsule_abi::Errno;
use capsule_abi::process::{ARG_MAX, SpawnRequest, WAIT_WIRE};
use capsule_kernel::{LoadError, Process, Waited};
use std::sync::Arc;

/// The longest request: argv and environment, and as much again for lengths, paths and descriptor actions.
const MAX_REQUEST: usize = 2 * ARG_MAX;

pub async fn fork(guest: &mut Guest<'_>, arg: i32) -> wasmtime::Result<Result<i32, Errno>> {
    // What was used so far is paid for before the child is given what is left.
    fuel::settle(&mut *guest)?;
    let process = guest.data().process.clone();
    let outcome = copying::fork(guest, arg).await;
    answer(&process, outcome).await
}

pub async fn spawn(guest: &mut Guest<'_>, request: i32, len: i32) -> wasmtime::Result<Result<i32, Errno>> {
    fuel::settle(&mut *guest)?;
    let process = guest.data().process.clone();
    let outcome = match decode(&Call::new(guest), request, len) {
        Ok(request) => process.spawn(request).await.map_err(|error| explain(&process, error)),
        Err(errno) => Err(errno),
    };
    answer(&process, outcome).await
}

pub async fn exec(guest: &mut Guest<'_>, request: i32, len: i32) -> wasmtime::Result<Result<i32, Errno>> {
    let process = guest.data().process.clone();
    let outcome = match decode(&Call::new(guest), request, len) {
        Ok(request) => process.exec(request).await.map_err(|error| explain(&process, error)),
        Err(errno) => Err(errno),
    };
    heed_signals(&process).await?;
    match outcome {
        Ok(()) => Err(Ended::Exec.into()),
        Err(errno) => Ok(Err(errno)),
    }
}

fn decode(call: &Call<'_>, request: i32, len: i32) -> Result<SpawnRequest, Errno> {
    let request = call.memory.slice(request, len)?;
    if request.len() > MAX_REQUEST {
        return Err(Errno::E2BIG);
    }
    SpawnRequest::from_wire(request).map_err(|_| Errno::EINVAL)
}

/// An error number cannot say which import is unknown: that is told on standard error.
pub fn explain(process: &Arc<Process>, error: LoadError) -> Errno {
    if !error.why.is_empty() {
        program::say(process, &error.why);
    }
    error.errno
}

pub async fn wait(guest: &mut Guest<'_>, pid: i32, flags: i32, out: i32) -> wasmtime::Result<Result<i32, Errno>> {
    let process = guest.data().process.clone();
    // Before waiting: a child that is reaped cannot be told of again.
    if out != 0
        && let Err(errno) = Call::new(guest).memory.check(out, WAIT_WIRE)
    {
        return Ok(Err(errno));
    }
    let outcome = match process.wait(pid, flags as u32).await {
        Ok(Some(waited)) if out != 0 => Call::new(guest).memory.write(out, &wait_record(&waited)).map(|()| waited.pid),
        Ok(Some(waited)) => Ok(waited.pid),
        Ok(None) => Ok(0),
        Err(errno) => Err(errno),
    };
    answer(&process, outcome).await
}

fn wait_record(waited: &Waited) -> [u8; WAIT_WIRE] {
    let mut record = [0; WAIT_WIRE];
    record[..4].copy_from_slice(&waited.status.to_raw().to_le_bytes());
    record[8..16].copy_from_slice(&waited.cpu_ns.to_le_bytes());
    record[16..].copy_from_slice(&waited.peak_memory.to_le_bytes());
    record
}

pub fn getpid(call: Call<'_>) -> Result<i32, Errno> {
    Ok(call.process.pid())
}

pub fn getppid(call: Call<'_>) -> Result<i32, Errno> {
    Ok(call.process.ppid())
}

pub fn getpgid(call: Call<'_>, pid: i32) -> Result<i32, Errno> {
    call.process.getpgid(pid)
}

pub fn setpgid(call: Call<'_>, pid: i32, pgid: i32) -> Result<i32, Errno> {
    call.process.setpgid(pid, pgid).map(|()| 0)
}

pub fn getsid(call: Call<'_>, pid: i32) -> Result<i32, Errno> {
    call.process.getsid(pid)
}

pub fn setsid(call: Call<'_>) -> Result<i32, Errno> {
    call.process.setsid()
}

pub fn getids(mut call: Call<'_>, out: i32) -> Result<i32, Errno> {
    let credentials = call.process.credentials();
    let ids = u64::from(credentials.uid) | u64::from(credentials.gid) << 32;
    call.memory.write_u64(out, ids).map(|()| 0)
}

pub fn getrlimit(mut call: Call<'_>, which: i32, out: i32) -> Result<i32, Errno> {
    let (soft, hard) = call.process.getrlimit(which)?;
    pair(&mut call, out, soft, hard)
}

pub fn setrlimit(call: Call<'_>, which: i32, new: i32) -> Result<i32, Errno> {
    let new: [u8; 16] = call.memory.array(new)?;
    let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| new[at + i]));
    call.process.setrlimit(which, number(0), number(8)).map(|()| 0)
}

pub fn getrusage(mut call: Call<'_>, who: i32, out: i32) -> Result<i32, Errno> {
    let (cpu_ns, peak_memory) = call.process.getrusage(who)?;
    pair(&mut call, out, cpu_ns, peak_memory)
}

fn pair(call: &mut Call<'_>, out: i32, first: u64, second: u64) -> Result<i32, Errno> {
    let record = u128::from(first) | u128::from(second) << 64;
    call.memory.write(out, &record.to_le_bytes()).map(|()| 0)
}
