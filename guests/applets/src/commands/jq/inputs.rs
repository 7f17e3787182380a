//! Files as one stream of values: JSON, lines, events, or all at once.

use super::options::Settings;
use super::world::Source;
use super::{tell, tell_bytes, tell_ignored};
use crate::input::Input;
use capsule_jq::Value;
use capsule_jq::json::Reader;
use std::collections::VecDeque;

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Json,
    Lines,
}

pub struct Inputs {
    files: VecDeque<Vec<u8>>,
    current: Option<Input>,
    /// The name of the file that is read or was read last; none is standard input.
    name: Option<Vec<u8>>,
    mode: Mode,
    slurp: bool,
    stream_errors: bool,
    sequence: bool,
    reader: Reader,
    lines: usize,
    /// Whether anything was asked for yet.
    begun: bool,
    ended: bool,
    failed: bool,
}

impl Inputs {
    pub fn new(settings: &Settings) -> Inputs {
        let mut files: VecDeque<Vec<u8>> = settings.files.iter().cloned().collect();
        if files.is_empty() {
            files.push_back(b"-".to_vec());
        }
        Inputs {
            files,
            current: None,
            name: None,
            mode: if settings.raw_input { Mode::Lines } else { Mode::Json },
            slurp: settings.slurp,
            stream_errors: settings.stream_errors,
            sequence: settings.sequence,
            reader: Reader::new(settings.sequence, settings.stream),
            lines: 0,
            begun: false,
            ended: false,
            failed: false,
        }
    }

    /// Whether a file could not be read.
    pub fn failed(&self) -> bool {
        self.failed
    }

    /// Opens the next file that can be; false when there is none.
    fn open(&mut self) -> bool {
        while let Some(name) = self.files.pop_front() {
            // A name of its own is a file, even if it is `-` among others.
            match Input::open(&name) {
                Ok(input) => {
                    self.name = (name != b"-").then_some(name);
                    self.current = Some(input);
                    self.lines = 0;
                    self.reader.restart_lines();
                    return true;
                }
                Err(e) => {
                    tell_bytes(&[b"error: Could not open file ", &name[..], format!(": {e}").as_bytes()].concat());
                    self.failed = true;
                }
            }
        }
        false
    }

    /// The next block, from whatever file; `None` at the end of all.
    fn block(&mut self) -> Option<&[u8]> {
        loop {
            if self.current.is_none() && !self.open() {
                return None;
            }
            let input = self.current.as_mut()?;
            let n = match input.stream.fill() {
                Ok(block) => block.len(),
                Err(e) => {
                    tell(format_args!("error: {e}"));
                    self.failed = true;
                    0
                }
            };
            if n > 0 {
                break;
            }
            self.current = None;
        }
        let stream = &mut self.current.as_mut()?.stream;
        stream.fill().ok()
    }

    fn used(&mut self, n: usize) {
        if let Some(input) = &mut self.current {
            input.stream.consume(n);
        }
    }

    fn json(&mut self) -> Option<Result<Value, Value>> {
        loop {
            match self.reader.next() {
                Ok(Some(value)) => return Some(Ok(value)),
                Ok(None) if self.reader.has_ended() => return None,
                Ok(None) => {}
                Err(fault) => {
                    if self.stream_errors {
                        let path = self.reader.stream_path();
                        return Some(Ok(Value::array(vec![fault.message.into(), path])));
                    }
                    return Some(Err(fault.message.into()));
                }
            }
            let block = match self.block() {
                Some(block) => block.to_vec(),
                None => {
                    self.reader.end();
                    continue;
                }
            };
            self.reader.feed(&block);
            self.used(block.len());
        }
    }

    fn line_value(&mut self) -> Option<Result<Value, Value>> {
        let mut line = Vec::new();
        loop {
            let Some(block) = self.block() else {
                if line.is_empty() {
                    return None;
                }
                break;
            };
            let end = memchr::memchr(b'\n', block);
            let n = end.unwrap_or(block.len());
            line.extend_from_slice(&block[..n]);
            self.used(n + usize::from(end.is_some()));
            if end.is_some() {
                self.lines += 1;
                break;
            }
        }
        Some(Ok(text(line)))
    }

    fn everything(&mut self) -> Option<Result<Value, Value>> {
        if self.mode == Mode::Lines {
            let mut all = Vec::new();
            while let Some(block) = self.block() {
                all.extend_from_slice(block);
                let n = block.len();
                self.lines += memchr::memchr_iter(b'\n', block).count();
                self.used(n);
            }
            return Some(Ok(text(all)));
        }
        let mut all = Vec::new();
        while let Some(value) = self.json() {
            match value {
                Ok(value) => all.push(value),
                Err(message) if self.sequence => tell_ignored(&message),
                Err(message) => {
                    self.ended = true;
                    return Some(Err(message));
                }
            }
        }
        Some(Ok(Value::array(all)))
    }
}

fn text(bytes: Vec<u8>) -> Value {
    capsule_jq::json::text(bytes).into()
}

impl Source for Inputs {
    fn next(&mut self) -> Option<Result<Value, Value>> {
        self.begun = true;
        if self.ended {
            return None;
        }
        if self.slurp {
            self.ended = true;
            return self.everything();
        }
        match self.mode {
            Mode::Json => self.json(),
            Mode::Lines => self.line_value(),
        }
    }

    fn filename(&mut self) -> Value {
        match self.name.as_deref() {
            Some(name) => text(name.to_vec()),
            None if self.begun => "<stdin>".into(),
            None => Value::Null,
        }
    }

    fn line(&mut self) -> usize {
        if !self.begun {
            return 0;
        }
        match self.mode {
            Mode::Json => self.reader.line(),
            Mode::Lines => self.lines,
        }
    }

    fn position(&mut self) -> String {
        if !self.begun {
            return "<unknown>".into();
        }
        let line = self.line();
        match &self.name {
            Some(name) => format!("{}:{line}", String::from_utf8_lossy(name)),
            None => format!("<stdin>:{line}"),
        }
    }
}
