//! The tests: each a question about one file.

use super::expr::{Context, File};
use super::kinds::{Compare, Kinds};
use crate::glob;
use capsule_regex::Regex;
use capsule_sys::{Errno, FileType, R_OK, Stat, Time, W_OK, X_OK, access, lstat, read_dir, readlink, stat};

pub enum Test {
    True,
    False,
    Name(Pattern),
    Path(Pattern),
    Link(Pattern),
    Regex(Box<Regex>),
    Kind(Kinds),
    /// The type with links treated the other way.
    OtherKind(Kinds),
    Size(Compare, u64, u64),
    Empty,
    /// The file's time, and what it must be later than.
    Newer(Which, Time),
    Age(Which, Compare, Time, i64),
    Used(Compare, u64),
    Perm(Perm, u32, u32),
    User(u32),
    Group(u32),
    Number(Field, Compare, u64),
    NoUser,
    NoGroup,
    Same(u64, u64),
    Readable,
    Writable,
    Executable,
    System(Vec<u8>),
}

/// A glob, and whether case counts.
pub struct Pattern {
    pattern: Vec<u8>,
    fold: bool,
    /// Nothing in it is special: it is compared.
    plain: bool,
}

impl Pattern {
    pub fn new(pattern: &[u8], fold: bool) -> Pattern {
        let pattern = if fold { glob::lowercase(pattern) } else { pattern.to_vec() };
        let plain = !pattern.iter().any(|b| b"*?[\\".contains(b));
        Pattern { pattern, fold, plain }
    }

    fn matches(&self, text: &[u8]) -> bool {
        match (self.fold, self.plain) {
            (true, _) => glob::matches(&self.pattern, &glob::lowercase(text), false),
            (false, true) => self.pattern == text,
            (false, false) => glob::matches(&self.pattern, text, false),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    Access,
    Change,
    Modification,
}

impl Which {
    pub fn of(self, stat: &Stat) -> Time {
        match self {
            Which::Access => stat.atime,
            Which::Change => stat.ctime,
            Which::Modification => stat.mtime,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Perm {
    Exact,
    All,
    Any,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    Uid,
    Gid,
    Links,
    Inode,
}

/// The name every file system here goes by: the session's own layers.
pub const SYSTEM: &str = "overlay";

pub fn holds(test: &mut Test, file: &mut File, context: &mut Context) -> bool {
    // Those that need no metadata first.
    match test {
        Test::True => return true,
        Test::False => return false,
        Test::Name(pattern) => return pattern.matches(file.name()),
        Test::Path(pattern) => return pattern.matches(file.path),
        Test::Link(pattern) => {
            let link = file.kind == FileType::Symlink;
            return link && readlink(file.path).is_ok_and(|target| pattern.matches(&target));
        }
        Test::Regex(regex) => return regex.find_at(file.path, 0, false) == Some((0, file.path.len())),
        Test::Kind(kinds) => return kinds.contains(file.kind),
        Test::OtherKind(kinds) => return other_kind(file, context).is_some_and(|kind| kinds.contains(kind)),
        Test::Readable => return access(file.path, R_OK).is_ok(),
        Test::Writable => return access(file.path, W_OK).is_ok(),
        Test::Executable => return access(file.path, X_OK).is_ok(),
        Test::System(name) => return name == SYSTEM.as_bytes(),
        Test::Empty if file.kind == FileType::Directory => {
            return match read_dir(file.path) {
                Ok(mut dir) => dir.next().is_none(),
                Err(e) => {
                    context.fault(file.path, e);
                    false
                }
            };
        }
        Test::Empty if file.kind != FileType::Regular => return false,
        _ => {}
    }
    let Some(s) = file.stat(context) else { return false };
    match test {
        Test::Size(compare, number, unit) => compare.holds(s.size.div_ceil(*unit), *number),
        Test::Empty => s.size == 0,
        Test::Newer(which, than) => which.of(&s) > *than,
        Test::Age(which, compare, than, window) => in_window(which.of(&s), *compare, *than, *window),
        Test::Used(compare, days) => {
            let seconds = |time: Time| i128::from(time.sec) * 1_000_000_000 + i128::from(time.nsec);
            let after = seconds(s.atime) - seconds(s.ctime);
            let day = 86_400_000_000_000;
            let limit = i128::from(*days) * day;
            after >= 0
                && match compare {
                    Compare::More => after > limit,
                    Compare::Less => after < limit,
                    // A day that has begun counts.
                    Compare::Same => after > limit - day && after <= limit,
                }
        }
        Test::Perm(how, mode, directory_mode) => {
            let wanted = if s.kind == FileType::Directory { *directory_mode } else { *mode };
            match how {
                Perm::Exact => s.mode == wanted,
                Perm::All => s.mode & wanted == wanted,
                Perm::Any => wanted == 0 || s.mode & wanted != 0,
            }
        }
        Test::User(id) => s.uid == *id,
        Test::Group(id) => s.gid == *id,
        Test::Number(field, compare, number) => {
            let value = match field {
                Field::Uid => s.uid.into(),
                Field::Gid => s.gid.into(),
                Field::Links => s.nlink.into(),
                Field::Inode => s.ino,
            };
            compare.holds(value, *number)
        }
        Test::NoUser => context.users.name(s.uid).is_none(),
        Test::NoGroup => context.groups.name(s.gid).is_none(),
        Test::Same(dev, ino) => (s.dev, s.ino) == (*dev, *ino),
        _ => false,
    }
}

/// What `-xtype` asks: of a link what it points to, and with `-L` the link itself.
fn other_kind(file: &File, context: &mut Context) -> Option<FileType> {
    let answer = if file.follow { lstat(file.path) } else { stat(file.path) };
    match answer {
        Ok(s) => Some(s.kind),
        // A link that leads nowhere is a link.
        Err(Errno::ENOENT | Errno::ENOTDIR) => Some(FileType::Symlink),
        Err(e) => {
            context.fault(file.path, e);
            None
        }
    }
}

/// Whether a time is before, after, or less than a window behind `than`.
fn in_window(time: Time, compare: Compare, than: Time, window: i64) -> bool {
    match compare {
        Compare::More => time > than,
        Compare::Less => time < than,
        Compare::Same => {
            let end = Time { sec: than.sec.saturating_add(window), nsec: than.nsec };
            time > than && time <= end
        }
    }
}
