//! `umask`.

use super::{Letter, Letters};
use crate::shell::{Flow, Shell};
use capsule_sys as sys;

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut print, mut symbolic) = (false, false);
    let mut letters = Letters::new(args, b"pS");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'p') => print = true,
            Letter::Plain(_) => symbolic = true,
            Letter::Bad(option) => return Ok(shell.bad_option("umask", &option)),
            _ => return Ok(2),
        }
    }
    let mask = sys::umask(0);
    sys::umask(mask);
    let Some(text) = letters.rest().first() else {
        let shown = if symbolic { letters_of(mask) } else { format!("{mask:04o}") };
        let head = match (print, symbolic) {
            (true, true) => "umask -S ",
            (true, false) => "umask ",
            _ => "",
        };
        shell.out.extend_from_slice(format!("{head}{shown}\n").as_bytes());
        return Ok(0);
    };
    let new = if text.first().is_some_and(u8::is_ascii_digit) {
        match std::str::from_utf8(text).ok().and_then(|t| u32::from_str_radix(t, 8).ok()).filter(|&n| n <= 0o7777) {
            Some(mask) => mask & 0o777,
            None => {
                shell.complain("umask", [&text[..], b": octal number out of range"].concat());
                return Ok(1);
            }
        }
    } else {
        match parse(text, mask) {
            Ok(mask) => mask,
            Err(message) => {
                shell.complain("umask", message);
                return Ok(1);
            }
        }
    };
    sys::umask(new);
    if symbolic {
        shell.out.extend_from_slice(format!("{}\n", letters_of(new)).as_bytes());
    }
    Ok(0)
}

fn letters_of(mask: u32) -> String {
    let part = |shift: u32| {
        let allowed = !(mask >> shift) & 7;
        [(4, 'r'), (2, 'w'), (1, 'x')].iter().filter(|(bit, _)| allowed & bit != 0).map(|(_, c)| c).collect::<String>()
    };
    format!("u={},g={},o={}", part(6), part(3), part(0))
}

/// `u=rwx,g-w`: what is allowed, so the mask is the rest.
fn parse(text: &[u8], mask: u32) -> Result<u32, String> {
    let mut allowed = !mask & 0o777;
    let mut rest = text;
    loop {
        let mut who = 0;
        while let Some((b, after)) = rest.split_first() {
            who |= match b {
                b'u' => 0o700,
                b'g' => 0o070,
                b'o' => 0o007,
                b'a' => 0o777,
                _ => break,
            };
            rest = after;
        }
        // Nothing left shows as the NUL that ends C's strings.
        let op = rest.first().copied().unwrap_or(0);
        if !matches!(op, b'+' | b'-' | b'=') {
            return Err(format!("`{}': invalid symbolic mode operator", op as char));
        }
        if who == 0 {
            who = 0o777;
        }
        let end = rest.iter().position(|&b| b == b',').unwrap_or(rest.len());
        let mut bits = 0;
        for b in &rest[1..end] {
            bits |= match b {
                b'r' => 0o444,
                b'w' => 0o222,
                b'x' => 0o111,
                b => return Err(format!("`{}': invalid symbolic mode character", *b as char)),
            };
        }
        match op {
            b'+' => allowed |= bits & who,
            b'-' => allowed &= !(bits & who),
            _ => allowed = allowed & !who | bits & who,
        }
        if end == rest.len() {
            return Ok(!allowed & 0o777);
        }
        rest = &rest[end + 1..];
    }
}
