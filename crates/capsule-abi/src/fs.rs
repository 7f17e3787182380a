//! File metadata and flags, with Linux numbers.

use crate::wire::{Reader, Short, Writer};
use alloc::vec::Vec;
use core::ops::{BitOr, BitOrAssign};

/// The longest file name, in bytes.
pub const NAME_MAX: usize = 255;
/// The longest path, in bytes, with the NUL that C counts.
pub const PATH_MAX: usize = 4096;
/// How many symbolic links one resolution follows before `ELOOP`.
pub const SYMLOOP_MAX: usize = 40;

/// What kind of thing a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FileType {
    Regular,
    Directory,
    Symlink,
    Fifo,
    CharDevice,
    BlockDevice,
    Socket,
}

/// The type bits of `st_mode`.
pub const S_IFMT: u32 = 0o170000;
/// Set-user-id, set-group-id and sticky, and the nine permission bits.
pub const MODE_BITS: u32 = 0o7777;
pub const S_ISUID: u32 = 0o4000;
pub const S_ISGID: u32 = 0o2000;
pub const S_ISVTX: u32 = 0o1000;

impl FileType {
    /// The type bits of `st_mode`.
    pub fn mode_bits(self) -> u32 {
        match self {
            FileType::Fifo => 0o010000,
            FileType::CharDevice => 0o020000,
            FileType::Directory => 0o040000,
            FileType::BlockDevice => 0o060000,
            FileType::Regular => 0o100000,
            FileType::Symlink => 0o120000,
            FileType::Socket => 0o140000,
        }
    }

    /// The type in an `st_mode`.
    pub fn from_mode(mode: u32) -> Option<FileType> {
        Some(match mode & S_IFMT {
            0o010000 => FileType::Fifo,
            0o020000 => FileType::CharDevice,
            0o040000 => FileType::Directory,
            0o060000 => FileType::BlockDevice,
            0o100000 => FileType::Regular,
            0o120000 => FileType::Symlink,
            0o140000 => FileType::Socket,
            _ => return None,
        })
    }
}

/// A point in time: seconds since the epoch, and nanoseconds below a second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Time {
    pub sec: i64,
    pub nsec: u32,
}

impl Time {
    /// Whole nanoseconds since the epoch, saturating (WASI counts so).
    pub fn as_nanos(self) -> u64 {
        u64::try_from(i128::from(self.sec) * 1_000_000_000 + i128::from(self.nsec)).unwrap_or(0)
    }

    pub fn from_nanos(nanos: u64) -> Time {
        Time { sec: (nanos / 1_000_000_000) as i64, nsec: (nanos % 1_000_000_000) as u32 }
    }
}

/// What `stat` tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stat {
    pub dev: u64,
    pub ino: u64,
    pub kind: FileType,
    /// The twelve permission bits, without the type.
    pub mode: u32,
    pub nlink: u32,
    pub uid: u32,
    pub gid: u32,
    pub rdev: u64,
    pub size: u64,
    /// Allocated space in units of 512 bytes.
    pub blocks: u64,
    pub atime: Time,
    pub mtime: Time,
    pub ctime: Time,
}

impl Stat {
    /// Bytes of the wire form.
    pub const WIRE: usize = 8 * 2 + 4 * 4 + 8 * 3 + 3 * 16;

    /// `st_mode` as C has it: type and permissions in one.
    pub fn st_mode(&self) -> u32 {
        self.kind.mode_bits() | self.mode
    }

    /// dev ino mode nlink uid gid rdev size blocks, then three times (i64 seconds, u32 nanoseconds, u32 zero).
    pub fn to_wire(&self) -> Vec<u8> {
        let mut w = Writer::with_capacity(Self::WIRE);
        w.u64(self.dev).u64(self.ino);
        w.u32(self.st_mode()).u32(self.nlink).u32(self.uid).u32(self.gid);
        w.u64(self.rdev).u64(self.size).u64(self.blocks);
        for t in [self.atime, self.mtime, self.ctime] {
            w.i64(t.sec).u32(t.nsec).u32(0);
        }
        w.finish()
    }

    pub fn from_wire(bytes: &[u8]) -> Result<Stat, Short> {
        let mut r = Reader::new(bytes);
        let (dev, ino, st_mode) = (r.u64()?, r.u64()?, r.u32()?);
        let (nlink, uid, gid) = (r.u32()?, r.u32()?, r.u32()?);
        let (rdev, size, blocks) = (r.u64()?, r.u64()?, r.u64()?);
        let mut time = || -> Result<Time, Short> {
            let t = Time { sec: r.i64()?, nsec: r.u32()? };
            r.u32()?;
            Ok(t)
        };
        let (atime, mtime, ctime) = (time()?, time()?, time()?);
        let kind = FileType::from_mode(st_mode).ok_or(Short)?;
        Ok(Stat { dev, ino, kind, mode: st_mode & MODE_BITS, nlink, uid, gid, rdev, size, blocks, atime, mtime, ctime })
    }
}

/// One of the two times of `utimensat`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SetTime {
    #[default]
    Omit,
    Now,
    At(Time),
}

impl SetTime {
    /// Bytes of the wire form: i64 seconds, u32 nanoseconds, u32 kind (0 at, 1 now, 2 omit).
    pub const WIRE: usize = 16;

    pub fn write(self, w: &mut Writer) {
        let (time, kind) = match self {
            SetTime::At(time) => (time, 0),
            SetTime::Now => (Time::default(), 1),
            SetTime::Omit => (Time::default(), 2),
        };
        w.i64(time.sec).u32(time.nsec).u32(kind);
    }

    pub fn read(r: &mut Reader<'_>) -> Result<SetTime, Short> {
        let (sec, nsec, kind) = (r.i64()?, r.u32()?, r.u32()?);
        match kind {
            0 if nsec < 1_000_000_000 => Ok(SetTime::At(Time { sec, nsec })),
            1 => Ok(SetTime::Now),
            2 => Ok(SetTime::Omit),
            _ => Err(Short),
        }
    }
}

/// A directory entry as `getdents` hands it out: u64 cookie of the next entry, u64 ino, u32 `st_mode` type bits,
/// u32 name length, name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DirEntry {
    /// Where reading goes on after this entry.
    pub next: u64,
    pub ino: u64,
    pub kind: FileType,
    pub name: Vec<u8>,
}

impl DirEntry {
    /// Bytes of the wire form of an entry with this name.
    pub fn wire_len(name: &[u8]) -> usize {
        24 + name.len()
    }

    pub fn write(&self, w: &mut Writer) {
        w.u64(self.next).u64(self.ino).u32(self.kind.mode_bits()).bytes(&self.name);
    }

    pub fn read(r: &mut Reader<'_>) -> Result<DirEntry, Short> {
        let (next, ino, mode) = (r.u64()?, r.u64()?, r.u32()?);
        let kind = FileType::from_mode(mode).ok_or(Short)?;
        Ok(DirEntry { next, ino, kind, name: r.bytes()?.to_vec() })
    }
}

/// What `statfs` tells: block size 4096, all counts in blocks or nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FsUsage {
    pub blocks: u64,
    pub blocks_free: u64,
    pub files: u64,
    pub files_free: u64,
    pub read_only: bool,
}

impl FsUsage {
    pub const WIRE: usize = 40;

    pub fn to_wire(&self) -> Vec<u8> {
        let mut w = Writer::with_capacity(Self::WIRE);
        w.u64(self.blocks).u64(self.blocks_free).u64(self.files).u64(self.files_free);
        w.u64(self.read_only.into());
        w.finish()
    }

    pub fn from_wire(bytes: &[u8]) -> Result<FsUsage, Short> {
        let mut r = Reader::new(bytes);
        let (blocks, blocks_free, files, files_free) = (r.u64()?, r.u64()?, r.u64()?, r.u64()?);
        Ok(FsUsage { blocks, blocks_free, files, files_free, read_only: r.u64()? != 0 })
    }
}

/// The flags of `open(2)`, with x86-64 Linux numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenFlags(pub u32);

impl OpenFlags {
    pub const RDONLY: OpenFlags = OpenFlags(0);
    pub const WRONLY: OpenFlags = OpenFlags(1);
    pub const RDWR: OpenFlags = OpenFlags(2);
    pub const CREAT: OpenFlags = OpenFlags(0o100);
    pub const EXCL: OpenFlags = OpenFlags(0o200);
    pub const NOCTTY: OpenFlags = OpenFlags(0o400);
    pub const TRUNC: OpenFlags = OpenFlags(0o1000);
    pub const APPEND: OpenFlags = OpenFlags(0o2000);
    pub const NONBLOCK: OpenFlags = OpenFlags(0o4000);
    pub const DSYNC: OpenFlags = OpenFlags(0o10000);
    pub const DIRECTORY: OpenFlags = OpenFlags(0o200000);
    pub const NOFOLLOW: OpenFlags = OpenFlags(0o400000);
    pub const CLOEXEC: OpenFlags = OpenFlags(0o2000000);
    pub const SYNC: OpenFlags = OpenFlags(0o4010000);
    pub const PATH: OpenFlags = OpenFlags(0o10000000);
    /// What `F_SETFL` may change.
    pub const SETTABLE: OpenFlags = OpenFlags(Self::APPEND.0 | Self::NONBLOCK.0 | Self::SYNC.0);

    pub fn contains(self, flags: OpenFlags) -> bool {
        self.0 & flags.0 == flags.0
    }

    pub fn without(self, flags: OpenFlags) -> OpenFlags {
        OpenFlags(self.0 & !flags.0)
    }

    pub fn readable(self) -> bool {
        matches!(self.0 & 3, 0 | 2) && !self.contains(Self::PATH)
    }

    pub fn writable(self) -> bool {
        matches!(self.0 & 3, 1 | 2) && !self.contains(Self::PATH)
    }
}

impl BitOr for OpenFlags {
    type Output = OpenFlags;
    fn bitor(self, other: OpenFlags) -> OpenFlags {
        OpenFlags(self.0 | other.0)
    }
}

impl BitOrAssign for OpenFlags {
    fn bitor_assign(&mut self, other: OpenFlags) {
        self.0 |= other.0;
    }
}

/// "relative to the working directory", as the directory argument of the `*at` calls.
pub const AT_FDCWD: i32 = -100;
pub const AT_SYMLINK_NOFOLLOW: u32 = 0x100;
pub const AT_REMOVEDIR: u32 = 0x200;
pub const AT_SYMLINK_FOLLOW: u32 = 0x400;
pub const AT_EMPTY_PATH: u32 = 0x1000;

pub const RENAME_NOREPLACE: u32 = 1;
pub const RENAME_EXCHANGE: u32 = 2;

/// `access` questions.
pub const R_OK: u32 = 4;
pub const W_OK: u32 = 2;
pub const X_OK: u32 = 1;
pub const F_OK: u32 = 0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_survives_the_wire() {
        let stat = Stat {
            dev: 1,
            ino: 2,
            kind: FileType::Regular,
            mode: 0o644,
            nlink: 3,
            uid: 4,
            gid: 5,
            rdev: 6,
            size: 7,
            blocks: 8,
            atime: Time { sec: -9, nsec: 10 },
            mtime: Time { sec: 11, nsec: 12 },
            ctime: Time { sec: 13, nsec: 14 },
        };
        let wire = stat.to_wire();
        assert_eq!(wire.len(), Stat::WIRE);
        assert_eq!(Stat::from_wire(&wire), Ok(stat));
        assert!(Stat::from_wire(&wire[1..]).is_err());
    }
}
