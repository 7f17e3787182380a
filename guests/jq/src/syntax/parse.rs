//! Text to tree, by precedence climbing. Nesting is bounded: the tree is walked by recursion later.

use super::lex::{KEYWORDS, Lexer, Token};
use super::operator::{Side, operator};
use super::{Ast, Binary, Def, Dialect, Import, Math, Module, Param, Part, SyntaxError};
use crate::natives;
use crate::value::{Object, Value};
use std::rc::Rc;

/// How deep rules may nest; an expression in brackets takes two.
const MAX_DEPTH: usize = 500;
/// How high a tree may be: operators in a chain count here too.
const MAX_HEIGHT: usize = 1000;

pub(super) type Result<T> = std::result::Result<T, SyntaxError>;

pub(super) struct Parser<'a> {
    text: &'a [u8],
    pub(super) lexer: Lexer<'a>,
    pub(super) dialect: Dialect,
    /// The token ahead, where it starts and where it ends.
    pub(super) ahead: Token,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where the token before it ended.
    pub(super) before: usize,
    depth: usize,
    /// How high what was parsed so far in this scope is, at most.
    height: usize,
    /// How many tokens have to be good before an error is told again.
    pub(super) quiet: u8,
    /// Whether it is of no use to go on.
    pub(super) aborted: bool,
}

/// Parses a program or a library; all that is wrong with it.
pub fn parse(text: &str, dialect: Dialect) -> std::result::Result<Module, Vec<SyntaxError>> {
    let mut lexer = Lexer::new(text.as_bytes(), dialect);
    let (ahead, start, end) = lexer.next();
    let mut parser = Parser {
        text: text.as_bytes(),
        lexer,
        dialect,
        ahead,
        start,
        end,
        before: 0,
        depth: 0,
        height: 0,
        quiet: 0,
        aborted: false,
    };
    let module = parser.whole(start);
    let mut faults = std::mem::take(&mut parser.lexer.faults);
    match module {
        Ok(module) if faults.is_empty() => Ok(module),
        Ok(_) => Err(faults),
        Err(error) => {
            if !parser.aborted && parser.quiet == 0 || faults.is_empty() {
                faults.push(error);
            }
            Err(faults)
        }
    }
}

impl Parser<'_> {
    fn whole(&mut self, start: usize) -> Result<Module> {
        let module =
            self.module().map_err(|e| match e.at == start && e.message.starts_with("syntax error, unexpected ") {
                true if e.message.contains(", expecting") || self.ahead == Token::End => e,
                true => SyntaxError { message: e.message + ", expecting end of file", ..e },
                false => e,
            })?;
        if self.ahead != Token::End {
            return Err(self.unexpected_but("end of file"));
        }
        Ok(module)
    }

    pub(super) fn advance(&mut self) -> Result<Token> {
        self.before = self.end;
        let (next, start, end) = self.lexer.next();
        self.start = start;
        self.end = end;
        self.quiet = self.quiet.saturating_sub(1);
        Ok(std::mem::replace(&mut self.ahead, next))
    }

    pub(super) fn at_mark(&self, mark: &str) -> bool {
        matches!(&self.ahead, Token::Mark(found) if *found == mark)
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
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
        SyntaxError::new(format!("syntax error, unexpected {}", self.ahead.describe()), self.start, self.end)
    }

    /// As [`Self::unexpected`], with what could stand there.
    pub(super) fn unexpected_but(&self, expected: &str) -> SyntaxError {
        let e = self.unexpected();
        SyntaxError { message: format!("{}, expecting {expected}", e.message), ..e }
    }

    /// An error that nothing can go on behind.
    fn fatal<T>(&mut self, message: &str) -> Result<T> {
        self.fault(message, self.start, self.end);
        self.aborted = true;
        Err(SyntaxError::new(message, self.start, self.end))
    }

    /// Runs a rule one level deeper.
    pub(super) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return self.fatal("program is nested too deeply");
        }
        self.depth += 1;
        let before = std::mem::replace(&mut self.height, 0);
        let result = rule(self);
        self.height = before.max(self.height + 1);
        self.depth -= 1;
        result
    }

    /// Runs a rule whose tree is a part of its own, beside others.
    pub(super) fn scoped<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = std::mem::replace(&mut self.height, 0);
        let result = rule(self);
        self.height = before.max(self.height);
        result
    }

    /// Another link of a chain: what was parsed becomes a part of it.
    fn link(&mut self) -> Result<()> {
        self.height += 1;
        if self.height > MAX_HEIGHT {
            return self.fatal("program is nested too deeply");
        }
        Ok(())
    }

    fn module(&mut self) -> Result<Module> {
        let mut module = Module::default();
        if self.accept_word("module")? {
            module.meta = self.metadata()?;
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

    /// `{…};`
    fn metadata(&mut self) -> Result<Option<Value>> {
        let start = self.start;
        let term = self.pipe()?;
        let end = self.before;
        self.close(";")?;
        let message = match constant(&term) {
            Some(value @ Value::Object(_)) => return Ok(Some(value)),
            Some(_) => "Module metadata must be an object",
            None => "Module metadata must be constant",
        };
        self.fault(message, start, end);
        Ok(None)
    }

    fn import(&mut self) -> Result<Import> {
        let include = self.at_word("include");
        self.advance()?;
        if !matches!(self.ahead, Token::Quote | Token::Format(_)) {
            return Err(self.unexpected_but("FORMAT or QQSTRING_START"));
        }
        let start = self.start;
        let format = self.format()?;
        let path = match self.string(format)? {
            Ast::Literal(Value::String(path)) => path,
            _ => {
                self.fault("Import path must be constant", start, self.before);
                Rc::default()
            }
        };
        let (mut alias, mut is_data) = (None, false);
        if !include {
            if !self.accept_word("as")? {
                return Err(self.unexpected_but("as"));
            }
            match (self.ahead.identifier(), self.ahead.clone()) {
                (Some(name), _) => alias = Some(name),
                (_, Token::Binding(name)) => {
                    alias = Some(name);
                    is_data = true;
                }
                _ => return Err(self.unexpected_but("IDENT or BINDING")),
            }
            self.advance()?;
        }
        let meta = if self.accept(";")? { None } else { self.metadata()? };
        Ok(Import { path: path.to_string(), alias, is_data, meta })
    }

    fn def(&mut self) -> Result<Def> {
        self.expect_word("def")?;
        let Some(name) = self.ahead.identifier() else { return Err(self.unexpected_but("IDENT")) };
        self.advance()?;
        let mut params = Vec::new();
        if self.accept("(")? {
            loop {
                match (self.ahead.identifier(), self.ahead.clone()) {
                    (Some(name), _) => params.push(Param { name, is_value: false }),
                    (_, Token::Binding(name)) => params.push(Param { name, is_value: true }),
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
        let mut items = vec![self.scoped(Self::item)?];
        while self.accept(",")? {
            items.push(self.scoped(Self::item)?);
        }
        Ok(one_or(items, Ast::Comma))
    }

    fn item(&mut self) -> Result<Ast> {
        self.binding(|p| p.binary(2))
    }

    /// An expression, or what binds names for the rest of the pipe: `def`, `label`, `as`.
    fn binding(&mut self, expression: impl FnOnce(&mut Self) -> Result<Ast>) -> Result<Ast> {
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
        let source = expression(self)?;
        if !self.accept_word("as")? {
            return Ok(source);
        }
        let source = Box::new(source);
        let patterns = self.patterns()?;
        if self.dialect == Dialect::Yq && self.accept_word("ireduce")? {
            let (init, update) = self.loop_parts()?;
            self.close(")")?;
            return Ok(Ast::Reduce { source, patterns, init, update });
        }
        self.expect("|")?;
        let body = Box::new(self.pipe()?);
        Ok(Ast::As { source, patterns, body })
    }

    /// Operators that bind at least as strongly as `least`.
    pub(super) fn binary(&mut self, least: u8) -> Result<Ast> {
        let mut left = self.operand()?;
        while let Some((precedence, side, meaning)) = operator(&self.ahead).filter(|op| op.0 >= least) {
            // `*+`, `*d` …: how yq is to merge.
            let flags = self.merge_flags();
            self.lexer.skip(flags.len());
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
        let rest = self.lexer.rest();
        let count = rest.iter().take_while(|b| b"+d?nc".contains(b)).count();
        let ends = rest.get(count).is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'_');
        if ends { String::from_utf8_lossy(&rest[..count]).into_owned() } else { String::new() }
    }

    fn operand(&mut self) -> Result<Ast> {
        if self.accept("-")? {
            let operand = self.nested(Self::operand)?;
            return Ok(Ast::Negate(Box::new(operand)));
        }
        // In yq `as` binds more strongly than operators do.
        if self.dialect == Dialect::Yq { self.binding(Self::postfix) } else { self.postfix() }
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
                    if matches!(self.ahead, Token::Quote | Token::Format(_)) {
                        let format = self.format()?;
                        let key = self.string(format)?;
                        term = Ast::Index { base: Box::new(term), key: Box::new(key), optional: self.accept("?")? };
                    } else if self.at_mark("[") && self.dialect == Dialect::Jq {
                        term = self.dotted_bracket(term)?;
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
        self.within("]", |p| p.subscript(base))
    }

    /// As [`Self::bracket`], behind `.`: jq takes no slices there.
    fn dotted_bracket(&mut self, base: Ast) -> Result<Ast> {
        let base = Box::new(base);
        self.expect("[")?;
        if self.accept("]")? {
            return Ok(Ast::Each { base, optional: self.accept("?")? });
        }
        let key = Box::new(self.pipe()?);
        self.close("]")?;
        Ok(Ast::Index { base, key, optional: self.accept("?")? })
    }

    fn subscript(&mut self, base: Box<Ast>) -> Result<Ast> {
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
                Ok(self.location(at))
            }
            Token::Binding(name) => {
                self.advance()?;
                Ok(Ast::Var(name, at, self.before))
            }
            Token::Mark(mark) => self.marked_term(mark),
            Token::Name(name) if KEYWORDS.contains(&name.as_str()) => self.keyword(&name),
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
                let at = self.start;
                self.advance()?;
                let named = matches!(self.ahead, Token::Quote | Token::Format(_));
                if !named && self.follows_term() {
                    return Ok(Ast::Identity);
                }
                let message = "try .[\"field\"] instead of .field for unusually named fields";
                self.or_fault(at, message, |p| {
                    if named {
                        let format = p.format()?;
                        let key = Box::new(p.string(format)?);
                        return Ok(Ast::Index { base: Box::new(Ast::Identity), key, optional: p.accept("?")? });
                    }
                    if p.ahead.identifier().is_some() {
                        p.advance()?;
                    }
                    Err(p.unexpected())
                })
            }
            ".." => {
                self.advance()?;
                Ok(Ast::Recurse)
            }
            "(" => {
                self.advance()?;
                self.within(")", |p| {
                    let inner = p.pipe()?;
                    p.close(")")?;
                    Ok(inner)
                })
            }
            "[" => {
                self.advance()?;
                if self.accept("]")? {
                    return Ok(Ast::Array(None));
                }
                self.within("]", |p| {
                    let inner = p.pipe()?;
                    p.close("]")?;
                    Ok(Ast::Array(Some(Box::new(inner))))
                })
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
        let at = self.start;
        match name {
            "if" => {
                self.advance()?;
                let condition = self.condition()?;
                self.or_fault(at, "Possibly unterminated 'if' statement", |p| p.branches(condition))
            }
            "try" => {
                self.advance()?;
                let body = Box::new(self.handled()?);
                if !self.accept_word("catch")? {
                    return Ok(Ast::Try(body, None));
                }
                self.or_fault(at, "Possibly unterminated 'try' statement", |p| {
                    Ok(Ast::Try(body, Some(Box::new(p.handled()?))))
                })
            }
            "break" => {
                self.advance()?;
                self.or_fault(at, "break requires a label to break to", |p| match p.ahead.clone() {
                    Token::Binding(label) => {
                        p.advance()?;
                        Ok(Ast::Break(label, at, p.before))
                    }
                    _ => Err(p.unexpected_but("BINDING")),
                })
            }
            "reduce" | "foreach" => {
                self.advance()?;
                let source = Box::new(self.loop_source()?);
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

    /// `CONDITION then`
    fn condition(&mut self) -> Result<Ast> {
        let condition = self.pipe()?;
        if self.accept_word("then")? { Ok(condition) } else { Err(self.unexpected_but("then or '|' or ','")) }
    }

    /// What follows the first `then`.
    fn branches(&mut self, mut condition: Ast) -> Result<Ast> {
        let mut branches = Vec::new();
        loop {
            branches.push((condition, self.pipe()?));
            if !self.accept_word("elif")? {
                break;
            }
            condition = self.condition()?;
        }
        let otherwise = if self.accept_word("else")? { Some(Box::new(self.pipe()?)) } else { None };
        if !self.accept_word("end")? {
            return Err(if otherwise.is_some() { self.unexpected_but("end or '|' or ','") } else { self.unexpected() });
        }
        Ok(Ast::If(branches, otherwise))
    }

    /// Whether what is ahead may stand behind a term, wherever that is.
    fn follows_term(&self) -> bool {
        match &self.ahead {
            Token::Mark(mark) => !matches!(*mark, "(" | "{" | ".." | "$" | "?//"),
            Token::Name(name) => {
                matches!(name.as_str(), "and" | "as" | "or" | "then" | "elif" | "else" | "end" | "catch")
            }
            Token::Field(_) | Token::InterpolationEnd | Token::End => true,
            _ => self.dialect == Dialect::Yq,
        }
    }

    pub(super) fn location(&self, at: usize) -> Ast {
        Ast::Location(1 + memchr::memchr_iter(b'\n', &self.text[..at]).count())
    }

    fn loop_source(&mut self) -> Result<Ast> {
        // See `operand`.
        if self.dialect == Dialect::Yq { self.postfix() } else { self.binary(2) }
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

    /// The format in front of a string, if there is one.
    pub(super) fn format(&mut self) -> Result<Option<String>> {
        let Token::Format(name) = self.ahead.clone() else { return Ok(None) };
        self.advance()?;
        if self.ahead == Token::Quote { Ok(Some(name)) } else { Err(self.unexpected_but("QQSTRING_START")) }
    }

    /// A string; the quote is ahead.
    pub(super) fn string(&mut self, format: Option<String>) -> Result<Ast> {
        let mut parts: Vec<Part> = Vec::new();
        self.advance()?;
        loop {
            match &mut self.ahead {
                Token::Text(text) => {
                    match parts.last_mut() {
                        Some(Part::Text(before)) => before.push_str(text),
                        _ => parts.push(Part::Text(std::mem::take(text))),
                    }
                    self.advance()?;
                }
                Token::Interpolation => {
                    self.advance()?;
                    let inner = self.pipe()?;
                    if self.ahead != Token::InterpolationEnd {
                        return Err(self.unexpected_but("QQSTRING_INTERP_END or '|' or ','"));
                    }
                    self.advance()?;
                    parts.push(Part::Value(inner));
                }
                Token::QuoteEnd => break,
                _ => {
                    return Err(self.unexpected_but("QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END"));
                }
            }
        }
        self.advance()?;
        Ok(match (parts.len(), parts.first_mut()) {
            (0, _) => Ast::text(""),
            (1, Some(Part::Text(text))) => Ast::Literal(Value::String(Rc::new(std::mem::take(text)))),
            _ => Ast::Text(format, parts),
        })
    }

    pub(super) fn take(&mut self) -> Result<(Token, usize)> {
        let at = self.start;
        Ok((self.advance()?, at))
    }

    pub(super) fn peek(&self) -> &Token {
        &self.ahead
    }
}

pub(super) fn one_or(mut items: Vec<Ast>, many: fn(Vec<Ast>) -> Ast) -> Ast {
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
pub fn constant(ast: &Ast) -> Option<Value> {
    match ast {
        Ast::Literal(value) => Some(value.clone()),
        Ast::Array(None) => Some(Value::array(Vec::new())),
        Ast::Array(Some(inner)) => match inner.as_ref() {
            Ast::Comma(items) => Some(Value::array(items.iter().map(constant).collect::<Option<_>>()?)),
            one => Some(Value::array(vec![constant(one)?])),
        },
        Ast::Object(entries) => {
            let mut object = Object::default();
            for (key, value) in entries {
                let Some(Value::String(key)) = constant(key) else { return None };
                object.insert(key, constant(value)?);
            }
            Some(Value::object(object))
        }
        Ast::Binary(meaning, left, right) => folded(*meaning, constant(left)?, constant(right)?),
        Ast::Call(name, args, _) if args.is_empty() => match name.as_str() {
            "null" => Some(Value::Null),
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        _ => None,
    }
}

/// What an operator makes of two numbers, or of two strings that are joined.
fn folded(meaning: Binary, left: Value, right: Value) -> Option<Value> {
    let is_number = |value: &Value| matches!(value, Value::Number(_) | Value::Literal(_));
    let numbers = is_number(&left) && is_number(&right);
    match (meaning, &left, &right) {
        (Binary::Math(math), ..) if numbers => natives::math(math, left, right).ok(),
        (Binary::Compare(comparison), ..) if numbers => natives::compare(comparison, &left, &right).ok(),
        (Binary::Math(Math::Add), Value::String(_), Value::String(_)) => natives::math(Math::Add, left, right).ok(),
        _ => None,
    }
}
