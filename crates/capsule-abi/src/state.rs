//! The head of a shell's saved state (docs/STATE.md): the part that the host reads too. What follows it is the shell's
//! own. The bytes come from a guest, so reading checks everything.

use crate::wire::{Reader, Short, Writer};
use alloc::vec::Vec;
use core::fmt;

/// The first four bytes.
const MAGIC: u32 = u32::from_le_bytes(*b"CSST");

/// Raised when the format changes; a shell reads its own version only.
pub const VERSION: u32 = 3;

/// Why bytes are not a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateError {
    NotAState,
    Version(u32),
    /// It ends early.
    Short,
    /// This part has a value that no shell writes.
    Invalid(&'static str),
    /// More bytes than a state has.
    Trailing,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateError::NotAState => f.write_str("these bytes are not the state of a shell"),
            StateError::Version(n) => write!(f, "version {n} of the state, but this shell reads version {VERSION}"),
            StateError::Short => f.write_str("the state ends early"),
            StateError::Invalid(part) => write!(f, "the state is damaged: {part}"),
            StateError::Trailing => f.write_str("the state is damaged: bytes after its end"),
        }
    }
}

impl core::error::Error for StateError {}

impl From<Short> for StateError {
    fn from(_: Short) -> StateError {
        StateError::Short
    }
}

/// What a host tells its user of a shell: where it is, what it exports, and whether it was left by `exit`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head<'a> {
    pub cwd: &'a [u8],
    pub env: Vec<(&'a [u8], &'a [u8])>,
    pub left: bool,
}

impl<'a> Head<'a> {
    pub fn write(&self, w: &mut Writer) {
        w.u32(MAGIC).u32(VERSION).u32(u32::from(self.left)).bytes(self.cwd).u32(self.env.len() as u32);
        for (name, value) in &self.env {
            w.bytes(name).bytes(value);
        }
    }

    /// The head of a state. An absolute path and names of variables, nothing with a NUL.
    pub fn read(r: &mut Reader<'a>) -> Result<Head<'a>, StateError> {
        if r.u32().map_err(|_| StateError::NotAState)? != MAGIC {
            return Err(StateError::NotAState);
        }
        match r.u32()? {
            VERSION => {}
            other => return Err(StateError::Version(other)),
        }
        let left = match r.u32()? {
            flag @ 0..=1 => flag == 1,
            _ => return Err(StateError::Invalid("how the shell ended")),
        };
        let cwd = text(r, "the working directory")?;
        // Nothing is reserved for what the bytes only promise.
        let mut env = Vec::new();
        for _ in 0..r.u32()? {
            let name = text(r, "the name of a variable")?;
            if name.is_empty() || name.contains(&b'=') {
                return Err(StateError::Invalid("the name of a variable"));
            }
            env.push((name, text(r, "a variable")?));
        }
        Ok(Head { cwd, env, left })
    }
}

fn text<'a>(r: &mut Reader<'a>, part: &'static str) -> Result<&'a [u8], StateError> {
    let bytes = r.bytes()?;
    if bytes.contains(&0) { Err(StateError::Invalid(part)) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_every_cut_is_refused() {
        let head = Head { cwd: b"/workspace", env: alloc::vec![(b"A", b"1"), (b"B", b"")], left: true };
        let mut w = Writer::default();
        head.write(&mut w);
        let bytes = w.finish();
        assert_eq!(Head::read(&mut Reader::new(&bytes)), Ok(head));
        for end in 0..bytes.len() {
            assert!(Head::read(&mut Reader::new(&bytes[..end])).is_err(), "{end} bytes");
        }
    }

    #[test]
    fn promises_reserve_nothing() {
        let mut w = Writer::default();
        w.u32(MAGIC).u32(VERSION).u32(0).bytes(b"/").u32(u32::MAX);
        assert_eq!(Head::read(&mut Reader::new(&w.finish())), Err(StateError::Short));
    }
}
