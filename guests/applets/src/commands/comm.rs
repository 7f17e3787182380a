use crate::input::Input;
use crate::options::{NO, Options, REQ, only};
use crate::quote::{self, locale};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::Out;
use std::cmp::Ordering;

pub const HELP: &str = "\
Usage: comm [OPTION]... FILE1 FILE2
Tell which lines two sorted files have in common.

One of FILE1 and FILE2 may be -, standard input.

Lines of FILE1 alone stand in the first column, lines
of FILE2 alone in the second one, and lines of both
in the third one.

  -1                      leave out the first column
  -2                      leave out the second column
  -3                      leave out the third column
      --check-order       complain of unsorted input, even where
                            nothing differs
      --nocheck-order     never complain of unsorted input
      --output-delimiter=STR  STR between the columns
      --total             finish with a line of counts
  -z, --zero-terminated   lines end with NUL
      --help        print this help
      --version     print the version
";

const CHECK: char = only(0);
const NO_CHECK: char = only(1);
const DELIMITER: char = only(2);
const TOTAL: char = only(3);

struct Side {
    input: Input,
    name: Vec<u8>,
    line: Option<Vec<u8>>,
    before: Option<Vec<u8>>,
    /// Its disorder was told already.
    told: bool,
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("check-order", NO, CHECK),
        ("nocheck-order", NO, NO_CHECK),
        ("output-delimiter", REQ, DELIMITER),
        ("total", NO, TOTAL),
        ("zero-terminated", NO, 'z'),
    ];
    let mut options = Options::new(args, "123z", long);
    let (mut hide, mut check, mut delimiter, mut total, mut end) = ([false; 3], None, None, false, b'\n');
    while let Some(opt) = options.next()? {
        match opt.letter {
            digit @ '1'..='3' => hide[digit as usize - '1' as usize] = true,
            CHECK => check = Some(true),
            NO_CHECK => check = Some(false),
            DELIMITER => {
                // An empty one is a NUL.
                let given: &[u8] = if opt.value().is_empty() { b"\0" } else { opt.value() };
                if delimiter.replace(given).is_some_and(|before| before != given) {
                    return Err(report::die(1, "multiple output delimiters specified"));
                }
            }
            TOTAL => total = true,
            _ => end = 0,
        }
    }
    let operands = options.operands();
    match operands.as_slice() {
        [_, _] => {}
        [] => return Err(report::usage(1, "missing operand")),
        [only] => return Err(report::usage(1, format_args!("missing operand after {}", locale(only)))),
        [_, _, extra, ..] => return Err(report::usage(1, format_args!("extra operand {}", locale(extra)))),
    }
    let delimiter = delimiter.unwrap_or(b"\t");
    let mut sides = Vec::new();
    for name in operands {
        let fail = |e| report::die(1, format_args!("{}: {e}", quote::name(name)));
        let input = Input::open(name).map_err(fail)?;
        let mut side = Side { input, name: name.to_vec(), line: None, before: None, told: false };
        side.next(end)?;
        sides.push(side);
    }
    let [a, b] = &mut sides[..] else { return Ok(1) };
    let mut out = Out::stdout();
    let (mut counts, mut disorder, mut unpaired) = ([0u64; 3], false, false);
    loop {
        let order = match (&a.line, &b.line) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(x), Some(y)) => x.cmp(y),
        };
        let column = match order {
            Ordering::Less => 0,
            Ordering::Greater => 1,
            Ordering::Equal => 2,
        };
        unpaired |= column < 2;
        counts[column] += 1;
        let line = if column == 1 { &b.line } else { &a.line };
        if !hide[column] {
            (0..column).filter(|c| !hide[*c]).for_each(|_| out.write(delimiter));
            out.write(line.as_deref().unwrap_or_default());
            out.byte(end);
        }
        let wanted = check.unwrap_or(unpaired);
        for (side, number, moves) in [(&mut *a, 1, column != 1), (&mut *b, 2, column != 0)] {
            if moves && side.next(end)? && wanted && check != Some(false) && !side.told {
                let _ = out.flush();
                report::error(format_args!("file {number} is not in sorted order"));
                (side.told, disorder) = (true, true);
                if check == Some(true) {
                    return Err(Exit(1));
                }
            }
        }
        report::writable(&out)?;
    }
    if total {
        let text: Vec<u8> = counts.iter().flat_map(|n| [n.to_string().as_bytes(), delimiter].concat()).collect();
        out.write(&text);
        out.write(b"total");
        out.byte(end);
    }
    let status = report::finish(&mut out, u8::from(disorder))?;
    if disorder && check.is_none() {
        report::error("input is not in sorted order");
    }
    Ok(status)
}

impl Side {
    /// The next line; whether it, or at the end the last one, is out of order.
    fn next(&mut self, end: u8) -> Result<bool, Exit> {
        let older = self.before.take();
        self.before = self.line.take();
        let mut line = Vec::new();
        match self.input.stream.read_until(end, &mut line) {
            // What was wrong may not have mattered until now.
            Ok(false) => return Ok(older.is_some() && older > self.before),
            Ok(true) => {}
            Err(e) => return Err(report::die(1, format_args!("{}: {e}", quote::name(&self.name)))),
        }
        if line.last() == Some(&end) {
            line.pop();
        }
        let disorder = self.before.as_ref().is_some_and(|before| line < *before);
        self.line = Some(line);
        Ok(disorder)
    }
}
