//! xz, and the lzma format before it.

use super::{Decode, Encode, Fault, Source};
use capsule_sys::Out;
use lzma_rust2::{
    CheckType, EncodeMode, FilterConfig, FilterType, LzmaOptions, LzmaReader, LzmaWriter, MfType, XzOptions, XzReader,
    XzWriter,
};
use std::io::{self, ErrorKind, Read, Write};

/// What a decoder may use, in KiB: enough for the largest preset.
const MEMORY: u32 = 100 * 1024;

enum Inner {
    Xz(XzReader<Source>),
    Lzma(LzmaReader<Source>),
    Waiting(Option<Source>),
    Done(Source),
}

pub struct Decoder {
    inner: Inner,
    lzma: bool,
    /// What follows the first stream is left alone.
    single: bool,
}

impl Decoder {
    pub fn new(source: Source, lzma: bool, single: bool) -> Decoder {
        Decoder { inner: Inner::Waiting(Some(source)), lzma, single }
    }

    fn source(&self) -> Option<&Source> {
        match &self.inner {
            Inner::Xz(reader) => Some(reader.inner()),
            Inner::Lzma(reader) => Some(reader.inner()),
            Inner::Waiting(source) => source.as_ref(),
            Inner::Done(source) => Some(source),
        }
    }

    /// Nothing may follow the older format: it has no way to tell what that is.
    fn end(&mut self) -> Result<(), Fault> {
        match std::mem::replace(&mut self.inner, Inner::Waiting(None)) {
            Inner::Lzma(reader) => {
                let (mut source, ahead) = reader.into_parts();
                let more = !ahead.is_empty() || !source.fill()?.is_empty();
                self.inner = Inner::Done(source);
                if more { Err(Fault::Invalid) } else { Ok(()) }
            }
            other => {
                self.inner = other;
                Ok(())
            }
        }
    }

    /// Looks at the start: what is no xz at all is told apart from what is broken.
    fn begin(&mut self) -> Result<(), Fault> {
        let Inner::Waiting(source) = &mut self.inner else { return Ok(()) };
        let Some(mut source) = source.take() else { return Err(Fault::Eof) };
        let start = source.look(13)?;
        let known = super::sniff(start);
        if start.is_empty() {
            return Err(Fault::NotFormat);
        }
        match (self.lzma, known) {
            (false, Some(super::Format::Xz)) => {
                self.inner = Inner::Xz(XzReader::new_mem_limit(source, !self.single, MEMORY));
            }
            (true, Some(super::Format::Lzma)) => match LzmaReader::new_mem_limit(source, MEMORY, None) {
                Ok(reader) => self.inner = Inner::Lzma(reader),
                Err(_) => return Err(Fault::Invalid),
            },
            (false, _) if b"\xfd7zXZ\0".starts_with(start) => return Err(Fault::Eof),
            _ => return Err(Fault::NotFormat),
        }
        Ok(())
    }
}

impl Decode for Decoder {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize, Fault> {
        self.begin()?;
        let answer = match &mut self.inner {
            Inner::Xz(reader) => reader.read(buf),
            Inner::Lzma(reader) => reader.read(buf),
            Inner::Done(_) => return Ok(0),
            Inner::Waiting(_) => return Ok(0),
        };
        if matches!(answer, Ok(0)) && !buf.is_empty() {
            self.end()?;
        }
        answer.map_err(|e| match (self.source().and_then(Source::errno), e.kind()) {
            (Some(errno), _) => Fault::Read(errno),
            (None, ErrorKind::UnexpectedEof) => Fault::Eof,
            (None, ErrorKind::OutOfMemory) => Fault::Memory,
            _ => Fault::Invalid,
        })
    }

    fn read_bytes(&self) -> u64 {
        self.source().map_or(0, Source::taken)
    }
}

/// The encoder's way to the output, which keeps its errors.
struct Sink(Out);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A preset, with [`super::EXTREME`] the slower variant of it.
fn preset(level: u32) -> LzmaOptions {
    let mut options = LzmaOptions::with_preset(level & !super::MORE);
    if level & super::EXTREME != 0 {
        options.mode = EncodeMode::Normal;
        options.mf = MfType::Bt4;
        options.nice_len = LzmaOptions::NICE_LEN_MAX;
        options.depth_limit = 512;
    }
    options
}

/// What stands in front of the packer, so that it finds more that repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FilterKind {
    X86,
    Arm,
    ArmThumb,
    Arm64,
    PowerPc,
    Ia64,
    Sparc,
    Delta,
    /// The packer itself.
    Lzma2,
}

#[derive(Clone, Copy, Debug)]
pub struct Filter {
    pub kind: FilterKind,
    pub property: u32,
}

/// What is asked of the packer beside its level.
#[derive(Clone, Default, Debug)]
pub struct LzmaChoice {
    /// The level, and whether it takes more time.
    pub preset: Option<(u32, bool)>,
    pub dictionary: Option<u32>,
    pub lc: Option<u32>,
    pub lp: Option<u32>,
    pub pb: Option<u32>,
    pub nice: Option<u32>,
    pub depth: Option<u32>,
    pub fast: Option<bool>,
    pub hash_chains: Option<bool>,
}

/// Filters in the order they work in, and the packer at their end.
#[derive(Clone, Default, Debug)]
pub struct Chain {
    pub filters: Vec<Filter>,
    pub lzma: Option<LzmaChoice>,
}

impl Filter {
    fn config(self) -> Option<FilterConfig> {
        let filter_type = match self.kind {
            FilterKind::X86 => FilterType::BcjX86,
            FilterKind::Arm => FilterType::BcjArm,
            FilterKind::ArmThumb => FilterType::BcjArmThumb,
            FilterKind::Arm64 => FilterType::BcjArm64,
            FilterKind::PowerPc => FilterType::BcjPpc,
            FilterKind::Ia64 => FilterType::BcjIa64,
            FilterKind::Sparc => FilterType::BcjSparc,
            FilterKind::Delta => FilterType::Delta,
            FilterKind::Lzma2 => return None,
        };
        Some(FilterConfig { filter_type, property: self.property })
    }
}

impl LzmaChoice {
    fn options(&self, level: u32) -> LzmaOptions {
        let level = match self.preset {
            Some((preset, extreme)) => preset | if extreme { super::EXTREME } else { 0 },
            None => level,
        };
        let mut options = preset(level);
        let set = |place: &mut u32, value: Option<u32>| *place = value.unwrap_or(*place);
        set(&mut options.dict_size, self.dictionary);
        set(&mut options.lc, self.lc);
        set(&mut options.lp, self.lp);
        set(&mut options.pb, self.pb);
        set(&mut options.nice_len, self.nice);
        if let Some(depth) = self.depth {
            options.depth_limit = i32::try_from(depth).unwrap_or(i32::MAX);
        }
        if let Some(fast) = self.fast {
            options.mode = if fast { EncodeMode::Fast } else { EncodeMode::Normal };
        }
        if let Some(chains) = self.hash_chains {
            options.mf = if chains { MfType::Hc4 } else { MfType::Bt4 };
        }
        options
    }
}

pub struct Encoder(XzWriter<Sink>);

impl Encoder {
    pub fn new(out: Out, level: u32, chain: &Chain) -> Option<Encoder> {
        let check_type = match level {
            level if level & super::NO_CHECK != 0 => CheckType::None,
            level if level & super::CRC32 != 0 => CheckType::Crc32,
            level if level & super::SHA256 != 0 => CheckType::Sha256,
            _ => CheckType::Crc64,
        };
        let lzma_options = chain.lzma.clone().unwrap_or_default().options(level);
        let filters = chain.filters.iter().filter_map(|filter| filter.config()).collect();
        let options = XzOptions { lzma_options, check_type, filters, ..XzOptions::default() };
        XzWriter::new(Sink(out), options).ok().map(Encoder)
    }
}

impl Encode for Encoder {
    fn write(&mut self, bytes: &[u8]) {
        // The sink takes everything.
        let _ = self.0.write_all(bytes);
    }

    fn finish(self: Box<Self>) -> Out {
        self.0.finish().map_or_else(|_| Out::stdout(), |sink| sink.0)
    }

    fn out(&mut self) -> &mut Out {
        &mut self.0.inner_mut().0
    }
}

pub struct LzmaEncoder(LzmaWriter<Sink>);

impl LzmaEncoder {
    pub fn new(out: Out, level: u32) -> Option<LzmaEncoder> {
        LzmaWriter::new_use_header(Sink(out), &preset(level), None).ok().map(LzmaEncoder)
    }
}

impl Encode for LzmaEncoder {
    fn write(&mut self, bytes: &[u8]) {
        let _ = self.0.write_all(bytes);
    }

    fn finish(self: Box<Self>) -> Out {
        self.0.finish().map_or_else(|_| Out::stdout(), |sink| sink.0)
    }

    fn out(&mut self) -> &mut Out {
        &mut self.0.inner_mut().0
    }
}
