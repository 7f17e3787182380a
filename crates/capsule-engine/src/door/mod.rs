//! The capsule door: what the kernel offers beyond WASI. capsule-abi's `door` module is its documentation, for both
//! sides of the wall; the table here has its order. Every function answers with a result of zero or more, or with minus
//! a Linux error number; each decodes, checks, and makes one call into the kernel.
//!
//! * [`process`]: fork, spawn, exec, wait, groups, limits
//! * [`signals`]: kill and what becomes of signals
//! * [`descriptors`]: open, pipes, duplicates, poll, directory entries
//! * [`files`]: the calls that take a path
//! * [`network`]: HTTP requests

mod descriptors;
mod files;
mod network;
pub mod process;
mod signals;

use crate::call::{Call, Guest};
use crate::instance::GuestState;
use capsule_abi::Errno;
use capsule_abi::door::MODULE;
use wasmtime::Linker;

/// Registers functions that never wait: `Call` and arguments to `Result<i32, Errno>`.
macro_rules! quick {
    ($linker:ident: $($file:ident::$name:ident($($arg:ident: $kind:ty),*);)*) => {
        $($linker.func_wrap(MODULE, stringify!($name), |mut guest: Guest<'_>, $($arg: $kind),*| -> i32 {
            code($file::$name(Call::new(&mut guest), $($arg),*))
        })?;)*
    };
}

/// Registers functions that may wait or end the process: the guest and arguments to
/// `wasmtime::Result<Result<i32, Errno>>`.
macro_rules! waiting {
    ($linker:ident: $($file:ident::$name:ident($($arg:ident: $kind:ty),*);)*) => {
        $($linker.func_wrap_async(MODULE, stringify!($name), |mut guest: Guest<'_>, ($($arg,)*): ($($kind,)*)| {
            Box::new(async move { $file::$name(&mut guest, $($arg),*).await.map(code) })
        })?;)*
    };
}

/// The table.
pub fn add_to(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    waiting! { linker:
        process::fork(arg: i32);
        process::spawn(request: i32, len: i32);
        process::exec(request: i32, len: i32);
        process::wait(pid: i32, flags: i32, out: i32);
    }
    quick! { linker:
        process::getpid();
        process::getppid();
        process::getpgid(pid: i32);
        process::setpgid(pid: i32, pgid: i32);
        process::getsid(pid: i32);
        process::setsid();
        process::getids(out: i32);
    }
    waiting! { linker:
        signals::kill(pid: i32, signal: i32);
    }
    quick! { linker:
        signals::signal_action(signal: i32, disposition: i32);
    }
    waiting! { linker:
        signals::signal_mask(how: i32, set: i32, old: i32);
    }
    quick! { linker:
        signals::signal_take();
    }
    waiting! { linker:
        signals::pause();
    }
    quick! { linker:
        process::getrlimit(which: i32, out: i32);
        process::setrlimit(which: i32, new: i32);
        process::getrusage(who: i32, out: i32);
    }
    waiting! { linker:
        descriptors::open(dir: i32, path: i32, len: i32, flags: i32, mode: i32);
    }
    quick! { linker:
        descriptors::pipe(out: i32, flags: i32);
        descriptors::dup(fd: i32, least: i32, cloexec: i32);
        descriptors::dup2(from: i32, to: i32, flags: i32);
        descriptors::fcntl(fd: i32, command: i32, arg: i32);
        descriptors::isatty(fd: i32);
        descriptors::winsize(fd: i32);
    }
    waiting! { linker:
        descriptors::poll(fds: i32, count: i32, timeout_ms: i32);
    }
    quick! { linker:
        descriptors::getdents(fd: i32, buf: i32, len: i32);
        files::stat(dir: i32, path: i32, len: i32, flags: i32, out: i32);
        files::statfs(dir: i32, path: i32, len: i32, out: i32);
        files::access(dir: i32, path: i32, len: i32, mode: i32, flags: i32);
        files::chmod(dir: i32, path: i32, len: i32, mode: i32, flags: i32);
        files::chown(dir: i32, path: i32, len: i32, uid: i32, gid: i32, flags: i32);
        files::utimens(dir: i32, path: i32, len: i32, times: i32, flags: i32);
        files::truncate(dir: i32, path: i32, len: i32, size: i64);
        files::mkdir(dir: i32, path: i32, len: i32, mode: i32);
        files::mkfifo(dir: i32, path: i32, len: i32, mode: i32);
        files::symlink(target: i32, target_len: i32, dir: i32, path: i32, len: i32);
        files::readlink(dir: i32, path: i32, len: i32, buf: i32, buf_len: i32);
        files::link(dir: i32, path: i32, len: i32, to_dir: i32, to_path: i32, to_len: i32, flags: i32);
        files::unlink(dir: i32, path: i32, len: i32, flags: i32);
        files::rename(dir: i32, path: i32, len: i32, to_dir: i32, to_path: i32, to_len: i32, flags: i32);
        files::chdir(path: i32, len: i32);
        files::fchdir(fd: i32);
        files::getcwd(buf: i32, len: i32);
        files::umask(mask: i32);
        network::http_open(request: i32, len: i32);
        network::http_finish(fd: i32);
    }
    waiting! { linker:
        network::http_head(fd: i32, buf: i32, len: i32);
    }
    quick! { linker:
        network::http_error(fd: i32, buf: i32, len: i32);
    }
    Ok(())
}

/// The answer as the guest sees it.
fn code(outcome: Result<i32, Errno>) -> i32 {
    outcome.unwrap_or_else(|errno| -errno.linux())
}
