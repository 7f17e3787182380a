//! One line cut into fields by IFS; what a backslash quoted does not separate.

use super::input::Line;
use crate::shell::{Ifs, Shell};
use std::rc::Rc;

pub(super) struct Splitter<'a> {
    line: &'a Line,
    /// What is looked at ends here.
    end: usize,
    at: usize,
    ifs: Rc<Ifs>,
}

impl<'a> Splitter<'a> {
    pub fn new(shell: &Shell, line: &'a Line) -> Splitter<'a> {
        let mut splitter = Splitter { line, end: line.text.len(), at: 0, ifs: Rc::clone(&shell.ifs) };
        splitter.skip_blanks();
        splitter
    }

    /// 0 for what is no separator.
    fn kind(&self, at: usize) -> u8 {
        let kind = self.ifs.kinds[usize::from(self.line.text[at])];
        if kind != 0 && self.line.is_quoted(at) { 0 } else { kind }
    }

    fn skip_blanks(&mut self) {
        while self.at < self.end && self.kind(self.at) == 1 {
            self.at += 1;
        }
    }

    pub fn field(&mut self) -> Option<Vec<u8>> {
        if self.at >= self.end {
            return None;
        }
        let start = self.at;
        while self.at < self.end && self.kind(self.at) == 0 {
            self.at += 1;
        }
        let field = self.line.text[start..self.at].to_vec();
        self.skip_blanks();
        if self.at < self.end && self.kind(self.at) == 2 {
            self.at += 1;
            self.skip_blanks();
        }
        Some(field)
    }

    /// What the last name gets: everything, without white space at the end; a lone separator there goes too.
    pub fn rest(&mut self) -> Vec<u8> {
        let start = self.at;
        while self.end > start && self.kind(self.end - 1) == 1 {
            self.end -= 1;
        }
        let end = self.end;
        // Exactly one field is left, ended by one separator: the separator is dropped.
        if end > start && self.kind(end - 1) == 2 {
            let field = self.field();
            if let (Some(field), true) = (field, self.at >= end) {
                return field;
            }
        }
        self.line.text[start..end].to_vec()
    }
}
