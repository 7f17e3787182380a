//! The commands as functions: each runs inside the fuzzer's process, with bytes for standard input and a pipe for its
//! output. Under `cfg(fuzzing)` capsule-sys lets them change nothing, start nothing, and read nothing but [`file`]s.

use capsule_sys::{Fd, OpenFlags, close, dup2, open, pipe, read};
use std::cell::RefCell;
use std::{fs, process};

thread_local! {
    /// The output: what is written when it is full fails, which ends a command that would write for ever.
    static OUTPUT: RefCell<Option<(Fd, Fd)>> = const { RefCell::new(None) };
}

/// Runs a command; its status and its output.
pub fn run<A: AsRef<[u8]>>(argv: &[A], input: &[u8]) -> (u8, Vec<u8>) {
    let argv: Vec<Vec<u8>> = argv.iter().map(|arg| arg.as_ref().to_vec()).collect();
    let stdin = open(&file("stdin", input), OpenFlags(0), 0).expect("the input just written");
    dup2(stdin.raw(), 0, OpenFlags(0)).expect("standard input");
    OUTPUT.with_borrow_mut(|output| {
        let (from, to) = output.get_or_insert_with(|| pipe(OpenFlags::NONBLOCK).expect("a pipe"));
        dup2(to.raw(), 1, OpenFlags(0)).expect("standard output");
        let status = capsule_applets::run(argv).expect("a command of the table");
        let mut answer = Vec::new();
        let mut block = [0; 65536];
        while let Ok(n @ 1..) = read(from.raw(), &mut block) {
            answer.extend_from_slice(&block[..n]);
        }
        // What a command left open is closed, as the end of its process would.
        for fd in to.raw() + 1..to.raw() + 16 {
            let _ = close(fd);
        }
        (status, answer)
    })
}

/// The path of a file of this process with these bytes.
pub fn file(name: &str, bytes: &[u8]) -> Vec<u8> {
    let folder = format!("/dev/shm/capsule-fuzz-{}", process::id());
    let path = format!("{folder}/{name}");
    if fs::write(&path, bytes).is_err() {
        fs::create_dir_all(&folder).expect("a folder in memory");
        fs::write(&path, bytes).expect("a file in memory");
    }
    path.into_bytes()
}

/// What stands before the first NUL and after it.
pub fn halves(input: &[u8]) -> (&[u8], &[u8]) {
    match input.iter().position(|&b| b == 0) {
        Some(at) => (&input[..at], &input[at + 1..]),
        None => (input, b""),
    }
}

/// The lines as arguments after `first`.
pub fn arguments<'a>(first: &[&'a str], lines: &'a [u8]) -> Vec<&'a [u8]> {
    first.iter().map(|arg| arg.as_bytes()).chain(lines.split(|&b| b == b'\n')).collect()
}

pub fn contains(text: &[u8], part: &str) -> bool {
    text.windows(part.len()).any(|window| window == part.as_bytes())
}

/// How many of the bytes of `set` there are: programs that double what they have need many to grow large.
pub fn count(text: &[u8], set: &str) -> usize {
    text.iter().filter(|b| set.as_bytes().contains(b)).count()
}

/// Whether there is a number of more than `most` digits: what may rightly take long.
pub fn has_long_number(text: &[u8], most: usize) -> bool {
    text.split(|b| !b.is_ascii_alphanumeric()).any(|word| word.len() > most && word[0].is_ascii_digit())
}

/// Bytes that say which bytes of `of` are others: three each, a place and a value.
pub fn damaged(mut of: Vec<u8>, changes: &[u8]) -> Vec<u8> {
    for change in changes.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
        if let Some(byte) = of.get_mut(at) {
            *byte ^= change[2];
        }
    }
    of
}
