//! Finite state entropy: symbols cost about as many bits as they are rare, in fractions.

use super::bits::Bits;

/// The table of an encoder.
pub struct Table {
    log: u32,
    /// The states that follow, by symbol.
    next: Vec<u16>,
    symbols: Vec<Step>,
}

/// How a symbol changes the state: what tells the number of bits to write, and where its states begin.
#[derive(Clone, Copy, Default)]
struct Step {
    bits: u32,
    start: i32,
}

impl Table {
    /// The table for shares of `1 << log`; -1 is a share of less than one.
    pub fn new(shares: &[i16], log: u32) -> Table {
        let size = 1usize << log;
        let mut spread = vec![0u8; size];
        let mut last = size;
        for (symbol, _) in shares.iter().enumerate().filter(|(_, share)| **share == -1) {
            last -= 1;
            spread[last] = symbol as u8;
        }
        let (step, mut at) = ((size >> 1) + (size >> 3) + 3, 0);
        for (symbol, &share) in shares.iter().enumerate() {
            for _ in 0..share.max(0) {
                spread[at] = symbol as u8;
                at = (at + step) & (size - 1);
                while at >= last {
                    at = (at + step) & (size - 1);
                }
            }
        }
        let mut symbols = vec![Step::default(); shares.len()];
        let mut starts = Vec::with_capacity(shares.len());
        let mut total = 0;
        for (step, &share) in symbols.iter_mut().zip(shares) {
            let count = i32::from(share.unsigned_abs());
            starts.push(total as usize);
            *step = match count {
                0 => Step::default(),
                1 => Step { bits: (log << 16).wrapping_sub(1 << log), start: total - 1 },
                _ => {
                    let most = log - (count as u32 - 1).ilog2();
                    Step { bits: (most << 16).wrapping_sub((count as u32) << most), start: total - count }
                }
            };
            total += count;
        }
        let mut next = vec![0; size];
        for (at, &symbol) in spread.iter().enumerate() {
            let place = &mut starts[usize::from(symbol)];
            next[*place] = (size + at) as u16;
            *place += 1;
        }
        Table { log, next, symbols }
    }

    /// The table of one symbol alone, which takes no bits.
    pub fn single(symbol: u8) -> Table {
        Table { log: 0, next: vec![0], symbols: vec![Step::default(); usize::from(symbol) + 1] }
    }

    /// The state that the last symbol is read from.
    pub fn first(&self, symbol: u8) -> u32 {
        let step = self.symbols[usize::from(symbol)];
        let count = step.bits.wrapping_add(1 << 15) >> 16;
        let value = (count << 16).wrapping_sub(step.bits);
        self.state(value >> count, step)
    }

    /// Writes what leads from the state of a symbol to the one that is read after it; the state of the symbol.
    #[inline]
    pub fn step(&self, state: u32, symbol: u8, out: &mut Bits) -> u32 {
        let step = self.symbols[usize::from(symbol)];
        let count = state.wrapping_add(step.bits) >> 16;
        out.add(state, count);
        self.state(state >> count, step)
    }

    #[inline]
    fn state(&self, upper: u32, step: Step) -> u32 {
        u32::from(self.next[(upper as i32 + step.start) as usize])
    }

    /// Writes the state that a reader begins with.
    pub fn last(&self, state: u32, out: &mut Bits) {
        out.add(state, self.log);
    }
}

/// How many bits so many of these symbols take, about; none where a share is missing.
pub fn cost(counts: &[u32], shares: &[i16], log: u32) -> Option<f32> {
    let mut all = 0.0;
    for (symbol, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let share = shares.get(symbol).copied().filter(|share| *share != 0)?;
        all += count as f32 * (log as f32 - f32::from(share.unsigned_abs()).log2());
    }
    Some(all)
}

/// How fine the shares of so many symbols are best told.
pub fn best_log(total: u32, distinct: u32, most: u32) -> u32 {
    let enough = total.saturating_sub(1).max(1).ilog2().saturating_sub(2);
    enough.max(distinct.max(2).ilog2() + 1).max(5).min(most)
}

/// Shares of `1 << log` in proportion to the counts, at least one for what is there.
pub fn normalize(counts: &[u32], log: u32) -> Vec<i16> {
    let (size, total) = (1u64 << log, counts.iter().map(|&count| u64::from(count)).sum::<u64>().max(1));
    let share = |&count: &u32| match count {
        0 => 0,
        _ => ((u64::from(count) * size + total / 2) / total).max(1) as i16,
    };
    let mut shares: Vec<i16> = counts.iter().map(share).collect();
    let mut missing = size as i32 - shares.iter().map(|&share| i32::from(share)).sum::<i32>();
    while missing != 0 {
        // The largest share feels a change the least.
        let Some(largest) = shares.iter_mut().max() else { break };
        let change = if missing > 0 { missing } else { missing.max(-i32::from(*largest) / 4 - 1) };
        *largest += change as i16;
        missing -= change;
    }
    shares
}

/// The shares as they are written in front of what is packed by them.
pub fn describe(shares: &[i16], log: u32) -> Vec<u8> {
    let used = shares.iter().rposition(|share| *share != 0).map_or(0, |last| last + 1);
    let mut out = Bits::default();
    out.add(log - 5, 4);
    let (mut bits, mut remaining, mut threshold) = (log + 1, (1i32 << log) + 1, 1i32 << log);
    let (mut symbol, mut after_zero) = (0, false);
    while symbol < used && remaining > 1 {
        if after_zero {
            let mut run = shares[symbol..used].iter().take_while(|share| **share == 0).count();
            symbol += run;
            while run >= 3 {
                out.add(3, 2);
                run -= 3;
            }
            out.add(run as u32, 2);
        }
        let share = i32::from(shares[symbol]);
        symbol += 1;
        let short = 2 * threshold - 1 - remaining;
        remaining -= share.abs();
        let mut value = share + 1;
        after_zero = share == 0;
        if value >= threshold {
            value += short;
        }
        out.add(value as u32, bits - u32::from(value < short));
        while remaining < threshold {
            bits -= 1;
            threshold >>= 1;
        }
    }
    out.finish()
}
