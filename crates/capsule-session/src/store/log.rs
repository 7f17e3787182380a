//! The log of a session: records one after the other, each with its length and the hash of its bytes in front.
//!
//! The first tells whose log it is; then a `Base` version, and what happened since. A version is the shell's state and how
//! the tree of files differs from that of the version before it. Nothing in the file is trusted: it may lie in a project that
//! somebody else wrote.

use super::open;
use crate::history::{History, HostPast, Version};
use crate::shell_state::{self, ShellState};
use crate::{guests, image};
use blake3::Hasher;
use capsule_abi::wire::{Reader, Writer};
use capsule_vfs::MemoryFs;
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

/// The first bytes of every record; the last is the version of the format.
const MAGIC: &[u8; 8] = b"CAPSULE\x01";

/// Magic, kind, length, hash.
const HEAD: usize = 8 + 8 + 8 + 32;

/// No head of a log is longer: an id, and the names of the commands there are.
const LONGEST_OPENING: u64 = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Whose log it is.
    Opening = 0,
    /// A version that nothing can be taken back before.
    Base = 1,
    /// A version that can be taken back.
    Step = 2,
    Undo = 3,
    /// The current version is a snapshot.
    Mark = 4,
    /// A version in the place of the current one.
    Amendment = 5,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::Opening, Kind::Base, Kind::Step, Kind::Undo, Kind::Mark, Kind::Amendment];
}

pub struct Log {
    file: File,
    end: u64,
    new: u64,
}

/// A record as it is found: its kind and the place and length of its bytes.
struct Record {
    kind: Kind,
    at: u64,
    len: u64,
}

impl Log {
    pub fn create(path: &Path, id: &str) -> io::Result<Log> {
        let file = open(path, OFlags::RDWR | OFlags::CREATE | OFlags::TRUNC)?;
        let mut log = Log { file, end: 0, new: 0 };
        let mut opening = Writer::default();
        opening.bytes(id.as_bytes()).bytes(&guests::all_commands().join(&b'\n'));
        log.append(Kind::Opening, &opening.finish())?;
        Ok(log)
    }

    pub fn len(&self) -> u64 {
        self.end
    }

    pub fn len_when_new(&self) -> u64 {
        self.new
    }

    /// All that a new log begins with is there.
    pub fn done(&mut self) -> io::Result<()> {
        self.new = self.end;
        self.file.sync_all()
    }

    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    pub fn append(&mut self, kind: Kind, bytes: &[u8]) -> io::Result<()> {
        self.record(kind, |out| out.write_all(bytes))
    }

    pub fn append_version(&mut self, kind: Kind, version: &Version, before: Option<&Version>) -> io::Result<()> {
        let embedded = image::embedded().map_err(io::Error::other)?;
        self.record(kind, |out| {
            let shell = version.shell.bytes();
            out.write_all(&(shell.len() as u32).to_le_bytes())?;
            out.write_all(shell)?;
            version.files.write_delta(before.map(|before| &*before.files), embedded, out)
        })
    }

    /// The bytes first, their head when they are all there.
    fn record(&mut self, kind: Kind, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let start = self.end;
        self.file.seek(SeekFrom::Start(start + HEAD as u64))?;
        let mut out = BufWriter::with_capacity(64 << 10, Hashing::new(&self.file, kind));
        let written = write(&mut out).and_then(|()| out.into_inner().map_err(io::IntoInnerError::into_error));
        let written = written.and_then(|Hashing { hasher, len, .. }| {
            self.file.write_all_at(&head(kind, len, &hasher), start)?;
            Ok(len)
        });
        match written {
            Ok(len) => self.end = start + HEAD as u64 + len,
            Err(e) => {
                let _ = self.file.set_len(start);
                return Err(e);
            }
        }
        Ok(())
    }

    /// Reads a log. What comes after the last whole record is cut off.
    pub fn open(path: &Path, id: &str) -> io::Result<(Log, History)> {
        let file = open(path, OFlags::RDWR)?;
        let size = file.metadata()?.len();
        let opening = record_at(&file, 0, size).filter(|r| r.kind == Kind::Opening && r.len <= LONGEST_OPENING);
        let opening = opening.ok_or_else(|| damaged("it has no beginning"))?;
        let bytes = read_whole(&file, &opening)?;
        let mut reader = Reader::new(&bytes);
        let (known, commands) =
            reader.bytes().and_then(|id| Ok((id, reader.bytes()?))).map_err(|_| damaged("it has no beginning"))?;
        if known != id.as_bytes() {
            return Err(damaged("it is of another session"));
        }
        let mut history: Option<History> = None;
        let mut end = opening.at + opening.len;
        while let Some(record) = record_at(&file, end, size) {
            let next = record.at + record.len;
            match replay(&file, &record, history.take()) {
                Ok(replayed) => history = Some(replayed),
                Err((error, _)) if error.kind() == io::ErrorKind::InvalidData && next < size => return Err(error),
                Err((_, before)) => {
                    history = before;
                    break;
                }
            }
            end = next;
        }
        let history = history.ok_or_else(|| damaged("it has no version"))?;
        let past = history.past.iter().map(|passed| &passed.version);
        let versions = history.snapshots.values().chain(past).chain([&history.current]);
        if !versions.map(|version| &version.files).all(|files| files.checked()) {
            return Err(damaged("its files are no tree"));
        }
        image::refresh(&history.current.files, commands).map_err(io::Error::other)?;
        file.set_len(end)?;
        Ok((Log { file, end, new: end.min(super::SMALL / super::GROWTH) }, history))
    }

    /// The id in a log's beginning, if it is one.
    pub fn id_of(path: &Path) -> Option<String> {
        let file = open(path, OFlags::RDONLY).ok()?;
        let size = file.metadata().ok()?.len();
        let opening = record_at(&file, 0, size).filter(|r| r.kind == Kind::Opening && r.len <= LONGEST_OPENING)?;
        let bytes = read_whole(&file, &opening).ok()?;
        String::from_utf8(Reader::new(&bytes).bytes().ok()?.to_vec()).ok()
    }
}

/// What a record does to what was; with what it was when the record is no good.
fn replay(file: &File, record: &Record, history: Option<History>) -> Result<History, (io::Error, Option<History>)> {
    match (record.kind, history) {
        (Kind::Base | Kind::Step | Kind::Amendment, history) => {
            let version = match read_version(file, record, history.as_ref().map(|h| &h.current)) {
                Ok(version) => version,
                Err(e) => return Err((e, history)),
            };
            Ok(match history {
                None => History::of(version),
                Some(mut history) if record.kind == Kind::Step => {
                    history.go_to(version, HostPast::Unknown);
                    history
                }
                Some(mut history) => {
                    history.current = version;
                    if record.kind == Kind::Base {
                        history.past.clear();
                    }
                    history
                }
            })
        }
        (Kind::Undo, Some(mut history)) => match read_whole(file, record) {
            Ok(_) if history.undo() => Ok(history),
            Ok(_) => Err((damaged("nothing can be taken back"), Some(history))),
            Err(e) => Err((e, Some(history))),
        },
        (Kind::Mark, Some(mut history)) if record.len == 8 => match read_whole(file, record) {
            Ok(bytes) => {
                history.mark(u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
                Ok(history)
            }
            Err(e) => Err((e, Some(history))),
        },
        (_, history) => Err((damaged("a record is out of place"), history)),
    }
}

fn read_version(file: &File, record: &Record, before: Option<&Version>) -> io::Result<Version> {
    let embedded = image::embedded().map_err(io::Error::other)?;
    let mut from = BufReader::with_capacity(64 << 10, Hashing::new(Span::of(file, record), record.kind));
    let mut len = [0; 4];
    from.read_exact(&mut len)?;
    let len = u32::from_le_bytes(len) as usize;
    if len > shell_state::MOST {
        return Err(damaged("the shell's state is too large"));
    }
    let mut shell = vec![0; len];
    from.read_exact(&mut shell)?;
    let files = MemoryFs::read_delta(before.map(|before| &*before.files), embedded, &mut from)?;
    // To the end, or the hash would be of less.
    let rest = io::copy(&mut from, &mut io::sink())?;
    from.into_inner().check(file, record)?;
    if rest > 0 {
        return Err(damaged("a version is longer than it says"));
    }
    // A state that this version of the shell does not read is not one: the shell starts anew.
    let shell = ShellState::from_guest(shell).unwrap_or_default();
    Ok(Version { files: Arc::new(files), shell })
}

fn read_whole(file: &File, record: &Record) -> io::Result<Vec<u8>> {
    if record.len > LONGEST_OPENING {
        return Err(damaged("a record is too long"));
    }
    let mut bytes = Vec::new();
    let mut from = Hashing::new(Span::of(file, record), record.kind);
    from.read_to_end(&mut bytes)?;
    from.check(file, record)?;
    Ok(bytes)
}

/// The record that begins at a place, as far as its head tells; none when there is none that fits the file.
fn record_at(file: &File, start: u64, size: u64) -> Option<Record> {
    let mut head = [0; HEAD];
    file.read_exact_at(&mut head, start).ok()?;
    let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap_or_default());
    let kind = *Kind::ALL.get(usize::try_from(number(8)).ok()?)?;
    let (at, len) = (start + HEAD as u64, number(16));
    let fits = head[..8] == *MAGIC && at.checked_add(len).is_some_and(|end| end <= size);
    fits.then_some(Record { kind, at, len })
}

fn head(kind: Kind, len: u64, hash: &Hasher) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[8..16].copy_from_slice(&(kind as u64).to_le_bytes());
    head[16..24].copy_from_slice(&len.to_le_bytes());
    head[24..].copy_from_slice(hash.finalize().as_bytes());
    head
}

/// Hashes what passes.
struct Hashing<T> {
    inner: T,
    hasher: Hasher,
    len: u64,
}

impl<T> Hashing<T> {
    /// A record of another kind is another record.
    fn new(inner: T, kind: Kind) -> Hashing<T> {
        let mut hasher = Hasher::new();
        hasher.update(&[kind as u8]);
        Hashing { inner, hasher, len: 0 }
    }

    fn check(&self, file: &File, record: &Record) -> io::Result<()> {
        let mut found = [0; HEAD];
        file.read_exact_at(&mut found, record.at - HEAD as u64)?;
        match found == head(record.kind, self.len, &self.hasher) {
            true => Ok(()),
            false => Err(damaged("a record is not what was written")),
        }
    }
}

impl<T: Write> Write for Hashing<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        self.len += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Hashing<T> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.hasher.update(&buf[..n]);
        self.len += n as u64;
        Ok(n)
    }
}

/// The bytes of one record.
struct Span<'a> {
    file: &'a File,
    at: u64,
    left: u64,
}

impl<'a> Span<'a> {
    fn of(file: &'a File, record: &Record) -> Span<'a> {
        Span { file, at: record.at, left: record.len }
    }
}

impl Read for Span<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = buf.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let n = self.file.read_at(&mut buf[..most], self.at)?;
        self.at += n as u64;
        self.left -= n as u64;
        Ok(n)
    }
}

fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the log is damaged: {why}"))
}
