//! What the options say.

use super::checkpoint::Checkpoints;
use super::header::Format;
use super::maps::Map;
use super::names::Pattern;
use super::pax::PaxOptions;
use super::tags::Tags;
use super::transform::Transform;
use crate::backup::Backup;
use crate::codec::Format as Packing;
use crate::mode::Change;
use crate::options::no_word;
use crate::users::Names;
use crate::{Exit, report};
use capsule_sys::{Time, getids, umask};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Create,
    Append,
    Update,
    Concatenate,
    Delete,
    Diff,
    List,
    Extract,
    TestLabel,
}

impl Action {
    /// The option that asks for it.
    pub fn option(self) -> &'static str {
        match self {
            Action::Create => "-c",
            Action::Append => "-r",
            Action::Update => "-u",
            Action::Concatenate => "-A",
            Action::Delete => "--delete",
            Action::Diff => "-d",
            Action::List => "-t",
            Action::Extract => "-x",
            Action::TestLabel => "--test-label",
        }
    }

    /// Whether files go into an archive.
    pub fn adds(self) -> bool {
        matches!(self, Action::Create | Action::Append | Action::Update)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Replaced.
    No,
    Old,
    SkipOld,
    Newer,
    Overwrite,
}

/// The order of what is in a directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    None,
    Name,
    Inode,
}

/// What packs the archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Packer {
    Builtin(Packing),
    /// Any command: plain data in, packed data out, and with `-d` back.
    Program(Vec<u8>),
}

/// What `--owner` and `--group` give: a name, a number, or both.
pub type Owner = (Option<Vec<u8>>, Option<u32>);

pub struct Settings {
    pub action: Option<Action>,
    /// What the command line was worth, where that stops nothing.
    pub status: u8,
    pub archive: Option<Vec<u8>>,
    pub packer: Option<Packer>,
    pub auto: bool,
    pub verbose: u32,
    pub format: Format,
    pub pax: PaxOptions,
    pub label: Option<Vec<u8>>,
    pub keep: Keep,
    pub keep_directory_links: bool,
    pub unlink_first: bool,
    pub recursive_unlink: bool,
    pub no_overwrite_dir: bool,
    pub backup: Option<Backup>,
    pub to_stdout: bool,
    pub to_command: Option<Vec<u8>>,
    pub ignore_command_error: bool,
    pub touch: bool,
    pub same_mode: bool,
    pub same_owner: bool,
    pub umask: u32,
    pub absolute: bool,
    /// Warnings that `--warning=no-…` takes away.
    silent: Vec<&'static str>,
    pub strip: usize,
    pub transforms: Vec<Transform>,
    pub show_transformed: bool,
    pub top_level: Option<Vec<u8>>,
    pub excludes: Vec<Pattern>,
    pub tags: Tags,
    /// Whether patterns were asked for or forbidden, so that nobody has to be warned.
    pub wildcards_said: bool,
    pub occurrence: Option<u64>,
    pub starting: Option<Vec<u8>>,
    pub follow: bool,
    pub hard_dereference: bool,
    pub check_links: bool,
    pub one_system: bool,
    pub sparse: bool,
    pub order: Order,
    pub owner: Owner,
    pub group: Owner,
    pub owner_map: Map,
    pub group_map: Map,
    pub numeric: bool,
    pub mode: Option<Change>,
    pub mtime: Option<Time>,
    pub clamp: bool,
    pub newer: Option<Time>,
    /// Only what was written counts, not what else was changed.
    pub newer_mtime: bool,
    pub remove_files: bool,
    pub ignore_failed: bool,
    pub ignore_zeros: bool,
    pub full_time: bool,
    pub utc: bool,
    /// A list has all that is known.
    pub lists_long: bool,
    /// What is left out of an archive in a file is not read.
    pub seeks: bool,
    pub totals: bool,
    pub block_numbers: bool,
    pub index: Option<Vec<u8>>,
    pub checkpoints: Checkpoints,
    pub omitted: bool,
    pub interactive: bool,
    pub verify: bool,
    pub record: u64,
    pub users: Names,
    pub groups: Names,
}

impl Settings {
    pub fn new() -> Settings {
        let mask = umask(0);
        umask(mask);
        let root = getids().is_ok_and(|ids| ids.0 == 0);
        Settings {
            action: None,
            status: 0,
            archive: None,
            packer: None,
            auto: false,
            verbose: 0,
            format: Format::Gnu,
            pax: PaxOptions::default(),
            label: None,
            keep: Keep::No,
            keep_directory_links: false,
            unlink_first: false,
            recursive_unlink: false,
            no_overwrite_dir: false,
            backup: None,
            to_stdout: false,
            to_command: None,
            ignore_command_error: false,
            touch: false,
            same_mode: root,
            same_owner: root,
            umask: mask,
            absolute: false,
            silent: Vec::new(),
            strip: 0,
            transforms: Vec::new(),
            show_transformed: false,
            top_level: None,
            excludes: Vec::new(),
            tags: Tags::default(),
            wildcards_said: false,
            occurrence: None,
            starting: None,
            follow: false,
            hard_dereference: false,
            check_links: false,
            one_system: false,
            sparse: false,
            order: Order::None,
            owner: (None, None),
            group: (None, None),
            owner_map: Map::new(),
            group_map: Map::new(),
            numeric: false,
            mode: None,
            mtime: None,
            clamp: false,
            newer: None,
            newer_mtime: false,
            remove_files: false,
            ignore_failed: false,
            ignore_zeros: false,
            full_time: false,
            utc: false,
            lists_long: false,
            seeks: true,
            totals: false,
            block_numbers: false,
            index: None,
            checkpoints: Checkpoints::default(),
            omitted: false,
            interactive: false,
            verify: false,
            record: 20 * super::header::BLOCK as u64,
            users: Names::users(),
            groups: Names::groups(),
        }
    }

    /// The id of a name, unless numbers were asked for.
    pub fn owner_ids(&self, name: &[u8], user: bool) -> Option<u32> {
        if self.numeric || name.is_empty() {
            return None;
        }
        let mut names = if user { Names::users() } else { Names::groups() };
        let found = names.lines().iter().any(|fields| fields[0] == name);
        if found { names.id(name) } else { None }
    }

    /// `--warning=KEYWORD`
    pub fn silence(&mut self, keyword: &[u8]) -> Result<(), Exit> {
        let text = String::from_utf8_lossy(keyword);
        let (name, off) = match text.strip_prefix("no-") {
            Some(name) => (name, true),
            None => (&*text, false),
        };
        match (name, off) {
            ("all", false) | ("none", true) => self.silent.clear(),
            ("none", false) | ("all", true) => self.silent = WARNINGS.to_vec(),
            (name, off) => {
                let Some(known) = WARNINGS.iter().find(|w| **w == name) else {
                    let words: Vec<(&str, usize)> =
                        ["all"].iter().chain(WARNINGS).chain(&["none"]).enumerate().map(|(i, w)| (*w, i)).collect();
                    report::hint(report::Hint::None);
                    return Err(no_word(keyword, "--warning", "invalid", &words, super::FATAL));
                };
                self.silent.retain(|w| w != known);
                if off {
                    self.silent.push(known);
                }
            }
        }
        Ok(())
    }

    pub fn warns(&self, name: &str) -> bool {
        !self.silent.contains(&name)
    }

    /// Tells something that has a name among the warnings.
    pub fn warn(&self, name: &str, text: impl std::fmt::Display) {
        if self.warns(name) {
            report::error(text);
        }
    }
}

/// The warnings that have a name. Some of them are never given here.
const WARNINGS: &[&str] = &[
    "alone-zero-block",
    "cachedir",
    "contiguous-cast",
    "decompress-program",
    "empty-transform",
    "existing-file",
    "failed-read",
    "file-changed",
    "file-ignored",
    "file-removed",
    "file-shrank",
    "file-unchanged",
    "filename-with-nuls",
    "ignore-archive",
    "ignore-newer",
    "missing-zero-blocks",
    "new-directory",
    "record-size",
    "rename-directory",
    "symlink-cast",
    "timestamp",
    "unknown-cast",
    "unknown-keyword",
    "verbose",
    "xattr-write",
    "xdev",
];
