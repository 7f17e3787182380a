//! Regular expressions in Oniguruma's Perl syntax.

mod pattern;

use super::{Context, Native, Result, native, wrong};
use crate::value::{Object, Value};
use fancy_regex::{Regex, RegexBuilder};
use std::collections::HashMap;
use std::rc::Rc;

pub const TABLE: &[Native] = &[
    native("_match", 3, |context, input, args| {
        let [pattern, flags, test] = args else { return Err("_match needs three arguments".into()) };
        matches(context, &input, pattern, flags, test.is_true())
    }),
    native("_capture", 0, |_, input, _| {
        let mut object = Object::default();
        if let Value::Object(found) = &input
            && let Some(captures) = found.get("captures").and_then(Value::as_array)
        {
            for capture in captures {
                if let Value::Object(capture) = capture
                    && let Some(Value::String(name)) = capture.get("name")
                {
                    object.insert(name.clone(), capture.get("string").cloned().unwrap_or_default());
                }
            }
        }
        Ok(Value::object(object))
    }),
];

/// How often a pattern may go back before it is given up: patterns can be made to take for ever.
const BACKTRACKS: usize = 10_000_000;
/// How many compiled patterns are kept.
const KEPT: usize = 100;

#[derive(Default)]
pub struct Cache(HashMap<(String, String), Rc<Regex>>);

#[derive(Default)]
struct Flags {
    global: bool,
    ignore_case: bool,
    extended: bool,
    not_empty: bool,
    dot_all: bool,
    longest: bool,
}

impl Flags {
    fn parse(text: &str) -> Option<Flags> {
        let mut flags = Flags::default();
        for c in text.chars() {
            match c {
                'g' => flags.global = true,
                'i' => flags.ignore_case = true,
                'x' => flags.extended = true,
                'n' => flags.not_empty = true,
                // Single line mode is how `$` is taken anyway.
                's' => {}
                'p' => flags.dot_all = true,
                'l' => flags.longest = true,
                _ => return None,
            }
        }
        Some(flags)
    }
}

impl Cache {
    fn get(&mut self, pattern: &str, text: &str, flags: &Flags) -> Result<Rc<Regex>> {
        let key = (pattern.to_owned(), format!("{text} {}", flags.longest));
        if let Some(known) = self.0.get(&key) {
            return Ok(known.clone());
        }
        let mut translated = pattern::translate(pattern, flags.extended).map_err(|e| format!("Regex failure: {e}"))?;
        if flags.longest {
            if LOOKS_AHEAD.iter().any(|sign| pattern.contains(sign)) {
                return Err(format!("{pattern}: the flag l is not supported beside {}", LOOKS_AHEAD.join(" ")));
            }
            // A comment of the extended syntax ends with its line.
            let end_of_line = if flags.extended { "\n" } else { "" };
            translated = format!("(?:{translated}{end_of_line})\\z");
        }
        let built = RegexBuilder::new(&translated)
            .case_insensitive(flags.ignore_case)
            .ignore_whitespace(flags.extended)
            .dot_matches_new_line(flags.dot_all)
            .backtrack_limit(BACKTRACKS)
            .build();
        let regex = Rc::new(built.map_err(|e| format!("Regex failure: {}", fault(&translated, &e)))?);
        if self.0.len() >= KEPT {
            self.0.clear();
        }
        self.0.insert(key, regex.clone());
        Ok(regex)
    }
}

/// What would see an end of the text where [`longest`] cuts it.
const LOOKS_AHEAD: [&str; 6] = ["$", "\\b", "\\B", "\\Z", "(?=", "(?!"];

/// The longest match behind a place, the first of several. The pattern ends with the text, so that each end is tried
/// for itself: the first place a match can start from is the longest one with that end.
fn longest<'t>(
    regex: &Regex,
    text: &'t str,
    from: usize,
) -> std::result::Result<Option<fancy_regex::Captures<'t, str>>, fancy_regex::Error> {
    let mut best: Option<fancy_regex::Captures<'t, str>> = None;
    let mut length = None;
    for end in (from..=text.len()).rev().filter(|&end| text.is_char_boundary(end)) {
        if length.is_some_and(|length| end - from < length) {
            break;
        }
        let Some(captures) = regex.captures_from_pos(&text[..end], from)? else { continue };
        // From the last end to the first: what is as long starts before it.
        let found = captures.get(0).map(|whole| whole.end() - whole.start());
        if found >= length {
            (best, length) = (Some(captures), found);
        }
    }
    Ok(best)
}

/// What is wrong with a pattern, as Oniguruma says it where it is plain to see.
fn fault(text: &str, error: &fancy_regex::Error) -> String {
    use fancy_regex::{CompileError, Error, ParseError};
    if let Some(name) = pattern::unknown_property(text) {
        return format!("invalid character property name {name}");
    }
    let said = match error {
        Error::ParseError(_, ParseError::UnclosedOpenParen) if text.ends_with("(?") => "end pattern in group",
        Error::ParseError(_, ParseError::UnclosedOpenParen) => "end pattern with unmatched parenthesis",
        Error::ParseError(_, ParseError::TargetNotRepeatable) => "target of repeat operator is not specified",
        Error::ParseError(_, ParseError::TrailingBackslash) => "end pattern at escape",
        Error::ParseError(_, ParseError::InvalidClass) if text.ends_with("[]") => "empty char-class",
        Error::ParseError(_, ParseError::InvalidClass) => "premature end of char-class",
        Error::ParseError(at, ParseError::GeneralParseError(_)) if text[*at..].starts_with(')') => {
            "unmatched close parenthesis"
        }
        Error::ParseError(_, ParseError::UnknownFlag(_)) => "undefined group option",
        Error::CompileError(compile) if matches!(**compile, CompileError::InvalidBackref(_)) => {
            "invalid backref number/name"
        }
        other => return other.to_string(),
    };
    said.to_owned()
}

/// Counts characters up to byte offsets that only grow.
struct Chars<'a> {
    text: &'a str,
    at: usize,
    count: usize,
}

impl Chars<'_> {
    fn upto(&mut self, at: usize) -> usize {
        if at < self.at {
            self.at = 0;
            self.count = 0;
        }
        self.count += self.text[self.at..at].chars().count();
        self.at = at;
        self.count
    }
}

fn matches(context: &mut Context, input: &Value, pattern: &Value, flags: &Value, test: bool) -> Result<Value> {
    // The pattern may come with its flags in an array.
    let (pattern, flags) = match pattern {
        Value::Array(pair) if matches!(flags, Value::Null) && !pair.0.is_empty() => {
            (pair.0.first().cloned().unwrap_or_default(), pair.0.get(1).cloned().unwrap_or_default())
        }
        Value::String(_) => (pattern.clone(), flags.clone()),
        other if matches!(flags, Value::Null) => return Err(format!("{} not a string or array", other.kind())),
        other => (other.clone(), flags.clone()),
    };
    let Value::String(text) = input else { return wrong(input, "cannot be matched, as it is not a string") };
    let Value::String(pattern) = &pattern else { return wrong(&pattern, "is not a string") };
    let flag_text = match &flags {
        Value::Null => "",
        Value::String(flags) => flags,
        other => return wrong(other, "is not a string"),
    };
    let Some(mut flags) = Flags::parse(flag_text) else {
        return Err(format!("{flag_text} is not a valid modifier string"));
    };
    // Whether there is a match does not depend on which one it is.
    flags.longest &= !test || flags.not_empty;
    let regex = context.regexes.get(pattern, flag_text, &flags)?;
    let text = text.as_str();
    let names: Vec<Option<&str>> = regex.capture_names().collect();
    let mut found = Vec::new();
    let mut chars = Chars { text, at: 0, count: 0 };
    let mut from = 0;
    while from <= text.len() {
        let fault = |e: fancy_regex::Error| format!("{pattern} failed: {e}");
        if test && !flags.not_empty {
            return Ok(regex.is_match(text).map_err(fault)?.into());
        }
        let next = if flags.longest { longest(&regex, text, from) } else { regex.captures_from_pos(text, from) };
        let Some(captures) = next.map_err(fault)? else { break };
        let Some(whole) = captures.get(0) else { break };
        let step = |at: usize| at + text[at..].chars().next().map_or(1, char::len_utf8);
        if whole.start() == whole.end() && flags.not_empty {
            from = step(whole.end());
            continue;
        }
        if test {
            return Ok(true.into());
        }
        let start = chars.upto(whole.start());
        found.push(described(text, &captures, &names, start));
        if !flags.global {
            break;
        }
        if whole.start() == whole.end() {
            inside_character(&regex, text, whole.start(), &names, start + 1, &mut found).map_err(fault)?;
        }
        from = if whole.end() == whole.start() { step(whole.end()) } else { whole.end() };
    }
    if test {
        return Ok(false.into());
    }
    Ok(Value::array(found))
}

/// How much around a character counts for what matches inside it.
const AROUND: usize = 500;

/// After an empty match jq goes on by one byte. Where that is inside a character, nothing is matched again, if the
/// pattern can match nothing between this character and one that is no letter.
fn inside_character(
    regex: &Regex,
    text: &str,
    at: usize,
    names: &[Option<&str>],
    offset: usize,
    found: &mut Vec<Value>,
) -> std::result::Result<(), fancy_regex::Error> {
    let length = text[at..].chars().next().map_or(1, char::len_utf8);
    if length == 1 {
        return Ok(());
    }
    let before = text.floor_char_boundary(at.saturating_sub(AROUND));
    let after = text.ceil_char_boundary((at + length + AROUND).min(text.len()));
    let middle = at + length;
    let around = format!("{}\u{fffd}{}", &text[before..middle], &text[middle..after]);
    if let Some(captures) = regex.captures_from_pos(around.as_str(), middle - before)?
        && captures.get(0).is_some_and(|whole| whole.end() == middle - before)
    {
        let again = described(&around, &captures, names, offset);
        found.extend(std::iter::repeat_n(again, length - 1));
    }
    Ok(())
}

/// What was matched, where and with which groups.
fn described(text: &str, captures: &fancy_regex::Captures<str>, names: &[Option<&str>], start: usize) -> Value {
    let (begin, whole) = captures.get(0).map_or((0, ""), |whole| (whole.start(), whole.as_str()));
    let mut groups = Vec::new();
    for (n, name) in names.iter().enumerate().skip(1) {
        let name = name.map_or(Value::Null, Value::from);
        groups.push(match captures.get(n) {
            Some(group) => {
                let offset = start + text[begin..group.start().max(begin)].chars().count();
                entry(offset.into(), group.as_str(), Some(("name", name)))
            }
            None => Value::object(Object::from([
                ("offset", Value::Number(-1.0)),
                ("string", Value::Null),
                ("length", 0usize.into()),
                ("name", name),
            ])),
        });
    }
    entry(start.into(), whole, Some(("captures", Value::array(groups))))
}

fn entry(offset: Value, text: &str, last: Option<(&str, Value)>) -> Value {
    let mut object =
        Object::from([("offset", offset), ("length", text.chars().count().into()), ("string", text.into())]);
    if let Some((name, value)) = last {
        object.insert(Rc::new(name.to_owned()), value);
    }
    Value::object(object)
}
