//! Builtins: one file each, one table. A builtin gets its arguments, writes to `Shell::out`, and answers with its status.

mod alias;
mod background;
mod bind;
mod cd;
mod colon;
mod command;
mod complete;
mod completion;
mod declare;
mod directories;
mod echo;
mod enable;
mod eval;
mod exec;
mod exit;
mod getopts;
mod hash;
mod help;
mod history;
mod jobs;
mod kill;
mod r#let;
mod mapfile;
mod printf;
mod read;
mod set;
mod shift;
mod shopt;
mod source;
mod test;
mod times;
mod trap;
mod r#type;
mod ulimit;
mod umask;
mod unset;
mod wait;

use crate::shell::{Flow, Shell, Unwind};
use crate::syntax::ast::Assignment;
use std::rc::Rc;

pub use bind::Keys;
pub use help::{HELP, asked_for as asked_for_help};
pub use jobs::state_text;

/// An argument of a declaration builtin.
pub struct Argument {
    pub text: Vec<u8>,
    /// `name=(…)`.
    pub assignment: Option<Rc<Assignment>>,
}

pub enum Run {
    Plain(fn(&mut Shell, &[Vec<u8>]) -> Flow<i32>),
    Declaration(fn(&mut Shell, &[Argument]) -> Flow<i32>),
}

pub struct Builtin {
    pub name: &'static str,
    pub run: Run,
    /// One of POSIX's special builtins.
    pub special: bool,
}

macro_rules! table {
    ($($name:literal $kind:ident $run:path $(, $special:ident)?;)*) => {
        /// Sorted by name.
        pub const BUILTINS: &[Builtin] = &[$(Builtin {
            name: $name,
            run: Run::$kind($run),
            special: false $(|| table!($special))?,
        },)*];
    };
    (special) => { true };
}

table! {
    "." Plain source::run, special;
    ":" Plain colon::run_true, special;
    "[" Plain test::run_bracket;
    "alias" Plain alias::run_alias;
    "bg" Plain background::run_bg;
    "bind" Plain bind::run;
    "break" Plain exit::run_break, special;
    "builtin" Plain command::run_builtin;
    "caller" Plain source::run_caller;
    "cd" Plain cd::run_cd;
    "command" Plain command::run_command;
    "compgen" Plain completion::run_compgen;
    "complete" Plain complete::run_complete;
    "compopt" Plain complete::run_compopt;
    "continue" Plain exit::run_continue, special;
    "declare" Declaration declare::run_declare;
    "dirs" Plain directories::run_dirs;
    "disown" Plain background::run_disown;
    "echo" Plain echo::run;
    "enable" Plain enable::run;
    "eval" Plain eval::run, special;
    "exec" Plain exec::run, special;
    "exit" Plain exit::run_exit, special;
    "export" Declaration declare::run_export, special;
    "false" Plain colon::run_false;
    "fc" Plain history::run_fc;
    "fg" Plain background::run_fg;
    "getopts" Plain getopts::run;
    "hash" Plain hash::run;
    "help" Plain help::run;
    "history" Plain history::run_history;
    "jobs" Plain jobs::run;
    "kill" Plain kill::run;
    "let" Plain r#let::run;
    "local" Declaration declare::run_local;
    "logout" Plain exit::run_logout;
    "mapfile" Plain mapfile::run;
    "popd" Plain directories::run_popd;
    "printf" Plain printf::run;
    "pushd" Plain directories::run_pushd;
    "pwd" Plain cd::run_pwd;
    "read" Plain read::run;
    "readarray" Plain mapfile::run;
    "readonly" Declaration declare::run_readonly, special;
    "return" Plain exit::run_return, special;
    "set" Plain set::run, special;
    "shift" Plain shift::run, special;
    "shopt" Plain shopt::run;
    "source" Plain source::run, special;
    "suspend" Plain background::run_suspend;
    "test" Plain test::run;
    "times" Plain times::run, special;
    "trap" Plain trap::run, special;
    "true" Plain colon::run_true;
    "type" Plain r#type::run;
    "typeset" Declaration declare::run_declare;
    "ulimit" Plain ulimit::run;
    "umask" Plain umask::run;
    "unalias" Plain alias::run_unalias;
    "unset" Plain unset::run, special;
    "wait" Plain wait::run;
}

/// The builtin of that name, unless it was disabled.
pub fn find(shell: &Shell, name: &[u8]) -> Option<&'static Builtin> {
    let at = BUILTINS.binary_search_by(|builtin| builtin.name.as_bytes().cmp(name)).ok()?;
    let builtin = &BUILTINS[at];
    (!shell.disabled_builtins.contains(&builtin.name)).then_some(builtin)
}

impl Shell {
    /// `name: message`, for builtins.
    pub(crate) fn complain(&mut self, name: &str, message: impl AsRef<[u8]>) {
        self.error([name.as_bytes(), b": ", message.as_ref()].concat());
    }

    /// One argument too many for a count or a status: that ends whatever runs.
    pub(crate) fn too_many<T>(&mut self, name: &str) -> Flow<T> {
        self.complain(name, "too many arguments");
        self.status = 1;
        self.abandon_all = true;
        Err(Unwind::Discard)
    }

    /// An option the builtin does not have; its usage; status 2.
    pub(crate) fn bad_option(&mut self, name: &str, option: &[u8]) -> i32 {
        self.complain(name, [option, b": invalid option"].concat());
        self.usage(name)
    }

    pub(crate) fn usage(&mut self, name: &str) -> i32 {
        if let Some((_, usage, _)) = HELP.iter().find(|(n, _, _)| *n == name) {
            let text = format!("{name}: usage: {usage}\n");
            self.stderr(text.as_bytes());
        }
        2
    }
}

/// Single-letter options before the operands, as bash's own `internal_getopt`.
pub(crate) struct Letters<'a> {
    args: &'a [Vec<u8>],
    /// The next argument to look at.
    pub next: usize,
    within: usize,
    spec: &'static [u8],
}

pub(crate) enum Letter<'a> {
    Plain(u8),
    With(u8, &'a [u8]),
    Bad(Vec<u8>),
    /// The option's argument is missing.
    Missing(u8),
}

impl<'a> Letters<'a> {
    /// `spec`: letters; a colon after those that take an argument.
    pub fn new(args: &'a [Vec<u8>], spec: &'static [u8]) -> Letters<'a> {
        Letters { args, next: 1, within: 0, spec }
    }

    pub fn rest(&self) -> &'a [Vec<u8>] {
        self.args.get(self.next..).unwrap_or_default()
    }
}

impl<'a> Iterator for Letters<'a> {
    type Item = Letter<'a>;

    fn next(&mut self) -> Option<Letter<'a>> {
        let word = self.args.get(self.next)?;
        if self.within == 0 {
            if word == b"--" {
                self.next += 1;
                return None;
            }
            if word.len() < 2 || word[0] != b'-' {
                return None;
            }
            self.within = 1;
        }
        let letter = word[self.within];
        let at = self.spec.iter().position(|&b| b == letter && b != b':');
        let takes = at.is_some_and(|at| self.spec.get(at + 1) == Some(&b':'));
        self.within += 1;
        let ended = self.within >= word.len();
        if takes {
            let argument = if ended {
                self.next += 1;
                self.args.get(self.next).map(Vec::as_slice)
            } else {
                Some(&word[self.within..])
            };
            self.next += 1;
            self.within = 0;
            return Some(argument.map_or(Letter::Missing(letter), |argument| Letter::With(letter, argument)));
        }
        if ended {
            self.next += 1;
            self.within = 0;
        }
        Some(match at {
            Some(_) => Letter::Plain(letter),
            None => Letter::Bad(vec![b'-', letter]),
        })
    }
}

/// A count given as an argument.
pub(crate) fn number(text: &[u8]) -> Option<i64> {
    // Only digits after a sign are left to parse, so text that is not UTF-8 is no number.
    std::str::from_utf8(text.trim_ascii()).ok()?.parse().ok()
}
