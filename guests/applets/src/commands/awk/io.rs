//! Files, pipes and coprocesses of a program, by the names it gives them.

use super::ast::To;
use super::input::Reader;
use capsule_sys::{
    Errno, Fd, FdAction, OpenFlags, Out, STDERR, STDIN, STDOUT, SpawnRequest, WaitStatus, open, pipe, spawn, wait,
};
use std::collections::BTreeMap;

/// The signal of a pipe nobody reads, as a bit: children do not inherit that we ignore it.
const PIPE_SIGNAL: u64 = 1 << 12;

/// What is written to.
pub struct Output {
    pub out: Out,
    fd: Option<Fd>,
    pub pid: Option<i32>,
    /// What the reader sees at once.
    pub unbuffered: bool,
    /// Standard output by a name of its own: what is written goes to the program's.
    pub standard: bool,
    born: usize,
}

/// What is read from.
pub struct Input {
    pub reader: Reader,
    _fd: Option<Fd>,
    pid: Option<i32>,
    pub command: bool,
    born: usize,
}

/// A process both ways.
pub struct Coprocess {
    pub to: Option<(Out, Fd)>,
    pub from: Option<(Reader, Fd)>,
    pid: i32,
    born: usize,
}

/// Few are open at once, and each line that is read or written looks one up.
#[derive(Default)]
pub struct Io {
    pub outputs: BTreeMap<Vec<u8>, Output>,
    pub inputs: BTreeMap<Vec<u8>, Input>,
    pub coprocesses: BTreeMap<Vec<u8>, Coprocess>,
    /// How many were ever opened: at the end the last is closed first.
    born: usize,
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
            self.born += 1;
            let output = open_output(name, to, env, self.born)?;
            self.outputs.insert(name.to_vec(), output);
        }
        self.outputs.get_mut(name).ok_or(Errno::EIO)
    }

    pub fn input(&mut self, name: &[u8], command: bool, env: impl Fn() -> Vec<Vec<u8>>) -> Result<&mut Input, Errno> {
        if self.inputs.get(name).is_none_or(|input| input.command != command) {
            self.born += 1;
            let born = self.born;
            let input = if command {
                let (reader, writer) = pipe(OpenFlags::CLOEXEC)?;
                let actions = vec![FdAction::Dup2 { from: writer.raw(), to: STDOUT }];
                let pid = shell(name, env(), actions)?;
                Input { reader: Reader::new(reader.raw()), _fd: Some(reader), pid: Some(pid), command, born }
            } else if let Some(fd) = special(name, false) {
                Input { reader: Reader::new(fd), _fd: None, pid: None, command, born }
            } else {
                let fd = open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)?;
                Input { reader: Reader::new(fd.raw()), _fd: Some(fd), pid: None, command, born }
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
            self.born += 1;
            let (to, from) = ((Out::new(to.raw()), to), (Reader::new(from.raw()), from));
            let both = Coprocess { to: Some(to), from: Some(from), pid, born: self.born };
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
            let _ = output.out.flush();
            drop(output.fd.take());
            answer = Some(output.pid.map_or(0.0, |pid| status(wait_for(pid))));
        }
        if let Some(input) = self.inputs.remove(name) {
            let pid = input.pid;
            drop(input);
            answer = Some(pid.map_or(0.0, |pid| status(wait_for(pid))));
        }
        answer
    }

    /// Writes what is buffered in all of them (coprocesses have each print at once); which files did not take it.
    pub fn flush(&mut self) -> Vec<(Vec<u8>, Errno)> {
        let mut faults = Vec::new();
        for (name, output) in &mut self.outputs {
            match output.out.flush() {
                // A command that reads no more is told at the next print, or by its status.
                Err(errno) if output.pid.is_none() => faults.push((name.clone(), errno)),
                _ => {}
            }
        }
        faults
    }

    /// What is open and is closed in its turn at the end of the program, the last first: commands are waited for.
    pub fn open_names(&self) -> Vec<Vec<u8>> {
        let outputs = self.outputs.iter().map(|(name, output)| (output.born, name));
        let inputs = self.inputs.iter().filter(|(_, input)| input.pid.is_some());
        let inputs = inputs.map(|(name, input)| (input.born, name));
        let both = self.coprocesses.iter().map(|(name, both)| (both.born, name));
        let mut all: Vec<_> = outputs.chain(inputs).chain(both).collect();
        all.sort_by_key(|(born, _)| std::cmp::Reverse(*born));
        all.into_iter().map(|(_, name)| name.clone()).collect()
    }
}

fn open_output(name: &[u8], to: To, env: impl Fn() -> Vec<Vec<u8>>, born: usize) -> Result<Output, Errno> {
    let made = |raw, fd, pid| Output { out: Out::new(raw), fd, pid, unbuffered: false, standard: false, born };
    if to == To::Pipe {
        let (reader, writer) = pipe(OpenFlags::CLOEXEC)?;
        let actions = vec![FdAction::Dup2 { from: reader.raw(), to: STDIN }];
        let pid = shell(name, env(), actions)?;
        return Ok(made(writer.raw(), Some(writer), Some(pid)));
    }
    if let Some(fd) = special(name, true) {
        return Ok(Output { unbuffered: true, standard: fd == STDOUT, ..made(fd, None, None) });
    }
    let how = if to == To::Append { OpenFlags::APPEND } else { OpenFlags::TRUNC };
    let fd = open(name, OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | how, 0o666)?;
    Ok(made(fd.raw(), Some(fd), None))
}
