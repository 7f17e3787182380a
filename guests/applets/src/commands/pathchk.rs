use crate::options::{NO, Options, only};
use crate::quote::{locale, quoted};
use crate::{Args, Outcome, report};
use capsule_sys::{Errno, NAME_MAX, PATH_MAX, lstat};

pub const HELP: &str = "\
Usage: pathchk [OPTION]... NAME...
Tell which file names are none, or none elsewhere.

  -p                  by what every POSIX system can hold
  -P                  no empty names, none that begin with \"-\"
      --portability   both: -p and -P
      --help        print this help
      --version     print the version
";

const BOTH: char = only(0);
/// What POSIX promises at least.
const POSIX_PATH: usize = 256;
const POSIX_NAME: usize = 14;

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+pP", &[("portability", NO, BOTH)]);
    let (mut basic, mut extra) = (false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'p' => basic = true,
            'P' => extra = true,
            _ => (basic, extra) = (true, true),
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    let good = operands.iter().filter(|name| !check(name, basic, extra)).count() == 0;
    Ok(u8::from(!good))
}

fn check(name: &[u8], basic: bool, extra: bool) -> bool {
    let shown = quoted(name);
    let fail = |text: String| {
        report::error(text);
        false
    };
    if extra && name.split(|&b| b == b'/').any(|part| part.starts_with(b"-")) {
        return fail(format!("leading '-' in a component of file name {shown}"));
    }
    if (basic || extra) && name.is_empty() {
        return fail("empty file name".to_owned());
    }
    if basic {
        let portable = |b: &u8| b.is_ascii_alphanumeric() || b"._-/".contains(b);
        if let Some(at) = name.iter().position(|b| !portable(b)) {
            let text = String::from_utf8_lossy(&name[at..]).chars().next().map_or(String::new(), |c| c.to_string());
            return fail(format!("nonportable character {} in file name {shown}", locale(text.as_bytes())));
        }
    } else {
        match lstat(name) {
            Ok(_) => return true,
            Err(Errno::ENOENT) if !name.is_empty() => {}
            Err(e) => return fail(format!("{}: {e}", crate::quote::name(name))),
        }
    }
    let (longest_path, longest_name) = if basic { (POSIX_PATH, POSIX_NAME) } else { (PATH_MAX, NAME_MAX) };
    if name.len() >= longest_path {
        return fail(format!("limit {} exceeded by length {} of file name {shown}", longest_path - 1, name.len()));
    }
    for part in name.split(|&b| b == b'/') {
        if part.len() > longest_name {
            let length = part.len();
            let text =
                format!("limit {longest_name} exceeded by length {length} of file name component {}", locale(part));
            return fail(text);
        }
    }
    true
}
