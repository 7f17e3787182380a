//! Net effects, one dance each.

use crate::{Attributes, Caller, Changes, Credentials, MemoryFs, MountOptions, Quota, Vfs};
use capsule_abi::fs::{OpenFlags, RENAME_EXCHANGE};
use std::sync::Arc;

const CREATE: OpenFlags = OpenFlags(OpenFlags::CREAT.0 | OpenFlags::RDWR.0);

struct Session {
    vfs: Vfs,
    me: Caller,
}

impl Session {
    /// A tree with files `a`, `b`, a full directory `d` (`x`, `sub/y`) and an empty one `e`; the journal begun.
    fn new() -> Session {
        let vfs = Vfs::new(Arc::new(MemoryFs::new(Quota::unlimited())));
        let me = Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 1 };
        let session = Session { vfs, me };
        for dir in ["/d", "/d/sub", "/e"] {
            session.mkdir(dir);
        }
        for file in ["/a", "/b", "/d/x", "/d/sub/y"] {
            session.put(file, file);
        }
        session.vfs.journal().begin();
        session
    }

    fn mkdir(&self, path: &str) {
        self.vfs.mkdir(&self.me, None, path.as_bytes(), 0o777).expect(path);
    }

    fn put(&self, path: &str, text: &str) {
        let file = self.vfs.open(&self.me, None, path.as_bytes(), CREATE | OpenFlags::TRUNC, 0o666).expect(path);
        file.write_at(0, text.as_bytes()).expect(path);
    }

    fn mv(&self, from: &str, to: &str) {
        self.vfs.rename(&self.me, None, from.as_bytes(), None, to.as_bytes(), 0).expect(from);
    }

    fn rm(&self, path: &str) {
        self.vfs.unlink(&self.me, None, path.as_bytes()).expect(path);
    }

    fn rmdir(&self, path: &str) {
        self.vfs.remove_dir(&self.me, None, path.as_bytes()).expect(path);
    }

    fn ln(&self, from: &str, to: &str) {
        self.vfs.link(&self.me, None, from.as_bytes(), None, to.as_bytes(), false).expect(to);
    }

    fn chmod(&self, path: &str, mode: u32) {
        let attributes = Attributes { mode: Some(mode), ..Attributes::default() };
        self.vfs.set_attributes(&self.me, None, path.as_bytes(), true, &attributes).expect(path);
    }

    /// The changes in one line: `+created ~modified -deleted from>to !mode`.
    fn changes(&self) -> String {
        let Changes { created, modified, deleted, renamed, mode_changed, untold } = self.vfs.changes();
        let text = |path: &Vec<u8>| String::from_utf8_lossy(path).into_owned();
        let mut words: Vec<String> = Vec::new();
        words.extend(created.iter().map(|path| format!("+{}", text(path))));
        words.extend(modified.iter().map(|path| format!("~{}", text(path))));
        words.extend(deleted.iter().map(|path| format!("-{}", text(path))));
        words.extend(renamed.iter().map(|(from, to)| format!("{}>{}", text(from), text(to))));
        words.extend(mode_changed.iter().map(|path| format!("!{}", text(path))));
        if untold > 0 {
            words.push(format!("({untold} untold)"));
        }
        words.join(" ")
    }
}

#[test]
fn nothing_is_recorded_while_the_journal_is_off() {
    let s = Session::new();
    s.vfs.journal().stop();
    s.put("/new", "");
    assert_eq!(s.changes(), "");
    s.vfs.journal().begin();
    assert_eq!(s.changes(), "");
    s.put("/new2", "");
    assert_eq!(s.changes(), "+/new2");
}

#[test]
fn created_modified_deleted() {
    let s = Session::new();
    s.mkdir("/n");
    s.put("/n/f", "1");
    s.put("/a", "other");
    s.rm("/b");
    s.rm("/d/sub/y");
    s.rmdir("/d/sub");
    assert_eq!(s.changes(), "+/n +/n/f ~/a -/b -/d/sub -/d/sub/y");
}

#[test]
fn what_is_undone_is_no_change() {
    let s = Session::new();
    s.put("/t", "temporary");
    s.rm("/t");
    s.mkdir("/m");
    s.put("/m/t", "");
    s.rm("/m/t");
    s.rmdir("/m");
    s.put("/a", "other");
    s.put("/a", "/a");
    s.mv("/b", "/c");
    s.mv("/c", "/b");
    s.mv("/d", "/q");
    s.mv("/q", "/d");
    s.chmod("/d/x", 0o700);
    s.chmod("/d/x", 0o644);
    s.rm("/d/x");
    s.put("/d/x", "/d/x");
    assert_eq!(s.changes(), "");
}

#[test]
fn same_size_and_time_do_not_hide_a_change() {
    let s = Session::new();
    let before = s.vfs.stat(&s.me, None, b"/a", true).unwrap();
    s.put("/a", "/A");
    let times = Attributes { mtime: capsule_abi::fs::SetTime::At(before.mtime), ..Attributes::default() };
    s.vfs.set_attributes(&s.me, None, b"/a", true, &times).unwrap();
    assert_eq!(s.changes(), "~/a");
}

#[test]
fn a_touched_or_rewritten_file_is_not_modified() {
    let s = Session::new();
    let now = Attributes { mtime: capsule_abi::fs::SetTime::Now, ..Attributes::default() };
    s.vfs.set_attributes(&s.me, None, b"/a", true, &now).unwrap();
    s.put("/b", "/b");
    assert_eq!(s.changes(), "");
}

#[test]
fn renames_are_pairs() {
    let s = Session::new();
    s.mv("/a", "/z");
    s.mv("/d", "/q");
    assert_eq!(s.changes(), "/a>/z /d>/q");
}

#[test]
fn changes_inside_a_renamed_directory_are_told_where_they_are_now() {
    let s = Session::new();
    s.mv("/d", "/q");
    s.put("/q/new", "");
    s.put("/q/x", "changed");
    s.rm("/q/sub/y");
    s.rmdir("/q/sub");
    assert_eq!(s.changes(), "+/q/new ~/q/x -/q/sub -/q/sub/y /d>/q");
}

#[test]
fn changes_before_the_rename_are_too() {
    let s = Session::new();
    s.put("/d/x", "changed");
    s.rm("/d/sub/y");
    s.mv("/d/sub", "/e/sub2");
    s.mv("/d", "/q");
    assert_eq!(s.changes(), "~/q/x -/e/sub2/y /d>/q /d/sub>/e/sub2");
}

#[test]
fn a_renamed_file_that_was_also_changed_is_both() {
    let s = Session::new();
    s.mv("/a", "/z");
    s.put("/z", "changed");
    s.chmod("/z", 0o600);
    assert_eq!(s.changes(), "~/z /a>/z !/z");
}

#[test]
fn replacing_by_rename_is_a_modification_by_content() {
    let s = Session::new();
    s.put("/tmp", "new text");
    s.mv("/tmp", "/a");
    s.put("/tmp", "/b");
    s.mv("/tmp", "/b");
    assert_eq!(s.changes(), "~/a");
}

#[test]
fn moving_one_old_file_over_another() {
    let s = Session::new();
    s.mv("/a", "/b");
    assert_eq!(s.changes(), "~/b -/a");
}

#[test]
fn rotating_logs() {
    let s = Session::new();
    s.mv("/a", "/a.1");
    s.put("/a", "fresh");
    assert_eq!(s.changes(), "+/a.1 ~/a");
}

#[test]
fn exchanging_files_and_directories() {
    let s = Session::new();
    s.vfs.rename(&s.me, None, b"/a", None, b"/b", RENAME_EXCHANGE).unwrap();
    s.vfs.rename(&s.me, None, b"/d", None, b"/e", RENAME_EXCHANGE).unwrap();
    assert_eq!(s.changes(), "~/a ~/b /d>/e /e>/d");
}

#[test]
fn a_rebuilt_directory_is_compared_file_by_file() {
    let s = Session::new();
    s.mkdir("/new");
    s.mkdir("/new/sub");
    s.put("/new/x", "/d/x");
    s.put("/new/sub/y", "other");
    s.put("/new/z", "");
    s.rm("/d/x");
    s.rm("/d/sub/y");
    s.rmdir("/d/sub");
    s.rmdir("/d");
    s.mv("/new", "/d");
    assert_eq!(s.changes(), "+/d/z ~/d/sub/y");
}

#[test]
fn an_old_directory_moved_over_an_emptied_one() {
    let s = Session::new();
    s.rm("/d/x");
    s.rm("/d/sub/y");
    s.rmdir("/d/sub");
    s.put("/e/x", "from e");
    s.mv("/e", "/d");
    assert_eq!(s.changes(), "~/d/x -/d/sub -/d/sub/y /e>/d");
}

#[test]
fn every_name_of_a_changed_file_is_told() {
    let s = Session::new();
    s.vfs.journal().stop();
    s.ln("/a", "/d/hard");
    s.vfs.journal().begin();
    s.put("/d/hard", "changed");
    s.ln("/b", "/b2");
    assert_eq!(s.changes(), "+/b2 ~/a ~/d/hard");
    s.rm("/a");
    assert_eq!(s.changes(), "+/b2 ~/d/hard -/a");
}

#[test]
fn a_new_kind_is_deleted_and_created() {
    let s = Session::new();
    s.rm("/a");
    s.mkdir("/a");
    s.rmdir("/e");
    s.put("/e", "");
    s.rm("/b");
    s.vfs.symlink(&s.me, b"a", None, b"/b").unwrap();
    assert_eq!(s.changes(), "+/a +/b +/e -/a -/b -/e");
}

#[test]
fn links_are_compared_by_target() {
    let s = Session::new();
    s.vfs.journal().stop();
    s.vfs.symlink(&s.me, b"a", None, b"/l").unwrap();
    s.vfs.symlink(&s.me, b"a", None, b"/m").unwrap();
    s.vfs.journal().begin();
    for (link, target) in [(&b"/l"[..], &b"b"[..]), (b"/m", b"a")] {
        s.vfs.unlink(&s.me, None, link).unwrap();
        s.vfs.symlink(&s.me, target, None, link).unwrap();
    }
    assert_eq!(s.changes(), "~/l");
}

#[test]
fn open_files_are_watched_after_their_name_is_gone_and_across_runs() {
    let s = Session::new();
    let file = s.vfs.open(&s.me, None, b"/a", OpenFlags::RDWR, 0).unwrap();
    file.append(b"1").unwrap();
    assert_eq!(s.changes(), "~/a");
    s.vfs.journal().begin();
    assert_eq!(s.changes(), "");
    file.append(b"2").unwrap();
    assert_eq!(s.changes(), "~/a");
    s.rm("/a");
    file.append(b"3").unwrap();
    assert_eq!(s.changes(), "-/a");
    s.put("/a", "/a1");
    assert_eq!(s.changes(), "");
}

#[test]
fn truncation_in_every_way() {
    let s = Session::new();
    drop(s.vfs.open(&s.me, None, b"/a", OpenFlags::WRONLY | OpenFlags::TRUNC, 0).unwrap());
    let cut = Attributes { size: Some(1), ..Attributes::default() };
    s.vfs.set_attributes(&s.me, None, b"/b", true, &cut).unwrap();
    s.vfs.open(&s.me, None, b"/d/x", OpenFlags::WRONLY, 0).unwrap().set_len(100).unwrap();
    assert_eq!(s.changes(), "~/a ~/b ~/d/x");
}

#[test]
fn modes_of_files_directories_and_the_root() {
    let s = Session::new();
    s.chmod("/a", 0o600);
    s.chmod("/d", 0o700);
    s.chmod("/", 0o700);
    assert_eq!(s.changes(), "!/ !/a !/d");
}

#[test]
fn mounts_are_told_by_their_paths_and_may_be_left_out() {
    let s = Session::new();
    s.mkdir("/quiet");
    for (path, journal) in [("/e", true), ("/quiet", false)] {
        let fs = Arc::new(MemoryFs::new(Quota::unlimited()));
        s.vfs.mount(path.as_bytes(), fs, MountOptions { read_only: false, journal }).unwrap();
    }
    s.vfs.journal().begin();
    s.put("/e/f", "");
    s.put("/quiet/f", "");
    assert_eq!(s.changes(), "+/e/f");
}

#[test]
fn names_that_come_and_go_cost_nothing() {
    let s = Session::new();
    for n in 0..1000 {
        let name = format!("/t{n}");
        s.put(&name, "x");
        s.mv(&name, "/moved");
        s.rm("/moved");
    }
    assert_eq!(s.vfs.journal().kept(), 0);
}

#[test]
fn what_no_path_reaches_is_counted_only() {
    let mut s = Session::new();
    let name = "n".repeat(255);
    let mut held = Vec::new();
    for _ in 0..20 {
        s.mkdir(&name);
        let dir = s.vfs.open_cwd(&s.me, None, name.as_bytes()).unwrap();
        s.me.cwd = dir.place();
        held.push(dir);
    }
    s.put("file", "deep");
    let changes = s.vfs.changes();
    // Fifteen of 256 bytes each are below 4096.
    assert_eq!((changes.created.len(), changes.untold), (15, 6));
}

#[test]
fn deep_and_wide_trees_are_told_in_bounded_memory() {
    let mut s = Session::new();
    let mut held = Vec::new();
    s.me.cwd = s.vfs.resolve(&s.me, None, b"/e", true).unwrap();
    for depth in 0..5000 {
        s.mkdir("d");
        s.put("f", "");
        let dir = s.vfs.open_cwd(&s.me, None, b"d").unwrap();
        s.me.cwd = dir.place();
        held.push((depth, dir));
    }
    let changes = s.vfs.changes();
    assert_eq!(changes.created.len() as u64 + changes.untold, 10_000);
    assert!(changes.created.iter().all(|path| path.len() < 4096));
}
