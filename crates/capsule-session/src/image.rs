//! The base image: what every session finds before anything was written. Made once a host process; a session's tree is a
//! copy-on-write fork of it, so it costs nothing until something changes.

use crate::{Error, guests};
use capsule_abi::Errno;
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
    let Ok(shell) = fs.lookup(bin, SHELLS[0]) else { return Ok(()) };
    for name in new {
        unless_there(fs.link(shell, bin, name))?;
    }
    if !known.contains(guests::PYTHONS[0]) {
        add_python(fs)?;
    }
    if known.contains(guests::PIPS[0]) { Ok(()) } else { add_pip(fs) }
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
    // Every command is a name of the one module, which looks at argv[0].
    let (bin, _) = place(&fs, "usr/bin/x")?;
    let shell = fs.create_static(bin, SHELLS[0], 0o755, guests::BASH)?;
    for name in SHELLS.iter().copied().skip(1).chain(guests::commands(guests::BASH)) {
        fs.link(shell, bin, name)?;
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
