use crate::options::{NO, Options, REQ, only};
use crate::path::{Missing, between, canonical};
use crate::{Args, Outcome, quote, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: realpath [OPTION]... FILE...
Print the whole path of each file, without links in it;
only its last part may be missing

  -e, --canonicalize-existing  all of it must be there
  -m, --canonicalize-missing   any of it may be missing
  -L, --logical                a .. takes the name before it away, link or not
  -P, --physical               links are followed first (so it is)
  -q, --quiet                  no messages
      --relative-to=DIR        as seen from DIR
      --relative-base=DIR      as seen from DIR, where it is below DIR
  -s, --strip, --no-symlinks   leave links as they are
  -z, --zero                   NUL and no newline behind each
      --help        print this help
      --version     print the version
";

const TO: char = only(0);
const BASE: char = only(1);

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("canonicalize-existing", NO, 'e'),
        ("canonicalize-missing", NO, 'm'),
        ("relative-to", REQ, TO),
        ("relative-base", REQ, BASE),
        ("quiet", NO, 'q'),
        ("strip", NO, 's'),
        ("no-symlinks", NO, 's'),
        ("zero", NO, 'z'),
        ("logical", NO, 'L'),
        ("physical", NO, 'P'),
    ];
    let mut options = Options::new(args, "eLmPqsz", long);
    let (mut missing, mut logical, mut links, mut quiet, mut end) = (Missing::Last, false, true, false, b'\n');
    let (mut to, mut base) = (None, None);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'e' => missing = Missing::None,
            'm' => missing = Missing::Any,
            'L' => (logical, links) = (true, true),
            'P' => (logical, links) = (false, true),
            's' => (logical, links) = (true, false),
            'q' => quiet = true,
            'z' => end = 0,
            TO => to = Some(opt.value()),
            _ => base = Some(opt.value()),
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    let resolve = |path: &[u8]| canonical(path, missing, logical, links);
    let named = |path: Option<&[u8]>| {
        path.map(|p| resolve(p).map_err(|e| report::die(1, format_args!("{}: {e}", quote::name(p))))).transpose()
    };
    let (to, base) = (named(to)?, named(base)?);
    let below = |path: &[u8], dir: &[u8]| {
        dir == b"/" || path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    };
    // A place outside of the base makes every answer absolute.
    let outside = matches!((&to, &base), (Some(to), Some(base)) if !below(to, base));
    let mut out = Out::stdout();
    let mut status = 0;
    for operand in operands {
        match resolve(operand) {
            Ok(path) => {
                let from = to.as_ref().or(base.as_ref());
                let shown = match (from, &base) {
                    _ if outside => path,
                    (Some(_), Some(base)) if !below(&path, base) => path,
                    (Some(from), _) => between(&path, from),
                    (None, _) => path,
                };
                out.write(&shown);
                out.byte(end);
            }
            Err(e) => {
                status = 1;
                if !quiet {
                    let _ = out.flush();
                    report::fault(quote::name(operand), e);
                }
            }
        }
    }
    report::finish(&mut out, status)
}
