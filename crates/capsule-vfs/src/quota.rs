//! How many bytes and names a session may keep, counted over all its writable filesystems together.
//!
//! Bytes are real ones: a hole costs nothing. Every name costs one (a second hard link too: it takes memory as well).
//! What goes away is given back. A refusal is remembered, so that the kernel can say which limit it was.

use crate::{Errno, Result};
use capsule_abi::fs::FsUsage;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

const HIT_BYTES: u8 = 1;
const HIT_NODES: u8 = 2;

/// `statfs` counts in blocks of this size.
const BLOCK: u64 = 4096;

/// The budget of one session. Shared as `Arc<Quota>` by all its writable filesystems.
#[derive(Debug)]
pub struct Quota {
    bytes: Counter,
    nodes: Counter,
    hits: AtomicU8,
}

#[derive(Debug)]
struct Counter {
    limit: AtomicU64,
    used: AtomicU64,
}

impl Counter {
    fn new(limit: u64) -> Counter {
        Counter { limit: AtomicU64::new(limit), used: AtomicU64::new(0) }
    }

    fn charge(&self, amount: u64) -> bool {
        let limit = self.limit.load(Relaxed);
        let grown = |used: u64| used.checked_add(amount).filter(|&sum| sum <= limit);
        amount == 0 || self.used.fetch_update(Relaxed, Relaxed, grown).is_ok()
    }

    fn force(&self, amount: u64) {
        let _ = self.used.fetch_update(Relaxed, Relaxed, |used| Some(used.saturating_add(amount)));
    }

    /// Never below zero: what a host folder held before it was mounted was never charged, yet may be removed.
    fn refund(&self, amount: u64) {
        let _ = self.used.fetch_update(Relaxed, Relaxed, |used| Some(used.saturating_sub(amount)));
    }

    fn left(&self) -> u64 {
        self.limit.load(Relaxed).saturating_sub(self.used.load(Relaxed))
    }
}

impl Quota {
    pub fn new(bytes: u64, nodes: u64) -> Arc<Quota> {
        Arc::new(Quota { bytes: Counter::new(bytes), nodes: Counter::new(nodes), hits: AtomicU8::new(0) })
    }

    pub fn unlimited() -> Arc<Quota> {
        Quota::new(u64::MAX, u64::MAX)
    }

    /// Takes all of `amount` or nothing (`ENOSPC`, and the hit is remembered).
    pub fn charge_bytes(&self, amount: u64) -> Result<()> {
        if self.bytes.charge(amount) { Ok(()) } else { Err(self.hit(HIT_BYTES)) }
    }

    /// Takes as much of `amount` as there is; what it got. Getting less is a hit.
    pub fn charge_bytes_up_to(&self, amount: u64) -> u64 {
        if self.bytes.charge(amount) {
            return amount;
        }
        self.hit(HIT_BYTES);
        let mut granted = 0;
        let limit = self.bytes.limit.load(Relaxed);
        let _ = self.bytes.used.fetch_update(Relaxed, Relaxed, |used| {
            granted = amount.min(limit.saturating_sub(used));
            Some(used + granted)
        });
        granted
    }

    /// Counts what is there already, whatever the limit (a forked tree, host blocks that are written).
    pub fn force_bytes(&self, amount: u64) {
        self.bytes.force(amount);
    }

    pub fn refund_bytes(&self, amount: u64) {
        self.bytes.refund(amount);
    }

    /// As [`charge_bytes`](Self::charge_bytes), for names.
    pub fn charge_nodes(&self, amount: u64) -> Result<()> {
        if self.nodes.charge(amount) { Ok(()) } else { Err(self.hit(HIT_NODES)) }
    }

    pub fn force_nodes(&self, amount: u64) {
        self.nodes.force(amount);
    }

    pub fn refund_nodes(&self, amount: u64) {
        self.nodes.refund(amount);
    }

    /// Bytes and names in use.
    pub fn used(&self) -> (u64, u64) {
        (self.bytes.used.load(Relaxed), self.nodes.used.load(Relaxed))
    }

    /// Limits of bytes and names.
    pub fn limits(&self) -> (u64, u64) {
        (self.bytes.limit.load(Relaxed), self.nodes.limit.load(Relaxed))
    }

    /// New limits; what is in use beyond them stays, and nothing more fits.
    pub fn set_limits(&self, bytes: u64, nodes: u64) {
        self.bytes.limit.store(bytes, Relaxed);
        self.nodes.limit.store(nodes, Relaxed);
    }

    /// Which limits refused something since this was last asked: (bytes, files).
    pub fn take_hits(&self) -> (bool, bool) {
        let hits = self.hits.swap(0, Relaxed);
        (hits & HIT_BYTES != 0, hits & HIT_NODES != 0)
    }

    /// What `statfs` tells of a filesystem under this quota.
    pub fn usage(&self) -> FsUsage {
        let (bytes, nodes) = self.limits();
        FsUsage {
            blocks: bytes / BLOCK,
            blocks_free: self.bytes.left() / BLOCK,
            files: nodes,
            files_free: self.nodes.left(),
            read_only: false,
        }
    }

    fn hit(&self, which: u8) -> Errno {
        self.hits.fetch_or(which, Relaxed);
        Errno::ENOSPC
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_are_refused_whole_and_remembered() {
        let quota = Quota::new(10, 1);
        assert_eq!(quota.charge_bytes(8), Ok(()));
        assert_eq!(quota.charge_bytes(3), Err(Errno::ENOSPC));
        assert_eq!(quota.used(), (8, 0));
        assert_eq!(quota.take_hits(), (true, false));
        assert_eq!(quota.take_hits(), (false, false));
        assert_eq!(quota.charge_nodes(1), Ok(()));
        assert_eq!(quota.charge_nodes(1), Err(Errno::ENOSPC));
        assert_eq!(quota.take_hits(), (false, true));
    }

    #[test]
    fn partial_charges_take_what_is_left() {
        let quota = Quota::new(10, 0);
        assert_eq!(quota.charge_bytes_up_to(4), 4);
        assert_eq!(quota.take_hits(), (false, false));
        assert_eq!(quota.charge_bytes_up_to(9), 6);
        assert_eq!(quota.take_hits(), (true, false));
        assert_eq!(quota.charge_bytes_up_to(1), 0);
        quota.refund_bytes(100);
        assert_eq!(quota.used(), (0, 0));
    }

    #[test]
    fn huge_charges_do_not_wrap() {
        let quota = Quota::unlimited();
        quota.force_bytes(u64::MAX);
        quota.force_bytes(1);
        assert_eq!(quota.charge_bytes(1), Err(Errno::ENOSPC));
        assert_eq!(quota.charge_bytes(0), Ok(()));
    }
}
