//! Sorted inputs into one: temporary runs, and the files of `-m`.

use super::chunk::{Chunk, cannot_read, failed};
use super::compare::Record;
use super::{Sorter, TROUBLE};
use crate::input::Input;
use crate::{Exit, quote, report, temporary};
use capsule_sys::{Errno, Fd, In, Out, Seek, seek};
use std::cmp::Ordering;
use std::collections::VecDeque;

/// Something sorted that can be read.
pub enum Run {
    /// A file of the command line.
    Named(Vec<u8>),
    /// A file of ours that has no name any more.
    Temporary(Fd),
}

struct Reader {
    /// Kept open as long as it is read.
    _file: Option<Fd>,
    _input: Option<Input>,
    stream: In,
    name: Vec<u8>,
    line: Vec<u8>,
    record: Record,
}

/// Temporary files, and how many are merged at a time.
pub struct Spill {
    pub directories: Vec<Vec<u8>>,
    pub batch: usize,
    made: usize,
}

impl Spill {
    pub fn new(mut directories: Vec<Vec<u8>>, batch: usize) -> Spill {
        if directories.is_empty() {
            directories.push(temporary::directory());
        }
        Spill { directories, batch, made: 0 }
    }

    /// A new file, without a name: it goes when we do.
    fn create(&mut self) -> Result<(Fd, Vec<u8>), Exit> {
        let dir = &self.directories[self.made % self.directories.len()];
        self.made += 1;
        temporary::taken_back(dir, "sort").map_err(|why| {
            report::die(TROUBLE, format_args!("cannot create temporary file in {}: {why}", quote::quoted(dir)))
        })
    }

    fn run(&mut self, write: impl FnOnce(&mut Out) -> Result<(), Exit>) -> Result<Run, Exit> {
        let (file, name) = self.create()?;
        let mut out = Out::new(file.raw());
        write(&mut out)?;
        let failed = |e: Errno| report::die(TROUBLE, format_args!("write failed: {}: {e}", quote::name(&name)));
        out.flush().map_err(failed)?;
        seek(file.raw(), Seek::Start(0)).map_err(failed)?;
        Ok(Run::Temporary(file))
    }

    /// A chunk as a run.
    pub fn store(&mut self, chunk: &Chunk, sorter: &Sorter) -> Result<Run, Exit> {
        self.run(|out| {
            chunk.write(sorter, out);
            Ok(())
        })
    }

    /// Merges until no more than a batch is left.
    pub fn reduce(&mut self, runs: Vec<Run>, sorter: &Sorter) -> Result<Vec<Run>, Exit> {
        let mut runs: VecDeque<Run> = runs.into();
        while runs.len() > self.batch {
            // Neighbours stay neighbours, for the order of equal lines: a whole round at a time.
            let mut next = VecDeque::new();
            while !runs.is_empty() {
                let some: Vec<Run> = runs.drain(..runs.len().min(self.batch)).collect();
                next.push_back(self.run(|out| merge(some, sorter, out))?);
            }
            runs = next;
        }
        Ok(runs.into())
    }
}

impl Reader {
    fn open(run: Run) -> Result<Reader, Exit> {
        match run {
            Run::Named(name) => {
                let input = Input::open(&name).map_err(|e| cannot_read(&name, e))?;
                let stream = In::new(input.fd());
                Ok(Reader {
                    _file: None,
                    _input: Some(input),
                    stream,
                    name,
                    line: Vec::new(),
                    record: Record::default(),
                })
            }
            Run::Temporary(file) => {
                let stream = In::new(file.raw());
                let (line, record) = (Vec::new(), Record::default());
                Ok(Reader { _file: Some(file), _input: None, stream, name: b"temporary file".to_vec(), line, record })
            }
        }
    }

    fn next(&mut self, sorter: &Sorter) -> Result<bool, Exit> {
        self.line.clear();
        if !self.stream.read_until(sorter.end, &mut self.line).map_err(|e| failed("read failed", &self.name, e))? {
            return Ok(false);
        }
        if self.line.last() == Some(&sorter.end) {
            self.line.pop();
        }
        self.record = sorter.record(&self.line, 0, self.line.len());
        Ok(true)
    }

    fn compare(&self, other: &Reader, sorter: &Sorter) -> Ordering {
        sorter.compare((&self.line, &self.record), (&other.line, &other.record))
    }
}

pub fn merge(runs: Vec<Run>, sorter: &Sorter, out: &mut Out) -> Result<(), Exit> {
    // Readers by their lines, the earlier input first among equals.
    let mut readers: Vec<(usize, Reader)> = Vec::new();
    for (number, run) in runs.into_iter().enumerate() {
        let mut reader = Reader::open(run)?;
        if reader.next(sorter)? {
            insert(&mut readers, (number, reader), sorter);
        }
    }
    let mut before: Option<(Vec<u8>, Record)> = None;
    while !readers.is_empty() {
        let (number, mut reader) = readers.remove(0);
        let repeated = sorter.unique
            && before
                .as_ref()
                .is_some_and(|(text, record)| sorter.by_keys((text, record), (&reader.line, &reader.record)).is_eq());
        if !repeated {
            sorter.put(&reader.line, out);
            if sorter.unique {
                let (text, record) = before.get_or_insert_default();
                text.clone_from(&reader.line);
                *record = reader.record;
            }
            if out.error().is_some() {
                return Ok(());
            }
        }
        if reader.next(sorter)? {
            insert(&mut readers, (number, reader), sorter);
        }
    }
    Ok(())
}

fn insert(readers: &mut Vec<(usize, Reader)>, new: (usize, Reader), sorter: &Sorter) {
    let at =
        readers.partition_point(|old| old.1.compare(&new.1, sorter).then_with(|| old.0.cmp(&new.0)) == Ordering::Less);
    readers.insert(at, new);
}
