//! How processes get the processor.
//!
//! A process is a task, and tokio could run it from the start. But most processes are short: their parent starts them and
//! waits, and handing each to a scheduler, which wakes another thread to look for it, costs more than the process. So a
//! new process stays on the thread of its parent: when the parent pauses, its new children get one turn right there. Those
//! that end in it never were anybody's task; the others are handed to tokio and run wherever a core is free. A turn lasts
//! until the process waits or the epoch ticks, so work that is long enough to matter runs in parallel a tick later.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Children run inside the turn of their parent up to this depth: each level takes some of the thread's stack.
const MAX_DEPTH: u32 = 8;
/// How long a process may go on with the children it starts and waits for, before others get a turn.
const TURN: Duration = Duration::from_millis(1);

thread_local! {
    /// Processes that were started in the turns under way on this thread, and had none themselves yet.
    static NEW: RefCell<Vec<Task>> = const { RefCell::new(Vec::new()) };
    /// How many turns are under way on this thread, one inside the other.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Runs `work`, soon: in a turn of this thread's if one is under way, else as a task of tokio's.
pub(crate) fn start(work: impl Future<Output = ()> + Send + 'static) {
    let task = Task { work: Box::pin(work), alarm: Arc::default() };
    match DEPTH.get() {
        1..=MAX_DEPTH => NEW.with_borrow_mut(|new| new.push(task)),
        _ => drop(tokio::spawn(task)),
    }
}

/// A future of the host's that starts processes and waits for them: they get their first turn on its thread, as children
/// do on their parent's, so that a short run never wakes another one.
pub async fn in_turns<T>(work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    poll_fn(|cx| {
        loop {
            let level = Level::enter();
            let poll = work.as_mut().poll(cx);
            let ended = run_new(level.own);
            if poll.is_ready() || !ended {
                return poll;
            }
            // One has ended: most likely that is what is waited for.
        }
    })
    .await
}

struct Task {
    work: Pin<Box<dyn Future<Output = ()> + Send>>,
    alarm: Arc<Alarm>,
}

/// What wakes a task. It stays the same when the task moves to tokio, so that what was registered in the first turn holds.
#[derive(Default)]
struct Alarm {
    state: AtomicU8,
    /// Tokio's waker; none in the first turn, which needs none: whatever happens after it, tokio's first poll sees.
    outer: Mutex<Option<Waker>>,
}

const ASLEEP: u8 = 0;
/// In a turn: who rings now is heard at its end, and tokio is not bothered.
const AWAKE: u8 = 1;
const RUNG: u8 = 2;

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.state.swap(RUNG, Ordering::AcqRel) == ASLEEP {
            let outer = self.outer.lock().clone();
            if let Some(outer) = outer {
                outer.wake();
            }
        }
    }
}

impl Future for Task {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let task = self.get_mut();
        match &mut *task.alarm.outer.lock() {
            Some(outer) => outer.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        task.turn()
    }
}

impl Task {
    /// Runs the process until it waits, and its new children, until nothing here has anything to do.
    fn turn(&mut self) -> Poll<()> {
        let waker = Waker::from(self.alarm.clone());
        let mut cx = Context::from_waker(&waker);
        // Asked when the first child has ended: most processes have none.
        let mut began = None;
        let level = Level::enter();
        loop {
            self.alarm.state.store(AWAKE, Ordering::Release);
            let poll = self.work.as_mut().poll(&mut cx);
            let ended = run_new(level.own);
            if poll.is_ready() {
                return Poll::Ready(());
            }
            let rung = self.alarm.state.compare_exchange(AWAKE, ASLEEP, Ordering::AcqRel, Ordering::Acquire).is_err();
            match (rung, ended) {
                (false, _) => return Poll::Pending,
                // A child has ended: the parent most likely waited for that.
                (true, true) if began.get_or_insert_with(Instant::now).elapsed() < TURN => {}
                (true, _) => {
                    self.alarm.state.store(ASLEEP, Ordering::Release);
                    self.alarm.wake_by_ref();
                    return Poll::Pending;
                }
            }
        }
    }
}

/// One turn for each new process from `own` on, in the order they were started. Answers whether one of them ended.
fn run_new(own: usize) -> bool {
    let mut ended = false;
    while let Some(mut task) = NEW.with_borrow_mut(|new| (new.len() > own).then(|| new.remove(own))) {
        // A panic in a child must not take its parent along; dropping the work ends the process.
        match catch_unwind(AssertUnwindSafe(|| task.turn())) {
            Ok(Poll::Pending) => drop(tokio::spawn(task)),
            Ok(Poll::Ready(())) | Err(_) => ended = true,
        }
    }
    ended
}

/// One more turn on this thread, as long as this lives.
struct Level {
    /// Where the new processes of this turn begin; those before belong to turns that this one is inside of.
    own: usize,
}

impl Level {
    fn enter() -> Level {
        DEPTH.set(DEPTH.get() + 1);
        Level { own: NEW.with_borrow(Vec::len) }
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
        // Some are left when the process panicked: they are not to blame.
        let left = NEW.with_borrow_mut(|new| new.split_off(self.own));
        left.into_iter().for_each(|task| drop(tokio::spawn(task)));
    }
}
