//! The state of a shell, in one place: what a fork copies and what a session saves.

mod ahead;
mod assign;
mod function;
mod init;
mod options;
mod report;
mod restricted;
mod special;

pub use ahead::OwnInput;
pub use assign::{AssignError, Target};
pub use function::{Function, parse_definition};
pub use init::{FACTS, SPECIALS, usual_attrs};
pub use options::{Opt, Options, SET_OPTIONS, SHOPTS, Shopt};

use crate::exec::{Jobs, Traps};
use crate::names::FastMap;
use crate::pattern::PatternOptions;
use crate::syntax::{AliasMap, ParseOptions};
use crate::vars::Vars;
use std::rc::Rc;

/// Why execution leaves the ordinary path. The status is in `Shell::status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwind {
    Break(u32),
    Continue(u32),
    Return,
    Exit,
    /// An error that abandons the whole command line (bash's jump to the top level).
    Discard,
}

pub type Flow<T = ()> = Result<T, Unwind>;

/// One entry of the call stack: a function or a sourced file.
pub struct CallFrame {
    /// FUNCNAME.
    pub name: Rc<[u8]>,
    pub source: Rc<[u8]>,
    /// The line of the call.
    pub call_line: u32,
    pub is_function: bool,
    /// BASH_ARGV, under extdebug.
    pub args: Option<Vec<Vec<u8>>>,
}

/// The IFS in a form made for splitting.
#[derive(Clone)]
pub struct Ifs {
    /// 0 ordinary, 1 IFS white space, 2 other separator.
    pub kinds: [u8; 256],
    /// What `"$*"` joins with.
    pub first: Vec<u8>,
    pub empty: bool,
    /// Separators of more than one byte; their first bytes have kind 3.
    pub wide: Vec<Vec<u8>>,
}

pub struct Shell {
    pub vars: Vars,
    pub functions: FastMap<Rc<[u8]>, Function>,
    pub aliases: Rc<AliasMap>,
    pub options: Options,
    pub arg0: Vec<u8>,
    pub positional: Rc<Vec<Vec<u8>>>,
    /// BASH_ARGV outside of functions, once it is known.
    pub own_arguments: Option<Rc<Vec<Vec<u8>>>>,
    pub status: i32,
    pub pipe_status: Vec<i32>,
    pub last_background: Option<i32>,
    /// `$$`
    pub pid: i32,
    pub line: u32,
    pub calls: Vec<CallFrame>,
    pub ifs: Rc<Ifs>,
    pub utf8: bool,
    pub traps: Traps,
    pub jobs: Jobs,
    /// Where commands were found, and how often they were used.
    pub hashed: FastMap<Box<[u8]>, (Vec<u8>, u32)>,
    pub directories: Vec<Vec<u8>>,
    pub cwd: Vec<u8>,
    pub loops: u32,
    /// Functions and sourced files running.
    pub functions_running: u32,
    pub sources_running: u32,
    pub subshell: u32,
    /// Above 0: a failing command is being tested, and errexit looks away.
    pub errexit_off: u32,
    /// Output of the running builtin.
    pub out: Vec<u8>,
    /// What it writes is kept there for the one who called it.
    pub capturing: bool,
    pub interactive: bool,
    /// Where the script's text comes from, for messages: `-c` or nothing.
    pub command_string: bool,
    pub started: u64,
    pub seconds_base: i64,
    pub random: u32,
    pub random_last: u32,
    /// A subshell that has not asked for a number yet: it begins a sequence of its own.
    pub random_inherited: bool,
    /// The place within a word of `getopts`.
    pub getopts_at: usize,
    /// The command being run, for BASH_COMMAND and traps.
    pub command_text: Rc<CommandText>,
    /// Descriptors of process substitutions to close when the command is done, and their processes.
    pub process_subs: Vec<(i32, i32)>,
    /// How deep the executor is: functions, sources, evals, substitutions.
    pub depth: u32,
    /// Set by a substitution; the status of a command that is only assignments.
    pub substitution_status: Option<i32>,
    pub disabled_builtins: Vec<&'static str>,
    pub history: Vec<Vec<u8>>,
    /// Lines of the history that the file has already.
    pub history_read: usize,
    pub completions: FastMap<Box<[u8]>, Vec<u8>>,
    /// Running the EXIT trap or past it.
    pub exiting: bool,
    pub coprocs: Vec<(Box<[u8]>, i32)>,
    /// In the body of a `trap` action.
    pub in_trap: u32,
    /// The error that abandons the command abandons evals and `-c` with it: bash jumps to where a script is read.
    pub abandon_all: bool,
    /// Assignments are being made for a program that is started: a locale among them is not ours.
    pub locale_for_others: bool,
    /// A foreground process is waited for whose redirections are still this shell's: that a signal ended it is told later.
    pub tells_later: bool,
    pub killed: Option<(i32, u8, Vec<u8>)>,
    /// The status before `return` was called, which a RETURN trap sees.
    pub before_return: i32,
    /// An expansion error ended the shell: with -c the status is 127 then.
    pub fatal_expansion: bool,
    /// Complete commands read so far, for `\#`.
    pub command_number: u32,
    /// `exec` without a command: its redirections stay.
    pub exec_keeps_redirects: bool,
    /// The running builtin is the last command of its process.
    pub may_replace: bool,
    /// Substitutions and evals around the command, for the prefix of `set -x`.
    pub trace_level: u32,
    /// The status the last trap's action ended with.
    pub trap_status: i32,
    /// The error that abandons the command is one of arithmetic: errexit does not see it.
    pub arith_error: bool,
    /// What stands before an arithmetic error: `((: `.
    pub arith_prefix: &'static [u8],
    /// The name a nameref's `${!ref}` gives.
    pub indirect_text: Option<Vec<u8>>,
    pub own_input: Option<OwnInput>,
    /// What `bind` was told.
    pub keys: Option<Box<crate::builtins::Keys>>,
    /// A compound command around this one was given its standard input: commands in the background have it too.
    pub input_given: bool,
    /// Where the state goes when the script ends; a subshell has none.
    pub session: Option<capsule_sys::Fd>,
    /// `exit` was called: whoever sat at this shell is leaving it.
    pub left: bool,
}

/// What BASH_COMMAND shows, made only when somebody looks.
pub enum CommandText {
    Text(Vec<u8>),
    None,
}

impl Shell {
    pub fn parse_options(&self) -> ParseOptions {
        ParseOptions {
            extglob: self.options.shopt(Shopt::Extglob),
            posix: self.options.get(Opt::Posix),
            aliases: self.options.shopt(Shopt::ExpandAliases).then(|| Rc::clone(&self.aliases)),
        }
    }

    pub fn pattern_options(&self) -> PatternOptions {
        PatternOptions { extglob: self.options.shopt(Shopt::Extglob), nocase: false, utf8: self.utf8 }
    }

    /// For `case` and `[[ == ]]`.
    pub fn match_options(&self) -> PatternOptions {
        PatternOptions { nocase: self.options.shopt(Shopt::Nocasematch), ..self.pattern_options() }
    }

    /// The running function's name, outermost being `main`.
    pub fn in_function(&self) -> bool {
        self.calls.iter().any(|call| call.is_function)
    }
}
