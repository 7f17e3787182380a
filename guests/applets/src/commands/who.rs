use crate::options::{Long, NO, Options, only};
use crate::quote::locale;
use crate::{Args, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: who [OPTION]... [ FILE | ARG1 ARG2 ]
Print information about users who are currently logged in: nobody is, a session
has no logins. Options are accepted as everywhere.

  -a, --all         -b, --boot        -d, --dead        -H, --heading
  -l, --login       --lookup          -m                -p, --process
  -q, --count       -r, --runlevel    -s, --short       -t, --time
  -T, -w, --mesg    -u, --users       --message         --writable
      --help        print this help
      --version     print the version
";

const LONG: &[Long] = &[
    ("all", NO, 'a'),
    ("boot", NO, 'b'),
    ("count", NO, 'q'),
    ("dead", NO, 'd'),
    ("heading", NO, 'H'),
    ("login", NO, 'l'),
    ("lookup", NO, only(0)),
    ("message", NO, 'T'),
    ("mesg", NO, 'T'),
    ("process", NO, 'p'),
    ("runlevel", NO, 'r'),
    ("short", NO, 's'),
    ("time", NO, 't'),
    ("users", NO, 'u'),
    ("writable", NO, 'T'),
];

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "abdlmpqrstuwHT", LONG);
    let (mut heading, mut count) = (false, false);
    while let Some(opt) = options.next()? {
        heading |= opt.letter == 'H';
        count |= opt.letter == 'q';
    }
    if let Some(extra) = options.operands().get(2) {
        return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
    }
    let mut out = Out::stdout();
    if count {
        out.write(b"\n# users=0\n");
    } else if heading {
        out.write(b"NAME     LINE         TIME         COMMENT\n");
    }
    report::finish(&mut out, 0)
}
