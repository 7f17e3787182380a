//! The records of the specification, and the rights of descriptors.

use capsule_abi::Errno;
use capsule_abi::fs::{FileType, OpenFlags, SetTime, Stat, Time};
use capsule_abi::wasi::*;
use capsule_kernel::FileDescription;

pub fn filestat(stat: &Stat) -> [u8; FILESTAT_SIZE] {
    let mut record = [0; FILESTAT_SIZE];
    let numbers = [
        stat.dev,
        stat.ino,
        filetype(stat.kind).into(),
        stat.nlink.into(),
        stat.size,
        stat.atime.as_nanos(),
        stat.mtime.as_nanos(),
        stat.ctime.as_nanos(),
    ];
    for (field, number) in record.chunks_exact_mut(8).zip(numbers) {
        field.copy_from_slice(&number.to_le_bytes());
    }
    record
}

/// `fdstat`: type, flags, rights of the descriptor, rights of what is opened through it.
pub fn fdstat(description: &dyn FileDescription) -> [u8; FDSTAT_SIZE] {
    let status = description.flags().get();
    let (base, inheriting) = rights(description, status);
    let kind =
        if description.terminal().is_some() { FILETYPE_CHARACTER_DEVICE } else { filetype(description.file_type()) };
    let mut record = [0; FDSTAT_SIZE];
    record[0] = kind;
    record[2..4].copy_from_slice(&fdflags(status).to_le_bytes());
    record[8..16].copy_from_slice(&base.to_le_bytes());
    record[16..24].copy_from_slice(&inheriting.to_le_bytes());
    record
}

const ANY: u64 = RIGHTS_FD_FDSTAT_SET_FLAGS | RIGHTS_FD_FILESTAT_GET | RIGHTS_POLL_FD_READWRITE;
const SEEKING: u64 = RIGHTS_FD_SEEK | RIGHTS_FD_TELL;
const FILE: u64 = SEEKING
    | RIGHTS_FD_ADVISE
    | RIGHTS_FD_SYNC
    | RIGHTS_FD_DATASYNC
    | RIGHTS_FD_FILESTAT_SET_SIZE
    | RIGHTS_FD_FILESTAT_SET_TIMES
    | RIGHTS_FD_ALLOCATE;
const DIRECTORY: u64 = RIGHTS_ALL
    & !(FILE | RIGHTS_FD_READ | RIGHTS_FD_WRITE | RIGHTS_SOCK_SHUTDOWN | RIGHTS_SOCK_ACCEPT)
    | RIGHTS_FD_SYNC
    | RIGHTS_FD_FILESTAT_SET_TIMES;

/// wasi-libc reads three things from rights: the access mode of a descriptor, whether it is a terminal (a character
/// device that cannot seek), and what may be opened through a directory.
fn rights(description: &dyn FileDescription, status: OpenFlags) -> (u64, u64) {
    let kind = description.file_type();
    if kind == FileType::Directory {
        return (ANY | DIRECTORY, RIGHTS_ALL);
    }
    let mut base = ANY;
    if status.readable() {
        base |= RIGHTS_FD_READ;
    }
    if status.writable() {
        base |= RIGHTS_FD_WRITE;
    }
    match kind {
        FileType::Regular => base |= FILE,
        FileType::CharDevice | FileType::BlockDevice if description.terminal().is_none() => base |= SEEKING,
        FileType::Fifo | FileType::Socket => base |= RIGHTS_SOCK_SHUTDOWN,
        _ => {}
    }
    (base, 0)
}

/// Status flags, and their WASI twins.
const FLAGS: [(OpenFlags, u16); 4] = [
    (OpenFlags::APPEND, FDFLAGS_APPEND),
    (OpenFlags::NONBLOCK, FDFLAGS_NONBLOCK),
    (OpenFlags::DSYNC, FDFLAGS_DSYNC),
    (OpenFlags::SYNC, FDFLAGS_SYNC),
];

fn fdflags(status: OpenFlags) -> u16 {
    FLAGS.iter().filter(|(linux, _)| status.contains(*linux)).fold(0, |flags, (_, wasi)| flags | wasi)
}

/// Status flags from `fdflags`; `EINVAL` for bits the specification does not know.
pub fn status_flags(fdflags: i32) -> Result<OpenFlags, Errno> {
    let known = FDFLAGS_APPEND | FDFLAGS_NONBLOCK | FDFLAGS_DSYNC | FDFLAGS_RSYNC | FDFLAGS_SYNC;
    let flags = u16::try_from(fdflags).ok().filter(|flags| flags & !known == 0).ok_or(Errno::EINVAL)?;
    // Linux has one flag for the two that ask for synchronous reading.
    let flags = if flags & FDFLAGS_RSYNC != 0 { flags | FDFLAGS_SYNC } else { flags };
    let chosen = FLAGS.iter().filter(|(_, wasi)| flags & wasi != 0);
    Ok(chosen.fold(OpenFlags::default(), |all, (linux, _)| all | *linux))
}

/// The two times of `*_set_times`.
pub fn set_times(atime: i64, mtime: i64, flags: i32) -> Result<(SetTime, SetTime), Errno> {
    let flags = u16::try_from(flags).map_err(|_| Errno::EINVAL)?;
    let known = FSTFLAGS_ATIM | FSTFLAGS_ATIM_NOW | FSTFLAGS_MTIM | FSTFLAGS_MTIM_NOW;
    if flags & !known != 0 {
        return Err(Errno::EINVAL);
    }
    let choose = |given: bool, now: bool, time: i64| match (given, now) {
        (true, true) => Err(Errno::EINVAL),
        (true, false) => Ok(SetTime::At(Time::from_nanos(time as u64))),
        (false, true) => Ok(SetTime::Now),
        (false, false) => Ok(SetTime::Omit),
    };
    Ok((
        choose(flags & FSTFLAGS_ATIM != 0, flags & FSTFLAGS_ATIM_NOW != 0, atime)?,
        choose(flags & FSTFLAGS_MTIM != 0, flags & FSTFLAGS_MTIM_NOW != 0, mtime)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_there_and_back() {
        assert_eq!(status_flags(0), Ok(OpenFlags::default()));
        assert_eq!(status_flags(1 | 4), Ok(OpenFlags::APPEND | OpenFlags::NONBLOCK));
        assert_eq!(status_flags(32), Err(Errno::EINVAL));
        assert_eq!(status_flags(-1), Err(Errno::EINVAL));
        assert_eq!(fdflags(OpenFlags::APPEND | OpenFlags::WRONLY), FDFLAGS_APPEND);
        // SYNC holds the bit of DSYNC, as on Linux.
        assert_eq!(fdflags(OpenFlags::SYNC), FDFLAGS_SYNC | FDFLAGS_DSYNC);
    }

    #[test]
    fn times() {
        assert_eq!(set_times(1, 2, 0), Ok((SetTime::Omit, SetTime::Omit)));
        let half = SetTime::At(Time { sec: 1, nsec: 500_000_000 });
        assert_eq!(set_times(1_500_000_000, 0, 1 | 8), Ok((half, SetTime::Now)));
        assert_eq!(set_times(0, 0, 3), Err(Errno::EINVAL));
        assert_eq!(set_times(0, 0, 16), Err(Errno::EINVAL));
    }
}
