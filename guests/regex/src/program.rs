//! A tree as steps for the machines that follow one path or all of them.

use crate::node::{Look, Node};
use crate::set::Set;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Step {
    Byte(u8),
    Char(char),
    Any,
    Set(Rc<Set>),
    Look(Look),
    Back(usize),
    /// The first is preferred.
    Split(usize, usize),
    Jump(usize),
    Open(usize),
    /// `true`: an empty match does not replace what a group inside a repetition holds already.
    Close(usize, bool),
    /// A turn of a loop that may match nothing begins, and ends: without progress the loop is over.
    Turn(usize),
    Again(usize, usize),
    Match,
}

pub struct Program {
    pub steps: Vec<Step>,
    pub loops: usize,
    /// For each step the byte that must be next for it and what follows it to match, where there is but one.
    needs: Vec<Option<u8>>,
}

impl Program {
    pub fn new(node: &Node) -> Program {
        let mut program = Program { steps: Vec::new(), loops: 0, needs: Vec::new() };
        program.emit(node, false);
        program.steps.push(Step::Match);
        program.needs = vec![None; program.steps.len()];
        for at in (0..program.steps.len()).rev() {
            program.needs[at] = program.need(at);
        }
        program
    }

    /// The byte that a step needs next, when those of later steps are known.
    fn need(&self, at: usize) -> Option<u8> {
        match &self.steps[at] {
            Step::Byte(byte) => Some(*byte),
            Step::Char(c) => Some(c.encode_utf8(&mut [0; 4]).as_bytes()[0]),
            Step::Look(_) | Step::Open(_) | Step::Close(..) | Step::Turn(_) => self.needs[at + 1],
            // Back to a loop there is more than one way on.
            Step::Jump(to) if *to > at => self.needs[*to],
            _ => None,
        }
    }

    /// Whether there is any use in going on with a step at a place.
    pub fn may_go_on(&self, step: usize, text: &[u8], at: usize) -> bool {
        self.needs[step].is_none_or(|byte| text.get(at) == Some(&byte))
    }

    /// Whether the loop that begins at a split takes one unit a turn and nothing else.
    pub fn is_simple_loop(&self, split: usize) -> bool {
        let taking = |step: &Step| matches!(step, Step::Byte(_) | Step::Char(_) | Step::Any | Step::Set(_));
        self.steps.get(split + 1).is_some_and(taking)
            && matches!(self.steps.get(split + 2), Some(Step::Jump(to)) if *to == split)
    }

    /// `optional`: this is directly what is repeated.
    fn emit(&mut self, node: &Node, optional: bool) {
        match node {
            Node::Empty => {}
            Node::Byte(b) => self.steps.push(Step::Byte(*b)),
            Node::Char(c) => self.steps.push(Step::Char(*c)),
            Node::Any => self.steps.push(Step::Any),
            Node::Set(set) => self.steps.push(Step::Set(set.clone())),
            Node::Look(look) => self.steps.push(Step::Look(*look)),
            Node::Back(n) => self.steps.push(Step::Back(*n)),
            Node::Group(n, inner) => {
                self.steps.push(Step::Open(*n));
                self.emit(inner, false);
                self.steps.push(Step::Close(*n, optional));
            }
            Node::Cat(all) => all.iter().for_each(|node| self.emit(node, false)),
            Node::Alt(all) => self.choice(all),
            Node::Repeat(inner, least, most) => {
                (0..*least).for_each(|_| self.emit(inner, false));
                match most {
                    None => self.star(inner),
                    Some(most) => self.options(inner, (most - least) as usize),
                }
            }
        }
    }

    fn choice(&mut self, all: &[Node]) {
        let mut jumps = Vec::new();
        for (i, node) in all.iter().enumerate() {
            if i + 1 == all.len() {
                self.emit(node, false);
                break;
            }
            let split = self.hole();
            self.emit(node, false);
            jumps.push(self.hole());
            self.steps[split] = Step::Split(split + 1, self.steps.len());
        }
        let end = self.steps.len();
        jumps.into_iter().for_each(|jump| self.steps[jump] = Step::Jump(end));
    }

    fn star(&mut self, inner: &Node) {
        let split = self.hole();
        let turn = inner.nullable().then(|| {
            self.loops += 1;
            self.steps.push(Step::Turn(self.loops - 1));
            self.loops - 1
        });
        self.emit(inner, true);
        self.steps.push(match turn {
            Some(turn) => Step::Again(turn, split),
            None => Step::Jump(split),
        });
        self.steps[split] = Step::Split(split + 1, self.steps.len());
    }

    /// Up to `count` times, as `((x?x)?x)?`: more turns are preferred to how each of them matches.
    fn options(&mut self, inner: &Node, count: usize) {
        let splits: Vec<usize> = (0..count).map(|_| self.hole()).collect();
        for (i, split) in splits.into_iter().rev().enumerate() {
            self.emit(inner, i == 0);
            self.steps[split] = Step::Split(split + 1, self.steps.len());
        }
    }

    /// A place for a step that is known later.
    fn hole(&mut self) -> usize {
        self.steps.push(Step::Match);
        self.steps.len() - 1
    }
}
