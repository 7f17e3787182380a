//! The state of a shell as bytes: what a session keeps between two runs.
//!
//! A session is one shell to its user and one process a run to the kernel. The host starts
//!
//! ```text
//! bash --load-state 3 --save-state 4 -c SCRIPT [NAME ARG…]
//! ```
//!
//! with the bytes of the last run to be read from descriptor 3 (none at all, or no `--load-state`: a new shell) and takes
//! the new ones from descriptor 4. `docs/STATE.md` tells the rules and the format; `write` and `read` are that format,
//! `session` the two descriptors.
//!
//! Functions are kept as the text `declare -f` prints and parsed when they are first called. Bytes come from outside:
//! reading them checks everything first and changes the shell only when all of it is right.

mod read;
mod session;
mod write;

#[cfg(test)]
mod tests;

use crate::names::Name;
use crate::shell::{Function, SPECIALS, Shell};
use crate::vars::{Special, Variable};
use std::rc::Rc;

pub use capsule_abi::state::StateError;
pub use session::{aside, load, refuse};

/// A state that was read and checked.
pub struct State {
    cwd: Vec<u8>,
    umask: u32,
    status: i32,
    pipe_status: Vec<i32>,
    last_background: Option<i32>,
    getopts_at: u32,
    started: u64,
    seconds_base: i64,
    random: (u32, u32),
    arg0: Vec<u8>,
    positional: Vec<Vec<u8>>,
    set_options: Vec<u8>,
    shopts: Vec<u8>,
    directories: Vec<Vec<u8>>,
    disabled_builtins: Vec<&'static str>,
    history: Vec<Vec<u8>>,
    history_read: usize,
    aliases: Vec<(Vec<u8>, Vec<u8>)>,
    completions: Vec<(Vec<u8>, Vec<u8>)>,
    hashed: Vec<(Vec<u8>, Vec<u8>)>,
    traps: Vec<(u8, Rc<[u8]>)>,
    functions: Vec<(Rc<[u8]>, Function)>,
    /// Special variables the script has unset: they are ordinary now.
    ordinary: Vec<Name>,
    /// A computed variable has only its attributes here.
    variables: Vec<(Name, Variable)>,
}

impl State {
    /// Makes a blank shell the one that was saved.
    pub fn apply(self, shell: &mut Shell) {
        for name in self.ordinary {
            shell.vars.unset(name, false);
        }
        for (name, variable) in self.variables {
            if shell.vars.special(name).is_computed() {
                shell.vars.entry(name).attrs = variable.attrs;
            } else {
                shell.vars.put(name, variable);
            }
        }
        shell.arg0 = self.arg0;
        shell.positional = Rc::new(self.positional);
        shell.options.load(&self.set_options, &self.shopts);
        shell.status = self.status;
        shell.pipe_status = self.pipe_status;
        shell.last_background = self.last_background;
        shell.getopts_at = self.getopts_at as usize;
        shell.started = self.started;
        shell.seconds_base = self.seconds_base;
        (shell.random, shell.random_last) = self.random;
        shell.directories = self.directories;
        shell.disabled_builtins = self.disabled_builtins;
        shell.history = self.history;
        shell.history_read = self.history_read;
        shell.aliases = Rc::new(self.aliases.into_iter().map(|(name, text)| (name.into(), text.into())).collect());
        shell.completions = self.completions.into_iter().map(|(name, text)| (name.into(), text)).collect();
        shell.hashed = self.hashed.into_iter().map(|(name, path)| (name.into(), (path, 0))).collect();
        shell.functions = self.functions.into_iter().collect();
        for (number, action) in self.traps {
            shell.traps.set(number, Some(action));
        }
        capsule_sys::umask(self.umask);
        // A directory that is gone: the run starts where the host put it.
        match capsule_sys::chdir(&self.cwd) {
            Ok(()) => shell.cwd = self.cwd,
            Err(_) => shell.set_working_directory(),
        }
    }
}

/// The special variables that are no longer so.
fn ordinary_names(shell: &Shell) -> impl Iterator<Item = Name> {
    SPECIALS.iter().map(|special| special.0).filter(|&name| shell.vars.special(name) == Special::None)
}
