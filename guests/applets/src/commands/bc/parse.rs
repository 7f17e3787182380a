//! The grammar of bc.

use super::lex::{Lexer, Token};
use std::rc::Rc;

/// Where in GNU's code of the line an error would be told: behind the instruction. Nothing else of that code is made
/// here; the parser counts the bytes that it would have.
pub type Address = usize;

#[derive(Clone, Debug)]
pub enum Expr {
    Number(Vec<u8>),
    Place(Place, Address),
    /// The place, the operator with where its result is made, the value, where it is stored.
    Assign(Place, Option<(u8, Address)>, Box<Expr>, Address),
    /// Whether the new value is the result, and whether it goes up.
    Step(Place, bool, bool, Address),
    Negate(Box<Expr>),
    Not(Box<Expr>),
    /// The first operand, then operators with theirs: sums are long, and stay flat.
    Binary(Box<Expr>, Vec<(u8, Expr, Address)>),
    Compare(Box<Expr>, Vec<(&'static str, Expr)>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Call(String, Vec<Arg>, Address),
    Length(Box<Expr>),
    Sqrt(Box<Expr>, Address),
    Scale(Box<Expr>),
    Read,
    Random,
    Group(Box<Expr>),
}

#[derive(Clone, Debug)]
pub enum Place {
    Var(String),
    Element(String, Box<Expr>),
    Scale,
    Ibase,
    Obase,
    Last,
}

#[derive(Clone, Debug)]
pub enum Arg {
    Value(Expr),
    Array(String),
}

#[derive(Clone, Debug)]
pub enum Statement {
    Expr(Expr),
    Text(Vec<u8>),
    Print(Vec<Printed>),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    While(Expr, Box<Statement>),
    For(Option<Expr>, Option<Expr>, Option<Expr>, Box<Statement>),
    Block(Vec<Statement>),
    Break,
    Continue,
    Return(Option<Expr>),
    Halt,
}

#[derive(Clone, Debug)]
pub enum Printed {
    Text(Vec<u8>),
    Value(Expr),
}

#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub array: bool,
    /// `*a[]`: the caller's array itself.
    pub shared: bool,
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub void: bool,
    pub params: Vec<Local>,
    pub autos: Vec<Local>,
    pub body: Vec<Statement>,
}

/// What a line gives.
pub enum Item {
    Statements(Vec<Statement>),
    Function(Rc<Function>),
    Quit,
    End,
}

/// A syntax error; what it says besides, if anything.
pub struct Wrong(pub Option<String>);

type Parsed<T> = Result<T, Wrong>;

/// So deep may a program nest.
const DEEPEST: usize = 100;

pub struct Parser {
    pub lex: Lexer,
    token: Token,
    fresh: bool,
    depth: usize,
    loops: usize,
    in_function: bool,
    quits: bool,
    /// The bytes of code so far.
    code: Address,
    /// Something was wrong that does not stop the reading: nothing of it is carried out.
    failed: bool,
}

impl Parser {
    pub fn new(lex: Lexer) -> Parser {
        Parser {
            lex,
            token: Token::Newline,
            fresh: false,
            depth: 0,
            loops: 0,
            in_function: false,
            quits: false,
            code: 0,
            failed: false,
        }
    }

    fn advance(&mut self) {
        self.token = self.lex.next();
    }

    fn is(&self, mark: &str) -> bool {
        matches!(self.token, Token::Mark(m) if m == mark)
    }

    fn word(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(w) if w == word)
    }

    fn skip(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, mark: &str) -> Parsed<()> {
        if self.skip(mark) { Ok(()) } else { Err(Wrong(None)) }
    }

    fn newlines(&mut self) {
        while self.token == Token::Newline {
            self.advance();
        }
    }

    /// After an error the rest of the line is skipped.
    pub fn recover(&mut self) {
        self.lex.skip_line();
        self.fresh = false;
        (self.depth, self.loops, self.in_function) = (0, 0, false);
    }

    /// So many bytes of code more; where they end.
    fn emit(&mut self, bytes: usize) -> Address {
        self.code += bytes;
        self.code
    }

    /// Tells what is wrong and goes on reading.
    fn complain(&mut self, line: usize, text: &str) {
        crate::report::plain(&format!("{} {line}: {text}\n", self.lex.name));
        self.failed = true;
    }

    /// Whether what was read last is not to be carried out.
    pub fn take_failed(&mut self) -> bool {
        let bad = std::mem::take(&mut self.lex.bad);
        std::mem::take(&mut self.failed) || bad
    }

    /// What the next line asks for. The newline behind it is not waited for: the answer comes first.
    pub fn item(&mut self) -> Parsed<Item> {
        if !self.fresh {
            self.advance();
        }
        self.fresh = false;
        self.code = 0;
        match self.token {
            Token::End => return Ok(Item::End),
            Token::Newline => return Ok(Item::Statements(Vec::new())),
            Token::Word("define") => return self.define(),
            _ => {}
        }
        let mut all = Vec::new();
        loop {
            if !self.is(";") {
                all.push(self.statement()?);
            }
            if self.quits {
                return Ok(Item::Quit);
            }
            match self.token {
                Token::Mark(";") => {
                    self.advance();
                    if matches!(self.token, Token::Newline | Token::End) {
                        break;
                    }
                }
                Token::Newline | Token::End => break,
                _ => return Err(Wrong(None)),
            }
        }
        self.fresh = self.token == Token::End;
        Ok(Item::Statements(all))
    }

    /// The line an error is on: behind it when its end came too early.
    pub fn error_line(&self) -> usize {
        self.lex.line.max(1) + usize::from(self.token == Token::Newline)
    }

    fn define(&mut self) -> Parsed<Item> {
        self.advance();
        let void = self.word("void");
        if void {
            self.advance();
        }
        let Token::Name(name) = self.token.clone() else { return Err(Wrong(None)) };
        self.advance();
        self.expect("(")?;
        let params = self.names(")")?;
        self.expect(")")?;
        self.newlines();
        self.expect("{")?;
        self.in_function = true;
        self.newlines();
        let mut autos = Vec::new();
        if self.word("auto") {
            self.advance();
            autos = self.names("")?;
            if !self.is(";") && self.token != Token::Newline {
                return Err(Wrong(None));
            }
        }
        let mut all: Vec<&String> = params.iter().chain(&autos).map(|p| &p.name).collect();
        all.sort();
        if all.windows(2).any(|w| w[0] == w[1]) {
            return Err(Wrong(Some("duplicate parameter names".to_owned())));
        }
        let body = self.block_rest()?;
        self.in_function = false;
        // More may follow on the line.
        self.fresh = self.token != Token::Newline;
        Ok(Item::Function(Rc::new(Function { name, void, params, autos, body })))
    }

    fn names(&mut self, end: &str) -> Parsed<Vec<Local>> {
        let mut all = Vec::new();
        if self.is(end) {
            return Ok(all);
        }
        loop {
            let shared = self.skip("*") || self.skip("&");
            let Token::Name(name) = self.token.clone() else { return Err(Wrong(None)) };
            self.advance();
            let array = self.skip("[");
            if array {
                self.expect("]")?;
            }
            all.push(Local { name, array, shared });
            if !self.skip(",") {
                return Ok(all);
            }
        }
    }

    /// Statements up to the brace that closes.
    fn block_rest(&mut self) -> Parsed<Vec<Statement>> {
        let mut all = Vec::new();
        loop {
            while self.is(";") || self.token == Token::Newline {
                self.advance();
            }
            if self.token == Token::End {
                return Err(Wrong(None));
            }
            if self.is("}") {
                self.advance();
                return Ok(all);
            }
            all.push(self.statement()?);
            if !self.is(";") && !self.is("}") && self.token != Token::Newline {
                return Err(Wrong(None));
            }
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Wrong(Some("nested too deeply".to_owned())));
        }
        let statement = self.statement_kind();
        self.depth -= 1;
        statement
    }

    fn statement_kind(&mut self) -> Parsed<Statement> {
        match self.token.clone() {
            Token::String(text) => {
                self.advance();
                self.emit(text.len() + 2);
                Ok(Statement::Text(text))
            }
            Token::Mark("{") => {
                self.advance();
                Ok(Statement::Block(self.block_rest()?))
            }
            Token::Word("print") => {
                self.advance();
                let mut all = Vec::new();
                loop {
                    all.push(match self.token.clone() {
                        Token::String(text) => {
                            self.advance();
                            self.emit(text.len() + 2);
                            Printed::Text(text)
                        }
                        _ => {
                            let value = self.expression()?;
                            self.emit(1);
                            Printed::Value(value)
                        }
                    });
                    if !self.skip(",") {
                        return Ok(Statement::Print(all));
                    }
                }
            }
            Token::Word("if") => {
                self.advance();
                self.expect("(")?;
                let condition = self.expression()?;
                self.emit(BRANCH);
                self.expect(")")?;
                self.newlines();
                let then = Box::new(self.statement()?);
                if self.word("else") {
                    self.advance();
                    self.emit(BRANCH);
                    self.newlines();
                    return Ok(Statement::If(condition, then, Some(Box::new(self.statement()?))));
                }
                Ok(Statement::If(condition, then, None))
            }
            Token::Word("while") => {
                self.advance();
                self.expect("(")?;
                let condition = self.expression()?;
                self.emit(BRANCH);
                self.expect(")")?;
                self.newlines();
                self.loops += 1;
                let body = Box::new(self.statement()?);
                self.loops -= 1;
                self.emit(BRANCH);
                Ok(Statement::While(condition, body))
            }
            Token::Word("for") => {
                self.advance();
                self.expect("(")?;
                let part = |p: &mut Parser, end: &str| -> Parsed<Option<Expr>> {
                    let value = if p.is(end) { None } else { Some(p.expression()?) };
                    p.expect(end)?;
                    Ok(value)
                };
                let first = part(self, ";")?;
                self.emit(usize::from(first.is_some()));
                let condition = part(self, ";")?;
                self.emit(usize::from(condition.is_none()) + 2 * BRANCH);
                let step = part(self, ")")?;
                self.emit(usize::from(step.is_some()) + BRANCH);
                self.newlines();
                self.loops += 1;
                let body = Box::new(self.statement()?);
                self.loops -= 1;
                self.emit(BRANCH);
                Ok(Statement::For(first, condition, step, body))
            }
            Token::Word(word @ ("break" | "continue")) => {
                if self.loops == 0 {
                    let shown = if word == "break" { "Break outside a for/while" } else { "Continue outside a for" };
                    self.complain(self.lex.line, shown);
                }
                self.advance();
                self.emit(BRANCH);
                Ok(if word == "break" { Statement::Break } else { Statement::Continue })
            }
            Token::Word("return") => {
                self.advance();
                let value = match self.token {
                    Token::Newline | Token::Mark(";" | "}") => None,
                    _ => Some(self.expression()?),
                };
                self.emit(1 + usize::from(value.is_none()));
                if !self.in_function {
                    self.complain(self.error_line(), "Return outside of a function.");
                }
                Ok(Statement::Return(value))
            }
            Token::Word("halt") => {
                self.advance();
                self.emit(1);
                Ok(Statement::Halt)
            }
            Token::Word("quit") => {
                self.quits = true;
                Ok(Statement::Block(Vec::new()))
            }
            Token::Word("limits" | "warranty") => {
                let text = if self.word("limits") { LIMITS } else { "" };
                self.advance();
                Ok(Statement::Text(text.as_bytes().to_vec()))
            }
            _ => {
                let value = self.expression()?;
                self.emit(1);
                Ok(Statement::Expr(value))
            }
        }
    }

    fn expression(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Wrong(Some("nested too deeply".to_owned())));
        }
        let expr = self.or();
        self.depth -= 1;
        expr
    }

    fn or(&mut self) -> Parsed<Expr> {
        let mut all = vec![self.and()?];
        while self.skip("||") {
            self.emit(BRANCH);
            all.push(self.and()?);
            self.emit(2 * BRANCH + 2);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Expr::Or(all) })
    }

    fn and(&mut self) -> Parsed<Expr> {
        let mut all = vec![self.not()?];
        while self.skip("&&") {
            self.emit(BRANCH + 2);
            all.push(self.not()?);
            self.emit(BRANCH + 3);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Expr::And(all) })
    }

    fn not(&mut self) -> Parsed<Expr> {
        if self.skip("!") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(Wrong(None));
            }
            let operand = self.not()?;
            self.emit(1);
            self.depth -= 1;
            return Ok(Expr::Not(Box::new(operand)));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.additive()?;
        let mut rest = Vec::new();
        while let Token::Mark(mark @ ("==" | "<=" | ">=" | "!=" | "<" | ">")) = self.token {
            self.advance();
            rest.push((mark, self.additive()?));
            self.emit(1);
        }
        Ok(if rest.is_empty() { left } else { Expr::Compare(Box::new(left), rest) })
    }

    fn additive(&mut self) -> Parsed<Expr> {
        let left = self.multiplicative()?;
        let mut rest = Vec::new();
        while let Token::Mark(mark @ ("+" | "-")) = self.token {
            self.advance();
            let right = self.multiplicative()?;
            rest.push((mark.as_bytes()[0], right, self.emit(1)));
        }
        Ok(if rest.is_empty() { left } else { Expr::Binary(Box::new(left), rest) })
    }

    fn multiplicative(&mut self) -> Parsed<Expr> {
        let left = self.power()?;
        let mut rest = Vec::new();
        while let Token::Mark(mark @ ("*" | "/" | "%")) = self.token {
            self.advance();
            let right = self.power()?;
            rest.push((mark.as_bytes()[0], right, self.emit(1)));
        }
        Ok(if rest.is_empty() { left } else { Expr::Binary(Box::new(left), rest) })
    }

    fn power(&mut self) -> Parsed<Expr> {
        let left = self.unary()?;
        if !self.skip("^") {
            return Ok(left);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Wrong(None));
        }
        let right = self.power()?;
        self.depth -= 1;
        Ok(Expr::Binary(Box::new(left), vec![(b'^', right, self.emit(1))]))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        if self.skip("-") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(Wrong(None));
            }
            let operand = self.unary()?;
            self.emit(1);
            self.depth -= 1;
            return Ok(Expr::Negate(Box::new(operand)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Parsed<Expr> {
        match self.token.clone() {
            Token::Number(text) => {
                self.advance();
                self.emit(constant(&text));
                Ok(Expr::Number(text))
            }
            Token::Mark("(") => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(Expr::Group(Box::new(inner)))
            }
            Token::Mark(mark @ ("++" | "--")) => {
                self.advance();
                let place = self.place()?.ok_or(Wrong(None))?;
                let element = usize::from(matches!(place, Place::Element(..)));
                let at = self.emit(element + REGISTER);
                self.emit(REGISTER);
                Ok(Expr::Step(place, true, mark == "++", at))
            }
            Token::Word(word @ ("length" | "sqrt")) => {
                self.advance();
                self.expect("(")?;
                let inner = Box::new(self.expression()?);
                self.expect(")")?;
                let at = self.emit(2);
                Ok(if word == "length" { Expr::Length(inner) } else { Expr::Sqrt(inner, at) })
            }
            Token::Word(word @ ("read" | "random")) => {
                self.advance();
                self.expect("(")?;
                self.expect(")")?;
                self.emit(2);
                Ok(if word == "read" { Expr::Read } else { Expr::Random })
            }
            Token::Word("scale") => {
                self.advance();
                if self.skip("(") {
                    let inner = Box::new(self.expression()?);
                    self.expect(")")?;
                    self.emit(2);
                    return Ok(Expr::Scale(inner));
                }
                self.behind(Place::Scale)
            }
            Token::Name(name) => {
                self.advance();
                if self.skip("(") {
                    return self.call(name);
                }
                let place = self.named(name)?;
                self.behind(place)
            }
            _ => match self.place()? {
                Some(place) => self.behind(place),
                None => Err(Wrong(None)),
            },
        }
    }

    fn call(&mut self, name: String) -> Parsed<Expr> {
        let mut args = Vec::new();
        while !self.is(")") {
            let array = match (&self.token, self.lex.peek_array()) {
                (Token::Name(name), true) => Some(name.clone()),
                _ => None,
            };
            args.push(match array {
                Some(name) => {
                    self.advance();
                    self.advance();
                    self.advance();
                    // Its number, which has one digit as long as there are few.
                    self.emit(3);
                    Arg::Array(name)
                }
                None => Arg::Value(self.expression()?),
            });
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        self.advance();
        let at = self.emit(REGISTER);
        self.emit(args.len() + 1);
        Ok(Expr::Call(name, args, at))
    }

    /// A variable, an element or one of the registers, if that is next.
    fn place(&mut self) -> Parsed<Option<Place>> {
        let place = match self.token.clone() {
            Token::Word("scale") => Place::Scale,
            Token::Word("ibase") => Place::Ibase,
            Token::Word("obase") => Place::Obase,
            Token::Word("last") => Place::Last,
            Token::Name(name) => {
                self.advance();
                return self.named(name).map(Some);
            }
            _ => return Ok(None),
        };
        self.advance();
        Ok(Some(place))
    }

    fn named(&mut self, name: String) -> Parsed<Place> {
        if !self.skip("[") {
            return Ok(Place::Var(name));
        }
        let index = Box::new(self.expression()?);
        self.expect("]")?;
        Ok(Place::Element(name, index))
    }

    /// What follows a place: an assignment, a step, or nothing.
    fn behind(&mut self, place: Place) -> Parsed<Expr> {
        let element = usize::from(matches!(place, Place::Element(..)));
        let operator = match self.token {
            Token::Mark("=") => None,
            Token::Mark(mark @ ("+=" | "-=" | "*=" | "/=" | "%=" | "^=")) => Some(mark.as_bytes()[0]),
            Token::Mark(mark @ ("++" | "--")) => {
                self.advance();
                let at = self.emit(2 * element + 2 * REGISTER);
                return Ok(Expr::Step(place, false, mark == "++", at));
            }
            _ => return Ok(Expr::Place(place, self.emit(REGISTER))),
        };
        self.advance();
        if operator.is_some() {
            self.emit(element + REGISTER);
        }
        let value = Box::new(self.expression()?);
        let operator = operator.map(|operator| (operator, self.emit(1)));
        Ok(Expr::Assign(place, operator, value, self.emit(REGISTER)))
    }
}

/// The bytes of a branch, and of an instruction with the number of a variable, an array or a function.
const BRANCH: usize = 3;
const REGISTER: usize = 2;

/// The bytes of a constant: those that are often used have one.
fn constant(text: &[u8]) -> usize {
    let text = text.strip_suffix(b".").unwrap_or(text);
    let zeros = text.iter().take_while(|b| **b == b'0').count().min(text.len() - 1);
    match &text[zeros..] {
        b"0" | b"1" => 1,
        digits => digits.len() + 2,
    }
}

const LIMITS: &str = "BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\nBC_SCALE_MAX    = 2147483647\nBC_STRING_MAX   = 2147483647\nMAX Exponent    = 9223372036854775807\nNumber of vars  = 32767\n";
