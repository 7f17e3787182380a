//! What a session was: the versions it can go back to. A version shares everything with its neighbours that did not
//! change between them.

use crate::shell_state::ShellState;
use capsule_vfs::{MemoryFs, Past, Quota};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// How many steps can be taken back.
pub const STEPS: usize = 8;

/// How many snapshots a session keeps; the oldest goes first.
pub const SNAPSHOTS: usize = 64;

/// Files and shell at one moment.
#[derive(Clone)]
pub struct Version {
    /// A copy that nobody changes.
    pub files: Arc<MemoryFs>,
    pub shell: ShellState,
}

/// What a step changed in folders of the host, which no version holds.
#[derive(Clone)]
pub enum HostPast {
    Same,
    Kept(Arc<Past>),
    /// The step is from before the process, or its files were let go.
    Unknown,
}

/// A version, and how to get back to it from the next one.
#[derive(Clone)]
pub struct Passed {
    pub version: Version,
    pub host: HostPast,
    /// What it holds of the host's memory that the next version does not.
    held: u64,
}

/// How many bytes of host files a session holds in memory for steps to be taken back.
const KEEP: u64 = 64 << 20;

/// The versions of a session.
#[derive(Clone)]
pub struct History {
    pub current: Version,
    /// The oldest first.
    pub past: VecDeque<Passed>,
    /// By number: the later, the larger.
    pub snapshots: BTreeMap<u64, Version>,
    pub next_snapshot: u64,
    /// How much of the host's memory the past may hold.
    most: u64,
    /// Whether steps were let go because it was more.
    pub let_go: bool,
    /// How often the session's tree had been changed when `current` was taken.
    seen: u64,
}

impl History {
    pub fn new(root: &MemoryFs, shell: ShellState) -> History {
        let current = Version { files: freeze(root), shell };
        History { seen: root.change_count(), ..History::of(current) }
    }

    /// One that has a version, but no tree yet.
    pub fn of(current: Version) -> History {
        let (past, snapshots) = (VecDeque::new(), BTreeMap::new());
        History { current, past, snapshots, next_snapshot: 1, most: u64::MAX, let_go: false, seen: 0 }
    }

    /// From now on the past holds no more than this: a guest that writes its whole disk anew in every run would have it many
    /// times in the host's memory.
    pub fn hold_at_most(&mut self, bytes: u64) {
        self.most = bytes;
        self.let_go_of_the_oldest();
    }

    fn let_go_of_the_oldest(&mut self) {
        let mut held: u64 = self.past.iter().map(|passed| passed.held).sum();
        while held > self.most
            && let Some(oldest) = self.past.pop_front()
        {
            held -= oldest.held;
            self.let_go = true;
        }
    }

    /// The session's tree is another one now, that holds what `current` does.
    pub fn follow(&mut self, root: &MemoryFs) {
        self.seen = root.change_count();
    }

    /// A step was made. False when it changed nothing: then there is nothing to take back either.
    pub fn step(&mut self, root: &MemoryFs, shell: ShellState, host: HostPast) -> bool {
        let changed = root.change_count() != self.seen;
        if !changed && shell.bytes() == self.current.shell.bytes() && matches!(host, HostPast::Same) {
            return false;
        }
        let files = if changed { freeze(root) } else { self.current.files.clone() };
        self.seen = root.change_count();
        self.go_to(Version { files, shell }, host);
        true
    }

    /// The last step is a little different from what it was: nothing more to take back. False when nothing changed.
    pub fn amend(&mut self, root: &MemoryFs, shell: ShellState) -> bool {
        let changed = root.change_count() != self.seen;
        if !changed && shell.bytes() == self.current.shell.bytes() {
            return false;
        }
        let files = if changed { freeze(root) } else { self.current.files.clone() };
        self.seen = root.change_count();
        self.current = Version { files, shell };
        true
    }

    /// Another version is the current one; the old one can be gone back to.
    pub fn go_to(&mut self, version: Version, host: HostPast) {
        let old = std::mem::replace(&mut self.current, version);
        let held = match Arc::ptr_eq(&old.files, &self.current.files) {
            true => 0,
            false => old.files.held_beside(&self.current.files),
        };
        self.past.push_back(Passed { version: old, host, held });
        if self.past.len() > STEPS {
            self.past.pop_front();
        }
        self.let_go_of_the_oldest();
        let mut kept = 0;
        for passed in self.past.iter_mut().rev() {
            if let HostPast::Kept(past) = &passed.host {
                kept += past.bytes();
                if kept > KEEP {
                    passed.host = HostPast::Unknown;
                }
            }
        }
    }

    /// One step back; false when there is none.
    pub fn undo(&mut self) -> bool {
        match self.past.pop_back() {
            Some(passed) => {
                self.current = passed.version;
                true
            }
            None => false,
        }
    }

    /// The current version is a snapshot. The number of the one that had to go for it.
    pub fn mark(&mut self, id: u64) -> Option<u64> {
        self.snapshots.insert(id, self.current.clone());
        self.next_snapshot = self.next_snapshot.max(id.saturating_add(1));
        let too_many = self.snapshots.len() > SNAPSHOTS;
        too_many.then(|| self.snapshots.pop_first().map(|(id, _)| id)).flatten()
    }
}

/// A copy that is not counted against anybody's quota.
fn freeze(root: &MemoryFs) -> Arc<MemoryFs> {
    Arc::new(root.fork(Quota::unlimited()))
}
