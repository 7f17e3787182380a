//! Huffman's code for literals, of eleven bits at most.

use super::bits::Bits;
use super::fse;

const LONGEST: u32 = 11;

/// The code of every byte and its length; 0 is a byte that does not occur.
pub struct Code {
    codes: Vec<(u16, u8)>,
    longest: u32,
}

impl Code {
    /// The best code for these counts; none where there are fewer than two different bytes.
    pub fn new(counts: &[u32; 256]) -> Option<Code> {
        let mut order: Vec<u8> = (0..=255).filter(|&byte| counts[usize::from(byte)] > 0).collect();
        if order.len() < 2 {
            return None;
        }
        order.sort_by_key(|&byte| counts[usize::from(byte)]);
        let weights: Vec<u32> = order.iter().map(|&byte| counts[usize::from(byte)]).collect();
        let lengths = limited(depths(&weights));
        let longest = lengths.iter().copied().max().unwrap_or(1);
        let mut codes = vec![(0, 0); 256];
        for (&byte, &length) in order.iter().zip(&lengths) {
            codes[usize::from(byte)].1 = length as u8;
        }
        // Longer codes are smaller numbers, and of one length they go up with the bytes.
        let mut next = [0u16; LONGEST as usize + 1];
        let mut start = 0;
        for length in (1..=longest).rev() {
            next[length as usize] = start;
            start = (start + lengths.iter().filter(|l| **l == length).count() as u16) >> 1;
        }
        for code in codes.iter_mut().filter(|code| code.1 > 0) {
            let next = &mut next[usize::from(code.1)];
            code.0 = *next;
            *next += 1;
        }
        Some(Code { codes, longest })
    }

    /// How many bits so many bytes take.
    pub fn cost(&self, counts: &[u32; 256]) -> u64 {
        counts.iter().zip(&self.codes).map(|(&count, code)| u64::from(count) * u64::from(code.1)).sum()
    }

    /// The lengths as a reader wants them; none where there is no way to write them.
    pub fn describe(&self) -> Option<Vec<u8>> {
        let used = self.codes.iter().rposition(|code| code.1 > 0)?;
        // The last one's follows from the others.
        let weight = |code: &(u16, u8)| match code.1 {
            0 => 0,
            length => (self.longest + 1) as u8 - length,
        };
        let weights: Vec<u8> = self.codes[..used].iter().map(weight).collect();
        let packed = pack_weights(&weights).filter(|packed| packed.len() < 128);
        let plain = || {
            let mut bytes = vec![127 + weights.len() as u8];
            bytes.extend(weights.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)));
            bytes
        };
        let with_size = |packed: Vec<u8>| [&[packed.len() as u8][..], &packed].concat();
        match packed {
            Some(packed) if weights.len() > 128 || packed.len() < weights.len().div_ceil(2) => Some(with_size(packed)),
            _ if weights.len() <= 128 => Some(plain()),
            _ => None,
        }
    }

    /// Bytes as one stream.
    pub fn stream(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Bits::default();
        for &byte in bytes.iter().rev() {
            let (code, length) = self.codes[usize::from(byte)];
            out.add(code.into(), length.into());
        }
        out.finish_marked()
    }
}

/// How deep each leaf is in the tree of least weight; the weights are in order.
fn depths(weights: &[u32]) -> Vec<u32> {
    let leaves = weights.len();
    // Leaves first, then inner nodes in the order they are made, which is the order of their weights.
    let mut weight: Vec<u64> = weights.iter().map(|&weight| weight.into()).collect();
    let mut parent = vec![0; 2 * leaves - 1];
    let (mut leaf, mut inner) = (0, leaves);
    for node in leaves..2 * leaves - 1 {
        let mut sum = 0;
        for _ in 0..2 {
            let take_leaf = leaf < leaves && (inner == node || weight[leaf] <= weight[inner]);
            let taken = if take_leaf { &mut leaf } else { &mut inner };
            parent[*taken] = node;
            sum += weight[*taken];
            *taken += 1;
        }
        weight.push(sum);
    }
    let mut depth = vec![0; 2 * leaves - 1];
    for node in (0..2 * leaves - 2).rev() {
        depth[node] = depth[parent[node]] + 1;
    }
    depth.truncate(leaves);
    depth
}

/// The same with no depth beyond the longest code; the rarest come first.
fn limited(mut depths: Vec<u32>) -> Vec<u32> {
    let room = |depth: u32| 1i64 << (LONGEST - depth);
    depths.iter_mut().for_each(|depth| *depth = (*depth).min(LONGEST));
    let mut over: i64 = depths.iter().map(|&depth| room(depth)).sum::<i64>() - (1 << LONGEST);
    while over > 0 {
        // Where it costs least: the rarest of the deepest ones that can still go down.
        let Some(deepest) = depths.iter().copied().filter(|&depth| depth < LONGEST).max() else { break };
        let Some(place) = depths.iter_mut().find(|depth| **depth == deepest) else { break };
        *place += 1;
        over -= room(deepest + 1);
    }
    // What was given up beyond need goes back to the most frequent ones.
    while over < 0 {
        let Some(place) = depths.iter_mut().rev().find(|depth| **depth > 1 && room(**depth) <= -over) else { break };
        over += room(*place);
        *place -= 1;
    }
    depths
}

/// Weights by finite state entropy, in two states that take turns.
fn pack_weights(weights: &[u8]) -> Option<Vec<u8>> {
    let mut counts = [0u32; LONGEST as usize + 2];
    weights.iter().for_each(|&weight| counts[usize::from(weight)] += 1);
    let distinct = counts.iter().filter(|count| **count > 0).count() as u32;
    if weights.len() < 3 || distinct < 2 {
        return None;
    }
    let log = fse::best_log(weights.len() as u32, distinct, 6);
    let shares = fse::normalize(&counts, log);
    let table = fse::Table::new(&shares, log);
    let mut out = Bits::default();
    // Weights at even places belong to the first state.
    let last = weights.len() - 1;
    let mut states = [0; 2];
    states[last % 2] = table.first(weights[last]);
    states[(last - 1) % 2] = table.first(weights[last - 1]);
    for (at, &weight) in weights[..last - 1].iter().enumerate().rev() {
        states[at % 2] = table.step(states[at % 2], weight, &mut out);
    }
    table.last(states[1], &mut out);
    table.last(states[0], &mut out);
    Some([fse::describe(&shares, log), out.finish_marked()].concat())
}
