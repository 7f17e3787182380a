use crate::input::{self, Input};
use crate::options::{NO, Options, REQ, only};
use crate::{Args, Exit, Outcome, quote, report};
use capsule_sys::{Errno, FileType, In, Out, STDIN, Seek, fstat, seek, stat};

mod count;
use count::Counter;

pub const HELP: &str = "\
Usage: wc [OPTION]... [FILE]...
  or:  wc [OPTION]... --files0-from=F
Count the lines, words and bytes of each FILE, and, of several, all
together. A word is what stands between blanks.

Standard input is read where FILE is - or missing.

What is chosen is printed in this order: lines, words, characters, bytes,
the longest line.
  -c, --bytes            bytes
  -m, --chars            characters
  -l, --lines            lines
      --files0-from=F    the names of the files are in F, with NUL
                           behind each; F may be -, standard input
  -L, --max-line-length  the width of the longest line
  -w, --words            words
      --help        print this help
      --version     print the version
";

#[derive(Clone, Copy, Default)]
pub struct Counts {
    lines: u64,
    words: u64,
    chars: u64,
    bytes: u64,
    longest: u64,
}

#[derive(Clone, Copy, Default)]
struct Columns {
    lines: bool,
    words: bool,
    chars: bool,
    bytes: bool,
    longest: bool,
}

const FILES0: char = only(0);

pub fn main(args: &Args) -> Outcome {
    let mut show = Columns::default();
    let long = &[
        ("bytes", NO, 'c'),
        ("chars", NO, 'm'),
        ("lines", NO, 'l'),
        ("words", NO, 'w'),
        ("files0-from", REQ, FILES0),
        ("max-line-length", NO, 'L'),
    ];
    let mut options = Options::new(args, "clmwL", long);
    let mut list = None;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'c' => show.bytes = true,
            'm' => show.chars = true,
            'l' => show.lines = true,
            'w' => show.words = true,
            'L' => show.longest = true,
            _ => list = Some(opt.value()),
        }
    }
    if ![show.lines, show.words, show.chars, show.bytes, show.longest].contains(&true) {
        show = Columns { lines: true, words: true, bytes: true, ..show };
    }
    let mut operands: Vec<Vec<u8>> = options.operands().into_iter().map(<[u8]>::to_vec).collect();
    let mut status = 0;
    let mut listed = 0;
    if let Some(list) = list {
        if let Some(extra) = operands.first() {
            report::error(format_args!("extra operand {}", quote::quoted(extra)));
            let text = "file operands cannot be combined with --files0-from\n";
            let _ = capsule_sys::write_all(capsule_sys::STDERR, text.as_bytes());
            return Err(report::try_help(1));
        }
        (operands, listed) = names(list, &mut status)?;
        if operands.is_empty() && listed < 2 {
            return Ok(status);
        }
    }
    // Names that come as a stream are counted before there is an end to them.
    let streamed = |list: &[u8]| {
        let found = if list == b"-" { fstat(STDIN) } else { stat(list) };
        !found.is_ok_and(|s| s.kind == FileType::Regular)
    };
    let width = if list.is_some_and(streamed) { 1 } else { width(&operands, &show) };
    let utf8 = quote::is_utf8();
    let mut out = Out::stdout();
    let mut total = Counts::default();
    let whole = [b"-".to_vec()];
    let files = if operands.is_empty() && list.is_none() { &whole[..] } else { &operands[..] };
    for name in files {
        if name.is_empty() {
            report::error("invalid zero-length file name");
            status = 1;
            continue;
        }
        let mut input = match Input::open(name) {
            Ok(input) => input,
            Err(e) => {
                report::fault(quote::name(name), e);
                status = 1;
                continue;
            }
        };
        // What was counted before an error is shown all the same.
        let (counts, error) = count_stream(&mut input.stream, &show, utf8);
        if let Some(e) = error {
            report::fault(if operands.is_empty() { "'standard input'".to_owned() } else { quote::name(name) }, e);
            status = 1;
        }
        line(&mut out, &counts, &show, width, if operands.is_empty() { None } else { Some(name) });
        total.lines += counts.lines;
        total.words += counts.words;
        total.chars += counts.chars;
        total.bytes += counts.bytes;
        total.longest = total.longest.max(counts.longest);
    }
    if files.len() > 1 || listed > 1 {
        line(&mut out, &total, &show, width, Some(b"total"));
    }
    if files.iter().any(|name| name == b"-") && !input::closes(&[], "-") {
        status = 1;
    }
    report::finish(&mut out, status)
}

/// The names in a NUL-separated list, and how many there were with those that are none.
fn names(list: &[u8], status: &mut u8) -> Result<(Vec<Vec<u8>>, usize), Exit> {
    let mut bytes = Vec::new();
    let cannot = |e| report::die(1, format_args!("cannot open {} for reading: {e}", quote::quoted(list)));
    let mut input = Input::open(list).map_err(cannot)?;
    if let Err(e) = input.stream.read_to_end(&mut bytes) {
        return Err(report::die(1, format_args!("{}: read error: {e}", quote::name(list))));
    }
    let mut all: Vec<Vec<u8>> = bytes.split(|&b| b == 0).map(<[u8]>::to_vec).collect();
    if all.last().is_some_and(Vec::is_empty) {
        all.pop();
    }
    let mut number = 0;
    all.retain(|name| {
        number += 1;
        if name.is_empty() {
            let file = quote::name(list);
            report::error(format_args!("{file}:{number}: invalid zero-length file name"));
            *status = 1;
        } else if list == b"-" && name == b"-" {
            report::error("when reading file names from stdin, no file name of '-' allowed");
            *status = 1;
            return false;
        }
        !name.is_empty()
    });
    Ok((all, number))
}

/// Columns are as wide as the sizes of the files could need; seven where a size is not known.
fn width(operands: &[Vec<u8>], show: &Columns) -> usize {
    let columns = [show.lines, show.words, show.chars, show.bytes, show.longest].iter().filter(|c| **c).count();
    if operands.len() <= 1 && columns == 1 {
        return 1;
    }
    let mut least = 1;
    let mut sum = 0;
    let standard = [b"-".to_vec()];
    for name in if operands.is_empty() { &standard[..] } else { operands } {
        match if name == b"-" { fstat(STDIN) } else { stat(name) } {
            Ok(s) if s.kind == FileType::Regular => sum += s.size,
            Ok(_) => least = 7,
            Err(_) => {}
        }
    }
    sum.to_string().len().max(least)
}

fn line(out: &mut Out, counts: &Counts, show: &Columns, width: usize, name: Option<&[u8]>) {
    let columns = [
        (show.lines, counts.lines),
        (show.words, counts.words),
        (show.chars, counts.chars),
        (show.bytes, counts.bytes),
        (show.longest, counts.longest),
    ];
    let shown: Vec<String> = columns.iter().filter(|c| c.0).map(|c| format!("{:>width$}", c.1)).collect();
    out.write(shown.join(" ").as_bytes());
    if let Some(name) = name {
        out.byte(b' ');
        // A name that would break the line is quoted.
        if name.contains(&b'\n') { out.write(quote::name(name).as_bytes()) } else { out.write(name) }
    }
    out.byte(b'\n');
}

fn count_stream(stream: &mut In, show: &Columns, utf8: bool) -> (Counts, Option<Errno>) {
    if show.bytes
        && !(show.lines || show.words || show.chars || show.longest)
        && let Some(bytes) = size_left(stream.fd())
    {
        return (Counts { bytes, ..Counts::default() }, None);
    }
    let mut counter = Counter::new(show, utf8);
    loop {
        match stream.fill() {
            Ok([]) => return (counter.finish(), None),
            Ok(block) => {
                counter.feed(block);
                let n = block.len();
                stream.consume(n);
            }
            Err(e) => return (counter.finish(), Some(e)),
        }
    }
}

/// How much of a regular file is left to read, without reading it.
fn size_left(fd: i32) -> Option<u64> {
    let s = fstat(fd).ok().filter(|s| s.kind == FileType::Regular && s.size > 0)?;
    let at = seek(fd, Seek::Current(0)).ok()?;
    let left = s.size.saturating_sub(at);
    seek(fd, Seek::Current(left as i64)).ok()?;
    Some(left)
}
