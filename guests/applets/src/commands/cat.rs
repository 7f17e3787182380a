use crate::number::push_padded;
use crate::options::{NO, Options};
use crate::{Args, Outcome, input, quote, report};
use capsule_sys::{Errno, FileType, In, OpenFlags, Out, STDOUT, Seek, Stat, fd, fstat, seek};

pub const HELP: &str = "\
Usage: cat [OPTION]... [FILE]...
Write the FILEs one after the other.

Standard input is read where FILE is - or missing.

  -A, --show-all           all of -v, -E and -T
  -b, --number-nonblank    number the lines that are not empty
  -e                       -v and -E together
  -E, --show-ends          show a $ where lines end
  -n, --number             number the lines
  -s, --squeeze-blank      of several empty lines in a row, one
  -t                       -v and -T together
  -T, --show-tabs          show tabs as ^I
  -u                       (ignored)
  -v, --show-nonprinting   show control bytes as ^X and high ones as M-X
      --help        print this help
      --version     print the version
";

/// How lines are shown, and where in the text we are: numbering goes on from file to file.
struct Show {
    number: bool,
    number_nonblank: bool,
    ends: bool,
    squeeze: bool,
    tabs: bool,
    nonprinting: bool,
    line: u64,
    /// Where the number of a line is made.
    digits: Vec<u8>,
    line_start: bool,
    blanks: u32,
    /// A carriage return held back until it is known whether a newline follows.
    pending_cr: bool,
}

impl Show {
    fn plain(&self) -> bool {
        !(self.number || self.number_nonblank || self.ends || self.squeeze || self.tabs || self.nonprinting)
    }
}

pub fn main(args: &Args) -> Outcome {
    let mut show = Show {
        number: false,
        number_nonblank: false,
        ends: false,
        squeeze: false,
        tabs: false,
        nonprinting: false,
        line: 0,
        digits: Vec::new(),
        line_start: true,
        blanks: 0,
        pending_cr: false,
    };
    let long = &[
        ("number-nonblank", NO, 'b'),
        ("number", NO, 'n'),
        ("squeeze-blank", NO, 's'),
        ("show-nonprinting", NO, 'v'),
        ("show-ends", NO, 'E'),
        ("show-tabs", NO, 'T'),
        ("show-all", NO, 'A'),
    ];
    let mut options = Options::new(args, "AbeEnstTuv", long);
    while let Some(opt) = options.next()? {
        let letter = opt.letter;
        show.nonprinting |= "Aetv".contains(letter);
        show.ends |= "AeE".contains(letter);
        show.tabs |= "AtT".contains(letter);
        show.number |= letter == 'n';
        show.number_nonblank |= letter == 'b';
        show.squeeze |= letter == 's';
    }
    let target = fstat(STDOUT).map_err(|e| report::die(1, format_args!("standard output: {e}")))?;
    let target = Some(target).filter(|s| s.kind == FileType::Regular);
    let mut out = Out::stdout();
    let mut itself = false;
    let operands = options.operands();
    let good = input::each(&operands, |input, name| {
        if target.is_some_and(|target| is_output(input.fd(), &target)) {
            report::error(format_args!("{}: input file is output file", quote::name(name)));
            itself = true;
            return Ok(());
        }
        let stream = &mut input.stream;
        if !show.plain() {
            return show.stream(stream, &mut out);
        }
        let from_file = |target: &Stat| fstat(stream.fd()).is_ok_and(|s| is_copied_at_once(&s, target));
        let at_once = target.as_ref().is_some_and(from_file);
        copy(stream, &mut out)?;
        // GNU's has the system copy a file to a file, and cannot tell then which of the two failed.
        if at_once { out.take_error().map_or(Ok(()), Err) } else { Ok(()) }
    });
    if show.pending_cr {
        out.byte(b'\r');
    }
    report::writable(&out)?;
    let good = input::closes(&operands, "closing standard input") && good;
    report::finish(&mut out, u8::from(!good || itself))
}

fn is_copied_at_once(from: &Stat, to: &Stat) -> bool {
    let appends = fd::flags(STDOUT).is_ok_and(|flags| flags.0 & OpenFlags::APPEND.0 != 0);
    from.kind == FileType::Regular && from.dev == to.dev && !appends
}

/// A file that is also the output would grow for ever.
fn is_output(fd: i32, target: &Stat) -> bool {
    fstat(fd).is_ok_and(|s| (s.dev, s.ino) == (target.dev, target.ino) && s.size > 0)
        && seek(fd, Seek::Current(0)).is_ok_and(|at| at < target.size)
}

/// Blocks go out as they come in. Ends at the first write error, which the last flush reports.
fn copy(stream: &mut In, out: &mut Out) -> Result<(), Errno> {
    loop {
        let block = stream.fill()?;
        if block.is_empty() || out.error().is_some() {
            return Ok(());
        }
        out.write(block);
        let _ = out.flush();
        let n = block.len();
        stream.consume(n);
    }
}

impl Show {
    fn stream(&mut self, stream: &mut In, out: &mut Out) -> Result<(), Errno> {
        loop {
            // What is known is shown before waiting for more.
            let _ = out.flush();
            let block = stream.fill()?;
            if block.is_empty() || out.error().is_some() {
                return Ok(());
            }
            let mut rest = block;
            while !rest.is_empty() {
                let end = memchr::memchr(b'\n', rest);
                let (text, newline) = (&rest[..end.unwrap_or(rest.len())], end.is_some());
                rest = &rest[text.len() + usize::from(newline)..];
                self.piece(text, newline, out);
            }
            let n = block.len();
            stream.consume(n);
        }
    }

    /// A line, or the part of one that was read so far.
    fn piece(&mut self, text: &[u8], newline: bool, out: &mut Out) {
        if self.pending_cr {
            self.pending_cr = false;
            out.write(if text.is_empty() { b"^M" } else { b"\r" });
        }
        if self.line_start {
            let blank = text.is_empty();
            self.blanks = if blank { self.blanks.saturating_add(1) } else { 0 };
            if self.squeeze && self.blanks > 1 {
                return;
            }
            if if self.number_nonblank { !blank } else { self.number } {
                self.line += 1;
                self.digits.clear();
                push_padded(&mut self.digits, self.line, 6);
                self.digits.push(b'\t');
                out.write(&self.digits);
            }
        }
        self.line_start = newline;
        let mut text = text;
        let mut end: &[u8] = if self.ends { b"$\n" } else { b"\n" };
        if self.ends && !self.nonprinting && text.ends_with(b"\r") {
            text = &text[..text.len() - 1];
            self.pending_cr = !newline;
            end = b"^M$\n";
        }
        self.text(text, out);
        if newline {
            out.write(end);
        }
    }

    fn text(&self, text: &[u8], out: &mut Out) {
        if !self.tabs && !self.nonprinting {
            return out.write(text);
        }
        // Stretches that need no change are written whole.
        let (mut from, mut i) = (0, 0);
        while i < text.len() {
            if text[i..].first_chunk().is_some_and(all_plain) {
                i += CHUNK;
                continue;
            }
            let b = text[i];
            let change = match b {
                b'\t' => self.tabs,
                32..=126 => false,
                _ => self.nonprinting,
            };
            if change {
                out.write(&text[from..i]);
                from = i + 1;
                visible(b, out);
            }
            i += 1;
        }
        out.write(&text[from..]);
    }
}

/// So many bytes are looked at together.
const CHUNK: usize = 16;

/// Nothing that would be shown in another way.
fn all_plain(chunk: &[u8; CHUNK]) -> bool {
    chunk.iter().fold(true, |plain, b| plain & (32..127).contains(b))
}

/// `^` and `M-` notation.
fn visible(byte: u8, out: &mut Out) {
    if byte >= 128 {
        out.write(b"M-");
    }
    match byte & 127 {
        127 => out.write(b"^?"),
        low @ 0..32 => out.write(&[b'^', low + 64]),
        low => out.byte(low),
    }
}
