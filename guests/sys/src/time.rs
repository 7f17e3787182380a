//! Clocks, sleeping, random numbers.

use crate::{Errno, Result, check_wasi, raw};
use capsule_abi::fs::Time;
use capsule_abi::wasi::{CLOCK_MONOTONIC, CLOCK_REALTIME, EVENT_SIZE, SUBCLOCKFLAGS_ABSTIME, SUBSCRIPTION_SIZE};

/// Which clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    Realtime = CLOCK_REALTIME as isize,
    Monotonic = CLOCK_MONOTONIC as isize,
}

/// Nanoseconds of that clock.
pub fn clock(which: Clock) -> u64 {
    let mut time = 0;
    match check_wasi(raw::clock_time_get(which as u32, &mut time)) {
        Ok(()) => time,
        Err(_) => 0,
    }
}

/// The time of day.
pub fn now() -> Time {
    Time::from_nanos(clock(Clock::Realtime))
}

/// Sleeps; a caught signal ends it early with `EINTR`.
pub fn sleep(nanoseconds: u64) -> Result<()> {
    sleep_until(clock(Clock::Monotonic).saturating_add(nanoseconds))
}

/// Sleeps until the monotonic clock says so; the way to go on after `EINTR` without drifting.
pub fn sleep_until(monotonic: u64) -> Result<()> {
    // userdata u64, tag u8, clock id u32 at 16, timeout u64 at 24, precision u64 at 32, flags u16 at 40.
    let mut subscription = [0; SUBSCRIPTION_SIZE];
    subscription[16..20].copy_from_slice(&CLOCK_MONOTONIC.to_le_bytes());
    subscription[24..32].copy_from_slice(&monotonic.to_le_bytes());
    subscription[40..42].copy_from_slice(&SUBCLOCKFLAGS_ABSTIME.to_le_bytes());
    let mut event = [0; EVENT_SIZE];
    check_wasi(raw::poll_oneoff(&subscription, &mut event))?;
    check_wasi(u16::from_le_bytes([event[8], event[9]]).into())
}

/// Fills the buffer with random bytes.
pub fn random(buf: &mut [u8]) -> Result<()> {
    check_wasi(raw::random_get(buf))
}

/// A random number.
pub fn random_u64() -> u64 {
    let mut bytes = [0; 8];
    match random(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes),
        Err(Errno::EINTR) => random_u64(),
        Err(_) => clock(Clock::Realtime),
    }
}
