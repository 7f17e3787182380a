//! `printf`.

use super::echo::expand;
use crate::expand::backslash_quote;
use crate::shell::{Flow, Shell};
use crate::syntax::{Decoded, EscapeStyle, decode_escape};
use capsule_applets::float::{Conversion, Long};
use capsule_applets::pad;
use capsule_sys as sys;

#[derive(Default, Clone)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

struct Format<'a> {
    args: &'a [Vec<u8>],
    next: usize,
    status: i32,
    stopped: bool,
    out: Vec<u8>,
}

/// What bash has room for; it shows nothing of a longer time.
const LONGEST_TIME: usize = 128;

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut next = 1;
    let mut variable = None;
    loop {
        match args.get(next).map(Vec::as_slice) {
            Some(b"--") => {
                next += 1;
                break;
            }
            Some(b"-v") => {
                let Some(name) = args.get(next + 1) else {
                    shell.complain("printf", "-v: option requires an argument");
                    return Ok(shell.usage("printf"));
                };
                variable = Some(name.clone());
                next += 2;
            }
            Some(arg) if arg.starts_with(b"-v") => {
                variable = Some(arg[2..].to_vec());
                next += 1;
            }
            Some(arg) if arg.len() > 1 && arg[0] == b'-' => {
                let option = arg[..2].to_vec();
                return Ok(shell.bad_option("printf", &option));
            }
            _ => break,
        }
    }
    let Some(format) = args.get(next) else { return Ok(shell.usage("printf")) };
    let target = match &variable {
        None => None,
        Some(name) => match shell.target_of_text(name)? {
            Some(target) => Some(target),
            None => {
                shell.complain("printf", [b"`", &name[..], b"': not a valid identifier"].concat());
                return Ok(2);
            }
        },
    };
    let mut state = Format { args: &args[next + 1..], next: 0, status: 0, stopped: false, out: Vec::new() };
    loop {
        let before = state.next;
        state.once(shell, format)?;
        // Whole lines are written before an error of the next round is told.
        if target.is_none() && state.out.ends_with(b"\n") {
            shell.out.append(&mut state.out);
        }
        // Again while there are arguments, unless the format takes none.
        if state.stopped || state.next >= state.args.len() || state.next == before {
            break;
        }
    }
    match target {
        Some(target) => {
            if shell.assign(&target, state.out, false).is_err() {
                return Ok(1);
            }
        }
        None => shell.out.extend_from_slice(&state.out),
    }
    Ok(state.status)
}

impl Format<'_> {
    fn once(&mut self, shell: &mut Shell, format: &[u8]) -> Flow {
        let mut i = 0;
        while i < format.len() {
            match format[i] {
                b'\\' => match decode_escape(&format[i + 1..], EscapeStyle::Format, &mut self.out) {
                    Decoded::Taken(n) => i += n + 1,
                    Decoded::Stop => {
                        self.stopped = true;
                        return Ok(());
                    }
                },
                b'%' if format.get(i + 1) == Some(&b'%') => {
                    self.out.push(b'%');
                    i += 2;
                }
                b'%' => {
                    i = self.conversion(shell, format, i + 1)?;
                    if self.stopped {
                        return Ok(());
                    }
                }
                b => {
                    self.out.push(b);
                    i += 1;
                }
            }
        }
        Ok(())
    }

    fn argument(&mut self) -> Option<Vec<u8>> {
        let argument = self.args.get(self.next).cloned();
        if argument.is_some() {
            self.next += 1;
        }
        argument
    }

    fn conversion(&mut self, shell: &mut Shell, format: &[u8], start: usize) -> Flow<usize> {
        let mut i = start;
        let mut spec = Spec::default();
        while let Some(b) = format.get(i) {
            match b {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                b'\'' => {}
                _ => break,
            }
            i += 1;
        }
        if format.get(i) == Some(&b'*') {
            i += 1;
            let width = self.integer(shell);
            spec.left |= width < 0;
            spec.width = usize::try_from(width.unsigned_abs()).unwrap_or(pad::WIDEST).min(pad::WIDEST);
        } else {
            spec.width = pad::number(format, &mut i);
        }
        if format.get(i) == Some(&b'.') {
            i += 1;
            spec.precision = if format.get(i) == Some(&b'*') {
                i += 1;
                usize::try_from(self.integer(shell)).ok().map(|n| n.min(pad::WIDEST))
            } else {
                Some(pad::number(format, &mut i))
            };
        }
        while matches!(format.get(i), Some(b'h' | b'l' | b'j' | b'z' | b't' | b'L' | b'q'))
            && (format.get(i) != Some(&b'q'))
        {
            i += 1;
        }
        let Some(&kind) = format.get(i) else {
            let text = [b"`", &format[start - 1..], b"': missing format character"].concat();
            shell.complain("printf", text);
            self.status = 1;
            self.stopped = true;
            return Ok(i);
        };
        if kind == b'(' {
            return self.time(shell, format, i, &spec);
        }
        match kind {
            b's' => {
                let text = self.argument().unwrap_or_default();
                self.text(&text, &spec);
            }
            b'c' => {
                // The first byte, which is the 0 at the end of an empty text.
                let first = self.argument().and_then(|text| text.first().copied()).unwrap_or(0);
                self.text(&[first], &Spec { precision: None, ..spec });
            }
            b'b' => {
                let text = self.argument().unwrap_or_default();
                let mut decoded = Vec::new();
                let go_on = expand(&text, EscapeStyle::PrintfB, &mut decoded);
                self.text(&decoded, &spec);
                self.stopped |= !go_on;
            }
            b'q' | b'Q' => {
                let mut text = self.argument().unwrap_or_default();
                if kind == b'Q' {
                    if let Some(precision) = spec.precision {
                        text.truncate(precision);
                    }
                    spec.precision = None;
                }
                let quoted = backslash_quote(&text);
                self.text(&quoted, &spec);
            }
            b'd' | b'i' => {
                let n = self.integer(shell);
                let sign = if n < 0 {
                    "-"
                } else if spec.plus {
                    "+"
                } else if spec.space {
                    " "
                } else {
                    ""
                };
                self.number(sign, n.unsigned_abs().to_string(), &spec);
            }
            b'u' => {
                let n = self.unsigned(shell);
                self.number("", (n as u64).to_string(), &spec);
            }
            b'o' => {
                let n = self.unsigned(shell) as u64;
                let mut digits = format!("{n:o}");
                if spec.alternate && !digits.starts_with('0') {
                    digits.insert(0, '0');
                }
                self.number("", digits, &spec);
            }
            b'x' | b'X' => {
                let n = self.unsigned(shell) as u64;
                let digits = if kind == b'x' { format!("{n:x}") } else { format!("{n:X}") };
                let prefix = match (spec.alternate && n != 0, kind) {
                    (true, b'x') => "0x",
                    (true, _) => "0X",
                    _ => "",
                };
                self.number(prefix, digits, &spec);
            }
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                let n = self.float(shell);
                self.float_out(n, kind, &spec);
            }
            b'n' => {
                if let Some(name) = self.argument() {
                    let count = self.out.len().to_string();
                    if let Some(target) = shell.target_of_text(&name)? {
                        let _ = shell.assign(&target, count.into_bytes(), false);
                    }
                }
            }
            kind => {
                let text = [b"`", &[kind][..], b"': invalid format character"].concat();
                shell.complain("printf", text);
                self.status = 1;
                self.stopped = true;
            }
        }
        Ok(i + 1)
    }

    /// `%(format)T`
    fn time(&mut self, shell: &mut Shell, format: &[u8], open: usize, spec: &Spec) -> Flow<usize> {
        let mut depth = 0;
        let mut end = open;
        for (i, b) in format.iter().enumerate().skip(open) {
            match b {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                end = i;
                break;
            }
        }
        if end == open || format.get(end + 1) != Some(&b'T') {
            shell.complain("printf", "`(': invalid format character");
            self.status = 1;
            self.stopped = true;
            return Ok(format.len());
        }
        let time_format = &format[open + 1..end];
        let time_format = if time_format.is_empty() { b"%X" } else { time_format };
        let seconds = match self.argument() {
            None => -1,
            Some(text) => self.parse_integer(shell, &text),
        };
        let seconds = match seconds {
            -1 => sys::now().sec,
            -2 => shell.started as i64,
            seconds => seconds,
        };
        let mut text = shell.time_text_at(time_format, seconds, 0);
        if text.len() >= LONGEST_TIME {
            text.clear();
        }
        self.text(&text, spec);
        Ok(end + 2)
    }

    fn text(&mut self, text: &[u8], spec: &Spec) {
        // printf counts bytes, as bash's does for %s.
        let text = match spec.precision {
            Some(most) if most < text.len() => &text[..most],
            _ => text,
        };
        self.pad(text, spec);
    }

    fn pad(&mut self, text: &[u8], spec: &Spec) {
        let missing = spec.width.saturating_sub(text.len());
        if !spec.left {
            self.out.resize(self.out.len() + missing, b' ');
        }
        self.out.extend_from_slice(text);
        if spec.left {
            self.out.resize(self.out.len() + missing, b' ');
        }
    }

    fn number(&mut self, prefix: &str, digits: String, spec: &Spec) {
        let mut digits = digits;
        if let Some(precision) = spec.precision {
            if precision == 0 && digits == "0" {
                digits.clear();
            }
            digits = pad::zeros(&digits, precision.min(pad::WIDEST));
        } else if spec.zero && !spec.left {
            digits = pad::zeros(&digits, spec.width.saturating_sub(prefix.len()));
        }
        let text = format!("{prefix}{digits}");
        self.pad(text.as_bytes(), spec);
    }

    /// As C's strtoumax: the bits of a number up to 2^64.
    fn unsigned(&mut self, shell: &mut Shell) -> i64 {
        match self.argument() {
            Some(text) => self.parse_number(shell, &text, true),
            None => 0,
        }
    }

    fn integer(&mut self, shell: &mut Shell) -> i64 {
        match self.argument() {
            Some(text) => self.parse_integer(shell, &text),
            None => 0,
        }
    }

    fn parse_integer(&mut self, shell: &mut Shell, text: &[u8]) -> i64 {
        self.parse_number(shell, text, false)
    }

    fn parse_number(&mut self, shell: &mut Shell, text: &[u8], unsigned: bool) -> i64 {
        let trimmed = text.trim_ascii_start();
        if let Some(b'\'' | b'"') = trimmed.first() {
            return character(&trimmed[1..], shell.utf8);
        }
        if trimmed.is_empty() {
            // An empty argument is 0, silently.
            return 0;
        }
        let (negative, digits) = match trimmed[0] {
            b'-' => (true, &trimmed[1..]),
            b'+' => (false, &trimmed[1..]),
            _ => (false, trimmed),
        };
        let (base, body) = match digits {
            [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => (16, rest),
            [b'0', rest @ ..] if !rest.is_empty() => (8, rest),
            _ => (10, digits),
        };
        let mut value: u128 = 0;
        let mut used = 0;
        for &b in body {
            let Some(digit) = (b as char).to_digit(base) else { break };
            value = (value * u128::from(base) + u128::from(digit)).min(1 << 100);
            used += 1;
        }
        if used < body.len() || used == 0 && base == 10 {
            self.invalid_number(shell, text);
        }
        let most = match (unsigned, negative) {
            (true, _) => u128::from(u64::MAX),
            (false, true) => 1 << 63,
            (false, false) => i64::MAX as u128,
        };
        if value > most {
            shell.error([b"printf: warning: ", text, b": Numerical result out of range"].concat());
            return match (unsigned, negative) {
                (true, _) => -1,
                (false, true) => i64::MIN,
                (false, false) => i64::MAX,
            };
        }
        if negative { (value as u64 as i64).wrapping_neg() } else { value as u64 as i64 }
    }

    fn invalid_number(&mut self, shell: &mut Shell, text: &[u8]) {
        // What the digits were read as: `08` is the surprise of many a date.
        let base: &[u8] = match text {
            [b'0', b'0'..=b'9', ..] => b"octal ",
            [b'0', b'x', ..] => b"hex ",
            _ => b"",
        };
        shell.complain("printf", [text, b": invalid ", base, b"number"].concat());
        self.status = 1;
    }

    fn float(&mut self, shell: &mut Shell) -> Long {
        let Some(text) = self.argument() else { return Long::ZERO };
        let trimmed = text.trim_ascii_start();
        if let Some(b'\'' | b'"') = trimmed.first() {
            return (character(&trimmed[1..], shell.utf8) as f64).into();
        }
        let (value, used) = Long::parse(trimmed);
        if used < trimmed.len() {
            self.invalid_number(shell, &text);
        }
        // An infinity that nobody wrote.
        if let Long::Other(n) = value
            && n.is_infinite()
            && trimmed[..used].iter().any(u8::is_ascii_digit)
        {
            shell.error([b"printf: warning: ", &text[..], b": Numerical result out of range"].concat());
        }
        value
    }

    fn float_out(&mut self, n: Long, letter: u8, spec: &Spec) {
        let conversion = Conversion {
            minus: spec.left,
            plus: spec.plus,
            space: spec.space,
            alternative: spec.alternate,
            zero: spec.zero,
            width: spec.width,
            precision: spec.precision,
            letter,
        };
        self.out.extend_from_slice(conversion.show_long(n).as_bytes());
    }
}

/// The number of a character: `'a`.
fn character(text: &[u8], utf8: bool) -> i64 {
    let len = crate::pattern::char_len(text, utf8).min(text.len());
    match std::str::from_utf8(&text[..len]).ok().and_then(|s| s.chars().next()) {
        Some(c) => c as i64,
        None => text.first().map_or(0, |&b| i64::from(b)),
    }
}
