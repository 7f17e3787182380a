//! `-printf`: the format, read once.

use super::expr::{Context, File};
use super::kinds;
use super::tests::{SYSTEM, Which};
use crate::calendar::Moment;
use crate::input::base_name;
use crate::{Exit, mode, pad, report};
use capsule_sys::{Errno, FileType, Stat, Time, readlink, stat};

pub struct Format {
    pieces: Vec<Piece>,
}

enum Piece {
    Text(Vec<u8>),
    /// `\c`: what follows is not shown.
    Stop,
    Directive(Directive),
}

struct Directive {
    flags: Vec<u8>,
    width: usize,
    precision: Option<usize>,
    letter: u8,
    /// The second letter of `%A`, `%C` and `%T`.
    time: u8,
}

impl Format {
    pub fn parse(text: &[u8]) -> Result<Format, Exit> {
        let mut pieces = Vec::new();
        let mut plain = Vec::new();
        let mut rest = text;
        while let Some((&byte, more)) = rest.split_first() {
            rest = more;
            match byte {
                b'\\' => {
                    if !escape(&mut rest, &mut plain) {
                        pieces.push(Piece::Text(std::mem::take(&mut plain)));
                        pieces.push(Piece::Stop);
                        break;
                    }
                }
                b'%' => match directive(&mut rest, &mut plain)? {
                    None => {}
                    Some(directive) => {
                        pieces.push(Piece::Text(std::mem::take(&mut plain)));
                        pieces.push(Piece::Directive(directive));
                    }
                },
                _ => plain.push(byte),
            }
        }
        pieces.push(Piece::Text(plain));
        Ok(Format { pieces })
    }

    pub fn print(&self, output: usize, file: &mut File, context: &mut Context) {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => context.outputs[output].out.write(text),
                Piece::Stop => {
                    let _ = context.outputs[output].out.flush();
                }
                Piece::Directive(directive) => {
                    let Some(text) = directive.value(file, context) else { continue };
                    directive.pad(&text, &mut context.outputs[output].out);
                }
            }
        }
    }
}

/// The escape behind a backslash; false for `\c`.
fn escape(rest: &mut &[u8], plain: &mut Vec<u8>) -> bool {
    let Some((&byte, more)) = rest.split_first() else {
        report::error("warning: escape `\\' followed by nothing at all");
        plain.push(b'\\');
        return true;
    };
    if (b'0'..=b'7').contains(&byte) {
        let digits = rest.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
        let value = rest[..digits].iter().fold(0u32, |n, d| n * 8 + u32::from(d - b'0'));
        plain.push(value as u8);
        *rest = &rest[digits..];
        return true;
    }
    *rest = more;
    let value = match byte {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'\\' => b'\\',
        b'c' => return false,
        other => {
            report::error(format_args!("warning: unrecognized escape `\\{}'", other as char));
            plain.push(b'\\');
            other
        }
    };
    plain.push(value);
    true
}

fn directive(rest: &mut &[u8], plain: &mut Vec<u8>) -> Result<Option<Directive>, Exit> {
    let text = *rest;
    let flags = text.iter().take_while(|b| b"-+ #0".contains(b)).count();
    let mut at = flags;
    let width = pad::number(text, &mut at);
    let mut precision = None;
    if text.get(at) == Some(&b'.') {
        at += 1;
        precision = Some(pad::number(text, &mut at));
    }
    let Some(&letter) = text.get(at) else {
        return Err(report::die(1, "error: % at end of format string"));
    };
    let mut used = at + 1;
    let known = b"abcdDfFgGhHiklmMnpPsStuUyYZ".contains(&letter);
    let timed = b"ABCT".contains(&letter);
    if letter == b'%' && at == 0 {
        plain.push(b'%');
        *rest = &text[1..];
        return Ok(None);
    }
    if timed && text.get(used).is_none() {
        let letter = letter as char;
        report::error(format_args!("warning: format directive `%{letter}' should be followed by another character"));
        plain.push(b'%');
        plain.extend_from_slice(text);
        *rest = b"";
        return Ok(None);
    }
    let mut time = 0;
    if timed {
        time = text[used];
        used += 1;
    }
    if matches!(letter, b'{' | b'[' | b'(') {
        let text = format!("error: the format directive `%{}' is reserved for future use", letter as char);
        return Err(report::die(1, text));
    }
    if !known && !timed {
        report::error(format_args!("warning: unrecognized format directive `%{}'", letter as char));
        plain.push(b'%');
        plain.extend_from_slice(&text[..used]);
        *rest = &text[used..];
        return Ok(None);
    }
    *rest = &text[used..];
    Ok(Some(Directive { flags: text[..flags].to_vec(), width, precision, letter, time }))
}

impl Directive {
    fn value(&self, file: &mut File, context: &mut Context) -> Option<Vec<u8>> {
        let path = file.path;
        match self.letter {
            b'p' => return Some(path.to_vec()),
            b'f' => return Some(last_component(path).to_vec()),
            b'h' => return Some(leading(path).to_vec()),
            b'H' => return Some(path[..file.start].to_vec()),
            b'P' => {
                let rest = &path[file.start..];
                return Some(rest.strip_prefix(b"/").unwrap_or(rest).to_vec());
            }
            b'd' => return Some(self.decimal(file.depth)),
            b'F' => return Some(SYSTEM.into()),
            b'y' => return Some(vec![kinds::letter(file.kind) as u8]),
            b'Y' => return Some(vec![target_letter(file)]),
            b'l' => {
                let link = file.kind == FileType::Symlink;
                return Some(if link { readlink(path).unwrap_or_default() } else { Vec::new() });
            }
            // There are no security contexts here.
            b'Z' => return Some(Vec::new()),
            _ => {}
        }
        let s = file.stat(context)?;
        let text = match self.letter {
            b'a' => return Some(show_time(s.atime, b'a', true, context)),
            b'c' => return Some(show_time(s.ctime, b'a', true, context)),
            b't' => return Some(show_time(s.mtime, b'a', true, context)),
            b'A' => return Some(show_time(Which::Access.of(&s), self.time, false, context)),
            b'C' => return Some(show_time(Which::Change.of(&s), self.time, false, context)),
            b'T' => return Some(show_time(Which::Modification.of(&s), self.time, false, context)),
            // Nobody records when a file was born.
            b'B' => return Some(Vec::new()),
            b'b' => s.blocks.to_string(),
            b'k' => s.blocks.div_ceil(2).to_string(),
            b'D' => s.dev.to_string(),
            b'g' => context.groups.name(s.gid).unwrap_or_else(|| s.gid.to_string()),
            b'G' => s.gid.to_string(),
            b'u' => context.users.name(s.uid).unwrap_or_else(|| s.uid.to_string()),
            b'U' => s.uid.to_string(),
            b'i' => s.ino.to_string(),
            b'n' => s.nlink.to_string(),
            b's' => s.size.to_string(),
            b'S' => sparseness(&s),
            b'm' => {
                let prefix = if self.flags.contains(&b'#') && s.mode != 0 { "0" } else { "" };
                let digits = format!("{prefix}{:o}", s.mode);
                return Some(self.zeros(digits));
            }
            _ => mode::show(s.st_mode()),
        };
        Some(text.into_bytes())
    }

    fn decimal(&self, depth: usize) -> Vec<u8> {
        let sign = if self.flags.contains(&b'+') {
            "+"
        } else if self.flags.contains(&b' ') {
            " "
        } else {
            ""
        };
        self.zeros(format!("{sign}{depth}"))
    }

    /// Numbers may be filled up with zeros.
    fn zeros(&self, digits: String) -> Vec<u8> {
        let least = match self.precision {
            Some(n) => n,
            None if self.flags.contains(&b'0') && !self.flags.contains(&b'-') => self.width,
            None => 0,
        };
        pad::zeros(&digits, least).into_bytes()
    }

    fn pad(&self, text: &[u8], out: &mut capsule_sys::Out) {
        let numeric = matches!(self.letter, b'd' | b'm');
        let most = if numeric { usize::MAX } else { self.precision.unwrap_or(usize::MAX) };
        let text = &text[..text.len().min(most)];
        let missing = vec![b' '; self.width.saturating_sub(text.len())];
        if self.flags.contains(&b'-') {
            out.write(text);
            out.write(&missing);
        } else {
            out.write(&missing);
            out.write(text);
        }
    }
}

/// What comes before the last slash; slashes at the end of a starting point count.
fn leading(path: &[u8]) -> &[u8] {
    memchr::memrchr(b'/', path).map_or(b".", |slash| &path[..slash])
}

/// The last component; of the slashes behind it one is kept.
fn last_component(path: &[u8]) -> &[u8] {
    let name = base_name(path);
    if name == b"/" {
        return name;
    }
    let end = path.iter().rposition(|&b| b != b'/').map_or(0, |i| i + 1);
    &path[end - name.len()..path.len().min(end + 1)]
}

fn target_letter(file: &File) -> u8 {
    if file.kind != FileType::Symlink {
        return kinds::letter(file.kind) as u8;
    }
    match stat(file.path) {
        Ok(s) => kinds::letter(s.kind) as u8,
        Err(Errno::ENOENT | Errno::ENOTDIR) => b'N',
        Err(Errno::ELOOP) => b'L',
        Err(_) => b'?',
    }
}

fn sparseness(s: &Stat) -> String {
    if s.size == 0 {
        return if s.blocks == 0 { "1".to_owned() } else { "inf".to_owned() };
    }
    crate::float::general(s.blocks as f64 * 512.0 / s.size as f64, 6, false)
}

/// A time in one of strftime's conversions, with ten digits of a second's fraction where GNU shows them.
fn show_time(time: Time, letter: u8, whole: bool, context: &Context) -> Vec<u8> {
    let moment = Moment::new(time.sec, time.nsec, &context.zone);
    let fraction = format!(".{:09}0", time.nsec);
    let parts: (&[u8], &[u8]) = match letter {
        b'a' if whole => (b"%a %b %e %H:%M:%S", b" %Y"),
        b'@' => (b"%s", b""),
        b'S' => (b"%S", b""),
        b'T' | b'X' => (b"%H:%M:%S", b""),
        b'+' => (b"%Y-%m-%d+%H:%M:%S", b""),
        _ => return moment.format(&[b'%', letter]),
    };
    let mut text = moment.format(parts.0);
    text.extend_from_slice(fraction.as_bytes());
    text.extend(moment.format(parts.1));
    text
}
