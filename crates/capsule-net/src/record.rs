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
pub struct Records(Arc<Mutex<VecDeque<Record>>>);

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
        let mut all = self.0.lock();
        if all.len() == KEPT {
            all.pop_front();
        }
        all.push_back(record);
    }

    pub fn all(&self) -> Vec<Record> {
        self.0.lock().iter().cloned().collect()
    }
}
