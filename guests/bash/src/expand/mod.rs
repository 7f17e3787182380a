//! Words to fields, in bash's order: braces, tildes, parameters, commands and arithmetic from left to right, splitting,
//! pathnames, quote removal. Quotes are gone from the tree already; what was quoted is remembered as ranges of a field.

mod fields;
mod glob;
mod indirect;
mod ops;
mod param;
mod prompt;
mod quote;
mod substitute;
mod tilde;
mod transform;

pub use fields::{Field, Fields};
pub use ops::change_case;
pub use quote::{
    ansi_quote, assignment_quote, backslash_quote, double_quote, list_quote, needs_ansi, set_quoting_locale,
    single_quote, trace_quote, value_quote,
};
pub use transform::{array_text, key_quote};

use crate::shell::{Flow, Opt, Shell};
use crate::syntax::ast::{Part, Word};
use crate::syntax::{ParseOptions, Parser, expand_braces};

/// How the parts of a word are taken.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    /// Inside double quotes.
    quoted: bool,
    /// Literal text is split too: the word of `${x:-…}`.
    split_literals: bool,
}

const PLAIN: Context = Context { quoted: false, split_literals: false };
const QUOTED: Context = Context { quoted: true, split_literals: false };

impl Shell {
    /// Everything: the arguments of a command.
    pub fn expand_words(&mut self, words: &[Word]) -> Flow<Vec<Vec<u8>>> {
        let mut fields = Vec::with_capacity(words.len());
        for word in words {
            self.expand_word_into(word, &mut fields)?;
        }
        Ok(fields)
    }

    pub fn expand_word_into(&mut self, word: &Word, out: &mut Vec<Vec<u8>>) -> Flow {
        if let Some(plain) = &word.plain {
            if !(plain.is_empty() && word.parts.is_empty()) {
                out.push(plain.to_vec());
            }
            return Ok(());
        }
        if word.braces
            && self.options.get(Opt::Braceexpand)
            && let Some(words) = expand_braces(word)
        {
            for word in &words {
                self.expand_one(word, out)?;
            }
            return Ok(());
        }
        self.expand_one(word, out)
    }

    fn expand_one(&mut self, word: &Word, out: &mut Vec<Vec<u8>>) -> Flow {
        if let Some(plain) = &word.plain {
            if !(plain.is_empty() && word.parts.is_empty()) {
                out.push(plain.to_vec());
            }
            return Ok(());
        }
        let mut fields = Fields::split(self);
        self.word_parts(word, PLAIN, &mut fields, false)?;
        let noglob = self.options.get(Opt::Noglob);
        for field in fields.finish() {
            if field.glob && !noglob {
                self.expand_pathname(field, out)?;
            } else {
                out.push(field.text);
            }
        }
        Ok(())
    }

    /// Expanded and split, literal text too, but no pathnames: `compgen -W`.
    pub fn expand_split_only(&mut self, word: &Word, out: &mut Vec<Vec<u8>>) -> Flow {
        let mut fields = Fields::split(self);
        self.inner_word(word, false, &mut fields)?;
        out.extend(fields.finish().into_iter().map(|field| field.text));
        Ok(())
    }

    /// One field whatever it holds: `case` subjects, here-strings, `[[ ]]` operands.
    pub fn expand_single(&mut self, word: &Word) -> Flow<Vec<u8>> {
        if let Some(plain) = &word.plain {
            return Ok(plain.to_vec());
        }
        let mut fields = Fields::joined(self);
        self.word_parts(word, PLAIN, &mut fields, false)?;
        Ok(fields.finish_one().text)
    }

    /// The value of an assignment: tildes after colons too.
    pub fn expand_assignment(&mut self, word: &Word) -> Flow<Vec<u8>> {
        if let Some(plain) = &word.plain {
            return Ok(plain.to_vec());
        }
        let mut fields = Fields::joined(self);
        fields.in_assignment = true;
        self.word_parts(word, PLAIN, &mut fields, true)?;
        Ok(fields.finish_one().text)
    }

    /// A pattern: what was quoted is escaped.
    pub fn expand_pattern(&mut self, word: &Word) -> Flow<Vec<u8>> {
        if let [Part::Literal(text)] = &word.parts[..]
            && text.first() != Some(&b'~')
        {
            return Ok(text.to_vec());
        }
        let mut fields = Fields::joined(self);
        self.word_parts(word, PLAIN, &mut fields, false)?;
        Ok(fields.finish_one().pattern())
    }

    /// A regular expression: what was quoted is escaped for regular expressions.
    pub fn expand_regex(&mut self, word: &Word) -> Flow<Vec<u8>> {
        let mut fields = Fields::joined(self);
        self.word_parts(word, PLAIN, &mut fields, false)?;
        Ok(fields.finish_one().regex())
    }

    /// The text of an expression: as in double quotes.
    pub fn expand_arith(&mut self, word: &Word) -> Flow<Vec<u8>> {
        let mut fields = Fields::joined(self);
        for part in &word.parts {
            self.part(part, QUOTED, &mut fields)?;
        }
        Ok(fields.finish_one().text)
    }

    /// A word of `${x:-…}` and its like, into the field being made.
    fn inner_word(&mut self, word: &Word, quoted: bool, fields: &mut Fields) -> Flow {
        let context = Context { quoted, split_literals: !quoted };
        let assignment = fields.in_assignment;
        self.word_parts(word, context, fields, assignment)
    }

    fn word_parts(&mut self, word: &Word, context: Context, fields: &mut Fields, assignment: bool) -> Flow {
        for (i, part) in word.parts.iter().enumerate() {
            if let (Part::Literal(text), false) = (part, context.quoted)
                && text.contains(&b'~')
            {
                let last = i + 1 == word.parts.len();
                self.literal_with_tildes(text, i == 0, last, assignment, context, fields);
                continue;
            }
            self.part(part, context, fields)?;
        }
        Ok(())
    }

    fn part(&mut self, part: &Part, context: Context, fields: &mut Fields) -> Flow {
        match part {
            Part::Literal(text) if context.quoted => fields.quoted(text),
            Part::Literal(text) if context.split_literals => fields.expanded(text),
            Part::Literal(text) => fields.literal(text),
            Part::Quoted(text) => {
                fields.quoted(text);
                fields.start();
            }
            Part::Double(inner) => {
                let before = fields.mark();
                for part in inner {
                    self.part(part, QUOTED, fields)?;
                }
                fields.end_quotes(before, context.quoted && inner.is_empty());
            }
            Part::Param(param) => self.param(param, context.quoted, fields)?,
            Part::Command(sub) => {
                let output = self.command_substitution(sub)?;
                fields.put(&output, context.quoted);
            }
            Part::Arith(arith) => {
                let n = self.evaluate_text(arith)?;
                fields.put(n.to_string().as_bytes(), context.quoted);
            }
            Part::Process(sub) => {
                let path = self.process_substitution(sub)?;
                fields.quoted(&path);
            }
            Part::Bad(raw) => {
                return self.discard_bad(raw);
            }
        }
        Ok(())
    }

    /// An error that ends a script; with -c its status is 127.
    pub(super) fn fatal_bad(&mut self, message: Vec<u8>) -> Flow {
        self.fatal_expansion = true;
        self.fatal(message)
    }

    pub(super) fn discard_bad(&mut self, raw: &[u8]) -> Flow {
        let message = [raw, b": bad substitution"].concat();
        if self.posix() { self.fatal_bad(message) } else { self.discard(message) }
    }

    /// A subscript given as text at run time: expanded as in an assignment, quotes removed.
    pub fn expand_subscript_text(&mut self, text: &[u8]) -> Flow<Vec<u8>> {
        if !text.iter().any(|b| matches!(b, b'$' | b'`' | b'"' | b'\'' | b'\\' | b'~')) {
            return Ok(text.to_vec());
        }
        let mut none = ();
        let text = [text, b"]"].concat();
        let mut parser = Parser::new(text.clone(), self.line, &mut none, ParseOptions::default());
        match parser.subscript_text() {
            Ok(word) => self.expand_single(&word),
            Err(_) => Ok(text[..text.len() - 1].to_vec()),
        }
    }

    /// Text as if in double quotes: prompts, PS4.
    pub fn expand_text(&mut self, text: &[u8]) -> Flow<Vec<u8>> {
        if !text.iter().any(|b| matches!(b, b'$' | b'`' | b'\\')) {
            return Ok(text.to_vec());
        }
        let mut none = ();
        let mut parser = Parser::new(text.to_vec(), self.line, &mut none, self.parse_options());
        match parser.double_quoted_text() {
            Ok(word) => self.expand_single(&word),
            Err(_) => Ok(text.to_vec()),
        }
    }
}
