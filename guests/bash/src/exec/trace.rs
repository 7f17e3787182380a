//! What `set -x` shows.

use crate::expand::trace_quote;
use crate::shell::{Opt, Shell};
use crate::syntax::ast::*;
use capsule_sys as sys;

impl Shell {
    fn tracing(&self) -> bool {
        self.options.get(Opt::Xtrace)
    }

    /// PS4, its first character once for each level of substitution.
    fn trace_prefix(&mut self) -> Vec<u8> {
        let Some(text) = self.vars.text(b"PS4").map(|v| v.into_owned()) else { return Vec::new() };
        self.options.put(Opt::Xtrace, false);
        let status = self.status;
        let text = self.expand_prompt(&text).unwrap_or_default();
        self.status = status;
        self.options.put(Opt::Xtrace, true);
        let first = crate::pattern::char_len(&text, self.utf8).min(text.len());
        let mut prefix = Vec::new();
        for _ in 0..self.trace_level {
            prefix.extend_from_slice(&text[..first]);
        }
        prefix.extend_from_slice(&text);
        prefix
    }

    fn trace_line(&mut self, text: &[u8]) {
        let mut line = self.trace_prefix();
        line.extend_from_slice(text);
        line.push(b'\n');
        self.flush_out();
        let fd = self
            .vars
            .text(b"BASH_XTRACEFD")
            .and_then(|v| crate::arith::parse_integer(&v))
            .and_then(|fd| i32::try_from(fd).ok())
            .filter(|&fd| sys::fcntl(fd, sys::F_GETFD, 0).is_ok());
        let _ = sys::write_all(fd.unwrap_or(sys::STDERR), &line);
    }

    pub(super) fn trace_command(&mut self, args: &[Vec<u8>]) {
        if !self.tracing() {
            return;
        }
        let words: Vec<Vec<u8>> =
            args.iter().map(|arg| if arg.is_empty() { b"''".to_vec() } else { trace_quote(arg) }).collect();
        self.trace_line(&words.join(&b' '));
    }

    pub(super) fn trace_assignment(&mut self, assignment: &Assignment, value: &[u8]) {
        if !self.tracing() {
            return;
        }
        let mut text = assignment.name.bytes().to_vec();
        if let Some(Subscript::Index(index)) = &assignment.subscript {
            text.push(b'[');
            text.extend_from_slice(&index.word.raw);
            text.push(b']');
        }
        text.extend_from_slice(if assignment.append { b"+=" } else { b"=" });
        if !value.is_empty() {
            text.extend_from_slice(&trace_quote(value));
        }
        self.trace_line(&text);
    }

    /// An assignment that `export` or `readonly` makes: `name=value` with the value as it is now.
    pub(crate) fn trace_operand(&mut self, text: &[u8], value: &[u8]) {
        if self.tracing() {
            let name = text.split(|&b| b == b'=').next().unwrap_or_default();
            self.trace_line(&[name, b"=", &trace_quote(value)].concat());
        }
    }

    pub(super) fn trace_array(&mut self, assignment: &Assignment) {
        if !self.tracing() {
            return;
        }
        let simple = SimpleCommand { assignments: vec![assignment.clone()], words: Vec::new() };
        let command = Command { kind: CommandKind::Simple(simple), redirects: Vec::new(), line: 0 };
        let text = crate::syntax::print_command(&command);
        self.trace_line(&text);
    }

    pub(super) fn trace_arith(&mut self, word: &Word) {
        if !self.tracing() || word.raw.is_empty() {
            return;
        }
        let text = self.expand_arith(word).unwrap_or_default();
        self.trace_line(&[b"(( ", &text[..], b" ))"].concat());
    }

    pub(super) fn trace_for(&mut self, keyword: &str, for_loop: &ForLoop) {
        if self.tracing() {
            let text = super::compound::for_text(keyword, for_loop);
            self.trace_line(&text);
        }
    }

    pub(super) fn trace_case(&mut self, subject: &Word) {
        if self.tracing() {
            self.trace_line(&[b"case ", &subject.raw[..], b" in"].concat());
        }
    }

    pub(super) fn trace_cond(&mut self, op: Option<&[u8]>, left: &[u8], right: Option<&[u8]>) {
        if !self.tracing() {
            return;
        }
        let quote = |text: &[u8]| if text.is_empty() { b"''".to_vec() } else { text.to_vec() };
        let text = match (op, right) {
            (Some(op), Some(right)) => [&quote(left)[..], b" ", op, b" ", &quote(right)].concat(),
            (Some(op), None) => [op, b" ", &quote(left)].concat(),
            _ => [b"-n ", &quote(left)[..]].concat(),
        };
        self.trace_line(&[b"[[ ", &text[..], b" ]]"].concat());
    }
}
