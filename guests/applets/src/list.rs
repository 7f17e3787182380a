//! Lists of ranges as `cut` and `numfmt` take them: `1,3-5,7-`.

use crate::quote::locale;
use crate::{Exit, report};

/// What a list counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    Bytes,
    Fields,
    /// Fields, and a `-` alone is all of them.
    FieldsOrAll,
}

/// The ranges of a list, sorted and merged where they overlap.
pub fn ranges(list: &[u8], of: Of) -> Result<Vec<(usize, usize)>, Exit> {
    let fields = of != Of::Bytes;
    let from_one = if fields { "fields are numbered from 1" } else { "byte/character positions are numbered from 1" };
    let bad_range = if fields { "invalid field range" } else { "invalid byte or character range" };
    let number = |text: &[u8]| -> Result<usize, Exit> {
        if let Some(bad) = text.iter().position(|b| !b.is_ascii_digit()) {
            let what = if fields { "invalid field value" } else { "invalid byte/character position" };
            return Err(report::usage(1, format_args!("{what} {}", locale(rest(list, &text[bad..])))));
        }
        match std::str::from_utf8(text).unwrap_or_default().parse::<u64>() {
            Ok(0) => Err(report::usage(1, from_one)),
            Ok(n) if n < u64::MAX => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
            _ => {
                let what = if fields { "field number" } else { "byte/character offset" };
                Err(report::usage(1, format_args!("{what} {} is too large", locale(text))))
            }
        }
    };
    let mut all = Vec::new();
    for part in list.split(|b| matches!(b, b',' | b' ' | b'\t')) {
        if part.is_empty() {
            return Err(report::usage(1, from_one));
        }
        let range = match part.iter().position(|&b| b == b'-') {
            None => {
                let n = number(part)?;
                (n, n)
            }
            Some(dash) => {
                let (low, high) = (&part[..dash], &part[dash + 1..]);
                if low.is_empty() && high.is_empty() && of != Of::FieldsOrAll {
                    return Err(report::usage(1, "invalid range with no endpoint: -"));
                }
                if high.contains(&b'-') {
                    return Err(report::usage(1, bad_range));
                }
                let first = if low.is_empty() { 1 } else { number(low)? };
                let last = if high.is_empty() { usize::MAX } else { number(high)? };
                if last < first {
                    return Err(report::usage(1, "invalid decreasing range"));
                }
                (first, last)
            }
        };
        all.push(range);
    }
    all.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for range in all {
        match merged.last_mut() {
            Some(last) if range.0 <= last.1 => last.1 = last.1.max(range.1),
            _ => merged.push(range),
        }
    }
    Ok(merged)
}

/// A list from one of its parts on, as messages show it.
pub fn rest<'a>(list: &'a [u8], part: &[u8]) -> &'a [u8] {
    &list[part.as_ptr() as usize - list.as_ptr() as usize..]
}

/// What is in none of the ranges.
pub fn others(ranges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut rest = Vec::new();
    let mut next = 1;
    for &(first, last) in ranges {
        if first > next {
            rest.push((next, first - 1));
        }
        if last == usize::MAX {
            return rest;
        }
        next = last + 1;
    }
    rest.push((next, usize::MAX));
    rest
}
