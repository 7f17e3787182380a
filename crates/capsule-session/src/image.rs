//! The base image: what every session finds before anything was written. Made once a host process; a session's tree is a
//! copy-on-write fork of it, so it costs nothing until something changes.

use crate::{Error, guests};
use capsule_abi::{Errno, stub};
use capsule_kernel::exec::COMMANDS;
use capsule_vfs::memory::Embedded;
use capsule_vfs::{Filesystem, MemoryFs, NewNode, NodeId, NodeKind, Quota};
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// The folders, with their modes.
const FOLDERS: &[(&str, u32)] = &[
    ("dev", 0o755),
    ("etc", 0o755),
    ("home", 0o755),
    ("mnt", 0o755),
    ("proc", 0o555),
    ("root", 0o700),
    ("run", 0o755),
    ("tmp", 0o1777),
    ("usr", 0o755),
    ("usr/bin", 0o755),
    ("usr/lib", 0o755),
    ("usr/lib/capsule", 0o755),
    ("usr/local", 0o755),
    ("usr/local/bin", 0o755),
    ("usr/local/lib", 0o755),
    ("usr/sbin", 0o755),
    ("usr/share", 0o755),
    ("var", 0o755),
    ("var/log", 0o755),
    ("var/tmp", 0o1777),
    ("workspace", 0o755),
];

/// `/bin` and `/usr/bin` are one tree, as on today's Debian.
const LINKS: &[(&str, &str)] = &[("bin", "usr/bin"), ("sbin", "usr/sbin"), ("lib", "usr/lib")];

const FILES: &[(&str, &str)] = &[
    ("etc/passwd", "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/false\n"),
    ("etc/group", "root:x:0:\nnogroup:x:65534:\n"),
    ("etc/hostname", "capsule\n"),
    ("etc/hosts", "127.0.0.1\tlocalhost\n"),
    ("etc/os-release", OS_RELEASE),
    ("etc/shells", "/bin/sh\n/bin/bash\n"),
];

const OS_RELEASE: &str = concat!(
    "PRETTY_NAME=\"Capsule ",
    env!("CARGO_PKG_VERSION"),
    "\"\nNAME=\"Capsule\"\nVERSION_ID=\"",
    env!("CARGO_PKG_VERSION"),
    "\"\nVERSION=\"",
    env!("CARGO_PKG_VERSION"),
    "\"\nID=capsule\n",
);

/// Where the interpreter looks for its library.
const PYTHON_LIBRARY: &str = "usr/local/lib/python314.zip";

/// The names of the shell itself, beside the commands it contains.
const SHELLS: &[&[u8]] = &[b"bash", b"sh", b"rbash"];

/// The image, and which of its files are embedded in the binary.
struct Base {
    fs: MemoryFs,
    embedded: Embedded,
}

fn base() -> Result<&'static Base, Error> {
    static BASE: OnceLock<Result<Base, Errno>> = OnceLock::new();
    let base = BASE.get_or_init(|| {
        let fs = make()?;
        let node = |path| place(&fs, path).and_then(|(dir, name)| fs.lookup(dir, name));
        let python = [("python", node("usr/bin/python3")?), ("python-library", node(PYTHON_LIBRARY)?)];
        let embedded = Embedded::new(&fs, &[("bash", node("usr/bin/bash")?), python[0], python[1]])?;
        Ok(Base { fs, embedded })
    });
    base.as_ref().map_err(|e| Error::Image(e.to_string()))
}

/// A fresh tree for a session.
pub fn fork(quota: Arc<Quota>) -> Result<MemoryFs, Error> {
    Ok(base()?.fs.fork(quota))
}

/// The large files that a kept session has by name only.
pub fn embedded() -> Result<&'static Embedded, Error> {
    Ok(&base()?.embedded)
}

/// Gives a tree that was kept by an older binary the commands that have come since; `known` are those there were, one a
/// line. A command that the session has removed stays away.
pub fn refresh(fs: &MemoryFs, known: &[u8]) -> Result<(), Errno> {
    let known: HashSet<&[u8]> = known.split(|&byte| byte == b'\n').collect();
    let new = guests::commands(guests::BASH).into_iter().filter(|name| !known.contains(name));
    let Ok(bin) = fs.lookup(fs.root(), b"usr").and_then(|usr| fs.lookup(usr, b"bin")) else { return Ok(()) };
    if let (Ok(shell), Ok((lib, name))) = (fs.lookup(bin, SHELLS[0]), place(fs, "usr/lib/capsule")) {
        unless_there(fs.create(lib, name, &self::new(NodeKind::Directory, 0o755)).map(drop))?;
        unless_there(add_module(fs, shell))?;
    }
    for name in new {
        unless_there(add_command(fs, bin, name))?;
    }
    if !known.contains(guests::PYTHONS[0]) {
        add_python(fs)?;
    }
    if known.contains(guests::PIPS[0]) { Ok(()) } else { add_pip(fs) }
}

/// The shell's module at the place where its commands look for it, so that they do without `/bin/bash`.
fn add_module(fs: &MemoryFs, shell: NodeId) -> Result<(), Errno> {
    let (dir, name) = place(fs, COMMANDS)?;
    fs.link(shell, dir, name)
}

/// A command that is part of the shell's module.
fn add_command(fs: &MemoryFs, bin: NodeId, name: &[u8]) -> Result<(), Errno> {
    let file = stub::file(name).ok_or(Errno::ENAMETOOLONG)?;
    let node = fs.create(bin, name, &new(NodeKind::Regular, 0o755))?;
    fs.write(node, 0, &file).map(drop)
}

/// The interpreter under its names, and its library.
fn add_python(fs: &MemoryFs) -> Result<(), Errno> {
    let (bin, first) = place(fs, "usr/bin/python3")?;
    unless_there(fs.create_static(bin, first, 0o755, guests::PYTHON).map(drop))?;
    let python = fs.lookup(bin, first)?;
    for name in &guests::PYTHONS[1..] {
        unless_there(fs.link(python, bin, name))?;
    }
    let (usr, local) = place(fs, "usr/local")?;
    if let Ok(local) = fs.lookup(usr, local) {
        unless_there(fs.create(local, b"lib", &new(NodeKind::Directory, 0o755)).map(drop))?;
        let (lib, name) = place(fs, PYTHON_LIBRARY)?;
        unless_there(fs.create_static(lib, name, 0o644, guests::PYTHON_LIBRARY).map(drop))?;
    }
    Ok(())
}

fn add_pip(fs: &MemoryFs) -> Result<(), Errno> {
    let (bin, _) = place(fs, "usr/bin/x")?;
    for name in guests::PIPS {
        unless_there(fs.create_static(bin, name, 0o755, guests::PIP).map(drop))?;
    }
    Ok(())
}

/// What a session has at a place stays.
fn unless_there(outcome: Result<(), Errno>) -> Result<(), Errno> {
    match outcome {
        Err(Errno::EEXIST) => Ok(()),
        other => other,
    }
}

fn make() -> Result<MemoryFs, Errno> {
    let fs = MemoryFs::new(Quota::unlimited());
    for (path, mode) in FOLDERS {
        let (dir, name) = place(&fs, path)?;
        fs.create(dir, name, &new(NodeKind::Directory, *mode))?;
    }
    for (path, target) in LINKS {
        let (dir, name) = place(&fs, path)?;
        fs.create(dir, name, &new(NodeKind::Symlink(target.as_bytes().to_vec()), 0o777))?;
    }
    for (path, text) in FILES {
        let (dir, name) = place(&fs, path)?;
        fs.create_static(dir, name, 0o644, text.as_bytes())?;
    }
    let (bin, _) = place(&fs, "usr/bin/x")?;
    let shell = fs.create_static(bin, SHELLS[0], 0o755, guests::BASH)?;
    for name in &SHELLS[1..] {
        fs.link(shell, bin, name)?;
    }
    add_module(&fs, shell)?;
    for name in guests::commands(guests::BASH) {
        add_command(&fs, bin, name)?;
    }
    add_python(&fs)?;
    add_pip(&fs)?;
    Ok(fs)
}

fn place<'a>(fs: &MemoryFs, path: &'a str) -> Result<(NodeId, &'a [u8]), Errno> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut dir = fs.root();
    for part in folder.split('/').filter(|p| !p.is_empty()) {
        dir = fs.lookup(dir, part.as_bytes())?;
    }
    Ok((dir, name.as_bytes()))
}

fn new(kind: NodeKind, mode: u32) -> NewNode {
    NewNode { kind, mode, uid: 0, gid: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of a binary that had one command less and no place for the module; the session has removed a command.
    #[test]
    fn an_older_tree_gets_what_is_new() {
        let fs = make().unwrap();
        let node = |path: &str| place(&fs, path).and_then(|(dir, name)| fs.lookup(dir, name));
        let (bin, _) = place(&fs, "usr/bin/x").unwrap();
        let (lib, _) = place(&fs, COMMANDS).unwrap();
        fs.unlink(lib, b"commands").unwrap();
        fs.remove_dir(node("usr/lib").unwrap(), b"capsule").unwrap();
        fs.unlink(bin, b"cat").unwrap();
        fs.unlink(bin, b"ls").unwrap();
        let known = guests::all_commands().into_iter().filter(|name| *name != b"cat").collect::<Vec<_>>();
        refresh(&fs, &known.join(&b'\n')).unwrap();
        assert_eq!(node(COMMANDS).unwrap(), node("usr/bin/bash").unwrap());
        let mut head = [0; stub::HEAD];
        let len = fs.read(node("usr/bin/cat").unwrap(), 0, &mut head).unwrap();
        assert_eq!(stub::command(&head[..len]), Some(b"cat".as_slice()));
        // Removed, it stays away.
        assert_eq!(node("usr/bin/ls"), Err(Errno::ENOENT));
    }
}
