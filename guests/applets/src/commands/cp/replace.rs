//! What is there already at the destination: whether it is the source itself, and whether it may go.

use super::copy::{Copier, Follow, Update, same_entry};
use crate::path::{Missing, canonical};
use crate::quote::quoted;
use crate::report;
use capsule_sys::{Errno, FileType, STDERR, Stat, access, lstat, stat, write_all};

/// Source and destination beside each other.
pub enum Same {
    /// Two files, or one that survives being replaced.
    Fine,
    /// One file already, as was asked for: nothing is left to do.
    Done,
    /// One file, which would be lost.
    Lost,
}

impl Same {
    pub fn is_lost(&self) -> bool {
        matches!(self, Same::Lost)
    }
}

fn is_one(a: &Stat, b: &Stat) -> bool {
    (a.dev, a.ino) == (b.dev, b.ino)
}

fn is_link(s: &Stat) -> bool {
    s.kind == FileType::Symlink
}

impl Copier {
    /// What the destination is: a link itself where it is replaced, what it leads to where that is written into.
    pub fn destination(&self, s: &Stat, to: &[u8]) -> Result<Option<Stat>, Errno> {
        let written = s.kind == FileType::Regular
            || (self.as_regular() && !matches!(s.kind, FileType::Directory | FileType::Symlink));
        let replaced = self.moving || self.symbolic || self.link || self.backup.is_some() || self.remove;
        let found = if written && !replaced { stat(to) } else { lstat(to) };
        match found {
            Ok(there) => Ok(Some(there)),
            Err(Errno::ENOENT) => Ok(None),
            // A circle of links can still be removed.
            Err(Errno::ELOOP) if self.force => lstat(to).map(Some),
            Err(e) => Err(e),
        }
    }

    /// Whether what is there may be replaced; says why not.
    pub fn may_replace(&mut self, source: &[u8], s: &Stat, to: &[u8], there: &Stat, top: bool) -> bool {
        let (from_dir, to_dir) = (s.kind == FileType::Directory, there.kind == FileType::Directory);
        let mut done = false;
        if !self.no_clobber {
            match self.same_file(source, s, to, there) {
                Same::Fine => {}
                Same::Done => done = true,
                Same::Lost => {
                    self.fail(format_args!("{} and {} are the same file", quoted(source), quoted(to)));
                    return false;
                }
            }
        }
        if self.update == Update::Newer && !from_dir && there.mtime >= s.mtime {
            return false;
        }
        if !from_dir && (self.no_clobber || (self.interactive && !self.confirms(to, there))) {
            return false;
        }
        if done {
            return false;
        }
        if from_dir && !to_dir {
            let text = format!("cannot overwrite non-directory {} with directory {}", quoted(to), quoted(source));
            self.fail(text);
            return false;
        }
        if top && !to_dir && self.made.contains_key(&(there.dev, there.ino)) && self.backup.is_none() {
            let text = format!("will not overwrite just-created {} with {}", quoted(to), quoted(source));
            self.fail(text);
            return false;
        }
        if !from_dir && to_dir {
            self.fail(format_args!("cannot overwrite directory {} with non-directory", quoted(to)));
            return false;
        }
        true
    }

    pub fn same_file(&self, source: &[u8], s: &Stat, to: &[u8], there: &Stat) -> Same {
        let lost = |is_lost| if is_lost { Same::Lost } else { Same::Fine };
        let same = is_one(s, there);
        if same && self.link {
            return Same::Done;
        }
        let (from, at) = if self.follow == Follow::Never {
            if is_link(s) && is_link(there) {
                let one_name = same_entry(source, to);
                let two_names = same && !one_name && self.backup.is_none();
                return match two_names {
                    // Renaming one to the other would do nothing.
                    true if self.moving => Same::Lost,
                    true => Same::Done,
                    false => lost(one_name),
                };
            }
            (*s, *there)
        } else {
            if !same {
                return Same::Fine;
            }
            let (Ok(from), Ok(at)) = (lstat(source), lstat(to)) else { return Same::Fine };
            if is_link(&from) && is_link(&at) && self.remove {
                return Same::Fine;
            }
            (from, at)
        };
        if self.backup.is_some() {
            // Moved aside, the destination is no longer what the source's link leads to.
            let led_astray = self.follow != Follow::Never && is_link(&from) && !is_link(&at);
            return lost(if is_one(&from, &at) { same_entry(source, to) } else { led_astray });
        }
        if self.remove || self.moving {
            if is_link(&at) {
                return Same::Fine;
            }
            if is_one(&from, &at) && at.nlink > 1 && !same_entry(source, to) {
                return lost(self.moving);
            }
        }
        if !is_link(&from) && !is_link(&at) && !is_one(&from, &at) {
            return Same::Fine;
        }
        // A link may take the place of one name of what it leads to while there are others.
        if self.moving
            && is_link(s)
            && at.nlink > 1
            && let Ok(leads_to) = canonical(source, Missing::None, false, true)
        {
            return lost(same_entry(&leads_to, to));
        }
        if self.symbolic && is_link(&at) {
            return Same::Fine;
        }
        if self.follow == Follow::Never {
            let through = |s: Stat, path: &[u8]| if is_link(&s) { stat(path) } else { Ok(s) };
            match (through(from, source), through(at, to)) {
                (Ok(from), Ok(at)) if is_one(&from, &at) => {}
                _ => return Same::Fine,
            }
            if self.link {
                return if is_link(&at) { Same::Fine } else { Same::Done };
            }
        }
        Same::Lost
    }

    /// Asks.
    fn confirms(&mut self, to: &[u8], there: &Stat) -> bool {
        let _ = self.out.flush();
        let name = report::program();
        let protected = there.kind != FileType::Symlink && access(to, capsule_sys::W_OK).is_err();
        let mode = crate::mode::show(there.st_mode());
        let question = match protected {
            true if self.force || self.remove => {
                format!("{name}: replace {}, overriding mode {:04o} ({})? ", quoted(to), there.mode, &mode[1..])
            }
            true => {
                format!("{name}: unwritable {} (mode {:04o}, {}); try anyway? ", quoted(to), there.mode, &mode[1..])
            }
            false => format!("{name}: overwrite {}? ", quoted(to)),
        };
        let _ = write_all(STDERR, question.as_bytes());
        let mut line = Vec::new();
        let _ = self.answers.read_until(b'\n', &mut line);
        matches!(line.first(), Some(b'y' | b'Y'))
    }
}
