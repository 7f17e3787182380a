//! The capsule door with addresses as numbers, for the programs that pass bad ones.
#![allow(unsafe_code)]

macro_rules! imports {
    ($($name:ident($($arg:ident: $type:ty),*);)*) => {
        #[cfg(target_arch = "wasm32")]
        mod raw {
            #[link(wasm_import_module = "capsule")]
            unsafe extern "C" { $(pub fn $name($($arg: $type),*) -> i32;)* }
        }
        $(
            #[allow(clippy::too_many_arguments)]
            pub fn $name($($arg: $type),*) -> i32 {
                // SAFETY: programs pass addresses of live buffers, or such that the kernel must refuse.
                #[cfg(target_arch = "wasm32")]
                return unsafe { raw::$name($($arg),*) };
                // Natively a wild pointer is not ours to try: the answer Linux would give.
                #[cfg(not(target_arch = "wasm32"))]
                { let _ = ($($arg,)*); return -14; }
            }
        )*
    };
}

imports! {
    spawn(req: i32, len: i32);
    exec(req: i32, len: i32);
    wait(pid: i32, flags: i32, out: i32);
    getids(out: i32);
    signal_mask(how: i32, set: i32, old: i32);
    getrlimit(which: i32, out: i32);
    setrlimit(which: i32, limits: i32);
    getrusage(who: i32, out: i32);
    open(dir: i32, path: i32, len: i32, flags: i32, mode: i32);
    pipe(out: i32, flags: i32);
    poll(fds: i32, n: i32, timeout_ms: i32);
    getdents(fd: i32, buf: i32, len: i32);
    stat(dir: i32, path: i32, len: i32, flags: i32, out: i32);
    statfs(dir: i32, path: i32, len: i32, out: i32);
    access(dir: i32, path: i32, len: i32, mode: i32, flags: i32);
    chmod(dir: i32, path: i32, len: i32, mode: i32, flags: i32);
    chown(dir: i32, path: i32, len: i32, uid: i32, gid: i32, flags: i32);
    utimens(dir: i32, path: i32, len: i32, times: i32, flags: i32);
    truncate(dir: i32, path: i32, len: i32, size: i64);
    mkdir(dir: i32, path: i32, len: i32, mode: i32);
    mkfifo(dir: i32, path: i32, len: i32, mode: i32);
    symlink(target: i32, tlen: i32, dir: i32, path: i32, len: i32);
    readlink(dir: i32, path: i32, len: i32, buf: i32, blen: i32);
    link(dir: i32, path: i32, len: i32, dir2: i32, path2: i32, len2: i32, flags: i32);
    unlink(dir: i32, path: i32, len: i32, flags: i32);
    rename(dir: i32, path: i32, len: i32, dir2: i32, path2: i32, len2: i32, flags: i32);
    chdir(path: i32, len: i32);
    getcwd(buf: i32, len: i32);
    http_open(req: i32, len: i32);
    http_finish(fd: i32);
    http_head(fd: i32, buf: i32, len: i32);
    http_error(fd: i32, buf: i32, len: i32);
}
