//! Here-documents: their bodies stand after the line that announced them.

use super::ast::{Part, Word};
use super::cursor::{Parsed, Parser};
use super::word::{Parts, finish, name_bad};

impl Parser<'_> {
    /// Just after a newline, with documents pending. Those that an alias announces stand behind the line the alias is on.
    pub(super) fn read_here_docs(&mut self) -> Parsed<()> {
        let here = self.pos;
        let Some(end) = self.aliases_in_use.iter().map(|(_, end)| *end).filter(|end| *end > here).max() else {
            return self.read_here_docs_here();
        };
        self.pos = end - 1;
        while let Some(b) = self.peek() {
            self.pos += 1;
            if b == b'\n' && self.pos > end {
                break;
            }
        }
        let from = self.pos;
        self.read_here_docs_here()?;
        self.buf.drain(from..self.pos);
        self.pos = here;
        Ok(())
    }

    fn read_here_docs_here(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let start_line = self.line;
            let mut text = Vec::new();
            let mut found = false;
            while let Some(mut line) = self.raw_line(!pending.doc.quoted) {
                if pending.strip_tabs {
                    line = strip_tabs(&line, !pending.doc.quoted);
                }
                let bare = line.strip_suffix(b"\n").unwrap_or(&line);
                if bare == &*pending.doc.delimiter {
                    found = true;
                    break;
                }
                text.extend_from_slice(&line);
            }
            if !found {
                let message = [
                    format!("warning: here-document at line {} delimited by end-of-file (wanted `", pending.line)
                        .as_bytes(),
                    &pending.doc.delimiter,
                    b"')",
                ]
                .concat();
                let last = self.line - u32::from(self.buf.last() == Some(&b'\n'));
                self.warnings.push((last.max(1), message));
            }
            let word = if pending.doc.quoted {
                finish(vec![Part::Quoted(text.clone().into())], text.into())
            } else {
                // What is wrong with it comes out when it is expanded.
                let bad = || finish(vec![Part::Double(vec![Part::Bad(text.clone().into())])], text.clone().into());
                self.here_doc_word(text.clone(), start_line).unwrap_or_else(|_| bad())
            };
            let _ = pending.doc.body.set(word);
        }
        Ok(())
    }

    /// `$(cat <<EOF)`: the substitution ended before the document.
    pub(super) fn here_docs_cut_short(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let message = [
                format!("warning: here-document at line {} delimited by end-of-file (wanted `", pending.line)
                    .as_bytes(),
                &pending.doc.delimiter,
                b"')",
            ]
            .concat();
            self.warnings.push((self.line, message));
            let _ = pending.doc.body.set(Word::default());
        }
    }

    /// One line with its newline; with `join`, continued lines are one (their backslash stays for the word parser).
    fn raw_line(&mut self, join: bool) -> Option<Vec<u8>> {
        self.peek()?;
        let mut line = Vec::new();
        while let Some(b) = self.peek() {
            self.advance();
            line.push(b);
            if b == b'\n' {
                let backslashes = line[..line.len() - 1].iter().rev().take_while(|&&b| b == b'\\').count();
                if !join || backslashes % 2 == 0 {
                    break;
                }
                line.truncate(line.len() - 2);
            }
        }
        Some(line)
    }

    fn here_doc_word(&mut self, text: Vec<u8>, line: u32) -> Parsed<Word> {
        let mut none = ();
        let mut inner = Parser::new(text, line, &mut none, self.options.clone());
        inner.depth = self.depth;
        inner.raw_text = 1;
        let mut parts = Parts::default();
        while let Some(b) = inner.peek() {
            match b {
                b'\\' => inner.backslash_in_double(&mut parts, false),
                b'$' => inner.dollar(&mut parts, true)?,
                b'`' => {
                    let part = inner.backquote(true)?;
                    parts.part(part);
                }
                b => {
                    inner.advance();
                    parts.push(b);
                }
            }
        }
        let raw: Box<[u8]> = inner.buf.clone().into();
        let warnings = std::mem::take(&mut inner.warnings);
        self.warnings.extend(warnings);
        let mut parts = parts.finish();
        name_bad(&mut parts, &raw);
        Ok(finish(vec![Part::Double(parts)], raw))
    }
}

fn strip_tabs(line: &[u8], _joined: bool) -> Vec<u8> {
    let tabs = line.iter().take_while(|&&b| b == b'\t').count();
    line[tabs..].to_vec()
}
