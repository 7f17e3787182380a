//! Descriptors: plain numbers for the calls, [`Fd`] where one should be closed when it goes out of use.

use crate::{Errno, Result, check, check_wasi, raw};
use capsule_abi::door::{F_GETFD, F_GETFL, F_SETFD, F_SETFL, FD_CLOEXEC, POLL_WIRE, Window};
use capsule_abi::fs::OpenFlags;
use capsule_abi::wasi::{WHENCE_CUR, WHENCE_END, WHENCE_SET};

pub use capsule_abi::door::{POLLERR, POLLHUP, POLLIN, POLLNVAL, POLLOUT};

pub const STDIN: i32 = 0;
pub const STDOUT: i32 = 1;
pub const STDERR: i32 = 2;

/// A descriptor that is closed when dropped.
#[derive(Debug, PartialEq, Eq)]
pub struct Fd(i32);

impl Fd {
    /// Takes over a descriptor.
    pub fn new(number: i32) -> Fd {
        Fd(number)
    }

    pub fn raw(&self) -> i32 {
        self.0
    }

    /// Gives the descriptor up without closing it.
    pub fn into_raw(self) -> i32 {
        let number = self.0;
        core::mem::forget(self);
        number
    }

    /// Closes it and tells what closing said.
    pub fn close(self) -> Result<()> {
        close(self.into_raw())
    }
}

impl Drop for Fd {
    fn drop(&mut self) {
        let _ = close(self.0);
    }
}

/// Reads up to `buf.len()` bytes; 0 is the end.
pub fn read(fd: i32, buf: &mut [u8]) -> Result<usize> {
    let mut done = 0;
    check_wasi(raw::fd_read(fd, buf, &mut done))?;
    Ok(done)
}

/// Writes what it can; how many bytes.
pub fn write(fd: i32, buf: &[u8]) -> Result<usize> {
    let mut done = 0;
    check_wasi(raw::fd_write(fd, buf, &mut done))?;
    Ok(done)
}

/// Writes everything: goes on after short writes and after signals.
pub fn write_all(fd: i32, mut buf: &[u8]) -> Result<()> {
    while !buf.is_empty() {
        match write(fd, buf) {
            Ok(0) => return Err(Errno::EIO),
            Ok(n) => buf = &buf[n..],
            Err(Errno::EINTR) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Reads until `buf` is full or the end; how many bytes.
pub fn read_full(fd: i32, buf: &mut [u8]) -> Result<usize> {
    let mut done = 0;
    while done < buf.len() {
        match read(fd, &mut buf[done..]) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(Errno::EINTR) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(done)
}

/// How much is read before anything is asked about a file that is read whole.
const SMALL: usize = 4096;

/// How much is taken on trust in the size of a file.
const LARGEST_STEP: usize = 1 << 24;

/// The size of a file, as far as it has one.
fn size(fd: i32) -> usize {
    crate::fstat(fd).map_or(0, |stat| usize::try_from(stat.size).unwrap_or(0))
}

/// Reads all there is.
pub fn read_to_end(fd: i32) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    let mut filled = 0;
    loop {
        // Most of what is read whole is small. What is not says how large it is, or it grows by doubling, so that each
        // byte is zeroed and copied a bounded number of times.
        if all.len() == filled {
            let rest = if filled == SMALL { size(fd).saturating_sub(filled) + 1 } else { filled };
            all.resize(filled + rest.clamp(filled.max(SMALL), LARGEST_STEP.max(filled)), 0);
        }
        match read(fd, &mut all[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(Errno::EINTR) => {}
            Err(e) => return Err(e),
        }
    }
    all.truncate(filled);
    Ok(all)
}

pub fn pread(fd: i32, buf: &mut [u8], at: u64) -> Result<usize> {
    let mut done = 0;
    check_wasi(raw::fd_pread(fd, buf, at, &mut done))?;
    Ok(done)
}

pub fn pwrite(fd: i32, buf: &[u8], at: u64) -> Result<usize> {
    let mut done = 0;
    check_wasi(raw::fd_pwrite(fd, buf, at, &mut done))?;
    Ok(done)
}

pub fn close(fd: i32) -> Result<()> {
    check_wasi(raw::fd_close(fd))
}

/// Where [`seek`] counts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seek {
    Start(u64),
    Current(i64),
    End(i64),
}

/// Moves the offset; the new one.
pub fn seek(fd: i32, to: Seek) -> Result<u64> {
    let (offset, whence) = match to {
        Seek::Start(n) => (i64::try_from(n).map_err(|_| Errno::EINVAL)?, WHENCE_SET),
        Seek::Current(n) => (n, WHENCE_CUR),
        Seek::End(n) => (n, WHENCE_END),
    };
    let mut position = 0;
    check_wasi(raw::fd_seek(fd, offset, whence, &mut position))?;
    Ok(position)
}

pub fn ftruncate(fd: i32, size: u64) -> Result<()> {
    check_wasi(raw::fd_filestat_set_size(fd, size))
}

pub fn fsync(fd: i32) -> Result<()> {
    check_wasi(raw::fd_sync(fd))
}

/// Read end and write end. `flags`: `CLOEXEC`, `NONBLOCK`.
pub fn pipe(flags: OpenFlags) -> Result<(Fd, Fd)> {
    let mut out = [0; 8];
    check(raw::pipe(&mut out, flags.0))?;
    let end = |at: usize| Fd(i32::from_le_bytes([out[at], out[at + 1], out[at + 2], out[at + 3]]));
    Ok((end(0), end(4)))
}

/// A second descriptor for the same description: the lowest free one that is at least `least`.
pub fn dup(fd: i32, least: i32, cloexec: bool) -> Result<i32> {
    check(raw::dup(fd, least, cloexec.into()))
}

/// Makes `to` another descriptor for `from`'s description. `flags`: `CLOEXEC`.
pub fn dup2(from: i32, to: i32, flags: OpenFlags) -> Result<()> {
    check(raw::dup2(from, to, flags.0 as i32)).map(drop)
}

pub fn fcntl(fd: i32, command: i32, arg: i32) -> Result<i32> {
    check(raw::fcntl(fd, command, arg))
}

pub fn set_cloexec(fd: i32, on: bool) -> Result<()> {
    fcntl(fd, F_SETFD, if on { FD_CLOEXEC } else { 0 }).map(drop)
}

pub fn is_cloexec(fd: i32) -> Result<bool> {
    Ok(fcntl(fd, F_GETFD, 0)? & FD_CLOEXEC != 0)
}

/// The flags the description was opened with.
pub fn flags(fd: i32) -> Result<OpenFlags> {
    Ok(OpenFlags(fcntl(fd, F_GETFL, 0)? as u32))
}

pub fn set_flags(fd: i32, flags: OpenFlags) -> Result<()> {
    fcntl(fd, F_SETFL, flags.0 as i32).map(drop)
}

pub fn isatty(fd: i32) -> bool {
    raw::isatty(fd) == 1
}

/// The size of the terminal's window, where there is a terminal with one.
pub fn window(fd: i32) -> Option<Window> {
    let answer = raw::winsize(fd);
    (answer >= 0).then(|| Window::from_wire(answer)).filter(|window| window.rows > 0 && window.columns > 0)
}

/// One descriptor to [`poll`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PollFd {
    pub fd: i32,
    pub events: u16,
    pub revents: u16,
}

/// Waits until one of them is ready; how many are. A timeout below zero waits for ever.
pub fn poll(fds: &mut [PollFd], timeout_ms: i32) -> Result<usize> {
    let mut records = Vec::with_capacity(fds.len() * POLL_WIRE);
    for p in fds.iter() {
        records.extend_from_slice(&p.fd.to_le_bytes());
        records.extend_from_slice(&p.events.to_le_bytes());
        records.extend_from_slice(&[0, 0]);
    }
    let ready = check(raw::poll(&mut records, timeout_ms))?;
    for (p, record) in fds.iter_mut().zip(records.chunks_exact(POLL_WIRE)) {
        p.revents = u16::from_le_bytes([record[6], record[7]]);
    }
    Ok(ready as usize)
}
