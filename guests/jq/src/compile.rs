//! Trees to terms: names are looked up, sugar is taken apart, library functions are pulled in as they are used.

mod calls;
mod destructure;
mod modules;

use crate::natives;
use crate::prelude;
use crate::syntax::{self, Assignment, Ast, Binary, Def, Dialect, Module, Param, Part, SyntaxError};
use crate::term::{Format, Function, Op, Piece, Program, Scope, Sub, Term};
use crate::value::{Object, Value};
pub use modules::{Library, metadata};
use std::collections::HashMap;
use std::rc::Rc;

/// What is wrong with a program, as jq words it, ready to show.
#[derive(Clone, Debug)]
pub struct CompileError(pub String);

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

type Result<T> = std::result::Result<T, SyntaxError>;

pub struct Compiler<'a> {
    names: Names,
    functions: Vec<Option<Function>>,
    /// Functions of the prelude that are compiled, or being compiled.
    library: HashMap<(String, usize), usize>,
    modules: HashMap<String, Rc<Vec<Entry>>>,
    /// Modules that are being compiled.
    open: Vec<String>,
    loader: &'a mut dyn Library,
    /// Makes up names for what sugar binds.
    fresh: usize,
}

/// Compiles a main program. `globals` are the variables it may use.
pub fn compile(
    text: &str,
    globals: Vec<(String, Value)>,
    loader: &mut dyn Library,
) -> std::result::Result<Program, CompileError> {
    let module = parse(text, Dialect::Jq)?;
    compile_tree(&module, text, globals, loader)
}

/// Parses a main program.
pub fn parse(text: &str, dialect: Dialect) -> std::result::Result<Module, CompileError> {
    syntax::parse(text, dialect).map_err(|e| explain(&e, "<top-level>", text))
}

/// Compiles a tree; the text is what messages show.
pub fn compile_tree(
    module: &Module,
    text: &str,
    globals: Vec<(String, Value)>,
    loader: &mut dyn Library,
) -> std::result::Result<Program, CompileError> {
    let mut compiler = Compiler {
        names: Names::default(),
        functions: Vec::new(),
        library: HashMap::new(),
        modules: HashMap::new(),
        open: Vec::new(),
        loader,
        fresh: 0,
    };
    for (name, value) in globals {
        compiler.names.push(Entry::Constant(name, value));
    }
    compiler.program(module, text)
}

/// `MESSAGE at FILE, line N, column M:`, the line, and marks under what it is about.
fn explain(error: &SyntaxError, file: &str, text: &str) -> CompileError {
    let bytes = text.as_bytes();
    let (at, end) = match error.len {
        0 => syntax::extent(bytes, error.at.min(bytes.len()), Dialect::Jq),
        len => (error.at, error.at + len),
    };
    let line = 1 + memchr::memchr_iter(b'\n', &bytes[..at]).count();
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |n| n + 1);
    let stop = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n);
    let shown = String::from_utf8_lossy(&bytes[start..stop]);
    let column = at - start;
    let marks = "^".repeat(end.min(stop).saturating_sub(at).max(1));
    let message = &error.message;
    CompileError(format!(
        "jq: error: {message} at {file}, line {line}, column {}:\n    {shown}\n    {:column$}{marks}",
        column + 1,
        ""
    ))
}

impl Compiler<'_> {
    fn program(mut self, module: &Module, text: &str) -> std::result::Result<Program, CompileError> {
        let show = |e: SyntaxError| explain(&e, "<top-level>", text);
        self.imports(&module.imports, None, "<top-level>", text)?;
        for def in &module.defs {
            self.define(def).map_err(show)?;
        }
        let main = match &module.main {
            Some(main) => self.term(main).map_err(show)?,
            None => Term::new(Op::Identity),
        };
        let functions = self.functions.into_iter().flatten().collect();
        Ok(Program { main, functions })
    }

    /// Compiles a function and leaves its name in scope.
    fn define(&mut self, def: &Def) -> Result<()> {
        let id = self.functions.len();
        self.functions.push(None);
        let depth = self.names.depth;
        let arity = def.params.len();
        self.names.push(Entry::Function { name: def.name.clone(), arity, id, depth });
        let body = self.body_of(&def.params, &def.body)?;
        self.functions[id] = Some(Function { body });
        Ok(())
    }

    /// The body of a function.
    fn body_of(&mut self, params: &[Param], body: &Ast) -> Result<Term> {
        let (entries, depth) = (self.names.entries.len(), self.names.depth);
        for param in params {
            self.names.push(Entry::Param(param.name.clone()));
        }
        // `def f($a): …` is `def f(a): a as $a | …`.
        let values: Vec<_> = params.iter().filter(|p| p.is_value).collect();
        let mut sources = Vec::new();
        for param in &values {
            let source = self.call(&param.name, &[], 0)?;
            sources.push(source);
            self.names.push(Entry::Var(param.name.clone()));
        }
        let body = self.term(body);
        self.names.entries.truncate(entries);
        self.names.depth = depth;
        let mut body = body?;
        for source in sources.into_iter().rev() {
            body = Term::new(Op::As { source: Box::new(source), body: Box::new(body) });
        }
        Ok(body)
    }

    /// Compiles with some names added, then forgets them.
    fn with<T>(&mut self, entries: Vec<Entry>, each: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (before, depth) = (self.names.entries.len(), self.names.depth);
        for entry in entries {
            self.names.push(entry);
        }
        let result = each(self);
        self.names.entries.truncate(before);
        self.names.depth = depth;
        result
    }

    fn sub(&mut self, ast: &Ast) -> Result<Sub> {
        Ok(Box::new(self.term(ast)?))
    }

    fn maybe(&mut self, ast: &Option<Box<Ast>>) -> Result<Option<Sub>> {
        ast.as_ref().map(|ast| self.sub(ast)).transpose()
    }

    fn terms(&mut self, all: &[Ast]) -> Result<Vec<Term>> {
        all.iter().map(|ast| self.term(ast)).collect()
    }

    fn term(&mut self, ast: &Ast) -> Result<Term> {
        let op = match ast {
            Ast::Identity => Op::Identity,
            Ast::Recurse => Op::Recurse,
            Ast::Literal(value) => Op::Literal(value.clone()),
            Ast::Text(name, parts) => {
                let Some(format) = name.as_ref().map_or(Some(Format::Text), |name| natives::format_named(name)) else {
                    return Ok(unknown_format(name.as_deref().unwrap_or_default()));
                };
                let pieces = parts.iter().map(|part| {
                    Ok(match part {
                        Part::Text(text) => Piece::Text(text.clone()),
                        Part::Value(ast) => Piece::Value(self.term(ast)?),
                    })
                });
                Op::Text { format, pieces: pieces.collect::<Result<_>>()? }
            }
            Ast::Format(name) => match natives::format_named(name) {
                Some(format) => Op::Format(format),
                None => return Ok(unknown_format(name)),
            },
            Ast::Array(None) => Op::Literal(Value::array(Vec::new())),
            Ast::Array(Some(inner)) => {
                let inner = self.sub(inner)?;
                // An array of constants is one.
                match constants(&inner) {
                    Some(items) => Op::Literal(Value::array(items)),
                    None => Op::Array(Some(inner)),
                }
            }
            Ast::Object(entries, at) => return self.object(entries, *at),
            Ast::Index { base, key, optional } => {
                let (base, key, optional) = (self.sub(base)?, self.sub(key)?, *optional);
                match key.op {
                    Op::Literal(Value::String(key)) => Op::Field { base, key, optional },
                    _ => Op::Index { base, key, optional },
                }
            }
            Ast::Slice { base, from, to, optional } => {
                Op::Slice { base: self.sub(base)?, from: self.maybe(from)?, to: self.maybe(to)?, optional: *optional }
            }
            Ast::Each { base, optional } => Op::Each { base: self.sub(base)?, optional: *optional },
            Ast::Negate(inner) => {
                let inner = self.sub(inner)?;
                match &inner.op {
                    Op::Literal(value) => match natives::negate(value.clone()) {
                        Ok(value) => Op::Literal(value),
                        Err(_) => Op::Negate(inner),
                    },
                    _ => Op::Negate(inner),
                }
            }
            Ast::Pipe(stages) => Op::Pipe(self.terms(stages)?),
            Ast::Comma(items) => Op::Comma(self.terms(items)?),
            Ast::Binary(meaning, left, right) => return self.binary(*meaning, left, right),
            Ast::Try(body, catch) => {
                let body = self.sub(body)?;
                // `error?` and `try error` catch a break as well in no version: nothing to do.
                Op::Try { body, catch: self.maybe(catch)? }
            }
            Ast::If(branches, otherwise) => {
                let mut otherwise = match otherwise {
                    Some(otherwise) => self.term(otherwise)?,
                    None => Term::new(Op::Identity),
                };
                for (condition, then) in branches.iter().rev() {
                    let (condition, then) = (self.sub(condition)?, self.sub(then)?);
                    otherwise = Term::new(Op::If { condition, then, otherwise: Box::new(otherwise) });
                }
                return Ok(otherwise);
            }
            Ast::Reduce { source, patterns, init, update } => return self.reduce(source, patterns, init, update),
            Ast::Foreach { source, patterns, init, update, extract } => {
                return self.foreach(source, patterns, init, update, extract.as_deref());
            }
            Ast::As { source, patterns, body } => return self.bind(source, patterns, body),
            Ast::Label(name, body) => {
                let body = self.with(vec![Entry::Label(name.clone())], |c| c.sub(body))?;
                Op::Label(body)
            }
            Ast::Break(name, at) => {
                let found = |entry: &Entry| matches!(entry, Entry::Label(label) if label == name);
                match self.distance(found) {
                    Some(up) => Op::Break(up),
                    None => {
                        return Err(SyntaxError {
                            message: format!("$*label-{name} is not defined"),
                            at: *at,
                            len: "break $".len() + name.len(),
                        });
                    }
                }
            }
            Ast::Var(name, at) => return self.variable(name, *at),
            Ast::Location(line) => {
                let object = Object::from([("file", "<top-level>".into()), ("line", Value::from(*line))]);
                Op::Literal(Value::object(object))
            }
            Ast::Call(name, args, at) => return self.call(name, args, *at),
            Ast::Def(def, rest) => {
                let (entries, depth) = (self.names.entries.len(), self.names.depth);
                let result = self.define(def).and_then(|()| self.term(rest));
                self.names.entries.truncate(entries);
                self.names.depth = depth;
                return result;
            }
        };
        Ok(Term::new(op))
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

    fn variable(&mut self, name: &str, at: usize) -> Result<Term> {
        let mut up = 0;
        for entry in self.names.entries.iter().rev() {
            match entry {
                Entry::Var(var) if var == name => return Ok(Term::new(Op::Var(up))),
                Entry::Constant(var, value) if var == name => return Ok(Term::literal(value.clone())),
                Entry::Var(_) | Entry::Param(_) | Entry::Label(_) => up += 1,
                _ => {}
            }
        }
        match name {
            "ENV" => self.call("env", &[], at),
            _ => Err(SyntaxError::new(format!("${name} is not defined"), at)),
        }
    }

    fn object(&mut self, entries: &[(Ast, Ast)], at: usize) -> Result<Term> {
        let mut terms = Vec::new();
        let mut known = Some(Object::default());
        for (key, value) in entries {
            let (key, value) = (self.term(key)?, self.term(value)?);
            if let Op::Literal(constant) = &key.op
                && !matches!(constant, Value::String(_))
            {
                let shown = natives::described(constant);
                return Err(SyntaxError::new(format!("Cannot use {shown} as object key"), at));
            }
            match (&mut known, &key.op, &value.op) {
                (Some(object), Op::Literal(Value::String(key)), Op::Literal(value)) => {
                    object.insert(key.clone(), value.clone());
                }
                _ => known = None,
            }
            terms.push((key, value));
        }
        Ok(match known {
            Some(object) => Term::literal(Value::object(object)),
            None => Term::new(Op::Object(terms)),
        })
    }

    fn binary(&mut self, meaning: Binary, left: &Ast, right: &Ast) -> Result<Term> {
        let (left, right) = (self.sub(left)?, self.sub(right)?);
        let op = match meaning {
            Binary::Math(math) => {
                if let (Op::Literal(a), Op::Literal(b)) = (&left.op, &right.op)
                    && let Ok(value) = natives::math(math, a.clone(), b.clone())
                {
                    return Ok(Term::literal(value));
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
        Ok(Term::new(op))
    }

    /// The number of a prelude function, compiled when first used.
    fn library_function(&mut self, name: &str, arity: usize) -> Result<Option<usize>> {
        let key = (name.to_owned(), arity);
        if let Some(&id) = self.library.get(&key) {
            return Ok(Some(id));
        }
        let Some(text) = prelude::source(name, arity) else { return Ok(None) };
        let id = self.functions.len();
        self.functions.push(None);
        self.library.insert(key, id);
        let module = syntax::parse(text, Dialect::Jq)?;
        let names = std::mem::take(&mut self.names);
        let body = match module.defs.first() {
            Some(def) => self.body_of(&def.params, &def.body),
            None => Ok(Term::new(Op::Empty)),
        };
        self.names = names;
        self.functions[id] = Some(Function { body: body? });
        Ok(Some(id))
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
