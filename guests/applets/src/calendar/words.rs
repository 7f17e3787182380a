//! The words of dates: numbers, names of months and days, units, zones people name.

use super::{DAYS, MONTHS};

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Number {
    pub value: i64,
    /// How many were written: `05` is not `5`.
    pub digits: usize,
}

/// Units that are added up.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Unit {
    Years,
    Months,
    /// So many days.
    Days(i64),
    Hours,
    Minutes,
    Seconds,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Token {
    Unsigned(Number),
    /// With a sign in front; `-0` is negative, too.
    Signed(Number, bool),
    /// Seconds and nanoseconds, with a sign or not.
    Decimal(i64, u32, bool),
    /// Afternoon or not.
    Half(bool),
    Month(u32),
    Day(u32),
    Ordinal(i64),
    /// Behind a relative item: back (-1) or forth.
    Ago(i64),
    /// `tomorrow` and the like.
    Shift(i64),
    Unit(Unit),
    /// Seconds east of Greenwich.
    Zone(i64),
    /// A zone in summer: an hour is to be added.
    SummerZone(i64),
    /// A name of the local zone: in summer or not.
    LocalZone(bool),
    Summer,
    /// Between a date and a time, or a zone of soldiers.
    T,
    Mark(char),
    /// What is none: an unknown word, a number that is too large. Nothing behind it is read.
    Unknown,
}

/// A text as tokens.
#[derive(Default)]
pub struct Tokens {
    pub all: Vec<Token>,
    /// Where the text goes on behind each.
    pub ends: Vec<usize>,
    /// The word that nobody knows.
    pub unknown: Option<String>,
}

/// The tokens of a text. `local` has the names of the local zone.
pub fn tokens(text: &str, local: &[(String, bool)]) -> Tokens {
    let mut found = Tokens::default();
    let mut rest = text;
    loop {
        while found.ends.len() < found.all.len() {
            found.ends.push(text.len() - rest.len());
        }
        if found.all.last() == Some(&Token::Unknown) {
            return found;
        }
        let all = &mut found.all;
        rest = rest.trim_start_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']);
        let Some(c) = rest.chars().next() else { return found };
        if c.is_ascii_digit() || matches!(c, '+' | '-') {
            let mut body = rest;
            let mut sign = None;
            while let Some(c @ ('+' | '-')) = body.chars().next() {
                // Of several signs the last one counts.
                sign = Some(c == '-');
                body = body[1..].trim_start();
                if !body.starts_with(|c: char| c.is_ascii_digit()) {
                    break;
                }
            }
            if !body.starts_with(|c: char| c.is_ascii_digit()) {
                // A sign before anything else means nothing.
                rest = if body.is_empty() { "" } else { body };
                continue;
            }
            let (token, tail) = number(body, sign).unwrap_or((Token::Unknown, body));
            all.push(token);
            rest = tail;
        } else if c.is_ascii_alphabetic() {
            let end = rest.find(|c: char| !(c.is_ascii_alphabetic() || c == '.')).unwrap_or(rest.len());
            let known = word(&rest[..end].to_ascii_lowercase(), local);
            all.push(known.unwrap_or(Token::Unknown));
            if known.is_none() {
                found.unknown = Some(rest[..end].to_ascii_uppercase());
            }
            rest = &rest[end..];
        } else if c == '(' {
            // Comments nest.
            let mut depth = 0;
            let end = rest.find(|c: char| {
                depth += i32::from(c == '(') - i32::from(c == ')');
                depth == 0
            });
            rest = end.map_or("", |end| &rest[end + 1..]);
        } else {
            all.push(Token::Mark(c));
            rest = &rest[c.len_utf8()..];
        }
    }
}

fn number(body: &str, sign: Option<bool>) -> Option<(Token, &str)> {
    let digits = body.find(|c: char| !c.is_ascii_digit()).unwrap_or(body.len());
    let negative = sign == Some(true);
    let magnitude: i64 = body[..digits].parse().ok()?;
    let value = if negative { -magnitude } else { magnitude };
    let tail = &body[digits..];
    let fraction = tail.strip_prefix(['.', ',']).filter(|f| f.starts_with(|c: char| c.is_ascii_digit()));
    if let Some(fraction) = fraction {
        let length = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
        let nanos: u32 = format!("{:0<9}", &fraction[..length])[..9].parse().ok()?;
        // Digits beyond are cut off, downwards.
        let more = negative && fraction[..length].len() > 9 && fraction[9..length].contains(|c| c != '0');
        let (seconds, nanos) = match (negative, nanos + u32::from(more)) {
            (true, 1_000_000_000) => (value - 1, 0),
            (true, n) if n > 0 => (value - 1, 1_000_000_000 - n),
            (_, n) => (value, n),
        };
        return Some((Token::Decimal(seconds, nanos, sign.is_some()), &fraction[length..]));
    }
    let number = Number { value, digits };
    Some((if sign.is_some() { Token::Signed(number, negative) } else { Token::Unsigned(number) }, tail))
}

/// A word in lower case.
fn word(word: &str, local: &[(String, bool)]) -> Option<Token> {
    match word {
        "am" | "a.m." => return Some(Token::Half(false)),
        "pm" | "p.m." => return Some(Token::Half(true)),
        _ => {}
    }
    // Three letters are enough, with a point behind them or not.
    let short = word.len() == 3 || (word.len() == 4 && word.ends_with('.'));
    let is =
        |name: &str| if short { name[..3].eq_ignore_ascii_case(&word[..3]) } else { name.eq_ignore_ascii_case(word) };
    if let Some(month) = MONTHS.iter().position(|m| is(m)) {
        return Some(Token::Month(month as u32 + 1));
    }
    if let Some(day) = DAYS.iter().position(|d| is(d)) {
        return Some(Token::Day(day as u32));
    }
    match word {
        "sept" => return Some(Token::Month(9)),
        "tues" => return Some(Token::Day(2)),
        "wednes" => return Some(Token::Day(3)),
        "thur" | "thurs" => return Some(Token::Day(4)),
        _ => {}
    }
    zone(word, local)
        .or_else(|| (word == "dst").then_some(Token::Summer))
        .or_else(|| unit(word))
        .or_else(|| word.strip_suffix('s').and_then(unit))
        .or_else(|| relative(word))
        .or_else(|| military(word))
        .or_else(|| {
            // Once more without points.
            let plain = word.replace('.', "");
            (plain.len() < word.len()).then(|| zone(&plain, local)).flatten()
        })
}

fn unit(word: &str) -> Option<Token> {
    Some(Token::Unit(match word {
        "year" => Unit::Years,
        "month" => Unit::Months,
        "fortnight" => Unit::Days(14),
        "week" => Unit::Days(7),
        "day" => Unit::Days(1),
        "hour" => Unit::Hours,
        "minute" | "min" => Unit::Minutes,
        "second" | "sec" => Unit::Seconds,
        _ => return None,
    }))
}

const ORDINALS: [(&str, i64); 14] = [
    ("last", -1),
    ("this", 0),
    ("next", 1),
    ("first", 1),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("eleventh", 11),
    ("twelfth", 12),
];

fn relative(word: &str) -> Option<Token> {
    if let Some(ordinal) = ORDINALS.iter().find(|o| o.0 == word) {
        return Some(Token::Ordinal(ordinal.1));
    }
    Some(match word {
        "tomorrow" => Token::Shift(1),
        "yesterday" => Token::Shift(-1),
        "today" | "now" => Token::Shift(0),
        "ago" => Token::Ago(-1),
        "hence" => Token::Ago(1),
        _ => return None,
    })
}

/// One letter, as soldiers have them.
fn military(word: &str) -> Option<Token> {
    let [letter] = word.as_bytes() else { return None };
    let hours = match letter {
        b't' => return Some(Token::T),
        b'a'..=b'i' => i64::from(letter - b'a') + 1,
        b'k'..=b'm' => i64::from(letter - b'k') + 10,
        b'n'..=b'y' => -(i64::from(letter - b'n') + 1),
        b'z' => 0,
        _ => return None,
    };
    Some(Token::Zone(hours * 3600))
}

/// Zones by name: hours east of Greenwich.
const ZONES: [(&str, f64); 40] = [
    ("wet", 0.0),
    ("art", -3.0),
    ("brt", -3.0),
    ("nst", -3.5),
    ("ast", -4.0),
    ("clt", -4.0),
    ("est", -5.0),
    ("cst", -6.0),
    ("mst", -7.0),
    ("pst", -8.0),
    ("akst", -9.0),
    ("hst", -10.0),
    ("hast", -10.0),
    ("sst", -12.0),
    ("wat", 1.0),
    ("cet", 1.0),
    ("met", 1.0),
    ("mez", 1.0),
    ("eet", 2.0),
    ("cat", 2.0),
    ("sast", 2.0),
    ("eat", 3.0),
    ("msk", 3.0),
    ("ist", 5.5),
    ("sgt", 8.0),
    ("kst", 9.0),
    ("jst", 9.0),
    ("gst", 10.0),
    ("nzst", 12.0),
    // From here on: an hour is added for the summer.
    ("west", 0.0),
    ("bst", 0.0),
    ("brst", -3.0),
    ("ndt", -3.5),
    ("adt", -4.0),
    ("clst", -4.0),
    ("edt", -5.0),
    ("cdt", -6.0),
    ("mdt", -7.0),
    ("pdt", -8.0),
    ("akdt", -9.0),
];
const SUMMER_ZONES: usize = 29;
const MORE_SUMMER: [(&str, f64); 7] =
    [("hadt", -10.0), ("cest", 1.0), ("mest", 1.0), ("mesz", 1.0), ("eest", 2.0), ("msd", 3.0), ("nzdt", 12.0)];

fn zone(word: &str, local: &[(String, bool)]) -> Option<Token> {
    if matches!(word, "gmt" | "ut" | "utc") {
        return Some(Token::Zone(0));
    }
    if let Some(found) = local.iter().find(|l| l.0.eq_ignore_ascii_case(word)) {
        return Some(Token::LocalZone(found.1));
    }
    let seconds = |hours: f64| (hours * 3600.0) as i64;
    match ZONES.iter().position(|z| z.0 == word) {
        Some(at) if at < SUMMER_ZONES => Some(Token::Zone(seconds(ZONES[at].1))),
        Some(at) => Some(Token::SummerZone(seconds(ZONES[at].1))),
        None => MORE_SUMMER.iter().find(|z| z.0 == word).map(|z| Token::SummerZone(seconds(z.1))),
    }
}
