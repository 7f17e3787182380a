//! What was written is what is read, and no bytes do harm.

use super::{Embedded, MemoryFs};
use crate::{Attributes, Changes, Filesystem, NewNode, NodeId, NodeKind, Quota};

static IMAGE: &[u8] = b"a program of the binary";

fn new(kind: NodeKind) -> NewNode {
    NewNode { kind, mode: 0o644, uid: 0, gid: 0 }
}

fn image() -> (MemoryFs, Embedded) {
    let fs = MemoryFs::new(Quota::unlimited());
    let program = fs.create_static(fs.root(), b"program", 0o755, IMAGE).unwrap();
    fs.link(program, fs.root(), b"same").unwrap();
    let embedded = Embedded::new(&fs, &[("program", program)]).unwrap();
    (fs, embedded)
}

fn write(fs: &MemoryFs, path: &[&str], bytes: &[u8]) -> NodeId {
    let mut dir = fs.root();
    for name in &path[..path.len() - 1] {
        dir = fs
            .lookup(dir, name.as_bytes())
            .or_else(|_| fs.create(dir, name.as_bytes(), &new(NodeKind::Directory)))
            .unwrap();
    }
    let name = path[path.len() - 1].as_bytes();
    let file = fs.lookup(dir, name).or_else(|_| fs.create(dir, name, &new(NodeKind::Regular))).unwrap();
    fs.write(file, 0, bytes).unwrap();
    file
}

fn bytes(now: &MemoryFs, before: Option<&MemoryFs>, embedded: &Embedded) -> Vec<u8> {
    let mut bytes = Vec::new();
    now.write_delta(before, embedded, &mut bytes).unwrap();
    bytes
}

/// A tree with everything in it, an earlier copy, and the copy before that.
fn history() -> (Vec<MemoryFs>, Embedded) {
    let (fs, embedded) = image();
    let first = fs.fork(Quota::unlimited());
    for i in 0..600 {
        write(&fs, &["many", &format!("file{i}")], format!("{i}").as_bytes());
    }
    let big = write(&fs, &["big"], &vec![7; 200_000]);
    fs.write(big, 1 << 30, b"far away").unwrap();
    fs.create(fs.root(), b"link", &new(NodeKind::Symlink(b"big".to_vec()))).unwrap();
    fs.create(fs.root(), b"fifo", &new(NodeKind::Fifo)).unwrap();
    let second = fs.fork(Quota::unlimited());
    let many = fs.lookup(fs.root(), b"many").unwrap();
    for i in 0..300 {
        fs.unlink(many, format!("file{i}").as_bytes()).unwrap();
    }
    fs.rename(many, b"file400", fs.root(), b"moved", 0).unwrap();
    fs.link(big, many, b"hard").unwrap();
    fs.write(big, 70_000, b"changed").unwrap();
    fs.set_attributes(big, &Attributes { mode: Some(0o600), ..Attributes::default() }).unwrap();
    fs.set_attributes(big, &Attributes { size: Some(150_000), ..Attributes::default() }).unwrap();
    let program = fs.lookup(fs.root(), b"program").unwrap();
    fs.write(program, 0, b"A").unwrap();
    (vec![first, second, fs], embedded)
}

#[test]
fn what_was_written_is_read() {
    let (history, embedded) = history();
    let mut read: Vec<MemoryFs> = Vec::new();
    for (i, now) in history.iter().enumerate() {
        let bytes = bytes(now, i.checked_sub(1).map(|i| &history[i]), &embedded);
        let fs = MemoryFs::read_delta(read.last(), &embedded, &mut &bytes[..]).unwrap();
        assert!(fs.checked());
        read.push(fs);
    }
    for (now, read) in history.iter().zip(&read) {
        // Written whole, both are the same bytes but for the program that an old one embeds.
        assert_eq!(bytes(now, None, &embedded), bytes(read, None, &embedded));
        assert_eq!(now.tree.read().charged(), read.tree.read().charged());
    }
    let program = read[1].lookup(read[1].root(), b"same").unwrap();
    assert_eq!(read[1].content_version(program), history[1].content_version(program), "compiled code is found again");
    // And it can be worked with.
    write(&read[2], &["many", "another"], b"x");
    assert!(read[2].checked());
}

#[test]
fn a_small_change_is_few_bytes() {
    let (history, embedded) = history();
    let fs = history[2].fork(Quota::unlimited());
    write(&fs, &["many", "one"], b"more");
    assert!(bytes(&fs, Some(&history[2]), &embedded).len() < 400);
    assert_eq!(bytes(&fs, Some(&fs.fork(Quota::unlimited())), &embedded).len(), 1);
}

#[test]
fn the_difference_by_path() {
    let (history, _) = history();
    let text = |paths: &[&str]| paths.iter().map(|path| path.as_bytes().to_vec()).collect::<Vec<_>>();
    let changes = history[2].changes_since(&history[1]);
    assert_eq!(changes.created, text(&["/many/hard", "/moved"]));
    assert_eq!(changes.modified, text(&["/big", "/program", "/same"]));
    assert_eq!(changes.deleted.len(), 301);
    assert_eq!(history[1].changes_since(&history[2]).created.len(), 301);
    assert_eq!(history[2].changes_since(&history[2].fork(Quota::unlimited())), Changes::default());
}

#[test]
fn every_cut_and_flipped_byte_is_met() {
    let (fs, embedded) = image();
    write(&fs, &["a", "b", "c"], b"deep");
    fs.create(fs.root(), b"link", &new(NodeKind::Symlink(b"a".to_vec()))).unwrap();
    let good = bytes(&fs, None, &embedded);
    for end in 0..good.len() {
        assert!(MemoryFs::read_delta(None, &embedded, &mut &good[..end]).is_err(), "{end} bytes");
    }
    for at in 0..good.len() {
        for flip in [1, 2, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[at] ^= flip;
            if let Ok(read) = MemoryFs::read_delta(None, &embedded, &mut &bad[..])
                && read.checked()
            {
                // Still a tree: it must bear being used.
                let _ = read.create(read.root(), b"new", &new(NodeKind::Directory));
                let _ = read.unlink(read.root(), b"program");
                let _ = read.fork(Quota::unlimited()).changes_since(&fs);
            }
        }
    }
}
