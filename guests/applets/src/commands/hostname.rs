use crate::options::{NO, Options};
use crate::{Args, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: hostname [-s|-f]
Print the name of this host.

  -s, --short       the name up to its first dot
  -f, --fqdn, --long  the name as it is
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "sf", &[("short", NO, 's'), ("fqdn", NO, 'f'), ("long", NO, 'f')]);
    let mut short = false;
    while let Some(opt) = options.next()? {
        short = opt.letter == 's';
    }
    if !options.operands().is_empty() {
        return Err(report::die(1, "you must be root to change the host name"));
    }
    let name = super::uname::host_name();
    let shown = if short { name.split('.').next().unwrap_or_default() } else { &name };
    let mut out = Out::stdout();
    out.write(format!("{shown}\n").as_bytes());
    report::finish(&mut out, 0)
}
