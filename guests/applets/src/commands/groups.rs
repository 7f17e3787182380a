use crate::users::{self, Names};
use crate::{Args, Outcome, options, quote, report};
use capsule_sys::{Out, getids};

pub const HELP: &str = "\
Usage: groups [OPTION]... [USERNAME]...
The groups each USERNAME is in, or, where there is none,
this process.

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let operands = options::only_operands(args, 1)?;
    let (mut names, mut groups) = (Names::users(), Names::groups());
    let (mut out, mut status) = (Out::stdout(), 0);
    let mut line = |out: &mut Out, title: &[u8], ids: &[u32]| {
        out.write(title);
        let shown: Vec<String> = ids.iter().map(|id| groups.name(*id).unwrap_or_else(|| id.to_string())).collect();
        out.write(shown.join(" ").as_bytes());
        out.byte(b'\n');
    };
    if operands.is_empty() {
        let (_, gid) = getids().map_err(|e| report::die(1, format_args!("cannot tell who you are: {e}")))?;
        line(&mut out, b"", &[gid]);
    }
    for user in operands {
        match users::memberships(&mut names, &mut Names::groups(), user) {
            Some((_, ids)) => line(&mut out, &[user, b" : "].concat(), &ids),
            None => {
                let _ = out.flush();
                report::error(format_args!("{}: no such user", quote::locale(user)));
                status = 1;
            }
        }
    }
    report::finish(&mut out, status)
}
