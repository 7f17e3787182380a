//! Names and patterns, from the command line and from lists in files, and the options that change how they are read.

use super::names::Pattern;
use super::options::Step;
use super::settings::Settings;
use super::table::*;
use super::tags::Leaves;
use super::{FATAL, fatal, read_list, shown};
use crate::options::{NO, OPERAND};
use crate::{Exit, report};

/// How names and patterns are read from here on.
pub struct Reading {
    wildcards: Option<bool>,
    anchored: Option<bool>,
    ignore_case: bool,
    slash: bool,
    recurse: bool,
    null: bool,
    verbatim: bool,
    unquote: bool,
    pub steps: Vec<Step>,
    /// The lists that were read, each with where it was asked for.
    lists: Vec<(Vec<u8>, String)>,
}

impl Reading {
    pub fn new() -> Reading {
        Reading {
            wildcards: None,
            anchored: None,
            ignore_case: false,
            slash: true,
            recurse: true,
            null: false,
            verbatim: false,
            unquote: true,
            steps: Vec::new(),
            lists: Vec::new(),
        }
    }

    fn exclude(&self, text: &[u8]) -> Pattern {
        Pattern {
            text: text.to_vec(),
            wildcards: self.wildcards.unwrap_or(true),
            anchored: self.anchored.unwrap_or(false),
            ignore_case: self.ignore_case,
            slash: self.slash,
            below: self.recurse,
        }
    }

    pub fn name(&mut self, text: &[u8]) {
        let mut text = if self.unquote { unquoted(text) } else { text.to_vec() };
        while text.len() > 1 && text.ends_with(b"/") {
            text.pop();
        }
        self.steps.push(Step::Name(Pattern {
            text,
            wildcards: self.wildcards.unwrap_or(false),
            anchored: self.anchored.unwrap_or(true),
            ignore_case: self.ignore_case,
            slash: self.slash,
            below: self.recurse,
        }));
    }

    /// An option that holds from where it stands on, wherever that is; false for any other.
    pub fn option(&mut self, letter: char, value: &[u8], settings: &mut Settings, place: &str) -> Result<bool, Exit> {
        match letter {
            OPERAND | ADD => self.name(value),
            'C' => self.steps.push(Step::Directory(value.to_vec())),
            'T' => self.list(value, settings, place)?,
            NULL => (self.null, self.verbatim) = (true, true),
            NO_NULL => (self.null, self.verbatim) = (false, false),
            VERBATIM => self.verbatim = true,
            NO_VERBATIM => self.verbatim = false,
            UNQUOTE => self.unquote = true,
            NO_UNQUOTE => self.unquote = false,
            'X' => {
                let text = read_list(value).map_err(|e| fatal(format_args!("{}: {e}", shown(value))))?;
                let lines = text.split(|&b| b == b'\n').filter(|l| !l.is_empty());
                settings.excludes.extend(lines.map(|l| self.exclude(l)));
            }
            EXCLUDE => settings.excludes.push(self.exclude(value)),
            VCS => settings.excludes.extend(VCS_NAMES.iter().map(|n| Pattern::exclude(n.as_bytes()))),
            BACKUPS => {
                settings.excludes.extend([b".#*".as_slice(), b"*~", b"#*#"].iter().map(|n| Pattern::exclude(n)));
            }
            CACHES => settings.tags.add_caches(Leaves::Contents),
            CACHES_UNDER => settings.tags.add_caches(Leaves::Under),
            CACHES_ALL => settings.tags.add_caches(Leaves::All),
            TAG => settings.tags.add(value, Leaves::Contents),
            TAG_UNDER => settings.tags.add(value, Leaves::Under),
            TAG_ALL => settings.tags.add(value, Leaves::All),
            IGNORE => settings.tags.ignores.push((value.to_vec(), false)),
            IGNORE_BELOW => settings.tags.ignores.push((value.to_vec(), true)),
            RECURSION => self.recurse = true,
            NO_RECURSION => self.recurse = false,
            WILDCARDS => (self.wildcards, settings.wildcards_said) = (Some(true), true),
            NO_WILDCARDS => (self.wildcards, settings.wildcards_said) = (Some(false), true),
            ANCHORED => self.anchored = Some(true),
            NO_ANCHORED => self.anchored = Some(false),
            IGNORE_CASE => self.ignore_case = true,
            NO_IGNORE_CASE => self.ignore_case = false,
            SLASH => self.slash = true,
            NO_SLASH => self.slash = false,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `-T`: names, and among them options, unless they are taken as they are.
    fn list(&mut self, file: &[u8], settings: &mut Settings, place: &str) -> Result<(), Exit> {
        self.steps.push(Step::FromFile);
        // A list that asks for itself would never end.
        if let Some((_, before)) = self.lists.iter().find(|(known, _)| known == file) {
            let name = shown(file);
            report::error(format_args!("{name}: file list requested from {place} already read from {before}"));
            settings.status = FATAL;
            return Ok(());
        }
        self.lists.push((file.to_vec(), place.to_owned()));
        let text = read_list(file).map_err(|e| {
            let what = if file != b"-" && capsule_sys::stat(file).is_err() { "Cannot stat" } else { "Cannot open" };
            fatal(format_args!("{}: {what}: {e}", shown(file)))
        })?;
        let nul = memchr::memchr(0, &text).is_some();
        if nul && !self.null {
            settings.warn("filename-with-nuls", format_args!("{}: file name read contains nul character", shown(file)));
        }
        let null = self.null;
        let end = if null || nul { 0 } else { b'\n' };
        let unquote = self.unquote;
        for (number, line) in text.split(|&b| b == end).enumerate().filter(|(_, line)| !line.is_empty()) {
            if !self.verbatim && line.len() > 1 && line[0] == b'-' {
                if !self.option_line(line, settings, &shown(file))? {
                    report::error(format_args!("{}:{}: unrecognized option", shown(file), number + 1));
                    settings.status = FATAL;
                }
                continue;
            }
            self.unquote = unquote && !null;
            self.name(line);
            self.unquote = unquote;
        }
        Ok(())
    }

    /// A line of a list that is an option; false when there is none of that name.
    fn option_line(&mut self, line: &[u8], settings: &mut Settings, place: &str) -> Result<bool, Exit> {
        let Ok(words) = split_words(line) else { return Ok(false) };
        let Some((first, rest)) = words.split_first() else { return Ok(false) };
        let (letter, value) = match first.as_slice() {
            [b'-', b'-', long @ ..] => {
                let (name, value) = match memchr::memchr(b'=', long) {
                    Some(at) => (&long[..at], Some(long[at + 1..].to_vec())),
                    None => (long, None),
                };
                let Some((_, takes, letter)) = LONG.iter().find(|known| known.0.as_bytes() == name) else {
                    return Ok(false);
                };
                match (*takes == NO, value, rest) {
                    (true, None, []) => (*letter, Vec::new()),
                    (false, Some(value), []) => (*letter, value),
                    (false, None, [value]) => (*letter, value.clone()),
                    _ => return Ok(false),
                }
            }
            [b'-', letter @ (b'C' | b'T' | b'X'), value @ ..] => match (value, rest) {
                ([], [value]) => (char::from(*letter), value.clone()),
                ([_, ..], []) => (char::from(*letter), value.to_vec()),
                _ => return Ok(false),
            },
            _ => return Ok(false),
        };
        self.option(letter, &value, settings, place)
    }
}

/// Where a list is asked for that no list asks for.
pub const COMMAND_LINE: &str = "command line";

/// Words with quotes and backslashes as a shell's; an error where a quote has no end.
pub fn split_words(text: &[u8]) -> Result<Vec<Vec<u8>>, ()> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(mark), byte) if mark == byte => quote = None,
            (Some(b'\''), byte) => word.get_or_insert_default().push(byte),
            (None, b'\'' | b'"') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (Some(_), b'\\') if !matches!(bytes.peek(), Some(b'"' | b'\\')) => word.get_or_insert_default().push(byte),
            (_, b'\\') => word.get_or_insert_default().extend(bytes.next()),
            (None, byte) if byte.is_ascii_whitespace() => words.extend(word.take()),
            (_, byte) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    if quote.is_some() { Err(()) } else { Ok(words) }
}

/// What C's escapes in a line stand for.
fn unquoted(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let byte = line[at];
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&letter) = line.get(at) else {
            out.push(byte);
            break;
        };
        at += 1;
        match letter {
            b'\\' => out.push(b'\\'),
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'?' => out.push(127),
            b'0'..=b'7' => {
                let digits = line[at - 1..].iter().take(3).take_while(|d| (b'0'..=b'7').contains(d)).count();
                let value = line[at - 1..at - 1 + digits].iter().fold(0u32, |n, d| n * 8 + u32::from(d - b'0'));
                out.push(value as u8);
                at += digits - 1;
            }
            _ => out.extend_from_slice(&[b'\\', letter]),
        }
    }
    out
}

/// What version control keeps in a tree.
const VCS_NAMES: &[&str] = &[
    "CVS",
    ".cvsignore",
    "RCS",
    "SCCS",
    ".git",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".svn",
    ".arch-ids",
    "{arch}",
    "=RELEASE-ID",
    "=meta-update",
    "=update",
    ".bzr",
    ".bzrignore",
    ".bzrtags",
    ".hg",
    ".hgignore",
    ".hgtags",
    "_darcs",
];
