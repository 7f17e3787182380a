use crate::options::Options;
use crate::{Args, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: reset [-cIQqrsw] [TERMINAL]
Write what sets a terminal back to how it begins. Its settings (stty) are not
touched: they belong to the host.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "cIQqrswe:i:k:m:", &[]);
    while options.next()?.is_some() {}
    let mut out = Out::stdout();
    out.write(b"\x1bc\x1b[!p\x1b[?3;4l\x1b[4l\x1b>");
    report::finish(&mut out, 0)
}
