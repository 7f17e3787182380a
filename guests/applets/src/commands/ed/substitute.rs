//! The `s` command.

use super::address::Cursor;
use super::commands::with_suffix;
use super::{Done, Editor, Stop};
use capsule_regex::Regex;
use std::rc::Rc;

#[derive(Clone)]
pub struct Substitution {
    regex: Rc<Regex>,
    replacement: Vec<u8>,
    all: bool,
    which: usize,
    print: u8,
}

impl Editor {
    /// Reads what follows the `s`; what to print afterwards is told by a letter, or 0.
    pub fn read_substitution(&mut self, cursor: &mut Cursor) -> Done<Substitution> {
        let Some(delimiter) = cursor.peek().filter(|b| !matches!(b, b'\n' | b' ')) else {
            return self.last_substitution.clone().ok_or(Stop::Wrong("No previous substitution"));
        };
        // `s`, `sg`, `sp`: the last one again.
        if matches!(delimiter, b'g' | b'p' | b'r' | b'0'..=b'9') {
            let mut last = self.last_substitution.clone().ok_or(Stop::Wrong("No previous substitution"))?;
            match delimiter {
                b'g' => last.all = !last.all,
                b'p' => last.print = b'p',
                _ => {}
            }
            return Ok(last);
        }
        cursor.at += 1;
        let start = cursor.at;
        let regex = self.pattern(cursor, delimiter, false)?;
        if cursor.next() != Some(delimiter) {
            return Err(Stop::Wrong("Missing pattern delimiter"));
        }
        let replacement = self.replacement(cursor, delimiter);
        let mut new = Substitution { regex, replacement, all: false, which: 1, print: 0 };
        if cursor.peek() == Some(delimiter) {
            cursor.at += 1;
            loop {
                match cursor.peek() {
                    Some(b'g') => new.all = true,
                    Some(b'I' | b'i') => {
                        let mut again = Cursor { text: cursor.text, at: start };
                        new.regex = self.pattern(&mut again, delimiter, true)?;
                    }
                    Some(letter @ (b'p' | b'n' | b'l')) => new.print = with_suffix(new.print, letter),
                    Some(d @ b'1'..=b'9') => {
                        let mut value = usize::from(d - b'0');
                        while let Some(d @ b'0'..=b'9') = cursor.text.get(cursor.at + 1).copied() {
                            value = (value * 10 + usize::from(d - b'0')).min(1 << 30);
                            cursor.at += 1;
                        }
                        new.which = value;
                    }
                    Some(_) => return Err(Stop::Wrong("Invalid command suffix")),
                    None => break,
                }
                cursor.at += 1;
            }
        } else {
            // Without its last delimiter it prints.
            new.print = b'p';
        }
        if new.replacement == b"%"
            && let Some(last) = &self.last_substitution
        {
            new.replacement = last.replacement.clone();
        }
        self.last_substitution = Some(new.clone());
        Ok(new)
    }

    /// The replacement; a line that ends in a backslash goes on in the next one.
    fn replacement(&mut self, cursor: &mut Cursor, delimiter: u8) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(b) = cursor.peek() {
            if b == delimiter {
                break;
            }
            cursor.at += 1;
            out.push(b);
            if b == b'\\'
                && let Some(next) = cursor.next()
            {
                out.push(next);
            }
        }
        out
    }

    pub fn substitute(&mut self, first: usize, last: usize, how: &Substitution) -> Done<()> {
        let (mut at, mut end, mut any) = (first.max(1), last, false);
        while at <= end {
            let text = self.now.lines[at - 1].clone();
            if let Some(new) = replaced(&text, how) {
                any = true;
                let lines: Vec<super::Line> = new.split(|b| *b == b'\n').map(|l| Rc::new(l.to_vec())).collect();
                let count = lines.len();
                self.now.lines.splice(at - 1..at, lines);
                self.now.current = at + count - 1;
                self.now.changed = true;
                at += count;
                end += count - 1;
            } else {
                at += 1;
            }
        }
        if any || self.queued.is_some() { Ok(()) } else { Err(Stop::Wrong("No match")) }
    }

    pub fn substitution_print(how: &Substitution) -> u8 {
        how.print
    }
}

/// The line with its matches replaced; none when nothing matched.
fn replaced(text: &[u8], how: &Substitution) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut from, mut copied, mut count, mut done) = (0, 0, 0, false);
    let mut groups = Vec::new();
    while from <= text.len() && how.regex.captures_at(text, from, false, &mut groups) {
        let (start, end) = groups[0]?;
        count += 1;
        if count >= how.which {
            done = true;
            out.extend_from_slice(&text[copied..start]);
            let mut at = 0;
            while let Some(&b) = how.replacement.get(at) {
                let group = match (b, how.replacement.get(at + 1)) {
                    (b'&', _) => Some(0),
                    (b'\\', Some(d @ b'1'..=b'9')) => {
                        at += 1;
                        Some(usize::from(d - b'0'))
                    }
                    (b'\\', Some(&next)) => {
                        at += 1;
                        out.push(next);
                        None
                    }
                    _ => {
                        out.push(b);
                        None
                    }
                };
                if let Some(n) = group
                    && let Some(Some((from, to))) = groups.get(n)
                {
                    out.extend_from_slice(&text[*from..*to]);
                }
                at += 1;
            }
            copied = end;
            if !how.all {
                break;
            }
        }
        from = if end > start { end } else { end + 1 };
    }
    out.extend_from_slice(&text[copied.min(text.len())..]);
    done.then_some(out)
}
