use crate::options::{NO, Options};
use crate::{Args, Outcome, quote, report};
use capsule_sys::{Out, STDIN, isatty};

pub const HELP: &str = "\
Usage: tty [OPTION]...
Print which terminal standard input is.

  -s, --silent, --quiet   only the status tells
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "s", &[("silent", NO, 's'), ("quiet", NO, 's')]).status(2);
    report::output_fails(3, "write error");
    let mut silent = false;
    while options.next()?.is_some() {
        silent = true;
    }
    if let Some(extra) = options.operands().first() {
        return Err(report::usage(2, format_args!("extra operand {}", quote::locale(extra))));
    }
    let terminal = isatty(STDIN);
    if silent {
        return Ok(u8::from(!terminal));
    }
    let mut out = Out::stdout();
    out.write(if terminal { b"/dev/tty\n" } else { b"not a tty\n" });
    report::finish(&mut out, u8::from(!terminal))
}
