//! From a pattern to its tree, with the rules of context of GNU's C library: which `*` is a star depends on what is
//! before it, and that on the dialect.

use crate::error::*;
use crate::node::{Look, Node};
use crate::set::{Builder, Set};
use crate::unit::{self, Unit};
use crate::{Options, Syntax};
use regex_syntax::hir::ClassUnicodeRange;
use std::rc::Rc;

mod bracket;
mod token;

use token::Token;

/// Groups and repetitions inside each other; each level is some frames of stack.
const MAX_DEPTH: usize = 200;
/// Steps of a pattern with its repetitions written out.
const MAX_SIZE: usize = 400_000;
/// What `{n,m}` may ask for at most.
const MAX_REPEAT: u32 = 0x7fff;

pub struct Parsed {
    pub node: Node,
    /// Without the whole match.
    pub groups: usize,
    pub has_back: bool,
    pub warnings: Vec<&'static str>,
}

/// What an operator of repetition does where nothing is before it.
#[derive(Clone, Copy, PartialEq)]
enum Leading {
    Literal,
    Error,
    Skip,
}

pub struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    options: &'a Options,
    /// `(`, `|`, `{` without a backslash; anchors everywhere.
    extended: bool,
    leading: Leading,
    /// `{` that begins no interval is itself.
    loose_interval: bool,
    /// A `)` without a `(` is itself.
    loose_close: bool,
    groups: usize,
    /// The groups of the patterns before.
    first: usize,
    /// The groups that are closed already.
    closed: Vec<bool>,
    depth: usize,
    /// From here on nothing ends an interval: a pattern full of open braces is not read to its end for each of them.
    barren: usize,
    has_back: bool,
    /// The fold set of the last letter: words repeat letters.
    any: Option<Rc<Set>>,
    warnings: Vec<&'static str>,
}

/// Several patterns as alternatives. A back-reference means a group of its own pattern. `bare`: nothing is put around them.
pub fn parse_all(patterns: &[&[u8]], options: &Options, bare: bool) -> Result<Parsed, Error> {
    if let [only] = patterns {
        return parse(only, options, 0, bare);
    }
    let mut all = Parsed { node: Node::Empty, groups: 0, has_back: false, warnings: Vec::new() };
    let mut nodes = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        let one = parse(pattern, options, all.groups, false)?;
        all.groups = one.groups;
        all.has_back |= one.has_back;
        all.warnings.extend(one.warnings);
        nodes.push(one.node);
    }
    all.node = Node::Alt(nodes);
    Ok(all)
}

fn parse(text: &[u8], options: &Options, groups: usize, bare: bool) -> Result<Parsed, Error> {
    let awk = options.syntax == Syntax::Awk;
    let extended = matches!(options.syntax, Syntax::Extended | Syntax::Awk);
    let lenient = options.lenient;
    let mut parser = Parser {
        text,
        at: 0,
        options,
        extended,
        leading: match options.syntax {
            Syntax::Extended if lenient => Leading::Skip,
            Syntax::Extended => Leading::Error,
            Syntax::Basic | Syntax::Emacs | Syntax::Awk | Syntax::Literal => Leading::Literal,
        },
        loose_interval: awk || extended && lenient,
        loose_close: awk || extended && (lenient || options.loose_close) || options.posix && !extended,
        groups,
        first: groups,
        closed: vec![false; groups + 1],
        depth: 0,
        barren: usize::MAX,
        has_back: false,
        any: None,
        warnings: Vec::new(),
    };
    let node = if options.syntax == Syntax::Literal { parser.literals() } else { parser.choice(true)? };
    if parser.at < text.len() {
        return Err(CLOSE_GROUP);
    }
    if size(&node) > MAX_SIZE && !(bare && is_text(&node)) {
        return Err(TOO_BIG);
    }
    Ok(Parsed { node, groups: parser.groups, has_back: parser.has_back, warnings: parser.warnings })
}

/// Whether it is a text and nothing else: such a one is looked for as it is, without any steps.
fn is_text(node: &Node) -> bool {
    matches!(node, Node::Cat(all) if all.iter().all(|node| matches!(node, Node::Byte(_) | Node::Char(_))))
}

/// The number of steps when repetitions are written out.
fn size(node: &Node) -> usize {
    match node {
        Node::Cat(all) | Node::Alt(all) => all.iter().fold(all.len(), |sum, node| sum.saturating_add(size(node))),
        Node::Group(_, inner) => size(inner).saturating_add(2),
        Node::Repeat(inner, least, most) => {
            let times = most.unwrap_or(*least + 1).max(1) as usize;
            size(inner).saturating_add(1).saturating_mul(times)
        }
        _ => 1,
    }
}

impl Parser<'_> {
    /// Alternatives, up to the `)` of the group or the end.
    fn choice(&mut self, outermost: bool) -> Result<Node, Error> {
        let before = self.closed.len();
        let mut all = vec![self.branch(outermost)?];
        while self.peek(false).0 == Token::Alt {
            self.at += self.peek(false).1;
            // The groups of one alternative are nothing to another.
            let closed = self.closed[before..].to_vec();
            self.closed[before..].fill(false);
            all.push(self.branch(outermost)?);
            self.closed[before..].iter_mut().zip(closed).for_each(|(here, there)| *here |= there);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Node::Alt(all) })
    }

    fn branch(&mut self, outermost: bool) -> Result<Node, Error> {
        let mut all: Vec<Node> = Vec::new();
        loop {
            // In a basic expression `^` is an anchor only here.
            let (token, len) = self.peek(all.is_empty());
            match token {
                Token::End | Token::Alt => break,
                Token::Close if !outermost => break,
                Token::Close if !self.loose_close => return Err(CLOSE_GROUP),
                _ => {}
            }
            self.at += len;
            self.expression(token, &mut all)?;
        }
        Ok(match all.len() {
            0 => Node::Empty,
            1 => all.remove(0),
            _ => Node::Cat(all),
        })
    }

    /// One expression with its repetitions.
    fn expression(&mut self, token: Token, all: &mut Vec<Node>) -> Result<(), Error> {
        let node = match token {
            // Conditions are not repeated; GNU's grep repeats anchors all the same.
            Token::Look(look) if look.is_word() || self.leading != Leading::Skip => {
                all.push(Node::Look(look));
                return Ok(());
            }
            Token::Look(look) => {
                let next = self.peek(false).0;
                if begins(all) && matches!(next, Token::Star | Token::Plus | Token::Question | Token::OpenInterval) {
                    self.warn(next);
                }
                Node::Look(look)
            }
            Token::Star | Token::Plus | Token::Question | Token::OpenInterval => match self.lead(token, begins(all))? {
                None => return Ok(()),
                Some(node) => node,
            },
            Token::Unit(unit) => self.literal(unit),
            Token::Close => self.literal(Unit::Byte(b')')),
            Token::CloseInterval => self.literal(Unit::Byte(b'}')),
            Token::Any => self.dot(),
            Token::Bracket => self.bracket()?,
            Token::Word(wanted) => self.class(wanted, Builder::word),
            Token::Space(wanted) => self.class(wanted, |set| {
                let space = set.named(b"space", false);
                debug_assert!(space.is_ok());
            }),
            Token::Back(n) => {
                let n = self.first + n;
                if !self.closed.get(n).is_some_and(|closed| *closed) {
                    return Err(BAD_BACK_REFERENCE);
                }
                self.has_back = true;
                Node::Back(n)
            }
            Token::Open => self.group()?,
            Token::TrailingBackslash => return Err(TRAILING_BACKSLASH),
            Token::Alt | Token::End => Node::Empty,
        };
        let node = self.repeated(node)?;
        all.push(node);
        Ok(())
    }

    fn warn(&mut self, operator: Token) {
        self.warnings.push(match operator {
            Token::Star => "* at start of expression",
            Token::Plus => "+ at start of expression",
            Token::Question => "? at start of expression",
            _ => "{...} at start of expression",
        });
    }

    /// An operator of repetition with nothing before it.
    fn lead(&mut self, token: Token, begins: bool) -> Result<Option<Node>, Error> {
        let basic = self.options.syntax == Syntax::Basic;
        let literal = match token {
            Token::Star => b'*',
            Token::Plus => b'+',
            Token::Question => b'?',
            _ => b'{',
        };
        if token == Token::OpenInterval {
            if basic && !self.options.lenient {
                return Err(BAD_REPEAT);
            }
            if self.leading == Leading::Skip {
                let start = self.at;
                if let Ok(Some(_)) = self.interval() {
                    if begins {
                        self.warn(token);
                    }
                    return Ok(None);
                }
                self.at = start;
                return Ok(Some(self.literal(Unit::Byte(b'{'))));
            }
        }
        match self.leading {
            Leading::Error => Err(BAD_REPEAT),
            Leading::Literal => Ok(Some(self.literal(Unit::Byte(literal)))),
            Leading::Skip => {
                if begins {
                    self.warn(token);
                }
                Ok(None)
            }
        }
    }

    fn group(&mut self) -> Result<Node, Error> {
        self.deeper()?;
        self.groups += 1;
        let number = self.groups;
        self.closed.push(false);
        let inner = self.choice(false)?;
        let (token, len) = self.peek(false);
        if token != Token::Close {
            return Err(OPEN_GROUP);
        }
        self.at += len;
        self.depth -= 1;
        self.closed[number] = true;
        Ok(Node::Group(number, Box::new(inner)))
    }

    fn deeper(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(TOO_BIG) } else { Ok(()) }
    }

    fn repeated(&mut self, mut node: Node) -> Result<Node, Error> {
        let depth = self.depth;
        loop {
            let (token, len) = self.peek(false);
            let (least, most) = match token {
                Token::Star => (0, None),
                Token::Plus => (1, None),
                Token::Question => (0, Some(1)),
                Token::OpenInterval => {
                    let start = self.at;
                    self.at += len;
                    match self.interval()? {
                        Some(times) => {
                            self.at -= len;
                            times
                        }
                        None => {
                            self.at = start;
                            break;
                        }
                    }
                }
                _ => break,
            };
            self.at += len;
            node = match (node, least, most) {
                (_, 0, Some(0)) => Node::Empty,
                // Repeating a repetition without bounds once more changes nothing.
                (Node::Repeat(inner, low, None), 0, None) if low <= 1 => Node::Repeat(inner, 0, None),
                (node @ Node::Repeat(_, 0, None), 1, None) | (node, 1, Some(1)) => node,
                (node, ..) => {
                    self.deeper()?;
                    Node::Repeat(Box::new(node), least, most)
                }
            };
            if !self.extended
                && !self.options.lenient
                && matches!(self.peek(false).0, Token::Star | Token::OpenInterval)
            {
                return Err(BAD_REPEAT);
            }
        }
        self.depth = depth;
        Ok(node)
    }

    /// The inside of `{…}` with its end; none when it is to be taken literally.
    fn interval(&mut self) -> Result<Option<(u32, Option<u32>)>, Error> {
        let (mut end, least) = self.number();
        let mut most = least;
        let least = match least {
            Number::None if end == Token::Unit(Unit::Byte(b',')) => Number::Some(0),
            Number::None => return Err(BAD_INTERVAL),
            other => other,
        };
        if end == Token::Unit(Unit::Byte(b',')) && least != Number::Bad {
            (end, most) = self.number();
        }
        let (Number::Some(low), true) = (least, most != Number::Bad && end == Token::CloseInterval) else {
            return match (self.loose_interval, end) {
                (true, _) => Ok(None),
                (false, Token::End) => Err(OPEN_BRACE),
                _ => Err(BAD_INTERVAL),
            };
        };
        let high = match most {
            Number::Some(high) => Some(high),
            _ => None,
        };
        if high.is_some_and(|high| high < low) {
            return Err(BAD_INTERVAL);
        }
        if high.unwrap_or(low) > MAX_REPEAT {
            return Err(TOO_BIG);
        }
        Ok(Some((low, high)))
    }

    /// A number in an interval, and the token that ends it: a comma, the closing brace or the end of the pattern.
    fn number(&mut self) -> (Token, Number) {
        let mut number = Number::None;
        let start = self.at;
        loop {
            if self.at >= self.barren {
                return (Token::End, Number::Bad);
            }
            let (token, len) = self.peek(false);
            self.at += len;
            number = match (token, number) {
                (Token::End | Token::TrailingBackslash, _) => {
                    self.barren = start;
                    return (Token::End, Number::Bad);
                }
                (Token::CloseInterval, _) => return (token, number),
                (Token::Unit(unit), number) => match (byte(unit), number) {
                    (Some(b','), _) => return (Token::Unit(Unit::Byte(b',')), number),
                    (Some(digit @ b'0'..=b'9'), Number::None) => Number::Some(u32::from(digit - b'0')),
                    (Some(digit @ b'0'..=b'9'), Number::Some(n)) => {
                        Number::Some((n * 10 + u32::from(digit - b'0')).min(MAX_REPEAT + 1))
                    }
                    _ => Number::Bad,
                },
                _ => Number::Bad,
            };
        }
    }

    fn literal(&mut self, unit: Unit) -> Node {
        let unit = match unit {
            Unit::Byte(b) if self.options.utf8 && b < 128 => Unit::Char(b.into()),
            other => other,
        };
        if self.options.ignore_case {
            let set = self.build(|set| {
                match unit {
                    Unit::Char(c) => set.chars(c, c),
                    Unit::Byte(b) => set.byte(b),
                }
                set.fold();
            });
            let alone = match unit {
                Unit::Char(c) if !c.is_ascii() => set.low == 0 && set.wide().ranges() == [(c, c)].map(range),
                Unit::Char(_) | Unit::Byte(_) => set.low.count_ones() + set.high.count_ones() == 1,
            };
            if !alone {
                return Node::Set(Rc::new(set));
            }
        }
        match unit {
            Unit::Char(c) => Node::Char(c),
            Unit::Byte(b) => Node::Byte(b),
        }
    }

    /// The pattern itself.
    fn literals(&mut self) -> Node {
        let mut all = Vec::with_capacity(self.text.len());
        while self.at < self.text.len() {
            let (unit, len) = unit::first(&self.text[self.at..], self.options.utf8);
            self.at += len;
            all.push(self.literal(unit));
        }
        if all.is_empty() { Node::Empty } else { Node::Cat(all) }
    }

    fn dot(&mut self) -> Node {
        if self.options.newline_any {
            return Node::Any;
        }
        if self.any.is_none() {
            let set = self.build(|set| {
                set.negate();
                set.remove(b'\n');
            });
            self.any = Some(Rc::new(set));
        }
        self.any.clone().map_or(Node::Any, Node::Set)
    }

    fn class(&mut self, wanted: bool, fill: impl FnOnce(&mut Builder)) -> Node {
        let newline = self.options.newline_any;
        let set = self.build(|set| {
            fill(set);
            if !wanted {
                set.negate();
            }
            if !newline {
                set.remove(b'\n');
            }
        });
        Node::Set(Rc::new(set))
    }

    fn build(&self, fill: impl FnOnce(&mut Builder)) -> Set {
        let mut set = Builder::new(self.options.utf8);
        fill(&mut set);
        set.build()
    }
}

/// Whether nothing but conditions is before the end of a branch.
fn begins(branch: &[Node]) -> bool {
    branch.iter().all(|node| matches!(node, Node::Look(_)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    None,
    Bad,
    Some(u32),
}

fn range((from, to): (char, char)) -> ClassUnicodeRange {
    ClassUnicodeRange::new(from, to)
}

/// The byte that a unit of ASCII is.
fn byte(unit: Unit) -> Option<u8> {
    match unit {
        Unit::Byte(b) => Some(b),
        Unit::Char(c) => u8::try_from(c).ok().filter(u8::is_ascii),
    }
}
