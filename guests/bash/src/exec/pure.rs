//! Words whose expansion changes nothing, starts nothing and cannot fail. What is made of such words may be expanded by
//! this shell instead of a forked child, and nobody can tell.

use crate::names::{Name, is_name_byte, is_name_start};
use crate::shell::{Opt, Shell, Shopt};
use crate::syntax::ast::*;
use crate::vars::{Attrs, Special, Value, Variable};
use capsule_sys as sys;

impl Shell {
    /// Whether nothing watches single commands, changes or refuses them: `set -x`, `set -k`, `set -r`, traps that run for
    /// each of them.
    pub(super) fn unwatched(&self) -> bool {
        use super::traps::{DEBUG, ERR, RETURN};
        !self.options.get(Opt::Xtrace)
            && !self.options.get(Opt::Keyword)
            && !self.options.restricted
            && ![DEBUG, ERR, RETURN].iter().any(|&trap| self.traps.has(trap))
    }

    /// The words, assignments and redirections of a simple command. `substitutions`: a `$( )` within counts as pure.
    pub(super) fn is_pure_command(&self, simple: &SimpleCommand, redirects: &[Redirect], substitutions: bool) -> bool {
        simple.words.iter().all(|word| self.is_pure(word, substitutions))
            && redirects.iter().all(|redirect| self.is_pure_redirect(redirect))
            && simple.assignments.iter().all(|assignment| match &assignment.value {
                AssignedValue::Scalar(word) => {
                    assignment.subscript.is_none()
                        && !assignment.append
                        && self.is_ordinary(assignment.name)
                        && self.is_pure(word, substitutions)
                }
                AssignedValue::Array(_) => false,
            })
    }

    fn is_ordinary(&self, name: Name) -> bool {
        let special = matches!(self.vars.special(name), Special::None | Special::Ifs | Special::Locale);
        let fixed = Attrs::READONLY.with(Attrs::INTEGER).with(Attrs::NAMEREF);
        special && self.vars.get(name).is_none_or(|var| !var.attrs.has(fixed))
    }

    fn is_pure(&self, word: &Word, substitutions: bool) -> bool {
        word.plain.is_some()
            || word.assignment.is_none()
                && !self.options.shopt(Shopt::Failglob)
                && word.parts.iter().all(|part| self.is_pure_part(part, substitutions))
    }

    fn is_pure_part(&self, part: &Part, substitutions: bool) -> bool {
        match part {
            Part::Literal(_) | Part::Quoted(_) => true,
            Part::Double(inner) => inner.iter().all(|part| self.is_pure_part(part, substitutions)),
            Part::Param(param) => self.is_pure_param(param, substitutions),
            Part::Command(_) => substitutions,
            Part::Arith(arith) => self.is_pure_arith(&arith.word.raw),
            Part::Process(_) | Part::Bad(_) => false,
        }
    }

    fn is_pure_param(&self, param: &Param, substitutions: bool) -> bool {
        let pure = |word: &Word| self.is_pure(word, substitutions);
        let number = |arith: &ArithText| arith.word.raw.iter().all(u8::is_ascii_digit) && arith.word.raw.len() < 10;
        !param.indirect
            && self.is_pure_name(param)
            && match &param.op {
                ParamOp::None | ParamOp::Transform(b'Q' | b'U' | b'L' | b'u' | b'E') => true,
                ParamOp::Unset { kind: b'-' | b'+', word, .. } => pure(word),
                ParamOp::RemovePrefix { pattern, .. } | ParamOp::RemoveSuffix { pattern, .. } => pure(pattern),
                ParamOp::Replace { pattern, with, .. } => pure(pattern) && with.as_ref().is_none_or(pure),
                ParamOp::Substring { offset, length } => number(offset) && length.as_ref().is_none_or(number),
                ParamOp::Case { pattern, .. } => pattern.as_ref().is_none_or(pure),
                _ => false,
            }
    }

    /// The parameter's value is there, or its absence is no error; reading it is not noticed.
    fn is_pure_name(&self, param: &Param) -> bool {
        let nounset = self.options.get(Opt::Nounset);
        match param.name {
            ParamName::Variable(name) => {
                let var = self.vars.get(name);
                !matches!(self.vars.special(name), Special::Random | Special::SRandom | Special::BashPid)
                    && (!nounset || param.subscript.is_none() && var.is_some_and(|var| var.get().is_some()))
                    && match &param.subscript {
                        None | Some(Subscript::At | Subscript::Star) => true,
                        Some(Subscript::Index(index)) => {
                            matches!(var, Some(Variable { value: Value::Indexed(_), .. }))
                                && self.is_pure_index(&index.word.raw)
                        }
                    }
            }
            ParamName::Positional(n) => !nounset || n <= self.positional.len(),
            ParamName::Special(b'!') => self.last_background.is_some(),
            ParamName::Special(_) => true,
        }
    }

    /// A number that is not negative, or a variable that holds one.
    fn is_pure_index(&self, text: &[u8]) -> bool {
        let name = text.strip_prefix(b"$").unwrap_or(text);
        text.iter().all(u8::is_ascii_digit) && text.len() < 10 || self.number_in(name).is_some_and(|n| n >= 0)
    }

    fn number_in(&self, name: &[u8]) -> Option<i64> {
        let var = self.vars.find(name)?;
        let Value::Scalar(text) = &var.value else { return None };
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        let plain = var.set && !var.attrs.has(Attrs::NAMEREF) && !digits.is_empty() && digits.len() < 19;
        if plain && digits.iter().all(u8::is_ascii_digit) { crate::arith::parse_integer(text) } else { None }
    }

    /// Sums, products and comparisons of numbers and of variables that hold numbers.
    fn is_pure_arith(&self, text: &[u8]) -> bool {
        let mut at = 0;
        while let Some(&b) = text.get(at) {
            let from = at;
            at += 1;
            match b {
                b' ' | b'(' | b')' | b'<' | b'>' => {}
                b'+' | b'-' | b'*' if text.get(at) != Some(&b) => {}
                b'$' if text.get(at).copied().is_some_and(is_name_start) => {}
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    at += text[at..].iter().take_while(|&&b| is_name_byte(b)).count();
                    let word = &text[from..at];
                    if !word.iter().all(u8::is_ascii_digit) && self.number_in(word).is_none() {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// Files that open at once: not a pipe that waits for its other side.
    fn is_pure_redirect(&self, redirect: &Redirect) -> bool {
        if matches!(redirect.target, RedirectFd::Variable(_)) {
            return false;
        }
        match redirect.op {
            RedirectOp::HereDoc { .. } => redirect
                .here_doc
                .as_ref()
                .and_then(|doc| doc.body.get())
                .is_none_or(|body| body.parts.iter().all(|part| self.is_pure_part(part, false))),
            RedirectOp::HereString => self.is_pure(&redirect.word, false),
            // `n>&m-` closes m for good, and beyond the standard ones may stand an end of the shell's own pipes.
            RedirectOp::DupIn | RedirectOp::DupOut => {
                redirect.word.plain.as_ref().is_some_and(|word| matches!(&word[..], b"0" | b"1" | b"2"))
            }
            _ => redirect.word.plain.as_ref().is_some_and(|path| {
                !sys::stat(path).is_ok_and(|stat| stat.kind == sys::FileType::Fifo) && !path.starts_with(b"/dev/fd")
            }),
        }
    }
}
