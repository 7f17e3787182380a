//! The sum of cargo's "test result:" lines, read while the output streams through.

use std::io::{BufRead, BufReader, Read, Write};

use anyhow::Result;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Sum {
    pub passed: u64,
    pub failed: u64,
}

impl Sum {
    /// Copies `from` to `to` line by line and adds up the results on the way. Bytes that are not UTF-8 pass unchanged.
    pub fn stream(&mut self, from: impl Read, mut to: impl Write) -> Result<()> {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while from.read_until(b'\n', &mut line)? > 0 {
            to.write_all(&line)?;
            to.flush()?;
            self.add_line(&String::from_utf8_lossy(&line));
            line.clear();
        }
        Ok(())
    }

    fn add_line(&mut self, line: &str) {
        // Not at the start: a test that prints without an end of line may stand before it.
        let Some((_, result)) = line.split_once("test result: ") else { return };
        self.passed += count(result, "passed");
        self.failed += count(result, "failed");
    }
}

/// The number before `word` in "ok. 3 passed; 0 failed; 1 ignored; …".
fn count(result: &str, word: &str) -> u64 {
    let mut words = result.split([' ', ';']).filter(|part| !part.is_empty());
    let mut before = None;
    words
        .find_map(|part| {
            let number = (part == word).then_some(before).flatten();
            before = part.parse().ok();
            number
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(text: &[u8]) -> Sum {
        let (mut sum, mut copy) = (Sum::default(), Vec::new());
        sum.stream(text, &mut copy).unwrap();
        assert_eq!(copy, text);
        sum
    }

    #[test]
    fn results_of_several_programs_add_up() {
        let text = b"running 2 tests\n\
            test a ... ok\n\
            test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n\
            test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.25s\n";
        assert_eq!(sum(text), Sum { passed: 15, failed: 2 });
    }

    #[test]
    fn colours_and_output_before_the_result_do_not_matter() {
        let text = b"noise test result: \x1b[32mok\x1b[m. 7 passed; 1 failed; 0 ignored; 0 measured\n";
        assert_eq!(sum(text), Sum { passed: 7, failed: 1 });
    }

    #[test]
    fn other_lines_and_broken_bytes_count_nothing() {
        assert_eq!(sum(b"5 passed; 3 failed\n\xff\xfe\ntest result: nonsense\nno end of line"), Sum::default());
    }
}
