//! `poll_oneoff`: waiting for descriptors and for time.

use super::at;
use super::clock::now;
use crate::call::{Call, Guest, answer};
use crate::memory::GuestMemory;
use capsule_abi::Errno;
use capsule_abi::door::{POLLERR, POLLHUP, POLLIN, POLLNVAL, POLLOUT};
use capsule_abi::fs::FileType;
use capsule_abi::wasi::*;
use capsule_kernel::{PollFd, Process, Whence};
use std::time::Duration;

/// The most questions in one call; as many as a process usually has descriptors.
const MAX_SUBSCRIPTIONS: u32 = 1024;

/// One question.
struct Subscription {
    userdata: [u8; 8],
    question: Question,
}

enum Question {
    /// Until this time of this clock.
    Clock {
        id: u32,
        until: u64,
    },
    Descriptor {
        fd: i32,
        writing: bool,
    },
    /// Nothing to wait for: the answer is this error.
    Wrong(Errno),
}

/// One answer.
struct Event {
    userdata: [u8; 8],
    error: u16,
    kind: u8,
    bytes: u64,
    flags: u16,
}

pub async fn poll_oneoff(
    guest: &mut Guest<'_>,
    subscriptions: i32,
    events: i32,
    count: i32,
    out: i32,
) -> wasmtime::Result<Result<(), Errno>> {
    let process = guest.data().process.clone();
    let decoded = decode(&Call::new(guest), subscriptions, events, count, out);
    let outcome = match decoded {
        Ok(subscriptions) => wait(&process, &subscriptions).await,
        Err(errno) => Err(errno),
    };
    let outcome = outcome.and_then(|answers| write(&mut Call::new(guest).memory, events, out, &answers));
    answer(&process, outcome).await
}

fn decode(call: &Call<'_>, table: i32, events: i32, count: i32, out: i32) -> Result<Vec<Subscription>, Errno> {
    let count = count as u32;
    if count == 0 || count > MAX_SUBSCRIPTIONS {
        return Err(Errno::EINVAL);
    }
    call.memory.check(out, 4)?;
    call.memory.check(events, count as usize * EVENT_SIZE)?;
    let records = call.memory.slice(table, (count as usize * SUBSCRIPTION_SIZE) as i32)?;
    records.as_chunks::<SUBSCRIPTION_SIZE>().0.iter().map(|record| subscription(call.process, record)).collect()
}

/// userdata, then a tag at 8; for a clock its id at 16, timeout at 24, flags at 40; for a descriptor its number at 16.
fn subscription(process: &Process, record: &[u8; SUBSCRIPTION_SIZE]) -> Result<Subscription, Errno> {
    let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| record[at + i]));
    let question = match record[8] {
        EVENTTYPE_CLOCK => match clock(process, number(16) as u32, number(24), number(40) as u16) {
            Ok(question) => question,
            Err(errno) => Question::Wrong(errno),
        },
        kind @ (EVENTTYPE_FD_READ | EVENTTYPE_FD_WRITE) => {
            Question::Descriptor { fd: number(16) as u32 as i32, writing: kind == EVENTTYPE_FD_WRITE }
        }
        _ => return Err(Errno::EINVAL),
    };
    Ok(Subscription { userdata: std::array::from_fn(|i| record[i]), question })
}

fn clock(process: &Process, id: u32, timeout: u64, flags: u16) -> Result<Question, Errno> {
    if !matches!(id, CLOCK_REALTIME | CLOCK_MONOTONIC) {
        return Err(Errno::EOPNOTSUPP);
    }
    if flags & !SUBCLOCKFLAGS_ABSTIME != 0 {
        return Err(Errno::EINVAL);
    }
    let until = match flags & SUBCLOCKFLAGS_ABSTIME {
        0 => now(process, id)?.saturating_add(timeout),
        _ => timeout,
    };
    Ok(Question::Clock { id, until })
}

async fn wait(process: &Process, subscriptions: &[Subscription]) -> Result<Vec<Event>, Errno> {
    let mut fds: Vec<PollFd> = subscriptions.iter().map(|s| s.question.poll_fd()).collect();
    loop {
        let mut timeout = None;
        for subscription in subscriptions {
            let left = match subscription.question {
                Question::Clock { id, until } => until.saturating_sub(now(process, id)?),
                // The root directory at 3 is always ready; so is an error.
                Question::Descriptor { fd, .. } if fd != PREOPEN_FD || process.description(fd).is_ok() => continue,
                Question::Descriptor { .. } | Question::Wrong(_) => 0,
            };
            timeout = Some(timeout.map_or(left, |least: u64| least.min(left)));
        }
        process.poll(&mut fds, timeout.map(Duration::from_nanos)).await?;
        let mut answers = Vec::new();
        for (subscription, polled) in subscriptions.iter().zip(&fds) {
            answers.extend(event(process, subscription, polled)?);
        }
        // A timer may fire a moment before the clock shows it.
        if !answers.is_empty() {
            return Ok(answers);
        }
    }
}

impl Question {
    fn poll_fd(&self) -> PollFd {
        match *self {
            Question::Descriptor { fd, writing } => {
                PollFd { fd, events: if writing { POLLOUT } else { POLLIN }, revents: 0 }
            }
            // Negative descriptors are left out, as in C.
            _ => PollFd { fd: -1, events: 0, revents: 0 },
        }
    }
}

fn event(process: &Process, subscription: &Subscription, polled: &PollFd) -> Result<Option<Event>, Errno> {
    let (kind, error, bytes, flags) = match subscription.question {
        Question::Clock { id, until } if now(process, id)? < until => return Ok(None),
        Question::Clock { .. } => (EVENTTYPE_CLOCK, 0, 0, 0),
        Question::Wrong(errno) => (EVENTTYPE_CLOCK, errno.wasi(), 0, 0),
        Question::Descriptor { fd, writing } => {
            let kind = if writing { EVENTTYPE_FD_WRITE } else { EVENTTYPE_FD_READ };
            let absent = fd < 0 || polled.revents & POLLNVAL != 0;
            match at::description(process, fd) {
                Err(errno) if absent => (kind, errno.wasi(), 0, 0),
                Ok(_) if polled.revents == 0 && !absent => return Ok(None),
                Err(_) => return Ok(None),
                Ok(description) => {
                    let hangup = polled.revents & (POLLHUP | POLLERR) != 0;
                    let bytes = available(&*description, writing);
                    (kind, 0, bytes, if hangup { EVENTRWFLAGS_HANGUP } else { 0 })
                }
            }
        }
    };
    Ok(Some(Event { userdata: subscription.userdata, error, kind, bytes, flags }))
}

/// Bytes that can be read: exact for files, "some" for the rest.
fn available(description: &dyn capsule_kernel::FileDescription, writing: bool) -> u64 {
    if writing || description.file_type() != FileType::Regular {
        return 1;
    }
    let left = || Some(description.stat().ok()?.size.saturating_sub(description.seek(Whence::Current, 0).ok()?));
    left().unwrap_or(1)
}

fn write(memory: &mut GuestMemory<'_>, events: i32, out: i32, answers: &[Event]) -> Result<(), Errno> {
    let mut records = Vec::with_capacity(answers.len() * EVENT_SIZE);
    for answer in answers {
        records.extend(answer.userdata);
        records.extend(answer.error.to_le_bytes());
        records.extend([answer.kind, 0, 0, 0, 0, 0]);
        records.extend(answer.bytes.to_le_bytes());
        records.extend(answer.flags.to_le_bytes());
        records.extend([0; 6]);
    }
    memory.write(events, &records)?;
    memory.write_u32(out, answers.len() as u32)
}
