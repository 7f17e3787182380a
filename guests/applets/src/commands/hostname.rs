use crate::options::{Long, NO, Options, REQ};
use crate::{Args, Outcome, proc, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: hostname [OPTION]
Print the name of this host, as /etc/hostname has it.

  -a, --alias             its other names in /etc/hosts
  -A, --all-fqdns         its names by its addresses: it has none
  -d, --domain            what is behind the first dot of the long name
  -f, --fqdn, --long      the long name
  -i, --ip-address        the address of the name in /etc/hosts
  -I, --all-ip-addresses  its addresses: it has none
  -s, --short             the name up to its first dot
  -h, -?, --help          print this help
  -V, --version           print the version

The name cannot be changed (hostname NAME, -b, --boot, -F, --file), and there is
no NIS (-y, --yp, --nis).
";

const LONG: &[Long] = &[
    ("alias", NO, 'a'),
    ("all-fqdns", NO, 'A'),
    ("all-ip-addresses", NO, 'I'),
    ("boot", NO, 'b'),
    ("domain", NO, 'd'),
    ("file", REQ, 'F'),
    ("fqdn", NO, 'f'),
    ("ip-address", NO, 'i'),
    ("long", NO, 'f'),
    ("nis", NO, 'y'),
    ("short", NO, 's'),
    ("yp", NO, 'y'),
];

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "aAbdfF:hiIsVy?", LONG);
    let (mut what, mut set) = ('n', false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'h' | '?' => return Err(options.help()),
            'V' => return Err(options.version()),
            'b' | 'F' => set = true,
            letter => what = letter,
        }
    }
    if set || !options.operands().is_empty() {
        return Err(report::die(1, "you must be root to change the host name"));
    }
    let name = super::uname::host_name();
    let hosts = String::from_utf8_lossy(&proc::file("/etc/hosts").unwrap_or_default()).into_owned();
    // Its line among the hosts: the address, the long name, others.
    let line = hosts.lines().find_map(|line| {
        let words: Vec<&str> = line.split('#').next()?.split_whitespace().collect();
        words.iter().skip(1).any(|word| *word == name).then_some(words)
    });
    let long = line.as_ref().map_or(name.as_str(), |words| words[1]);
    let text = match what {
        's' => name.split('.').next().unwrap_or_default().to_owned(),
        'a' => line.map_or_else(String::new, |words| words[2..].join(" ")),
        'A' | 'I' => String::new(),
        'd' => match long.split_once('.') {
            Some((_, domain)) => domain.to_owned(),
            // Not even a newline.
            None => return Ok(0),
        },
        'f' => long.to_owned(),
        'i' => match line {
            Some(words) => words[0].to_owned(),
            None => return Err(report::die(1, "Name or service not known")),
        },
        'y' => "hostname: Local domain name not set".to_owned(),
        _ => name,
    };
    let mut out = Out::stdout();
    out.write(format!("{text}\n").as_bytes());
    report::finish(&mut out, u8::from(what == 'y'))
}
