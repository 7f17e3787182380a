//! From a pattern to its tree, with PCRE's messages.

use super::ast::{Ast, Condition, Kind, Look, Reference, Verb};
use crate::error::Error;
use crate::set::Builder;
use crate::unit::{self, Unit};
use std::rc::Rc;

mod class;
mod escape;
mod group;

/// Groups inside each other; each level is some frames of stack.
const MAX_DEPTH: usize = 200;
const MAX_REPEAT: u32 = 65535;

macro_rules! errors {
    ($($name:ident $message:literal)*) => { $(pub(super) const $name: Error = Error { message: $message };)* };
}

errors! {
    BAD_ESCAPE "unrecognized character follows \\"
    BAD_NAME "subpattern name must start with a non-digit"
    BAD_OPTION "unrecognized character after (? or (?-"
    BAD_PROPERTY "unknown property after \\P or \\p"
    BAD_RANGE "invalid range in character class"
    BAD_VERB "(*VERB) not recognized or malformed"
    BIG_CODE "character code point value in \\x{} or \\o{} is too large"
    BIG_NUMBER "number too big in {} quantifier"
    CLOSE_GROUP "unmatched closing parenthesis"
    CONTROL_AT_END "\\c at end of pattern"
    MANY_BRANCHES "conditional subpattern contains more than two branches"
    MISPLACED_CLASS "POSIX named classes are supported only within a class"
    NO_CLASS "unknown POSIX class name"
    NO_GROUP "reference to non-existent subpattern"
    NO_REPEATED "quantifier does not follow a repeatable item"
    NOT_FIXED "lookbehind assertion is not fixed length"
    ONLY_UNICODE "\\N{U+dddd} is supported only in Unicode (UTF) mode"
    OPEN_CLASS "missing terminating ] for character class"
    OPEN_COMMENT "missing ) after (?# comment"
    OPEN_GROUP "missing closing parenthesis"
    OPEN_NAME "syntax error in subpattern name (missing terminator?)"
    ORDER "numbers out of order in {} quantifier"
    RANGE_ORDER "range out of order in character class"
    SAME_NAME "two named subpatterns have the same name (PCRE2_DUPNAMES not set)"
    TOO_BIG "regular expression is too large"
    TOO_DEEP "parentheses are too deeply nested"
    TRAILING_BACKSLASH "\\ at end of pattern"
    UNSUPPORTED "PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u"
}

/// `(?imsxnUJ)`
#[derive(Clone, Copy, Default)]
pub struct Flags {
    pub ignore_case: bool,
    pub multi_line: bool,
    pub dot_all: bool,
    pub extended: bool,
    /// Blanks in classes mean nothing either.
    pub more_extended: bool,
    pub no_capture: bool,
    pub lazy: bool,
    pub same_names: bool,
}

/// Names of groups, with their numbers.
pub type Names = Vec<(Vec<u8>, usize)>;

pub struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    utf8: bool,
    /// `\d`, `\w` and `\s` know more than ASCII.
    ucp: bool,
    flags: Flags,
    pub groups: usize,
    pub names: Names,
    depth: usize,
    /// Between `\Q` and `\E`.
    quoting: bool,
}

pub fn parse(text: &[u8], utf8: bool, flags: Flags) -> Result<(Ast, usize, Names), Error> {
    let mut parser =
        Parser { text, at: 0, utf8, ucp: false, flags, groups: 0, names: Vec::new(), depth: 0, quoting: false };
    parser.verbs()?;
    let ast = parser.choice()?;
    if parser.at < text.len() {
        return Err(CLOSE_GROUP);
    }
    Ok((ast, parser.groups, parser.names))
}

impl Parser<'_> {
    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, what: &[u8]) -> bool {
        let found = self.rest().starts_with(what);
        self.at += if found { what.len() } else { 0 };
        found
    }

    /// `(*UTF)` and the like, which ask for what is so already.
    fn verbs(&mut self) -> Result<(), Error> {
        while self.rest().starts_with(b"(*") {
            let Some(end) = memchr::memchr(b')', self.rest()) else { return Ok(()) };
            match &self.rest()[2..end] {
                b"UCP" => {
                    self.ucp = true;
                    self.at += end + 1;
                }
                b"UTF" | b"UTF8" | b"LF" | b"ANYCRLF" | b"ANY" | b"NO_JIT" | b"NO_AUTO_POSSESS" | b"NO_START_OPT"
                | b"BSR_UNICODE" | b"BSR_ANYCRLF" => self.at += end + 1,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Alternatives, up to a `)` or the end. Options set inside end with it.
    fn choice(&mut self) -> Result<Ast, Error> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        let flags = self.flags;
        let mut all = vec![self.sequence()?];
        while self.peek() == Some(b'|') {
            self.at += 1;
            all.push(self.sequence()?);
        }
        self.flags = flags;
        self.depth -= 1;
        Ok(if all.len() == 1 { all.remove(0) } else { Ast::Alt(all) })
    }

    fn sequence(&mut self) -> Result<Ast, Error> {
        let mut all: Vec<Ast> = Vec::new();
        // Whether the last item may be repeated.
        let mut repeatable = false;
        loop {
            self.skip_ignored()?;
            let Some(b) = self.peek() else { break };
            if self.quoting {
                all.push(self.plain());
                repeatable = true;
                continue;
            }
            if matches!(b, b'|' | b')') {
                break;
            }
            if let Some((least, most)) = self.quantifier()? {
                let Some(inner) = all.pop().filter(|_| repeatable) else { return Err(NO_REPEATED) };
                let kind = match self.peek() {
                    Some(b'+') => Kind::Possessive,
                    Some(b'?') if self.flags.lazy => Kind::Greedy,
                    Some(b'?') => Kind::Lazy,
                    _ if self.flags.lazy => Kind::Lazy,
                    _ => Kind::Greedy,
                };
                self.at += usize::from(matches!(self.peek(), Some(b'+' | b'?')));
                all.push(Ast::Repeat { inner: Box::new(inner), least, most, kind });
                repeatable = false;
                continue;
            }
            if let Some(atom) = self.atom()? {
                repeatable = !matches!(atom, Ast::Look(_) | Ast::Keep);
                all.push(atom);
            }
        }
        Ok(match all.len() {
            0 => Ast::Empty,
            1 => all.remove(0),
            _ => Ast::Cat(all),
        })
    }

    /// Comments, and blanks where they mean nothing.
    fn skip_ignored(&mut self) -> Result<(), Error> {
        loop {
            if self.quoting {
                if !self.eat(b"\\E") {
                    return Ok(());
                }
                self.quoting = false;
            } else if self.eat(b"\\Q") {
                self.quoting = true;
            } else if self.eat(b"\\E") {
            } else if self.eat(b"(?#") {
                self.at += memchr::memchr(b')', self.rest()).ok_or(OPEN_COMMENT)? + 1;
            } else if self.flags.extended && self.peek().is_some_and(|b| b.is_ascii_whitespace() || b == 11) {
                self.at += 1;
            } else if self.flags.extended && self.peek() == Some(b'#') {
                let rest = self.rest();
                self.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |i| i + 1);
            } else {
                return Ok(());
            }
        }
    }

    /// `*`, `+`, `?`, `{n}`, `{n,}` or `{n,m}`.
    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, Error> {
        let times = match self.peek() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => {
                let rest = &self.rest()[1..];
                let Some(end) = memchr::memchr(b'}', rest) else { return Ok(None) };
                let Some(text) = std::str::from_utf8(&rest[..end]).ok() else { return Ok(None) };
                let (low, high) = text.split_once(',').map_or((text, None), |(low, high)| (low, Some(high)));
                let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
                if low.is_empty() || !digits(low) || !high.is_none_or(digits) {
                    return Ok(None);
                }
                let number = |text: &str| text.parse().ok().filter(|n| *n <= MAX_REPEAT).ok_or(BIG_NUMBER);
                let least = number(low)?;
                let most = match high {
                    None => Some(least),
                    Some("") => None,
                    Some(high) => Some(number(high)?),
                };
                if most.is_some_and(|most| most < least) {
                    return Err(ORDER);
                }
                self.at += end + 2;
                return Ok(Some((least, most)));
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(times))
    }

    /// One item; none where it only sets options.
    fn atom(&mut self) -> Result<Option<Ast>, Error> {
        let multi_line = self.flags.multi_line;
        let atom = match self.peek() {
            Some(b'(') => return self.group(),
            Some(b'\\') => return self.escape().map(Some),
            Some(b'[') => {
                self.at += 1;
                return self.class().map(Some);
            }
            Some(b'.') if self.flags.dot_all => Ast::AnyAtAll,
            Some(b'.') => Ast::Any,
            Some(b'^') => Ast::Look(if multi_line { Look::LineStart } else { Look::TextStart }),
            Some(b'$') => Ast::Look(if multi_line { Look::LineEnd } else { Look::LastLineEnd }),
            _ => return Ok(Some(self.plain())),
        };
        self.at += 1;
        Ok(Some(atom))
    }

    /// The next character, as it is.
    fn plain(&mut self) -> Ast {
        let (unit, len) = unit::first(self.rest(), self.utf8);
        self.at += len;
        self.literal(unit)
    }

    fn literal(&self, unit: Unit) -> Ast {
        let unit = match unit {
            Unit::Byte(b) if self.utf8 && b < 128 => Unit::Char(b.into()),
            other => other,
        };
        if self.flags.ignore_case {
            let mut set = Builder::new(self.utf8);
            match unit {
                Unit::Char(c) => set.chars(c, c),
                Unit::Byte(b) => set.byte(b),
            }
            set.fold();
            return self.set(set);
        }
        Ast::Unit(unit)
    }

    fn set(&self, set: Builder) -> Ast {
        Ast::Set(Rc::new(set.build()))
    }

    /// Digits up to a closing character.
    fn number_until(&mut self, end: u8, base: u32) -> Result<u32, Error> {
        let rest = self.rest();
        let len = memchr::memchr(end, rest).ok_or(BAD_ESCAPE)?;
        let text = std::str::from_utf8(&rest[..len]).map_err(|_| BAD_ESCAPE)?;
        let digits = !text.is_empty() && text.chars().all(|c| c.is_digit(base));
        let n = if digits { u32::from_str_radix(text, base).map_err(|_| BIG_CODE)? } else { return Err(BAD_ESCAPE) };
        self.at += len + 1;
        Ok(n)
    }
}
