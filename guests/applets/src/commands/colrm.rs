use crate::options::Options;
use crate::quote::is_utf8;
use crate::width::width;
use crate::{Args, Outcome, report};
use capsule_sys::{In, Out, STDIN};

pub const HELP: &str = "\
Usage: colrm [STARTCOL [ENDCOL]]
Copy standard input to standard output without the columns from STARTCOL on (to
ENDCOL). Columns count from 1; a tab goes to the next multiple of 8.

  -h, --help     print this help
  -V, --version  print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "hV", &[]);
    if let Some(opt) = options.next()? {
        return Err(if opt.letter == 'h' { options.help() } else { options.version() });
    }
    let operands = options.operands();
    let number = |at: usize, what: &str| {
        let Some(text) = operands.get(at) else { return Ok(0) };
        let parsed = std::str::from_utf8(text).ok().and_then(|t| t.parse::<usize>().ok());
        parsed.ok_or_else(|| report::die(1, format_args!("{what} argument: '{}'", crate::quote::raw(text))))
    };
    let first = number(0, "first")?;
    let last = number(1, "second")?;
    let mut text = Vec::new();
    In::new(STDIN).read_to_end(&mut text).map_err(|e| report::die(1, format_args!("read error: {e}")))?;
    let mut out = Out::stdout();
    for line in text.split_inclusive(|&b| b == b'\n') {
        if !cut(line, first, last, &mut out) {
            break;
        }
    }
    report::finish(&mut out, 0)
}

/// The characters of a line with their bytes; none for what is no character, which ends everything.
fn characters(line: &[u8]) -> impl Iterator<Item = Option<(char, &[u8])>> {
    let utf8 = is_utf8();
    line.utf8_chunks().flat_map(move |chunk| {
        let valid = chunk.valid();
        let good = valid.char_indices().map(move |(i, c)| {
            let bytes = &valid.as_bytes()[i..i + c.len_utf8()];
            (utf8 || c.is_ascii()).then_some((c, bytes))
        });
        good.chain((!chunk.invalid().is_empty()).then_some(None))
    })
}

/// Writes what is left of a line; whether there is anything behind it.
fn cut(line: &[u8], first: usize, last: usize, out: &mut Out) -> bool {
    let (mut column, mut padded) = (0usize, false);
    #[derive(PartialEq)]
    enum Part {
        Before,
        Inside,
        Behind,
    }
    let mut part = Part::Before;
    for character in characters(line) {
        let Some((c, bytes)) = character else { return false };
        if c == '\n' {
            out.write(bytes);
            return true;
        }
        let start = column;
        if part != Part::Behind {
            column = match c {
                '\t' => (column + 8) & !7,
                '\u{8}' => column.saturating_sub(1),
                c => column + width(c),
            };
        }
        match part {
            Part::Before if first == 0 || column < first => out.write(bytes),
            Part::Before => {
                // A character that begins before and ends behind becomes blanks.
                out.write(&vec![b' '; (first - 1).saturating_sub(start)]);
                part = if last != 0 && column >= last { Part::Behind } else { Part::Inside };
            }
            Part::Inside => {
                if last != 0 && column >= last {
                    part = Part::Behind;
                }
            }
            Part::Behind => {
                if !padded && last < column {
                    out.write(&vec![b' '; column - last]);
                }
                padded = true;
                out.write(bytes);
            }
        }
    }
    true
}
