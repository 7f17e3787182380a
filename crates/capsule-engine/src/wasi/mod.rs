//! WASI preview1: the door of every program built for `wasm32-wasip1`, complete. Each function decodes, checks, and
//! makes one call into the kernel.
//!
//! * [`args`], [`clock`], [`random`], [`proc`]: arguments and environment, clocks, random numbers, exit
//! * [`fd`], [`dir`], [`io`]: descriptors, directory entries, reading and writing
//! * [`path`]: everything that takes a path; [`at`]: what a path is relative to
//! * [`poll`], [`sock`]: waiting; sockets, of which there are none yet
//! * [`wire`]: the records of the specification
//!
//! # The preopened directory
//!
//! WASI programs reach files through a directory they find open at descriptor 3. Shells use descriptor 3 for
//! redirections of their own, so here it is **virtual**: `fd_prestat_get(3)` always tells the directory `/`, and paths
//! relative to 3 are resolved from `/`, unless the process really has a directory open there. Reading and writing 3 use
//! the real descriptor, if the parent passed one. `path_open` answers 4 or more, so that 3 stays free; what it opens is
//! closed on exec, as WASI programs know no inheritance (a fork keeps it).
//!
//! # What a path means
//!
//! wasi-libc strips the leading `/` from a path, so `foo` and `/foo` arrive alike. Programs written for this kernel
//! ("native": they import the capsule door, or have a custom section named `capsule`) make every path absolute first,
//! and for them such a path is relative to `/`. For any other program whose working directory is not `/`, the first
//! name of the path decides: if `/` has an entry of that name, the path is relative to `/`, otherwise (and for `.` and
//! `..`) to the working directory; so `./tool.wasm out.txt` writes where the user expects. `..` never leaves `/`.

mod args;
mod at;
mod clock;
mod dir;
mod fd;
mod io;
mod path;
mod poll;
mod proc;
mod random;
mod sock;
mod wire;

use crate::call::{Call, Guest};
use crate::instance::GuestState;
use crate::marks;
use capsule_abi::Errno;
use capsule_abi::wasi::MODULE;
use wasmtime::Linker;

/// Registers functions that never wait: `Call` and arguments to `Result<(), Errno>`.
macro_rules! quick {
    ($linker:ident: $($file:ident::$name:ident($($arg:ident: $kind:ty),*);)*) => {
        $($linker.func_wrap(MODULE, stringify!($name), |mut guest: Guest<'_>, $($arg: $kind),*| -> i32 {
            code($file::$name(Call::new(&mut guest), $($arg),*))
        })?;)*
    };
}

/// Registers functions that may wait or end the process: the guest and arguments to `wasmtime::Result<Result<(), Errno>>`.
macro_rules! waiting {
    ($linker:ident: $($file:ident::$name:ident($($arg:ident: $kind:ty),*);)*) => {
        $($linker.func_wrap_async(MODULE, stringify!($name), |mut guest: Guest<'_>, ($($arg,)*): ($($kind,)*)| {
            Box::new(async move {
                let outcome = $file::$name(&mut guest, $($arg),*).await?;
                if outcome == Err(Errno::EINTR) {
                    marks::deliver(&mut guest);
                }
                Ok(code(outcome))
            })
        })?;)*
    };
}

/// The table: every function of the specification.
pub fn add_to(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    quick! { linker:
        args::args_get(argv: i32, buf: i32);
        args::args_sizes_get(count: i32, size: i32);
        args::environ_get(environ: i32, buf: i32);
        args::environ_sizes_get(count: i32, size: i32);
        clock::clock_res_get(id: i32, out: i32);
        clock::clock_time_get(id: i32, precision: i64, out: i32);
        fd::fd_advise(fd: i32, offset: i64, len: i64, advice: i32);
        fd::fd_allocate(fd: i32, offset: i64, len: i64);
        fd::fd_close(fd: i32);
        fd::fd_datasync(fd: i32);
        fd::fd_fdstat_get(fd: i32, out: i32);
        fd::fd_fdstat_set_flags(fd: i32, flags: i32);
        fd::fd_fdstat_set_rights(fd: i32, base: i64, inheriting: i64);
        fd::fd_filestat_get(fd: i32, out: i32);
        fd::fd_filestat_set_size(fd: i32, size: i64);
        fd::fd_filestat_set_times(fd: i32, atime: i64, mtime: i64, flags: i32);
        fd::fd_renumber(from: i32, to: i32);
        fd::fd_seek(fd: i32, offset: i64, whence: i32, out: i32);
        fd::fd_sync(fd: i32);
        fd::fd_tell(fd: i32, out: i32);
        dir::fd_prestat_get(fd: i32, out: i32);
        dir::fd_prestat_dir_name(fd: i32, buf: i32, len: i32);
        path::path_create_directory(fd: i32, path: i32, len: i32);
        path::path_filestat_get(fd: i32, lookup: i32, path: i32, len: i32, out: i32);
        path::path_filestat_set_times(fd: i32, lookup: i32, path: i32, len: i32, atime: i64, mtime: i64, flags: i32);
        path::path_link(fd: i32, lookup: i32, path: i32, len: i32, to_fd: i32, to_path: i32, to_len: i32);
        path::path_readlink(fd: i32, path: i32, len: i32, buf: i32, buf_len: i32, used: i32);
        path::path_remove_directory(fd: i32, path: i32, len: i32);
        path::path_rename(fd: i32, path: i32, len: i32, to_fd: i32, to_path: i32, to_len: i32);
        path::path_symlink(target: i32, target_len: i32, fd: i32, path: i32, len: i32);
        path::path_unlink_file(fd: i32, path: i32, len: i32);
        sock::sock_accept(fd: i32, flags: i32, out: i32);
        sock::sock_recv(fd: i32, iovs: i32, count: i32, flags: i32, size: i32, out_flags: i32);
        sock::sock_send(fd: i32, iovs: i32, count: i32, flags: i32, size: i32);
        sock::sock_shutdown(fd: i32, how: i32);
    }
    waiting! { linker:
        io::fd_read(fd: i32, iovs: i32, count: i32, out: i32);
        io::fd_write(fd: i32, iovs: i32, count: i32, out: i32);
        io::fd_pread(fd: i32, iovs: i32, count: i32, offset: i64, out: i32);
        io::fd_pwrite(fd: i32, iovs: i32, count: i32, offset: i64, out: i32);
        dir::fd_readdir(fd: i32, buf: i32, len: i32, cookie: i64, used: i32);
        path::path_open(
            fd: i32, lookup: i32, path: i32, len: i32, oflags: i32, rights: i64, inheriting: i64, fdflags: i32, out: i32
        );
        poll::poll_oneoff(subscriptions: i32, events: i32, count: i32, out: i32);
        proc::proc_raise(signal: i32);
        proc::sched_yield();
        random::random_get(buf: i32, len: i32);
    }
    linker.func_wrap(MODULE, "proc_exit", proc::proc_exit)?;
    Ok(())
}

/// The answer in the specification's numbers.
fn code(outcome: Result<(), Errno>) -> i32 {
    outcome.map_or_else(|errno| errno.wasi().into(), |()| 0)
}
