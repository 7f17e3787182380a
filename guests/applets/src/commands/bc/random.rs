//! `random()`: the numbers of the C library's additive feedback generator, which begins alike in every run.

const WORDS: usize = 31;

pub struct Random {
    words: [u32; WORDS],
    at: usize,
}

impl Random {
    pub fn new() -> Random {
        let mut words = [1; WORDS];
        for i in 1..WORDS {
            words[i] = (u64::from(words[i - 1]) * 16_807 % 2_147_483_647) as u32;
        }
        let mut random = Random { words, at: 3 };
        for _ in 0..10 * WORDS {
            random.next();
        }
        random
    }

    /// 31 bits.
    pub fn next(&mut self) -> u32 {
        let before = (self.at + WORDS - 3) % WORDS;
        let word = self.words[self.at].wrapping_add(self.words[before]);
        self.words[self.at] = word;
        self.at = (self.at + 1) % WORDS;
        word >> 1
    }
}
