//! The headers of cpio: `newc` (and its twin with sums), `odc`, and the old binary one.

use crate::codec::Source;
use crate::report;
use capsule_sys::Errno;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Newc,
    /// The same with the sum of each file's bytes.
    Crc,
    Odc,
    Binary,
}

#[derive(Clone, Default, Debug)]
pub struct Entry {
    pub name: Vec<u8>,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub links: u32,
    pub mtime: i64,
    pub size: u64,
    pub ino: u64,
    pub dev: (u32, u32),
    pub rdev: (u32, u32),
    /// Of a file's bytes, where the format has it.
    pub sum: Option<u32>,
}

/// What ends every archive.
pub const TRAILER: &[u8] = b"TRAILER!!!";

impl Format {
    /// Headers and data are padded to this.
    fn step(self) -> u64 {
        match self {
            Format::Newc | Format::Crc => 4,
            Format::Odc => 1,
            Format::Binary => 2,
        }
    }

    /// Whether the data of a file with several names is stored once.
    pub fn has_links(self) -> bool {
        matches!(self, Format::Newc | Format::Crc)
    }

    pub fn padding(self, length: u64) -> usize {
        (length.next_multiple_of(self.step()) - length) as usize
    }

    pub fn encode(self, entry: &Entry) -> Vec<u8> {
        let name_size = entry.name.len() + 1;
        let mut head = match self {
            Format::Newc | Format::Crc => {
                let numbers = [
                    entry.ino as u32,
                    entry.mode,
                    entry.uid,
                    entry.gid,
                    entry.links,
                    entry.mtime as u32,
                    entry.size as u32,
                    entry.dev.0,
                    entry.dev.1,
                    entry.rdev.0,
                    entry.rdev.1,
                    name_size as u32,
                    entry.sum.unwrap_or(0),
                ];
                let digits: String = numbers.iter().map(|n| format!("{n:08X}")).collect();
                format!("07070{}{digits}", if self == Format::Crc { 2 } else { 1 }).into_bytes()
            }
            Format::Odc => {
                let short = |n: u64| n & 0o777_777;
                format!(
                    "070707{:06o}{:06o}{:06o}{:06o}{:06o}{:06o}{:06o}{:011o}{:06o}{:011o}",
                    short(u64::from(entry.dev.0 << 8 | entry.dev.1)),
                    short(entry.ino),
                    short(entry.mode.into()),
                    short(entry.uid.into()),
                    short(entry.gid.into()),
                    short(entry.links.into()),
                    short(u64::from(entry.rdev.0 << 8 | entry.rdev.1)),
                    entry.mtime.max(0) & 0o77_777_777_777,
                    short(name_size as u64),
                    entry.size & 0o77_777_777_777
                )
                .into_bytes()
            }
            Format::Binary => {
                let (time, size) = (entry.mtime as u32, entry.size as u32);
                let words = [
                    0o070707,
                    (entry.dev.0 << 8 | entry.dev.1) as u16,
                    entry.ino as u16,
                    entry.mode as u16,
                    entry.uid as u16,
                    entry.gid as u16,
                    entry.links as u16,
                    (entry.rdev.0 << 8 | entry.rdev.1) as u16,
                    (time >> 16) as u16,
                    time as u16,
                    name_size as u16,
                    (size >> 16) as u16,
                    size as u16,
                ];
                words.iter().flat_map(|w| w.to_le_bytes()).collect()
            }
        };
        head.extend_from_slice(&entry.name);
        head.push(0);
        let missing = self.padding(head.len() as u64);
        head.resize(head.len() + missing, 0);
        head
    }
}

/// Why an archive cannot be read on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    Read(Errno),
    End,
    Malformed,
}

pub struct Reader {
    input: Source,
    pub read: u64,
}

impl Reader {
    pub fn new(fd: i32, file: Option<capsule_sys::Fd>) -> Reader {
        Reader { input: Source::new(fd, file), read: 0 }
    }

    /// Exactly so many bytes.
    pub fn exactly(&mut self, mut count: u64, mut take: impl FnMut(&[u8])) -> Result<(), Broken> {
        self.read += count;
        while count > 0 {
            let block = self.input.fill().map_err(Broken::Read)?;
            if block.is_empty() {
                return Err(Broken::End);
            }
            let n = block.len().min(usize::try_from(count).unwrap_or(usize::MAX));
            take(&block[..n]);
            self.input.consume(n);
            count -= n as u64;
        }
        Ok(())
    }

    fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Broken> {
        let mut all = Vec::with_capacity(count.min(1 << 16));
        self.exactly(count as u64, |b| all.extend_from_slice(b))?;
        Ok(all)
    }

    /// The next header; none at the trailer.
    pub fn next(&mut self) -> Result<Option<(Entry, Format)>, Broken> {
        let start = self.input.look(6).map_err(Broken::Read)?.to_vec();
        if start.len() < 6 {
            return Err(Broken::End);
        }
        let (mut entry, format, name_size) = match start.as_slice() {
            b"070701" | b"070702" => self.newc()?,
            b"070707" => self.odc()?,
            [0xc7, 0x71, ..] => self.binary(u16::from_le_bytes)?,
            [0x71, 0xc7, ..] => self.binary(u16::from_be_bytes)?,
            _ => {
                self.junk()?;
                return self.next();
            }
        };
        if name_size == 0 || name_size > 65_536 {
            return Err(Broken::Malformed);
        }
        let mut name = self.bytes(name_size)?;
        name.pop();
        entry.name = name;
        let header = match format {
            Format::Newc | Format::Crc => 110,
            Format::Odc => 76,
            Format::Binary => 26,
        };
        let padding = format.padding((header + name_size) as u64);
        self.exactly(padding as u64, |_| {})?;
        Ok((entry.name != TRAILER).then_some((entry, format)))
    }

    /// Steps over what is no header, up to one.
    fn junk(&mut self) -> Result<(), Broken> {
        let mut skipped = 0u64;
        loop {
            self.exactly(1, |_| {})?;
            skipped += 1;
            let start = self.input.look(6).map_err(Broken::Read)?;
            if start.len() < 6 {
                return Err(Broken::End);
            }
            if matches!(start, b"070701" | b"070702" | b"070707" | [0xc7, 0x71, ..] | [0x71, 0xc7, ..]) {
                let plural = if skipped == 1 { "" } else { "s" };
                report::error(format_args!("warning: skipped {skipped} byte{plural} of junk"));
                return Ok(());
            }
        }
    }

    fn newc(&mut self) -> Result<(Entry, Format, usize), Broken> {
        let head = self.bytes(110)?;
        let mut numbers = [0u32; 13];
        for (number, digits) in numbers.iter_mut().zip(head[6..].chunks_exact(8)) {
            let text = std::str::from_utf8(digits).map_err(|_| Broken::Malformed)?;
            *number = u32::from_str_radix(text, 16).map_err(|_| Broken::Malformed)?;
        }
        let n = numbers;
        let format = if head.starts_with(b"070702") { Format::Crc } else { Format::Newc };
        let entry = Entry {
            name: Vec::new(),
            ino: n[0].into(),
            mode: n[1],
            uid: n[2],
            gid: n[3],
            links: n[4],
            mtime: n[5].into(),
            size: n[6].into(),
            dev: (n[7], n[8]),
            rdev: (n[9], n[10]),
            sum: (format == Format::Crc).then_some(n[12]),
        };
        Ok((entry, format, n[11] as usize))
    }

    fn odc(&mut self) -> Result<(Entry, Format, usize), Broken> {
        let head = self.bytes(76)?;
        let field = |from: usize, to: usize| -> Result<u64, Broken> {
            let text = std::str::from_utf8(&head[from..to]).map_err(|_| Broken::Malformed)?;
            u64::from_str_radix(text.trim(), 8).map_err(|_| Broken::Malformed)
        };
        let device = |n: u64| ((n >> 8) as u32, (n & 0xff) as u32);
        let entry = Entry {
            name: Vec::new(),
            dev: device(field(6, 12)?),
            ino: field(12, 18)?,
            mode: field(18, 24)? as u32,
            uid: field(24, 30)? as u32,
            gid: field(30, 36)? as u32,
            links: field(36, 42)? as u32,
            rdev: device(field(42, 48)?),
            mtime: field(48, 59)? as i64,
            size: field(65, 76)?,
            sum: None,
        };
        Ok((entry, Format::Odc, field(59, 65)? as usize))
    }

    fn binary(&mut self, word: fn([u8; 2]) -> u16) -> Result<(Entry, Format, usize), Broken> {
        let head = self.bytes(26)?;
        let w = |at: usize| u32::from(word([head[2 * at], head[2 * at + 1]]));
        let entry = Entry {
            name: Vec::new(),
            dev: (w(1) >> 8, w(1) & 0xff),
            ino: w(2).into(),
            mode: w(3),
            uid: w(4),
            gid: w(5),
            links: w(6),
            rdev: (w(7) >> 8, w(7) & 0xff),
            mtime: (w(8) << 16 | w(9)).into(),
            size: (w(11) << 16 | w(12)).into(),
            sum: None,
        };
        Ok((entry, Format::Binary, w(10) as usize))
    }
}
