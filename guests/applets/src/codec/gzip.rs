//! Members of RFC 1952, one after the other.

use super::{Decode, Encode, Fault, Source};
use capsule_sys::Out;
use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

/// What a member's header tells.
#[derive(Clone, Default, Debug)]
pub struct Header {
    pub mtime: u32,
    pub name: Option<Vec<u8>>,
}

enum State {
    Header,
    Body,
    Trailer,
    Done,
}

pub struct Decoder {
    source: Source,
    inflate: Decompress,
    crc: Crc,
    state: State,
    first: bool,
    garbage: bool,
    /// Of the first member.
    pub header: Option<Header>,
    /// The last member's checksum, and the bytes of all headers and trailers.
    pub checksum: u32,
    pub overhead: u64,
}

impl Decoder {
    pub fn new(source: Source) -> Decoder {
        Decoder {
            source,
            inflate: Decompress::new(false),
            crc: Crc::new(),
            state: State::Header,
            first: true,
            garbage: false,
            header: None,
            checksum: 0,
            overhead: 0,
        }
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        self.overhead += 1;
        self.source.byte()?.ok_or(Fault::Eof)
    }

    fn header(&mut self) -> Result<State, Fault> {
        if !self.first && !self.goes_on()? {
            return Ok(State::Done);
        }
        let start = self.source.look(2)?;
        if start.len() < 2 {
            return Err(Fault::Eof);
        }
        if start != [0x1f, 0x8b] {
            return Err(Fault::NotFormat);
        }
        let mut fixed = [0; 10];
        for byte in &mut fixed {
            *byte = self.byte()?;
        }
        let flags = fixed[3];
        if fixed[2] != 8 || flags & 0xe0 != 0 {
            return Err(Fault::Invalid);
        }
        if flags & 4 != 0 {
            let length = u16::from_le_bytes([self.byte()?, self.byte()?]);
            for _ in 0..length {
                self.byte()?;
            }
        }
        let name = if flags & 8 != 0 { Some(self.text()?) } else { None };
        if flags & 16 != 0 {
            self.text()?;
        }
        if flags & 2 != 0 {
            self.byte()?;
            self.byte()?;
        }
        if self.first {
            let mtime = u32::from_le_bytes([fixed[4], fixed[5], fixed[6], fixed[7]]);
            self.header = Some(Header { mtime, name });
        }
        self.first = false;
        self.inflate.reset(false);
        self.crc.reset();
        Ok(State::Body)
    }

    /// Text up to a NUL. Only so much of it is kept as a name can have.
    fn text(&mut self) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        loop {
            match self.byte()? {
                0 => return Ok(text),
                byte if text.len() < 4096 => text.push(byte),
                _ => {}
            }
        }
    }

    /// Whether another member follows. Zeros are padding, anything else is not ours.
    fn goes_on(&mut self) -> Result<bool, Fault> {
        loop {
            let start = self.source.look(2)?;
            match start {
                [] => return Ok(false),
                [0x1f, 0x8b] => return Ok(true),
                [0, ..] => self.source.consume(1),
                _ => {
                    self.garbage = true;
                    return Ok(false);
                }
            }
        }
    }

    fn trailer(&mut self) -> Result<(), Fault> {
        let mut trailer = [0; 8];
        for byte in &mut trailer {
            *byte = self.byte()?;
        }
        let [a, b, c, d, e, f, g, h] = trailer;
        self.checksum = u32::from_le_bytes([a, b, c, d]);
        if self.checksum != self.crc.sum() {
            return Err(Fault::Checksum);
        }
        if u32::from_le_bytes([e, f, g, h]) != self.crc.amount() {
            return Err(Fault::Length);
        }
        Ok(())
    }
}

impl Decode for Decoder {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize, Fault> {
        loop {
            match self.state {
                State::Header => self.state = self.header()?,
                State::Done => return Ok(0),
                State::Trailer => {
                    self.trailer()?;
                    self.state = State::Header;
                }
                State::Body => {
                    let input = self.source.fill()?;
                    let end = input.is_empty();
                    let before = (self.inflate.total_in(), self.inflate.total_out());
                    let status = self.inflate.decompress(input, buf, FlushDecompress::None);
                    let used = (self.inflate.total_in() - before.0) as usize;
                    let made = (self.inflate.total_out() - before.1) as usize;
                    self.source.consume(used);
                    self.crc.update(&buf[..made]);
                    match status {
                        // What was unpacked is handed on before it is judged.
                        Ok(Status::StreamEnd) => self.state = State::Trailer,
                        Ok(_) if made == 0 && used == 0 && end => return Err(Fault::Eof),
                        Ok(_) => {}
                        Err(_) => return Err(Fault::Invalid),
                    }
                    if made > 0 {
                        return Ok(made);
                    }
                }
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

pub struct Encoder {
    out: Out,
    deflate: Compress,
    crc: Crc,
    block: Vec<u8>,
    rolling: Option<Rolling>,
}

/// A sum of the last bytes: where it is a round number the packed data begins anew, so that equal parts of two files look
/// equal when they are packed, too.
struct Rolling {
    last: Vec<u8>,
    at: usize,
    sum: u32,
}

impl Rolling {
    const SIZE: usize = 4096;

    /// How many bytes there are up to such a place, if there is one.
    fn cut(&mut self, bytes: &[u8]) -> Option<usize> {
        for (count, byte) in (1..).zip(bytes) {
            self.sum = self.sum + u32::from(*byte) - u32::from(self.last[self.at]);
            self.last[self.at] = *byte;
            self.at = (self.at + 1) % Rolling::SIZE;
            if self.sum.is_multiple_of(Rolling::SIZE as u32) {
                return Some(count);
            }
        }
        None
    }
}

impl Encoder {
    /// Makes equal parts of files equal in what is packed.
    pub fn rsyncable(mut self) -> Encoder {
        self.rolling = Some(Rolling { last: vec![0; Rolling::SIZE], at: 0, sum: 1 });
        self
    }

    pub fn new(mut out: Out, level: u32, mtime: u32, name: Option<&[u8]>) -> Encoder {
        let extra = match level {
            9 => 2,
            1 => 4,
            _ => 0,
        };
        let time = mtime.to_le_bytes();
        let flags = if name.is_some() { 8 } else { 0 };
        out.write(&[0x1f, 0x8b, 8, flags, time[0], time[1], time[2], time[3], extra, 3]);
        if let Some(name) = name {
            out.write(name);
            out.byte(0);
        }
        Encoder {
            out,
            // The library's first level packs much less than gzip's.
            deflate: Compress::new(Compression::new(level.max(2)), false),
            crc: Crc::new(),
            block: vec![0; 32 * 1024],
            rolling: None,
        }
    }

    fn run(&mut self, mut bytes: &[u8], flush: FlushCompress) {
        loop {
            let before = (self.deflate.total_in(), self.deflate.total_out());
            let status = self.deflate.compress(bytes, &mut self.block, flush);
            let used = (self.deflate.total_in() - before.0) as usize;
            let made = (self.deflate.total_out() - before.1) as usize;
            self.out.write(&self.block[..made]);
            bytes = &bytes[used..];
            let done = match flush {
                FlushCompress::Finish => matches!(status, Ok(Status::StreamEnd)),
                FlushCompress::Full => bytes.is_empty() && made < self.block.len(),
                _ => bytes.is_empty(),
            };
            if done || status.is_err() || (used == 0 && made == 0) {
                return;
            }
        }
    }
}

impl Encode for Encoder {
    fn write(&mut self, mut bytes: &[u8]) {
        self.crc.update(bytes);
        while let Some(count) = self.rolling.as_mut().and_then(|rolling| rolling.cut(bytes)) {
            self.run(&bytes[..count], FlushCompress::Full);
            bytes = &bytes[count..];
        }
        self.run(bytes, FlushCompress::None);
    }

    fn finish(mut self: Box<Self>) -> Out {
        self.run(&[], FlushCompress::Finish);
        self.out.write(&self.crc.sum().to_le_bytes());
        self.out.write(&self.crc.amount().to_le_bytes());
        self.out
    }

    fn out(&mut self) -> &mut Out {
        &mut self.out
    }
}
