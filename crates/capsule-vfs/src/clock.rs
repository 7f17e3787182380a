//! The time that file times are taken from.

use capsule_abi::fs::Time;
use std::time::{SystemTime, UNIX_EPOCH};

/// Real time in nanoseconds; the epoch itself should the host's clock stand before it.
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time { sec: since.as_secs() as i64, nsec: since.subsec_nanos() }
}
