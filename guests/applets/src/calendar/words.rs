//! The words of dates: tokens, names of months and days, zones people name.

#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// Digits as written: `05` is not `5`.
    Number(String),
    Word(String),
    Mark(char),
    /// Where blanks were.
    Gap,
}

pub fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let take = |test: fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
        let n = if c.is_ascii_digit() {
            let n = take(|c| c.is_ascii_digit());
            all.push(Token::Number(rest[..n].to_owned()));
            n
        } else if c.is_ascii_alphabetic() {
            let n = take(|c| c.is_ascii_alphabetic() || c == '.');
            all.push(Token::Word(rest[..n].trim_end_matches('.').to_owned()));
            n
        } else if c.is_whitespace() || c == '"' {
            if all.last() != Some(&Token::Gap) {
                all.push(Token::Gap);
            }
            c.len_utf8()
        } else if c == '(' {
            // A comment.
            rest.find(')')? + 1
        } else {
            all.push(Token::Mark(c));
            c.len_utf8()
        };
        rest = &rest[n..];
    }
    Some(all)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
pub const ORDINALS: [&str; 12] =
    ["first", "", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"];

pub fn month(word: &str) -> Option<u32> {
    let known = |m: &&str| **m == *word || m[..3] == *word || (word == "sept" && m.starts_with("sep"));
    MONTHS.iter().position(known).map(|i| i as u32 + 1)
}

pub fn weekday(word: &str) -> Option<u32> {
    let known = |d: &&str| **d == *word || d[..3] == *word;
    let odd = match word {
        "tues" => Some(2),
        "wednes" => Some(3),
        "thur" | "thurs" => Some(4),
        _ => None,
    };
    odd.or_else(|| DAYS.iter().position(known).map(|i| i as u32))
}

/// Hours east of Greenwich of the zones people name.
pub fn zone_hours(word: &str) -> Option<f64> {
    Some(match word {
        "utc" | "gmt" | "z" | "ut" | "wet" => 0.0,
        "bst" | "west" | "cet" | "met" => 1.0,
        "cest" | "mest" | "eet" | "sast" => 2.0,
        "eest" | "msk" => 3.0,
        "ist" => 5.5,
        "jst" => 9.0,
        "edt" => -4.0,
        "est" | "cdt" => -5.0,
        "cst" | "mdt" => -6.0,
        "mst" | "pdt" => -7.0,
        "pst" | "akdt" => -8.0,
        "akst" => -9.0,
        "hst" => -10.0,
        // The letters of the military, around the world from Z; J is wherever one is.
        _ => match word.as_bytes() {
            [letter @ b'a'..=b'i'] => f64::from(letter - b'a' + 1),
            [letter @ b'k'..=b'm'] => f64::from(letter - b'k' + 10),
            [letter @ b'n'..=b'y'] => -f64::from(letter - b'n' + 1),
            _ => return None,
        },
    })
}

/// Whether a word is one that relative items count in.
pub fn is_unit(word: &str) -> bool {
    let word = if word.len() > 3 { word.strip_suffix('s').unwrap_or(word) } else { word };
    matches!(word, "year" | "month" | "fortnight" | "week" | "day" | "hour" | "minute" | "min" | "second" | "sec")
}
