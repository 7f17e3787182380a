//! A host folder is made again what it was before a run.

use capsule_abi::fs::OpenFlags;
use capsule_vfs::{Caller, Credentials, Filesystem, HostDir, MemoryFs, MountOptions, Quota, Vfs};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;

struct Machine {
    folder: tempfile::TempDir,
    vfs: Vfs,
    host: Arc<HostDir>,
    mount: u32,
}

fn machine() -> Machine {
    let folder = tempfile::tempdir().unwrap();
    for dir in ["a/b/c", "empty", "d"] {
        std::fs::create_dir_all(folder.path().join(dir)).unwrap();
    }
    for (file, text) in [("a/one", "1"), ("a/b/two", "2"), ("a/b/c/three", "3"), ("four", "4"), ("d/five", "5")] {
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    std::os::unix::fs::symlink("four", folder.path().join("link")).unwrap();
    std::fs::hard_link(folder.path().join("four"), folder.path().join("hard")).unwrap();
    let root = MemoryFs::new(Quota::unlimited());
    let new = capsule_vfs::NewNode { kind: capsule_vfs::NodeKind::Directory, mode: 0o755, uid: 0, gid: 0 };
    root.create(root.root(), b"w", &new).unwrap();
    let vfs = Vfs::new(Arc::new(root));
    let host = Arc::new(HostDir::open(folder.path(), false, Quota::unlimited()).unwrap());
    let mount = vfs.mount(b"/w", host.clone(), MountOptions::default()).unwrap();
    host.keep_contents(1 << 20, u64::MAX);
    // Hard links of the host are one node once both names have been seen.
    for name in [&b"four"[..], b"hard"] {
        host.lookup(host.root(), name).unwrap();
    }
    vfs.journal().begin();
    Machine { folder, vfs, host, mount }
}

impl Machine {
    fn caller(&self) -> Caller {
        let root = Caller { credentials: Credentials::default(), umask: 0, cwd: self.vfs.root(), pid: 0 };
        let cwd = self.vfs.resolve(&root, None, b"/w", true).unwrap();
        Caller { cwd, ..root }
    }

    fn write(&self, path: &str, text: &str) {
        let flags = OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::WRONLY;
        let file = self.vfs.open(&self.caller(), None, path.as_bytes(), flags, 0o644).unwrap();
        file.write_at(0, text.as_bytes()).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        self.vfs.rename(&self.caller(), None, from.as_bytes(), None, to.as_bytes(), 0).unwrap();
    }

    fn remove(&self, path: &str) {
        let path = path.as_bytes();
        let caller = self.caller();
        self.vfs.unlink(&caller, None, path).or_else(|_| self.vfs.remove_dir(&caller, None, path)).unwrap();
    }

    fn mkdir(&self, path: &str) {
        self.vfs.mkdir(&self.caller(), None, path.as_bytes(), 0o755).unwrap();
    }

    fn tree(&self) -> Vec<String> {
        let mut lines = Vec::new();
        list(self.folder.path(), "", &mut lines);
        lines.sort();
        lines
    }

    fn take_back(&self) {
        let past = self.vfs.journal().take(&[self.mount]);
        past.check(self.mount, &*self.host).unwrap();
        past.take_back(self.mount, &*self.host).unwrap();
    }
}

/// Paths with type, mode, links and bytes.
fn list(folder: &Path, prefix: &str, lines: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let meta = entry.path().symlink_metadata().unwrap();
        let mode = meta.permissions().mode();
        if meta.is_dir() {
            lines.push(format!("{path}/ {mode:o}"));
            list(&entry.path(), &format!("{path}/"), lines);
        } else if meta.is_symlink() {
            lines.push(format!("{path} -> {}", std::fs::read_link(entry.path()).unwrap().display()));
        } else {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            lines.push(format!("{path} {mode:o} {} {}.{} {text}", meta.nlink(), meta.mtime(), meta.mtime_nsec()));
        }
    }
}

#[test]
fn every_kind_of_change_is_taken_back() {
    type Change = fn(&Machine);
    let changes: &[Change] = &[
        |m| m.write("a/one", "other"),
        |m| m.write("new", "n"),
        |m| m.remove("a/one"),
        |m| m.remove("link"),
        |m| m.remove("empty"),
        |m| m.remove("hard"),
        |m| m.rename("a/one", "moved"),
        |m| m.rename("a/one", "four"),
        |m| m.rename("a", "d/a"),
        |m| {
            m.mkdir("fresh");
            m.rename("a", "fresh/a");
            m.write("fresh/a/b/two", "changed inside");
        },
        |m| {
            // Inside out.
            m.rename("a/b", "b");
            m.rename("a", "b/a");
        },
        |m| {
            for path in ["a/b/c/three", "a/b/c", "a/b/two", "a/b", "a/one", "a"] {
                m.remove(path);
            }
            m.write("a", "a file now");
        },
        |m| {
            m.rename("four", "x");
            m.rename("d/five", "four");
            m.rename("x", "d/five");
        },
        |m| {
            m.write("four", "both names");
            m.remove("four");
            m.write("four", "another file");
        },
        |m| {
            m.mkdir("t");
            m.mkdir("t/u");
            m.write("t/u/v", "deep");
            m.rename("empty", "t/u/empty");
        },
    ];
    for (i, change) in changes.iter().enumerate() {
        let machine = machine();
        let before = machine.tree();
        change(&machine);
        assert_ne!(machine.tree(), before, "change {i}");
        machine.take_back();
        assert_eq!(machine.tree(), before, "change {i}");
    }
}

#[test]
fn what_was_too_large_to_keep_is_refused_by_name() {
    let machine = machine();
    machine.host.keep_contents(0, u64::MAX);
    machine.write("a/one", "other");
    let past = machine.vfs.journal().take(&[machine.mount]);
    assert_eq!(past.check(machine.mount, &*machine.host), Err(b"one".to_vec()));
}

/// Nobody waits until a giant is hashed; what was written over with the same bytes may have been changed, then.
#[test]
fn what_is_too_much_to_hash_counts_as_modified() {
    let machine = machine();
    machine.host.keep_contents(0, 1);
    machine.write("a/one", "1");
    machine.write("four", "4");
    machine.write("a/b/two", "22");
    // The comparison has a budget of its own.
    machine.host.keep_contents(0, 1);
    let changes = machine.vfs.changes();
    let modified: Vec<_> = changes.modified.iter().map(|path| String::from_utf8_lossy(path)).collect();
    assert_eq!(modified, ["/w/a/b/two", "/w/four", "/w/hard"], "the one that was hashed is known to be the same");
}

/// Each folder is looked into once, however many are beside it.
#[test]
fn a_tree_with_many_folders_is_cleared() {
    let machine = machine();
    for i in 0..300 {
        std::fs::create_dir_all(machine.folder.path().join(format!("many/{i}/{i}"))).unwrap();
    }
    capsule_vfs::trees::clear(&*machine.host, machine.host.root()).unwrap();
    assert_eq!(std::fs::read_dir(machine.folder.path()).unwrap().count(), 0);
}
