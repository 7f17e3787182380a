//! The programs inside the binary.

use crate::Error;

/// The shell and the commands, one module.
pub static BASH: &[u8] = include_bytes!(env!("CAPSULE_BASH_WASM"));

/// CPython. Its pages are not touched before the first `python3`.
pub static PYTHON: &[u8] = include_bytes!(env!("CAPSULE_PYTHON_WASM"));

/// CPython's library.
pub static PYTHON_LIBRARY: &[u8] = include_bytes!(env!("CAPSULE_PYTHON_LIBRARY"));

/// The names of the interpreter.
pub const PYTHONS: &[&[u8]] = &[b"python3", b"python", b"python3.14"];

/// The names of its installer of packages, and the script behind them.
pub const PIPS: &[&[u8]] = &[b"pip", b"pip3"];
pub static PIP: &[u8] = b"#!/usr/bin/python3\nimport sys\nfrom pip import main\nsys.exit(main())\n";

/// The program behind a guest that can be preloaded.
pub fn program(guest: &str) -> Result<&'static str, Error> {
    match guest {
        "bash" => Ok("/bin/bash"),
        "python" => Ok("/bin/python3"),
        other => Err(Error::NoGuest(other.to_owned(), "bash, python".to_owned())),
    }
}

/// The module of a guest that can be preloaded.
pub fn module(guest: &str) -> Option<&'static [u8]> {
    match guest {
        "bash" => Some(BASH),
        "python" => Some(PYTHON),
        _ => None,
    }
}

/// Every command of the image, but for the shell itself.
pub fn all_commands() -> Vec<&'static [u8]> {
    commands(BASH).into_iter().chain(PYTHONS.iter().copied()).chain(PIPS.iter().copied()).collect()
}

/// The custom section in which a guest lists the commands it contains, one a line.
const COMMANDS: &[u8] = b"capsule.commands";

/// The commands a module says it contains.
pub fn commands(module: &[u8]) -> Vec<&[u8]> {
    custom_section(module, COMMANDS)
        .map_or(Vec::new(), |names| names.split(|&b| b == b'\n').filter(|name| !name.is_empty()).collect())
}

/// The bytes of a custom section. The module is our own, but a truncated one must not panic either.
fn custom_section<'a>(module: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let mut rest = module.get(8..)?;
    while let Some((&id, after)) = rest.split_first() {
        let (size, after) = leb128(after)?;
        let (body, next) = after.split_at_checked(size)?;
        if id == 0 {
            let (name_len, body) = leb128(body)?;
            let (name, content) = body.split_at_checked(name_len)?;
            if name == wanted {
                return Some(content);
            }
        }
        rest = next;
    }
    None
}

fn leb128(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (i, &byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[i + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_brings_its_commands() {
        let commands = commands(BASH);
        assert!(commands.contains(&b"ls".as_slice()) && commands.contains(&b"cat".as_slice()), "{commands:?}");
    }

    #[test]
    fn broken_modules_have_none() {
        for module in
            [b"".as_slice(), b"\0asm\x01\0\0\0\0\xff\xff\xff\xff\xff", b"\0asm\x01\0\0\0\0\x05\x7f", &BASH[..100]]
        {
            assert!(custom_section(module, b"x").is_none());
        }
    }
}
