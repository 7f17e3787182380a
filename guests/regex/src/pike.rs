//! Follows all paths at once, in time linear in the text: the leftmost longest match of a pattern without
//! back-references. Each step keeps the earliest start that leads to it.

use crate::Groups;
use crate::machine::Text;
use crate::program::{Program, Step};
use std::rc::Rc;

/// The steps reached at a place, in the order of their starts.
#[derive(Default)]
struct Threads {
    list: Vec<(usize, usize)>,
    /// Where in `list` a step is, if it is.
    index: Vec<usize>,
}

impl Threads {
    fn has(&self, pc: usize) -> bool {
        self.list.get(self.index[pc]).is_some_and(|thread| thread.0 == pc)
    }
}

pub fn find(program: &Program, text: Text<'_>, from: usize) -> Option<(usize, usize)> {
    run(program, text, from, false)
}

/// The longest end of a match that starts at a place.
pub fn longest(program: &Program, text: Text<'_>, at: usize) -> Option<usize> {
    run(program, text, at, true).map(|found| found.1)
}

fn run(program: &Program, text: Text<'_>, from: usize, only_here: bool) -> Option<(usize, usize)> {
    let size = program.steps.len();
    let new = || Threads { list: Vec::with_capacity(size), index: vec![usize::MAX; size] };
    let (mut now, mut next) = (new(), new());
    let mut stack = Vec::new();
    let mut best: Option<(usize, usize)> = None;
    let mut at = from;
    loop {
        if best.is_none() && (at == from || !only_here) {
            follow(program, text, 0, at, at, &mut now, &mut stack);
        } else if now.list.is_empty() {
            return best;
        }
        let len = if at < text.bytes.len() { text.unit(at).1 } else { 0 };
        next.list.clear();
        for &(pc, start) in &now.list {
            if best.is_some_and(|best| start > best.0) {
                break;
            }
            let step = &program.steps[pc];
            if matches!(step, Step::Match) {
                best = Some((start, at));
            } else if text.take(step, at).is_some() {
                follow(program, text, pc + 1, start, at + len, &mut next, &mut stack);
            }
        }
        if len == 0 {
            return best;
        }
        std::mem::swap(&mut now, &mut next);
        at += len;
    }
}

/// Adds a step and all that is reached from it without taking text.
fn follow(
    program: &Program,
    text: Text<'_>,
    pc: usize,
    start: usize,
    at: usize,
    threads: &mut Threads,
    stack: &mut Vec<usize>,
) {
    stack.push(pc);
    while let Some(pc) = stack.pop() {
        if threads.has(pc) {
            continue;
        }
        threads.index[pc] = threads.list.len();
        threads.list.push((pc, start));
        match &program.steps[pc] {
            Step::Jump(to) => stack.push(*to),
            Step::Split(first, second) => stack.extend([*second, *first]),
            Step::Open(_) | Step::Close(..) | Step::Turn(_) => stack.push(pc + 1),
            Step::Again(_, to) => stack.extend([pc + 1, *to]),
            Step::Look(look) if text.holds(*look, at) => stack.push(pc + 1),
            _ => {}
        }
    }
}

/// What a path has of groups and turns.
#[derive(Clone)]
struct Held {
    groups: Groups,
    opened: Vec<usize>,
    turns: Vec<usize>,
}

/// The groups of a match from `start` to `end`: the first path to come to a step is the preferred one. In memory that
/// does not grow with the text, but slower than to follow one path after the other.
pub fn groups(program: &Program, text: Text<'_>, (start, end): (usize, usize), groups: &mut Groups) -> bool {
    let held = Held { groups: groups.clone(), opened: vec![0; groups.len()], turns: vec![usize::MAX; program.loops] };
    let mut seen = vec![usize::MAX; program.steps.len()];
    let mut now = Vec::new();
    follow_held(program, text, 0, Rc::new(held), start, &mut now, &mut seen);
    let mut at = start;
    while at < end {
        let len = text.unit(at).1;
        let mut next = Vec::new();
        for (pc, held) in now {
            if text.take(&program.steps[pc], at).is_some() {
                follow_held(program, text, pc + 1, held, at + len, &mut next, &mut seen);
            }
        }
        now = next;
        at += len;
    }
    let found = now.into_iter().find(|(pc, _)| matches!(program.steps[*pc], Step::Match));
    let Some((_, held)) = found else { return false };
    groups.clone_from(&held.groups);
    groups[0] = Some((start, end));
    true
}

fn follow_held(
    program: &Program,
    text: Text<'_>,
    pc: usize,
    held: Rc<Held>,
    at: usize,
    threads: &mut Vec<(usize, Rc<Held>)>,
    seen: &mut [usize],
) {
    let mut stack = vec![(pc, held)];
    while let Some((pc, mut held)) = stack.pop() {
        if seen[pc] == at {
            continue;
        }
        seen[pc] = at;
        match &program.steps[pc] {
            Step::Jump(to) => stack.push((*to, held)),
            Step::Split(first, second) => stack.extend([(*second, held.clone()), (*first, held)]),
            Step::Open(n) => {
                Rc::make_mut(&mut held).opened[*n] = at;
                stack.push((pc + 1, held));
            }
            Step::Close(n, optional) => {
                let from = held.opened[*n];
                if !(*optional && from == at && held.groups[*n].is_some()) {
                    Rc::make_mut(&mut held).groups[*n] = Some((from, at));
                }
                stack.push((pc + 1, held));
            }
            Step::Turn(n) => {
                Rc::make_mut(&mut held).turns[*n] = at;
                stack.push((pc + 1, held));
            }
            Step::Again(n, to) => stack.push((if held.turns[*n] == at { pc + 1 } else { *to }, held)),
            Step::Look(look) => {
                if text.holds(*look, at) {
                    stack.push((pc + 1, held));
                }
            }
            _ => threads.push((pc, held)),
        }
    }
}
