//! Descriptors: opening, duplicating, flags, waiting, directory entries.

use crate::call::{Call, Guest, answer};
use crate::memory::GuestMemory;
use capsule_abi::Errno;
use capsule_abi::door::{F_GETFD, F_GETFL, F_SETFD, F_SETFL, FD_CLOEXEC, POLL_WIRE, Window};
use capsule_abi::fs::{DirEntry, OpenFlags};
use capsule_abi::wire::Writer;
use capsule_kernel::PollFd;
use std::time::Duration;

/// The most descriptors one `poll` may name.
const MAX_POLL: u32 = 4096;

pub async fn open(
    guest: &mut Guest<'_>,
    dir: i32,
    path: i32,
    len: i32,
    flags: i32,
    mode: i32,
) -> wasmtime::Result<Result<i32, Errno>> {
    let process = guest.data().process.clone();
    let path = match Call::new(guest).memory.path(path, len) {
        Ok(path) => path.to_vec(),
        Err(errno) => return Ok(Err(errno)),
    };
    let outcome = process.open(dir, &path, OpenFlags(flags as u32), mode as u32, 0).await;
    answer(&process, outcome).await
}

pub fn pipe(mut call: Call<'_>, out: i32, flags: i32) -> Result<i32, Errno> {
    call.memory.check(out, 8)?;
    let (read, write) = call.process.pipe(OpenFlags(flags as u32))?;
    call.memory.write_u64(out, u64::from(read as u32) | u64::from(write as u32) << 32).map(|()| 0)
}

pub fn dup(call: Call<'_>, fd: i32, least: i32, cloexec: i32) -> Result<i32, Errno> {
    call.process.dup(fd, least, cloexec != 0)
}

pub fn dup2(call: Call<'_>, from: i32, to: i32, flags: i32) -> Result<i32, Errno> {
    let flags = OpenFlags(flags as u32);
    if flags.without(OpenFlags::CLOEXEC) != OpenFlags::default() {
        return Err(Errno::EINVAL);
    }
    call.process.dup2(from, to, flags.contains(OpenFlags::CLOEXEC))
}

pub fn fcntl(call: Call<'_>, fd: i32, command: i32, arg: i32) -> Result<i32, Errno> {
    match command {
        F_GETFD => call.process.close_on_exec(fd).map(|on| if on { FD_CLOEXEC } else { 0 }),
        F_SETFD => call.process.set_close_on_exec(fd, arg & FD_CLOEXEC != 0).map(|()| 0),
        F_GETFL => call.process.description(fd).map(|description| description.flags().get().0 as i32),
        F_SETFL => {
            call.process.description(fd)?.flags().set(OpenFlags(arg as u32));
            Ok(0)
        }
        _ => Err(Errno::EINVAL),
    }
}

pub fn isatty(call: Call<'_>, fd: i32) -> Result<i32, Errno> {
    call.process.description(fd)?.terminal().map(|_| 1).ok_or(Errno::ENOTTY)
}

pub fn winsize(call: Call<'_>, fd: i32) -> Result<i32, Errno> {
    call.process.window(fd).map(Window::to_wire)
}

pub async fn poll(
    guest: &mut Guest<'_>,
    fds: i32,
    count: i32,
    timeout_ms: i32,
) -> wasmtime::Result<Result<i32, Errno>> {
    let process = guest.data().process.clone();
    let mut questions = match poll_questions(&Call::new(guest).memory, fds, count) {
        Ok(questions) => questions,
        Err(errno) => return Ok(Err(errno)),
    };
    let timeout = u64::try_from(timeout_ms).ok().map(Duration::from_millis);
    let outcome = process.poll(&mut questions, timeout).await.and_then(|ready| {
        let records = poll_records(&questions);
        Call::new(guest).memory.write(fds, &records).map(|()| ready as i32)
    });
    answer(&process, outcome).await
}

fn poll_questions(memory: &GuestMemory<'_>, fds: i32, count: i32) -> Result<Vec<PollFd>, Errno> {
    let count = count as u32;
    if count > MAX_POLL {
        return Err(Errno::EINVAL);
    }
    let records = memory.slice(fds, (count as usize * POLL_WIRE) as i32)?;
    let question = |record: &[u8; POLL_WIRE]| {
        let [a, b, c, d, e, f, _, _] = *record;
        PollFd { fd: i32::from_le_bytes([a, b, c, d]), events: u16::from_le_bytes([e, f]), revents: 0 }
    };
    Ok(records.as_chunks::<POLL_WIRE>().0.iter().map(question).collect())
}

fn poll_records(questions: &[PollFd]) -> Vec<u8> {
    let mut records = Vec::with_capacity(questions.len() * POLL_WIRE);
    for question in questions {
        records.extend(question.fd.to_le_bytes());
        records.extend(question.events.to_le_bytes());
        records.extend(question.revents.to_le_bytes());
    }
    records
}

/// The most that one `getdents` tells, however large the buffer: the next call goes on.
const MAX_ENTRIES: usize = 256 << 10;

/// Whole entries only; `EINVAL` when not even the next one fits.
pub fn getdents(mut call: Call<'_>, fd: i32, buf: i32, len: i32) -> Result<i32, Errno> {
    let space = call.memory.slice(buf, len)?.len().min(MAX_ENTRIES);
    let mut records = Writer::default();
    let mut too_small = false;
    call.process.getdents(fd, &mut |entry| {
        let fits = records.len() + DirEntry::wire_len(&entry.name) <= space;
        if fits {
            entry.write(&mut records);
        } else {
            too_small = records.is_empty();
        }
        fits
    })?;
    if too_small {
        return Err(Errno::EINVAL);
    }
    let records = records.finish();
    call.memory.write(buf, &records).map(|()| records.len() as i32)
}
