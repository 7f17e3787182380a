//! A hunk, where it fits, and what it makes of a file.

/// What happens to a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Keep,
    Delete,
    Insert,
}

/// Lines with their newlines, in the order of the patch; starts count from 1, an empty side from the line before it.
#[derive(Clone, Default, Debug)]
pub struct Hunk {
    pub old_start: usize,
    pub new_start: usize,
    pub lines: Vec<(Op, Vec<u8>)>,
    /// What stands behind `@@ … @@`.
    pub function: Vec<u8>,
}

impl Hunk {
    pub fn before(&self) -> Vec<&[u8]> {
        self.side(Op::Insert)
    }

    pub fn after(&self) -> Vec<&[u8]> {
        self.side(Op::Delete)
    }

    fn side(&self, without: Op) -> Vec<&[u8]> {
        self.lines.iter().filter(|l| l.0 != without).map(|l| l.1.as_slice()).collect()
    }

    /// How many lines of context it begins and ends with.
    pub fn context(&self) -> (usize, usize) {
        let keep = |l: &&(Op, Vec<u8>)| l.0 == Op::Keep;
        (self.lines.iter().take_while(keep).count(), self.lines.iter().rev().take_while(keep).count())
    }

    /// The same change the other way round.
    pub fn reverse(&mut self) {
        std::mem::swap(&mut self.old_start, &mut self.new_start);
        for line in &mut self.lines {
            line.0 = match line.0 {
                Op::Keep => Op::Keep,
                Op::Delete => Op::Insert,
                Op::Insert => Op::Delete,
            };
        }
        // Deletions stand before insertions.
        let mut at = 0;
        while at < self.lines.len() {
            let end = at + self.lines[at..].iter().take_while(|l| l.0 != Op::Keep).count();
            self.lines[at..end].sort_by_key(|l| l.0 == Op::Insert);
            at = end.max(at + 1);
        }
    }

    /// The first line of the old text, 1 for an empty file.
    pub fn first(&self) -> usize {
        let empty = self.lines.iter().all(|l| l.0 == Op::Insert);
        self.old_start + usize::from(empty)
    }
}

/// A file under the patch: what is read and what has been written so far.
pub struct Work<'a> {
    pub lines: Vec<&'a [u8]>,
    pub out: Vec<u8>,
    /// Lines already written: hunks do not go back.
    pub frozen: usize,
    /// How far hunks have been off so far, in the old and in the new text.
    pub in_offset: isize,
    pub out_offset: isize,
    pub ignore_blanks: bool,
}

impl<'a> Work<'a> {
    pub fn new(bytes: &'a [u8], ignore_blanks: bool) -> Work<'a> {
        let lines = bytes.split_inclusive(|&b| b == b'\n').collect();
        Work { lines, out: Vec::new(), frozen: 0, in_offset: 0, out_offset: 0, ignore_blanks }
    }

    /// Where the hunk fits, with this much fuzz; the offset is remembered.
    pub fn locate(&mut self, hunk: &Hunk, fuzz: usize) -> Option<usize> {
        let pattern = hunk.before();
        let count = pattern.len() as isize;
        let guess = hunk.first() as isize + self.in_offset;
        if count == 0 {
            // Nothing fits everywhere; behind the end it is put at the end.
            return usize::try_from(guess).ok().filter(|&g| g > self.frozen);
        }
        let total = self.lines.len() as isize;
        let frozen = self.frozen as isize;
        let (prefix, suffix) = hunk.context();
        let context = prefix.max(suffix) as isize;
        let mut prefix_fuzz = fuzz as isize + prefix as isize - context;
        let suffix_fuzz = fuzz as isize + suffix as isize - context;
        let most_down = total - (count - suffix_fuzz.max(0)) + 1 - guess;
        let most_up = (guess - (frozen + 1)).min(guess - 1);
        let mut found = None;
        if prefix_fuzz < 0 && hunk.first() <= 1 {
            // Less context in front than behind: it belongs to the start of the file.
            if suffix_fuzz < 0 && count != total {
                return None;
            }
            let offset = 1 - guess;
            if frozen <= prefix as isize && offset <= most_down && self.fits(&pattern, 1, 0, suffix_fuzz.max(0)) {
                found = Some(offset);
            }
        } else {
            prefix_fuzz = prefix_fuzz.max(0);
            if suffix_fuzz < 0 {
                let place = total - count + 1;
                if guess - place <= most_up && self.fits(&pattern, place, prefix_fuzz, 0) {
                    found = Some(place - guess);
                }
            } else {
                for offset in 0..=most_down.max(most_up).max(-1) {
                    if offset <= most_down && self.fits(&pattern, guess + offset, prefix_fuzz, suffix_fuzz) {
                        found = Some(offset);
                        break;
                    }
                    if offset > 0 && offset <= most_up && self.fits(&pattern, guess - offset, prefix_fuzz, suffix_fuzz)
                    {
                        found = Some(-offset);
                        break;
                    }
                }
            }
        }
        let offset = found?;
        self.in_offset += offset;
        usize::try_from(guess + offset).ok()
    }

    fn fits(&self, pattern: &[&[u8]], place: isize, prefix_fuzz: isize, suffix_fuzz: isize) -> bool {
        let (from, to) = (prefix_fuzz as usize, pattern.len().saturating_sub(suffix_fuzz as usize));
        (from..to.max(from)).all(|i| {
            let line = usize::try_from(place - 1 + i as isize).ok().and_then(|n| self.lines.get(n));
            line.is_some_and(|line| same(line, pattern[i], self.ignore_blanks))
        })
    }

    /// Writes up to the hunk and what the hunk makes of its lines.
    pub fn apply(&mut self, hunk: &Hunk, place: usize, fuzz: usize) {
        let (prefix, suffix) = hunk.context();
        let context = prefix.max(suffix);
        // Context that did not have to fit is left as the file has it.
        let prefix_fuzz = (fuzz + prefix).saturating_sub(context).min(prefix);
        let suffix_fuzz = (fuzz + suffix).saturating_sub(context).min(suffix);
        let lines = &hunk.lines[prefix_fuzz..hunk.lines.len() - suffix_fuzz];
        self.copy_to(place - 1 + prefix_fuzz);
        for (op, text) in lines {
            match op {
                Op::Keep => {
                    let at = self.frozen;
                    self.copy_to(at + 1);
                }
                Op::Delete => self.frozen += 1,
                Op::Insert => self.out.extend_from_slice(text),
            }
        }
        self.out_offset += hunk.after().len() as isize - hunk.before().len() as isize;
    }

    /// Copies lines until so many have been read.
    fn copy_to(&mut self, line: usize) {
        while self.frozen < line.min(self.lines.len()) {
            self.out.extend_from_slice(self.lines[self.frozen]);
            self.frozen += 1;
        }
    }

    pub fn finish(&mut self) {
        self.copy_to(self.lines.len());
    }
}

fn same(line: &[u8], pattern: &[u8], ignore_blanks: bool) -> bool {
    if line == pattern {
        return true;
    }
    if !ignore_blanks {
        return false;
    }
    let words = |text: &'_ [u8]| -> Vec<u8> {
        let mut out: Vec<u8> = Vec::with_capacity(text.len());
        for &b in text.trim_ascii_end() {
            if !b.is_ascii_whitespace() {
                out.push(b);
            } else if out.last() != Some(&b' ') {
                out.push(b' ');
            }
        }
        out
    };
    words(line) == words(pattern)
}
