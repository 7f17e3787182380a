//! The imports, exactly as `capsule_abi::door` and WASI preview1 lay them down, each behind a function that is safe to
//! call. Every unsafe call here passes pointers and lengths of live slices only, and the kernel checks them again; where
//! a record has a fixed size the wrapper's type has that size. That is the reason meant by each `SAFETY: slices`.
#![allow(unsafe_code)]

use capsule_abi::door::POLL_WIRE;
use capsule_abi::fs::{FsUsage, SetTime, Stat};
use capsule_abi::process::WAIT_WIRE;

#[cfg(not(target_arch = "wasm32"))]
use crate::host as door;
#[cfg(not(target_arch = "wasm32"))]
use crate::host as wasi;

#[cfg(target_arch = "wasm32")]
mod door {
    #[link(wasm_import_module = "capsule")]
    unsafe extern "C" {
        pub fn fork(arg: usize) -> i32;
        pub fn spawn(req: *const u8, len: usize) -> i32;
        pub fn exec(req: *const u8, len: usize) -> i32;
        pub fn wait(pid: i32, flags: i32, out: *mut u8) -> i32;
        pub safe fn getpid() -> i32;
        pub safe fn getppid() -> i32;
        pub safe fn getpgid(pid: i32) -> i32;
        pub safe fn setpgid(pid: i32, pgid: i32) -> i32;
        pub safe fn getsid(pid: i32) -> i32;
        pub safe fn setsid() -> i32;
        pub fn getids(out: *mut u8) -> i32;
        pub safe fn kill(pid: i32, signal: i32) -> i32;
        pub safe fn signal_action(signal: i32, disposition: i32) -> i32;
        pub fn signal_mask(how: i32, set: *const u8, old: *mut u8) -> i32;
        pub safe fn signal_take() -> i32;
        pub safe fn pause() -> i32;
        pub fn getrlimit(which: i32, out: *mut u8) -> i32;
        pub fn setrlimit(which: i32, limits: *const u8) -> i32;
        pub fn getrusage(who: i32, out: *mut u8) -> i32;

        pub fn open(dir: i32, path: *const u8, len: usize, flags: i32, mode: i32) -> i32;
        pub fn pipe(out: *mut u8, flags: i32) -> i32;
        pub safe fn dup(fd: i32, least: i32, cloexec: i32) -> i32;
        pub safe fn dup2(from: i32, to: i32, flags: i32) -> i32;
        pub safe fn fcntl(fd: i32, command: i32, arg: i32) -> i32;
        pub safe fn isatty(fd: i32) -> i32;
        pub safe fn winsize(fd: i32) -> i32;
        pub fn poll(fds: *mut u8, n: usize, timeout_ms: i32) -> i32;
        pub fn getdents(fd: i32, buf: *mut u8, len: usize) -> i32;

        pub fn stat(dir: i32, path: *const u8, len: usize, flags: i32, out: *mut u8) -> i32;
        pub fn statfs(dir: i32, path: *const u8, len: usize, out: *mut u8) -> i32;
        pub fn access(dir: i32, path: *const u8, len: usize, mode: i32, flags: i32) -> i32;
        pub fn chmod(dir: i32, path: *const u8, len: usize, mode: i32, flags: i32) -> i32;
        pub fn chown(dir: i32, path: *const u8, len: usize, uid: i32, gid: i32, flags: i32) -> i32;
        pub fn utimens(dir: i32, path: *const u8, len: usize, times: *const u8, flags: i32) -> i32;
        pub fn truncate(dir: i32, path: *const u8, len: usize, size: i64) -> i32;
        pub fn mkdir(dir: i32, path: *const u8, len: usize, mode: i32) -> i32;
        pub fn mkfifo(dir: i32, path: *const u8, len: usize, mode: i32) -> i32;
        pub fn symlink(target: *const u8, tlen: usize, dir: i32, path: *const u8, len: usize) -> i32;
        pub fn readlink(dir: i32, path: *const u8, len: usize, buf: *mut u8, blen: usize) -> i32;
        pub fn link(dir: i32, path: *const u8, len: usize, dir2: i32, path2: *const u8, len2: usize, flags: i32)
        -> i32;
        pub fn unlink(dir: i32, path: *const u8, len: usize, flags: i32) -> i32;
        pub fn rename(
            dir: i32,
            path: *const u8,
            len: usize,
            dir2: i32,
            path2: *const u8,
            len2: usize,
            flags: i32,
        ) -> i32;
        pub fn chdir(path: *const u8, len: usize) -> i32;
        pub safe fn fchdir(fd: i32) -> i32;
        pub fn getcwd(buf: *mut u8, len: usize) -> i32;
        pub safe fn umask(mask: i32) -> i32;

        pub fn http_open(req: *const u8, len: usize) -> i32;
        pub safe fn http_finish(fd: i32) -> i32;
        pub fn http_head(fd: i32, buf: *mut u8, len: usize) -> i32;
        pub fn http_error(fd: i32, buf: *mut u8, len: usize) -> i32;
    }
}

#[cfg(target_arch = "wasm32")]
mod wasi {
    #[link(wasm_import_module = "wasi_snapshot_preview1")]
    unsafe extern "C" {
        pub fn args_sizes_get(count: *mut usize, bytes: *mut usize) -> i32;
        pub fn args_get(pointers: *mut *mut u8, bytes: *mut u8) -> i32;
        pub fn environ_sizes_get(count: *mut usize, bytes: *mut usize) -> i32;
        pub fn environ_get(pointers: *mut *mut u8, bytes: *mut u8) -> i32;
        pub fn fd_read(fd: i32, iovs: *const super::IoVec, n: usize, done: *mut usize) -> i32;
        pub fn fd_write(fd: i32, iovs: *const super::IoVec, n: usize, done: *mut usize) -> i32;
        pub fn fd_pread(fd: i32, iovs: *const super::IoVec, n: usize, at: u64, done: *mut usize) -> i32;
        pub fn fd_pwrite(fd: i32, iovs: *const super::IoVec, n: usize, at: u64, done: *mut usize) -> i32;
        pub safe fn fd_close(fd: i32) -> i32;
        pub fn fd_seek(fd: i32, offset: i64, whence: i32, position: *mut u64) -> i32;
        pub safe fn fd_filestat_set_size(fd: i32, size: u64) -> i32;
        pub safe fn fd_sync(fd: i32) -> i32;
        pub fn clock_time_get(clock: i32, precision: u64, time: *mut u64) -> i32;
        pub fn poll_oneoff(subs: *const u8, events: *mut u8, n: usize, done: *mut usize) -> i32;
        pub fn random_get(buf: *mut u8, len: usize) -> i32;
        pub safe fn sched_yield() -> i32;
        pub safe fn proc_exit(code: i32) -> !;
    }
}

/// A buffer as WASI takes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct IoVec {
    pub buf: *const u8,
    pub len: usize,
}

pub use door::{
    dup, dup2, fchdir, fcntl, getpgid, getpid, getppid, getsid, http_finish, isatty, kill, pause, setpgid, setsid,
    signal_action, signal_take, umask, winsize,
};
pub use wasi::{fd_close, fd_filestat_set_size, fd_sync, proc_exit, sched_yield};

type Child<'a> = Box<dyn FnOnce() -> i32 + 'a>;

/// Runs `child` in a copy of this process. The closure is boxed twice so that a thin pointer can carry it across.
pub fn fork(child: Child<'_>) -> i32 {
    let arg = Box::into_raw(Box::new(child));
    // SAFETY: `arg` is what `capsule_fork_child` expects. The child has a copy of this memory with these stack frames
    // in place and never returns from its entry, so what the closure borrows stays alive there.
    let answer = unsafe { door::fork(arg as usize) };
    // SAFETY: the parent's own copy, made above and used by nobody else.
    drop(unsafe { Box::from_raw(arg) });
    answer
}

/// Where the kernel starts a forked child.
#[unsafe(no_mangle)]
pub extern "C" fn capsule_fork_child(arg: usize) {
    // SAFETY: `arg` is the pointer `fork` made, valid in this copy of the memory; only `fork` and the kernel call this.
    let child: Box<Child<'_>> = unsafe { Box::from_raw(arg as *mut Child<'_>) };
    let code = child();
    proc_exit(code)
}

pub fn spawn(request: &[u8]) -> i32 {
    // SAFETY: slices.
    unsafe { door::spawn(request.as_ptr(), request.len()) }
}
pub fn exec(request: &[u8]) -> i32 {
    // SAFETY: slices.
    unsafe { door::exec(request.as_ptr(), request.len()) }
}
pub fn wait(pid: i32, flags: u32, out: &mut [u8; WAIT_WIRE]) -> i32 {
    // SAFETY: slices.
    unsafe { door::wait(pid, flags as i32, out.as_mut_ptr()) }
}
pub fn getids(out: &mut [u8; 8]) -> i32 {
    // SAFETY: slices.
    unsafe { door::getids(out.as_mut_ptr()) }
}
pub fn signal_mask(how: i32, set: Option<u64>, old: &mut u64) -> i32 {
    let bytes = set.unwrap_or(0).to_le_bytes();
    let pointer = if set.is_some() { bytes.as_ptr() } else { core::ptr::null() };
    // SAFETY: null or eight bytes; `old` is eight bytes, little-endian as wasm is.
    unsafe { door::signal_mask(how, pointer, (old as *mut u64).cast()) }
}
pub fn getrlimit(which: i32, out: &mut [u8; 16]) -> i32 {
    // SAFETY: slices.
    unsafe { door::getrlimit(which, out.as_mut_ptr()) }
}
pub fn setrlimit(which: i32, limits: &[u8; 16]) -> i32 {
    // SAFETY: slices.
    unsafe { door::setrlimit(which, limits.as_ptr()) }
}
pub fn getrusage(who: i32, out: &mut [u8; 16]) -> i32 {
    // SAFETY: slices.
    unsafe { door::getrusage(who, out.as_mut_ptr()) }
}

pub fn open(dir: i32, path: &[u8], flags: u32, mode: u32) -> i32 {
    // SAFETY: slices.
    unsafe { door::open(dir, path.as_ptr(), path.len(), flags as i32, mode as i32) }
}
pub fn pipe(out: &mut [u8; 8], flags: u32) -> i32 {
    // SAFETY: slices.
    unsafe { door::pipe(out.as_mut_ptr(), flags as i32) }
}
pub fn poll(records: &mut [u8], timeout_ms: i32) -> i32 {
    // SAFETY: slices; the count is that of whole records.
    unsafe { door::poll(records.as_mut_ptr(), records.len() / POLL_WIRE, timeout_ms) }
}
pub fn getdents(fd: i32, buf: &mut [u8]) -> i32 {
    // SAFETY: slices.
    unsafe { door::getdents(fd, buf.as_mut_ptr(), buf.len()) }
}

pub fn stat(dir: i32, path: &[u8], flags: u32, out: &mut [u8; Stat::WIRE]) -> i32 {
    // SAFETY: slices.
    unsafe { door::stat(dir, path.as_ptr(), path.len(), flags as i32, out.as_mut_ptr()) }
}
pub fn statfs(dir: i32, path: &[u8], out: &mut [u8; FsUsage::WIRE]) -> i32 {
    // SAFETY: slices.
    unsafe { door::statfs(dir, path.as_ptr(), path.len(), out.as_mut_ptr()) }
}
pub fn access(dir: i32, path: &[u8], mode: u32, flags: u32) -> i32 {
    // SAFETY: slices.
    unsafe { door::access(dir, path.as_ptr(), path.len(), mode as i32, flags as i32) }
}
pub fn chmod(dir: i32, path: &[u8], mode: u32, flags: u32) -> i32 {
    // SAFETY: slices.
    unsafe { door::chmod(dir, path.as_ptr(), path.len(), mode as i32, flags as i32) }
}
pub fn chown(dir: i32, path: &[u8], uid: i32, gid: i32, flags: u32) -> i32 {
    // SAFETY: slices.
    unsafe { door::chown(dir, path.as_ptr(), path.len(), uid, gid, flags as i32) }
}
pub fn utimens(dir: i32, path: &[u8], times: &[u8; 2 * SetTime::WIRE], flags: u32) -> i32 {
    // SAFETY: slices.
    unsafe { door::utimens(dir, path.as_ptr(), path.len(), times.as_ptr(), flags as i32) }
}
pub fn truncate(dir: i32, path: &[u8], size: i64) -> i32 {
    // SAFETY: slices.
    unsafe { door::truncate(dir, path.as_ptr(), path.len(), size) }
}
pub fn mkdir(dir: i32, path: &[u8], mode: u32) -> i32 {
    // SAFETY: slices.
    unsafe { door::mkdir(dir, path.as_ptr(), path.len(), mode as i32) }
}
pub fn mkfifo(dir: i32, path: &[u8], mode: u32) -> i32 {
    // SAFETY: slices.
    unsafe { door::mkfifo(dir, path.as_ptr(), path.len(), mode as i32) }
}
pub fn symlink(target: &[u8], dir: i32, path: &[u8]) -> i32 {
    // SAFETY: slices.
    unsafe { door::symlink(target.as_ptr(), target.len(), dir, path.as_ptr(), path.len()) }
}
pub fn readlink(dir: i32, path: &[u8], buf: &mut [u8]) -> i32 {
    // SAFETY: slices.
    unsafe { door::readlink(dir, path.as_ptr(), path.len(), buf.as_mut_ptr(), buf.len()) }
}
pub fn link(dir: i32, path: &[u8], dir2: i32, path2: &[u8], flags: u32) -> i32 {
    // SAFETY: slices.
    unsafe { door::link(dir, path.as_ptr(), path.len(), dir2, path2.as_ptr(), path2.len(), flags as i32) }
}
pub fn unlink(dir: i32, path: &[u8], flags: u32) -> i32 {
    // SAFETY: slices.
    unsafe { door::unlink(dir, path.as_ptr(), path.len(), flags as i32) }
}
pub fn rename(dir: i32, path: &[u8], dir2: i32, path2: &[u8], flags: u32) -> i32 {
    // SAFETY: slices.
    unsafe { door::rename(dir, path.as_ptr(), path.len(), dir2, path2.as_ptr(), path2.len(), flags as i32) }
}
pub fn chdir(path: &[u8]) -> i32 {
    // SAFETY: slices.
    unsafe { door::chdir(path.as_ptr(), path.len()) }
}
pub fn getcwd(buf: &mut [u8]) -> i32 {
    // SAFETY: slices.
    unsafe { door::getcwd(buf.as_mut_ptr(), buf.len()) }
}

pub fn http_open(request: &[u8]) -> i32 {
    // SAFETY: slices.
    unsafe { door::http_open(request.as_ptr(), request.len()) }
}
pub fn http_head(fd: i32, buf: &mut [u8]) -> i32 {
    // SAFETY: slices.
    unsafe { door::http_head(fd, buf.as_mut_ptr(), buf.len()) }
}
pub fn http_error(fd: i32, buf: &mut [u8]) -> i32 {
    // SAFETY: slices.
    unsafe { door::http_error(fd, buf.as_mut_ptr(), buf.len()) }
}

pub fn fd_read(fd: i32, buf: &mut [u8], done: &mut usize) -> i32 {
    let iov = IoVec { buf: buf.as_mut_ptr(), len: buf.len() };
    // SAFETY: slices; one vector over a buffer we may write.
    unsafe { wasi::fd_read(fd, &iov, 1, done) }
}
pub fn fd_write(fd: i32, buf: &[u8], done: &mut usize) -> i32 {
    let iov = IoVec { buf: buf.as_ptr(), len: buf.len() };
    // SAFETY: slices.
    unsafe { wasi::fd_write(fd, &iov, 1, done) }
}
pub fn fd_pread(fd: i32, buf: &mut [u8], at: u64, done: &mut usize) -> i32 {
    let iov = IoVec { buf: buf.as_mut_ptr(), len: buf.len() };
    // SAFETY: slices; one vector over a buffer we may write.
    unsafe { wasi::fd_pread(fd, &iov, 1, at, done) }
}
pub fn fd_pwrite(fd: i32, buf: &[u8], at: u64, done: &mut usize) -> i32 {
    let iov = IoVec { buf: buf.as_ptr(), len: buf.len() };
    // SAFETY: slices.
    unsafe { wasi::fd_pwrite(fd, &iov, 1, at, done) }
}
pub fn fd_seek(fd: i32, offset: i64, whence: u8, position: &mut u64) -> i32 {
    // SAFETY: slices.
    unsafe { wasi::fd_seek(fd, offset, whence.into(), position) }
}
pub fn clock_time_get(clock: u32, time: &mut u64) -> i32 {
    // SAFETY: slices.
    unsafe { wasi::clock_time_get(clock as i32, 1, time) }
}
pub fn poll_oneoff(subscription: &[u8; 48], event: &mut [u8; 32]) -> i32 {
    let mut done = 0;
    // SAFETY: slices; one subscription, one event.
    unsafe { wasi::poll_oneoff(subscription.as_ptr(), event.as_mut_ptr(), 1, &mut done) }
}
pub fn random_get(buf: &mut [u8]) -> i32 {
    // SAFETY: slices.
    unsafe { wasi::random_get(buf.as_mut_ptr(), buf.len()) }
}

/// The arguments, or the environment, as the kernel gave them: NUL-ended strings one after another.
#[cfg(target_arch = "wasm32")]
fn strings(
    sizes: unsafe extern "C" fn(*mut usize, *mut usize) -> i32,
    get: unsafe extern "C" fn(*mut *mut u8, *mut u8) -> i32,
) -> Vec<Vec<u8>> {
    let (mut count, mut bytes) = (0, 0);
    // SAFETY: two numbers of our own.
    if unsafe { sizes(&mut count, &mut bytes) } != 0 || count == 0 {
        return Vec::new();
    }
    let mut pointers = vec![core::ptr::null_mut(); count];
    let mut buf = vec![0u8; bytes];
    // SAFETY: room for as many pointers and bytes as the call above asked for.
    if unsafe { get(pointers.as_mut_ptr(), buf.as_mut_ptr()) } != 0 {
        return Vec::new();
    }
    buf.split(|&b| b == 0).take(count).map(<[u8]>::to_vec).collect()
}
#[cfg(target_arch = "wasm32")]
pub fn args() -> Vec<Vec<u8>> {
    strings(wasi::args_sizes_get, wasi::args_get)
}
#[cfg(target_arch = "wasm32")]
pub fn environ() -> Vec<Vec<u8>> {
    strings(wasi::environ_sizes_get, wasi::environ_get)
}
#[cfg(not(target_arch = "wasm32"))]
pub use crate::host::{args, environ};
