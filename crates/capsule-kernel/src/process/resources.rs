//! What a process uses, and its own limits within the session's.

use super::Process;
use capsule_abi::Errno;
use capsule_abi::door::{RLIM_INFINITY, Resource};
use capsule_abi::limits::{Limit, Limits};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a process has used. Processor time is the time its task was being polled.
#[derive(Default)]
pub(super) struct Usage {
    cpu_ns: AtomicU64,
    /// When the current turn on a processor began, on the monotonic clock; 0 when it has none.
    pub(super) turn_began: AtomicU64,
    pub(super) memory: AtomicU64,
    pub(super) peak_memory: AtomicU64,
    pub(super) children_cpu_ns: AtomicU64,
    children_peak: AtomicU64,
}

impl Usage {
    pub fn of_self(&self) -> (u64, u64) {
        (self.cpu_ns.load(Ordering::Relaxed), self.peak_memory.load(Ordering::Relaxed))
    }

    /// A child that was waited for, with those it had waited for itself.
    pub fn add_child(&self, child: &Usage) {
        let cpu = child.cpu_ns.load(Ordering::Relaxed) + child.children_cpu_ns.load(Ordering::Relaxed);
        self.children_cpu_ns.fetch_add(cpu, Ordering::Relaxed);
        let peak = child.peak_memory.load(Ordering::Relaxed).max(child.children_peak.load(Ordering::Relaxed));
        self.children_peak.fetch_max(peak, Ordering::Relaxed);
    }
}

/// Soft and hard limits, by [`Resource`].
#[derive(Clone)]
pub(super) struct ResourceLimits([(u64, u64); 10]);

impl ResourceLimits {
    pub fn of_session(limits: &Limits) -> ResourceLimits {
        let mut values = [(RLIM_INFINITY, RLIM_INFINITY); 10];
        // The usual soft limit; a table of descriptors is a vector, so the hard one is bounded too.
        values[Resource::OpenFiles as usize] = (1024, 65536);
        values[Resource::Processes as usize] = (limits.get(Limit::Processes), limits.get(Limit::Processes));
        values[Resource::AddressSpace as usize] = (RLIM_INFINITY, RLIM_INFINITY);
        values[Resource::Stack as usize] = (8 << 20, RLIM_INFINITY);
        values[Resource::Core as usize] = (0, 0);
        ResourceLimits(values)
    }

    fn soft(&self, resource: Resource) -> u64 {
        self.0[resource as usize].0
    }
}

impl Process {
    pub fn getrlimit(&self, which: i32) -> Result<(u64, u64), Errno> {
        let resource = Resource::from_number(which).ok_or(Errno::EINVAL)?;
        Ok(self.limits.lock().0[resource as usize])
    }

    /// Nobody may raise a hard limit: those of the session are the host's.
    pub fn setrlimit(&self, which: i32, soft: u64, hard: u64) -> Result<(), Errno> {
        let resource = Resource::from_number(which).ok_or(Errno::EINVAL)?;
        if soft > hard {
            return Err(Errno::EINVAL);
        }
        let value = &mut self.limits.lock().0[resource as usize];
        if hard > value.1 {
            return Err(Errno::EPERM);
        }
        *value = (soft, hard);
        Ok(())
    }

    pub(super) fn soft_limit(&self, resource: Resource) -> u64 {
        self.limits.lock().soft(resource)
    }

    /// Takes memory from the session; false when it has no more (or the process's own limit is reached).
    pub fn reserve_memory(&self, bytes: u64) -> bool {
        let used = self.usage.memory.load(Ordering::Relaxed);
        if used.saturating_add(bytes) > self.soft_limit(Resource::AddressSpace) {
            return false;
        }
        let effect = || {
            let asked = Limit::Memory.show(bytes);
            format!("process {} ({}) asked for {asked} more and did not get it", self.pid, self.name())
        };
        if !self.kernel.budget().take(Limit::Memory, bytes, effect) {
            return false;
        }
        let now = self.usage.memory.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.usage.peak_memory.fetch_max(now, Ordering::Relaxed);
        true
    }

    pub fn release_memory(&self, bytes: u64) {
        let release = |used: u64| Some(used - bytes.min(used));
        let before = self.usage.memory.fetch_update(Ordering::Relaxed, Ordering::Relaxed, release);
        self.kernel.budget().give_back(Limit::Memory, bytes.min(before.unwrap_or_default()));
    }

    /// Gives back what is still taken: at exec and at the end.
    pub fn release_all_memory(&self) {
        let all = self.usage.memory.swap(0, Ordering::Relaxed);
        self.kernel.budget().give_back(Limit::Memory, all);
    }

    /// Counts instructions against the run's fuel; false when there is none left.
    pub fn consume_fuel(&self, amount: u64) -> bool {
        let effect = || format!("process {} ({}) was ended", self.pid, self.name());
        self.kernel.budget().take(Limit::Fuel, amount, effect)
    }

    /// Notes that the run has no fuel left.
    pub fn out_of_fuel(&self) {
        let effect = format!("process {} ({}) was ended", self.pid, self.name());
        self.kernel.budget().hit(Limit::Fuel, effect);
    }

    pub fn fuel_left(&self) -> u64 {
        let budget = self.kernel.budget();
        budget.limits().get(Limit::Fuel).saturating_sub(budget.used(Limit::Fuel))
    }

    /// Processor time so far, the current turn included.
    pub fn cpu_ns(&self) -> u64 {
        let turn = match self.usage.turn_began.load(Ordering::Relaxed) {
            0 => 0,
            began => self.kernel.clock().monotonic().saturating_sub(began),
        };
        self.usage.cpu_ns.load(Ordering::Relaxed) + turn
    }

    /// Processor time and peak memory: of this process (0) or of the children it has waited for (-1).
    pub fn getrusage(&self, who: i32) -> Result<(u64, u64), Errno> {
        match who {
            0 => Ok((self.cpu_ns(), self.usage.peak_memory.load(Ordering::Relaxed))),
            -1 => Ok((
                self.usage.children_cpu_ns.load(Ordering::Relaxed),
                self.usage.children_peak.load(Ordering::Relaxed),
            )),
            _ => Err(Errno::EINVAL),
        }
    }

    pub(super) fn over_cpu_limit(&self) -> bool {
        let seconds = self.soft_limit(Resource::Cpu);
        seconds != RLIM_INFINITY && self.cpu_ns() / 1_000_000_000 >= seconds
    }

    /// Runs a future and counts the time it is polled as this process's.
    pub(crate) async fn timed<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| {
            let began = self.kernel.clock().monotonic();
            self.usage.turn_began.store(began.max(1), Ordering::Relaxed);
            let poll = future.as_mut().poll(cx);
            self.usage.turn_began.store(0, Ordering::Relaxed);
            self.usage.cpu_ns.fetch_add(self.kernel.clock().monotonic().saturating_sub(began), Ordering::Relaxed);
            poll
        })
        .await
    }
}
