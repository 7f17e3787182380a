//! xz, and the lzma format before it.

use super::{Decode, Encode, Fault, Source};
use capsule_sys::Out;
use lzma_rust2::{CheckType, EncodeMode, LzmaOptions, LzmaReader, LzmaWriter, MfType, XzOptions, XzReader, XzWriter};
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

pub struct Encoder(XzWriter<Sink>);

impl Encoder {
    pub fn new(out: Out, level: u32) -> Option<Encoder> {
        let check_type = match level {
            level if level & super::NO_CHECK != 0 => CheckType::None,
            level if level & super::CRC32 != 0 => CheckType::Crc32,
            level if level & super::SHA256 != 0 => CheckType::Sha256,
            _ => CheckType::Crc64,
        };
        let options = XzOptions { lzma_options: preset(level), check_type, ..XzOptions::default() };
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
