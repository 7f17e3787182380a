//! Frames of zstd, one after the other.

use super::{Decode, Encode, Fault, Source};
use capsule_sys::Out;
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Read;

/// The largest window that is accepted: what the level of most memory uses.
const WINDOW: u64 = 128 << 20;

pub struct Decoder {
    source: Source,
    frame: FrameDecoder,
    inside: bool,
    first: bool,
    garbage: bool,
}

impl Decoder {
    pub fn new(source: Source) -> Decoder {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(WINDOW);
        Decoder { source, frame, inside: false, first: true, garbage: false }
    }

    /// Begins the next frame; false when there is none.
    fn begin(&mut self) -> Result<bool, Fault> {
        loop {
            let start = self.source.look(8)?;
            match start {
                [] if self.first => return Err(Fault::Empty),
                [] => return Ok(false),
                [0x28, 0xb5, 0x2f, 0xfd, ..] => break,
                // Frames to be skipped: a length and so many bytes.
                [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d] => {
                    let mut left = u64::from(u32::from_le_bytes([*a, *b, *c, *d])) + 8;
                    self.first = false;
                    while left > 0 {
                        let n = self.source.fill()?.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                        if n == 0 {
                            return Err(Fault::Eof);
                        }
                        self.source.consume(n);
                        left -= n as u64;
                    }
                }
                [0x28, ..] if start.len() < 4 => return Err(Fault::Eof),
                _ if self.first => return Err(Fault::NotFormat),
                _ => {
                    self.garbage = true;
                    return Ok(false);
                }
            }
        }
        self.first = false;
        self.frame.reset(&mut self.source).map_err(|e| self.fault(&e))?;
        self.inside = true;
        Ok(true)
    }

    fn fault(&self, error: &FrameDecoderError) -> Fault {
        if let Some(errno) = self.source.errno() {
            return Fault::Read(errno);
        }
        match error {
            FrameDecoderError::WindowSizeTooBig { .. } => Fault::Memory,
            _ => Fault::Invalid,
        }
    }
}

impl Decode for Decoder {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize, Fault> {
        loop {
            if !self.inside && (self.garbage || !self.begin()?) {
                return Ok(0);
            }
            if self.frame.can_collect() == 0 && !self.frame.is_finished() {
                let decoded = self.frame.decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBytes(buf.len()));
                if let Err(e) = decoded {
                    // What could not be read to its end is cut off, whatever the decoder made of it.
                    let cut = self.source.fill()?.is_empty();
                    return Err(if cut { Fault::Eof } else { self.fault(&e) });
                }
            }
            let n = self.frame.read(buf).map_err(|_| Fault::Invalid)?;
            if n > 0 {
                return Ok(n);
            }
            if self.frame.is_finished() {
                let stored = self.frame.get_checksum_from_data();
                if stored.is_some() && stored != self.frame.get_calculated_checksum() {
                    return Err(Fault::Checksum);
                }
                self.inside = false;
            }
        }
    }

    fn garbage(&self) -> bool {
        self.garbage
    }

    fn read_bytes(&self) -> u64 {
        self.source.taken()
    }
}

/// How much goes into one frame: frames in a row are one file, and each is made at once.
const FRAME: usize = 4 << 20;

pub struct Encoder {
    out: Out,
    held: Vec<u8>,
    any: bool,
}

impl Encoder {
    pub fn new(out: Out) -> Encoder {
        Encoder { out, held: Vec::new(), any: false }
    }

    fn frame(&mut self) {
        self.any = true;
        let packed = compress_to_vec(self.held.as_slice(), CompressionLevel::Fastest);
        self.out.write(&packed);
        self.held.clear();
    }
}

impl Encode for Encoder {
    fn write(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let n = bytes.len().min(FRAME - self.held.len());
            self.held.extend_from_slice(&bytes[..n]);
            bytes = &bytes[n..];
            if self.held.len() == FRAME {
                self.frame();
            }
        }
    }

    fn finish(mut self: Box<Self>) -> Out {
        if !self.held.is_empty() || !self.any {
            self.frame();
        }
        self.out
    }

    fn out(&mut self) -> &mut Out {
        &mut self.out
    }
}
