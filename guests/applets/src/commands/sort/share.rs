//! How much memory lines may take before they go to temporary files.

use crate::proc;
use std::cell::OnceCell;

/// However much there is: larger runs are not merged faster.
const MOST: usize = 64 << 20;
/// `-S` may ask for more.
pub const MOST_ASKED: usize = 128 << 20;
/// Below this, temporary files would be many and tiny.
const LEAST: usize = 256 << 10;
/// A growing list is in memory twice, and the others of the pipeline need some too.
const PARTS: usize = 6;

#[derive(Default)]
pub struct Share(OnceCell<usize>);

impl Share {
    /// As `-S` says.
    pub fn of(asked: usize) -> Share {
        Share(OnceCell::from(asked.clamp(LEAST, MOST_ASKED)))
    }

    pub fn is_used_up(&self, used: usize) -> bool {
        // Most inputs are small: nobody is asked then.
        used > LEAST && used > *self.0.get_or_init(fair)
    }
}

/// A part of what the session has left.
fn fair() -> usize {
    let left = proc::Memory::read().map_or(0, |memory| memory.available());
    usize::try_from(left).unwrap_or(usize::MAX).div_euclid(PARTS).clamp(LEAST, MOST)
}
