use crate::list::rest;
use crate::options::{NO, Options, REQ};
use crate::quote::locale;
use crate::{Args, Exit, Outcome, input, number, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: expand [OPTION]... [FILE]...
Turn tabs into spaces.

Standard input is read where FILE is - or missing.

  -i, --initial    only tabs before the first other character
  -t, --tabs=N     a tab stop every N columns (8)
  -t, --tabs=LIST  tab stops at these columns, with commas between.
                     The last may be /N: from there on, a stop at every
                     multiple of N; or +N: from there on, one every N
                     columns behind the last one.
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options =
        Options::new(args, "it:0::1::2::3::4::5::6::7::8::9::", &[("initial", NO, 'i'), ("tabs", REQ, 't')]);
    let (mut initial, mut stops) = (false, Stops::default());
    while let Some(opt) = options.next()? {
        match opt.letter {
            'i' => initial = true,
            't' => stops.add(opt.value())?,
            digit => stops.add(&[&[digit as u8], opt.value.unwrap_or_default()].concat())?,
        }
    }
    stops.settle()?;
    let mut out = Out::stdout();
    let operands = options.operands();
    let good = input::each(&operands, |input, _| {
        let mut line = Vec::new();
        while input.stream.read_until(b'\n', &mut line)? {
            expand(&line, initial, &stops, &mut out);
            line.clear();
        }
        Ok(())
    });
    report::finish(&mut out, u8::from(!(input::closes(&operands, "-") && good)))
}

const BLANKS: [u8; 64] = [b' '; 64];

fn expand(line: &[u8], initial: bool, stops: &Stops, out: &mut Out) {
    if memchr::memchr(b'\t', line).is_none() {
        return out.write(line);
    }
    let (mut column, mut rest) = (0u64, line);
    while let Some(&byte) = rest.first() {
        // What is neither a tab nor a backspace only moves on; behind the first of it `-i` changes nothing.
        let plain = memchr::memchr2(b'\t', 8, rest).unwrap_or(rest.len());
        if plain > 0 {
            let (text, behind) = rest.split_at(plain);
            if initial && text.iter().any(|b| *b != b' ') {
                return out.write(rest);
            }
            out.write(text);
            column += plain as u64;
            rest = behind;
            continue;
        }
        rest = &rest[1..];
        match byte {
            b'\t' => {
                let mut missing = stops.next(column).unwrap_or(column + 1) - column;
                column += missing;
                while missing > 0 {
                    let n = missing.min(BLANKS.len() as u64);
                    out.write(&BLANKS[..n as usize]);
                    missing -= n;
                }
            }
            _ if initial => return out.write(&line[line.len() - rest.len() - 1..]),
            backspace => {
                column = column.saturating_sub(1);
                out.byte(backspace);
            }
        }
    }
}

/// Tab stops: a list, and how they go on behind it.
#[derive(Default)]
pub struct Stops {
    list: Vec<u64>,
    /// Every so many columns; behind the list, counted from the first column.
    every: Option<u64>,
    /// The same, counted from the last stop of the list.
    relative: Option<u64>,
    given: bool,
}

impl Stops {
    pub fn add(&mut self, text: &[u8]) -> Result<(), Exit> {
        self.given = true;
        // A mark stays for the numbers behind it.
        let mut mark = None;
        for part in text.split(|b| matches!(b, b',' | b' ' | b'\t')).filter(|p| !p.is_empty()) {
            // The last of several marks counts, and a mark without a number is nothing.
            let marks = part.iter().take_while(|b| matches!(b, b'/' | b'+')).count();
            let digits = &part[marks..];
            mark = marks.checked_sub(1).map(|last| part[last]).or(mark);
            if digits.is_empty() {
                continue;
            }
            let n = match number::unsigned(digits, b"") {
                Ok(n) if digits.iter().all(u8::is_ascii_digit) => n,
                Err(number::Bad::Overflow) => {
                    return Err(report::die(1, format_args!("tab stop is too large {}", locale(digits))));
                }
                _ => {
                    let start = digits.iter().take_while(|b| b.is_ascii_digit()).count();
                    let shown = locale(rest(text, &digits[start..]));
                    let message = match digits[start] {
                        late @ (b'/' | b'+') => {
                            format!("'{}' specifier not at start of number: {shown}", char::from(late))
                        }
                        _ => format!("tab size contains invalid character(s): {shown}"),
                    };
                    return Err(report::die(1, message));
                }
            };
            let (mark, behind) = match mark {
                Some(b'/') => ('/', &mut self.every),
                Some(_) => ('+', &mut self.relative),
                None => {
                    self.list.push(n);
                    continue;
                }
            };
            if behind.replace(n).is_some() {
                let text = format!("'{mark}' specifier only allowed with the last value");
                return Err(report::die(1, text));
            }
        }
        Ok(())
    }

    pub fn settle(&mut self) -> Result<(), Exit> {
        let mut before = 0;
        for &stop in &self.list {
            if stop == 0 {
                return Err(report::die(1, "tab size cannot be 0"));
            }
            if stop <= before {
                return Err(report::die(1, "tab sizes must be ascending"));
            }
            before = stop;
        }
        // Nothing behind a mark is as none.
        (self.every, self.relative) = (self.every.filter(|n| *n > 0), self.relative.filter(|n| *n > 0));
        if self.every.is_some() && self.relative.is_some() {
            return Err(report::die(1, "'/' specifier is mutually exclusive with '+'"));
        }
        // One number alone is a distance.
        if self.list.len() == 1 && self.every.is_none() && self.relative.is_none() {
            self.every = self.list.pop();
        }
        if self.list.is_empty() && self.every.is_none() && self.relative.is_none() {
            self.every = Some(8);
        }
        Ok(())
    }

    /// The stop behind a column; none when there are no more.
    pub fn next(&self, column: u64) -> Option<u64> {
        if let Some(stop) = self.list.iter().find(|stop| **stop > column) {
            return Some(*stop);
        }
        let last = self.list.last().copied().unwrap_or(0);
        match (self.every.filter(|n| *n > 0), self.relative.filter(|n| *n > 0)) {
            (Some(every), _) => Some((column / every + 1) * every),
            (_, Some(step)) => Some(last + ((column - last) / step + 1) * step),
            _ => None,
        }
    }
}
