//! The parser of arithmetic expressions. Errors carry what bash calls the error token: the text from where it stopped.

use super::ast::{BinaryOp, Expr, Index, Place, UnaryOp};
use super::number::parse_constant;
use crate::names::{Name, is_name_byte, is_name_start};
use std::cell::OnceCell;

/// Parentheses, unary operators and the like nest at most this deep.
const MAX_DEPTH: u32 = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArithError {
    pub message: &'static str,
    pub token: Vec<u8>,
}

type Parsed = Result<Expr, ArithError>;

pub fn parse(text: &[u8]) -> Parsed {
    let mut parser = Parser { text, pos: 0, last: 0, depth: 0 };
    parser.blanks();
    if parser.pos == text.len() {
        return Ok(Expr::Number(0));
    }
    let expr = parser.comma()?;
    parser.blanks();
    if parser.pos < text.len() {
        let token = parser.pos;
        let known = text[token].is_ascii_alphanumeric() || b"=><+-*/%&|^!~()?:,_".contains(&text[token]);
        let message = if known { "syntax error in expression" } else { "syntax error: invalid arithmetic operator" };
        return Err(parser.error_at(message, token));
    }
    Ok(expr)
}

struct Parser<'a> {
    text: &'a [u8],
    pos: usize,
    /// Where the token read last starts.
    last: usize,
    depth: u32,
}

impl Parser<'_> {
    fn blanks(&mut self) {
        while matches!(self.text.get(self.pos), Some(b' ' | b'\t' | b'\n')) {
            self.pos += 1;
        }
    }

    fn error_at(&self, message: &'static str, at: usize) -> ArithError {
        ArithError { message, token: self.text[at.min(self.text.len())..].to_vec() }
    }

    fn peek(&mut self) -> &[u8] {
        self.blanks();
        &self.text[self.pos..]
    }

    /// Takes `op` when it is next and not the start of one of the longer operators.
    fn take(&mut self, op: &[u8], not: &[&[u8]]) -> bool {
        let rest = self.peek();
        if rest.starts_with(op) && !not.iter().any(|n| rest.starts_with(n)) {
            self.last = self.pos;
            self.pos += op.len();
            return true;
        }
        false
    }

    /// Where the next token is; at the end, where the last one was.
    fn token(&mut self) -> usize {
        if self.peek().is_empty() { self.last } else { self.pos }
    }

    fn comma(&mut self) -> Parsed {
        let mut left = self.assignment()?;
        while self.take(b",", &[]) {
            let right = self.assignment()?;
            left = Expr::Comma(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn assignment(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH || crate::stack::is_deep() {
            return Err(self.error_at("expression recursion level exceeded", self.pos));
        }
        let left = self.ternary()?;
        self.blanks();
        let at = self.pos;
        let op = match self.peek() {
            [b'=', b'=', ..] => None,
            [b'=', ..] => Some((None, 1)),
            [b'<', b'<', b'=', ..] => Some((Some(BinaryOp::Shl), 3)),
            [b'>', b'>', b'=', ..] => Some((Some(BinaryOp::Shr), 3)),
            [c, b'=', ..] => match c {
                b'+' => Some(BinaryOp::Add),
                b'-' => Some(BinaryOp::Sub),
                b'*' => Some(BinaryOp::Mul),
                b'/' => Some(BinaryOp::Div),
                b'%' => Some(BinaryOp::Rem),
                b'&' => Some(BinaryOp::BitAnd),
                b'|' => Some(BinaryOp::BitOr),
                b'^' => Some(BinaryOp::BitXor),
                _ => None,
            }
            .map(|op| (Some(op), 2)),
            _ => None,
        };
        let expr = match op {
            None => left,
            Some((op, len)) => {
                let Expr::Load(place) = left else {
                    return Err(self.error_at("attempted assignment to non-variable", at));
                };
                self.last = at;
                self.pos += len;
                self.blanks();
                let operand = self.pos as u32;
                let value = self.assignment()?;
                Expr::Assign(place, op, Box::new(value), operand)
            }
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn ternary(&mut self) -> Parsed {
        let test = self.binary(0)?;
        if !self.take(b"?", &[]) {
            return Ok(test);
        }
        if matches!(self.peek(), [] | [b':', ..]) {
            return Err(self.error_at("expression expected", self.pos));
        }
        let yes = self.comma()?;
        if !self.take(b":", &[]) {
            let at = self.token();
            return Err(self.error_at("`:' expected for conditional expression", at));
        }
        if self.peek().is_empty() {
            return Err(self.error_at("expression expected", self.last));
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH || crate::stack::is_deep() {
            return Err(self.error_at("expression recursion level exceeded", self.pos));
        }
        let no = self.ternary()?;
        self.depth -= 1;
        Ok(Expr::Ternary(Box::new(test), Box::new(yes), Box::new(no)))
    }

    /// Operands and the binary operators between them that bind at least as tightly as `loosest`.
    fn binary(&mut self, loosest: u32) -> Parsed {
        let mut left = self.power()?;
        while let Some((op, level, len)) = binary_operator(self.peek()).filter(|&(_, level, _)| level >= loosest) {
            self.last = self.pos;
            self.pos += len;
            self.blanks();
            let operand = self.pos as u32;
            let right = Box::new(self.binary(level + 1)?);
            left = match op {
                Operator::Or => Expr::Or(Box::new(left), right),
                Operator::And => Expr::And(Box::new(left), right),
                Operator::Binary(op) => Expr::Binary(op, Box::new(left), right, operand),
            };
        }
        Ok(left)
    }

    fn power(&mut self) -> Parsed {
        let base = self.unary()?;
        if !self.take(b"**", &[]) {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH || crate::stack::is_deep() {
            return Err(self.error_at("expression recursion level exceeded", self.pos));
        }
        let exponent = self.power()?;
        self.depth -= 1;
        let at = self.token() as u32;
        Ok(Expr::Binary(BinaryOp::Pow, Box::new(base), Box::new(exponent), at))
    }

    fn unary(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH || crate::stack::is_deep() {
            return Err(self.error_at("expression recursion level exceeded", self.pos));
        }
        let expr = self.unary_inner()?;
        self.depth -= 1;
        Ok(expr)
    }

    fn unary_inner(&mut self) -> Parsed {
        let op = match self.peek() {
            [a @ (b'+' | b'-'), b, rest @ ..] if a == b => {
                let by = if *a == b'+' { 1 } else { -1 };
                let start = rest.iter().position(|c| !matches!(c, b' ' | b'\t' | b'\n')).unwrap_or(0);
                if rest.get(start).is_some_and(|&c| is_name_start(c)) {
                    self.last = self.pos;
                    self.pos += 2;
                    self.blanks();
                    let place = self.place()?;
                    return Ok(Expr::Step { place, by, post: false });
                }
                if *a == b'+' { UnaryOp::Plus } else { UnaryOp::Minus }
            }
            [b'-', ..] => UnaryOp::Minus,
            [b'+', ..] => UnaryOp::Plus,
            [b'!', b'=', ..] => return Err(self.error_at("syntax error: operand expected", self.pos)),
            [b'!', ..] => UnaryOp::Not,
            [b'~', ..] => UnaryOp::BitNot,
            _ => return self.primary(),
        };
        self.last = self.pos;
        self.pos += 1;
        let operand = self.unary()?;
        Ok(Expr::Unary(op, Box::new(operand)))
    }

    fn primary(&mut self) -> Parsed {
        match self.peek().first().copied() {
            Some(b'(') => {
                self.last = self.pos;
                self.pos += 1;
                let inner = self.comma()?;
                if !self.take(b")", &[]) {
                    let at = self.token();
                    return Err(self.error_at("missing `)'", at));
                }
                Ok(inner)
            }
            Some(b) if b.is_ascii_digit() => {
                let start = self.pos;
                while matches!(self.text.get(self.pos), Some(&b) if is_name_byte(b) || b == b'#' || b == b'@') {
                    self.pos += 1;
                }
                self.last = start;
                parse_constant(&self.text[start..self.pos]).map(Expr::Number)
            }
            Some(b) if is_name_start(b) => {
                let place = self.place()?;
                let by = match self.peek() {
                    [b'+', b'+', ..] => 1,
                    [b'-', b'-', ..] => -1,
                    _ => return Ok(Expr::Load(place)),
                };
                self.last = self.pos;
                self.pos += 2;
                Ok(Expr::Step { place, by, post: true })
            }
            None => Err(self.error_at("syntax error: operand expected", self.last)),
            Some(_) => {
                // bash names the operator it stumbled over; after an operand it is the operator before.
                Err(self.error_at("syntax error: operand expected", self.pos))
            }
        }
    }

    fn place(&mut self) -> Result<Place, ArithError> {
        let start = self.pos;
        while matches!(self.text.get(self.pos), Some(&b) if is_name_byte(b)) {
            self.pos += 1;
        }
        self.last = start;
        let name = Name::new(&self.text[start..self.pos]);
        if self.text.get(self.pos) != Some(&b'[') {
            return Ok(Place { name, subscript: None });
        }
        let open = self.pos;
        let mut depth = 0;
        for (i, &b) in self.text[open..].iter().enumerate() {
            match b {
                b'[' => depth += 1,
                b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.pos = open + i + 1;
                        let text: Box<[u8]> = self.text[open + 1..open + i].into();
                        return Ok(Place { name, subscript: Some(Index { text, expr: OnceCell::new() }) });
                    }
                }
                _ => {}
            }
        }
        Err(self.error_at("bad array subscript", start))
    }
}

enum Operator {
    Or,
    And,
    Binary(BinaryOp),
}

/// The binary operator that comes next, how tightly it binds, and its length. None for `**`, which is not left to right,
/// and for those that assign.
fn binary_operator(rest: &[u8]) -> Option<(Operator, u32, usize)> {
    use BinaryOp::*;
    let (op, level, len) = match rest {
        [b'|', b'|', ..] => return Some((Operator::Or, 0, 2)),
        [b'&', b'&', ..] => return Some((Operator::And, 1, 2)),
        [b'=', b'=', ..] => (Eq, 5, 2),
        [b'!', b'=', ..] => (Ne, 5, 2),
        [b'<', b'<', b'=', ..] | [b'>', b'>', b'=', ..] => return None,
        [b'<', b'<', ..] => (Shl, 7, 2),
        [b'>', b'>', ..] => (Shr, 7, 2),
        [b'<', b'=', ..] => (Le, 6, 2),
        [b'>', b'=', ..] => (Ge, 6, 2),
        [_, b'=', ..] | [b'*', b'*', ..] => return None,
        // `++` before a name is the one that adds first, and no operator.
        [a @ (b'+' | b'-'), b, rest @ ..]
            if a == b && rest.trim_ascii_start().first().is_some_and(|&b| is_name_start(b)) =>
        {
            return None;
        }
        [b'|', ..] => (BitOr, 2, 1),
        [b'^', ..] => (BitXor, 3, 1),
        [b'&', ..] => (BitAnd, 4, 1),
        [b'<', ..] => (Lt, 6, 1),
        [b'>', ..] => (Gt, 6, 1),
        [b'+', ..] => (Add, 8, 1),
        [b'-', ..] => (Sub, 8, 1),
        [b'*', ..] => (Mul, 9, 1),
        [b'/', ..] => (Div, 9, 1),
        [b'%', ..] => (Rem, 9, 1),
        _ => return None,
    };
    Some((Operator::Binary(op), level, len))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn errors_name_the_token() {
        let error = parse(b"1 +").unwrap_err();
        assert_eq!((error.message, &error.token[..]), ("syntax error: operand expected", &b"+"[..]));
        assert_eq!(parse(b"08").unwrap_err().message, "value too great for base");
        assert_eq!(parse(b"1=2").unwrap_err().message, "attempted assignment to non-variable");
        assert!(parse(&b"(".repeat(100_000)).is_err());
        assert!(parse(&b"-".repeat(100_000)).is_err());
    }
}
