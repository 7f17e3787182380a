//! What only a tree in memory promises: sharing, quota, holes, numbers.

use super::{FileData, MemoryFs};
use crate::{Attributes, Content, Errno, Filesystem, NewNode, NodeId, NodeKind, Quota};
use capsule_abi::fs::{RENAME_EXCHANGE, Time};
use std::sync::Arc;

fn new(kind: NodeKind) -> NewNode {
    NewNode { kind, mode: 0o644, uid: 0, gid: 0 }
}

fn tree() -> (MemoryFs, NodeId) {
    let fs = MemoryFs::new(Quota::unlimited());
    let root = fs.root();
    (fs, root)
}

fn file(fs: &MemoryFs, name: &str) -> NodeId {
    fs.create(fs.root(), name.as_bytes(), &new(NodeKind::Regular)).expect(name)
}

fn bytes(fs: &MemoryFs, node: NodeId) -> Vec<u8> {
    let mut buf = vec![0xee; fs.stat(node).unwrap().size as usize + 10];
    let n = fs.read(node, 0, &mut buf).unwrap();
    buf.truncate(n);
    buf
}

fn truncate(size: u64) -> Attributes {
    Attributes { size: Some(size), ..Attributes::default() }
}

#[test]
fn a_fork_shares_until_one_side_changes() {
    let (fs, root) = tree();
    let node = file(&fs, "f");
    fs.write(node, 0, &[1; 200_000]).unwrap();
    let quota = Quota::unlimited();
    let fork = fs.fork(quota.clone());
    assert_eq!(quota.used(), (200_000, 1));
    assert_eq!(fs.content_version(node), fork.content_version(node));
    fork.write(node, 100_000, &[2; 10]).unwrap();
    fork.create(root, b"new", &new(NodeKind::Regular)).unwrap();
    fs.unlink(root, b"f").unwrap();
    assert_eq!(fs.stat(node), Err(Errno::ESTALE));
    assert_eq!(fs.lookup(root, b"new"), Err(Errno::ENOENT));
    let mut expected = vec![1; 200_000];
    expected[100_000..100_010].fill(2);
    assert_eq!(bytes(&fork, node), expected);
    drop(fork);
    assert_eq!(quota.used(), (0, 0));
}

#[test]
fn a_fork_leaves_unlinked_files_behind() {
    let (fs, root) = tree();
    let node = file(&fs, "f");
    fs.write(node, 0, b"data").unwrap();
    fs.pin(node).unwrap();
    fs.unlink(root, b"f").unwrap();
    let quota = Quota::unlimited();
    let fork = fs.fork(quota.clone());
    assert_eq!(quota.used(), (0, 0));
    assert_eq!(fork.stat(node), Err(Errno::ESTALE));
    assert_eq!(bytes(&fs, node), b"data");
    fs.unpin(node);
    assert_eq!(fs.quota().used(), (0, 0));
}

#[test]
fn numbers_are_not_used_again() {
    let (fs, root) = tree();
    let first = file(&fs, "f");
    fs.unlink(root, b"f").unwrap();
    let second = file(&fs, "f");
    assert_ne!(first, second);
    assert_eq!(fs.stat(first), Err(Errno::ESTALE));
    assert_eq!(fs.read(NodeId(u64::MAX), 0, &mut []), Err(Errno::ESTALE));
    assert_eq!(fs.stat(NodeId(0)), Err(Errno::ESTALE));
    fs.unpin(first);
    assert!(fs.stat(second).is_ok());
}

#[test]
fn holes_cost_nothing_and_read_as_zeros() {
    let (fs, _) = tree();
    let node = file(&fs, "sparse");
    let far = i64::MAX as u64 - 10;
    assert_eq!(fs.write(node, far, b"0123456789abcdef"), Ok(10));
    assert_eq!(fs.write(node, i64::MAX as u64, b"x"), Err(Errno::EFBIG));
    assert_eq!(fs.write(node, u64::MAX, b"x"), Err(Errno::EFBIG));
    assert_eq!(fs.set_attributes(node, &truncate(1 << 63)), Err(Errno::EFBIG));
    let stat = fs.stat(node).unwrap();
    assert_eq!(stat.size, i64::MAX as u64);
    assert!(fs.quota().used().0 <= 65536);
    let mut buf = [1; 100];
    assert_eq!(fs.read(node, far - 90, &mut buf), Ok(100));
    assert_eq!(buf[..90], [0; 90]);
    assert_eq!(&buf[90..], b"0123456789");
    fs.set_attributes(node, &truncate(5)).unwrap();
    assert_eq!(fs.quota().used(), (0, 1));
    assert_eq!(fs.stat(node).unwrap().blocks, 0);
    assert_eq!(bytes(&fs, node), [0; 5]);
}

#[test]
fn what_was_cut_off_does_not_come_back() {
    let (fs, _) = tree();
    let node = file(&fs, "f");
    for size in [3, 65_536, 65_537, 150_000] {
        fs.write(node, 0, &[7; 200_000]).unwrap();
        fs.set_attributes(node, &truncate(size)).unwrap();
        fs.set_attributes(node, &truncate(200_000)).unwrap();
        let mut expected = vec![7; size as usize];
        expected.resize(200_000, 0);
        assert!(bytes(&fs, node) == expected, "cut to {size}");
        // The byte after the first chunk costs a sector.
        assert_eq!(fs.quota().used().0, if size == 65_537 { 65_536 + 512 } else { size });
    }
}

/// A byte here and there costs the host more than a byte.
#[test]
fn scattered_bytes_cost_a_sector_each() {
    let quota = Quota::new(1 << 20, 4);
    let fs = MemoryFs::new(quota.clone());
    let node = file(&fs, "f");
    let mut written = 0;
    let full = loop {
        match fs.write(node, written << 16, b"x") {
            Ok(_) => written += 1,
            Err(errno) => break errno,
        }
    };
    assert_eq!((full, written), (Errno::ENOSPC, (1 << 20) / 512), "the first one costs a byte");
    assert_eq!(quota.used().0, (written - 1) * 512 + 1);
    fs.write(node, 1 << 16, &[7; 512]).unwrap();
    assert_eq!(quota.used().0, (written - 1) * 512 + 1, "what fits the sector is paid for");
    fs.set_attributes(node, &truncate(3 << 16)).unwrap();
    assert_eq!(quota.used().0, 2 * 512 + 1);
    fs.set_attributes(node, &truncate(1)).unwrap();
    assert_eq!(quota.used().0, 1);
}

#[test]
fn quota_is_exact_and_given_back() {
    let quota = Quota::new(100_000, 4);
    let fs = MemoryFs::new(quota.clone());
    let (root, node) = (fs.root(), file(&fs, "f"));
    assert_eq!(fs.write(node, 0, &[1; 70_000]), Ok(70_000));
    assert_eq!(fs.append(node, &[2; 70_000]), Ok((100_000, 30_000)));
    assert_eq!(quota.used(), (100_000, 1));
    assert_eq!(fs.append(node, b"x"), Err(Errno::ENOSPC));
    assert_eq!(fs.write(node, 5, b"in place"), Ok(8));
    assert_eq!(quota.take_hits(), (true, false));
    assert_eq!(fs.create(root, b"l", &new(NodeKind::Symlink(b"target".to_vec()))), Err(Errno::ENOSPC));
    assert_eq!(quota.used(), (100_000, 1));
    fs.set_attributes(node, &truncate(10)).unwrap();
    assert_eq!(quota.used(), (10, 1));
    fs.create(root, b"l", &new(NodeKind::Symlink(b"target".to_vec()))).unwrap();
    fs.create(root, b"d", &new(NodeKind::Directory)).unwrap();
    fs.link(node, root, b"g").unwrap();
    assert_eq!(quota.used(), (16, 4));
    assert_eq!(fs.create(root, b"h", &new(NodeKind::Regular)), Err(Errno::ENOSPC));
    assert_eq!(fs.link(node, root, b"h"), Err(Errno::ENOSPC));
    assert_eq!(quota.take_hits(), (true, true));
    fs.unlink(root, b"f").unwrap();
    assert_eq!(quota.used(), (16, 3));
    fs.pin(node).unwrap();
    fs.rename(root, b"l", root, b"g", 0).unwrap();
    assert_eq!(quota.used(), (16, 3));
    fs.unpin(node);
    assert_eq!(quota.used(), (6, 2));
    drop(fs);
    assert_eq!(quota.used(), (0, 0));
}

#[test]
fn embedded_files_cost_only_what_is_changed() {
    static IMAGE: [u8; 200_000] = [9; 200_000];
    let (fs, root) = tree();
    let node = fs.create_static(root, b"f", 0o755, &IMAGE).unwrap();
    assert_eq!(fs.quota().used(), (0, 1));
    assert_eq!(fs.stat(node).unwrap().blocks, 392);
    assert!(bytes(&fs, node) == IMAGE);
    fs.write(node, 70_000, b"x").unwrap();
    assert_eq!(fs.quota().used().0, 65_536);
    let mut expected = IMAGE.to_vec();
    expected[70_000] = b'x';
    assert!(bytes(&fs, node) == expected);
    fs.append(node, b"end").unwrap();
    assert_eq!(fs.stat(node).unwrap().size, 200_003);
    let node = fs.create_static(root, b"g", 0o755, &IMAGE).unwrap();
    fs.set_attributes(node, &truncate(100_000)).unwrap();
    fs.set_attributes(node, &truncate(100_001)).unwrap();
    assert_eq!(bytes(&fs, node)[99_999..], [9, 0]);
}

#[test]
fn content_is_compared_by_bytes() {
    let quota = Quota::unlimited();
    let make = |parts: &[(u64, &[u8])], size: u64| {
        let mut data = FileData::default();
        for (offset, bytes) in parts {
            data.write(*offset, bytes, &quota).unwrap();
        }
        data.set_len(size, &quota).unwrap();
        data
    };
    let zeros = [0; 70_000];
    assert!(make(&[(0, &zeros)], 200_000) == make(&[], 200_000));
    assert!(make(&[(0, b"a")], 2) == make(&[(0, b"a\0")], 2));
    assert!(make(&[(0, b"a")], 1) != make(&[(0, b"a\0")], 2));
    assert!(make(&[(150_000, b"a")], 200_000) != make(&[(150_001, b"a")], 200_000));
    assert!(make(&[(150_000, b"a")], 200_000) != make(&[], 200_000));
    let (fs, _) = tree();
    let node = file(&fs, "f");
    fs.write(node, 0, b"before").unwrap();
    let Ok(Content::Shared(before)) = fs.content(node) else { panic!("shared") };
    fs.write(node, 0, b"after!").unwrap();
    let mut held = [0; 6];
    before.read(0, &mut held);
    assert_eq!(&held, b"before");
}

#[test]
fn versions_change_with_the_bytes_only() {
    let (fs, root) = tree();
    let node = file(&fs, "f");
    let version = || fs.content_version(node).unwrap();
    let first = version();
    fs.set_attributes(node, &Attributes { mode: Some(0o600), ..Attributes::default() }).unwrap();
    fs.rename(root, b"f", root, b"g", 0).unwrap();
    assert_eq!(version(), first);
    fs.write(node, 0, b"x").unwrap();
    let second = version();
    assert_ne!(second, first);
    fs.set_attributes(node, &truncate(0)).unwrap();
    assert_ne!(version(), second);
    assert_eq!(fs.content_version(root), None);
}

#[test]
fn times_change_as_they_should() {
    let (fs, root) = tree();
    let node = file(&fs, "f");
    let old = Time { sec: 1, nsec: 1 };
    let set = |node| {
        let at = capsule_abi::fs::SetTime::At(old);
        fs.set_attributes(node, &Attributes { atime: at, mtime: at, ..Attributes::default() }).unwrap();
    };
    set(root);
    set(node);
    assert_eq!(fs.stat(node).unwrap().mtime, old);
    assert!(fs.stat(node).unwrap().ctime > old);
    fs.write(node, 0, b"x").unwrap();
    assert!(fs.stat(node).unwrap().mtime > old);
    assert_eq!(fs.stat(node).unwrap().atime, old);
    assert_eq!(fs.stat(root).unwrap().mtime, old);
    fs.link(node, root, b"g").unwrap();
    assert!(fs.stat(root).unwrap().mtime > old);
}

#[test]
fn names_are_known_exactly() {
    let (fs, root) = tree();
    let node = file(&fs, "f");
    let dir = fs.create(root, b"d", &new(NodeKind::Directory)).unwrap();
    fs.link(node, dir, b"g").unwrap();
    assert_eq!(fs.names(node), [(root, b"f".to_vec()), (dir, b"g".to_vec())]);
    fs.rename(root, b"f", dir, b"h", 0).unwrap();
    assert_eq!(fs.names(node), [(dir, b"g".to_vec()), (dir, b"h".to_vec())]);
    fs.rename(dir, b"g", root, b"d", RENAME_EXCHANGE).unwrap_err();
    fs.unlink(dir, b"g").unwrap();
    assert_eq!(fs.names(node), [(dir, b"h".to_vec())]);
    assert_eq!(fs.names(dir), [(root, b"d".to_vec())]);
    assert_eq!(fs.names(root), []);
}

#[test]
fn many_names_in_one_directory() {
    let (fs, root) = tree();
    for n in 0..20_000 {
        file(&fs, &format!("file-{n}"));
    }
    let mut count = 0;
    fs.read_dir(root, 0, &mut |_| {
        count += 1;
        true
    })
    .unwrap();
    assert_eq!(count, 20_000);
    for n in (0..20_000).rev() {
        fs.unlink(root, format!("file-{n}").as_bytes()).unwrap();
    }
    assert_eq!(fs.quota().used(), (0, 0));
}

#[test]
fn threads_at_one_tree() {
    let fs = Arc::new(MemoryFs::new(Quota::unlimited()));
    let root = fs.root();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let fs = &fs;
            scope.spawn(move || {
                for n in 0..500 {
                    let name = format!("f{}", n % 7);
                    if let Ok(node) = fs.create(root, name.as_bytes(), &new(NodeKind::Regular)) {
                        let _ = fs.write(node, 0, &[thread; 100]);
                    }
                    if let Ok(node) = fs.lookup(root, name.as_bytes())
                        && fs.pin(node).is_ok()
                    {
                        let _ = fs.unlink(root, name.as_bytes());
                        let mut buf = [0; 100];
                        let _ = fs.read(node, 0, &mut buf);
                        fs.unpin(node);
                    }
                }
            });
        }
    });
    let mut left = Vec::new();
    fs.read_dir(root, 0, &mut |entry| {
        left.push(entry.name);
        true
    })
    .unwrap();
    for name in left {
        fs.unlink(root, &name).unwrap();
    }
    assert_eq!(fs.quota().used(), (0, 0));
}
