//! What `${x…}` does to a value: patterns removed or replaced, substrings, case.

use super::param::{ParamValue, Reference};
use crate::pattern::{Pattern, PatternOptions, char_len};
use crate::shell::{Flow, Shell, Shopt};
use crate::syntax::ast::{ArithText, ParamName, ParamOp, ReplaceKind, Subscript, Word};
use crate::vars::{Value, Variable};

impl Shell {
    pub(super) fn apply_op(&mut self, value: ParamValue, op: &ParamOp) -> Flow<ParamValue> {
        match op {
            ParamOp::RemovePrefix { longest, pattern } => {
                let pattern = self.op_pattern(pattern)?;
                Ok(map(value, |text| match pattern.prefix(&text, *longest) {
                    Some(end) => text[end..].to_vec(),
                    None => text,
                }))
            }
            ParamOp::RemoveSuffix { longest, pattern } => {
                let pattern = self.op_pattern(pattern)?;
                Ok(map(value, |mut text| {
                    if let Some(start) = pattern.suffix(&text, *longest) {
                        text.truncate(start);
                    }
                    text
                }))
            }
            ParamOp::Replace { kind, pattern, with } => {
                let text = self.expand_pattern(pattern)?;
                let options =
                    PatternOptions { nocase: self.options.shopt(Shopt::Nocasematch), ..self.pattern_options() };
                let compiled = Pattern::new(&text, options);
                let with = self.replacement(with.as_ref())?;
                let whole = matches!(kind, ReplaceKind::Prefix | ReplaceKind::Suffix);
                if text.is_empty() && !whole || is_misjudged(&text) {
                    return Ok(value);
                }
                Ok(map(value, |text| replace(&text, *kind, &compiled, &with)))
            }
            ParamOp::Case { kind, every, pattern } => {
                let pattern = match pattern {
                    Some(pattern) => Some(self.op_pattern(pattern)?),
                    None => None,
                };
                let utf8 = self.utf8;
                Ok(map(value, |text| change_case(&text, *kind, *every, pattern.as_ref(), utf8)))
            }
            _ => Ok(value),
        }
    }

    fn op_pattern(&mut self, word: &Word) -> Flow<Pattern> {
        let text = self.expand_pattern(word)?;
        Ok(Pattern::new(&text, self.pattern_options()))
    }

    /// The replacement, with `&` for the match where it was not quoted.
    fn replacement(&mut self, word: Option<&Word>) -> Flow<Vec<Piece>> {
        let Some(word) = word else { return Ok(Vec::new()) };
        if !self.options.shopt(Shopt::PatsubReplacement) {
            return Ok(vec![Piece::Text(self.expand_single(word)?)]);
        }
        let mut fields = super::Fields::joined(self);
        self.word_parts(word, super::PLAIN, &mut fields, false)?;
        let field = fields.finish_one();
        if !field.text.contains(&b'&') {
            return Ok(vec![Piece::Text(field.text)]);
        }
        Ok(field.ampersands().into_iter().map(|piece| piece.map_or(Piece::Match, Piece::Text)).collect())
    }

    pub(super) fn substring(
        &mut self,
        reference: &Reference,
        value: ParamValue,
        offset: &ArithText,
        length: Option<&ArithText>,
    ) -> Flow<ParamValue> {
        let is_list = matches!(value, ParamValue::List { .. });
        if matches!(value, ParamValue::Unset) {
            return Ok(value);
        }
        let start = self.evaluate_text(offset)?;
        let count = match length {
            Some(length) => Some((self.evaluate_text(length)?, length)),
            None => None,
        };
        if !is_list {
            let ParamValue::Scalar(text) = value else { return Ok(value) };
            return self.substring_of(&text, start, count);
        }
        let ParamValue::List { items, star } = value else { return Ok(value) };
        if let Some((n, length)) = count
            && n < 0
        {
            let raw = length.word.raw.to_vec();
            return self.discard([&raw[..], b": substring expression < 0"].concat());
        }
        let most = count.map_or(usize::MAX, |(n, _)| n as usize);
        let items = match (reference.name, &reference.subscript) {
            (ParamName::Variable(name), Some(Subscript::At | Subscript::Star)) => {
                let base = self.resolve(name).map_or(name, |(base, _)| base);
                match self.vars.get(base) {
                    Some(Variable { value: Value::Indexed(array), .. }) => {
                        let start = if start < 0 { start + array.end() } else { start };
                        if start < 0 {
                            Vec::new()
                        } else {
                            array.iter().filter(|(i, _)| *i >= start).take(most).map(|(_, v)| v.to_vec()).collect()
                        }
                    }
                    // The elements of an associative array are counted from 1.
                    Some(Variable { value: Value::Assoc(_), .. }) if start > 0 => slice(items, start - 1, most),
                    _ => slice(items, start, most),
                }
            }
            _ => {
                // Positional parameters count from 1, and 0 is `$0`.
                let mut all = vec![self.arg0.clone()];
                all.extend(items);
                slice(all, start, most)
            }
        };
        Ok(ParamValue::List { items, star })
    }

    fn substring_of(&mut self, text: &[u8], start: i64, count: Option<(i64, &ArithText)>) -> Flow<ParamValue> {
        let empty = Ok(ParamValue::Scalar(Vec::new()));
        let len = self.count_chars(text) as i64;
        let start = if start < 0 { start + len } else { start };
        if start < 0 || start > len {
            return empty;
        }
        let end = match count {
            None => len,
            Some((n, length)) if n < 0 => {
                let end = len + n;
                if end < start {
                    let raw = length.word.raw.to_vec();
                    return self.discard([&raw[..], b": substring expression < 0"].concat());
                }
                end
            }
            Some((n, _)) => start.saturating_add(n).min(len),
        };
        if len == text.len() as i64 {
            return Ok(ParamValue::Scalar(text[start as usize..end as usize].to_vec()));
        }
        let mut at = 0;
        let mut from = 0;
        for i in 0..end {
            if i == start {
                from = at;
            }
            at += char_len(&text[at..], true);
        }
        if start == end {
            return empty;
        }
        Ok(ParamValue::Scalar(text[from..at].to_vec()))
    }
}

/// bash takes the `]` of `[^]…]` for the end when it counts how long a match will be, and then finds none.
fn is_misjudged(pattern: &[u8]) -> bool {
    if memchr::memchr(b'*', pattern).is_some() {
        return false;
    }
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'[', b'\\', &pattern[at..]) {
        at += found;
        match pattern[at..] {
            [b'\\', ..] => at += 1,
            [_, b'^' | b'!', b']', ..] => return pattern[at + 3..].contains(&b']'),
            _ => {}
        }
        at += 1;
        if at >= pattern.len() {
            break;
        }
    }
    false
}

fn slice(items: Vec<Vec<u8>>, start: i64, most: usize) -> Vec<Vec<u8>> {
    let start = if start < 0 { start + items.len() as i64 } else { start };
    if start < 0 {
        return Vec::new();
    }
    items.into_iter().skip(start as usize).take(most).collect()
}

pub(super) fn map(value: ParamValue, mut act: impl FnMut(Vec<u8>) -> Vec<u8>) -> ParamValue {
    match value {
        ParamValue::Unset => ParamValue::Unset,
        ParamValue::Scalar(text) => ParamValue::Scalar(act(text)),
        ParamValue::List { items, star } => ParamValue::List { items: items.into_iter().map(act).collect(), star },
    }
}

enum Piece {
    Text(Vec<u8>),
    Match,
}

fn push(out: &mut Vec<u8>, with: &[Piece], matched: &[u8]) {
    for piece in with {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Match => out.extend_from_slice(matched),
        }
    }
}

fn replace(text: &[u8], kind: ReplaceKind, pattern: &Pattern, with: &[Piece]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    match kind {
        ReplaceKind::Prefix => match pattern.prefix(text, true) {
            Some(end) => {
                push(&mut out, with, &text[..end]);
                out.extend_from_slice(&text[end..]);
            }
            None => out.extend_from_slice(text),
        },
        ReplaceKind::Suffix => match pattern.suffix(text, true) {
            Some(start) => {
                out.extend_from_slice(&text[..start]);
                push(&mut out, with, &text[start..]);
            }
            None => out.extend_from_slice(text),
        },
        ReplaceKind::First | ReplaceKind::All => {
            let mut at = 0;
            if let (Some(literal), ReplaceKind::All) = (pattern.literal(), kind) {
                for found in memchr::memmem::find_iter(text, &literal) {
                    out.extend_from_slice(&text[at..found]);
                    push(&mut out, with, &text[found..found + literal.len()]);
                    at = found + literal.len();
                }
                out.extend_from_slice(&text[at..]);
                return out;
            }
            while let Some((start, end)) = pattern.find(text, at) {
                // bash replaces no empty match, except the one in an empty string.
                if start == end && !text.is_empty() {
                    if start >= text.len() {
                        break;
                    }
                    out.extend_from_slice(&text[at..=start]);
                    at = start + 1;
                    continue;
                }
                out.extend_from_slice(&text[at..start]);
                push(&mut out, with, &text[start..end]);
                at = end;
                if kind == ReplaceKind::First || at >= text.len() {
                    break;
                }
            }
            out.extend_from_slice(&text[at..]);
        }
    }
    out
}

/// `^` upper, `,` lower, `~` the other; the first character or every one, where the pattern fits.
pub fn change_case(text: &[u8], kind: u8, every: bool, pattern: Option<&Pattern>, utf8: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if at > 0 && !every {
            out.extend_from_slice(&text[at..]);
            break;
        }
        let len = char_len(&text[at..], utf8);
        let piece = &text[at..at + len];
        at += len;
        if pattern.is_some_and(|pattern| !pattern.matches(piece)) {
            out.extend_from_slice(piece);
            continue;
        }
        match std::str::from_utf8(piece).ok().and_then(|s| s.chars().next()) {
            Some(c) => {
                let upper = match kind {
                    b'^' => true,
                    b',' => false,
                    _ => !c.is_uppercase(),
                };
                let changed = if upper { single(c.to_uppercase()) } else { single(c.to_lowercase()) }.unwrap_or(c);
                let mut buf = [0; 4];
                out.extend_from_slice(changed.encode_utf8(&mut buf).as_bytes());
            }
            None => out.extend_from_slice(piece),
        }
    }
    out
}

/// One character for one: `ß` stays, as in C.
fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next();
    if chars.next().is_some() { None } else { first }
}
