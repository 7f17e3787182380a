//! Backups of files that are about to be replaced: `--backup`, `-b`, `-S`, as `cp`, `mv`, `ln` and `install` have them.

use crate::input::{base_name, dir_name};
use crate::options::word;
use crate::{Exit, report};
use capsule_sys::{Errno, Stat, getenv, lstat, read_dir, rename_at, stat};

#[derive(Clone, PartialEq, Debug)]
pub struct Backup {
    how: How,
    suffix: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum How {
    Simple,
    Numbered,
    /// Numbered where there is a numbered one already.
    Existing,
    Never,
}

const WORDS: &[(&str, How)] = &[
    ("none", How::Never),
    ("off", How::Never),
    ("simple", How::Simple),
    ("never", How::Simple),
    ("existing", How::Existing),
    ("nil", How::Existing),
    ("numbered", How::Numbered),
    ("t", How::Numbered),
];

impl Backup {
    /// From the options: whether a backup was asked for, with which control, and the suffix.
    pub fn choose(asked: Option<Option<&[u8]>>, suffix: Option<&[u8]>) -> Result<Option<Backup>, Exit> {
        Backup::choose_by("backup type", asked, suffix)
    }

    /// The same for an option that messages name in another way.
    pub fn choose_by(
        option: &str,
        asked: Option<Option<&[u8]>>,
        suffix: Option<&[u8]>,
    ) -> Result<Option<Backup>, Exit> {
        let Some(control) = asked else { return Ok(None) };
        let how = match (control.filter(|text| !text.is_empty()), getenv(b"VERSION_CONTROL").filter(|v| !v.is_empty()))
        {
            (Some(text), _) => word(text, option, WORDS, 1)?,
            (None, Some(text)) => word(&text, "$VERSION_CONTROL", WORDS, 1)?,
            (None, None) => How::Existing,
        };
        let suffix = suffix.map(<[u8]>::to_vec).or_else(|| getenv(b"SIMPLE_BACKUP_SUFFIX"));
        // A suffix with a slash would be another directory.
        let suffix = suffix.filter(|s| !s.is_empty() && !s.contains(&b'/')).unwrap_or_else(|| b"~".to_vec());
        Ok((how != How::Never).then_some(Backup { how, suffix }))
    }

    /// The name under which a file is kept.
    pub fn name(&self, path: &[u8]) -> Vec<u8> {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let simple = [path, &self.suffix].concat();
        if self.how == How::Simple {
            return simple;
        }
        let base = base_name(path);
        let highest = read_dir(dir_name(path)).map_or(0, |dir| {
            dir.flatten()
                .filter_map(|entry| {
                    let digits = entry.name.strip_prefix(base)?.strip_prefix(b".~")?.strip_suffix(b"~")?;
                    std::str::from_utf8(digits).ok()?.parse::<u64>().ok()
                })
                .max()
                .unwrap_or(0)
        });
        if highest == 0 && self.how == How::Existing {
            return simple;
        }
        [path, format!(".~{}~", highest + 1).as_bytes()].concat()
    }

    /// Whether the backup of a file would have the name, and so take the place, of this source.
    pub fn would_take(&self, source: &[u8], path: &[u8]) -> bool {
        let simple = [path, &self.suffix].concat();
        let is_one = |a: Stat, b: Stat| (a.dev, a.ino) == (b.dev, b.ino);
        self.how != How::Numbered
            && base_name(source) == [base_name(path), &self.suffix].concat()
            && matches!((stat(source), stat(&simple)), (Ok(a), Ok(b)) if is_one(a, b))
    }

    /// Moves a file out of the way; where to.
    pub fn save(&self, path: &[u8]) -> Result<Option<Vec<u8>>, Exit> {
        if lstat(path).is_err() {
            return Ok(None);
        }
        let to = self.name(path);
        match capsule_sys::rename(path, &to) {
            Ok(()) => Ok(Some(to)),
            Err(e) => Err(report::die(1, format_args!("cannot backup {}: {e}", crate::quote::quoted(path)))),
        }
    }
}

/// Puts a file back whose replacement failed.
pub fn restore(dir: i32, saved: &[u8], path: &[u8]) -> Result<(), Errno> {
    rename_at(dir, saved, dir, path, 0)
}
