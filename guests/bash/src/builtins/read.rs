//! `read`.

use super::{Letter, Letters};
use crate::names::{Name, is_name};
use crate::shell::{Flow, Shell, Target};
use capsule_sys as sys;
use std::rc::Rc;

#[derive(Default)]
struct Request {
    raw: bool,
    array: Option<Vec<u8>>,
    delimiter: Option<u8>,
    count: Option<usize>,
    exact: bool,
    prompt: Option<Vec<u8>>,
    timeout: Option<u64>,
    fd: i32,
    text: Option<Vec<u8>>,
}

/// How reading ended.
enum Ended {
    Delimiter,
    Eof,
    Timeout,
    Error(sys::Errno),
    Signal,
}

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut request = Request::default();
    let mut letters = Letters::new(args, b"ersa:d:i:n:N:p:t:u:");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'r') => request.raw = true,
            Letter::Plain(_) => {}
            Letter::With(b'a', value) => request.array = Some(value.to_vec()),
            Letter::With(b'd', value) => request.delimiter = Some(value.first().copied().unwrap_or(0)),
            Letter::With(b'i', value) => request.text = Some(value.to_vec()),
            Letter::With(b'p', value) => request.prompt = Some(value.to_vec()),
            Letter::With(b @ (b'n' | b'N'), value) => {
                match super::number(value).and_then(|n| usize::try_from(n).ok()) {
                    Some(n) => request.count = Some(n),
                    None => {
                        shell.complain("read", [value, b": invalid number"].concat());
                        return Ok(1);
                    }
                }
                request.exact = b == b'N';
            }
            Letter::With(b't', value) => match timeout(value) {
                Some(n) => request.timeout = Some(n),
                None => {
                    shell.complain("read", [value, b": invalid timeout specification"].concat());
                    return Ok(1);
                }
            },
            Letter::With(_, value) => {
                match super::number(value).and_then(|n| i32::try_from(n).ok()).filter(|n| *n >= 0) {
                    Some(fd) => request.fd = fd,
                    None => {
                        shell.complain("read", [value, b": invalid file descriptor specification"].concat());
                        return Ok(1);
                    }
                }
            }
            Letter::Bad(option) => return Ok(shell.bad_option("read", &option)),
            Letter::Missing(letter) => {
                shell.complain("read", format!("-{}: option requires an argument", letter as char));
                return Ok(shell.usage("read"));
            }
        }
    }
    let names = letters.rest().to_vec();
    for name in &names {
        if !valid_target(name) {
            shell.complain("read", [b"`", &name[..], b"': not a valid identifier"].concat());
            return Ok(1);
        }
    }
    if sys::fcntl(request.fd, sys::F_GETFD, 0).is_err() {
        let message = format!("{}: invalid file descriptor: Bad file descriptor", request.fd);
        shell.complain("read", message);
        return Ok(1);
    }
    if let (Some(prompt), true) = (&request.prompt, sys::isatty(request.fd)) {
        shell.stderr(prompt);
    }
    shell.flush_out();
    if request.timeout == Some(0) {
        let mut fds = [sys::PollFd { fd: request.fd, events: sys::POLLIN, revents: 0 }];
        return Ok(i32::from(!sys::poll(&mut fds, 0).is_ok_and(|n| n > 0)));
    }
    let (line, quoted, ended) = shell.read_text(&request);
    if let Ended::Error(errno) = ended {
        shell.complain("read", format!("read error: {}: {}", request.fd, errno.text()));
    }
    let status = match ended {
        Ended::Delimiter => 0,
        Ended::Timeout => 142,
        Ended::Signal => 130,
        Ended::Eof | Ended::Error(_) => 1,
    };
    let assigned = assign(shell, &request, &names, line, quoted)?;
    Ok(if assigned { status } else { 1 })
}

fn valid_target(name: &[u8]) -> bool {
    match name.iter().position(|&b| b == b'[') {
        Some(open) => is_name(&name[..open]) && name.ends_with(b"]"),
        None => is_name(name),
    }
}

fn timeout(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let seconds: f64 = text.parse().ok()?;
    (0.0..1e9).contains(&seconds).then_some((seconds * 1e9) as u64)
}

impl Shell {
    /// The text, and which of its bytes a backslash quoted.
    fn read_text(&mut self, request: &Request) -> (Vec<u8>, Vec<bool>, Ended) {
        let delimiter = request.delimiter.unwrap_or(b'\n');
        let deadline = request.timeout.map(|ns| sys::clock(sys::Clock::Monotonic).saturating_add(ns));
        let mut source = ByteSource::new(request.fd, request.count.is_none() && deadline.is_none());
        let (mut line, mut quoted) = (Vec::new(), Vec::new());
        let mut escaped = false;
        let ended = loop {
            if request.count.is_some_and(|n| self.count_chars(&line) >= n && whole_chars(&line, self.utf8)) {
                break Ended::Delimiter;
            }
            if let Some(deadline) = deadline {
                let left = deadline.saturating_sub(sys::clock(sys::Clock::Monotonic));
                let mut fds = [sys::PollFd { fd: request.fd, events: sys::POLLIN, revents: 0 }];
                let millis = i32::try_from(left.div_ceil(1_000_000)).unwrap_or(i32::MAX);
                match sys::poll(&mut fds, millis) {
                    Ok(0) => break Ended::Timeout,
                    Ok(_) => {}
                    Err(sys::Errno::EINTR) => {
                        self.note_signals();
                        if self.traps.pending() {
                            break Ended::Signal;
                        }
                        continue;
                    }
                    Err(errno) => break Ended::Error(errno),
                }
            }
            let b = match source.next() {
                Ok(Some(b)) => b,
                Ok(None) => break Ended::Eof,
                Err(sys::Errno::EINTR) => {
                    self.note_signals();
                    if self.traps.pending() {
                        // The trap runs, and reading goes on after it.
                        let _ = self.check_signals();
                    }
                    continue;
                }
                Err(errno) => break Ended::Error(errno),
            };
            if escaped {
                escaped = false;
                // A backslash and a newline continue the line.
                if b != b'\n' && b != 0 {
                    line.push(b);
                    quoted.push(true);
                }
                continue;
            }
            if b == b'\\' && !request.raw {
                escaped = true;
                continue;
            }
            if b == delimiter && !request.exact {
                break Ended::Delimiter;
            }
            if b == 0 {
                continue;
            }
            line.push(b);
            quoted.push(false);
        };
        source.finish();
        (line, quoted, ended)
    }

    /// One line from a descriptor, for `select`; None at the end.
    pub(crate) fn read_line_fd(&mut self, fd: i32) -> Option<Vec<u8>> {
        let request = Request { fd, raw: true, ..Request::default() };
        let (line, _, ended) = self.read_text(&request);
        match ended {
            Ended::Delimiter => Some(line),
            _ if !line.is_empty() => Some(line),
            _ => None,
        }
    }
}

fn whole_chars(line: &[u8], utf8: bool) -> bool {
    !utf8 || line.utf8_chunks().last().is_none_or(|chunk| chunk.invalid().is_empty() || chunk.invalid().len() > 3)
}

/// Bytes of a descriptor, read no further than the line where others read on after us: byte by byte from pipes, in blocks
/// from files, whose offset is put back.
struct ByteSource {
    fd: i32,
    block: [u8; 512],
    at: usize,
    filled: usize,
    seekable: bool,
}

impl ByteSource {
    fn new(fd: i32, blocks: bool) -> ByteSource {
        let seekable = blocks && sys::seek(fd, sys::Seek::Current(0)).is_ok();
        ByteSource { fd, block: [0; 512], at: 0, filled: 0, seekable }
    }

    fn next(&mut self) -> sys::Result<Option<u8>> {
        if self.at == self.filled {
            let want = if self.seekable { self.block.len() } else { 1 };
            self.filled = 0;
            self.at = 0;
            self.filled = sys::read(self.fd, &mut self.block[..want])?;
            if self.filled == 0 {
                return Ok(None);
            }
        }
        self.at += 1;
        Ok(Some(self.block[self.at - 1]))
    }

    fn finish(&mut self) {
        let unread = self.filled - self.at;
        if unread > 0 {
            let _ = sys::seek(self.fd, sys::Seek::Current(-(unread as i64)));
        }
    }
}

fn assign(shell: &mut Shell, request: &Request, names: &[Vec<u8>], line: Vec<u8>, quoted: Vec<bool>) -> Flow<bool> {
    if let Some(array) = &request.array {
        if !is_name(array) {
            shell.complain("read", [b"`", &array[..], b"': not a valid identifier"].concat());
            return Ok(false);
        }
        let mut fields = Vec::new();
        if request.exact {
            fields.push(line.clone());
        }
        let mut splitter = Splitter::new(shell, if request.exact { b"" } else { &line }, &quoted);
        while let Some(field) = splitter.field() {
            fields.push(field);
        }
        let name = Name::new(array);
        return Ok(shell.set_array(name, fields).is_ok());
    }
    if names.is_empty() {
        return Ok(shell.set_var(b"REPLY", &line).is_ok());
    }
    if request.exact {
        let mut ok = set(shell, &names[0], line)?;
        for name in &names[1..] {
            ok &= set(shell, name, Vec::new())?;
        }
        return Ok(ok);
    }
    let mut splitter = Splitter::new(shell, &line, &quoted);
    let mut values = Vec::new();
    for i in 0..names.len() {
        values.push(if i + 1 == names.len() { splitter.rest() } else { splitter.field().unwrap_or_default() });
    }
    let mut ok = true;
    for (name, value) in names.iter().zip(values) {
        ok &= set(shell, name, value)?;
    }
    Ok(ok)
}

fn set(shell: &mut Shell, name: &[u8], value: Vec<u8>) -> Flow<bool> {
    match shell.target_of_text(name)? {
        Some(target) => {
            let target: Target = target;
            Ok(shell.assign(&target, value, false).is_ok())
        }
        None => Ok(false),
    }
}

/// Splits one line as `read` does: by IFS, quoted bytes apart.
struct Splitter<'a> {
    line: &'a [u8],
    quoted: &'a [bool],
    at: usize,
    ifs: Rc<crate::shell::Ifs>,
}

impl<'a> Splitter<'a> {
    fn new(shell: &Shell, line: &'a [u8], quoted: &'a [bool]) -> Splitter<'a> {
        let mut splitter = Splitter { line, quoted, at: 0, ifs: Rc::clone(&shell.ifs) };
        splitter.skip_blanks();
        splitter
    }

    fn kind(&self, at: usize) -> u8 {
        if self.quoted[at] { 0 } else { self.ifs.kinds[usize::from(self.line[at])] }
    }

    fn skip_blanks(&mut self) {
        while self.at < self.line.len() && self.kind(self.at) == 1 {
            self.at += 1;
        }
    }

    fn field(&mut self) -> Option<Vec<u8>> {
        if self.at >= self.line.len() {
            return None;
        }
        let start = self.at;
        while self.at < self.line.len() && self.kind(self.at) == 0 {
            self.at += 1;
        }
        let field = self.line[start..self.at].to_vec();
        self.skip_blanks();
        if self.at < self.line.len() && self.kind(self.at) == 2 {
            self.at += 1;
            self.skip_blanks();
        }
        Some(field)
    }

    /// What the last name gets: everything, without white space at the end; a lone separator there goes too.
    fn rest(&mut self) -> Vec<u8> {
        let start = self.at;
        let mut end = self.line.len();
        while end > start && self.kind(end - 1) == 1 {
            end -= 1;
        }
        // Exactly one field is left, ended by one separator: the separator is dropped.
        let mut probe =
            Splitter { line: &self.line[..end], quoted: &self.quoted[..end], at: start, ifs: Rc::clone(&self.ifs) };
        if let Some(field) = probe.field()
            && probe.at >= end
            && end > start
            && self.kind(end - 1) == 2
        {
            return field;
        }
        self.line[start..end].to_vec()
    }
}
