//! Expressions as steps.

use super::super::ast::{Base, Expr, From, Var};
use super::super::builtins::{Builtin, Id};
use super::super::op::{Op, Place, Source};
use super::super::special;
use super::Compiler;

/// Without the parentheses.
fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(inner) => bare(inner),
        other => other,
    }
}

impl Compiler {
    /// For its effect only.
    pub fn effect(&mut self, expr: &Expr) {
        match bare(expr) {
            Expr::Assign(target, value) => self.assign(target, value, false),
            Expr::Update(operator, target, value) => self.update(*operator, target, value, false),
            Expr::Step { target, add, .. } => self.step(target, *add, true, false),
            other => {
                self.value(other);
                self.emit(Op::Pop);
            }
        }
    }

    fn assign(&mut self, target: &Expr, value: &Expr, keep: bool) {
        // x = x … grows the variable in place.
        if let (Expr::Var(var), Expr::Concat(parts)) = (target, bare(value))
            && matches!(bare(&parts[0]), Expr::Var(first) if first == var)
            && !matches!(var, Var::Global(slot) if special::has_effect(*slot))
            && !parts[1..].iter().any(may_change)
        {
            self.emit(Op::Begin);
            for part in &parts[1..] {
                self.append(part, false);
            }
            self.emit(Op::AppendTo { var: *var, keep });
            return;
        }
        self.value(value);
        match self.place(target) {
            Place::Var(Var::Global(slot)) => self.emit(Op::SetGlobal { slot, keep }),
            Place::Var(Var::Local(slot)) => self.emit(Op::SetLocal { slot, keep }),
            place => self.emit(Op::Store { place, keep }),
        };
    }

    fn update(&mut self, operator: u8, target: &Expr, value: &Expr, keep: bool) {
        self.number(value);
        match self.place(target) {
            Place::Var(Var::Global(slot)) => self.emit(Op::UpdateGlobal { slot, operator, keep }),
            place => self.emit(Op::Update { place, operator, keep }),
        };
    }

    fn step(&mut self, target: &Expr, add: f64, before: bool, keep: bool) {
        let add = add as i8;
        match self.place(target) {
            Place::Var(Var::Global(slot)) => self.emit(Op::StepGlobal { slot, add, before, keep }),
            Place::Var(Var::Local(slot)) => self.emit(Op::StepLocal { slot, add, before, keep }),
            place => self.emit(Op::Step { place, add, before, keep }),
        };
    }

    /// As a number, where only that counts: fields are not made strings first.
    fn number(&mut self, expr: &Expr) {
        match bare(expr) {
            Expr::Field(index) => {
                if let Expr::Number(n) = bare(index)
                    && *n >= 0.0
                    && *n < 1e6
                {
                    self.emit(Op::FieldNumber(*n as u32));
                    return;
                }
                self.value(expr);
            }
            _ => self.value(expr),
        }
    }

    /// The value on the stack.
    pub fn value(&mut self, expr: &Expr) {
        match expr {
            Expr::Number(n) => {
                self.emit(Op::Number(*n));
            }
            Expr::String(text) => {
                let text = self.text(text);
                self.emit(Op::Text(text));
            }
            Expr::Regex(text) => {
                let regex = self.regex(text);
                self.emit(Op::MatchRecord { regex, negate: false });
            }
            Expr::TypedRegex(text) => {
                let regex = self.regex(text);
                self.emit(Op::Regex(regex));
            }
            Expr::Var(Var::Global(slot)) if special::has_effect(*slot) => {
                self.emit(Op::Special(*slot));
            }
            Expr::Var(Var::Global(slot)) => {
                self.emit(Op::Global(*slot));
            }
            Expr::Var(Var::Local(slot)) => {
                self.emit(Op::Local(*slot));
            }
            Expr::Field(index) => match bare(index) {
                Expr::Number(n) if *n >= 0.0 && *n < 1e6 => {
                    self.emit(Op::FieldAt(*n as u32));
                }
                index => {
                    self.number(index);
                    self.emit(Op::Field);
                }
            },
            Expr::Element(Base::Var(var), subscripts) => {
                self.key(subscripts);
                self.emit(Op::Element(*var));
            }
            Expr::Element(base, subscripts) => {
                self.array(base);
                self.key(subscripts);
                self.emit(Op::Inner);
            }
            Expr::Assign(target, value) => self.assign(target, value, true),
            Expr::Update(operator, target, value) => self.update(*operator, target, value, true),
            Expr::Step { target, add, before } => self.step(target, *add, *before, true),
            Expr::Conditional(condition, yes, no) => {
                let skips = self.jumps_unless(condition);
                self.value(yes);
                let end = self.emit(Op::Jump(0));
                skips.into_iter().for_each(|jump| self.land(jump));
                self.value(no);
                self.land(end);
            }
            Expr::And(_) | Expr::Or(_) => {
                let skips = self.jumps_unless(expr);
                self.emit(Op::Number(1.0));
                let end = self.emit(Op::Jump(0));
                skips.into_iter().for_each(|jump| self.land(jump));
                self.emit(Op::Number(0.0));
                self.land(end);
            }
            Expr::Not(operand) => {
                if let Expr::Regex(text) = bare(operand) {
                    let regex = self.regex(text);
                    self.emit(Op::MatchRecord { regex, negate: true });
                    return;
                }
                self.value(operand);
                self.emit(Op::Not);
            }
            Expr::Negate(operand) => {
                self.number(operand);
                self.emit(Op::Negate);
            }
            Expr::Plus(operand) => {
                self.number(operand);
                self.emit(Op::ToNumber);
            }
            Expr::Arithmetic(first, rest) => {
                self.number(first);
                for (operator, operand) in rest {
                    match bare(operand) {
                        Expr::Number(n) => self.emit(Op::ArithmeticNumber(*operator, *n)),
                        Expr::Var(Var::Global(slot)) if !special::has_effect(*slot) => {
                            self.emit(Op::ArithmeticGlobal(*operator, *slot))
                        }
                        Expr::Var(Var::Local(slot)) => self.emit(Op::ArithmeticLocal(*operator, *slot)),
                        _ => {
                            self.number(operand);
                            self.emit(Op::Arithmetic(*operator))
                        }
                    };
                }
            }
            Expr::Compare(operator, left, right) => {
                self.value(left);
                self.value(right);
                self.emit(Op::Compare(*operator));
            }
            Expr::Match { negate, text, regex } => self.matching(*negate, text, regex),
            Expr::Concat(parts) => {
                self.emit(Op::Begin);
                for part in parts {
                    self.append(part, false);
                }
                self.emit(Op::End);
            }
            Expr::In(subscripts, base) => match base {
                Base::Var(var) => {
                    self.key(subscripts);
                    self.emit(Op::In(*var));
                }
                Base::Element(..) => {
                    self.array(base);
                    self.key(subscripts);
                    self.emit(Op::InInner);
                }
            },
            Expr::Call { function, args, line } => {
                self.at_line(*line);
                let (name, params) = self.functions[*function as usize].clone();
                let most = params.unwrap_or(args.len());
                if args.len() > most {
                    let file = self.program.files.get(self.source as usize).cloned().flatten();
                    let place = super::super::report::Place { file: file.as_deref(), line: *line };
                    let text = format!("function `{name}' called with more arguments than declared");
                    super::super::report::warn(&place, text);
                }
                for arg in args.iter() {
                    self.argument(arg);
                }
                for _ in most..args.len() {
                    self.emit(Op::Pop);
                }
                self.emit(match params {
                    Some(_) => Op::Call { function: *function, args: args.len().min(most) as u32 },
                    None => Op::Undefined(*function),
                });
            }
            Expr::Indirect { name, args, line } => {
                self.at_line(*line);
                self.value(name);
                for arg in args {
                    self.argument(arg);
                }
                self.emit(Op::Indirect { args: args.len() as u32 });
            }
            Expr::Builtin { which, args, line } => {
                self.at_line(*line);
                self.builtin(which, args);
            }
            Expr::Getline { from, target, line } => {
                self.at_line(*line);
                let place = target.as_ref().map(|target| self.place(target));
                let source = match from {
                    From::Main => Source::Main,
                    From::File(name) => {
                        self.value(name);
                        Source::File
                    }
                    From::Command(name) => {
                        self.value(name);
                        Source::Command
                    }
                    From::Coprocess(name) => {
                        self.value(name);
                        Source::Coprocess
                    }
                };
                self.emit(Op::Getline { from: source, target: place.is_some() });
                if let Some(place) = place {
                    self.emit(Op::StorePending(place));
                }
            }
            Expr::Group(inner) => self.value(inner),
            Expr::List(parts) => {
                for part in parts {
                    self.value(part);
                }
            }
        }
    }

    fn matching(&mut self, negate: bool, text: &Expr, regex: &Expr) {
        if let Expr::Regex(source) | Expr::TypedRegex(source) = bare(regex) {
            let regex = self.regex(source);
            if matches!(bare(text), Expr::Field(index) if matches!(bare(index), Expr::Number(n) if *n == 0.0)) {
                self.emit(Op::MatchRecord { regex, negate });
                return;
            }
            self.value(text);
            self.emit(Op::Match { regex, negate });
            return;
        }
        self.value(text);
        self.value(regex);
        self.emit(Op::MatchDynamic { negate });
    }

    /// Its text into the buffer.
    pub fn append(&mut self, expr: &Expr, print: bool) {
        match bare(expr) {
            Expr::String(text) => {
                let text = self.text(text);
                self.emit(Op::AddText(text));
            }
            Expr::Var(Var::Global(slot)) if !special::has_effect(*slot) => {
                self.emit(Op::AddGlobal { slot: *slot, print });
            }
            Expr::Var(Var::Local(slot)) => {
                self.emit(Op::AddLocal { slot: *slot, print });
            }
            Expr::Field(index) if matches!(bare(index), Expr::Number(n) if *n >= 0.0 && *n < 1e6) => {
                // A field that was given a number is shown as one: the slow way sees to that.
                let Expr::Number(n) = bare(index) else { return };
                self.emit(Op::AddField(*n as u32));
            }
            Expr::Concat(parts) => {
                for part in parts {
                    self.append(part, false);
                }
            }
            other => {
                self.value(other);
                self.emit(Op::AddTop { print });
            }
        }
    }

    /// The jumps that are taken when the condition does not hold.
    pub fn jumps_unless(&mut self, condition: &Expr) -> Vec<usize> {
        match bare(condition) {
            Expr::Compare(operator, left, right) => {
                self.value(left);
                let jump = match bare(right) {
                    Expr::Number(n) => Op::JumpUnlessCompareNumber(*operator, 0, *n),
                    Expr::Var(Var::Global(slot)) if !special::has_effect(*slot) => {
                        Op::JumpUnlessCompareGlobal(*operator, 0, *slot)
                    }
                    _ => {
                        self.value(right);
                        Op::JumpUnlessCompare(*operator, 0)
                    }
                };
                vec![self.emit(jump)]
            }
            Expr::And(all) => all.iter().flat_map(|part| self.jumps_unless(part)).collect(),
            Expr::Or(all) => {
                let (last, first) = match all.split_last() {
                    Some(split) => split,
                    None => return Vec::new(),
                };
                let mut holds = Vec::new();
                for part in first {
                    self.value(part);
                    holds.push(self.emit(Op::JumpIf(0)));
                }
                let skips = self.jumps_unless(last);
                holds.into_iter().for_each(|jump| self.land(jump));
                skips
            }
            Expr::Not(operand) if !matches!(bare(operand), Expr::Regex(_)) => {
                self.value(operand);
                vec![self.emit(Op::JumpIf(0))]
            }
            other => {
                self.value(other);
                vec![self.emit(Op::JumpUnless(0))]
            }
        }
    }

    /// An argument of a function: arrays go as they are.
    fn argument(&mut self, expr: &Expr) {
        match bare(expr) {
            Expr::Var(Var::Global(slot)) if special::has_effect(*slot) => self.value(expr),
            Expr::Var(var) => {
                self.emit(Op::Argument(*var));
            }
            Expr::Element(Base::Var(var), subscripts) => {
                self.key(subscripts);
                self.emit(Op::ElementArgument(*var));
            }
            Expr::Element(base, subscripts) => {
                self.array(base);
                self.key(subscripts);
                self.emit(Op::InnerArgument);
            }
            _ => self.value(expr),
        }
    }

    /// A regular expression as an argument: a constant stays one.
    fn pattern_argument(&mut self, expr: &Expr) {
        match bare(expr) {
            Expr::Regex(text) | Expr::TypedRegex(text) => {
                let regex = self.regex(text);
                self.emit(Op::Regex(regex));
            }
            _ => self.value(expr),
        }
    }

    fn builtin(&mut self, which: &Builtin, args: &[Expr]) {
        let record = Expr::Field(Box::new(Expr::Number(0.0)));
        let count = args.len() as u32;
        match which.id {
            Id::Sub | Id::Gsub => {
                let target = args.get(2).unwrap_or(&record);
                let place = match bare(target) {
                    Expr::Var(_) | Expr::Field(_) | Expr::Element(..) => Some(self.place(bare(target))),
                    _ => None,
                };
                match place {
                    Some(Place::Var(Var::Global(slot))) => self.emit(Op::Global(slot)),
                    Some(Place::Var(Var::Local(slot))) => self.emit(Op::Local(slot)),
                    Some(Place::Special(slot)) => self.emit(Op::Special(slot)),
                    Some(Place::Field) => {
                        self.emit(Op::Dup);
                        self.emit(Op::FieldTarget)
                    }
                    Some(Place::Element(var)) => {
                        self.emit(Op::Dup);
                        self.emit(Op::Element(var))
                    }
                    Some(Place::Inner) => {
                        self.emit(Op::Dup2);
                        self.emit(Op::Inner)
                    }
                    None => {
                        self.value(target);
                        0
                    }
                };
                let regex = match bare(&args[0]) {
                    Expr::Regex(text) | Expr::TypedRegex(text) => Some(self.regex(text)),
                    other => {
                        self.value(other);
                        None
                    }
                };
                self.value(&args[1]);
                self.emit(Op::Substitute { regex, all: which.id == Id::Gsub });
                if let Some(place) = place {
                    self.emit(Op::StorePending(place));
                }
            }
            Id::Length if args.is_empty() => {
                self.emit(Op::FieldAt(0));
                self.emit(Op::Builtin { id: Id::Length, args: 1 });
            }
            Id::Match | Id::Split | Id::Patsplit => {
                // match(text, regex [, array]); split(text, array [, regex [, array]])
                let pattern = if which.id == Id::Match { 1 } else { 2 };
                for (i, arg) in args.iter().enumerate() {
                    match i {
                        0 => self.value(arg),
                        i if i == pattern => self.pattern_argument(arg),
                        _ => self.argument(arg),
                    }
                }
                self.emit(Op::Builtin { id: which.id, args: count });
            }
            Id::Gensub => {
                self.pattern_argument(&args[0]);
                args[1..].iter().for_each(|arg| self.value(arg));
                self.emit(Op::Builtin { id: which.id, args: count });
            }
            Id::Asort
            | Id::Asorti
            | Id::Length
            | Id::Isarray
            | Id::Typeof
            | Id::Stat
            | Id::Writea
            | Id::Reada
            | Id::Gettimeofday => {
                for arg in args {
                    match bare(arg) {
                        Expr::TypedRegex(_) => self.pattern_argument(arg),
                        Expr::Regex(_) => self.value(arg),
                        _ => self.argument(arg),
                    }
                }
                self.emit(Op::Builtin { id: which.id, args: count });
            }
            id => {
                args.iter().for_each(|arg| self.value(arg));
                self.emit(Op::Builtin { id, args: count });
            }
        }
    }
}

/// Whether evaluating it may change a variable.
fn may_change(expr: &Expr) -> bool {
    match expr {
        Expr::Number(_) | Expr::String(_) | Expr::Regex(_) | Expr::TypedRegex(_) | Expr::Var(_) => false,
        Expr::Field(inner) | Expr::Group(inner) | Expr::Not(inner) | Expr::Negate(inner) | Expr::Plus(inner) => {
            may_change(inner)
        }
        Expr::Element(Base::Var(_), all) | Expr::Concat(all) => all.iter().any(may_change),
        Expr::Arithmetic(first, rest) => may_change(first) || rest.iter().any(|(_, e)| may_change(e)),
        Expr::Builtin { which, args, .. } => {
            !matches!(which.id, Id::Substr | Id::Sprintf | Id::Toupper | Id::Tolower | Id::Length | Id::Index | Id::Int)
                || args.iter().any(may_change)
        }
        _ => true,
    }
}
