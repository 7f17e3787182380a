//! Output and input by name.

use super::super::array::Key;
use super::super::ast::To;
use super::super::format::Formatter;
use super::super::input::Got;
use super::super::io;
use super::super::op::Source;
use super::super::special::{ERRNO, FILENAME};
use super::super::value::Value;
use super::{Run, Stop, Vm};
use capsule_sys::{Disposition, Errno, Out, STDOUT, Signal, getpid, kill, signal_action};

impl Vm {
    /// The format and its arguments are on the stack; the text goes into the buffer.
    pub fn format(&mut self, args: usize) -> Run<()> {
        let at = self.stack.len() - args;
        let values = self.stack.split_off(at);
        let format = self.text_of(&values[0]);
        let formatter = Formatter { utf8: self.modes.utf8, convfmt: &self.record.convfmt };
        let result = formatter.format(&format, &values[1..], &mut self.buf);
        result.map_err(|text| self.fatal(text))
    }

    pub fn set_errno(&mut self, errno: Errno) {
        self.globals[ERRNO as usize] = Value::string(errno.text().as_bytes());
        self.procinfo.borrow_mut().set(Key::from_bytes(b"errno"), Value::Num(f64::from(errno.linux())));
    }

    /// Whether `PROCINFO[what]` or `PROCINFO[name, what]` is there.
    fn procinfo_has(&self, name: &[u8], what: &[u8]) -> bool {
        let array = self.procinfo.borrow();
        let both = [name, &self.subsep, what].concat();
        array.contains(&Key::from_bytes(what)) || array.contains(&Key::from_bytes(&both))
    }

    fn procinfo_number(&self, name: &[u8], what: &[u8]) -> Option<f64> {
        let array = self.procinfo.borrow();
        let both = [name, &self.subsep, what].concat();
        array.get(&Key::from_bytes(&both)).or_else(|| array.get(&Key::from_bytes(what))).map(Value::number)
    }

    /// Milliseconds that reading may wait, as `PROCINFO` says.
    fn read_timeout(&self, name: &[u8]) -> Option<i32> {
        if !self.program.uses_procinfo {
            return None;
        }
        self.procinfo_number(name, b"READ_TIMEOUT").filter(|t| *t > 0.0).map(|t| t as i32)
    }

    fn redirect_name(&mut self, value: &Value, mark: &str) -> Run<Vec<u8>> {
        let name = self.text_of(value);
        if name.is_empty() {
            return Err(self.fatal(format_args!("expression for `{mark}' redirection has null string value")));
        }
        Ok(name)
    }

    /// The end of a reader we write to ends us as it ends others.
    pub(super) fn die_of_pipe(&mut self) -> u8 {
        let _ = signal_action(Signal::PIPE, Disposition::Default);
        let _ = kill(getpid(), Signal::PIPE.number().into());
        141
    }

    /// Whether `PROCINFO` says that errors of standard output do not end the program.
    pub(super) fn forgiving_stdout(&self) -> bool {
        self.procinfo_has(b"-", b"NONFATAL") || self.procinfo_has(b"/dev/stdout", b"NONFATAL")
    }

    /// `what` (print, printf, flush) did not get through to `name`.
    fn unwritten(&mut self, what: &str, name: &[u8], errno: Errno) -> Run<()> {
        if self.procinfo_has(name, b"NONFATAL") {
            self.set_errno(errno);
            return Ok(());
        }
        let shown = String::from_utf8_lossy(name).into_owned();
        Err(self.fatal(format_args!("{what} to \"{shown}\" failed: {errno}")))
    }

    /// Whether it went well.
    pub fn flush_stdout(&mut self) -> Run<bool> {
        match self.out.flush() {
            Ok(()) => Ok(true),
            Err(Errno::EPIPE) => Err(Stop::Fatal(self.die_of_pipe())),
            Err(errno) if self.forgiving_stdout() => {
                self.out = Out::new(self.out.fd());
                self.set_errno(errno);
                self.warn(format_args!("error writing standard output: {errno}"));
                Ok(false)
            }
            Err(errno) => Err(self.fatal(format_args!("fflush: cannot flush standard output: {errno}"))),
        }
    }

    /// Everything that was printed goes out, as before a command that could look at it; whether it went well.
    pub fn flush_all(&mut self) -> Run<bool> {
        let mut good = self.flush_stdout()?;
        for (name, errno) in self.io.flush() {
            let text = format!("file flush of `{}' failed: {errno}", String::from_utf8_lossy(&name));
            self.set_errno(errno);
            if !self.procinfo_has(&name, b"NONFATAL") {
                return Err(self.fatal(text));
            }
            self.warn(text);
            good = false;
        }
        Ok(good)
    }

    pub fn print(&mut self, to: Option<To>, format: bool) -> Run<()> {
        let what = if format { "printf" } else { "print" };
        let Some(to) = to else {
            let start = self.marks.pop().unwrap_or(0);
            self.out.write(&self.buf[start..]);
            self.buf.truncate(start);
            if self.interactive {
                self.flush_stdout()?;
            }
            return self.check_stdout(what);
        };
        let mark = match to {
            To::File => ">",
            To::Append => ">>",
            To::Pipe => "|",
            To::Coprocess => "|&",
        };
        let name = self.pop();
        let name = self.redirect_name(&name, mark)?;
        let start = self.marks.pop().unwrap_or(0);
        let text = self.buf.split_off(start);
        if self.modes.sandbox {
            return Err(self.fatal("redirection not allowed in sandbox mode"));
        }
        self.write_to(&name, to, &text, what)
    }

    #[inline]
    fn check_stdout(&mut self, what: &str) -> Run<()> {
        match self.out.error() {
            None => Ok(()),
            Some(Errno::EPIPE) => Err(Stop::Fatal(self.die_of_pipe())),
            Some(_) if self.forgiving_stdout() => Ok(()),
            Some(errno) => Err(self.fatal(format_args!("{what} to \"standard output\" failed: {errno}"))),
        }
    }

    fn write_to(&mut self, name: &[u8], to: To, text: &[u8], what: &str) -> Run<()> {
        let new = match to {
            To::Coprocess => !self.io.coprocesses.contains_key(name),
            _ => !self.io.outputs.contains_key(name),
        };
        // What starts a process shows what came before it first.
        if new && to == To::Pipe {
            self.flush_all()?;
        }
        let environment = if new { self.environment() } else { Vec::new() };
        let env = || environment.clone();
        let result = if to == To::Coprocess {
            match self.io.coprocess(name, env) {
                Ok(both) => match &mut both.to {
                    Some((out, _)) => {
                        out.write(text);
                        out.flush()
                    }
                    None => {
                        return Err(self.fatal("print: attempt to write to closed write end of two-way pipe"));
                    }
                },
                Err(errno) => return self.cannot_redirect(name, to, errno),
            }
        } else {
            match self.io.output(name, to, env) {
                Ok(output) if output.standard => {
                    self.out.write(text);
                    return self.check_stdout(what);
                }
                Ok(output) => {
                    output.out.write(text);
                    if output.unbuffered { output.out.flush() } else { output.out.error().map_or(Ok(()), Err) }
                }
                Err(errno) => return self.cannot_redirect(name, to, errno),
            }
        };
        result.or_else(|errno| self.unwritten(what, name, errno))
    }

    fn cannot_redirect(&mut self, name: &[u8], to: To, errno: Errno) -> Run<()> {
        self.set_errno(errno);
        if self.procinfo_has(name, b"NONFATAL") {
            return Ok(());
        }
        let shown = String::from_utf8_lossy(name).into_owned();
        Err(match to {
            To::File | To::Append => self.fatal(format_args!("cannot redirect to `{shown}': {errno}")),
            To::Pipe => self.fatal(format_args!("cannot open pipe `{shown}' for output: {errno}")),
            To::Coprocess => self.fatal(format_args!("cannot open two way pipe `{shown}' for input/output: {errno}")),
        })
    }

    pub fn getline(&mut self, from: Source, target: bool) -> Run<()> {
        self.pending = None;
        let answer = match from {
            Source::Main => {
                let mut text = Vec::new();
                match self.next_main(target.then_some(&mut text))? {
                    Ok(true) => {
                        if target {
                            self.pending = Some(Value::input(&text));
                        }
                        1.0
                    }
                    Ok(false) => 0.0,
                    Err(_) => -1.0,
                }
            }
            Source::File | Source::Command => self.read_named(from == Source::Command, target)?,
            Source::Coprocess => self.read_coprocess(target)?,
        };
        self.stack.push(Value::Num(answer));
        Ok(())
    }

    /// What a read gave, to where it belongs.
    fn deliver(&mut self, got: Result<Got, Errno>, text: &[u8], target: bool, counts: bool, name: &[u8]) -> f64 {
        match got {
            Ok(Got::Record) => {
                if counts {
                    self.nr += 1.0;
                    self.fnr += 1.0;
                }
                if target {
                    self.pending = Some(Value::input(text));
                } else {
                    self.record.set(text);
                }
                1.0
            }
            Ok(Got::End) => 0.0,
            Err(errno) => {
                self.set_errno(errno);
                let retry = errno == Errno::ETIMEDOUT && self.procinfo_has(name, b"RETRY");
                if retry { -2.0 } else { -1.0 }
            }
        }
    }

    fn read_named(&mut self, command: bool, target: bool) -> Run<f64> {
        let name = self.pop();
        let name = self.redirect_name(&name, if command { "|" } else { "<" })?;
        if self.modes.sandbox {
            return Err(self.fatal("redirection not allowed in sandbox mode"));
        }
        let timeout = self.read_timeout(&name);
        if self.io.inputs.get(&name).is_none_or(|input| input.command != command) {
            let environment = self.environment();
            if let Err(errno) = self.io.input(&name, command, || environment.clone()) {
                return Ok(self.deliver(Err(errno), b"", target, false, &name));
            }
        }
        let mut text = std::mem::take(&mut self.incoming);
        text.clear();
        let mut mark = std::mem::take(&mut self.mark);
        let got = match self.io.inputs.get_mut(&name) {
            Some(input) => {
                input.reader.timeout = timeout;
                input.reader.record(&self.separator, &mut text, &mut mark)
            }
            None => Err(Errno::EIO),
        };
        if got == Ok(Got::Record) {
            std::mem::swap(&mut self.rt, &mut mark);
        }
        self.mark = mark;
        // A command's records count; a file's do not.
        let answer = self.deliver(got, &text, target, command && !target, &name);
        self.incoming = text;
        if !command && got == Ok(Got::Record) && target && self.io.inputs.is_empty() {
            self.globals[FILENAME as usize] = Value::Unset;
        }
        Ok(answer)
    }

    fn read_coprocess(&mut self, target: bool) -> Run<f64> {
        let name = self.pop();
        let name = self.redirect_name(&name, "|&")?;
        if self.modes.sandbox {
            return Err(self.fatal("redirection not allowed in sandbox mode"));
        }
        let new = !self.io.coprocesses.contains_key(&name);
        let environment = if new { self.environment() } else { Vec::new() };
        let timeout = self.read_timeout(&name);
        let separator = self.separator.clone();
        let (mut text, mut mark) = (Vec::new(), Vec::new());
        let got = match self.io.coprocess(&name, || environment.clone()) {
            Ok(both) => match &mut both.from {
                Some((reader, _)) => {
                    reader.timeout = timeout;
                    reader.record(&separator, &mut text, &mut mark)
                }
                None => {
                    return Err(self.fatal("getline: attempt to read from closed read end of two-way pipe"));
                }
            },
            Err(errno) => Err(errno),
        };
        if got == Ok(Got::Record) {
            self.rt = mark;
        }
        Ok(self.deliver(got, &text, target, !target, &name))
    }

    /// Closes what has this name, telling what could not be written any more.
    pub(super) fn close_named(&mut self, name: &[u8], end: Option<&[u8]>) -> Run<Option<f64>> {
        if let Some(output) = self.io.outputs.get_mut(name) {
            let out = if output.standard { &mut self.out } else { &mut output.out };
            match out.flush() {
                Err(errno) if errno != Errno::EPIPE || output.pid.is_none() => {
                    self.unwritten("flush", name, errno)?;
                }
                // A command may end without reading what would have been in its pipe long ago, had it not waited here.
                _ => {}
            }
        }
        Ok(self.io.close(name, end))
    }

    pub fn close(&mut self, args: usize) -> Run<()> {
        let end = (args > 1).then(|| self.pop()).map(|v| self.text_of(&v));
        let name = self.pop();
        let name = self.text_of(&name);
        if let Some(end) = &end
            && !end.eq_ignore_ascii_case(b"to")
            && !end.eq_ignore_ascii_case(b"from")
        {
            return Err(self.fatal("close: second argument must be `to' or `from'"));
        }
        let answer = match self.close_named(&name, end.as_deref())? {
            Some(answer) => answer,
            None => {
                self.globals[ERRNO as usize] = Value::string(b"close of redirection that was never opened");
                -1.0
            }
        };
        self.stack.push(Value::Num(answer));
        Ok(())
    }

    pub fn fflush(&mut self, args: usize) -> Run<()> {
        let name = (args > 0).then(|| self.pop()).map(|v| self.text_of(&v)).filter(|n| !n.is_empty());
        let answer = match name {
            None => f64::from(i8::from(self.flush_all()?) - 1),
            Some(name) => {
                if let Some(output) = self.io.outputs.get_mut(&name) {
                    let out = if output.standard { &mut self.out } else { &mut output.out };
                    match out.flush() {
                        Ok(()) => 0.0,
                        Err(errno) if self.procinfo_has(&name, b"NONFATAL") => {
                            self.set_errno(errno);
                            -1.0
                        }
                        Err(errno) => {
                            let shown = String::from_utf8_lossy(&name).into_owned();
                            return Err(self.fatal(format_args!("fflush: cannot flush file `{shown}': {errno}")));
                        }
                    }
                } else if io::special(&name, true) == Some(STDOUT) {
                    f64::from(i8::from(self.flush_stdout()?) - 1)
                } else if let Some(both) = self.io.coprocesses.get_mut(&name) {
                    let good = both.to.as_mut().is_none_or(|(out, _)| out.flush().is_ok());
                    if good { 0.0 } else { -1.0 }
                } else {
                    let shown = String::from_utf8_lossy(&name).into_owned();
                    if self.io.inputs.contains_key(&name) {
                        self.warn(format_args!("fflush: cannot flush: file `{shown}' opened for reading, not writing"));
                    } else {
                        self.warn(format_args!("fflush: `{shown}' is not an open file, pipe or co-process"));
                    }
                    -1.0
                }
            }
        };
        self.stack.push(Value::Num(answer));
        Ok(())
    }

    pub fn system(&mut self) -> Run<()> {
        let command = self.pop();
        let command = self.text_of(&command);
        if self.modes.sandbox {
            return Err(self.fatal("'system' function not allowed in sandbox mode"));
        }
        self.flush_all()?;
        let answer = io::system(&command, self.environment());
        self.stack.push(Value::Num(answer));
        Ok(())
    }
}
