//! What guests and other programs on the host may try against a mounted folder, and that nothing outside it is ever
//! read, written or opened. Every case runs with `openat2` and with the fallback for kernels that lack it.

use capsule_abi::fs::{FileType, OpenFlags, RENAME_EXCHANGE, SetTime, Time};
use capsule_vfs::hostdir::HostDir;
use capsule_vfs::{
    Attributes, Caller, Credentials, Errno, Filesystem, MemoryFs, MountOptions, NewNode, NodeId, NodeKind, OpenNode,
    Quota, Result, Vfs,
};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

const SECRET: &[u8] = b"the host's own";

/// A folder `inside` that is mounted, and beside it what must stay untouched.
struct Host {
    temp: tempfile::TempDir,
}

impl Host {
    fn new() -> Host {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("inside")).unwrap();
        std::fs::create_dir(temp.path().join("outside")).unwrap();
        std::fs::write(temp.path().join("outside/secret"), SECRET).unwrap();
        Host { temp }
    }

    fn inside(&self, name: &str) -> std::path::PathBuf {
        self.temp.path().join("inside").join(name)
    }

    fn outside(&self, name: &str) -> std::path::PathBuf {
        self.temp.path().join("outside").join(name)
    }

    fn untouched(&self) {
        assert_eq!(std::fs::read(self.outside("secret")).unwrap(), SECRET);
        let names: Vec<_> = std::fs::read_dir(self.temp.path().join("outside")).unwrap().collect();
        assert_eq!(names.len(), 1, "{names:?}");
    }

    fn dir(&self, openat2: bool, read_only: bool) -> HostDir {
        let dir = HostDir::open(&self.temp.path().join("inside"), read_only, Quota::unlimited()).unwrap();
        if openat2 { dir } else { dir.without_openat2() }
    }

    fn session(&self, openat2: bool) -> Session {
        Session::new(self.dir(openat2, false))
    }
}

struct Session {
    vfs: Vfs,
    caller: Caller,
}

impl Session {
    fn new(dir: HostDir) -> Session {
        let vfs = Vfs::new(Arc::new(dir));
        let caller = Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 1 };
        Session { vfs, caller }
    }

    fn open(&self, path: &str, flags: OpenFlags) -> Result<OpenNode> {
        self.vfs.open(&self.caller, None, path.as_bytes(), flags, 0o666)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        let node = self.open(path, OpenFlags::RDONLY)?;
        let mut buf = vec![0; 4096];
        let n = node.read_at(0, &mut buf)?;
        buf.truncate(n);
        Ok(buf)
    }

    fn write(&self, path: &str, data: &[u8]) -> Result<usize> {
        self.open(path, OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC)?.write_at(0, data)
    }

    fn names(&self, path: &str) -> Vec<Vec<u8>> {
        let node = self.open(path, OpenFlags::RDONLY).unwrap();
        let mut names = Vec::new();
        node.read_dir(0, &mut |entry| {
            names.push(entry.name);
            true
        })
        .unwrap();
        names.retain(|name| !matches!(name.as_slice(), b"." | b".."));
        names
    }
}

fn both(test: impl Fn(bool)) {
    test(true);
    test(false);
}

#[test]
fn links_out_of_the_folder_lead_into_the_sandbox_only() {
    both(|openat2| {
        let host = Host::new();
        symlink(host.outside("secret"), host.inside("absolute")).unwrap();
        symlink("../outside/secret", host.inside("relative")).unwrap();
        symlink("../outside", host.inside("folder")).unwrap();
        symlink("/", host.inside("root")).unwrap();
        symlink("/proc/self/root", host.inside("magic")).unwrap();
        symlink("/proc/self/cwd", host.inside("cwd")).unwrap();
        symlink("../../../../../../../../etc/passwd", host.inside("far")).unwrap();
        let session = host.session(openat2);
        for path in
            ["absolute", "relative", "folder/secret", "root/etc/passwd", "magic/etc/passwd", "cwd/secret", "far"]
        {
            assert!(matches!(session.read(path), Err(Errno::ENOENT)), "{path}: {:?}", session.read(path));
            assert!(session.write(path, b"x").is_err(), "{path}");
        }
        // The sandbox's own root is where an absolute link leads.
        session.vfs.mkdir(&session.caller, None, b"etc", 0o755).unwrap();
        session.write("etc/passwd", b"sandbox").unwrap();
        assert_eq!(session.read("root/etc/passwd").unwrap(), b"sandbox");
        assert_eq!(session.read("far").unwrap(), b"sandbox");
        assert_eq!(std::fs::read(host.inside("etc/passwd")).unwrap(), b"sandbox");
        host.untouched();
    });
}

#[test]
fn dotdot_stays_at_the_root() {
    both(|openat2| {
        let host = Host::new();
        std::fs::create_dir(host.inside("a")).unwrap();
        let session = host.session(openat2);
        for path in ["..", "../..", "/..", "a/../..", "../../../../.."] {
            let stat = session.vfs.stat(&session.caller, None, path.as_bytes(), true).unwrap();
            assert_eq!(stat.ino, std::fs::metadata(host.inside(".")).unwrap().ino(), "{path}");
        }
        assert!(session.read("../outside/secret").is_err());
        assert!(session.read("a/../../outside/secret").is_err());
    });
}

#[test]
fn a_listing_has_the_numbers_of_stat() {
    let host = Host::new();
    std::fs::create_dir(host.inside("a")).unwrap();
    std::fs::write(host.inside("a/f"), "").unwrap();
    let session = host.session(true);
    let node = session.open("a", OpenFlags::RDONLY).unwrap();
    node.read_dir(0, &mut |entry| {
        let path = [b"a/", entry.name.as_slice()].concat();
        assert_eq!(session.vfs.stat(&session.caller, None, &path, false).unwrap().ino, entry.ino, "{entry:?}");
        true
    })
    .unwrap();
}

#[test]
fn the_wall_itself_refuses_names_that_are_paths() {
    both(|openat2| {
        let host = Host::new();
        std::fs::create_dir(host.inside("a")).unwrap();
        let dir = host.dir(openat2, false);
        let (root, new) = (dir.root(), NewNode { kind: NodeKind::Regular, mode: 0o644, uid: 0, gid: 0 });
        let a = dir.lookup(root, b"a").unwrap();
        for bad in [&b".."[..], b".", b"", b"../outside", b"/etc", b"a/b", b"..\0", b"a/../../outside/secret"] {
            assert!(dir.lookup(root, bad).is_err());
            assert!(dir.create(root, bad, &new).is_err());
            assert!(dir.unlink(root, bad).is_err());
            assert!(dir.remove_dir(root, bad).is_err());
            assert!(dir.rename(root, bad, root, b"b", 0).is_err());
            assert!(dir.rename(root, b"a", root, bad, 0).is_err());
            assert!(dir.link(a, root, bad).is_err());
        }
        assert!(dir.stat(NodeId(0)).is_err());
        assert!(dir.stat(NodeId(u64::MAX)).is_err());
        host.untouched();
    });
}

#[test]
fn a_read_only_folder_refuses_every_way_of_writing() {
    both(|openat2| {
        let host = Host::new();
        std::fs::write(host.inside("file"), "content").unwrap();
        std::fs::create_dir(host.inside("dir")).unwrap();
        symlink("file", host.inside("link")).unwrap();
        let before = std::fs::metadata(host.inside("file")).unwrap();
        let dir = host.dir(openat2, true);
        let root = dir.root();
        let file = dir.lookup(root, b"file").unwrap();
        dir.pin(file).unwrap();
        let new = |kind| NewNode { kind, mode: 0o644, uid: 0, gid: 0 };
        let set = |attributes| dir.set_attributes(file, &attributes);
        let nothing = Attributes::default();
        let time = SetTime::At(Time { sec: 1, nsec: 0 });
        let refused = [
            dir.write(file, 0, b"x").map(drop),
            dir.append(file, b"x").map(drop),
            set(Attributes { size: Some(0), ..nothing }),
            set(Attributes { mode: Some(0o777), ..nothing }),
            set(Attributes { uid: Some(0), ..nothing }),
            set(Attributes { mtime: time, ..nothing }),
            set(Attributes { atime: SetTime::Now, ..nothing }),
            dir.create(root, b"new", &new(NodeKind::Regular)).map(drop),
            dir.create(root, b"new", &new(NodeKind::Directory)).map(drop),
            dir.create(root, b"new", &new(NodeKind::Symlink(b"file".to_vec()))).map(drop),
            dir.create(root, b"new", &new(NodeKind::Fifo)).map(drop),
            dir.link(file, root, b"new"),
            dir.unlink(root, b"file"),
            dir.remove_dir(root, b"dir"),
            dir.rename(root, b"file", root, b"new", 0),
            dir.rename(root, b"file", root, b"link", RENAME_EXCHANGE),
        ];
        for (at, answer) in refused.into_iter().enumerate() {
            assert_eq!(answer, Err(Errno::EROFS), "{at}");
        }
        dir.unpin(file);
        // Through the namespace too, truncation while opening included.
        let session = Session::new(host.dir(openat2, true));
        assert!(matches!(session.open("file", OpenFlags::RDONLY | OpenFlags::TRUNC), Err(Errno::EROFS)));
        assert!(matches!(session.open("link", OpenFlags::WRONLY | OpenFlags::TRUNC), Err(Errno::EROFS)));
        let after = std::fs::metadata(host.inside("file")).unwrap();
        let facts = |m: &std::fs::Metadata| (m.mode(), m.nlink(), m.len(), m.mtime_nsec(), m.ctime_nsec());
        assert_eq!(facts(&before), facts(&after));
        assert_eq!(std::fs::read(host.inside("file")).unwrap(), b"content");
    });
}

#[test]
fn a_read_only_mount_is_not_written_through_a_writable_one() {
    let host = Host::new();
    std::fs::create_dir(host.inside("rw")).unwrap();
    std::fs::create_dir(host.inside("ro")).unwrap();
    std::fs::write(host.inside("ro/file"), "content").unwrap();
    let vfs = Vfs::new(Arc::new(MemoryFs::new(Quota::unlimited())));
    let caller = Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 1 };
    for (name, read_only) in [("rw", false), ("ro", true)] {
        vfs.mkdir(&caller, None, name.as_bytes(), 0o755).unwrap();
        let dir = HostDir::open(&host.inside(name), read_only, Quota::unlimited()).unwrap();
        let options = MountOptions { read_only, ..MountOptions::default() };
        vfs.mount(format!("/{name}").as_bytes(), Arc::new(dir), options).unwrap();
    }
    let session = Session { vfs, caller };
    let (vfs, caller) = (&session.vfs, &session.caller);
    assert_eq!(vfs.link(caller, None, b"ro/file", None, b"rw/file", false), Err(Errno::EXDEV));
    assert!(vfs.rename(caller, None, b"ro/file", None, b"rw/file", 0).is_err());
    session.write("rw/other", b"x").unwrap();
    assert!(vfs.rename(caller, None, b"rw/other", None, b"ro/file", 0).is_err());
    assert!(vfs.rename(caller, None, b"rw/other", None, b"ro/file", RENAME_EXCHANGE).is_err());
    vfs.symlink(caller, b"/ro/file", None, b"rw/link").unwrap();
    assert_eq!(session.write("rw/link", b"x"), Err(Errno::EROFS));
    assert_eq!(std::fs::read(host.inside("ro/file")).unwrap(), b"content");
}

#[test]
fn fifos_devices_and_sockets_are_shown_and_never_opened() {
    both(|openat2| {
        let host = Host::new();
        let mkfifo = std::process::Command::new("mkfifo").arg(host.inside("fifo")).status().unwrap();
        assert!(mkfifo.success());
        let _socket = std::os::unix::net::UnixListener::bind(host.inside("socket")).unwrap();
        // Only root can make one; without it the rest is tested all the same.
        let device = std::process::Command::new("mknod").arg(host.inside("device")).args(["c", "1", "5"]).output();
        let device = device.is_ok_and(|output| output.status.success());
        let session = host.session(openat2);
        let started = Instant::now();
        let mut special = vec![("fifo", FileType::Fifo), ("socket", FileType::Socket)];
        if device {
            special.push(("device", FileType::CharDevice));
        }
        for (name, kind) in special {
            let stat = session.vfs.stat(&session.caller, None, name.as_bytes(), true).unwrap();
            assert_eq!((stat.kind, stat.rdev), (kind, 0));
            assert!(session.names(".").contains(&name.as_bytes().to_vec()));
            for flags in [OpenFlags::RDONLY, OpenFlags::WRONLY, OpenFlags::RDWR, OpenFlags::RDWR | OpenFlags::NONBLOCK]
            {
                let refused = session.open(name, flags).err();
                assert!(matches!(refused, Some(Errno::EACCES | Errno::ENXIO)), "{name} {refused:?}");
                assert!(session.open(name, flags | OpenFlags::CREAT | OpenFlags::TRUNC).is_err());
            }
            // And below the namespace.
            let dir = host.dir(openat2, false);
            let node = dir.lookup(dir.root(), name.as_bytes()).unwrap();
            dir.pin(node).unwrap();
            assert_eq!(dir.read(node, 0, &mut [0; 8]), Err(Errno::EACCES));
            assert_eq!(dir.write(node, 0, b"x"), Err(Errno::EACCES));
            assert_eq!(dir.append(node, b"x"), Err(Errno::EACCES));
            assert!(dir.content(node).is_err());
            assert!(dir.set_attributes(node, &Attributes { size: Some(0), ..Attributes::default() }).is_err());
            assert!(dir.set_attributes(node, &Attributes { mode: Some(0o777), ..Attributes::default() }).is_err());
            dir.unpin(node);
        }
        // A test of "never blocks": a blocked open would wait for ever, so any bound does.
        assert!(started.elapsed() < Duration::from_secs(20));
        assert_eq!(session.vfs.mkfifo(&session.caller, None, b"new", 0o644), Err(Errno::EPERM));
        assert!(!host.inside("new").exists());
    });
}

#[test]
fn set_id_bits_and_owners_do_not_reach_the_host() {
    both(|openat2| {
        let host = Host::new();
        let session = host.session(openat2);
        let (vfs, caller) = (&session.vfs, &session.caller);
        let node = vfs.open(caller, None, b"tool", OpenFlags::RDWR | OpenFlags::CREAT, 0o6755).unwrap();
        let mode = |name: &str| std::fs::metadata(host.inside(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode("tool"), 0o755);
        let set = |attributes| vfs.set_attributes(caller, None, b"tool", true, &attributes);
        set(Attributes { mode: Some(0o6777), ..Attributes::default() }).unwrap();
        assert_eq!(mode("tool"), 0o777);
        node.set_attributes(&caller.credentials, &Attributes { mode: Some(0o4711), ..Attributes::default() }).unwrap();
        assert_eq!(mode("tool"), 0o711);
        vfs.mkdir(caller, None, b"dir", 0o2777).unwrap();
        assert_eq!(mode("dir"), 0o755);
        let owner = Attributes { uid: Some(1), ..Attributes::default() };
        assert_eq!(set(owner), Err(Errno::EPERM));
        assert_eq!(set(Attributes { gid: Some(1), ..Attributes::default() }), Err(Errno::EPERM));
        assert_eq!(set(Attributes { uid: Some(0), gid: Some(0), ..Attributes::default() }), Ok(()));
    });
}

#[test]
fn the_hosts_umask_does_not_matter() {
    // The test process's umask is not changed (other tests run beside this one): most are 022 or stricter than 0.
    both(|openat2| {
        let host = Host::new();
        let mut session = host.session(openat2);
        session.caller.umask = 0;
        let (vfs, caller) = (&session.vfs, &session.caller);
        vfs.open(caller, None, b"file", OpenFlags::RDWR | OpenFlags::CREAT, 0o666).unwrap();
        vfs.mkdir(caller, None, b"dir", 0o1777).unwrap();
        let mode = |name: &str| std::fs::metadata(host.inside(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode("file"), mode("dir")), (0o666, 0o1777));
    });
}

#[test]
fn odd_names_survive() {
    both(|openat2| {
        let host = Host::new();
        let session = host.session(openat2);
        let (vfs, caller) = (&session.vfs, &session.caller);
        let longest = vec![b'x'; 255];
        let names: [&[u8]; 7] = [b"new\nline", b"\xff\xfe\x80", b" ", b"-rf", b"...", b"*", &longest];
        for name in names {
            let node = vfs.open(caller, None, name, OpenFlags::RDWR | OpenFlags::CREAT, 0o644).unwrap();
            node.write_at(0, name).unwrap();
            let path = host.inside(".").join(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name));
            assert_eq!(std::fs::read(path).unwrap(), name);
        }
        let mut listed = session.names(".");
        listed.sort();
        let mut sorted = names.map(<[u8]>::to_vec).to_vec();
        sorted.sort();
        assert_eq!(listed, sorted);
        let too_long = vec![b'x'; 256];
        let open = vfs.open(caller, None, &too_long, OpenFlags::RDWR | OpenFlags::CREAT, 0o644);
        assert!(matches!(open, Err(Errno::ENAMETOOLONG)));
        assert_eq!(vfs.symlink(caller, &vec![b'x'; 5000], None, b"s"), Err(Errno::ENAMETOOLONG));
    });
}

#[test]
fn deep_trees_are_gone_down_and_removed_step_by_step() {
    const DEPTH: usize = 2_000;
    let host = Host::new();
    let session = host.session(true);
    let vfs = &session.vfs;
    let mut caller = session.caller;
    let mut cwds = vec![vfs.open_cwd(&caller, None, b".").unwrap()];
    for _ in 0..DEPTH {
        vfs.mkdir(&caller, None, b"d", 0o755).unwrap();
        let cwd = vfs.open_cwd(&caller, None, b"d").unwrap();
        caller.cwd = cwd.place();
        // Only the last is kept: descriptors are few.
        cwds = vec![cwd];
    }
    assert_eq!(vfs.path_of(caller.cwd).unwrap().len(), 2 * DEPTH);
    let node = vfs.open(&caller, None, b"file", OpenFlags::RDWR | OpenFlags::CREAT, 0o644).unwrap();
    node.write_at(0, b"deep").unwrap();
    drop(node);
    vfs.unlink(&caller, None, b"file").unwrap();
    for _ in 0..DEPTH {
        let up = vfs.open_cwd(&caller, None, b"..").unwrap();
        caller.cwd = up.place();
        cwds = vec![up];
        vfs.remove_dir(&caller, None, b"d").unwrap();
    }
    drop(cwds);
    assert!(session.names("/").is_empty());
}

/// Swaps a name between a folder, and a link to the folder outside, as fast as it can.
fn race(host: &Host, a: &Path, b: &Path, attack: impl Fn(&Session) + Sync, openat2: bool) {
    let stop = AtomicBool::new(false);
    let session = host.session(openat2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Relaxed) {
                let _ = rustix::fs::renameat_with(
                    rustix::fs::CWD,
                    a,
                    rustix::fs::CWD,
                    b,
                    rustix::fs::RenameFlags::EXCHANGE,
                );
            }
        });
        for _ in 0..3_000 {
            attack(&session);
        }
        stop.store(true, Relaxed);
    });
    host.untouched();
}

#[test]
fn a_folder_swapped_for_a_link_meanwhile_leads_nowhere() {
    both(|openat2| {
        let host = Host::new();
        std::fs::create_dir(host.inside("dir")).unwrap();
        std::fs::write(host.inside("dir/secret"), "decoy").unwrap();
        symlink(host.outside(""), host.inside("link")).unwrap();
        let (dir, link) = (host.inside("dir"), host.inside("link"));
        let attack = |session: &Session| {
            // What is read is the decoy or nothing.
            if let Ok(bytes) = session.read("dir/secret") {
                assert!(bytes == b"decoy" || bytes == b"mine", "{bytes:?}");
            }
            let _ = session.write("dir/secret", b"mine");
            let (vfs, caller) = (&session.vfs, &session.caller);
            let _ = vfs.mkdir(caller, None, b"dir/new", 0o755);
            let _ = vfs.rename(caller, None, b"dir/secret", None, b"dir/moved", 0);
            let _ = vfs.rename(caller, None, b"dir/moved", None, b"dir/secret", 0);
            let _ = vfs.link(caller, None, b"dir/secret", None, b"dir/hard", false);
            let chmod = Attributes { mode: Some(0o600), ..Attributes::default() };
            let _ = vfs.set_attributes(caller, None, b"dir/secret", true, &chmod);
            let _ = vfs.unlink(caller, None, b"dir/hard");
            let _ = vfs.remove_dir(caller, None, b"dir/new");
        };
        let mode = std::fs::metadata(host.outside("secret")).unwrap().mode();
        race(&host, &dir, &link, attack, openat2);
        assert_eq!(std::fs::metadata(host.outside("secret")).unwrap().mode(), mode);
    });
}

#[test]
fn a_file_swapped_for_a_link_meanwhile_leads_nowhere() {
    both(|openat2| {
        let host = Host::new();
        std::fs::write(host.inside("file"), "decoy").unwrap();
        symlink(host.outside("secret"), host.inside("link")).unwrap();
        let (file, link) = (host.inside("file"), host.inside("link"));
        let attack = |session: &Session| {
            if let Ok(bytes) = session.read("file") {
                assert_ne!(bytes, SECRET);
            }
            let _ = session.write("file", b"mine");
            let (vfs, caller) = (&session.vfs, &session.caller);
            for follow in [true, false] {
                let time = SetTime::At(Time { sec: 1, nsec: 0 });
                let times = Attributes { atime: time, mtime: time, ..Attributes::default() };
                let _ = vfs.set_attributes(caller, None, b"file", follow, &times);
                let truncate = Attributes { size: Some(0), ..Attributes::default() };
                let _ = vfs.set_attributes(caller, None, b"file", follow, &truncate);
                let chmod = Attributes { mode: Some(0o777), ..Attributes::default() };
                let _ = vfs.set_attributes(caller, None, b"file", follow, &chmod);
            }
            let _ = vfs.link(caller, None, b"file", None, b"hard", true);
            let _ = vfs.unlink(caller, None, b"hard");
        };
        let before = std::fs::metadata(host.outside("secret")).unwrap();
        race(&host, &file, &link, attack, openat2);
        let after = std::fs::metadata(host.outside("secret")).unwrap();
        assert_eq!((before.mode(), before.mtime_nsec()), (after.mode(), after.mtime_nsec()));
        assert_eq!(after.nlink(), 1);
    });
}

#[test]
fn a_folder_moved_out_of_the_root_is_not_followed() {
    both(|openat2| {
        let host = Host::new();
        std::fs::create_dir_all(host.inside("dir/sub")).unwrap();
        std::fs::write(host.inside("dir/sub/file"), "in").unwrap();
        let session = host.session(openat2);
        let cwd = session.vfs.open_cwd(&session.caller, None, b"dir/sub").unwrap();
        let mut caller = session.caller;
        caller.cwd = cwd.place();
        std::fs::rename(host.inside("dir/sub"), host.temp.path().join("moved")).unwrap();
        std::fs::write(host.temp.path().join("moved/later"), SECRET).unwrap();
        // The working directory is held, yet nothing can be reached through it any more.
        for path in ["later", "file", "../outside/secret", "..//moved/later"] {
            assert!(session.vfs.stat(&caller, None, path.as_bytes(), true).is_err(), "{path}");
        }
        assert!(session.vfs.mkdir(&caller, None, b"new", 0o755).is_err());
        assert!(cwd.read_dir(0, &mut |entry| matches!(entry.name.as_slice(), b"." | b"..")).is_err());
        assert!(!host.temp.path().join("moved/new").exists());
    });
}

#[test]
fn a_file_replaced_on_the_host_is_another_node() {
    both(|openat2| {
        let host = Host::new();
        std::fs::write(host.inside("file"), "old").unwrap();
        let dir = host.dir(openat2, false);
        let node = dir.lookup(dir.root(), b"file").unwrap();
        let open = dir.lookup(dir.root(), b"file").unwrap();
        assert_eq!(node, open);
        dir.pin(node).unwrap();
        std::fs::write(host.inside("new"), "new").unwrap();
        std::fs::rename(host.inside("new"), host.inside("file")).unwrap();
        // Who has it open reads the old one, whoever looks now finds the new one.
        let mut buf = [0; 8];
        assert_eq!(dir.read(node, 0, &mut buf), Ok(3));
        assert_eq!(&buf[..3], b"old");
        let found = dir.lookup(dir.root(), b"file").unwrap();
        assert_ne!(found, node);
        assert_eq!(dir.read(found, 0, &mut buf), Ok(3));
        assert_eq!(&buf[..3], b"new");
        dir.unpin(node);
        assert_eq!(dir.read(node, 0, &mut buf), Err(Errno::ESTALE));
    });
}

#[test]
fn a_node_is_never_what_took_its_place() {
    both(|openat2| {
        let host = Host::new();
        for name in ["file", "fifo", "link"] {
            std::fs::write(host.inside(name), "mine").unwrap();
        }
        std::fs::create_dir(host.inside("dir")).unwrap();
        let dir = host.dir(openat2, false);
        let [file, fifo, link, folder] =
            ["file", "fifo", "link", "dir"].map(|name| dir.lookup(dir.root(), name.as_bytes()));
        // Kept elsewhere, so that no inode number is used again.
        for name in ["file", "fifo", "link", "dir"] {
            std::fs::rename(host.inside(name), host.temp.path().join(name)).unwrap();
        }
        std::fs::write(host.inside("file"), "another's").unwrap();
        assert!(std::process::Command::new("mkfifo").arg(host.inside("fifo")).status().unwrap().success());
        symlink(host.outside("secret"), host.inside("link")).unwrap();
        std::fs::create_dir(host.inside("dir")).unwrap();
        let new = NewNode { kind: NodeKind::Regular, mode: 0o644, uid: 0, gid: 0 };
        let chmod = Attributes { mode: Some(0o777), ..Attributes::default() };
        let truncate = Attributes { size: Some(0), ..Attributes::default() };
        for node in [file.unwrap(), fifo.unwrap(), link.unwrap()] {
            assert_eq!(dir.read(node, 0, &mut [0; 8]), Err(Errno::ESTALE));
            assert_eq!(dir.write(node, 0, b"x"), Err(Errno::ESTALE));
            assert_eq!(dir.append(node, b"x"), Err(Errno::ESTALE));
            assert_eq!(dir.set_attributes(node, &chmod), Err(Errno::ESTALE));
            assert_eq!(dir.set_attributes(node, &truncate), Err(Errno::ESTALE));
            assert_eq!(dir.pin(node), Err(Errno::ESTALE));
            assert!(dir.content(node).is_err());
            assert!(dir.link(node, dir.root(), b"hard").is_err());
        }
        assert_eq!(dir.create(folder.unwrap(), b"new", &new), Err(Errno::ESTALE));
        assert_eq!(dir.lookup(folder.unwrap(), b"new"), Err(Errno::ESTALE));
        assert!(!host.inside("hard").exists());
        assert_eq!(std::fs::read(host.inside("file")).unwrap(), b"another's");
        host.untouched();
    });
}

#[test]
fn an_unlinked_file_stays_open_for_reading_and_writing() {
    both(|openat2| {
        let host = Host::new();
        std::fs::write(host.inside("file"), "content").unwrap();
        std::fs::write(host.inside("other"), "other").unwrap();
        let session = host.session(openat2);
        let (vfs, caller) = (&session.vfs, &session.caller);
        let unlinked = session.open("file", OpenFlags::RDWR).unwrap();
        vfs.unlink(caller, None, b"file").unwrap();
        assert_eq!(unlinked.write_at(7, b"!"), Ok(1));
        assert_eq!(unlinked.stat().map(|stat| (stat.nlink, stat.size)), Ok((0, 8)));
        let replaced = session.open("other", OpenFlags::RDWR).unwrap();
        session.write("third", b"third").unwrap();
        vfs.rename(caller, None, b"third", None, b"other", 0).unwrap();
        assert_eq!(replaced.append(b"!").map(|(_, n)| n), Ok(1));
        let mut buf = [0; 16];
        assert_eq!(replaced.read_at(0, &mut buf), Ok(6));
        assert_eq!(&buf[..6], b"other!");
        assert_eq!(std::fs::read(host.inside("other")).unwrap(), b"third");
        // Made read-only, and written by who made it.
        let strict = vfs.open(caller, None, b"strict", OpenFlags::WRONLY | OpenFlags::CREAT, 0o444).unwrap();
        assert_eq!(strict.write_at(0, b"x"), Ok(1));
    });
}

#[test]
fn what_the_host_refuses_is_refused_when_it_is_opened() {
    // Root is refused nothing: then there is nothing to see.
    if rustix::process::geteuid().is_root() {
        return;
    }
    both(|openat2| {
        let host = Host::new();
        for (name, mode) in [("unreadable", 0o200), ("unwritable", 0o400), ("nothing", 0o000)] {
            std::fs::write(host.inside(name), "x").unwrap();
            std::fs::set_permissions(host.inside(name), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::fs::create_dir(host.inside("closed")).unwrap();
        std::fs::set_permissions(host.inside("closed"), std::fs::Permissions::from_mode(0o300)).unwrap();
        let session = host.session(openat2);
        let refused = |path, flags| matches!(session.open(path, flags), Err(Errno::EACCES));
        assert!(refused("unreadable", OpenFlags::RDONLY) && refused("unreadable", OpenFlags::RDWR));
        assert!(refused("unwritable", OpenFlags::WRONLY) && refused("unwritable", OpenFlags::RDWR));
        assert!(refused("closed", OpenFlags::RDONLY) && refused("nothing", OpenFlags::RDONLY));
        assert_eq!(session.open("unreadable", OpenFlags::WRONLY).unwrap().write_at(0, b"y"), Ok(1));
        assert_eq!(session.read("unwritable").unwrap(), b"x");
        // All can be looked at, and their modes changed.
        let chmod = Attributes { mode: Some(0o600), ..Attributes::default() };
        session.vfs.set_attributes(&session.caller, None, b"nothing", true, &chmod).unwrap();
        assert_eq!(session.read("nothing").unwrap(), b"x");
        // Who has it open goes on, whatever the mode becomes.
        let open = session.open("nothing", OpenFlags::RDWR).unwrap();
        open.set_attributes(&session.caller.credentials, &Attributes { mode: Some(0), ..Attributes::default() })
            .unwrap();
        assert_eq!(open.write_at(0, b"z"), Ok(1));
        assert_eq!(open.read_at(0, &mut [0; 4]), Ok(1));
        let chmod = Attributes { mode: Some(0o700), ..Attributes::default() };
        session.vfs.set_attributes(&session.caller, None, b"closed", true, &chmod).unwrap();
    });
}

#[test]
fn the_quota_counts_real_bytes_and_gives_them_back() {
    both(|openat2| {
        let host = Host::new();
        std::fs::write(host.inside("there"), vec![1; 100_000]).unwrap();
        let quota = Quota::new(1 << 20, 10);
        let dir = HostDir::open(&host.inside("."), false, quota.clone()).unwrap();
        let session = Session::new(if openat2 { dir } else { dir.without_openat2() });
        let (vfs, caller) = (&session.vfs, &session.caller);
        assert_eq!(quota.used(), (0, 0));
        // A sparse giant costs nothing, a block at its end a block.
        let giant = session.open("giant", OpenFlags::RDWR | OpenFlags::CREAT).unwrap();
        giant.set_len(1 << 40).unwrap();
        assert_eq!(quota.used().1, 1);
        assert_eq!(giant.write_at(1 << 39, b"x"), Ok(1));
        assert!(quota.used().0 <= 64 * 1024, "{:?}", quota.used());
        drop(giant);
        vfs.unlink(caller, None, b"giant").unwrap();
        assert_eq!(quota.used(), (0, 0));
        // Filling ends with ENOSPC, after what fits.
        let full = session.open("full", OpenFlags::RDWR | OpenFlags::CREAT).unwrap();
        let mut written = 0;
        let error = loop {
            match full.append(&[7; 50_000]) {
                Ok((_, n)) => written += n,
                Err(error) => break error,
            }
        };
        assert_eq!(error, Errno::ENOSPC);
        assert!(((1 << 20) - 128 * 1024..=1 << 20).contains(&written), "{written}");
        assert_eq!(quota.take_hits(), (true, false));
        // What is there may be overwritten, removed, and used again.
        assert_eq!(full.write_at(0, &[8; 4096]), Ok(4096));
        full.set_len(0).unwrap();
        assert_eq!(quota.used().0, 0);
        // What was there before costs nothing, and removing it gives nothing.
        vfs.unlink(caller, None, b"there").unwrap();
        assert_eq!(quota.used(), (0, 1));
        for at in 0..9 {
            session.write(&format!("n{at}"), b"").unwrap();
        }
        assert_eq!(session.write("one-more", b""), Err(Errno::ENOSPC));
        assert_eq!(vfs.link(caller, None, b"n0", None, b"hard", false), Err(Errno::ENOSPC));
        assert_eq!(quota.take_hits(), (false, true));
    });
}

#[test]
fn a_listing_sees_what_stays_exactly_once() {
    both(|openat2| {
        let host = Host::new();
        let session = host.session(openat2);
        for at in 0..500 {
            session.write(&format!("stays{at}"), b"").unwrap();
            session.write(&format!("goes{at}"), b"").unwrap();
        }
        let node = session.open(".", OpenFlags::RDONLY).unwrap();
        let (mut cookie, mut seen, mut rounds) = (0, Vec::new(), 0);
        loop {
            let mut batch = Vec::new();
            node.read_dir(cookie, &mut |entry| {
                cookie = entry.next;
                batch.push(entry.name);
                batch.len() < 10
            })
            .unwrap();
            if batch.is_empty() {
                break;
            }
            for name in &batch {
                if name.starts_with(b"goes") {
                    session.vfs.unlink(&session.caller, None, name).unwrap();
                }
            }
            session.write(&format!("new{rounds}"), b"").unwrap();
            rounds += 1;
            seen.extend(batch.into_iter().filter(|name| name.starts_with(b"stays")));
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 500);
        assert!(!session.names(".").iter().any(|name| name.starts_with(b"goes")));
    });
}
