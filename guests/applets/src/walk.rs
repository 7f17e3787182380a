//! A tree of files, node by node, without recursion: a path may be longer than any call takes, and a tree deeper than
//! any stack. Directories are entered by descriptor; only some stay open, and the way back is `..`, checked.

use capsule_sys::{AT_FDCWD, AT_SYMLINK_NOFOLLOW, Dir, Errno, Fd, FileType, OpenFlags, Stat, fstat, open_at, stat_at};

/// Which symbolic links are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follow {
    Never,
    /// Those that are operands.
    Operands,
    Always,
}

/// What a step met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Met {
    /// No directory.
    Node(Stat),
    /// A directory, before what is in it; [`Walk::skip`] leaves that out.
    Enter(Stat),
    /// The same directory again, behind what is in it.
    Leave(Stat),
    /// A directory that contains itself, by a link.
    Cycle(Stat),
    /// Nothing is known of it but its name.
    Unknown(Errno),
    /// A directory that could not be read; its `Leave` follows.
    Unreadable(Stat, Errno),
}

struct Level {
    /// None while it is closed to spare descriptors.
    fd: Option<Fd>,
    stat: Stat,
    names: std::vec::IntoIter<Vec<u8>>,
    /// Bytes of the path that name this directory.
    path: usize,
}

/// How many directories stay open.
const OPEN: usize = 32;

pub struct Walk {
    follow: Follow,
    path: Vec<u8>,
    /// Where the last component of the path begins.
    name: usize,
    levels: Vec<Level>,
    /// A directory whose contents come next.
    entering: Option<Stat>,
    started: bool,
    /// The way back was lost: somebody moved directories meanwhile.
    lost: Option<Errno>,
}

impl Walk {
    pub fn new(operand: &[u8], follow: Follow) -> Walk {
        Walk { follow, path: operand.to_vec(), name: 0, levels: Vec::new(), entering: None, started: false, lost: None }
    }

    /// The node's whole path, for people.
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// The directory and the name in it, for calls.
    pub fn at(&self) -> (i32, &[u8]) {
        let dir = self.levels.last().and_then(|l| l.fd.as_ref()).map_or(AT_FDCWD, Fd::raw);
        (dir, &self.path[self.name..])
    }

    /// How many directories are above: 0 for the operand.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Leaves out what is in the directory just entered; its `Leave` comes all the same.
    pub fn skip(&mut self) {
        if let Some(stat) = self.entering.take() {
            self.levels.push(self.level(None, stat, Vec::new()));
        }
    }

    /// The next node; none at the end.
    pub fn step(&mut self) -> Option<Met> {
        if self.lost.is_some() {
            self.levels.clear();
            return self.lost.take().map(Met::Unknown).filter(|_| self.started);
        }
        if !self.started {
            self.started = true;
            return Some(self.look());
        }
        if let Some(stat) = self.entering.take() {
            match self.open(&stat) {
                Ok((fd, names)) => {
                    let level = self.level(Some(fd), stat, names);
                    self.levels.push(level);
                    self.spare();
                }
                Err(e) => {
                    let level = self.level(None, stat, Vec::new());
                    self.levels.push(level);
                    return Some(Met::Unreadable(stat, e));
                }
            }
        }
        let level = self.levels.last_mut()?;
        self.path.truncate(level.path);
        if let Some(name) = level.names.next() {
            if !self.path.ends_with(b"/") {
                self.path.push(b'/');
            }
            self.name = self.path.len();
            self.path.extend_from_slice(&name);
            return Some(self.look());
        }
        let stat = level.stat;
        self.leave();
        Some(Met::Leave(stat))
    }

    fn level(&self, fd: Option<Fd>, stat: Stat, names: Vec<Vec<u8>>) -> Level {
        Level { fd, stat, names: names.into_iter(), path: self.path.len() }
    }

    fn follows(&self) -> bool {
        match self.follow {
            Follow::Never => false,
            Follow::Operands => self.levels.is_empty(),
            Follow::Always => true,
        }
    }

    fn look(&mut self) -> Met {
        let (dir, name) = self.at();
        let flags = if self.follows() { 0 } else { AT_SYMLINK_NOFOLLOW };
        match stat_at(dir, name, flags) {
            Err(e) => Met::Unknown(e),
            Ok(s) if s.kind != FileType::Directory => Met::Node(s),
            Ok(s) if self.levels.iter().any(|l| (l.stat.dev, l.stat.ino) == (s.dev, s.ino)) => Met::Cycle(s),
            Ok(s) => {
                self.entering = Some(s);
                Met::Enter(s)
            }
        }
    }

    fn open(&self, stat: &Stat) -> Result<(Fd, Vec<Vec<u8>>), Errno> {
        let (dir, name) = self.at();
        let mut flags = OpenFlags::RDONLY | OpenFlags::DIRECTORY | OpenFlags::CLOEXEC;
        if !self.follows() {
            flags |= OpenFlags::NOFOLLOW;
        }
        let fd = open_at(dir, name, flags, 0)?;
        let now = fstat(fd.raw())?;
        if (now.dev, now.ino) != (stat.dev, stat.ino) {
            return Err(Errno::ENOENT);
        }
        let mut reader = Dir::new(fd);
        let names: Result<Vec<_>, Errno> = reader.by_ref().map(|e| e.map(|e| e.name)).collect();
        Ok((reader.into_fd(), names?))
    }

    /// Closes directories far above.
    fn spare(&mut self) {
        if let Some(far) = self.levels.len().checked_sub(OPEN + 1) {
            self.levels[far].fd = None;
        }
    }

    /// Back to the directory above, opened again where it was closed.
    fn leave(&mut self) {
        let Some(left) = self.levels.pop() else { return };
        self.path.truncate(left.path);
        let above = self.levels.last().map_or(0, |l| l.path);
        self.name = match above {
            0 => 0,
            n => n + usize::from(self.path.get(n) == Some(&b'/')),
        };
        let Some(parent) = self.levels.last_mut() else { return };
        if parent.fd.is_some() {
            return;
        }
        let flags = OpenFlags::RDONLY | OpenFlags::DIRECTORY | OpenFlags::CLOEXEC;
        let back = left.fd.as_ref().ok_or(Errno::ENOENT).and_then(|fd| open_at(fd.raw(), b"..", flags, 0));
        let checked = back.and_then(|fd| {
            let now = fstat(fd.raw())?;
            if (now.dev, now.ino) == (parent.stat.dev, parent.stat.ino) { Ok(fd) } else { Err(Errno::ENOENT) }
        });
        match checked {
            Ok(fd) => parent.fd = Some(fd),
            Err(e) => self.lost = Some(e),
        }
    }
}
