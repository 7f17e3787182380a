//! What is done with the lines.

use super::address::{Cursor, Range};
use super::{Done, Editor, Line, Stop};
use crate::report;
use capsule_sys::{
    FdAction, OpenFlags, STDIN, STDOUT, SpawnRequest, environ, open, pipe, read_to_end, spawn, wait, write_all,
};
use std::collections::VecDeque;
use std::num::IntErrorKind;
use std::rc::Rc;

const SUFFIX: Stop = Stop::Wrong("Invalid command suffix");

impl Editor {
    pub fn command(&mut self, line: &[u8]) -> Done<()> {
        let mut cursor = Cursor { text: line, at: 0 };
        let before = self.now.current;
        let range = match self.range(&mut cursor) {
            Ok(range) => range,
            Err(stop) => {
                self.now.current = before;
                return Err(stop);
            }
        };
        let letter = cursor.next();
        let warned = std::mem::take(&mut self.warned);
        let Some(letter) = letter else {
            // A line alone is printed; nothing at all is the next one.
            let at = if range.given > 0 { range.last } else { self.now.current + 1 };
            return self.print(at, at, b'p');
        };
        if b"hHPu!".contains(&letter) && range.given > 0 {
            return Err(Stop::Wrong("Unexpected address"));
        }
        match letter {
            b'a' | b'i' | b'c' => {
                let print = self.suffix(&mut cursor)?;
                self.save();
                let mut after = match letter {
                    b'a' => range.last,
                    b'i' => range.last.saturating_sub(1),
                    _ => {
                        self.valid(&range)?;
                        range.first - 1
                    }
                };
                if letter == b'c' {
                    self.delete(range.first, range.last);
                    after = after.min(self.now.lines.len());
                }
                let lines = self.text();
                if lines.is_empty() {
                    self.now.current = if letter == b'a' { range.last } else { range.first.min(self.now.lines.len()) };
                } else {
                    self.insert(lines, after);
                }
                self.after(print)
            }
            b'd' => {
                let print = self.suffix(&mut cursor)?;
                self.valid(&range)?;
                self.save();
                self.yanked = self.now.lines[range.first - 1..range.last].to_vec();
                self.delete(range.first, range.last);
                self.after(print)
            }
            b'j' => {
                let last = if range.given < 2 && range.given == 0 { range.last + 1 } else { range.last };
                let range = Range { last, ..range };
                let print = self.suffix(&mut cursor)?;
                self.valid(&range)?;
                if range.first < range.last {
                    self.save();
                    let joined: Vec<u8> =
                        self.now.lines[range.first - 1..range.last].iter().flat_map(|l| l.iter().copied()).collect();
                    self.yanked = self.now.lines[range.first - 1..range.last].to_vec();
                    self.delete(range.first, range.last);
                    self.insert(vec![Rc::new(joined)], range.first - 1);
                }
                self.after(print)
            }
            b'p' | b'n' | b'l' => {
                cursor.at -= 1;
                let print = self.suffix(&mut cursor)?;
                self.print_range(&range, print)
            }
            b's' => {
                self.valid(&range)?;
                self.save();
                let joined = self.with_more_lines(cursor.rest());
                let how = self.read_substitution(&mut Cursor { text: &joined, at: 0 })?;
                self.substitute(range.first, range.last, &how)?;
                let print = Editor::substitution_print(&how);
                self.after(if print == 0 { None } else { Some(print) })
            }
            b'k' => {
                let name = cursor.next().ok_or(SUFFIX)?;
                if range.last == 0 {
                    return Err(Stop::Wrong("Invalid address"));
                }
                let print = self.suffix(&mut cursor)?;
                if !name.is_ascii_lowercase() {
                    return Err(Stop::Wrong("Invalid mark character"));
                }
                self.now.marks[usize::from(name - b'a')] = Some(self.now.lines[range.last - 1].clone());
                self.after(print)
            }
            b'm' | b't' => self.carry(letter, &range, &mut cursor),
            b'y' => {
                self.suffix(&mut cursor)?;
                self.valid(&range)?;
                self.yanked = self.now.lines[range.first - 1..range.last].to_vec();
                Ok(())
            }
            b'x' => {
                let print = self.suffix(&mut cursor)?;
                if self.yanked.is_empty() {
                    return Err(Stop::Wrong("Nothing to put"));
                }
                self.save();
                let lines: Vec<Line> = self.yanked.iter().map(|l| Rc::new(l.to_vec())).collect();
                self.insert(lines, range.last);
                self.after(print)
            }
            b'u' => {
                let print = self.suffix(&mut cursor)?;
                let before = self.before.take().ok_or(Stop::Wrong("Nothing to undo"))?;
                self.before = Some(std::mem::replace(&mut self.now, before));
                self.after(print)
            }
            b'=' => {
                let print = self.suffix(&mut cursor)?;
                let n = if range.given > 0 { range.last } else { self.now.lines.len() };
                self.out.write(format!("{n}\n").as_bytes());
                self.after(print)
            }
            b'z' => {
                let at = if range.given > 0 { range.last } else { self.now.current + 1 };
                if !(1..=self.now.lines.len()).contains(&at) {
                    return Err(Stop::Wrong("Invalid address"));
                }
                let digits: String = cursor.rest().iter().map(|b| char::from(*b)).collect();
                let count = digits.trim_end_matches(['p', 'n', 'l']);
                if !count.is_empty() {
                    self.window = match count.parse::<i32>() {
                        Ok(count @ 1..) => count as usize,
                        Err(e) if *e.kind() == IntErrorKind::PosOverflow => {
                            return Err(Stop::Wrong("Number out of range"));
                        }
                        _ => return Err(SUFFIX),
                    };
                }
                let end = at.saturating_add(self.window - 1).min(self.now.lines.len());
                let how = digits.bytes().last().filter(|b| b"pnl".contains(b)).unwrap_or(b'p');
                self.print(at, end, how)
            }
            b'g' | b'v' | b'G' | b'V' => self.global(letter, &range, &mut cursor),
            b'e' | b'E' | b'r' | b'f' | b'w' | b'W' => self.files(letter, &range, &mut cursor, warned),
            b'q' | b'Q' => {
                if range.given > 0 {
                    return Err(Stop::Wrong("Unexpected address"));
                }
                if !cursor.rest().is_empty() {
                    return Err(SUFFIX);
                }
                if letter == b'q' && self.now.changed && !warned {
                    self.warned = true;
                    return Err(Stop::Wrong("Warning: buffer modified"));
                }
                Err(Stop::Quit)
            }
            b'h' | b'H' => {
                let print = self.suffix(&mut cursor)?;
                self.verbose ^= letter == b'H';
                if (letter == b'h' || self.verbose) && !self.last_error.is_empty() {
                    self.out.write(self.last_error.as_bytes());
                    self.out.byte(b'\n');
                }
                self.after(print)
            }
            b'P' => {
                let print = self.suffix(&mut cursor)?;
                self.prompting = !self.prompting;
                self.after(print)
            }
            b'!' => {
                let command = self.shell_text(cursor.rest())?;
                let _ = self.out.flush();
                self.shell(&command, None, false);
                if !self.silent {
                    self.out.write(b"!\n");
                }
                Ok(())
            }
            b'#' => Ok(()),
            _ => Err(Stop::Wrong("Unknown command")),
        }
    }

    fn save(&mut self) {
        // A global command is undone as a whole.
        if self.queued.is_none() {
            self.before = Some(self.now.clone());
        }
    }

    fn valid(&self, range: &Range) -> Done<()> {
        let good = range.first >= 1 && range.last <= self.now.lines.len();
        if good { Ok(()) } else { Err(Stop::Wrong("Invalid address")) }
    }

    /// `p`, `n` or `l` behind a command.
    fn suffix(&self, cursor: &mut Cursor) -> Done<Option<u8>> {
        let mut print = None;
        while let Some(b) = cursor.next() {
            match b {
                b'n' | b'l' | b'p' => print = Some(with_suffix(print.unwrap_or(b), b)),
                _ => return Err(SUFFIX),
            }
        }
        Ok(print)
    }

    fn after(&mut self, print: Option<u8>) -> Done<()> {
        match print {
            Some(how) => self.print(self.now.current, self.now.current, how),
            None => Ok(()),
        }
    }

    fn print_range(&mut self, range: &Range, how: Option<u8>) -> Done<()> {
        self.print(range.first, range.last, how.unwrap_or(b'p'))
    }

    fn print(&mut self, first: usize, last: usize, how: u8) -> Done<()> {
        if first < 1 || last > self.now.lines.len() || first > last {
            return Err(Stop::Wrong("Invalid address"));
        }
        for at in first..=last {
            let line = self.now.lines[at - 1].clone();
            if matches!(how, b'n' | NUMBERED_LIST) {
                self.out.write(format!("{at}\t").as_bytes());
            }
            if matches!(how, b'l' | NUMBERED_LIST) {
                self.list(&line);
            } else {
                self.out.write(&line);
            }
            self.out.byte(b'\n');
        }
        self.now.current = last;
        Ok(())
    }

    /// Shown so that nothing is hidden.
    fn list(&mut self, line: &[u8]) {
        let mut column = 0;
        for &b in line {
            let shown = match b {
                b'\\' => "\\\\".to_owned(),
                b'$' => "\\$".to_owned(),
                7 => "\\a".to_owned(),
                8 => "\\b".to_owned(),
                9 => "\\t".to_owned(),
                11 => "\\v".to_owned(),
                12 => "\\f".to_owned(),
                13 => "\\r".to_owned(),
                b' '..=b'~' => char::from(b).to_string(),
                _ => format!("\\{b:03o}"),
            };
            if column + shown.len() > 71 {
                self.out.write(b"\\\n");
                column = 0;
            }
            column += shown.len();
            self.out.write(shown.as_bytes());
        }
        self.out.byte(b'$');
    }

    fn delete(&mut self, first: usize, last: usize) {
        self.now.lines.drain(first - 1..last);
        self.now.current = first.min(self.now.lines.len());
        self.now.changed = true;
    }

    /// Lines up to a lone point.
    fn text(&mut self) -> Vec<Line> {
        let mut lines = Vec::new();
        while let Some(line) = self.line() {
            if line == b"." {
                break;
            }
            lines.push(Rc::new(line));
        }
        lines
    }

    fn carry(&mut self, letter: u8, range: &Range, cursor: &mut Cursor) -> Done<()> {
        self.valid(range)?;
        let target = self.range(cursor)?;
        let after = if target.given > 0 { target.last } else { self.now.current };
        let print = self.suffix(cursor)?;
        let lines = self.now.lines[range.first - 1..range.last].to_vec();
        if letter == b't' {
            self.save();
            let copies = lines.iter().map(|l| Rc::new(l.to_vec())).collect();
            self.insert(copies, after);
            return self.after(print);
        }
        if after >= range.first && after < range.last {
            return Err(Stop::Wrong("Invalid destination"));
        }
        self.save();
        let count = lines.len();
        self.now.lines.drain(range.first - 1..range.last);
        let after = if after >= range.last { after - count } else { after };
        self.insert(lines, after);
        self.after(print)
    }

    fn global(&mut self, letter: u8, range: &Range, cursor: &mut Cursor) -> Done<()> {
        if self.queued.is_some() {
            return Err(Stop::Wrong("Cannot nest global commands"));
        }
        let all = Range { first: 1.min(self.now.lines.len()), last: self.now.lines.len(), given: 2 };
        let range = if range.given > 0 { range } else { &all };
        let delimiter =
            cursor.next().filter(|b| !matches!(b, b' ' | b'\n')).ok_or(Stop::Wrong("Invalid pattern delimiter"))?;
        let regex = self.searched(cursor, delimiter)?;
        let asking = matches!(letter, b'G' | b'V');
        if asking && !cursor.rest().iter().all(|b| b"pnl".contains(b)) {
            return Err(Stop::Wrong("Invalid command suffix"));
        }
        let mut commands = vec![cursor.rest().to_vec()];
        while commands.last().is_some_and(|c| c.ends_with(b"\\")) {
            if let Some(last) = commands.last_mut() {
                last.pop();
            }
            let Some(more) = self.line() else { break };
            commands.push(more);
        }
        if commands.len() == 1 && commands[0].is_empty() {
            commands[0] = b"p".to_vec();
        }
        let wanted = matches!(letter, b'g' | b'G');
        let chosen: Vec<Line> = (range.first.max(1)..=range.last)
            .map(|at| self.now.lines[at - 1].clone())
            .filter(|line| regex.is_match(line) == wanted)
            .collect();
        let before = self.now.clone();
        let mut result = Ok(());
        for line in chosen {
            let Some(at) = self.now.lines.iter().position(|l| Rc::ptr_eq(l, &line)) else { continue };
            self.now.current = at + 1;
            if asking {
                match self.ask()? {
                    Some(command) => commands = vec![command],
                    None => continue,
                }
            }
            self.queued = Some(VecDeque::from(commands.clone()));
            while let Some(command) = self.queued.as_mut().and_then(VecDeque::pop_front) {
                result = self.command(&command);
                if result.is_err() {
                    break;
                }
            }
            if result.is_err() {
                break;
            }
        }
        self.queued = None;
        self.before = (before.lines != self.now.lines).then_some(before);
        result
    }

    /// Shows a line and asks what to do with it: nothing, the last command again, or another.
    fn ask(&mut self) -> Done<Option<Vec<u8>>> {
        self.print(self.now.current, self.now.current, b'p')?;
        let _ = self.out.flush();
        // The answer comes from the input, not from what the last one left.
        self.queued = None;
        let Some(line) = self.line() else { return Err(Stop::Wrong("Unexpected end-of-file")) };
        match line.as_slice() {
            b"" => return Ok(None),
            b"&" => {}
            _ => self.last_asked = Some(line),
        }
        self.last_asked.clone().map(Some).ok_or(Stop::Wrong("No previous command"))
    }

    /// A substitution goes on in the next line after a backslash.
    fn with_more_lines(&mut self, text: &[u8]) -> Vec<u8> {
        let mut text = text.to_vec();
        while text.iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 1 {
            let Some(more) = self.line() else { break };
            text.push(b'\n');
            text.extend_from_slice(&more);
        }
        text
    }

    /// Whether a file may be named.
    pub fn allowed(&self, name: &[u8]) -> Done<()> {
        match self.restricted && (name == b".." || name.contains(&b'/')) {
            true => Err(Stop::Wrong("Directory access restricted")),
            false => Ok(()),
        }
    }

    fn shell_text(&mut self, text: &[u8]) -> Done<Vec<u8>> {
        if self.restricted {
            return Err(Stop::Wrong("Shell access restricted"));
        }
        let mut out = Vec::new();
        let mut rest = text;
        if let Some(more) = rest.strip_prefix(b"!") {
            let last = self.last_shell.as_ref().ok_or(Stop::Wrong("No previous command"))?;
            out.extend_from_slice(last);
            rest = more;
        }
        for (i, &b) in rest.iter().enumerate() {
            if b == b'%' && (i == 0 || rest[i - 1] != b'\\') {
                if self.file.is_empty() {
                    return Err(Stop::Wrong("No current filename"));
                }
                out.extend_from_slice(&self.file);
            } else {
                out.push(b);
            }
        }
        // Who did not type all of it sees what is run.
        if out != text {
            self.out.write(&out);
            self.out.byte(b'\n');
        }
        self.last_shell = Some(out.clone());
        Ok(out)
    }

    /// Runs a command with some input; its output when that is asked for.
    fn shell(&mut self, command: &[u8], input: Option<&[u8]>, capture: bool) -> Vec<u8> {
        let _ = self.out.flush();
        let to = input.and_then(|_| pipe(OpenFlags::CLOEXEC).ok());
        let from = capture.then(|| pipe(OpenFlags::CLOEXEC).ok()).flatten();
        let mut actions = Vec::new();
        if let Some((reader, _)) = &to {
            actions.push(FdAction::Dup2 { from: reader.raw(), to: STDIN });
        }
        if let Some((_, writer)) = &from {
            actions.push(FdAction::Dup2 { from: writer.raw(), to: STDOUT });
        }
        let request = SpawnRequest {
            path: b"/bin/sh".to_vec(),
            argv: vec![b"sh".to_vec(), b"-c".to_vec(), command.to_vec()],
            env: environ(),
            actions,
            ..SpawnRequest::default()
        };
        let Ok(pid) = spawn(&request) else { return Vec::new() };
        if let Some((reader, writer)) = to {
            drop(reader);
            let _ = write_all(writer.raw(), input.unwrap_or_default());
        }
        let mut text = Vec::new();
        if let Some((reader, writer)) = from {
            drop(writer);
            text = read_to_end(reader.raw()).unwrap_or_default();
        }
        let _ = wait(pid, 0);
        text
    }

    pub fn read_command(&mut self, command: &[u8], after: usize) -> Done<()> {
        let command = self.shell_text(command)?;
        let text = self.shell(&command, None, true);
        self.insert_text(&text, after);
        Ok(())
    }

    fn files(&mut self, letter: u8, range: &Range, cursor: &mut Cursor, warned: bool) -> Done<()> {
        let quit = matches!(letter, b'w' | b'W') && matches!(cursor.peek(), Some(b'q' | b'Q'));
        if quit {
            cursor.at += 1;
        }
        if cursor.peek().is_some_and(|b| !matches!(b, b' ' | b'\t')) {
            return Err(Stop::Wrong("Unexpected command suffix"));
        }
        cursor.blanks();
        let name = cursor.rest().to_vec();
        self.allowed(&name)?;
        let command = name.strip_prefix(b"!").map(<[u8]>::to_vec);
        let known = if name.is_empty() { self.file.clone() } else { name };
        match letter {
            b'f' => {
                if range.given > 0 {
                    return Err(Stop::Wrong("Unexpected address"));
                }
                if known.is_empty() {
                    return Err(Stop::Wrong("No current filename"));
                }
                self.file = known;
                self.out.write(&self.file.clone());
                self.out.byte(b'\n');
                Ok(())
            }
            b'e' | b'E' => {
                if range.given > 0 {
                    return Err(Stop::Wrong("Unexpected address"));
                }
                if letter == b'e' && self.now.changed && !warned {
                    self.warned = true;
                    return Err(Stop::Wrong("Warning: buffer modified"));
                }
                if known.is_empty() {
                    return Err(Stop::Wrong("No current filename"));
                }
                self.save();
                self.now.lines.clear();
                self.now.current = 0;
                let result = match command {
                    Some(command) => self.read_command(&command, 0),
                    None => {
                        self.file.clone_from(&known);
                        self.read_file(&known, 0)
                    }
                };
                self.now.changed = false;
                result
            }
            b'r' => {
                let after = if range.given > 0 { range.last } else { self.now.lines.len() };
                self.save();
                match command {
                    Some(command) => self.read_command(&command, after),
                    None if known.is_empty() => Err(Stop::Wrong("No current filename")),
                    None => {
                        if self.file.is_empty() {
                            self.file.clone_from(&known);
                        }
                        self.read_file(&known, after)
                    }
                }
            }
            _ => self.write(letter, range, command, &known, quit),
        }
    }

    fn write(&mut self, letter: u8, range: &Range, command: Option<Vec<u8>>, name: &[u8], quit: bool) -> Done<()> {
        let whole = range.given == 0;
        let (first, last) = if whole { (1, self.now.lines.len()) } else { (range.first, range.last) };
        if first == 0 || last > self.now.lines.len() {
            return Err(Stop::Wrong("Invalid address"));
        }
        let mut text = Vec::new();
        for line in &self.now.lines[first - 1..last] {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        match command {
            Some(command) => {
                let command = self.shell_text(&command)?;
                self.shell(&command, Some(&text), false);
            }
            None => {
                if name.is_empty() {
                    return Err(Stop::Wrong("No current filename"));
                }
                if self.file.is_empty() {
                    self.file = name.to_vec();
                }
                let how = if letter == b'W' { OpenFlags::APPEND } else { OpenFlags::TRUNC };
                let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | how;
                let written = open(name, flags, 0o666).and_then(|fd| write_all(fd.raw(), &text));
                if let Err(errno) = written {
                    let _ = self.out.flush();
                    if !self.quiet {
                        report::plain(&format!("{}: {errno}\n", String::from_utf8_lossy(name)));
                    }
                    return Err(Stop::Wrong("Cannot open output file"));
                }
            }
        }
        if !self.silent {
            self.out.write(format!("{}\n", text.len()).as_bytes());
        }
        if whole || (first == 1 && last == self.now.lines.len()) {
            self.now.changed = false;
        }
        if quit { Err(Stop::Quit) } else { Ok(()) }
    }
}

/// `n` and `l` together.
const NUMBERED_LIST: u8 = b'N';

/// One more letter about how to print.
pub fn with_suffix(before: u8, letter: u8) -> u8 {
    match (before, letter) {
        (b'n' | NUMBERED_LIST, b'l') | (b'l' | NUMBERED_LIST, b'n') => NUMBERED_LIST,
        (0 | b'p', letter) => letter,
        (before, _) => before,
    }
}
