use crate::quote::quoted;
use crate::{Args, Outcome, report};
use capsule_sys::{NAME_MAX, Out, PATH_MAX, Resource, SYMLOOP_MAX, getrlimit};

pub const HELP: &str = "\
Usage: getconf [-v SPEC] NAME [PATH]
  or:  getconf -a [PATH]
Print the value of a variable of the system.

  -a   all that are known
  -v   (specifications are not told apart)
      --help        print this help
      --version     print the version
";

/// Names and values; none is a limit that is asked for, or undefined.
const KNOWN: &[(&str, &str)] = &[
    ("ARG_MAX", "2097152"),
    ("BC_BASE_MAX", "99"),
    ("BC_DIM_MAX", "2048"),
    ("BC_SCALE_MAX", "99"),
    ("BC_STRING_MAX", "1000"),
    ("CHAR_BIT", "8"),
    ("CHAR_MAX", "127"),
    ("CHAR_MIN", "-128"),
    ("CHILD_MAX", ""),
    ("CLK_TCK", "100"),
    ("COLL_WEIGHTS_MAX", "255"),
    ("EXPR_NEST_MAX", "32"),
    ("FILESIZEBITS", "64"),
    ("GNU_LIBC_VERSION", "glibc 2.36"),
    ("HOST_NAME_MAX", "64"),
    ("INT_MAX", "2147483647"),
    ("INT_MIN", "-2147483648"),
    ("IOV_MAX", "1024"),
    ("LINE_MAX", "2048"),
    ("LINK_MAX", "65000"),
    ("LOGIN_NAME_MAX", "256"),
    ("LONG_BIT", "32"),
    ("NAME_MAX", ""),
    ("NGROUPS_MAX", "65536"),
    ("NPROCESSORS_CONF", "1"),
    ("NPROCESSORS_ONLN", "1"),
    ("OPEN_MAX", ""),
    ("PAGESIZE", "4096"),
    ("PAGE_SIZE", "4096"),
    ("PATH", "/bin:/usr/bin"),
    ("PATH_MAX", ""),
    ("PIPE_BUF", "4096"),
    ("RE_DUP_MAX", "32767"),
    ("SSIZE_MAX", "2147483647"),
    ("STREAM_MAX", "16"),
    ("SYMLOOP_MAX", ""),
    ("TZNAME_MAX", "undefined"),
    ("UINT_MAX", "4294967295"),
    ("ULONG_MAX", "4294967295"),
    ("WORD_BIT", "32"),
    ("_NPROCESSORS_CONF", "1"),
    ("_NPROCESSORS_ONLN", "1"),
    ("_POSIX_VERSION", "200809"),
    ("_POSIX2_VERSION", "200809"),
    ("POSIX2_VERSION", "200809"),
    ("_PHYS_PAGES", ""),
    ("_AVPHYS_PAGES", ""),
    ("_XOPEN_VERSION", "700"),
];

fn value(name: &str) -> Option<String> {
    let (_, text) = KNOWN.iter().find(|k| k.0 == name)?;
    let limit = |which| match getrlimit(which) {
        Ok((soft, _)) if soft < u64::MAX => soft.to_string(),
        _ => "undefined".to_owned(),
    };
    let pages = |field: &str| crate::proc::Memory::read().map_or(0, |m| m.get(field)) / crate::proc::PAGE;
    Some(match name {
        "CHILD_MAX" => limit(Resource::Processes),
        "OPEN_MAX" => limit(Resource::OpenFiles),
        "NAME_MAX" => NAME_MAX.to_string(),
        "PATH_MAX" => PATH_MAX.to_string(),
        "SYMLOOP_MAX" => SYMLOOP_MAX.to_string(),
        "_PHYS_PAGES" => pages("MemTotal").to_string(),
        "_AVPHYS_PAGES" => pages("MemFree").to_string(),
        _ => (*text).to_owned(),
    })
}

pub fn main(args: &Args) -> Outcome {
    if matches!(args.rest(), [only] if only == b"--help" || only == b"--version") {
        crate::options::only_operands(args, 2)?;
    }
    let mut words = args.rest();
    let mut all = false;
    loop {
        match words {
            [first, rest @ ..] if first == b"-a" => (all, words) = (true, rest),
            [first, _, rest @ ..] if first == b"-v" => words = rest,
            _ => break,
        }
    }
    let mut out = Out::stdout();
    if all {
        for (name, _) in KNOWN {
            out.write(format!("{name:<35}{}\n", value(name).unwrap_or_default()).as_bytes());
        }
        return report::finish(&mut out, 0);
    }
    let [name, rest @ ..] = words else { return Err(report::usage(2, "a variable's name is needed")) };
    if rest.len() > 1 {
        return Err(report::usage(2, "too many arguments"));
    }
    match value(&String::from_utf8_lossy(name)) {
        Some(text) => out.write((text + "\n").as_bytes()),
        None => return Err(report::die(2, format_args!("Unrecognized variable {}", quoted(name)))),
    }
    report::finish(&mut out, 0)
}
