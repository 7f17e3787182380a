//! `-r`: from a dump to octets.

use super::{place, read_error};
use crate::{Outcome, report};
use capsule_sys::{FileType, In, Out, STDOUT, fstat};

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|d| d as u8)
}

pub fn run(stream: &mut In, plain: bool, offset: i64) -> Outcome {
    if plain {
        return plain_digits(stream);
    }
    let patch = fstat(STDOUT).is_ok_and(|s| s.kind == FileType::Regular);
    let (mut line, mut next) = (Vec::new(), 0);
    // Octets that follow each other are written together.
    let (mut held, mut held_at) = (Vec::new(), 0u64);
    loop {
        line.clear();
        if !stream.read_until(b'\n', &mut line).map_err(read_error)? {
            break;
        }
        let text = line.trim_ascii_start();
        let n = text.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let Some(rest) = text.get(n..).and_then(|r| r.strip_prefix(b":")).filter(|_| n > 0 && n <= 16) else {
            continue;
        };
        let at = text[..n].iter().fold(0u64, |v, d| v << 4 | u64::from(digit(*d).unwrap_or(0)));
        let at = at.wrapping_add_signed(offset);
        if at != held_at + held.len() as u64 {
            place(held_at, &held, &mut next, patch)?;
            held.clear();
            held_at = at;
        }
        // Digits up to two blanks: behind them are characters.
        let mut rest = rest;
        let mut blanks = 0;
        while let [first, tail @ ..] = rest {
            if *first == b' ' || *first == b'\t' {
                blanks += 1;
                if blanks > 1 && !held.is_empty() && at < held_at + held.len() as u64 {
                    break;
                }
                rest = tail;
                continue;
            }
            blanks = 0;
            let (Some(high), Some(low)) = (digit(*first), tail.first().and_then(|b| digit(*b))) else { break };
            held.push(high << 4 | low);
            rest = &tail[1..];
        }
        if held.len() >= 65_536 {
            place(held_at, &held, &mut next, patch)?;
            held_at += held.len() as u64;
            held.clear();
        }
    }
    place(held_at, &held, &mut next, patch)?;
    fstat(STDOUT).map_err(report::unwritten)?;
    Ok(0)
}

fn plain_digits(stream: &mut In) -> Outcome {
    let mut out = Out::stdout();
    let mut high = None;
    loop {
        let block = stream.fill().map_err(read_error)?;
        if block.is_empty() {
            return report::finish(&mut out, 0);
        }
        for &byte in block {
            match (digit(byte), high) {
                (Some(value), None) => high = Some(value),
                (Some(value), Some(first)) => {
                    out.byte(first << 4 | value);
                    high = None;
                }
                // Blanks between digits do not count; anything else parts them.
                (None, _) if byte.is_ascii_whitespace() => {}
                (None, _) => high = None,
            }
        }
        let n = block.len();
        stream.consume(n);
        report::writable(&out)?;
    }
}
