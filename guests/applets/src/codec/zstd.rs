//! Frames of zstd, one after the other.

mod bits;
mod block;
mod fse;
mod huffman;
mod matches;
mod xxhash;

use super::{Decode, Encode, Fault, Source};
use block::{FIRST_OFFSETS, pack};
use capsule_sys::Out;
use matches::Finder;
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
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
    level: u32,
    held: Vec<u8>,
    any: bool,
}

impl Encoder {
    pub fn new(out: Out, level: u32) -> Encoder {
        Encoder { out, level, held: Vec::new(), any: false }
    }

    fn frame(&mut self) {
        self.any = true;
        let mut packed = compress(&self.held, self.level & !super::MORE);
        if self.level & super::NO_CHECK != 0 {
            packed.truncate(packed.len() - 4);
            packed[4] &= !CHECKSUM;
        }
        self.out.write(&packed);
        self.held.clear();
    }
}

/// In the head of a frame: four bytes of a checksum end it.
const CHECKSUM: u8 = 1 << 2;

/// A block holds this much at most.
const BLOCK: usize = 128 * 1024;

/// A frame that says how much is in it.
fn compress(data: &[u8], level: u32) -> Vec<u8> {
    let size = data.len();
    let (flag, bytes) = match size {
        0..=255 => (0, vec![size as u8]),
        256..=65791 => (1, ((size - 256) as u16).to_le_bytes().to_vec()),
        _ => (2, (size as u32).to_le_bytes().to_vec()),
    };
    const SINGLE_SEGMENT: u8 = 1 << 5;
    let head = [0x28, 0xb5, 0x2f, 0xfd, flag << 6 | SINGLE_SEGMENT | CHECKSUM];
    let mut packed = [&head[..], &bytes].concat();
    let mut finder = Finder::new(level, size);
    let mut offsets = FIRST_OFFSETS;
    let mut start = 0;
    loop {
        let end = (start + BLOCK).min(size);
        write_block(data, start, end, &mut finder, &mut offsets, &mut packed);
        start = end;
        if start == size {
            break;
        }
    }
    packed.extend_from_slice(&(xxhash::hash(data) as u32).to_le_bytes());
    packed
}

/// One block: as it is, as one byte and how often, or packed.
fn write_block(data: &[u8], start: usize, end: usize, finder: &mut Finder, offsets: &mut [u32; 3], out: &mut Vec<u8>) {
    const RAW: usize = 0;
    const REPEATED: usize = 1;
    const PACKED: usize = 2;
    let bytes = &data[start..end];
    let last = usize::from(end == data.len());
    let head = |kind: usize, size: usize| ((last | kind << 1 | size << 3) as u32).to_le_bytes();
    if let Some(&first) = bytes.first()
        && bytes.len() > 3
        && bytes.iter().all(|byte| *byte == first)
    {
        out.extend_from_slice(&head(REPEATED, bytes.len())[..3]);
        return out.push(first);
    }
    let mut sequences = Vec::new();
    let rest = finder.find(data, start, end, &mut sequences);
    let mut literals = Vec::with_capacity(bytes.len());
    let mut at = start;
    for sequence in &sequences {
        literals.extend_from_slice(&data[at..at + sequence.literals as usize]);
        at += (sequence.literals + sequence.length) as usize;
    }
    literals.extend_from_slice(&data[rest..end]);
    match pack(&literals, &sequences, bytes.len(), offsets) {
        Some(packed) => {
            out.extend_from_slice(&head(PACKED, packed.len())[..3]);
            out.extend_from_slice(&packed);
        }
        None => {
            out.extend_from_slice(&head(RAW, bytes.len())[..3]);
            out.extend_from_slice(bytes);
        }
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

#[cfg(test)]
mod tests {
    use super::compress;
    use ruzstd::decoding::StreamingDecoder;
    use std::io::Read;

    /// Numbers that look random and are the same in every run.
    fn noise(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        }
    }

    /// Words from a small vocabulary, runs and noise, in turns.
    fn mixture(seed: u64, size: usize) -> Vec<u8> {
        let mut next = noise(seed);
        let mut data = Vec::new();
        while data.len() < size {
            match next() % 5 {
                0 => data.extend((0..next() % 400).map(|_| b'x')),
                1 => data.extend((0..next() % 300).map(|i| (next() >> (i % 8)) as u8)),
                2 if !data.is_empty() => {
                    let from = next() as usize % data.len();
                    let to = (from + next() as usize % 2000).min(data.len());
                    data.extend_from_within(from..to);
                }
                _ => data.extend_from_slice(format!("word{} ", next() % 50).as_bytes()),
            }
        }
        data.truncate(size);
        data
    }

    fn comes_back(data: &[u8], level: u32, what: &str) {
        let packed = compress(data, level);
        let mut back = Vec::new();
        let mut decoder = StreamingDecoder::new(packed.as_slice()).expect("a frame");
        decoder.read_to_end(&mut back).expect("data");
        assert!(back == data, "{what}: {} bytes at level {level}", data.len());
    }

    #[test]
    fn what_repeats_comes_back() {
        // From the second block on there is nothing but one match.
        for period in [1, 2, 3, 4, 5, 7, 60, 1000] {
            for size in [period, 2 * period + 1, 140_000, 300_000] {
                let unit: Vec<u8> = (0..period).map(|i| (i * 7 % 251) as u8).collect();
                let data: Vec<u8> = unit.iter().copied().cycle().take(size).collect();
                comes_back(&data, 3, &format!("every {period}"));
            }
        }
    }

    #[test]
    fn what_is_packed_comes_back() {
        let sizes = [0, 1, 3, 4, 5, 255, 256, 1000, 1024, 65_791, 65_792, 131_071, 131_072, 131_073, 400_000];
        for (seed, size) in (1..).zip(sizes) {
            for level in [1, 3, 6, 19] {
                comes_back(&mixture(seed, size), level, "a mixture");
            }
        }
    }
}
