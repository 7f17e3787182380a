//! `--debug`: the program in one canonical form, and what each command does as it runs, as GNU's sed shows them.

use super::output::Output;
use super::regex::Pattern;
use super::script::*;
use capsule_regex::Groups;

/// Shows commands; knows how deep in blocks the last one was.
#[derive(Default)]
pub struct Debug {
    level: usize,
    /// The commands of `e` that ran already, whose newline GNU's has overwritten by then.
    executed: Vec<usize>,
}

/// What commands refer to by number.
pub struct Names<'a> {
    pub outputs: &'a [Output],
    pub inputs: &'a [Vec<u8>],
    pub utf8: bool,
}

impl Debug {
    /// The whole program.
    pub fn program(&mut self, commands: &[Command], names: &Names) -> Vec<u8> {
        let mut out = b"SED PROGRAM:\n".to_vec();
        for at in 0..commands.len() {
            out.extend(b"  ");
            self.command(commands, at, names, &mut out);
        }
        self.level = 0;
        out
    }

    /// A command that is about to run.
    pub fn step(&mut self, commands: &[Command], at: usize, names: &Names) -> Vec<u8> {
        let mut out = b"COMMAND: ".to_vec();
        self.command(commands, at, names, &mut out);
        out
    }

    /// An `e` with a command runs.
    pub fn execute(&mut self, at: usize) {
        if !self.executed.contains(&at) {
            self.executed.push(at);
        }
    }

    fn command(&mut self, commands: &[Command], at: usize, names: &Names, out: &mut Vec<u8>) {
        let command = &commands[at];
        if let Action::EndBlock = command.action {
            self.level = self.level.saturating_sub(1);
        }
        out.extend(std::iter::repeat_n(b' ', 2 * self.level));
        if let Some(from) = &command.from {
            address(from, out);
            if let Some(to) = &command.to {
                out.push(b',');
                range_end(to, out);
            }
        }
        if command.negated {
            out.push(b'!');
        }
        if command.from.is_some() {
            out.push(b' ');
        }
        self.action(commands, at, names, out);
        out.push(b'\n');
        if let Action::Block(_) = command.action {
            self.level += 1;
        }
    }

    fn action(&self, commands: &[Command], at: usize, names: &Names, out: &mut Vec<u8>) {
        let action = &commands[at].action;
        out.push(letter(action));
        match action {
            Action::Append(text) | Action::Insert(text) | Action::Change(text) => {
                out.push(b'\\');
                out.extend(text);
            }
            Action::Label(label) => out.extend(label),
            Action::Branch(to) | Action::BranchIf(to) | Action::BranchUnless(to) => {
                if let Some(Action::Label(label)) = commands.get(*to).map(|command| &command.action) {
                    out.push(b' ');
                    out.extend(label);
                }
            }
            Action::Execute(command) => {
                out.push(b' ');
                if let Some(command) = command {
                    out.extend(command);
                    out.push(if self.executed.contains(&at) { 0 } else { b'\n' });
                }
            }
            Action::List(Some(n)) | Action::Quit(Some(n)) | Action::QuitSilently(Some(n)) => {
                out.extend(format!(" {n}").bytes());
            }
            Action::ReadFile(name) | Action::ReadBefore(name) => {
                out.push(b' ');
                out.extend(name);
            }
            Action::ReadLine(reader) => {
                out.push(b' ');
                out.extend(&names.inputs[*reader]);
            }
            Action::Write(output) | Action::WriteFirst(output) => out.extend(&names.outputs[*output].name),
            Action::Substitute(s) => substitution(s, names, out),
            Action::Translate(translation) => translate(translation, names.utf8, out),
            _ => {}
        }
    }
}

fn letter(action: &Action) -> u8 {
    match action {
        Action::Block(_) => b'{',
        Action::EndBlock => b'}',
        Action::Append(_) => b'a',
        Action::Insert(_) => b'i',
        Action::Change(_) => b'c',
        Action::Label(_) => b':',
        Action::Branch(_) => b'b',
        Action::BranchIf(_) => b't',
        Action::BranchUnless(_) => b'T',
        Action::Delete => b'd',
        Action::DeleteFirst => b'D',
        Action::Execute(_) => b'e',
        Action::FileName => b'F',
        Action::Get => b'g',
        Action::GetAppend => b'G',
        Action::Hold => b'h',
        Action::HoldAppend => b'H',
        Action::LineNumber => b'=',
        Action::List(_) => b'l',
        Action::Next => b'n',
        Action::NextAppend => b'N',
        Action::Print => b'p',
        Action::PrintFirst => b'P',
        Action::Quit(_) => b'q',
        Action::QuitSilently(_) => b'Q',
        Action::ReadFile(_) | Action::ReadBefore(_) => b'r',
        Action::ReadLine(_) => b'R',
        Action::Substitute(_) => b's',
        Action::Write(_) => b'w',
        Action::WriteFirst(_) => b'W',
        Action::Exchange => b'x',
        Action::Translate(_) => b'y',
        Action::Zap => b'z',
    }
}

fn address(address: &Address, out: &mut Vec<u8>) {
    match address {
        Address::Line(n) => out.extend(n.to_string().bytes()),
        Address::Step(first, step) => out.extend(format!("{first}~{step}").bytes()),
        Address::Last => out.push(b'$'),
        Address::Regex(regex) => {
            pattern(regex, out);
            flags(regex, b"IM", out);
        }
        Address::Zero => out.push(b'0'),
    }
}

fn range_end(end: &RangeEnd, out: &mut Vec<u8>) {
    match end {
        RangeEnd::Line(n) => out.extend(n.to_string().bytes()),
        RangeEnd::Last => out.push(b'$'),
        RangeEnd::Regex(regex) => {
            pattern(regex, out);
            flags(regex, b"IM", out);
        }
        RangeEnd::Step(first, step) => out.extend(format!("{first}~{step}").bytes()),
        RangeEnd::More(0) | RangeEnd::Multiple(0) => out.extend(b"[ADDR-NULL]"),
        RangeEnd::More(n) => out.extend(format!("+{n}").bytes()),
        RangeEnd::Multiple(n) => out.extend(format!("~{n}").bytes()),
    }
}

fn pattern(regex: &Regex, out: &mut Vec<u8>) {
    out.push(b'/');
    for &byte in regex.iter().flat_map(|pattern| &pattern.text) {
        match byte {
            b'/' => out.extend(b"\\/"),
            _ => shown(byte, out),
        }
    }
    out.push(b'/');
}

fn flags(regex: &Regex, letters: &[u8; 2], out: &mut Vec<u8>) {
    if let Some(Pattern { ignore_case, multi_line, .. }) = regex.as_deref() {
        out.extend(ignore_case.then_some(letters[0]));
        out.extend(multi_line.then_some(letters[1]));
    }
}

/// A byte as it stands in what is shown of patterns and of the spaces.
fn shown(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'\\' => out.extend(b"\\\\"),
        7 | 9..=13 => out.extend([b'\\', b"abtnvfr"[usize::from(byte - 7)]]),
        b' '..=b'~' => out.push(byte),
        // GNU's widens the byte with its sign.
        _ => out.extend(format!("\\o{:03o}", i32::from(byte as i8)).bytes()),
    }
}

fn substitution(s: &Substitution, names: &Names, out: &mut Vec<u8>) {
    pattern(&s.regex, out);
    replacement(&s.replacement, out);
    out.push(b'/');
    flags(&s.regex, b"im", out);
    for (set, letter) in [(s.global, b'g'), (s.execute, b'e'), (s.print, b'p')] {
        out.extend(set.then_some(letter));
    }
    if let Some(number) = s.number {
        out.extend(number.to_string().bytes());
    }
    if let Some(output) = s.write {
        out.push(b'w');
        out.extend(&names.outputs[output].name);
    }
}

/// What happens to letters: all of them, and the first.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Change {
    all: Option<u8>,
    first: Option<u8>,
}

/// A replacement falls into segments, each of text and a group under one change of case; the escapes shown are those
/// between segments that differ.
fn replacement(parts: &[Part], out: &mut Vec<u8>) {
    let mut now = Change::default();
    let mut last = Change::default();
    let mut text: &[u8] = b"";
    let mut segment = |text: &mut &[u8], now: &mut Change, out: &mut Vec<u8>| {
        if *now != last {
            let escape = now.first.or(now.all).unwrap_or(b'E');
            out.extend([b'\\', escape]);
            last = *now;
        }
        out.extend(std::mem::take(text));
        now.first = None;
    };
    for part in parts {
        match part {
            Part::Text(more) => text = more,
            Part::Group(group) => {
                segment(&mut text, &mut now, out);
                match group {
                    0 => out.push(b'&'),
                    n => out.extend(format!("\\{n}").bytes()),
                }
            }
            Part::Case(case) => {
                segment(&mut text, &mut now, out);
                match case {
                    Case::AsIs => now.all = None,
                    Case::Upper => now.all = Some(b'U'),
                    Case::Lower => now.all = Some(b'L'),
                    Case::UpperOne => now.first = Some(b'u'),
                    Case::LowerOne => now.first = Some(b'l'),
                }
            }
        }
    }
    if !text.is_empty() {
        segment(&mut text, &mut now, out);
    }
}

fn translate(translation: &Translation, utf8: bool, out: &mut Vec<u8>) {
    let (mut from, mut to) = (Vec::new(), Vec::new());
    if utf8 {
        for (a, b) in &translation.pairs {
            from.extend(a);
            to.extend(b);
        }
    } else {
        for (a, b) in (0..=u8::MAX).zip(translation.bytes) {
            if a != b {
                from.push(a);
                to.push(b);
            }
        }
    }
    out.push(b'/');
    out.extend(from);
    out.push(b'/');
    out.extend(to);
    out.push(b'/');
}

/// `PATTERN: …`, `HOLD:    …`
pub fn space(what: &str, text: &[u8]) -> Vec<u8> {
    let mut out = format!("{what:<9}").into_bytes();
    text.iter().for_each(|byte| shown(*byte, &mut out));
    out.push(b'\n');
    out
}

/// The groups of the first match of a substitution.
pub fn registers(text: &[u8], groups: &Groups) -> Vec<u8> {
    let mut out = b"MATCHED REGEX REGISTERS\n".to_vec();
    for (i, group) in groups.iter().enumerate() {
        if let Some((from, to)) = *group {
            out.extend(format!("  regex[{i}] = {from}-{to} '").bytes());
            out.extend(&text[from..to]);
            out.extend(b"'\n");
        }
    }
    out
}
