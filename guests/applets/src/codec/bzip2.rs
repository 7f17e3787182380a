//! Streams of bzip2, one after the other.

use super::{Decode, Encode, Fault, Source};
use bzip2::{Action, Compress, Compression, Decompress, Status};
use capsule_sys::Out;

pub struct Decoder {
    source: Source,
    stream: Option<Decompress>,
    first: bool,
    garbage: bool,
}

impl Decoder {
    pub fn new(source: Source) -> Decoder {
        Decoder { source, stream: None, first: true, garbage: false }
    }

    /// Begins the next stream; false when there is none.
    fn begin(&mut self) -> Result<bool, Fault> {
        let first = std::mem::replace(&mut self.first, false);
        let start = self.source.look(4)?;
        match start {
            [] if first => return Err(Fault::Eof),
            [] => return Ok(false),
            [b'B', b'Z', b'h', b'1'..=b'9'] => {}
            [b'B', ..] if start.len() < 4 && b"BZh".starts_with(start) => return Err(Fault::Eof),
            _ if first => return Err(Fault::NotFormat),
            _ => {
                self.garbage = true;
                return Ok(false);
            }
        }
        self.stream = Some(Decompress::new(false));
        Ok(true)
    }
}

impl Decode for Decoder {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize, Fault> {
        loop {
            let Some(stream) = &mut self.stream else {
                if self.garbage || !self.begin()? {
                    return Ok(0);
                }
                continue;
            };
            let input = self.source.fill()?;
            let end = input.is_empty();
            let before = (stream.total_in(), stream.total_out());
            let status = stream.decompress(input, buf);
            let used = (stream.total_in() - before.0) as usize;
            let made = (stream.total_out() - before.1) as usize;
            self.source.consume(used);
            match status {
                Ok(Status::StreamEnd) => self.stream = None,
                Ok(Status::MemNeeded) => return Err(Fault::Memory),
                Ok(_) if made == 0 && used == 0 && end => return Err(Fault::Eof),
                Ok(_) => {}
                Err(bzip2::Error::DataMagic) => return Err(Fault::NotFormat),
                Err(_) => return Err(Fault::Invalid),
            }
            if made > 0 {
                return Ok(made);
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
    stream: Compress,
    block: Vec<u8>,
}

impl Encoder {
    pub fn new(out: Out, level: u32) -> Encoder {
        Encoder { out, stream: Compress::new(Compression::new(level), 30), block: vec![0; 32 * 1024] }
    }

    fn run(&mut self, mut bytes: &[u8], action: Action) {
        loop {
            let before = (self.stream.total_in(), self.stream.total_out());
            let status = self.stream.compress(bytes, &mut self.block, action);
            let used = (self.stream.total_in() - before.0) as usize;
            let made = (self.stream.total_out() - before.1) as usize;
            self.out.write(&self.block[..made]);
            bytes = &bytes[used..];
            let done = match action {
                Action::Finish => matches!(status, Ok(Status::StreamEnd)),
                _ => bytes.is_empty(),
            };
            if done || status.is_err() {
                return;
            }
        }
    }
}

impl Encode for Encoder {
    fn write(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.run(bytes, Action::Run);
        }
    }

    fn finish(mut self: Box<Self>) -> Out {
        self.run(&[], Action::Finish);
        self.out
    }

    fn out(&mut self) -> &mut Out {
        &mut self.out
    }
}
