//! The kinds of descriptions: files and directories of the filesystem, pipe ends, captured output,
//! bytes of the host, HTTP requests, terminals.

pub mod bytes;
pub mod capture;
pub mod console;
pub mod directory;
pub mod exchange;
pub mod metered;
pub mod on_demand;
pub mod pipe;
pub mod regular;
pub mod terminal;

use capsule_abi::fs::{FileType, Stat, Time};

/// The `stat` of something that has no node: a pipe, captured output.
fn anonymous_stat(kind: FileType, ino: u64) -> Stat {
    let now = Time::default();
    Stat {
        dev: 0,
        ino,
        kind,
        mode: 0o600,
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        size: 0,
        blocks: 0,
        atime: now,
        mtime: now,
        ctime: now,
    }
}
