use crate::input::{self, Input};
use crate::options::{NO, Options, REQ};
use crate::quote::is_utf8;
use crate::{Args, Exit, Outcome, quote, report, temporary};
use capsule_regex::{Groups, Regex, Syntax};
use capsule_sys::{Errno, FileType, Out, Seek, fstat, pread, seek, write_all};

pub const HELP: &str = "\
Usage: tac [OPTION]... [FILE]...
Print the lines of each FILE, the last one first.

Standard input is read where FILE is - or missing.

  -b, --before             a separator belongs to what is behind it
  -r, --regex              the separator is a regular expression
  -s, --separator=STRING   lines are separated by STRING
      --help        print this help
      --version     print the version
";

/// What is read at once.
const BLOCK: u64 = 64 * 1024;

pub fn main(args: &Args) -> Outcome {
    let long = &[("before", NO, 'b'), ("regex", NO, 'r'), ("separator", REQ, 's')];
    let mut options = Options::new(args, "brs:", long);
    let (mut before, mut regex, mut separator) = (false, false, b"\n".as_slice());
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' => before = true,
            's' => separator = opt.value(),
            _ => regex = true,
        }
    }
    // An empty separator is a NUL.
    if regex && separator.is_empty() {
        return Err(report::die(1, "separator cannot be empty"));
    }
    let separator = if separator.is_empty() { b"\0" } else { separator };
    let separator = if regex { Separator::Regex(Box::new(pattern(separator)?)) } else { Separator::Text(separator) };
    let mut out = Out::stdout();
    let mut operands = options.operands();
    if operands.is_empty() {
        operands.push(b"-");
    }
    let mut status = 0;
    for &name in &operands {
        let failed = match Input::open(name) {
            Ok(mut input) => one(&mut input, &separator, before, &mut out).err().map(|failed| match failed {
                Failed::Read(e) => format!("{}: read error: {e}", quote::input(name)),
                Failed::Temporary(dir, e) => {
                    format!("failed to create temporary file in {}: {e}", quote::quoted(&dir))
                }
            }),
            Err(e) => Some(format!("failed to open {} for reading: {e}", quote::quoted(name))),
        };
        if let Some(message) = failed {
            let _ = out.flush();
            report::error(message);
            status = 1;
        }
    }
    if !input::closes(&operands, "-") {
        status = 1;
    }
    report::finish(&mut out, status)
}

enum Failed {
    Read(Errno),
    Temporary(Vec<u8>, Errno),
}

impl From<Errno> for Failed {
    fn from(e: Errno) -> Failed {
        Failed::Read(e)
    }
}

fn one(input: &mut Input, separator: &Separator<'_>, before: bool, out: &mut Out) -> Result<(), Failed> {
    let Separator::Text(text) = separator else {
        let mut all = Vec::new();
        input.stream.read_to_end(&mut all)?;
        reverse(&all, separator, before, out);
        return Ok(());
    };
    match fstat(input.fd())?.kind {
        FileType::Directory => return Err(Failed::Read(Errno::EINVAL)),
        FileType::Regular => {
            let size = seek(input.fd(), Seek::End(0))?;
            return Ok(backward(input.fd(), size, text, before, out)?);
        }
        _ => {}
    }
    // What cannot be read from its end is copied first.
    let dir = temporary::directory();
    let copy = temporary::unnamed(&dir, "tac").map_err(|e| Failed::Temporary(dir, e))?;
    let mut size = 0;
    loop {
        let block = input.stream.fill()?;
        if block.is_empty() {
            break;
        }
        write_all(copy.raw(), block)?;
        let n = block.len();
        size += n as u64;
        input.stream.consume(n);
    }
    Ok(backward(copy.raw(), size, text, before, out)?)
}

/// Reads a file from its end in blocks; what has no separator yet is kept.
fn backward(file: i32, size: u64, separator: &[u8], before: bool, out: &mut Out) -> Result<(), Errno> {
    // The bytes from `from` on that are not printed yet.
    let mut held: Vec<u8> = Vec::new();
    let mut from = size;
    // Up to here separators are looked for.
    let mut search = 0;
    while from > 0 {
        let len = from.min(BLOCK.max(held.len() as u64)) as usize;
        let mut block = vec![0; len];
        let mut read = 0;
        while read < len {
            match pread(file, &mut block[read..], from - (len - read) as u64)? {
                0 => break,
                n => read += n,
            }
        }
        block.truncate(read);
        search += len;
        block.append(&mut held);
        held = block;
        from -= len as u64;
        let mut end = held.len();
        while let Some(at) = memchr::memmem::rfind(&held[..search.min(held.len())], separator) {
            let cut = if before { at } else { at + separator.len() };
            if before || cut < end {
                out.write(&held[cut..end]);
                end = cut;
            }
            search = at;
        }
        // A separator may begin in what is not read yet.
        held.truncate(end);
        search = search.min(separator.len() - 1);
    }
    out.write(&held);
    Ok(())
}

enum Separator<'a> {
    Text(&'a [u8]),
    Regex(Box<Regex>),
}

/// Newlines are line ends to it, as where it comes from.
fn pattern(text: &[u8]) -> Result<Regex, Exit> {
    let options = capsule_regex::Options {
        syntax: Syntax::Emacs,
        utf8: is_utf8(),
        multi_line: true,
        newline_any: false,
        ..Default::default()
    };
    Regex::new(text, &options).map_err(|error| report::die(1, error))
}

impl Separator<'_> {
    /// The last one in a text: where it is, and its length. A regular expression is tried at every place from the back,
    /// so that the shortest match at the end is found.
    fn last(&self, text: &[u8], groups: &mut Groups) -> Option<(usize, usize)> {
        match self {
            Separator::Text(separator) => memchr::memmem::rfind(text, separator).map(|at| (at, separator.len())),
            Separator::Regex(regex) => (0..=text.len()).rev().find_map(|at| {
                let found = if regex.match_at(text, at, groups) { groups[0] } else { None };
                found.map(|(start, end)| (start, end - start))
            }),
        }
    }
}

fn reverse(all: &[u8], separator: &Separator<'_>, before: bool, out: &mut Out) {
    let mut end = all.len();
    // Found from the back, so that overlapping ones are taken as GNU takes them.
    let mut search = all.len();
    let mut groups = Groups::new();
    while let Some((at, len)) = separator.last(&all[..search], &mut groups) {
        let start = if before { at } else { at + len };
        if before || start < end {
            out.write(&all[start..end]);
            end = start;
        }
        if at == 0 {
            break;
        }
        search = if len == 0 { at - 1 } else { at };
    }
    out.write(&all[..end]);
}
