//! Where text goes: to the outputs, or (with `-O`) into files until a recipe has ended.

use super::{Bytes, Make};
use crate::{report, temporary};
use capsule_sys::{Errno, Fd, STDERR, STDOUT, Seek, fstat, ftruncate, read_to_end, seek, write_all};
use std::cell::{Cell, RefCell};

thread_local! {
    /// Something could not be printed.
    static LOST: Cell<bool> = const { Cell::new(false) };
    /// The descriptors that text goes to now.
    static SINK: Cell<(i32, i32)> = const { Cell::new((STDOUT, STDERR)) };
    /// `Entering directory`, until something else is printed.
    static ENTERING: RefCell<Option<Bytes>> = const { RefCell::new(None) };
    static ENTERED: Cell<bool> = const { Cell::new(false) };
}

/// The line that comes before all else that is printed, if anything is.
pub fn enter_later(line: Bytes) {
    ENTERING.set(Some(line));
}

/// Something is about to be printed, by us or by a command.
pub fn start() {
    if let Some(line) = ENTERING.take() {
        ENTERED.set(true);
        write(STDOUT, &line);
    }
}

/// Whether the line of [`enter_later`] was printed.
pub fn has_entered() -> bool {
    ENTERED.replace(false)
}

/// What is lost is told at the end, unless there never was an output.
fn write(fd: i32, text: &[u8]) {
    if write_all(fd, text).is_err_and(|e| e != Errno::EBADF) {
        LOST.set(true);
    }
}

/// To standard output.
pub fn print(text: &[u8]) {
    start();
    write(SINK.get().0, text);
}

/// To standard output, before the line about the directory: what tells of make's own work.
pub fn print_apart(text: &[u8]) {
    write(STDOUT, text);
}

/// To standard error.
pub fn complain(text: &str) {
    start();
    match SINK.get().1 {
        STDERR => report::plain(text),
        // Where the file is full, the rest of the recipe's output is lost as well.
        fd => drop(write_all(fd, text.as_bytes())),
    }
}

/// Whether output was lost, which is told.
pub fn is_lost() -> bool {
    let lost = LOST.replace(false);
    if lost {
        report::error("write error: stdout");
    }
    lost
}

/// What `-O` keeps together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Together {
    Line,
    Target,
    /// What makes that recipes start print, too.
    Recurse,
}

impl Together {
    pub fn name(self) -> &'static str {
        match self {
            Together::Line => "line",
            Together::Target => "target",
            Together::Recurse => "recurse",
        }
    }
}

/// Output that is held back.
pub struct Held {
    out: Fd,
    /// None: both outputs are one.
    err: Option<Fd>,
}

impl Held {
    pub fn new() -> Result<Held, Errno> {
        let file = || temporary::unnamed(&temporary::directory(), "GMout");
        let one = match (fstat(STDOUT), fstat(STDERR)) {
            (Ok(out), Ok(err)) => (out.dev, out.ino) == (err.dev, err.ino),
            _ => false,
        };
        Ok(Held { out: file()?, err: if one { None } else { Some(file()?) } })
    }

    /// The descriptors that stand for standard output and standard error.
    pub fn descriptors(&self) -> (i32, i32) {
        let out = self.out.raw();
        (out, self.err.as_ref().map_or(out, Fd::raw))
    }
}

/// Makes messages go to these descriptors; gives back where they went.
pub fn redirect(to: (i32, i32)) -> (i32, i32) {
    SINK.replace(to)
}

pub const OUTPUTS: (i32, i32) = (STDOUT, STDERR);

fn take(fd: i32) -> Bytes {
    let _ = seek(fd, Seek::Start(0));
    let text = read_to_end(fd).unwrap_or_default();
    let _ = ftruncate(fd, 0);
    let _ = seek(fd, Seek::Start(0));
    text
}

impl Make {
    /// Prints what was held back.
    pub fn release(&self, held: &Held) {
        let before = redirect(OUTPUTS);
        let (out, err) = (take(held.out.raw()), held.err.as_ref().map_or(Vec::new(), |err| take(err.raw())));
        if !out.is_empty() || !err.is_empty() {
            let around = self.flags.print_directory == Some(true) && self.flags.together != Some(Together::Recurse);
            if around {
                print(&super::directory_line(&self.name(), "Entering"));
            }
            print(&out);
            let _ = write_all(STDERR, &err);
            if around {
                print(&super::directory_line(&self.name(), "Leaving"));
            }
        }
        redirect(before);
    }
}
