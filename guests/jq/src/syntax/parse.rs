//! Text to tree, by precedence climbing. Nesting is bounded: the tree is walked by recursion later.

use super::lex::{KEYWORDS, Token, token};
use super::operator::{Side, operator};
use super::{Ast, Def, Dialect, Import, Module, Param, Part, SyntaxError};
use crate::json;
use crate::value::{Object, Value};
use std::rc::Rc;

/// How deep rules may nest; an expression in brackets takes two.
const MAX_DEPTH: usize = 500;
/// How high a tree may be: operators in a chain count here too.
const MAX_HEIGHT: usize = 1000;

pub(super) type Result<T> = std::result::Result<T, SyntaxError>;

pub(super) struct Parser<'a> {
    text: &'a [u8],
    dialect: Dialect,
    /// The token ahead, where it starts and where it ends.
    ahead: Token,
    start: usize,
    end: usize,
    depth: usize,
    /// How high what was parsed so far in this scope is, at most.
    height: usize,
    /// Brackets that are open, as what closes them.
    open: Vec<&'static str>,
}

/// Parses a program or a library.
pub fn parse(text: &str, dialect: Dialect) -> Result<Module> {
    let (ahead, start, end) = token(text.as_bytes(), 0, dialect)?;
    let mut parser =
        Parser { text: text.as_bytes(), dialect, ahead, start, end, depth: 0, height: 0, open: Vec::new() };
    let module =
        parser.module().map_err(|e| match e.at == start && e.message.starts_with("syntax error, unexpected ") {
            true if e.message.contains(", expecting") || start == text.len() => e,
            true => SyntaxError { message: e.message + ", expecting end of file", ..e },
            false => e,
        })?;
    if parser.ahead != Token::End {
        return Err(parser.unexpected_but("end of file"));
    }
    Ok(module)
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<Token> {
        let (next, start, end) = token(self.text, self.end, self.dialect)?;
        self.start = start;
        self.end = end;
        match self.ahead {
            Token::Mark("(") => self.open.push(")"),
            Token::Mark("[") => self.open.push("]"),
            Token::Mark("{") => self.open.push("}"),
            Token::Mark(")" | "]" | "}") => drop(self.open.pop()),
            _ => {}
        }
        Ok(std::mem::replace(&mut self.ahead, next))
    }

    pub(super) fn at_mark(&self, mark: &str) -> bool {
        matches!(&self.ahead, Token::Mark(found) if *found == mark)
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(&self.ahead, Token::Name(found) if found == word)
    }

    pub(super) fn accept(&mut self, mark: &str) -> Result<bool> {
        let found = self.at_mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, mark: &str) -> Result<()> {
        if self.accept(mark)? { Ok(()) } else { Err(self.unexpected_but(&format!("'{mark}'"))) }
    }

    /// What ends a whole expression.
    pub(super) fn close(&mut self, mark: &str) -> Result<()> {
        if self.accept(mark)? { Ok(()) } else { Err(self.unexpected_but(&format!("'|' or ',' or '{mark}'"))) }
    }

    fn accept_word(&mut self, word: &str) -> Result<bool> {
        let found = self.at_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.accept_word(word)? { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn unexpected(&self) -> SyntaxError {
        let found = match self.ahead {
            Token::Mark(mark @ (")" | "]" | "}")) if self.open.last() != Some(&mark) => Token::Invalid.describe(),
            _ => self.ahead.describe(),
        };
        SyntaxError::new(format!("syntax error, unexpected {found}"), self.start)
    }

    /// As [`Self::unexpected`], with what could stand there.
    pub(super) fn unexpected_but(&self, expected: &str) -> SyntaxError {
        let e = self.unexpected();
        SyntaxError { message: format!("{}, expecting {expected}", e.message), ..e }
    }

    fn error<T>(&self, message: impl Into<String>, at: usize) -> Result<T> {
        Err(SyntaxError::new(message, at))
    }

    /// Runs a rule one level deeper.
    pub(super) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return self.error("program is nested too deeply", self.start);
        }
        self.depth += 1;
        let before = std::mem::replace(&mut self.height, 0);
        let result = rule(self);
        self.height = before.max(self.height + 1);
        self.depth -= 1;
        result
    }

    /// Runs a rule whose tree is a part of its own, beside others.
    fn scoped<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = std::mem::replace(&mut self.height, 0);
        let result = rule(self);
        self.height = before.max(self.height);
        result
    }

    /// Another link of a chain: what was parsed becomes a part of it.
    fn link(&mut self) -> Result<()> {
        self.height += 1;
        if self.height > MAX_HEIGHT {
            return self.error("program is nested too deeply", self.start);
        }
        Ok(())
    }

    fn module(&mut self) -> Result<Module> {
        let mut module = Module::default();
        if self.accept_word("module")? {
            let at = self.start;
            module.meta =
                Some(self.metadata(at, "Module metadata must be constant", "Module metadata must be an object")?);
            self.expect(";")?;
        }
        while self.at_word("import") || self.at_word("include") {
            let import = self.import()?;
            module.imports.push(import);
        }
        while self.at_word("def") {
            let def = self.def()?;
            module.defs.push(def);
        }
        if self.ahead != Token::End {
            module.main = Some(self.pipe()?);
        }
        Ok(module)
    }

    fn metadata(&mut self, at: usize, not_constant: &str, not_object: &str) -> Result<Value> {
        let term = self.postfix()?;
        match constant(&term) {
            Some(value @ Value::Object(_)) => Ok(value),
            Some(_) => self.error(not_object, at),
            None => self.error(not_constant, at),
        }
    }

    fn import(&mut self) -> Result<Import> {
        let at = self.start;
        let include = self.at_word("include");
        self.advance()?;
        if self.ahead != Token::Quote {
            return Err(self.unexpected_but("FORMAT or QQSTRING_START"));
        }
        let Ast::Literal(Value::String(path)) = self.string(None)? else {
            return self.error("Import path must be constant", at);
        };
        let (mut alias, mut is_data) = (None, false);
        if !include {
            if !self.accept_word("as")? {
                return Err(self.unexpected_but("as"));
            }
            match self.advance()? {
                Token::Name(name) => alias = Some(name),
                Token::Binding(name) => {
                    alias = Some(name);
                    is_data = true;
                }
                other => {
                    self.ahead = other;
                    return Err(self.unexpected());
                }
            }
        }
        let mut meta = None;
        if !self.at_mark(";") {
            meta = Some(self.metadata(
                self.start,
                "Module metadata must be constant",
                "Module metadata must be an object",
            )?);
        }
        self.expect(";")?;
        Ok(Import { path: path.to_string(), alias, is_data, meta, at })
    }

    fn def(&mut self) -> Result<Def> {
        self.expect_word("def")?;
        let Token::Name(name) = self.ahead.clone() else { return Err(self.unexpected_but("IDENT")) };
        self.advance()?;
        let mut params = Vec::new();
        if self.accept("(")? {
            loop {
                match self.ahead.clone() {
                    Token::Name(name) => params.push(Param { name, is_value: false }),
                    Token::Binding(name) => params.push(Param { name, is_value: true }),
                    _ => return Err(self.unexpected_but("IDENT or BINDING")),
                }
                self.advance()?;
                if !self.accept(";")? {
                    break;
                }
            }
            if !self.accept(")")? {
                return Err(self.unexpected_but("';' or ')'"));
            }
        } else if !self.at_mark(":") {
            return Err(self.unexpected_but("':' or '('"));
        }
        self.expect(":")?;
        let body = self.pipe()?;
        self.close(";")?;
        Ok(Def { name, params, body })
    }

    /// The whole of an expression, down to `|`.
    pub(super) fn pipe(&mut self) -> Result<Ast> {
        self.nested(|p| {
            let mut stages = vec![p.scoped(Self::comma)?];
            while p.accept("|")? {
                stages.push(p.scoped(Self::comma)?);
            }
            Ok(one_or(stages, Ast::Pipe))
        })
    }

    fn comma(&mut self) -> Result<Ast> {
        let mut items = vec![self.scoped(|p| p.binary(2))?];
        while self.accept(",")? {
            items.push(self.scoped(|p| p.binary(2))?);
        }
        Ok(one_or(items, Ast::Comma))
    }

    /// Operators that bind at least as strongly as `least`.
    fn binary(&mut self, least: u8) -> Result<Ast> {
        let mut left = self.operand()?;
        while let Some((precedence, side, meaning)) = operator(&self.ahead).filter(|op| op.0 >= least) {
            // `*+`, `*d` …: how yq is to merge.
            let flags = self.merge_flags();
            self.end += flags.len();
            self.advance()?;
            if !flags.is_empty() {
                let right = self.nested(|p| p.binary(precedence + 1))?;
                left = Ast::Call("_merge".into(), vec![left, right, Ast::text(&flags)], self.start);
                self.link()?;
                continue;
            }
            let next = if side == Side::Right { precedence } else { precedence + 1 };
            let right = self.nested(|p| p.binary(next))?;
            left = Ast::Binary(meaning, Box::new(left), Box::new(right));
            if side == Side::Alone && operator(&self.ahead).is_some_and(|op| op.0 == precedence) {
                return Err(self.unexpected());
            }
            self.link()?;
        }
        Ok(left)
    }

    fn merge_flags(&self) -> String {
        if self.dialect != Dialect::Yq || !self.at_mark("*") {
            return String::new();
        }
        let rest = &self.text[self.end..];
        let count = rest.iter().take_while(|b| b"+d?nc".contains(b)).count();
        let ends = rest.get(count).is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'_');
        if ends { String::from_utf8_lossy(&rest[..count]).into_owned() } else { String::new() }
    }

    fn operand(&mut self) -> Result<Ast> {
        if self.accept("-")? {
            let operand = self.nested(|p| p.binary(8))?;
            return Ok(Ast::Negate(Box::new(operand)));
        }
        if self.at_word("def") {
            let def = self.def()?;
            let rest = self.pipe()?;
            return Ok(Ast::Def(Box::new(def), Box::new(rest)));
        }
        if self.accept_word("label")? {
            let Token::Binding(name) = self.ahead.clone() else { return Err(self.unexpected_but("BINDING")) };
            self.advance()?;
            self.expect("|")?;
            let body = self.pipe()?;
            return Ok(Ast::Label(name, Box::new(body)));
        }
        let term = self.postfix()?;
        if self.accept_word("as")? {
            let patterns = self.patterns()?;
            if self.dialect == Dialect::Yq && self.accept_word("ireduce")? {
                let (init, update) = self.loop_parts()?;
                self.close(")")?;
                return Ok(Ast::Reduce { source: Box::new(term), patterns, init, update });
            }
            self.expect("|")?;
            let body = self.pipe()?;
            return Ok(Ast::As { source: Box::new(term), patterns, body: Box::new(body) });
        }
        Ok(term)
    }

    /// A term and what follows it: `.name`, `[…]`, `?`.
    pub(super) fn postfix(&mut self) -> Result<Ast> {
        let mut term = self.nested(Self::term)?;
        loop {
            self.link()?;
            match &self.ahead {
                Token::Field(name) => {
                    let key = Ast::text(name);
                    self.advance()?;
                    term = Ast::Index { base: Box::new(term), key: Box::new(key), optional: self.accept("?")? };
                }
                Token::Mark(".") => {
                    self.advance()?;
                    if self.ahead == Token::Quote {
                        let key = self.string(None)?;
                        term = Ast::Index { base: Box::new(term), key: Box::new(key), optional: self.accept("?")? };
                    } else if self.at_mark("[") {
                        term = self.bracket(term)?;
                    } else {
                        return Err(self.unexpected_but("FORMAT or QQSTRING_START or '['"));
                    }
                }
                Token::Mark("[") => term = self.bracket(term)?,
                Token::Mark("?") => {
                    self.advance()?;
                    term = Ast::Try(Box::new(term), None);
                }
                _ => return Ok(term),
            }
        }
    }

    /// `[]`, `[key]`, `[from:to]` behind a term.
    fn bracket(&mut self, base: Ast) -> Result<Ast> {
        let base = Box::new(base);
        self.expect("[")?;
        if self.accept("]")? {
            return Ok(Ast::Each { base, optional: self.accept("?")? });
        }
        if self.accept(":")? {
            let to = Some(Box::new(self.pipe()?));
            self.close("]")?;
            return Ok(Ast::Slice { base, from: None, to, optional: self.accept("?")? });
        }
        let key = Box::new(self.pipe()?);
        if self.accept(":")? {
            let to = if self.at_mark("]") { None } else { Some(Box::new(self.pipe()?)) };
            self.close("]")?;
            return Ok(Ast::Slice { base, from: Some(key), to, optional: self.accept("?")? });
        }
        if !self.accept("]")? {
            return Err(self.unexpected_but("'|' or ',' or ':' or ']'"));
        }
        Ok(Ast::Index { base, key, optional: self.accept("?")? })
    }

    fn term(&mut self) -> Result<Ast> {
        let at = self.start;
        match self.ahead.clone() {
            Token::Number(value) => {
                self.advance()?;
                Ok(Ast::Literal(value))
            }
            Token::Quote => self.string(None),
            Token::Format(name) => {
                self.advance()?;
                if self.ahead == Token::Quote { self.string(Some(name)) } else { Ok(Ast::Format(name)) }
            }
            Token::Field(name) => {
                self.advance()?;
                let optional = self.accept("?")?;
                Ok(Ast::Index { base: Box::new(Ast::Identity), key: Box::new(Ast::text(&name)), optional })
            }
            Token::Binding(name) if name == "__loc__" => {
                self.advance()?;
                Ok(Ast::Location(1 + memchr::memchr_iter(b'\n', &self.text[..at]).count()))
            }
            Token::Binding(name) => {
                self.advance()?;
                Ok(Ast::Var(name, at))
            }
            Token::Mark(mark) => self.marked_term(mark),
            Token::Name(name) if KEYWORDS.contains(&name.as_str()) => self.keyword(&name),
            Token::Name(name) if name == "break" => {
                self.advance()?;
                match self.advance()? {
                    Token::Binding(label) => Ok(Ast::Break(label, at)),
                    _ => self.error("break requires a label to break to", at),
                }
            }
            Token::Name(name) => {
                self.advance()?;
                let mut args = Vec::new();
                if self.accept("(")? {
                    // The name of a variable of the environment stands for itself.
                    if let (Dialect::Yq, "env" | "strenv", Token::Name(variable)) =
                        (self.dialect, name.as_str(), self.ahead.clone())
                    {
                        self.advance()?;
                        self.expect(")")?;
                        return Ok(Ast::Call(name, vec![Ast::text(&variable)], at));
                    }
                    loop {
                        args.push(self.pipe()?);
                        if !self.accept(";")? {
                            break;
                        }
                    }
                    if !self.accept(")")? {
                        return Err(self.unexpected_but("';' or ')'"));
                    }
                }
                Ok(Ast::Call(name, args, at))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn marked_term(&mut self, mark: &str) -> Result<Ast> {
        match mark {
            "." => {
                self.advance()?;
                if self.ahead == Token::Quote {
                    let key = Box::new(self.string(None)?);
                    let optional = self.accept("?")?;
                    return Ok(Ast::Index { base: Box::new(Ast::Identity), key, optional });
                }
                Ok(Ast::Identity)
            }
            ".." => {
                self.advance()?;
                Ok(Ast::Recurse)
            }
            "(" => {
                self.advance()?;
                let inner = self.pipe()?;
                self.close(")")?;
                Ok(inner)
            }
            "[" => {
                self.advance()?;
                if self.accept("]")? {
                    return Ok(Ast::Array(None));
                }
                let inner = self.pipe()?;
                self.close("]")?;
                Ok(Ast::Array(Some(Box::new(inner))))
            }
            "{" => self.object(),
            "$" => {
                self.advance()?;
                Err(self.unexpected_but("'$'"))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn keyword(&mut self, name: &str) -> Result<Ast> {
        match name {
            "if" => {
                self.advance()?;
                let mut branches = Vec::new();
                loop {
                    let condition = self.pipe()?;
                    if !self.accept_word("then")? {
                        return Err(self.unexpected_but("then or '|' or ','"));
                    }
                    branches.push((condition, self.pipe()?));
                    if !self.accept_word("elif")? {
                        break;
                    }
                }
                let otherwise = if self.accept_word("else")? { Some(Box::new(self.pipe()?)) } else { None };
                if !self.accept_word("end")? {
                    return Err(if otherwise.is_some() {
                        self.unexpected_but("end or '|' or ','")
                    } else {
                        self.unexpected()
                    });
                }
                Ok(Ast::If(branches, otherwise))
            }
            "try" => {
                self.advance()?;
                let body = Box::new(self.handled()?);
                let catch = if self.accept_word("catch")? { Some(Box::new(self.handled()?)) } else { None };
                Ok(Ast::Try(body, catch))
            }
            "reduce" | "foreach" => {
                self.advance()?;
                let source = Box::new(self.postfix()?);
                self.expect_word("as")?;
                let patterns = self.patterns()?;
                let (init, update) = self.loop_parts()?;
                if name == "reduce" {
                    self.close(")")?;
                    return Ok(Ast::Reduce { source, patterns, init, update });
                }
                let extract = if self.accept(";")? { Some(Box::new(self.pipe()?)) } else { None };
                match extract {
                    None if !self.at_mark(")") => return Err(self.unexpected_but("'|' or ',' or ';' or ')'")),
                    _ => self.close(")")?,
                }
                Ok(Ast::Foreach { source, patterns, init, update, extract })
            }
            _ => Err(self.unexpected()),
        }
    }

    /// `(init; update` of a loop.
    fn loop_parts(&mut self) -> Result<(Box<Ast>, Box<Ast>)> {
        self.expect("(")?;
        let init = Box::new(self.pipe()?);
        self.close(";")?;
        Ok((init, Box::new(self.pipe()?)))
    }

    /// What `try` and `catch` apply to: a term, perhaps with a sign.
    fn handled(&mut self) -> Result<Ast> {
        if self.accept("-")? {
            return Ok(Ast::Negate(Box::new(self.postfix()?)));
        }
        self.postfix()
    }

    fn object(&mut self) -> Result<Ast> {
        let at = self.start;
        self.expect("{")?;
        let mut entries = Vec::new();
        while !self.at_mark("}") {
            entries.push(self.scoped(Self::entry)?);
            if !self.accept(",")? {
                break;
            }
        }
        self.expect("}")?;
        Ok(Ast::Object(entries, at))
    }

    fn entry(&mut self) -> Result<(Ast, Ast)> {
        let at = self.start;
        let dot = |key: Ast| Ast::Index { base: Box::new(Ast::Identity), key: Box::new(key), optional: false };
        match self.ahead.clone() {
            Token::Binding(name) => {
                self.advance()?;
                let var = if name == "__loc__" {
                    Ast::Location(1 + memchr::memchr_iter(b'\n', &self.text[..at]).count())
                } else {
                    Ast::Var(name.clone(), at)
                };
                if name != "__loc__" && self.accept(":")? {
                    return Ok((var, self.entry_value()?));
                }
                Ok((Ast::text(&name), var))
            }
            Token::Name(name) => {
                self.advance()?;
                if self.accept(":")? {
                    return Ok((Ast::text(&name), self.entry_value()?));
                }
                Ok((Ast::text(&name), dot(Ast::text(&name))))
            }
            Token::Number(value) => {
                self.advance()?;
                self.expect(":")?;
                Ok((Ast::Literal(value), self.entry_value()?))
            }
            Token::Quote | Token::Format(_) => {
                let format = match self.ahead.clone() {
                    Token::Format(name) => {
                        self.advance()?;
                        Some(name)
                    }
                    _ => None,
                };
                if self.ahead != Token::Quote {
                    return Err(self.unexpected_but("QQSTRING_START"));
                }
                let start = self.start;
                let key = self.string(format.clone())?;
                if self.accept(":")? {
                    return Ok((key, self.entry_value()?));
                }
                // The key names the field as well: read it once more.
                let (ahead, first, last) = (self.ahead.clone(), self.start, self.end);
                self.ahead = Token::Quote;
                self.end = start + 1;
                let again = self.string(format)?;
                self.ahead = ahead;
                self.start = first;
                self.end = last;
                Ok((key, dot(again)))
            }
            Token::Mark("(") => {
                self.advance()?;
                let key = self.pipe()?;
                self.close(")")?;
                self.expect(":")?;
                Ok((key, self.entry_value()?))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// A value in an object: terms joined by `|`, no commas.
    fn entry_value(&mut self) -> Result<Ast> {
        self.nested(|p| {
            let mut stages = Vec::new();
            loop {
                stages.push(p.binary_value()?);
                if !p.accept("|")? {
                    return Ok(one_or(stages, Ast::Pipe));
                }
            }
        })
    }

    /// jq takes only terms here; operators do no harm where no comma can follow.
    fn binary_value(&mut self) -> Result<Ast> {
        self.binary(2)
    }

    /// A string; the quote is ahead.
    pub(super) fn string(&mut self, format: Option<String>) -> Result<Ast> {
        let mut at = self.end;
        // Where the text that is read starts.
        let mut from = at;
        let mut parts: Vec<Part> = Vec::new();
        let mut raw = Vec::new();
        loop {
            match self.text.get(at) {
                None => {
                    let message = "syntax error, unexpected end of file, expecting QQSTRING_TEXT or \
                                   QQSTRING_INTERP_START or QQSTRING_END";
                    let from = from.min(self.text.len() - 1);
                    return Err(SyntaxError { message: message.into(), at: from, len: self.text.len() - from });
                }
                Some(b'"') => break,
                Some(b'\\') if self.text.get(at + 1) == Some(&b'(') => {
                    self.flush(&mut raw, &mut parts, from)?;
                    self.ahead = Token::Mark("(");
                    self.end = at + 2;
                    self.advance()?;
                    let inner = self.pipe()?;
                    if !self.at_mark(")") {
                        return Err(self.unexpected_but("QQSTRING_INTERP_END or '|' or ','"));
                    }
                    self.open.pop();
                    parts.push(Part::Value(inner));
                    at = self.end;
                    from = at;
                }
                Some(b'\\') => {
                    raw.extend_from_slice(&self.text[at..(at + 2).min(self.text.len())]);
                    at += 2;
                }
                Some(&b) => {
                    raw.push(b);
                    at += 1;
                }
            }
        }
        self.flush(&mut raw, &mut parts, from)?;
        self.ahead = Token::Quote;
        self.end = at + 1;
        self.advance()?;
        Ok(match (parts.len(), parts.first_mut()) {
            (0, _) => Ast::text(""),
            (1, Some(Part::Text(text))) => Ast::Literal(Value::String(Rc::new(std::mem::take(text)))),
            _ => Ast::Text(format, parts),
        })
    }

    fn flush(&self, raw: &mut Vec<u8>, parts: &mut Vec<Part>, at: usize) -> Result<()> {
        if raw.is_empty() {
            return Ok(());
        }
        match json::unescape(raw) {
            Ok(text) => parts.push(Part::Text(text)),
            Err(fault) => {
                let quoted = format!("\"{}\"", String::from_utf8_lossy(raw));
                let message = match json::parse_one(quoted.as_bytes()) {
                    Err(fault) => fault.message,
                    Ok(_) => fault.into(),
                };
                return Err(SyntaxError {
                    message: format!("{message} (while parsing '{quoted}')"),
                    at,
                    len: raw.len(),
                });
            }
        }
        raw.clear();
        Ok(())
    }

    pub(super) fn take(&mut self) -> Result<(Token, usize)> {
        let at = self.start;
        Ok((self.advance()?, at))
    }

    pub(super) fn peek(&self) -> &Token {
        &self.ahead
    }
}

fn one_or(mut items: Vec<Ast>, many: fn(Vec<Ast>) -> Ast) -> Ast {
    match items.pop() {
        Some(only) if items.is_empty() => only,
        Some(last) => {
            items.push(last);
            many(items)
        }
        None => Ast::Identity,
    }
}

/// The value of a tree that has nothing to evaluate.
fn constant(ast: &Ast) -> Option<Value> {
    match ast {
        Ast::Literal(value) => Some(value.clone()),
        Ast::Array(None) => Some(Value::array(Vec::new())),
        Ast::Array(Some(inner)) => match inner.as_ref() {
            Ast::Comma(items) => Some(Value::array(items.iter().map(constant).collect::<Option<_>>()?)),
            one => Some(Value::array(vec![constant(one)?])),
        },
        Ast::Object(entries, _) => {
            let mut object = Object::default();
            for (key, value) in entries {
                let Some(Value::String(key)) = constant(key) else { return None };
                object.insert(key, constant(value)?);
            }
            Some(Value::object(object))
        }
        Ast::Call(name, args, _) if args.is_empty() => match name.as_str() {
            "null" => Some(Value::Null),
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        _ => None,
    }
}
