//! `--checkpoint`: something is told or done after every so many records.

use crate::program;
use crate::{Exit, report};
use capsule_sys::{FdAction, Out, STDERR, STDOUT, Time, now, wait, write_all};
use std::fmt::Write;

enum Action {
    Dot,
    Bell,
    /// A text with fields; none is the usual one.
    Echo(Option<Vec<u8>>),
    Terminal(Vec<u8>),
    Execute(Vec<u8>),
    Sleep(u64),
    Totals,
}

#[derive(Default)]
pub struct Checkpoints {
    every: u64,
    actions: Vec<Action>,
    records: u64,
    started: Option<Time>,
    /// What the command of an action is told.
    pub archive: Vec<u8>,
    pub operation: &'static str,
}

impl Checkpoints {
    pub fn is_active(&self) -> bool {
        self.every > 0
    }

    /// `--checkpoint[=N]`, with a dot in front for dots.
    pub fn every(&mut self, value: Option<&[u8]>) -> Result<(), Exit> {
        let mut text = value.unwrap_or(b"10");
        if let Some(rest) = text.strip_prefix(b".") {
            self.actions.push(Action::Dot);
            text = rest;
        }
        self.every = std::str::from_utf8(text)
            .ok()
            .and_then(|t| t.parse().ok())
            .ok_or_else(|| super::fatal("--checkpoint value is not an integer"))?;
        Ok(())
    }

    /// `--checkpoint-action=ACTION`
    pub fn action(&mut self, text: &[u8]) -> Result<(), Exit> {
        let (name, value) = match memchr::memchr(b'=', text) {
            Some(at) => (&text[..at], Some(text[at + 1..].to_vec())),
            None => (text, None),
        };
        let shown = super::shown(text);
        self.actions.push(match (name, value) {
            (b"." | b"dot", None) => Action::Dot,
            (b"bell", None) => Action::Bell,
            (b"echo", value) => Action::Echo(value),
            (b"ttyout", Some(value)) => Action::Terminal(value),
            (b"exec", Some(value)) => Action::Execute(value),
            (b"sleep", Some(value)) => {
                let seconds = std::str::from_utf8(&value).ok().and_then(|t| t.parse().ok());
                Action::Sleep(seconds.ok_or_else(|| super::fatal(format_args!("{shown}: not a valid timeout")))?)
            }
            (b"totals", None) => Action::Totals,
            (b"wait", Some(_)) => {
                return Err(super::fatal(format_args!("{shown}: waiting for a signal is not supported")));
            }
            _ => return Err(super::fatal(format_args!("{shown}: unknown checkpoint action"))),
        });
        // An action alone asks for the usual number.
        if self.every == 0 {
            self.every = 10;
        }
        Ok(())
    }

    /// So many bytes have gone through.
    pub fn reached(&mut self, bytes: u64, record: u64, writes: bool) {
        if self.every == 0 {
            return;
        }
        let started = *self.started.get_or_insert_with(now);
        while self.records < bytes / record {
            self.records += 1;
            if self.records.is_multiple_of(self.every) {
                let done = self.records * record;
                self.act(done, record, writes, started);
            }
        }
    }

    fn act(&mut self, bytes: u64, record: u64, writes: bool, started: Time) {
        let usual = [Action::Echo(None)];
        let actions = if self.actions.is_empty() { usual.as_slice() } else { &self.actions };
        let totals = || super::show::totals(bytes, started);
        for action in actions {
            match action {
                Action::Dot => drop(write_all(STDOUT, b".")),
                Action::Bell => drop(write_all(STDOUT, b"\x07")),
                Action::Echo(text) => {
                    let usual = if writes { b"Write checkpoint %u".as_slice() } else { b"Read checkpoint %u" };
                    report::error(self.expand(text.as_deref().unwrap_or(usual), writes, bytes, started));
                }
                Action::Terminal(text) => {
                    let text = self.expand(text, writes, bytes, started);
                    let flags = capsule_sys::OpenFlags::WRONLY | capsule_sys::OpenFlags::CLOEXEC;
                    if let Ok(terminal) = capsule_sys::open(b"/dev/tty", flags, 0) {
                        let mut out = Out::new(terminal.raw());
                        out.write(text.as_bytes());
                        let _ = out.flush();
                    }
                }
                Action::Execute(command) => self.execute(command, record),
                Action::Sleep(seconds) => {
                    let _ = capsule_sys::sleep(seconds.saturating_mul(1_000_000_000));
                }
                Action::Totals => {
                    let what = if writes { "written" } else { "read" };
                    let _ = write_all(STDERR, format!("Total bytes {what}: {}\n", totals()).as_bytes());
                }
            }
        }
    }

    fn expand(&self, text: &[u8], writes: bool, bytes: u64, started: Time) -> String {
        let text = String::from_utf8_lossy(text);
        let mut out = String::new();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let _ = match rest.next() {
                Some('u') => write!(out, "{}", self.records),
                Some('s') => write!(out, "{}", if writes { "write" } else { "read" }),
                Some('d') => write!(out, "{}", now().sec - started.sec),
                Some('T') => {
                    write!(out, "{}: {}", if writes { "W" } else { "R" }, super::show::totals(bytes, started))
                }
                Some('t') => {
                    let zone = crate::calendar::Zone::local();
                    let time = crate::calendar::Moment::new(now().sec, 0, &zone).format(b"%c");
                    write!(out, "{}", String::from_utf8_lossy(&time))
                }
                Some('*') => Ok(()),
                Some(other) => write!(out, "%{other}"),
                None => write!(out, "%"),
            };
        }
        out
    }

    fn execute(&self, command: &[u8], record: u64) {
        let variables: [(&str, Vec<u8>); 5] = [
            ("TAR_VERSION", super::program::VERSION.to_vec()),
            ("TAR_ARCHIVE", self.archive.clone()),
            ("TAR_CHECKPOINT", self.records.to_string().into_bytes()),
            ("TAR_SUBCOMMAND", self.operation.as_bytes().to_vec()),
            ("TAR_BLOCKING_FACTOR", (record / super::header::BLOCK as u64).to_string().into_bytes()),
        ];
        let no_actions: Vec<FdAction> = Vec::new();
        if let Ok(child) = program::shell(command, &variables, no_actions) {
            let _ = wait(child, 0);
        }
    }
}
