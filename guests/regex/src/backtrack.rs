//! Follows one path after the other, the preferred first: where the groups of a known match are, and patterns with
//! back-references. As in GNU's C library the groups are those of the preferred path among those of the longest match.

use crate::Groups;
use crate::machine::Text;
use crate::pike;
use crate::program::{Program, Step};
use crate::unit::Unit;
use std::collections::HashSet;

/// What a path may come back to.
enum Job {
    Step(usize, usize),
    Group(usize, Option<(usize, usize)>),
    Open(usize, usize),
    Turn(usize, usize),
}

/// Bits to remember what was tried: 4 MiB.
const MAX_VISITED: usize = 1 << 25;
/// States of a search with back-references that failed, remembered up to this many.
const MAX_SEEN: usize = 1 << 20;
/// Steps of such a search before it remembers.
const FREE_STEPS: usize = 10_000;

/// What is asked of a match with back-references.
pub struct Wanted<'a> {
    /// The groups that are referred to.
    pub used: &'a [usize],
    /// Upper and lower case are the same.
    pub fold: bool,
    /// Any match will do.
    pub any: bool,
}

#[derive(Default)]
pub struct Backtracker {
    jobs: Vec<Job>,
    groups: Groups,
    opened: Vec<usize>,
    turns: Vec<usize>,
    /// A bit for each step and place that was tried.
    visited: Vec<u64>,
}

impl Backtracker {
    fn prepare(&mut self, program: &Program, groups: usize) {
        self.jobs.clear();
        self.groups.clear();
        self.groups.resize(groups + 1, None);
        self.opened.clear();
        self.opened.resize(groups + 1, 0);
        self.turns.clear();
        self.turns.resize(program.loops, usize::MAX);
    }

    /// The groups of the match from `start` to `end`.
    pub fn groups(
        &mut self,
        program: &Program,
        text: Text<'_>,
        (start, end): (usize, usize),
        groups: &mut Groups,
    ) -> bool {
        let width = end - start + 1;
        if program.steps.len().saturating_mul(width) > MAX_VISITED {
            return pike::groups(program, text, (start, end), groups);
        }
        let count = groups.len() - 1;
        self.prepare(program, count);
        self.visited.clear();
        self.visited.resize((program.steps.len() * width).div_ceil(64), 0);
        self.jobs.push(Job::Step(0, start));
        while let Some(job) = self.jobs.pop() {
            let Job::Step(pc, at) = job else {
                self.undo(job);
                continue;
            };
            let (mut pc, mut at) = (pc, at);
            loop {
                let bit = pc * width + at - start;
                if self.visited[bit / 64] >> (bit % 64) & 1 == 1 {
                    break;
                }
                self.visited[bit / 64] |= 1 << (bit % 64);
                if matches!(program.steps[pc], Step::Match) {
                    if at == end {
                        groups.clone_from(&self.groups);
                        groups[0] = Some((start, end));
                        return true;
                    }
                    break;
                }
                match self.step(program, text, pc, at) {
                    Some(to) if to.1 <= end => (pc, at) = to,
                    _ => break,
                }
            }
        }
        false
    }

    /// The longest match from `start`, or any, where the pattern has back-references.
    pub fn longest(
        &mut self,
        program: &Program,
        text: Text<'_>,
        start: usize,
        wanted: &Wanted<'_>,
        groups: &mut Groups,
    ) -> Option<usize> {
        let count = groups.len() - 1;
        self.prepare(program, count);
        self.jobs.push(Job::Step(0, start));
        let mut best = None;
        let mut seen: HashSet<(usize, usize, Groups)> = HashSet::new();
        let mut steps = 0usize;
        while let Some(job) = self.jobs.pop() {
            let Job::Step(pc, at) = job else {
                self.undo(job);
                continue;
            };
            let (mut pc, mut at) = (pc, at);
            loop {
                steps += 1;
                let to = match &program.steps[pc] {
                    Step::Match => {
                        if best.is_none_or(|best| at > best) {
                            best = Some(at);
                            groups.clone_from(&self.groups);
                            groups[0] = Some((start, at));
                            if wanted.any || at == text.bytes.len() {
                                return best;
                            }
                        }
                        None
                    }
                    Step::Back(n) => self.repeated(text, *n, at, wanted.fold).map(|end| (pc + 1, end)),
                    Step::Split(_, out) if steps <= FREE_STEPS && program.is_simple_loop(pc) => {
                        let end = self.turns(program, text, pc, at);
                        steps += end - at;
                        Some((*out, end))
                    }
                    Step::Split(..) | Step::Again(..) => {
                        if steps > FREE_STEPS && seen.len() < MAX_SEEN {
                            let held = wanted.used.iter().map(|&n| self.groups[n]).collect();
                            if !seen.insert((pc, at, held)) {
                                break;
                            }
                        }
                        self.step(program, text, pc, at)
                    }
                    _ => self.step(program, text, pc, at),
                };
                match to {
                    Some(to) => (pc, at) = to,
                    None => break,
                }
            }
        }
        best
    }

    fn undo(&mut self, job: Job) {
        match job {
            Job::Group(n, before) => self.groups[n] = before,
            Job::Open(n, before) => self.opened[n] = before,
            Job::Turn(n, before) => self.turns[n] = before,
            Job::Step(..) => {}
        }
    }

    /// As many turns of a simple loop as there are; to leave it earlier is left for later. Where it ends.
    fn turns(&mut self, program: &Program, text: Text<'_>, split: usize, mut at: usize) -> usize {
        let Step::Split(inside, out) = program.steps[split] else { return at };
        while let Some(length) = text.take(&program.steps[inside], at) {
            if program.may_go_on(out, text.bytes, at) {
                self.jobs.push(Job::Step(out, at));
            }
            at += length;
        }
        at
    }

    /// Where a step leads; other ways are left for later.
    fn step(&mut self, program: &Program, text: Text<'_>, pc: usize, at: usize) -> Option<(usize, usize)> {
        match &program.steps[pc] {
            Step::Split(first, second) => {
                let [one, other] = [first, second].map(|step| program.may_go_on(*step, text.bytes, at));
                if one && other {
                    self.jobs.push(Job::Step(*second, at));
                }
                Some((if one { *first } else { *second }, at))
            }
            Step::Jump(to) => Some((*to, at)),
            Step::Open(n) => {
                self.jobs.push(Job::Open(*n, self.opened[*n]));
                self.opened[*n] = at;
                Some((pc + 1, at))
            }
            Step::Close(n, optional) => {
                let from = self.opened[*n];
                if !(*optional && from == at && self.groups[*n].is_some()) {
                    self.jobs.push(Job::Group(*n, self.groups[*n]));
                    self.groups[*n] = Some((from, at));
                }
                Some((pc + 1, at))
            }
            Step::Turn(n) => {
                self.jobs.push(Job::Turn(*n, self.turns[*n]));
                self.turns[*n] = at;
                Some((pc + 1, at))
            }
            Step::Again(n, to) => Some((if self.turns[*n] == at { pc + 1 } else { *to }, at)),
            Step::Look(look) => text.holds(*look, at).then_some((pc + 1, at)),
            Step::Back(_) | Step::Match => None,
            step => text.take(step, at).map(|len| (pc + 1, at + len)),
        }
    }

    /// Where the text of a group ends when it is here again.
    fn repeated(&self, text: Text<'_>, n: usize, at: usize, fold: bool) -> Option<usize> {
        let (from, to) = self.groups[n]?;
        let (want, rest) = (&text.bytes[from..to], &text.bytes[at..]);
        if !fold {
            return rest.starts_with(want).then_some(at + want.len());
        }
        let (mut i, mut j) = (from, at);
        while i < to {
            if j >= text.bytes.len() {
                return None;
            }
            let ((a, a_len), (b, b_len)) = (text.unit(i), text.unit(j));
            let same = match (a, b) {
                (Unit::Char(a), Unit::Char(b)) => a == b || a.to_lowercase().eq(b.to_lowercase()),
                (Unit::Byte(a), Unit::Byte(b)) => a.eq_ignore_ascii_case(&b),
                _ => false,
            };
            if !same {
                return None;
            }
            (i, j) = (i + a_len, j + b_len);
        }
        Some(j)
    }
}
