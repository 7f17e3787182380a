//! What repeats. The lower levels take the first repetition that two tables of latest places name; the higher ones look
//! at more places, which are chained by the hash of their first bytes, and at whether a later match saves more.

use super::block::Sequence;

/// Shorter matches cost more than they save.
const SHORTEST: usize = 4;
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
        0..=5 => (6, 1, 32),
        6 => (8, 1, 48),
        7 => (10, 2, 64),
        8 => (12, 2, 96),
        9 => (16, 2, 128),
        10..=12 => (32, 2, 256),
        13..=15 => (64, 2, 512),
        16..=18 => (192, 2, 1024),
        _ => (512, 2, 4096),
    };
    Effort { depth, lazy, enough }
}

/// Finds matches in all of a frame, block by block.
pub enum Finder {
    Tables(Tables),
    Chains(Chains),
}

impl Finder {
    pub fn new(level: u32, size: usize) -> Finder {
        match level {
            0..=4 => Finder::Tables(Tables::new(level >= 3, size)),
            _ => Finder::Chains(Chains::new(level, size)),
        }
    }

    /// The sequences of the block between two places; where the literals behind them begin.
    pub fn find(&mut self, data: &[u8], start: usize, end: usize, found: &mut Vec<Sequence>) -> usize {
        let mut block = Block { data: &data[..end], anchor: start, found };
        match self {
            Finder::Tables(tables) => tables.find(&mut block),
            Finder::Chains(chains) => chains.find(&mut block),
        }
        block.anchor
    }
}

/// The block that is searched, up to the end of the data.
struct Block<'a> {
    data: &'a [u8],
    /// Where the literals begin that belong to no sequence yet.
    anchor: usize,
    found: &'a mut Vec<Sequence>,
}

impl Block<'_> {
    fn take(&mut self, at: usize, offset: usize, length: usize) {
        let literals = (at - self.anchor) as u32;
        self.found.push(Sequence { literals, length: length as u32, offset: offset as u32 });
        self.anchor = at + length;
    }

    /// How far a match can be begun earlier: what is before both may be the same, too.
    fn back(&self, at: usize, offset: usize) -> usize {
        let most = (at - self.anchor).min(at - offset);
        (0..most).take_while(|n| self.data[at - 1 - n] == self.data[at - 1 - n - offset]).count()
    }

    /// How much is the same at two places.
    fn length(&self, earlier: usize, at: usize) -> usize {
        let (mut a, mut b) = (&self.data[earlier..], &self.data[at..]);
        let mut length = 0;
        while let (Some((x, more_a)), Some((y, more_b))) = (a.split_first_chunk::<8>(), b.split_first_chunk::<8>()) {
            let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
            if differ != 0 {
                return length + (differ.trailing_zeros() / 8) as usize;
            }
            (a, b) = (more_a, more_b);
            length += 8;
        }
        length + a.iter().zip(b).take_while(|(x, y)| x == y).count()
    }
}

/// Eight bytes from a place on; none near the end.
fn word(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..).and_then(|rest| rest.first_chunk::<8>()).map(|bytes| u64::from_le_bytes(*bytes))
}

/// Four bytes from a place on; none near the end.
fn four(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..).and_then(|rest| rest.first_chunk::<4>()).map(|bytes| u32::from_le_bytes(*bytes))
}

/// The latest places with the same eight bytes, and with the same five.
pub struct Tables {
    long: Vec<u32>,
    short: Vec<u32>,
    bits: u32,
    last: [usize; 2],
}

impl Tables {
    fn new(long: bool, size: usize) -> Tables {
        let bits = (size.max(256).ilog2() + 1).min(16);
        // A place that was never entered is the first one, which is as good as any.
        let table = |used: bool| vec![0; if used { 1 << bits } else { 0 }];
        Tables { long: table(long), short: table(true), bits, last: [0; 2] }
    }

    fn hashes(&self, word: u64) -> (usize, usize) {
        let hash = |value: u64| (value.wrapping_mul(0x9e37_79b1_85eb_ca87) >> (64 - self.bits)) as usize;
        (hash(word), hash(word << 24))
    }

    fn find(&mut self, block: &mut Block) {
        let mut at = block.anchor.max(1);
        while let Some(here) = word(block.data, at) {
            let Some((start, offset, length)) = self.at(block, at, here) else {
                // The longer nothing is found, the less is looked for.
                at += 1 + ((at - block.anchor) >> 7);
                continue;
            };
            block.take(start, offset, length);
            if offset != self.last[0] {
                self.last = [offset, self.last[0]];
            }
            at = block.anchor;
            self.enter(block.data, start + 2);
            self.enter(block.data, at - 2);
            // What follows is often as far away as the match before.
            while self.last[1] > 0 && self.repeats(block, at, self.last[1]) {
                let length = block.length(at - self.last[1], at);
                block.take(at, self.last[1], length);
                self.last.swap(0, 1);
                self.enter(block.data, at);
                at = block.anchor;
            }
        }
    }

    fn repeats(&self, block: &Block, at: usize, offset: usize) -> bool {
        offset <= at && four(block.data, at).is_some_and(|here| Some(here) == four(block.data, at - offset))
    }

    fn enter(&mut self, data: &[u8], at: usize) {
        if let Some(word) = word(data, at) {
            let (long, short) = self.hashes(word);
            self.short[short] = at as u32;
            if let Some(place) = self.long.get_mut(long) {
                *place = at as u32;
            }
        }
    }

    /// A match at a place, or a little before or behind: where, how far away, how long.
    #[inline]
    fn at(&mut self, block: &Block, at: usize, here: u64) -> Option<(usize, usize, usize)> {
        let (long, short) = self.hashes(here);
        let near = std::mem::replace(&mut self.short[short], at as u32) as usize;
        let far = self.long.get_mut(long).map(|place| std::mem::replace(place, at as u32) as usize);
        if self.last[0] > 0 && self.repeats(block, at + 1, self.last[0]) {
            return Some((at + 1, self.last[0], block.length(at + 1 - self.last[0], at + 1)));
        }
        let with_back = |at: usize, earlier: usize| {
            let back = block.back(at, at - earlier);
            (at - back, at - earlier, block.length(earlier, at) + back)
        };
        if let Some(far) = far
            && far < at
            && word(block.data, far) == Some(here)
        {
            return Some(with_back(at, far));
        }
        if near >= at || word(block.data, near)? as u32 != here as u32 {
            return None;
        }
        // A long match one place on is better than a short one here.
        if far.is_some()
            && let Some(next) = word(block.data, at + 1)
        {
            let place = self.hashes(next).0;
            let far = std::mem::replace(&mut self.long[place], at as u32 + 1) as usize;
            if far <= at && word(block.data, far) == Some(next) {
                return Some(with_back(at + 1, far));
            }
        }
        Some(with_back(at, near))
    }
}

#[derive(Clone, Copy)]
struct Match {
    offset: usize,
    length: usize,
    /// The distance is that of a match shortly before, which costs next to nothing.
    again: bool,
}

impl Match {
    /// What it saves, in quarters of a byte: a distance costs about as many bits as it has.
    fn gain(self) -> usize {
        let distance = if self.again { 0 } else { self.offset.ilog2() as usize / 2 };
        (self.length * 4).saturating_sub(distance)
    }
}

pub struct Chains {
    /// Up to where places are in the chains.
    entered: usize,
    /// The latest place of every hash, and for every place the one before.
    heads: Vec<u32>,
    before: Vec<u32>,
    bits: u32,
    /// Places are found by their first four bytes, not five.
    fine: bool,
    effort: Effort,
    last: [usize; 3],
}

impl Chains {
    fn new(level: u32, size: usize) -> Chains {
        let bits = (size.max(256).ilog2() + 1).min(17);
        Chains {
            entered: 0,
            heads: vec![NONE; 1 << bits],
            before: Vec::with_capacity(size),
            bits,
            // Matches of four bytes save little when they are far away.
            fine: level >= 13 || size <= 1 << 16,
            effort: effort(level),
            last: [0; 3],
        }
    }

    fn hash(&self, data: &[u8], at: usize) -> Option<usize> {
        if self.fine {
            return Some((four(data, at)?.wrapping_mul(0x9e37_79b1) >> (32 - self.bits)) as usize);
        }
        Some(((word(data, at)? << 24).wrapping_mul(0x9e37_79b1_85eb_ca87) >> (64 - self.bits)) as usize)
    }

    /// Puts all places before this one into the chains.
    fn enter(&mut self, data: &[u8], until: usize) {
        while self.entered < until {
            let at = self.entered;
            let hash = self.hash(data, at);
            let last = hash.map_or(NONE, |hash| std::mem::replace(&mut self.heads[hash], at as u32));
            self.before.push(last);
            self.entered += 1;
        }
    }

    /// The best match at a place. Places up to there are in the chains.
    fn at(&self, block: &Block, at: usize) -> Option<Match> {
        let mut best: Option<Match> = None;
        let here = four(block.data, at)?;
        for &offset in &self.last {
            if offset == 0 || offset > at || four(block.data, at - offset) != Some(here) {
                continue;
            }
            let found = Match { offset, length: block.length(at - offset, at), again: true };
            if best.is_none_or(|b| found.gain() > b.gain()) {
                best = Some(found);
            }
        }
        let mut candidate = self.heads[self.hash(block.data, at)?];
        for _ in 0..self.effort.depth {
            if candidate == NONE || best.is_some_and(|b| b.length >= self.effort.enough) {
                break;
            }
            let earlier = candidate as usize;
            // What does not go beyond the best one so far is not measured.
            let end = best.map_or(SHORTEST, |b| b.length + 1) - SHORTEST;
            if four(block.data, earlier + end) == four(block.data, at + end) && four(block.data, earlier) == Some(here)
            {
                let found = Match { offset: at - earlier, length: block.length(earlier, at), again: false };
                if found.length >= SHORTEST && best.is_none_or(|b| found.gain() > b.gain()) {
                    best = Some(found);
                }
            }
            candidate = self.before.get(earlier).copied().unwrap_or(NONE);
        }
        best
    }

    fn find(&mut self, block: &mut Block) {
        let end = block.data.len();
        let mut at = block.anchor;
        while at + SHORTEST <= end {
            self.enter(block.data, at);
            let Some(mut found) = self.at(block, at) else {
                // The longer nothing is found, the less is looked for.
                at += 1 + ((at - block.anchor) >> 8);
                continue;
            };
            // Perhaps one that begins a little later saves more than the byte that it costs.
            let mut later = 1;
            while later <= self.effort.lazy && found.length < self.effort.enough && at + later + SHORTEST <= end {
                self.enter(block.data, at + later);
                match self.at(block, at + later) {
                    Some(better) if better.gain() > found.gain() + 4 * later => {
                        (found, at, later) = (better, at + later, 1);
                    }
                    _ => later += 1,
                }
            }
            let back = block.back(at, found.offset);
            block.take(at - back, found.offset, found.length + back);
            if let Some(place) = self.last.iter().position(|last| *last == found.offset) {
                self.last[..=place].rotate_right(1);
            } else {
                self.last = [found.offset, self.last[0], self.last[1]];
            }
            at = block.anchor;
        }
        self.enter(block.data, end);
    }
}
