//! Single files: data, links, attributes.

use super::copy::Copier;
use crate::input::dir_name;
use crate::quote::quoted;
use crate::temporary;
use capsule_sys::{
    AT_FDCWD, AT_SYMLINK_FOLLOW, AT_SYMLINK_NOFOLLOW, Errno, FileType, OpenFlags, SetTime, Stat, chmod, chown_at, link,
    lstat, open, read, readlink, stat, symlink, unlink, utimens_at,
};

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
        let mode = if self.preserve.no_mode { 0o666 } else { s.mode & 0o777 };
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
        let mut block = vec![0; if self.data { capsule_sys::io::BLOCK } else { 0 }];
        let mut at = 0;
        while self.data {
            match read(from.raw(), &mut block) {
                Ok(0) => break,
                // A block of zeros becomes a hole.
                Ok(n) if n == block.len() && block.iter().all(|b| *b == 0) => at += n as u64,
                Ok(n) => {
                    let written = (|| {
                        let mut rest = &block[..n];
                        while !rest.is_empty() {
                            let done = capsule_sys::pwrite(target.raw(), rest, at).or_else(|e| match e {
                                Errno::ESPIPE => capsule_sys::write(target.raw(), rest),
                                e => Err(e),
                            })?;
                            at += done as u64;
                            rest = &rest[done..];
                        }
                        Ok::<(), Errno>(())
                    })();
                    if let Err(e) = written {
                        return self.fail(format_args!("error writing {}: {e}", quoted(to)));
                    }
                }
                Err(Errno::EINTR) => {}
                Err(e) => return self.fail(format_args!("error reading {}: {e}", quoted(source))),
            }
        }
        if self.data && capsule_sys::fstat(target.raw()).is_ok_and(|t| t.kind == FileType::Regular && t.size < at) {
            // The file ends in a hole.
            let _ = capsule_sys::ftruncate(target.raw(), at);
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
