//! `-o`: files become members.

use super::format::{Entry, Format, TRAILER};
use super::{Cpio, FATAL, shown};
use crate::commands::ls::{major, minor};
use crate::{Exit, report};
use capsule_sys::{Fd, FileType, OpenFlags, Out, STDERR, SetTime, Stat, futimens, open, read, readlink, write_all};
use std::collections::HashMap;

/// A file with several names: the data comes with the last of them, so that the others wait for it.
struct Waiting {
    name: Vec<u8>,
    entry: Entry,
    stat: Stat,
}

struct Writer {
    out: Out,
    format: Format,
    written: u64,
    waiting: Vec<Waiting>,
    /// `--renumber-inodes`: the numbers given so far.
    numbers: HashMap<(u64, u64), u64>,
}

impl Writer {
    fn put(&mut self, bytes: &[u8]) {
        self.out.write(bytes);
        self.written += bytes.len() as u64;
    }
}

impl Cpio {
    pub(super) fn create(&mut self, format: Format, out: Out) -> Result<(), Exit> {
        let mut writer = Writer { out, format, written: 0, waiting: Vec::new(), numbers: HashMap::new() };
        self.names(|cpio, name| {
            let Some(s) = cpio.stat(name) else { return Ok(()) };
            let entry = cpio.entry(&mut writer, name, &s);
            let named = Waiting { name: name.to_vec(), entry, stat: s };
            if !format.has_links() || s.nlink < 2 || s.kind != FileType::Regular {
                return cpio.member(&mut writer, named);
            }
            writer.waiting.push(named);
            let same = |w: &Waiting| (w.stat.dev, w.stat.ino) == (s.dev, s.ino);
            match writer.waiting.iter().filter(|w| same(w)).count() as u32 == s.nlink {
                true => cpio.links(&mut writer, &s),
                false => Ok(()),
            }
        })?;
        while let Some(first) = writer.waiting.first() {
            let s = first.stat;
            self.links(&mut writer, &s)?;
        }
        let trailer = Entry { name: TRAILER.to_vec(), links: 1, ..Entry::default() };
        writer.put(&format.encode(&trailer));
        let missing = writer.written.next_multiple_of(self.io_size) - writer.written;
        self.bytes = writer.written + missing;
        let mut left = missing;
        while left > 0 {
            let n = left.min(512);
            writer.put(&[0; 512][..n as usize]);
            left -= n;
        }
        writer.out.flush().map_err(|e| report::die(FATAL, format_args!("write error: {e}")))
    }

    fn entry(&self, writer: &mut Writer, name: &[u8], s: &Stat) -> Entry {
        let device = |d: u64| (major(d) as u32, minor(d) as u32);
        let next = writer.numbers.len() as u64;
        let ino = match self.renumber {
            true => *writer.numbers.entry((s.dev, s.ino)).or_insert(next),
            false => s.ino,
        };
        Entry {
            name: name.strip_prefix(b"./").unwrap_or(name).to_vec(),
            mode: s.st_mode(),
            uid: s.uid,
            gid: s.gid,
            links: s.nlink,
            mtime: s.mtime.sec,
            size: 0,
            ino,
            dev: if self.no_devices { (0, 0) } else { device(s.dev) },
            rdev: device(s.rdev),
            sum: None,
        }
    }

    /// All names of a file that wait, the last of them with its data.
    fn links(&mut self, writer: &mut Writer, s: &Stat) -> Result<(), Exit> {
        let (mut names, others) =
            std::mem::take(&mut writer.waiting).into_iter().partition(|w| (w.stat.dev, w.stat.ino) == (s.dev, s.ino));
        writer.waiting = others;
        let last: Option<Waiting> = Vec::pop(&mut names);
        for named in names {
            writer.put(&writer.format.encode(&named.entry));
            self.tell(&named.name);
        }
        last.map_or(Ok(()), |named| self.member(writer, named))
    }

    fn member(&mut self, writer: &mut Writer, named: Waiting) -> Result<(), Exit> {
        let Waiting { name, mut entry, stat: s } = named;
        let data = if s.kind == FileType::Symlink { readlink(&name).unwrap_or_default() } else { Vec::new() };
        entry.size = if s.kind == FileType::Regular { s.size } else { data.len() as u64 };
        if entry.size > u64::from(u32::MAX) {
            report::error(format_args!("{}: field width not sufficient for storing file size", shown(&name)));
            self.status = FATAL;
            return Ok(());
        }
        let mut file = None;
        if s.kind == FileType::Regular {
            match open(&name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
                Ok(opened) => file = Some(opened),
                Err(e) => {
                    report::error(format_args!("{}: Cannot open: {e}", shown(&name)));
                    self.status = FATAL;
                    return Ok(());
                }
            }
        }
        if let Some(file) = file.as_ref().filter(|_| writer.format == Format::Crc) {
            let mut sum = 0;
            content(file, entry.size, |block| sum = sum_of(sum, block));
            entry.sum = Some(sum);
            let _ = capsule_sys::seek(file.raw(), capsule_sys::Seek::Start(0));
        }
        writer.put(&writer.format.encode(&entry));
        writer.put(&data);
        if let Some(file) = &file {
            content(file, entry.size, |block| writer.put(block));
            if self.reset_times {
                let _ = futimens(file.raw(), SetTime::At(s.atime), SetTime::At(s.mtime));
            }
        }
        writer.put(&[0; 4][..writer.format.padding(entry.size)]);
        self.tell(&name);
        writer.out.error().map_or(Ok(()), |e| Err(report::die(FATAL, format_args!("write error: {e}"))))
    }

    /// `-v` and `-V`.
    pub(super) fn tell(&self, name: &[u8]) {
        if self.verbose {
            let _ = write_all(STDERR, &[name, b"\n"].concat());
        }
        if self.dots {
            let _ = write_all(STDERR, b".");
        }
    }
}

/// The sum of the format with sums.
pub(super) fn sum_of(sum: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(sum, |sum, byte| sum.wrapping_add(u32::from(*byte)))
}

/// As many bytes as were promised; what shrank meanwhile is filled up.
fn content(file: &Fd, size: u64, mut take: impl FnMut(&[u8])) {
    let mut left = size;
    let mut block = vec![0; 64 * 1024];
    while left > 0 {
        let most = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let n = match read(file.raw(), &mut block[..most]).unwrap_or(0) {
            0 => {
                block.fill(0);
                most
            }
            n => n,
        };
        take(&block[..n]);
        left -= n as u64;
    }
}
