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

/// What comes next in the input.
pub enum Next {
    /// An item, and whether its line ends with it.
    Item(Vec<u8>, bool),
    /// An item that is longer than a command may be.
    TooLong,
    End,
}

pub struct Words {
    input: Input,
    split: Split,
    end: Option<Vec<u8>>,
    ended: bool,
    /// The next word is the first of its line.
    first: bool,
    warned: bool,
    /// The length of the longest item.
    pub longest: usize,
}

impl Words {
    pub fn new(input: Input, split: Split, end: Option<&[u8]>) -> Words {
        let end = end.map(<[u8]>::to_vec);
        Words { input, split, end, ended: false, first: true, warned: false, longest: usize::MAX }
    }

    fn byte(&mut self) -> Result<Option<u8>, Exit> {
        let block = self.input.stream.fill().map_err(|e| report::die(1, format_args!("read error: {e}")))?;
        let byte = block.first().copied();
        self.input.stream.consume(1);
        Ok(byte)
    }

    pub fn next(&mut self) -> Result<Next, Exit> {
        if self.ended {
            return Ok(Next::End);
        }
        if let Split::At(delimiter) = self.split {
            return self.until(delimiter);
        }
        let first = self.first;
        let found = self.quoted()?;
        // In a last line without its end, only the first word may be the end word.
        if (first || !self.ended)
            && let (Next::Item(item, _), Some(end)) = (&found, &self.end)
            && item == end
        {
            self.ended = true;
            return Ok(Next::End);
        }
        Ok(found)
    }

    fn until(&mut self, delimiter: u8) -> Result<Next, Exit> {
        let mut item = Vec::new();
        loop {
            let block = self.input.stream.fill().map_err(|e| report::die(1, format_args!("read error: {e}")))?;
            let found = memchr::memchr(delimiter, block);
            let ended = block.is_empty();
            item.extend_from_slice(&block[..found.unwrap_or(block.len())]);
            let read = found.map_or(block.len(), |at| at + 1);
            self.input.stream.consume(read);
            if item.len() > self.longest {
                return Ok(Next::TooLong);
            }
            if ended && item.is_empty() {
                return Ok(Next::End);
            }
            if ended || found.is_some() {
                return Ok(Next::Item(item, true));
            }
        }
    }

    fn quoted(&mut self) -> Result<Next, Exit> {
        let (mut item, mut open, mut any) = (Vec::new(), None, false);
        let mut blank_last = false;
        loop {
            if item.len() > self.longest {
                return Ok(Next::TooLong);
            }
            let Some(byte) = self.byte()? else {
                self.ended = true;
                if let Some(quote) = open {
                    return Err(unmatched(quote));
                }
                return Ok(if any { Next::Item(item, true) } else { Next::End });
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
                    return Ok(Next::Item(item, !blank_last));
                }
                (None, b'\n') => {}
                (None, b' ' | b'\t') if self.split == Split::Blanks => {
                    if any {
                        // A blank at the end of a line joins it to the next for -L.
                        self.first = false;
                        let ends = self.peek_newline()?;
                        return Ok(Next::Item(item, ends));
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
