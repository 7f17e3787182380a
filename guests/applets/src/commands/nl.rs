use crate::options::{NO, Options, REQ};
use crate::quote::{is_utf8, locale};
use crate::{Args, Exit, Outcome, input, number, report};
use capsule_regex::Regex;
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: nl [OPTION]... [FILE]...
Number the lines of each FILE.

Standard input is read where FILE is - or missing.

  -b, --body-numbering=STYLE      which lines of the body to number
  -d, --section-delimiter=CC      the two characters that separate sections
  -f, --footer-numbering=STYLE    which lines of the footer to number
  -h, --header-numbering=STYLE    which lines of the header to number
  -i, --line-increment=NUMBER     how much each number is higher than the last
  -l, --join-blank-lines=NUMBER   of NUMBER empty lines, number the last
  -n, --number-format=FORMAT      where numbers stand: ln, rn or rz
  -p, --no-renumber               go on counting in the next section
  -s, --number-separator=STRING   STRING behind the numbers
  -v, --starting-line-number=NUMBER  the first number of a section
  -w, --number-width=NUMBER       numbers have NUMBER columns
      --help        print this help
      --version     print the version

Unless told otherwise: -bt -d'\\:' -fn -hn -i1 -l1 -n'rn' -s<TAB> -v1 -w6
STYLE is one of: a (number all lines), t (only nonempty lines), n (none),
pBRE (only lines that match the basic regular expression BRE).
FORMAT is one of: ln (left, no leading zeros), rn (right), rz (with zeros).
";

enum Style {
    All,
    Text,
    None,
    Match(Box<Regex>),
}

struct Numberer<'a> {
    styles: [Style; 3],
    section: usize,
    line: i64,
    start: i64,
    step: i64,
    join: u64,
    blanks: u64,
    renumber: bool,
    format: &'a [u8],
    separator: &'a [u8],
    width: usize,
    delimiter: Vec<u8>,
    overflow: bool,
    /// Where the number of a line is made.
    digits: Vec<u8>,
}

fn style(text: &[u8], part: &str) -> Result<Style, Exit> {
    match text {
        [b'a', ..] => Ok(Style::All),
        [b't', ..] => Ok(Style::Text),
        [b'n', ..] => Ok(Style::None),
        [b'p', pattern @ ..] => {
            let options = capsule_regex::Options { utf8: is_utf8(), lenient: true, ..Default::default() };
            Regex::new(pattern, &options)
                .map(|regex| Style::Match(Box::new(regex)))
                .map_err(|error| report::die(1, error))
        }
        _ => Err(report::usage(1, format_args!("invalid {part} numbering style: {}", locale(text)))),
    }
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("header-numbering", REQ, 'h'),
        ("body-numbering", REQ, 'b'),
        ("footer-numbering", REQ, 'f'),
        ("starting-line-number", REQ, 'v'),
        ("line-increment", REQ, 'i'),
        ("no-renumber", NO, 'p'),
        ("join-blank-lines", REQ, 'l'),
        ("number-separator", REQ, 's'),
        ("number-width", REQ, 'w'),
        ("number-format", REQ, 'n'),
        ("section-delimiter", REQ, 'd'),
    ];
    let mut nl = Numberer {
        styles: [Style::None, Style::Text, Style::None],
        section: 1,
        line: 1,
        start: 1,
        step: 1,
        join: 1,
        blanks: 0,
        renumber: true,
        format: b"rn",
        separator: b"\t",
        width: 6,
        delimiter: b"\\:".to_vec(),
        overflow: false,
        digits: Vec::new(),
    };
    let mut options = Options::new(args, "h:b:f:v:i:pl:s:w:n:d:", long);
    while let Some(opt) = options.next()? {
        let value = opt.value.unwrap_or_default();
        let signed = |what| number::signed(value, b"").map_err(|bad| number::complain(1, what, value, bad));
        match opt.letter {
            'h' => nl.styles[0] = style(value, "header")?,
            'b' => nl.styles[1] = style(value, "body")?,
            'f' => nl.styles[2] = style(value, "footer")?,
            'v' => nl.start = signed("invalid starting line number")?,
            'i' => nl.step = signed("invalid line number increment")?,
            'p' => nl.renumber = false,
            'l' => {
                let what = "invalid line number of blank lines";
                nl.join = match signed(what)? {
                    n if n > 0 => n as u64,
                    _ => {
                        return Err(report::die(
                            1,
                            format_args!("{what}: {}: Numerical result out of range", locale(value)),
                        ));
                    }
                };
            }
            's' => nl.separator = value,
            'w' => {
                let what = "invalid line number field width";
                nl.width = match signed(what)? {
                    n @ 1.. => n as usize,
                    _ => {
                        return Err(report::die(
                            1,
                            format_args!("{what}: {}: Numerical result out of range", locale(value)),
                        ));
                    }
                };
            }
            'n' => match value {
                b"ln" | b"rn" | b"rz" => nl.format = value,
                _ => return Err(report::usage(1, format_args!("invalid line numbering format: {}", locale(value)))),
            },
            // One character takes the usual second one.
            _ => nl.delimiter = if value.len() == 1 { vec![value[0], b':'] } else { value.to_vec() },
        }
    }
    nl.line = nl.start;
    let mut out = Out::stdout();
    let operands = options.operands();
    let good = input::each(&operands, |input, _| {
        let mut line = Vec::new();
        while input.stream.read_until(b'\n', &mut line)? {
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            nl.one(&line, &mut out);
            line.clear();
        }
        Ok(())
    });
    if nl.overflow {
        let _ = out.flush();
        return Err(report::die(1, "line number overflow"));
    }
    report::finish(&mut out, u8::from(!(input::closes(&operands, "-") && good)))
}

impl Numberer<'_> {
    fn one(&mut self, line: &[u8], out: &mut Out) {
        // Three delimiters begin a header, two a body, one a footer.
        for (section, times) in [(0, 3), (1, 2), (2, 1)] {
            let delimiter = self.delimiter.as_slice();
            if !delimiter.is_empty()
                && line.len() == delimiter.len() * times
                && line.chunks(delimiter.len()).all(|part| part == delimiter)
            {
                self.section = section;
                if self.renumber {
                    self.line = self.start;
                }
                return out.byte(b'\n');
            }
        }
        let numbered = match &self.styles[self.section] {
            Style::None => false,
            Style::Text => !line.is_empty(),
            Style::All if self.join > 1 && line.is_empty() => {
                self.blanks += 1;
                let whole = self.blanks == self.join;
                if whole {
                    self.blanks = 0;
                }
                whole
            }
            Style::All => true,
            Style::Match(regex) => regex.is_match(line),
        };
        if !line.is_empty() {
            self.blanks = 0;
        }
        if numbered {
            let width = self.width;
            let number = match self.format {
                b"rn" if self.line >= 0 => {
                    self.digits.clear();
                    number::push_padded(&mut self.digits, self.line.unsigned_abs(), width);
                    out.write(&self.digits);
                    String::new()
                }
                b"ln" => crate::pad::left(&self.line.to_string(), width),
                b"rz" => {
                    let sign = if self.line < 0 { "-" } else { "" };
                    let digits = self.line.unsigned_abs().to_string();
                    format!("{sign}{}", crate::pad::zeros(&digits, width.saturating_sub(sign.len())))
                }
                _ => crate::pad::right(&self.line.to_string(), width),
            };
            out.write(number.as_bytes());
            out.write(self.separator);
            match self.line.checked_add(self.step) {
                Some(next) => self.line = next,
                None => self.overflow = true,
            }
        } else {
            out.write(&vec![b' '; self.width + self.separator.len()]);
        }
        out.write(line);
        out.byte(b'\n');
    }
}
