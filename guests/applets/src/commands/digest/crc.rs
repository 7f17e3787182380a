//! Sums that are older than digests: the CRC of POSIX and of zip, eight bytes a step, and System V's sum.

/// Tables for eight bytes at once; `reflected` is zip's order of bits.
const fn tables(reflected: bool) -> [[u32; 256]; 8] {
    let mut tables = [[0u32; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = if reflected { byte as u32 } else { (byte as u32) << 24 };
        let mut bit = 0;
        while bit < 8 {
            crc = if reflected {
                crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 }
            } else {
                crc << 1 ^ if crc >> 31 == 1 { 0x04C1_1DB7 } else { 0 }
            };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut step = 1;
    while step < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[step - 1][byte];
            tables[step][byte] = if reflected {
                before >> 8 ^ tables[0][(before & 255) as usize]
            } else {
                before << 8 ^ tables[0][(before >> 24) as usize]
            };
            byte += 1;
        }
        step += 1;
    }
    tables
}

static POSIX: [[u32; 256]; 8] = tables(false);
static ZIP: [[u32; 256]; 8] = tables(true);

fn combine(tables: &[[u32; 256]; 8], bytes: [u8; 8]) -> u32 {
    bytes.iter().zip(tables.iter().rev()).fold(0, |crc, (byte, table)| crc ^ table[usize::from(*byte)])
}

pub fn posix_crc(crc: u32, bytes: &[u8]) -> u32 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let crc = chunks.iter().fold(crc, |crc, chunk| {
        let mut mixed = *chunk;
        mixed.iter_mut().zip(crc.to_be_bytes()).for_each(|(m, c)| *m ^= c);
        combine(&POSIX, mixed)
    });
    rest.iter().fold(crc, |crc, b| crc << 8 ^ POSIX[0][usize::from((crc >> 24) as u8 ^ b)])
}

/// The CRC of what came before and of these bytes; it begins with 0.
pub fn zip_crc(crc: u32, bytes: &[u8]) -> u32 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let crc = chunks.iter().fold(!crc, |crc, chunk| {
        let mut mixed = *chunk;
        mixed.iter_mut().zip(crc.to_le_bytes()).for_each(|(m, c)| *m ^= c);
        combine(&ZIP, mixed)
    });
    !rest.iter().fold(crc, |crc, b| crc >> 8 ^ ZIP[0][usize::from(crc as u8 ^ b)])
}

/// System V: the sum of the bytes, folded into 16 bits at the end.
#[derive(Default)]
pub struct Sysv(u32);

impl Sysv {
    pub fn update(&mut self, block: &[u8]) {
        // 2^32 / 255 bytes cannot overflow; a block is far smaller.
        let sum: u32 = block.iter().map(|b| u32::from(*b)).sum();
        self.0 = self.0.wrapping_add(sum);
    }

    pub fn finish(self) -> u16 {
        let r = (self.0 & 0xFFFF) + (self.0 >> 16);
        ((r & 0xFFFF) + (r >> 16)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known() {
        assert_eq!(zip_crc(0, b"123456789"), 0xCBF4_3926);
        assert_eq!(zip_crc(zip_crc(0, b"1234567890"), b"abcdefghij"), zip_crc(0, b"1234567890abcdefghij"));
        assert_eq!(!posix_crc(posix_crc(0, b"123456789"), &[9]), 930_766_865);
    }
}
