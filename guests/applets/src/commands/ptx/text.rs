//! The input: files cut into contexts, contexts into words.

use super::Settings;
use crate::input::Input;
use crate::quote::{self, locale};
use crate::{Exit, report};
use capsule_regex::{Groups, Regex};
use std::cmp::Ordering;

/// Which bytes belong to words.
pub struct Breaks(Box<[bool; 256]>);

impl Breaks {
    pub fn letters() -> Breaks {
        Breaks(Box::new(std::array::from_fn(|b| (b as u8).is_ascii_alphabetic())))
    }

    /// Everything but these bytes; `spaces`: nor blanks and newlines.
    pub fn separators(bytes: &[u8], spaces: bool) -> Breaks {
        let mut inside = [true; 256];
        for &b in bytes.iter().chain(if spaces { b" \t\n".as_slice() } else { b"" }) {
            inside[usize::from(b)] = false;
        }
        Breaks(Box::new(inside))
    }
}

/// How words are found.
pub enum Words {
    Breaks(Breaks),
    Pattern(Box<Regex>),
}

impl Words {
    /// The next word at `from` or later.
    fn next(&self, text: &[u8], from: usize, end: usize) -> Option<(usize, usize)> {
        match self {
            Words::Pattern(regex) => {
                regex.find_at(&text[from..end], 0, false).map(|(start, stop)| (from + start, from + stop))
            }
            Words::Breaks(Breaks(inside)) => {
                let part = &text[..end];
                let start = from + part[from..].iter().position(|&b| inside[usize::from(b)])?;
                let length = part[start..].iter().position(|&b| !inside[usize::from(b)]);
                Some((start, length.map_or(end, |n| start + n)))
            }
        }
    }

    /// Behind the word at `at`, or behind the one byte there.
    pub fn skip(&self, text: &[u8], at: usize, end: usize) -> usize {
        match self {
            Words::Pattern(regex) => {
                let mut groups = Groups::new();
                let found = regex.match_at(&text[at..end], 0, &mut groups);
                let length = if found { groups[0].map_or(0, |g| g.1) } else { 0 };
                at + length.max(1)
            }
            Words::Breaks(Breaks(inside)) if text.get(at).is_some_and(|&b| inside[usize::from(b)]) => {
                text[at..end].iter().position(|&b| !inside[usize::from(b)]).map_or(end, |n| at + n)
            }
            Words::Breaks(_) => at + 1,
        }
    }
}

pub struct File<'a> {
    /// Empty for standard input.
    pub name: &'a [u8],
    pub text: Vec<u8>,
    /// How many lines come before it.
    pub lines_before: usize,
    /// How many there are with it.
    pub lines_after: usize,
}

/// A keyword, with places in the text of its file.
pub struct Occurrence {
    pub file: usize,
    pub start: usize,
    pub end: usize,
    pub left: usize,
    pub right: usize,
    /// The number of its line, or the place of the reference in the text.
    pub reference: usize,
}

pub struct Index<'a> {
    pub files: Vec<File<'a>>,
    pub occurrences: Vec<Occurrence>,
    pub longest_word: usize,
    /// The widest reference in the input.
    pub reference_width: usize,
}

pub fn is_space(b: u8) -> bool {
    matches!(b, b' ' | 9..=13)
}

pub fn skip_space(text: &[u8], mut at: usize, end: usize) -> usize {
    while at < end && is_space(text[at]) {
        at += 1;
    }
    at
}

pub fn skip_other(text: &[u8], mut at: usize, end: usize) -> usize {
    while at < end && !is_space(text[at]) {
        at += 1;
    }
    at
}

pub fn back_space(text: &[u8], mut at: usize, start: usize) -> usize {
    while at > start && is_space(text[at - 1]) {
        at -= 1;
    }
    at
}

/// A file in memory; the index needs all of the text at once.
pub fn whole(name: &[u8]) -> Result<Vec<u8>, Exit> {
    let name = if name.is_empty() { b"-" } else { name };
    let mut text = Vec::new();
    Input::open(name)
        .and_then(|mut input| input.stream.read_to_end(&mut text))
        .map_err(|e| report::die(1, format_args!("{}: {e}", quote::name(name))))?;
    Ok(text)
}

/// The lines of a file as words, sorted.
pub fn word_list(name: &[u8], fold: bool) -> Result<Vec<Vec<u8>>, Exit> {
    let text = whole(name)?;
    let mut words: Vec<Vec<u8>> = text.split(|&b| b == b'\n').filter(|w| !w.is_empty()).map(<[u8]>::to_vec).collect();
    words.sort_by(|a, b| compare(a, b, fold));
    Ok(words)
}

fn compare(a: &[u8], b: &[u8], fold: bool) -> Ordering {
    if fold {
        return a.iter().map(u8::to_ascii_uppercase).cmp(b.iter().map(u8::to_ascii_uppercase));
    }
    a.cmp(b)
}

fn listed(words: &[Vec<u8>], word: &[u8], fold: bool) -> bool {
    words.binary_search_by(|w| compare(w, word, fold)).is_ok()
}

pub fn read<'a>(set: &Settings, names: &[&'a [u8]]) -> Result<Index<'a>, Exit> {
    let mut index = Index { files: Vec::new(), occurrences: Vec::new(), longest_word: 0, reference_width: 0 };
    let mut lines = 0;
    for &name in names {
        let text = whole(name)?;
        let file = File { name: if name == b"-" { b"" } else { name }, text, lines_before: lines, lines_after: 0 };
        index.files.push(file);
        find_words(set, &mut index, &mut lines)?;
        // The end of a file ends a line.
        lines += 1;
        if let Some(file) = index.files.last_mut() {
            file.lines_after = lines;
        }
    }
    let (files, fold) = (&index.files, set.ignore_case);
    let word = |o: &Occurrence| &files[o.file].text[o.start..o.end];
    index.occurrences.sort_by(|a, b| compare(word(a), word(b), fold));
    Ok(index)
}

/// The words of the last file.
fn find_words(set: &Settings, index: &mut Index<'_>, lines: &mut usize) -> Result<(), Exit> {
    let file = index.files.len() - 1;
    let Index { files, occurrences, longest_word, reference_width } = index;
    let text = &files[file].text;
    let all = text.len();
    // How far lines are counted, and where the last one starts.
    let (mut line_scan, mut line_start, mut reference_length) = (0, 0, 0);
    if set.input_reference {
        line_scan = skip_other(text, 0, all);
        reference_length = line_scan;
        line_scan = skip_space(text, line_scan, all);
    }
    let mut next_context = 0;
    while next_context < all {
        let mut context_start = next_context;
        next_context = all;
        if let Some(regex) = &set.context {
            match regex.find_at(&text[context_start..], 0, false) {
                None => {}
                // Also a match that is not empty, as in GNU's ptx: a context must hold something.
                Some((0, _)) => {
                    let pattern = locale(&set.context_text);
                    let what = "error: regular expression has a match of length zero";
                    return Err(report::die(1, format_args!("{what}: {pattern}")));
                }
                Some((_, end)) => next_context = context_start + end,
            }
        }
        let context_end = back_space(text, next_context, context_start);
        let mut cursor = context_start;
        while cursor < context_end {
            let Some((start, end)) = set.words.next(text, cursor, context_end) else { break };
            if start == end {
                cursor = start + 1;
                continue;
            }
            cursor = end;
            *longest_word = (*longest_word).max(end - start);
            if set.input_reference || set.auto_reference {
                while line_scan < start {
                    line_scan += 1;
                    if text[line_scan - 1] == b'\n' {
                        *lines += 1;
                        line_start = line_scan;
                        line_scan = skip_other(text, line_scan, all);
                        reference_length = line_scan - line_start;
                    }
                }
                // A reference is no keyword.
                if set.input_reference && line_scan > start {
                    continue;
                }
            }
            let word = &text[start..end];
            if set.ignored.as_ref().is_some_and(|list| listed(list, word, set.ignore_case))
                || set.only.as_ref().is_some_and(|list| !listed(list, word, set.ignore_case))
            {
                continue;
            }
            let mut reference = *lines;
            if set.input_reference {
                if !set.auto_reference {
                    reference = line_start;
                    *reference_width = (*reference_width).max(reference_length);
                }
                if line_start == context_start {
                    context_start = skip_other(text, context_start, context_end);
                    context_start = skip_space(text, context_start, context_end);
                }
            }
            occurrences.push(Occurrence {
                file,
                start,
                end,
                left: context_start.min(start),
                right: context_end,
                reference,
            });
        }
    }
    // The rest of the lines counts for the files behind.
    *lines += text[line_scan.min(all)..].iter().filter(|&&b| b == b'\n').count();
    Ok(())
}
