//! Processes and signals on the machine's own Linux.

use super::{
    answer, chdir, dup, dup2, errno, fail, fcntl, fd_close, is_barred, libc_fork, libc_signal, open, proc_exit,
};
use super::{execve, put, siginterrupt, syscall};
use capsule_abi::Errno;
use capsule_abi::process::{FdAction, SpawnRequest};
use capsule_abi::wire::Writer;
use std::ffi::{CString, c_char, c_int};
use std::sync::atomic::{AtomicU64, Ordering};

pub unsafe fn fork(arg: usize) -> i32 {
    if cfg!(fuzzing) {
        return fail(Errno::EPERM);
    }
    match unsafe { libc_fork() } {
        0 => {
            crate::raw::capsule_fork_child(arg);
            proc_exit(0)
        }
        pid if pid < 0 => -errno(),
        pid => pid,
    }
}

unsafe fn become_program(request: &SpawnRequest) -> i32 {
    let list =
        |strings: &[Vec<u8>]| -> Vec<CString> { strings.iter().filter_map(|s| CString::new(s.clone()).ok()).collect() };
    let (argv, env) = (list(&request.argv), list(&request.env));
    let pointers =
        |l: &[CString]| -> Vec<*const c_char> { l.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect() };
    let path = CString::new(request.path.clone()).unwrap_or_default();
    unsafe { execve(path.as_ptr(), pointers(&argv).as_ptr(), pointers(&env).as_ptr()) };
    if errno() == Errno::ENOEXEC.linux() {
        // A file without magic is a script for the shell, as the kernel has it.
        let mut script = vec![c"sh".into(), path];
        script.extend(argv.into_iter().skip(1));
        unsafe { execve(c"/bin/sh".as_ptr(), pointers(&script).as_ptr(), pointers(&env).as_ptr()) };
    }
    -errno()
}

pub unsafe fn exec(req: *const u8, len: usize) -> i32 {
    if cfg!(fuzzing) {
        return fail(Errno::EPERM);
    }
    let Ok(request) = SpawnRequest::from_wire(unsafe { std::slice::from_raw_parts(req, len) }) else {
        return fail(Errno::EINVAL);
    };
    if let Some(cwd) = &request.cwd {
        let cwd_answer = unsafe { chdir(cwd.as_ptr(), cwd.len()) };
        if cwd_answer < 0 {
            return cwd_answer;
        }
    }
    unsafe { become_program(&request) }
}

pub unsafe fn spawn(req: *const u8, len: usize) -> i32 {
    if cfg!(fuzzing) {
        return fail(Errno::EPERM);
    }
    let Ok(request) = SpawnRequest::from_wire(unsafe { std::slice::from_raw_parts(req, len) }) else {
        return fail(Errno::EINVAL);
    };
    // The child tells why it failed through a pipe that exec closes; it sits above the descriptors actions use.
    let mut ends = [0i32; 2];
    sys!(293, ends.as_mut_ptr(), 0o2000000);
    let report = dup(ends[1], 200, 1);
    fd_close(ends[1]);
    let pid = unsafe { libc_fork() };
    if pid == 0 {
        let why = (|| {
            if let Some(pgid) = request.pgid {
                setpgid(0, pgid);
            }
            if let Some(cwd) = &request.cwd {
                let a = unsafe { chdir(cwd.as_ptr(), cwd.len()) };
                if a < 0 {
                    return a;
                }
            }
            for action in &request.actions {
                let a = match action {
                    FdAction::Dup2 { from, to } if from == to => fcntl(*from, 2, 0),
                    FdAction::Dup2 { from, to } => dup2(*from, *to, 0),
                    FdAction::Close { fd } => fd_close(*fd).min(0),
                    FdAction::Open { fd, path, flags, mode } => {
                        let got = unsafe { open(-100, path.as_ptr(), path.len(), *flags as i32, *mode as i32) };
                        if got >= 0 && got != *fd {
                            dup2(got, *fd, 0);
                            fd_close(got);
                        }
                        got
                    }
                };
                if a < 0 {
                    return a;
                }
            }
            for signal in 1..=31 {
                if request.default_signals >> (signal - 1) & 1 != 0
                    || CAUGHT.load(Ordering::SeqCst) >> (signal - 1) & 1 != 0
                {
                    unsafe { libc_signal(signal, 0) };
                }
            }
            unsafe { become_program(&request) }
        })();
        sys!(1, report, &why as *const i32, 4usize);
        proc_exit(127)
    }
    fd_close(report);
    let mut why = 0i32;
    let got = sys!(0, ends[0], &mut why as *mut i32, 4usize);
    fd_close(ends[0]);
    if got == 4 {
        sys!(61, pid, 0usize, 0, 0usize);
        return why;
    }
    pid
}

pub unsafe fn wait(pid: i32, flags: i32, out: *mut u8) -> i32 {
    let mut status = 0u32;
    let mut usage = [0i64; 18];
    let got = sys!(61, pid, &mut status as *mut u32, flags, usage.as_mut_ptr());
    if got > 0 && !out.is_null() {
        // The bit that says "left a core" is not told here.
        let status = if status & 0x7f != 0x7f && status & 0x7f != 0 { status & 0x7f } else { status };
        let cpu = (usage[0] + usage[2]) * 1_000_000_000 + (usage[1] + usage[3]) * 1000;
        let mut w = Writer::default();
        w.u32(status).u32(0).u64(cpu as u64).u64(usage[4] as u64 * 1024);
        unsafe { put(out, &w.finish()) };
    }
    got
}

pub fn getpid() -> i32 {
    sys!(39)
}
pub fn getppid() -> i32 {
    sys!(110)
}
pub fn getpgid(pid: i32) -> i32 {
    sys!(121, pid)
}
pub fn setpgid(pid: i32, pgid: i32) -> i32 {
    sys!(109, pid, pgid)
}
pub fn getsid(pid: i32) -> i32 {
    sys!(124, pid)
}
pub fn setsid() -> i32 {
    sys!(112)
}
pub unsafe fn getids(out: *mut u8) -> i32 {
    let mut w = Writer::default();
    w.u32(sys!(102) as u32).u32(sys!(104) as u32);
    unsafe { put(out, &w.finish()) };
    0
}
pub fn kill(pid: i32, signal: i32) -> i32 {
    sys!(62, pid, signal)
}

static PENDING: AtomicU64 = AtomicU64::new(0);
static CAUGHT: AtomicU64 = AtomicU64::new(0);

extern "C" fn note(signal: c_int) {
    PENDING.fetch_or(1 << (signal - 1), Ordering::SeqCst);
}

pub fn signal_action(signal: i32, disposition: i32) -> i32 {
    if !(1..=31).contains(&signal) || !(0..=2).contains(&disposition) || (matches!(signal, 9 | 19) && disposition != 0)
    {
        return fail(Errno::EINVAL);
    }
    let handler = if disposition == 2 { note as extern "C" fn(c_int) as usize } else { disposition as usize };
    let old = unsafe { libc_signal(signal, handler) };
    unsafe { siginterrupt(signal, 1) };
    let bit = 1 << (signal - 1);
    if disposition == 2 {
        CAUGHT.fetch_or(bit, Ordering::SeqCst)
    } else {
        CAUGHT.fetch_and(!bit, Ordering::SeqCst)
    };
    if old > 1 { 2 } else { old as i32 }
}
pub unsafe fn signal_mask(how: i32, set: *const u8, old: *mut u8) -> i32 {
    sys!(14, how, set, old, 8usize)
}
pub fn signal_take() -> i32 {
    let mut blocked = 0u64;
    sys!(14, 0, 0usize, &mut blocked as *mut u64, 8usize);
    let ready = PENDING.load(Ordering::SeqCst) & !blocked;
    if ready == 0 {
        return 0;
    }
    let lowest = ready.trailing_zeros();
    PENDING.fetch_and(!(1 << lowest), Ordering::SeqCst);
    lowest as i32 + 1
}
pub fn pause() -> i32 {
    if PENDING.load(Ordering::SeqCst) != 0 { fail(Errno::EINTR) } else { sys!(34) }
}
pub unsafe fn getrlimit(which: i32, out: *mut u8) -> i32 {
    sys!(97, which, out)
}
pub unsafe fn setrlimit(which: i32, limits: *const u8) -> i32 {
    sys!(160, which, limits)
}
pub unsafe fn getrusage(who: i32, out: *mut u8) -> i32 {
    let mut usage = [0i64; 18];
    let got = sys!(98, who, usage.as_mut_ptr());
    let cpu = (usage[0] + usage[2]) * 1_000_000_000 + (usage[1] + usage[3]) * 1000;
    let mut w = Writer::default();
    w.u64(cpu as u64).u64(usage[4] as u64 * 1024);
    unsafe { put(out, &w.finish()) };
    got
}
