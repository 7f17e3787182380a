//! The machine that runs a program's steps.

mod access;
mod calls;
mod dump;
mod extensions;
mod files;
mod run;
mod streams;
mod strings;
mod substitute;
mod time;
mod variables;

pub use calls::pairs;

use super::array::ArrayRef;
use super::input::{Reader, Separator};
use super::io::Io;
use super::op::Program;
use super::record::Record;
use super::regex::Cache;
use super::report::{self, Place};
use super::value::Value;
use capsule_sys::{Fd, Out};
use std::rc::Rc;

/// Why a run ended before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    Next,
    NextFile,
    /// `exit`; the status is in the machine.
    Exit,
    /// An error that was told.
    Fatal(u8),
}

pub type Run<T> = Result<T, Stop>;

/// So many calls may be open at once: each has its frame on the heap.
const DEEPEST: usize = 500_000;
/// So deep may a sort's or a comparison's function call back into a run: each is a run on the real stack.
const NESTED: usize = 30;

/// So deep may arrays be inside of arrays.
const NESTED_ARRAYS: usize = 500;

struct Frame {
    back: usize,
    base: usize,
    loops: usize,
    function: u32,
}

/// A loop over the keys an array had when it began.
struct Loop {
    keys: std::vec::IntoIter<Value>,
}

/// The main input: the operands one after the other.
pub struct Main {
    reader: Option<Reader>,
    fd: Option<Fd>,
    /// Which operand is next.
    next: f64,
    /// Whether a file was among the operands.
    used: bool,
    ended: bool,
    skip: bool,
}

/// What the command line decided.
#[derive(Clone, Copy, Default, Debug)]
pub struct Modes {
    pub posix: bool,
    pub traditional: bool,
    pub sandbox: bool,
    pub csv: bool,
    pub inplace: bool,
    pub non_decimal: bool,
    pub utf8: bool,
}

pub struct Vm {
    program: Rc<Program>,
    modes: Modes,
    globals: Vec<Value>,
    stack: Vec<Value>,
    frames: Vec<Frame>,
    base: usize,
    pc: usize,
    nested: usize,
    loops: Vec<Loop>,
    /// Where strings are put together, and where each began.
    buf: Vec<u8>,
    marks: Vec<usize>,
    record: Record,
    regexes: Cache,
    separator: Separator,
    rt: Vec<u8>,
    nr: f64,
    fnr: f64,
    ofmt: Vec<u8>,
    ors: Vec<u8>,
    subsep: Vec<u8>,
    lint: bool,
    lint_is_fatal: bool,
    out: Out,
    interactive: bool,
    io: Io,
    main: Main,
    /// Where the next record is read to.
    incoming: Vec<u8>,
    /// Where what ends it is read to.
    mark: Vec<u8>,
    inplace: Option<(Vec<u8>, Vec<u8>, i32)>,
    pending: Option<Value>,
    ranges: Vec<bool>,
    random: super::random::Random,
    status: u8,
    exiting: bool,
    procinfo: ArrayRef,
    environ: ArrayRef,
    zone: Option<crate::calendar::Zone>,
}

impl Vm {
    /// The source and line of the step that runs.
    fn place(&self) -> Place<'_> {
        if self.pc == 0 {
            return Place::default();
        }
        let after = self.program.lines.partition_point(|l| l.0 as usize <= self.pc.saturating_sub(1));
        match after.checked_sub(1).map(|i| self.program.lines[i]) {
            Some((_, source, line)) => Place { file: self.program.files[source as usize].as_deref(), line },
            None => Place::default(),
        }
    }

    /// `(FILENAME=x FNR=3) `, once a record was read.
    fn context(&self) -> String {
        if self.fnr <= 0.0 {
            return String::new();
        }
        let mut name = Vec::new();
        super::value::append(&self.globals[super::special::FILENAME as usize], b"%.6g", &mut name);
        format!("(FILENAME={} FNR={}) ", String::from_utf8_lossy(&name), self.fnr)
    }

    fn fatal(&mut self, text: impl std::fmt::Display) -> Stop {
        self.fatal_bytes(text.to_string().as_bytes())
    }

    fn fatal_bytes(&mut self, text: &[u8]) -> Stop {
        let _ = self.out.flush();
        let head = format!("{}fatal: ", self.context());
        report::at_line(&self.place(), &[head.as_bytes(), text].concat());
        Stop::Fatal(2)
    }

    /// A doubtful construct: a warning, or the end where LINT says so.
    fn lint(&mut self, text: impl std::fmt::Display) -> Run<()> {
        if self.lint_is_fatal {
            return Err(self.fatal(text));
        }
        self.warn(text);
        Ok(())
    }

    fn warn(&mut self, text: impl std::fmt::Display) {
        let _ = self.out.flush();
        report::fault(&self.place(), format_args!("{}warning: {text}", self.context()));
    }

    /// A regular expression that cannot be one.
    fn bad_regex(&mut self, message: &str, source: &[u8]) -> Stop {
        let text = [b"invalid regexp: ", message.as_bytes(), b": /", source, b"/"].concat();
        self.fatal_bytes(&text)
    }
}
