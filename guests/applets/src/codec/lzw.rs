//! The format of `compress`: codes of 9 to 16 bits, in groups of eight.

use super::{Decode, Fault, Source};

const CLEAR: usize = 256;

pub struct Decoder {
    source: Source,
    begun: bool,
    most_bits: u32,
    block_mode: bool,
    bits: u32,
    /// The codes of one group: as many bytes as a code has bits.
    group: Vec<u8>,
    /// The next bit of it.
    bit: usize,
    /// For every code the code before its last byte, and that byte.
    prefix: Vec<u16>,
    suffix: Vec<u8>,
    free: usize,
    last: Option<usize>,
    first_byte: u8,
    /// Decoded, in reverse order.
    stack: Vec<u8>,
}

impl Decoder {
    pub fn new(source: Source) -> Decoder {
        Decoder {
            source,
            begun: false,
            most_bits: 16,
            block_mode: true,
            bits: 9,
            group: Vec::new(),
            bit: 0,
            prefix: Vec::new(),
            suffix: Vec::new(),
            free: 257,
            last: None,
            first_byte: 0,
            stack: Vec::new(),
        }
    }

    fn begin(&mut self) -> Result<(), Fault> {
        self.begun = true;
        let start = self.source.look(3)?;
        if start.len() < 3 || start[..2] != [0x1f, 0x9d] {
            return Err(if start.len() < 3 { Fault::Eof } else { Fault::NotFormat });
        }
        self.most_bits = u32::from(start[2] & 0x1f);
        self.block_mode = start[2] & 0x80 != 0;
        if !(9..=16).contains(&self.most_bits) {
            return Err(Fault::Invalid);
        }
        self.source.consume(3);
        self.prefix = vec![0; 1 << self.most_bits];
        self.suffix = (0..1usize << self.most_bits).map(|i| if i < 256 { i as u8 } else { 0 }).collect();
        self.free = if self.block_mode { 257 } else { 256 };
        Ok(())
    }

    /// The next code. A change of width begins a new group.
    fn code(&mut self) -> Result<Option<usize>, Fault> {
        if self.bit + self.bits as usize > self.group.len() * 8 {
            let bytes = self.source.look(self.bits as usize)?.to_vec();
            self.source.consume(bytes.len());
            self.group = bytes;
            self.bit = 0;
            if self.group.len() * 8 < self.bits as usize {
                return Ok(None);
            }
        }
        let at = self.bit / 8;
        let word = (0..3).fold(0u32, |w, i| w | u32::from(self.group.get(at + i).copied().unwrap_or(0)) << (8 * i));
        let code = word >> (self.bit % 8) & ((1 << self.bits) - 1);
        self.bit += self.bits as usize;
        Ok(Some(code as usize))
    }

    fn widen(&mut self) {
        if self.free > (1 << self.bits) - 1 && self.bits < self.most_bits {
            self.bits += 1;
            self.group.clear();
            self.bit = 0;
        }
    }

    fn step(&mut self) -> Result<bool, Fault> {
        self.widen();
        let Some(code) = self.code()? else { return Ok(false) };
        if code == CLEAR && self.block_mode {
            self.free = 257;
            self.bits = 9;
            self.group.clear();
            self.bit = 0;
            self.last = None;
            return Ok(true);
        }
        let Some(last) = self.last else {
            if code > 255 {
                return Err(Fault::Invalid);
            }
            self.first_byte = code as u8;
            self.stack.push(code as u8);
            self.last = Some(code);
            return Ok(true);
        };
        let mut at = code;
        if code >= self.free {
            if code > self.free {
                return Err(Fault::Invalid);
            }
            // The code that is being made: the last one and its own first byte again.
            self.stack.push(self.first_byte);
            at = last;
        }
        while at >= 256 {
            self.stack.push(self.suffix[at]);
            at = usize::from(self.prefix[at]);
            if self.stack.len() > 1 << 17 {
                return Err(Fault::Invalid);
            }
        }
        self.first_byte = at as u8;
        self.stack.push(self.first_byte);
        if self.free < 1 << self.most_bits {
            self.prefix[self.free] = last as u16;
            self.suffix[self.free] = self.first_byte;
            self.free += 1;
        }
        self.last = Some(code);
        Ok(true)
    }
}

impl Decode for Decoder {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize, Fault> {
        if !self.begun {
            self.begin()?;
        }
        let mut made = 0;
        while made < buf.len() {
            match self.stack.pop() {
                Some(byte) => {
                    buf[made] = byte;
                    made += 1;
                }
                None if !self.step()? => break,
                None => {}
            }
        }
        Ok(made)
    }

    fn read_bytes(&self) -> u64 {
        self.source.taken()
    }
}
