//! `xz -l`: what the indexes at the ends of the streams tell.

use super::Squeezer;
use super::words::Trouble;
use crate::codec::Fault;
use capsule_sys::{fstat, pread};

/// The most that an index may have: records of two numbers each, no files.
const INDEX: u64 = 16 << 20;

#[derive(Default)]
pub struct Sums {
    files: u64,
    streams: u64,
    blocks: u64,
    packed: u64,
    plain: u64,
    padding: u64,
    checks: u16,
}

struct Stream {
    offset: u64,
    size: u64,
    plain: u64,
    check: u8,
    padding: u64,
    /// Bytes with padding, and what they hold.
    blocks: Vec<(u64, u64)>,
}

fn read_at(fd: i32, offset: u64, buf: &mut [u8]) -> Result<(), Fault> {
    let mut done = 0;
    while done < buf.len() {
        match pread(fd, &mut buf[done..], offset + done as u64)? {
            0 => return Err(Fault::Eof),
            n => done += n,
        }
    }
    Ok(())
}

/// A number of seven bits a byte.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// The stream that ends at `end`.
fn stream(fd: i32, mut end: u64) -> Result<Stream, Fault> {
    let mut padding = 0;
    let mut word = [0; 4];
    loop {
        read_at(fd, end.checked_sub(4).ok_or(Fault::Invalid)?, &mut word)?;
        if word != [0; 4] {
            break;
        }
        end -= 4;
        padding += 4;
    }
    let mut footer = [0; 12];
    read_at(fd, end.checked_sub(12).ok_or(Fault::Invalid)?, &mut footer)?;
    let [_, _, _, _, a, b, c, d, _, check, b'Y', b'Z'] = footer else { return Err(Fault::Invalid) };
    let length = (u64::from(u32::from_le_bytes([a, b, c, d])) + 1) * 4;
    if length > INDEX {
        return Err(Fault::Memory);
    }
    let at = end.checked_sub(12 + length).ok_or(Fault::Invalid)?;
    let mut index = vec![0; length as usize];
    read_at(fd, at, &mut index)?;
    let mut rest = index.strip_prefix(&[0]).ok_or(Fault::Invalid)?;
    let count = number(&mut rest).ok_or(Fault::Invalid)?;
    let (mut blocks, mut size, mut plain) = (Vec::new(), 24 + length, 0u64);
    for _ in 0..count {
        let unpadded = number(&mut rest).ok_or(Fault::Invalid)?;
        let holds = number(&mut rest).ok_or(Fault::Invalid)?;
        let total = unpadded.checked_next_multiple_of(4).ok_or(Fault::Invalid)?;
        size = size.checked_add(total).ok_or(Fault::Invalid)?;
        plain = plain.checked_add(holds).ok_or(Fault::Invalid)?;
        blocks.push((total, holds));
    }
    let offset = end.checked_sub(size).ok_or(Fault::Invalid)?;
    let mut magic = [0; 6];
    read_at(fd, offset, &mut magic)?;
    if magic != *b"\xfd7zXZ\0" {
        return Err(Fault::Invalid);
    }
    Ok(Stream { offset, size, plain, check: check & 15, padding, blocks })
}

/// `3893 B`, or with a larger unit what would have five digits.
pub fn nice(bytes: u64) -> String {
    if bytes < 10_000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value > 9999.9 && unit < 3 {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", ["KiB", "MiB", "GiB", "TiB"][unit])
}

fn nice_and_bytes(bytes: u64) -> String {
    if bytes < 10_000 { nice(bytes) } else { format!("{} ({bytes} B)", nice(bytes)) }
}

fn ratio(packed: u64, plain: u64) -> String {
    let ratio = packed as f64 / plain as f64;
    if plain == 0 || ratio > 9.999 { "---".to_owned() } else { format!("{ratio:.3}") }
}

fn check_names(checks: u16) -> String {
    let name = |id: u16| match id {
        0 => "None".to_owned(),
        1 => "CRC32".to_owned(),
        4 => "CRC64".to_owned(),
        10 => "SHA-256".to_owned(),
        other => format!("Unknown-{other}"),
    };
    let all: Vec<_> = (0..16).filter(|id| checks & 1 << id != 0).map(name).collect();
    if all.is_empty() { "None".to_owned() } else { all.join(",") }
}

impl Sums {
    fn row(&self, name: &str) -> String {
        let ratio = ratio(self.packed, self.plain);
        format!(
            "{:5} {:7}  {:>11}  {:>11}  {ratio:>5}  {:<7} {name}\n",
            self.streams,
            self.blocks,
            nice(self.packed),
            nice(self.plain),
            check_names(self.checks),
        )
    }

    /// For programs.
    fn fields(&self) -> String {
        let Sums { streams, blocks, packed, plain, padding, .. } = self;
        let (ratio, checks) = (ratio(*packed, *plain), check_names(self.checks));
        format!("{streams}\t{blocks}\t{packed}\t{plain}\t{ratio}\t{checks}\t{padding}")
    }

    fn lines(&self) -> String {
        format!(
            "  Streams:           {}\n  Blocks:            {}\n  Compressed size:   {}\n  Uncompressed size: {}\n  \
             Ratio:             {}\n  Check:             {}\n  Stream Padding:    {}\n",
            self.streams,
            self.blocks,
            nice_and_bytes(self.packed),
            nice_and_bytes(self.plain),
            ratio(self.packed, self.plain),
            check_names(self.checks),
            nice_and_bytes(self.padding),
        )
    }
}

impl Squeezer {
    pub fn list_xz(&mut self, name: &[u8], fd: i32, place: (usize, usize)) -> Result<(), Trouble> {
        let size = fstat(fd).map_err(|e| Trouble::Fault(Fault::Read(e)))?.size;
        if size == 0 {
            return Err(Trouble::Empty);
        }
        if size < 24 {
            return Err(Trouble::TooSmall);
        }
        let mut magic = [0; 6];
        if read_at(fd, 0, &mut magic).is_err() || magic != *b"\xfd7zXZ\0" {
            return Err(Trouble::Fault(Fault::NotFormat));
        }
        let mut streams = Vec::new();
        let mut end = size;
        while end > 0 {
            let found = stream(fd, end)
                .map_err(|fault| Trouble::Fault(if fault == Fault::Eof { Fault::Invalid } else { fault }))?;
            end = found.offset;
            streams.push(found);
        }
        streams.reverse();
        let mut sums = Sums { files: 1, packed: size, ..Sums::default() };
        for stream in &streams {
            sums.streams += 1;
            sums.blocks += stream.blocks.len() as u64;
            sums.plain = sums.plain.saturating_add(stream.plain);
            sums.padding += stream.padding;
            sums.checks |= 1 << stream.check;
        }
        let shown = String::from_utf8_lossy(name).into_owned();
        if self.settings.robot {
            self.xz_for_programs(&shown, &streams, &sums);
        } else if self.settings.verbose > 0 {
            self.xz_details(&shown, &streams, &sums, place);
        } else {
            if self.xz.files == 0 {
                self.out.write(b"Strms  Blocks   Compressed Uncompressed  Ratio  Check   Filename\n");
            }
            self.out.write(sums.row(&shown).as_bytes());
        }
        let all = &mut self.xz;
        all.files += 1;
        all.streams += sums.streams;
        all.blocks += sums.blocks;
        all.packed += sums.packed;
        all.plain = all.plain.saturating_add(sums.plain);
        all.padding += sums.padding;
        all.checks |= sums.checks;
        Ok(())
    }

    /// `--robot`: fields between tabs.
    fn xz_for_programs(&mut self, name: &str, streams: &[Stream], sums: &Sums) {
        let mut text = format!("name\t{name}\nfile\t{}\n", sums.fields());
        let verbose = self.settings.verbose > 0;
        let mut plain_at = 0u64;
        for (i, s) in streams.iter().enumerate().filter(|_| verbose) {
            let (ratio, check) = (ratio(s.size, s.plain), check_names(1 << s.check));
            let (number, blocks) = (i + 1, s.blocks.len());
            text += &format!("stream\t{number}\t{blocks}\t{}\t{plain_at}\t{}\t{}", s.offset, s.size, s.plain);
            text += &format!("\t{ratio}\t{check}\t{}\n", s.padding);
            plain_at = plain_at.saturating_add(s.plain);
        }
        let (mut in_file, mut plain_at) = (0, 0u64);
        for (i, s) in streams.iter().enumerate().filter(|_| verbose) {
            let mut at = s.offset + 12;
            for (j, (total, plain)) in s.blocks.iter().enumerate() {
                in_file += 1;
                let (ratio, check) = (ratio(*total, *plain), check_names(1 << s.check));
                let (i, j) = (i + 1, j + 1);
                text += &format!("block\t{i}\t{j}\t{in_file}\t{at}\t{plain_at}\t{total}\t{plain}\t{ratio}\t{check}\n");
                at += total;
                plain_at = plain_at.saturating_add(*plain);
            }
        }
        self.out.write(text.as_bytes());
    }

    fn xz_details(&mut self, name: &str, streams: &[Stream], sums: &Sums, (nth, of): (usize, usize)) {
        if self.xz.files > 0 {
            self.out.byte(b'\n');
        }
        let mut text = format!("{name} ({nth}/{of})\n{}", sums.lines());
        text += "  Streams:\n    Stream    Blocks      CompOffset    UncompOffset        CompSize      UncompSize  Ratio  Check      Padding\n";
        let mut plain_at = 0u64;
        for (i, s) in streams.iter().enumerate() {
            let ratio = ratio(s.size, s.plain);
            let check = check_names(1 << s.check);
            text += &format!(
                "    {:6} {:9} {:15} {plain_at:15} {:15} {:15}  {ratio:>5}  {check:<10} {:7}\n",
                i + 1,
                s.blocks.len(),
                s.offset,
                s.size,
                s.plain,
                s.padding,
            );
            plain_at = plain_at.saturating_add(s.plain);
        }
        if sums.blocks > 0 {
            text += "  Blocks:\n    Stream     Block      CompOffset    UncompOffset       TotalSize      UncompSize  Ratio  Check\n";
        }
        self.out.write(text.as_bytes());
        plain_at = 0;
        for (i, s) in streams.iter().enumerate() {
            let mut at = s.offset + 12;
            for (j, (total, plain)) in s.blocks.iter().enumerate() {
                let (ratio, check) = (ratio(*total, *plain), check_names(1 << s.check));
                let (i, j) = (i + 1, j + 1);
                let line =
                    format!("    {i:6} {j:9} {at:15} {plain_at:15} {total:15} {plain:15}  {ratio:>5}  {check}\n");
                self.out.write(line.as_bytes());
                at += total;
                plain_at = plain_at.saturating_add(*plain);
            }
        }
    }

    pub fn xz_totals(&mut self) {
        if self.settings.robot && self.xz.files > 0 {
            let text = format!("totals\t{}\t{}\n", self.xz.fields(), self.xz.files);
            return self.out.write(text.as_bytes());
        }
        if self.xz.files < 2 {
            return;
        }
        let files = self.xz.files;
        let text = match self.settings.verbose > 0 {
            true => format!("\nTotals:\n  Number of files:   {files}\n{}", self.xz.lines()),
            false => format!("{}\n{}", "-".repeat(79), self.xz.row(&format!("{files} files"))),
        };
        self.out.write(text.as_bytes());
    }
}
