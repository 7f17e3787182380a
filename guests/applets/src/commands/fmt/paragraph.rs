//! A paragraph's words and where its lines break best: breaks have costs, and the cheapest set of them is taken, as
//! Knuth and Plass do it.

use capsule_sys::Out;

/// A paragraph has no more than these at a time; longer ones are written in pieces.
pub const MOST_CHARS: usize = 5000;
const MOST_WORDS: usize = 1000;

/// Costs are squares of columns.
const fn square(n: i64) -> i64 {
    n * n
}
const LINE: i64 = square(70);
const SENTENCE: i64 = square(50);
const NO_BREAK: i64 = square(600);
const PAREN: i64 = square(40);
const PUNCTUATION: i64 = square(40);
const CREDIT: i64 = square(3);

fn short(columns: i64) -> i64 {
    square(columns * 10)
}

fn ragged(columns: i64) -> i64 {
    short(columns) / 2
}

#[derive(Default)]
struct Word {
    text: Vec<u8>,
    /// Blanks behind it, when no line ends there.
    space: usize,
    paren: bool,
    period: bool,
    punctuation: bool,
    /// It ends a sentence.
    last: bool,
    /// The best line that begins here: its length, where the next begins, and the cost from here on.
    length: usize,
    next: usize,
    cost: i64,
}

pub struct Paragraph {
    words: Vec<Word>,
    /// Room of words that were written, for the next.
    spare: Vec<Vec<u8>>,
    chars: usize,
    width: usize,
    goal: usize,
    pub prefix_indent: usize,
    pub first_indent: usize,
    pub other_indent: usize,
    /// The last line written of the same paragraph.
    pub last_length: usize,
}

impl Paragraph {
    pub fn new(width: usize, goal: usize) -> Paragraph {
        Paragraph {
            words: Vec::new(),
            spare: Vec::new(),
            chars: 0,
            width,
            goal,
            prefix_indent: 0,
            first_indent: 0,
            other_indent: 0,
            last_length: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn chars(&self) -> usize {
        self.chars
    }

    pub fn is_full(&self) -> bool {
        self.words.len() >= MOST_WORDS - 2
    }

    pub fn clear(&mut self) {
        self.drop_first(self.words.len());
    }

    /// Room for a word.
    pub fn room(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    /// A word with the blanks behind it.
    pub fn push(&mut self, text: Vec<u8>, space: usize, line_end: bool, end: bool, uniform: bool) {
        let closing = |b: &u8| b")]'\"".contains(b);
        let body = 1 + text.iter().skip(1).rposition(|b| !closing(b)).map_or(0, |i| i + 1);
        let finish = text.get(body - 1).copied().unwrap_or(0);
        let mut word = Word {
            paren: text.first().is_some_and(|b| b"(['`\"".contains(b)),
            punctuation: text.last().is_some_and(u8::is_ascii_punctuation),
            period: b".?!".contains(&finish),
            space,
            ..Word::default()
        };
        word.last = end || (word.period && (line_end || space > 1));
        if line_end || uniform {
            word.space = if word.last { 2 } else { 1 };
        }
        self.chars += text.len();
        word.text = text;
        self.words.push(word);
    }

    /// The last word ends a sentence, whatever it looks like.
    pub fn end_sentence(&mut self) {
        if let Some(word) = self.words.last_mut() {
            (word.period, word.last) = (true, true);
        }
    }

    /// The cost of a line that begins with this word, whatever follows.
    fn base_cost(&self, at: usize) -> i64 {
        let words = &self.words;
        let mut cost = LINE;
        if at > 0 {
            let before = &words[at - 1];
            if before.period {
                cost += if before.last { -SENTENCE } else { NO_BREAK };
            } else if before.punctuation {
                cost -= PUNCTUATION;
            } else if at > 1 && words[at - 2].last {
                cost += square(200) / (before.text.len() as i64 + 2);
            }
        }
        if words[at].paren {
            cost -= PAREN;
        } else if words[at].last {
            cost += square(150) / (words[at].text.len() as i64 + 2);
        }
        cost
    }

    /// The cost of a line of this length, when `next` begins the line behind it.
    fn line_cost(&self, next: usize, length: usize) -> i64 {
        let Some(word) = self.words.get(next) else { return 0 };
        let mut cost = short(self.goal as i64 - length as i64);
        if word.next != self.words.len() {
            cost += ragged(length as i64 - word.length as i64);
        }
        cost
    }

    /// From the last word to the first: the best line that begins there.
    pub fn break_lines(&mut self) {
        let count = self.words.len();
        for start in (0..count).rev() {
            let mut best = i64::MAX;
            let mut length = if start == 0 { self.first_indent } else { self.other_indent };
            length += self.words[start].text.len();
            let mut next = start;
            loop {
                next += 1;
                let mut cost = self.line_cost(next, length) + self.words.get(next).map_or(0, |w| w.cost);
                if start == 0 && self.last_length > 0 {
                    cost += ragged(length as i64 - self.last_length as i64);
                }
                if cost < best {
                    best = cost;
                    (self.words[start].next, self.words[start].length) = (next, length);
                }
                if next == count {
                    break;
                }
                length += self.words[next - 1].space + self.words[next].text.len();
                if length >= self.width {
                    break;
                }
            }
            self.words[start].cost = best + self.base_cost(start);
        }
    }

    /// Where the lines behind are the least sure: up to there it may be written.
    pub fn best_split(&self) -> usize {
        let count = self.words.len();
        let (mut split, mut best) = (count, i64::MAX);
        let mut at = self.words[0].next;
        while at < count {
            let next = self.words[at].next;
            let gain = self.words[at].cost - self.words.get(next).map_or(0, |w| w.cost);
            if gain < best {
                (split, best) = (at, gain);
            }
            best = best.saturating_add(CREDIT);
            at = next;
        }
        split
    }

    pub fn drop_first(&mut self, count: usize) {
        self.spare.extend(self.words.drain(..count).map(|mut word| {
            word.text.clear();
            word.text
        }));
        self.chars = self.words.iter().map(|w| w.text.len()).sum();
    }

    /// The lines up to a word that begins one.
    pub fn write(&mut self, until: usize, prefix: &[u8], tabs: bool, out: &mut Out) {
        let (mut at, mut indent) = (0, self.first_indent);
        while at < until {
            let mut column = 0;
            write_space(out, &mut column, self.prefix_indent, tabs);
            out.write(prefix);
            column += prefix.len();
            write_space(out, &mut column, indent.saturating_sub(self.prefix_indent + prefix.len()), tabs);
            let end = self.words[at].next;
            for (i, word) in self.words[at..end].iter().enumerate() {
                out.write(&word.text);
                column += word.text.len();
                if at + i + 1 < end {
                    write_space(out, &mut column, word.space, tabs);
                }
            }
            self.last_length = column;
            out.byte(b'\n');
            (at, indent) = (end, self.other_indent);
        }
    }
}

/// Blanks, as tabs where that is allowed and shorter.
pub fn write_space(out: &mut Out, column: &mut usize, space: usize, tabs: bool) {
    let target = *column + space;
    let tab_target = target / super::TAB * super::TAB;
    if tabs && *column + 1 < tab_target {
        while *column < tab_target {
            out.byte(b'\t');
            *column = (*column / super::TAB + 1) * super::TAB;
        }
    }
    while *column < target {
        out.byte(b' ');
        *column += 1;
    }
}
