//! BLAKE2b (RFC 7693) without a key, with any length: RustCrypto's has its length in the type.

const IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

const BLOCK: usize = 128;

pub struct Blake2b {
    state: [u64; 8],
    length: usize,
    count: u128,
    /// What is not hashed yet: the last block is hashed with a mark, so one is always kept.
    held: Vec<u8>,
}

impl Blake2b {
    /// A digest of 1 to 64 bytes.
    pub fn new(length: usize) -> Blake2b {
        let mut state = IV;
        state[0] ^= 0x0101_0000 ^ length as u64;
        Blake2b { state, length, count: 0, held: Vec::with_capacity(BLOCK) }
    }

    pub fn update(&mut self, mut bytes: &[u8]) {
        if self.held.len() + bytes.len() > BLOCK && !self.held.is_empty() {
            let (first, rest) = bytes.split_at(BLOCK - self.held.len());
            self.held.extend_from_slice(first);
            bytes = rest;
            let block = std::mem::take(&mut self.held);
            self.compress(&block, BLOCK, false);
        }
        while bytes.len() > BLOCK {
            let (block, rest) = bytes.split_at(BLOCK);
            self.compress(block, BLOCK, false);
            bytes = rest;
        }
        self.held.extend_from_slice(bytes);
    }

    pub fn finish(mut self) -> Vec<u8> {
        let mut block = std::mem::take(&mut self.held);
        let used = block.len();
        block.resize(BLOCK, 0);
        self.compress(&block, used, true);
        let mut digest: Vec<u8> = self.state.iter().flat_map(|w| w.to_le_bytes()).collect();
        digest.truncate(self.length);
        digest
    }

    fn compress(&mut self, block: &[u8], used: usize, last: bool) {
        self.count += used as u128;
        let mut m = [0u64; 16];
        for (word, bytes) in m.iter_mut().zip(block.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let mut v = [0u64; 16];
        v[..8].copy_from_slice(&self.state);
        v[8..].copy_from_slice(&IV);
        v[12] ^= self.count as u64;
        v[13] ^= (self.count >> 64) as u64;
        if last {
            v[14] = !v[14];
        }
        for round in 0..12 {
            let s = &SIGMA[round % 10];
            mix(&mut v, [0, 4, 8, 12], m[s[0]], m[s[1]]);
            mix(&mut v, [1, 5, 9, 13], m[s[2]], m[s[3]]);
            mix(&mut v, [2, 6, 10, 14], m[s[4]], m[s[5]]);
            mix(&mut v, [3, 7, 11, 15], m[s[6]], m[s[7]]);
            mix(&mut v, [0, 5, 10, 15], m[s[8]], m[s[9]]);
            mix(&mut v, [1, 6, 11, 12], m[s[10]], m[s[11]]);
            mix(&mut v, [2, 7, 8, 13], m[s[12]], m[s[13]]);
            mix(&mut v, [3, 4, 9, 14], m[s[14]], m[s[15]]);
        }
        for i in 0..8 {
            self.state[i] ^= v[i] ^ v[i + 8];
        }
    }
}

#[inline(always)]
fn mix(v: &mut [u64; 16], [a, b, c, d]: [usize; 4], x: u64, y: u64) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(32);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(24);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(63);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_anywhere() {
        let data: Vec<u8> = (0..300u16).map(|i| i as u8).collect();
        let mut whole = Blake2b::new(32);
        whole.update(&data);
        let whole = whole.finish();
        for at in [1, 127, 128, 129, 256, 299] {
            let mut parts = Blake2b::new(32);
            parts.update(&data[..at]);
            parts.update(&data[at..]);
            assert_eq!(parts.finish(), whole);
        }
        // The digest of nothing, as RFC 7693's reference gives it.
        assert_eq!(Blake2b::new(64).finish()[..4], [0x78, 0x6a, 0x02, 0xf7]);
    }
}
