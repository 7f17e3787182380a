//! What zstd's levels differ in: how long earlier places with the same bytes are looked for. A place is found by the hash of
//! its first four bytes; places with the same hash are chained, the latest first.

use ruzstd::encoding::{CompressionLevel, Matcher, Sequence};

/// A block holds this much at most.
const BLOCK: usize = 128 * 1024;
/// Shorter matches cost more than they save.
const SHORTEST: usize = 4;
const HASH_BITS: u32 = 16;
/// The end of a chain.
const NONE: u32 = u32::MAX;

/// How much is tried.
#[derive(Clone, Copy)]
struct Effort {
    /// Places of a chain that are looked at.
    depth: u32,
    /// How many positions further on a better match is looked for.
    lazy: usize,
    /// A match of this length is good enough.
    enough: usize,
}

fn effort(level: u32) -> Effort {
    let (depth, lazy, enough) = match level {
        0 | 1 => (1, 0, 16),
        2 => (4, 0, 24),
        3 => (8, 1, 32),
        4 => (16, 1, 48),
        5 => (24, 1, 64),
        6 => (32, 2, 96),
        7 => (48, 2, 128),
        8 => (64, 2, 192),
        9 => (96, 2, 256),
        10..=12 => (128, 2, 512),
        13..=15 => (256, 2, 1024),
        16..=18 => (512, 2, 2048),
        _ => (1024, 2, 4096),
    };
    Effort { depth, lazy, enough }
}

#[derive(Clone, Copy)]
struct Match {
    offset: usize,
    length: usize,
}

impl Match {
    /// What it saves, in quarters of a byte: a distance costs about as many bits as it has.
    fn gain(self) -> usize {
        (self.length * 4).saturating_sub(self.offset.ilog2() as usize / 2)
    }
}

/// Finds matches in all of a frame, block by block.
pub struct Chains {
    data: Vec<u8>,
    /// Where the last block begins.
    start: usize,
    /// Up to where places are in the chains.
    entered: usize,
    /// The latest place of every hash, and for every place the one before.
    heads: Vec<u32>,
    before: Vec<u32>,
    effort: Effort,
    /// The size of the frame, which the window covers.
    size: usize,
}

impl Chains {
    pub fn new(level: u32, size: usize) -> Chains {
        Chains {
            data: Vec::with_capacity(size),
            start: 0,
            entered: 0,
            heads: vec![NONE; 1 << HASH_BITS],
            before: Vec::with_capacity(size),
            effort: effort(level),
            size,
        }
    }

    fn hash(&self, at: usize) -> Option<usize> {
        let bytes = self.data.get(at..at + 4)?;
        let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Some((word.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize)
    }

    /// Puts all places before this one into the chains.
    fn enter(&mut self, until: usize) {
        while self.entered < until {
            let at = self.entered;
            let mut last = NONE;
            if let Some(hash) = self.hash(at) {
                last = std::mem::replace(&mut self.heads[hash], at as u32);
            }
            self.before.push(last);
            self.entered += 1;
        }
    }

    fn length(&self, earlier: usize, at: usize) -> usize {
        let (a, b) = (&self.data[earlier..], &self.data[at..]);
        let words = a.chunks_exact(8).zip(b.chunks_exact(8)).take_while(|(a, b)| a == b).count() * 8;
        words + a[words..].iter().zip(&b[words..]).take_while(|(a, b)| a == b).count()
    }

    /// The best match at a place. Places up to there are in the chains.
    fn find(&self, at: usize) -> Option<Match> {
        let mut candidate = self.heads[self.hash(at)?];
        let mut best: Option<Match> = None;
        for _ in 0..self.effort.depth {
            if candidate == NONE {
                break;
            }
            let earlier = candidate as usize;
            let longest = best.map_or(0, |b| b.length);
            // What does not go beyond the best one so far is not measured.
            if self.data.get(earlier + longest) == self.data.get(at + longest) {
                let found = Match { offset: at - earlier, length: self.length(earlier, at) };
                if found.length >= SHORTEST && best.is_none_or(|b| found.gain() > b.gain()) {
                    best = Some(found);
                    if found.length >= self.effort.enough {
                        break;
                    }
                }
            }
            candidate = self.before.get(earlier).copied().unwrap_or(NONE);
        }
        best
    }
}

impl Matcher for Chains {
    fn get_next_space(&mut self) -> Vec<u8> {
        vec![0; BLOCK]
    }

    fn get_last_space(&mut self) -> &[u8] {
        &self.data[self.start..]
    }

    fn commit_space(&mut self, space: Vec<u8>) {
        self.start = self.data.len();
        self.data.extend_from_slice(&space);
    }

    fn skip_matching(&mut self) {
        // A run of one byte: its places would make long chains that lead nowhere.
        self.before.resize(self.data.len(), NONE);
        self.entered = self.data.len();
    }

    fn start_matching(&mut self, mut handle: impl for<'a> FnMut(Sequence<'a>)) {
        let end = self.data.len();
        // The library cannot write a block in which no match has literals before it: the first one has, always.
        let first = self.start + 1;
        let (mut at, mut anchor) = (first, self.start);
        while at + SHORTEST <= end {
            self.enter(at);
            let Some(mut found) = self.find(at) else {
                // The longer nothing is found, the less is looked for.
                at += 1 + ((at - anchor) >> 8);
                continue;
            };
            // Perhaps one that begins a little later saves more than the byte that it costs.
            let mut later = 1;
            while later <= self.effort.lazy && found.length < self.effort.enough && at + later + SHORTEST <= end {
                self.enter(at + later);
                match self.find(at + later) {
                    Some(better) if better.gain() > found.gain() + 4 * later => {
                        (found, at, later) = (better, at + later, 1);
                    }
                    _ => later += 1,
                }
            }
            // What is before both may be the same, too.
            while at > anchor.max(first) && at > found.offset && self.data[at - 1] == self.data[at - 1 - found.offset] {
                at -= 1;
                found.length += 1;
            }
            let length = found.length.min(end - at);
            if length < SHORTEST {
                at += 1;
                continue;
            }
            handle(Sequence::Triple { literals: &self.data[anchor..at], offset: found.offset, match_len: length });
            at += length;
            anchor = at;
        }
        self.enter(end);
        handle(Sequence::Literals { literals: &self.data[anchor..end] });
    }

    fn reset(&mut self, _: CompressionLevel) {}

    fn window_size(&self) -> u64 {
        self.size.max(1024) as u64
    }
}
