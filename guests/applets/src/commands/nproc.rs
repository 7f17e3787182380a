use crate::options::{NO, Options, REQ, only};
use crate::{Args, Outcome, number, quote, report};
use capsule_sys::{Out, getenv};

pub const HELP: &str = "\
Usage: nproc [OPTION]...
Print the number of processing units available to the current process.

      --all      all there are
      --ignore=N  N fewer, but one at least
      --help        print this help
      --version     print the version
";

const ALL: char = only(0);
const IGNORE: char = only(1);

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "", &[("all", NO, ALL), ("ignore", REQ, IGNORE)]);
    let (mut ignore, mut all) = (0, false);
    while let Some(opt) = options.next()? {
        if opt.letter == ALL {
            all = true;
        } else {
            ignore = number::unsigned(opt.value(), b"")
                .map_err(|bad| number::complain(1, "invalid number", opt.value(), bad))?;
        }
    }
    if let Some(extra) = options.operands().first() {
        return Err(report::usage(1, format_args!("extra operand {}", quote::locale(extra))));
    }
    // A process of the sandbox runs on one processor at a time.
    let asked = |name: &[u8]| if all { None } else { threads(&getenv(name)?) };
    let count = asked(b"OMP_NUM_THREADS").unwrap_or(1).min(asked(b"OMP_THREAD_LIMIT").unwrap_or(u64::MAX));
    let mut out = Out::stdout();
    out.write(format!("{}\n", count.saturating_sub(ignore).max(1)).as_bytes());
    report::finish(&mut out, 0)
}

/// As OpenMP's variables have a number of threads: of a list, the first.
fn threads(text: &[u8]) -> Option<u64> {
    let first = text.split(|&b| b == b',').next()?.trim_ascii();
    number::unsigned(first, b"").ok().filter(|n| *n > 0)
}
