//! What `env` does to signals before the command starts.

use crate::commands::kill;
use crate::quote::locale;
use crate::{Exit, report};
use capsule_sys::{Disposition, MaskHow, Signal, signal_action, signal_mask};

#[derive(Default)]
pub struct Signals {
    /// How each is handled, and whether it matters that it cannot be.
    actions: Vec<(Signal, Disposition, bool)>,
    /// Blocked, or no longer.
    masks: Vec<(Signal, bool)>,
    pub list: bool,
}

impl Signals {
    fn of(value: Option<&[u8]>) -> Result<(Vec<Signal>, bool), Exit> {
        let Some(value) = value else { return Ok((Signal::ALL.to_vec(), false)) };
        let mut signals = Vec::new();
        for name in value.split(|&b| b == b',').filter(|name| !name.is_empty()) {
            let known = kill::signal(name).and_then(Signal::from_number);
            let wrong = || report::usage(super::FAILED, format_args!("{}: invalid signal", locale(name)));
            signals.push(known.ok_or_else(wrong)?);
        }
        Ok((signals, true))
    }

    pub fn handle(&mut self, value: Option<&[u8]>, how: Disposition) -> Result<(), Exit> {
        let (signals, named) = Signals::of(value)?;
        for signal in signals {
            self.actions.retain(|(known, ..)| *known != signal);
            self.actions.push((signal, how, named));
            if how == Disposition::Default {
                self.masks.retain(|(known, _)| *known != signal);
                self.masks.push((signal, false));
            }
        }
        Ok(())
    }

    pub fn block(&mut self, value: Option<&[u8]>) -> Result<(), Exit> {
        for signal in Signals::of(value)?.0 {
            self.masks.retain(|(known, _)| *known != signal);
            self.masks.push((signal, true));
        }
        Ok(())
    }

    pub fn apply(mut self, tell: impl Fn(String)) -> Result<(), Exit> {
        self.actions.sort_by_key(|(signal, ..)| signal.number());
        self.masks.sort_by_key(|(signal, _)| signal.number());
        for (signal, how, named) in &self.actions {
            let (name, number) = (kill::shown(*signal), signal.number());
            let set = signal_action(*signal, *how);
            if let (Err(e), true) = (set, named) {
                let text = format!("failed to set signal action for signal {number}: {e}");
                return Err(report::die(super::FAILED, text));
            }
            let word = if *how == Disposition::Default { "DEFAULT" } else { "IGNORE" };
            let ignored = if set.is_err() { " (failure ignored)" } else { "" };
            tell(format!("Reset signal {name} ({number}) to {word}{ignored}\n"));
        }
        for (signal, block) in &self.masks {
            let how = if *block { MaskHow::Block } else { MaskHow::Unblock };
            let _ = signal_mask(how, Some(1 << (signal.number() - 1)));
            let word = if *block { "BLOCK" } else { "UNBLOCK" };
            tell(format!("signal {} ({}) mask set to {word}\n", kill::shown(*signal), signal.number()));
        }
        if self.list {
            report::plain(&list());
        }
        Ok(())
    }
}

/// What is blocked or ignored now.
fn list() -> String {
    let blocked = signal_mask(MaskHow::Block, None).unwrap_or(0);
    let mut text = String::new();
    for &signal in Signal::ALL {
        // To ask is to set it, and to set it back; those that cannot be set are as ever.
        let before = signal_action(signal, Disposition::Default).unwrap_or(Disposition::Default);
        if before != Disposition::Default {
            let _ = signal_action(signal, before);
        }
        let words = [
            (blocked & (1 << (signal.number() - 1)) != 0).then_some("BLOCK"),
            (before == Disposition::Ignore).then_some("IGNORE"),
        ];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        if !words.is_empty() {
            text += &format!("{:<10} ({:2}): {}\n", kill::shown(signal), signal.number(), words.join(","));
        }
    }
    text
}
