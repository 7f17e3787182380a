//! Process groups, sessions and signals.

use super::{Pid, Process};
use crate::signals::Posted;
use capsule_abi::Errno;
use capsule_abi::process::WaitStatus;
use capsule_abi::signal::{Disposition, Signal};
use std::sync::Arc;

impl Process {
    /// Sends a signal to this process.
    pub fn post(&self, signal: Signal) {
        let news = match self.signals.post(signal) {
            Posted::Quiet => return,
            Posted::Interrupts => None,
            Posted::Stopped => Some(WaitStatus::Stopped(signal.number())),
            Posted::Continued => Some(WaitStatus::Continued),
        };
        self.interrupts.wake();
        if news.is_some() {
            let parent = {
                let mut family = self.family.lock();
                family.news = news;
                family.parent.upgrade()
            };
            if let Some(parent) = parent {
                parent.child_events.wake();
                parent.post(Signal::CHLD);
            }
        }
    }

    /// `kill(2)`: 0 is the own group, -1 everyone else, -n group n; signal 0 only asks.
    pub fn kill(self: &Arc<Process>, which: Pid, signal: i32) -> Result<(), Errno> {
        let targets: Vec<Arc<Process>> = match which {
            pid if pid > 0 => self.kernel.process(pid).into_iter().collect(),
            0 => self.group(self.pgid()),
            -1 => self.kernel.processes().into_iter().filter(|p| p.pid != self.pid).collect(),
            group => self.group(group.checked_neg().ok_or(Errno::ESRCH)?),
        };
        if targets.is_empty() {
            return Err(Errno::ESRCH);
        }
        // As on Linux, the signal is looked at when there is somebody to get it.
        if signal != 0 {
            let signal = Signal::from_number(signal).ok_or(Errno::EINVAL)?;
            targets.iter().filter(|p| p.status().is_none()).for_each(|p| p.post(signal));
        }
        Ok(())
    }

    fn group(&self, pgid: Pid) -> Vec<Arc<Process>> {
        self.kernel.processes().into_iter().filter(|p| p.pgid() == pgid).collect()
    }

    pub(super) fn existing_group(&self, pgid: Pid) -> Result<Pid, Errno> {
        if self.group(pgid).is_empty() { Err(Errno::EPERM) } else { Ok(pgid) }
    }

    pub fn pgid(&self) -> Pid {
        self.family.lock().pgid
    }

    pub fn getpgid(&self, pid: Pid) -> Result<Pid, Errno> {
        self.relative(pid).map(|p| p.map_or_else(|| self.pgid(), |p| p.pgid()))
    }

    pub fn getsid(&self, pid: Pid) -> Result<Pid, Errno> {
        self.relative(pid).map(|p| p.map_or_else(|| self.family.lock().sid, |p| p.family.lock().sid))
    }

    /// The process meant by a pid; none for this one (0).
    fn relative(&self, pid: Pid) -> Result<Option<Arc<Process>>, Errno> {
        if pid == 0 || pid == self.pid {
            return Ok(None);
        }
        self.kernel.process(pid).map(Some).ok_or(Errno::ESRCH)
    }

    /// Moves this process or a child of it into a group of the same session, or into a new one.
    pub fn setpgid(self: &Arc<Process>, pid: Pid, pgid: Pid) -> Result<(), Errno> {
        if pgid < 0 {
            return Err(Errno::EINVAL);
        }
        let target = match self.relative(pid)? {
            None => self.clone(),
            Some(child) if child.ppid() == self.pid => child,
            Some(_) => return Err(Errno::ESRCH),
        };
        let pgid = if pgid == 0 { target.pid } else { pgid };
        if pgid != target.pid {
            self.existing_group(pgid)?;
        }
        let mut family = target.family.lock();
        if family.sid == target.pid {
            return Err(Errno::EPERM);
        }
        family.pgid = pgid;
        Ok(())
    }

    /// Starts a session of which this process is the leader.
    pub fn setsid(&self) -> Result<Pid, Errno> {
        if self.group(self.pid).iter().any(|p| p.pid != self.pid) || self.pgid() == self.pid {
            return Err(Errno::EPERM);
        }
        let mut family = self.family.lock();
        (family.pgid, family.sid) = (self.pid, self.pid);
        Ok(self.pid)
    }

    pub fn signal_action(&self, signal: i32, disposition: i32) -> Result<Disposition, Errno> {
        let signal = Signal::from_number(signal).ok_or(Errno::EINVAL)?;
        let disposition = Disposition::from_number(disposition).ok_or(Errno::EINVAL)?;
        self.signals.set_disposition(signal, disposition).ok_or(Errno::EINVAL)
    }

    /// `how`: 0 blocks the set, 1 unblocks it, 2 makes it the mask; none only asks. The old mask.
    pub fn signal_mask(&self, how: i32, set: Option<u64>) -> Result<u64, Errno> {
        let set_or_none = set.unwrap_or_default();
        let change = |old: u64| match (how, set) {
            (_, None) => Some(old),
            (0, _) => Some(old | set_or_none),
            (1, _) => Some(old & !set_or_none),
            (2, _) => Some(set_or_none),
            _ => None,
        };
        change(0).ok_or(Errno::EINVAL)?;
        let (old, free) = self.signals.set_blocked(|old| change(old).unwrap_or(old));
        for signal in free {
            self.post(signal);
        }
        Ok(old)
    }

    /// The lowest caught signal that is pending, taken.
    pub fn signal_take(&self) -> Option<Signal> {
        self.signals.take()
    }
}
