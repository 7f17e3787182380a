//! Expressions, from the loosest operator to the tightest.

use super::super::ast::{Base, Compare, Expr, From, Var};
use super::super::builtins::{Builtin, Id};
use super::super::lex::{Keyword, Token};
use super::super::report;
use super::Parser;
use crate::Exit;

impl Parser<'_> {
    pub fn expression(&mut self) -> Result<Expr, Exit> {
        let expr = self.list_or_expression()?;
        if matches!(expr, Expr::List(_)) { Err(self.syntax_error()) } else { Ok(expr) }
    }

    /// Also `(a, b)`, which only a print may be given.
    pub fn list_or_expression(&mut self) -> Result<Expr, Exit> {
        self.deeper()?;
        let expr = self.conditional()?;
        self.depth -= 1;
        Ok(expr)
    }

    /// `= += …` behind what can be assigned to.
    fn assignment(&mut self, left: Expr) -> Result<Expr, Exit> {
        let Token::Assign(operator) = self.token else { return Ok(left) };
        match left {
            Expr::Var(_) | Expr::Field(_) | Expr::Element(..) => {}
            Expr::Step { target, before: false, .. } if matches!(*target, Expr::Field(_)) => {
                self.advance()?;
                self.expression()?;
                let text = "cannot assign a value to the result of a field post-increment expression";
                return Err(self.lex.complain(text));
            }
            _ => return Err(self.syntax_error()),
        }
        self.advance()?;
        let value = Box::new(self.expression()?);
        let left = Box::new(left);
        Ok(if operator == b'=' { Expr::Assign(left, value) } else { Expr::Update(operator, left, value) })
    }

    fn conditional(&mut self) -> Result<Expr, Exit> {
        let condition = self.or()?;
        if !self.is("?") {
            return Ok(condition);
        }
        self.advance()?;
        self.newlines()?;
        let yes = self.expression()?;
        self.newlines()?;
        self.expect(":")?;
        self.newlines()?;
        let no = self.expression()?;
        Ok(Expr::Conditional(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    fn or(&mut self) -> Result<Expr, Exit> {
        let first = self.and()?;
        if !self.is("||") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.skip("||")? {
            self.newlines()?;
            all.push(self.and()?);
        }
        Ok(Expr::Or(all))
    }

    fn and(&mut self) -> Result<Expr, Exit> {
        let first = self.membership()?;
        if !self.is("&&") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.skip("&&")? {
            self.newlines()?;
            all.push(self.membership()?);
        }
        Ok(Expr::And(all))
    }

    fn membership(&mut self) -> Result<Expr, Exit> {
        let mut left = self.matching()?;
        let mut links = 0;
        while self.is_keyword(Keyword::In) && !self.no_in {
            self.link(&mut links)?;
            self.advance()?;
            let subscripts = match left {
                Expr::List(list) => list,
                one => vec![one],
            };
            left = Expr::In(subscripts, self.array()?);
        }
        Ok(left)
    }

    /// The array behind `in`.
    fn array(&mut self) -> Result<Base, Exit> {
        let Token::Name(name) = self.token.clone() else { return Err(self.syntax_error()) };
        let var = self.variable(&name)?;
        self.advance()?;
        let mut base = Base::Var(var);
        let mut links = 0;
        while self.is("[") {
            self.link(&mut links)?;
            let subscripts = self.subscripts()?;
            base = Base::Element(Box::new(base), subscripts);
        }
        Ok(base)
    }

    fn matching(&mut self) -> Result<Expr, Exit> {
        let mut left = self.comparison()?;
        let mut links = 0;
        while self.is("~") || self.is("!~") {
            self.link(&mut links)?;
            let negate = self.is("!~");
            self.advance()?;
            let regex = Box::new(self.comparison()?);
            left = Expr::Match { negate, text: Box::new(left), regex };
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Expr, Exit> {
        let left = self.concatenation()?;
        let left = self.assignment(left)?;
        let operator = match self.token {
            Token::Mark("<") => Compare::Less,
            Token::Mark("<=") => Compare::LessEqual,
            Token::Mark("==") => Compare::Equal,
            Token::Mark("!=") => Compare::NotEqual,
            Token::Mark(">") if !self.no_greater => Compare::Greater,
            Token::Mark(">=") => Compare::GreaterEqual,
            _ => return Ok(left),
        };
        self.advance()?;
        let right = self.concatenation()?;
        let right = self.assignment(right)?;
        Ok(Expr::Compare(operator, Box::new(left), Box::new(right)))
    }

    /// Whether the token begins an operand that is joined without an operator.
    fn begins_operand(&self) -> bool {
        match &self.token {
            Token::Number(_) | Token::String(_) | Token::Name(_) | Token::FunctionName(_) | Token::Builtin(_) => true,
            Token::Mark(mark) => matches!(*mark, "$" | "!" | "(" | "++" | "--" | "@"),
            Token::Keyword(keyword) => *keyword == Keyword::Getline,
            _ => false,
        }
    }

    pub fn concatenation(&mut self) -> Result<Expr, Exit> {
        let mut parts = vec![self.additive()?];
        let mut links = 0;
        loop {
            if self.begins_operand() {
                parts.push(self.additive()?);
            } else if self.is("|") || self.is("|&") {
                let (at, line, start) = (self.lex.at, self.lex.line, self.lex.start);
                let (token_line, token) = (self.lex.token_line, self.token.clone());
                let both = self.is("|&");
                self.advance()?;
                if !self.is_keyword(Keyword::Getline) {
                    (self.lex.at, self.lex.line, self.lex.start, self.token) = (at, line, start, token);
                    self.lex.token_line = token_line;
                    break;
                }
                self.link(&mut links)?;
                let line = self.lex.token_line;
                self.advance()?;
                let target = self.optional_target()?;
                let command = Box::new(joined(&mut parts));
                let from = if both { From::Coprocess(command) } else { From::Command(command) };
                let read = Expr::Getline { from, target, line };
                let read = self.arithmetic_behind(read)?;
                parts.push(read);
            } else {
                break;
            }
        }
        Ok(joined(&mut parts))
    }

    /// `cmd | getline` may go on as an operand.
    fn arithmetic_behind(&mut self, left: Expr) -> Result<Expr, Exit> {
        let left = self.powers_behind(left)?;
        let left = self.factors_behind(left)?;
        self.terms_behind(left)
    }

    fn additive(&mut self) -> Result<Expr, Exit> {
        let left = self.multiplicative()?;
        self.terms_behind(left)
    }

    fn terms_behind(&mut self, left: Expr) -> Result<Expr, Exit> {
        let mut rest = Vec::new();
        while let Token::Mark(mark @ ("+" | "-")) = self.token {
            self.advance()?;
            rest.push((mark.as_bytes()[0], self.multiplicative()?));
        }
        Ok(if rest.is_empty() { left } else { Expr::Arithmetic(Box::new(left), rest) })
    }

    fn multiplicative(&mut self) -> Result<Expr, Exit> {
        let left = self.unary()?;
        self.factors_behind(left)
    }

    fn factors_behind(&mut self, left: Expr) -> Result<Expr, Exit> {
        let mut rest = Vec::new();
        while let Token::Mark(mark @ ("*" | "/" | "%")) = self.token {
            self.advance()?;
            let right = self.unary()?;
            // That a constant is zero is seen while reading.
            if mark != "*" && matches!(right, Expr::Number(n) if n == 0.0) {
                let line = self.lex.token_line;
                let in_mark = if mark == "%" { " in `%'" } else { "" };
                self.soft_error(line, format!("division by zero attempted{in_mark}"));
            }
            rest.push((mark.as_bytes()[0], right));
        }
        Ok(if rest.is_empty() { left } else { Expr::Arithmetic(Box::new(left), rest) })
    }

    fn unary(&mut self) -> Result<Expr, Exit> {
        let Token::Mark(mark @ ("!" | "-" | "+")) = self.token else { return self.power() };
        self.deeper()?;
        self.advance()?;
        let operand = self.unary()?;
        self.depth -= 1;
        Ok(match (mark, operand) {
            ("!", operand) => Expr::Not(Box::new(operand)),
            ("-", Expr::Number(n)) => Expr::Number(-n),
            ("-", operand) => Expr::Negate(Box::new(operand)),
            (_, operand) => Expr::Plus(Box::new(operand)),
        })
    }

    fn power(&mut self) -> Result<Expr, Exit> {
        let left = self.postfix()?;
        self.powers_behind(left)
    }

    fn powers_behind(&mut self, left: Expr) -> Result<Expr, Exit> {
        if !self.is("^") {
            return Ok(left);
        }
        self.deeper()?;
        self.advance()?;
        // From the right, and a sign binds looser than a power does.
        let right = self.unary()?;
        self.depth -= 1;
        Ok(Expr::Arithmetic(Box::new(left), vec![(b'^', right)]))
    }

    fn postfix(&mut self) -> Result<Expr, Exit> {
        let operand = self.primary()?;
        let Token::Mark(mark @ ("++" | "--")) = self.token else { return Ok(operand) };
        if !matches!(operand, Expr::Var(_) | Expr::Element(..)) {
            return Ok(operand);
        }
        self.advance()?;
        Ok(step(operand, mark, false))
    }

    fn primary(&mut self) -> Result<Expr, Exit> {
        let line = self.lex.token_line;
        match self.token.clone() {
            Token::Number(n) => {
                self.spell(n);
                self.advance()?;
                Ok(Expr::Number(n))
            }
            Token::String(text) => {
                self.advance()?;
                Ok(Expr::String(text))
            }
            Token::Mark("/") | Token::Assign(b'/') => {
                let text = self.lex.regex()?;
                self.check_regex(&text);
                self.advance()?;
                Ok(Expr::Regex(text))
            }
            Token::Mark("@") => self.at_sign(line),
            Token::Mark("$") => self.field(),
            Token::Mark(mark @ ("++" | "--")) => {
                self.deeper()?;
                self.advance()?;
                let operand = match self.token {
                    Token::Mark("$") => self.plain_field()?,
                    Token::Name(_) => self.primary()?,
                    _ => return Err(self.syntax_error()),
                };
                self.depth -= 1;
                Ok(step(operand, mark, true))
            }
            Token::Mark("(") => self.group(),
            Token::Mark("-" | "+" | "!") => self.unary(),
            Token::Name(name) => {
                let var = self.variable(&name)?;
                self.advance()?;
                self.element(var)
            }
            Token::FunctionName(name) => {
                self.advance()?;
                let args = self.arguments()?;
                self.advance()?;
                Ok(self.call(&name, args, line))
            }
            Token::Builtin(builtin) => self.builtin(builtin, line),
            Token::Keyword(Keyword::Getline) => {
                self.advance()?;
                let target = self.optional_target()?;
                let from = if self.skip("<")? { From::File(Box::new(self.file_operand()?)) } else { From::Main };
                Ok(Expr::Getline { from, target, line })
            }
            _ => Err(self.syntax_error()),
        }
    }

    /// A regular expression that cannot be one is told while reading.
    pub fn check_regex(&mut self, text: &[u8]) {
        for message in super::super::regex::odd_escapes(text, &mut self.tree.warned) {
            report::warn(&self.lex.place(), message);
        }
        if let Err(message) = super::super::regex::check(text) {
            let line = self.lex.token_line;
            self.soft_error(line, format!("{message}: /{}/", String::from_utf8_lossy(text)));
        }
    }

    /// `@/re/` or `@f(…)`.
    fn at_sign(&mut self, line: u32) -> Result<Expr, Exit> {
        self.advance()?;
        match self.token.clone() {
            Token::Mark("/") | Token::Assign(b'/') => {
                let text = self.lex.regex()?;
                self.check_regex(&text);
                self.advance()?;
                Ok(Expr::TypedRegex(text))
            }
            Token::FunctionName(name) => {
                let var = self.variable(&name)?;
                self.advance()?;
                let args = self.arguments()?;
                self.advance()?;
                Ok(Expr::Indirect { name: Box::new(Expr::Var(var)), args, line })
            }
            Token::Name(name) => {
                let var = self.variable(&name)?;
                self.advance()?;
                let name = Box::new(self.element(var)?);
                let args = self.arguments()?;
                self.advance()?;
                Ok(Expr::Indirect { name, args, line })
            }
            _ => Err(self.syntax_error()),
        }
    }

    fn element(&mut self, var: Var) -> Result<Expr, Exit> {
        if !self.is("[") {
            return Ok(Expr::Var(var));
        }
        let mut base = Base::Var(var);
        let mut links = 0;
        loop {
            self.link(&mut links)?;
            let subscripts = self.subscripts()?;
            if !self.is("[") {
                return Ok(Expr::Element(base, subscripts));
            }
            base = Base::Element(Box::new(base), subscripts);
        }
    }

    /// `[a, b]`
    pub fn subscripts(&mut self) -> Result<Vec<Expr>, Exit> {
        self.expect("[")?;
        let before = (self.no_greater, self.no_in);
        (self.no_greater, self.no_in) = (false, false);
        let mut all = vec![self.expression()?];
        while self.skip(",")? {
            self.newlines()?;
            all.push(self.expression()?);
        }
        (self.no_greater, self.no_in) = before;
        self.expect("]")?;
        Ok(all)
    }

    /// `$` and its operand, without `++` behind.
    fn plain_field(&mut self) -> Result<Expr, Exit> {
        self.deeper()?;
        self.advance()?;
        let operand = match self.token {
            Token::Mark("$") => self.field()?,
            Token::Mark("-" | "+" | "!") => self.unary()?,
            _ => self.primary()?,
        };
        self.depth -= 1;
        Ok(Expr::Field(Box::new(operand)))
    }

    fn field(&mut self) -> Result<Expr, Exit> {
        let field = self.plain_field()?;
        let Token::Mark(mark @ ("++" | "--")) = self.token else { return Ok(field) };
        self.advance()?;
        Ok(step(field, mark, false))
    }

    fn group(&mut self) -> Result<Expr, Exit> {
        self.advance()?;
        let before = (self.no_greater, self.no_in);
        (self.no_greater, self.no_in) = (false, false);
        let mut all = vec![self.expression()?];
        while self.skip(",")? {
            self.newlines()?;
            all.push(self.expression()?);
        }
        (self.no_greater, self.no_in) = before;
        self.expect(")")?;
        Ok(match all.len() {
            1 => Expr::Group(Box::new(all.remove(0))),
            _ => Expr::List(all),
        })
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, Exit> {
        self.expect("(")?;
        let before = (self.no_greater, self.no_in);
        (self.no_greater, self.no_in) = (false, false);
        let mut all = Vec::new();
        self.newlines()?;
        while !self.is(")") {
            all.push(self.expression()?);
            self.newlines()?;
            if !self.is(")") {
                self.expect(",")?;
                self.newlines()?;
                if self.is(")") {
                    return Err(self.syntax_error());
                }
            }
        }
        (self.no_greater, self.no_in) = before;
        Ok(all)
    }

    fn builtin(&mut self, which: &'static Builtin, line: u32) -> Result<Expr, Exit> {
        // A parameter hides a function of GNU's.
        if let Some(i) = self.params.iter().position(|p| p == which.name) {
            self.advance()?;
            return self.element(Var::Local(i as u32));
        }
        self.advance()?;
        if !self.is("(") {
            if which.id == Id::Length {
                return Ok(Expr::Builtin { which, args: Vec::new(), line });
            }
            return Err(self.syntax_error());
        }
        let args = self.arguments()?;
        if args.len() < which.least || args.len() > which.most {
            let text = format!("{} is invalid as number of arguments for {}", args.len(), which.name);
            return Err(self.lex.complain(&text));
        }
        self.advance()?;
        let third = args.get(2).is_some_and(|a| !matches!(a, Expr::Var(_) | Expr::Element(..) | Expr::Field(_)));
        if matches!(which.id, Id::Sub | Id::Gsub) && third && self.lint {
            report::warn(&self.lex.place(), format_args!("{}: third argument is not a changeable object", which.name));
        }
        Ok(Expr::Builtin { which, args, line })
    }

    /// What `getline` reads into, when something is named.
    fn optional_target(&mut self) -> Result<Option<Box<Expr>>, Exit> {
        let target = match self.token.clone() {
            Token::Mark("$") => match self.field()? {
                Expr::Step { target, .. } => *target,
                field => field,
            },
            Token::Name(name) => {
                let var = self.variable(&name)?;
                self.advance()?;
                self.element(var)?
            }
            _ => return Ok(None),
        };
        Ok(Some(Box::new(target)))
    }

    /// The file behind `getline <`: one operand, so that what follows is joined to the answer.
    fn file_operand(&mut self) -> Result<Expr, Exit> {
        if self.is("$") { self.field() } else { self.postfix() }
    }
}

fn joined(parts: &mut Vec<Expr>) -> Expr {
    let parts = std::mem::take(parts);
    match <[Expr; 1]>::try_from(parts) {
        Ok([one]) => one,
        Err(parts) => Expr::Concat(parts),
    }
}

fn step(target: Expr, mark: &str, before: bool) -> Expr {
    Expr::Step { target: Box::new(target), add: if mark == "++" { 1.0 } else { -1.0 }, before }
}
