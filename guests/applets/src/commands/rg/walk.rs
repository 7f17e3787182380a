//! The files to search: operands, and what is below directories, in the order of their names.

use super::ignore::{Ignores, Level, Sources, global};
use super::options::Asked;
use crate::ignore::{List, Verdict};
use crate::input::join;
use crate::path::{Missing, canonical};
use crate::report;
use capsule_sys::{DirEntry, FileType, Stat, Time, lstat, read_dir, stat};

/// How files are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Path,
    Modified,
    Accessed,
    Created,
}

pub struct Walk<'a> {
    asked: &'a Asked,
    ignores: Ignores,
    /// What could not be read.
    pub failed: bool,
}

struct Open {
    path: Vec<u8>,
    entries: std::vec::IntoIter<DirEntry>,
    depth: usize,
    same: (u64, u64),
}

impl<'a> Walk<'a> {
    pub fn new(asked: &'a Asked, sources: Sources, explicit: Vec<List>) -> Walk<'a> {
        let ignores = Ignores { sources, levels: Vec::new(), global: global(&sources), explicit };
        Walk { asked, ignores, failed: false }
    }

    /// Calls `each` for every file below a directory; it is false when no more are wanted. `root` is put before the
    /// names, and may be empty.
    pub fn below(&mut self, root: &[u8], each: &mut dyn FnMut(&[u8]) -> bool) {
        let dir: &[u8] = if root.is_empty() { b"." } else { root };
        let absolute = canonical(dir, Missing::None, false, true).unwrap_or_default();
        self.ignores.levels = Level::above(&absolute, &self.ignores.sources);
        let start = if root.is_empty() { 0 } else { join(root, b"").len() };
        let device = stat(dir).map(|s| s.dev).ok();
        let mut open = Vec::new();
        self.enter(root, 0, &mut open);
        while let Some(level) = open.last_mut() {
            let Some(entry) = level.entries.next() else {
                open.pop();
                self.ignores.levels.pop();
                continue;
            };
            let depth = level.depth + 1;
            let path = if level.path.is_empty() { entry.name.clone() } else { join(&level.path, &entry.name) };
            let mut kind = entry.kind;
            if kind == FileType::Symlink {
                if !self.asked.follow {
                    continue;
                }
                match stat(&path) {
                    Ok(s) => kind = s.kind,
                    Err(e) => {
                        self.trouble(&path, &e.to_string());
                        continue;
                    }
                }
            }
            let directory = kind == FileType::Directory;
            if !self.wanted(&path, start, directory) {
                continue;
            }
            if directory {
                let other = self.asked.one_file_system && stat(&path).is_ok_and(|s| Some(s.dev) != device);
                if self.asked.max_depth.is_none_or(|most| depth < most) && !other {
                    self.enter(&path, depth, &mut open);
                }
            } else if kind == FileType::Regular && !self.too_large(&path) && !each(&path) {
                break;
            }
        }
        self.ignores.levels.clear();
    }

    fn enter(&mut self, path: &[u8], depth: usize, open: &mut Vec<Open>) {
        if self.asked.max_depth == Some(0) {
            return;
        }
        let dir: &[u8] = if path.is_empty() { b"." } else { path };
        let read = stat(dir).and_then(|s| {
            let entries: Vec<DirEntry> = read_dir(dir)?.collect::<Result<_, _>>()?;
            Ok(((s.dev, s.ino), entries))
        });
        let (same, mut entries) = match read {
            Ok(read) => read,
            Err(e) => return self.trouble(dir, &super::describe(e)),
        };
        if let Some(before) = open.iter().find(|level| level.same == same) {
            let (path, before) = (String::from_utf8_lossy(dir), String::from_utf8_lossy(&before.path));
            self.failed = true;
            if !self.asked.no_messages {
                report::error(format_args!("File system loop found: {path} points to an ancestor {before}"));
            }
            return;
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.ignores.levels.push(Level::read(path, &self.ignores.sources));
        open.push(Open { path: path.to_vec(), entries: entries.into_iter(), depth, same });
    }

    /// Whether ignore files, globs, types and hidden names let it through.
    fn wanted(&self, path: &[u8], start: usize, directory: bool) -> bool {
        match self.asked.overrides.verdict(&path[start..], directory) {
            Verdict::Keep => return true,
            Verdict::Ignore => return false,
            Verdict::None => {}
        }
        let verdict = self.ignores.verdict(path, start, directory);
        if verdict == Verdict::Ignore {
            return false;
        }
        if !directory && self.asked.types.verdict(path) == Verdict::Ignore {
            return false;
        }
        verdict == Verdict::Keep || self.asked.hidden || !crate::input::base_name(path).starts_with(b".")
    }

    fn too_large(&self, path: &[u8]) -> bool {
        self.asked.max_size.is_some_and(|most| stat(path).is_ok_and(|s| s.size > most))
    }

    pub fn trouble(&mut self, path: &[u8], why: &str) {
        self.failed = true;
        if !self.asked.no_messages {
            report::plain(&format!("{}: {why}\n", String::from_utf8_lossy(path)));
        }
    }
}

/// Puts paths in order of something that is not their name.
pub fn sort(paths: &mut [Vec<u8>], by: Sort, reverse: bool) {
    let time = |s: Stat| match by {
        Sort::Path => Time::default(),
        Sort::Modified => s.mtime,
        Sort::Accessed => s.atime,
        Sort::Created => s.ctime,
    };
    if by == Sort::Path {
        paths.sort();
    } else {
        paths.sort_by_cached_key(|path| lstat(path).map(time).unwrap_or_default());
    }
    if reverse {
        paths.reverse();
    }
}
