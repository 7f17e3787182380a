//! Background jobs.

use crate::shell::{Flow, Shell};
use capsule_sys as sys;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobState {
    Running,
    Stopped(u8),
    Done(sys::WaitStatus),
}

#[derive(Clone, Debug)]
pub struct Job {
    pub id: u32,
    pub pid: i32,
    pub command: Vec<u8>,
    pub state: JobState,
    /// Its end has been told.
    pub notified: bool,
    /// Process substitutions: waited for by `wait`, shown by nobody.
    pub hidden: bool,
}

#[derive(Default)]
pub struct Jobs {
    pub list: Vec<Job>,
    /// The parent's jobs when this process was forked.
    pub inherited: Vec<Job>,
    /// No jobs any more, but children that `wait` can be asked for by number.
    pub disowned: Vec<i32>,
    /// Statuses of jobs that were waited for and forgotten: `wait pid` may still ask.
    pub remembered: Vec<(i32, i32)>,
}

impl Jobs {
    pub fn add(&mut self, pid: i32, command: Vec<u8>) -> u32 {
        let id = self.list.iter().filter(|job| !job.hidden).map(|job| job.id).max().unwrap_or(0) + 1;
        self.list.push(Job { id, pid, command, state: JobState::Running, notified: false, hidden: false });
        id
    }

    pub fn add_detached(&mut self, pid: i32) {
        self.list.push(Job { id: 0, pid, command: Vec::new(), state: JobState::Running, notified: true, hidden: true });
    }

    /// In a child: the parent's jobs are not ours, but `jobs` may show them.
    pub fn forget(&mut self) {
        self.inherited = std::mem::take(&mut self.list);
        self.remembered.clear();
        self.disowned.clear();
    }

    pub fn count(&self) -> usize {
        self.list.iter().filter(|job| !job.hidden).count()
    }

    pub fn any_running(&self) -> bool {
        self.list.iter().any(|job| !job.hidden && job.state == JobState::Running)
    }

    pub fn by_pid(&mut self, pid: i32) -> Option<&mut Job> {
        self.list.iter_mut().find(|job| job.pid == pid)
    }

    /// The current job (`%+`) and the previous one (`%-`), as ids.
    pub fn current(&self) -> (Option<u32>, Option<u32>) {
        let mut ids: Vec<u32> = self.list.iter().filter(|job| !job.hidden).map(|job| job.id).collect();
        ids.sort_unstable();
        // Stopped jobs come first.
        if let Some(stopped) = self.list.iter().rfind(|job| matches!(job.state, JobState::Stopped(_))) {
            ids.retain(|&id| id != stopped.id);
            ids.push(stopped.id);
        }
        let current = ids.pop();
        (current, ids.pop())
    }

    /// `%1`, `%+`, `%name`, `%?text`: the index of the job.
    pub fn by_spec(&self, spec: &[u8]) -> Result<usize, &'static str> {
        let body = spec.strip_prefix(b"%").unwrap_or(spec);
        let (current, previous) = self.current();
        let id = match body {
            b"" | b"+" | b"%" => current,
            b"-" => previous.or(current),
            digits if digits.iter().all(u8::is_ascii_digit) => {
                crate::arith::parse_integer(digits).and_then(|n| u32::try_from(n).ok())
            }
            text => {
                let (inside, text) = match text.strip_prefix(b"?") {
                    Some(rest) => (true, rest),
                    None => (false, text),
                };
                let fits = |job: &&Job| {
                    !job.hidden
                        && if inside {
                            memchr::memmem::find(&job.command, text).is_some()
                        } else {
                            job.command.starts_with(text)
                        }
                };
                let mut found = self.list.iter().filter(fits);
                let first = found.next();
                if found.next().is_some() {
                    return Err("ambiguous job spec");
                }
                first.map(|job| job.id)
            }
        };
        self.list.iter().position(|job| !job.hidden && Some(job.id) == id).ok_or("no such job")
    }
}

impl Shell {
    /// Notes which children have ended, without waiting.
    pub fn reap(&mut self) {
        for i in 0..self.jobs.list.len() {
            let job = &self.jobs.list[i];
            if matches!(job.state, JobState::Done(_)) {
                continue;
            }
            if let Ok(Some(waited)) = sys::wait(job.pid, sys::WNOHANG | sys::WUNTRACED) {
                self.note_child(waited.pid, waited.status);
            }
        }
    }

    pub fn note_child(&mut self, pid: i32, status: sys::WaitStatus) {
        let state = match status {
            sys::WaitStatus::Stopped(signal) => JobState::Stopped(signal),
            sys::WaitStatus::Continued => JobState::Running,
            status => JobState::Done(status),
        };
        if let Some(job) = self.jobs.by_pid(pid) {
            job.state = state;
        }
        if let JobState::Done(_) = state {
            self.coproc_ended(pid);
        }
    }

    /// Waits for a job; its status. None: a trapped signal came first.
    pub fn wait_job(&mut self, pid: i32) -> Flow<Option<sys::WaitStatus>> {
        loop {
            match self.jobs.by_pid(pid).map(|job| job.state) {
                Some(JobState::Done(status)) => return Ok(Some(status)),
                Some(_) => {}
                None => return Ok(None),
            }
            match sys::wait(pid, 0) {
                Ok(Some(waited)) => self.note_child(waited.pid, waited.status),
                Ok(None) => {}
                Err(sys::Errno::EINTR) => {
                    if self.wait_is_interrupted()? {
                        return Ok(None);
                    }
                }
                Err(_) => self.note_child(pid, sys::WaitStatus::Exited(127)),
            }
        }
    }

    /// After a signal: whether a trap of it ends the waiting. That a child has ended does so in POSIX mode alone.
    pub fn wait_is_interrupted(&mut self) -> Flow<bool> {
        self.note_signals();
        if !self.posix() && self.traps.only_children_pending() {
            self.check_signals()?;
        }
        Ok(self.traps.pending())
    }

    /// Takes a finished job off the list and remembers its status.
    pub fn retire(&mut self, pid: i32) {
        if let Some(at) = self.jobs.list.iter().position(|job| job.pid == pid) {
            let job = self.jobs.list.remove(at);
            if let JobState::Done(status) = job.state {
                self.jobs.remembered.retain(|(p, _)| *p != pid);
                self.jobs.remembered.push((pid, status.shell_code()));
                if self.jobs.remembered.len() > 4096 {
                    self.jobs.remembered.remove(0);
                }
            }
        }
    }
}
