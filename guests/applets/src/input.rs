//! Operands as streams: a file's name, or `-` for standard input.

use crate::{quote, report};
use capsule_sys::{Errno, Fd, In, OpenFlags, STDIN, fstat, open, open_apart};

/// An input that is open. Standard input is not closed with it.
pub struct Input {
    pub stream: In,
    file: Option<Fd>,
}

impl Input {
    pub fn open(name: &[u8]) -> Result<Input, Errno> {
        if name == b"-" {
            return Ok(Input::stdin());
        }
        Input::named(name)
    }

    /// A file, also where its name is `-`.
    pub fn named(name: &[u8]) -> Result<Input, Errno> {
        let file = open_apart(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)?;
        Ok(Input { stream: In::new(file.raw()), file: Some(file) })
    }

    pub fn stdin() -> Input {
        Input { stream: In::new(STDIN), file: None }
    }

    pub fn is_stdin(&self) -> bool {
        self.file.is_none()
    }

    pub fn fd(&self) -> i32 {
        self.stream.fd()
    }
}

/// Does `each` for every operand (standard input when there are none). What cannot be opened or read is reported as
/// `NAME: file: reason`; true when all went well.
pub fn each(operands: &[&[u8]], mut each: impl FnMut(&mut Input, &[u8]) -> Result<(), Errno>) -> bool {
    let mut good = true;
    let standard: &[&[u8]] = &[b"-"];
    for &operand in if operands.is_empty() { standard } else { operands } {
        if let Err(e) = Input::open(operand).and_then(|mut input| each(&mut input, operand)) {
            report::fault(quote::name(operand), e);
            good = false;
        }
    }
    good
}

/// Whether standard input, where an operand stands for it, was there at all. GNU's commands look when they close it, and
/// tell then once more what reading has told.
pub fn closes(operands: &[&[u8]], told_as: &str) -> bool {
    let standard = operands.is_empty() || operands.contains(&b"-".as_slice());
    !standard || fstat(STDIN).inspect_err(|e| report::fault(told_as, *e)).is_ok()
}

/// Puts something in the place of standard descriptors that are closed, which neither reads nor writes: a file that is
/// opened next must not become standard output.
pub fn hold_standard() {
    for (fd, flags) in [(0, OpenFlags::WRONLY), (1, OpenFlags::RDONLY), (2, OpenFlags::RDONLY)] {
        if fstat(fd).is_err()
            && let Ok(held) = open(b"/dev/null", flags, 0)
        {
            held.into_raw();
        }
    }
}

/// The last component's start: what `basename` would show, slashes at the end left out.
pub fn base_name(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|&b| b != b'/').map_or(0, |i| i + 1);
    if end == 0 {
        return if path.is_empty() { path } else { b"/" };
    }
    let start = path[..end].iter().rposition(|&b| b == b'/').map_or(0, |i| i + 1);
    &path[start..end]
}

/// What comes before the last component, `.` when nothing does.
pub fn dir_name(path: &[u8]) -> &[u8] {
    let Some(end) = path.iter().rposition(|&b| b != b'/') else {
        return if path.is_empty() { b"." } else { b"/" };
    };
    let Some(slash) = path[..=end].iter().rposition(|&b| b == b'/') else { return b"." };
    match path[..=slash].iter().rposition(|&b| b != b'/') {
        Some(last) => &path[..=last],
        None => b"/",
    }
}

/// A name below a directory.
pub fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = dir.to_vec();
    if !path.is_empty() && !path.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}
