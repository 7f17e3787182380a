//! Directories that say themselves that they, or what is in them, are not to be stored.

use super::names::{Pattern, shown};
use super::settings::Settings;
use crate::input::join;
use capsule_sys::{OpenFlags, lstat, open, read_full};

/// What of a directory with the tag is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaves {
    /// Everything but the directory and the tag.
    Contents,
    /// Everything but the directory.
    Under,
    All,
}

#[derive(Default)]
pub struct Tags {
    tags: Vec<Tag>,
    /// Files in directories that list patterns, and whether those hold for directories below.
    pub ignores: Vec<(Vec<u8>, bool)>,
}

struct Tag {
    name: Vec<u8>,
    leaves: Leaves,
    /// The file must be that of a cache.
    cache: bool,
}

/// What the file in a cache directory begins with.
const SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

impl Tags {
    pub fn add(&mut self, name: &[u8], leaves: Leaves) {
        self.tags.push(Tag { name: name.to_vec(), leaves, cache: false });
    }

    pub fn add_caches(&mut self, leaves: Leaves) {
        self.tags.push(Tag { name: b"CACHEDIR.TAG".to_vec(), leaves, cache: true });
    }

    /// The tag that a directory has.
    pub fn find(&self, directory: &[u8]) -> Option<(Leaves, &[u8])> {
        let has = |tag: &&Tag| {
            let path = join(directory, &tag.name);
            if !tag.cache {
                return lstat(&path).is_ok();
            }
            let mut start = [0; SIGNATURE.len()];
            let read =
                open(&path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|fd| read_full(fd.raw(), &mut start));
            read.is_ok() && start == SIGNATURE
        };
        self.tags.iter().find(has).map(|tag| (tag.leaves, tag.name.as_slice()))
    }

    /// The patterns that files in a directory list. They hold further down as well; those that were not meant to, match
    /// whole names and last parts of names only.
    pub fn patterns(&self, directory: &[u8]) -> Vec<Pattern> {
        let mut all = Vec::new();
        for (name, below) in &self.ignores {
            let Ok(text) = super::read_list(&join(directory, name)) else { continue };
            let lines = text.split(|b| *b == b'\n').filter(|line| !line.is_empty());
            all.extend(lines.map(|line| match below {
                true => Pattern::exclude(line),
                // Only a pattern without a slash can match a last part.
                false => {
                    Pattern { anchored: memchr::memchr(b'/', line).is_some(), below: false, ..Pattern::exclude(line) }
                }
            }));
        }
        all
    }
}

impl Settings {
    /// Tells that a directory's tag was heeded.
    pub fn tell_tag(&self, directory: &[u8], tag: &[u8], what: &str) {
        if self.verbose == 0 {
            return;
        }
        let directory = shown(&[directory.strip_suffix(b"/").unwrap_or(directory), b"/"].concat());
        self.warn("cachedir", format_args!("{directory}: contains a cache directory tag {}; {what}", shown(tag)));
    }
}
