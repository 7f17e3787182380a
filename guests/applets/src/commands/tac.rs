use crate::input::Input;
use crate::options::{NO, Options, REQ};
use crate::{Args, Outcome, quote, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: tac [OPTION]... [FILE]...
Write each FILE to standard output, last line first.

With no FILE, or when FILE is -, read standard input.

  -b, --before             attach the separator before instead of after
  -s, --separator=STRING   use STRING as the separator instead of newline
      --help        display this help and exit
      --version     output version information and exit
";

pub fn main(args: &Args) -> Outcome {
    let long = &[("before", NO, 'b'), ("regex", NO, 'r'), ("separator", REQ, 's')];
    let mut options = Options::new(args, "brs:", long);
    let (mut before, mut separator) = (false, b"\n".as_slice());
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' => before = true,
            's' => separator = opt.value(),
            _ => return Err(report::die(1, "option --regex (-r) is not supported")),
        }
    }
    // An empty separator is a NUL.
    let separator = if separator.is_empty() { b"\0" } else { separator };
    let mut out = Out::stdout();
    let mut operands = options.operands();
    if operands.is_empty() {
        operands.push(b"-");
    }
    let mut status = 0;
    for name in operands {
        let mut all = Vec::new();
        let (what, failed) = match Input::open(name) {
            Ok(mut input) => ("read error", input.stream.read_to_end(&mut all).err()),
            Err(e) => ("", Some(e)),
        };
        match failed {
            None => reverse(&all, separator, before, &mut out),
            Some(e) => {
                let _ = out.flush();
                if what.is_empty() {
                    report::fault(format_args!("failed to open {} for reading", quote::quoted(name)), e);
                } else {
                    report::fault(format_args!("{}: {what}", quote::name(name)), e);
                }
                status = 1;
            }
        }
    }
    report::finish(&mut out, status)
}

fn reverse(all: &[u8], separator: &[u8], before: bool, out: &mut Out) {
    let mut end = all.len();
    // Found from the back, so that overlapping ones are taken as GNU takes them.
    let mut search = all.len();
    while let Some(at) = memchr::memmem::rfind(&all[..search], separator) {
        let start = if before { at } else { at + separator.len() };
        if before || start < end {
            out.write(&all[start..end]);
            end = start;
        }
        search = at;
    }
    out.write(&all[..end]);
}
