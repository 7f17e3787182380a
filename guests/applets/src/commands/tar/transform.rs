//! `--transform`: names are changed on the way in or out.

use crate::{Exit, report};
use capsule_regex::{Groups, Options, Regex, Syntax};

/// Which kinds of names an expression is for.
pub const MEMBERS: u8 = 1;
pub const HARD_LINKS: u8 = 2;
pub const SYMBOLIC_LINKS: u8 = 4;

/// `s/…/…/`
pub struct Transform {
    regex: Regex,
    replacement: Vec<u8>,
    global: bool,
    number: usize,
    kinds: u8,
}

/// All of them, one after the other.
pub fn transformed(transforms: &[Transform], name: &[u8], kind: u8) -> Vec<u8> {
    let mut name = name.to_vec();
    for transform in transforms.iter().filter(|t| t.kinds & kind != 0) {
        name = transform.apply(&name);
    }
    name
}

/// The letters that say which kinds of names are meant.
fn kinds(flag: u8, kinds: &mut u8) -> bool {
    match flag {
        b'r' => *kinds |= MEMBERS,
        b'R' => *kinds &= !MEMBERS,
        b'h' => *kinds |= HARD_LINKS,
        b'H' => *kinds &= !HARD_LINKS,
        b's' => *kinds |= SYMBOLIC_LINKS,
        b'S' => *kinds &= !SYMBOLIC_LINKS,
        _ => return false,
    }
    true
}

impl Transform {
    /// One or more of them, separated by semicolons.
    pub fn parse(text: &[u8]) -> Result<Vec<Transform>, Exit> {
        let bad = |_: &str| report::usage(2, "Invalid transform expression");
        let unknown =
            |flag: u8| report::usage(2, format_args!("Unknown flag in transform expression: {}", char::from(flag)));
        let mut all = Vec::new();
        let mut rest = text;
        let mut usual = MEMBERS | HARD_LINKS | SYMBOLIC_LINKS;
        while !rest.is_empty() {
            if let Some(flags) = rest.strip_prefix(b"flags=") {
                let end = memchr::memchr(b';', flags).unwrap_or(flags.len());
                if let Some(flag) = flags[..end].iter().find(|f| !kinds(**f, &mut usual)) {
                    return Err(unknown(*flag));
                }
                rest = flags[end..].strip_prefix(b";").unwrap_or(b"");
                continue;
            }
            let Some((b's', after)) = rest.split_first() else { return Err(bad("expected s")) };
            let Some((&mark, after)) = after.split_first() else { return Err(bad("missing delimiter")) };
            let (pattern, after) = part(after, mark).ok_or_else(|| bad("missing second delimiter"))?;
            let (replacement, after) = part(after, mark).ok_or_else(|| bad("missing third delimiter"))?;
            let end = memchr::memchr(b';', after).unwrap_or(after.len());
            let mut options = Options { utf8: crate::quote::is_utf8(), ..Options::default() };
            let (mut global, mut number, mut meant) = (false, String::new(), usual);
            for &flag in &after[..end] {
                match flag {
                    b'g' => global = true,
                    b'i' => options.ignore_case = true,
                    b'x' => options.syntax = Syntax::Extended,
                    b'0'..=b'9' => number.push(flag as char),
                    _ if kinds(flag, &mut meant) => {}
                    _ => return Err(unknown(flag)),
                }
            }
            let regex = Regex::new(&pattern, &options)
                .map_err(|e| report::die(2, format_args!("Invalid transform expression: {e}")))?;
            let number = number.parse().unwrap_or(1).max(1);
            all.push(Transform { regex, replacement, global, number, kinds: meant });
            rest = after[end..].strip_prefix(b";").unwrap_or(b"");
        }
        Ok(all)
    }

    fn apply(&self, name: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut groups = Groups::new();
        let (mut from, mut copied, mut nth) = (0, 0, 0);
        while from <= name.len() && self.regex.captures_at(name, from, false, &mut groups) {
            let Some((start, end)) = groups.first().copied().flatten() else { break };
            nth += 1;
            if nth >= self.number {
                out.extend_from_slice(&name[copied..start]);
                self.replace(name, &groups, &mut out);
                copied = end;
                if !self.global {
                    break;
                }
            }
            from = if end > start { end } else { end + 1 };
        }
        out.extend_from_slice(&name[copied.min(name.len())..]);
        out
    }

    fn replace(&self, name: &[u8], groups: &Groups, out: &mut Vec<u8>) {
        let mut rest = self.replacement.iter();
        // \U and \L hold until \E; \u and \l for one letter.
        let (mut case, mut once) = (0, 0);
        while let Some(&byte) = rest.next() {
            let from = out.len();
            match byte {
                b'&' => copy(name, groups, 0, out),
                b'\\' => match rest.next() {
                    Some(&digit @ b'0'..=b'9') => copy(name, groups, usize::from(digit - b'0'), out),
                    Some(&letter @ (b'U' | b'L')) => case = letter,
                    Some(&letter @ (b'u' | b'l')) => once = letter,
                    Some(b'E') => case = 0,
                    Some(b'n') => out.push(b'\n'),
                    Some(&other) => out.push(other),
                    None => out.push(b'\\'),
                },
                _ => out.push(byte),
            }
            match case {
                b'U' => out[from..].make_ascii_uppercase(),
                b'L' => out[from..].make_ascii_lowercase(),
                _ => {}
            }
            if let Some(first) = out.get_mut(from) {
                match std::mem::take(&mut once) {
                    b'u' => first.make_ascii_uppercase(),
                    b'l' => first.make_ascii_lowercase(),
                    _ => {}
                }
            }
        }
    }
}

fn copy(name: &[u8], groups: &Groups, number: usize, out: &mut Vec<u8>) {
    if let Some((start, end)) = groups.get(number).copied().flatten() {
        out.extend_from_slice(&name[start..end]);
    }
}

/// Text up to a delimiter that is not escaped; what follows it.
fn part(text: &[u8], mark: u8) -> Option<(Vec<u8>, &[u8])> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\\' if text.get(at + 1) == Some(&mark) => {
                out.push(mark);
                at += 2;
            }
            b'\\' if at + 1 < text.len() => {
                out.extend_from_slice(&text[at..at + 2]);
                at += 2;
            }
            byte if byte == mark => return Some((out, &text[at + 1..])),
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
    None
}
