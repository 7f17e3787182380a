//! Follows all paths at once, in time linear in the text: the leftmost longest match of a pattern without
//! back-references. Each step keeps the earliest start that leads to it.

use crate::machine::Text;
use crate::program::{Program, Step};

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
    let size = program.steps.len();
    let new = || Threads { list: Vec::with_capacity(size), index: vec![usize::MAX; size] };
    let (mut now, mut next) = (new(), new());
    let mut stack = Vec::new();
    let mut best: Option<(usize, usize)> = None;
    let mut at = from;
    loop {
        if best.is_none() {
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
