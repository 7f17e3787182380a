//! From the tree to steps.

mod expr;

use super::ast::{Base, Expr, Kind, Label, Pattern, Rule, Statement, Var};
use super::op::{Code, Op, Place, Program};
use super::parse::Tree;
use super::special;
use std::collections::HashMap;

pub struct Compiler {
    program: Program,
    text_slots: HashMap<Vec<u8>, u32>,
    regex_slots: HashMap<Vec<u8>, u32>,
    /// Jumps to fill in when the loop or switch around them ends.
    breaks: Vec<Vec<usize>>,
    continues: Vec<Vec<usize>>,
    /// How many arrays are looped over around here, and at each loop's start.
    source: u32,
    line: u32,
    /// Their names, and how many parameters they have, if somebody defined them.
    functions: Vec<(String, Option<usize>)>,
}

pub fn compile(tree: Tree) -> Program {
    let mut compiler = Compiler {
        program: Program {
            files: tree.sources.iter().map(|s| s.file.clone()).collect(),
            globals: tree.globals,
            uses_procinfo: tree.uses_procinfo,
            ..Program::default()
        },
        text_slots: HashMap::new(),
        regex_slots: HashMap::new(),
        breaks: Vec::new(),
        continues: Vec::new(),
        source: 0,
        line: 0,
        functions: (tree.functions.iter()).map(|f| (f.name.clone(), f.body.as_ref().map(|_| f.params.len()))).collect(),
    };
    for function in tree.functions {
        let start = compiler.here();
        let defined = function.body.is_some();
        if let Some(body) = &function.body {
            compiler.at(function.source, function.line);
            compiler.block(body);
            compiler.emit(Op::Unset);
            compiler.emit(Op::Return);
        }
        let code = Code { name: function.name, params: function.params, start, defined };
        compiler.program.functions.push(code);
    }
    // The rules for records stand one behind the other: a record goes through them in one run.
    let is_main = |rule: &&Rule| matches!(rule.pattern, Pattern::Always | Pattern::When(_) | Pattern::Range(..));
    for rule in tree.rules.iter().filter(|rule| !is_main(rule)) {
        let start = compiler.here();
        compiler.at(rule.source, rule.line);
        compiler.block(rule.body.as_deref().unwrap_or_default());
        compiler.emit(Op::Stop);
        let list = match rule.pattern {
            Pattern::Begin => &mut compiler.program.begin,
            Pattern::End => &mut compiler.program.end,
            Pattern::BeginFile => &mut compiler.program.begin_file,
            _ => &mut compiler.program.end_file,
        };
        list.push(start);
    }
    let start = compiler.here();
    for rule in tree.rules.iter().filter(is_main) {
        compiler.program.main = vec![start];
        compiler.at(rule.source, rule.line);
        let skips = compiler.pattern(&rule.pattern);
        match &rule.body {
            Some(body) => compiler.block(body),
            None => compiler.print_record(),
        }
        for skip in skips {
            compiler.land(skip);
        }
    }
    compiler.emit(Op::Stop);
    compiler.program
}

impl Compiler {
    fn here(&self) -> u32 {
        self.program.ops.len() as u32
    }

    fn emit(&mut self, op: Op) -> usize {
        self.program.ops.push(op);
        self.program.ops.len() - 1
    }

    fn at(&mut self, source: u32, line: u32) {
        if (source, line) != (self.source, self.line) || self.program.lines.is_empty() {
            (self.source, self.line) = (source, line);
            let here = self.here();
            self.program.lines.push((here, source, line));
        }
    }

    fn at_line(&mut self, line: u32) {
        self.at(self.source, line);
    }

    /// Lets a jump go here.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.program.ops[jump] {
            Op::Jump(to)
            | Op::JumpIf(to)
            | Op::JumpUnless(to)
            | Op::JumpUnlessCompare(_, to)
            | Op::JumpUnlessCompareNumber(_, to, _)
            | Op::JumpUnlessCompareGlobal(_, to, _)
            | Op::Case(to)
            | Op::CaseMatch { to, .. }
            | Op::LoopNext { to, .. } => *to = here,
            _ => {}
        }
    }

    fn text(&mut self, text: &[u8]) -> u32 {
        if let Some(&slot) = self.text_slots.get(text) {
            return slot;
        }
        let slot = self.program.texts.len() as u32;
        self.program.texts.push(text.to_vec());
        self.text_slots.insert(text.to_vec(), slot);
        slot
    }

    fn regex(&mut self, text: &[u8]) -> u32 {
        if let Some(&slot) = self.regex_slots.get(text) {
            return slot;
        }
        let slot = self.program.regexes.len() as u32;
        self.program.regexes.push(text.to_vec());
        self.regex_slots.insert(text.to_vec(), slot);
        slot
    }

    /// The jumps past the body of a rule.
    fn pattern(&mut self, pattern: &Pattern) -> Vec<usize> {
        match pattern {
            Pattern::When(condition) => self.jumps_unless(condition),
            Pattern::Range(first, last) => {
                let range = self.program.ranges as u32;
                self.program.ranges += 1;
                self.emit(Op::InRange(range));
                let inside = self.emit(Op::JumpIf(0));
                let skips = self.jumps_unless(first);
                self.emit(Op::SetRange(range, true));
                self.land(inside);
                let stays = self.jumps_unless(last);
                self.emit(Op::SetRange(range, false));
                for jump in stays {
                    self.land(jump);
                }
                skips
            }
            _ => Vec::new(),
        }
    }

    fn print_record(&mut self) {
        self.emit(Op::Begin);
        self.emit(Op::AddField(0));
        self.emit(Op::AddOrs);
        self.emit(Op::Print { to: None, format: false });
    }

    fn block(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        self.at_line(statement.line);
        match &statement.kind {
            Kind::Expr(expr) => self.effect(expr),
            Kind::Print { args, to, format } => {
                self.emit(Op::Begin);
                if *format {
                    for arg in args {
                        self.value(arg);
                    }
                    self.emit(Op::Format(args.len() as u32));
                } else if args.is_empty() {
                    self.emit(Op::AddField(0));
                    self.emit(Op::AddOrs);
                } else {
                    for (i, arg) in args.iter().enumerate() {
                        if i > 0 {
                            self.emit(Op::AddOfs);
                        }
                        self.append(arg, true);
                    }
                    self.emit(Op::AddOrs);
                }
                if let Some((_, target)) = to {
                    self.value(target);
                }
                self.emit(Op::Print { to: to.as_ref().map(|t| t.0), format: *format });
            }
            Kind::If(branches, other) => {
                let mut ends = Vec::new();
                for (i, (condition, then)) in branches.iter().enumerate() {
                    self.at_line(if i == 0 { statement.line } else { then.line });
                    let skips = self.jumps_unless(condition);
                    self.statement(then);
                    if i + 1 < branches.len() || other.is_some() {
                        ends.push(self.emit(Op::Jump(0)));
                    }
                    skips.into_iter().for_each(|jump| self.land(jump));
                }
                if let Some(other) = other {
                    self.statement(other);
                }
                ends.into_iter().for_each(|jump| self.land(jump));
            }
            Kind::While(condition, body) => self.looping(None, Some(condition), None, body),
            Kind::For(first, condition, step, body) => {
                self.looping(first.as_deref(), condition.as_ref(), step.as_deref(), body);
            }
            Kind::Do(body, condition) => {
                self.breaks.push(Vec::new());
                self.continues.push(Vec::new());
                let start = self.here();
                self.statement(body);
                for jump in self.continues.pop().unwrap_or_default() {
                    self.land(jump);
                }
                let exits = self.jumps_unless(condition);
                self.emit(Op::Jump(start));
                exits.into_iter().for_each(|jump| self.land(jump));
                self.land_breaks();
            }
            Kind::ForIn(var, base, body) => {
                self.array(base);
                self.emit(Op::Loop);
                self.breaks.push(Vec::new());
                self.continues.push(Vec::new());
                let start = self.here();
                let next = self.emit(Op::LoopNext { var: *var, to: 0 });
                self.statement(body);
                for jump in self.continues.pop().unwrap_or_default() {
                    self.land(jump);
                }
                self.emit(Op::Jump(start));
                self.land(next);
                self.land_breaks();
                self.emit(Op::LoopEnd);
            }
            Kind::Switch(value, cases) => self.switch(value, cases),
            Kind::Break => {
                let jump = self.emit(Op::Jump(0));
                if let Some(breaks) = self.breaks.last_mut() {
                    breaks.push(jump);
                }
            }
            Kind::Continue => {
                let jump = self.emit(Op::Jump(0));
                if let Some(continues) = self.continues.last_mut() {
                    continues.push(jump);
                }
            }
            Kind::Next => {
                self.emit(Op::Next);
            }
            Kind::NextFile => {
                self.emit(Op::NextFile);
            }
            Kind::Exit(value) => {
                if let Some(value) = value {
                    self.value(value);
                }
                self.emit(Op::Exit { value: value.is_some() });
            }
            Kind::Return(value) => {
                match value {
                    // An array cannot be returned; the name is kept for the message.
                    Some(value) => self.value(value),
                    None => {
                        self.emit(Op::Unset);
                    }
                }
                self.emit(Op::Return);
            }
            Kind::Delete(base, subscripts) => {
                if subscripts.is_empty() {
                    self.array(base);
                    self.emit(Op::DeleteAll);
                    return;
                }
                match base {
                    Base::Var(var) => {
                        self.key(subscripts);
                        self.emit(Op::DeleteElement(*var));
                    }
                    Base::Element(..) => {
                        self.array(base);
                        self.key(subscripts);
                        self.emit(Op::DeleteInner);
                    }
                }
            }
            Kind::Block(statements) => self.block(statements),
        }
    }

    fn land_breaks(&mut self) {
        for jump in self.breaks.pop().unwrap_or_default() {
            self.land(jump);
        }
    }

    /// The condition stands behind the body: one jump a turn.
    fn looping(
        &mut self,
        first: Option<&Statement>,
        condition: Option<&Expr>,
        step: Option<&Statement>,
        body: &Statement,
    ) {
        if let Some(first) = first {
            self.statement(first);
        }
        self.breaks.push(Vec::new());
        self.continues.push(Vec::new());
        let start = self.here();
        let exits = condition.map(|c| self.jumps_unless(c)).unwrap_or_default();
        self.statement(body);
        for jump in self.continues.pop().unwrap_or_default() {
            self.land(jump);
        }
        if let Some(step) = step {
            self.statement(step);
        }
        self.emit(Op::Jump(start));
        exits.into_iter().for_each(|jump| self.land(jump));
        self.land_breaks();
    }

    fn switch(&mut self, value: &Expr, cases: &[(Label, Vec<Statement>)]) {
        self.value(value);
        let mut jumps = Vec::new();
        for (label, _) in cases {
            jumps.push(match label {
                Label::Value(value) => {
                    self.value(value);
                    Some(self.emit(Op::Case(0)))
                }
                Label::Regex(text) => {
                    let regex = self.regex(text);
                    Some(self.emit(Op::CaseMatch { regex, to: 0 }))
                }
                Label::Default => None,
            });
        }
        self.emit(Op::Pop);
        let other = self.emit(Op::Jump(0));
        let mut default = false;
        self.breaks.push(Vec::new());
        for ((_, body), jump) in cases.iter().zip(jumps) {
            self.land(jump.unwrap_or(other));
            default |= jump.is_none();
            self.block(body);
        }
        if !default {
            self.land(other);
        }
        self.land_breaks();
    }

    /// The key of some subscripts: one value, or all joined.
    fn key(&mut self, subscripts: &[Expr]) {
        match subscripts {
            [one] => self.value(one),
            many => {
                self.emit(Op::Begin);
                for (i, part) in many.iter().enumerate() {
                    if i > 0 {
                        self.emit(Op::AddSubsep);
                    }
                    self.append(part, false);
                }
                self.emit(Op::End);
            }
        }
    }

    /// An array on the stack.
    fn array(&mut self, base: &Base) {
        match base {
            Base::Var(var) => {
                self.emit(Op::ArrayOf(*var));
            }
            Base::Element(outer, subscripts) => match &**outer {
                Base::Var(var) => {
                    self.key(subscripts);
                    self.emit(Op::SubArray(*var));
                }
                deeper => {
                    self.array(deeper);
                    self.key(subscripts);
                    self.emit(Op::InnerSubArray);
                }
            },
        }
    }

    /// Where a variable, field or element is; what the place needs is put on the stack.
    fn place(&mut self, target: &Expr) -> Place {
        match target {
            Expr::Var(Var::Global(slot)) if special::has_effect(*slot) => Place::Special(*slot),
            Expr::Var(var) => Place::Var(*var),
            Expr::Field(index) => {
                self.value(index);
                Place::Field
            }
            Expr::Element(Base::Var(var), subscripts) => {
                self.key(subscripts);
                Place::Element(*var)
            }
            Expr::Element(base, subscripts) => {
                self.array(base);
                self.key(subscripts);
                Place::Inner
            }
            Expr::Group(inner) => self.place(inner),
            _ => Place::Field,
        }
    }
}
