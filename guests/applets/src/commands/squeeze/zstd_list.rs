//! `zstd -l`: what the headers of the frames tell.

use super::Squeezer;
use super::words::Trouble;
use crate::codec::{Fault, Source};

#[derive(Default)]
pub struct Sums {
    files: u64,
    frames: u64,
    skips: u64,
    packed: u64,
    plain: u64,
    /// A frame does not tell how much it holds.
    unknown: bool,
    window: u64,
    /// Of the last frame that has one.
    checksum: Option<u32>,
    /// Among several files, one that has none.
    unchecked: bool,
}

/// A number with as many digits as three places have, and its unit in four places.
pub fn human(bytes: u64, width: usize) -> String {
    let text = short(bytes, width);
    match text.strip_suffix(" B") {
        Some(number) => format!("{number}   B"),
        None => text,
    }
}

/// The same with the unit right behind it.
pub fn short(bytes: u64, width: usize) -> String {
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit < 4 {
        value /= 1024.0;
        unit += 1;
    }
    let digits = match value {
        _ if unit == 0 => 0,
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{value:width$.digits$}{}", [" B", " KiB", " MiB", " GiB", " TiB"][unit])
}

fn number(source: &mut Source, bytes: u32) -> Result<u64, Fault> {
    let mut value = 0;
    for i in 0..bytes {
        value |= u64::from(source.byte()?.ok_or(Fault::Eof)?) << (8 * i);
    }
    Ok(value)
}

fn skip(source: &mut Source, mut left: u64) -> Result<(), Fault> {
    while left > 0 {
        let n = source.fill()?.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if n == 0 {
            return Err(Fault::Eof);
        }
        source.consume(n);
        left -= n as u64;
    }
    Ok(())
}

impl Sums {
    /// Counts all frames; false when the first is none.
    fn read(&mut self, source: &mut Source) -> Result<bool, Fault> {
        loop {
            match source.look(4)? {
                [] => return Ok(self.frames + self.skips > 0),
                [0x28, 0xb5, 0x2f, 0xfd] => self.frame(source)?,
                [0x50..=0x5f, 0x2a, 0x4d, 0x18] => {
                    number(source, 4)?;
                    let size = number(source, 4)?;
                    skip(source, size)?;
                    self.skips += 1;
                }
                _ if self.frames + self.skips == 0 => return Ok(false),
                _ => return Err(Fault::Invalid),
            }
        }
    }

    fn frame(&mut self, source: &mut Source) -> Result<(), Fault> {
        number(source, 4)?;
        let flags = number(source, 1)?;
        let single = flags & 0x20 != 0;
        let mut window = 0;
        if !single {
            let byte = number(source, 1)?;
            let base = 1u64 << (10 + (byte >> 3));
            window = base + base / 8 * (byte & 7);
        }
        number(source, [0, 1, 2, 4][(flags & 3) as usize])?;
        let size = match flags >> 6 {
            0 if single => Some(number(source, 1)?),
            0 => None,
            1 => Some(number(source, 2)? + 256),
            2 => Some(number(source, 4)?),
            _ => Some(number(source, 8)?),
        };
        match size {
            Some(size) => self.plain = self.plain.saturating_add(size),
            None => self.unknown = true,
        }
        self.window = self.window.max(if single { size.unwrap_or(0) } else { window });
        loop {
            let head = number(source, 3)?;
            // A run is stored as its byte.
            skip(source, if head >> 1 & 3 == 1 { 1 } else { head >> 3 })?;
            if head & 1 != 0 {
                break;
            }
        }
        if flags & 4 != 0 {
            self.checksum = Some(number(source, 4)? as u32);
        }
        self.frames += 1;
        Ok(())
    }

    fn check(&self) -> &'static str {
        match (self.files, self.checksum) {
            (0 | 1, Some(_)) => "XXH64",
            (0 | 1, None) => "None",
            _ if self.unchecked => "",
            _ => "XXH64",
        }
    }

    fn row(&self, name: &str) -> String {
        let (packed, check) = (human(self.packed, 6), self.check());
        let start = format!("{:6}  {:5}  {packed}", self.frames, self.skips);
        if self.unknown {
            return format!("{start}                       {check:>5}  {name}\n");
        }
        let ratio = if self.packed == 0 { 0.0 } else { self.plain as f64 / self.packed as f64 };
        format!("{start}  {}  {ratio:5.3}  {check:>5}  {name}\n", human(self.plain, 8))
    }

    fn details(&self, name: &str) -> String {
        let size = |bytes: u64| format!("{} ({bytes} B)", short(bytes, 0));
        let mut text = format!("{name} \n# Zstandard Frames: {}\n", self.frames);
        if self.skips > 0 {
            text += &format!("# Skippable Frames: {}\n", self.skips);
        }
        text += &format!("DictID: 0\nWindow Size: {}\nCompressed Size: {}\n", size(self.window), size(self.packed));
        if !self.unknown {
            let ratio = self.plain as f64 / self.packed.max(1) as f64;
            text += &format!("Decompressed Size: {}\nRatio: {ratio:.4}\n", size(self.plain));
        }
        match self.checksum.filter(|_| self.frames == 1) {
            Some(sum) => text += &format!("Check: XXH64 {sum:08x}\n\n"),
            None => text += &format!("Check: {}\n\n", self.check()),
        }
        text
    }
}

impl Squeezer {
    pub fn list_zstd(&mut self, name: &[u8], mut source: Source, size: u64) -> Result<(), Trouble> {
        let mut sums = Sums { files: 1, packed: size, ..Sums::default() };
        let shown = String::from_utf8_lossy(name).into_owned();
        self.zstd_heading();
        match sums.read(&mut source) {
            Ok(true) => {}
            Ok(false) => {
                // Less than a header.
                if size < 6 {
                    crate::report::plain("Error: reached end of file with incomplete frame \n");
                }
                self.out.write(format!("File \"{shown}\" not compressed by zstd \n").as_bytes());
                self.status = 1;
                return Ok(());
            }
            Err(Fault::Read(e)) => return Err(Trouble::Fault(Fault::Read(e))),
            Err(_) => {
                let _ = self.out.flush();
                crate::report::plain("Error: reached end of file with incomplete frame \n");
                crate::report::plain(&format!("Error while parsing \"{shown}\" \n"));
                self.status = 1;
                return Ok(());
            }
        }
        let text = if self.settings.verbose > 0 { sums.details(&shown) } else { sums.row(&shown) };
        self.out.write(text.as_bytes());
        let all = &mut self.zstd;
        all.files += 1;
        all.frames += sums.frames;
        all.skips += sums.skips;
        all.packed += sums.packed;
        all.plain = all.plain.saturating_add(sums.plain);
        all.unknown |= sums.unknown;
        all.unchecked |= sums.checksum.is_none();
        Ok(())
    }

    fn zstd_heading(&mut self) {
        if !std::mem::replace(&mut self.headed, true) && self.settings.verbose == 0 {
            self.out.write(b"Frames  Skips  Compressed  Uncompressed  Ratio  Check  Filename\n");
        }
    }

    pub fn zstd_totals(&mut self, files: usize) {
        if files > 1 && self.settings.verbose == 0 {
            self.out.write(b"----------------------------------------------------------------- \n");
            let row = self.zstd.row(&format!("{} files", self.zstd.files));
            self.out.write(row.as_bytes());
        }
    }
}
