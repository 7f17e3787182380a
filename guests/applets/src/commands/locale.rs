mod keywords;

use crate::options::{NO, Options};
use crate::quote::{is_utf8, raw};
use crate::{Args, Outcome, report};
use capsule_sys::{Out, getenv};
use keywords::{CODESET, ERAS, KEYWORDS};

pub const HELP: &str = "\
Usage: locale [NAME|CATEGORY]...
  or:  locale [-a | -m]
Tell about the locale: that of C, with characters of UTF-8 where LC_ALL,
LC_CTYPE or LANG ask for them.

  -a, --all-locales     names of the locales there are
  -m, --charmaps        names of the sets of characters
  -c, --category-name   category names before values
  -k, --keyword-name    names before values
      --help        print this help
      --version     print the version
";

const CATEGORIES: [&str; 12] = [
    "LC_CTYPE",
    "LC_NUMERIC",
    "LC_TIME",
    "LC_COLLATE",
    "LC_MONETARY",
    "LC_MESSAGES",
    "LC_PAPER",
    "LC_NAME",
    "LC_ADDRESS",
    "LC_TELEPHONE",
    "LC_MEASUREMENT",
    "LC_IDENTIFICATION",
];

/// Of these a locale has tables of its own making, which say nothing here.
const UNTOLD: [&str; 2] = ["LC_CTYPE", "LC_IDENTIFICATION"];

pub fn main(args: &Args) -> Outcome {
    let long =
        &[("all-locales", NO, 'a'), ("charmaps", NO, 'm'), ("category-name", NO, 'c'), ("keyword-name", NO, 'k')];
    let mut options = Options::new(args, "amck", long).status(64);
    report::hint(report::Hint::GraveUsage);
    let (mut list, mut keys, mut categories) = (None, false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'k' => keys = true,
            'c' => categories = true,
            letter => list = Some(letter),
        }
    }
    let operands = options.operands();
    let mut out = Out::stdout();
    match list {
        Some('a') => out.write(b"C\nC.utf8\nPOSIX\n"),
        Some(_) => out.write(b"ANSI_X3.4-1968\nUTF-8\n"),
        None if operands.is_empty() => {
            let text = |name: &str| getenv(name.as_bytes()).map(|v| String::from_utf8_lossy(&v).into_owned());
            let set = |name: &str| text(name).filter(|v| !v.is_empty());
            let mut all = format!(
                "LANG={}\nLANGUAGE={}\n",
                text("LANG").unwrap_or_default(),
                text("LANGUAGE").unwrap_or_default()
            );
            for name in CATEGORIES {
                // What follows from another variable stands in quotes.
                all += &match (set("LC_ALL"), set(name)) {
                    (None, Some(own)) => format!("{name}={own}\n"),
                    (all, _) => format!("{name}=\"{}\"\n", all.or(set("LANG")).unwrap_or_else(|| "POSIX".to_owned())),
                };
            }
            out.write(format!("{all}LC_ALL={}\n", text("LC_ALL").unwrap_or_default()).as_bytes());
        }
        None => {
            for name in operands {
                let name = String::from_utf8_lossy(name);
                let is_category = CATEGORIES.contains(&&*name) && !UNTOLD.contains(&&*name);
                let wanted = |row: &&(&str, &str, &str)| if is_category { row.0 == name } else { row.1 == name };
                let mut rows = KEYWORDS.iter().filter(wanted).peekable();
                let Some((category, ..)) = rows.peek() else {
                    report::error(format_args!("unknown name \"{}\"", raw(name.as_bytes())));
                    return Ok(1);
                };
                if categories {
                    out.write(format!("{category}\n").as_bytes());
                }
                for (_, key, value) in rows {
                    let value = match *value {
                        CODESET if is_utf8() => "\"UTF-8\"",
                        CODESET => "\"ANSI_X3.4-1968\"",
                        ERAS if is_utf8() => "\"S\"",
                        ERAS => "\"\"",
                        value => value,
                    };
                    let text = if keys { format!("{key}={value}\n") } else { format!("{}\n", value.trim_matches('"')) };
                    out.write(text.as_bytes());
                }
            }
        }
    }
    report::finish(&mut out, 0)
}
