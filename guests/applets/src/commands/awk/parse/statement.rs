//! Statements.

use super::super::ast::{Base, Expr, Kind, Label, Statement, To};
use super::super::lex::{Keyword, Token};
use super::{Parser, RuleKind};
use crate::Exit;

impl Parser<'_> {
    /// `{ … }`
    pub fn block(&mut self) -> Result<Vec<Statement>, Exit> {
        self.expect("{")?;
        let mut all = Vec::new();
        loop {
            while self.token == Token::Newline || self.is(";") {
                self.advance()?;
            }
            if self.skip("}")? {
                return Ok(all);
            }
            all.push(self.statement()?);
        }
    }

    /// What ends a simple statement; a closing brace is left alone.
    fn end(&mut self) -> Result<(), Exit> {
        self.ended = self.lex.token_line + u32::from(self.token == Token::Newline);
        match self.token {
            Token::Mark(";") | Token::Newline => self.advance(),
            Token::Mark("}") | Token::End => Ok(()),
            _ => Err(self.syntax_error()),
        }
    }

    /// A statement as the body of another: newlines in front of it, and maybe empty.
    fn body(&mut self) -> Result<Box<Statement>, Exit> {
        self.newlines()?;
        let line = self.lex.token_line;
        if self.skip(";")? {
            return Ok(Box::new(Statement { line, kind: Kind::Block(Vec::new()) }));
        }
        Ok(Box::new(self.statement()?))
    }

    fn statement(&mut self) -> Result<Statement, Exit> {
        self.deeper()?;
        let line = self.lex.token_line;
        let kind = self.kind(line)?;
        // As gawk counts: a whole array is deleted where the statement ends.
        let line = if matches!(&kind, Kind::Delete(_, s) if s.is_empty()) { self.ended } else { line };
        self.depth -= 1;
        Ok(Statement { line, kind })
    }

    fn kind(&mut self, line: u32) -> Result<Kind, Exit> {
        if self.is("{") {
            return Ok(Kind::Block(self.block()?));
        }
        let Token::Keyword(keyword) = self.token else {
            let kind = self.simple()?;
            self.end()?;
            return Ok(kind);
        };
        match keyword {
            Keyword::If => self.if_chain(),
            Keyword::While => {
                self.advance()?;
                let condition = self.parenthesised()?;
                self.loops += 1;
                let body = self.body()?;
                self.loops -= 1;
                Ok(Kind::While(condition, body))
            }
            Keyword::Do => {
                self.advance()?;
                self.loops += 1;
                let body = self.body()?;
                self.loops -= 1;
                while self.token == Token::Newline || self.is(";") {
                    self.advance()?;
                }
                if !self.is_keyword(Keyword::While) {
                    return Err(self.syntax_error());
                }
                self.advance()?;
                let condition = self.parenthesised()?;
                self.end()?;
                Ok(Kind::Do(body, condition))
            }
            Keyword::For => self.for_loop(),
            Keyword::Switch => self.switch(),
            Keyword::Function | Keyword::Case | Keyword::Default | Keyword::Else | Keyword::In => {
                Err(self.syntax_error())
            }
            Keyword::Begin | Keyword::End | Keyword::BeginFile | Keyword::EndFile => Err(self.syntax_error()),
            Keyword::Break | Keyword::Continue => {
                let allowed = self.loops > 0 || keyword == Keyword::Break && self.switches > 0;
                self.advance()?;
                if !allowed {
                    let text = match keyword {
                        Keyword::Break => "`break' is not allowed outside a loop or switch",
                        _ => "`continue' is not allowed outside a loop",
                    };
                    self.soft_error(line, text);
                }
                self.end()?;
                Ok(if keyword == Keyword::Break { Kind::Break } else { Kind::Continue })
            }
            Keyword::Next | Keyword::NextFile => {
                let name = if keyword == Keyword::Next { "next" } else { "nextfile" };
                let file = keyword == Keyword::NextFile;
                match self.rule {
                    RuleKind::Begin => self.soft_error(line, format!("`{name}' used in BEGIN action")),
                    RuleKind::End => self.soft_error(line, format!("`{name}' used in END action")),
                    RuleKind::File if !file => {
                        self.soft_error(line, format!("`{name}' used in BEGINFILE or ENDFILE action"));
                    }
                    _ => {}
                }
                self.advance()?;
                self.end()?;
                Ok(if file { Kind::NextFile } else { Kind::Next })
            }
            Keyword::Exit | Keyword::Return => {
                if keyword == Keyword::Return && !self.in_function {
                    return Err(self.lex.complain("`return' used outside function context"));
                }
                self.advance()?;
                let value = match self.token {
                    Token::Mark(";" | "}") | Token::Newline | Token::End => None,
                    _ => Some(self.expression()?),
                };
                self.end()?;
                Ok(if keyword == Keyword::Exit { Kind::Exit(value) } else { Kind::Return(value) })
            }
            _ => {
                let kind = self.simple()?;
                self.end()?;
                Ok(kind)
            }
        }
    }

    /// `if … else if … else …`: long chains stay flat.
    fn if_chain(&mut self) -> Result<Kind, Exit> {
        let mut branches = Vec::new();
        loop {
            self.advance()?;
            let condition = self.parenthesised()?;
            branches.push((condition, *self.body()?));
            let (at, line, start, token) = (self.lex.at, self.lex.line, self.lex.start, self.token.clone());
            let token_line = self.lex.token_line;
            while self.token == Token::Newline || self.is(";") {
                self.advance()?;
            }
            if !self.is_keyword(Keyword::Else) {
                (self.lex.at, self.lex.line, self.lex.start, self.token) = (at, line, start, token);
                self.lex.token_line = token_line;
                return Ok(Kind::If(branches, None));
            }
            self.advance()?;
            self.newlines()?;
            if !self.is_keyword(Keyword::If) {
                return Ok(Kind::If(branches, Some(self.body()?)));
            }
        }
    }

    fn parenthesised(&mut self) -> Result<Expr, Exit> {
        self.expect("(")?;
        let condition = self.open_expression()?;
        self.expect(")")?;
        Ok(condition)
    }

    /// An expression inside parentheses, where `>` compares and `in` asks.
    fn open_expression(&mut self) -> Result<Expr, Exit> {
        let before = (self.no_greater, self.no_in);
        (self.no_greater, self.no_in) = (false, false);
        let expr = self.expression()?;
        (self.no_greater, self.no_in) = before;
        Ok(expr)
    }

    /// A print, a delete or an expression: what a `for` may begin with.
    fn simple(&mut self) -> Result<Kind, Exit> {
        match self.token {
            Token::Keyword(keyword @ (Keyword::Print | Keyword::Printf)) => self.print(keyword == Keyword::Printf),
            Token::Keyword(Keyword::Delete) => self.delete(),
            _ => Ok(Kind::Expr(self.expression()?)),
        }
    }

    fn delete(&mut self) -> Result<Kind, Exit> {
        self.advance()?;
        let group = self.skip("(")?;
        let Token::Name(name) = self.token.clone() else { return Err(self.syntax_error()) };
        let var = self.variable(&name)?;
        self.advance()?;
        if group {
            self.expect(")")?;
        }
        let mut base = Base::Var(var);
        let mut subscripts: Option<Vec<Expr>> = None;
        let mut links = 0;
        while self.is("[") {
            self.link(&mut links)?;
            if let Some(before) = subscripts.take() {
                base = Base::Element(Box::new(base), before);
            }
            subscripts = Some(self.subscripts()?);
        }
        Ok(Kind::Delete(base, subscripts.unwrap_or_default()))
    }

    fn print(&mut self, format: bool) -> Result<Kind, Exit> {
        let place = self.lex.place();
        self.advance()?;
        let before = self.no_greater;
        self.no_greater = true;
        let mut args = Vec::new();
        let ends = |p: &Self| match p.token {
            Token::Mark(mark) => matches!(mark, ";" | "}" | ">" | ">>" | "|" | "|&"),
            Token::Newline | Token::End => true,
            _ => false,
        };
        if !ends(self) {
            args.push(self.list_or_expression()?);
            while self.skip(",")? {
                self.newlines()?;
                args.push(self.expression()?);
            }
            // `print (a, b)` prints two.
            if let [Expr::List(list)] = args.as_mut_slice() {
                args = std::mem::take(list);
            }
        }
        self.no_greater = before;
        if args.iter().any(|a| matches!(a, Expr::List(_))) {
            return Err(self.syntax_error());
        }
        if format && args.is_empty() {
            return Err(super::report::fatal(&place, "printf: no arguments"));
        }
        let to = match self.token {
            Token::Mark(">") => Some(To::File),
            Token::Mark(">>") => Some(To::Append),
            Token::Mark("|") => Some(To::Pipe),
            Token::Mark("|&") => Some(To::Coprocess),
            _ => None,
        };
        let to = match to {
            Some(to) => {
                self.advance()?;
                self.no_greater = true;
                let target = self.concatenation()?;
                self.no_greater = before;
                Some((to, target))
            }
            None => None,
        };
        Ok(Kind::Print { args, to, format })
    }

    fn for_loop(&mut self) -> Result<Kind, Exit> {
        self.advance()?;
        self.expect("(")?;
        if let Some(kind) = self.for_in()? {
            return Ok(kind);
        }
        let line = self.lex.token_line;
        let mut first = None;
        if !self.is(";") {
            first = Some(Box::new(Statement { line, kind: self.simple()? }));
        }
        self.expect(";")?;
        self.newlines()?;
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        self.newlines()?;
        let mut step = None;
        if !self.is(")") {
            let line = self.lex.token_line;
            step = Some(Box::new(Statement { line, kind: self.simple()? }));
        }
        self.expect(")")?;
        self.loops += 1;
        let body = self.body()?;
        self.loops -= 1;
        Ok(Kind::For(first, condition, step, body))
    }

    /// `for (name in array)`, when it is one.
    fn for_in(&mut self) -> Result<Option<Kind>, Exit> {
        let before = (self.lex.at, self.lex.line, self.lex.start, self.lex.token_line, self.token.clone());
        if let Token::Name(name) = self.token.clone() {
            self.advance()?;
            if self.is_keyword(Keyword::In) {
                self.advance()?;
                if let Token::Name(array) = self.token.clone() {
                    let var = self.variable(&array)?;
                    let mut base = Base::Var(var);
                    self.advance()?;
                    let mut links = 0;
                    while self.is("[") {
                        self.link(&mut links)?;
                        let subscripts = self.subscripts()?;
                        base = Base::Element(Box::new(base), subscripts);
                    }
                    if self.skip(")")? {
                        let var = self.variable(&name)?;
                        self.loops += 1;
                        let body = self.body()?;
                        self.loops -= 1;
                        return Ok(Some(Kind::ForIn(var, base, body)));
                    }
                }
            }
        }
        (self.lex.at, self.lex.line, self.lex.start, self.lex.token_line, self.token) = before;
        Ok(None)
    }

    fn switch(&mut self) -> Result<Kind, Exit> {
        self.advance()?;
        let value = self.parenthesised()?;
        self.newlines()?;
        self.expect("{")?;
        let mut cases: Vec<(Label, Vec<Statement>)> = Vec::new();
        self.switches += 1;
        loop {
            while self.token == Token::Newline || self.is(";") {
                self.advance()?;
            }
            if self.skip("}")? {
                break;
            }
            let label = match self.token {
                Token::Keyword(Keyword::Case) => {
                    self.advance()?;
                    let line = self.lex.token_line;
                    let label = self.label()?;
                    let value = label.text();
                    if value.is_some() && cases.iter().any(|case| case.0.text() == value) {
                        let shown = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
                        self.soft_error(line, format_args!("duplicate case values in switch body: {shown}"));
                    }
                    label
                }
                Token::Keyword(Keyword::Default) => {
                    if cases.iter().any(|c| matches!(c.0, Label::Default)) {
                        let line = self.lex.token_line;
                        self.soft_error(line, "duplicate `default' detected in switch body");
                    }
                    self.advance()?;
                    Label::Default
                }
                _ => return Err(self.syntax_error()),
            };
            self.expect(":")?;
            let mut body = Vec::new();
            loop {
                while self.token == Token::Newline || self.is(";") {
                    self.advance()?;
                }
                if self.is("}") || self.is_keyword(Keyword::Case) || self.is_keyword(Keyword::Default) {
                    break;
                }
                body.push(self.statement()?);
            }
            cases.push((label, body));
        }
        self.switches -= 1;
        Ok(Kind::Switch(value, cases))
    }

    fn label(&mut self) -> Result<Label, Exit> {
        let label = match self.token.clone() {
            Token::Number(n) => {
                self.spell(n);
                Label::Value(Expr::Number(n))
            }
            Token::String(s) => Label::Value(Expr::String(s)),
            Token::Mark(sign @ ("-" | "+")) => {
                self.advance()?;
                let Token::Number(n) = self.token else { return Err(self.syntax_error()) };
                self.spell(n);
                Label::Value(Expr::Number(if sign == "-" { -n } else { n }))
            }
            Token::Mark("/") | Token::Assign(b'/') => {
                let text = self.lex.regex()?;
                self.check_regex(&text);
                Label::Regex(text)
            }
            Token::Mark("@") => {
                self.advance()?;
                if !self.is("/") && self.token != Token::Assign(b'/') {
                    return Err(self.syntax_error());
                }
                Label::Regex(self.lex.regex()?)
            }
            _ => return Err(self.syntax_error()),
        };
        self.advance()?;
        Ok(label)
    }
}
