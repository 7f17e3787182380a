//! Where the time comes from. The kernel asks only here, so that a test can bring its own clock.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

pub trait Clock: Send + Sync {
    /// Nanoseconds since 1970.
    fn realtime(&self) -> u64;
    /// Nanoseconds since some fixed moment; never goes back.
    fn monotonic(&self) -> u64;
}

/// The machine's clocks. Monotonic time counts from the clock's making: a guest does not learn the host's uptime.
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn realtime(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64)
    }

    fn monotonic(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }
}
