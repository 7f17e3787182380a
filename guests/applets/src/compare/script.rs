//! From two texts to a list of changes.

use super::classes::{classes, same};
use super::discard::kept;
use super::sequence::compare;
use super::text::{Ignore, Text};

/// `deleted` lines at `a` give way to `inserted` lines at `b`; both count from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    pub a: usize,
    pub deleted: usize,
    pub b: usize,
    pub inserted: usize,
}

/// How hard to search, and how much of the common ends to look at.
#[derive(Clone, Copy, Default)]
pub struct Effort {
    pub minimal: bool,
    /// Common lines kept at each end, so that the first and last changes can be moved.
    pub horizon: usize,
}

/// The changes between two texts, in order.
pub fn changes(a: &Text, b: &Text, ignore: &Ignore, effort: Effort) -> Vec<Change> {
    let (first, last) = ends(a, b, ignore, effort.horizon);
    let (x, y) = classes(a, first..a.len() - last, b, first..b.len() - last, ignore);
    let (x, y) = (&x[..], &y[..]);
    let (mut gone, mut new) = (marks(x.len()), marks(y.len()));
    let count = x.iter().chain(y).copied().max().map_or(0, |m| m as usize + 1);
    let counts = |lines: &[u32]| {
        let mut counts = vec![0; count];
        lines.iter().for_each(|&line| counts[line as usize] += 1);
        counts
    };
    let (keep_x, keep_y) = (kept(x, &counts(y)), kept(y, &counts(x)));
    let (places_x, seen_x) = chosen(x, &keep_x, &mut gone, effort.minimal);
    let (places_y, seen_y) = chosen(y, &keep_y, &mut new, effort.minimal);
    compare(&seen_x, &seen_y, effort.minimal, |i| gone[places_x[i] + 1] = true, |i| new[places_y[i] + 1] = true);
    settle(x, &mut gone, &new);
    settle(y, &mut new, &gone);
    collect(&gone, &new, x.len(), y.len(), first)
}

/// A mark for every line, with one in front and one behind that are never set.
fn marks(lines: usize) -> Vec<bool> {
    vec![false; lines + 2]
}

/// How many lines at the start and at the end are the same bytes and need no comparing.
fn ends(a: &Text, b: &Text, ignore: &Ignore, horizon: usize) -> (usize, usize) {
    let most = a.len().min(b.len());
    let same_line = |i: usize, j: usize| {
        let early = |text: &Text, n| text.ends_early(n) && !ignore.missing_newline;
        same(a.content(i), b.content(j)) && early(a, i) == early(b, j)
    };
    // Whole lines of common bytes first; the lines at their border are looked at one by one.
    let mut first = a.lines_within(common(&a.bytes, &b.bytes)).min(most.saturating_sub(1));
    while first < most && same_line(first, first) {
        first += 1;
    }
    let mut last = a.lines_behind(common_end(&a.bytes, &b.bytes)).min(most - first);
    while last < most - first && same_line(a.len() - 1 - last, b.len() - 1 - last) {
        last += 1;
    }
    (first.saturating_sub(horizon), last.saturating_sub(horizon))
}

/// How much is compared at once.
const BLOCK: usize = 256;

/// How many bytes two texts have in common at the start.
fn common(a: &[u8], b: &[u8]) -> usize {
    let blocks: usize =
        a.chunks(BLOCK).zip(b.chunks(BLOCK)).take_while(|(x, y)| same(x, y)).map(|(x, _)| x.len()).sum();
    a[blocks..].iter().zip(&b[blocks..]).take_while(|(x, y)| x == y).count() + blocks
}

/// How many bytes two texts have in common at the end.
fn common_end(a: &[u8], b: &[u8]) -> usize {
    let blocks: usize =
        a.rchunks(BLOCK).zip(b.rchunks(BLOCK)).take_while(|(x, y)| same(x, y)).map(|(x, _)| x.len()).sum();
    let (a, b) = (&a[..a.len() - blocks], &b[..b.len() - blocks]);
    a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count() + blocks
}

/// The lines that take part in the search and where they are; the others are marked.
fn chosen(lines: &[u32], keep: &[bool], marks: &mut [bool], all: bool) -> (Vec<usize>, Vec<u32>) {
    let (mut places, mut seen) = (Vec::new(), Vec::new());
    for (at, &line) in lines.iter().enumerate() {
        if all || keep[at] {
            places.push(at);
            seen.push(line);
        } else {
            marks[at + 1] = true;
        }
    }
    (places, seen)
}

/// Moves runs of marked lines over equal lines: together where they meet, else as far down as they go, unless further up
/// they stand beside a run of the other text.
fn settle(lines: &[u32], marks: &mut [bool], other: &[bool]) {
    // Marks are one behind the lines: mark(i) is marks[i + 1].
    let (mut i, mut j) = (0, 0);
    let end = lines.len();
    loop {
        while i < end && !marks[i + 1] {
            while other[j + 1] {
                j += 1;
            }
            j += 1;
            i += 1;
        }
        if i == end {
            return;
        }
        let mut start = i;
        while marks[i + 1] {
            i += 1;
        }
        while other[j + 1] {
            j += 1;
        }
        // The end of the run where it last stood beside one of the other text.
        let mut beside;
        loop {
            let length = i - start;
            while start > 0 && lines[start - 1] == lines[i - 1] {
                start -= 1;
                i -= 1;
                marks[start + 1] = true;
                marks[i + 1] = false;
                while marks[start] {
                    start -= 1;
                }
                j -= 1;
                while other[j + 1] {
                    j -= 1;
                }
            }
            beside = if other[j] { i } else { end };
            while i != end && lines[start] == lines[i] {
                marks[start + 1] = false;
                marks[i + 1] = true;
                start += 1;
                i += 1;
                while marks[i + 1] {
                    i += 1;
                }
                j += 1;
                while other[j + 1] {
                    j += 1;
                    beside = i;
                }
            }
            if length == i - start {
                break;
            }
        }
        while beside < i {
            start -= 1;
            i -= 1;
            marks[start + 1] = true;
            marks[i + 1] = false;
            j -= 1;
            while other[j + 1] {
                j -= 1;
            }
        }
    }
}

fn collect(gone: &[bool], new: &[bool], x: usize, y: usize, first: usize) -> Vec<Change> {
    let mut all = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < x || j < y {
        let (a, b) = (i, j);
        while gone[i + 1] {
            i += 1;
        }
        while new[j + 1] {
            j += 1;
        }
        if i > a || j > b {
            all.push(Change { a: first + a, deleted: i - a, b: first + b, inserted: j - b });
        }
        i += 1;
        j += 1;
    }
    all
}
