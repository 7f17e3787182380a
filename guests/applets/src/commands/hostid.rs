use crate::quote::locale;
use crate::{Args, Outcome, options, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: hostid [OPTION]
Print the number of this host, in hexadecimal.
It is that of the loopback address: a session has no other.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    if let Some(extra) = options::only_operands(args, 1)?.first() {
        return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
    }
    let mut out = Out::stdout();
    out.write(b"007f0100\n");
    report::finish(&mut out, 0)
}
