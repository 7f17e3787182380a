//! The regular expressions of POSIX with GNU's additions: one engine for grep, sed, awk, expr and the shell.
//!
//! * `parse`: a pattern in one of the dialects becomes a tree (`node`), sets of characters are in `set`
//! * `search` finds the leftmost longest match in linear time: by a literal alone (`literal`, `probe`), by lazy DFAs (`automata`,
//!   from the tree by `hir`), or by following all paths of the pattern at once (`pike`)
//! * `backtrack` follows one path after the other: where the groups of a match are, and back-references (`relax` is the
//!   pattern that says where those are worth trying). Both machines run the steps of `program`
//!
//! * `perl`: patterns of Perl's kind, for `grep -P`
//!
//! A match is the leftmost, then the longest one. Where its groups can lie in several ways they lie as with GNU's C
//! library: on the path that prefers earlier alternatives and more turns.

mod automata;
mod backtrack;
mod error;
mod hir;
mod literal;
mod machine;
mod node;
mod parse;
mod perl;
mod pike;
mod probe;
mod program;
mod relax;
mod search;
mod set;
mod unit;

pub use error::Error;
pub use perl::{Perl, PerlOptions, TooMuch};

use backtrack::{Backtracker, Wanted};
use machine::Text;
use node::{Look, Node};
use program::Program;
use search::Search;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

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
    /// As emacs has it, for find and tac: groups and alternatives as in basic ones, `+` and `?` without a backslash, no
    /// intervals.
    Emacs,
    /// Every character is itself.
    Literal,
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
    /// As grep reads patterns: a repetition of nothing is no error, nor is a `{` that begins no interval; with
    /// `multi_line`, each line is a text of its own.
    pub lenient: bool,
    /// A `)` without a `(` is itself, as where C's `regcomp` is used.
    pub loose_close: bool,
    /// `[:space:]` without another pair of brackets is an error, as in grep and sed.
    pub check_classes: bool,
    /// No more than POSIX has: `\w`, `\<` and the like are letters, and so are `\|`, `\+` and `\?` of basic expressions.
    pub posix: bool,
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
            loose_close: false,
            check_classes: false,
            posix: false,
        }
    }
}

/// Where the groups matched; the first is the whole match.
pub type Groups = Vec<Option<(usize, usize)>>;

/// What a match must be besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Whole {
    #[default]
    No,
    /// With no part of a word before it or behind it.
    Word,
    Line,
}

/// A pattern, ready to match.
pub struct Regex {
    node: Rc<Node>,
    groups: usize,
    /// The groups that are referred to.
    used: Option<Vec<usize>>,
    options: Options,
    warnings: Vec<&'static str>,
    program: OnceCell<Rc<Program>>,
    /// The steps of what stands for a pattern with back-references.
    relaxed: OnceCell<Rc<Program>>,
    /// None where a pattern with back-references is too large for it.
    search: Option<RefCell<Search>>,
    backtracker: RefCell<Backtracker>,
}

impl Regex {
    pub fn new(pattern: &[u8], options: &Options) -> Result<Regex, Error> {
        Regex::any_of(&[pattern], options, Whole::No)
    }

    /// Matches where one of several patterns does.
    pub fn any_of(patterns: &[&[u8]], options: &Options, whole: Whole) -> Result<Regex, Error> {
        let parsed = parse::parse_all(patterns, options, whole == Whole::No)?;
        let node = match (whole, options.multi_line) {
            (Whole::No, _) => parsed.node,
            (Whole::Word, _) => around(Look::NotAfterWord, parsed.node, Look::NotBeforeWord),
            (Whole::Line, false) => around(Look::Start, parsed.node, Look::End),
            (Whole::Line, true) => around(Look::LineStart, parsed.node, Look::LineEnd),
        };
        let node = Rc::new(node);
        let used = parsed.has_back.then(|| {
            let mut used = Vec::new();
            node.any(&mut |node| {
                if let Node::Back(n) = node
                    && !used.contains(n)
                {
                    used.push(*n);
                }
                false
            });
            used
        });
        let plain = if used.is_some() { relax::relax(&node).map(Rc::new) } else { Some(node.clone()) };
        Ok(Regex {
            node,
            groups: parsed.groups,
            used,
            options: *options,
            warnings: parsed.warnings,
            program: OnceCell::new(),
            relaxed: OnceCell::new(),
            search: plain.map(|node| RefCell::new(Search::new(node, options.utf8))),
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
        self.find_plain(self.text(text, not_bol), from)
    }

    /// The same with its groups.
    pub fn captures_at(&self, text: &[u8], from: usize, not_bol: bool, groups: &mut Groups) -> bool {
        groups.clear();
        groups.resize(self.groups + 1, None);
        let text = self.text(text, not_bol);
        if self.used.is_some() {
            return self.referring_at(text, from, false, groups);
        }
        let Some(found) = self.find_plain(text, from) else { return false };
        groups[0] = Some(found);
        self.groups == 0 || self.backtracker.borrow_mut().groups(&self.program(), text, found, groups)
    }

    /// The leftmost match of a pattern with back-references, the longest or `any`.
    fn referring_at(&self, text: Text<'_>, from: usize, any: bool, groups: &mut Groups) -> bool {
        let mut start = from;
        // How often the wider pattern matched right there: where it nearly always does, it is asked now and then only.
        let mut useless = 0;
        loop {
            if self.search.is_some() && (useless < 8 || useless % 32 == 0) {
                match self.find_plain(text, start) {
                    Some(found) if found.0 > start => (start, useless) = (found.0, 0),
                    Some(_) => {}
                    None => return false,
                }
            }
            useless += 1;
            let mut backtracker = self.backtracker.borrow_mut();
            if backtracker.longest(&self.program(), text, start, &self.wanted(any), groups).is_some() {
                return true;
            }
            if start >= text.bytes.len() {
                return false;
            }
            start += text.unit(start).1;
        }
    }

    /// The longest match that starts exactly at a place, with its groups.
    pub fn match_at(&self, text: &[u8], at: usize, groups: &mut Groups) -> bool {
        groups.clear();
        groups.resize(self.groups + 1, None);
        let text = self.text(text, false);
        if self.used.is_some() {
            let mut backtracker = self.backtracker.borrow_mut();
            return backtracker.longest(&self.program(), text, at, &self.wanted(false), groups).is_some();
        }
        let Some(search) = &self.search else { return false };
        let Some(end) = search.borrow_mut().longest(text, at, || self.plain_program()) else { return false };
        groups[0] = Some((at, end));
        self.groups == 0 || self.backtracker.borrow_mut().groups(&self.program(), text, (at, end), groups)
    }

    /// A place in the first line at `from` or later that has a match, or the end of that line. Lines end with a
    /// newline, and the pattern is one of lines: `multi_line` and not `newline_any`, without a newline of its own.
    pub fn find_line(&self, text: &[u8], from: usize) -> Option<usize> {
        let search = self.search.as_ref();
        let mut from = from;
        let mut groups = Groups::new();
        loop {
            let Some(search) = search else { return self.find_at(text, from, false).map(|found| found.1) };
            let found = search.borrow_mut().find_in_lines(text, from, &|| self.plain_program())?;
            if self.used.is_none() {
                return Some(found);
            }
            // The line that might: its end is where to go on.
            let start = memchr::memrchr(b'\n', &text[..found]).map_or(0, |i| i + 1);
            let end = memchr::memchr(b'\n', &text[found..]).map_or(text.len(), |i| found + i);
            groups.clear();
            groups.resize(self.groups + 1, None);
            if self.referring_at(self.text(&text[start..end], false), 0, true, &mut groups)
                && let Some(inside) = groups[0]
            {
                return Some(start + inside.1);
            }
            from = end + 1;
            if from > text.len() {
                return None;
            }
        }
    }

    /// The match of the pattern without back-references, or of the wider one that stands for it.
    fn find_plain(&self, text: Text<'_>, from: usize) -> Option<(usize, usize)> {
        self.search.as_ref()?.borrow_mut().find(text, from, || self.plain_program())
    }

    fn wanted(&self, any: bool) -> Wanted<'_> {
        Wanted { used: self.used.as_deref().unwrap_or_default(), fold: self.options.ignore_case, any }
    }

    fn program(&self) -> Rc<Program> {
        self.program.get_or_init(|| Rc::new(Program::new(&self.node))).clone()
    }

    /// The program of what is searched.
    fn plain_program(&self) -> Rc<Program> {
        match self.used {
            None => self.program(),
            Some(_) => self
                .relaxed
                .get_or_init(|| Rc::new(Program::new(&relax::relax(&self.node).unwrap_or(Node::Empty))))
                .clone(),
        }
    }

    fn text<'t>(&self, bytes: &'t [u8], not_bol: bool) -> Text<'t> {
        Text { bytes, utf8: self.options.utf8, not_bol }
    }
}

/// The length of the character at the start of a text that is not empty; a byte that is none counts as one.
pub fn char_len(text: &[u8], utf8: bool) -> usize {
    unit::first(text, utf8).1
}

fn around(before: Look, node: Node, after: Look) -> Node {
    Node::Cat(vec![Node::Look(before), node, Node::Look(after)])
}

#[cfg(test)]
mod tests;
