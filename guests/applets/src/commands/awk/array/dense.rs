//! Whole numbers from 0 on, kept by position in leaves: arrays are mostly lists. A leaf is as large as gawk's for the
//! same number, because a list with too many holes has its further numbers elsewhere, and that shows in a loop.

use super::super::value::Value;
use std::collections::BTreeMap;

/// Numbers below this share one row of leaves; those from here on have one row for each power of two.
const FIRST_ROW: u32 = 1 << 10;
/// Numbers from here on are few and far between: their leaves are found by a search.
const FAR: u32 = 1 << 21;
/// So many places may be empty.
const WASTE: usize = 2048;

#[derive(Debug, Default)]
struct Leaf {
    /// Only as long as it needs to be.
    values: Vec<Option<Value>>,
    used: u32,
}

#[derive(Debug, Default)]
pub struct Dense {
    near: Vec<Leaf>,
    /// By their first numbers.
    far: BTreeMap<u32, Leaf>,
    live: usize,
    /// The places of all leaves that are in use.
    capacity: usize,
}

/// Where a number stands.
#[derive(Clone, Copy)]
pub struct Spot {
    /// The leaf's number among the near ones, or the first number of a far one.
    leaf: u32,
    slot: u32,
    /// The leaf's size as a power of two.
    bits: u32,
    far: bool,
}

/// Where the leaves of the numbers from `2^(10 + i)` on begin among the near ones.
const ROWS: [u32; 11] = {
    let mut rows = [0; 11];
    let (mut i, mut first) = (0, FIRST_ROW >> 5);
    while i < 11 {
        rows[i] = first;
        let power = 10 + i as u32;
        first += 1 << (power - power.div_ceil(2));
        i += 1;
    }
    rows
};

impl Spot {
    #[inline]
    pub fn of(n: u32) -> Spot {
        if n < FIRST_ROW {
            return Spot { leaf: n >> 5, slot: n & 31, bits: 5, far: false };
        }
        let power = n.ilog2();
        let mut bits = power.div_ceil(2);
        if n >= FAR {
            bits = bits.div_ceil(2);
            let slot = n & ((1 << bits) - 1);
            return Spot { leaf: n - slot, slot, bits, far: true };
        }
        let at = n - (1 << power);
        let leaf = ROWS[power as usize - 10] + (at >> bits);
        Spot { leaf, slot: at & ((1 << bits) - 1), bits, far: false }
    }
}

/// What gawk thinks a new leaf for the number would take: not always what it does take.
fn estimate(n: u32) -> usize {
    let mut bits = n.max(1).ilog2().max(10);
    while bits >= 10 {
        bits = bits.div_ceil(2);
    }
    1 << bits
}

impl Dense {
    pub fn len(&self) -> usize {
        self.live
    }

    #[inline]
    fn leaf(&self, spot: Spot) -> Option<&Leaf> {
        if spot.far { self.far.get(&spot.leaf) } else { self.near.get(spot.leaf as usize) }
    }

    #[inline]
    pub fn get(&self, spot: Spot) -> Option<&Value> {
        self.leaf(spot)?.values.get(spot.slot as usize)?.as_ref()
    }

    /// Whether one more number, which is not here, belongs here.
    pub fn takes(&self, n: u32) -> bool {
        self.capacity + estimate(n) <= WASTE + self.live
    }

    /// The element, made when it is not there.
    #[inline]
    pub fn at(&mut self, spot: Spot) -> &mut Value {
        let leaf = if spot.far {
            self.far.entry(spot.leaf).or_default()
        } else {
            let at = spot.leaf as usize;
            if at >= self.near.len() {
                self.near.resize_with(at + 1, Leaf::default);
            }
            &mut self.near[at]
        };
        let slot = spot.slot as usize;
        if slot >= leaf.values.len() {
            leaf.values.resize_with(slot + 1, || None);
        }
        let place = &mut leaf.values[slot];
        if place.is_none() {
            if leaf.used == 0 {
                self.capacity += 1 << spot.bits;
            }
            leaf.used += 1;
            self.live += 1;
        }
        place.get_or_insert(Value::Untyped)
    }

    pub fn remove(&mut self, spot: Spot) -> bool {
        let leaf = if spot.far { self.far.get_mut(&spot.leaf) } else { self.near.get_mut(spot.leaf as usize) };
        let Some(leaf) = leaf else { return false };
        let Some(place) = leaf.values.get_mut(spot.slot as usize) else { return false };
        if place.take().is_none() {
            return false;
        }
        self.live -= 1;
        leaf.used -= 1;
        if leaf.used == 0 {
            self.capacity -= 1 << spot.bits;
            leaf.values = Vec::new();
            if spot.far {
                self.far.remove(&spot.leaf);
            }
        }
        true
    }

    /// Short lists keep their room: they are often filled again.
    pub fn clear(&mut self) {
        self.near.truncate(2);
        for leaf in &mut self.near {
            leaf.values.clear();
            leaf.used = 0;
        }
        self.far.clear();
        self.live = 0;
        self.capacity = 0;
    }

    /// Upwards.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Value)> {
        let near = self.near.iter().enumerate().map(|(at, leaf)| (first_number(at as u32), leaf));
        let far = self.far.iter().map(|(first, leaf)| (*first, leaf));
        near.chain(far).flat_map(|(first, leaf)| {
            let numbered = leaf.values.iter().zip(first..);
            numbered.filter_map(|(value, n)| value.as_ref().map(|value| (n, value)))
        })
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.near.iter_mut().chain(self.far.values_mut()).flat_map(|leaf| leaf.values.iter_mut().flatten())
    }
}

/// The first number of a near leaf.
fn first_number(leaf: u32) -> u32 {
    match ROWS.partition_point(|row| *row <= leaf).checked_sub(1) {
        None => leaf << 5,
        Some(row) => {
            let power = row as u32 + 10;
            (1 << power) + ((leaf - ROWS[row]) << power.div_ceil(2))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_place_of_its_own_and_they_go_upwards() {
        let mut dense = Dense::default();
        let numbers: Vec<u32> = (0..5000).chain((5000..3_000_000).step_by(997)).chain([u32::MAX >> 1]).collect();
        for n in &numbers {
            assert!(dense.get(Spot::of(*n)).is_none());
            *dense.at(Spot::of(*n)) = Value::Num(f64::from(*n));
        }
        assert_eq!(dense.iter().map(|(n, _)| n).collect::<Vec<_>>(), numbers);
        assert!(dense.iter().all(|(n, value)| value.number() == f64::from(n)));
        for n in &numbers {
            assert!(dense.remove(Spot::of(*n)));
        }
        assert_eq!((dense.len(), dense.capacity), (0, 0));
    }
}
