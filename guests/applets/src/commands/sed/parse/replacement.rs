//! The `s` and `y` commands.

use super::*;
use capsule_regex::char_len;
use std::collections::HashMap;

impl Parser<'_> {
    pub fn substitution(&mut self) -> Parsed<Action> {
        let unterminated = "unterminated `s' command";
        let parts = self.take().and_then(|end| {
            let pattern = self.delimited(end, true)?;
            let replacement = self.delimited(end, false)?;
            Some((pattern, replacement))
        });
        let Some((pattern, replacement)) = parts else { return Err(self.bad(unterminated)) };
        let (mut ignore_case, mut multi_line) = (false, false);
        let mut s = Substitution {
            regex: None,
            replacement: Vec::new(),
            groups: 0,
            global: false,
            number: None,
            print: false,
            execute: false,
            write: None,
        };
        loop {
            match self.take() {
                Some(b'i' | b'I') if !self.settings.posix => ignore_case = true,
                Some(b'm' | b'M') if !self.settings.posix => multi_line = true,
                Some(b'e') if !self.settings.posix => {
                    self.refuse_in_sandbox()?;
                    s.execute = true;
                }
                Some(b'p') => {
                    if s.print {
                        return Err(self.bad("multiple `p' options to `s' command"));
                    }
                    s.print = true;
                }
                Some(b'g') => {
                    if s.global {
                        return Err(self.bad("multiple `g' options to `s' command"));
                    }
                    s.global = true;
                }
                Some(b'w') => {
                    s.write = Some(self.output()?);
                    break;
                }
                Some(b'0'..=b'9') => {
                    if s.number.is_some() {
                        return Err(self.bad("multiple number options to `s' command"));
                    }
                    self.at -= 1;
                    let n = self.number();
                    if n == 0 {
                        return Err(self.bad("number option to `s' command may not be zero"));
                    }
                    s.number = Some(n);
                }
                Some(b' ' | b'\t') => {}
                Some(b'}' | b'#') => {
                    self.at -= 1;
                    break;
                }
                None | Some(b'\n' | b';') => break,
                Some(b'\r') if matches!(self.peek(), None | Some(b'\n')) => {}
                Some(_) => return Err(self.bad("unknown option to `s'")),
            }
        }
        s.replacement = self.replacement(&replacement)?;
        let largest = s.replacement.iter().filter_map(|part| if let Part::Group(n) = part { Some(*n) } else { None });
        s.groups = largest.max().unwrap_or(0);
        s.regex = self.regex(&pattern, ignore_case, multi_line)?;
        if let Some(pattern) = &s.regex
            && s.groups > pattern.regex.group_count()
            && !self.settings.posix
        {
            return Err(self.bad(format_args!("invalid reference \\{} on `s' command's RHS", s.groups)));
        }
        Ok(Action::Substitute(Box::new(s)))
    }

    fn replacement(&self, text: &[u8]) -> Parsed<Vec<Part>> {
        let mut parts: Vec<Part> = Vec::new();
        let mut plain: Vec<u8> = Vec::new();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            at += 1;
            let part = match byte {
                b'&' => Part::Group(0),
                b'\\' => {
                    let Some(&next) = text.get(at) else {
                        plain.push(b'\\');
                        break;
                    };
                    at += 1;
                    match next {
                        b'0'..=b'9' => Part::Group(usize::from(next - b'0')),
                        b'L' | b'U' | b'E' | b'l' | b'u' if self.settings.posix => {
                            plain.push(next);
                            continue;
                        }
                        b'L' => Part::Case(Case::Lower),
                        b'U' => Part::Case(Case::Upper),
                        b'E' => Part::Case(Case::AsIs),
                        b'l' => Part::Case(Case::LowerOne),
                        b'u' => Part::Case(Case::UpperOne),
                        _ => {
                            match text::escape(&text[at - 1..]) {
                                Ok(Some((byte, len))) => {
                                    plain.push(byte);
                                    at += len - 1;
                                }
                                Ok(None) if next == b'c' => plain.push(b'\\'),
                                Ok(None) => plain.push(next),
                                Err(()) => return Err(self.bad("recursive escaping after \\c not allowed")),
                            }
                            continue;
                        }
                    }
                }
                _ => {
                    plain.push(byte);
                    continue;
                }
            };
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(part);
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(parts)
    }

    pub fn translation(&mut self) -> Parsed<Action> {
        let parts = self.take().and_then(|end| Some((self.delimited(end, false)?, self.delimited(end, false)?)));
        let Some((from, to)) = parts else { return Err(self.bad("unterminated `y' command")) };
        let (from, to) = (self.letters(&from)?, self.letters(&to)?);
        if from.len() != to.len() {
            return Err(self.bad("strings for `y' command are different lengths"));
        }
        let mut bytes: [u8; 256] = std::array::from_fn(|i| i as u8);
        let mut chars = HashMap::new();
        let wide = from.iter().chain(&to).any(|c| c.len() > 1);
        let pairs: Vec<_> = from.into_iter().zip(to).collect();
        for (from, to) in pairs.iter().rev() {
            if wide {
                chars.insert(from.clone(), to.clone());
            } else {
                bytes[usize::from(from[0])] = to[0];
            }
        }
        Ok(Action::Translate(Box::new(Translation { bytes, pairs, chars: wide.then_some(chars) })))
    }

    /// The characters of one side of `y`.
    fn letters(&self, text: &[u8]) -> Parsed<Vec<Vec<u8>>> {
        let mut all = Vec::new();
        let mut at = 0;
        while at < text.len() {
            if text[at] == b'\\' {
                match (text.get(at + 1), text::escape(&text[at + 1..])) {
                    (Some(b'\\'), _) => {
                        all.push(b"\\".to_vec());
                        at += 2;
                        continue;
                    }
                    (_, Ok(Some((byte, len)))) => {
                        all.push(vec![byte]);
                        at += 1 + len;
                        continue;
                    }
                    (_, Err(())) => return Err(self.bad("recursive escaping after \\c not allowed")),
                    // Any other backslash means what is behind it.
                    _ => at += usize::from(at + 1 < text.len()),
                }
            }
            let len = char_len(&text[at..], self.settings.utf8);
            all.push(text[at..at + len].to_vec());
            at += len;
        }
        Ok(all)
    }
}
