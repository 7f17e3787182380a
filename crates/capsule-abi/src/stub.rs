//! The file of a command that is part of the shell's module. It holds nothing but the command's name, so that a
//! command is some thirty bytes to whoever reads, copies or searches `/bin`, and a copy under another name is still that
//! command. To everybody else it is an empty module with one custom section.

use alloc::vec::Vec;

/// An empty module.
const MODULE: &[u8] = b"\0asm\x01\0\0\0";
const SECTION: &[u8] = b"capsule.command";
/// No command has a longer name; sizes are one byte each then.
const LONGEST: usize = 64;

/// The file of a command. A name that does not fit is no command's.
pub fn file(command: &[u8]) -> Option<Vec<u8>> {
    if command.is_empty() || command.len() > LONGEST {
        return None;
    }
    let size = 1 + SECTION.len() + command.len();
    Some([MODULE, &[0, size as u8, SECTION.len() as u8], SECTION, command].concat())
}

/// The command that a file is, by its first bytes.
pub fn command(head: &[u8]) -> Option<&[u8]> {
    let (&[0, size, name], rest) = head.strip_prefix(MODULE)?.split_first_chunk()? else { return None };
    let command = rest.strip_prefix(SECTION)?;
    let sizes = (1 + SECTION.len() + command.len(), SECTION.len());
    let fits = (usize::from(size), usize::from(name)) == sizes && (1..=LONGEST).contains(&command.len());
    fits.then_some(command)
}

/// As many bytes of a file as [`command`] wants to see: one more than the longest.
pub const HEAD: usize = MODULE.len() + 3 + SECTION.len() + LONGEST + 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_tells_its_command() {
        let file = file(b"ls").unwrap();
        assert_eq!(command(&file), Some(b"ls".as_slice()));
        // Cut, longer than it says, or with another section.
        assert!((0..file.len()).all(|len| command(&file[..len]).is_none()));
        assert_eq!(command(&[file.as_slice(), b"x"].concat()), None);
        assert_eq!(command(b"\0asm\x01\0\0\0\0\x0d\x0acapsule.xyls"), None);
    }

    #[test]
    fn names_that_do_not_fit() {
        assert_eq!(file(b""), None);
        assert_eq!(file(&[b'x'; LONGEST + 1]), None);
        assert_eq!(file(&[b'x'; LONGEST]).unwrap().len() + 1, HEAD);
    }
}
