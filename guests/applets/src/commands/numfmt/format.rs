//! `--format`: what stands around the number, and how wide and how exact it is.

use crate::quote::locale;
use crate::{Exit, report};

#[derive(Default)]
pub struct Format {
    before: Vec<u8>,
    behind: Vec<u8>,
    pub width: usize,
    pub left: bool,
    /// Zeros up to this width.
    pub zeros: usize,
    pub precision: Option<usize>,
}

/// As `strtol`: the digits with their sign, and the bytes taken; no number beyond 64 bits.
fn integer(text: &[u8]) -> Result<(i64, usize), ()> {
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let digits = text[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 {
        return Ok((0, 0));
    }
    let number = std::str::from_utf8(&text[..sign + digits]).map_err(|_| ())?;
    number.parse().map(|n| (n, sign + digits)).map_err(|_| ())
}

impl Format {
    /// Whether grouping was asked for.
    pub fn parse(&mut self, text: &[u8], debug: bool) -> Result<bool, Exit> {
        let shown = locale(text);
        let die = |message: String| Err(report::die(1, message));
        let (mut at, mut before) = (0, 0);
        // GNU counts `%%` once and then copies as many bytes as it counted.
        loop {
            match &text[at..] {
                [b'%', b'%', ..] => at += 2,
                [b'%', ..] => break,
                [] => return die(format!("format {shown} has no % directive")),
                _ => at += 1,
            }
            before += 1;
        }
        at += 1;
        let (mut grouping, mut zero) = (false, false);
        loop {
            let blanks = text[at..].iter().take_while(|b| **b == b' ').count();
            at += blanks;
            match text.get(at) {
                Some(b'\'') => grouping = true,
                Some(b'0') => zero = true,
                _ if blanks > 0 => continue,
                _ => break,
            }
            at += 1;
        }
        let Ok((width, used)) = integer(&text[at..]) else {
            return die(format!("invalid format {shown} (width overflow)"));
        };
        if width != 0 {
            if debug && self.width > 0 && !(zero && width > 0) {
                report::error("--format padding overriding --padding");
            }
            let wide = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
            if width < 0 {
                (self.left, self.width) = (true, wide);
            } else if zero {
                self.zeros = wide;
            } else {
                self.width = wide;
            }
        }
        at += used;
        if at == text.len() {
            return die(format!("format {shown} ends in %"));
        }
        if text[at] == b'.' {
            at += 1;
            let number = match text.get(at) {
                Some(b' ' | b'\t' | b'+') => Err(()),
                _ => integer(&text[at..]),
            };
            match number {
                // More digits than any number has are zeros; so many are not wanted.
                Ok((digits @ 0..=1_000_000, used)) => {
                    self.precision = Some(digits as usize);
                    at += used;
                }
                _ => return die(format!("invalid precision in format {shown}")),
            }
        }
        if text.get(at) != Some(&b'f') {
            return die(format!("invalid format {shown}, directive must be %[0]['][-][N][.][N]f"));
        }
        let behind = &text[at + 1..];
        let mut rest = behind;
        while let Some(percent) = memchr::memchr(b'%', rest) {
            if rest.get(percent + 1) != Some(&b'%') {
                return die(format!("format {shown} has too many % directives"));
            }
            rest = &rest[percent + 2..];
        }
        self.before = text[..before].to_vec();
        self.behind = behind.to_vec();
        Ok(grouping)
    }

    /// The number with what stands around it.
    pub fn wrap(&self, number: &[u8], width: usize) -> Vec<u8> {
        let blanks = vec![b' '; width.saturating_sub(number.len())];
        let (left, right) = if self.left { (&[][..], &blanks[..]) } else { (&blanks[..], &[][..]) };
        [&self.before, left, number, right, &self.behind].concat()
    }
}
