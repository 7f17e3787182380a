//! `read`: the command here, `input` gets the text, `split` cuts it into fields.

mod input;
mod split;

use super::{Letter, Letters};
use crate::names::{Name, is_name};
use crate::shell::{Flow, Shell, Target};
use capsule_sys as sys;
use input::{Ended, Line};
use split::Splitter;

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
    if let (Some(prompt), true) = (&request.prompt, sys::isatty(request.fd)) {
        shell.stderr(prompt);
    }
    shell.flush_out();
    if request.timeout == Some(0) {
        let mut fds = [sys::PollFd { fd: request.fd, events: sys::POLLIN, revents: 0 }];
        return Ok(i32::from(!sys::poll(&mut fds, 0).is_ok_and(|n| n > 0)));
    }
    let (line, ended) = shell.read_text(&request);
    if let (Ended::Error(sys::Errno::EBADF), 1..) = (&ended, request.fd) {
        shell.complain("read", format!("{}: invalid file descriptor: Bad file descriptor", request.fd));
        return Ok(1);
    }
    if let Ended::Error(errno) = ended {
        shell.complain("read", format!("read error: {}: {}", request.fd, errno.text()));
    }
    let status = match ended {
        Ended::Delimiter => 0,
        Ended::Timeout => 142,
        Ended::Signal => 130,
        Ended::Eof | Ended::Error(_) => 1,
    };
    let assigned = assign(shell, &request, &names, line)?;
    Ok(if assigned { status } else { 1 })
}

fn valid_target(name: &[u8]) -> bool {
    match name.iter().position(|&b| b == b'[') {
        Some(open) => is_name(&name[..open]) && name.ends_with(b"]") && name.len() > open + 2,
        None => is_name(name),
    }
}

fn timeout(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let seconds: f64 = text.parse().ok()?;
    (0.0..1e9).contains(&seconds).then_some((seconds * 1e9) as u64)
}

fn assign(shell: &mut Shell, request: &Request, names: &[Vec<u8>], line: Line) -> Flow<bool> {
    if let Some(array) = &request.array {
        if !is_name(array) {
            shell.complain("read", [b"`", &array[..], b"': not a valid identifier"].concat());
            return Ok(false);
        }
        let mut fields = Vec::new();
        if request.exact {
            fields.push(line.text);
        } else {
            let mut splitter = Splitter::new(shell, &line);
            fields.extend(std::iter::from_fn(|| splitter.field()));
        }
        let name = Name::new(array);
        return Ok(shell.set_array(name, fields).is_ok());
    }
    if names.is_empty() {
        return Ok(shell.set_var(b"REPLY", &line.text).is_ok());
    }
    if request.exact {
        let mut ok = set(shell, &names[0], line.text)?;
        for name in &names[1..] {
            ok &= set(shell, name, Vec::new())?;
        }
        return Ok(ok);
    }
    let mut splitter = Splitter::new(shell, &line);
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
