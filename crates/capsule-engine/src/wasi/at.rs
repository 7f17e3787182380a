//! What descriptors and paths of a WASI program refer to; the module's documentation says the rules.

use crate::call::Call;
use capsule_abi::Errno;
use capsule_abi::fs::{AT_FDCWD, AT_SYMLINK_NOFOLLOW, FileType, OpenFlags};
use capsule_abi::wasi::PREOPEN_FD;
use capsule_kernel::descriptions::directory::Directory;
use capsule_kernel::{Description, Process};
use std::borrow::Cow;

/// The description of a descriptor; for the preopened directory, `/` where no real descriptor stands in its place.
pub fn description(process: &Process, fd: i32) -> Result<Description, Errno> {
    match process.description(fd) {
        Err(Errno::EBADF) if fd == PREOPEN_FD => {
            let flags = OpenFlags::RDONLY | OpenFlags::DIRECTORY;
            let root = process.kernel().vfs().open(&process.caller(), None, b"/", flags, 0)?;
            Ok(Directory::new(root, flags))
        }
        outcome => outcome,
    }
}

/// A path as the kernel takes it: a directory descriptor, and a path relative to it.
pub struct At<'a> {
    pub fd: i32,
    pub path: Cow<'a, [u8]>,
}

/// Decodes a descriptor and a path.
pub fn at<'a>(call: &'a Call<'_>, fd: i32, path: i32, len: i32) -> Result<At<'a>, Errno> {
    let path = call.memory.path(path, len)?;
    if path.is_empty() {
        return Err(Errno::ENOENT);
    }
    if fd != PREOPEN_FD || is_taken(call) || path.starts_with(b"/") {
        return Ok(At { fd, path: Cow::Borrowed(path) });
    }
    if !call.program.is_native() && means_working_directory(call.process, path) {
        return Ok(At { fd: AT_FDCWD, path: Cow::Borrowed(path) });
    }
    Ok(At { fd: AT_FDCWD, path: Cow::Owned([b"/", path].concat()) })
}

/// Whether a foreign program has a directory of its own in the place of the preopened one. One written for this kernel uses
/// its directories through the kernel's calls: its C library means `/`, also when `os.open` has just answered 3.
fn is_taken(call: &Call<'_>) -> bool {
    let is_directory = |description: Description| description.file_type() == FileType::Directory;
    !call.program.is_native() && call.process.description(PREOPEN_FD).is_ok_and(is_directory)
}

/// Whether a path of a foreign program is meant from the working directory.
fn means_working_directory(process: &Process, path: &[u8]) -> bool {
    let first = path.split(|&byte| byte == b'/').next().unwrap_or_default();
    if first == b"." || first == b".." {
        return true;
    }
    process.stat(AT_FDCWD, &[b"/", first].concat(), AT_SYMLINK_NOFOLLOW).is_err()
}
