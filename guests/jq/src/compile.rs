//! Trees to terms: names are looked up, sugar is taken apart, library functions are pulled in as they are used.

mod calls;
mod destructure;
mod faults;
mod modules;

use crate::natives;
use crate::prelude;
use crate::syntax::{self, Assignment, Ast, Binary, Def, Dialect, Module, Param, Part, SyntaxError};
use crate::term::{Format, Function, Op, Piece, Program, Scope, Sub, Term};
use crate::value::{Object, Value};
use faults::Faults;
pub use modules::{Library, metadata};
use std::collections::HashMap;
use std::rc::Rc;

/// What is wrong with a program, as jq words it, ready to show: one message for each error.
#[derive(Clone, Debug)]
pub struct CompileError(pub Vec<String>);

impl CompileError {
    pub fn new(message: String) -> CompileError {
        CompileError(vec![message])
    }
}

/// A text that is compiled, and what messages call it.
pub(crate) struct Source {
    file: String,
    text: String,
}

impl Source {
    fn new(file: &str, text: &str) -> Rc<Source> {
        Rc::new(Source { file: file.to_owned(), text: text.to_owned() })
    }

    fn explain_all(&self, errors: &[SyntaxError]) -> CompileError {
        CompileError(errors.iter().map(|error| explain(error, &self.file, &self.text)).collect())
    }
}

/// What a name means at some place.
#[derive(Clone, Debug)]
enum Entry {
    Var(String),
    Param(String),
    Label(String),
    /// A function: its number, how many bindings there were where it was defined.
    Function {
        name: String,
        arity: usize,
        id: usize,
        depth: u32,
    },
    /// A value that is known: `--arg`, imported data.
    Constant(String, Value),
}

/// Names in scope, the innermost last.
#[derive(Clone, Default)]
struct Names {
    entries: Vec<Entry>,
    /// How many of them are bound when the program runs.
    depth: u32,
}

impl Names {
    fn push(&mut self, entry: Entry) {
        self.depth += u32::from(matches!(entry, Entry::Var(_) | Entry::Param(_) | Entry::Label(_)));
        self.entries.push(entry);
    }
}

pub struct Compiler<'a> {
    names: Names,
    /// What was given on the command line: modules know it too.
    globals: Vec<Entry>,
    functions: Vec<Option<Function>>,
    /// Functions of the prelude that are compiled, or being compiled.
    library: HashMap<(String, usize), usize>,
    modules: HashMap<String, Rc<Vec<Entry>>>,
    /// Modules that are being compiled.
    open: Vec<String>,
    loader: &'a mut dyn Library,
    /// Makes up names for what sugar binds.
    fresh: usize,
    /// What is compiled.
    source: Rc<Source>,
    /// What is wrong in the function that is compiled.
    faults: Faults,
}

/// Compiles a main program. `globals` are the variables it may use.
pub fn compile(text: &str, globals: Vec<(String, Value)>, loader: &mut dyn Library) -> Result<Program, CompileError> {
    let module = parse(text, Dialect::Jq)?;
    if module.main.is_none() {
        return Err(CompileError(vec!["jq: error: Top-level program not given (try \".\")".into()]));
    }
    let mut compiler = Compiler::new(text, globals, loader);
    compiler.own_library()?;
    compiler.program(&module)
}

/// Parses a main program.
pub fn parse(text: &str, dialect: Dialect) -> Result<Module, CompileError> {
    syntax::parse(text, dialect).map_err(|errors| Source::new(MAIN, text).explain_all(&errors))
}

/// The file that messages about a main program name.
const MAIN: &str = "<top-level>";

/// Compiles a tree; the text is what messages show.
pub fn compile_tree(
    module: &Module,
    text: &str,
    globals: Vec<(String, Value)>,
    loader: &mut dyn Library,
) -> Result<Program, CompileError> {
    Compiler::new(text, globals, loader).program(module)
}

/// `MESSAGE at FILE, line N, column M:`, the line, and marks under what it is about.
fn explain(error: &SyntaxError, file: &str, text: &str) -> String {
    let bytes = text.as_bytes();
    let at = error.at.min(bytes.len());
    let line = 1 + memchr::memchr_iter(b'\n', &bytes[..at]).count();
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |n| n + 1);
    let stop = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n);
    let shown = String::from_utf8_lossy(&bytes[start..stop]);
    let column = at - start;
    let marks = "^".repeat(error.end.min(stop).saturating_sub(at).max(1));
    let message = &error.message;
    format!(
        "jq: error: {message} at {file}, line {line}, column {}:\n    {shown}\n    {:column$}{marks}",
        column + 1,
        ""
    )
}

impl<'a> Compiler<'a> {
    fn new(text: &str, globals: Vec<(String, Value)>, loader: &'a mut dyn Library) -> Compiler<'a> {
        let globals: Vec<_> = globals.into_iter().map(|(name, value)| Entry::Constant(name, value)).collect();
        Compiler {
            names: Names { entries: globals.clone(), depth: 0 },
            globals,
            functions: Vec::new(),
            library: HashMap::new(),
            modules: HashMap::new(),
            open: Vec::new(),
            loader,
            fresh: 0,
            source: Source::new(MAIN, text),
            faults: Faults::default(),
        }
    }

    fn program(mut self, module: &Module) -> Result<Program, CompileError> {
        self.imports(&module.imports, None)?;
        for def in &module.defs {
            self.define(def);
        }
        let main = module.main.as_ref().map_or_else(|| Term::new(Op::Identity), |main| self.term(main));
        self.faults.told()?;
        let functions = self.functions.into_iter().flatten().collect();
        Ok(Program { main, functions })
    }

    /// Compiles a function and leaves its name in scope.
    fn define(&mut self, def: &Def) {
        let id = self.functions.len();
        self.functions.push(None);
        let depth = self.names.depth;
        let arity = def.params.len();
        self.names.push(Entry::Function { name: def.name.clone(), arity, id, depth });
        let body = self.function_faults(id, |c| c.body_of(&def.params, &def.body));
        self.functions[id] = Some(Function { body });
    }

    /// The body of a function.
    fn body_of(&mut self, params: &[Param], body: &Ast) -> Term {
        let (entries, depth) = (self.names.entries.len(), self.names.depth);
        for param in params {
            self.names.push(Entry::Param(param.name.clone()));
        }
        // `def f($a): …` is `def f(a): a as $a | …`.
        let values: Vec<_> = params.iter().filter(|p| p.is_value).collect();
        let mut sources = Vec::new();
        for param in &values {
            let source = self.call(&param.name, &[], 0);
            sources.push(source);
            self.names.push(Entry::Var(param.name.clone()));
        }
        let mut body = self.term(body);
        self.names.entries.truncate(entries);
        self.names.depth = depth;
        for source in sources.into_iter().rev() {
            body = Term::new(Op::As { source: Box::new(source), body: Box::new(body) });
        }
        body
    }

    /// Compiles with some names added, then forgets them.
    fn with<T>(&mut self, entries: Vec<Entry>, each: impl FnOnce(&mut Self) -> T) -> T {
        let (before, depth) = (self.names.entries.len(), self.names.depth);
        for entry in entries {
            self.names.push(entry);
        }
        let result = each(self);
        self.names.entries.truncate(before);
        self.names.depth = depth;
        result
    }

    fn sub(&mut self, ast: &Ast) -> Sub {
        Box::new(self.term(ast))
    }

    fn maybe(&mut self, ast: &Option<Box<Ast>>) -> Option<Sub> {
        ast.as_ref().map(|ast| self.sub(ast))
    }

    fn terms(&mut self, all: &[Ast]) -> Vec<Term> {
        all.iter().map(|ast| self.term(ast)).collect()
    }

    fn term(&mut self, ast: &Ast) -> Term {
        let op = match ast {
            Ast::Identity => Op::Identity,
            Ast::Recurse => Op::Recurse,
            Ast::Literal(value) => Op::Literal(value.clone()),
            Ast::Text(name, parts) => {
                let Some(format) = name.as_ref().map_or(Some(Format::Text), |name| natives::format_named(name)) else {
                    return unknown_format(name.as_deref().unwrap_or_default());
                };
                let pieces = parts.iter().map(|part| match part {
                    Part::Text(text) => Piece::Text(text.clone()),
                    Part::Value(ast) => Piece::Value(self.term(ast)),
                });
                Op::Text { format, pieces: pieces.collect() }
            }
            Ast::Format(name) => match natives::format_named(name) {
                Some(format) => Op::Format(format),
                None => return unknown_format(name),
            },
            Ast::Array(None) => Op::Literal(Value::array(Vec::new())),
            Ast::Array(Some(inner)) => {
                let inner = self.sub(inner);
                // An array of constants is one.
                match constants(&inner) {
                    Some(items) => Op::Literal(Value::array(items)),
                    None => Op::Array(Some(inner)),
                }
            }
            Ast::Object(entries) => return self.object(entries),
            Ast::Index { base, key, optional } => {
                let (key, base, optional) = (self.sub(key), self.sub(base), *optional);
                match key.op {
                    Op::Literal(Value::String(key)) => Op::Field { base, key, optional },
                    _ => Op::Index { base, key, optional },
                }
            }
            Ast::Slice { base, from, to, optional } => {
                let (from, to) = (self.maybe(from), self.maybe(to));
                Op::Slice { base: self.sub(base), from, to, optional: *optional }
            }
            Ast::Each { base, optional } => Op::Each { base: self.sub(base), optional: *optional },
            Ast::Negate(inner) => {
                let inner = self.sub(inner);
                match &inner.op {
                    Op::Literal(value) => match natives::negate(value.clone()) {
                        Ok(value) => Op::Literal(value),
                        Err(_) => Op::Negate(inner),
                    },
                    _ => Op::Negate(inner),
                }
            }
            Ast::Pipe(stages) => Op::Pipe(self.terms(stages)),
            Ast::Comma(items) => Op::Comma(self.terms(items)),
            Ast::Binary(meaning, left, right) => return self.binary(*meaning, left, right),
            Ast::Try(body, catch) => {
                let body = self.sub(body);
                // `error?` and `try error` catch a break as well in no version: nothing to do.
                Op::Try { body, catch: self.maybe(catch) }
            }
            Ast::If(branches, otherwise) => {
                let branches: Vec<_> =
                    branches.iter().map(|(condition, then)| (self.sub(condition), self.sub(then))).collect();
                let mut otherwise = match otherwise {
                    Some(otherwise) => self.term(otherwise),
                    None => Term::new(Op::Identity),
                };
                for (condition, then) in branches.into_iter().rev() {
                    otherwise = Term::new(Op::If { condition, then, otherwise: Box::new(otherwise) });
                }
                return otherwise;
            }
            Ast::Reduce { source, patterns, init, update } => return self.reduce(source, patterns, init, update),
            Ast::Foreach { source, patterns, init, update, extract } => {
                return self.foreach(source, patterns, init, update, extract.as_deref());
            }
            Ast::As { source, patterns, body } => return self.bind(source, patterns, body),
            Ast::Label(name, body) => {
                let body = self.with(vec![Entry::Label(name.clone())], |c| c.sub(body));
                Op::Label(body)
            }
            Ast::Break(name, at, end) => {
                let found = |entry: &Entry| matches!(entry, Entry::Label(label) if label == name);
                match self.distance(found) {
                    Some(up) => Op::Break(up),
                    None => return self.undefined(&format!("$*label-{name}"), *at, *end),
                }
            }
            Ast::Var(name, at, end) => return self.variable(name, *at, *end),
            Ast::Location(line) => {
                let object = Object::from([("file", self.source.file.as_str().into()), ("line", Value::from(*line))]);
                Op::Literal(Value::object(object))
            }
            Ast::Call(name, args, at) => return self.call(name, args, *at),
            Ast::Def(def, rest) => {
                let (entries, depth) = (self.names.entries.len(), self.names.depth);
                self.define(def);
                let result = self.term(rest);
                self.names.entries.truncate(entries);
                self.names.depth = depth;
                return result;
            }
        };
        Term::new(op)
    }

    /// How many bindings up the innermost entry is that fits.
    fn distance(&self, fits: impl Fn(&Entry) -> bool) -> Option<u32> {
        let mut up = 0;
        for entry in self.names.entries.iter().rev() {
            if fits(entry) {
                return Some(up);
            }
            up += u32::from(matches!(entry, Entry::Var(_) | Entry::Param(_) | Entry::Label(_)));
        }
        None
    }

    fn variable(&mut self, name: &str, at: usize, end: usize) -> Term {
        let mut up = 0;
        for entry in self.names.entries.iter().rev() {
            match entry {
                Entry::Var(var) if var == name => return Term::new(Op::Var(up)),
                Entry::Constant(var, value) if var == name => return Term::literal(value.clone()),
                Entry::Var(_) | Entry::Param(_) | Entry::Label(_) => up += 1,
                _ => {}
            }
        }
        match name {
            "ENV" => self.call("env", &[], at),
            _ => self.undefined(&format!("${name}"), at, end),
        }
    }

    fn object(&mut self, entries: &[(Ast, Ast)]) -> Term {
        let mut terms = Vec::new();
        let mut known = Some(Object::default());
        for (key, value) in entries {
            let (key, value) = (self.term(key), self.term(value));
            match (&mut known, &key.op, &value.op) {
                (Some(object), Op::Literal(Value::String(key)), Op::Literal(value)) => {
                    object.insert(key.clone(), value.clone());
                }
                _ => known = None,
            }
            terms.push((key, value));
        }
        match known {
            Some(object) => Term::literal(Value::object(object)),
            None => Term::new(Op::Object(terms)),
        }
    }

    fn binary(&mut self, meaning: Binary, left: &Ast, right: &Ast) -> Term {
        let (left, right) = self.sides(meaning, left, right);
        let op = match meaning {
            Binary::Math(math) => {
                if let (Op::Literal(a), Op::Literal(b)) = (&left.op, &right.op)
                    && let Ok(value) = natives::math(math, a.clone(), b.clone())
                {
                    return Term::literal(value);
                }
                Op::Math(math, left, right)
            }
            Binary::Compare(comparison) => Op::Compare(comparison, left, right),
            Binary::And => Op::And(left, right),
            Binary::Or => Op::Or(left, right),
            Binary::Alternative => Op::Alternative(left, right),
            Binary::Assign(Assignment::Set) => Op::Set { paths: left, value: right },
            Binary::Assign(Assignment::Update) => Op::Update { paths: left, update: right },
            Binary::Assign(Assignment::Math(math)) => Op::MathUpdate { math: Some(math), paths: left, value: right },
            Binary::Assign(Assignment::Alternative) => Op::MathUpdate { math: None, paths: left, value: right },
        };
        Term::new(op)
    }

    /// Both sides of an operator. Those of an assignment are functions of their own but for the value that is added.
    fn sides(&mut self, meaning: Binary, left: &Ast, right: &Ast) -> (Sub, Sub) {
        match meaning {
            Binary::Assign(Assignment::Set | Assignment::Update) => {
                (self.closure(|c| c.sub(left)), self.closure(|c| c.sub(right)))
            }
            Binary::Assign(_) => {
                let right = self.sub(right);
                (self.closure(|c| c.sub(left)), right)
            }
            Binary::Math(_) | Binary::Compare(_) => {
                let mark = self.faults.mark();
                let left = self.sub(left);
                let middle = self.faults.mark();
                let right = self.sub(right);
                self.faults.swap(mark, middle);
                (left, right)
            }
            Binary::And | Binary::Or | Binary::Alternative => (self.sub(left), self.sub(right)),
        }
    }

    /// The number of a prelude function, compiled when first used.
    fn library_function(&mut self, name: &str, arity: usize) -> Option<usize> {
        let key = (name.to_owned(), arity);
        if let Some(&id) = self.library.get(&key) {
            return Some(id);
        }
        let text = prelude::source(name, arity)?;
        let id = self.functions.len();
        self.functions.push(None);
        self.library.insert(key, id);
        let module = syntax::parse(text, Dialect::Jq).unwrap_or_default();
        let names = std::mem::take(&mut self.names);
        let body = match module.defs.first() {
            Some(def) => self.body_of(&def.params, &def.body),
            None => Term::new(Op::Empty),
        };
        self.names = names;
        self.functions[id] = Some(Function { body });
        Some(id)
    }

    fn scope(&self, depth: u32) -> Scope {
        if depth == 0 { Scope::Root } else { Scope::Up(self.names.depth - depth) }
    }

    fn invent(&mut self) -> String {
        self.fresh += 1;
        // No program can write this name.
        format!("*{}", self.fresh)
    }
}

/// The values of a comma list of literals.
fn constants(term: &Term) -> Option<Vec<Value>> {
    match &term.op {
        Op::Literal(value) => Some(vec![value.clone()]),
        Op::Comma(items) => items
            .iter()
            .map(|item| match &item.op {
                Op::Literal(value) => Some(value.clone()),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}

/// A format nobody knows is told when it is used.
fn unknown_format(name: &str) -> Term {
    let message = format!("{} is not a valid format", name.trim_start_matches('@'));
    Term::new(Op::Error(Some(Box::new(Term::literal(message)))))
}
