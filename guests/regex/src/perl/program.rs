//! A tree as steps.

use super::ast::{Ast, Condition, Kind, Look, Reference, Verb};
use super::parse::{NO_GROUP, TOO_BIG};
use crate::error::Error;
use crate::set::Set;
use crate::unit::Unit;
use std::rc::Rc;

/// Steps of a pattern with its repetitions written out.
const MAX_STEPS: usize = 200_000;

#[derive(Debug)]
pub enum Step {
    Unit(Unit),
    Any,
    AnyAtAll,
    Set(Rc<Set>),
    Look(Look),
    /// The first of the groups that is set, again.
    Back(Vec<usize>, bool),
    /// The first is preferred.
    Split(usize, usize),
    Jump(usize),
    Open(usize),
    Close(usize),
    /// A turn of a loop that may match nothing begins, and ends: without progress the loop is over.
    Turn(usize),
    Again(usize, usize),
    /// What follows up to `End` is matched by itself; then it goes on at the place given.
    Atomic(usize),
    /// Alternatives, each with the number of characters to go back first; where it goes on.
    Around {
        negated: bool,
        branches: Vec<(usize, usize)>,
        next: usize,
    },
    Call(usize),
    /// Whether a group is set; where to go when not.
    IfSet(Vec<usize>, usize),
    Keep,
    Verb(Verb),
    Fail,
    End,
}

pub struct Program {
    pub steps: Vec<Step>,
    pub loops: usize,
    /// Where a group begins and ends, its first copy.
    pub calls: Vec<(usize, usize)>,
    /// Only what a place and a step know decides whether it matches.
    pub simple: bool,
    /// It steers where the next match may start, so that every place has to be tried.
    pub steers: bool,
}

struct Compiler<'a> {
    program: Program,
    groups: usize,
    names: &'a [(Vec<u8>, usize)],
}

pub fn compile(ast: &Ast, groups: usize, names: &[(Vec<u8>, usize)]) -> Result<Program, Error> {
    let program = Program { steps: Vec::new(), loops: 0, calls: vec![(0, 0); groups + 1], simple: true, steers: false };
    let mut compiler = Compiler { program, groups, names };
    compiler.emit(ast)?;
    let mut program = compiler.program;
    program.steps.push(Step::End);
    program.calls[0] = (0, program.steps.len() - 1);
    Ok(program)
}

impl Compiler<'_> {
    fn push(&mut self, step: Step) -> Result<usize, Error> {
        if self.program.steps.len() >= MAX_STEPS {
            return Err(TOO_BIG);
        }
        self.program.steps.push(step);
        Ok(self.program.steps.len() - 1)
    }

    fn here(&self) -> usize {
        self.program.steps.len()
    }

    /// A place for a step that is known later.
    fn hole(&mut self) -> Result<usize, Error> {
        self.push(Step::Fail)
    }

    fn resolve(&self, reference: &Reference) -> Result<Vec<usize>, Error> {
        let found: Vec<usize> = match reference {
            Reference::Number(n) => (*n <= self.groups).then_some(*n).into_iter().collect(),
            Reference::Name(name) => self.names.iter().filter(|known| known.0 == *name).map(|known| known.1).collect(),
        };
        if found.is_empty() { Err(NO_GROUP) } else { Ok(found) }
    }

    fn emit(&mut self, ast: &Ast) -> Result<(), Error> {
        let step = match ast {
            Ast::Empty => return Ok(()),
            Ast::Fail => Step::Fail,
            Ast::Unit(unit) => Step::Unit(*unit),
            Ast::Any => Step::Any,
            Ast::AnyAtAll => Step::AnyAtAll,
            Ast::Set(set) => Step::Set(set.clone()),
            Ast::Look(look) => Step::Look(*look),
            Ast::Keep => Step::Keep,
            Ast::Verb(verb) => {
                (self.program.simple, self.program.steers) = (false, true);
                Step::Verb(*verb)
            }
            Ast::Back(reference, fold) => {
                self.program.simple = false;
                Step::Back(self.resolve(reference)?, *fold)
            }
            Ast::Call(reference) => {
                self.program.simple = false;
                Step::Call(self.resolve(reference)?[0])
            }
            Ast::Group(n, inner) => {
                let open = self.push(Step::Open(*n))?;
                self.emit(inner)?;
                let close = self.push(Step::Close(*n))?;
                // The place of a group that is called is its first.
                if self.program.calls[*n] == (0, 0) {
                    self.program.calls[*n] = (open + 1, close);
                }
                return Ok(());
            }
            Ast::Cat(all) => return all.iter().try_for_each(|ast| self.emit(ast)),
            Ast::Alt(all) => return self.choice(all),
            Ast::Atomic(inner) => return self.atomic(inner),
            Ast::Around { behind, negated, inner } => return self.around(*behind, *negated, inner),
            Ast::Repeat { inner, least, most, kind: Kind::Possessive } => {
                let greedy = Ast::Repeat { inner: inner.clone(), least: *least, most: *most, kind: Kind::Greedy };
                return self.atomic(&greedy);
            }
            Ast::Repeat { inner, least, most, kind } => {
                for _ in 0..*least {
                    self.emit(inner)?;
                }
                return match most {
                    None => self.star(inner, *kind == Kind::Lazy),
                    Some(most) => self.options(inner, most - least, *kind == Kind::Lazy),
                };
            }
            Ast::If(condition, yes, no) => return self.conditional(condition, yes, no),
        };
        self.push(step).map(drop)
    }

    fn choice(&mut self, all: &[Ast]) -> Result<(), Error> {
        let mut jumps = Vec::new();
        for (i, ast) in all.iter().enumerate() {
            if i + 1 == all.len() {
                self.emit(ast)?;
                break;
            }
            let split = self.hole()?;
            self.emit(ast)?;
            jumps.push(self.hole()?);
            self.program.steps[split] = Step::Split(split + 1, self.here());
        }
        let end = self.here();
        jumps.into_iter().for_each(|jump| self.program.steps[jump] = Step::Jump(end));
        Ok(())
    }

    fn star(&mut self, inner: &Ast, lazy: bool) -> Result<(), Error> {
        let split = self.hole()?;
        let turn = if inner.nullable() {
            self.program.loops += 1;
            self.push(Step::Turn(self.program.loops - 1))?;
            Some(self.program.loops - 1)
        } else {
            None
        };
        self.emit(inner)?;
        self.push(turn.map_or(Step::Jump(split), |turn| Step::Again(turn, split)))?;
        self.set_split(split, lazy);
        Ok(())
    }

    fn options(&mut self, inner: &Ast, count: u32, lazy: bool) -> Result<(), Error> {
        let mut splits = Vec::new();
        for _ in 0..count {
            splits.push(self.hole()?);
            self.emit(inner)?;
        }
        splits.into_iter().for_each(|split| self.set_split(split, lazy));
        Ok(())
    }

    fn set_split(&mut self, split: usize, lazy: bool) {
        let (inside, outside) = (split + 1, self.here());
        self.program.steps[split] = if lazy { Step::Split(outside, inside) } else { Step::Split(inside, outside) };
    }

    fn atomic(&mut self, inner: &Ast) -> Result<(), Error> {
        self.program.simple = false;
        let start = self.hole()?;
        self.emit(inner)?;
        self.push(Step::End)?;
        self.program.steps[start] = Step::Atomic(self.here());
        Ok(())
    }

    fn around(&mut self, behind: bool, negated: bool, inner: &Ast) -> Result<(), Error> {
        self.program.simple = false;
        let start = self.hole()?;
        let mut branches = Vec::new();
        let all = match inner {
            Ast::Alt(all) if behind => all.as_slice(),
            other => std::slice::from_ref(other),
        };
        for branch in all {
            let back = if behind { branch.width().unwrap_or(0) } else { 0 };
            branches.push((back, self.here()));
            self.emit(branch)?;
            self.push(Step::End)?;
        }
        let next = self.here();
        self.program.steps[start] = Step::Around { negated, branches, next };
        Ok(())
    }

    fn conditional(&mut self, condition: &Condition, yes: &Ast, no: &Ast) -> Result<(), Error> {
        self.program.simple = false;
        let test = match condition {
            Condition::Never => {
                // What is only to be called is passed over.
                let jump = self.hole()?;
                self.emit(yes)?;
                self.program.steps[jump] = Step::Jump(self.here());
                return Ok(());
            }
            Condition::Group(reference) => {
                let groups = self.resolve(reference)?;
                let test = self.hole()?;
                Some((test, groups))
            }
            // Either it holds and the first follows, or it does not and the second does.
            Condition::Around(around) => {
                let Ast::Around { behind, negated, inner } = around.as_ref() else { return Ok(()) };
                let other = Ast::Around { behind: *behind, negated: !negated, inner: inner.clone() };
                let split = self.hole()?;
                self.emit(around)?;
                self.emit(yes)?;
                let jump = self.hole()?;
                self.program.steps[split] = Step::Split(split + 1, self.here());
                self.emit(&other)?;
                self.emit(no)?;
                self.program.steps[jump] = Step::Jump(self.here());
                return Ok(());
            }
        };
        self.emit(yes)?;
        let jump = self.hole()?;
        if let Some((test, groups)) = test {
            self.program.steps[test] = Step::IfSet(groups, self.here());
        }
        self.emit(no)?;
        self.program.steps[jump] = Step::Jump(self.here());
        Ok(())
    }
}
