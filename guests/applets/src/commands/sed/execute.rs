//! Runs a script over its input.

use super::debug::{self, Debug};
use super::input::{Input, Line, Opened};
use super::output::{Output, unwritten};
use super::regex::Pattern;
use super::script::*;
use super::{BAD_USAGE, PANIC, Settings, substitute};
use crate::{Exit, Outcome, input, program, report};
use capsule_regex::Groups;
use capsule_sys::{
    Errno, FdAction, In, OpenFlags, STDIN, STDOUT, SpawnRequest, environ, open, pipe, read_to_end, spawn, wait,
};
use std::rc::Rc;

mod in_place;
mod show;

use in_place::Edit;

/// What is printed behind a line.
enum Appended {
    /// The text of a command.
    Text(usize),
    File(Vec<u8>),
    Line(Vec<u8>),
}

/// How a cycle ended.
enum End {
    /// With the line printed, unless that is off.
    Print,
    Silent,
    /// By `D`, for which the end of a cycle is not shown.
    Dropped,
    /// The line is not replaced by the next.
    Again,
    Quit(Option<usize>, bool),
}

/// Where output goes; known to the input too, since a new file may mean a new output.
struct Sinks<'a> {
    settings: &'a Settings,
    outputs: Vec<Output>,
    edit: Option<Edit>,
}

impl Sinks<'_> {
    /// Where lines go that are not written to a file by name.
    fn main(&mut self) -> &mut Output {
        match &mut self.edit {
            Some(edit) => &mut edit.output,
            None => &mut self.outputs[0],
        }
    }

    fn line(&mut self, line: &Line) {
        let end = self.settings.end;
        self.main().line(&line.text, line.ended, end);
        self.settle();
    }

    fn text(&mut self, text: &[u8]) {
        let end = self.settings.end;
        self.main().text(text, end);
        self.settle();
    }

    /// The text of a command, whose last newline is the end of a line.
    fn whole(&mut self, text: &[u8]) {
        match (text, self.settings.end) {
            ([before @ .., b'\n'], end) if end != b'\n' => self.text(&[before, &[end]].concat()),
            _ => self.text(text),
        }
    }

    fn settle(&mut self) {
        if self.settings.unbuffered {
            let _ = self.main().flush();
        }
    }

    /// A line of `w`, which is seen at once where it goes to standard error or nothing is to wait.
    fn write(&mut self, output: usize, text: &[u8], ended: bool) -> Result<(), Exit> {
        let output = &mut self.outputs[output];
        output.line_by_name(text, ended, self.settings.end);
        if self.settings.unbuffered || output.is_stderr() {
            let _ = output.flush();
        }
        match output.failed() {
            Some(e) if !output.is_stdout() => {
                let name = String::from_utf8_lossy(&output.name).into_owned();
                Err(self.settings.lost(output.last, &name, e))
            }
            _ => Ok(()),
        }
    }

    /// Ends when output does not work any more.
    fn check(&mut self) -> Result<(), Exit> {
        match self.main().failed() {
            None => Ok(()),
            Some(e) => {
                let items = self.main().last;
                let name = self.edit.take().map_or("stdout".to_owned(), Edit::give_up);
                Err(self.settings.lost(items, &name, e))
            }
        }
    }
}

impl Settings {
    /// What did not get through, where it was to wait or not.
    fn lost(&self, items: usize, name: &str, e: Errno) -> Exit {
        match self.unbuffered {
            true => report::die(PANIC, format_args!("couldn't flush {name}: {e}")),
            false => report::die(PANIC, unwritten(items, name, e)),
        }
    }
}

impl Opened for Sinks<'_> {
    fn open(&mut self, name: &[u8], file: i32) -> bool {
        let Some(suffix) = &self.settings.in_place else { return true };
        match Edit::begin(name, file, suffix) {
            Ok(edit) => {
                self.edit = Some(edit);
                true
            }
            Err(message) => {
                report::error(message);
                false
            }
        }
    }

    fn end(&mut self) -> bool {
        match self.edit.take().map_or(Ok(()), Edit::finish) {
            Ok(()) => true,
            Err(message) => {
                report::error(message);
                false
            }
        }
    }

    fn wait(&mut self) {
        for output in &mut self.outputs {
            let _ = output.flush();
        }
    }
}

struct Machine<'a> {
    settings: &'a Settings,
    input: Input<'a>,
    sinks: Sinks<'a>,
    /// The files of `R`, once they are open.
    readers: Vec<Option<Result<input::Input, Errno>>>,
    reader_names: Vec<Vec<u8>>,
    line: Line,
    hold: Line,
    /// What is made of a line by `s`.
    scratch: Vec<u8>,
    groups: Groups,
    appended: Vec<Appended>,
    /// Something was replaced since the last line was read, or since that was asked.
    replaced: bool,
    last: Option<Rc<Pattern>>,
    debug: Option<Debug>,
    /// Where the script ends, for messages.
    place: String,
}

pub fn run(script: Script, settings: &Settings, files: &[&[u8]]) -> Outcome {
    let Script { mut commands, outputs, inputs, end } = script;
    let mut machine = Machine {
        settings,
        input: Input::new(settings, files),
        sinks: Sinks { settings, outputs, edit: None },
        readers: inputs.iter().map(|_| None).collect(),
        reader_names: inputs,
        line: Line { text: Vec::new(), ended: true },
        hold: Line { text: Vec::new(), ended: true },
        scratch: Vec::new(),
        groups: Groups::new(),
        appended: Vec::new(),
        replaced: false,
        last: None,
        debug: settings.debug.then(Debug::default),
        place: end,
    };
    machine.show_program(&commands);
    let status = machine.cycles(&mut commands);
    // A file that is not done with stays as it was.
    if let Some(edit) = machine.sinks.edit.take() {
        edit.give_up();
    }
    let mut failed = None;
    for output in machine.sinks.outputs.drain(..) {
        let name = output.name.clone();
        if let Err(e) = output.close() {
            failed = Some((name, e));
        }
    }
    let status = status?;
    if let Some((name, e)) = failed {
        let name = if name == b"/dev/stdout" { "stdout".into() } else { String::from_utf8_lossy(&name) };
        let what = if e == Errno::EBADF { "close" } else { "flush" };
        return Err(report::die(PANIC, format_args!("couldn't {what} {name}: {e}")));
    }
    Ok(if machine.input.status != 0 { machine.input.status } else { status })
}

impl Machine<'_> {
    fn cycles(&mut self, commands: &mut [Command]) -> Outcome {
        let mut again = false;
        loop {
            if !again {
                self.line.text.clear();
                if !self.input.read(&mut self.line, &mut self.sinks) {
                    return Ok(0);
                }
                self.begin(commands);
                self.replaced = false;
                self.show_input();
            }
            self.show_pattern();
            again = false;
            let end = self.cycle(commands)?;
            if self.debug.is_some() && matches!(end, End::Print | End::Silent) {
                self.aside(b"END-OF-CYCLE:\n");
            }
            match end {
                End::Print => {
                    if !self.settings.quiet {
                        self.sinks.line(&self.line);
                    }
                    self.flush_appended(commands)?;
                }
                End::Silent | End::Dropped => self.flush_appended(commands)?,
                End::Again => {
                    self.flush_appended(commands)?;
                    again = true;
                }
                End::Quit(status, print) => {
                    if print && !self.settings.quiet {
                        self.sinks.line(&self.line);
                    }
                    if print {
                        self.flush_appended(commands)?;
                        // The end that the last line has not, it gets here.
                        self.sinks.text(b"");
                    }
                    self.input.quit(&mut self.sinks);
                    return Ok(status.unwrap_or(0) as u8);
                }
            }
            self.sinks.check()?;
        }
    }

    /// A new file: its ranges begin anew where files are separate.
    fn begin(&mut self, commands: &mut [Command]) {
        if std::mem::take(&mut self.input.begun) && self.settings.separate {
            // What `R` reads begins anew as well, and what is held is gone.
            self.hold.text.clear();
            self.readers.iter_mut().for_each(|reader| *reader = None);
            for command in commands {
                command.state = match command.from {
                    Some(Address::Zero) => RangeState::Active,
                    _ => RangeState::Before,
                };
            }
        }
    }

    fn cycle(&mut self, commands: &mut [Command]) -> Result<End, Exit> {
        let mut at = 0;
        while at < commands.len() {
            if self.debug.is_some() {
                self.show_command(commands, at);
            }
            let selected = self.selects(&mut commands[at])?;
            let command = &commands[at];
            at += 1;
            if !selected {
                if let Action::Block(end) = command.action {
                    at = end;
                }
                continue;
            }
            match &command.action {
                Action::Block(_) | Action::EndBlock | Action::Label(_) => {}
                Action::Append(_) => self.appended.push(Appended::Text(at - 1)),
                Action::Insert(text) => self.sinks.whole(text),
                Action::Change(text) => {
                    // A range is changed as a whole, at its end.
                    if command.state != RangeState::Active {
                        self.sinks.whole(text);
                    }
                    return Ok(End::Silent);
                }
                Action::Branch(to) => at = *to,
                Action::BranchIf(to) => {
                    if std::mem::take(&mut self.replaced) {
                        at = *to;
                    }
                }
                Action::BranchUnless(to) => {
                    if !std::mem::take(&mut self.replaced) {
                        at = *to;
                    }
                }
                Action::Delete => return Ok(End::Silent),
                Action::DeleteFirst => {
                    let Some(end) = memchr::memchr(self.settings.end, &self.line.text) else { return Ok(End::Dropped) };
                    self.line.text.drain(..=end);
                    return Ok(End::Again);
                }
                Action::Execute(Some(command)) => {
                    if let Some(debug) = &mut self.debug {
                        debug.execute(at - 1);
                    }
                    let output = self.execute(command)?;
                    self.sinks.text(&output);
                }
                Action::Execute(None) => {
                    self.execute_line()?;
                    self.line.ended = true;
                }
                Action::FileName => {
                    let name = [&self.input.name[..], &[self.settings.end]].concat();
                    self.sinks.text(&name);
                }
                Action::Get => {
                    self.line.clone_from(&self.hold);
                    self.show_hold();
                }
                Action::GetAppend => {
                    join(&mut self.line, &self.hold, self.settings.end);
                    self.show_pattern();
                }
                Action::Hold => {
                    self.hold.clone_from(&self.line);
                    self.show_hold();
                }
                Action::HoldAppend => {
                    join(&mut self.hold, &self.line, self.settings.end);
                    self.show_hold();
                }
                Action::Exchange => {
                    std::mem::swap(&mut self.line, &mut self.hold);
                    self.show_pattern();
                    self.show_hold();
                }
                Action::LineNumber => {
                    let mut number = self.input.line_number.to_string().into_bytes();
                    number.push(self.settings.end);
                    self.sinks.text(&number);
                }
                Action::List(width) => {
                    let listed = list(&self.line.text, width.unwrap_or(self.settings.width), self.settings.end);
                    self.sinks.text(&listed);
                }
                Action::Next => {
                    let last = self.input.is_last(&mut self.sinks);
                    if !self.settings.quiet {
                        self.sinks.line(&self.line);
                    }
                    if last {
                        return Ok(End::Silent);
                    }
                    self.flush_appended(commands)?;
                    self.line.text.clear();
                    if !self.input.read(&mut self.line, &mut self.sinks) {
                        return Ok(End::Silent);
                    }
                    self.show_pattern();
                }
                Action::NextAppend => {
                    if self.input.is_last(&mut self.sinks) {
                        return Ok(if self.settings.posixly { End::Silent } else { End::Print });
                    }
                    self.flush_appended(commands)?;
                    self.line.text.push(self.settings.end);
                    let _ = self.input.read(&mut self.line, &mut self.sinks);
                    self.show_pattern();
                }
                Action::Print => self.sinks.line(&self.line),
                Action::PrintFirst => {
                    let (first, ended) = first(&self.line, self.settings.end);
                    self.sinks.main().line(first, ended, self.settings.end);
                    self.sinks.settle();
                }
                Action::Quit(status) => return Ok(End::Quit(*status, true)),
                Action::QuitSilently(status) => return Ok(End::Quit(*status, false)),
                Action::ReadFile(name) => self.appended.push(Appended::File(name.clone())),
                Action::ReadBefore(name) => copy_file(name, |block| self.sinks.main().aside(block))?,
                Action::ReadLine(reader) => {
                    let line = self.read_line(*reader)?;
                    self.appended.extend(line.map(Appended::Line));
                }
                Action::Substitute(s) => {
                    self.substitute(s)?;
                    self.show_pattern();
                }
                Action::Translate(translation) => {
                    substitute::translate(translation, &mut self.line.text, self.settings.utf8);
                    self.show_pattern();
                }
                Action::Write(output) => {
                    let line = &self.line;
                    self.sinks.write(*output, &line.text, line.ended)?;
                }
                Action::WriteFirst(output) => {
                    let (first, ended) = first(&self.line, self.settings.end);
                    self.sinks.write(*output, first, ended)?;
                }
                Action::Zap => {
                    self.line.text.clear();
                    self.show_pattern();
                }
            }
        }
        Ok(End::Print)
    }

    /// Whether a command is for the line at hand.
    fn selects(&mut self, command: &mut Command) -> Result<bool, Exit> {
        let Some(from) = &command.from else { return Ok(!command.negated) };
        let number = self.input.line_number;
        let matches = match &command.to {
            None => self.matches(from)?,
            Some(to) if command.state == RangeState::Active => match to {
                RangeEnd::Last => {
                    if self.input.is_last(&mut self.sinks) {
                        command.state = RangeState::Closed;
                    }
                    true
                }
                RangeEnd::Step(first, step) => {
                    if on_step(number, *first, *step) {
                        command.state = RangeState::Closed;
                    }
                    true
                }
                RangeEnd::Regex(regex) => {
                    if self.finds(regex)? {
                        command.state = RangeState::Closed;
                    }
                    true
                }
                _ => {
                    if number >= command.until {
                        command.state = RangeState::Closed;
                    }
                    // Where lines were passed over, the end is in one that comes later, but for a line by its number.
                    number <= command.until || !matches!(to, RangeEnd::Line(_))
                }
            },
            Some(to) => {
                // A line that was passed over by a command begins its range too, once, unless the end was as well.
                let begins = match from {
                    Address::Line(n) if matches!(to, RangeEnd::Line(end) if number > *end) => number == *n,
                    Address::Line(n) => command.state == RangeState::Before && number >= *n,
                    other => self.matches(other)?,
                };
                if begins {
                    if matches!(from, Address::Line(_)) {
                        command.state = RangeState::Closed;
                    }
                    command.until = match to {
                        RangeEnd::Line(n) => *n,
                        RangeEnd::More(n) => number.saturating_add(*n),
                        RangeEnd::Multiple(0) => number,
                        RangeEnd::Multiple(n) => (number / n + 1).saturating_mul(*n),
                        RangeEnd::Step(first, step) if on_step(number, *first, *step) => number,
                        _ => u64::MAX,
                    };
                    if command.until > number {
                        command.state = RangeState::Active;
                    }
                }
                begins
            }
        };
        Ok(matches != command.negated)
    }

    fn matches(&mut self, address: &Address) -> Result<bool, Exit> {
        let number = self.input.line_number;
        Ok(match address {
            Address::Line(n) => number == *n,
            Address::Step(first, step) => on_step(number, *first, *step),
            Address::Last => self.input.is_last(&mut self.sinks),
            Address::Regex(regex) => self.finds(regex)?,
            Address::Zero => false,
        })
    }

    /// The pattern, or the last one used.
    fn pattern(&mut self, regex: &Regex) -> Result<Rc<Pattern>, Exit> {
        let pattern = match regex {
            Some(pattern) => pattern.clone(),
            None => match &self.last {
                Some(pattern) => return Ok(pattern.clone()),
                None => {
                    let place = &self.place;
                    return Err(report::die(BAD_USAGE, format_args!("{place}: no previous regular expression")));
                }
            },
        };
        self.last = Some(pattern.clone());
        Ok(pattern)
    }

    fn finds(&mut self, regex: &Regex) -> Result<bool, Exit> {
        Ok(self.pattern(regex)?.regex.is_match(&self.line.text))
    }

    fn substitute(&mut self, s: &Substitution) -> Result<(), Exit> {
        let pattern = self.pattern(&s.regex)?;
        if s.groups > pattern.regex.group_count() && !self.settings.posix {
            let message = format!("invalid reference \\{} on `s' command's RHS", s.groups);
            return Err(report::die(BAD_USAGE, format_args!("{}: {message}", self.place)));
        }
        if self.debug.is_some() && pattern.regex.captures_at(&self.line.text, 0, false, &mut self.groups) {
            let shown = debug::registers(&self.line.text, &self.groups);
            self.aside(&shown);
        }
        let utf8 = self.settings.utf8;
        let text = &self.line.text;
        if !substitute::substitute(s, &pattern.regex, text, utf8, &mut self.groups, &mut self.scratch) {
            return Ok(());
        }
        std::mem::swap(&mut self.line.text, &mut self.scratch);
        self.replaced = true;
        if s.execute {
            self.execute_line()?;
        }
        if s.print {
            self.sinks.line(&self.line);
        }
        if let Some(output) = s.write {
            let line = &self.line;
            self.sinks.write(output, &line.text, line.ended)?;
        }
        Ok(())
    }

    /// Runs the line as a command; its output is the line then.
    fn execute_line(&mut self) -> Result<(), Exit> {
        let command = std::mem::take(&mut self.line.text);
        let mut output = self.execute(&command)?;
        if output.last() == Some(&self.settings.end) {
            output.pop();
        }
        self.line.text = output;
        Ok(())
    }

    fn execute(&mut self, command: &[u8]) -> Result<Vec<u8>, Exit> {
        let _ = self.sinks.main().flush();
        // A command ends at a 0 byte.
        let command = &command[..memchr::memchr(0, command).unwrap_or(command.len())];
        let run = || {
            let (reader, writer) = pipe(OpenFlags::CLOEXEC)?;
            let path = program::find(b"/bin/sh", b"")?;
            let argv = vec![b"sh".to_vec(), b"-c".to_vec(), command.to_vec()];
            let actions = vec![FdAction::Dup2 { from: writer.raw(), to: STDOUT }];
            let request = SpawnRequest { path, argv, env: environ(), actions, ..SpawnRequest::default() };
            let pid = spawn(&request)?;
            drop(writer);
            let output = read_to_end(reader.raw())?;
            let _ = wait(pid, 0)?;
            Ok::<_, Errno>(output)
        };
        run().map_err(|e| report::die(PANIC, format_args!("error running a command: {e}")))
    }

    /// The next line of a file of `R`.
    fn read_line(&mut self, reader: usize) -> Result<Option<Vec<u8>>, Exit> {
        let name = &self.reader_names[reader];
        let opened = self.readers[reader].get_or_insert_with(|| match name.as_slice() {
            b"/dev/stdin" => Ok(input::Input::stdin()),
            name => input::Input::open(name),
        });
        let Ok(file) = opened else { return Ok(None) };
        let mut line = Vec::new();
        let any = file.stream.read_until(self.settings.end, &mut line).map_err(|e| unread(name, e))?;
        Ok(any.then_some(line))
    }

    fn flush_appended(&mut self, commands: &[Command]) -> Result<(), Exit> {
        for appended in self.appended.drain(..) {
            // Whatever is added, and be it nothing, ends a line that had no end.
            self.sinks.text(b"");
            match appended {
                Appended::Text(command) => {
                    if let Action::Append(text) = &commands[command].action {
                        self.sinks.text(text);
                    }
                }
                Appended::Line(line) => self.sinks.text(&line),
                Appended::File(name) => copy_file(&name, |block| self.sinks.text(block))?,
            }
        }
        Ok(())
    }
}

/// What is in a file, if it is there.
fn copy_file(name: &[u8], mut put: impl FnMut(&[u8])) -> Result<(), Exit> {
    let file = match name {
        b"/dev/stdin" => Ok(None),
        name => open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).map(Some),
    };
    let Ok(file) = file else { return Ok(()) };
    let mut stream = In::new(file.as_ref().map_or(STDIN, |file| file.raw()));
    loop {
        let block = stream.fill().map_err(|e| unread(name, e))?;
        if block.is_empty() {
            return Ok(());
        }
        put(block);
        let n = block.len();
        stream.consume(n);
    }
}

/// Whether a line is one of `first~step`.
fn on_step(number: u64, first: u64, step: u64) -> bool {
    number >= first && (number - first).is_multiple_of(step)
}

fn unread(name: &[u8], e: Errno) -> Exit {
    report::die(PANIC, format_args!("read error on {}: {e}", String::from_utf8_lossy(name)))
}

/// The first of the lines that a line holds, and whether it has its end.
fn first(line: &Line, end: u8) -> (&[u8], bool) {
    match memchr::memchr(end, &line.text) {
        Some(at) => (&line.text[..at], true),
        None => (&line.text, line.ended),
    }
}

/// A line behind another.
fn join(to: &mut Line, from: &Line, end: u8) {
    to.text.push(end);
    to.text.extend_from_slice(&from.text);
    to.ended = from.ended;
}

/// A line as `l` shows it.
fn list(text: &[u8], width: usize, end: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    let mut column = 0;
    for &b in text {
        let mut shown = [b'\\', 0, 0, 0];
        let len = match b {
            b'\\' => {
                shown[1] = b'\\';
                2
            }
            7..=13 => {
                shown[1] = b"abtnvfr"[usize::from(b - 7)];
                2
            }
            b' '..=b'~' => {
                shown[0] = b;
                1
            }
            _ => {
                shown[1..].copy_from_slice(&[b'0' + (b >> 6), b'0' + (b >> 3 & 7), b'0' + (b & 7)]);
                4
            }
        };
        if width > 0 && column + len > width - 1 {
            out.extend([b'\\', end]);
            column = 0;
        }
        out.extend_from_slice(&shown[..len]);
        column += len;
    }
    out.extend([b'$', end]);
    out
}
