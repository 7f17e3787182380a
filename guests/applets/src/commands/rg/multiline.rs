//! Matches that go over the ends of lines: the whole input is held.

use super::print::Printer;
use crate::lines::{Binary, Found, Place, Plan, Sink};
use capsule_sys::{Errno, read_to_end};

pub fn search(fd: i32, plan: Plan, printer: &mut Printer<'_>) -> Result<Found, Errno> {
    let mut text = read_to_end(fd)?;
    let mut found = Found { bytes: text.len() as u64, ..Found::default() };
    if text.is_empty() {
        return Ok(found);
    }
    let mut plan = plan;
    if plan.binary != Binary::Text
        && let Some(zero) = memchr::memchr(0, &text)
    {
        found.binary = Some(zero as u64);
        if plan.binary == Binary::Stop {
            return Ok(found);
        }
        (plan.first, plan.silent) = (true, true);
    }
    if text.last() != Some(&b'\n') {
        text.push(b'\n');
    }
    let mut groups = groups(&text, printer);
    if plan.invert {
        groups = others(&text, &groups);
    }
    let mut shown: Option<usize> = None;
    let (mut counted, mut number) = (0, 1);
    let mut print = |printer: &mut Printer<'_>, start: usize, end: usize, selected: bool| {
        number += memchr::memchr_iter(b'\n', &text[counted..start]).count() as u64;
        counted = start;
        printer.lines(&text[start..end], Place { number, offset: start as u64 }, selected);
    };
    for (i, &(start, end)) in groups.iter().enumerate() {
        if found.selected == plan.max {
            break;
        }
        found.selected += 1;
        if plan.first {
            break;
        }
        if plan.silent {
            print(printer, start, end, true);
            continue;
        }
        let least = shown.unwrap_or(0);
        let mut from = start;
        for _ in 0..plan.before.unwrap_or(0) {
            if from <= least {
                break;
            }
            from = memchr::memrchr(b'\n', &text[..from - 1]).map_or(0, |i| i + 1);
        }
        let context = plan.before.is_some() || plan.after.is_some();
        if context && shown != Some(from) && (shown.is_some() || printer.totals.printed > 0) {
            printer.separate();
        }
        lines(&text, from, start, u64::MAX, |a, b| print(printer, a, b, false));
        print(printer, start, end, true);
        let next = groups.get(i + 1).filter(|_| found.selected < plan.max).map_or(text.len(), |next| next.0);
        shown = Some(lines(&text, end, next, plan.after.unwrap_or(0), |a, b| print(printer, a, b, false)));
    }
    found.binary_selected = found.binary.is_some() && found.selected > 0;
    Ok(found)
}

/// Calls for lines between two places, so many at most; where it ended.
fn lines(text: &[u8], from: usize, to: usize, most: u64, mut each: impl FnMut(usize, usize)) -> usize {
    let (mut at, mut count) = (from, 0);
    while at < to && count < most {
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |i| at + i + 1);
        each(at, end);
        (at, count) = (end, count + 1);
    }
    at
}

/// The lines of matches, those of neighbours that share a line together.
fn groups(text: &[u8], printer: &Printer<'_>) -> Vec<(usize, usize)> {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    printer.matcher.each(text, |start, end| {
        if start == text.len() {
            return;
        }
        let from = memchr::memrchr(b'\n', &text[..start]).map_or(0, |i| i + 1);
        // A match that ends with a line does not go into the next.
        let last = if end > start { end - 1 } else { end };
        let to = memchr::memchr(b'\n', &text[last..]).map_or(text.len(), |i| last + i + 1);
        match groups.last_mut() {
            Some(group) if from < group.1 => group.1 = group.1.max(to),
            _ => groups.push((from, to)),
        }
    });
    groups
}

/// The lines that are in no group.
fn others(text: &[u8], groups: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut at = 0;
    for &(start, end) in groups.iter().chain(&[(text.len(), text.len())]) {
        lines(text, at, start, u64::MAX, |a, b| all.push((a, b)));
        at = end;
    }
    all
}
