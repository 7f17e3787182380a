//! Files, pipes and coprocesses of a program, by the names it gives them.

use super::ast::To;
use super::input::Reader;
use capsule_sys::{
    Errno, Fd, FdAction, OpenFlags, Out, STDERR, STDIN, STDOUT, SpawnRequest, WaitStatus, open, pipe, spawn, wait,
};
use std::collections::HashMap;

/// The signal of a pipe nobody reads, as a bit: children do not inherit that we ignore it.
const PIPE_SIGNAL: u64 = 1 << 12;

/// What is written to.
pub struct Output {
    pub out: Out,
    fd: Option<Fd>,
    pid: Option<i32>,
    /// What the reader sees at once.
    pub unbuffered: bool,
}

/// What is read from.
pub struct Input {
    pub reader: Reader,
    _fd: Option<Fd>,
    pid: Option<i32>,
    pub command: bool,
}

/// A process both ways.
pub struct Coprocess {
    pub to: Option<(Out, Fd)>,
    pub from: Option<(Reader, Fd)>,
    pid: i32,
}

#[derive(Default)]
pub struct Io {
    pub outputs: HashMap<Vec<u8>, Output>,
    pub inputs: HashMap<Vec<u8>, Input>,
    pub coprocesses: HashMap<Vec<u8>, Coprocess>,
}

/// The descriptor a special name stands for.
pub fn special(name: &[u8], output: bool) -> Option<i32> {
    match name {
        b"/dev/stdin" => Some(STDIN),
        b"-" => Some(if output { STDOUT } else { STDIN }),
        b"/dev/stdout" => Some(STDOUT),
        b"/dev/stderr" => Some(STDERR),
        _ => std::str::from_utf8(name.strip_prefix(b"/dev/fd/")?).ok()?.parse().ok(),
    }
}

fn shell(command: &[u8], env: Vec<Vec<u8>>, actions: Vec<FdAction>) -> Result<i32, Errno> {
    spawn(&SpawnRequest {
        path: b"/bin/sh".to_vec(),
        argv: vec![b"sh".to_vec(), b"-c".to_vec(), command.to_vec()],
        env,
        actions,
        default_signals: PIPE_SIGNAL,
        ..SpawnRequest::default()
    })
}

fn wait_for(pid: i32) -> Option<WaitStatus> {
    loop {
        match wait(pid, 0) {
            Ok(Some(waited)) => return Some(waited.status),
            Err(Errno::EINTR) => {}
            _ => return None,
        }
    }
}

/// As `system` and `close` tell it: the status, or 256 plus the signal.
fn status(end: Option<WaitStatus>) -> f64 {
    match end {
        Some(WaitStatus::Exited(code)) => f64::from(code),
        Some(WaitStatus::Signaled(signal)) => 256.0 + f64::from(signal),
        _ => -1.0,
    }
}

/// Runs a command to its end.
pub fn system(command: &[u8], env: Vec<Vec<u8>>) -> f64 {
    match shell(command, env, Vec::new()) {
        Ok(pid) => status(wait_for(pid)),
        Err(_) => 127.0,
    }
}

impl Io {
    /// The stream of this name, opened on first use.
    pub fn output(&mut self, name: &[u8], to: To, env: impl Fn() -> Vec<Vec<u8>>) -> Result<&mut Output, Errno> {
        if !self.outputs.contains_key(name) {
            let output = open_output(name, to, env)?;
            self.outputs.insert(name.to_vec(), output);
        }
        self.outputs.get_mut(name).ok_or(Errno::EIO)
    }

    pub fn input(&mut self, name: &[u8], command: bool, env: impl Fn() -> Vec<Vec<u8>>) -> Result<&mut Input, Errno> {
        if self.inputs.get(name).is_none_or(|input| input.command != command) {
            let input = if command {
                let (reader, writer) = pipe(OpenFlags::CLOEXEC)?;
                let actions = vec![FdAction::Dup2 { from: writer.raw(), to: STDOUT }];
                let pid = shell(name, env(), actions)?;
                Input { reader: Reader::new(reader.raw()), _fd: Some(reader), pid: Some(pid), command }
            } else if let Some(fd) = special(name, false) {
                Input { reader: Reader::new(fd), _fd: None, pid: None, command }
            } else {
                let fd = open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)?;
                Input { reader: Reader::new(fd.raw()), _fd: Some(fd), pid: None, command }
            };
            self.inputs.insert(name.to_vec(), input);
        }
        self.inputs.get_mut(name).ok_or(Errno::EIO)
    }

    pub fn coprocess(&mut self, name: &[u8], env: impl Fn() -> Vec<Vec<u8>>) -> Result<&mut Coprocess, Errno> {
        if !self.coprocesses.contains_key(name) {
            if name.starts_with(b"/inet") {
                return Err(Errno::EACCES);
            }
            let (child_in, to) = pipe(OpenFlags::CLOEXEC)?;
            let (from, child_out) = pipe(OpenFlags::CLOEXEC)?;
            let actions = vec![
                FdAction::Dup2 { from: child_in.raw(), to: STDIN },
                FdAction::Dup2 { from: child_out.raw(), to: STDOUT },
            ];
            let pid = shell(name, env(), actions)?;
            let both =
                Coprocess { to: Some((Out::new(to.raw()), to)), from: Some((Reader::new(from.raw()), from)), pid };
            self.coprocesses.insert(name.to_vec(), both);
        }
        self.coprocesses.get_mut(name).ok_or(Errno::EIO)
    }

    /// Closes everything of that name, or one end of a coprocess. None when there is nothing.
    pub fn close(&mut self, name: &[u8], end: Option<&[u8]>) -> Option<f64> {
        let mut answer = None;
        if let Some(both) = self.coprocesses.get_mut(name) {
            let writes = end.is_none_or(|e| e.eq_ignore_ascii_case(b"to"));
            let reads = end.is_none_or(|e| e.eq_ignore_ascii_case(b"from"));
            answer = Some(0.0);
            if writes && let Some((mut out, fd)) = both.to.take() {
                let _ = out.flush();
                drop(fd);
            }
            if reads {
                both.from = None;
            }
            if both.to.is_none() && both.from.is_none() && end.is_none() {
                let pid = both.pid;
                self.coprocesses.remove(name);
                answer = Some(status(wait_for(pid)));
            }
        }
        if let Some(mut output) = self.outputs.remove(name) {
            let failed = output.out.flush().is_err();
            drop(output.fd.take());
            answer = Some(match output.pid {
                Some(pid) => status(wait_for(pid)),
                None => -f64::from(u8::from(failed)),
            });
        }
        if let Some(input) = self.inputs.remove(name) {
            let pid = input.pid;
            drop(input);
            answer = Some(pid.map_or(0.0, |pid| status(wait_for(pid))));
        }
        answer
    }

    /// Writes what is buffered in all of them; whether all went well.
    pub fn flush(&mut self) -> bool {
        let mut good = true;
        for output in self.outputs.values_mut() {
            good &= output.out.flush().is_ok();
        }
        for both in self.coprocesses.values_mut() {
            if let Some((out, _)) = &mut both.to {
                good &= out.flush().is_ok();
            }
        }
        good
    }

    /// The end of the program: pipes are closed and their commands waited for.
    pub fn finish(&mut self) {
        let names: Vec<Vec<u8>> = self.outputs.keys().cloned().collect();
        self.inputs.retain(|_, input| input.pid.is_some());
        for name in names {
            self.close(&name, None);
        }
        let names: Vec<Vec<u8>> = self.inputs.keys().chain(self.coprocesses.keys()).cloned().collect();
        for name in names {
            self.close(&name, None);
        }
    }
}

fn open_output(name: &[u8], to: To, env: impl Fn() -> Vec<Vec<u8>>) -> Result<Output, Errno> {
    if to == To::Pipe {
        let (reader, writer) = pipe(OpenFlags::CLOEXEC)?;
        let actions = vec![FdAction::Dup2 { from: reader.raw(), to: STDIN }];
        let pid = shell(name, env(), actions)?;
        return Ok(Output { out: Out::new(writer.raw()), fd: Some(writer), pid: Some(pid), unbuffered: false });
    }
    if let Some(fd) = special(name, true) {
        return Ok(Output { out: Out::new(fd), fd: None, pid: None, unbuffered: true });
    }
    let how = if to == To::Append { OpenFlags::APPEND } else { OpenFlags::TRUNC };
    let fd = open(name, OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | how, 0o666)?;
    Ok(Output { out: Out::new(fd.raw()), fd: Some(fd), pid: None, unbuffered: false })
}
