//! XXH64, whose lower half ends a frame.

const P: [u64; 5] =
    [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63, 0x27d4_eb2f_1656_67c5];

fn round(lane: u64, word: u64) -> u64 {
    lane.wrapping_add(word.wrapping_mul(P[1])).rotate_left(31).wrapping_mul(P[0])
}

/// The hash of all of it, with the seed 0.
pub fn hash(data: &[u8]) -> u64 {
    let (stripes, rest) = data.as_chunks::<32>();
    let mut hash = P[4];
    if !stripes.is_empty() {
        let mut lanes = [P[0].wrapping_add(P[1]), P[1], 0, 0u64.wrapping_sub(P[0])];
        for stripe in stripes {
            for (lane, word) in lanes.iter_mut().zip(stripe.as_chunks::<8>().0) {
                *lane = round(*lane, u64::from_le_bytes(*word));
            }
        }
        hash = lanes.iter().zip([1, 7, 12, 18]).fold(0u64, |sum, (lane, by)| sum.wrapping_add(lane.rotate_left(by)));
        for lane in lanes {
            hash = (hash ^ round(0, lane)).wrapping_mul(P[0]).wrapping_add(P[3]);
        }
    }
    hash = hash.wrapping_add(data.len() as u64);
    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        let mixed = hash ^ round(0, u64::from_le_bytes(*word));
        hash = mixed.rotate_left(27).wrapping_mul(P[0]).wrapping_add(P[3]);
    }
    let (halves, rest) = rest.as_chunks::<4>();
    for half in halves {
        let mixed = hash ^ u64::from(u32::from_le_bytes(*half)).wrapping_mul(P[0]);
        hash = mixed.rotate_left(23).wrapping_mul(P[1]).wrapping_add(P[2]);
    }
    for &byte in rest {
        hash = (hash ^ u64::from(byte).wrapping_mul(P[4])).rotate_left(11).wrapping_mul(P[0]);
    }
    hash = (hash ^ hash >> 33).wrapping_mul(P[1]);
    hash = (hash ^ hash >> 29).wrapping_mul(P[2]);
    hash ^ hash >> 32
}
