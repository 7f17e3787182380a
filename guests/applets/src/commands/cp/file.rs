//! Single files: data, links, attributes.

use super::copy::{Copier, Sparse};
use crate::input::dir_name;
use crate::quote::quoted;
use crate::temporary;
use capsule_sys::{
    AT_FDCWD, AT_SYMLINK_FOLLOW, AT_SYMLINK_NOFOLLOW, Errno, Fd, FileType, OpenFlags, SetTime, Stat, chmod, chown_at,
    fstat, ftruncate, link, lstat, open, pwrite, read, readlink, stat, symlink, unlink, utimens_at, write,
};

/// Zeros that are at least as many become a hole.
const HOLE: usize = 4096;

impl Copier {
    pub fn symbolic_link(&mut self, source: &[u8], s: &Stat, to: &[u8]) {
        let elsewhere = match (stat(b"."), stat(dir_name(to))) {
            (Ok(here), Ok(there)) => (here.dev, here.ino) != (there.dev, there.ino),
            _ => false,
        };
        if !source.starts_with(b"/") && elsewhere {
            return self.fail(format_args!(
                "{}: can make relative symbolic links only in current directory",
                crate::quote::name(to)
            ));
        }
        match self.make_link(to, |name| symlink(source, name)) {
            // The link has the times that were to be kept, its own owner and mode.
            Ok(()) => self.times(to, s),
            Err(e) => self.fail(format_args!("cannot create symbolic link {} to {}: {e}", quoted(to), quoted(source))),
        }
    }

    pub fn hard_link(&mut self, source: &[u8], to: &[u8], follow: bool) {
        let flags = if follow { AT_SYMLINK_FOLLOW } else { 0 };
        if let Err(e) = self.make_link(to, |name| link(source, name, flags)) {
            self.fail(format_args!("cannot create hard link {} to {}: {e}", quoted(to), quoted(source)));
        }
    }

    /// Another name of a file that was copied already.
    pub fn second_name(&mut self, first: &[u8], to: &[u8]) {
        let made = link(first, to, 0).or_else(|e| match e {
            Errno::EEXIST => {
                let same = matches!((lstat(first), lstat(to)), (Ok(a), Ok(b)) if (a.dev, a.ino) == (b.dev, b.ino));
                if same {
                    return Ok(());
                }
                unlink(to)?;
                if self.verbose {
                    self.out.write(format!("removed {}\n", quoted(to)).as_bytes());
                }
                link(first, to, 0)
            }
            e => Err(e),
        });
        if let Err(e) = made {
            self.fail(format_args!("cannot create hard link {} to {}: {e}", quoted(to), quoted(first)));
        }
    }

    /// Makes a link; `-f` puts it in the place of what is there.
    fn make_link(&self, to: &[u8], make: impl Fn(&[u8]) -> Result<(), Errno>) -> Result<(), Errno> {
        make(to).or_else(|e| match e {
            Errno::EEXIST if self.force => temporary::link_over(to, make),
            e => Err(e),
        })
    }

    pub fn same_link(&mut self, source: &[u8], s: &Stat, to: &[u8]) {
        let made = readlink(source).and_then(|target| {
            symlink(&target, to).or_else(|e| match e {
                Errno::EEXIST if self.moving || self.force => unlink(to).and_then(|()| symlink(&target, to)),
                e => Err(e),
            })
        });
        match made {
            Ok(()) => self.attributes(to, s, true),
            Err(e) => self.fail(format_args!("cannot create symbolic link {}: {e}", quoted(to))),
        }
    }

    pub fn data(&mut self, source: &[u8], s: &Stat, to: &[u8], existing: Option<Stat>) {
        let from = match open(source, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
            Ok(from) => from,
            Err(e) => return self.fail(format_args!("cannot open {} for reading: {e}", quoted(source))),
        };
        let mut mode = if self.preserve.no_mode { 0o666 } else { s.mode & 0o777 };
        if self.preserve.ownership {
            // Nobody else reads it before it has its owner.
            mode &= 0o700;
        }
        let flags = OpenFlags::WRONLY | OpenFlags::CLOEXEC;
        let truncate = if self.data { OpenFlags::TRUNC } else { OpenFlags(0) };
        let create = OpenFlags::CREAT | OpenFlags::EXCL;
        let opened = match existing {
            Some(_) => open(to, flags | truncate, 0).or_else(|e| match self.force {
                true => unlink(to).and_then(|()| open(to, flags | create, mode)),
                false => Err(e),
            }),
            // A link that leads nowhere is not written through.
            None if lstat(to).is_ok_and(|there| there.kind == FileType::Symlink) => {
                return self.fail(format_args!("not writing through dangling symlink {}", quoted(to)));
            }
            None => open(to, flags | create, mode),
        };
        let target = match opened {
            Ok(target) => target,
            Err(e) => {
                let e = if e == Errno::EISDIR && to.ends_with(b"/") { Errno::ENOTDIR } else { e };
                return self.fail(format_args!("cannot create regular file {}: {e}", quoted(to)));
            }
        };
        if self.data && self.clone {
            return self.fail(format_args!(
                "failed to clone {} from {}: {}",
                quoted(to),
                quoted(source),
                Errno::EOPNOTSUPP
            ));
        }
        if self.data
            && let Err((reading, e)) = copy_data(&from, &target, s, self.sparse)
        {
            let regular = |fd: &Fd| fstat(fd.raw()).is_ok_and(|s| s.kind == FileType::Regular);
            return match reading {
                true => self.fail(format_args!("error reading {}: {e}", quoted(source))),
                // GNU's has the kernel copy between files, and does not know which of them failed.
                false if self.sparse != Sparse::Always && regular(&from) && regular(&target) => {
                    self.fail(format_args!("error copying {} to {}: {e}", quoted(source), quoted(to)));
                }
                false => self.fail(format_args!("error writing {}: {e}", quoted(to))),
            };
        }
        drop(target);
        self.attributes(to, s, existing.is_none());
    }

    fn times(&mut self, to: &[u8], s: &Stat) {
        if self.preserve.timestamps {
            let (a, m) = (SetTime::At(s.atime), SetTime::At(s.mtime));
            if let Err(e) = utimens_at(AT_FDCWD, to, a, m, AT_SYMLINK_NOFOLLOW) {
                self.fail(format_args!("preserving times for {}: {e}", quoted(to)));
            }
        }
    }

    /// Times, owner and mode, as far as they are to be kept.
    pub fn attributes(&mut self, to: &[u8], s: &Stat, new: bool) {
        let link = s.kind == FileType::Symlink;
        self.times(to, s);
        let mut mode = s.mode;
        if self.preserve.ownership {
            match chown_at(AT_FDCWD, to, Some(s.uid), Some(s.gid), AT_SYMLINK_NOFOLLOW) {
                Ok(()) => {}
                // Who may not give files away keeps them, without the bits that would be dangerous then.
                Err(Errno::EPERM | Errno::EINVAL) => mode &= 0o1777,
                Err(e) => self.fail(format_args!("failed to preserve ownership for {}: {e}", quoted(to))),
            }
        }
        if link {
            return;
        }
        let wanted = if self.preserve.mode {
            Some(mode)
        } else if self.preserve.ownership && new && s.kind == FileType::Regular {
            let usual = if self.preserve.no_mode { 0o666 } else { mode & 0o777 };
            Some(usual & !self.umask)
        } else if s.kind == FileType::Directory && new && !self.preserve.no_mode {
            Some(mode & 0o1777 & !self.umask)
        } else if s.kind == FileType::Directory && new {
            Some(0o777 & !self.umask)
        } else {
            None
        };
        if let Some(wanted) = wanted
            && let Err(e) = chmod(to, wanted)
        {
            self.fail(format_args!("preserving permissions for {}: {e}", quoted(to)));
        }
    }
}

/// Copies what is in a file; or what went wrong, and whether it was with reading.
fn copy_data(from: &Fd, to: &Fd, s: &Stat, sparse: Sparse) -> Result<(), (bool, Errno)> {
    let holes = match sparse {
        Sparse::Never => false,
        Sparse::Auto => s.blocks * 512 < s.size,
        Sparse::Always => true,
    };
    let mut block = vec![0; capsule_sys::io::BLOCK];
    let grain = if holes { HOLE } else { block.len() };
    let mut at = 0;
    loop {
        let n = match read(from.raw(), &mut block) {
            Ok(0) => break,
            Ok(n) => n,
            Err(Errno::EINTR) => continue,
            Err(e) => return Err((true, e)),
        };
        for piece in block[..n].chunks(grain) {
            if holes && piece.iter().all(|b| *b == 0) {
                at += piece.len() as u64;
            } else {
                write_at(to, piece, &mut at).map_err(|e| (false, e))?;
            }
        }
    }
    // The file may end in a hole.
    if holes && fstat(to.raw()).is_ok_and(|t| t.kind == FileType::Regular && t.size < at) {
        ftruncate(to.raw(), at).map_err(|e| (false, e))?;
    }
    Ok(())
}

fn write_at(to: &Fd, mut rest: &[u8], at: &mut u64) -> Result<(), Errno> {
    while !rest.is_empty() {
        let done = pwrite(to.raw(), rest, *at).or_else(|e| match e {
            Errno::ESPIPE => write(to.raw(), rest),
            e => Err(e),
        })?;
        *at += done as u64;
        rest = &rest[done..];
    }
    Ok(())
}
