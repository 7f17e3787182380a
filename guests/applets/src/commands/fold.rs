use crate::options::{NO, Options, REQ};
use crate::{Args, Outcome, input, number, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: fold [OPTION]... [FILE]...
Break lines that are too long.

Standard input is read where FILE is - or missing.

  -b, --bytes         count bytes, not columns
  -s, --spaces        break behind a blank, if there is one
  -w, --width=WIDTH   lines of WIDTH columns (80)
      --help        print this help
      --version     print the version
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
    let operands = options.operands();
    let good = input::each(&operands, |input, _| {
        let mut folder = Folder { width, bytes, spaces, column: 0, held: Vec::new(), open: false };
        let read = loop {
            match input.stream.fill() {
                Ok([]) => break Ok(()),
                Ok(block) => {
                    folder.feed(block, &mut out);
                    let n = block.len();
                    input.stream.consume(n);
                }
                Err(e) => break Err(e),
            }
        };
        out.write(&folder.held);
        read
    });
    report::finish(&mut out, u8::from(!(input::closes(&operands, "-") && good)))
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

/// One file. A line may be of any length: only what may still be moved to the next one is held.
struct Folder {
    width: usize,
    bytes: bool,
    spaces: bool,
    column: usize,
    held: Vec<u8>,
    /// Some of the line is written.
    open: bool,
}

impl Folder {
    fn feed(&mut self, block: &[u8], out: &mut Out) {
        let (mut start, mut i) = (0, self.held.len());
        self.held.extend_from_slice(block);
        let text = &self.held;
        while let Some(&byte) = text.get(i) {
            if byte == b'\n' {
                i += 1;
                out.write(&text[start..i]);
                (start, self.column, self.open) = (i, 0, false);
                continue;
            }
            let next = advance(self.column, byte, self.bytes);
            if next > self.width && (i > start || self.open) {
                let blank = |b: &u8| matches!(b, b' ' | b'\t');
                let blank = if self.spaces { text[start..i].iter().rposition(blank) } else { None };
                let end = blank.map_or(i, |at| start + at + 1);
                out.write(&text[start..end]);
                out.byte(b'\n');
                start = end;
                self.column = text[start..i].iter().fold(0, |c, b| advance(c, *b, self.bytes));
                self.open = false;
                continue;
            }
            self.column = next;
            i += 1;
        }
        if !self.spaces && start < self.held.len() {
            out.write(&self.held[start..]);
            (start, self.open) = (self.held.len(), true);
        }
        self.held.drain(..start);
    }
}
