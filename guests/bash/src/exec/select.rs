//! `select`: a menu, a question, and a loop over the answers.

use super::compound::LoopStep;
use crate::names::{Name, is_name};
use crate::shell::{Flow, Shell};
use crate::syntax::ast::ForLoop;
use capsule_applets::width::width;
use capsule_sys as sys;

impl Shell {
    pub(super) fn run_select(&mut self, for_loop: &ForLoop) -> Flow {
        let name = &for_loop.variable.raw;
        if !is_name(name) {
            self.error([b"`", &name[..], b"': not a valid identifier"].concat());
            self.status = 1;
            return Ok(());
        }
        self.trace_for("select", for_loop);
        let words = self.loop_words(for_loop)?;
        self.status = 0;
        if words.is_empty() {
            return Ok(());
        }
        let name = Name::new(name);
        self.loops += 1;
        let mut show = true;
        let result = loop {
            if show {
                let menu = menu(&words, self.columns(), self.utf8);
                self.stderr(&menu);
            }
            let prompt = self.vars.text(b"PS3").map_or(b"#? ".to_vec(), |v| v.into_owned());
            let prompt = self.expand_prompt(&prompt)?;
            self.stderr(&prompt);
            let Some(line) = self.read_line_fd(sys::STDIN) else {
                self.out.push(b'\n');
                self.flush_out();
                self.status = 1;
                break Ok(());
            };
            let text = line.trim_ascii();
            let _ = self.set_var(b"REPLY", &line);
            if text.is_empty() {
                show = true;
                continue;
            }
            let choice = crate::arith::parse_integer(text)
                .and_then(|n| usize::try_from(n).ok())
                .and_then(|n| words.get(n.checked_sub(1)?).cloned());
            if self.set_name(name, choice.unwrap_or_default()).is_err() {
                break Ok(());
            }
            match self.run_body(&for_loop.body) {
                LoopStep::Next => {}
                LoopStep::Leave => break Ok(()),
                LoopStep::Unwind(unwind) => break Err(unwind),
            }
            // The menu comes again only when the answer was empty, or REPLY was cleared.
            show = self.vars.text(b"REPLY").is_none_or(|reply| reply.is_empty());
        };
        self.loops -= 1;
        result
    }
}

/// The menu of `select`: numbered, in columns that fit the terminal, with tabs where they reach.
fn menu(words: &[Vec<u8>], terminal: usize, utf8: bool) -> Vec<u8> {
    let length = |word: &[u8]| length(word, utf8);
    let digits = |n: usize| n.to_string().len();
    let widest = words.iter().map(|word| length(word)).max().unwrap_or(0);
    let column = widest + digits(words.len()) + ") ".len() + 2;
    let rows = words.len().div_ceil((terminal / column).max(1));
    let rows = if rows == 1 { words.len() } else { rows };
    let mut out = Vec::new();
    for row in 0..rows {
        let (mut at, mut start) = (row, 0);
        loop {
            let number = digits(if start == 0 { rows } else { words.len() });
            out.extend_from_slice(format!("{:>number$}) ", at + 1).as_bytes());
            out.extend_from_slice(&words[at]);
            let end = start + number + ") ".len() + length(&words[at]);
            (at, start) = (at + rows, start + column);
            if at >= words.len() {
                break;
            }
            indent(&mut out, end, start);
        }
        out.push(b'\n');
    }
    out
}

/// From one column to another, by tabs where a stop is on the way.
fn indent(out: &mut Vec<u8>, mut from: usize, to: usize) {
    while from < to {
        let stop = (from / 8 + 1) * 8;
        (from, _) = if stop <= to { (stop, out.push(b'\t')) } else { (from + 1, out.push(b' ')) };
    }
}

/// How many columns a word takes; its bytes where that cannot be told.
fn length(word: &[u8], utf8: bool) -> usize {
    match std::str::from_utf8(word) {
        Ok(text) if utf8 && !text.contains(char::is_control) => text.chars().map(width).sum(),
        _ => word.len(),
    }
}
