//! Clocks. Monotonic time counts from the session's start: a guest does not learn the host's uptime.

use crate::call::Call;
use capsule_abi::Errno;
use capsule_abi::wasi::{CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME, CLOCK_REALTIME, CLOCK_THREAD_CPUTIME};
use capsule_kernel::Process;

pub fn clock_res_get(mut call: Call<'_>, id: i32, out: i32) -> Result<(), Errno> {
    now(call.process, id as u32)?;
    call.memory.write_u64(out, 1)
}

pub fn clock_time_get(mut call: Call<'_>, id: i32, _precision: i64, out: i32) -> Result<(), Errno> {
    call.memory.write_u64(out, now(call.process, id as u32)?)
}

/// The time a clock shows, in nanoseconds.
pub fn now(process: &Process, id: u32) -> Result<u64, Errno> {
    match id {
        CLOCK_REALTIME => Ok(process.kernel().clock().realtime()),
        CLOCK_MONOTONIC => Ok(process.kernel().clock().monotonic()),
        CLOCK_PROCESS_CPUTIME | CLOCK_THREAD_CPUTIME => Ok(process.cpu_ns()),
        _ => Err(Errno::EINVAL),
    }
}
