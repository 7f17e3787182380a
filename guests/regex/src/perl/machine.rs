//! Follows one path after the other, the preferred first.

use super::ast::{Look, Verb};
use super::program::{Program, Step};
use crate::Groups;
use crate::unit::{self, Unit};

/// Steps of one search: as many as PCRE allows.
const MAX_STEPS: u64 = 10_000_000;
/// Matches inside of matches; each is some frames of stack.
const MAX_DEPTH: usize = 200;
/// Bits to remember what was tried: 4 MiB.
const MAX_VISITED: usize = 1 << 25;

/// The search took too many steps, or went too deep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMuch;

enum Job {
    Step(usize, usize),
    Group(usize, Option<(usize, usize)>),
    Open(usize, usize),
    Turn(usize, usize),
    Keep(Option<usize>),
    Verb(Verb, usize),
}

/// What one search leaves to the next: room that is there already.
#[derive(Default)]
pub struct Room {
    jobs: Vec<Job>,
    groups: Groups,
    opened: Vec<usize>,
    turns: Vec<usize>,
    visited: Vec<u64>,
}

pub struct Machine<'p, 't> {
    program: &'p Program,
    text: &'t [u8],
    utf8: bool,
    from: usize,
    jobs: Vec<Job>,
    groups: Groups,
    opened: Vec<usize>,
    turns: Vec<usize>,
    keep: Option<usize>,
    /// A bit for each step and place that did not lead to a match, where that is remembered.
    visited: Vec<u64>,
    remember: bool,
    steps: u64,
    depth: usize,
    /// The verb that the way back led through, and where it stands in the text.
    pub verdict: Option<(Verb, usize)>,
}

fn refill<T: Clone>(all: &mut Vec<T>, count: usize, value: T) {
    all.clear();
    all.resize(count, value);
}

impl<'p, 't> Machine<'p, 't> {
    /// For a search that begins at `from`.
    pub fn new(
        program: &'p Program,
        groups: usize,
        (text, from): (&'t [u8], usize),
        utf8: bool,
        mut room: Room,
    ) -> Machine<'p, 't> {
        let bits = program.steps.len().saturating_mul(text.len() + 1 - from);
        let remember = program.simple && bits <= MAX_VISITED;
        room.jobs.clear();
        refill(&mut room.groups, groups + 1, None);
        refill(&mut room.opened, groups + 1, 0);
        refill(&mut room.turns, program.loops, usize::MAX);
        refill(&mut room.visited, if remember { bits.div_ceil(64) } else { 0 }, 0);
        let Room { jobs, groups, opened, turns, visited } = room;
        Machine {
            program,
            text,
            utf8,
            from,
            jobs,
            groups,
            opened,
            turns,
            keep: None,
            visited,
            remember,
            steps: 0,
            depth: 0,
            verdict: None,
        }
    }

    pub fn into_room(self) -> Room {
        let Machine { jobs, groups, opened, turns, visited, .. } = self;
        Room { jobs, groups, opened, turns, visited }
    }

    /// The match that starts at a place: where it begins and ends.
    pub fn at(&mut self, start: usize, groups: &mut Groups) -> Result<bool, TooMuch> {
        let Some(end) = self.run(0, start, usize::MAX)? else { return Ok(false) };
        groups.clone_from(&self.groups);
        // It may be said to begin behind its end.
        let begin = self.keep.unwrap_or(start).min(end);
        groups[0] = Some((begin, end));
        Ok(true)
    }

    /// Runs from a step to the end of what it is in, or to `stop`; where that is.
    fn run(&mut self, pc: usize, at: usize, stop: usize) -> Result<Option<usize>, TooMuch> {
        let base = self.jobs.len();
        self.jobs.push(Job::Step(pc, at));
        while self.jobs.len() > base {
            let Some(job) = self.jobs.pop() else { break };
            let Job::Step(pc, at) = job else {
                self.undo(job);
                continue;
            };
            // A verb has ended it: the other ways are only undone.
            if self.verdict.is_some() {
                continue;
            }
            let (mut pc, mut at) = (pc, at);
            loop {
                if pc == stop || matches!(self.program.steps[pc], Step::End) {
                    return Ok(Some(at));
                }
                self.steps += 1;
                if self.steps > MAX_STEPS {
                    return Err(TooMuch);
                }
                if self.remember {
                    let bit = pc * (self.text.len() + 1 - self.from) + at - self.from;
                    if self.visited[bit / 64] >> (bit % 64) & 1 == 1 {
                        break;
                    }
                    self.visited[bit / 64] |= 1 << (bit % 64);
                }
                match self.step(pc, at)? {
                    Some(to) => (pc, at) = to,
                    None => break,
                }
            }
        }
        Ok(None)
    }

    fn undo(&mut self, job: Job) {
        match job {
            Job::Group(n, before) => self.groups[n] = before,
            Job::Open(n, before) => self.opened[n] = before,
            Job::Turn(n, before) => self.turns[n] = before,
            Job::Keep(before) => self.keep = before,
            Job::Verb(verb, at) => self.verdict = self.verdict.or(Some((verb, at))),
            Job::Step(..) => {}
        }
    }

    fn unit(&self, at: usize) -> Option<(Unit, usize)> {
        (at < self.text.len()).then(|| unit::first(&self.text[at..], self.utf8))
    }

    /// Where a step leads; other ways are left for later.
    fn step(&mut self, pc: usize, at: usize) -> Result<Option<(usize, usize)>, TooMuch> {
        let program = self.program;
        let taken = match &program.steps[pc] {
            Step::Unit(Unit::Char(want)) if want.is_ascii() => (self.text.get(at) == Some(&(*want as u8))).then_some(1),
            Step::Unit(want) => self.unit(at).filter(|unit| unit.0 == *want).map(|unit| unit.1),
            Step::Any | Step::AnyAtAll => self.unit(at).and_then(|(unit, len)| {
                let newline = matches!(unit, Unit::Char('\n') | Unit::Byte(b'\n'));
                let odd = self.utf8 && matches!(unit, Unit::Byte(_));
                (!odd && (!newline || matches!(program.steps[pc], Step::AnyAtAll))).then_some(len)
            }),
            Step::Set(set) => self.unit(at).and_then(|(unit, len)| {
                let inside = match unit {
                    Unit::Char(c) => set.has_char(c),
                    Unit::Byte(b) => set.has_byte(b),
                };
                inside.then_some(len)
            }),
            Step::Look(look) => self.holds(*look, at).then_some(0),
            Step::Back(groups, fold) => self.repeated(groups, at, *fold),
            Step::Split(first, second) => {
                self.jobs.push(Job::Step(*second, at));
                return Ok(Some((*first, at)));
            }
            Step::Jump(to) => return Ok(Some((*to, at))),
            Step::Open(n) => {
                self.jobs.push(Job::Open(*n, self.opened[*n]));
                self.opened[*n] = at;
                Some(0)
            }
            Step::Close(n) => {
                self.jobs.push(Job::Group(*n, self.groups[*n]));
                self.groups[*n] = Some((self.opened[*n], at));
                Some(0)
            }
            Step::Turn(n) => {
                self.jobs.push(Job::Turn(*n, self.turns[*n]));
                self.turns[*n] = at;
                Some(0)
            }
            Step::Again(n, to) => return Ok(Some((if self.turns[*n] == at { pc + 1 } else { *to }, at))),
            Step::Keep => {
                self.jobs.push(Job::Keep(self.keep));
                self.keep = Some(at);
                Some(0)
            }
            Step::Verb(verb) => {
                self.jobs.push(Job::Verb(*verb, at));
                Some(0)
            }
            Step::IfSet(groups, otherwise) => {
                let set = groups.iter().any(|n| self.groups[*n].is_some());
                return Ok(Some((if set { pc + 1 } else { *otherwise }, at)));
            }
            Step::Atomic(next) => {
                let end = self.nested(pc + 1, at, usize::MAX)?;
                return Ok(end.map(|end| (*next, end)));
            }
            Step::Around { negated, branches, next } => {
                let found = self.around(branches, at, *negated)?;
                return Ok((found != *negated).then_some((*next, at)));
            }
            Step::Call(n) => {
                let (start, stop) = program.calls[*n];
                let groups = self.groups.clone();
                let base = self.jobs.len();
                let end = self.nested(start, at, stop)?;
                self.verdict = None;
                // What was set inside is not set outside.
                self.jobs.truncate(base);
                self.groups = groups;
                return Ok(end.map(|end| (pc + 1, end)));
            }
            Step::Fail | Step::End => None,
        };
        Ok(taken.map(|len| (pc + 1, at + len)))
    }

    /// A match by itself: its other ways are forgotten, what it set is undone when the way here is left.
    fn nested(&mut self, pc: usize, at: usize, stop: usize) -> Result<Option<usize>, TooMuch> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(TooMuch);
        }
        let base = self.jobs.len();
        let end = self.run(pc, at, stop)?;
        self.depth -= 1;
        if end.is_some() {
            let mut kept = base;
            for i in base..self.jobs.len() {
                if !matches!(self.jobs[i], Job::Step(..) | Job::Verb(..)) {
                    self.jobs.swap(kept, i);
                    kept += 1;
                }
            }
            self.jobs.truncate(kept);
        }
        Ok(end)
    }

    fn around(&mut self, branches: &[(usize, usize)], at: usize, negated: bool) -> Result<bool, TooMuch> {
        for &(back, pc) in branches {
            let Some(start) = self.back(at, back) else { continue };
            let base = self.jobs.len();
            let Some(end) = self.nested(pc, start, usize::MAX)? else {
                match self.verdict {
                    None => continue,
                    // A verb ends what must not match, and what must ends with all the rest.
                    Some(_) if negated => self.verdict = None,
                    Some(_) => {}
                }
                return Ok(false);
            };
            if back == 0 || end == at {
                // What a match that must not be set is nothing.
                while negated && self.jobs.len() > base {
                    let Some(job) = self.jobs.pop() else { break };
                    self.undo(job);
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// So many characters before a place.
    fn back(&self, at: usize, count: usize) -> Option<usize> {
        let mut at = at;
        for _ in 0..count {
            if at == 0 {
                return None;
            }
            at -= match unit::before(self.text, at, self.utf8) {
                Unit::Char(c) => c.len_utf8(),
                Unit::Byte(_) => 1,
            };
        }
        Some(at)
    }

    fn holds(&self, look: Look, at: usize) -> bool {
        let word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let before = || word(at.checked_sub(1).and_then(|i| self.text.get(i)));
        let after = || word(self.text.get(at));
        match look {
            Look::TextStart => at == 0,
            Look::LineStart => at == 0 || self.text[at - 1] == b'\n' && at < self.text.len(),
            Look::TextEnd => at == self.text.len(),
            Look::LastLineEnd => at == self.text.len() || self.text[at..] == *b"\n",
            Look::LineEnd => self.text.get(at).is_none_or(|b| *b == b'\n'),
            Look::WordEdge => before() != after(),
            Look::NotWordEdge => before() == after(),
            Look::NotAfterWord => !before(),
            Look::NotBeforeWord => !after(),
            Look::SearchStart => at == self.from,
        }
    }

    /// How long the text of a group is where it is here again.
    fn repeated(&self, groups: &[usize], at: usize, fold: bool) -> Option<usize> {
        let (from, to) = groups.iter().find_map(|n| self.groups[*n])?;
        let want = &self.text[from..to];
        if !fold {
            return self.text[at..].starts_with(want).then_some(want.len());
        }
        let (mut i, mut j) = (from, at);
        while i < to {
            let ((a, a_len), (b, b_len)) = (self.unit(i)?, self.unit(j)?);
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
        Some(j - at)
    }
}
