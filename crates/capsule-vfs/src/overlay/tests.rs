use super::*;
use crate::{HostDir, MemoryFs, NodeKind, Quota};
use capsule_abi::fs::{RENAME_EXCHANGE, SetTime, Time};

fn file(mode: u32) -> NewNode {
    NewNode { kind: NodeKind::Regular, mode, uid: 3, gid: 4 }
}

fn directory() -> NewNode {
    NewNode { kind: NodeKind::Directory, mode: 0o755, uid: 0, gid: 0 }
}

fn put(fs: &dyn Filesystem, path: &str, bytes: &[u8]) -> NodeId {
    let (dir, name) = parent(fs, path);
    let node = fs.create(dir, name, &file(0o640)).unwrap();
    fs.write(node, 0, bytes).unwrap();
    node
}

fn mkdir(fs: &dyn Filesystem, path: &str) -> NodeId {
    let (dir, name) = parent(fs, path);
    fs.create(dir, name, &directory()).unwrap()
}

fn parent<'a>(fs: &dyn Filesystem, path: &'a str) -> (NodeId, &'a [u8]) {
    match path.rsplit_once('/') {
        Some((dir, name)) => (find(fs, dir).unwrap(), name.as_bytes()),
        None => (fs.root(), path.as_bytes()),
    }
}

fn find(fs: &dyn Filesystem, path: &str) -> Result<NodeId> {
    path.split('/').filter(|name| !name.is_empty()).try_fold(fs.root(), |dir, name| fs.lookup(dir, name.as_bytes()))
}

fn get(fs: &dyn Filesystem, path: &str) -> Result<Vec<u8>> {
    read(fs, find(fs, path)?)
}

fn read(fs: &dyn Filesystem, node: NodeId) -> Result<Vec<u8>> {
    let mut bytes = vec![0; 200_000];
    let n = fs.read(node, 0, &mut bytes)?;
    bytes.truncate(n);
    Ok(bytes)
}

fn rename(fs: &dyn Filesystem, from: &str, to: &str, flags: u32) -> Result<()> {
    let ((dir, name), (to_dir, to_name)) = (parent(fs, from), parent(fs, to));
    fs.rename(dir, name, to_dir, to_name, flags)
}

fn unlink(fs: &dyn Filesystem, path: &str) -> Result<()> {
    let (dir, name) = parent(fs, path);
    fs.unlink(dir, name)
}

fn rmdir(fs: &dyn Filesystem, path: &str) -> Result<()> {
    let (dir, name) = parent(fs, path);
    fs.remove_dir(dir, name)
}

fn names(fs: &dyn Filesystem, path: &str) -> Vec<String> {
    let mut names = Vec::new();
    let dir = find(fs, path).unwrap();
    fs.read_dir(dir, 0, &mut |entry| {
        let node = fs.lookup(dir, &entry.name).unwrap();
        assert_eq!(fs.stat(node).unwrap().ino, entry.ino, "the listing's numbers are stat's");
        names.push(String::from_utf8(entry.name).unwrap());
        true
    })
    .unwrap();
    names.sort();
    names
}

fn lower() -> Arc<dyn Filesystem> {
    let fs = MemoryFs::new(Quota::unlimited());
    put(&fs, "file", b"lower");
    mkdir(&fs, "dir");
    mkdir(&fs, "dir/sub");
    put(&fs, "dir/sub/deep", b"deep");
    put(&fs, "dir/one", b"one");
    put(&fs, "dir/two", b"two");
    let linked = put(&fs, "linked", b"linked");
    let dir = find(&fs, "dir").unwrap();
    fs.link(linked, dir, b"hard").unwrap();
    fs.create(fs.root(), b"link", &NewNode { kind: NodeKind::Symlink(b"file".to_vec()), ..file(0o777) }).unwrap();
    Arc::new(fs)
}

fn overlay() -> (Overlay, Arc<Quota>) {
    let quota = Quota::unlimited();
    (Overlay::new(lower(), Arc::new(MemoryFs::new(quota.clone()))).unwrap(), quota)
}

/// What the lower tree holds, to see that nobody changed it.
fn check_lower(fs: &Overlay) {
    let lower = &**fs.lower();
    assert_eq!(names(lower, ""), ["dir", "file", "link", "linked"]);
    assert_eq!(names(lower, "dir"), ["hard", "one", "sub", "two"]);
    assert_eq!(get(lower, "file").unwrap(), b"lower");
    assert_eq!(get(lower, "dir/sub/deep").unwrap(), b"deep");
    assert_eq!(get(lower, "linked").unwrap(), b"linked");
}

#[test]
fn what_is_below_shows_through_and_costs_nothing() {
    let (fs, quota) = overlay();
    assert_eq!(get(&fs, "dir/sub/deep").unwrap(), b"deep");
    assert_eq!(names(&fs, "dir"), ["hard", "one", "sub", "two"]);
    assert_eq!(fs.read_link(find(&fs, "link").unwrap()).unwrap(), b"file");
    assert_eq!(quota.used(), (0, 0));
}

#[test]
fn a_node_is_the_same_after_copy_up() {
    let (fs, _) = overlay();
    let node = find(&fs, "dir/sub/deep").unwrap();
    let time = Time { sec: 77, nsec: 7 };
    let before = fs.stat(node).unwrap();
    let dirs_before = [fs.stat(find(&fs, "dir").unwrap()), fs.stat(find(&fs, "dir/sub").unwrap())];
    fs.pin(node).unwrap();
    assert_eq!(fs.write(node, 4, b"er"), Ok(2));
    assert_eq!(find(&fs, "dir/sub/deep"), Ok(node));
    assert_eq!(read(&fs, node).unwrap(), b"deeper");
    let after = fs.stat(node).unwrap();
    let facts = |stat: &Stat| (stat.ino, stat.mode, stat.uid, stat.gid, stat.nlink);
    assert_eq!(facts(&before), facts(&after));
    // Nobody wrote to the directories.
    let dirs_after = [fs.stat(find(&fs, "dir").unwrap()), fs.stat(find(&fs, "dir/sub").unwrap())];
    for (before, after) in dirs_before.into_iter().zip(dirs_after) {
        let (before, after) = (before.unwrap(), after.unwrap());
        assert_eq!((facts(&before), before.mtime), (facts(&after), after.mtime));
    }
    fs.set_attributes(node, &Attributes { mtime: SetTime::At(time), ..Attributes::default() }).unwrap();
    assert_eq!(fs.stat(node).unwrap().mtime, time);
    fs.unpin(node);
    assert_eq!(names(&fs, "dir/sub"), ["deep"]);
    check_lower(&fs);
}

#[test]
fn attributes_are_copied_without_a_write() {
    let (fs, _) = overlay();
    let node = find(&fs, "file").unwrap();
    let before = fs.stat(node).unwrap();
    fs.set_attributes(node, &Attributes { mode: Some(0o600), ..Attributes::default() }).unwrap();
    let after = fs.stat(node).unwrap();
    assert_eq!((after.mode, after.mtime, after.size), (0o600, before.mtime, before.size));
    assert_eq!(get(&fs, "file").unwrap(), b"lower");
    // Truncating takes nothing along.
    let node = find(&fs, "dir/one").unwrap();
    fs.set_attributes(node, &Attributes { size: Some(2), ..Attributes::default() }).unwrap();
    assert_eq!(get(&fs, "dir/one").unwrap(), b"on");
    check_lower(&fs);
}

#[test]
fn removed_names_stay_removed_and_may_be_made_anew() {
    let (fs, _) = overlay();
    unlink(&fs, "file").unwrap();
    assert_eq!(find(&fs, "file"), Err(Errno::ENOENT));
    assert_eq!(names(&fs, ""), ["dir", "link", "linked"]);
    assert_eq!(unlink(&fs, "file"), Err(Errno::ENOENT));
    put(&fs, "file", b"new");
    assert_eq!(get(&fs, "file").unwrap(), b"new");
    assert_eq!(rmdir(&fs, "dir"), Err(Errno::ENOTEMPTY));
    for name in ["dir/sub/deep", "dir/one", "dir/two", "dir/hard"] {
        unlink(&fs, name).unwrap();
    }
    assert_eq!(fs.stat(find(&fs, "dir").unwrap()).unwrap().nlink, 3);
    rmdir(&fs, "dir/sub").unwrap();
    assert_eq!(fs.stat(find(&fs, "dir").unwrap()).unwrap().nlink, 2);
    rmdir(&fs, "dir").unwrap();
    mkdir(&fs, "dir");
    assert!(names(&fs, "dir").is_empty(), "a new directory does not show the old one's names");
    check_lower(&fs);
}

#[test]
fn an_open_file_outlives_its_name_in_both_layers() {
    let (fs, quota) = overlay();
    let node = find(&fs, "file").unwrap();
    fs.pin(node).unwrap();
    unlink(&fs, "file").unwrap();
    assert_eq!(read(&fs, node).unwrap(), b"lower");
    assert_eq!(fs.stat(node).unwrap().nlink, 0);
    assert_eq!(fs.names(node), []);
    let root_before = fs.stat(fs.root()).unwrap().mtime;
    assert_eq!(fs.write(node, 5, b"!"), Ok(1));
    assert_eq!(read(&fs, node).unwrap(), b"lower!");
    assert_eq!(fs.stat(node).unwrap().nlink, 0);
    assert_eq!(fs.link(node, fs.root(), b"again"), Err(Errno::ENOENT));
    assert_eq!(names(&fs, ""), ["dir", "link", "linked"]);
    assert_eq!(fs.stat(fs.root()).unwrap().mtime, root_before);
    fs.unpin(node);
    assert_eq!(fs.stat(node).map(drop), Err(Errno::ESTALE));
    assert_eq!(fs.pin(node), Err(Errno::ESTALE));
    assert_eq!(quota.used(), (0, 0));
    // A removed directory takes no names.
    let sub = find(&fs, "dir/sub").unwrap();
    fs.pin(sub).unwrap();
    unlink(&fs, "dir/sub/deep").unwrap();
    rmdir(&fs, "dir/sub").unwrap();
    assert_eq!(fs.create(sub, b"x", &file(0o644)), Err(Errno::ENOENT));
    assert_eq!(fs.lookup(sub, b"deep"), Err(Errno::ENOENT));
    assert_eq!(fs.stat(sub).unwrap().nlink, 0);
    assert_eq!(fs.parent(sub), find(&fs, "dir"));
    fs.unpin(sub);
}

#[test]
fn hard_links_below_stay_links() {
    let (fs, _) = overlay();
    let node = find(&fs, "linked").unwrap();
    assert_eq!(find(&fs, "dir/hard"), Ok(node));
    fs.write(node, 0, b"LINKED").unwrap();
    assert_eq!(get(&fs, "dir/hard").unwrap(), b"LINKED");
    assert_eq!(fs.stat(node).unwrap().nlink, 2);
    assert_eq!(fs.names(node).len(), 2);
    unlink(&fs, "linked").unwrap();
    assert_eq!(fs.stat(node).unwrap().nlink, 1);
    assert_eq!(get(&fs, "dir/hard").unwrap(), b"LINKED");
    check_lower(&fs);
}

#[test]
fn a_directory_is_moved_with_what_is_below() {
    let (fs, quota) = overlay();
    let deep = find(&fs, "dir/sub/deep").unwrap();
    let sub = find(&fs, "dir/sub").unwrap();
    mkdir(&fs, "new");
    rename(&fs, "dir", "new/dir", 0).unwrap();
    assert_eq!(find(&fs, "dir"), Err(Errno::ENOENT));
    assert_eq!(find(&fs, "new/dir/sub/deep"), Ok(deep));
    assert_eq!(fs.parent(sub), find(&fs, "new/dir"));
    assert_eq!(fs.names(deep), [(sub, b"deep".to_vec())]);
    assert_eq!(quota.used().1, 2);
    fs.write(deep, 0, b"DEEP").unwrap();
    assert_eq!(get(&fs, "new/dir/sub/deep").unwrap(), b"DEEP");
    assert_eq!(rename(&fs, "new", "new/dir/sub/x", 0), Err(Errno::EINVAL));
    assert_eq!(rename(&fs, "new/dir/sub", "new/dir", 0), Err(Errno::ENOTEMPTY));
    unlink(&fs, "new/dir/one").unwrap();
    assert_eq!(names(&fs, "new/dir"), ["hard", "sub", "two"]);
    // Back again, over a directory that has taken its place.
    mkdir(&fs, "dir");
    rename(&fs, "new/dir", "dir", 0).unwrap();
    assert_eq!(names(&fs, "dir"), ["hard", "sub", "two"]);
    check_lower(&fs);
}

#[test]
fn files_are_replaced_and_exchanged_across_layers() {
    let (fs, _) = overlay();
    put(&fs, "new", b"new");
    rename(&fs, "new", "file", 0).unwrap();
    assert_eq!(get(&fs, "file").unwrap(), b"new");
    rename(&fs, "dir/one", "dir/two", 0).unwrap();
    assert_eq!(get(&fs, "dir/two").unwrap(), b"one");
    assert_eq!(names(&fs, "dir"), ["hard", "sub", "two"]);
    rename(&fs, "dir/sub", "file", RENAME_EXCHANGE).unwrap();
    assert_eq!(get(&fs, "file/deep").unwrap(), b"deep");
    assert_eq!(get(&fs, "dir/sub").unwrap(), b"new");
    assert_eq!(fs.stat(fs.root()).unwrap().nlink, 4);
    // Two names of one file: nothing happens.
    rename(&fs, "linked", "dir/hard", 0).unwrap();
    assert_eq!(find(&fs, "linked"), find(&fs, "dir/hard"));
    check_lower(&fs);
}

#[test]
fn a_listing_sees_names_once_while_they_are_copied_up() {
    let lower = MemoryFs::new(Quota::unlimited());
    for at in 0..300 {
        put(&lower, &format!("stays{at}"), b"x");
    }
    let fs = Overlay::new(Arc::new(lower), Arc::new(MemoryFs::new(Quota::unlimited()))).unwrap();
    let (mut cookie, mut seen) = (0, Vec::new());
    loop {
        let mut batch = Vec::new();
        fs.read_dir(fs.root(), cookie, &mut |entry| {
            cookie = entry.next;
            batch.push(entry.name);
            batch.len() < 7
        })
        .unwrap();
        if batch.is_empty() {
            break;
        }
        // Copies up what was seen and what was not.
        let at = seen.len();
        for name in [batch[0].clone(), format!("stays{}", 299 - at.min(299)).into_bytes()] {
            let node = fs.lookup(fs.root(), &name).unwrap();
            fs.append(node, b"y").unwrap();
        }
        seen.extend(batch);
    }
    assert_eq!(seen.len(), 300);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 300);
}

#[test]
fn holes_are_not_copied() {
    let lower = MemoryFs::new(Quota::unlimited());
    let node = put(&lower, "giant", b"start");
    lower.set_attributes(node, &Attributes { size: Some(1 << 60), ..Attributes::default() }).unwrap();
    let quota = Quota::new(1 << 20, 10);
    let fs = Overlay::new(Arc::new(lower), Arc::new(MemoryFs::new(quota.clone()))).unwrap();
    let node = find(&fs, "giant").unwrap();
    assert_eq!(fs.write(node, 1 << 59, b"x"), Ok(1));
    let mut buf = [0; 5];
    assert_eq!(fs.read(node, 0, &mut buf), Ok(5));
    assert_eq!((&buf, fs.stat(node).unwrap().size), (b"start", 1 << 60));
}

#[test]
fn a_copy_that_does_not_fit_leaves_everything_as_it_was() {
    let lower = MemoryFs::new(Quota::unlimited());
    put(&lower, "large", &[1; 150_000]);
    let quota = Quota::new(100_000, 10);
    // Over a host folder nothing can be shared, so bytes must be copied.
    let temp = tempfile::tempdir().unwrap();
    let upper = HostDir::open(temp.path(), false, quota.clone()).unwrap();
    let fs = Overlay::new(Arc::new(lower), Arc::new(upper)).unwrap();
    let node = find(&fs, "large").unwrap();
    assert_eq!(fs.write(node, 0, b"x"), Err(Errno::ENOSPC));
    assert_eq!(read(&fs, node).unwrap(), [1; 150_000]);
    assert_eq!(names(&fs, ""), ["large"]);
    assert_eq!(quota.used(), (0, 0));
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0);
}

#[test]
fn a_fork_goes_its_own_way() {
    let quota = Quota::unlimited();
    let upper = Arc::new(MemoryFs::new(quota.clone()));
    let fs = Overlay::new(lower(), upper.clone()).unwrap();
    unlink(&fs, "file").unwrap();
    rename(&fs, "dir", "moved", 0).unwrap();
    let open = find(&fs, "linked").unwrap();
    fs.pin(open).unwrap();
    let fork = fs.fork(|| Arc::new(upper.fork(Quota::unlimited())));
    put(&fork, "file", b"fork");
    fork.write(find(&fork, "moved/one").unwrap(), 0, b"ONE").unwrap();
    assert_eq!(find(&fs, "file"), Err(Errno::ENOENT));
    assert_eq!(get(&fs, "moved/one").unwrap(), b"one");
    assert_eq!(get(&fork, "moved/one").unwrap(), b"ONE");
    assert_eq!(find(&fork, "linked"), Ok(open), "node ids stay the same");
    fs.unpin(open);
    check_lower(&fs);
}

/// The tree as text: paths with types and bytes.
fn dump(fs: &dyn Filesystem) -> Vec<String> {
    let (mut lines, mut todo) = (Vec::new(), vec![String::new()]);
    while let Some(dir) = todo.pop() {
        for name in names(fs, &dir) {
            let path = if dir.is_empty() { name } else { format!("{dir}/{name}") };
            let stat = fs.stat(find(fs, &path).unwrap()).unwrap();
            match stat.kind {
                FileType::Directory => todo.push(path.clone()),
                FileType::Regular => lines.push(format!("{path}: {:?}", get(fs, &path).unwrap())),
                _ => {}
            }
            lines.push(format!("{path} {:?} {:o} {}", stat.kind, stat.mode, stat.nlink));
        }
    }
    lines.sort();
    lines
}

#[test]
fn it_can_be_opened_again() {
    let temp = tempfile::tempdir().unwrap();
    let open = || Arc::new(HostDir::open(temp.path(), false, Quota::unlimited()).unwrap());
    let lower = lower();
    let fs = Overlay::new(lower.clone(), open()).unwrap();
    unlink(&fs, "link").unwrap();
    mkdir(&fs, "new");
    rename(&fs, "dir/sub", "new/sub", 0).unwrap();
    unlink(&fs, "dir/two").unwrap();
    mkdir(&fs, "dir/sub");
    put(&fs, "dir/sub/other", b"other");
    fs.write(find(&fs, "linked").unwrap(), 0, b"LINKED").unwrap();
    put(&fs, "new/sub/more", b"more");
    unlink(&fs, "new/sub/deep").unwrap();
    let state = fs.state().unwrap();
    let paths = |paths: &[&str]| paths.iter().map(|path| path.as_bytes().to_vec()).collect::<Vec<_>>();
    assert_eq!(state.whiteouts, paths(&["dir/two", "link", "new/sub/deep"]));
    assert_eq!(state.opaque, paths(&["dir/sub"]));
    assert_eq!(state.moved, [(b"new/sub".to_vec(), b"dir/sub".to_vec())]);
    let again = Overlay::with_state(lower, open(), &state).unwrap();
    assert_eq!(dump(&fs), dump(&again));
    assert_eq!(again.state().unwrap(), state);
    check_lower(&again);
}

#[test]
fn a_broken_saved_state_does_no_harm() {
    let state = OverlayState {
        whiteouts: vec![b"../x".to_vec(), b"".to_vec(), b"dir/none".to_vec()],
        opaque: vec![b"file".to_vec(), b"nowhere".to_vec()],
        moved: vec![(b"nowhere".to_vec(), b"dir".to_vec())],
    };
    let fs = Overlay::with_state(lower(), Arc::new(MemoryFs::new(Quota::unlimited())), &state).unwrap();
    assert_eq!(names(&fs, ""), ["dir", "file", "link", "linked"]);
}
