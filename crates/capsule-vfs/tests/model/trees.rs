//! The filesystems to be tried, and what must hold for each when the operations are over.

use crate::kernel::OnKernel;
use crate::ops::{Op, Subject, Value, prefill};
use crate::vfs::OnVfs;
use crate::{Snapshot, apply_all, snapshot};
use capsule_vfs::{Filesystem, HostDir, MemoryFs, Overlay, Quota};
use proptest::prelude::*;
use std::sync::Arc;

/// A filesystem to be tried.
pub struct Tree {
    pub fs: Arc<dyn Filesystem>,
    /// Whether [`prefill`] has happened in it already.
    pub prefilled: bool,
    quota: Arc<Quota>,
    /// What else must hold at the end, given the tree as it is seen.
    check: Check,
}

type Check = Box<dyn Fn(&Snapshot) -> Result<(), TestCaseError>>;
pub type Make = fn() -> Tree;

/// Every filesystem there is.
pub const TREES: &[(&str, Make)] = &[
    ("memory", memory),
    ("a fork of memory", fork),
    ("a host folder", || host_folder(true)),
    ("a host folder without openat2", || host_folder(false)),
    ("an overlay in memory", overlay),
    ("an overlay on a host folder", overlay_on_host),
];

impl Tree {
    /// After the operations, with nothing open any more.
    pub fn finish(&self, seen: &Snapshot) -> Result<(), TestCaseError> {
        (self.check)(seen)?;
        remove_everything(OnVfs::new(self.fs.clone()));
        prop_assert_eq!(self.quota.used(), (0, 0), "what is removed is given back");
        Ok(())
    }
}

/// Also what is above the base directory: some operations climb out of it.
fn remove_everything(mut subject: OnVfs) {
    subject.caller.cwd = subject.vfs.root();
    let mut found = snapshot(&mut subject);
    // What is in a directory comes before it.
    found.sort_by_key(|(path, ..)| std::cmp::Reverse(path.len()));
    subject.apply(&Op::Close { handle: 0 }).expect("close");
    for (path, stat, _) in found {
        let is_directory = matches!(stat, Ok(Value::Stat { kind: capsule_abi::fs::FileType::Directory, .. }));
        let op = if is_directory { Op::RemoveDir { start: None, path } } else { Op::Unlink { start: None, path } };
        subject.apply(&op).unwrap_or_else(|errno| panic!("{op:?}: {errno:?}"));
    }
}

pub fn memory() -> Tree {
    let quota = Quota::unlimited();
    Tree { fs: Arc::new(MemoryFs::new(quota.clone())), prefilled: false, quota, check: Box::new(|_| Ok(())) }
}

fn filled() -> Arc<MemoryFs> {
    let fs = Arc::new(MemoryFs::new(Quota::unlimited()));
    apply_all(&mut OnVfs::new(fs.clone()), &prefill());
    fs
}

/// That a tree still holds what [`prefill`] made.
fn untouched(fs: Arc<MemoryFs>) -> impl Fn() -> Result<(), TestCaseError> {
    let before = snapshot(&mut OnVfs::new(fs.clone()));
    move || {
        prop_assert_eq!(&snapshot(&mut OnVfs::new(fs.clone())), &before, "a tree below was changed");
        Ok(())
    }
}

/// A copy of a filled tree, which lives on and must not be touched.
fn fork() -> Tree {
    let (first, quota) = (filled(), Quota::unlimited());
    let fs = Arc::new(first.fork(quota.clone()));
    let untouched = untouched(first);
    Tree { fs, prefilled: true, quota, check: Box::new(move |_| untouched()) }
}

fn host_folder(openat2: bool) -> Tree {
    let (dir, folder, quota) = host_dir();
    let dir = if openat2 { dir } else { dir.without_openat2() };
    let check: Check = Box::new(move |seen| {
        let disk = snapshot(&mut OnKernel::in_folder(folder.path()));
        prop_assert_eq!(&disk, seen, "what is on the disk (left) is not what is seen");
        Ok(())
    });
    Tree { fs: Arc::new(dir), prefilled: false, quota, check }
}

fn host_dir() -> (HostDir, tempfile::TempDir, Arc<Quota>) {
    let (folder, quota) = (tempfile::tempdir().expect("a temporary folder"), Quota::unlimited());
    (HostDir::open(folder.path(), false, quota.clone()).expect("a host folder"), folder, quota)
}

fn overlay() -> Tree {
    let quota = Quota::unlimited();
    let upper = Arc::new(MemoryFs::new(quota.clone()));
    overlay_over(upper.clone(), quota, move || upper.clone())
}

fn overlay_on_host() -> Tree {
    let (dir, folder, quota) = host_dir();
    let again = move || Arc::new(HostDir::open(folder.path(), false, Quota::unlimited()).expect("a host folder"));
    overlay_over(Arc::new(dir), quota, again)
}

/// What there is before the operations is in the lower layer; `again` opens the upper one a second time.
fn overlay_over<F: Filesystem>(
    upper: Arc<dyn Filesystem>,
    quota: Arc<Quota>,
    again: impl Fn() -> Arc<F> + 'static,
) -> Tree {
    let lower = filled();
    let fs = Arc::new(Overlay::new(lower.clone(), upper).expect("an overlay"));
    let (untouched, overlay) = (untouched(lower.clone()), fs.clone());
    let check: Check = Box::new(move |seen| {
        untouched()?;
        let state = overlay.state().expect("the overlay's state");
        let opened = Overlay::with_state(lower.clone(), again(), &state).expect("an overlay");
        prop_assert_eq!(opened.state().expect("the overlay's state"), state);
        prop_assert_eq!(&snapshot(&mut OnVfs::new(Arc::new(opened))), seen, "opened again (left) it is another");
        Ok(())
    });
    Tree { fs, prefilled: true, quota, check }
}
