//! `history` and `fc`, as far as scripts use them.

use super::{Letter, Letters, number};
use crate::shell::{Flow, Shell};
use capsule_sys as sys;

/// Entries kept when HISTSIZE says nothing.
const DEFAULT_SIZE: usize = 500;

impl Shell {
    pub(crate) fn add_history(&mut self, text: Vec<u8>) {
        if text.trim_ascii().is_empty() {
            return;
        }
        self.history.push(text);
        self.trim_history();
    }

    fn trim_history(&mut self) {
        let most = self.vars.text(b"HISTSIZE").and_then(|v| number(&v)).and_then(|n| usize::try_from(n).ok());
        let extra = self.history.len().saturating_sub(most.unwrap_or(DEFAULT_SIZE));
        self.history.drain(..extra);
    }

    fn history_file(&self, name: Option<&Vec<u8>>) -> Option<Vec<u8>> {
        name.cloned().or_else(|| self.vars.text(b"HISTFILE").map(|v| v.into_owned()))
    }

    /// An interactive shell starts with its file …
    pub(crate) fn load_history(&mut self) {
        if let Some(lines) = self.history_file(None).and_then(|path| read_lines(&path).ok()) {
            self.history_read = lines.len();
            self.history = lines;
        }
    }

    /// … and adds to it in the end.
    pub(crate) fn save_history(&mut self) {
        let new = self.history.get(self.history_read..).unwrap_or_default().to_vec();
        if let (Some(path), false) = (self.history_file(None), new.is_empty()) {
            let _ = write_lines(&path, &new, true);
        }
    }

    fn show_history(&mut self, from: usize) {
        for (i, line) in self.history.clone().iter().enumerate().skip(from) {
            self.out.extend_from_slice(format!("{:5}  ", i + 1).as_bytes());
            self.out.extend_from_slice(line);
            self.out.push(b'\n');
        }
    }
}

fn read_lines(path: &[u8]) -> sys::Result<Vec<Vec<u8>>> {
    let file = sys::open(path, sys::OpenFlags::RDONLY | sys::OpenFlags::CLOEXEC, 0)?;
    let text = sys::read_to_end(file.raw())?;
    Ok(text.split(|&b| b == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
}

fn write_lines(path: &[u8], lines: &[Vec<u8>], append: bool) -> sys::Result<()> {
    let how = if append { sys::OpenFlags::APPEND } else { sys::OpenFlags::TRUNC };
    let flags = sys::OpenFlags::WRONLY | sys::OpenFlags::CREAT | sys::OpenFlags::CLOEXEC | how;
    let file = sys::open(path, flags, 0o600)?;
    let mut text = lines.join(&b'\n');
    if !lines.is_empty() {
        text.push(b'\n');
    }
    sys::write_all(file.raw(), &text)
}

pub fn run_history(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    shell.trim_history();
    let mut action = 0;
    let mut letters = Letters::new(args, b"cd:anrwps");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'c') => {
                shell.history.clear();
                shell.history_read = 0;
                action = b'c';
            }
            Letter::Plain(letter) => action = letter,
            Letter::With(_, text) => return Ok(delete(shell, text)),
            Letter::Bad(option) => return Ok(shell.bad_option("history", &option)),
            Letter::Missing(letter) => {
                shell.complain("history", format!("-{}: option requires an argument", letter as char));
                return Ok(shell.usage("history"));
            }
        }
    }
    let rest = letters.rest();
    match action {
        b'c' => Ok(0),
        b's' => {
            // The command that asks is not remembered; its words are.
            if shell.options.get(crate::shell::Opt::History) {
                shell.history.pop();
            }
            if !rest.is_empty() {
                let line = rest.join(&b' ');
                shell.add_history(line);
            }
            Ok(0)
        }
        b'p' => {
            for word in rest {
                shell.out.extend_from_slice(word);
                shell.out.push(b'\n');
            }
            Ok(0)
        }
        b'a' | b'n' | b'r' | b'w' => Ok(with_file(shell, action, rest.first())),
        _ => match rest.first() {
            None => {
                shell.show_history(0);
                Ok(0)
            }
            Some(text) => match number(text).and_then(|n| usize::try_from(n).ok()) {
                Some(_) if rest.len() > 1 => shell.too_many("history"),
                Some(n) => {
                    let from = shell.history.len().saturating_sub(n);
                    shell.show_history(from);
                    Ok(0)
                }
                None => {
                    shell.complain("history", [&text[..], b": numeric argument required"].concat());
                    Ok(1)
                }
            },
        },
    }
}

fn with_file(shell: &mut Shell, action: u8, name: Option<&Vec<u8>>) -> i32 {
    let Some(path) = shell.history_file(name) else { return 0 };
    let done = match action {
        b'w' => write_lines(&path, &shell.history.clone(), false),
        b'a' => {
            let new = shell.history.get(shell.history_read..).unwrap_or_default().to_vec();
            shell.history_read = shell.history.len();
            write_lines(&path, &new, true)
        }
        _ => read_lines(&path).map(|lines| {
            let skip = if action == b'n' { shell.history_read } else { 0 };
            shell.history_read = lines.len();
            shell.history.extend(lines.into_iter().skip(skip));
            shell.trim_history();
        }),
    };
    match done {
        Ok(()) => 0,
        Err(errno) => {
            shell.complain("history", [&path[..], b": ", errno.text().as_bytes()].concat());
            1
        }
    }
}

fn delete(shell: &mut Shell, text: &[u8]) -> i32 {
    let len = shell.history.len() as i64;
    let index = |n: i64| if n < 0 { len + n } else { n - 1 };
    let dash = text.iter().skip(1).position(|&b| b == b'-').map(|i| i + 1);
    let (first, last) = match dash {
        Some(dash) => (number(&text[..dash]), number(&text[dash + 1..])),
        None => (number(text), number(text)),
    };
    match (first.map(index), last.map(index)) {
        (Some(first), Some(last)) if first >= 0 && first <= last && last < len => {
            shell.history.drain(first as usize..=last as usize);
            0
        }
        _ => {
            shell.complain("history", [text, b": history position out of range"].concat());
            1
        }
    }
}

/// The entry a number, a negative number or the start of a command means.
fn entry(text: &[u8], len: usize, history: &[Vec<u8>]) -> Option<usize> {
    match number(text) {
        Some(0) => len.checked_sub(1),
        Some(n) if n < 0 => Some(len.saturating_sub(n.unsigned_abs() as usize)),
        Some(n) => Some((n as usize - 1).min(len.checked_sub(1)?)),
        None => history[..len].iter().rposition(|line| line.starts_with(text)),
    }
}

pub fn run_fc(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut list, mut bare, mut reverse, mut again) = (false, false, false, false);
    // Numbers may be negative: only letters are options.
    let mut next = 1;
    while let Some([b'-', letters @ ..]) = args.get(next).map(Vec::as_slice) {
        if letters.is_empty() || letters[0].is_ascii_digit() {
            break;
        }
        next += 1;
        if letters == b"-" {
            break;
        }
        for letter in letters {
            match letter {
                b'l' => list = true,
                b'n' => bare = true,
                b'r' => reverse = true,
                b's' => again = true,
                b'e' => next += 1,
                letter => {
                    let option = [b'-', *letter];
                    return Ok(shell.bad_option("fc", &option));
                }
            }
        }
    }
    let rest = args.get(next..).unwrap_or_default();
    // The fc command itself does not count.
    let len = shell.history.len().saturating_sub(usize::from(shell.options.get(crate::shell::Opt::History)));
    if again {
        return run_again(shell, rest, len);
    }
    if !list {
        shell.complain("fc", "no command found");
        return Ok(1);
    }
    if len == 0 {
        return Ok(0);
    }
    let history = shell.history.clone();
    let find = |text: &Vec<u8>| entry(text, len, &history);
    let first = match rest.first() {
        Some(text) => find(text),
        None => Some(len.saturating_sub(16)),
    };
    let last = match rest.get(1) {
        Some(text) => find(text),
        None => Some(len - 1),
    };
    let (Some(first), Some(last)) = (first, last) else {
        shell.complain("fc", "history specification out of range");
        return Ok(1);
    };
    let reverse = reverse != (first > last);
    let mut range: Vec<usize> = (first.min(last)..=first.max(last)).collect();
    if reverse {
        range.reverse();
    }
    for i in range {
        let number = if bare { String::new() } else { (i + 1).to_string() };
        shell.out.extend_from_slice(format!("{number}\t ").as_bytes());
        shell.out.extend_from_slice(&history[i]);
        shell.out.push(b'\n');
    }
    Ok(0)
}

/// `fc -s [old=new] [command]`
fn run_again(shell: &mut Shell, args: &[Vec<u8>], len: usize) -> Flow<i32> {
    let mut changes = Vec::new();
    let mut rest = args;
    while let Some((text, more)) = rest.split_first() {
        let Some(equals) = text.iter().position(|&b| b == b'=') else { break };
        changes.push((text[..equals].to_vec(), text[equals + 1..].to_vec()));
        rest = more;
    }
    let history = shell.history.clone();
    let found = match rest.first() {
        Some(text) => entry(text, len, &history),
        None => len.checked_sub(1),
    };
    let Some(mut line) = found.and_then(|i| history.get(i).cloned()) else {
        shell.complain("fc", "no command found");
        return Ok(1);
    };
    for (old, new) in changes {
        let mut out = Vec::new();
        let mut at = 0;
        for found in memchr::memmem::find_iter(&line, &old) {
            out.extend_from_slice(&line[at..found]);
            out.extend_from_slice(&new);
            at = found + old.len();
        }
        out.extend_from_slice(&line[at..]);
        line = out;
    }
    shell.stderr(&[&line[..], b"\n"].concat());
    if shell.options.get(crate::shell::Opt::History) {
        shell.history.pop();
        shell.add_history(line.clone());
    }
    let at = shell.line;
    shell.run_text(line, at, b"", false)?;
    Ok(shell.status)
}
