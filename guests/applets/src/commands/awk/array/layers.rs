//! The order of a loop over what is not in the list of small numbers, as gawk's tables have it.
//!
//! gawk keeps an array in up to three tables: a list for numbers from 0 on, chains for other whole numbers, chains for
//! texts. The first key decides which it begins with; a table of texts takes everything that comes later. Elements are
//! found by a table of our own, and only what decides the order is kept here: of numbers the chains themselves, of
//! texts after which of them the table grew, from which the chains are made when somebody asks.

/// The sizes that tables of chains grow through.
const SIZES: [u32; 21] = [
    13,
    127,
    1021,
    8191,
    16381,
    32749,
    65497,
    131_101,
    262_147,
    524_309,
    1_048_583,
    2_097_169,
    4_194_319,
    8_388_617,
    16_777_259,
    33_554_467,
    67_108_879,
    134_217_757,
    268_435_459,
    536_870_923,
    1_073_741_827,
];
/// A table grows when its chains are longer than this on average.
const CHAIN: usize = 2;

/// What holds the keys that are not in the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Rest {
    #[default]
    Empty,
    /// Whole numbers, and texts in a table behind it.
    Numbers,
    Texts,
}

#[derive(Debug, Default)]
pub struct Layers {
    /// Whether the array began with a list and still has it.
    pub list: bool,
    rest: Rest,
    numbers: Numbers,
    texts: usize,
    /// The entries before which the table of texts grew.
    growths: Vec<usize>,
}

impl Layers {
    /// What gawk calls the table.
    pub fn name(&self) -> &'static str {
        match self.rest {
            _ if self.list => "cint",
            Rest::Empty => "null",
            Rest::Numbers => "int",
            Rest::Texts => "str",
        }
    }

    /// Whether a key is in the chains of numbers, or would be.
    pub fn is_number(&self, number: Option<i32>) -> bool {
        self.rest == Rest::Numbers && number.is_some()
    }

    /// A key, which is a whole number or not, becomes the entry of this number.
    #[inline]
    pub fn add(&mut self, number: Option<i32>, entry: usize) {
        if self.rest == Rest::Empty {
            self.rest = if number.is_some() { Rest::Numbers } else { Rest::Texts };
        }
        match number {
            Some(n) if self.rest == Rest::Numbers => self.numbers.add(n),
            _ => {
                self.texts += 1;
                let grown = self.growths.len();
                if self.texts / SIZES[grown] as usize > CHAIN && grown + 1 < SIZES.len() {
                    self.growths.push(entry);
                }
            }
        }
    }

    pub fn remove(&mut self, number: Option<i32>) {
        match number {
            Some(n) if self.rest == Rest::Numbers => self.numbers.remove(n),
            _ => self.texts -= 1,
        }
        if self.texts == 0 {
            self.growths.clear();
        }
        if self.rest == Rest::Numbers && self.numbers.count == 0 {
            self.numbers.chains.clear();
            self.rest = Rest::Texts;
        }
        if self.rest == Rest::Texts && self.texts == 0 {
            self.rest = Rest::Empty;
        }
    }

    /// Entries have moved up because others are gone.
    pub fn moved(&mut self, to: impl Fn(usize) -> usize) {
        for at in &mut self.growths {
            *at = to(*at);
        }
    }

    pub fn numbers(&self) -> impl Iterator<Item = i32> {
        self.numbers.iter()
    }

    /// The entries with texts in the order of their chains. They come as (entry, hash), in the order they were made.
    pub fn order(&self, texts: impl Iterator<Item = (usize, u32)>) -> Vec<usize> {
        let mut chains = Chains::new(SIZES[0] as usize);
        let mut growths = self.growths.iter().zip(&SIZES[1..]).peekable();
        for (entry, hash) in texts {
            while let Some((_, size)) = growths.next_if(|(before, _)| **before <= entry) {
                chains = chains.grown(*size as usize);
            }
            chains.add(entry, hash);
        }
        for (_, size) in growths {
            chains = chains.grown(*size as usize);
        }
        chains.iter().map(|link| link.entry).collect()
    }
}

/// The hash of a text: sdbm's, over signed bytes.
pub fn hash(text: &[u8]) -> u32 {
    text.iter().fold(0, |hash: u32, &byte| hash.wrapping_mul(65599).wrapping_add(byte as i8 as u32))
}

/// Chains whose newest element comes first.
struct Chains {
    heads: Vec<u32>,
    links: Vec<Link>,
}

struct Link {
    entry: usize,
    hash: u32,
    /// One more than the number of the next link, or 0.
    next: u32,
}

impl Chains {
    fn new(size: usize) -> Chains {
        Chains { heads: vec![0; size], links: Vec::new() }
    }

    fn add(&mut self, entry: usize, hash: u32) {
        let head = hash as usize % self.heads.len();
        self.links.push(Link { entry, hash, next: self.heads[head] });
        self.heads[head] = self.links.len() as u32;
    }

    fn iter(&self) -> impl Iterator<Item = &Link> {
        let link = |at: u32| self.links.get((at as usize).checked_sub(1)?);
        self.heads.iter().flat_map(move |head| std::iter::successors(link(*head), move |before| link(before.next)))
    }

    fn grown(&self, size: usize) -> Chains {
        let mut chains = Chains::new(size);
        for link in self.iter() {
            chains.add(link.entry, link.hash);
        }
        chains
    }
}

/// Whole numbers in chains of pairs, of which only the newest may be half full.
#[derive(Debug, Default)]
struct Numbers {
    /// Oldest first.
    chains: Vec<Vec<i32>>,
    count: usize,
}

impl Numbers {
    fn add(&mut self, n: i32) {
        if self.chains.is_empty() {
            self.chains.resize(SIZES[0] as usize, Vec::new());
        }
        self.count += 1;
        let size = self.chains.len();
        if self.count / size > CHAIN
            && let Some(larger) = SIZES.iter().find(|larger| **larger as usize > size)
        {
            let old = std::mem::take(&mut self.chains);
            self.chains.resize(*larger as usize, Vec::new());
            for n in old.iter().flat_map(|chain| newest_first(chain)) {
                self.put(n);
            }
        }
        self.put(n);
    }

    fn chain(&mut self, n: i32) -> &mut Vec<i32> {
        let mut hash = n as u32;
        hash ^= hash << 3;
        hash = hash.wrapping_add(hash >> 5);
        hash ^= hash << 4;
        hash = hash.wrapping_add(hash >> 17);
        hash ^= hash << 25;
        hash = hash.wrapping_add(hash >> 6);
        let at = hash as usize % self.chains.len();
        &mut self.chains[at]
    }

    fn put(&mut self, n: i32) {
        self.chain(n).push(n);
    }

    /// A hole in a full pair is filled from the newest one.
    fn remove(&mut self, n: i32) {
        let chain = self.chain(n);
        let Some(at) = chain.iter().position(|other| *other == n) else { return };
        chain.remove(at);
        let second = at | 1;
        if second < chain.len()
            && let Some(newest) = chain.pop()
        {
            chain.insert(second, newest);
        }
        self.count -= 1;
    }

    fn iter(&self) -> impl Iterator<Item = i32> {
        self.chains.iter().flat_map(|chain| newest_first(chain))
    }
}

/// The newest pair first, but each pair as it was made.
fn newest_first(chain: &[i32]) -> impl Iterator<Item = i32> {
    chain.chunks(2).rev().flatten().copied()
}
