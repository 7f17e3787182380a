//! Patterns as Perl has them, for `grep -P`: what PCRE knows but for the verbs `ACCEPT`, `THEN` and `MARK`, and calls of
//! groups that are tried again in another way.
//!
//! * [`parse`]: a pattern becomes a tree ([`ast`]), and that steps ([`program`])
//! * [`machine`]: one path after the other, the preferred first, within a number of steps
//! * [`relax`]: a regular pattern that matches at least as much; it finds the lines that are worth a try

mod ast;
mod machine;
mod parse;
mod program;
mod relax;

pub use machine::TooMuch;

use crate::error::Error;
use crate::program::Program as PlainProgram;
use crate::search::Search;
use crate::{Groups, Whole};
use ast::{Ast, Look, Verb};
use machine::{Machine, Room};
use program::Program;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PerlOptions {
    pub ignore_case: bool,
    /// Characters are UTF-8; otherwise each byte is one.
    pub utf8: bool,
    /// `^` and `$` also match at newlines.
    pub multi_line: bool,
    /// Each line is a text of its own, see [`Perl::find_line`].
    pub lines: bool,
}

/// A pattern, ready to match.
pub struct Perl {
    program: Program,
    groups: usize,
    utf8: bool,
    /// Finds where a match may be.
    node: Rc<crate::node::Node>,
    plain: OnceCell<Rc<PlainProgram>>,
    search: RefCell<Search>,
    exact: bool,
    room: RefCell<Room>,
}

impl Perl {
    pub fn new(pattern: &[u8], options: &PerlOptions, whole: Whole) -> Result<Perl, Error> {
        let flags = parse::Flags {
            ignore_case: options.ignore_case,
            multi_line: options.multi_line,
            ..parse::Flags::default()
        };
        let (mut ast, groups, names) = parse::parse(pattern, options.utf8, flags)?;
        if whole != Whole::No {
            ast = around(ast, whole);
        }
        let program = program::compile(&ast, groups, &names)?;
        let relaxed = relax::relax(&ast, &names, options.utf8, options.lines);
        let mut exact = relaxed.exact;
        let node = crate::relax::relax(&relaxed.node).unwrap_or_else(|| {
            exact = false;
            crate::node::Node::Empty
        });
        let node = Rc::new(node);
        Ok(Perl {
            program,
            groups,
            utf8: options.utf8,
            search: RefCell::new(Search::new(node.clone(), options.utf8)),
            node,
            plain: OnceCell::new(),
            exact,
            room: RefCell::default(),
        })
    }

    /// How many groups there are, without the whole match.
    pub fn group_count(&self) -> usize {
        self.groups
    }

    /// The first match that starts at `from` or later, with its groups.
    pub fn captures_at(&self, text: &[u8], from: usize, groups: &mut Groups) -> Result<bool, TooMuch> {
        if from > text.len() {
            return Ok(false);
        }
        let view = crate::machine::Text { bytes: text, utf8: self.utf8, not_bol: false };
        let next = |from: usize| match self.program.steers {
            true => Some(from),
            false => self.search.borrow_mut().find(view, from, || self.plain()).map(|found| found.0),
        };
        let Some(mut start) = next(from) else { return Ok(false) };
        let room = self.room.take();
        let mut machine = Machine::new(&self.program, self.groups, (text, from), self.utf8, room);
        let found = loop {
            match (machine.at(start, groups), machine.verdict.take()) {
                (Ok(false), Some((Verb::Commit, _))) => break Ok(false),
                (Ok(false), Some((Verb::Skip, at))) if at > start => start = at,
                (Ok(false), _) if start < text.len() => start += view.unit(start).1,
                (other, _) => break other,
            }
            match next(start) {
                Some(found) => start = found,
                None => break Ok(false),
            }
        };
        self.room.replace(machine.into_room());
        found
    }

    pub fn find_at(&self, text: &[u8], from: usize) -> Result<Option<(usize, usize)>, TooMuch> {
        let mut groups = Groups::new();
        Ok(if self.captures_at(text, from, &mut groups)? { groups[0] } else { None })
    }

    /// A place in the first line at `from` or later that has a match, or the end of that line. Lines end with a newline.
    pub fn find_line(&self, text: &[u8], from: usize) -> Result<Option<usize>, TooMuch> {
        let mut from = from;
        while from <= text.len() {
            let found = self.search.borrow_mut().find_in_lines(text, from, &|| self.plain());
            let Some(found) = found else { return Ok(None) };
            if self.exact {
                return Ok(Some(found));
            }
            let start = memchr::memrchr(b'\n', &text[from..found]).map_or(from, |i| from + i + 1);
            let end = memchr::memchr(b'\n', &text[found..]).map_or(text.len(), |i| found + i);
            if let Some(inside) = self.find_at(&text[start..end], 0)? {
                return Ok(Some(start + inside.1));
            }
            from = end + 1;
        }
        Ok(None)
    }

    fn plain(&self) -> Rc<PlainProgram> {
        self.plain.get_or_init(|| Rc::new(PlainProgram::new(&self.node))).clone()
    }
}

/// The pattern with what must be around it.
fn around(ast: Ast, whole: Whole) -> Ast {
    let (before, after) = match whole {
        Whole::Line => (Ast::Look(Look::LineStart), Ast::Look(Look::LineEnd)),
        _ => (Ast::Look(Look::NotAfterWord), Ast::Look(Look::NotBeforeWord)),
    };
    Ast::Cat(vec![before, ast, after])
}
