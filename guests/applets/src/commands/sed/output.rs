//! Where lines go: standard output, the files of `w`, the new file of an edit in place.

use capsule_sys::{Errno, Fd, OpenFlags, Out, STDERR, STDOUT, fstat, open_apart};

pub struct Output {
    pub name: Vec<u8>,
    out: Out,
    file: Option<Fd>,
    /// Bytes of the last text, for messages.
    pub last: usize,
    /// The last line had no end, which it gets when something follows.
    open_line: bool,
    /// The same of the last line that was written by the file's name: neither knows of the other.
    open_line_by_name: bool,
}

impl Output {
    pub fn stdout() -> Output {
        Output {
            name: b"/dev/stdout".to_vec(),
            out: Out::new(STDOUT),
            file: None,
            last: 0,
            open_line: false,
            open_line_by_name: false,
        }
    }

    pub fn stderr() -> Output {
        Output {
            name: b"/dev/stderr".to_vec(),
            out: Out::new(STDERR),
            file: None,
            last: 0,
            open_line: false,
            open_line_by_name: false,
        }
    }

    pub fn create(name: &[u8]) -> Result<Output, Errno> {
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
        Ok(Output::from_file(name, open_apart(name, flags, 0o666)?))
    }

    pub fn from_file(name: &[u8], file: Fd) -> Output {
        Output {
            name: name.to_vec(),
            out: Out::new(file.raw()),
            file: Some(file),
            last: 0,
            open_line: false,
            open_line_by_name: false,
        }
    }

    /// A line; `ended`: it had its end.
    pub fn line(&mut self, text: &[u8], ended: bool, end: u8) {
        self.text(text, end);
        if ended {
            self.out.byte(end);
        } else {
            self.open_line = true;
        }
    }

    /// A line of `w`.
    pub fn line_by_name(&mut self, text: &[u8], ended: bool, end: u8) {
        std::mem::swap(&mut self.open_line, &mut self.open_line_by_name);
        self.line(text, ended, end);
        std::mem::swap(&mut self.open_line, &mut self.open_line_by_name);
    }

    /// Text that has its ends.
    pub fn text(&mut self, text: &[u8], end: u8) {
        if self.open_line {
            self.out.byte(end);
            self.open_line = false;
        }
        self.last = text.len();
        self.out.write(text);
    }

    /// What is no line of the output: it leaves the end that a line has not as it is.
    pub fn aside(&mut self, text: &[u8]) {
        self.out.write(text);
    }

    pub fn flush(&mut self) -> Result<(), Errno> {
        self.out.flush()
    }

    pub fn failed(&self) -> Option<Errno> {
        self.out.error()
    }

    pub fn is_stdout(&self) -> bool {
        self.out.fd() == STDOUT
    }

    pub fn is_stderr(&self) -> bool {
        self.out.fd() == STDERR
    }

    pub fn close(mut self) -> Result<(), Errno> {
        self.flush()?;
        match self.file {
            Some(file) => file.close(),
            // Standard output may have been closed from the start.
            None if self.is_stdout() => fstat(STDOUT).map(drop),
            None => Ok(()),
        }
    }
}

/// How GNU's says that so many bytes did not get through.
pub fn unwritten(items: usize, name: &str, e: Errno) -> String {
    let plural = if items == 1 { "" } else { "s" };
    format!("couldn't write {items} item{plural} to {name}: {e}")
}
