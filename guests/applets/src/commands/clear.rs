use crate::options::Options;
use crate::{Args, Outcome, report};
use capsule_sys::{Out, getenv};

pub const HELP: &str = "\
Usage: clear [-x] [-T TERM]
Clear the screen and what was scrolled off it.

  -x        keep what was scrolled off
  -T TERM   for this terminal
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "xT:V", &[]);
    let (mut keep, mut terminal) = (false, getenv(b"TERM"));
    while let Some(opt) = options.next()? {
        match opt.letter {
            'x' => keep = true,
            'T' => terminal = Some(opt.value().to_vec()),
            _ => {}
        }
    }
    let mut out = Out::stdout();
    match terminal.as_deref() {
        None | Some(b"") => return Err(report::die(1, "TERM environment variable not set.")),
        Some(b"dumb") => {}
        Some(_) => {
            out.write(b"\x1b[H\x1b[2J");
            if !keep {
                out.write(b"\x1b[3J");
            }
        }
    }
    report::finish(&mut out, 0)
}
