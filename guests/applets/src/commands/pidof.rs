use crate::options::{NO, Options, REQ};
use crate::{Args, Outcome, input, proc, report};
use capsule_sys::{Out, getpid, getppid};

pub const HELP: &str = "\
Usage: pidof [OPTION]... PROGRAM...
Find the numbers of the processes of a program.

  -s, --single-shot      only one
  -c, --check-root       (all have one root)
  -x                     scripts of that name, too
  -n                     (no file is looked at, on no network)
  -z                     (those that have ended are found anyway)
  -q                     write nothing; the status tells
  -o, --omit-pid=PID,... leave these out (%PPID: the parent of pidof)
  -d, --separator=SEP    what separates numbers (default a blank)
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let long = &[("single-shot", NO, 's'), ("check-root", NO, 'c'), ("omit-pid", REQ, 'o'), ("separator", REQ, 'd')];
    let mut options = Options::new(args, "scxqo:d:nz", long);
    let (mut single, mut scripts, mut quiet, mut separator) = (false, false, false, b" ".as_slice());
    let mut omitted = vec![getpid()];
    while let Some(opt) = options.next()? {
        match opt.letter {
            's' => single = true,
            'x' => scripts = true,
            'q' => quiet = true,
            'd' => separator = opt.value(),
            'o' => {
                for word in opt.value().split(|&b| b == b',') {
                    let number = std::str::from_utf8(word).ok().and_then(|t| t.parse().ok());
                    omitted.push(if word == b"%PPID" { getppid() } else { number.unwrap_or(0) });
                }
            }
            _ => {}
        }
    }
    let operands = options.operands();
    let mut found = Vec::new();
    for process in proc::all()?.into_iter().rev().filter(|p| !omitted.contains(&p.pid)) {
        let is = |name: &&[u8]| {
            let same = |arg: &[u8]| arg == *name || (!name.contains(&b'/') && input::base_name(arg) == *name);
            let first = process.argv.first().is_some_and(|a| same(a.strip_prefix(b"-").unwrap_or(a)));
            first || (scripts && process.argv.get(1).is_some_and(|a| same(a)))
        };
        if operands.iter().any(is) {
            found.push(process.pid.to_string());
        }
    }
    if single {
        found.truncate(1);
    }
    let mut out = Out::stdout();
    if !quiet && !found.is_empty() {
        out.write(found.join(&String::from_utf8_lossy(separator)).as_bytes());
        out.byte(b'\n');
    }
    report::finish(&mut out, u8::from(found.is_empty()))
}
