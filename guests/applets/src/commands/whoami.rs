use crate::quote::locale;
use crate::users::Names;
use crate::{Args, Outcome, options, report};
use capsule_sys::{Out, getids};

pub const HELP: &str = "\
Usage: whoami [OPTION]...
Print your name.
Same as id -un.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    if let Some(extra) = options::only_operands(args, 1)?.first() {
        return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
    }
    let (uid, _) = getids().map_err(|e| report::die(1, format_args!("cannot tell who you are: {e}")))?;
    let Some(name) = Names::users().name(uid) else {
        return Err(report::die(1, format_args!("cannot find name for user ID {uid}")));
    };
    let mut out = Out::stdout();
    out.write(format!("{name}\n").as_bytes());
    report::finish(&mut out, 0)
}
