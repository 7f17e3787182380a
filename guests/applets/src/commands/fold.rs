use crate::options::{NO, Options, REQ};
use crate::{Args, Outcome, input, number, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: fold [OPTION]... [FILE]...
Wrap input lines in each FILE, writing to standard output.

With no FILE, or when FILE is -, read standard input.

  -b, --bytes         count bytes rather than columns
  -s, --spaces        break at spaces
  -w, --width=WIDTH   use WIDTH columns instead of 80
      --help        display this help and exit
      --version     output version information and exit
";

pub fn main(args: &Args) -> Outcome {
    let long = &[("bytes", NO, 'b'), ("spaces", NO, 's'), ("width", REQ, 'w')];
    let mut options = Options::new(args, "bsw:0123456789", long);
    let (mut bytes, mut spaces, mut width, mut old) = (false, false, 80, Vec::new());
    let read = |text: &[u8]| match number::unsigned(text, b"") {
        Ok(n @ 1..) => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
        Ok(0) => {
            let why = capsule_sys::Errno::ERANGE;
            Err(report::die(1, format_args!("invalid number of columns: {}: {why}", crate::quote::locale(text))))
        }
        Err(bad) => Err(number::complain(1, "invalid number of columns", text, bad)),
    };
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' => bytes = true,
            's' => spaces = true,
            'w' => width = read(opt.value())?,
            digit => {
                // `-40` as it always was.
                old.push(digit as u8);
                width = read(&old)?;
            }
        }
    }
    let mut out = Out::stdout();
    let good = input::each(&options.operands(), |input, _| {
        let mut line = Vec::new();
        while input.stream.read_until(b'\n', &mut line)? {
            fold(&line, width, bytes, spaces, &mut out);
            line.clear();
        }
        Ok(())
    });
    report::finish(&mut out, u8::from(!good))
}

/// Where a byte leaves the cursor.
fn advance(column: usize, byte: u8, bytes: bool) -> usize {
    match byte {
        _ if bytes => column + 1,
        8 => column.saturating_sub(1),
        b'\r' => 0,
        b'\t' => column + 8 - column % 8,
        _ => column + 1,
    }
}

fn fold(line: &[u8], width: usize, bytes: bool, spaces: bool, out: &mut Out) {
    let (mut start, mut column, mut i) = (0, 0, 0);
    while i < line.len() {
        if line[i] == b'\n' {
            out.write(&line[start..=i]);
            return;
        }
        let next = advance(column, line[i], bytes);
        if next > width && i > start {
            let blank = line[start..i].iter().rposition(|b| matches!(b, b' ' | b'\t'));
            let end = match blank.filter(|_| spaces) {
                Some(at) => start + at + 1,
                None => i,
            };
            out.write(&line[start..end]);
            out.byte(b'\n');
            start = end;
            column = line[start..i].iter().fold(0, |c, b| advance(c, *b, bytes));
            continue;
        }
        column = next;
        i += 1;
    }
    out.write(&line[start..]);
}
