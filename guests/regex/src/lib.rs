//! The regular expressions of POSIX with GNU's additions: one engine for grep, sed, awk, expr and the shell.
//!
//! * `parse`: a pattern in one of the dialects becomes a tree (`node`), sets of characters are in `set`
//! * `program`: the tree as steps; `pike` follows all paths at once and finds the leftmost longest match in linear
//!   time, `backtrack` follows one and finds the groups, and matches with back-references
//!
//! A match is the leftmost, then the longest one. Where its groups can lie in several ways they lie as with GNU's C
//! library: on the path that prefers earlier alternatives and more turns.

mod backtrack;
mod error;
mod machine;
mod node;
mod parse;
mod pike;
mod program;
mod set;
mod unit;

pub use error::Error;

use backtrack::Backtracker;
use machine::Text;
use node::Node;
use program::Program;
use std::cell::RefCell;

/// How a pattern is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Syntax {
    /// `\(a\|b\)\{2\}`, with GNU's `\+` and `\?`.
    #[default]
    Basic,
    /// `(a|b){2}`
    Extended,
    /// Extended, with the escapes of awk (`\t`, `\052`, `\/`), also in brackets; `\y` is the edge of a word, and there
    /// are no back-references.
    Awk,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub syntax: Syntax,
    pub ignore_case: bool,
    /// Characters are UTF-8; otherwise each byte is one.
    pub utf8: bool,
    /// `^` and `$` also match at newlines.
    pub multi_line: bool,
    /// Whether `.`, `[^x]`, `\W` and `\S` match a newline.
    pub newline_any: bool,
    /// As grep reads patterns: a repetition of nothing is no error, nor is a `{` that begins no interval.
    pub lenient: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            syntax: Syntax::Basic,
            ignore_case: false,
            utf8: false,
            multi_line: false,
            newline_any: true,
            lenient: false,
        }
    }
}

/// Where the groups matched; the first is the whole match.
pub type Groups = Vec<Option<(usize, usize)>>;

/// A pattern, ready to match.
pub struct Regex {
    program: Program,
    groups: usize,
    /// The groups that are referred to.
    used: Option<Vec<usize>>,
    options: Options,
    warnings: Vec<&'static str>,
    backtracker: RefCell<Backtracker>,
}

impl Regex {
    pub fn new(pattern: &[u8], options: &Options) -> Result<Regex, Error> {
        let parsed = parse::parse(pattern, options)?;
        let used = parsed.has_back.then(|| {
            let mut used = Vec::new();
            referred(&parsed.node, &mut used);
            used
        });
        Ok(Regex {
            program: Program::new(&parsed.node),
            groups: parsed.groups,
            used,
            options: *options,
            warnings: parsed.warnings,
            backtracker: RefCell::default(),
        })
    }

    /// How many groups there are, without the whole match.
    pub fn group_count(&self) -> usize {
        self.groups
    }

    /// What is odd about the pattern, as grep words it after `warning: `.
    pub fn warnings(&self) -> &[&'static str] {
        &self.warnings
    }

    pub fn is_match(&self, text: &[u8]) -> bool {
        self.find_at(text, 0, false).is_some()
    }

    /// The leftmost longest match that starts at `from` or later. What is before `from` is seen by `^`, `\<` and `\b`;
    /// `not_bol`: the text does not start at the start of a line.
    pub fn find_at(&self, text: &[u8], from: usize, not_bol: bool) -> Option<(usize, usize)> {
        if self.used.is_some() {
            let mut groups = Groups::new();
            return if self.captures_at(text, from, not_bol, &mut groups) { groups[0] } else { None };
        }
        pike::find(&self.program, self.text(text, not_bol), from)
    }

    /// The same with its groups.
    pub fn captures_at(&self, text: &[u8], from: usize, not_bol: bool, groups: &mut Groups) -> bool {
        groups.clear();
        groups.resize(self.groups + 1, None);
        let Some(used) = &self.used else {
            let Some(found) = self.find_at(text, from, not_bol) else { return false };
            groups[0] = Some(found);
            return self.groups == 0
                || self.backtracker.borrow_mut().groups(&self.program, self.text(text, not_bol), found, groups);
        };
        let (text, fold) = (self.text(text, not_bol), self.options.ignore_case);
        let mut backtracker = self.backtracker.borrow_mut();
        let mut start = from;
        loop {
            if backtracker.longest(&self.program, text, start, used, fold, groups).is_some() {
                return true;
            }
            if start >= text.bytes.len() {
                return false;
            }
            start += text.unit(start).1;
        }
    }

    fn text<'t>(&self, bytes: &'t [u8], not_bol: bool) -> Text<'t> {
        Text { bytes, utf8: self.options.utf8, not_bol }
    }
}

fn referred(node: &Node, into: &mut Vec<usize>) {
    match node {
        Node::Back(n) if !into.contains(n) => into.push(*n),
        Node::Group(_, inner) | Node::Repeat(inner, ..) => referred(inner, into),
        Node::Cat(all) | Node::Alt(all) => all.iter().for_each(|node| referred(node, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
