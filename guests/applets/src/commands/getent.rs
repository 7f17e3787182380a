//! `getent`: entries of the databases that are files in `/etc`.

use crate::options::{Long, NO, Options, REQ, only};
use crate::quote::raw;
use crate::{Args, Exit, Outcome, proc, report, users};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: getent [OPTION]... DATABASE [KEY]...
Print the entries of a database that have these keys, or all of them.

  -A, --no-addrconfig    all addresses (there is no other way here)
  -i, --no-idn           names as they are (there is no other way here)
  -s, --service=CONFIG   from there: only 'files' finds something
  -?, --help             print this help
      --usage            print this help
  -V, --version          print the version

DATABASE is one of ahosts ahostsv4 ahostsv6 aliases ethers group gshadow hosts
initgroups netgroup networks passwd protocols rpc services shadow, each a file
in /etc. The status is 1 for an unknown database or wrong usage, 2 when a key is
not found, 3 when the database cannot be listed.
";

const USAGE: char = only(0);
const LONG: &[Long] = &[("no-addrconfig", NO, 'A'), ("no-idn", NO, 'i'), ("service", REQ, 's'), ("usage", NO, USAGE)];

const NOT_FOUND: u8 = 2;
const NO_LIST: u8 = 3;

/// How the lines of a file are read, and found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Fields between colons; the first is the name, and the third may be a number.
    Colons {
        numbered: bool,
    },
    /// An address, then names.
    Hosts {
        every_kind: bool,
        v6: bool,
    },
    /// A name, a number (with `/PROTOCOL` for services), other names.
    Numbered {
        column: usize,
        slash: bool,
    },
    Groups,
    /// Nothing is kept here, and nothing can be listed.
    Nothing,
    Aliases,
}

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::GraveUsage);
    let mut options = Options::new(args, "Ais:?V", LONG).status(64);
    let mut files = true;
    while let Some(opt) = options.next()? {
        match opt.letter {
            '?' | USAGE => return Err(options.help()),
            'V' => return Err(options.version()),
            's' => {
                // `DATABASE:SERVICES`, or services for all.
                let text = opt.text();
                let services = text.rsplit(':').next().unwrap_or_default();
                files = services.split_whitespace().any(|service| service == "files");
            }
            _ => {}
        }
    }
    let operands = options.operands();
    let Some((database, keys)) = operands.split_first() else {
        report::error("wrong number of arguments");
        return hint();
    };
    let kind = match *database {
        b"passwd" | b"group" => Kind::Colons { numbered: true },
        b"shadow" | b"gshadow" => Kind::Colons { numbered: false },
        b"hosts" => Kind::Hosts { every_kind: false, v6: false },
        b"ahosts" | b"ahostsv4" => Kind::Hosts { every_kind: true, v6: false },
        b"ahostsv6" => Kind::Hosts { every_kind: true, v6: true },
        b"services" => Kind::Numbered { column: 22, slash: true },
        b"protocols" | b"networks" => Kind::Numbered { column: 22, slash: false },
        b"rpc" => Kind::Numbered { column: 16, slash: false },
        b"initgroups" => Kind::Groups,
        b"ethers" | b"netgroup" => Kind::Nothing,
        b"aliases" => Kind::Aliases,
        unknown => {
            report::plain(&raw(&[b"Unknown database: ", unknown, b"\n"].concat()));
            return hint();
        }
    };
    if keys.is_empty() && matches!(kind, Kind::Groups | Kind::Nothing) {
        let name = String::from_utf8_lossy(database);
        report::plain(&format!("Enumeration not supported on {name}\n"));
        return Err(Exit(NO_LIST));
    }
    let mut out = Out::stdout();
    if kind == Kind::Groups {
        for user in keys {
            let known = users::memberships(&mut users::Names::users(), &mut users::Names::groups(), user);
            let groups = known.map(|(_, groups)| groups[1..].to_vec()).filter(|_| files).unwrap_or_default();
            let list: String = groups.iter().map(|id| format!(" {id}")).collect();
            out.write(format!("{:<21}{list}\n", String::from_utf8_lossy(user)).as_bytes());
        }
        return report::finish(&mut out, 0);
    }
    let name = match *database {
        name if name.starts_with(b"ahosts") => "hosts".into(),
        name => String::from_utf8_lossy(name),
    };
    let text = if files && kind != Kind::Nothing { proc::file(&format!("/etc/{name}")) } else { Ok(Vec::new()) };
    let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
    let entries: Vec<Entry> = text.lines().filter_map(|line| Entry::read(line, kind)).collect();
    let mut status = 0;
    if keys.is_empty() {
        entries.iter().for_each(|entry| out.write(entry.all.as_bytes()));
    }
    for key in keys {
        let key = String::from_utf8_lossy(key);
        match entries.iter().find(|entry| entry.has(&key, kind)) {
            Some(entry) => out.write(entry.one.as_bytes()),
            None => status = NOT_FOUND,
        }
    }
    report::finish(&mut out, status)
}

/// Where help is, which this command tells on standard output.
fn hint() -> Outcome {
    let (name, mut out) = (report::program(), Out::stdout());
    out.write(format!("Try `{name} --help' or `{name} --usage' for more information.\n").as_bytes());
    report::finish(&mut out, 1)
}

struct Entry {
    names: Vec<String>,
    number: String,
    /// What is shown when it is asked for, and in a list of all.
    one: String,
    all: String,
}

impl Entry {
    fn read(line: &str, kind: Kind) -> Option<Entry> {
        if let Kind::Colons { numbered } = kind {
            let mut fields = line.split(':');
            let name = fields.next().filter(|name| !name.is_empty())?;
            let number = fields.nth(1).filter(|_| numbered).unwrap_or_default().to_owned();
            let shown = format!("{line}\n");
            return Some(Entry { names: vec![name.to_owned()], number, one: shown.clone(), all: shown });
        }
        let line = line.split('#').next().unwrap_or_default();
        if kind == Kind::Aliases {
            let (name, to) = line.split_once(':')?;
            let shown = format!("{name}: {}\n", to.trim());
            return Some(Entry { names: vec![name.to_owned()], number: String::new(), one: shown.clone(), all: shown });
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (first, second) = (words.next()?, words.next()?);
        let rest: Vec<String> = words.collect();
        match kind {
            Kind::Numbered { column, .. } => {
                let others: String = rest.iter().map(|name| format!(" {name}")).collect();
                let shown = match column {
                    16 => format!("{first:<15} {second}{}{others}\n", if rest.is_empty() { "" } else { " " }),
                    width => format!("{first:<0$}{second}{others}\n", width),
                };
                let names = [vec![first], rest].concat();
                Some(Entry { names, number: second, one: shown.clone(), all: shown })
            }
            Kind::Hosts { every_kind, v6 } => {
                let names = [vec![second], rest].concat();
                let all = format!("{first:<15} {}\n", names.join(" "));
                let mut one = all.clone();
                if every_kind {
                    // An address of the old kind is shown as one of the new kind.
                    let address = if v6 && !first.contains(':') { format!("::ffff:{first}") } else { first.clone() };
                    one = format!("{address:<15} STREAM {}\n{address:<15} DGRAM  \n{address:<15} RAW    \n", names[0]);
                }
                Some(Entry { names, number: first, one, all })
            }
            _ => None,
        }
    }

    fn has(&self, key: &str, kind: Kind) -> bool {
        match kind {
            Kind::Numbered { slash: true, .. } => {
                let (name, protocol) = key.split_once('/').map_or((key, None), |(name, p)| (name, Some(p)));
                let (number, own) = self.number.split_once('/').unwrap_or((&self.number, ""));
                protocol.is_none_or(|p| p == own) && (number == name || self.names.iter().any(|n| n == name))
            }
            _ => self.number == key && !key.is_empty() || self.names.iter().any(|name| name == key),
        }
    }
}
