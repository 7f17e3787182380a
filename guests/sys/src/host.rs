//! The doors' functions on the machine's own Linux (x86-64), for tests only: guests run natively beside the tools they
//! imitate, and the programs in `doors` can be held against the kernel they describe. Never part of a guest.
//!
//! Signatures and answers are those of [`crate::raw`]'s imports. The unsafe calls pass on pointers that `raw` took from
//! live slices; `raw`'s contract is the reason for each of them.
#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

use crate::raw::IoVec;
use capsule_abi::Errno;
use capsule_abi::door::Window;
use capsule_abi::fs::{DirEntry, FileType, FsUsage, MODE_BITS, SetTime, Stat, Time};
use capsule_abi::wire::{Reader, Writer};
use std::ffi::{CString, c_char, c_int, c_long};
use std::os::unix::ffi::OsStringExt;

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    #[link_name = "fork"]
    fn libc_fork() -> c_int;
    #[link_name = "signal"]
    fn libc_signal(signal: c_int, handler: usize) -> usize;
    fn siginterrupt(signal: c_int, on: c_int) -> c_int;
    fn execve(path: *const c_char, argv: *const *const c_char, env: *const *const c_char) -> c_int;
    fn __errno_location() -> *mut c_int;
}

macro_rules! sys {
    ($number:literal $(, $arg:expr)*) => {
        if is_barred($number) { fail(Errno::EPERM) } else { answer(unsafe { syscall($number $(, $arg)*) }) }
    };
}

/// What a command must not do to the machine when guests/fuzz makes up its arguments: kill, wait for a time, and change
/// names, modes, owners, times, limits or the working directory. Nor may it start programs, write files, or read those
/// of others.
fn is_barred(number: c_long) -> bool {
    const BARRED: [c_long; 19] =
        [34, 62, 76, 80, 81, 91, 109, 112, 160, 230, 258, 259, 260, 263, 265, 266, 268, 280, 316];
    cfg!(fuzzing) && BARRED.contains(&number)
}

mod process;
pub use process::*;

fn errno() -> i32 {
    unsafe { *__errno_location() }
}

fn answer(result: c_long) -> i32 {
    if result < 0 { -errno() } else { result as i32 }
}

fn fail(e: Errno) -> i32 {
    -e.linux()
}

fn c(path: *const u8, len: usize) -> CString {
    // A path with a NUL cannot be said to Linux: it becomes one that does not exist.
    CString::new(unsafe { std::slice::from_raw_parts(path, len) }).unwrap_or_else(|_| c"\xff/".into())
}

unsafe fn put(out: *mut u8, bytes: &[u8]) {
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), out, bytes.len()) }
}

pub unsafe fn open(dir: i32, path: *const u8, len: usize, flags: i32, mode: i32) -> i32 {
    const WRITES: i32 = 0o3 | 0o100 | 0o1000;
    let path = c(path, len);
    if cfg!(fuzzing) && (flags & WRITES != 0 || !path.to_bytes().starts_with(b"/dev/shm/capsule-fuzz")) {
        return fail(Errno::EACCES);
    }
    sys!(257, dir, path.as_ptr(), flags, mode)
}
pub unsafe fn pipe(out: *mut u8, flags: i32) -> i32 {
    sys!(293, out, flags)
}
pub fn dup(fd: i32, least: i32, cloexec: i32) -> i32 {
    sys!(72, fd, if cloexec != 0 { 1030 } else { 0 }, least)
}
pub fn dup2(from: i32, to: i32, flags: i32) -> i32 {
    if from == to { fcntl(from, 1, 0).min(0).min(to) } else { sys!(292, from, to, flags) }
}
pub fn fcntl(fd: i32, command: i32, arg: i32) -> i32 {
    sys!(72, fd, command, arg)
}
pub fn isatty(fd: i32) -> i32 {
    let mut termios = [0u8; 64];
    let got = sys!(16, fd, 0x5401, termios.as_mut_ptr());
    if got < 0 { got } else { 1 }
}
pub fn winsize(fd: i32) -> i32 {
    let mut size = [0u16; 4];
    let got = sys!(16, fd, 0x5413, size.as_mut_ptr());
    if got < 0 { got } else { Window { rows: size[0], columns: size[1] }.to_wire() }
}
pub unsafe fn poll(fds: *mut u8, n: usize, timeout_ms: i32) -> i32 {
    sys!(7, fds, n, timeout_ms)
}
// There is no such door in Linux: natively a guest has no network.
pub unsafe fn http_open(_request: *const u8, _len: usize) -> i32 {
    fail(Errno::ENOSYS)
}
pub fn http_finish(_fd: i32) -> i32 {
    fail(Errno::ENOSYS)
}
pub unsafe fn http_head(_fd: i32, _buf: *mut u8, _len: usize) -> i32 {
    fail(Errno::ENOSYS)
}
pub unsafe fn http_error(_fd: i32, _buf: *mut u8, _len: usize) -> i32 {
    fail(Errno::ENOSYS)
}
pub unsafe fn getdents(fd: i32, buf: *mut u8, len: usize) -> i32 {
    // Linux's records are never more than a sixth shorter than ours.
    let mut linux = vec![0u8; len * 3 / 4];
    let got = sys!(217, fd, linux.as_mut_ptr(), linux.len());
    if got <= 0 {
        return got;
    }
    let mut w = Writer::default();
    let mut rest = &linux[..got as usize];
    while rest.len() > 19 {
        let word = |at: usize| rest[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
        let length = u16::from_le_bytes([rest[16], rest[17]]) as usize;
        let name = rest[19..length].split(|&b| b == 0).next().unwrap_or_default().to_vec();
        let kind = FileType::from_mode(u32::from(rest[18]) << 12).unwrap_or(FileType::Regular);
        DirEntry { next: word(8), ino: word(0), kind, name }.write(&mut w);
        rest = &rest[length..];
    }
    let bytes = w.finish();
    unsafe { put(buf, &bytes) };
    bytes.len() as i32
}

pub unsafe fn stat(dir: i32, path: *const u8, len: usize, flags: i32, out: *mut u8) -> i32 {
    let mut s = [0u64; 18];
    let got = sys!(262, dir, c(path, len).as_ptr(), s.as_mut_ptr(), flags);
    if got < 0 {
        return got;
    }
    let time = |at: usize| Time { sec: s[at] as i64, nsec: s[at + 1] as u32 };
    let st_mode = s[3] as u32;
    let stat = Stat {
        dev: s[0],
        ino: s[1],
        kind: FileType::from_mode(st_mode).unwrap_or(FileType::Regular),
        mode: st_mode & MODE_BITS,
        nlink: s[2] as u32,
        uid: (s[3] >> 32) as u32,
        gid: s[4] as u32,
        rdev: s[5],
        size: s[6],
        blocks: s[8],
        atime: time(9),
        mtime: time(11),
        ctime: time(13),
    };
    unsafe { put(out, &stat.to_wire()) };
    0
}
pub unsafe fn statfs(_dir: i32, path: *const u8, len: usize, out: *mut u8) -> i32 {
    let mut s = [0u64; 15];
    let got = sys!(137, c(path, len).as_ptr(), s.as_mut_ptr());
    let scale = s[1].max(1);
    let usage = FsUsage {
        blocks: s[2] * scale / 4096,
        blocks_free: s[3] * scale / 4096,
        files: s[5],
        files_free: s[6],
        read_only: false,
    };
    unsafe { put(out, &usage.to_wire()) };
    got
}
pub unsafe fn access(dir: i32, path: *const u8, len: usize, mode: i32, flags: i32) -> i32 {
    sys!(439, dir, c(path, len).as_ptr(), mode, flags)
}
pub unsafe fn chmod(dir: i32, path: *const u8, len: usize, mode: i32, flags: i32) -> i32 {
    if len == 0 && flags & 0x1000 != 0 { sys!(91, dir, mode) } else { sys!(268, dir, c(path, len).as_ptr(), mode) }
}
pub unsafe fn chown(dir: i32, path: *const u8, len: usize, uid: i32, gid: i32, flags: i32) -> i32 {
    sys!(260, dir, c(path, len).as_ptr(), uid, gid, flags)
}
pub unsafe fn utimens(dir: i32, path: *const u8, len: usize, times: *const u8, flags: i32) -> i32 {
    let mut r = Reader::new(unsafe { std::slice::from_raw_parts(times, 2 * SetTime::WIRE) });
    let mut spec = [0i64; 4];
    for pair in spec.chunks_exact_mut(2) {
        let (sec, nsec) = match SetTime::read(&mut r) {
            Ok(SetTime::At(time)) => (time.sec, time.nsec.into()),
            Ok(SetTime::Now) => (0, (1 << 30) - 1),
            Ok(SetTime::Omit) => (0, (1 << 30) - 2),
            Err(_) => return fail(Errno::EINVAL),
        };
        pair.copy_from_slice(&[sec, nsec]);
    }
    let path = c(path, len);
    let name = if len == 0 && flags & 0x1000 != 0 { std::ptr::null() } else { path.as_ptr() };
    sys!(280, dir, name, spec.as_ptr(), flags & !0x1000)
}
pub unsafe fn truncate(_dir: i32, path: *const u8, len: usize, size: i64) -> i32 {
    sys!(76, c(path, len).as_ptr(), size)
}
pub unsafe fn mkdir(dir: i32, path: *const u8, len: usize, mode: i32) -> i32 {
    sys!(258, dir, c(path, len).as_ptr(), mode)
}
pub unsafe fn mkfifo(dir: i32, path: *const u8, len: usize, mode: i32) -> i32 {
    sys!(259, dir, c(path, len).as_ptr(), mode | 0o10000, 0)
}
pub unsafe fn symlink(target: *const u8, tlen: usize, dir: i32, path: *const u8, len: usize) -> i32 {
    sys!(266, c(target, tlen).as_ptr(), dir, c(path, len).as_ptr())
}
pub unsafe fn readlink(dir: i32, path: *const u8, len: usize, buf: *mut u8, blen: usize) -> i32 {
    sys!(267, dir, c(path, len).as_ptr(), buf, blen)
}
pub unsafe fn link(dir: i32, path: *const u8, len: usize, dir2: i32, path2: *const u8, len2: usize, flags: i32) -> i32 {
    sys!(265, dir, c(path, len).as_ptr(), dir2, c(path2, len2).as_ptr(), flags)
}
pub unsafe fn unlink(dir: i32, path: *const u8, len: usize, flags: i32) -> i32 {
    sys!(263, dir, c(path, len).as_ptr(), flags)
}
pub unsafe fn rename(
    dir: i32,
    path: *const u8,
    len: usize,
    dir2: i32,
    path2: *const u8,
    len2: usize,
    flags: i32,
) -> i32 {
    sys!(316, dir, c(path, len).as_ptr(), dir2, c(path2, len2).as_ptr(), flags)
}
pub unsafe fn chdir(path: *const u8, len: usize) -> i32 {
    sys!(80, c(path, len).as_ptr())
}
pub fn fchdir(fd: i32) -> i32 {
    sys!(81, fd)
}
pub unsafe fn getcwd(buf: *mut u8, len: usize) -> i32 {
    // Linux counts the NUL.
    match sys!(79, buf, len) {
        n if n > 0 => n - 1,
        e => e,
    }
}
pub fn umask(mask: i32) -> i32 {
    sys!(95, mask)
}

/// A count or an error, as WASI says it.
fn wasi(got: i32) -> i32 {
    if got < 0 { Errno::from_linux(-got).unwrap_or(Errno::EIO).wasi().into() } else { 0 }
}

unsafe fn counted(got: c_long, done: *mut usize) -> i32 {
    if got < 0 {
        return wasi(-errno());
    }
    unsafe { *done = got as usize };
    0
}
pub unsafe fn fd_read(fd: i32, iovs: *const IoVec, n: usize, done: *mut usize) -> i32 {
    unsafe { counted(syscall(19, fd, iovs, n), done) }
}
pub unsafe fn fd_write(fd: i32, iovs: *const IoVec, n: usize, done: *mut usize) -> i32 {
    if cfg!(fuzzing) && fd == 2 {
        // The fuzzer has more to say there than the commands.
        let all = unsafe { std::slice::from_raw_parts(iovs, n) };
        unsafe { *done = all.iter().map(|one| one.len).sum() };
        return 0;
    }
    unsafe { counted(syscall(20, fd, iovs, n), done) }
}
pub unsafe fn fd_pread(fd: i32, iovs: *const IoVec, n: usize, at: u64, done: *mut usize) -> i32 {
    unsafe { counted(syscall(295, fd, iovs, n, at, 0usize), done) }
}
pub unsafe fn fd_pwrite(fd: i32, iovs: *const IoVec, n: usize, at: u64, done: *mut usize) -> i32 {
    unsafe { counted(syscall(296, fd, iovs, n, at, 0usize), done) }
}
pub fn fd_close(fd: i32) -> i32 {
    wasi(sys!(3, fd))
}
pub unsafe fn fd_seek(fd: i32, offset: i64, whence: i32, position: *mut u64) -> i32 {
    let got = unsafe { syscall(8, fd, offset, whence) };
    if got < 0 {
        return wasi(-errno());
    }
    unsafe { *position = got as u64 };
    0
}
pub fn fd_filestat_set_size(fd: i32, size: u64) -> i32 {
    wasi(sys!(77, fd, size))
}
pub fn fd_sync(fd: i32) -> i32 {
    wasi(sys!(74, fd))
}
pub unsafe fn clock_time_get(clock: i32, _precision: u64, time: *mut u64) -> i32 {
    let mut spec = [0i64; 2];
    let got = sys!(228, clock, spec.as_mut_ptr());
    unsafe { *time = (spec[0] as u64) * 1_000_000_000 + spec[1] as u64 };
    wasi(got)
}
/// Only what [`crate::sleep_until`] asks: one absolute time of the monotonic clock.
pub unsafe fn poll_oneoff(subs: *const u8, _events: *mut u8, _n: usize, _done: *mut usize) -> i32 {
    let record = unsafe { std::slice::from_raw_parts(subs, 48) };
    let at = record[24..32].try_into().map_or(0, u64::from_le_bytes);
    let spec = [(at / 1_000_000_000) as i64, (at % 1_000_000_000) as i64];
    wasi(sys!(230, 1, 1, spec.as_ptr(), 0usize))
}
pub unsafe fn random_get(buf: *mut u8, len: usize) -> i32 {
    wasi(sys!(318, buf, len, 0))
}
pub fn sched_yield() -> i32 {
    sys!(24)
}
pub fn proc_exit(code: i32) -> ! {
    sys!(231, code);
    std::process::abort()
}
pub fn args() -> Vec<Vec<u8>> {
    std::env::args_os().map(OsStringExt::into_vec).collect()
}
pub fn environ() -> Vec<Vec<u8>> {
    let pair = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        [name.into_vec(), b"=".to_vec(), value.into_vec()].concat()
    };
    std::env::vars_os().map(pair).collect()
}
