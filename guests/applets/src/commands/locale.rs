use crate::options::{NO, Options};
use crate::quote::{is_utf8, raw};
use crate::{Args, Outcome, report};
use capsule_sys::{Out, getenv};

pub const HELP: &str = "\
Usage: locale [NAME]...
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
                let (category, value) = match name {
                    b"charmap" if is_utf8() => ("LC_CTYPE", "UTF-8"),
                    b"charmap" => ("LC_CTYPE", "ANSI_X3.4-1968"),
                    b"decimal_point" => ("LC_NUMERIC", "."),
                    b"thousands_sep" => ("LC_NUMERIC", ""),
                    b"day" => ("LC_TIME", "Sunday;Monday;Tuesday;Wednesday;Thursday;Friday;Saturday"),
                    b"abday" => ("LC_TIME", "Sun;Mon;Tue;Wed;Thu;Fri;Sat"),
                    b"mon" => (
                        "LC_TIME",
                        "January;February;March;April;May;June;July;August;September;October;November;December",
                    ),
                    b"abmon" => ("LC_TIME", "Jan;Feb;Mar;Apr;May;Jun;Jul;Aug;Sep;Oct;Nov;Dec"),
                    b"d_t_fmt" => ("LC_TIME", "%a %b %e %H:%M:%S %Y"),
                    b"d_fmt" => ("LC_TIME", "%m/%d/%y"),
                    b"t_fmt" => ("LC_TIME", "%H:%M:%S"),
                    b"am_pm" => ("LC_TIME", "AM;PM"),
                    b"yesexpr" => ("LC_MESSAGES", "^[yY]"),
                    b"noexpr" => ("LC_MESSAGES", "^[nN]"),
                    other => {
                        report::error(format_args!("unknown name \"{}\"", raw(other)));
                        return Ok(1);
                    }
                };
                if categories {
                    out.write(format!("{category}\n").as_bytes());
                }
                let name = String::from_utf8_lossy(name);
                out.write(if keys { format!("{name}=\"{value}\"\n") } else { format!("{value}\n") }.as_bytes());
            }
        }
    }
    report::finish(&mut out, 0)
}
