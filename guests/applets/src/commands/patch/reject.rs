//! Hunks that did not fit, in a file of their own.

use super::hunk::{Hunk, Op};
use super::names;
use super::parse::{Kind, Patch};

pub fn text(patch: &Patch, hunks: &[(Hunk, isize)], unified: bool, strip: Option<usize>) -> Vec<u8> {
    let mut out = Vec::new();
    let marks: [&[u8]; 2] = if unified { [b"--- ", b"+++ "] } else { [b"*** ", b"--- "] };
    for (mark, name) in marks.iter().zip([&patch.old, &patch.new]) {
        out.extend_from_slice(mark);
        match name {
            Some(name) => {
                let short = Some(&name.name).filter(|n| *n != b"/dev/null").and_then(|n| names::strip(n, strip));
                out.extend_from_slice(short.as_ref().unwrap_or(&name.name));
                out.extend_from_slice(&name.rest);
            }
            None => out.extend_from_slice(b"/dev/null"),
        }
        out.push(b'\n');
    }
    for (hunk, offset) in hunks {
        if unified {
            unified_hunk(&mut out, hunk, *offset);
        } else {
            context_hunk(&mut out, hunk, *offset, patch.kind == Some(Kind::Normal));
        }
    }
    out
}

fn shifted(start: usize, offset: isize) -> usize {
    usize::try_from(start as isize + offset).unwrap_or(0)
}

fn push(out: &mut Vec<u8>, mark: &[u8], line: &[u8]) {
    out.extend_from_slice(mark);
    out.extend_from_slice(line);
    if line.last() != Some(&b'\n') {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

fn unified_hunk(out: &mut Vec<u8>, hunk: &Hunk, offset: isize) {
    let part = |start: usize, count: usize| match count {
        1 => start.to_string(),
        _ => format!("{start},{count}"),
    };
    let text = format!(
        "@@ -{} +{} @@",
        part(shifted(hunk.old_start, offset), hunk.before().len()),
        part(shifted(hunk.new_start, offset), hunk.after().len())
    );
    out.extend_from_slice(text.as_bytes());
    if !hunk.function.is_empty() {
        out.push(b' ');
        out.extend_from_slice(&hunk.function);
    }
    out.push(b'\n');
    for (op, line) in &hunk.lines {
        let mark = match op {
            Op::Keep => b" ",
            Op::Delete => b"-",
            Op::Insert => b"+",
        };
        push(out, mark, line);
    }
}

/// GNU writes what came from a normal diff a little differently.
fn context_hunk(out: &mut Vec<u8>, hunk: &Hunk, offset: isize, normal: bool) {
    out.extend_from_slice(b"***************");
    if !hunk.function.is_empty() {
        out.push(b' ');
        out.extend_from_slice(&hunk.function);
    }
    out.push(b'\n');
    let range = |start: usize, count: usize| match count {
        0 | 1 => start.to_string(),
        _ => format!("{start},{}", start + count - 1),
    };
    let sides = [
        ("***", if normal { "" } else { " ****" }, Op::Insert, hunk.old_start, hunk.before().len()),
        ("---", if normal { " -----" } else { " ----" }, Op::Delete, hunk.new_start, hunk.after().len()),
    ];
    for (before, after, other, start, count) in sides {
        // A side without lines begins at no line.
        let start = if count == 0 { 0 } else { shifted(start, offset) };
        out.extend_from_slice(format!("{before} {}{after}\n", range(start, count)).as_bytes());
        for (at, (op, line)) in hunk.lines.iter().enumerate() {
            if *op == other {
                continue;
            }
            let mark: &[u8] = match op {
                Op::Keep => b"  ",
                _ if !normal && changes(hunk, at, other) => b"! ",
                Op::Delete => b"- ",
                Op::Insert => b"+ ",
            };
            push(out, mark, line);
        }
    }
}

/// Whether the run of changed lines around this one also has lines of the other side.
fn changes(hunk: &Hunk, at: usize, other: Op) -> bool {
    let changed = |l: &&(Op, Vec<u8>)| l.0 != Op::Keep;
    hunk.lines[at..].iter().take_while(changed).any(|l| l.0 == other)
        || hunk.lines[..at].iter().rev().take_while(changed).any(|l| l.0 == other)
}
