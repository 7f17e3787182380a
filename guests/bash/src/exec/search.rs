//! Finding commands.

use crate::builtins;
use crate::shell::{Opt, Shell};
use capsule_sys as sys;

/// What a name stands for, in the order the shell looks.
pub enum Found {
    Alias(Vec<u8>),
    Keyword,
    Function,
    Builtin,
    File(Vec<u8>),
    /// Remembered by `hash`.
    Hashed(Vec<u8>),
}

const KEYWORDS: &[&[u8]] = &[
    b"if",
    b"then",
    b"else",
    b"elif",
    b"fi",
    b"case",
    b"esac",
    b"for",
    b"select",
    b"while",
    b"until",
    b"do",
    b"done",
    b"in",
    b"function",
    b"time",
    b"{",
    b"}",
    b"!",
    b"[[",
    b"]]",
    b"coproc",
];

pub fn is_executable(path: &[u8]) -> bool {
    sys::stat(path).is_ok_and(|stat| stat.kind != sys::FileType::Directory && stat.mode & 0o111 != 0)
        && sys::access(path, sys::X_OK).is_ok()
}

impl Shell {
    /// The file a command name stands for.
    pub fn find_program(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        if name.contains(&b'/') {
            return (sys::stat(name).err() != Some(sys::Errno::ENOENT)).then(|| name.to_vec());
        }
        if let Some((path, hits)) = self.hashed.get_mut(name) {
            if is_executable(path) {
                *hits += 1;
                return Some(path.clone());
            }
            self.hashed.remove(name);
        }
        let path = self.search_path(name)?;
        if self.options.get(Opt::Hashall) {
            self.hashed.insert(name.into(), (path.clone(), 1));
        }
        Some(path)
    }

    /// Along PATH; a file that is there but not executable is better than none.
    pub fn search_path(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.search_along(name, false).into_iter().next()
    }

    /// All the files of that name along PATH.
    pub fn search_along(&self, name: &[u8], all: bool) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let mut second_best = None;
        if name.is_empty() {
            return found;
        }
        let path = self.vars.text(b"PATH").map(|v| v.into_owned()).unwrap_or_default();
        for directory in path.split(|&b| b == b':') {
            let file = match directory {
                b"" => [b"./", name].concat(),
                directory if directory.ends_with(b"/") => [directory, name].concat(),
                directory => [directory, b"/", name].concat(),
            };
            let Ok(stat) = sys::stat(&file) else { continue };
            if stat.kind != sys::FileType::Directory && stat.mode & 0o111 != 0 && sys::access(&file, sys::X_OK).is_ok()
            {
                found.push(file);
                if !all {
                    return found;
                }
            } else if second_best.is_none() && stat.kind == sys::FileType::Regular {
                second_best = Some(file);
            }
        }
        if found.is_empty() && !all {
            found.extend(second_best);
        }
        found
    }

    /// Everything the name stands for, best first.
    pub fn look_up(&mut self, name: &[u8], functions: bool, aliases: bool) -> Vec<Found> {
        let mut found = Vec::new();
        if aliases
            && self.options.shopt(crate::shell::Shopt::ExpandAliases)
            && let Some(text) = self.aliases.get(name)
        {
            found.push(Found::Alias(text.to_vec()));
        }
        if KEYWORDS.contains(&name) {
            found.push(Found::Keyword);
        }
        if functions && self.functions.contains_key(name) {
            found.push(Found::Function);
        }
        if builtins::find(self, name).is_some() {
            found.push(Found::Builtin);
        }
        if name.contains(&b'/') {
            if is_executable(name) {
                found.push(Found::File(name.to_vec()));
            }
            return found;
        }
        if let Some((path, _)) = self.hashed.get(name) {
            found.push(Found::Hashed(path.clone()));
            return found;
        }
        let mut files = self.search_along(name, true);
        if files.is_empty() {
            files.extend(self.search_path(name));
        }
        found.extend(files.into_iter().map(Found::File));
        found
    }
}
