use crate::options::{NO, Options};
use crate::{Args, Outcome, report};
use capsule_sys::{In, Out, STDIN, getenv};
use std::collections::BTreeSet;

pub const HELP: &str = "\
Usage: envsubst [OPTION] [SHELL-FORMAT]
Copy standard input to standard output, with the values of environment variables
in place of $NAME and ${NAME}. With SHELL-FORMAT, only of those it refers to.

  -v, --variables   list the variables SHELL-FORMAT names
  -h, --help        print this help
  -V, --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "hvV", &[("variables", NO, 'v')]);
    let mut variables = false;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'v' => variables = true,
            'h' => return Err(options.help()),
            _ => return Err(options.version()),
        }
    }
    let operands = options.operands();
    if operands.len() > 1 {
        return Err(report::die(1, "too many arguments"));
    }
    let mut out = Out::stdout();
    if variables {
        let Some(format) = operands.first() else { return Err(report::die(1, "missing arguments")) };
        each(format, |piece| {
            if let Piece::Name(name, _) = piece {
                out.write(name);
                out.byte(b'\n');
            }
        });
        return report::finish(&mut out, 0);
    }
    let mut chosen = BTreeSet::new();
    for format in &operands {
        each(format, |piece| {
            if let Piece::Name(name, _) = piece {
                chosen.insert(name.to_vec());
            }
        });
    }
    let mut input = In::new(STDIN);
    let mut line = Vec::new();
    loop {
        line.clear();
        let more = input.read_until(b'\n', &mut line);
        more.map_err(|e| report::die(1, format_args!("error while reading \"standard input\": {e}")))?;
        if line.is_empty() {
            break;
        }
        each(&line, |piece| match piece {
            Piece::Name(name, _) if operands.is_empty() || chosen.contains(name) => {
                out.write(&getenv(name).unwrap_or_default());
            }
            Piece::Name(_, whole) | Piece::Text(whole) => out.write(whole),
        });
        report::writable(&out)?;
    }
    report::finish(&mut out, 0)
}

enum Piece<'a> {
    Text(&'a [u8]),
    /// A reference: the name, and how it is written.
    Name(&'a [u8], &'a [u8]),
}

/// The pieces of a text, in order.
fn each<'a>(text: &'a [u8], mut each: impl FnMut(Piece<'a>)) {
    let mut rest = text;
    while let Some(dollar) = memchr::memchr(b'$', rest) {
        each(Piece::Text(&rest[..dollar]));
        rest = &rest[dollar..];
        let braced = rest.get(1) == Some(&b'{');
        let start = 1 + usize::from(braced);
        let first = rest.get(start).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        let name = rest[start..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let end = start + name;
        let closed = !braced || rest.get(end) == Some(&b'}');
        if !first || !closed {
            each(Piece::Text(&rest[..1]));
            rest = &rest[1..];
            continue;
        }
        let whole = end + usize::from(braced);
        each(Piece::Name(&rest[start..end], &rest[..whole]));
        rest = &rest[whole..];
    }
    each(Piece::Text(rest));
}
