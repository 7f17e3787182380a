use crate::quote::raw;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{NAME_MAX, Out, PATH_MAX, Resource, SYMLOOP_MAX, getrlimit, stat};

pub const HELP: &str = "\
Usage: getconf [-v SPEC] NAME [PATH]
  or:  getconf -a [PATH]
Print the value of a variable of the system.

  -a   all that are known; those of files as they are for PATH
  -v   (specifications are not told apart)
      --help        print this help
      --version     print the version
";

/// Limits that belong to a file, which must be named.
const OF_FILES: &[&str] = &[
    "FILESIZEBITS",
    "LINK_MAX",
    "MAX_CANON",
    "MAX_INPUT",
    "NAME_MAX",
    "PATH_MAX",
    "PIPE_BUF",
    "SYMLINK_MAX",
    "_POSIX_CHOWN_RESTRICTED",
    "_POSIX_NO_TRUNC",
    "_POSIX_VDISABLE",
];

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
    ("MAX_CANON", "255"),
    ("MAX_INPUT", "255"),
    ("MB_LEN_MAX", "16"),
    ("NAME_MAX", ""),
    ("NGROUPS_MAX", "65536"),
    ("OPEN_MAX", ""),
    ("PAGESIZE", "4096"),
    ("PAGE_SIZE", "4096"),
    ("PATH", "/bin:/usr/bin"),
    ("PATH_MAX", ""),
    ("PIPE_BUF", "4096"),
    ("RE_DUP_MAX", "32767"),
    ("SSIZE_MAX", "2147483647"),
    ("STREAM_MAX", "16"),
    ("SYMLINK_MAX", "undefined"),
    ("SYMLOOP_MAX", ""),
    ("TZNAME_MAX", "undefined"),
    ("UINT_MAX", "4294967295"),
    ("ULONG_MAX", "4294967295"),
    ("WORD_BIT", "32"),
    ("_NPROCESSORS_CONF", "1"),
    ("_NPROCESSORS_ONLN", "1"),
    ("_POSIX_CHOWN_RESTRICTED", "1"),
    ("_POSIX_NO_TRUNC", "1"),
    ("_POSIX_VDISABLE", "0"),
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
            [first, rest @ ..] if first.starts_with(b"-v") && first.len() > 2 => words = rest,
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
    if words.first().is_some_and(|word| word == b"--") {
        words = &words[1..];
    }
    let (name, path) = match words {
        [name] if name != b"-v" => (name, None),
        [name, path] => (name, Some(path)),
        _ => return Err(wrong_usage()),
    };
    let text = String::from_utf8_lossy(name);
    let Some(value) = value(&text) else {
        report::error(raw(&[b"Unrecognized variable `", name.as_slice(), b"'"].concat()));
        return Ok(2);
    };
    if OF_FILES.contains(&text.as_ref()) != path.is_some() {
        return Err(wrong_usage());
    }
    if let Some((path, e)) = path.and_then(|path| Some((path, stat(path).err()?))) {
        report::error(raw(&[b"pathconf: ", path.as_slice(), format!(": {e}").as_bytes()].concat()));
        return Ok(1);
    }
    out.write((value + "\n").as_bytes());
    report::finish(&mut out, 0)
}

fn wrong_usage() -> Exit {
    report::plain("Usage: getconf [-v specification] variable_name [pathname]\n       getconf -a [pathname]\n");
    Exit(2)
}
