//! What this process was given as its standard streams.

use rustix::fs::{FileType, fstat, major, minor};
use std::os::fd::AsFd;

/// Linux's number of `/dev/null`.
const NULL: (u32, u32) = (1, 3);

pub fn is_null(stream: impl AsFd) -> bool {
    fstat(stream).is_ok_and(|s| {
        FileType::from_raw_mode(s.st_mode) == FileType::CharacterDevice && (major(s.st_rdev), minor(s.st_rdev)) == NULL
    })
}

/// Whether both lead to the same file, as after `2>&1` and on a terminal.
pub fn are_one(a: impl AsFd, b: impl AsFd) -> bool {
    match (fstat(a), fstat(b)) {
        (Ok(a), Ok(b)) => (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino),
        _ => false,
    }
}
