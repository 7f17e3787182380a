//! Lines of addresses and items, and the strings of `-S`.

use super::Files;
use super::format::Format;
use crate::{Exit, report};
use capsule_sys::Out;

pub struct Dump {
    radix: u8,
    pub big: bool,
    pub skip: u64,
    pub limit: Option<u64>,
    /// A second address, beside that in the file.
    pub label: Option<u64>,
    /// Equal lines are shown, too.
    pub all: bool,
    pub least_string: Option<usize>,
    formats: Vec<Format>,
    /// Bytes of a line.
    line: usize,
}

impl Default for Dump {
    fn default() -> Dump {
        Dump {
            radix: b'o',
            big: false,
            skip: 0,
            limit: None,
            label: None,
            all: false,
            least_string: None,
            formats: Vec::new(),
            line: 16,
        }
    }
}

impl Dump {
    pub fn set_radix(&mut self, text: &[u8]) -> Result<(), Exit> {
        match text.first() {
            Some(radix @ (b'o' | b'd' | b'x' | b'n')) => {
                self.radix = *radix;
                Ok(())
            }
            other => {
                let shown = other.map_or('\0', |b| *b as char);
                let text = format!("invalid output address radix '{shown}'; it must be one character from [doxn]");
                Err(report::die(1, text))
            }
        }
    }

    /// The width of lines, and the blanks that line up items of different sizes.
    pub fn settle(&mut self, formats: Vec<Format>, width: Option<u64>) -> Result<(), Exit> {
        self.formats = formats;
        // All sizes are powers of two: the largest is a multiple of all.
        let unit = self.formats.iter().map(|f| f.size).max().unwrap_or(1);
        self.line = match width {
            Some(w) if w > 0 && w % unit as u64 == 0 => match usize::try_from(w) {
                Ok(w) if w <= 1 << 28 => w,
                _ => return Err(report::die(1, "memory exhausted")),
            },
            Some(w) => {
                report::error(format_args!("warning: invalid width {w}; using {unit} instead"));
                unit
            }
            None => 16,
        };
        let widest = self.formats.iter().map(|f| (f.width + 1) * (self.line / f.size)).max().unwrap_or(0);
        for format in &mut self.formats {
            format.padding = widest - format.width * (self.line / format.size);
        }
        Ok(())
    }

    fn address(&self, at: u64) -> String {
        let show = |at: u64| match self.radix {
            b'o' => format!("{at:07o}"),
            b'd' => format!("{at:07}"),
            b'x' => format!("{at:06x}"),
            _ => String::new(),
        };
        match self.label {
            None => show(at),
            Some(label) => {
                let second = show(at.wrapping_sub(self.skip).wrapping_add(label));
                if self.radix == b'n' { format!("({second})") } else { format!("{} ({second})", show(at)) }
            }
        }
    }

    pub fn run(&self, files: &mut Files<'_>, out: &mut Out) -> Result<(), Exit> {
        // Where nothing can be opened there is nothing to show, not even an address.
        if !files.open_first() {
            return Ok(());
        }
        files.skip(self.skip)?;
        if let Some(least) = self.least_string {
            return self.strings(files, least, out);
        }
        let mut at = self.skip;
        let mut left = self.limit;
        let (mut block, mut before) = (Vec::new(), Vec::new());
        let mut starred = false;
        loop {
            let wanted = left.map_or(self.line, |l| self.line.min(usize::try_from(l).unwrap_or(usize::MAX)));
            block.clear();
            files.read(wanted, &mut block);
            if block.is_empty() {
                break;
            }
            left = left.map(|l| l - block.len() as u64);
            if !self.all && block.len() == self.line && block == before {
                if !starred {
                    out.write(b"*\n");
                    starred = true;
                }
            } else {
                starred = false;
                self.block(at, &block, out);
            }
            at += block.len() as u64;
            report::writable(out)?;
            if block.len() < self.line {
                break;
            }
            std::mem::swap(&mut block, &mut before);
        }
        let address = self.address(at);
        if !address.is_empty() {
            out.write(address.as_bytes());
            out.byte(b'\n');
        }
        Ok(())
    }

    fn block(&self, at: u64, block: &[u8], out: &mut Out) {
        let address = self.address(at);
        let mut padded = block.to_vec();
        padded.resize(block.len().next_multiple_of(16), 0);
        let mut text = Vec::new();
        for (number, format) in self.formats.iter().enumerate() {
            if number == 0 {
                text.extend_from_slice(address.as_bytes());
            } else {
                text.resize(text.len() + address.len(), b' ');
            }
            let fields = self.line / format.size;
            let shown = block.len().div_ceil(format.size);
            let mut padding = format.padding;
            for i in 0..shown {
                let next = share(format.padding, fields - i - 1, fields);
                let bytes = &mut padded[i * format.size..(i + 1) * format.size].to_vec();
                if self.big {
                    bytes.reverse();
                }
                let item = format.item(bytes);
                let width = padding - next + format.width;
                text.resize(text.len() + width.saturating_sub(item.len()), b' ');
                text.extend_from_slice(item.as_bytes());
                padding = next;
            }
            if format.trailer {
                let blank = fields - shown;
                text.resize(text.len() + blank * format.width + share(format.padding, blank, fields), b' ');
                text.extend_from_slice(b"  >");
                text.extend(block.iter().map(|b| if (32..127).contains(b) { *b } else { b'.' }));
                text.push(b'<');
            }
            text.push(b'\n');
        }
        out.write(&text);
    }

    /// Runs of printable characters that a NUL ends.
    fn strings(&self, files: &mut Files<'_>, least: usize, out: &mut Out) -> Result<(), Exit> {
        let (mut held, mut at, mut start) = (Vec::new(), self.skip, self.skip);
        let end = self.limit.map_or(u64::MAX, |l| self.skip.saturating_add(l));
        let mut block = Vec::new();
        loop {
            block.clear();
            files.read(usize::try_from(end - at).unwrap_or(usize::MAX).min(65_536), &mut block);
            if block.is_empty() {
                break;
            }
            for &byte in &block {
                if (32..127).contains(&byte) {
                    held.push(byte);
                } else {
                    if byte == 0 && held.len() >= least {
                        self.string(start, &held, out);
                    }
                    held.clear();
                    start = at + 1;
                }
                at += 1;
            }
            report::writable(out)?;
        }
        // The limit ends a string as a NUL does.
        if at == end && held.len() >= least && !held.is_empty() {
            self.string(start, &held, out);
        }
        Ok(())
    }

    fn string(&self, at: u64, text: &[u8], out: &mut Out) {
        let address = self.address(at);
        if !address.is_empty() {
            out.write(address.as_bytes());
            out.byte(b' ');
        }
        out.write(text);
        out.byte(b'\n');
    }
}

/// The part of the padding that falls to some of the fields; the product may be beyond 32 bits.
fn share(padding: usize, some: usize, fields: usize) -> usize {
    (padding as u64 * some as u64 / fields as u64) as usize
}
