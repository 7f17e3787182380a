//! What a session may use as a whole, and what the user is told when it is not enough. Counting is per session, not per
//! process: many small processes cost as much as a large one.

use capsule_abi::limits::{Limit, LimitHit, Limits};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Budget {
    limits: Limits,
    used: [AtomicU64; Limit::ALL.len()],
    hits: Mutex<Vec<LimitHit>>,
}

impl Budget {
    pub fn new(limits: Limits) -> Budget {
        Budget { limits, used: Default::default(), hits: Mutex::default() }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    pub fn used(&self, limit: Limit) -> u64 {
        self.used[limit as usize].load(Ordering::Relaxed)
    }

    /// Takes `amount` if it fits; otherwise takes nothing, notes the hit and answers false.
    pub fn take(&self, limit: Limit, amount: u64, effect: impl FnOnce() -> String) -> bool {
        let most = self.limits.get(limit);
        let fits = |used: u64| used.checked_add(amount).filter(|&total| total <= most);
        let taken = self.used[limit as usize].fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok();
        if !taken {
            self.hit(limit, effect());
        }
        taken
    }

    pub fn give_back(&self, limit: Limit, amount: u64) {
        let give = |used: u64| Some(used.saturating_sub(amount));
        let _ = self.used[limit as usize].fetch_update(Ordering::Relaxed, Ordering::Relaxed, give);
    }

    /// Notes that a limit was reached: once per limit and run, the first effect is the telling one.
    pub fn hit(&self, limit: Limit, effect: String) {
        self.hit_at(limit, self.limits.get(limit), effect);
    }

    /// The same where a run asked for less than the session's limit.
    pub fn hit_at(&self, limit: Limit, value: u64, effect: String) {
        let mut hits = self.hits.lock();
        if !hits.iter().any(|h| h.limit == limit) {
            hits.push(LimitHit { limit, value, effect });
        }
    }

    pub fn hits(&self) -> Vec<LimitHit> {
        self.hits.lock().clone()
    }

    /// A new run: what counts per run starts anew.
    pub fn begin_run(&self) {
        self.hits.lock().clear();
        for limit in [Limit::Fuel, Limit::Output] {
            self.used[limit as usize].store(0, Ordering::Relaxed);
        }
    }
}

/// Memory of the host that a session has taken for something it keeps there; given back with it.
pub struct Charge {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Charge {
    pub fn new(budget: Arc<Budget>) -> Charge {
        Charge { budget, bytes: 0 }
    }

    /// Takes so much more; false, and nothing is taken, when the session has not so much left.
    pub fn grow(&mut self, bytes: u64, effect: impl FnOnce() -> String) -> bool {
        let taken = self.budget.take(Limit::Memory, bytes, effect);
        if taken {
            self.bytes += bytes;
        }
        taken
    }

    pub fn clear(&mut self) {
        self.budget.give_back(Limit::Memory, std::mem::take(&mut self.bytes));
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_and_giving_back() {
        let mut limits = Limits::default();
        limits.set(Limit::Processes, 2);
        let budget = Budget::new(limits);
        let take = || budget.take(Limit::Processes, 1, || "fork was refused".into());
        assert!(take() && take() && !take() && !take());
        assert_eq!(budget.hits().len(), 1, "told once");
        budget.give_back(Limit::Processes, 1);
        assert!(take());
        budget.begin_run();
        assert!(budget.hits().is_empty());
        assert!(!budget.take(Limit::Processes, u64::MAX, String::new), "no overflow");
    }
}
