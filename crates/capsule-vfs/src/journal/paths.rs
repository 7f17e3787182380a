//! What directories are called now and were called at the start, each worked out once.
//!
//! A guest may nest directories deeper than any path reaches and fill them, and the paths of what it made can be far
//! longer than what it was charged for. So paths that no call could name are not told, and all paths together are bounded.

use super::record::{Node, Record};
use crate::NodeId;
use crate::namespace::{Mounts, Place};
use capsule_abi::fs::{FileType, PATH_MAX};
use std::collections::HashMap;
use std::sync::Arc;

/// Shared, because each is in several lists.
pub type Path = Arc<[u8]>;

/// All paths of one answer together: half a million files with paths of a hundred bytes.
const BUDGET: usize = 64 << 20;

#[derive(Clone)]
pub enum Known {
    Path(Path),
    /// The node has none: it is unlinked.
    Gone,
    /// Longer than `PATH_MAX`, or beyond the budget.
    TooLong,
}

/// Which of a directory's names counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum When {
    /// The one it has.
    Now,
    /// The one it has, and for one that is gone the one it would have: that of the start, in what the parent is called now.
    NowOrLast,
    Start,
}

pub struct Paths<'a> {
    mounts: &'a Mounts,
    /// Where the directories were that are no more where they were.
    start_of: HashMap<Node, (NodeId, &'a [u8])>,
    known: HashMap<(When, Node), Known>,
    left: usize,
}

impl<'a> Paths<'a> {
    pub fn new(record: &'a Record, mounts: &'a Mounts) -> Paths<'a> {
        let mut start_of = HashMap::new();
        for (&(mount, dir), names) in &record.names {
            for (name, before) in names {
                if let Some((node, FileType::Directory)) = before {
                    start_of.insert((mount, *node), (dir, name.as_slice()));
                }
            }
        }
        Paths { mounts, start_of, known: HashMap::new(), left: BUDGET }
    }

    pub fn now(&mut self, dir: Node) -> Known {
        self.path(When::Now, dir)
    }

    /// See [`When::NowOrLast`]; and whether the directory is there.
    pub fn now_or_last(&mut self, dir: Node) -> (Known, bool) {
        (self.path(When::NowOrLast, dir), self.name_now(dir).is_some())
    }

    pub fn start(&mut self, dir: Node) -> Known {
        self.path(When::Start, dir)
    }

    /// A name in a directory; none when it is too long or the budget is used up.
    pub fn join(&mut self, dir: &Path, name: &[u8]) -> Option<Path> {
        let slash = usize::from(**dir != *b"/");
        let len = dir.len() + slash + name.len();
        if len >= PATH_MAX || len > self.left {
            return None;
        }
        self.left -= len;
        Some([&dir[..], &b"/"[..slash], name].concat().into())
    }

    /// Out of the roots of mounts; the root of all has no name.
    fn up(&self, (mount, node): Node) -> Option<Node> {
        let place = self.mounts.up(Place { mount, node }).ok()?;
        Some((place.mount, place.node))
    }

    fn is_root(&self, node: Node) -> bool {
        let root = self.mounts.root();
        node == (root.mount, root.node)
    }

    /// The directory's parent and name; an empty name for the root.
    fn name_now(&self, dir: Node) -> Option<(Node, Vec<u8>)> {
        let (mount, node) = self.up(dir)?;
        if self.is_root((mount, node)) {
            return Some(((mount, node), Vec::new()));
        }
        let (parent, name) = self.mounts.get(mount).ok()?.fs.names(node).into_iter().next()?;
        Some(((mount, parent), name))
    }

    fn name_at_start(&self, dir: Node) -> Option<(Node, Vec<u8>)> {
        let (mount, node) = self.up(dir)?;
        self.start_of.get(&(mount, node)).map(|&(parent, name)| ((mount, parent), name.to_vec()))
    }

    fn name(&self, when: When, dir: Node) -> Option<(Node, Vec<u8>)> {
        match when {
            When::Now => self.name_now(dir),
            When::NowOrLast => self.name_now(dir).or_else(|| self.name_at_start(dir)),
            When::Start => self.name_at_start(dir).or_else(|| self.name_now(dir)),
        }
    }

    /// Up to what is known already, and down again.
    fn path(&mut self, when: When, dir: Node) -> Known {
        let mut down = Vec::new();
        let mut at = dir;
        let mut known = loop {
            if let Some(known) = self.known.get(&(when, at)) {
                break known.clone();
            }
            match self.name(when, at) {
                None => break Known::Gone,
                Some((_, name)) if name.is_empty() => break Known::Path(Arc::from(&b"/"[..])),
                Some((parent, name)) => {
                    down.push((at, name));
                    at = parent;
                }
            }
        };
        self.known.insert((when, at), known.clone());
        for (dir, name) in down.into_iter().rev() {
            known = match known {
                Known::Path(parent) => self.join(&parent, &name).map_or(Known::TooLong, Known::Path),
                other => other,
            };
            self.known.insert((when, dir), known.clone());
        }
        known
    }
}
