//! The files that are written, or the commands that are fed.

use super::names::Names;
use super::{Trouble, finish};
use crate::quote::{self, quoted};
use crate::{Outcome, program, report};
use capsule_sys::{
    Disposition, Errno, Fd, FdAction, OpenFlags, Out, STDIN, Signal, SpawnRequest, Stat, environ, getenv, open, pipe,
    signal_action, spawn, stat, wait,
};

pub struct Pieces {
    names: Names,
    filter: Option<Vec<u8>>,
    verbose: bool,
    unbuffered: bool,
    open: Vec<Piece>,
    /// One chunk goes to standard output.
    out: Option<Out>,
    input: Option<(Stat, Vec<u8>)>,
}

struct Piece {
    out: Out,
    _file: Option<Fd>,
    name: Vec<u8>,
    child: Option<i32>,
    command: Vec<u8>,
    /// The command reads no more.
    done: bool,
}

impl Pieces {
    pub fn new(names: Names, filter: Option<Vec<u8>>, verbose: bool, unbuffered: bool) -> Pieces {
        Pieces { names, filter, verbose, unbuffered, open: Vec::new(), out: None, input: None }
    }

    /// The input must not be overwritten.
    pub fn avoid(&mut self, input: Option<Stat>, name: &[u8]) {
        self.input = input.map(|s| (s, name.to_vec()));
    }

    pub fn standard_output(&mut self) {
        self.out = Some(Out::stdout());
    }

    pub fn count(&self) -> usize {
        self.open.len()
    }

    /// The next file; the one before is complete.
    pub fn next(&mut self) -> Result<(), Trouble> {
        if let Some(before) = self.open.pop() {
            before.close()?;
        }
        self.another()
    }

    /// One more file, beside those that are open.
    pub fn another(&mut self) -> Result<(), Trouble> {
        let name = self.names.next()?;
        let piece = match self.filter.clone() {
            Some(command) => self.start(command, name)?,
            None => self.create(name)?,
        };
        self.open.push(piece);
        Ok(())
    }

    fn create(&self, name: Vec<u8>) -> Result<Piece, Trouble> {
        if self.verbose {
            let mut out = Out::stdout();
            out.write(format!("creating file {}\n", quoted(&name)).as_bytes());
            let _ = out.flush();
        }
        if let (Some((input, _)), Ok(there)) = (&self.input, stat(&name))
            && (input.dev, input.ino) == (there.dev, there.ino)
        {
            return Err(report::die(1, format_args!("{} would overwrite input; aborting", quoted(&name))).into());
        }
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
        match open(&name, flags, 0o666) {
            Ok(file) => {
                let out = Out::new(file.raw());
                Ok(Piece { out, _file: Some(file), name, child: None, command: Vec::new(), done: false })
            }
            Err(e) => Err(report::die(1, format_args!("{}: {e}", quote::name(&name))).into()),
        }
    }

    fn start(&self, command: Vec<u8>, name: Vec<u8>) -> Result<Piece, Trouble> {
        if self.verbose {
            let mut out = Out::stdout();
            out.write(format!("executing with FILE={}\n", quote::name(&name)).as_bytes());
            let _ = out.flush();
        }
        let fail = |e: Errno| Trouble::from(report::die(1, format_args!("failed to run command: {e}")));
        let (reader, writer) = pipe(OpenFlags::CLOEXEC).map_err(fail)?;
        let shell = getenv(b"SHELL").unwrap_or_else(|| b"/bin/sh".to_vec());
        let path = program::find(&shell, b"").map_err(fail)?;
        let mut env = environ();
        env.retain(|v| !v.starts_with(b"FILE="));
        env.push([b"FILE=", name.as_slice()].concat());
        let request = SpawnRequest {
            path,
            argv: vec![crate::input::base_name(&shell).to_vec(), b"-c".to_vec(), command.clone()],
            env,
            actions: vec![FdAction::Dup2 { from: reader.raw(), to: STDIN }],
            ..SpawnRequest::default()
        };
        // A command that has read enough ends itself, and not us.
        let _ = signal_action(Signal::PIPE, Disposition::Default);
        let child = spawn(&request).map_err(fail)?;
        let _ = signal_action(Signal::PIPE, Disposition::Ignore);
        let out = Out::new(writer.raw());
        Ok(Piece { out, _file: Some(writer), name, child: Some(child), command, done: false })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        if let Some(out) = &mut self.out {
            out.write(bytes);
            return Ok(report::writable(out)?);
        }
        let last = self.open.len().saturating_sub(1);
        self.write_to(last, bytes)
    }

    pub fn write_to(&mut self, at: usize, bytes: &[u8]) -> Result<(), Trouble> {
        let unbuffered = self.unbuffered;
        let Some(piece) = self.open.get_mut(at) else { return Ok(()) };
        if piece.done {
            return Ok(());
        }
        piece.out.write(bytes);
        if unbuffered {
            let _ = piece.out.flush();
        }
        piece.check()
    }

    pub fn finish(mut self) -> Outcome {
        for piece in std::mem::take(&mut self.open) {
            if let Err(Trouble::Told(exit)) = piece.close() {
                return Err(exit);
            }
        }
        self.out.take().map_or(Ok(0), finish)
    }
}

impl Piece {
    fn check(&mut self) -> Result<(), Trouble> {
        match self.out.error() {
            None => Ok(()),
            // A command that has read enough is no failure.
            Some(Errno::EPIPE) if self.child.is_some() => {
                self.done = true;
                Ok(())
            }
            Some(e) => Err(report::die(1, format_args!("{}: {e}", quote::name(&self.name))).into()),
        }
    }

    fn close(mut self) -> Result<(), Trouble> {
        let _ = self.out.flush();
        self.check()?;
        drop(self._file.take());
        if let Some(pid) = self.child
            && let Ok(Some(waited)) = wait(pid, 0)
        {
            let code = waited.status.shell_code();
            if code != 0 {
                let show = String::from_utf8_lossy;
                let text = format!("with FILE={}, exit {code} from command: {}", show(&self.name), show(&self.command));
                return Err(report::die(code as u8, text).into());
            }
        }
        Ok(())
    }
}
