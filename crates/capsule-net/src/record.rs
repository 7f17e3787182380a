//! What was asked for: one record a request, redirects too.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub method: String,
    /// As the guest wrote it: placeholders, no secrets.
    pub url: String,
    /// Nothing when there was no answer.
    pub status: Option<u16>,
    pub sent: u64,
    pub received: u64,
    pub milliseconds: u64,
    /// Why it failed.
    pub error: Option<String>,
}

/// The last requests of a session.
#[derive(Clone, Debug, Default)]
pub struct Records(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    last: VecDeque<Record>,
    /// How many there ever were.
    total: u64,
}

/// How many are kept: a session may make requests for days.
const KEPT: usize = 10_000;
/// Longer URLs are cut.
const URL: usize = 2048;

impl Records {
    pub fn add(&self, mut record: Record) {
        if record.url.len() > URL {
            let end = (0..=URL).rev().find(|&at| record.url.is_char_boundary(at)).unwrap_or(0);
            record.url.truncate(end);
        }
        let mut kept = self.0.lock();
        if kept.last.len() == KEPT {
            kept.last.pop_front();
        }
        kept.last.push_back(record);
        kept.total += 1;
    }

    pub fn all(&self) -> Vec<Record> {
        self.0.lock().last.iter().cloned().collect()
    }

    /// How many requests there were so far; what comes later is [`since`](Records::since) this number.
    pub fn total(&self) -> u64 {
        self.0.lock().total
    }

    pub fn since(&self, total: u64) -> Vec<Record> {
        let kept = self.0.lock();
        let new = usize::try_from(kept.total.saturating_sub(total)).unwrap_or(usize::MAX);
        kept.last.iter().skip(kept.last.len().saturating_sub(new)).cloned().collect()
    }
}
