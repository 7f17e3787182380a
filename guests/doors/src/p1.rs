//! WASI preview1 as the specification has it: every function, addresses as numbers, and small wrappers over those the
//! programs use often.
#![allow(unsafe_code)]

use crate::{at, at_mut};

pub use capsule_abi::wasi::*;

macro_rules! imports {
    ($($name:ident($($arg:ident: $type:ty),*);)*) => {
        #[cfg(target_arch = "wasm32")]
        mod raw {
            #[link(wasm_import_module = "wasi_snapshot_preview1")]
            unsafe extern "C" { $(pub fn $name($($arg: $type),*) -> i32;)* }
        }
        $(
            #[allow(clippy::too_many_arguments)]
            pub fn $name($($arg: $type),*) -> u16 {
                // SAFETY: programs pass addresses of live buffers, or such that the kernel must refuse.
                #[cfg(target_arch = "wasm32")]
                return unsafe { raw::$name($($arg),*) } as u16;
                #[cfg(not(target_arch = "wasm32"))]
                { let _ = ($($arg,)*); return errno::NOSYS; }
            }
        )*
    };
}

imports! {
    args_get(argv: i32, buf: i32);
    args_sizes_get(count: i32, size: i32);
    environ_get(environ: i32, buf: i32);
    environ_sizes_get(count: i32, size: i32);
    clock_res_get(id: i32, out: i32);
    clock_time_get(id: i32, precision: i64, out: i32);
    fd_advise(fd: i32, offset: i64, len: i64, advice: i32);
    fd_allocate(fd: i32, offset: i64, len: i64);
    fd_close(fd: i32);
    fd_datasync(fd: i32);
    fd_fdstat_get(fd: i32, out: i32);
    fd_fdstat_set_flags(fd: i32, flags: i32);
    fd_fdstat_set_rights(fd: i32, base: i64, inheriting: i64);
    fd_filestat_get(fd: i32, out: i32);
    fd_filestat_set_size(fd: i32, size: i64);
    fd_filestat_set_times(fd: i32, atim: i64, mtim: i64, flags: i32);
    fd_pread(fd: i32, iovs: i32, n: i32, offset: i64, out: i32);
    fd_prestat_get(fd: i32, out: i32);
    fd_prestat_dir_name(fd: i32, path: i32, len: i32);
    fd_pwrite(fd: i32, iovs: i32, n: i32, offset: i64, out: i32);
    fd_read(fd: i32, iovs: i32, n: i32, out: i32);
    fd_readdir(fd: i32, buf: i32, len: i32, cookie: i64, out: i32);
    fd_renumber(from: i32, to: i32);
    fd_seek(fd: i32, offset: i64, whence: i32, out: i32);
    fd_sync(fd: i32);
    fd_tell(fd: i32, out: i32);
    fd_write(fd: i32, iovs: i32, n: i32, out: i32);
    path_create_directory(fd: i32, path: i32, len: i32);
    path_filestat_get(fd: i32, flags: i32, path: i32, len: i32, out: i32);
    path_filestat_set_times(fd: i32, flags: i32, path: i32, len: i32, atim: i64, mtim: i64, fst_flags: i32);
    path_link(fd: i32, flags: i32, path: i32, len: i32, new_fd: i32, new_path: i32, new_len: i32);
    path_open(fd: i32, dirflags: i32, path: i32, len: i32, oflags: i32, rights: i64, inheriting: i64, fdflags: i32, out: i32);
    path_readlink(fd: i32, path: i32, len: i32, buf: i32, buf_len: i32, out: i32);
    path_remove_directory(fd: i32, path: i32, len: i32);
    path_rename(fd: i32, path: i32, len: i32, new_fd: i32, new_path: i32, new_len: i32);
    path_symlink(target: i32, target_len: i32, fd: i32, path: i32, len: i32);
    path_unlink_file(fd: i32, path: i32, len: i32);
    poll_oneoff(subs: i32, events: i32, n: i32, out: i32);
    proc_raise(signal: i32);
    sched_yield();
    random_get(buf: i32, len: i32);
    sock_accept(fd: i32, flags: i32, out: i32);
    sock_recv(fd: i32, iovs: i32, n: i32, flags: i32, out: i32, out_flags: i32);
    sock_send(fd: i32, iovs: i32, n: i32, flags: i32, out: i32);
    sock_shutdown(fd: i32, how: i32);
}

/// Error numbers of preview1, by the names the specification gives them.
pub mod errno {
    pub const SUCCESS: u16 = 0;
    pub const AGAIN: u16 = 6;
    pub const BADF: u16 = 8;
    pub const EXIST: u16 = 20;
    pub const FAULT: u16 = 21;
    pub const FBIG: u16 = 22;
    pub const INVAL: u16 = 28;
    pub const ISDIR: u16 = 31;
    pub const LOOP: u16 = 32;
    pub const NAMETOOLONG: u16 = 37;
    pub const NOENT: u16 = 44;
    pub const NOSYS: u16 = 52;
    pub const NOTDIR: u16 = 54;
    pub const NOTEMPTY: u16 = 55;
    pub const NOTSOCK: u16 = 57;
    pub const NOTSUP: u16 = 58;
    pub const OVERFLOW: u16 = 61;
    pub const PERM: u16 = 63;
    pub const SPIPE: u16 = 70;
    pub const NOTCAPABLE: u16 = 76;
}

pub type Result<T> = core::result::Result<T, u16>;

fn answer(errno: u16) -> Result<()> {
    if errno == 0 { Ok(()) } else { Err(errno) }
}

/// The preopened `/`.
pub const ROOT: i32 = PREOPEN_FD;

/// The call answers with this error.
#[macro_export]
macro_rules! refused {
    ($call:expr, $error:ident) => {
        match $call {
            Err(e) if e == $crate::p1::errno::$error => {}
            other => $crate::fail(
                line!(),
                &format!("{}: got {:?}, want {}", stringify!($call), other.map(drop), stringify!($error)),
            ),
        }
    };
}

/// A descriptor for the working directory, to which the programs' paths are relative.
pub fn here() -> i32 {
    let cwd = capsule_sys::getcwd().unwrap_or_else(|_| b"/workspace".to_vec());
    match open_with(ROOT, &cwd, OFLAGS_DIRECTORY, RIGHTS_ALL, 0) {
        Ok(fd) => fd,
        Err(e) => crate::fail(line!(), &format!("cannot open the working directory: {e}")),
    }
}

const FOLLOW: i32 = LOOKUP_SYMLINK_FOLLOW as i32;

/// Opens for reading and writing.
pub fn open(dir: i32, path: &[u8], oflags: u16) -> Result<i32> {
    open_with(dir, path, oflags, RIGHTS_ALL, 0)
}

pub fn open_with(dir: i32, path: &[u8], oflags: u16, rights: u64, fdflags: u16) -> Result<i32> {
    let mut fd = -1i32;
    let errno = path_open(
        dir,
        FOLLOW,
        at(path),
        path.len() as i32,
        oflags.into(),
        rights as i64,
        rights as i64,
        fdflags.into(),
        at_mut(&mut fd),
    );
    answer(errno).map(|()| fd)
}

/// Opens without following a symbolic link at the end.
pub fn open_nofollow(dir: i32, path: &[u8], oflags: u16) -> Result<i32> {
    let (mut fd, rights) = (-1i32, RIGHTS_ALL as i64);
    let errno = path_open(dir, 0, at(path), path.len() as i32, oflags.into(), rights, rights, 0, at_mut(&mut fd));
    answer(errno).map(|()| fd)
}

/// A new file with this content, open.
pub fn create(dir: i32, path: &[u8], content: &[u8]) -> i32 {
    match open(dir, path, OFLAGS_CREAT | OFLAGS_TRUNC) {
        Ok(fd) => match write(fd, content) {
            Ok(n) if n == content.len() => fd,
            other => crate::fail(line!(), &format!("write: {other:?}")),
        },
        Err(e) => crate::fail(line!(), &format!("create: {e}")),
    }
}

pub fn close(fd: i32) -> Result<()> {
    answer(fd_close(fd))
}

fn vector(buf: &[u8]) -> [i32; 2] {
    [at(buf), buf.len() as i32]
}

pub fn write(fd: i32, buf: &[u8]) -> Result<usize> {
    let (iov, mut n) = (vector(buf), 0u32);
    answer(fd_write(fd, at(&iov), 1, at_mut(&mut n))).map(|()| n as usize)
}

pub fn read(fd: i32, buf: &mut [u8]) -> Result<usize> {
    let (iov, mut n) = ([at_mut(buf), buf.len() as i32], 0u32);
    answer(fd_read(fd, at(&iov), 1, at_mut(&mut n))).map(|()| n as usize)
}

/// Up to 64 bytes from where the descriptor is.
pub fn read_some(fd: i32) -> Result<Vec<u8>> {
    let mut buf = vec![0; 64];
    let n = read(fd, &mut buf)?;
    buf.truncate(n);
    Ok(buf)
}

pub fn pread(fd: i32, buf: &mut [u8], offset: u64) -> Result<usize> {
    let (iov, mut n) = ([at_mut(buf), buf.len() as i32], 0u32);
    answer(fd_pread(fd, at(&iov), 1, offset as i64, at_mut(&mut n))).map(|()| n as usize)
}

pub fn pwrite(fd: i32, buf: &[u8], offset: u64) -> Result<usize> {
    let (iov, mut n) = (vector(buf), 0u32);
    answer(fd_pwrite(fd, at(&iov), 1, offset as i64, at_mut(&mut n))).map(|()| n as usize)
}

pub fn seek(fd: i32, offset: i64, whence: u8) -> Result<u64> {
    let mut position = 0u64;
    answer(fd_seek(fd, offset, whence.into(), at_mut(&mut position))).map(|()| position)
}

pub fn tell(fd: i32) -> Result<u64> {
    let mut position = 0u64;
    answer(fd_tell(fd, at_mut(&mut position))).map(|()| position)
}

/// `filestat`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub struct FileStat {
    pub dev: u64,
    pub ino: u64,
    pub filetype: u8,
    pub nlink: u64,
    pub size: u64,
    pub atim: u64,
    pub mtim: u64,
    pub ctim: u64,
}

pub fn fstat(fd: i32) -> Result<FileStat> {
    let mut stat = FileStat::default();
    answer(fd_filestat_get(fd, at_mut(&mut stat))).map(|()| stat)
}

pub fn stat(dir: i32, path: &[u8]) -> Result<FileStat> {
    let mut stat = FileStat::default();
    answer(path_filestat_get(dir, FOLLOW, at(path), path.len() as i32, at_mut(&mut stat))).map(|()| stat)
}

pub fn lstat(dir: i32, path: &[u8]) -> Result<FileStat> {
    let mut stat = FileStat::default();
    answer(path_filestat_get(dir, 0, at(path), path.len() as i32, at_mut(&mut stat))).map(|()| stat)
}

/// `fdstat`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub struct FdStat {
    pub filetype: u8,
    pub flags: u16,
    pub rights: u64,
    pub inheriting: u64,
}

pub fn fdstat(fd: i32) -> Result<FdStat> {
    let mut stat = FdStat::default();
    answer(fd_fdstat_get(fd, at_mut(&mut stat))).map(|()| stat)
}

pub fn mkdir(dir: i32, path: &[u8]) -> Result<()> {
    answer(path_create_directory(dir, at(path), path.len() as i32))
}

pub fn rmdir(dir: i32, path: &[u8]) -> Result<()> {
    answer(path_remove_directory(dir, at(path), path.len() as i32))
}

pub fn unlink(dir: i32, path: &[u8]) -> Result<()> {
    answer(path_unlink_file(dir, at(path), path.len() as i32))
}

pub fn rename(dir: i32, from: &[u8], to: &[u8]) -> Result<()> {
    answer(path_rename(dir, at(from), from.len() as i32, dir, at(to), to.len() as i32))
}

pub fn link(dir: i32, from: &[u8], to: &[u8]) -> Result<()> {
    answer(path_link(dir, 0, at(from), from.len() as i32, dir, at(to), to.len() as i32))
}

pub fn symlink(target: &[u8], dir: i32, path: &[u8]) -> Result<()> {
    answer(path_symlink(at(target), target.len() as i32, dir, at(path), path.len() as i32))
}

pub fn readlink(dir: i32, path: &[u8], buf: &mut [u8]) -> Result<usize> {
    let mut n = 0u32;
    let len = buf.len() as i32;
    answer(path_readlink(dir, at(path), path.len() as i32, at_mut(buf), len, at_mut(&mut n))).map(|()| n as usize)
}

/// A directory entry: cookie of the next, inode, kind, name.
#[derive(Clone, Debug, PartialEq)]
pub struct DirEnt {
    pub next: u64,
    pub ino: u64,
    pub filetype: u8,
    pub name: Vec<u8>,
}

/// One `fd_readdir` with a buffer of so many bytes: the whole entries in it, and how many bytes it said were used.
pub fn readdir(fd: i32, size: usize, cookie: u64) -> Result<(Vec<DirEnt>, usize)> {
    let mut buf = vec![0u8; size];
    let mut used = 0u32;
    answer(fd_readdir(fd, at_mut(buf.as_mut_slice()), size as i32, cookie as i64, at_mut(&mut used)))?;
    let mut entries = Vec::new();
    let mut rest = buf.get(..used as usize).ok_or(errno::OVERFLOW)?;
    while rest.len() >= DIRENT_SIZE {
        let word = |at: usize| rest[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
        let length = rest[16..20].try_into().map_or(0, u32::from_le_bytes) as usize;
        let Some(name) = rest.get(DIRENT_SIZE..DIRENT_SIZE + length) else { break };
        entries.push(DirEnt { next: word(0), ino: word(8), filetype: rest[20], name: name.to_vec() });
        rest = &rest[DIRENT_SIZE + length..];
    }
    Ok((entries, used as usize))
}

/// The names in a directory but `.` and `..`, sorted, read with a buffer of so many bytes.
pub fn names(fd: i32, size: usize) -> Result<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    let mut cookie = 0;
    loop {
        let (entries, used) = readdir(fd, size, cookie)?;
        if let Some(last) = entries.last() {
            cookie = last.next;
        } else if used == size {
            // Not even one entry fits: the caller's buffer is too small.
            return Err(errno::INVAL);
        }
        let end = used < size;
        all.extend(entries.into_iter().map(|e| e.name).filter(|n| n != b"." && n != b".."));
        if end {
            all.sort();
            return Ok(all);
        }
    }
}

/// A `poll_oneoff` subscription to a clock.
pub fn clock_subscription(userdata: u64, clock: u32, timeout: u64, flags: u16) -> [u8; SUBSCRIPTION_SIZE] {
    let mut record = [0; SUBSCRIPTION_SIZE];
    record[..8].copy_from_slice(&userdata.to_le_bytes());
    record[8] = EVENTTYPE_CLOCK;
    record[16..20].copy_from_slice(&clock.to_le_bytes());
    record[24..32].copy_from_slice(&timeout.to_le_bytes());
    record[40..42].copy_from_slice(&flags.to_le_bytes());
    record
}

/// A `poll_oneoff` subscription to a descriptor.
pub fn fd_subscription(userdata: u64, kind: u8, fd: i32) -> [u8; SUBSCRIPTION_SIZE] {
    let mut record = [0; SUBSCRIPTION_SIZE];
    record[..8].copy_from_slice(&userdata.to_le_bytes());
    record[8] = kind;
    record[16..20].copy_from_slice(&fd.to_le_bytes());
    record
}

/// What happened: user data, error, kind, bytes that can be read or written, flags.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    pub userdata: u64,
    pub error: u16,
    pub kind: u8,
    pub bytes: u64,
    pub flags: u16,
}

pub fn poll(subscriptions: &[[u8; SUBSCRIPTION_SIZE]]) -> Result<Vec<Event>> {
    let mut events = vec![[0u8; EVENT_SIZE]; subscriptions.len()];
    let mut n = 0u32;
    let out = at_mut(events.as_mut_slice());
    answer(poll_oneoff(at(subscriptions), out, subscriptions.len() as i32, at_mut(&mut n)))?;
    let read = |record: &[u8; EVENT_SIZE]| Event {
        userdata: record[..8].try_into().map_or(0, u64::from_le_bytes),
        error: u16::from_le_bytes([record[8], record[9]]),
        kind: record[10],
        bytes: record[16..24].try_into().map_or(0, u64::from_le_bytes),
        flags: u16::from_le_bytes([record[24], record[25]]),
    };
    Ok(events.iter().take(n as usize).map(read).collect())
}

pub fn now(clock: u32) -> u64 {
    let mut time = 0u64;
    match clock_time_get(clock as i32, 1, at_mut(&mut time)) {
        0 => time,
        e => crate::fail(line!(), &format!("clock_time_get: {e}")),
    }
}
