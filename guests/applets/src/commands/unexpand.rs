use super::expand::Stops;
use crate::options::{NO, Options, REQ, only};
use crate::{Args, Outcome, input, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: unexpand [OPTION]... [FILE]...
Turn blanks at the front of lines into tabs.

Standard input is read where FILE is - or missing.

  -a, --all        all blanks, not only those
      --first-only  only those, even with -a
  -t, --tabs=N     a tab stop every N columns (8), and -a
  -t, --tabs=LIST  use comma separated list of tab positions (enables -a)
      --help        print this help
      --version     print the version
";

const FIRST: char = only(0);

pub fn main(args: &Args) -> Outcome {
    let long = &[("all", NO, 'a'), ("first-only", NO, FIRST), ("tabs", REQ, 't')];
    let mut options = Options::new(args, "at:0123456789,", long);
    let (mut all, mut first, mut stops, mut old) = (false, false, Stops::default(), Vec::new());
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => all = true,
            FIRST => first = true,
            't' => {
                all = true;
                stops.add(opt.value())?;
            }
            letter => old.push(letter as u8),
        }
    }
    if !old.is_empty() {
        stops.add(&old)?;
    }
    stops.settle()?;
    let whole = all && !first;
    let mut out = Out::stdout();
    let operands = options.operands();
    let good = input::each(&operands, |input, _| {
        let (mut line, mut pending) = (Vec::new(), Vec::new());
        while input.stream.read_until(b'\n', &mut line)? {
            unexpand(&line, whole, &stops, &mut pending, &mut out);
            line.clear();
        }
        Ok(())
    });
    report::finish(&mut out, u8::from(!(input::closes(&operands, "-") && good)))
}

/// Blanks are held back until it is known whether a tab can stand for them: it does where two or more of them, or one
/// and a tab, reach a stop.
fn unexpand(line: &[u8], whole: bool, stops: &Stops, pending: &mut Vec<u8>, out: &mut Out) {
    let mut column = 0u64;
    let (mut convert, mut before_blank, mut one_at_stop) = (true, true, false);
    pending.clear();
    let mut i = 0;
    while let Some(&byte) = line.get(i) {
        if !convert {
            return out.write(&line[i..]);
        }
        if !before_blank && pending.is_empty() {
            // Inside of a word.
            let n = memchr::memchr3(b' ', b'\t', 8, &line[i..]).unwrap_or(line.len() - i);
            if n > 0 {
                out.write(&line[i..i + n]);
                column += n as u64;
                i += n;
                continue;
            }
        }
        i += 1;
        let blank = matches!(byte, b' ' | b'\t');
        let mut shown = byte;
        match (blank, if blank { stops.next(column) } else { None }) {
            // Behind the last stop nothing is changed.
            (true, None) => convert = false,
            (true, Some(next)) => {
                if byte == b'\t' {
                    column = next;
                    if let Some(first) = pending.first_mut() {
                        *first = b'\t';
                    }
                } else {
                    column += 1;
                    if !(before_blank && column == next) {
                        one_at_stop |= column == next;
                        pending.push(byte);
                        before_blank = true;
                        continue;
                    }
                    shown = b'\t';
                    if let Some(first) = pending.first_mut() {
                        *first = b'\t';
                    }
                }
                // Only a single blank right before the last stop keeps its place.
                pending.truncate(usize::from(one_at_stop));
            }
            (false, _) if byte == 8 => column = column.saturating_sub(1),
            (false, _) => column += 1,
        }
        if pending.len() > 1 && one_at_stop {
            pending[0] = b'\t';
        }
        out.write(pending);
        pending.clear();
        one_at_stop = false;
        before_blank = blank;
        convert &= whole || blank;
        out.byte(shown);
    }
    if pending.len() > 1 && one_at_stop {
        pending[0] = b'\t';
    }
    out.write(pending);
}
