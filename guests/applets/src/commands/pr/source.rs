//! Input files, line by line; a form feed ends a page.

use crate::input::Input;
use crate::report;
use capsule_sys::{Errno, Time, fstat, now};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum State {
    Open,
    /// A form feed: nothing more on this page.
    Hold,
    Closed,
}

pub struct Source {
    input: Input,
    pub state: State,
    /// The last page was full: a form feed right behind it says nothing new.
    pub full_page: bool,
    pub time: Time,
    pub name: Vec<u8>,
    pub error: Option<Errno>,
}

/// What a read found.
pub enum Got {
    Line(Vec<u8>),
    FormFeed,
    End,
}

/// Opens files; whether all could be.
pub fn open(names: &[&[u8]], quiet: bool) -> (Vec<Source>, bool) {
    let (mut sources, mut good) = (Vec::new(), true);
    for &name in names {
        match Input::open(name) {
            Ok(input) => {
                let time = if input.is_stdin() { None } else { fstat(input.fd()).ok().map(|s| s.mtime) };
                let time = time.unwrap_or_else(now);
                sources.push(Source {
                    input,
                    state: State::Open,
                    full_page: false,
                    time,
                    name: name.to_vec(),
                    error: None,
                });
            }
            Err(e) => {
                good = false;
                if !quiet {
                    report::fault(crate::quote::name(name), e);
                }
            }
        }
    }
    (sources, good)
}

impl Source {
    /// What is at hand; what cannot be read is the end, kept for [`Source::error`].
    fn fill(&mut self) -> &[u8] {
        let error = &mut self.error;
        self.input.stream.fill().unwrap_or_else(|e| {
            *error = Some(e);
            &[]
        })
    }

    fn peek(&mut self) -> Option<u8> {
        self.fill().first().copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.input.stream.consume(1);
        }
        found
    }

    pub fn next(&mut self) -> Got {
        if std::mem::take(&mut self.full_page) && self.eat(b'\x0c') {
            self.eat(b'\n');
        }
        match self.peek() {
            None => {
                self.state = State::Closed;
                return Got::End;
            }
            Some(b'\x0c') => {
                self.form_feed();
                return Got::FormFeed;
            }
            Some(_) => {}
        }
        let mut line = Vec::new();
        loop {
            let block = self.fill();
            if block.is_empty() {
                self.state = State::Closed;
                return Got::Line(line);
            }
            let end = memchr::memchr2(b'\n', b'\x0c', block);
            let n = end.unwrap_or(block.len());
            line.extend_from_slice(&block[..n]);
            let found = end.map(|at| block[at]);
            self.input.stream.consume(n);
            match found {
                Some(b'\n') => {
                    self.input.stream.consume(1);
                    return Got::Line(line);
                }
                Some(_) => {
                    self.form_feed();
                    return Got::Line(line);
                }
                None => {}
            }
        }
    }

    fn form_feed(&mut self) {
        self.eat(b'\x0c');
        self.eat(b'\n');
        self.state = State::Hold;
    }
}
