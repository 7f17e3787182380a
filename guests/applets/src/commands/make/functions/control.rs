//! The functions that decide what is expanded, and those that reach outside of the text.

use super::super::variables::{Origin, Scope, Variable};
use super::super::words::{after_blanks, trim, words};
use super::super::{Bytes, Make};
use super::text::{folded, is_empty};
use crate::Exit;
use capsule_sys::{
    FdAction, OpenFlags, STDOUT, SpawnRequest, WaitStatus, environ, open, pipe, read_to_end, spawn, wait, write_all,
};
use std::cmp::Ordering;

pub fn r#if(make: &mut Make, args: &[&[u8]], out: &mut Bytes) -> Result<(), Exit> {
    let condition = make.expand(trim(args[0]))?;
    if !condition.is_empty() {
        return make.expand_into(args[1], out);
    }
    args.get(2).map_or(Ok(()), |other| make.expand_into(other, out))
}

pub fn or(make: &mut Make, args: &[&[u8]], out: &mut Bytes) -> Result<(), Exit> {
    for argument in args {
        let value = make.expand(trim(argument))?;
        if !value.is_empty() {
            out.extend_from_slice(&value);
            break;
        }
    }
    Ok(())
}

pub fn and(make: &mut Make, args: &[&[u8]], out: &mut Bytes) -> Result<(), Exit> {
    let mut last = Vec::new();
    for argument in args {
        last = make.expand(trim(argument))?;
        if last.is_empty() {
            return Ok(());
        }
    }
    out.extend_from_slice(&last);
    Ok(())
}

/// A variable that only the function's own text sees.
fn local(value: &[u8]) -> Variable {
    Variable::new(value, false, Origin::Automatic)
}

pub fn foreach(make: &mut Make, args: &[&[u8]], out: &mut Bytes) -> Result<(), Exit> {
    let (name, list) = (make.expand(trim(args[0]))?, make.expand(args[1])?);
    make.frames.push(Scope::new());
    let mut done = Ok(());
    for (at, word) in words(&list).enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        if let Some(frame) = make.frames.last_mut() {
            frame.insert(name.clone(), local(word));
        }
        done = make.expand_into(args[2], out);
        if done.is_err() {
            break;
        }
    }
    make.frames.pop();
    done
}

pub fn r#let(make: &mut Make, args: &[&[u8]], out: &mut Bytes) -> Result<(), Exit> {
    let (names, list) = (make.expand(args[0])?, make.expand(args[1])?);
    let mut frame = Scope::new();
    let mut rest = after_blanks(&list);
    let names: Vec<&[u8]> = words(&names).collect();
    for (at, name) in names.iter().enumerate() {
        let mut value = rest;
        // The last name has all that is left.
        if at + 1 < names.len() {
            let end = rest.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(rest.len());
            value = &rest[..end];
            rest = after_blanks(&rest[end..]);
        }
        frame.insert(name.to_vec(), local(value));
    }
    make.frames.push(frame);
    let done = make.expand_into(args[2], out);
    make.frames.pop();
    done
}

/// A whole number of any size: whether it is below zero, and its digits without zeros in front.
fn whole(text: &[u8]) -> Option<(bool, &[u8])> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = &digits[digits.iter().position(|&b| b != b'0').unwrap_or(digits.len())..];
    Some((negative && !digits.is_empty(), digits))
}

/// GNU Make 4.4.1 has the order of two negative numbers the wrong way round; here -5 is less than -3.
fn compare(a: (bool, &[u8]), b: (bool, &[u8])) -> Ordering {
    let sizes = a.1.len().cmp(&b.1.len()).then_with(|| a.1.cmp(b.1));
    b.0.cmp(&a.0).then(if a.0 { sizes.reverse() } else { sizes })
}

pub fn intcmp(make: &mut Make, args: &[&[u8]], out: &mut Bytes) -> Result<(), Exit> {
    let texts = [make.expand(args[0])?, make.expand(args[1])?];
    let mut numbers = [(false, b"".as_slice()); 2];
    for (at, which) in ["first", "second"].iter().enumerate() {
        let text = trim(&texts[at]);
        let Some(number) = whole(text) else {
            let shown = match text.is_empty() {
                true => "empty value".to_owned(),
                false => format!("'{}'", String::from_utf8_lossy(text)),
            };
            return Err(make.fatal(&format!("non-numeric {which} argument to 'intcmp' function: {shown}")));
        };
        numbers[at] = number;
    }
    let branch = match (args.len(), compare(numbers[0], numbers[1])) {
        (2, Ordering::Equal) => {
            let (negative, digits) = numbers[0];
            out.extend_from_slice(if negative { b"-" } else { b"" });
            out.extend_from_slice(if digits.is_empty() { b"0" } else { digits });
            return Ok(());
        }
        (_, Ordering::Less) => args.get(2),
        (_, Ordering::Equal) => args.get(3),
        (_, Ordering::Greater) => args.get(4).or(args.get(3)),
    };
    branch.map_or(Ok(()), |text| make.expand_into(text, out))
}

pub fn call(make: &mut Make, args: &[Bytes], out: &mut Bytes) -> Result<(), Exit> {
    let name = trim(&args[0]).to_vec();
    if let Some(function) = super::find(&name) {
        let inside = args[1..].join(&b',');
        return make.call_function(function, &inside, b'(', out);
    }
    let Some((variable, _)) = make.variable(&name) else {
        make.warn_undefined(&name);
        return Ok(());
    };
    let body = variable.value.clone();
    let mut frame = Scope::new();
    frame.insert(b"0".to_vec(), local(&name));
    // What an outer call had more of is not seen.
    let outer = make.frames.iter().flat_map(|f| f.keys()).filter_map(|k| super::super::words::number(k)).max();
    for at in 1..args.len().max(outer.map_or(0, |n| n as usize + 1)) {
        frame.insert(at.to_string().into_bytes(), local(args.get(at).map_or(b"", Vec::as_slice)));
    }
    make.frames.push(frame);
    make.calls += 1;
    let done = make.expand_into(&body, out);
    make.calls -= 1;
    make.frames.pop();
    done
}

pub fn value(make: &mut Make, args: &[Bytes], out: &mut Bytes) -> Result<(), Exit> {
    if let Some((variable, _)) = make.variable(trim(&args[0])) {
        out.extend_from_slice(&variable.value);
    }
    Ok(())
}

pub fn origin(make: &mut Make, args: &[Bytes], out: &mut Bytes) -> Result<(), Exit> {
    let name = trim(&args[0]);
    let found = make.variable(name).map(|(v, _)| v.origin.name());
    let automatic = if super::super::is_automatic(name) { "automatic" } else { "undefined" };
    out.extend_from_slice(found.unwrap_or(automatic).as_bytes());
    Ok(())
}

pub fn flavor(make: &mut Make, args: &[Bytes], out: &mut Bytes) -> Result<(), Exit> {
    let name = match make.variable(trim(&args[0])) {
        None => "undefined",
        Some((v, _)) if v.recursive => "recursive",
        Some(_) => "simple",
    };
    out.extend_from_slice(name.as_bytes());
    Ok(())
}

pub fn eval(make: &mut Make, args: &[Bytes], _: &mut Bytes) -> Result<(), Exit> {
    make.read_text(&args[0])
}

pub fn error(make: &mut Make, args: &[Bytes], _: &mut Bytes) -> Result<(), Exit> {
    Err(make.fatal(&String::from_utf8_lossy(&args[0])))
}

pub fn warning(make: &mut Make, args: &[Bytes], _: &mut Bytes) -> Result<(), Exit> {
    make.warn(&String::from_utf8_lossy(&args[0]));
    Ok(())
}

pub fn info(_: &mut Make, args: &[Bytes], _: &mut Bytes) -> Result<(), Exit> {
    super::super::output::print(&[&args[0][..], b"\n"].concat());
    Ok(())
}

pub fn shell(make: &mut Make, args: &[Bytes], out: &mut Bytes) -> Result<(), Exit> {
    let output = make.shell_output(&args[0])?;
    out.extend_from_slice(&output);
    Ok(())
}

/// `$(file >name,text)`, `>>` and `<`.
pub fn file(make: &mut Make, args: &[Bytes], out: &mut Bytes) -> Result<(), Exit> {
    let what = trim(&args[0]);
    let (flags, name) = match what {
        [b'>', b'>', name @ ..] => (OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::APPEND, name),
        [b'>', name @ ..] => (OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC, name),
        [b'<', name @ ..] => (OpenFlags::RDONLY, name),
        _ => {
            let text = format!("file: invalid file operation: {}", String::from_utf8_lossy(what));
            return Err(make.fatal(&text));
        }
    };
    let name = trim(name).to_vec();
    if name.is_empty() {
        return Err(make.fatal("file: missing filename"));
    }
    let reading = what[0] == b'<';
    if reading && args.len() > 1 {
        return Err(make.fatal("file: too many arguments"));
    }
    let file = match open(&name, flags | OpenFlags::CLOEXEC, 0o666) {
        Ok(file) => file,
        // Reading what is not there gives nothing.
        Err(capsule_sys::Errno::ENOENT) if reading => return Ok(()),
        Err(e) => return Err(make.fatal(&format!("open: {}: {e}", String::from_utf8_lossy(&name)))),
    };
    let done = if reading {
        read_to_end(file.raw()).map(|mut text| {
            if text.last() == Some(&b'\n') {
                text.pop();
            }
            out.extend_from_slice(&text);
        })
    } else if let Some(text) = args.get(1) {
        let end: &[u8] = if text.ends_with(b"\n") { b"" } else { b"\n" };
        write_all(file.raw(), &[text, end].concat())
    } else {
        Ok(())
    };
    let verb = if reading { "read" } else { "write" };
    done.map_err(|e| make.fatal(&format!("{verb}: {}: {e}", String::from_utf8_lossy(&name))))
}

impl Make {
    /// What a command of the shell writes, on one line.
    pub fn shell_output(&mut self, command: &[u8]) -> Result<Bytes, Exit> {
        if is_empty(command) {
            return Ok(Vec::new());
        }
        let fail = |make: &Make, e| make.fatal(&format!("shell: {e}"));
        let (path, argv) = match self.command_words(command, &environ())? {
            Ok(found) => found,
            Err((name, e)) => {
                let status = self.not_started(&name, e);
                self.set_shell_status(i32::from(status));
                return Ok(Vec::new());
            }
        };
        let (reader, writer) = pipe(OpenFlags::CLOEXEC).map_err(|e| fail(self, e))?;
        let request = SpawnRequest {
            path: path.clone(),
            argv,
            env: environ(),
            actions: vec![FdAction::Dup2 { from: writer.raw(), to: STDOUT }],
            ..SpawnRequest::default()
        };
        let started = spawn(&request);
        drop(writer);
        let mut status = 127;
        let mut output = Vec::new();
        match started {
            Err(e) => {
                super::super::output::complain(&format!("{}: {}: {e}\n", self.name(), String::from_utf8_lossy(&path)))
            }
            Ok(pid) => {
                output = read_to_end(reader.raw()).unwrap_or_default();
                let ended = self.wait_for(pid, |pid| wait(pid, 0));
                status = match ended {
                    Some(WaitStatus::Exited(code)) => i32::from(code),
                    Some(other) => other.shell_code(),
                    None => 127,
                };
            }
        }
        self.set_shell_status(status);
        Ok(folded(output))
    }

    fn set_shell_status(&mut self, status: i32) {
        let value = Variable::new(status.to_string().as_bytes(), false, Origin::Override);
        self.globals.insert(b".SHELLSTATUS".to_vec(), value);
    }
}
