use crate::calendar::{Moment, Zone};
use crate::options::{NO, Options};
use crate::quote::locale;
use crate::{Args, Outcome, proc, report};
use capsule_sys::{Out, now};

pub const HELP: &str = "\
Usage: uptime [OPTION]
Tell how long the session has been running.

  -p, --pretty   show it in words
  -s, --since    show since when
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "ps", &[("pretty", NO, 'p'), ("since", NO, 's')]);
    let mut how = None;
    while let Some(opt) = options.next()? {
        how = Some(opt.letter);
    }
    if let Some(extra) = options.operands().first() {
        return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
    }
    let up = proc::uptime()? as i64;
    let mut out = Out::stdout();
    let text = match how {
        Some('s') => {
            let start = Moment::new(now().sec - up, 0, &Zone::local());
            String::from_utf8_lossy(&start.format(b"%Y-%m-%d %H:%M:%S\n")).into_owned()
        }
        Some(_) => pretty(up),
        None => format!(" {}\n", line(up)),
    };
    out.write(text.as_bytes());
    report::finish(&mut out, 0)
}

fn pretty(up: i64) -> String {
    let part = |n: i64, word: &str| match n {
        0 => None,
        1 => Some(format!("1 {word}")),
        n => Some(format!("{n} {word}s")),
    };
    let parts = [
        part(up / (86_400 * 7), "week"),
        part(up / 86_400 % 7, "day"),
        part(up / 3600 % 24, "hour"),
        part(up / 60 % 60, "minute").or_else(|| Some("0 minutes".to_owned())),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("up {}\n", parts.join(", "))
}

/// The time of day, how long, who, and the load: the first line of `top`, too.
pub fn line(up: i64) -> String {
    let clock = Moment::new(now().sec, 0, &Zone::local()).format(b"%H:%M:%S");
    let days = match up / 86_400 {
        0 => String::new(),
        1 => "1 day, ".to_owned(),
        n => format!("{n} days, "),
    };
    let (hours, minutes) = (up / 3600 % 24, up / 60 % 60);
    let time = if hours > 0 { format!("{hours:2}:{minutes:02}") } else { format!("{minutes} min") };
    let [one, five, fifteen] = proc::load();
    let clock = String::from_utf8_lossy(&clock);
    format!("{clock} up {days}{time},  0 user,  load average: {one:.2}, {five:.2}, {fifteen:.2}")
}
