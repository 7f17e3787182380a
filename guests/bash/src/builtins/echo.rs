//! `echo`.

use crate::shell::{Flow, Shell, Shopt};
use crate::syntax::{Decoded, EscapeStyle, decode_escape};

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let xpg = shell.options.shopt(Shopt::XpgEcho);
    let (mut newline, mut escapes) = (true, xpg);
    let mut first = 1;
    if !(xpg && shell.posix()) {
        for arg in &args[1..] {
            if arg.len() < 2 || arg[0] != b'-' || !arg[1..].iter().all(|b| matches!(b, b'n' | b'e' | b'E')) {
                break;
            }
            for b in &arg[1..] {
                match b {
                    b'n' => newline = false,
                    b'e' => escapes = true,
                    _ => escapes = false,
                }
            }
            first += 1;
        }
    }
    for (i, arg) in args[first..].iter().enumerate() {
        if i > 0 {
            shell.out.push(b' ');
        }
        if !escapes {
            shell.out.extend_from_slice(arg);
        } else if !expand(arg, EscapeStyle::Echo, &mut shell.out) {
            return Ok(0);
        }
    }
    if newline {
        shell.out.push(b'\n');
    }
    Ok(0)
}

/// False: `\c` ended the output.
pub fn expand(text: &[u8], style: EscapeStyle, out: &mut Vec<u8>) -> bool {
    let mut i = 0;
    while i < text.len() {
        if text[i] != b'\\' {
            out.push(text[i]);
            i += 1;
            continue;
        }
        match decode_escape(&text[i + 1..], style, out) {
            Decoded::Taken(n) => i += n + 1,
            Decoded::Stop => return false,
        }
    }
    true
}
