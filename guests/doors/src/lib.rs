//! Tiny programs, one behaviour of a door each: `p1_*` for WASI preview1, `cap_*` for the capsule door. A program ends
//! with 0, or says on standard error what differed and ends with 1. One whose first line is `// expect: N` ends with N.
//!
//! Each is started at `/bin/NAME` with its name as `argv[0]`, in an empty writable working directory. A program that
//! needs another one starts itself again with arguments ([`respawn`]).
//!
//! The `cap_*` programs also run natively, where the machine's Linux shows that they ask for the right thing.

pub mod cap;
pub mod p1;

use capsule_sys::{FdAction, SpawnRequest, WaitStatus};

/// Says what differed and ends the program.
pub fn fail(line: u32, message: &str) -> ! {
    let name = String::from_utf8_lossy(&program()).into_owned();
    let _ = capsule_sys::write_all(2, format!("{name}:{line}: {message}\n").as_bytes());
    capsule_sys::exit(1)
}

/// The condition holds.
#[macro_export]
macro_rules! check {
    ($condition:expr) => {
        if !$condition {
            $crate::fail(line!(), concat!("does not hold: ", stringify!($condition)));
        }
    };
}

/// The two are equal.
#[macro_export]
macro_rules! check_eq {
    ($got:expr, $want:expr) => {
        match (&$got, &$want) {
            (got, want) => {
                if *got != *want {
                    $crate::fail(line!(), &format!("{}: got {got:?}, want {want:?}", stringify!($got)));
                }
            }
        }
    };
}

/// The value of a call that must work.
#[macro_export]
macro_rules! ok {
    ($call:expr) => {
        match $call {
            Ok(value) => value,
            Err(e) => $crate::fail(line!(), &format!("{}: {e:?}", stringify!($call))),
        }
    };
}

/// The call fails with this error.
#[macro_export]
macro_rules! fails {
    ($call:expr, $error:ident) => {
        match $call {
            Err(e) if e == $crate::Failure::$error => {}
            other => $crate::fail(
                line!(),
                &format!("{}: got {:?}, want {}", stringify!($call), other.map(drop), stringify!($error)),
            ),
        }
    };
}

pub use capsule_sys::Errno as Failure;

/// The last component of `argv[0]`.
pub fn program() -> Vec<u8> {
    let first = capsule_sys::args().into_iter().next().unwrap_or_default();
    first.rsplit(|&b| b == b'/').next().unwrap_or_default().to_vec()
}

/// Where this program's file is.
pub fn self_path() -> Vec<u8> {
    if cfg!(target_arch = "wasm32") { [b"/bin/".as_slice(), &program()].concat() } else { b"/proc/self/exe".to_vec() }
}

/// The argument that makes a program play another part.
pub fn role() -> Option<Vec<u8>> {
    capsule_sys::args().into_iter().nth(1)
}

/// A request to start this program again with these arguments.
pub fn again(args: &[&[u8]]) -> SpawnRequest {
    let mut argv = vec![program()];
    argv.extend(args.iter().map(|a| a.to_vec()));
    SpawnRequest { path: self_path(), argv, env: capsule_sys::environ(), ..SpawnRequest::default() }
}

/// Starts this program again, waits, and tells how it ended.
pub fn respawn(args: &[&[u8]], actions: Vec<FdAction>) -> WaitStatus {
    let request = SpawnRequest { actions, ..again(args) };
    match capsule_sys::spawn(&request) {
        Ok(pid) => wait_for(pid),
        Err(e) => fail(line!(), &format!("spawn: {e:?}")),
    }
}

/// Waits for a child and tells how it ended.
pub fn wait_for(pid: i32) -> WaitStatus {
    match capsule_sys::wait(pid, 0) {
        Ok(Some(waited)) if waited.pid == pid => waited.status,
        other => fail(line!(), &format!("wait({pid}): {other:?}")),
    }
}

/// Makes a file with this content.
pub fn put(path: &[u8], content: &[u8]) {
    use capsule_sys::OpenFlags;
    let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC;
    let written = capsule_sys::open(path, flags, 0o644).and_then(|fd| capsule_sys::write_all(fd.raw(), content));
    if let Err(e) = written {
        fail(line!(), &format!("cannot write {}: {e:?}", String::from_utf8_lossy(path)));
    }
}

/// A file's content.
pub fn get(path: &[u8]) -> Vec<u8> {
    match capsule_sys::open(path, capsule_sys::OpenFlags::RDONLY, 0).and_then(|fd| capsule_sys::read_to_end(fd.raw())) {
        Ok(content) => content,
        Err(e) => fail(line!(), &format!("cannot read {}: {e:?}", String::from_utf8_lossy(path))),
    }
}

/// The address of something, as the doors take it.
pub fn at<T: ?Sized>(value: &T) -> i32 {
    (value as *const T).cast::<u8>() as usize as i32
}

/// The address of something the kernel may write.
pub fn at_mut<T: ?Sized>(value: &mut T) -> i32 {
    (value as *mut T).cast::<u8>() as usize as i32
}

/// Addresses no guest has: beyond any memory, and such that a length added to them wraps around.
pub const BAD: [i32; 3] = [-1, -8, 0x7fff_fff0];
