//! Symbolic links out of an archive that could lead elsewhere are made last: until then an empty file holds the place, so
//! that nothing in the archive is written through them.

use capsule_sys::{
    AT_FDCWD, AT_SYMLINK_NOFOLLOW, Errno, FileType, OpenFlags, Result, SetTime, Time, fstat, link, lstat, open,
    symlink, unlink, utimens_at,
};

struct Link {
    path: Vec<u8>,
    /// Further names of it.
    more: Vec<Vec<u8>>,
    target: Vec<u8>,
    mtime: Option<Time>,
    /// The file in its place.
    dev: u64,
    ino: u64,
}

impl Link {
    /// Whether the file that holds the place is still there. Its number may be another file's by now, which has a mode or
    /// a size.
    fn holds(&self, path: &[u8]) -> bool {
        lstat(path).is_ok_and(|s| {
            (s.dev, s.ino) == (self.dev, self.ino) && s.kind == FileType::Regular && s.size == 0 && s.mode & 0o7777 == 0
        })
    }
}

/// What became of a link.
pub enum Late {
    Made,
    /// Something else is in its place.
    Taken,
    Failed(Errno),
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
        let (path, target) = (path.to_vec(), target.to_vec());
        self.0.push(Link { path, more: Vec::new(), target, mtime, dev: found.dev, ino: found.ino });
        Ok(())
    }

    /// A file has become another name of one that was there: is that one the place of a link?
    pub fn linked(&mut self, first: &[u8], path: &[u8]) {
        let Ok(found) = lstat(first) else { return };
        if let Some(late) = self.0.iter_mut().find(|late| (late.dev, late.ino) == (found.dev, found.ino)) {
            late.more.push(path.to_vec());
        }
    }

    /// Makes the links whose places nobody took; `each` hears of every one.
    pub fn finish(self, mut each: impl FnMut(&[u8], &[u8], Late)) {
        for late in self.0 {
            // Of several names the first that is left becomes the link, and the others names of that.
            let places = std::iter::once(&late.path).chain(&late.more);
            let places: Vec<_> = places.filter(|path| late.holds(path)).collect();
            let Some((first, more)) = places.split_first() else {
                each(&late.path, &late.target, Late::Taken);
                continue;
            };
            let mut made = unlink(first).and_then(|()| symlink(&late.target, first));
            if let Some(mtime) = late.mtime {
                let _ = utimens_at(AT_FDCWD, first, SetTime::Now, SetTime::At(mtime), AT_SYMLINK_NOFOLLOW);
            }
            for path in more {
                made = made.and_then(|()| unlink(path)).and_then(|()| link(first, path, 0));
            }
            each(first, &late.target, made.map_or_else(Late::Failed, |()| Late::Made));
        }
    }
}
