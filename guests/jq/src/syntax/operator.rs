//! Operators with two sides: how strongly they bind.

use super::lex::Token;
use super::{Assignment, Binary, Comparison, Math};

#[derive(Clone, Copy, PartialEq)]
pub enum Side {
    Left,
    Right,
    /// Does not chain.
    Alone,
}

/// The operator of a mark or a word: precedence, side, meaning.
pub fn operator(token: &Token) -> Option<(u8, Side, Binary)> {
    use Binary::{Alternative, And, Assign, Compare, Or};
    let math = |math| Some((7 + u8::from(!matches!(math, Math::Add | Math::Subtract)), Side::Left, Binary::Math(math)));
    let compare = |comparison| Some((6, Side::Alone, Compare(comparison)));
    let assign = |assignment| Some((3, Side::Alone, Assign(assignment)));
    match token {
        Token::Name(name) if name == "or" => Some((4, Side::Left, Or)),
        Token::Name(name) if name == "and" => Some((5, Side::Left, And)),
        Token::Mark(mark) => match *mark {
            "//" => Some((2, Side::Right, Alternative)),
            "=" => assign(Assignment::Set),
            "|=" => assign(Assignment::Update),
            "+=" => assign(Assignment::Math(Math::Add)),
            "-=" => assign(Assignment::Math(Math::Subtract)),
            "*=" => assign(Assignment::Math(Math::Multiply)),
            "/=" => assign(Assignment::Math(Math::Divide)),
            "%=" => assign(Assignment::Math(Math::Remainder)),
            "//=" => assign(Assignment::Alternative),
            "==" => compare(Comparison::Equal),
            "!=" => compare(Comparison::NotEqual),
            "<" => compare(Comparison::Less),
            "<=" => compare(Comparison::LessEqual),
            ">" => compare(Comparison::Greater),
            ">=" => compare(Comparison::GreaterEqual),
            "+" => math(Math::Add),
            "-" => math(Math::Subtract),
            "*" => math(Math::Multiply),
            "/" => math(Math::Divide),
            "%" => math(Math::Remainder),
            _ => None,
        },
        _ => None,
    }
}
