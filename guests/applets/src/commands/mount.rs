use crate::options::{Long, NO, Options, REQ};
use crate::{Args, Outcome, proc, report};
use capsule_sys::{Errno, Out};

pub const HELP: &str = "\
Usage: mount [-l] [-t TYPE,...]
List what is mounted. Mounting is the affair of whoever starts the sandbox
(--mount HOST::GUEST), and refused here.

  -l, --show-labels     the same: nothing has a label
  -t, --types=TYPE,...  only these types; with 'no' in front, all others
  -h, --help            print this help
  -V, --version         print the version
";

const LONG: &[Long] = &[("show-labels", NO, 'l'), ("types", REQ, 't')];

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "lt:hV", LONG);
    let mut types = None;
    while let Some(opt) = options.next()? {
        match opt.letter {
            't' => types = Some(opt.value()),
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            _ => {}
        }
    }
    if let Some(what) = options.operands().first() {
        let shown = String::from_utf8_lossy(what);
        return Err(report::die(1, format_args!("{shown}: mount failed: {}.", Errno::EPERM)));
    }
    let wanted = |kind: &[u8]| match types {
        None => true,
        Some(list) => match list.strip_prefix(b"no") {
            Some(others) => !others.split(|&b| b == b',').any(|t| t == kind),
            None => list.split(|&b| b == b',').any(|t| t == kind),
        },
    };
    let mut out = Out::stdout();
    for mount in proc::mounts().iter().filter(|mount| wanted(&mount.kind)) {
        let parts: [&[u8]; 8] =
            [&mount.source, b" on ", &mount.target, b" type ", &mount.kind, b" (", &mount.options, b")\n"];
        out.write(&parts.concat());
    }
    report::finish(&mut out, 0)
}
