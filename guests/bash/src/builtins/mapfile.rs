//! `mapfile`, `readarray`.

use super::{Letter, Letters, number};
use crate::names::{Name, is_name};
use crate::shell::{Flow, Shell, Target};
use crate::vars::Value;
use capsule_sys as sys;

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let me = String::from_utf8_lossy(&args[0]).into_owned();
    let (mut delimiter, mut count, mut origin, mut skip, mut trim, mut fd) = (b'\n', 0, None, 0, false, 0);
    let (mut callback, mut quantum) = (None, 5000);
    let mut letters = Letters::new(args, b"d:n:O:s:tu:C:c:");
    for letter in letters.by_ref() {
        let parse = |shell: &mut Shell, value: &[u8], what: &str| match number(value).filter(|n| *n >= 0) {
            Some(n) => Some(n),
            None => {
                shell.complain(&me, [value, b": invalid ", what.as_bytes()].concat());
                None
            }
        };
        match letter {
            Letter::Plain(_) => trim = true,
            Letter::With(b'd', value) => delimiter = value.first().copied().unwrap_or(0),
            Letter::With(b'n', value) => match parse(shell, value, "line count") {
                Some(n) => count = n,
                None => return Ok(1),
            },
            Letter::With(b'O', value) => match parse(shell, value, "array origin") {
                Some(n) => origin = Some(n),
                None => return Ok(1),
            },
            Letter::With(b's', value) => match parse(shell, value, "line count") {
                Some(n) => skip = n,
                None => return Ok(1),
            },
            Letter::With(b'c', value) => match parse(shell, value, "callback quantum") {
                Some(0) => {
                    shell.complain(&me, [value, b": invalid callback quantum"].concat());
                    return Ok(1);
                }
                Some(n) => quantum = n,
                None => return Ok(1),
            },
            Letter::With(b'C', value) => callback = Some(value.to_vec()),
            Letter::With(_, value) => match number(value).and_then(|n| i32::try_from(n).ok()) {
                Some(n) => fd = n,
                None => {
                    shell.complain(&me, [value, b": invalid file descriptor specification"].concat());
                    return Ok(1);
                }
            },
            Letter::Bad(option) => return Ok(shell.bad_option(&me, &option)),
            Letter::Missing(letter) => {
                shell.complain(&me, format!("-{}: option requires an argument", letter as char));
                return Ok(shell.usage(&me));
            }
        }
    }
    let name = letters.rest().first().cloned().unwrap_or_else(|| b"MAPFILE".to_vec());
    if !is_name(&name) {
        shell.complain(&me, [b"`", &name[..], b"': not a valid identifier"].concat());
        return Ok(1);
    }
    let Some((name, _)) = shell.resolve(Name::new(&name)) else { return Ok(1) };
    if shell.readonly(name) {
        shell.error_about(name.bytes(), "readonly variable");
        return Ok(1);
    }
    if matches!(shell.vars.get(name), Some(var) if matches!(var.value, Value::Assoc(_))) {
        shell.complain(&me, [name.bytes(), b": not an indexed array"].concat());
        return Ok(1);
    }
    if sys::fcntl(fd, sys::F_GETFD, 0).is_err() {
        shell.complain(&me, format!("{fd}: invalid file descriptor: Bad file descriptor"));
        return Ok(1);
    }
    let mut index = origin.unwrap_or(0);
    {
        let var = shell.vars.entry(name);
        if origin.is_none() {
            var.value = Value::Indexed(Box::default());
        } else if let Value::Scalar(text) = &var.value {
            let first = var.set.then(|| text.clone());
            var.value = Value::Indexed(Box::new(first.into_iter().collect()));
        }
        var.set = true;
    }
    shell.release_input();
    let mut input = sys::In::new(fd);
    let mut taken = 0i64;
    let mut line = Vec::new();
    let mut read = 0;
    loop {
        if count > 0 && taken >= count {
            break;
        }
        line.clear();
        match input.read_until(delimiter, &mut line) {
            Ok(true) => {}
            _ => break,
        }
        read += 1;
        if read <= skip {
            continue;
        }
        if trim && line.last() == Some(&delimiter) {
            line.pop();
        }
        if let Some(nul) = line.iter().position(|&b| b == 0) {
            line.truncate(nul);
        }
        taken += 1;
        if let Some(callback) = &callback
            && taken % quantum == 0
        {
            let call =
                [&callback[..], format!(" {index} ").as_bytes(), &crate::expand::backslash_quote(&line)].concat();
            let at = shell.line;
            shell.run_text(call, at, b"", false)?;
        }
        if shell.assign(&Target::Index(name, index), line.clone(), false).is_err() {
            return Ok(1);
        }
        index += 1;
    }
    // What was read ahead goes back where it can.
    let unread = input.buffered();
    if unread > 0 {
        let _ = sys::seek(fd, sys::Seek::Current(-(unread as i64)));
    }
    Ok(0)
}
