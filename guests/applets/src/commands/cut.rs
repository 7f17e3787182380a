use crate::list::{Of, others, ranges};
use crate::options::{NO, Options, REQ, only};
use crate::{Args, Outcome, input, report};
use capsule_sys::{Errno, In, Out};

pub const HELP: &str = "\
Usage: cut OPTION... [FILE]...
Print parts of each line.

Standard input is read where FILE is - or missing.

  -b, --bytes=LIST        these bytes
  -c, --characters=LIST   these characters
  -d, --delimiter=DELIM   fields are separated by DELIM, not by tabs
  -f, --fields=LIST       these fields; a line without
                            a delimiter is printed whole
  -n                      (ignored)
      --complement        everything but what was selected
  -s, --only-delimited    leave out lines without a delimiter
      --output-delimiter=STRING  STRING between what was selected
  -z, --zero-terminated   lines end with NUL
      --help        print this help
      --version     print the version

Each LIST is made up of one range, or many ranges separated by commas:
N  N'th byte, character or field, counted from 1;  N-  from N'th to the end;
N-M  from N'th to M'th (included);  -M  from first to M'th (included).
";

const COMPLEMENT: char = only(0);
const OUTPUT: char = only(1);

struct Cut<'a> {
    /// First and last, in order, not overlapping.
    ranges: Vec<(usize, usize)>,
    fields: bool,
    delimiter: u8,
    only_delimited: bool,
    output: Option<&'a [u8]>,
    end: u8,
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("bytes", REQ, 'b'),
        ("characters", REQ, 'c'),
        ("fields", REQ, 'f'),
        ("delimiter", REQ, 'd'),
        ("only-delimited", NO, 's'),
        ("output-delimiter", REQ, OUTPUT),
        ("complement", NO, COMPLEMENT),
        ("zero-terminated", NO, 'z'),
    ];
    let mut options = Options::new(args, "b:c:d:f:nsz", long);
    let (mut list, mut delimiter, mut complement) = (None, None, false);
    let mut cut =
        Cut { ranges: Vec::new(), fields: false, delimiter: b'\t', only_delimited: false, output: None, end: b'\n' };
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' | 'c' | 'f' => {
                if list.is_some() {
                    return Err(report::usage(1, "only one list may be specified"));
                }
                list = Some(opt.value());
                cut.fields = opt.letter == 'f';
            }
            'd' => {
                // An empty delimiter is a NUL.
                delimiter = Some(match opt.value() {
                    [] => 0,
                    [one] => *one,
                    _ => return Err(report::usage(1, "the delimiter must be a single character")),
                });
            }
            'n' => {}
            's' => cut.only_delimited = true,
            'z' => cut.end = 0,
            // Empty, as for the input, is a NUL.
            OUTPUT => cut.output = Some(if opt.value().is_empty() { b"\0" } else { opt.value() }),
            _ => complement = true,
        }
    }
    let Some(list) = list else {
        return Err(report::usage(1, "you must specify a list of bytes, characters, or fields"));
    };
    if !cut.fields && delimiter.is_some() {
        return Err(report::usage(1, "an input delimiter may be specified only when operating on fields"));
    }
    if !cut.fields && cut.only_delimited {
        let text = "suppressing non-delimited lines makes sense\n\tonly when operating on fields";
        return Err(report::usage(1, text));
    }
    cut.delimiter = delimiter.unwrap_or(b'\t');
    cut.ranges = ranges(list, if cut.fields { Of::Fields } else { Of::Bytes })?;
    if complement {
        cut.ranges = others(&cut.ranges);
    }
    let mut out = Out::stdout();
    let operands = options.operands();
    let good = input::each(&operands, |input, _| cut.stream(&mut input.stream, &mut out));
    report::finish(&mut out, u8::from(!(input::closes(&operands, "-") && good)))
}

impl Cut<'_> {
    fn stream(&self, stream: &mut In, out: &mut Out) -> Result<(), Errno> {
        let mut line = Vec::new();
        // A delimiter that ends lines makes the whole input one line of fields.
        if self.fields && self.delimiter == self.end {
            stream.read_to_end(&mut line)?;
            let ended = line.last() == Some(&self.end);
            if ended {
                line.pop();
            } else if line.is_empty() {
                return Ok(());
            }
            if ended && self.only_delimited && memchr::memchr(self.end, &line).is_none() {
                // The end of the only line delimits its only field.
                if self.ranges.first().is_some_and(|range| range.0 == 1) {
                    out.write(&line);
                }
                out.byte(self.end);
                return Ok(());
            }
            self.fields(&line, out);
            return Ok(());
        }
        while stream.read_until(self.end, &mut line)? {
            if line.last() == Some(&self.end) {
                line.pop();
            }
            if self.fields {
                self.fields(&line, out)
            } else {
                self.bytes(&line, out)
            }
            line.clear();
            if out.error().is_some() {
                break;
            }
        }
        Ok(())
    }

    fn bytes(&self, line: &[u8], out: &mut Out) {
        let mut first = true;
        for &(from, to) in &self.ranges {
            if from > line.len() {
                break;
            }
            if !first && let Some(between) = self.output {
                out.write(between);
            }
            first = false;
            out.write(&line[from - 1..to.min(line.len())]);
        }
        out.byte(self.end);
    }

    fn fields(&self, line: &[u8], out: &mut Out) {
        let mut ends = memchr::memchr_iter(self.delimiter, line);
        let Some(first_end) = ends.next() else {
            if !self.only_delimited {
                out.write(line);
                out.byte(self.end);
            }
            return;
        };
        let between = self.output.unwrap_or(std::slice::from_ref(&self.delimiter));
        let mut ranges = self.ranges.iter();
        let Some(mut range) = ranges.next() else { return out.byte(self.end) };
        let (mut start, mut number, mut written) = (0, 1, false);
        let mut next = Some(first_end);
        loop {
            let end = next.unwrap_or(line.len());
            while number > range.1 {
                match ranges.next() {
                    Some(more) => range = more,
                    None => return out.byte(self.end),
                }
            }
            if number >= range.0 {
                if written {
                    out.write(between);
                }
                out.write(&line[start..end]);
                written = true;
            }
            if next.is_none() {
                return out.byte(self.end);
            }
            start = end + 1;
            number += 1;
            next = ends.next();
        }
    }
}
