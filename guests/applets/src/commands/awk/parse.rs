//! The grammar: rules, functions, directives. Statements and expressions are in its parts.

mod expr;
mod statement;

use super::ast::{Expr, Function, Pattern, Rule, Var};
use super::builtins::{self, Builtin};
use super::lex::{Dialect, Keyword, Lexer, Source, Token};
use super::report;
use super::special;
use crate::Exit;
use std::collections::HashMap;

/// So deep may a program nest: each level is a handful of stack frames of a small stack.
const DEEPEST: usize = 150;

/// What a program is made of, with the tables of its names.
#[derive(Default)]
pub struct Tree {
    /// The program names `PROCINFO`, or all variables: it may have set what reading and writing look for there.
    pub uses_procinfo: bool,
    pub sources: Vec<Source>,
    pub rules: Vec<Rule>,
    pub functions: Vec<Function>,
    /// Names of the global slots.
    pub globals: Vec<String>,
    pub global_slots: HashMap<String, u32>,
    pub function_slots: HashMap<String, u32>,
    /// Where each function was called first.
    called: Vec<Option<(u32, u32)>>,
    pub extensions: Vec<&'static Builtin>,
    pub fnm: bool,
    pub inplace: bool,
    /// Escapes that were warned about.
    warned: Vec<u8>,
    /// How numbers are written in the program, by their bits.
    pub spellings: HashMap<u64, String>,
    included: Vec<Vec<u8>>,
}

/// How files of the program are found and read.
pub struct Loader<'a> {
    pub read: &'a dyn Fn(&[u8]) -> Found,
}

/// A file's path and text.
pub type Found = Result<(Vec<u8>, Vec<u8>), capsule_sys::Errno>;

pub struct Parser<'a> {
    lex: Lexer<'a>,
    token: Token,
    tree: &'a mut Tree,
    source: u32,
    space: String,
    /// Parameters of the function being read.
    params: Vec<String>,
    in_function: bool,
    /// Which kind of rule is being read.
    rule: RuleKind,
    /// `>` redirects.
    no_greater: bool,
    /// `in` belongs to a `for`.
    no_in: bool,
    /// The line the last statement ended on.
    ended: u32,
    loops: usize,
    switches: usize,
    depth: usize,
    loader: &'a Loader<'a>,
    lint: bool,
    pub errors: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RuleKind {
    None,
    Begin,
    End,
    File,
    Main,
}

impl Tree {
    pub fn new() -> Tree {
        let mut tree = Tree::default();
        for name in special::names() {
            tree.global(name);
        }
        tree
    }

    pub fn global(&mut self, name: &str) -> u32 {
        if let Some(&slot) = self.global_slots.get(name) {
            return slot;
        }
        let slot = self.globals.len() as u32;
        self.globals.push(name.to_owned());
        self.global_slots.insert(name.to_owned(), slot);
        slot
    }

    fn function(&mut self, name: &str) -> u32 {
        if let Some(&slot) = self.function_slots.get(name) {
            return slot;
        }
        let slot = self.functions.len() as u32;
        self.functions.push(Function { name: name.to_owned(), ..Function::default() });
        self.called.push(None);
        self.function_slots.insert(name.to_owned(), slot);
        slot
    }

    /// Reads one source into the tree.
    pub fn add(&mut self, source: Source, dialect: Dialect, loader: &Loader) -> Result<(), Exit> {
        self.add_in(source, dialect, loader, "awk", 0)
    }

    fn add_in(
        &mut self,
        source: Source,
        dialect: Dialect,
        loader: &Loader,
        space: &str,
        depth: usize,
    ) -> Result<(), Exit> {
        let number = self.sources.len() as u32;
        self.sources.push(source.clone());
        let mut parser = Parser {
            lex: Lexer::new(&source, dialect),
            token: Token::Newline,
            tree: self,
            source: number,
            space: space.to_owned(),
            params: Vec::new(),
            in_function: false,
            rule: RuleKind::None,
            no_greater: false,
            no_in: false,
            ended: 1,
            loops: 0,
            switches: 0,
            depth,
            loader,
            lint: false,
            errors: 0,
        };
        parser.program()?;
        if parser.errors > 0 { Err(Exit(1)) } else { Ok(()) }
    }

    /// Reads a file once, however often it is asked for.
    pub fn include(&mut self, name: &[u8], dialect: Dialect, loader: &Loader, depth: usize) -> Result<bool, Exit> {
        if name == b"inplace" || name == b"inplace.awk" {
            self.inplace = true;
            return Ok(true);
        }
        let Ok((path, text)) = (loader.read)(name) else { return Ok(false) };
        if self.included.contains(&path) {
            return Ok(true);
        }
        self.included.push(path);
        let source = Source { file: Some(String::from_utf8_lossy(name).into_owned()), text };
        self.add_in(source, dialect, loader, "awk", depth + 1)?;
        Ok(true)
    }

    /// Remembers a file of the command line, so that it is not included again.
    pub fn note(&mut self, path: Vec<u8>) {
        self.included.push(path);
    }

    /// Calls of what is a variable.
    pub fn check(&self) -> Result<(), Exit> {
        for (function, called) in self.functions.iter().zip(&self.called) {
            if function.body.is_none()
                && self.global_slots.contains_key(&function.name)
                && let Some((source, line)) = called
            {
                let file = self.sources[*source as usize].file.as_deref();
                let place = report::Place { file, line: *line };
                let name = &function.name;
                report::fault(&place, format_args!("error: attempt to use non-function `{name}' in function call"));
                return Err(Exit(1));
            }
        }
        Ok(())
    }

    fn is_function(&self, name: &str) -> bool {
        self.function_slots.get(name).is_some_and(|&slot| self.functions[slot as usize].body.is_some())
    }
}

impl<'a> Parser<'a> {
    fn advance(&mut self) -> Result<(), Exit> {
        self.token = self.lex.next()?;
        Ok(())
    }

    fn is(&self, mark: &str) -> bool {
        matches!(self.token, Token::Mark(m) if m == mark)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.token == Token::Keyword(keyword)
    }

    /// Goes past a mark if it is next.
    fn skip(&mut self, mark: &str) -> Result<bool, Exit> {
        let found = self.is(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Remembers how the number at hand is written.
    fn spell(&mut self, n: f64) {
        let text = self.lex.spelling();
        self.tree.spellings.entry(n.to_bits()).or_insert(text);
    }

    fn expect(&mut self, mark: &str) -> Result<(), Exit> {
        if self.skip(mark)? { Ok(()) } else { Err(self.syntax_error()) }
    }

    fn newlines(&mut self) -> Result<(), Exit> {
        while self.token == Token::Newline {
            self.advance()?;
        }
        Ok(())
    }

    fn syntax_error(&mut self) -> Exit {
        match self.token {
            Token::Newline | Token::End => {
                if self.token == Token::Newline {
                    self.lex.token_line += 1;
                }
                self.lex.complain("unexpected newline or end of string")
            }
            _ => self.lex.complain("syntax error"),
        }
    }

    /// An error that does not stop the reading.
    fn soft_error(&mut self, line: u32, text: impl std::fmt::Display) {
        let place = report::Place { file: self.lex.source.file.as_deref(), line };
        report::fault(&place, format_args!("error: {text}"));
        self.errors += 1;
    }

    fn deeper(&mut self) -> Result<(), Exit> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(self.lex.complain("nested too deeply")) } else { Ok(()) }
    }

    /// One more link of a chain that nests to the left.
    fn link(&mut self, links: &mut usize) -> Result<(), Exit> {
        *links += 1;
        if *links > DEEPEST { Err(self.lex.complain("nested too deeply")) } else { Ok(()) }
    }

    /// A name as the tables know it: with its namespace.
    fn qualified(&self, name: &str) -> String {
        if let Some(plain) = name.strip_prefix("awk::") {
            return plain.to_owned();
        }
        let capitals = name.bytes().all(|b| b.is_ascii_uppercase());
        if self.space == "awk" || name.contains("::") || capitals {
            return name.to_owned();
        }
        format!("{}::{name}", self.space)
    }

    fn variable(&mut self, name: &str) -> Result<Var, Exit> {
        if let Some(i) = self.params.iter().position(|p| p == name) {
            return Ok(Var::Local(i as u32));
        }
        let name = self.qualified(name);
        if self.tree.is_function(&name) {
            let line = self.lex.token_line;
            let text =
                format!("function `{name}' called with space between name and `(',\nor used as a variable or an array");
            self.soft_error(line, text);
        }
        let slot = self.tree.global(&name);
        self.tree.uses_procinfo |= matches!(slot, special::PROCINFO | special::SYMTAB);
        Ok(Var::Global(slot))
    }

    fn program(&mut self) -> Result<(), Exit> {
        self.advance()?;
        loop {
            while self.token == Token::Newline || self.is(";") {
                self.advance()?;
            }
            match self.token.clone() {
                Token::End => return Ok(()),
                Token::Mark("@") => {
                    if !self.directive()? {
                        self.rule()?;
                    }
                }
                Token::Keyword(Keyword::Function) => self.function()?,
                _ => self.rule()?,
            }
        }
    }

    /// `@include`, `@load`, `@namespace`; false when it is an expression (`@f()` or `@/re/`).
    fn directive(&mut self) -> Result<bool, Exit> {
        let (at, line, start) = (self.lex.at, self.lex.line, self.lex.start);
        self.advance()?;
        let Token::Name(word) = self.token.clone() else {
            (self.lex.at, self.lex.line, self.lex.start, self.token) = (at, line, start, Token::Mark("@"));
            return Ok(false);
        };
        if !matches!(word.as_str(), "include" | "load" | "namespace") {
            return Err(self.syntax_error());
        }
        self.advance()?;
        let Token::String(name) = self.token.clone() else { return Err(self.syntax_error()) };
        let shown = String::from_utf8_lossy(&name).into_owned();
        let place = self.lex.place();
        let fatal = |text: String| -> Exit { report::fatal(&place, text) };
        match word.as_str() {
            "namespace" => self.space = shown,
            "load" => match builtins::extension(&shown) {
                Some(list) => {
                    self.tree.extensions.extend(list);
                    self.tree.fnm |= shown == "fnmatch";
                }
                None => {
                    let text = format!("cannot open shared library `{shown}' for reading: No such file or directory");
                    report::fault(&place, format_args!("error: {text}"));
                    return Err(Exit(1));
                }
            },
            _ => {
                if self.depth > 20 {
                    return Err(fatal(format!("`@include \"{shown}\"': nested too deeply")));
                }
                let (dialect, loader) = (self.lex.dialect, self.loader);
                if !self.tree.include(&name, dialect, loader, self.depth)? {
                    let text =
                        format!("error: cannot open source file `{shown}' for reading: No such file or directory");
                    report::fault(&place, text);
                    return Err(Exit(1));
                }
            }
        }
        self.advance()?;
        match self.token {
            Token::Newline | Token::End | Token::Mark(";") => Ok(true),
            _ => Err(self.syntax_error()),
        }
    }

    fn function(&mut self) -> Result<(), Exit> {
        self.advance()?;
        let line = self.lex.token_line;
        let name = match self.token.clone() {
            Token::Name(name) | Token::FunctionName(name) => name,
            // GNU's own may be defined again in a namespace.
            Token::Builtin(builtin) if !builtin.posix && self.space != "awk" => builtin.name.to_owned(),
            Token::Builtin(builtin) => {
                let text = format!("`{}' is a built-in function, it cannot be redefined", builtin.name);
                return Err(self.lex.complain(&text));
            }
            _ => return Err(self.syntax_error()),
        };
        let full = self.qualified(&name);
        self.advance()?;
        self.expect("(")?;
        self.newlines()?;
        let mut params: Vec<String> = Vec::new();
        while !self.is(")") {
            let param = match self.token.clone() {
                Token::Name(param) | Token::FunctionName(param) => param,
                // A parameter may hide a function of GNU's.
                Token::Builtin(builtin) if !builtin.posix => builtin.name.to_owned(),
                _ => return Err(self.syntax_error()),
            };
            if param == name {
                self.soft_error(line, format!("function `{name}': cannot use function name as parameter name"));
            } else if special::is_special(&param) {
                self.soft_error(
                    line,
                    format!("function `{name}': cannot use special variable `{param}' as a function parameter"),
                );
            }
            if let Some(first) = params.iter().position(|p| *p == param) {
                let (n, first) = (params.len() + 1, first + 1);
                let text = format!("function `{name}': parameter #{n}, `{param}', duplicates parameter #{first}");
                self.soft_error(line, text);
            }
            params.push(param);
            self.advance()?;
            self.newlines()?;
            if !self.is(")") {
                self.expect(",")?;
                self.newlines()?;
            }
        }
        self.advance()?;
        self.newlines()?;
        let slot = self.tree.function(&full);
        if self.tree.is_function(&full) || self.tree.global_slots.contains_key(&full) {
            self.soft_error(line, format!("function name `{name}' previously defined"));
        }
        self.tree.functions[slot as usize] =
            Function { name: full, params: params.clone(), body: Some(Vec::new()), line, source: self.source };
        self.params = params;
        self.in_function = true;
        let body = self.block()?;
        self.params.clear();
        self.in_function = false;
        self.tree.functions[slot as usize].body = Some(body);
        Ok(())
    }

    fn rule(&mut self) -> Result<(), Exit> {
        let line = self.lex.token_line;
        let named = match self.token {
            Token::Keyword(Keyword::Begin) => Some((Pattern::Begin, RuleKind::Begin, "BEGIN")),
            Token::Keyword(Keyword::End) => Some((Pattern::End, RuleKind::End, "END")),
            Token::Keyword(Keyword::BeginFile) => Some((Pattern::BeginFile, RuleKind::File, "BEGINFILE")),
            Token::Keyword(Keyword::EndFile) => Some((Pattern::EndFile, RuleKind::File, "ENDFILE")),
            _ => None,
        };
        let source = self.source;
        if let Some((pattern, kind, name)) = named {
            self.advance()?;
            if !self.is("{") && !matches!(self.token, Token::Newline | Token::End) {
                return Err(self.syntax_error());
            }
            if !self.is("{") {
                let place = self.lex.place();
                report::fault(&place, format_args!("{name} blocks must have an action part"));
                return Err(Exit(1));
            }
            self.rule = kind;
            let body = Some(self.block()?);
            self.rule = RuleKind::None;
            self.tree.rules.push(Rule { pattern, body, line, source });
            return Ok(());
        }
        let mut pattern = Pattern::Always;
        self.rule = RuleKind::Main;
        if !self.is("{") {
            let first = self.expression()?;
            pattern = if self.skip(",")? {
                self.newlines()?;
                Pattern::Range(first, self.expression()?)
            } else {
                Pattern::When(first)
            };
        }
        let body = if self.is("{") {
            Some(self.block()?)
        } else {
            match self.token {
                Token::Newline | Token::End | Token::Mark(";") => None,
                _ => return Err(self.syntax_error()),
            }
        };
        self.rule = RuleKind::None;
        self.tree.rules.push(Rule { pattern, body, line, source });
        Ok(())
    }

    fn call(&mut self, name: &str, args: Vec<Expr>, line: u32) -> Expr {
        let full = self.qualified(name);
        if let Some(which) = self.tree.extensions.iter().find(|b| b.name == full) {
            return Expr::Builtin { which, args, line };
        }
        let function = self.tree.function(&full);
        self.tree.called[function as usize].get_or_insert((self.source, line));
        Expr::Call { function, args, line }
    }
}
