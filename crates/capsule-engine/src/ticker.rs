//! The clock of the epoch checks. One thread advances the epoch of every engine each millisecond while any guest is
//! being polled, and parks when none is: an idle host uses no processor time.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;
use wasmtime::{Engine, EngineWeak};

/// How soon a guest that spins notices a kill or its deadline. The promise is 10 ms; a tick costs a guest one yield.
const TICK: Duration = Duration::from_millis(1);

/// Idle ticks before the thread parks, so that short commands in a row do not pay for waking it each time.
const LINGER: u32 = 20;

/// Shared by all engines of a runtime. The thread ends when the last handle is gone.
pub struct Ticker {
    shared: Arc<Shared>,
    thread: Thread,
}

#[derive(Default)]
struct Shared {
    engines: Mutex<Vec<EngineWeak>>,
    running: AtomicUsize,
    parked: AtomicBool,
    closed: AtomicBool,
}

/// While one of these lives, the epoch advances.
pub struct Running<'a>(&'a Shared);

impl Ticker {
    pub fn start() -> std::io::Result<Ticker> {
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        let thread = thread::Builder::new().name("capsule-ticker".into()).spawn(move || theirs.run())?.thread().clone();
        Ok(Ticker { shared, thread })
    }

    pub fn add(&self, engine: &Engine) {
        self.shared.engines.lock().push(engine.weak());
    }

    /// Says that a guest is about to be polled.
    pub fn running(&self) -> Running<'_> {
        // Both sides order "say what I am" before "look at the other": one of them sees the other, and no guest runs
        // beside a parked clock.
        if self.shared.running.fetch_add(1, Ordering::SeqCst) == 0 && self.shared.parked.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
        Running(&self.shared)
    }

    #[cfg(test)]
    fn is_parked(&self) -> bool {
        self.shared.parked.load(Ordering::SeqCst)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

impl Shared {
    fn run(&self) {
        let mut idle = 0;
        while !self.closed.load(Ordering::SeqCst) {
            thread::sleep(TICK);
            if self.running.load(Ordering::SeqCst) > 0 {
                idle = 0;
            } else {
                idle += 1;
            }
            self.tick();
            if idle > LINGER {
                self.park();
                idle = 0;
            }
        }
    }

    fn tick(&self) {
        self.engines.lock().retain(|engine| match engine.upgrade() {
            Some(engine) => {
                engine.increment_epoch();
                true
            }
            None => false,
        });
    }

    fn park(&self) {
        self.parked.store(true, Ordering::SeqCst);
        while self.running.load(Ordering::SeqCst) == 0 && !self.closed.load(Ordering::SeqCst) {
            thread::park();
        }
        self.parked.store(false, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn eventually(what: impl Fn() -> bool) -> bool {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            if what() {
                return true;
            }
            thread::sleep(Duration::from_millis(1));
        }
        false
    }

    #[test]
    fn parks_when_nothing_runs_and_wakes_when_something_does() {
        let ticker = Ticker::start().unwrap();
        for _ in 0..3 {
            assert!(eventually(|| ticker.is_parked()));
            let running = ticker.running();
            assert!(eventually(|| !ticker.is_parked()));
            drop(running);
        }
    }

    #[test]
    fn the_thread_ends_with_its_owner() {
        let ticker = Ticker::start().unwrap();
        let shared = Arc::downgrade(&ticker.shared);
        drop(ticker);
        assert!(eventually(|| shared.strong_count() == 0));
    }
}
