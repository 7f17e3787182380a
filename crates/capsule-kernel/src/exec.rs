//! From a path to a program, as `execve` does it: files with the Wasm magic, `#!` scripts, the shell's own commands,
//! custom commands, and plain text, which is a shell script.

use crate::kernel::Kernel;
use crate::program::{Image, LoadError, Program};
use capsule_abi::{Errno, stub};
use capsule_vfs::{Caller, OpenNode};
use std::borrow::Cow;
use std::sync::Arc;

/// How many `#!` lines may lead to one another, as on Linux.
const MAX_INTERPRETERS: usize = 5;
/// How much of a file tells what it is; a `#!` line is cut here, as on Linux.
const HEAD: usize = 256;
/// What runs a text file without `#!`: on Linux the calling shell does it, and that is bash here.
const SCRIPT_SHELL: &[u8] = b"/bin/bash";
/// The module that a [`stub`]'s command is part of.
pub const COMMANDS: &str = "/usr/lib/capsule/commands";
/// Begins the file of a custom command; the command's name follows.
pub const COMMAND_MAGIC: &[u8] = b"\0capsule-command ";

/// A program, and the arguments it gets (a script's interpreter has more of them than were asked for).
pub struct Loaded {
    pub program: Arc<dyn Program>,
    pub argv: Vec<Vec<u8>>,
}

pub async fn load(kernel: &Kernel, caller: &Caller, path: &[u8], argv: Vec<Vec<u8>>) -> Result<Loaded, LoadError> {
    let (mut path, mut argv) = (Cow::Borrowed(path), argv);
    for _ in 0..MAX_INTERPRETERS {
        let file = kernel.vfs().open_program(caller, &path)?;
        let mut head = [0; HEAD];
        let head_len = file.read_at(0, &mut head)?;
        match recognise(&head[..head_len]) {
            Kind::Wasm => {
                let (version, fuel) = (file.content_version(), kernel.meters_fuel());
                if let Some(program) = version.and_then(|version| kernel.runtime().known(version, fuel)) {
                    return Ok(Loaded { program, argv });
                }
                // The bytes must be those of the version: a program is kept under it for all sessions.
                let read = || {
                    read_all(&file).and_then(|bytes| match file.content_version() == version {
                        true => Ok(bytes),
                        false => Err(Errno::ETXTBSY),
                    })
                };
                let image = Image { name: &path, version, fuel, read: &read };
                let program = kernel.runtime().load(image).await?;
                return Ok(Loaded { program, argv });
            }
            Kind::Command(name) => {
                let program = kernel.command(name).ok_or(Errno::ENOEXEC)?;
                return Ok(Loaded { program, argv });
            }
            Kind::Interpreter { program, argument } => {
                let mut next = vec![program.to_vec()];
                next.extend(argument.map(<[u8]>::to_vec));
                next.push(path.into_owned());
                next.extend(argv.into_iter().skip(1));
                (path, argv) = (Cow::Owned(program.to_vec()), next);
            }
            // Its arguments stay: the module finds out by its name, or by the file, which command it is.
            Kind::Stub => path = Cow::Borrowed(COMMANDS.as_bytes()),
            Kind::Text => {
                let mut next = vec![SCRIPT_SHELL.to_vec(), path.into_owned()];
                next.extend(argv.into_iter().skip(1));
                (path, argv) = (Cow::Borrowed(SCRIPT_SHELL), next);
            }
            Kind::Unknown => return Err(Errno::ENOEXEC.into()),
        }
    }
    Err(Errno::ELOOP.into())
}

fn read_all(file: &OpenNode) -> Result<Cow<'static, [u8]>, Errno> {
    if let Some(bytes) = file.embedded() {
        return Ok(Cow::Borrowed(bytes));
    }
    let size = usize::try_from(file.stat()?.size).map_err(|_| Errno::ENOMEM)?;
    if size > MAX_IMAGE {
        return Err(Errno::ENOMEM);
    }
    let mut bytes = vec![0; size];
    let mut filled = 0;
    while filled < size {
        match file.read_at(filled as u64, &mut bytes[filled..])? {
            0 => break,
            n => filled += n,
        }
    }
    bytes.truncate(filled);
    Ok(Cow::Owned(bytes))
}

/// No executable is larger: its bytes are held by the host while it is compiled.
const MAX_IMAGE: usize = 64 << 20;

#[derive(Debug, PartialEq, Eq)]
enum Kind<'a> {
    Wasm,
    Stub,
    Command(&'a [u8]),
    Interpreter { program: &'a [u8], argument: Option<&'a [u8]> },
    Text,
    Unknown,
}

fn recognise(head: &[u8]) -> Kind<'_> {
    if stub::command(head).is_some() {
        return Kind::Stub;
    }
    if head.starts_with(b"\0asm") {
        return Kind::Wasm;
    }
    if let Some(name) = head.strip_prefix(COMMAND_MAGIC) {
        return Kind::Command(name.trim_ascii_end());
    }
    let line = head.split(|&b| b == b'\n').next().unwrap_or_default();
    let Some(rest) = line.strip_prefix(b"#!") else {
        // bash's own test: a NUL in the first line means a binary of some other kind.
        return if line.contains(&0) || head.starts_with(b"\x7fELF") { Kind::Unknown } else { Kind::Text };
    };
    let blank = |b: &u8| *b == b' ' || *b == b'\t';
    let rest = trim(rest);
    let program_len = rest.iter().position(blank).unwrap_or(rest.len());
    let (program, argument) = rest.split_at(program_len);
    let argument = trim(argument);
    match program.is_empty() {
        true => Kind::Unknown,
        false => Kind::Interpreter { program, argument: (!argument.is_empty()).then_some(argument) },
    }
}

/// Without blanks at both ends; a carriage return is kept, and the interpreter not found, as on Linux.
fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{Kind, recognise};

    #[test]
    fn what_a_file_is() {
        assert_eq!(recognise(b"\0asm\x01"), Kind::Wasm);
        assert_eq!(recognise(&capsule_abi::stub::file(b"ls").unwrap()), Kind::Stub);
        assert_eq!(recognise(b"\0capsule-command fetch\n"), Kind::Command(b"fetch"));
        assert_eq!(recognise(b"echo hi\n"), Kind::Text);
        assert_eq!(recognise(b""), Kind::Text);
        assert_eq!(recognise(b"\x7fELF\0\0"), Kind::Unknown);
        assert_eq!(recognise(b"\x7fELF\n"), Kind::Unknown);
        assert_eq!(recognise(b"#!\n"), Kind::Unknown);
        let interpreter = |program, argument| Kind::Interpreter { program, argument };
        assert_eq!(recognise(b"#!/bin/sh\necho"), interpreter(b"/bin/sh", None));
        assert_eq!(recognise(b"#! /usr/bin/env  -S a b \t\n"), interpreter(b"/usr/bin/env", Some(b"-S a b")));
    }
}
