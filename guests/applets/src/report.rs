//! Messages as GNU words them: the name the command was called by, a colon, the text; one write each.

use crate::quote::unraw;
use crate::{Applet, Args, Exit, Outcome};
use capsule_sys::{Errno, Out, STDERR, write_all};
use std::cell::{Cell, RefCell};
use std::fmt::Display;

thread_local! {
    static PROGRAM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static HINT: Cell<Hint> = const { Cell::new(Hint::Plain) };
    static APPLET: Cell<Option<&'static str>> = const { Cell::new(None) };
    static BEFORE_HINT: RefCell<String> = const { RefCell::new(String::new()) };
    static USAGE: Cell<Option<&'static str>> = const { Cell::new(None) };
    static OUTPUT: Cell<(u8, &'static str)> = const { Cell::new(WRITE_ERROR) };
}

/// The status and the text for output that cannot be written, unless a command has others.
const WRITE_ERROR: (u8, &str) = (1, "write error");

/// What [`set_applet`] replaced.
pub struct Before(Vec<u8>, Option<&'static str>, Option<&'static str>);

/// Messages from now on are those of this applet.
pub fn set_applet(applet: &Applet, args: &Args) -> Before {
    let name = args.argv.first().cloned().unwrap_or_else(|| applet.name.as_bytes().to_vec());
    HINT.set(Hint::Plain);
    BEFORE_HINT.take();
    OUTPUT.set(WRITE_ERROR);
    Before(PROGRAM.replace(name), APPLET.replace(Some(applet.help)), USAGE.replace(None))
}

/// Messages from now on carry this name.
pub fn set_program(name: &[u8]) {
    PROGRAM.set(name.to_vec());
}

pub fn restore(before: Before) {
    PROGRAM.set(before.0);
    APPLET.set(before.1);
    USAGE.set(before.2);
}

/// Some commands tell how they are used before they tell where help is: what follows `Usage: `.
pub fn usage_line(line: &'static str) {
    USAGE.set(Some(line));
}

/// What stands between the message of a wrong command line and where help is.
pub fn before_hint(text: String) {
    BEFORE_HINT.set(text);
}

/// The name the command was called by.
pub fn program() -> String {
    PROGRAM.with_borrow(|name| String::from_utf8_lossy(name).into_owned())
}

/// The help of the command that runs.
pub fn help() -> &'static str {
    APPLET.get().unwrap_or_default()
}

/// `NAME: message`
pub fn error(message: impl Display) {
    let text = PROGRAM.with_borrow(|name| {
        let mut text = name.clone();
        text.extend(unraw(&format!(": {message}\n")));
        text
    });
    // Where standard error is gone there is nobody left to tell.
    let _ = write_all(STDERR, &text);
}

/// A text for standard error as it is.
pub fn plain(text: &str) {
    let _ = write_all(STDERR, &unraw(text));
}

/// `NAME: WHAT: No such file or directory`
pub fn fault(what: impl Display, errno: Errno) {
    error(format_args!("{what}: {errno}"));
}

/// A message, then the end with this status.
pub fn die(status: u8, message: impl Display) -> Exit {
    error(message);
    Exit(status)
}

/// A message and where help is.
pub fn usage(status: u8, message: impl Display) -> Exit {
    error(message);
    try_help(status)
}

/// How a command says where help is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hint {
    Plain,
    /// With the command's name in front, as diffutils do.
    Named,
    /// Also `--usage`, as tar and cpio do.
    Usage,
    /// The same with the quotes of old, as iconv does.
    GraveUsage,
    /// By the help itself, as sed does.
    Help,
    /// With the quotes of old, as gzip has them.
    Grave,
    /// The same with the command's name in front, as xz does.
    NamedGrave,
    /// As wget does.
    Options,
    /// Nothing.
    None,
}

/// How the hint is worded from now on.
pub fn hint(hint: Hint) {
    HINT.set(hint);
}

/// `Try 'NAME --help' for more information.`
pub fn try_help(status: u8) -> Exit {
    let name = program();
    let mut text = BEFORE_HINT.take();
    text += &USAGE.get().map(|line| format!("Usage: {line}\n")).unwrap_or_default();
    text += &match HINT.get() {
        Hint::Plain => format!("Try '{name} --help' for more information.\n"),
        Hint::Named => format!("{name}: Try '{name} --help' for more information.\n"),
        Hint::Usage => format!("Try '{name} --help' or '{name} --usage' for more information.\n"),
        Hint::GraveUsage => format!("Try `{name} --help' or `{name} --usage' for more information.\n"),
        Hint::Help => help().to_owned(),
        Hint::Grave => format!("Try `{name} --help' for more information.\n"),
        Hint::NamedGrave => format!("{name}: Try `{name} --help' for more information.\n"),
        Hint::Options => format!("Try `{name} --help' for more options.\n"),
        Hint::None => String::new(),
    };
    let _ = write_all(STDERR, text.as_bytes());
    Exit(status)
}

/// What is told of output that cannot be written from now on, in front of the reason, and the status it ends with.
pub fn output_fails(status: u8, text: &'static str) {
    OUTPUT.set((status, text));
}

/// The status of output that cannot be written, unless the command has said another.
pub fn failure(status: u8) {
    if OUTPUT.get() == WRITE_ERROR {
        OUTPUT.set((status, WRITE_ERROR.1));
    }
}

/// Tells that output could not be written.
pub fn unwritten(e: Errno) -> Exit {
    match OUTPUT.get() {
        (status, "") => die(status, e),
        (status, text) => die(status, format_args!("{text}: {e}")),
    }
}

/// The same for the last flush, where stdio would have kept the output until then. Some commands word it otherwise than
/// what fails on the way.
pub fn last_output_fails(out: &Out, text: &'static str) {
    const STDIO: usize = 4096;
    if out.buffered() < STDIO && out.error().is_none() {
        OUTPUT.set((OUTPUT.get().0, text));
    }
}

/// The last flush: a write error is reported and makes the status 1, or what [`output_fails`] set.
pub fn finish(out: &mut Out, status: u8) -> Outcome {
    out.flush().map(|()| status).map_err(unwritten)
}

/// Ends early when output no longer works: nothing more can be told to the reader.
pub fn writable(out: &Out) -> Result<(), Exit> {
    out.error().map_or(Ok(()), |e| Err(unwritten(e)))
}
