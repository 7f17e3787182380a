//! The signals of one process: what is pending, blocked, ignored and caught, and whether one has ended it.

use capsule_abi::signal::{DefaultAction, Disposition, Signal};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// What posting a signal did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Posted {
    /// Nothing to do now: ignored, or blocked and kept.
    Quiet,
    /// The process must look up: it is to end, or has a signal to take.
    Interrupts,
    Stopped,
    Continued,
}

#[derive(Default)]
pub struct SignalState {
    sets: Mutex<Sets>,
    /// The signal that ends the process, once there is one. Read at every checkpoint, hence not under the lock.
    fatal: AtomicU8,
    stopped: AtomicBool,
    /// Whether a caught signal waits to be taken.
    caught_pending: AtomicBool,
}

#[derive(Clone, Copy, Default)]
struct Sets {
    pending: u64,
    blocked: u64,
    ignored: u64,
    caught: u64,
}

impl SignalState {
    pub fn fatal(&self) -> Option<Signal> {
        Signal::from_number(self.fatal.load(Ordering::Acquire).into())
    }

    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    pub fn caught_pending(&self) -> bool {
        self.caught_pending.load(Ordering::Acquire)
    }

    pub fn post(&self, signal: Signal) -> Posted {
        let mut sets = self.sets.lock();
        let bit = signal.bit();
        let mut continued = false;
        if matches!(signal, Signal::CONT | Signal::KILL) {
            continued = self.stopped.swap(false, Ordering::AcqRel);
        }
        if signal == Signal::KILL {
            self.end(Signal::KILL);
            return Posted::Interrupts;
        }
        if sets.ignored & bit != 0 {
            return if continued { Posted::Continued } else { Posted::Quiet };
        }
        if !signal.unstoppable() && sets.blocked & bit != 0 {
            sets.pending |= bit;
            return if continued { Posted::Continued } else { Posted::Quiet };
        }
        if sets.caught & bit != 0 {
            sets.pending |= bit;
            self.caught_pending.store(true, Ordering::Release);
            return if continued { Posted::Continued } else { Posted::Interrupts };
        }
        match signal.default_action() {
            DefaultAction::Terminate => {
                self.end(signal);
                Posted::Interrupts
            }
            DefaultAction::Stop => {
                self.stopped.store(true, Ordering::Release);
                Posted::Stopped
            }
            DefaultAction::Ignore => Posted::Quiet,
            DefaultAction::Continue if continued => Posted::Continued,
            DefaultAction::Continue => Posted::Quiet,
        }
    }

    /// The first fatal signal is the one the parent is told.
    fn end(&self, signal: Signal) {
        let _ = self.fatal.compare_exchange(0, signal.number(), Ordering::AcqRel, Ordering::Acquire);
    }

    pub fn disposition(&self, signal: Signal) -> Disposition {
        self.sets.lock().disposition(signal)
    }

    /// Sets what becomes of a signal; `None` for the two nobody may catch.
    pub fn set_disposition(&self, signal: Signal, disposition: Disposition) -> Option<Disposition> {
        if signal.unstoppable() && disposition != Disposition::Default {
            return None;
        }
        let mut sets = self.sets.lock();
        let old = sets.disposition(signal);
        sets.ignored &= !signal.bit();
        sets.caught &= !signal.bit();
        match disposition {
            Disposition::Default => {}
            Disposition::Ignore => {
                sets.ignored |= signal.bit();
                sets.pending &= !signal.bit();
            }
            Disposition::Catch => sets.caught |= signal.bit(),
        }
        self.deliver_untaken(&mut sets);
        Some(old)
    }

    /// Changes the blocked set; signals that become deliverable are answered, to be posted again.
    pub fn set_blocked(&self, change: impl FnOnce(u64) -> u64) -> (u64, Vec<Signal>) {
        let mut sets = self.sets.lock();
        let old = sets.blocked;
        sets.blocked = change(old) & !(Signal::KILL.bit() | Signal::STOP.bit());
        let free = sets.pending & !sets.blocked & !sets.caught;
        sets.pending &= !free;
        self.note_pending(&sets);
        (old, Signal::ALL.iter().copied().filter(|s| free & s.bit() != 0).collect())
    }

    /// Takes the lowest caught signal that is pending and not blocked.
    pub fn take(&self) -> Option<Signal> {
        if !self.caught_pending() {
            return None;
        }
        let mut sets = self.sets.lock();
        let ready = sets.pending & sets.caught & !sets.blocked;
        let signal = Signal::ALL.iter().copied().find(|s| ready & s.bit() != 0);
        if let Some(signal) = signal {
            sets.pending &= !signal.bit();
        }
        self.note_pending(&sets);
        signal
    }

    fn note_pending(&self, sets: &Sets) {
        self.caught_pending.store(sets.pending & sets.caught & !sets.blocked != 0, Ordering::Release);
    }

    /// What waited to be taken, and nobody catches any more, has its default action.
    fn deliver_untaken(&self, sets: &mut Sets) {
        let untaken = sets.pending & !sets.caught & !sets.blocked;
        sets.pending &= !untaken;
        for signal in Signal::ALL.iter().filter(|signal| untaken & signal.bit() != 0) {
            if signal.default_action() == DefaultAction::Terminate {
                self.end(*signal);
            }
        }
        self.note_pending(sets);
    }

    /// For a forked child: the same dispositions and mask, nothing pending; but an interrupt that the parent has not taken
    /// yet. Whoever sent it sent it to all that was running, and a shell that looks for it only now and then must not start
    /// what nobody can interrupt any more.
    pub fn inherit(&self) -> SignalState {
        let sets = *self.sets.lock();
        let sets = Sets { pending: sets.pending & sets.caught & Signal::INT.bit(), ..sets };
        let state = SignalState { sets: Mutex::new(sets), ..SignalState::default() };
        state.note_pending(&sets);
        state
    }

    /// What exec does: caught signals get their default action again; also those in `defaults`.
    pub fn reset_for_exec(&self, defaults: u64) {
        let mut sets = self.sets.lock();
        sets.caught = 0;
        sets.ignored &= !defaults;
        self.deliver_untaken(&mut sets);
    }
}

impl Sets {
    fn disposition(&self, signal: Signal) -> Disposition {
        if self.ignored & signal.bit() != 0 {
            Disposition::Ignore
        } else if self.caught & signal.bit() != 0 {
            Disposition::Catch
        } else {
            Disposition::Default
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions() {
        let s = SignalState::default();
        assert_eq!(s.post(Signal::CHLD), Posted::Quiet);
        s.set_disposition(Signal::TERM, Disposition::Ignore);
        assert_eq!(s.post(Signal::TERM), Posted::Quiet);
        s.set_disposition(Signal::INT, Disposition::Catch);
        assert_eq!(s.post(Signal::INT), Posted::Interrupts);
        assert_eq!((s.take(), s.take()), (Some(Signal::INT), None));
        assert_eq!(s.post(Signal::STOP), Posted::Stopped);
        assert_eq!(s.post(Signal::CONT), Posted::Continued);
        assert_eq!(s.fatal(), None);
        s.post(Signal::HUP);
        s.post(Signal::KILL);
        assert_eq!(s.fatal(), Some(Signal::HUP), "the first one counts");
        assert_eq!(s.set_disposition(Signal::KILL, Disposition::Ignore), None);
    }

    #[test]
    fn an_interrupt_reaches_what_is_started_before_it_is_taken() {
        let shell = SignalState::default();
        for signal in [Signal::INT, Signal::TERM] {
            shell.set_disposition(signal, Disposition::Catch);
            shell.post(signal);
        }
        let program = shell.inherit();
        assert!(program.caught_pending() && program.fatal().is_none());
        program.reset_for_exec(0);
        assert_eq!(program.fatal(), Some(Signal::INT));
        let deaf = shell.inherit();
        deaf.set_disposition(Signal::INT, Disposition::Ignore);
        deaf.reset_for_exec(0);
        assert_eq!(deaf.fatal(), None);
        assert_eq!((shell.take(), shell.take()), (Some(Signal::INT), Some(Signal::TERM)));
        assert!(!shell.inherit().caught_pending());
    }

    #[test]
    fn blocked_signals_wait() {
        let s = SignalState::default();
        s.set_blocked(|_| u64::MAX);
        assert_eq!(s.post(Signal::TERM), Posted::Quiet);
        assert_eq!(s.fatal(), None);
        let (_, free) = s.set_blocked(|_| 0);
        assert_eq!(free, [Signal::TERM]);
    }
}
