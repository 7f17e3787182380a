//! Reading and writing. Each attempt is one call into the kernel; what would wait is tried again when the kernel says
//! so. Long transfers go in pieces, so that a kill or a deadline is heeded in between.

use crate::call::{Call, Guest, answer, breathe};
use crate::memory::{Iovecs, Span};
use capsule_abi::Errno;
use capsule_kernel::{Description, Interest, Process};
use std::sync::Arc;

/// The most that moves in one step; between two steps kills and deadlines are heeded.
const PIECE: usize = 1 << 20;

/// Scattered writes up to this size are gathered first: one call, and atomic where the kernel's writes are.
const GATHER: usize = 64 << 10;

/// An empty piece.
const NOTHING: Span = 0..0;

pub async fn fd_read(
    guest: &mut Guest<'_>,
    fd: i32,
    iovs: i32,
    count: i32,
    out: i32,
) -> wasmtime::Result<Result<(), Errno>> {
    transfer(guest, Direction::Read(None), fd, iovs, count, out).await
}

pub async fn fd_pread(
    guest: &mut Guest<'_>,
    fd: i32,
    iovs: i32,
    count: i32,
    offset: i64,
    out: i32,
) -> wasmtime::Result<Result<(), Errno>> {
    let Ok(offset) = u64::try_from(offset) else { return Ok(Err(Errno::EINVAL)) };
    transfer(guest, Direction::Read(Some(offset)), fd, iovs, count, out).await
}

pub async fn fd_write(
    guest: &mut Guest<'_>,
    fd: i32,
    iovs: i32,
    count: i32,
    out: i32,
) -> wasmtime::Result<Result<(), Errno>> {
    transfer(guest, Direction::Write(None), fd, iovs, count, out).await
}

pub async fn fd_pwrite(
    guest: &mut Guest<'_>,
    fd: i32,
    iovs: i32,
    count: i32,
    offset: i64,
    out: i32,
) -> wasmtime::Result<Result<(), Errno>> {
    let Ok(offset) = u64::try_from(offset) else { return Ok(Err(Errno::EINVAL)) };
    transfer(guest, Direction::Write(Some(offset)), fd, iovs, count, out).await
}

/// Which way, and where, if not at the description's own offset.
#[derive(Clone, Copy)]
enum Direction {
    Read(Option<u64>),
    Write(Option<u64>),
}

impl Direction {
    fn interest(self) -> Interest {
        match self {
            Direction::Read(_) => Interest::Read,
            Direction::Write(_) => Interest::Write,
        }
    }

    /// One attempt on a piece of guest memory, `done` bytes into the transfer.
    fn attempt(self, call: &mut Call<'_>, file: &Description, piece: &Span, done: usize) -> Result<usize, Errno> {
        let at = |offset: u64| offset.checked_add(done as u64).ok_or(Errno::EINVAL);
        match self {
            Direction::Read(None) => file.read(call.memory.bytes_mut(piece)),
            Direction::Read(Some(offset)) => file.read_at(at(offset)?, call.memory.bytes_mut(piece)),
            Direction::Write(None) => call.process.try_write(&**file, call.memory.bytes(piece)),
            Direction::Write(Some(offset)) => call.process.write_at(&**file, at(offset)?, call.memory.bytes(piece)),
        }
    }
}

async fn transfer(
    guest: &mut Guest<'_>,
    direction: Direction,
    fd: i32,
    iovs: i32,
    count: i32,
    out: i32,
) -> wasmtime::Result<Result<(), Errno>> {
    let process = guest.data().process.clone();
    let decoded = decode(&Call::new(guest), fd, iovs, count, out);
    let (file, iovecs) = match decoded {
        Ok(decoded) => decoded,
        Err(errno) => return Ok(Err(errno)),
    };
    let moved = match (direction, &iovecs) {
        (Direction::Write(None), Iovecs::Many(spans)) if iovecs.total() <= GATHER => {
            let gathered = gather(&Call::new(guest), spans);
            write_gathered(&process, &file, &gathered).await
        }
        _ => pieces(guest, &process, &file, direction, &iovecs).await?,
    };
    let outcome = moved.and_then(|n| Call::new(guest).memory.write_u32(out, n as u32));
    answer(&process, outcome).await
}

fn decode(call: &Call<'_>, fd: i32, iovs: i32, count: i32, out: i32) -> Result<(Description, Iovecs), Errno> {
    let file = call.process.description(fd)?;
    call.memory.check(out, 4)?;
    Ok((file, call.memory.iovecs(iovs, count)?))
}

fn gather(call: &Call<'_>, spans: &[Span]) -> Vec<u8> {
    spans.iter().flat_map(|span| call.memory.bytes(span)).copied().collect()
}

async fn write_gathered(process: &Arc<Process>, file: &Description, data: &[u8]) -> Result<usize, Errno> {
    let mut done = 0;
    while done < data.len() {
        match process.try_write(&**file, &data[done..]) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(errno) => match would_wait(process, file, Interest::Write, errno).await {
                Ok(()) => {}
                Err(_) if done > 0 => break,
                Err(errno) => return Err(errno),
            },
        }
    }
    Ok(done)
}

/// Moves piece after piece. A read ends with the first piece that is not filled; a write goes on until all is written.
async fn pieces(
    guest: &mut Guest<'_>,
    process: &Arc<Process>,
    file: &Description,
    direction: Direction,
    iovecs: &Iovecs,
) -> wasmtime::Result<Result<usize, Errno>> {
    let reading = direction.interest() == Interest::Read;
    let mut done = 0;
    let spans = match iovecs.spans() {
        // Moving nothing still tells whether the descriptor can.
        [] => std::slice::from_ref(&NOTHING),
        spans => spans,
    };
    for span in spans {
        let mut start = span.start;
        loop {
            let piece = start..span.end.min(start.saturating_add(PIECE));
            match direction.attempt(&mut Call::new(guest), file, &piece, done) {
                Ok(n) => {
                    (done, start) = (done + n, start + n);
                    if n < piece.len() && (reading || n == 0) {
                        return Ok(Ok(done));
                    }
                }
                // Some of it moved: that is the answer, and the next call tells the error.
                Err(_) if done > 0 && reading => return Ok(Ok(done)),
                Err(errno) => match would_wait(process, file, direction.interest(), errno).await {
                    Ok(()) => continue,
                    Err(_) if done > 0 => return Ok(Ok(done)),
                    Err(errno) => return Ok(Err(errno)),
                },
            }
            if start >= span.end {
                break;
            }
            breathe(process).await?;
        }
    }
    Ok(Ok(done))
}

/// Waits for another attempt, if the error only says that one must.
async fn would_wait(process: &Process, file: &Description, interest: Interest, errno: Errno) -> Result<(), Errno> {
    if errno != Errno::EAGAIN || file.flags().nonblocking() {
        return Err(errno);
    }
    process.wait_ready(&**file, interest).await
}
