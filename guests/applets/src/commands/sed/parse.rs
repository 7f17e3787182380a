//! Reads a script, with GNU's messages: where in which expression, or in which line of which file.

use super::output::Output;
use super::regex::Pattern;
use super::script::*;
use super::{BAD_USAGE, PANIC, Settings, text};
use crate::{Exit, report};
use std::rc::Rc;

mod replacement;

/// A piece of the script.
pub struct Source {
    /// The number of an expression, or the name of a file.
    place: Result<usize, Vec<u8>>,
    text: Vec<u8>,
}

impl Source {
    pub fn expression(before: &[Source], text: &[u8]) -> Source {
        let number = before.iter().filter(|source| source.place.is_ok()).count() + 1;
        Source { place: Ok(number), text: text.to_vec() }
    }

    pub fn file(name: &[u8], text: Vec<u8>) -> Source {
        Source { place: Err(name.to_vec()), text }
    }
}

pub struct Parser<'s> {
    settings: &'s mut Settings,
    source: usize,
    text: Vec<u8>,
    at: usize,
    place: Result<usize, Vec<u8>>,
    commands: Vec<Command>,
    /// The blocks that are open, and in which piece and where they were opened.
    blocks: Vec<(usize, usize, usize)>,
    labels: Vec<(Vec<u8>, usize)>,
    /// The labels of branches.
    jumps: Vec<(usize, Vec<u8>)>,
    outputs: Vec<Output>,
    inputs: Vec<Vec<u8>>,
    /// The text of the last command goes on in the next piece.
    pending: Option<Vec<u8>>,
}

/// Where something is, as messages have it.
fn place(piece: &Result<usize, Vec<u8>>, text: &[u8], at: usize) -> String {
    match piece {
        Ok(number) => format!("-e expression #{number}, char {at}"),
        Err(name) => {
            let line = 1 + text[..at].iter().filter(|b| **b == b'\n').count();
            format!("file {} line {line}", String::from_utf8_lossy(name))
        }
    }
}

/// A message, or an end that was told already.
type Parsed<T> = Result<T, Exit>;

impl<'s> Parser<'s> {
    pub fn new(settings: &'s mut Settings) -> Parser<'s> {
        Parser {
            settings,
            source: 0,
            text: Vec::new(),
            at: 0,
            place: Ok(0),
            commands: Vec::new(),
            blocks: Vec::new(),
            labels: Vec::new(),
            jumps: Vec::new(),
            outputs: vec![Output::stdout(), Output::stderr()],
            inputs: Vec::new(),
            pending: None,
        }
    }

    pub fn parse(mut self, sources: &[Source]) -> Parsed<Script> {
        for (i, source) in sources.iter().enumerate() {
            self.source = i;
            self.text = source.text.clone();
            self.at = 0;
            self.place = source.place.clone();
            if i == 0 && self.text.starts_with(b"#n") {
                self.settings.quiet = true;
            }
            self.piece()?;
        }
        if let Some(text) = self.pending.take() {
            self.set_text(text)?;
        }
        if let Some(&(_, source, at)) = self.blocks.last() {
            let source = &sources[source];
            // In a file it is told by its line, in an expression by nothing.
            let at = if source.place.is_ok() { 0 } else { at };
            let place = place(&source.place, &source.text, at);
            return Err(report::die(BAD_USAGE, format_args!("{place}: unmatched `{{'")));
        }
        for (command, label) in std::mem::take(&mut self.jumps).into_iter().rev() {
            let target = if label.is_empty() {
                self.commands.len()
            } else {
                match self.labels.iter().rfind(|known| known.0 == label) {
                    Some(known) => known.1,
                    None => {
                        let label = String::from_utf8_lossy(&label).into_owned();
                        return Err(report::die(PANIC, format_args!("can't find label for jump to `{label}'")));
                    }
                }
            };
            match &mut self.commands[command].action {
                Action::Branch(to) | Action::BranchIf(to) | Action::BranchUnless(to) => *to = target,
                _ => {}
            }
        }
        self.at = if self.place.is_ok() { 0 } else { self.text.len() };
        let end = self.here();
        Ok(Script { commands: self.commands, outputs: self.outputs, inputs: self.inputs, end })
    }

    /// `sed: -e expression #1, char 3: message`
    fn bad(&self, message: impl std::fmt::Display) -> Exit {
        report::die(BAD_USAGE, format_args!("{}: {message}", self.here()))
    }

    fn here(&self) -> String {
        place(&self.place, &self.text, self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn piece(&mut self) -> Parsed<()> {
        if let Some(text) = self.pending.take() {
            self.read_text(text)?;
        }
        loop {
            while self.peek().is_some_and(|b| b == b';' || b.is_ascii_whitespace() || b == 11) {
                self.at += 1;
            }
            if self.peek().is_none() {
                return Ok(());
            }
            self.command()?;
        }
    }

    fn command(&mut self) -> Parsed<()> {
        let (from, to) = self.addresses()?;
        self.skip_blanks();
        let mut negated = false;
        while self.peek() == Some(b'!') {
            self.at += 1;
            if negated {
                return Err(self.bad("multiple `!'s"));
            }
            negated = true;
            self.skip_blanks();
        }
        let addresses = usize::from(from.is_some()) + usize::from(to.is_some());
        let state = if matches!(from, Some(Address::Zero)) { RangeState::Active } else { RangeState::Before };
        self.commands.push(Command { from, to, negated, state, until: 0, action: Action::EndBlock });
        let Some(letter) = self.take() else { return Err(self.bad("missing command")) };
        if let Some(action) = self.action(letter, addresses)?
            && let Some(last) = self.commands.last_mut()
        {
            last.action = action;
        }
        Ok(())
    }

    fn addresses(&mut self) -> Parsed<(Option<Address>, Option<RangeEnd>)> {
        let from = match self.peek() {
            Some(b'+' | b'~') => {
                self.at += 1;
                if self.peek().is_some_and(|b| b.is_ascii_digit()) {
                    self.number();
                }
                return Err(self.bad("invalid usage of +N or ~N as first address"));
            }
            _ => match self.address()? {
                Some(address) => address,
                None => return Ok((None, None)),
            },
        };
        self.skip_blanks();
        if self.peek() != Some(b',') {
            // `0r`: what is read comes before the first line.
            if matches!(from, Address::Zero) && (self.peek() != Some(b'r') || self.settings.posix) {
                return Err(self.bad_zero());
            }
            return Ok((Some(from), None));
        }
        self.at += 1;
        self.skip_blanks();
        let to = match self.peek() {
            Some(kind @ (b'+' | b'~')) if !self.settings.posix => {
                self.at += 1;
                let n = self.number();
                if kind == b'+' { RangeEnd::More(n) } else { RangeEnd::Multiple(n) }
            }
            _ => match self.address()? {
                Some(Address::Line(n)) => RangeEnd::Line(n),
                Some(Address::Zero) => RangeEnd::Line(0),
                Some(Address::Last) => RangeEnd::Last,
                Some(Address::Regex(regex)) => RangeEnd::Regex(regex),
                Some(Address::Step(first, step)) => RangeEnd::Step(first, step),
                None => {
                    self.take();
                    return Err(self.bad("unexpected `,'"));
                }
            },
        };
        if matches!(from, Address::Zero) && (self.settings.posix || !matches!(to, RangeEnd::Regex(_))) {
            return Err(self.bad_zero());
        }
        Ok((Some(from), Some(to)))
    }

    /// It is noticed with the command at hand.
    fn bad_zero(&mut self) -> Exit {
        self.skip_blanks();
        self.take();
        self.bad("invalid usage of line address 0")
    }

    fn number(&mut self) -> u64 {
        let mut n: u64 = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            n = n.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        n
    }

    fn address(&mut self) -> Parsed<Option<Address>> {
        match self.peek() {
            Some(b'0'..=b'9') => {
                let first = self.number();
                self.skip_blanks();
                if self.peek() == Some(b'~') && !self.settings.posix {
                    self.at += 1;
                    self.skip_blanks();
                    let step = self.number();
                    if step > 0 {
                        return Ok(Some(Address::Step(first, step)));
                    }
                }
                Ok(Some(if first == 0 { Address::Zero } else { Address::Line(first) }))
            }
            Some(b'$') => {
                self.at += 1;
                Ok(Some(Address::Last))
            }
            Some(b'/' | b'\\') => {
                let escaped = self.take() == Some(b'\\');
                let end = if escaped { self.take() } else { Some(b'/') };
                let unterminated = "unterminated address regex";
                let Some(end) = end else { return Err(self.bad(unterminated)) };
                let Some(text) = self.delimited(end, true) else { return Err(self.bad(unterminated)) };
                let (mut ignore_case, mut multi_line) = (false, false);
                loop {
                    self.skip_blanks();
                    match self.peek() {
                        Some(b'I') if !self.settings.posix => ignore_case = true,
                        Some(b'M') if !self.settings.posix => multi_line = true,
                        _ => break,
                    }
                    self.at += 1;
                }
                Ok(Some(Address::Regex(self.regex(&text, ignore_case, multi_line)?)))
            }
            _ => Ok(None),
        }
    }

    fn regex(&mut self, text: &[u8], ignore_case: bool, multi_line: bool) -> Parsed<Regex> {
        if text.is_empty() {
            if ignore_case || multi_line {
                return Err(self.bad("cannot specify modifiers on empty regexp"));
            }
            return Ok(None);
        }
        let Ok(text) = text::pattern(text, self.settings.posixly) else {
            return Err(self.bad("recursive escaping after \\c not allowed"));
        };
        match Pattern::new(&text, self.settings, ignore_case, multi_line) {
            Ok(pattern) => Ok(Some(Rc::new(pattern))),
            Err(error) if error.message.starts_with("character class") => Err(report::die(PANIC, error)),
            Err(error) => Err(self.bad(error)),
        }
    }

    /// Text up to a delimiter, which is taken. An escaped delimiter is the delimiter itself; in a pattern `\n` is a
    /// newline, and brackets hide delimiters.
    fn delimited(&mut self, end: u8, pattern: bool) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut bracket = false;
        loop {
            let byte = self.peek().filter(|b| *b != b'\n')?;
            self.at += 1;
            match byte {
                _ if byte == end && !bracket => return Some(out),
                // A backslash in brackets is itself, unless a newline is meant.
                b'\\' if bracket && (self.peek() != Some(b'n') || self.settings.posixly) => {}
                b'\\' => {
                    let next = self.take()?;
                    match next {
                        b'n' if pattern && end != b'n' => out.push(b'\n'),
                        b'\n' => out.push(b'\n'),
                        _ if next == end && (pattern || next != b'&') => out.push(next),
                        _ => out.extend([b'\\', next]),
                    }
                    continue;
                }
                b'[' if pattern && !bracket => {
                    out.push(b'[');
                    bracket = true;
                    // A `]` that comes first is one of the characters.
                    for first in [b'^', b']'] {
                        if self.peek() == Some(first) {
                            out.push(first);
                            self.at += 1;
                        }
                    }
                    continue;
                }
                b'[' if bracket => {
                    if let Some(kind @ (b':' | b'.' | b'=')) = self.peek()
                        && let Some(len) = self.text[self.at + 1..].windows(2).position(|w| w == [kind, b']'])
                    {
                        out.push(b'[');
                        out.extend_from_slice(&self.text[self.at..self.at + len + 3]);
                        self.at += len + 3;
                        continue;
                    }
                }
                b']' if bracket => bracket = false,
                _ => {}
            }
            out.push(byte);
        }
    }

    /// Nothing more may follow but what ends a command.
    fn end_of_command(&mut self) -> Parsed<()> {
        self.skip_blanks();
        match self.take() {
            None | Some(b'\n' | b';') => Ok(()),
            Some(b'}' | b'#') => {
                self.at -= 1;
                Ok(())
            }
            Some(b'\r') if matches!(self.peek(), None | Some(b'\n')) => Ok(()),
            Some(_) => Err(self.bad("extra characters after command")),
        }
    }

    /// What a command does; none if that is known already, or if it was no command after all.
    fn action(&mut self, letter: u8, addresses: usize) -> Parsed<Option<Action>> {
        let only_one = match letter {
            b'q' | b'Q' => true,
            b'=' | b'a' | b'i' | b'l' | b'r' => self.settings.posix,
            _ => false,
        };
        if self.settings.posix && b"eFQRTvWz".contains(&letter) {
            return Err(self.bad(format_args!("unknown command: `{}'", char::from(letter))));
        }
        if only_one && addresses > 1 {
            return Err(self.bad("command only uses one address"));
        }
        let action = match letter {
            b'#' => {
                if addresses > 0 {
                    return Err(self.bad("comments don't accept any addresses"));
                }
                while !matches!(self.take(), None | Some(b'\n')) {}
                self.commands.pop();
                return Ok(None);
            }
            b'{' => {
                self.blocks.push((self.commands.len() - 1, self.source, self.at));
                return Ok(Some(Action::Block(0)));
            }
            b'}' => {
                let Some((block, ..)) = self.blocks.pop() else { return Err(self.bad("unexpected `}'")) };
                if addresses > 0 {
                    return Err(self.bad("} doesn't want any addresses"));
                }
                let end = self.commands.len() - 1;
                self.commands[block].action = Action::Block(end);
                Action::EndBlock
            }
            b'a' | b'i' | b'c' => return self.text_command(letter),
            b':' => {
                if addresses > 0 {
                    return Err(self.bad(": doesn't want any addresses"));
                }
                let label = self.label();
                if label.is_empty() {
                    return Err(self.bad("\":\" lacks a label"));
                }
                self.labels.push((label.clone(), self.commands.len() - 1));
                return Ok(Some(Action::Label(label)));
            }
            b'b' | b't' | b'T' => {
                let label = self.label();
                self.jumps.push((self.commands.len() - 1, label));
                return Ok(Some(match letter {
                    b'b' => Action::Branch(0),
                    b't' => Action::BranchIf(0),
                    _ => Action::BranchUnless(0),
                }));
            }
            b'd' => Action::Delete,
            b'D' => Action::DeleteFirst,
            b'e' => {
                self.refuse_in_sandbox()?;
                self.skip_blanks();
                let command = self.rest_of_line();
                return Ok(Some(Action::Execute(Some(command).filter(|command| !command.is_empty()))));
            }
            b'F' => Action::FileName,
            b'g' => Action::Get,
            b'G' => Action::GetAppend,
            b'h' => Action::Hold,
            b'H' => Action::HoldAppend,
            b'=' => Action::LineNumber,
            b'l' => Action::List(self.argument()),
            b'n' => Action::Next,
            b'N' => Action::NextAppend,
            b'p' => Action::Print,
            b'P' => Action::PrintFirst,
            b'q' | b'Q' => {
                let status = self.argument();
                if letter == b'q' { Action::Quit(status) } else { Action::QuitSilently(status) }
            }
            b'r' => {
                self.refuse_in_sandbox()?;
                let name = self.file_name()?;
                if let Some(last) = self.commands.last_mut()
                    && last.to.is_none()
                    && let Some(from @ Address::Zero) = &mut last.from
                {
                    *from = Address::Line(1);
                    last.state = RangeState::Before;
                    return Ok(Some(Action::ReadBefore(name)));
                }
                return Ok(Some(Action::ReadFile(name)));
            }
            b'R' => {
                self.refuse_in_sandbox()?;
                let name = self.file_name()?;
                let known = self.inputs.iter().position(|input| *input == name);
                return Ok(Some(Action::ReadLine(known.unwrap_or_else(|| {
                    self.inputs.push(name);
                    self.inputs.len() - 1
                }))));
            }
            b'w' | b'W' => {
                let output = self.output()?;
                return Ok(Some(if letter == b'w' { Action::Write(output) } else { Action::WriteFirst(output) }));
            }
            b's' => return self.substitution().map(Some),
            b'y' => self.translation()?,
            b'v' => {
                self.version()?;
                self.commands.pop();
                self.end_of_command()?;
                return Ok(None);
            }
            b'x' => Action::Exchange,
            b'z' => Action::Zap,
            _ => {
                // The whole character, where it is one of several bytes.
                let rest = &self.text[self.at - 1..];
                let len = capsule_regex::char_len(rest, self.settings.utf8);
                let shown = String::from_utf8_lossy(&rest[..len]).into_owned();
                return Err(self.bad(format_args!("unknown command: `{shown}'")));
            }
        };
        self.end_of_command()?;
        Ok(Some(action))
    }

    fn refuse_in_sandbox(&self) -> Parsed<()> {
        if self.settings.sandbox { Err(self.bad("e/r/w commands disabled in sandbox mode")) } else { Ok(()) }
    }

    fn argument(&mut self) -> Option<usize> {
        self.skip_blanks();
        if self.settings.posix {
            return None;
        }
        self.peek().filter(u8::is_ascii_digit)?;
        usize::try_from(self.number()).ok()
    }

    fn label(&mut self) -> Vec<u8> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let len = rest.iter().take_while(|b| !b.is_ascii_whitespace() && !b";}#".contains(b)).count();
        let label = rest[..len].to_vec();
        self.at += len;
        label
    }

    fn rest_of_line(&mut self) -> Vec<u8> {
        let rest = &self.text[self.at..];
        let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest[..len].to_vec();
        self.at += len;
        line
    }

    fn file_name(&mut self) -> Parsed<Vec<u8>> {
        self.skip_blanks();
        let name = self.rest_of_line();
        self.take();
        if name.is_empty() { Err(self.bad("missing filename in r/R/w/W commands")) } else { Ok(name) }
    }

    /// A file to write to: it is made empty at once.
    fn output(&mut self) -> Parsed<usize> {
        self.refuse_in_sandbox()?;
        let name = self.file_name()?;
        // Standard output by its name is the same stream, where POSIX knows but a file.
        let first = if self.settings.posixly { 2 } else { 0 };
        if let Some(known) = self.outputs.iter().skip(first).position(|output| output.name == name) {
            return Ok(first + known);
        }
        match Output::create(&name) {
            Ok(output) => self.outputs.push(output),
            Err(e) => {
                let name = String::from_utf8_lossy(&name);
                return Err(report::die(PANIC, format_args!("couldn't open file {name}: {e}")));
            }
        }
        Ok(self.outputs.len() - 1)
    }

    fn text_command(&mut self, letter: u8) -> Parsed<Option<Action>> {
        self.skip_blanks();
        let action = match letter {
            b'a' => Action::Append(Vec::new()),
            b'i' => Action::Insert(Vec::new()),
            _ => Action::Change(Vec::new()),
        };
        let expected = "expected \\ after `a', `c' or `i'";
        if let Some(last) = self.commands.last_mut() {
            last.action = action;
        }
        match self.peek() {
            None => return Err(self.bad(expected)),
            Some(b'\\') => {
                self.at += 1;
                match self.peek() {
                    // The text is in the next piece, if there is one.
                    None => {
                        if self.settings.posix {
                            return Err(self.bad("incomplete command"));
                        }
                        self.pending = Some(Vec::new());
                        return Ok(None);
                    }
                    Some(b'\n') => self.at += 1,
                    // A second backslash only keeps blanks; before the end of the line there are none.
                    Some(b'\\') if self.text.get(self.at + 1) == Some(&b'\n') => self.at += 1,
                    Some(_) => {}
                }
            }
            Some(_) if self.settings.posix => {
                self.at += 1;
                return Err(self.bad(expected));
            }
            Some(_) => {}
        }
        self.read_text(Vec::new())?;
        Ok(None)
    }

    /// Lines of text, as long as they end in a backslash.
    fn read_text(&mut self, mut text: Vec<u8>) -> Parsed<()> {
        while let Some(byte) = self.take() {
            match byte {
                b'\n' => break,
                b'\\' => match self.take() {
                    Some(next) => text.extend([b'\\', next]),
                    None => {
                        text.push(b'\n');
                        self.pending = Some(text);
                        return Ok(());
                    }
                },
                _ => text.push(byte),
            }
        }
        text.push(b'\n');
        self.set_text(text)
    }

    fn set_text(&mut self, text: Vec<u8>) -> Parsed<()> {
        let Ok(text) = text::plain(&text) else {
            return Err(self.bad("recursive escaping after \\c not allowed"));
        };
        let last = self.commands.last_mut().map(|command| &mut command.action);
        if let Some(Action::Append(old) | Action::Insert(old) | Action::Change(old)) = last {
            *old = text;
        }
        Ok(())
    }

    /// `v`: nothing newer than what is here is asked for.
    fn version(&mut self) -> Parsed<()> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let len = rest.iter().take_while(|b| !b.is_ascii_whitespace() && !b";}#".contains(b)).count();
        let wanted: Vec<u64> =
            rest[..len].split(|b| *b == b'.').map(|part| super::leading_number(part) as u64).collect();
        let no_number = rest[..len].first().is_some_and(u8::is_ascii_alphabetic);
        self.at += len;
        if no_number || wanted.as_slice() > [4, 9].as_slice() {
            Err(self.bad("expected newer version of sed"))
        } else {
            Ok(())
        }
    }
}
