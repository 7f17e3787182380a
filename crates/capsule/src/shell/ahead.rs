//! What was typed before it was asked for. The line editor reads all keys there are and uses those of one line; the terminal
//! keeps lines that were typed while a command ran. Here both wait for whoever reads next: a command, or the prompt.

use super::asking::Asking;
use super::meta;
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// More than this nobody types ahead; what a paste has beyond it stays with the terminal.
const MOST: usize = 1 << 20;

/// The keys of a terminal that mean something in a line.
const END: u8 = 4;
const ERASE: [u8; 2] = [8, 0x7f];
const KILL: u8 = 0x15;

#[derive(Clone, Default)]
pub struct Ahead {
    bytes: Arc<Mutex<Vec<u8>>>,
}

/// What the prompt makes of what was typed.
#[derive(Debug, PartialEq, Eq)]
pub enum Typed {
    /// A whole command: it is run as if Enter were pressed now.
    Command(String),
    /// The beginning of one, which is there to be edited.
    Begun(String),
    /// Ctrl-D on an empty line.
    End,
}

impl Ahead {
    /// Takes over the keys that the line editor has read and not used. They were not shown: in its mode nothing is.
    pub fn take_keys(&self) -> io::Result<()> {
        let mut bytes = self.bytes.lock();
        while bytes.len() < MOST && event::poll(Duration::ZERO)? {
            match event::read()? {
                Event::Key(key) => bytes.extend(key_bytes(key)),
                Event::Paste(text) => bytes.extend(text.replace('\r', "\n").bytes()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes over the lines that wait in the terminal, which shows what is typed and hands it out by lines.
    fn take_lines(&self) -> io::Result<()> {
        let stdin = io::stdin();
        let mut bytes = self.bytes.lock();
        let mut block = [0; 4096];
        while bytes.len() < MOST {
            let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
            if !matches!(poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })), Ok(1..)) {
                break;
            }
            match rustix::io::read(&stdin, &mut block)? {
                0 => {
                    bytes.push(END);
                    break;
                }
                n => bytes.extend_from_slice(&block[..n]),
            }
        }
        Ok(())
    }

    /// For a command: the rest of a line, or what there is of one. None when nothing was typed.
    pub fn line(&self, most: usize) -> Option<Vec<u8>> {
        let mut bytes = self.bytes.lock();
        let end = bytes.iter().position(|&b| b == b'\n').map_or(bytes.len(), |at| at + 1).min(most);
        let rest = bytes.split_off(end);
        let line = std::mem::replace(&mut *bytes, rest);
        (!line.is_empty()).then_some(line)
    }

    /// For the prompt: the first command of what was typed.
    pub fn command(&self, asking: &Asking) -> io::Result<Option<Typed>> {
        self.take_lines()?;
        let mut bytes = self.bytes.lock();
        let (typed, used) = first_command(&bytes, |text| !meta::is_meta(text) && asking.is_open(text));
        bytes.drain(..used);
        Ok(typed)
    }
}

/// The first command of some typed bytes, and how many of them it takes.
fn first_command(bytes: &[u8], is_open: impl Fn(&str) -> bool) -> (Option<Typed>, usize) {
    let (mut text, mut used) = (String::new(), 0);
    while let Some(length) = bytes[used..].iter().position(|&b| b == b'\n') {
        let line = edited(&bytes[used..used + length]);
        if used == 0 && line.is_none() {
            return (Some(Typed::End), length);
        }
        text.push_str(&line.unwrap_or_default());
        used += length + 1;
        if !is_open(&text) {
            return (Some(Typed::Command(text)), used);
        }
        text.push('\n');
    }
    match edited(&bytes[used..]) {
        None if used == 0 => (Some(Typed::End), bytes.len()),
        rest => {
            text.push_str(&rest.unwrap_or_default());
            ((!text.is_empty()).then_some(Typed::Begun(text)), bytes.len())
        }
    }
}

/// A line after the keys that change it; None where its first key is Ctrl-D. Other control keys mean nothing here.
fn edited(line: &[u8]) -> Option<String> {
    let mut text = String::new();
    for c in String::from_utf8_lossy(line).chars() {
        match u8::try_from(c).unwrap_or(b'x') {
            END if text.is_empty() => return None,
            byte if ERASE.contains(&byte) => drop(text.pop()),
            KILL => text.clear(),
            _ if c == '\t' || !c.is_control() => text.push(c),
            _ => {}
        }
    }
    Some(text)
}

/// What a terminal would have sent for a key; nothing for keys that only a line editor knows.
fn key_bytes(key: KeyEvent) -> Vec<u8> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    match key.code {
        KeyCode::Enter => vec![b'\n'],
        KeyCode::Tab => vec![b'\t'],
        KeyCode::Backspace => vec![0x7f],
        KeyCode::Char('j' | 'm') if key.modifiers.contains(KeyModifiers::CONTROL) => vec![b'\n'],
        KeyCode::Char(c) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            u8::try_from(c).map_or(Vec::new(), |byte| vec![byte & 0x1f])
        }
        KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::ALT) => c.to_string().into_bytes(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(bytes: &[u8]) -> (Option<Typed>, usize) {
        first_command(bytes, |text| text.matches("do").count() > text.matches("done").count() * 2)
    }

    #[test]
    fn commands_one_after_the_other() {
        assert_eq!(first(b"a\nb\n"), (Some(Typed::Command("a".into())), 2));
        assert_eq!(first(b"for x; do\ny\ndone\nz"), (Some(Typed::Command("for x; do\ny\ndone".into())), 17));
        assert_eq!(first(b"for x; do\ny"), (Some(Typed::Begun("for x; do\ny".into())), 11));
        assert_eq!(first(b"ab"), (Some(Typed::Begun("ab".into())), 2));
        assert_eq!(first(b""), (None, 0));
    }

    #[test]
    fn keys_that_change_the_line() {
        assert_eq!(first(b"abc\x7f\x7fd\n"), (Some(Typed::Command("ad".into())), 7));
        assert_eq!(first("é\x7fü\x15x\ty\x1b\n".as_bytes()).0, Some(Typed::Command("x\ty".into())));
        assert_eq!(first(b"\x04"), (Some(Typed::End), 1));
        assert_eq!(first(b"a\x04\n"), (Some(Typed::Command("a".into())), 3));
    }

    #[test]
    fn keys_as_a_terminal_sends_them() {
        let bytes = |code, modifiers| key_bytes(KeyEvent::new(code, modifiers));
        assert_eq!(bytes(KeyCode::Char('é'), KeyModifiers::NONE), "é".as_bytes());
        assert_eq!(bytes(KeyCode::Char('A'), KeyModifiers::SHIFT), b"A");
        assert_eq!(bytes(KeyCode::Char('d'), KeyModifiers::CONTROL), [4]);
        assert_eq!(bytes(KeyCode::Char('j'), KeyModifiers::CONTROL), b"\n");
        assert_eq!(bytes(KeyCode::Up, KeyModifiers::NONE), b"");
    }
}
