//! Opening what is beneath the root and nothing else. **Every descriptor of a host folder is opened here.**
//!
//! Names come one by one (no `..`, no `/` inside), so that the way is always downwards. The kernel is told to follow no
//! link and to cross no mount (`openat2`); where it does not know that call, each component is opened on its own and
//! looked at before the next.

use super::table::{Identity, Name};
use crate::{Errno, Result};
use capsule_abi::fs::{FileType, NAME_MAX};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno as HostErrno;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The kernel takes paths of 4095 bytes; longer ways are gone in several steps.
const STEP: usize = 4000;
/// `openat2` asks to try again when somebody renames at the same moment.
const TRIES: usize = 32;

const BENEATH: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// A directory on the way: never listed or read through this descriptor.
pub const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
/// Something to be looked at only: opening so has no effect on FIFOs and devices, and gives links themselves.
pub const LOOK: OFlags = OFlags::PATH;

/// The root of a host folder, and how to get below it.
pub struct Root {
    fd: OwnedFd,
    dev: u64,
    openat2: AtomicBool,
}

impl Root {
    pub fn new(fd: OwnedFd, dev: u64) -> Root {
        Root { fd, dev, openat2: AtomicBool::new(true) }
    }

    /// Does without `openat2` from now on.
    pub fn walk_only(&self) {
        self.openat2.store(false, Relaxed);
    }

    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Opens what is at the end of `way`; an empty way is the root itself.
    pub fn open(&self, way: &[Name], flags: OFlags) -> Result<OwnedFd, HostErrno> {
        let Some((last, parents)) = way.split_last() else {
            return self.open_at(self.fd(), b".", flags, Mode::empty());
        };
        let mut at: Option<OwnedFd> = None;
        let mut path: Vec<u8> = Vec::new();
        for name in parents {
            if path.len() + name.len() > STEP {
                at = Some(self.open_at(self.start(&at), &path, DIRECTORY, Mode::empty())?);
                path.clear();
            }
            path.extend_from_slice(name);
            path.push(b'/');
        }
        if path.len() + last.len() > STEP {
            at = Some(self.open_at(self.start(&at), &path, DIRECTORY, Mode::empty())?);
            path.clear();
        }
        path.extend_from_slice(last);
        self.open_at(self.start(&at), &path, flags, Mode::empty())
    }

    fn start<'a>(&'a self, at: &'a Option<OwnedFd>) -> BorrowedFd<'a> {
        at.as_ref().map_or(self.fd(), |fd| fd.as_fd())
    }

    /// Opens one name in a directory.
    pub fn open_name(&self, dir: BorrowedFd<'_>, name: &[u8], flags: OFlags, mode: Mode) -> Result<OwnedFd, HostErrno> {
        self.open_at(dir, name, flags, mode)
    }

    fn open_at(&self, dir: BorrowedFd<'_>, path: &[u8], flags: OFlags, mode: Mode) -> Result<OwnedFd, HostErrno> {
        // What is not opened with O_PATH was, or is about to be found, a regular file or a directory; should it have
        // been swapped for a FIFO or a terminal, opening it neither waits nor takes it as ours.
        let harmless = if flags.contains(OFlags::PATH) { OFlags::empty() } else { OFlags::NONBLOCK | OFlags::NOCTTY };
        let flags = flags | harmless | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if self.openat2.load(Relaxed) {
            for _ in 0..TRIES {
                match rustix::fs::openat2(dir, path, flags, mode, BENEATH) {
                    Err(HostErrno::AGAIN | HostErrno::INTR) => {}
                    // No such call (old kernels), or a filter that does not know it.
                    Err(HostErrno::NOSYS | HostErrno::PERM) if self.unknown_openat2() => {
                        return self.walk(dir, path, flags, mode);
                    }
                    answer => return answer,
                }
            }
            return Err(HostErrno::AGAIN);
        }
        self.walk(dir, path, flags, mode)
    }

    /// Whether `openat2` fails for the most harmless question too; then it is not asked again.
    fn unknown_openat2(&self) -> bool {
        let unknown = rustix::fs::openat2(self.fd(), c".", LOOK | OFlags::CLOEXEC, Mode::empty(), BENEATH).is_err();
        if unknown {
            self.walk_only();
        }
        unknown
    }

    fn walk(&self, dir: BorrowedFd<'_>, path: &[u8], flags: OFlags, mode: Mode) -> Result<OwnedFd, HostErrno> {
        let mut at: Option<OwnedFd> = None;
        let mut names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()).peekable();
        while let Some(name) = names.next() {
            if name == b".." {
                return Err(HostErrno::XDEV);
            }
            let (flags, mode) = match names.peek() {
                // With O_DIRECTORY a link is not opened, even with O_PATH.
                Some(_) => (DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()),
                None => (flags, mode),
            };
            let fd = rustix::fs::openat(at.as_ref().map_or(dir, |fd| fd.as_fd()), name, flags, mode)?;
            if rustix::fs::fstat(&fd)?.st_dev != self.dev {
                return Err(HostErrno::XDEV);
            }
            at = Some(fd);
        }
        at.ok_or(HostErrno::NOENT)
    }
}

/// A single component that leads downwards. [`Vfs`](crate::Vfs) has checked it, but this is the wall.
pub fn check_name(name: &[u8]) -> Result<()> {
    match name {
        [] => Err(Errno::ENOENT),
        b"." | b".." => Err(Errno::EINVAL),
        _ if name.len() > NAME_MAX => Err(Errno::ENAMETOOLONG),
        _ if name.iter().any(|&byte| byte == b'/' || byte == 0) => Err(Errno::EINVAL),
        _ => Ok(()),
    }
}

pub fn identity(stat: &rustix::fs::Stat) -> Identity {
    // The mask leaves one of the types the table knows; the host has no others.
    let kind = FileType::from_mode(stat.st_mode).unwrap_or(FileType::Socket);
    Identity { dev: stat.st_dev, ino: stat.st_ino, kind }
}

/// A host error as guests may see it.
pub fn errno(error: HostErrno) -> Errno {
    match error {
        // Something else is mounted there, on the host: not part of this folder.
        HostErrno::XDEV => Errno::EACCES,
        _ => Errno::from_linux(error.raw_os_error()).unwrap_or(Errno::EIO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(path: &std::path::Path) -> [Root; 2] {
        let open = || {
            let fd = rustix::fs::open(path, DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap();
            let dev = rustix::fs::fstat(&fd).unwrap().st_dev;
            Root::new(fd, dev)
        };
        let walking = open();
        walking.walk_only();
        [open(), walking]
    }

    fn way(path: &str) -> Vec<Name> {
        path.split('/').map(|name| Name::from(name.as_bytes())).collect()
    }

    #[test]
    fn nothing_above_or_beside_the_root_is_opened() {
        let temp = tempfile::tempdir().unwrap();
        let inside = temp.path().join("inside");
        std::fs::create_dir_all(inside.join("a")).unwrap();
        std::fs::write(temp.path().join("secret"), "s").unwrap();
        std::fs::write(inside.join("a/file"), "f").unwrap();
        std::os::unix::fs::symlink("..", inside.join("up")).unwrap();
        std::os::unix::fs::symlink("/", inside.join("abs")).unwrap();
        std::os::unix::fs::symlink("a", inside.join("within")).unwrap();
        std::os::unix::fs::symlink("/proc/self/root", inside.join("magic")).unwrap();
        for root in roots(&inside) {
            assert!(root.open(&way("a/file"), OFlags::RDONLY).is_ok());
            assert!(root.open(&[], LOOK).is_ok());
            for bad in ["../secret", "up/secret", "abs/etc", "within/file", "magic/etc", "up", "abs", "a/../../secret"]
            {
                assert!(root.open(&way(bad), OFlags::RDONLY).is_err(), "{bad}");
            }
            // A link itself may be looked at.
            let link = root.open(&way("up"), LOOK).unwrap();
            assert_eq!(identity(&rustix::fs::fstat(&link).unwrap()).kind, FileType::Symlink);
        }
    }

    #[test]
    fn ways_longer_than_path_max_are_gone() {
        let temp = tempfile::tempdir().unwrap();
        let name = "n".repeat(200);
        for root in roots(temp.path()) {
            let mut at = root.open(&[], DIRECTORY).unwrap();
            for _ in 0..60 {
                let _ = rustix::fs::mkdirat(&at, name.as_str(), Mode::RWXU);
                at = root.open_name(at.as_fd(), name.as_bytes(), DIRECTORY, Mode::empty()).unwrap();
            }
            let long = vec![Name::from(name.as_bytes()); 60];
            let again = root.open(&long, LOOK).unwrap();
            assert_eq!(rustix::fs::fstat(&again).unwrap().st_ino, rustix::fs::fstat(&at).unwrap().st_ino);
        }
    }

    #[test]
    fn names_that_are_more_than_a_name_are_refused() {
        for bad in [&b""[..], b".", b"..", b"a/b", b"/", b"a\0b"] {
            assert!(check_name(bad).is_err());
        }
        assert_eq!(check_name(&[b'x'; 256]), Err(Errno::ENAMETOOLONG));
        for good in [&b"..."[..], b"\xff\xfe", b"new\nline", &[b'x'; 255], b" "] {
            assert_eq!(check_name(good), Ok(()));
        }
    }
}
