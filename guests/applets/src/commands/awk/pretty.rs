//! `--pretty-print`: the program in GNU awk's layout. Comments are no part of the tree and are left out.

use super::ast::*;
use super::builtins::Id;
use super::parse::Tree;

/// The whole program: rules by kind, then functions by name.
pub fn program(tree: &Tree) -> Vec<u8> {
    let mut printer = Printer { tree, params: &[], level: 0, out: Vec::new() };
    let order: [fn(&Pattern) -> bool; 5] = [
        |pattern| matches!(pattern, Pattern::Begin),
        |pattern| matches!(pattern, Pattern::BeginFile),
        |pattern| matches!(pattern, Pattern::Always | Pattern::When(_) | Pattern::Range(..)),
        |pattern| matches!(pattern, Pattern::EndFile),
        |pattern| matches!(pattern, Pattern::End),
    ];
    for is_next in order {
        tree.rules.iter().filter(|rule| is_next(&rule.pattern)).for_each(|rule| printer.rule(rule));
    }
    let mut functions: Vec<&Function> = tree.functions.iter().filter(|function| function.body.is_some()).collect();
    functions.sort_by(|a, b| a.name.cmp(&b.name));
    functions.into_iter().for_each(|function| printer.function(function));
    printer.out
}

struct Printer<'a> {
    tree: &'a Tree,
    /// Of the function at hand.
    params: &'a [String],
    level: usize,
    out: Vec<u8>,
}

impl<'a> Printer<'a> {
    fn rule(&mut self, rule: &Rule) {
        let head = match &rule.pattern {
            Pattern::Begin => "BEGIN ".into(),
            Pattern::End => "END ".into(),
            Pattern::BeginFile => "BEGINFILE ".into(),
            Pattern::EndFile => "ENDFILE ".into(),
            Pattern::Always => String::new(),
            Pattern::When(expr) => self.expr(expr) + " ",
            Pattern::Range(from, to) => format!("{}, {} ", self.expr(from), self.expr(to)),
        };
        self.line(format_args!("{head}{{"));
        match &rule.body {
            Some(body) => self.body(body),
            None => {
                self.body(&[Statement { line: 0, kind: Kind::Print { args: Vec::new(), to: None, format: false } }])
            }
        }
        self.line("}");
        self.out.push(b'\n');
    }

    fn function(&mut self, function: &'a Function) {
        self.params = &function.params;
        self.out.push(b'\n');
        self.line(format_args!("function {}({})", function.name, function.params.join(", ")));
        self.line("{");
        self.body(function.body.as_deref().unwrap_or_default());
        self.line("}");
        self.params = &[];
    }

    fn line(&mut self, text: impl std::fmt::Display) {
        self.out.extend(std::iter::repeat_n(b'\t', self.level));
        self.out.extend(text.to_string().bytes());
        self.out.push(b'\n');
    }

    fn body(&mut self, statements: &[Statement]) {
        self.level += 1;
        statements.iter().for_each(|statement| self.statement(statement));
        self.level -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        let one = std::slice::from_ref::<Statement>;
        match &statement.kind {
            Kind::Expr(expr) => {
                let text = self.expr(expr);
                self.line(text);
            }
            Kind::Print { args, to, format } => self.print(args, to.as_ref(), *format),
            Kind::If(cases, otherwise) => {
                for (i, (condition, body)) in cases.iter().enumerate() {
                    let begin = if i == 0 { "" } else { "} else " };
                    let condition = self.expr(condition);
                    self.line(format_args!("{begin}if ({condition}) {{"));
                    self.body(one(body));
                }
                if let Some(body) = otherwise {
                    self.line("} else {");
                    self.body(one(body));
                }
                self.line("}");
            }
            Kind::While(condition, body) => self.block(format!("while ({}) {{", self.expr(condition)), body, "}"),
            Kind::Do(body, condition) => {
                self.block("do {".into(), body, &format!("}} while ({})", self.expr(condition)))
            }
            Kind::For(first, condition, next, body) => {
                let head = match (first, condition, next) {
                    (None, None, None) => "for (;;) {".into(),
                    _ => {
                        let simple = |statement: &Option<Box<Statement>>| match statement.as_ref().map(|s| &s.kind) {
                            Some(Kind::Expr(expr)) => self.expr(expr),
                            Some(Kind::Delete(base, indexes)) => self.delete(base, indexes),
                            _ => String::new(),
                        };
                        let condition = condition.as_ref().map(|c| self.expr(c)).unwrap_or_default();
                        format!("for ({}; {condition}; {}) {{", simple(first), simple(next))
                    }
                };
                self.block(head, body, "}");
            }
            Kind::ForIn(var, base, body) => {
                self.block(format!("for ({} in {}) {{", self.var(*var), self.base(base)), body, "}");
            }
            Kind::Switch(expr, cases) => {
                let expr = self.expr(expr);
                self.line(format_args!("switch ({expr}) {{"));
                for (label, body) in cases {
                    let label = match label {
                        Label::Value(value) => format!("case {}:", self.expr(value)),
                        Label::Regex(regex) => format!("case {}:", regex_text(regex)),
                        Label::Default => "default:".into(),
                    };
                    self.line(label);
                    self.body(body);
                }
                self.line("}");
            }
            Kind::Break => self.line("break"),
            Kind::Continue => self.line("continue"),
            Kind::Next => self.line("next"),
            Kind::NextFile => self.line("nextfile"),
            Kind::Exit(value) => self.with_value("exit", value.as_ref()),
            Kind::Return(value) => self.with_value("return", value.as_ref()),
            Kind::Delete(base, indexes) => {
                let text = self.delete(base, indexes);
                self.line(text);
            }
            Kind::Block(statements) => statements.iter().for_each(|statement| self.statement(statement)),
        }
    }

    fn block(&mut self, head: String, body: &Statement, end: &str) {
        self.line(head);
        self.body(std::slice::from_ref(body));
        self.line(end);
    }

    fn with_value(&mut self, keyword: &str, value: Option<&Expr>) {
        match value {
            Some(value) => {
                let text = self.operand(value, is_binary(value));
                self.line(format_args!("{keyword} {text}"));
            }
            None => self.line(keyword),
        }
    }

    fn delete(&self, base: &Base, indexes: &[Expr]) -> String {
        let base = self.base(base);
        if indexes.is_empty() { format!("delete {base}") } else { format!("delete {base}[{}]", self.list(indexes)) }
    }

    fn print(&mut self, args: &[Expr], to: Option<&(To, Expr)>, format: bool) {
        let keyword = if format { "printf" } else { "print" };
        let args = match args {
            [Expr::List(list)] => self.list(list),
            args => self.list(args),
        };
        let Some((kind, target)) = to else {
            return self.line(if args.is_empty() { keyword.into() } else { format!("{keyword} {args}") });
        };
        let args = match args.as_str() {
            "" => String::new(),
            done if done.starts_with('(') && done.ends_with(')') => args,
            _ => format!("({args})"),
        };
        let sign = match kind {
            To::File => ">",
            To::Append => ">>",
            To::Pipe => "|",
            To::Coprocess => "|&",
        };
        let target = self.operand(target, is_binary(target));
        self.line(format_args!("{keyword}{args} {sign} {target}"));
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    fn var(&self, var: Var) -> String {
        match var {
            Var::Global(slot) => self.tree.globals[slot as usize].clone(),
            Var::Local(slot) => self.params[slot as usize].clone(),
        }
    }

    fn base(&self, base: &Base) -> String {
        match base {
            Base::Var(var) => self.var(*var),
            Base::Element(base, indexes) => format!("{}[{}]", self.base(base), self.list(indexes)),
        }
    }

    fn operand(&self, expr: &Expr, in_parentheses: bool) -> String {
        if in_parentheses { format!("({})", self.expr(expr)) } else { self.expr(expr) }
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Number(n) => self.number(*n),
            Expr::String(text) => string_text(text),
            Expr::Regex(regex) => regex_text(regex),
            Expr::TypedRegex(regex) => format!("@{}", regex_text(regex)),
            Expr::Var(var) => self.var(*var),
            Expr::Field(index) => format!("${}", self.expr(index)),
            Expr::Element(base, indexes) => format!("{}[{}]", self.base(base), self.list(indexes)),
            Expr::Assign(to, value) => format!("{} = {}", self.expr(to), self.expr(value)),
            Expr::Update(operator, to, value) => {
                format!("{} {}= {}", self.expr(to), char::from(*operator), self.expr(value))
            }
            Expr::Step { target, add, before } => {
                let (target, sign) = (self.expr(target), if *add < 0.0 { "--" } else { "++" });
                if *before { format!("{sign}{target}") } else { format!("{target}{sign}") }
            }
            Expr::Conditional(condition, yes, no) => {
                format!("{} ? {} : {}", self.expr(condition), self.expr(yes), self.expr(no))
            }
            Expr::And(all) => self.joined(all, " && ", is_assignment),
            Expr::Or(all) => self.joined(all, " || ", is_assignment),
            Expr::Not(inner) => format!("! {}", self.expr(inner)),
            Expr::Negate(inner) => {
                let nested = is_binary(inner) || matches!(**inner, Expr::Negate(_));
                format!("-{}", self.operand(inner, nested))
            }
            Expr::Plus(inner) => format!("+{}", self.operand(inner, is_binary(inner))),
            Expr::Arithmetic(first, rest) => {
                let mut text = self.expr(first);
                for (operator, operand) in rest {
                    let power_of_minus = *operator == b'^' && matches!(operand, Expr::Negate(_));
                    text += &format!(" {} {}", char::from(*operator), self.operand(operand, power_of_minus));
                }
                text
            }
            Expr::Compare(operator, left, right) => {
                let sign = match operator {
                    Compare::Less => "<",
                    Compare::LessEqual => "<=",
                    Compare::Equal => "==",
                    Compare::NotEqual => "!=",
                    Compare::Greater => ">",
                    Compare::GreaterEqual => ">=",
                };
                let left = self.operand(left, matches!(**left, Expr::In(..)));
                format!("{left} {sign} {}", self.operand(right, is_assignment(right)))
            }
            Expr::Match { negate, text, regex } => {
                let sign = if *negate { "!~" } else { "~" };
                let text = self.operand(text, is_binary(text));
                format!("{text} {sign} {}", self.operand(regex, is_binary(regex)))
            }
            Expr::Concat(all) => self.joined(all, " ", |part| {
                matches!(part, Expr::Getline { from: From::File(_), .. })
                    || is_binary(part) && !matches!(part, Expr::Concat(_))
            }),
            Expr::In(index, base) => match index.as_slice() {
                [one] => format!("{} in {}", self.expr(one), self.base(base)),
                several => format!("({}) in {}", self.list(several), self.base(base)),
            },
            Expr::Call { function, args, .. } => {
                format!("{}({})", self.tree.functions[*function as usize].name, self.list(args))
            }
            Expr::Indirect { name, args, .. } => format!("@{}({})", self.expr(name), self.list(args)),
            Expr::Builtin { which, args, .. } => {
                let mut args = self.list(args);
                // What is meant where an argument is left out.
                let (count, implied) = match which.id {
                    Id::Length => (0, "$0"),
                    Id::Split => (2, ", FS"),
                    Id::Patsplit => (2, ", FPAT"),
                    Id::Sub | Id::Gsub => (2, ", $0"),
                    Id::Gensub => (3, ", $0"),
                    _ => (usize::MAX, ""),
                };
                if expr.arguments() == count {
                    args += implied;
                }
                format!("{}({args})", which.name)
            }
            Expr::Getline { from, target, .. } => {
                let target = target.as_ref().map(|target| format!(" {}", self.expr(target))).unwrap_or_default();
                match from {
                    From::Main => format!("getline{target}"),
                    From::File(file) => format!("getline{target} < {}", self.operand(file, is_binary(file))),
                    From::Command(c) => format!("{} | getline{target}", self.operand(c, is_binary(c))),
                    From::Coprocess(c) => format!("{} |& getline{target}", self.operand(c, is_binary(c))),
                }
            }
            Expr::Group(inner) => format!("({})", self.expr(inner)),
            Expr::List(all) => format!("({})", self.list(all)),
        }
    }

    fn joined(&self, all: &[Expr], between: &str, in_parentheses: impl Fn(&Expr) -> bool) -> String {
        all.iter().map(|part| self.operand(part, in_parentheses(part))).collect::<Vec<_>>().join(between)
    }

    /// As it was written.
    fn number(&self, n: f64) -> String {
        let sign = if n.is_sign_negative() { "-" } else { "" };
        match self.tree.spellings.get(&n.abs().to_bits()) {
            Some(spelling) => format!("{sign}{spelling}"),
            None => n.to_string(),
        }
    }
}

impl Expr {
    /// How many a call of a builtin function has.
    fn arguments(&self) -> usize {
        if let Expr::Builtin { args, .. } = self { args.len() } else { 0 }
    }
}

fn is_assignment(expr: &Expr) -> bool {
    matches!(expr, Expr::Assign(..) | Expr::Update(..))
}

/// Whether an operator stands between two operands.
fn is_binary(expr: &Expr) -> bool {
    is_assignment(expr)
        || matches!(
            expr,
            Expr::Conditional(..)
                | Expr::And(_)
                | Expr::Or(_)
                | Expr::Arithmetic(..)
                | Expr::Compare(..)
                | Expr::Match { .. }
                | Expr::Concat(_)
                | Expr::In(..)
        )
}

/// A byte in a string or regular expression, if it cannot stand there as it is.
fn escaped(byte: u8) -> Option<String> {
    Some(match byte {
        7..=13 => format!("\\{}", char::from(b"abtnvfr"[usize::from(byte - 7)])),
        b' '..=b'~' => return None,
        _ => format!("\\{byte:03o}"),
    })
}

pub fn string_text(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            _ => match escaped(byte) {
                Some(escape) => out += &escape,
                None => out.push(char::from(byte)),
            },
        }
    }
    out + "\""
}

pub fn regex_text(regex: &[u8]) -> String {
    let mut out = String::from("/");
    let (mut bracket, mut quoted) = (false, false);
    for &byte in regex {
        if byte == b'/' && !bracket && !quoted {
            out.push('\\');
        }
        match escaped(byte) {
            Some(escape) => out += &escape,
            None => out.push(char::from(byte)),
        }
        match byte {
            b'[' if !quoted => bracket = true,
            b']' if !quoted => bracket = false,
            _ => {}
        }
        quoted = byte == b'\\' && !quoted;
    }
    out + "/"
}
