//! Constants of WASI preview1 (`wasi_snapshot_preview1`). Error numbers are in [`crate::errno`].

use crate::fs::FileType;

/// The name of the import module.
pub const MODULE: &str = "wasi_snapshot_preview1";

/// The descriptor at which every WASI program finds the preopened directory `/`.
pub const PREOPEN_FD: i32 = 3;

pub const ERRNO_SUCCESS: u16 = 0;
pub const ERRNO_NOTCAPABLE: u16 = 76;

/// `filetype`.
pub const FILETYPE_UNKNOWN: u8 = 0;
pub const FILETYPE_BLOCK_DEVICE: u8 = 1;
pub const FILETYPE_CHARACTER_DEVICE: u8 = 2;
pub const FILETYPE_DIRECTORY: u8 = 3;
pub const FILETYPE_REGULAR_FILE: u8 = 4;
pub const FILETYPE_SOCKET_DGRAM: u8 = 5;
pub const FILETYPE_SOCKET_STREAM: u8 = 6;
pub const FILETYPE_SYMBOLIC_LINK: u8 = 7;

/// The `filetype` of a node. A FIFO has none of its own: wasi-libc takes a stream socket for one.
pub fn filetype(kind: FileType) -> u8 {
    match kind {
        FileType::Regular => FILETYPE_REGULAR_FILE,
        FileType::Directory => FILETYPE_DIRECTORY,
        FileType::Symlink => FILETYPE_SYMBOLIC_LINK,
        FileType::CharDevice => FILETYPE_CHARACTER_DEVICE,
        FileType::BlockDevice => FILETYPE_BLOCK_DEVICE,
        FileType::Fifo | FileType::Socket => FILETYPE_SOCKET_STREAM,
    }
}

/// `rights`.
pub const RIGHTS_FD_DATASYNC: u64 = 1 << 0;
pub const RIGHTS_FD_READ: u64 = 1 << 1;
pub const RIGHTS_FD_SEEK: u64 = 1 << 2;
pub const RIGHTS_FD_FDSTAT_SET_FLAGS: u64 = 1 << 3;
pub const RIGHTS_FD_SYNC: u64 = 1 << 4;
pub const RIGHTS_FD_TELL: u64 = 1 << 5;
pub const RIGHTS_FD_WRITE: u64 = 1 << 6;
pub const RIGHTS_FD_ADVISE: u64 = 1 << 7;
pub const RIGHTS_FD_ALLOCATE: u64 = 1 << 8;
pub const RIGHTS_PATH_CREATE_DIRECTORY: u64 = 1 << 9;
pub const RIGHTS_PATH_CREATE_FILE: u64 = 1 << 10;
pub const RIGHTS_PATH_LINK_SOURCE: u64 = 1 << 11;
pub const RIGHTS_PATH_LINK_TARGET: u64 = 1 << 12;
pub const RIGHTS_PATH_OPEN: u64 = 1 << 13;
pub const RIGHTS_FD_READDIR: u64 = 1 << 14;
pub const RIGHTS_PATH_READLINK: u64 = 1 << 15;
pub const RIGHTS_PATH_RENAME_SOURCE: u64 = 1 << 16;
pub const RIGHTS_PATH_RENAME_TARGET: u64 = 1 << 17;
pub const RIGHTS_PATH_FILESTAT_GET: u64 = 1 << 18;
pub const RIGHTS_PATH_FILESTAT_SET_SIZE: u64 = 1 << 19;
pub const RIGHTS_PATH_FILESTAT_SET_TIMES: u64 = 1 << 20;
pub const RIGHTS_FD_FILESTAT_GET: u64 = 1 << 21;
pub const RIGHTS_FD_FILESTAT_SET_SIZE: u64 = 1 << 22;
pub const RIGHTS_FD_FILESTAT_SET_TIMES: u64 = 1 << 23;
pub const RIGHTS_PATH_SYMLINK: u64 = 1 << 24;
pub const RIGHTS_PATH_REMOVE_DIRECTORY: u64 = 1 << 25;
pub const RIGHTS_PATH_UNLINK_FILE: u64 = 1 << 26;
pub const RIGHTS_POLL_FD_READWRITE: u64 = 1 << 27;
pub const RIGHTS_SOCK_SHUTDOWN: u64 = 1 << 28;
pub const RIGHTS_SOCK_ACCEPT: u64 = 1 << 29;
pub const RIGHTS_ALL: u64 = (1 << 30) - 1;

/// `fdflags`.
pub const FDFLAGS_APPEND: u16 = 1;
pub const FDFLAGS_DSYNC: u16 = 2;
pub const FDFLAGS_NONBLOCK: u16 = 4;
pub const FDFLAGS_RSYNC: u16 = 8;
pub const FDFLAGS_SYNC: u16 = 16;

/// `oflags`.
pub const OFLAGS_CREAT: u16 = 1;
pub const OFLAGS_DIRECTORY: u16 = 2;
pub const OFLAGS_EXCL: u16 = 4;
pub const OFLAGS_TRUNC: u16 = 8;

/// `lookupflags`.
pub const LOOKUP_SYMLINK_FOLLOW: u32 = 1;

/// `fstflags`.
pub const FSTFLAGS_ATIM: u16 = 1;
pub const FSTFLAGS_ATIM_NOW: u16 = 2;
pub const FSTFLAGS_MTIM: u16 = 4;
pub const FSTFLAGS_MTIM_NOW: u16 = 8;

/// `clockid`.
pub const CLOCK_REALTIME: u32 = 0;
pub const CLOCK_MONOTONIC: u32 = 1;
pub const CLOCK_PROCESS_CPUTIME: u32 = 2;
pub const CLOCK_THREAD_CPUTIME: u32 = 3;

/// `whence`.
pub const WHENCE_SET: u8 = 0;
pub const WHENCE_CUR: u8 = 1;
pub const WHENCE_END: u8 = 2;

/// `eventtype` and the flags of `poll_oneoff`.
pub const EVENTTYPE_CLOCK: u8 = 0;
pub const EVENTTYPE_FD_READ: u8 = 1;
pub const EVENTTYPE_FD_WRITE: u8 = 2;
pub const EVENTRWFLAGS_HANGUP: u16 = 1;
pub const SUBCLOCKFLAGS_ABSTIME: u16 = 1;
pub const SUBSCRIPTION_SIZE: usize = 48;
pub const EVENT_SIZE: usize = 32;
pub const DIRENT_SIZE: usize = 24;
pub const FILESTAT_SIZE: usize = 64;
pub const FDSTAT_SIZE: usize = 24;
