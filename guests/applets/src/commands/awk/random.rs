//! `rand()`: the numbers that gawk gives. BSD's additive feedback generator over 63 words, its numbers shuffled.

const WORDS: usize = 63;
const SHUFFLED: usize = 512;

pub struct Random {
    /// What `srand` returns next time.
    seed: f64,
    words: [u32; WORDS],
    /// The word that the next number is added to; the one before it is added.
    at: usize,
    shuffled: [u32; SHUFFLED],
    last: u32,
}

impl Random {
    pub fn new() -> Random {
        let mut random = Random { seed: 1.0, words: [0; WORDS], at: 1, shuffled: [0; SHUFFLED], last: 0 };
        random.begin(1);
        random
    }

    /// Another beginning; the seed before.
    pub fn seed(&mut self, seed: f64) -> f64 {
        // What is no long is the smallest one, as the processor has it.
        let long = if seed.abs() < (1u64 << 63) as f64 { seed as i64 } else { i64::MIN };
        self.begin(long as u32);
        std::mem::replace(&mut self.seed, long as f64)
    }

    fn begin(&mut self, seed: u32) {
        let mut word = seed;
        for place in &mut self.words {
            *place = word;
            word = park_miller(word as i32);
        }
        self.at = 1;
        for i in 0..SHUFFLED {
            self.shuffled[i] = self.step();
        }
        self.last = self.step();
        for _ in 0..10 * WORDS {
            self.draw();
        }
    }

    fn step(&mut self) -> u32 {
        let before = self.at.checked_sub(1).unwrap_or(WORDS - 1);
        let word = self.words[self.at].wrapping_add(self.words[before]);
        self.words[self.at] = word;
        self.at = (self.at + 1) % WORDS;
        word >> 1
    }

    /// 31 bits, from a place that the ones before decide.
    fn draw(&mut self) -> u32 {
        let new = self.step();
        let place = &mut self.shuffled[self.last as usize % SHUFFLED];
        self.last = std::mem::replace(place, new);
        self.last
    }

    /// At least 0 and less than 1.
    pub fn next(&mut self) -> f64 {
        const RANGE: f64 = (1u64 << 31) as f64;
        loop {
            let (low, high) = (f64::from(self.draw()), f64::from(self.draw()));
            // The half rounds the lowest bits away.
            let number = 0.5 + (low / RANGE + high) / RANGE - 0.5;
            if number < 1.0 {
                return number;
            }
        }
    }
}

/// The next number of the "minimal standard" generator, as 32 bits compute it.
fn park_miller(seed: i32) -> u32 {
    let seed = if seed == 0 { 123_459_876 } else { seed };
    let next = 16_807 * (seed % 127_773) - 2_836 * (seed / 127_773);
    (if next < 0 { next + i32::MAX } else { next }) as u32
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn gawks_first_numbers() {
        let mut random = Random::new();
        let numbers: Vec<String> = std::iter::repeat_with(|| format!("{:.12}", random.next())).take(3).collect();
        assert_eq!(numbers, ["0.924045815399", "0.593908619296", "0.306394438852"]);
    }
}
