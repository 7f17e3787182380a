use crate::options::{NO, Options};
use crate::{Args, Outcome, report};
use capsule_sys::{Out, environ};

pub const HELP: &str = "\
Usage: printenv [OPTION]... [VARIABLE]...
Print what these environment variables hold,
or, if none is named, all names and values.

  -0, --null     NUL and no newline behind each
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+0", &[("null", NO, '0')]).status(2);
    let mut end = b'\n';
    while options.next()?.is_some() {
        end = 0;
    }
    let names = options.operands();
    let env = environ();
    let mut out = Out::stdout();
    let mut missing = false;
    if names.is_empty() {
        for entry in &env {
            out.write(entry);
            out.byte(end);
        }
    }
    for name in names {
        let value = env.iter().find_map(|entry| match entry.strip_prefix(name) {
            Some([b'=', value @ ..]) if !name.contains(&b'=') => Some(value),
            _ => None,
        });
        match value {
            Some(value) => {
                out.write(value);
                out.byte(end);
            }
            None => missing = true,
        }
    }
    report::finish(&mut out, missing.into())
}
