//! Where pieces end, and what their names end with.

use crate::quote::locale;
use crate::{Exit, report};
use capsule_regex::{Options, Regex, Syntax};

pub struct Pattern {
    /// As it was written.
    pub text: Vec<u8>,
    pub what: What,
    /// How often it is repeated; none is without end.
    pub times: Option<u64>,
}

pub enum What {
    Line(u64),
    Match { regex: Box<Regex>, skip: bool, offset: i64 },
}

impl Pattern {
    pub fn parse_all(words: &[&[u8]]) -> Result<Vec<Pattern>, Exit> {
        let mut all: Vec<Pattern> = Vec::new();
        let (mut last_line, mut repeated) = (0, false);
        for word in words {
            if word.first() == Some(&b'{')
                && !std::mem::replace(&mut repeated, true)
                && let Some(before) = all.last_mut()
            {
                before.times = repeat(word)?;
                continue;
            }
            repeated = false;
            let what = match word.first() {
                Some(&mark) if matches!(mark, b'/' | b'%') => matching(word, mark)?,
                _ => {
                    let number = digits(word)
                        .ok_or_else(|| report::die(1, format_args!("{}: invalid pattern", locale(word))))?;
                    let shown = String::from_utf8_lossy(word);
                    if number == 0 {
                        return Err(report::die(1, format_args!("{shown}: line number must be greater than zero")));
                    }
                    if number < last_line {
                        let text =
                            format!("line number {} is smaller than preceding line number, {last_line}", locale(word));
                        return Err(report::die(1, text));
                    }
                    if number == last_line {
                        let text =
                            format!("warning: line number {} is the same as preceding line number", locale(word));
                        report::error(text);
                    }
                    last_line = number;
                    What::Line(number)
                }
            };
            all.push(Pattern { text: word.to_vec(), what, times: Some(0) });
        }
        Ok(all)
    }
}

/// Whole numbers, which may have a plus in front.
fn digits(text: &[u8]) -> Option<u64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn repeat(word: &[u8]) -> Result<Option<u64>, Exit> {
    let inner = word.strip_suffix(b"}").map(|w| &w[1..]);
    let Some(inner) = inner else {
        return Err(report::die(1, format_args!("{}: '}}' is required in repeat count", locale(word))));
    };
    if inner == b"*" {
        return Ok(None);
    }
    match digits(inner) {
        Some(n) => Ok(Some(n)),
        // The brace at the end is outside of the quotes, there as here.
        None => {
            let shown = locale(&word[..word.len() - 1]);
            Err(report::die(1, format_args!("{shown}}}: integer required between '{{' and '}}'")))
        }
    }
}

fn matching(word: &[u8], mark: u8) -> Result<What, Exit> {
    let Some(close) = word.iter().rposition(|&b| b == mark).filter(|at| *at > 0) else {
        let text = format!("{}: closing delimiter '{}' missing", crate::quote::name(word), mark as char);
        return Err(report::die(1, text));
    };
    let options = Options { syntax: Syntax::Basic, utf8: crate::quote::is_utf8(), ..Options::default() };
    let regex = Regex::new(&word[1..close], &options)
        .map_err(|e| report::die(1, format_args!("{}: invalid regular expression: {e}", locale(word))))?;
    let rest = &word[close + 1..];
    let offset = match rest {
        [] => 0,
        _ => {
            let (sign, number) = match rest {
                [b'+', number @ ..] => (1, number),
                [b'-', number @ ..] => (-1, number),
                number => (1, number),
            };
            let value = digits(number).and_then(|n| i64::try_from(n).ok());
            sign * value
                .ok_or_else(|| report::die(1, format_args!("{}: integer expected after delimiter", locale(word))))?
        }
    };
    Ok(What::Match { regex: Box::new(regex), skip: mark == b'%', offset })
}

/// `-b`: a format with one whole number.
pub struct Suffix {
    before: Vec<u8>,
    after: Vec<u8>,
    letter: u8,
    width: usize,
    precision: usize,
    zero: bool,
    left: bool,
    alternative: bool,
}

impl Suffix {
    pub fn digits(width: usize) -> Suffix {
        Suffix {
            before: Vec::new(),
            after: Vec::new(),
            letter: b'd',
            width,
            precision: 0,
            zero: true,
            left: false,
            alternative: false,
        }
    }

    pub fn parse(text: &[u8]) -> Result<Suffix, Exit> {
        let mut suffix = Suffix { zero: false, ..Suffix::digits(0) };
        let mut found = false;
        let mut rest = text;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            let side = if found { &mut suffix.after } else { &mut suffix.before };
            if byte != b'%' {
                side.push(byte);
                continue;
            }
            if rest.first() == Some(&b'%') {
                side.push(b'%');
                rest = &rest[1..];
                continue;
            }
            if found {
                return Err(report::die(1, "too many % conversion specifications in suffix"));
            }
            found = true;
            while let Some(&flag) = rest.first() {
                match flag {
                    b'-' => suffix.left = true,
                    b'0' => suffix.zero = true,
                    b'#' => suffix.alternative = true,
                    b'\'' => {}
                    _ => break,
                }
                rest = &rest[1..];
            }
            let number = |rest: &mut &[u8]| {
                let n = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                let (digits, tail) = rest.split_at(n);
                *rest = tail;
                digits.iter().fold(0usize, |v, d| (v * 10 + usize::from(d - b'0')).min(250))
            };
            suffix.width = number(&mut rest);
            if rest.first() == Some(&b'.') {
                rest = &rest[1..];
                suffix.precision = number(&mut rest);
                suffix.zero = false;
            }
            suffix.letter = match rest.first() {
                Some(&letter @ (b'd' | b'i' | b'u' | b'o' | b'x' | b'X')) => letter,
                None => return Err(report::die(1, "missing conversion specifier in suffix")),
                Some(&other) if other.is_ascii_graphic() => {
                    let text = format!("invalid conversion specifier in suffix: {}", other as char);
                    return Err(report::die(1, text));
                }
                Some(other) => {
                    return Err(report::die(1, format_args!("invalid conversion specifier in suffix: \\{other:03o}")));
                }
            };
            rest = &rest[1..];
        }
        if !found {
            return Err(report::die(1, "missing % conversion specification in suffix"));
        }
        Ok(suffix)
    }

    pub fn show(&self, number: u64) -> Vec<u8> {
        let digits = match self.letter {
            b'o' => format!("{number:o}"),
            b'x' => format!("{number:x}"),
            b'X' => format!("{number:X}"),
            _ => number.to_string(),
        };
        let digits = crate::pad::zeros(&digits, self.precision.max(1));
        let mark = match self.letter {
            b'o' if self.alternative && !digits.starts_with('0') => "0",
            b'x' if self.alternative && number > 0 => "0x",
            b'X' if self.alternative && number > 0 => "0X",
            _ => "",
        };
        let missing = self.width.saturating_sub(digits.len() + mark.len());
        let text = if self.left {
            format!("{mark}{digits}{}", " ".repeat(missing))
        } else if self.zero {
            format!("{mark}{}{digits}", "0".repeat(missing))
        } else {
            format!("{}{mark}{digits}", " ".repeat(missing))
        };
        [self.before.as_slice(), text.as_bytes(), self.after.as_slice()].concat()
    }
}
