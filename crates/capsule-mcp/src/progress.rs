//! What a run prints while it goes on, as progress notifications.

use capsule_session::{OutputListener, Stream};
use parking_lot::Mutex;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// A reader follows ten messages a second, and a run that ends sooner needs none.
const PAUSE: Duration = Duration::from_millis(100);

/// The most that one message shows; of more, the newest.
const MOST: usize = 32 << 10;

/// What was printed and not yet told.
#[derive(Default)]
struct Heard {
    bytes: Vec<u8>,
    /// Bytes that were dropped because nobody took them in time.
    dropped: usize,
    /// Bytes of the whole run.
    total: u64,
}

/// Collects output on one side and tells of it on the other.
#[derive(Clone, Default)]
pub struct Progress {
    heard: Arc<Mutex<Heard>>,
    more: Arc<Notify>,
}

impl Progress {
    /// For the run; never waits.
    pub fn listener(&self) -> OutputListener {
        let progress = self.clone();
        Arc::new(move |_: Stream, bytes: &[u8]| {
            progress.heard.lock().add(bytes);
            progress.more.notify_one();
        })
    }

    /// Tells the client what is heard, until told to stop. The client may be slow: nothing else waits for it.
    pub async fn report(self, peer: Peer<RoleServer>, token: ProgressToken, stop: CancellationToken) {
        loop {
            let pause = async {
                self.more.notified().await;
                tokio::time::sleep(PAUSE).await;
            };
            if stop.run_until_cancelled(pause).await.is_none() {
                return;
            }
            let Some((text, total)) = self.heard.lock().take() else { continue };
            let message = ProgressNotificationParam::new(token.clone(), total as f64).with_message(text);
            if peer.notify_progress(message).await.is_err() {
                return;
            }
        }
    }
}

impl Heard {
    fn add(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let kept = &bytes[bytes.len().saturating_sub(MOST)..];
        let excess = (self.bytes.len() + kept.len()).saturating_sub(MOST);
        self.dropped += bytes.len() - kept.len() + excess;
        self.bytes.drain(..excess);
        self.bytes.extend_from_slice(kept);
    }

    /// The text since the last time, and how many bytes there were in all. A character that is not complete waits.
    fn take(&mut self) -> Option<(String, u64)> {
        let end = self.bytes.len() - unfinished(&self.bytes);
        if end == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&self.bytes[..end]).into_owned();
        self.bytes.drain(..end);
        match std::mem::take(&mut self.dropped) {
            0 => Some((text, self.total)),
            dropped => Some((format!("[{dropped} bytes are not shown]\n{text}"), self.total)),
        }
    }
}

/// How many bytes at the end are the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let length = |lead: u8| match lead {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    let last = |n: usize| bytes.len().checked_sub(n).map(|at| bytes[at]);
    (1..=3).find(|&n| last(n).is_some_and(|byte| length(byte) > n)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_told_when_it_is_complete() {
        let mut heard = Heard::default();
        heard.add(b"a\xe2\x82");
        assert_eq!(heard.take(), Some(("a".to_owned(), 3)));
        assert_eq!(heard.take(), None);
        heard.add(b"\xac\xff");
        assert_eq!(heard.take(), Some(("€\u{fffd}".to_owned(), 5)));
    }

    #[test]
    fn of_too_much_the_newest_is_told() {
        let mut heard = Heard::default();
        heard.add(b"old");
        heard.add(&[b'x'; MOST - 1]);
        heard.add(b"y");
        let (text, total) = heard.take().unwrap();
        assert!(text.starts_with("[3 bytes are not shown]\nx"), "{text:.40}");
        assert_eq!((text.ends_with("xy"), total), (true, MOST as u64 + 3));
        heard.add(&[b'z'; 3 * MOST]);
        assert!(heard.take().unwrap().0.starts_with(&format!("[{} bytes", 2 * MOST)));
    }
}
