//! What must be remembered beside the upper tree, as paths, for an overlay that is to be opened again.

use super::listing::all_entries;
use super::state::State;
use super::{Errno, FileType, Filesystem, NodeId, Overlay, Result};
use parking_lot::{Mutex, RwLock};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Paths are relative to the root, without a slash at either end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OverlayState {
    /// Lower names that are hidden, by where they would be seen.
    pub whiteouts: Vec<Vec<u8>>,
    /// Upper directories that hide a lower directory of the same path, rather than being merged with it.
    pub opaque: Vec<Vec<u8>>,
    /// Upper directories merged with a lower directory from elsewhere: (where it is now, where it is in the lower tree).
    pub moved: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A directory to visit: its path, its upper node, the lower one merged with it.
struct Visit {
    path: Vec<u8>,
    upper: NodeId,
    lower: Option<NodeId>,
}

impl Overlay {
    /// Opens an overlay again.
    pub fn with_state(lower: Arc<dyn Filesystem>, upper: Arc<dyn Filesystem>, saved: &OverlayState) -> Result<Overlay> {
        let opaque: HashSet<&[u8]> = saved.opaque.iter().map(Vec::as_slice).collect();
        let moved: HashMap<&[u8], &[u8]> =
            saved.moved.iter().map(|(now, was)| (now.as_slice(), was.as_slice())).collect();
        let hidden: HashSet<&[u8]> = saved.whiteouts.iter().map(Vec::as_slice).collect();
        let mut state = State::default();
        let mut visits = vec![Visit { path: Vec::new(), upper: upper.root(), lower: Some(lower.root()) }];
        while let Some(Visit { path, upper: dir, lower: lower_dir }) = visits.pop() {
            if let Some(lower_dir) = lower_dir {
                state.add_copy(lower_dir, dir, lower.stat(lower_dir)?.ino);
                for (name, kind) in all_entries(&*lower, lower_dir)? {
                    if hidden.contains(join(&path, &name).as_slice()) {
                        state.add_cover(lower_dir, &name, kind == FileType::Directory);
                    }
                }
            }
            for (name, kind) in all_entries(&*upper, dir)? {
                let below = lower_dir.and_then(|lower_dir| lower.lookup(lower_dir, &name).ok());
                let below_is_directory = match below {
                    Some(node) => lower.stat(node)?.kind == FileType::Directory,
                    None => false,
                };
                if let (Some(lower_dir), Some(_)) = (lower_dir, below) {
                    state.add_cover(lower_dir, &name, below_is_directory);
                }
                if kind != FileType::Directory {
                    continue;
                }
                let path = join(&path, &name);
                let merged = match moved.get(path.as_slice()) {
                    Some(was) => Some(resolve(&*lower, was)?),
                    None => below.filter(|_| below_is_directory && !opaque.contains(path.as_slice())),
                };
                let upper = upper.lookup(dir, &name)?;
                visits.push(Visit { path, upper, lower: merged });
            }
        }
        Ok(Overlay { lower, upper, state: RwLock::new(state), pins: Mutex::new(HashMap::new()) })
    }

    /// What to remember: the upper tree alone does not tell it.
    pub fn state(&self) -> Result<OverlayState> {
        let state = self.state.read();
        let mut saved = OverlayState::default();
        let mut visits = vec![Visit { path: Vec::new(), upper: self.upper.root(), lower: Some(self.lower.root()) }];
        while let Some(Visit { path, upper, lower }) = visits.pop() {
            for name in lower.and_then(|lower| state.cover(lower)).into_iter().flat_map(|cover| &cover.names) {
                if self.upper.lookup(upper, name) == Err(Errno::ENOENT) {
                    saved.whiteouts.push(join(&path, name));
                }
            }
            for (name, kind) in all_entries(&*self.upper, upper)? {
                if kind != FileType::Directory {
                    continue;
                }
                let path = join(&path, &name);
                let upper = self.upper.lookup(upper, &name)?;
                let below = lower.and_then(|lower| self.lower.lookup(lower, &name).ok());
                let below = below.filter(|&node| self.lower.stat(node).is_ok_and(|s| s.kind == FileType::Directory));
                let lower = state.original(upper);
                match lower {
                    Some(lower) if Some(lower) != below => {
                        saved.moved.push((path.clone(), self.lower_path(lower).ok_or(Errno::EIO)?));
                    }
                    None if below.is_some() => saved.opaque.push(path.clone()),
                    _ => {}
                }
                visits.push(Visit { path, upper, lower });
            }
        }
        saved.whiteouts.sort();
        saved.opaque.sort();
        saved.moved.sort();
        Ok(saved)
    }

    fn lower_path(&self, node: NodeId) -> Option<Vec<u8>> {
        let (mut names, mut at) = (Vec::new(), node);
        while at != self.lower.root() {
            let (dir, name) = self.lower.names(at).into_iter().next()?;
            names.push(name);
            at = dir;
        }
        names.reverse();
        Some(names.join(&b'/'))
    }
}

fn join(path: &[u8], name: &[u8]) -> Vec<u8> {
    if path.is_empty() { name.to_vec() } else { [path, name].join(&b'/') }
}

fn resolve(fs: &dyn Filesystem, path: &[u8]) -> Result<NodeId> {
    path.split(|&byte| byte == b'/')
        .filter(|name| !name.is_empty())
        .try_fold(fs.root(), |dir, name| fs.lookup(dir, name))
}
