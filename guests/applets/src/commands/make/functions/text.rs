//! The functions of text and names alone.

use super::super::words::{
    dir_part, file_part, is_blank, number, pattern_matches, pattern_replace, suffix_start, trim, words,
};
use super::super::{Bytes, wildcard as glob};
use crate::path::{Missing, canonical};
use capsule_sys::getcwd;

type Answer = Result<Bytes, String>;

fn joined<T: AsRef<[u8]>>(list: impl Iterator<Item = T>) -> Answer {
    let mut out = Vec::new();
    for (at, word) in list.enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(word.as_ref());
    }
    Ok(out)
}

pub fn subst(args: &[Bytes]) -> Answer {
    let (from, to, text) = (&args[0], &args[1], &args[2]);
    if from.is_empty() {
        return Ok([text.as_slice(), to].concat());
    }
    let (mut out, mut last) = (Vec::with_capacity(text.len()), 0);
    for found in memchr::memmem::find_iter(text, from) {
        out.extend_from_slice(&text[last..found]);
        out.extend_from_slice(to);
        last = found + from.len();
    }
    out.extend_from_slice(&text[last..]);
    Ok(out)
}

pub fn patsubst(args: &[Bytes]) -> Answer {
    joined(words(&args[2]).map(|w| pattern_replace(&args[0], &args[1], w)))
}

pub fn strip(args: &[Bytes]) -> Answer {
    joined(words(&args[0]))
}

pub fn findstring(args: &[Bytes]) -> Answer {
    let found = memchr::memmem::find(&args[1], &args[0]).is_some();
    Ok(if found { args[0].clone() } else { Vec::new() })
}

fn filtered(args: &[Bytes], keep: bool) -> Answer {
    let patterns: Vec<&[u8]> = words(&args[0]).collect();
    joined(words(&args[1]).filter(|w| patterns.iter().any(|p| pattern_matches(p, w)) == keep))
}

pub fn filter(args: &[Bytes]) -> Answer {
    filtered(args, true)
}

pub fn filter_out(args: &[Bytes]) -> Answer {
    filtered(args, false)
}

pub fn sort(args: &[Bytes]) -> Answer {
    let mut list: Vec<&[u8]> = words(&args[0]).collect();
    list.sort_unstable();
    list.dedup();
    joined(list.into_iter())
}

fn index(text: &[u8], which: &str, function: &str) -> Result<usize, String> {
    match number(text) {
        Some(n) => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
        None => Err(format!(
            "non-numeric {which} argument to '{function}' function: '{}'",
            String::from_utf8_lossy(trim(text))
        )),
    }
}

pub fn word(args: &[Bytes]) -> Answer {
    match index(&args[0], "first", "word")? {
        0 => Err("first argument to 'word' function must be greater than 0".into()),
        n => Ok(words(&args[1]).nth(n - 1).unwrap_or_default().to_vec()),
    }
}

pub fn wordlist(args: &[Bytes]) -> Answer {
    let (start, end) = (index(&args[0], "first", "wordlist")?, index(&args[1], "second", "wordlist")?);
    if start == 0 {
        return Err(format!("invalid first argument to 'wordlist' function: '{start}'"));
    }
    joined(words(&args[2]).take(end).skip(start - 1))
}

pub fn count_words(args: &[Bytes]) -> Answer {
    Ok(words(&args[0]).count().to_string().into_bytes())
}

pub fn firstword(args: &[Bytes]) -> Answer {
    Ok(words(&args[0]).next().unwrap_or_default().to_vec())
}

pub fn lastword(args: &[Bytes]) -> Answer {
    Ok(words(&args[0]).last().unwrap_or_default().to_vec())
}

pub fn dir(args: &[Bytes]) -> Answer {
    joined(words(&args[0]).map(dir_part))
}

pub fn notdir(args: &[Bytes]) -> Answer {
    joined(words(&args[0]).map(file_part))
}

pub fn suffix(args: &[Bytes]) -> Answer {
    joined(words(&args[0]).filter_map(|w| suffix_start(w).map(|i| &w[i..])))
}

pub fn basename(args: &[Bytes]) -> Answer {
    joined(words(&args[0]).map(|w| &w[..suffix_start(w).unwrap_or(w.len())]))
}

pub fn addsuffix(args: &[Bytes]) -> Answer {
    joined(words(&args[1]).map(|w| [w, &args[0]].concat()))
}

pub fn addprefix(args: &[Bytes]) -> Answer {
    joined(words(&args[1]).map(|w| [args[0].as_slice(), w].concat()))
}

pub fn join(args: &[Bytes]) -> Answer {
    let (mut first, mut second) = (words(&args[0]), words(&args[1]));
    joined(std::iter::from_fn(|| match (first.next(), second.next()) {
        (None, None) => None,
        (a, b) => Some([a.unwrap_or_default(), b.unwrap_or_default()].concat()),
    }))
}

pub fn wildcard(args: &[Bytes]) -> Answer {
    joined(words(&args[0]).flat_map(|w| glob::matches(&glob::home(w))))
}

pub fn realpath(args: &[Bytes]) -> Answer {
    joined(words(&args[0]).filter_map(|w| canonical(w, Missing::None, false, true).ok()))
}

pub fn abspath(args: &[Bytes]) -> Answer {
    let cwd = getcwd().unwrap_or_default();
    joined(words(&args[0]).map(|word| {
        let whole = if word[0] == b'/' { word.to_vec() } else { [cwd.as_slice(), b"/", word].concat() };
        let mut parts: Vec<&[u8]> = Vec::new();
        for part in whole.split(|&b| b == b'/') {
            match part {
                b"" | b"." => {}
                b".." => drop(parts.pop()),
                _ => parts.push(part),
            }
        }
        [b"/", parts.join(&b'/').as_slice()].concat()
    }))
}

/// What `$(shell)` and `!=` make of an output: newlines at the end go, the others are spaces.
pub fn folded(mut output: Bytes) -> Bytes {
    while output.last() == Some(&b'\n') {
        output.pop();
        if output.last() == Some(&b'\r') {
            output.pop();
        }
    }
    output.iter_mut().filter(|b| **b == b'\n').for_each(|b| *b = b' ');
    output
}

/// Whether nothing but blanks is there.
pub fn is_empty(text: &[u8]) -> bool {
    text.iter().all(|&b| is_blank(b))
}
