//! The `s` and `y` commands on a line.

use super::script::{Case, Part, Substitution, Translation};
use crate::letters::map_case;
use capsule_regex::{Groups, Regex, char_len};

/// Replaces into `out`; whether anything was. What is not replaced is in `out` too then.
pub fn substitute(
    s: &Substitution,
    regex: &Regex,
    text: &[u8],
    utf8: bool,
    groups: &mut Groups,
    out: &mut Vec<u8>,
) -> bool {
    let (mut at, mut count, mut copied) = (0, 0, 0);
    let mut replaced = false;
    let mut last_end = usize::MAX;
    while at <= text.len() {
        let found = if s.groups == 0 {
            regex.find_at(text, at, false)
        } else {
            let any = regex.captures_at(text, at, false, groups);
            groups.first().copied().flatten().filter(|_| any)
        };
        let Some((start, end)) = found else { break };
        // Nothing right behind a match is not another match.
        if start != end || start != last_end {
            count += 1;
            if count >= s.number.unwrap_or(1) {
                if !replaced {
                    out.clear();
                    replaced = true;
                }
                out.extend_from_slice(&text[copied..start]);
                append(&s.replacement, text, (start, end), groups, utf8, out);
                copied = end;
                if !s.global {
                    break;
                }
            }
        }
        last_end = end;
        at = end;
        if start == end {
            at += if end < text.len() { char_len(&text[end..], utf8) } else { 1 };
        }
    }
    if replaced {
        out.extend_from_slice(&text[copied..]);
    }
    replaced
}

fn append(parts: &[Part], text: &[u8], whole: (usize, usize), groups: &Groups, utf8: bool, out: &mut Vec<u8>) {
    let (mut mode, mut once) = (Case::AsIs, None);
    for part in parts {
        let piece: &[u8] = match part {
            Part::Text(text) => text,
            Part::Group(0) => &text[whole.0..whole.1],
            Part::Group(n) => groups.get(*n).copied().flatten().map_or(b"", |(from, to)| &text[from..to]),
            Part::Case(case @ (Case::UpperOne | Case::LowerOne)) => {
                once = Some(*case);
                continue;
            }
            Part::Case(case) => {
                (mode, once) = (*case, None);
                continue;
            }
        };
        if once.is_none() && mode == Case::AsIs {
            out.extend_from_slice(piece);
        } else if !piece.is_empty() {
            let first = if once.is_some() { char_len(piece, utf8) } else { 0 };
            if let Some(case) = once.take() {
                out.extend_from_slice(&map_case(&piece[..first], utf8, case == Case::UpperOne));
            }
            match mode {
                Case::Upper | Case::Lower => {
                    out.extend_from_slice(&map_case(&piece[first..], utf8, mode == Case::Upper))
                }
                _ => out.extend_from_slice(&piece[first..]),
            }
        }
    }
}

pub fn translate(translation: &Translation, text: &mut Vec<u8>, utf8: bool) {
    let Some(chars) = &translation.chars else {
        return text.iter_mut().for_each(|b| *b = translation.bytes[usize::from(*b)]);
    };
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let len = char_len(&text[at..], utf8);
        let c = &text[at..at + len];
        out.extend_from_slice(chars.get(c).map_or(c, Vec::as_slice));
        at += len;
    }
    *text = out;
}
