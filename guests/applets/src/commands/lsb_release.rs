use crate::options::{Long, NO, Options};
use crate::{Args, Outcome, proc, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: lsb_release [OPTION]...
Tell which system this is, as /etc/os-release has it.

  -i, --id           the name of the distribution
  -d, --description  its whole name
  -r, --release      its version
  -c, --codename     the name of the version
  -a, --all          all of these
  -s, --short        without what they are called
  -v, --version      which modules of the standard there are: none
  -h, --help         print this help
";

const LONG: &[Long] = &[
    ("id", NO, 'i'),
    ("description", NO, 'd'),
    ("release", NO, 'r'),
    ("codename", NO, 'c'),
    ("all", NO, 'a'),
    ("short", NO, 's'),
    ("version", NO, 'v'),
];

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::None);
    let mut options = Options::new(args, "idrcasvh", LONG).status(2);
    let (mut wanted, mut short) = (Vec::new(), false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => wanted.extend(['i', 'd', 'r', 'c']),
            's' => short = true,
            'h' => return Err(options.help()),
            other => wanted.push(other),
        }
    }
    let text = String::from_utf8_lossy(&proc::file("/etc/os-release").unwrap_or_default()).into_owned();
    let value = |name: &str| {
        let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        found.map_or_else(|| "n/a".to_owned(), |value| value.trim_matches(['"', '\'']).to_owned())
    };
    let fields = [
        ('i', "Distributor ID", value("NAME")),
        ('d', "Description", value("PRETTY_NAME")),
        ('r', "Release", value("VERSION_ID")),
        ('c', "Codename", value("VERSION_CODENAME")),
    ];
    let mut out = Out::stdout();
    for (_, title, value) in fields.iter().filter(|field| wanted.contains(&field.0)) {
        let line = if short { format!("{value}\n") } else { format!("{title}:\t{value}\n") };
        out.write(line.as_bytes());
    }
    report::finish(&mut out, 0)
}
