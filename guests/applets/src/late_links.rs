//! Symbolic links out of an archive that could lead elsewhere are made last: until then an empty file holds the place, so
//! that nothing in the archive is written through them.

use capsule_sys::{
    AT_FDCWD, AT_SYMLINK_NOFOLLOW, Errno, OpenFlags, Result, SetTime, Time, fstat, lstat, open, symlink, unlink,
    utimens_at,
};

struct Link {
    path: Vec<u8>,
    target: Vec<u8>,
    mtime: Option<Time>,
    /// The file in its place.
    dev: u64,
    ino: u64,
}

#[derive(Default)]
pub struct LateLinks(Vec<Link>);

/// Whether a target is absolute or leads up.
pub fn leads_out(target: &[u8]) -> bool {
    target.first() == Some(&b'/') || target.split(|&b| b == b'/').any(|part| part == b"..")
}

impl LateLinks {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the place for a link.
    pub fn add(&mut self, path: &[u8], target: &[u8], mtime: Option<Time>) -> Result<()> {
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC;
        let found = fstat(open(path, flags, 0)?.raw())?;
        self.0.push(Link { path: path.to_vec(), target: target.to_vec(), mtime, dev: found.dev, ino: found.ino });
        Ok(())
    }

    /// Makes the links whose places nobody took; `each` hears of every one.
    pub fn finish(self, mut each: impl FnMut(&[u8], &[u8], Option<Errno>)) {
        for link in self.0 {
            if !lstat(&link.path).is_ok_and(|s| (s.dev, s.ino) == (link.dev, link.ino)) {
                continue;
            }
            let made = unlink(&link.path).and_then(|()| symlink(&link.target, &link.path));
            if let Some(mtime) = link.mtime {
                let time = SetTime::At(mtime);
                let _ = utimens_at(AT_FDCWD, &link.path, SetTime::Now, time, AT_SYMLINK_NOFOLLOW);
            }
            each(&link.path, &link.target, made.err());
        }
    }
}
