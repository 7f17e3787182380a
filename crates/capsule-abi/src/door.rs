//! The capsule door: the import module a guest uses for what WASI preview1 does not know.
//!
//! Every function answers with an `i32`: zero or more is the result, less than zero is minus a Linux error number.
//! A path is a pointer and a length; it is bytes, has no NUL, and may be relative to the directory descriptor given
//! with it ([`AT_FDCWD`](crate::fs::AT_FDCWD) is the working directory). Records are little-endian ([`crate::wire`]).
//! Functions marked `…` may block; a signal the process catches ends them with `EINTR`.
//!
//! | processes | |
//! |---|---|
//! | `fork(arg) …` | a copy of this process; the child starts at its export [`FORK_ENTRY`] with `arg`; pid |
//! | `spawn(req, len) …` | start a program ([`SpawnRequest`](crate::process::SpawnRequest)); pid |
//! | `exec(req, len) …` | become another program; answers only when it failed |
//! | `wait(pid, flags, out) …` | as `waitpid`; `out`: [`WAIT_WIRE`](crate::process::WAIT_WIRE) bytes, or 0; pid |
//! | `getpid()` `getppid()` `getpgid(pid)` `setpgid(pid, pgid)` `getsid(pid)` `setsid()` | as in POSIX |
//! | `getids(out)` | u32 uid, gid |
//! | `kill(pid, signal)` | as in POSIX: pid 0 is the group, -1 everyone, -n group n; signal 0 asks |
//! | `signal_action(signal, disposition)` | [`Disposition`](crate::signal::Disposition); answers the old one |
//! | `signal_mask(how, set, old)` | pointers to u64 sets or 0; how: 0 block, 1 unblock, 2 set |
//! | `signal_take()` | the lowest caught signal that is pending, taken; 0 when none |
//! | `pause() …` | until a signal is caught; always `EINTR` |
//! | `getrlimit(which, out)` `setrlimit(which, in)` | two u64 (soft, hard) of [`Resource`] |
//! | `getrusage(who, out)` | u64 processor ns, u64 peak memory; who: 0 self, -1 children waited for |
//!
//! | descriptors | |
//! |---|---|
//! | `open(dir, path, len, flags, mode) …` | Linux flags; lowest free descriptor |
//! | `pipe(out, flags)` | two i32: read end, write end; flags: `O_CLOEXEC`, `O_NONBLOCK` |
//! | `dup(fd, least, cloexec)` | lowest free descriptor not below `least` |
//! | `dup2(from, to, flags)` | flags: `O_CLOEXEC` |
//! | `fcntl(fd, command, arg)` | [`F_GETFD`], [`F_SETFD`], [`F_GETFL`], [`F_SETFL`] |
//! | `isatty(fd)` | 1 or `ENOTTY` |
//! | `winsize(fd)` | the size of a terminal's window ([`Window`]), or `ENOTTY` |
//! | `poll(fds, n, timeout_ms) …` | `fds`: n records i32 fd, u16 events, u16 revents; -1 waits for ever |
//! | `getdents(fd, buf, len)` | [`DirEntry`](crate::fs::DirEntry) records; 0 at the end |
//!
//! | files | |
//! |---|---|
//! | `stat(dir, path, len, flags, out)` | [`Stat`](crate::fs::Stat); `AT_SYMLINK_NOFOLLOW`, `AT_EMPTY_PATH` |
//! | `statfs(dir, path, len, out)` | [`FsUsage`](crate::fs::FsUsage) |
//! | `access(dir, path, len, mode, flags)` | R_OK, W_OK, X_OK |
//! | `chmod(dir, path, len, mode, flags)` `chown(dir, path, len, uid, gid, flags)` | `AT_EMPTY_PATH`; id -1 keeps |
//! | `utimens(dir, path, len, times, flags)` | two [`SetTime`](crate::fs::SetTime): access, modification |
//! | `truncate(dir, path, len, size: i64)` | |
//! | `mkdir(dir, path, len, mode)` `mkfifo(dir, path, len, mode)` | under the umask |
//! | `symlink(target, len, dir, path, len)` `readlink(dir, path, len, buf, len)` | |
//! | `link(dir, path, len, dir2, path2, len2, flags)` | `AT_SYMLINK_FOLLOW` |
//! | `unlink(dir, path, len, flags)` | `AT_REMOVEDIR` |
//! | `rename(dir, path, len, dir2, path2, len2, flags)` | `RENAME_NOREPLACE`, `RENAME_EXCHANGE` |
//! | `chdir(path, len)` `fchdir(fd)` `getcwd(buf, len)` `umask(mask)` | |
//!
//! | network | |
//! |---|---|
//! | `http_open(req, len)` | begins a request ([`http::Request`](crate::http::Request)); a descriptor, closed on exec: write its body, read the answer's |
//! | `http_finish(fd)` | the body that is streamed is complete |
//! | `http_head(fd, buf, len) …` | the head of the answer ([`http::Head`](crate::http::Head)); its length, written only where it fits; `EIO` when there is none |
//! | `http_error(fd, buf, len)` | why it failed ([`http::Failure`](crate::http::Failure)), in the same way; 0 when it has not |
//!
//! Reading, writing, closing, seeking, clocks, sleeping, random numbers and exit are WASI's.

/// The name of the import module.
pub const MODULE: &str = "capsule";

/// The export a forked child starts at: `fn(arg: i32)`; when it returns, the child exits with 0.
pub const FORK_ENTRY: &str = "capsule_fork_child";

/// The mutable global that holds the shadow stack's top; exported by guests that fork.
pub const STACK_POINTER: &str = "__stack_pointer";

pub const F_GETFD: i32 = 1;
pub const F_SETFD: i32 = 2;
pub const F_GETFL: i32 = 3;
pub const F_SETFL: i32 = 4;
/// The close-on-exec bit of `F_GETFD`.
pub const FD_CLOEXEC: i32 = 1;

/// The size of a terminal's window in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Window {
    pub rows: u16,
    pub columns: u16,
}

impl Window {
    /// Rows times 65 536 plus columns. Rows end at 32 767, so that it is no error.
    pub fn to_wire(self) -> i32 {
        i32::from(self.rows.min(i16::MAX as u16)) << 16 | i32::from(self.columns)
    }

    pub fn from_wire(number: i32) -> Window {
        Window { rows: (number >> 16) as u16, columns: number as u16 }
    }
}

/// `poll` events.
pub const POLLIN: u16 = 1;
pub const POLLOUT: u16 = 4;
pub const POLLERR: u16 = 8;
pub const POLLHUP: u16 = 16;
pub const POLLNVAL: u16 = 32;
/// Bytes of one `poll` record.
pub const POLL_WIRE: usize = 8;

/// What `getrlimit` asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Resource {
    /// Largest file a process may write.
    FileSize = 1,
    /// Descriptors of this process.
    OpenFiles = 7,
    /// Linear memory of this process.
    AddressSpace = 9,
    /// Processes of the session.
    Processes = 6,
    /// Processor time in seconds.
    Cpu = 0,
    /// The shadow stack (told, not enforced: the guest's linker fixed it).
    Stack = 3,
    Core = 4,
}

impl Resource {
    pub fn from_number(number: i32) -> Option<Resource> {
        Some(match number {
            0 => Resource::Cpu,
            1 => Resource::FileSize,
            3 => Resource::Stack,
            4 => Resource::Core,
            6 => Resource::Processes,
            7 => Resource::OpenFiles,
            9 => Resource::AddressSpace,
            _ => return None,
        })
    }
}

/// No limit, in `getrlimit`.
pub const RLIM_INFINITY: u64 = u64::MAX;
