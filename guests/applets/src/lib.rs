//! The commands of the sandbox, with GNU's behaviour and wording. One file each in `commands`, one line each in
//! `table`.
//!
//! * [`options`]: GNU argument parsing; [`report`]: messages and the last flush; [`quote`]: names in messages
//! * [`number`]: numbers with suffixes; [`input`]: operands as streams; [`mode`]: symbolic modes;
//!   [`glob`]: patterns; [`human`]: sizes; [`float`]: floating point; [`program`]: starting others;
//!   [`path`]: canonical names; [`backup`]: backups of what is replaced; [`temporary`]: files for now; [`lines`]: lines that are selected
//! * [`http`]: what curl and wget share; [`ignore`]: lists like `.gitignore`
//! * [`calendar`]: broken-down time and `strftime`; [`users`]: names of ids; [`width`]: columns of characters
//!
//! A command is a function from its arguments to a status. It runs in a process of its own, or inside the shell when it
//! is also a builtin (`echo`, `printf`, `test` …), so it leaves no state behind but what it was asked to change.

pub mod backup;
pub mod calendar;
pub mod codec;
mod commands;
pub mod compare;
pub mod decimal;
pub mod encoding;
pub mod extended;
pub mod float;
pub mod glob;
pub mod http;
pub mod human;
pub mod ignore;
pub mod input;
pub mod late_links;
pub mod letters;
pub mod lines;
pub mod list;
pub mod mode;
pub mod number;
pub mod options;
pub mod pad;
pub mod path;
pub mod proc;
pub mod program;
pub mod quote;
pub mod report;
mod table;
pub mod temporary;
pub mod users;
pub mod version;
pub mod walk;
pub mod width;
pub mod zipfile;

pub use table::{all, find};

/// How a command ended: its status, or the status after a message that is already out.
pub type Outcome = Result<u8, Exit>;

/// An end reported already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exit(pub u8);

/// What a command is started with: `argv[0]` is the name it was called by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Args {
    pub argv: Vec<Vec<u8>>,
}

impl Args {
    pub fn new(argv: Vec<Vec<u8>>) -> Args {
        Args { argv }
    }

    /// The arguments after the name.
    pub fn rest(&self) -> &[Vec<u8>] {
        self.argv.get(1..).unwrap_or_default()
    }
}

/// A command.
pub struct Applet {
    pub name: &'static str,
    /// Everything `--help` prints.
    pub help: &'static str,
    run: fn(&Args) -> Outcome,
}

impl Applet {
    /// Runs it; the exit status.
    pub fn main(&self, args: &Args) -> u8 {
        let before = report::set_applet(self, args);
        let status = match (self.run)(args) {
            Ok(status) | Err(Exit(status)) => status,
        };
        report::restore(before);
        status
    }

    /// What it does, in one line: the second line of the help.
    pub fn summary(&self) -> &'static str {
        self.help.lines().find(|line| !line.starts_with("Usage:") && !line.starts_with("  or:")).unwrap_or_default()
    }
}

/// Runs the command that `argv[0]` names, by its last component. `None` when there is no such command.
pub fn run(argv: Vec<Vec<u8>>) -> Option<u8> {
    let name = argv.first()?.rsplit(|&b| b == b'/').next()?;
    let applet = find(name)?;
    Some(applet.main(&Args::new(argv)))
}
