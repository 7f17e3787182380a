//! Bits that are read from the end: the first one written is the lowest of the first byte.

#[derive(Default)]
pub struct Bits {
    bytes: Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits {
    /// Appends the lowest `count` bits, 32 at most.
    #[inline]
    pub fn add(&mut self, value: u32, count: u32) {
        self.held |= (u64::from(value) & ((1 << count) - 1)) << self.count;
        self.count += count;
        if self.count >= 32 {
            self.bytes.extend_from_slice(&(self.held as u32).to_le_bytes());
            self.held >>= 32;
            self.count -= 32;
        }
    }

    /// The bytes, with zeros up to the last one's end.
    pub fn finish(mut self) -> Vec<u8> {
        let bytes = self.count.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.held.to_le_bytes()[..bytes]);
        self.bytes
    }

    /// The same behind a bit that tells a reader where the last one is.
    pub fn finish_marked(mut self) -> Vec<u8> {
        self.add(1, 1);
        self.finish()
    }
}
