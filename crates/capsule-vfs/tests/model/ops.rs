//! Random operations on a small world of names, so that they meet often.

use capsule_abi::Errno;
use capsule_abi::fs::{FileType, OpenFlags};
use proptest::prelude::*;

/// How many nodes may be held open.
pub const HANDLES: usize = 4;

/// Where a path starts: the base directory, or an open directory when that handle is one.
pub type Start = Option<usize>;

#[derive(Clone, Debug)]
pub enum Op {
    Open { start: Start, path: Vec<u8>, flags: OpenFlags, mode: u32, handle: usize },
    Close { handle: usize },
    Read { handle: usize, offset: u64, len: usize },
    Write { handle: usize, offset: u64, byte: u8, len: usize },
    Append { handle: usize, byte: u8, len: usize },
    SetLen { handle: usize, size: u64 },
    StatHandle { handle: usize },
    ChmodHandle { handle: usize, mode: u32 },
    Mkdir { start: Start, path: Vec<u8>, mode: u32 },
    RemoveDir { start: Start, path: Vec<u8> },
    Unlink { start: Start, path: Vec<u8> },
    Symlink { target: Vec<u8>, start: Start, path: Vec<u8> },
    Link { path: Vec<u8>, to: Vec<u8>, follow: bool },
    Rename { start: Start, path: Vec<u8>, to: Vec<u8>, flags: u32 },
    Chmod { path: Vec<u8>, mode: u32 },
    Truncate { path: Vec<u8>, size: u64 },
    SetTime { path: Vec<u8>, seconds: i64, follow: bool },
    Stat { start: Start, path: Vec<u8>, follow: bool },
    ReadLink { path: Vec<u8> },
    ReadDir { start: Start, path: Vec<u8> },
}

/// What an operation answers, as far as all must agree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Nothing,
    Count(usize),
    Bytes(Vec<u8>),
    Stat {
        kind: FileType,
        mode: u32,
        nlink: u32,
        size: u64,
        mtime: Option<i64>,
    },
    Names(Vec<(Vec<u8>, FileType)>),
    /// The handle is not open.
    Closed,
}

pub type Outcome = Result<Value, Errno>;

/// A world that operations happen in.
pub trait Subject {
    fn apply(&mut self, op: &Op) -> Outcome;
}

/// What there is before the operations. An overlay has it in its lower layer.
pub fn prefill() -> Vec<Op> {
    let path = |path: &str| path.as_bytes().to_vec();
    let create = OpenFlags::CREAT | OpenFlags::RDWR;
    let mut ops = Vec::new();
    for dir in ["a", "a/b", "a/b/c", "d"] {
        ops.push(Op::Mkdir { start: None, path: path(dir), mode: 0o755 });
    }
    for (len, file) in [(10, "b"), (70_000, "a/c"), (3, "a/b/d"), (0, "d/a")] {
        ops.push(Op::Open { start: None, path: path(file), flags: create, mode: 0o644, handle: 0 });
        ops.push(Op::Write { handle: 0, offset: 0, byte: b'p', len });
        ops.push(Op::Close { handle: 0 });
    }
    ops.push(Op::Symlink { target: path("a/b"), start: None, path: path("c") });
    ops.push(Op::Symlink { target: path("../b"), start: None, path: path("d/b") });
    ops.push(Op::Link { path: path("b"), to: path("a/d"), follow: false });
    ops
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    let short = prop::sample::select(vec!["a", "b", "c", "d", "e\n\u{ff}"]).prop_map(|name| name.as_bytes().to_vec());
    prop_oneof![
        30 => short,
        1 => Just(b".".to_vec()),
        2 => Just(b"..".to_vec()),
        1 => prop::sample::select(vec![255, 256]).prop_map(|len| vec![b'n'; len]),
    ]
}

/// Never absolute: the kernel's world has another root.
fn path() -> impl Strategy<Value = Vec<u8>> {
    let ends = prop_oneof![12 => Just(""), 1 => Just("/"), 1 => Just("/.")];
    let inner = (prop::collection::vec(name(), 1..4), ends).prop_map(|(names, end)| {
        let mut path = names.join(&b"/"[..]);
        path.extend_from_slice(end.as_bytes());
        path
    });
    prop_oneof![60 => inner, 1 => Just(Vec::new()), 1 => Just(b"a//b///c".to_vec()), 1 => Just(vec![b'/'; 0])]
}

fn target() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(name(), 1..3).prop_map(|names| names.join(&b"/"[..]))
}

fn start() -> impl Strategy<Value = Start> {
    prop_oneof![3 => Just(None), 1 => (0..HANDLES).prop_map(Some)]
}

fn open_flags() -> impl Strategy<Value = OpenFlags> {
    let extra = [
        OpenFlags::CREAT,
        OpenFlags::CREAT | OpenFlags::EXCL,
        OpenFlags::TRUNC,
        OpenFlags::CREAT | OpenFlags::TRUNC,
        OpenFlags::DIRECTORY,
        OpenFlags::NOFOLLOW,
        OpenFlags::CREAT | OpenFlags::NOFOLLOW,
        OpenFlags::default(),
        OpenFlags::default(),
    ];
    let access = [OpenFlags::RDONLY, OpenFlags::WRONLY, OpenFlags::RDWR, OpenFlags::RDWR];
    (prop::sample::select(access.to_vec()), prop::sample::select(extra.to_vec())).prop_map(|(a, b)| a | b)
}

/// Around the edges of 64 KiB chunks, and far out.
fn offset() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..20_u64, 2 => 65_500..65_600_u64, 1 => 100_000..200_000_u64, 1 => Just(1_u64 << 40)]
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0..20_usize, 1 => 1000..140_000_usize]
}

/// The owner keeps all rights: whether the tests run as root must not matter.
fn mode() -> impl Strategy<Value = u32> {
    (0_u32..0o100).prop_map(|mode| 0o700 | mode)
}

pub fn op() -> impl Strategy<Value = Op> {
    let handle = || 0..HANDLES;
    let byte = || b'a'..b'e';
    prop_oneof![
        8 => (start(), path(), open_flags(), mode(), handle())
            .prop_map(|(start, path, flags, mode, handle)| Op::Open { start, path, flags, mode, handle }),
        1 => handle().prop_map(|handle| Op::Close { handle }),
        3 => (handle(), offset(), length()).prop_map(|(handle, offset, len)| Op::Read { handle, offset, len }),
        4 => (handle(), offset(), byte(), length())
            .prop_map(|(handle, offset, byte, len)| Op::Write { handle, offset, byte, len }),
        2 => (handle(), byte(), length()).prop_map(|(handle, byte, len)| Op::Append { handle, byte, len }),
        2 => (handle(), offset()).prop_map(|(handle, size)| Op::SetLen { handle, size }),
        1 => handle().prop_map(|handle| Op::StatHandle { handle }),
        1 => (handle(), mode()).prop_map(|(handle, mode)| Op::ChmodHandle { handle, mode }),
        5 => (start(), path(), mode()).prop_map(|(start, path, mode)| Op::Mkdir { start, path, mode }),
        3 => (start(), path()).prop_map(|(start, path)| Op::RemoveDir { start, path }),
        4 => (start(), path()).prop_map(|(start, path)| Op::Unlink { start, path }),
        3 => (target(), start(), path()).prop_map(|(target, start, path)| Op::Symlink { target, start, path }),
        3 => (path(), path(), any::<bool>()).prop_map(|(path, to, follow)| Op::Link { path, to, follow }),
        8 => (start(), path(), path(), prop::sample::select(vec![0, 0, 0, 1, 2, 3, 8]))
            .prop_map(|(start, path, to, flags)| Op::Rename { start, path, to, flags }),
        2 => (path(), mode()).prop_map(|(path, mode)| Op::Chmod { path, mode }),
        2 => (path(), offset()).prop_map(|(path, size)| Op::Truncate { path, size }),
        1 => (path(), 0..1_000_000_i64, any::<bool>())
            .prop_map(|(path, seconds, follow)| Op::SetTime { path, seconds, follow }),
        4 => (start(), path(), any::<bool>()).prop_map(|(start, path, follow)| Op::Stat { start, path, follow }),
        1 => path().prop_map(|path| Op::ReadLink { path }),
        3 => (start(), path()).prop_map(|(start, path)| Op::ReadDir { start, path }),
    ]
}
