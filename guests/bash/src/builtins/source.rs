//! `source`, `.`, `caller`.

use super::{Letter, Letters, number};
use crate::shell::{Flow, Shell, Shopt};
use capsule_sys as sys;

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let me = String::from_utf8_lossy(&args[0]).into_owned();
    let args = match args.get(1).map(Vec::as_slice) {
        Some(b"--") => &args[2..],
        Some(option) if option.len() > 1 && option.starts_with(b"-") => {
            let option = option[..2].to_vec();
            return Ok(shell.bad_option(&me, &option));
        }
        _ => &args[1..],
    };
    let Some(name) = args.first() else {
        shell.complain(&me, "filename argument required");
        return Ok(shell.usage(&me));
    };
    let mut path = name.clone();
    if !name.contains(&b'/') && shell.options.shopt(Shopt::Sourcepath) {
        let search = shell.vars.text(b"PATH").map(|v| v.into_owned()).unwrap_or_default();
        let found = search
            .split(|&b| b == b':')
            .map(|directory| if directory.is_empty() { name.clone() } else { [directory, b"/", name].concat() });
        let found = found.into_iter().find(|p| sys::stat(p).is_ok_and(|s| s.kind == sys::FileType::Regular));
        if let Some(found) = found {
            path = found;
        } else if shell.posix() {
            shell.complain(&me, [&name[..], b": file not found"].concat());
            shell.status = 1;
            return Err(crate::shell::Unwind::Exit);
        }
    }
    let read = sys::open(&path, sys::OpenFlags::RDONLY | sys::OpenFlags::CLOEXEC, 0).and_then(|file| {
        if sys::fstat(file.raw())?.kind == sys::FileType::Directory {
            return Err(sys::Errno::EISDIR);
        }
        sys::read_to_end(file.raw())
    });
    let text = match read {
        Ok(text) => text,
        Err(sys::Errno::EISDIR) => {
            shell.complain(&me, [&path[..], b": is a directory"].concat());
            return Ok(1);
        }
        Err(errno) => {
            shell.error([&path[..], b": ", errno.text().as_bytes()].concat());
            if shell.posix() {
                shell.status = 1;
                return Err(crate::shell::Unwind::Exit);
            }
            return Ok(1);
        }
    };
    let params = (args.len() > 1).then(|| args[1..].to_vec());
    shell.status = 0;
    shell.source_file(&path, text, params)?;
    Ok(shell.status)
}

pub fn run_caller(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let called = shell.calls.iter().any(|call| call.is_function || &*call.name == b"source");
    if shell.calls.is_empty() {
        return Ok(1);
    }
    let mut letters = Letters::new(args, b"");
    if let Some(Letter::Bad(option)) = letters.next() {
        return Ok(shell.bad_option("caller", &option));
    }
    let level = match letters.rest().first() {
        None => None,
        Some(text) => match number(text) {
            Some(n) if n >= 0 => Some(n as usize),
            _ => {
                shell.complain("caller", [&text[..], b": invalid number"].concat());
                return Ok(shell.usage("caller"));
            }
        },
    };
    if !called {
        if level.is_some() {
            return Ok(1);
        }
        shell.out.extend_from_slice(b"0 NULL\n");
        return Ok(0);
    }
    let depth = shell.calls.len();
    let n = level.unwrap_or(0);
    let Some(at) = depth.checked_sub(1 + n) else { return Ok(1) };
    let line = shell.calls[at].call_line;
    let (name, source) = match at.checked_sub(1).map(|below| &shell.calls[below]) {
        Some(call) => (call.name.to_vec(), call.source.to_vec()),
        None if level.is_some() && n > 0 => return Ok(1),
        None => (b"main".to_vec(), b"NULL".to_vec()),
    };
    if level.is_some() && at == 0 {
        return Ok(1);
    }
    let text = match level {
        None => [line.to_string().as_bytes(), b" ", &source, b"\n"].concat(),
        Some(_) => [line.to_string().as_bytes(), b" ", &name, b" ", &source, b"\n"].concat(),
    };
    shell.out.extend_from_slice(&text);
    Ok(0)
}
