//! The hash of a file's bytes, where the bytes themselves cannot be shared.
//!
//! Holes and zeros are the same bytes, so blocks of zeros are left out: a sparse giant costs what it really holds.

use crate::Result;

/// Bytes hashed at a time.
pub const BLOCK: usize = 64 * 1024;

/// Size and hash of `size` bytes. `next_data` tells where at or after an offset the next byte may be that is not in a hole;
/// `read` fills a buffer from an offset on, less only at the end.
pub fn digest(
    size: u64,
    mut next_data: impl FnMut(u64) -> Result<Option<u64>>,
    mut read: impl FnMut(u64, &mut [u8]) -> Result<usize>,
) -> Result<(u64, [u8; 32])> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; BLOCK];
    let mut offset = 0;
    while offset < size {
        let Some(data) = next_data(offset)? else { break };
        offset = data.max(offset) / BLOCK as u64 * BLOCK as u64;
        if offset >= size {
            break;
        }
        let want = (BLOCK as u64).min(size - offset) as usize;
        let got = fill(&mut read, offset, &mut buffer[..want])?;
        // Without the zeros at its end a block is the same whether they are written, a hole, or past a short chunk.
        let kept = buffer[..got].iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        if kept > 0 {
            hasher.update(&offset.to_le_bytes()).update(&(kept as u64).to_le_bytes()).update(&buffer[..kept]);
        }
        offset += BLOCK as u64;
    }
    Ok((size, hasher.finalize().into()))
}

fn fill(read: &mut impl FnMut(u64, &mut [u8]) -> Result<usize>, offset: u64, buffer: &mut [u8]) -> Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match read(offset + got as u64, &mut buffer[got..])? {
            0 => break,
            n => got += n,
        }
    }
    Ok(got)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> (u64, [u8; 32]) {
        let read = |offset: u64, buf: &mut [u8]| {
            let rest = &bytes[(offset as usize).min(bytes.len())..];
            // A few at a time: short reads must not matter.
            let n = rest.len().min(buf.len()).min(1000);
            buf[..n].copy_from_slice(&rest[..n]);
            Ok(n)
        };
        digest(bytes.len() as u64, |offset| Ok(Some(offset)), read).unwrap()
    }

    #[test]
    fn every_byte_and_the_size_count() {
        let mut bytes = vec![0; 3 * BLOCK + 5];
        let zeros = of(&bytes);
        bytes[2 * BLOCK] = 1;
        let one = of(&bytes);
        assert_ne!(zeros, one);
        bytes.swap(2 * BLOCK, 2 * BLOCK + 1);
        assert_ne!(of(&bytes), one);
        bytes.swap(2 * BLOCK, BLOCK);
        assert_ne!(of(&bytes), one);
        bytes.push(0);
        assert_ne!(of(&bytes).0, one.0);
    }

    #[test]
    fn a_hole_is_zeros() {
        let digest = digest(1 << 62, |offset| Ok((offset == 0).then_some(BLOCK as u64 * 7 + 3)), |_, _| Ok(0));
        assert_eq!(digest, Ok((1 << 62, blake3::Hasher::new().finalize().into())));
    }
}
