//! The rules of Linux, one behaviour each.

use crate::{Attributes, Caller, Credentials, Errno, Filesystem, MemoryFs, MountOptions, Quota, Vfs};
use capsule_abi::fs::{FileType, OpenFlags, RENAME_EXCHANGE, RENAME_NOREPLACE, SetTime, Time, W_OK, X_OK};
use std::sync::Arc;

const CREATE: OpenFlags = OpenFlags(OpenFlags::CREAT.0 | OpenFlags::RDWR.0);

fn vfs() -> (Vfs, Caller) {
    let vfs = Vfs::new(Arc::new(MemoryFs::new(Quota::unlimited())));
    let caller = Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 1 };
    (vfs, caller)
}

fn put(vfs: &Vfs, who: &Caller, path: &str, text: &str) {
    let file = vfs.open(who, None, path.as_bytes(), CREATE | OpenFlags::TRUNC, 0o666).expect(path);
    assert_eq!(file.write_at(0, text.as_bytes()), Ok(text.len()));
}

fn get(vfs: &Vfs, who: &Caller, path: &str) -> Result<String, Errno> {
    let file = vfs.open(who, None, path.as_bytes(), OpenFlags::RDONLY, 0)?;
    let mut buf = vec![0; file.stat()?.size as usize];
    let n = file.read_at(0, &mut buf)?;
    Ok(String::from_utf8_lossy(&buf[..n]).into_owned())
}

fn mkdir(vfs: &Vfs, who: &Caller, path: &str) {
    vfs.mkdir(who, None, path.as_bytes(), 0o777).expect(path);
}

fn list(vfs: &Vfs, who: &Caller, path: &str) -> Vec<String> {
    let dir = vfs.open(who, None, path.as_bytes(), OpenFlags::DIRECTORY, 0).expect(path);
    let mut names = Vec::new();
    dir.read_dir(0, &mut |entry| {
        names.push(String::from_utf8_lossy(&entry.name).into_owned());
        true
    })
    .expect(path);
    names
}

#[test]
fn files_are_made_read_and_removed() {
    let (vfs, me) = vfs();
    put(&vfs, &me, "/a", "hello");
    assert_eq!(get(&vfs, &me, "/a").as_deref(), Ok("hello"));
    let stat = vfs.stat(&me, None, b"/a", true).unwrap();
    assert_eq!((stat.kind, stat.mode, stat.nlink, stat.size), (FileType::Regular, 0o644, 1, 5));
    assert_eq!(vfs.unlink(&me, None, b"/a"), Ok(()));
    assert_eq!(get(&vfs, &me, "/a"), Err(Errno::ENOENT));
}

#[test]
fn paths_follow_linux_rules() {
    let (vfs, me) = vfs();
    mkdir(&vfs, &me, "/d");
    put(&vfs, &me, "/d/f", "x");
    let errno = |path: &[u8]| vfs.stat(&me, None, path, true).map(|stat| stat.kind);
    assert_eq!(errno(b""), Err(Errno::ENOENT));
    assert_eq!(errno(b"/d\0"), Err(Errno::EINVAL));
    assert_eq!(errno(&[b'a'; 256]), Err(Errno::ENAMETOOLONG));
    assert_eq!(errno(&[b'a'; 255]), Err(Errno::ENOENT));
    assert_eq!(errno(&[b'/'; 4096]), Err(Errno::ENAMETOOLONG));
    assert_eq!(errno(&[b'/'; 4095]), Ok(FileType::Directory));
    assert_eq!(errno(b"/d/f/"), Err(Errno::ENOTDIR));
    assert_eq!(errno(b"/d/f/x"), Err(Errno::ENOTDIR));
    assert_eq!(errno(b"/d/f/.."), Err(Errno::ENOTDIR));
    assert_eq!(errno(b"/d//.//../../../d/f"), Ok(FileType::Regular));
    assert_eq!(errno(b"d/./f"), Ok(FileType::Regular));
    assert_eq!(errno(b"/missing/.."), Err(Errno::ENOENT));
    let file = vfs.resolve(&me, None, b"/d/f", true).unwrap();
    assert_eq!(vfs.stat(&me, Some(file), b".", true), Err(Errno::ENOTDIR));
    assert_eq!(vfs.stat(&me, Some(file), b"x", true), Err(Errno::ENOTDIR));
}

#[test]
fn symlinks_are_followed_up_to_forty() {
    let (vfs, me) = vfs();
    put(&vfs, &me, "/l0", "end");
    for n in 1..=41 {
        vfs.symlink(&me, format!("l{}", n - 1).as_bytes(), None, format!("/l{n}").as_bytes()).unwrap();
    }
    assert_eq!(get(&vfs, &me, "/l40").as_deref(), Ok("end"));
    assert_eq!(get(&vfs, &me, "/l41"), Err(Errno::ELOOP));
    vfs.symlink(&me, b"loop", None, b"/loop").unwrap();
    assert_eq!(vfs.stat(&me, None, b"/loop/x", true), Err(Errno::ELOOP));
    assert_eq!(vfs.stat(&me, None, b"/loop", false).unwrap().kind, FileType::Symlink);
    assert_eq!(vfs.read_link(&me, None, b"/loop").as_deref(), Ok(&b"loop"[..]));
}

#[test]
fn symlinks_to_directories_and_nowhere() {
    let (vfs, me) = vfs();
    mkdir(&vfs, &me, "/d");
    mkdir(&vfs, &me, "/d/e");
    vfs.symlink(&me, b"d/e", None, b"/link").unwrap();
    put(&vfs, &me, "/link/../up", "1");
    assert_eq!(get(&vfs, &me, "/d/up").as_deref(), Ok("1"));
    assert_eq!(vfs.stat(&me, None, b"/link/", false).unwrap().kind, FileType::Directory);
    vfs.symlink(&me, b"/d/new", None, b"/dangling").unwrap();
    assert_eq!(vfs.open(&me, None, b"/dangling", OpenFlags::RDONLY, 0).err(), Some(Errno::ENOENT));
    let exclusive = CREATE | OpenFlags::EXCL;
    assert_eq!(vfs.open(&me, None, b"/dangling", exclusive, 0o600).err(), Some(Errno::EEXIST));
    assert_eq!(vfs.open(&me, None, b"/dangling", CREATE | OpenFlags::NOFOLLOW, 0).err(), Some(Errno::ELOOP));
    put(&vfs, &me, "/dangling", "made");
    assert_eq!(get(&vfs, &me, "/d/new").as_deref(), Ok("made"));
}

#[test]
fn open_checks_kinds_and_flags() {
    let (vfs, me) = vfs();
    mkdir(&vfs, &me, "/d");
    put(&vfs, &me, "/f", "text");
    let open = |path: &str, flags: OpenFlags| vfs.open(&me, None, path.as_bytes(), flags, 0o666).err();
    assert_eq!(open("/d", OpenFlags::WRONLY), Some(Errno::EISDIR));
    assert_eq!(open("/d", CREATE), Some(Errno::EISDIR));
    assert_eq!(open("/d", OpenFlags::TRUNC), Some(Errno::EISDIR));
    assert_eq!(open("/new/", CREATE), Some(Errno::EISDIR));
    assert_eq!(open("/f", OpenFlags::DIRECTORY), Some(Errno::ENOTDIR));
    assert_eq!(open("/f", CREATE | OpenFlags::EXCL), Some(Errno::EEXIST));
    assert_eq!(open("/f", OpenFlags(3)), Some(Errno::EINVAL));
    assert_eq!(open("/f", CREATE | OpenFlags::DIRECTORY), Some(Errno::EINVAL));
    assert_eq!(open("/f", OpenFlags::WRONLY | OpenFlags::TRUNC), None);
    assert_eq!(get(&vfs, &me, "/f").as_deref(), Ok(""));
    let file = vfs.open(&me, None, b"/f", CREATE | OpenFlags::APPEND, 0).unwrap();
    assert_eq!(file.flags(), OpenFlags::RDWR | OpenFlags::APPEND);
}

#[test]
fn unlinked_files_live_while_open() {
    let (vfs, me) = vfs();
    put(&vfs, &me, "/f", "text");
    let file = vfs.open(&me, None, b"/f", OpenFlags::RDWR, 0).unwrap();
    vfs.unlink(&me, None, b"/f").unwrap();
    assert!(file.is_unlinked());
    assert_eq!(file.append(b"+"), Ok((5, 1)));
    let mut buf = [0; 8];
    assert_eq!(file.read_at(0, &mut buf), Ok(5));
    assert_eq!(vfs.path_of(file.place()), None);
    assert_eq!(vfs.link_place(&me, file.place(), None, b"/again"), Err(Errno::ENOENT));
    let place = file.place();
    drop(file);
    assert_eq!(vfs.stat_place(place), Err(Errno::ENOENT));
}

#[test]
fn a_removed_working_directory_finds_nothing() {
    let (vfs, mut me) = vfs();
    mkdir(&vfs, &me, "/a");
    mkdir(&vfs, &me, "/a/b");
    let cwd = vfs.open_cwd(&me, None, b"/a/b").unwrap();
    me.cwd = cwd.place();
    assert_eq!(vfs.path_of(me.cwd).as_deref(), Some(&b"/a/b"[..]));
    vfs.remove_dir(&me, None, b"/a/b").unwrap();
    assert_eq!(vfs.path_of(me.cwd), None);
    assert_eq!(vfs.stat(&me, None, b"x", true), Err(Errno::ENOENT));
    assert_eq!(vfs.mkdir(&me, None, b"x", 0o777), Err(Errno::ENOENT));
    assert_eq!(vfs.open(&me, None, b"x", CREATE, 0o666).err(), Some(Errno::ENOENT));
    assert_eq!(vfs.stat(&me, None, b".", true).unwrap().nlink, 0);
    assert_eq!(vfs.stat(&me, None, b"..", true).unwrap().ino, vfs.stat(&me, None, b"/a", true).unwrap().ino);
}

#[test]
fn rename_replaces_by_the_rules() {
    let (vfs, me) = vfs();
    for dir in ["/d", "/d/sub", "/empty", "/full", "/full/x"] {
        mkdir(&vfs, &me, dir);
    }
    put(&vfs, &me, "/f", "f");
    put(&vfs, &me, "/g", "g");
    let mv = |from: &str, to: &str, flags| vfs.rename(&me, None, from.as_bytes(), None, to.as_bytes(), flags);
    assert_eq!(mv("/none", "/x", 0), Err(Errno::ENOENT));
    assert_eq!(mv("/d", "/d/sub/x", 0), Err(Errno::EINVAL));
    assert_eq!(mv("/d", "/d/x", 0), Err(Errno::EINVAL));
    assert_eq!(mv("/d/sub", "/d", 0), Err(Errno::ENOTEMPTY));
    assert_eq!(mv("/d", "/f", 0), Err(Errno::ENOTDIR));
    assert_eq!(mv("/f", "/d", 0), Err(Errno::EISDIR));
    assert_eq!(mv("/d", "/full", 0), Err(Errno::ENOTEMPTY));
    assert_eq!(mv("/f", "/g", RENAME_NOREPLACE), Err(Errno::EEXIST));
    assert_eq!(mv("/f", "/h", RENAME_EXCHANGE), Err(Errno::ENOENT));
    assert_eq!(mv("/f", "/g", RENAME_EXCHANGE | RENAME_NOREPLACE), Err(Errno::EINVAL));
    assert_eq!(mv("/", "/x", 0), Err(Errno::EBUSY));
    assert_eq!(mv("/d/.", "/x", 0), Err(Errno::EBUSY));
    assert_eq!(mv("/f", "/h/", 0), Err(Errno::ENOTDIR));
    assert_eq!(mv("/f/", "/h", 0), Err(Errno::ENOTDIR));
    assert_eq!(mv("/f", "/g", RENAME_EXCHANGE), Ok(()));
    assert_eq!(get(&vfs, &me, "/f").as_deref(), Ok("g"));
    assert_eq!(mv("/f", "/g", 0), Ok(()));
    assert_eq!(get(&vfs, &me, "/g").as_deref(), Ok("g"));
    assert_eq!(mv("/d", "/empty", 0), Ok(()));
    assert_eq!(mv("/empty/", "/full/x/", 0), Ok(()));
    assert_eq!(list(&vfs, &me, "/full/x"), [".", "..", "sub"]);
    assert_eq!(vfs.stat(&me, None, b"/", true).unwrap().nlink, 3);
    vfs.link(&me, None, b"/g", None, b"/same", false).unwrap();
    assert_eq!(mv("/g", "/same", 0), Ok(()));
    assert_eq!(vfs.stat(&me, None, b"/g", true).unwrap().nlink, 2);
}

#[test]
fn removing_special_names_fails_as_on_linux() {
    let (vfs, me) = vfs();
    mkdir(&vfs, &me, "/d");
    put(&vfs, &me, "/f", "");
    assert_eq!(vfs.unlink(&me, None, b"/d"), Err(Errno::EISDIR));
    assert_eq!(vfs.unlink(&me, None, b"/f/"), Err(Errno::ENOTDIR));
    assert_eq!(vfs.unlink(&me, None, b"/d/."), Err(Errno::EISDIR));
    assert_eq!(vfs.remove_dir(&me, None, b"/d/."), Err(Errno::EINVAL));
    assert_eq!(vfs.remove_dir(&me, None, b"/d/.."), Err(Errno::ENOTEMPTY));
    assert_eq!(vfs.remove_dir(&me, None, b"/"), Err(Errno::EBUSY));
    assert_eq!(vfs.remove_dir(&me, None, b"/f"), Err(Errno::ENOTDIR));
    assert_eq!(vfs.remove_dir(&me, None, b"/d/"), Ok(()));
    assert_eq!(vfs.mkdir(&me, None, b"/", 0o777), Err(Errno::EEXIST));
    assert_eq!(vfs.mkdir(&me, None, b"/new/", 0o777), Ok(()));
    assert_eq!(vfs.symlink(&me, b"x", None, b"/s/"), Err(Errno::ENOENT));
    assert_eq!(vfs.link(&me, None, b"/new", None, b"/n2", false), Err(Errno::EPERM));
}

#[test]
fn what_may_be_run() {
    let (vfs, root) = vfs();
    let user = Caller { credentials: Credentials { uid: 1, gid: 1 }, ..root };
    let run = |caller: &Caller, path: &str| vfs.open_program(caller, path.as_bytes()).map(drop);
    let chmod = |mode| {
        let mode = Attributes { mode: Some(mode), ..Attributes::default() };
        vfs.set_attributes(&root, None, b"/tool", true, &mode).unwrap();
    };
    put(&vfs, &root, "/tool", "x");
    assert_eq!(run(&root, "/tool"), Err(Errno::EACCES), "nobody may");
    chmod(0o711);
    assert_eq!(run(&user, "/tool"), Ok(()), "running is not reading");
    chmod(0o700);
    assert_eq!(run(&user, "/tool"), Err(Errno::EACCES));
    assert_eq!(run(&root, "/tool"), Ok(()));
    assert_eq!(run(&root, "/"), Err(Errno::EACCES), "a directory");
    assert_eq!(run(&root, "/none"), Err(Errno::ENOENT));
}

#[test]
fn other_users_are_held_to_modes_and_sticky_bits() {
    let (vfs, root) = vfs();
    let user = |uid| Caller { credentials: Credentials { uid, gid: uid }, ..root };
    vfs.mkdir(&root, None, b"/tmp", 0o777).unwrap();
    let mode = |mode| Attributes { mode: Some(mode), ..Attributes::default() };
    vfs.set_attributes(&root, None, b"/tmp", true, &mode(0o1777)).unwrap();
    vfs.mkdir(&root, None, b"/secret", 0o700).unwrap();
    put(&vfs, &root, "/secret/f", "s");
    put(&vfs, &user(1), "/tmp/mine", "1");
    assert_eq!(get(&vfs, &user(1), "/secret/f"), Err(Errno::EACCES));
    assert_eq!(vfs.unlink(&user(2), None, b"/tmp/mine"), Err(Errno::EPERM));
    assert_eq!(vfs.rename(&user(2), None, b"/tmp/mine", None, b"/tmp/x", 0), Err(Errno::EPERM));
    assert_eq!(vfs.open(&user(2), None, b"/tmp/mine", OpenFlags::WRONLY, 0).err(), Some(Errno::EACCES));
    assert_eq!(vfs.open(&user(2), None, b"/tmp/mine", OpenFlags::TRUNC, 0).err(), Some(Errno::EACCES));
    assert_eq!(vfs.mkdir(&user(1), None, b"/d", 0o777), Err(Errno::EACCES));
    assert_eq!(vfs.set_attributes(&user(2), None, b"/tmp/mine", true, &mode(0o777)), Err(Errno::EPERM));
    let chown = Attributes { uid: Some(2), ..Attributes::default() };
    assert_eq!(vfs.set_attributes(&user(1), None, b"/tmp/mine", true, &chown), Err(Errno::EPERM));
    let at = Attributes { mtime: SetTime::At(Time { sec: 1, nsec: 2 }), ..Attributes::default() };
    assert_eq!(vfs.set_attributes(&user(2), None, b"/tmp/mine", true, &at), Err(Errno::EPERM));
    let now = Attributes { atime: SetTime::Now, mtime: SetTime::Now, ..Attributes::default() };
    assert_eq!(vfs.set_attributes(&user(2), None, b"/tmp/mine", true, &now), Err(Errno::EACCES));
    assert_eq!(vfs.set_attributes(&user(1), None, b"/tmp/mine", true, &at), Ok(()));
    assert_eq!(vfs.stat(&root, None, b"/tmp/mine", true).unwrap().mtime, Time { sec: 1, nsec: 2 });
    assert_eq!(vfs.access(&user(2), None, b"/tmp/mine", W_OK, true), Err(Errno::EACCES));
    assert_eq!(vfs.access(&root, None, b"/tmp/mine", X_OK, true), Err(Errno::EACCES));
    assert_eq!(vfs.unlink(&user(1), None, b"/tmp/mine"), Ok(()));
}

#[test]
fn writing_and_chown_take_set_id_bits_off() {
    let (vfs, root) = vfs();
    let user = Caller { credentials: Credentials { uid: 1, gid: 1 }, ..root };
    put(&vfs, &root, "/f", "x");
    let mode = |vfs: &Vfs| vfs.stat(&root, None, b"/f", true).unwrap().mode;
    let set = |attributes: Attributes| vfs.set_attributes(&root, None, b"/f", true, &attributes).unwrap();
    set(Attributes { mode: Some(0o6777), ..Attributes::default() });
    let file = vfs.open(&root, None, b"/f", OpenFlags::WRONLY, 0).unwrap();
    file.write_at(0, b"y").unwrap();
    assert_eq!(mode(&vfs), 0o6777);
    let file = vfs.open(&user, None, b"/f", OpenFlags::WRONLY, 0).unwrap();
    file.write_at(0, b"z").unwrap();
    assert_eq!(mode(&vfs), 0o777);
    set(Attributes { mode: Some(0o6777), ..Attributes::default() });
    set(Attributes { uid: Some(5), ..Attributes::default() });
    assert_eq!(mode(&vfs), 0o777);
}

#[test]
fn mounts_are_crossed_both_ways_and_kept_apart() {
    let (vfs, me) = vfs();
    mkdir(&vfs, &me, "/mnt");
    put(&vfs, &me, "/mnt/hidden", "h");
    put(&vfs, &me, "/f", "f");
    let other = Arc::new(MemoryFs::new(Quota::unlimited()));
    let id = vfs.mount(b"/mnt", other.clone(), MountOptions::default()).unwrap();
    assert_eq!(get(&vfs, &me, "/mnt/hidden"), Err(Errno::ENOENT));
    put(&vfs, &me, "/mnt/in", "i");
    assert_eq!(get(&vfs, &me, "/mnt/../mnt/./in").as_deref(), Ok("i"));
    assert_eq!(vfs.rename(&me, None, b"/f", None, b"/mnt/f", 0), Err(Errno::EXDEV));
    assert_eq!(vfs.link(&me, None, b"/f", None, b"/mnt/f", false), Err(Errno::EXDEV));
    assert_eq!(vfs.remove_dir(&me, None, b"/mnt"), Err(Errno::EBUSY));
    assert_eq!(vfs.rename(&me, None, b"/mnt", None, b"/x", 0), Err(Errno::EBUSY));
    let dev = |path: &[u8]| vfs.stat(&me, None, path, true).unwrap().dev;
    assert_ne!(dev(b"/mnt"), dev(b"/"));
    assert_eq!(dev(b"/mnt"), dev(b"/mnt/in"));
    let place = vfs.resolve(&me, None, b"/mnt/in", true).unwrap();
    assert_eq!(place.mount, id);
    assert_eq!(vfs.path_of(place).as_deref(), Some(&b"/mnt/in"[..]));
    assert_eq!(vfs.mounts()[1].path, b"/mnt");
    let dir = vfs.open(&me, None, b"/mnt", OpenFlags::DIRECTORY, 0).unwrap();
    let mut inos = Vec::new();
    dir.read_dir(0, &mut |entry| {
        inos.push(entry.ino);
        inos.len() < 2
    })
    .unwrap();
    assert_eq!(inos, [other.root().0, vfs.root().node.0]);
}

#[test]
fn a_read_only_mount_refuses_every_change() {
    let (vfs, me) = vfs();
    mkdir(&vfs, &me, "/ro");
    let fs = MemoryFs::new(Quota::unlimited());
    fs.create_static(fs.root(), b"f", 0o644, b"static").unwrap();
    vfs.mount(b"/ro", Arc::new(fs), MountOptions { read_only: true, journal: true }).unwrap();
    assert_eq!(get(&vfs, &me, "/ro/f").as_deref(), Ok("static"));
    let open = |path: &str, flags: OpenFlags| vfs.open(&me, None, path.as_bytes(), flags, 0o666).err();
    assert_eq!(open("/ro/f", OpenFlags::WRONLY), Some(Errno::EROFS));
    assert_eq!(open("/ro/f", OpenFlags::TRUNC), Some(Errno::EROFS));
    assert_eq!(open("/ro/new", CREATE), Some(Errno::EROFS));
    assert_eq!(open("/ro/f", OpenFlags::CREAT), None);
    let set = |attributes| vfs.set_attributes(&me, None, b"/ro/f", true, &attributes);
    assert_eq!(set(Attributes { size: Some(0), ..Attributes::default() }), Err(Errno::EROFS));
    assert_eq!(set(Attributes { mode: Some(0), ..Attributes::default() }), Err(Errno::EROFS));
    assert_eq!(set(Attributes { mtime: SetTime::Now, ..Attributes::default() }), Err(Errno::EROFS));
    assert_eq!(vfs.unlink(&me, None, b"/ro/f"), Err(Errno::EROFS));
    assert_eq!(vfs.rename(&me, None, b"/ro/f", None, b"/ro/g", 0), Err(Errno::EROFS));
    assert_eq!(vfs.link(&me, None, b"/ro/f", None, b"/ro/g", false), Err(Errno::EROFS));
    assert_eq!(vfs.mkdir(&me, None, b"/ro/d", 0o777), Err(Errno::EROFS));
    assert_eq!(vfs.mkdir(&me, None, b"/ro/f", 0o777), Err(Errno::EEXIST));
    assert_eq!(vfs.access(&me, None, b"/ro/f", W_OK, true), Err(Errno::EROFS));
    let file = vfs.open(&me, None, b"/ro/f", OpenFlags::RDONLY, 0).unwrap();
    assert_eq!(file.write_at(0, b"x"), Err(Errno::EROFS));
    assert_eq!(file.append(b"x"), Err(Errno::EROFS));
    assert_eq!(file.set_len(0), Err(Errno::EROFS));
    let times = Attributes { mtime: SetTime::Now, ..Attributes::default() };
    assert_eq!(file.set_attributes(&me.credentials, &times), Err(Errno::EROFS));
    assert!(vfs.usage(file.place()).unwrap().read_only);
}

#[test]
fn reading_a_directory_goes_on_where_it_stopped() {
    let (vfs, me) = vfs();
    for name in ["/a", "/b", "/c", "/d"] {
        put(&vfs, &me, name, "");
    }
    let dir = vfs.open(&me, None, b"/", OpenFlags::DIRECTORY, 0).unwrap();
    let (mut seen, mut cookie) = (Vec::new(), 0);
    loop {
        let mut one = None;
        dir.read_dir(cookie, &mut |entry| {
            one = Some(entry);
            false
        })
        .unwrap();
        let Some(entry) = one else { break };
        cookie = entry.next;
        // What is read is removed, and new names come.
        if entry.name == b"b" {
            vfs.unlink(&me, None, b"/b").unwrap();
            vfs.unlink(&me, None, b"/c").unwrap();
            put(&vfs, &me, "/z", "");
        }
        seen.push(String::from_utf8(entry.name).unwrap());
    }
    assert_eq!(seen, [".", "..", "a", "b", "d", "z"]);
}

#[test]
fn deep_trees_are_walked_without_recursion() {
    let (vfs, mut me) = vfs();
    let mut dirs = Vec::new();
    for _ in 0..10_000 {
        vfs.mkdir(&me, None, b"d", 0o777).unwrap();
        let dir = vfs.open_cwd(&me, None, b"d").unwrap();
        me.cwd = dir.place();
        dirs.push(dir);
    }
    assert_eq!(vfs.path_of(me.cwd).unwrap().len(), 20_000);
    put(&vfs, &me, "f", "deep");
    let up = [&b"../"[..]; 1000].concat();
    let mut back = me;
    for _ in 0..10 {
        back.cwd = vfs.resolve(&back, None, &up, true).unwrap();
    }
    assert_eq!(back.cwd, vfs.root());
    assert_eq!(vfs.rename(&me, None, b"/d", None, b"d2", 0), Err(Errno::EINVAL));
}

#[test]
fn threads_that_meet_leave_a_whole_tree_and_a_true_journal() {
    let quota = Quota::unlimited();
    let vfs = Vfs::new(Arc::new(MemoryFs::new(quota.clone())));
    let me = Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 1 };
    for dir in ["/a", "/b"] {
        mkdir(&vfs, &me, dir);
    }
    vfs.journal().begin();
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let (vfs, me) = (&vfs, &me);
            scope.spawn(move || {
                for n in 0..2000_u32 {
                    let pick = |salt: u32| {
                        let number = n.wrapping_mul(2_654_435_761).wrapping_add(thread * 97 + salt * 31) >> 7;
                        format!("/{}/{}", ["a", "b"][number as usize % 2], number % 5)
                    };
                    let (one, two) = (pick(1), pick(2));
                    match (n + thread) % 6 {
                        0 => drop(vfs.open(me, None, one.as_bytes(), CREATE, 0o666).map(|file| file.append(b"x"))),
                        1 => drop(vfs.mkdir(me, None, one.as_bytes(), 0o777)),
                        2 => drop(vfs.rename(me, None, one.as_bytes(), None, two.as_bytes(), 0)),
                        3 => drop(vfs.link(me, None, one.as_bytes(), None, two.as_bytes(), false)),
                        4 => drop(vfs.unlink(me, None, one.as_bytes())),
                        _ => drop(vfs.remove_dir(me, None, one.as_bytes())),
                    }
                }
            });
        }
    });
    // All that is there was made in this run, so the journal lists exactly that.
    let mut expected = Vec::new();
    for dir in ["/a", "/b"] {
        expected.extend(list(&vfs, &me, dir).into_iter().skip(2).map(|name| format!("{dir}/{name}").into_bytes()));
    }
    expected.sort();
    let changes = vfs.changes();
    assert_eq!(changes.created, expected);
    assert!(changes.modified.is_empty() && changes.deleted.is_empty() && changes.renamed.is_empty());
    for path in expected {
        let _ = vfs.unlink(&me, None, &path).or_else(|_| vfs.remove_dir(&me, None, &path));
    }
    assert!(vfs.changes().is_empty());
    assert_eq!(quota.used(), (0, 2));
}
