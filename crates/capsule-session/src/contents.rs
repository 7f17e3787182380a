//! What is in the files that a run changed, for answers that are asked for it: unified diffs of texts, sizes and SHA-256 of
//! everything else.

use crate::world::World;
use capsule_abi::fs::{FileType, OpenFlags};
use capsule_vfs::{Changes, Content};
use serde::Serialize;
use sha2::{Digest, Sha256};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A larger file is not compared line by line.
const MOST_TEXT: u64 = 1 << 20;

/// Bytes that are hashed for one answer; the files after that are told by their sizes.
const MOST_HASHED: u64 = 256 << 20;

/// How long the texts of one answer are compared in all. One that is being compared then gets any difference, those after it
/// none.
const PATIENCE: Duration = Duration::from_millis(200);

/// One file of a diff.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FileDiff {
    pub path: String,
    /// `created`, `modified` or `deleted`.
    pub change: &'static str,
    /// The difference of two texts, as `diff -u` prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of what is no text: what it was and what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Summary>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Summary {
    pub size: u64,
    /// None where the bytes are too many, or were not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Bytes at one moment.
enum Side {
    Missing,
    Bytes(Vec<u8>),
    Summary(Summary),
}

/// What fitted into an answer.
#[derive(Default)]
pub struct Told {
    pub files: Vec<FileDiff>,
    /// How many of them are told by size and hash though they are text.
    pub in_short: usize,
    /// How many are told so because comparing took long enough.
    pub not_compared: usize,
    /// How many changes were not looked at any more.
    pub omitted: usize,
}

/// What a file costs beside its path and its text: the words around them.
const ENTRY: usize = 50;

/// What a file costs beside its path that is told by size and hash: the words, and two hashes.
const SUMMARY: u64 = 200;

/// The regular files among the changes, in about `most` bytes.
pub fn of(
    changes: &Changes,
    before: &BTreeMap<Vec<u8>, Content>,
    world: &World,
    shown: impl Fn(&[u8]) -> String,
    most: u64,
) -> Told {
    let lists = [("created", &changes.created), ("modified", &changes.modified), ("deleted", &changes.deleted)];
    let mut told = Told::default();
    let mut bytes = 0;
    let (deadline, mut hashable) = (Instant::now() + PATIENCE, MOST_HASHED);
    for (change, path) in lists.into_iter().flat_map(|(change, paths)| paths.iter().map(move |path| (change, path))) {
        // Before it is read: a hundred thousand files would be read for nothing.
        let in_short = path.len() as u64 + SUMMARY;
        if bytes + in_short > most && !told.files.is_empty() {
            told.omitted += 1;
            continue;
        }
        let late = Instant::now() >= deadline;
        let mut reader = Reader { hashable: &mut hashable, texts: !late };
        let old = before.get(path).map_or(Side::Missing, |content| reader.kept(content));
        let new = if change == "deleted" { Side::Missing } else { reader.now(world, path) };
        if matches!((&old, &new), (Side::Missing, Side::Missing)) {
            continue;
        }
        let path = shown(path);
        told.not_compared += usize::from(late);
        let mut text = if late { None } else { unified(&path, &old, &new, deadline) };
        if bytes + text.as_ref().map_or(0, String::len) as u64 > most {
            text = None;
            told.in_short += 1;
        }
        bytes += text.as_ref().map_or(in_short, |text| (text.len() + path.len() + ENTRY) as u64);
        let (before, after) = match text {
            Some(_) => (None, None),
            None => (old.summary(), new.summary()),
        };
        told.files.push(FileDiff { path, change, text, before, after });
    }
    told
}

fn unified(path: &str, old: &Side, new: &Side, deadline: Instant) -> Option<String> {
    let (a, b) = (old.text()?, new.text()?);
    let name = |side: &Side, prefix: &str| match side {
        Side::Missing => "/dev/null".to_owned(),
        _ => format!("{prefix}/{path}"),
    };
    let diff = TextDiff::configure().deadline(deadline).diff_lines(a, b);
    Some(diff.unified_diff().header(&name(old, "a"), &name(new, "b")).to_string())
}

impl Side {
    fn text(&self) -> Option<&str> {
        match self {
            Side::Missing => Some(""),
            Side::Bytes(bytes) if bytes.contains(&0) => None,
            Side::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            Side::Summary(_) => None,
        }
    }

    fn summary(self) -> Option<Summary> {
        match self {
            Side::Missing => None,
            Side::Bytes(bytes) => Some(Summary { size: bytes.len() as u64, sha256: Some(hex(Sha256::digest(bytes))) }),
            Side::Summary(summary) => Some(summary),
        }
    }
}

/// Looks into files, as far as there is patience for it.
struct Reader<'a> {
    /// Bytes that may still be hashed.
    hashable: &'a mut u64,
    /// Whether texts are still compared.
    texts: bool,
}

impl Reader<'_> {
    /// What the journal kept of a file.
    fn kept(&mut self, content: &Content) -> Side {
        match content {
            Content::Shared(data) => self.side(data.size(), |offset, buf| Some(data.read(offset, buf))),
            Content::Digest { size, .. } | Content::Unknown { size } => {
                Side::Summary(Summary { size: *size, sha256: None })
            }
        }
    }

    /// A file as it is now.
    fn now(&mut self, world: &World, path: &[u8]) -> Side {
        let flags = OpenFlags::RDONLY | OpenFlags::NOFOLLOW;
        let Ok(node) = world.kernel.vfs().open(&world.caller(), None, path, flags, 0) else { return Side::Missing };
        match node.stat() {
            Ok(stat) if stat.kind == FileType::Regular => {
                self.side(stat.size, |offset, buf| node.read_at(offset, buf).ok())
            }
            _ => Side::Missing,
        }
    }

    fn side(&mut self, size: u64, read: impl Fn(u64, &mut [u8]) -> Option<usize>) -> Side {
        let Some(left) = self.hashable.checked_sub(size) else {
            return Side::Summary(Summary { size, sha256: None });
        };
        *self.hashable = left;
        let whole = self.texts && size <= MOST_TEXT;
        let (mut bytes, mut hasher) = (Vec::new(), Sha256::new());
        let mut block = vec![0; (64 << 10).min(size.max(1) as usize)];
        let mut offset = 0;
        // A file of the host may grow meanwhile.
        while offset < size
            && let Some(n @ 1..) = read(offset, &mut block)
        {
            match whole {
                true => bytes.extend_from_slice(&block[..n]),
                false => hasher.update(&block[..n]),
            }
            offset += n as u64;
        }
        match whole {
            true => Side::Bytes(bytes),
            false => Side::Summary(Summary { size, sha256: Some(hex(hasher.finalize())) }),
        }
    }
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
