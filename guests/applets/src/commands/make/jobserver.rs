//! How many recipes run at a time, over all makes of a build: a pipe holds a byte for each that may be started beside
//! the one that every make may have without asking.

use super::Make;
use crate::Exit;
use capsule_sys::{
    Disposition, Errno, OpenFlags, POLLIN, PollFd, Signal, fcntl, pipe, poll, read, set_flags, signal_action,
    signal_take, write_all,
};

/// The two ends of the pipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jobserver {
    pub reader: i32,
    pub writer: i32,
}

/// The end of a child interrupts waiting for a byte; this is for the case that it came a moment too early.
const LOOK_AGAIN_MS: i32 = 100;

const F_GETFD: i32 = 1;

/// More recipes at a time than this run nowhere, and a pipe that is full would hold us up.
const MOST_TOKENS: usize = 4096;

impl Jobserver {
    /// A pipe for this many recipes.
    pub fn new(jobs: usize) -> Result<Jobserver, Errno> {
        let (reader, writer) = pipe(OpenFlags::CLOEXEC)?;
        write_all(writer.raw(), &vec![b'+'; (jobs - 1).min(MOST_TOKENS)])?;
        set_flags(reader.raw(), OpenFlags::NONBLOCK)?;
        Ok(Jobserver { reader: reader.into_raw(), writer: writer.into_raw() })
    }

    /// `R,W`, as MAKEFLAGS has it; none: those are no open descriptors, since the line that started us has no `+`.
    pub fn inherited(text: &[u8]) -> Option<Jobserver> {
        let (reader, writer) = std::str::from_utf8(text).ok()?.split_once(',')?;
        let found = Jobserver { reader: reader.parse().ok()?, writer: writer.parse().ok()? };
        let open = |fd| fd > 2 && fcntl(fd, F_GETFD, 0).is_ok();
        if !open(found.reader) || !open(found.writer) {
            return None;
        }
        for fd in [found.reader, found.writer] {
            capsule_sys::set_cloexec(fd, true).ok()?;
        }
        Some(found)
    }

    fn take(self) -> Option<u8> {
        let mut token = [0];
        matches!(read(self.reader, &mut token), Ok(1)).then_some(token[0])
    }
}

impl Make {
    /// Waits until one more recipe may be started.
    pub fn acquire(&mut self) -> Result<(), Exit> {
        let Some(server) = self.flags.jobserver else { return Ok(()) };
        // A child that ends is heard of while we wait.
        let before = signal_action(Signal::CHLD, Disposition::Catch).unwrap_or_default();
        let mut done = Ok(());
        while !self.jobs.is_empty() && self.tokens.len() < self.jobs.len() {
            while signal_take().is_some() {}
            let running = self.jobs.len();
            done = self.reap(false);
            if done.is_err() {
                break;
            }
            if self.jobs.len() < running {
                continue;
            }
            if let Some(token) = server.take() {
                self.tokens.push(token);
                continue;
            }
            let _ = poll(&mut [PollFd { fd: server.reader, events: POLLIN, revents: 0 }], LOOK_AGAIN_MS);
        }
        let _ = signal_action(Signal::CHLD, before);
        while signal_take().is_some() {}
        done
    }

    /// Gives back what is not needed for the recipes that run.
    pub fn give_back(&mut self) {
        let Some(server) = self.flags.jobserver else { return };
        while self.tokens.len() > self.jobs.len().saturating_sub(1) {
            let Some(token) = self.tokens.pop() else { return };
            let _ = write_all(server.writer, &[token]);
        }
    }
}
