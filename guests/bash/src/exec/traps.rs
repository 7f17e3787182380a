//! Traps and signals.

use crate::shell::{CommandText, Flow, Opt, Shell, Unwind};
use capsule_sys as sys;
use std::collections::BTreeMap;
use std::rc::Rc;
use sys::{Disposition, Signal};

pub const EXIT: u8 = 0;
pub const DEBUG: u8 = 65;
pub const ERR: u8 = 66;
pub const RETURN: u8 = 67;

#[derive(Default)]
pub struct Traps {
    /// By signal number, or one of the four above. An empty action ignores.
    actions: BTreeMap<u8, Rc<[u8]>>,
    /// Signals that came and wait for their trap.
    pending: u64,
    /// Signals ignored when the shell started: they stay so.
    pub ignored_from_start: u64,
    /// Actions running now: a trap does not interrupt itself.
    running: u128,
    /// In a subshell: what the parent had, for `trap -p` alone.
    pub inherited: BTreeMap<u8, Rc<[u8]>>,
    /// The shell of a session: an interrupt that nobody traps ends the script, and the shell still saves its state.
    interruptible: bool,
    /// Caught for the EXIT trap's sake: they end the shell, but not before that trap has run.
    fatal: u64,
    /// Commands since the last look for an interrupt.
    unlooked: u8,
}

/// The signals that end a shell and let its EXIT trap run first.
const TERMINATING: &[Signal] = &[
    Signal::HUP,
    Signal::INT,
    Signal::TRAP,
    Signal::ABRT,
    Signal::SYS,
    Signal::PIPE,
    Signal::ALRM,
    Signal::TERM,
    Signal::XCPU,
    Signal::XFSZ,
    Signal::VTALRM,
    Signal::USR1,
    Signal::USR2,
];

/// A look costs a call of the kernel: a shell that only waits for an interrupt has one for so many commands.
const LOOK_EVERY: u8 = 64;

impl Traps {
    pub fn get(&self, number: u8) -> Option<&Rc<[u8]>> {
        self.actions.get(&number)
    }

    pub fn has(&self, number: u8) -> bool {
        !self.actions.is_empty() && self.actions.get(&number).is_some_and(|action| !action.is_empty())
    }

    /// What `trap -p` shows: also the signals ignored from the start.
    pub fn all(&self) -> BTreeMap<u8, Rc<[u8]>> {
        let mut map = if self.actions.is_empty() { self.inherited.clone() } else { self.actions.clone() };
        for &signal in Signal::ALL {
            if self.ignored_from_start & signal.bit() != 0 {
                map.insert(signal.number(), Rc::default());
            }
        }
        map
    }

    /// Whether anything must still happen in this process after its last command.
    pub fn any(&self) -> bool {
        self.actions.values().any(|action| !action.is_empty())
    }

    /// Somebody looks at BASH_COMMAND.
    pub fn watches_commands(&self) -> bool {
        self.any()
    }

    pub fn hide(&mut self, number: u8) -> Option<Rc<[u8]>> {
        if self.actions.is_empty() { None } else { self.actions.remove(&number) }
    }

    pub fn unhide(&mut self, number: u8, action: Option<Rc<[u8]>>) {
        if let Some(action) = action {
            self.actions.entry(number).or_insert(action);
        }
    }

    /// What outlives the script: all but EXIT.
    pub fn lasting(&self) -> impl Iterator<Item = (u8, &[u8])> {
        self.actions.iter().filter(|(n, _)| **n != EXIT).map(|(n, action)| (*n, &**action))
    }

    pub fn pending(&self) -> bool {
        self.pending != 0
    }

    /// Signals a new program must get back as default.
    pub fn caught_set(&self) -> u64 {
        self.trapped_set() | self.fatal | if self.is_interruptible() { Signal::INT.bit() } else { 0 }
    }

    /// Signals with a trap of their own.
    fn trapped_set(&self) -> u64 {
        self.actions
            .iter()
            .filter(|(n, action)| (1..=64).contains(*n) && !action.is_empty())
            .fold(0, |set, (n, _)| set | 1 << (n - 1))
    }

    /// Whether this signal ends the shell, after an EXIT trap that there is.
    fn is_terminating(&self, signal: Signal) -> bool {
        TERMINATING.contains(&signal)
            && self.has(EXIT)
            && !self.interruptible
            && self.ignored_from_start & signal.bit() == 0
            && !self.actions.contains_key(&signal.number())
    }

    /// After a trap was set: what EXIT needs is caught, and nothing else.
    fn update_fatal(&mut self) {
        for &signal in TERMINATING {
            let wanted = self.is_terminating(signal);
            if wanted != (self.fatal & signal.bit() != 0) {
                self.fatal ^= signal.bit();
                // One with an action of its own is that action's.
                if wanted {
                    let _ = sys::signal_action(signal, Disposition::Catch);
                } else if !self.actions.contains_key(&signal.number()) {
                    let _ = sys::signal_action(signal, Disposition::Default);
                }
            }
        }
    }

    /// Whether an interrupt ends the script, and nothing else was said of it.
    fn is_interruptible(&self) -> bool {
        self.interruptible && !self.actions.contains_key(&Signal::INT.number())
    }

    /// From now on an interrupt does not end the process at once.
    pub fn catch_interrupts(&mut self) {
        self.interruptible = self.ignored_from_start & Signal::INT.bit() == 0;
        if self.is_interruptible() {
            let _ = sys::signal_action(Signal::INT, Disposition::Catch);
        }
    }

    /// Interrupts are again what they are to every process.
    fn release_interrupts(&mut self) {
        if self.is_interruptible() {
            let _ = sys::signal_action(Signal::INT, Disposition::Default);
        }
        self.interruptible = false;
    }

    /// The next command looks.
    pub fn look_soon(&mut self) {
        self.unlooked = LOOK_EVERY;
    }

    /// Whether there may be something to look for.
    fn is_time_to_look(&mut self) -> bool {
        if self.pending != 0 || self.trapped_set() != 0 {
            return true;
        }
        if !self.interruptible && self.fatal == 0 {
            return false;
        }
        self.unlooked += 1;
        if self.unlooked < LOOK_EVERY {
            return false;
        }
        self.unlooked = 0;
        true
    }

    pub fn set(&mut self, number: u8, action: Option<Rc<[u8]>>) {
        self.inherited.clear();
        if let Some(signal) = Signal::from_number(number.into()) {
            if self.ignored_from_start & signal.bit() != 0 {
                return;
            }
            let disposition = match &action {
                None if signal == Signal::INT && self.interruptible => Disposition::Catch,
                None if self.fatal & signal.bit() != 0 => Disposition::Catch,
                None => Disposition::Default,
                Some(text) if text.is_empty() => Disposition::Ignore,
                Some(_) => Disposition::Catch,
            };
            let _ = sys::signal_action(signal, disposition);
        }
        match action {
            Some(action) => drop(self.actions.insert(number, action)),
            None => drop(self.actions.remove(&number)),
        }
        self.update_fatal();
    }
}

impl Shell {
    /// In a subshell traps are gone, except those that ignore.
    pub(super) fn reset_traps(&mut self) {
        self.traps.release_interrupts();
        if self.traps.actions.is_empty() {
            return;
        }
        self.traps.inherited = self.traps.actions.clone();
        let numbers: Vec<u8> = self.traps.actions.keys().copied().collect();
        for number in numbers {
            let ignores = self.traps.actions.get(&number).is_some_and(|action| action.is_empty());
            let keep = match number {
                ERR => self.options.get(Opt::Errtrace),
                DEBUG | RETURN => self.options.get(Opt::Functrace),
                EXIT => false,
                _ => ignores,
            };
            if !keep {
                if let Some(signal) = Signal::from_number(number.into()) {
                    let _ = sys::signal_action(signal, Disposition::Default);
                }
                self.traps.actions.remove(&number);
            }
        }
        self.traps.update_fatal();
        self.traps.pending = 0;
    }

    /// Takes the signals the kernel holds for us.
    pub fn note_signals(&mut self) {
        while let Some(signal) = sys::signal_take() {
            if self.traps.fatal & signal.bit() != 0 {
                self.end_by(signal);
            }
            self.traps.pending |= signal.bit();
        }
    }

    /// A signal ends the shell: the EXIT trap, and then the signal as if it had never been caught.
    fn end_by(&mut self, signal: Signal) -> ! {
        let status = 128 + i32::from(signal.number());
        self.traps.fatal &= !signal.bit();
        let _ = sys::signal_action(signal, Disposition::Default);
        self.flush_out();
        self.run_exit_trap();
        self.flush_out();
        let _ = sys::kill(sys::getpid(), signal.number().into());
        sys::exit(status)
    }

    /// Between commands: traps of signals that came.
    pub fn check_signals(&mut self) -> Flow {
        if !self.traps.is_time_to_look() {
            return Ok(());
        }
        self.note_signals();
        while self.traps.pending != 0 {
            let number = self.traps.pending.trailing_zeros() as u8 + 1;
            if number == Signal::INT.number() && self.traps.is_interruptible() {
                // It stays pending: whatever would go on after this part of the script ends as well.
                self.status = 128 + i32::from(number);
                return Err(Unwind::Exit);
            }
            self.traps.pending &= !(1 << (number - 1));
            let status = self.status;
            self.run_trap(number)?;
            self.status = status;
        }
        Ok(())
    }

    pub fn run_trap(&mut self, number: u8) -> Flow {
        let Some(action) = self.traps.actions.get(&number).filter(|action| !action.is_empty()).cloned() else {
            return Ok(());
        };
        let (status, pipe_status, line) = (self.status, self.pipe_status.clone(), self.line);
        self.in_trap += 1;
        self.depth += 1;
        let first = if number <= 64 { 1 } else { line };
        let running = self.traps.running;
        self.traps.running |= 1 << number;
        let kind: &[u8] = match number {
            ERR => b"error trap: ",
            RETURN => b"return trap: ",
            _ => b"trap: ",
        };
        let result = if crate::stack::is_deep() { Ok(()) } else { self.run_text(action.to_vec(), first, kind, false) };
        self.depth -= 1;
        self.in_trap -= 1;
        self.traps.running = running;
        self.line = line;
        match result {
            Ok(()) | Err(Unwind::Discard) => {
                self.trap_status = self.status;
                self.status = status;
                self.pipe_status = pipe_status;
                Ok(())
            }
            Err(unwind) => Err(unwind),
        }
    }

    /// Before a command; `text` is made only when somebody listens.
    pub(super) fn run_debug_trap(&mut self, text: impl FnOnce() -> Vec<u8>) -> Flow {
        self.debug_trap(text).map(drop)
    }

    /// As `run_debug_trap`; true: under extdebug the trap says to skip the command.
    pub(super) fn debug_trap(&mut self, text: impl FnOnce() -> Vec<u8>) -> Flow<bool> {
        if self.traps.actions.is_empty() || !self.traps.has(DEBUG) || self.traps.is_running(DEBUG) {
            return Ok(false);
        }
        let text = text();
        if !text.is_empty() && self.in_trap == 0 {
            self.command_text = Rc::new(CommandText::Text(text));
        }
        let action = self.traps.actions.get(&DEBUG).cloned();
        let running = self.traps.running;
        self.traps.running |= 1 << DEBUG;
        let result = match &action {
            Some(action) => {
                let line = self.line;
                let status = self.status;
                self.in_trap += 1;
                let result = self.run_text(action.to_vec(), line, b"debug trap: ", false);
                self.in_trap -= 1;
                self.trap_status = self.status;
                if result != Err(Unwind::Exit) {
                    self.status = status;
                }
                self.line = line;
                result
            }
            None => Ok(()),
        };
        self.traps.running = running;
        match result {
            Err(Unwind::Return) if self.options.shopt(crate::shell::Shopt::Extdebug) => {}
            other => other?,
        }
        if !self.options.shopt(crate::shell::Shopt::Extdebug) || self.trap_status == 0 {
            return Ok(false);
        }
        if self.trap_status == 2 && (self.functions_running > 0 || self.sources_running > 0) {
            return Err(Unwind::Return);
        }
        Ok(true)
    }

    pub(super) fn run_exit_trap(&mut self) {
        if self.exiting {
            return;
        }
        self.exiting = true;
        self.traps.release_interrupts();
        self.traps.pending = 0;
        let Some(action) = self.traps.actions.remove(&EXIT).filter(|action| !action.is_empty()) else { return };
        self.flush_out();
        let status = self.status;
        self.errexit_off = 0;
        self.in_trap += 1;
        self.loops = 0;
        self.fatal_expansion = false;
        let result = self.run_text(action.to_vec(), 1, b"exit trap: ", false);
        self.in_trap -= 1;
        // `exit` in the trap says the status; else, after an error too, it is the one before.
        if result != Err(Unwind::Exit) || self.fatal_expansion {
            self.status = status;
            self.fatal_expansion = false;
        }
    }
}

impl Traps {
    pub fn is_running(&self, number: u8) -> bool {
        self.running >> number & 1 != 0
    }

    pub fn only_children_pending(&self) -> bool {
        self.pending == Signal::CHLD.bit()
    }

    pub fn first_pending(&self) -> Option<u8> {
        (self.pending != 0).then(|| self.pending.trailing_zeros() as u8 + 1)
    }
}
