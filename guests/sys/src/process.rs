//! Processes: how they are made, waited for, signalled, and what they were started with.

use crate::{Result, check, raw};
use capsule_abi::door::{RLIM_INFINITY, Resource};
use capsule_abi::process::{SpawnRequest, WAIT_WIRE, WaitStatus};
use capsule_abi::signal::{Disposition, Signal};

/// What a process used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Processor time in nanoseconds.
    pub cpu_ns: u64,
    /// Peak memory in bytes.
    pub peak_memory: u64,
}

/// A child that `wait` reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waited {
    pub pid: i32,
    pub status: WaitStatus,
    pub usage: Usage,
}

/// Runs `child` in a copy of this process, which then exits with the closure's answer. In the parent: the child's id.
///
/// The child has its own copy of everything the closure borrows.
pub fn fork(child: impl FnOnce() -> i32) -> Result<i32> {
    check(raw::fork(Box::new(child)))
}

/// Starts a program beside this one; its id.
pub fn spawn(request: &SpawnRequest) -> Result<i32> {
    check(raw::spawn(&request.to_wire()))
}

/// Becomes another program. Comes back only with the reason why not.
pub fn exec(request: &SpawnRequest) -> crate::Errno {
    check(raw::exec(&request.to_wire())).err().unwrap_or(crate::Errno::EIO)
}

/// As `waitpid`: `None` when `WNOHANG` was given and no child has changed yet.
pub fn wait(pid: i32, flags: u32) -> Result<Option<Waited>> {
    let mut out = [0; WAIT_WIRE];
    let pid = check(raw::wait(pid, flags, &mut out))?;
    let status = WaitStatus::from_raw(u32::from_le_bytes([out[0], out[1], out[2], out[3]]));
    let usage = Usage { cpu_ns: u64_at(&out, 8), peak_memory: u64_at(&out, 16) };
    Ok((pid != 0).then_some(Waited { pid, status, usage }))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// Ends this process. Nothing is flushed: what is buffered belongs to the caller.
pub fn exit(code: i32) -> ! {
    raw::proc_exit(code & 0xff)
}

pub fn getpid() -> i32 {
    raw::getpid()
}

pub fn getppid() -> i32 {
    raw::getppid()
}

pub fn getpgid(pid: i32) -> Result<i32> {
    check(raw::getpgid(pid))
}

pub fn setpgid(pid: i32, pgid: i32) -> Result<()> {
    check(raw::setpgid(pid, pgid)).map(drop)
}

pub fn getsid(pid: i32) -> Result<i32> {
    check(raw::getsid(pid))
}

pub fn setsid() -> Result<i32> {
    check(raw::setsid())
}

/// User and group of this process.
pub fn getids() -> Result<(u32, u32)> {
    let mut out = [0; 8];
    check(raw::getids(&mut out))?;
    Ok((u32::from_le_bytes([out[0], out[1], out[2], out[3]]), u32::from_le_bytes([out[4], out[5], out[6], out[7]])))
}

/// `signal` 0 only asks whether the process exists.
pub fn kill(pid: i32, signal: i32) -> Result<()> {
    check(raw::kill(pid, signal)).map(drop)
}

/// What to do with a signal from now on; what was done before.
pub fn signal_action(signal: Signal, disposition: Disposition) -> Result<Disposition> {
    let old = check(raw::signal_action(signal.number().into(), disposition as i32))?;
    Disposition::from_number(old).ok_or(crate::Errno::EIO)
}

/// How [`signal_mask`] changes the set of blocked signals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MaskHow {
    Block = 0,
    Unblock = 1,
    Set = 2,
}

/// Changes the blocked signals (bit n-1 for signal n; `None` only asks); the set before.
pub fn signal_mask(how: MaskHow, set: Option<u64>) -> Result<u64> {
    let mut old = 0;
    check(raw::signal_mask(how as i32, set, &mut old))?;
    Ok(old)
}

/// The lowest caught signal that is pending; it is pending no longer.
pub fn signal_take() -> Option<Signal> {
    Signal::from_number(raw::signal_take())
}

/// Waits until a caught signal is pending.
pub fn pause() {
    raw::pause();
}

/// Soft and hard limit.
pub fn getrlimit(which: Resource) -> Result<(u64, u64)> {
    let mut out = [0; 16];
    check(raw::getrlimit(which as i32, &mut out))?;
    Ok((u64_at(&out, 0), u64_at(&out, 8)))
}

pub fn setrlimit(which: Resource, soft: u64, hard: u64) -> Result<()> {
    let mut limits = [0; 16];
    limits[..8].copy_from_slice(&soft.to_le_bytes());
    limits[8..].copy_from_slice(&hard.to_le_bytes());
    check(raw::setrlimit(which as i32, &limits)).map(drop)
}

/// No limit.
pub const UNLIMITED: u64 = RLIM_INFINITY;

/// Whose usage [`getrusage`] tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UsageOf {
    Itself = 0,
    /// Of the children waited for.
    Children = -1,
}

pub fn getrusage(who: UsageOf) -> Result<Usage> {
    let mut out = [0; 16];
    check(raw::getrusage(who as i32, &mut out))?;
    Ok(Usage { cpu_ns: u64_at(&out, 0), peak_memory: u64_at(&out, 8) })
}

/// The arguments, the program's name first, as bytes.
pub fn args() -> Vec<Vec<u8>> {
    raw::args()
}

/// The environment: `NAME=value` strings in the order given.
pub fn environ() -> Vec<Vec<u8>> {
    raw::environ()
}

/// One variable of the environment this process was started with.
pub fn getenv(name: &[u8]) -> Option<Vec<u8>> {
    // It stays what it was at the start, and some ask for every line of their input.
    static ENVIRONMENT: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    ENVIRONMENT.get_or_init(environ).iter().find_map(|entry| match entry.strip_prefix(name) {
        Some([b'=', value @ ..]) => Some(value.to_vec()),
        _ => None,
    })
}

/// Lets other processes run.
pub fn sched_yield() {
    raw::sched_yield();
}
