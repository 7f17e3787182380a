//! Files that are only for now, under names nobody else has.

use crate::input::{dir_name, join};
use capsule_sys::{Errno, Fd, OpenFlags, getenv, open, random_u64, rename, unlink};

/// Names tried before it is given up.
const ATTEMPTS: usize = 100;

/// A new file in a directory, to write and read, and its name.
pub fn named(dir: &[u8], prefix: &str) -> Result<(Fd, Vec<u8>), Errno> {
    let flags = OpenFlags::RDWR | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC;
    for _ in 0..ATTEMPTS {
        let path = join(dir, format!("{prefix}{:012x}", random_u64() >> 16).as_bytes());
        match open(&path, flags, 0o600) {
            Ok(file) => return Ok((file, path)),
            Err(Errno::EEXIST) => {}
            Err(e) => return Err(e),
        }
    }
    Err(Errno::EEXIST)
}

/// A new file without a name: it goes when we do.
pub fn unnamed(dir: &[u8], prefix: &str) -> Result<Fd, Errno> {
    taken_back(dir, prefix).map(|(file, _)| file)
}

/// The same, with the name it had.
pub fn taken_back(dir: &[u8], prefix: &str) -> Result<(Fd, Vec<u8>), Errno> {
    let (file, path) = named(dir, prefix)?;
    let _ = unlink(&path);
    Ok((file, path))
}

/// Makes a link in the place of what is there, which is gone only when the link exists.
pub fn link_over(to: &[u8], make: impl Fn(&[u8]) -> Result<(), Errno>) -> Result<(), Errno> {
    let (_, beside) = taken_back(dir_name(to), "Cu")?;
    make(&beside)?;
    let done = rename(&beside, to);
    // Two names of one file: rename leaves both.
    let _ = unlink(&beside);
    done
}

/// Where such files go.
pub fn directory() -> Vec<u8> {
    getenv(b"TMPDIR").filter(|dir| !dir.is_empty()).unwrap_or_else(|| b"/tmp".to_vec())
}
