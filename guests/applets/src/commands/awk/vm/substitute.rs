//! `sub`, `gsub` and `gensub`.

use super::super::chars;
use super::super::value::Value;
use super::{Run, Vm};
use capsule_regex::Regex;

/// A piece of a replacement.
enum Piece {
    Text(Vec<u8>),
    /// What matched, or a group of it.
    Group(usize),
}

impl Vm {
    /// The count on the stack; the new text, if there is one, is pending.
    pub fn substitute(&mut self, regex: Option<u32>, all: bool) -> Run<()> {
        let replacement = self.pop();
        let regex = match regex {
            Some(number) => self.constant(number)?,
            None => {
                let source = self.pop();
                self.regex_of(&source)?
            }
        };
        let target = self.pop();
        let replacement = self.text_of(&replacement);
        let pieces = simple(&replacement, self.modes.posix);
        let text;
        let bytes = match target.bytes() {
            Some(bytes) => bytes,
            None => {
                text = self.text_of(&target);
                &text
            }
        };
        let mut out = Vec::new();
        let (mut count, mut copied) = (0, 0);
        each_match(&regex, bytes, self.modes.utf8, |start, end| {
            if count == 0 {
                out.reserve(bytes.len() + replacement.len());
            }
            count += 1;
            out.extend_from_slice(&bytes[copied..start]);
            for piece in &pieces {
                match piece {
                    Piece::Text(text) => out.extend_from_slice(text),
                    Piece::Group(_) => out.extend_from_slice(&bytes[start..end]),
                }
            }
            copied = end;
            all
        });
        self.pending = None;
        if count > 0 {
            out.extend_from_slice(&bytes[copied..]);
            let kept = matches!(target, Value::Regex(_));
            self.pending = Some(if kept { Value::regex(out) } else { Value::owned(out) });
        }
        self.stack.push(Value::Num(f64::from(count)));
        Ok(())
    }

    /// `gensub(regex, replacement, which [, text])`
    pub fn gensub(&mut self, args: usize) -> Run<()> {
        let text = if args > 3 { self.pop() } else { self.record.get(0) };
        let how = self.pop();
        let replacement = self.pop();
        let source = self.pop();
        let regex = self.regex_of(&source)?;
        let all = how.bytes().is_some_and(|h| matches!(h.first(), Some(b'g' | b'G')));
        let mut wanted = how.number();
        if !all && wanted < 1.0 {
            let shown = String::from_utf8_lossy(&self.text_of(&how)).into_owned();
            self.warn(format_args!("gensub: third argument `{shown}' treated as 1"));
            wanted = 1.0;
        }
        let replacement = self.text_of(&replacement);
        let pieces = general(&replacement);
        let needs_groups = pieces.iter().any(|p| matches!(p, Piece::Group(1..)));
        let bytes = self.text_of(&text);
        let mut out = Vec::with_capacity(bytes.len());
        let (mut copied, mut seen) = (0, 0.0);
        let mut groups = Vec::new();
        each_match(&regex, &bytes, self.modes.utf8, |start, end| {
            seen += 1.0;
            if !all && seen != wanted {
                return true;
            }
            if needs_groups {
                regex.captures_at(&bytes, start, false, &mut groups);
            }
            out.extend_from_slice(&bytes[copied..start]);
            for piece in &pieces {
                match piece {
                    Piece::Text(text) => out.extend_from_slice(text),
                    Piece::Group(0) => out.extend_from_slice(&bytes[start..end]),
                    Piece::Group(n) => {
                        if let Some(Some((from, to))) = groups.get(*n) {
                            out.extend_from_slice(&bytes[*from..*to]);
                        }
                    }
                }
            }
            copied = end;
            all
        });
        out.extend_from_slice(&bytes[copied..]);
        self.stack.push(Value::owned(out));
        Ok(())
    }
}

/// Calls `then` for each match until it says no. An empty match right behind a match is none.
fn each_match(regex: &Regex, bytes: &[u8], utf8: bool, mut then: impl FnMut(usize, usize) -> bool) {
    let (mut from, mut last) = (0, usize::MAX);
    while from <= bytes.len()
        && let Some((start, end)) = regex.find_at(bytes, from, false)
    {
        let empty = start == end;
        let behind = empty && start == last;
        if !behind && !then(start, end) {
            return;
        }
        if empty {
            if start >= bytes.len() {
                return;
            }
            from = start + chars::length_at(bytes, start, utf8);
            last = usize::MAX;
        } else {
            (from, last) = (end, end);
        }
    }
}

/// The replacement of `sub`: `&` is what matched, `\&` an ampersand; `\\&` is a backslash and what matched.
fn simple(text: &[u8], posix: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'&' => {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                pieces.push(Piece::Group(0));
                at += 1;
            }
            b'\\' => {
                let slashes = text[at..].iter().take_while(|b| **b == b'\\').count();
                let amp = text.get(at + slashes) == Some(&b'&');
                if amp || posix {
                    plain.resize(plain.len() + slashes / 2, b'\\');
                    at += slashes;
                    if slashes % 2 == 1 {
                        if amp {
                            plain.push(b'&');
                            at += 1;
                        } else {
                            plain.push(b'\\');
                        }
                    }
                } else {
                    plain.resize(plain.len() + slashes, b'\\');
                    at += slashes;
                }
            }
            b => {
                plain.push(b);
                at += 1;
            }
        }
    }
    pieces.push(Piece::Text(plain));
    pieces
}

/// The replacement of `gensub`: also `\1` to `\9`, and `\0` for all of it.
fn general(text: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let group = match &text[at..] {
            [b'&', ..] => Some((0, 1)),
            [b'\\', d @ b'0'..=b'9', ..] => Some((usize::from(d - b'0'), 2)),
            [b'\\', next @ (b'&' | b'\\'), ..] => {
                plain.push(*next);
                at += 2;
                continue;
            }
            _ => None,
        };
        match group {
            Some((n, used)) => {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                pieces.push(Piece::Group(n));
                at += used;
            }
            None => {
                plain.push(text[at]);
                at += 1;
            }
        }
    }
    pieces.push(Piece::Text(plain));
    pieces
}
