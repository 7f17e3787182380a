//! The items of an input: words with quotes, lines, or pieces between delimiters.

use crate::input::Input;
use crate::{Exit, report};

/// How the input is split.
#[derive(Clone, Copy, PartialEq)]
pub enum Split {
    /// At blanks and newlines, with quotes and backslashes.
    Blanks,
    /// At newlines, blanks in front left out, with quotes and backslashes.
    Lines,
    /// At this byte, and nothing means anything.
    At(u8),
}

pub struct Words {
    input: Input,
    split: Split,
    end: Option<Vec<u8>>,
    ended: bool,
    /// The next word is the first of its line.
    first: bool,
    warned: bool,
}

impl Words {
    pub fn new(input: Input, split: Split, end: Option<&[u8]>) -> Words {
        Words { input, split, end: end.map(<[u8]>::to_vec), ended: false, first: true, warned: false }
    }

    fn byte(&mut self) -> Result<Option<u8>, Exit> {
        let block = self.input.stream.fill().map_err(|e| report::die(1, format_args!("read error: {e}")))?;
        let byte = block.first().copied();
        self.input.stream.consume(1);
        Ok(byte)
    }

    /// The next item, and whether its line ends with it.
    pub fn next(&mut self) -> Result<Option<(Vec<u8>, bool)>, Exit> {
        if self.ended {
            return Ok(None);
        }
        if let Split::At(delimiter) = self.split {
            let mut item = Vec::new();
            let found = self.input.stream.read_until(delimiter, &mut item);
            if !found.map_err(|e| report::die(1, format_args!("read error: {e}")))? {
                return Ok(None);
            }
            if item.last() == Some(&delimiter) {
                item.pop();
            }
            return Ok(Some((item, true)));
        }
        let first = self.first;
        let found = self.quoted()?;
        // In a last line without its end, only the first word may be the end word.
        if (first || !self.ended)
            && let (Some((item, _)), Some(end)) = (&found, &self.end)
            && item == end
        {
            self.ended = true;
            return Ok(None);
        }
        Ok(found)
    }

    fn quoted(&mut self) -> Result<Option<(Vec<u8>, bool)>, Exit> {
        let (mut item, mut open, mut any) = (Vec::new(), None, false);
        let mut blank_last = false;
        loop {
            let Some(byte) = self.byte()? else {
                self.ended = true;
                if let Some(quote) = open {
                    return Err(unmatched(quote));
                }
                return Ok(any.then_some((item, true)));
            };
            if byte == 0 && !std::mem::replace(&mut self.warned, true) {
                report::error(
                    "WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  \
                     Did you mean to use the --null option?",
                );
            }
            match (open, byte) {
                (Some(quote), _) if byte == quote => open = None,
                (Some(quote), b'\n') => return Err(unmatched(quote)),
                (Some(_), _) => item.push(byte),
                (None, b'\'' | b'"') => (open, any) = (Some(byte), true),
                (None, b'\\') => {
                    any = true;
                    item.extend(self.byte()?);
                }
                (None, b'\n') if any => {
                    self.first = true;
                    return Ok(Some((item, !blank_last)));
                }
                (None, b'\n') => {}
                (None, b' ' | b'\t') if self.split == Split::Blanks => {
                    if any {
                        // A blank at the end of a line joins it to the next for -L.
                        self.first = false;
                        let ends = self.peek_newline()?;
                        return Ok(Some((item, ends)));
                    }
                }
                (None, b' ' | b'\t' | 11 | 12 | b'\r') if !any => {}
                (None, _) => {
                    any = true;
                    blank_last = false;
                    item.push(byte);
                }
            }
        }
    }

    /// Steps over blanks; whether the input ends there.
    fn peek_newline(&mut self) -> Result<bool, Exit> {
        loop {
            let block = self.input.stream.fill().map_err(|e| report::die(1, format_args!("read error: {e}")))?;
            match block.first() {
                Some(b' ' | b'\t') => self.input.stream.consume(1),
                // A line that ends in a blank goes on in the next one.
                Some(_) => return Ok(false),
                None => return Ok(true),
            }
        }
    }
}

fn unmatched(quote: u8) -> Exit {
    let kind = if quote == b'"' { "double" } else { "single" };
    let text = format!("unmatched {kind} quote; by default quotes are special to xargs unless you use the -0 option");
    report::die(1, text)
}

/// The value of `-d`: a byte, or an escape.
pub fn delimiter(text: &[u8]) -> Result<u8, Exit> {
    let shown = String::from_utf8_lossy(text).into_owned();
    match text {
        [byte] => Ok(*byte),
        [b'\\', rest @ ..] => {
            let mut bytes = Vec::new();
            let known = rest.first().is_some_and(|b| b"abfnrtv\\0x1234567".contains(b));
            crate::commands::echo::unescape(text, &mut bytes);
            match (bytes.as_slice(), known) {
                ([byte], true) => Ok(*byte),
                _ => Err(report::die(
                    1,
                    format_args!("Invalid escape sequence {shown} in input delimiter specification."),
                )),
            }
        }
        _ => Err(report::die(
            1,
            format_args!(
                "Invalid input delimiter specification {shown}: the delimiter must be either a single character or an escape \
                 sequence starting with \\."
            ),
        )),
    }
}
