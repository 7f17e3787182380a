//! Compression: decoders that are pulled, encoders that are pushed, blocks at a time and with bounded memory.
//!
//! * `source`: a descriptor with a look ahead
//! * `gzip`, `bzip2`, `xz`, `zstd`, `lzw`: the formats

mod bzip2;
pub mod gzip;
mod lzw;
mod source;
mod xz;
mod zstd;

use capsule_sys::{Errno, Out};
pub use source::Source;
pub use xz::{Chain, Filter, FilterKind, LzmaChoice};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Gzip,
    Bzip2,
    Xz,
    /// The format before xz.
    Lzma,
    Zstd,
    /// Of `compress`: read only.
    Lzw,
}

/// Why no more can be decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    Read(Errno),
    NotFormat,
    Eof,
    /// Nothing at all, where something is needed.
    Empty,
    Checksum,
    Length,
    Invalid,
    Memory,
}

impl From<Errno> for Fault {
    fn from(e: Errno) -> Fault {
        Fault::Read(e)
    }
}

pub trait Decode {
    /// Fills some of the buffer; 0 is the end.
    fn read(&mut self, buf: &mut [u8]) -> Result<usize, Fault>;

    /// Something follows the data that is not part of it.
    fn garbage(&self) -> bool {
        false
    }

    /// Steps over data without looking at it, as far as that is cheaper than reading: how much.
    fn skip(&mut self, _count: u64) -> u64 {
        0
    }

    /// How many compressed bytes have been read.
    fn read_bytes(&self) -> u64;
}

/// Errors of writing stay in the [`Out`].
pub trait Encode {
    fn write(&mut self, bytes: &[u8]);

    /// Writes what is left, and hands the output back.
    fn finish(self: Box<Self>) -> Out;

    fn out(&mut self) -> &mut Out;
}

/// Data as it is.
impl Decode for Source {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize, Fault> {
        Ok(self.read_into(buf)?)
    }

    fn skip(&mut self, count: u64) -> u64 {
        self.pass_over(count)
    }

    fn read_bytes(&self) -> u64 {
        self.taken()
    }
}

/// The format that data begins with.
pub fn sniff(start: &[u8]) -> Option<Format> {
    match start {
        [0x1f, 0x8b, ..] => Some(Format::Gzip),
        [0x1f, 0x9d, ..] => Some(Format::Lzw),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Format::Bzip2),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Format::Xz),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Format::Zstd),
        [0x5d, 0, 0, _, _, 0xff, ..] | [0x5d, 0, 0, _, _, _, _, _, _, _, 0, 0, 0, ..] => Some(Format::Lzma),
        _ => None,
    }
}

/// Added to a level of xz: more time for a better result.
pub const EXTREME: u32 = 1 << 31;
/// Added to a level of xz or zstd: another check of the data, or none.
pub const NO_CHECK: u32 = 1 << 30;
pub const CRC32: u32 = 1 << 29;
pub const SHA256: u32 = 1 << 28;
/// What a level has beside its number.
const MORE: u32 = EXTREME | NO_CHECK | CRC32 | SHA256;

/// The level that is taken when none is asked for.
pub fn usual_level(format: Format) -> u32 {
    match format {
        Format::Bzip2 => 9,
        Format::Zstd => 3,
        _ => 6,
    }
}

pub fn decoder(format: Format, source: Source) -> Box<dyn Decode> {
    match format {
        Format::Gzip => Box::new(gzip::Decoder::new(source)),
        Format::Bzip2 => Box::new(bzip2::Decoder::new(source)),
        Format::Xz | Format::Lzma => Box::new(xz::Decoder::new(source, format == Format::Lzma, false)),
        Format::Zstd => Box::new(zstd::Decoder::new(source)),
        Format::Lzw => Box::new(lzw::Decoder::new(source)),
    }
}

/// A decoder that may end with the first stream of xz.
pub fn some_decoder(format: Format, source: Source, single: bool) -> Box<dyn Decode> {
    match format {
        Format::Xz if single => Box::new(xz::Decoder::new(source, false, true)),
        _ => decoder(format, source),
    }
}

/// xz with filters that were asked for.
pub fn filtering_encoder(level: u32, chain: &Chain, out: Out) -> Option<Box<dyn Encode>> {
    Some(Box::new(xz::Encoder::new(out, level, chain)?))
}

/// None for what can only be read, and when there is no memory for the encoder.
pub fn encoder(format: Format, level: u32, out: Out) -> Option<Box<dyn Encode>> {
    Some(match format {
        Format::Gzip => Box::new(gzip::Encoder::new(out, level, 0, None)),
        Format::Bzip2 => Box::new(bzip2::Encoder::new(out, level)),
        Format::Xz => Box::new(xz::Encoder::new(out, level, &Chain::default())?),
        Format::Lzma => Box::new(xz::LzmaEncoder::new(out, level)?),
        Format::Zstd => Box::new(zstd::Encoder::new(out, level)),
        Format::Lzw => return None,
    })
}
