//! The restricted shell: `bash -r`, `rbash`, `set -r`. It cannot leave its directory, name a program by a path, write to
//! files by redirection, or become another program; and nothing inside takes that back.

use super::{Shell, Shopt};
use crate::names::Name;
use crate::vars::Attrs;

/// What says where programs, startup files and history are found.
const FIXED: [&[u8]; 5] = [b"PATH", b"SHELL", b"ENV", b"BASH_ENV", b"HISTFILE"];

impl Shell {
    /// Restricts a shell that starts: unlike `set -r`, also what it takes from the environment.
    pub fn start_restricted(&mut self) {
        self.functions.clear();
        self.options.put_shopt(Shopt::RestrictedShell, true);
        self.options.restricted = true;
        for name in FIXED {
            let var = self.vars.entry(Name::new(name));
            var.attrs = var.attrs.with(Attrs::READONLY);
        }
    }

    /// Whether a builtin may not do what these arguments ask; that is told.
    pub fn refuses_builtin(&mut self, name: &str, args: &[Vec<u8>]) -> bool {
        if !self.options.restricted {
            return false;
        }
        let options = args.iter().skip(1).take_while(|arg| arg.len() > 1 && arg.starts_with(b"-") && *arg != b"--");
        let has = |letter: u8| options.clone().any(|option| option.contains(&letter));
        let path = || args.iter().skip(1).find(|arg| !arg.starts_with(b"-") && arg.contains(&b'/'));
        let refused = match name {
            "cd" => Some(None),
            "pushd" if args.len() > 1 => Some(None),
            "exec" if args.len() > 1 => Some(None),
            "enable" if has(b'f') || has(b'd') => Some(None),
            "command" if has(b'p') => Some(Some(&b"-p"[..])),
            "." | "source" => path().filter(|path| Some(*path) == args.get(1)).map(|path| Some(&path[..])),
            "hash" if has(b'p') => path().map(|path| Some(&path[..])),
            "history" if options.clone().next().is_some() => path().map(|path| Some(&path[..])),
            _ => None,
        };
        match refused {
            None => return false,
            Some(None) => self.complain(name, "restricted"),
            Some(Some(what)) => self.complain(name, [what, b": restricted"].concat()),
        }
        true
    }

    /// Whether a program may not be called by this name; that is told.
    pub fn refuses_program(&mut self, name: &[u8]) -> bool {
        let refused = self.options.restricted && name.contains(&b'/');
        if refused {
            self.error_about(name, "restricted: cannot specify `/' in command names");
        }
        refused
    }

    /// Whether output may not go to a file of this name; that is told.
    pub fn refuses_output(&mut self, path: &[u8]) -> bool {
        if self.options.restricted {
            self.error_about(path, "restricted: cannot redirect output");
        }
        self.options.restricted
    }
}
