//! `-v`, `--trace` and `--trace-ascii`: what goes out and what comes in, told as it happens.

use crate::report;
use capsule_sys::{Fd, OpenFlags, STDERR, STDOUT, isatty, open, write_all};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Kind {
    #[default]
    Off,
    /// `-v`
    Plain,
    /// `--trace-ascii`
    Ascii,
    /// `--trace`
    Hex,
}

/// The bytes that are told of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bytes {
    SendHeader,
    SendData,
    ReceiveHeader,
    ReceiveData,
}

/// Where it is told; all transfers of a command share it.
#[derive(Clone, Default)]
pub struct Trace {
    kind: Kind,
    file: Rc<RefCell<Option<Fd>>>,
    /// `--trace -`
    stdout: bool,
    /// With `-v`, pieces of data that follow each other are told of once.
    in_data: Rc<Cell<bool>>,
}

impl Trace {
    pub fn verbose() -> Trace {
        Trace { kind: Kind::Plain, ..Trace::default() }
    }

    /// `-` is standard output, `%` standard error.
    pub fn to(kind: Kind, name: &[u8]) -> Trace {
        let trace = Trace { kind, stdout: name == b"-", ..Trace::default() };
        if name != b"-" && name != b"%" {
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
            match open(name, flags, 0o666) {
                Ok(fd) => *trace.file.borrow_mut() = Some(fd),
                Err(_) => report::plain("Warning: Failed to create/open output\n"),
            }
        }
        trace
    }

    pub fn is_on(&self) -> bool {
        self.kind != Kind::Off
    }

    fn write(&self, text: &[u8]) {
        let file = self.file.borrow();
        let fd = file.as_ref().map_or(if self.stdout { STDOUT } else { STDERR }, Fd::raw);
        let _ = write_all(fd, text);
    }

    /// What curl thinks and does.
    pub fn info(&self, text: &str) {
        match self.kind {
            Kind::Off => return,
            Kind::Plain => self.write(format!("* {text}\n").as_bytes()),
            Kind::Ascii | Kind::Hex => self.write(format!("== Info: {text}\n").as_bytes()),
        }
        self.in_data.set(false);
    }

    pub fn bytes(&self, what: Bytes, bytes: &[u8]) {
        let data = matches!(what, Bytes::SendData | Bytes::ReceiveData);
        match self.kind {
            Kind::Off => {}
            // Whoever looks at the data in a terminal sees it anyway.
            Kind::Plain if data && (isatty(STDOUT) || self.in_data.get()) => {}
            Kind::Plain if data => {
                let brace = if what == Bytes::SendData { '}' } else { '{' };
                self.write(format!("{brace} [{} bytes data]\n", bytes.len()).as_bytes());
            }
            Kind::Plain => {
                let arrow: &[u8] = if what == Bytes::SendHeader { b"> " } else { b"< " };
                let lines = bytes.split_inclusive(|&b| b == b'\n');
                self.write(&lines.flat_map(|line| [arrow, line].concat()).collect::<Vec<u8>>());
            }
            Kind::Ascii | Kind::Hex => self.dump(what, bytes),
        }
        self.in_data.set(data && self.kind != Kind::Off);
    }

    /// The heads of an answer, line by line.
    pub fn heads(&self, heads: &[u8]) {
        for line in heads.split_inclusive(|&b| b == b'\n') {
            self.bytes(Bytes::ReceiveHeader, line);
        }
    }

    fn dump(&self, what: Bytes, bytes: &[u8]) {
        let name = match what {
            Bytes::SendHeader => "=> Send header",
            Bytes::SendData => "=> Send data",
            Bytes::ReceiveHeader => "<= Recv header",
            Bytes::ReceiveData => "<= Recv data",
        };
        let mut text = format!("{name}, {} bytes (0x{:x})\n", bytes.len(), bytes.len());
        let shown = |b: u8| if (0x20..0x7f).contains(&b) { b as char } else { '.' };
        if self.kind == Kind::Hex {
            for (at, row) in bytes.chunks(16).enumerate() {
                let digits: String = row.iter().map(|b| format!("{b:02x} ")).collect();
                text +=
                    &format!("{:04x}: {digits:<48}{}\n", at * 16, row.iter().map(|&b| shown(b)).collect::<String>());
            }
        } else {
            // A row ends with a line, or after 64 bytes; a line end that follows at once belongs to it.
            let mut at = 0;
            while at < bytes.len() {
                let rest = &bytes[at..];
                let end = rest.windows(2).position(|pair| pair == b"\r\n").filter(|&end| end <= 64);
                let length = end.unwrap_or(rest.len().min(64));
                text += &format!("{at:04x}: {}\n", rest[..length].iter().map(|&b| shown(b)).collect::<String>());
                at += length + if end.is_some() { 2 } else { 0 };
            }
        }
        self.write(text.as_bytes());
    }
}
