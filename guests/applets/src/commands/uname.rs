use crate::options::{NO, Options};
use crate::{Args, Outcome, quote, report};
use capsule_sys::{OpenFlags, Out, open, read_to_end};

pub const HELP: &str = "\
Usage: uname [OPTION]...
Tell about the system; -s, unless told otherwise.

  -a, --all                all of these, in this order (-p and -i
                             only where they are known):
  -s, --kernel-name        the name of the system
  -n, --nodename           the name of the host
  -r, --kernel-release     its release
  -v, --kernel-version     its version
  -m, --machine            the kind of machine
  -p, --processor          the kind of processor
  -i, --hardware-platform  the kind of hardware
  -o, --operating-system   the operating system
      --help        print this help
      --version     print the version
";

/// What the machine is to a program in the sandbox: Linux's system calls over WebAssembly.
pub const MACHINE: &str = "wasm32";

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("all", NO, 'a'),
        ("kernel-name", NO, 's'),
        ("sysname", NO, 's'),
        ("nodename", NO, 'n'),
        ("kernel-release", NO, 'r'),
        ("release", NO, 'r'),
        ("kernel-version", NO, 'v'),
        ("machine", NO, 'm'),
        ("processor", NO, 'p'),
        ("hardware-platform", NO, 'i'),
        ("operating-system", NO, 'o'),
    ];
    let mut options = Options::new(args, "asnrvmpio", long);
    let mut wanted = String::new();
    while let Some(opt) = options.next()? {
        if opt.letter == 'a' { wanted.push_str("snrvmo") } else { wanted.push(opt.letter) }
    }
    if let Some(extra) = options.operands().first() {
        return Err(report::usage(1, format_args!("extra operand {}", quote::locale(extra))));
    }
    if wanted.is_empty() {
        wanted.push('s');
    }
    let version = concat!("#1 Capsule ", env!("CARGO_PKG_VERSION"));
    let facts = [
        ('s', "Linux".to_owned()),
        ('n', host_name()),
        ('r', "6.1.0-capsule".to_owned()),
        ('v', version.to_owned()),
        ('m', MACHINE.to_owned()),
        ('p', "unknown".to_owned()),
        ('i', "unknown".to_owned()),
        ('o', "GNU/Linux".to_owned()),
    ];
    let shown: Vec<&str> = facts.iter().filter(|f| wanted.contains(f.0)).map(|f| f.1.as_str()).collect();
    let mut out = Out::stdout();
    out.write(format!("{}\n", shown.join(" ")).as_bytes());
    report::finish(&mut out, 0)
}

/// What `/etc/hostname` says.
pub fn host_name() -> String {
    let text = open(b"/etc/hostname", OpenFlags::RDONLY, 0).and_then(|fd| read_to_end(fd.raw())).unwrap_or_default();
    let name = String::from_utf8_lossy(&text).trim().to_owned();
    if name.is_empty() { "capsule".to_owned() } else { name }
}
