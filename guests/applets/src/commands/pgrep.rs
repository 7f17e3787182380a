//! `pgrep`, and `pkill`, which sends a signal to what `pgrep` would list.

use crate::options::{Long, NO, Options, REQ, only};
use crate::proc::{self, Process};
use crate::quote::locale;
use crate::users::Names;
use crate::{Args, Exit, Outcome, report};
use capsule_regex::{Regex, Syntax};
use capsule_sys::{Errno, Out, Signal, getpid, kill};

pub const HELP: &str = "\
Usage: pgrep [OPTION]... PATTERN
List the numbers of processes whose name matches the extended regular
expression PATTERN.

  -a, --list-full          list the number and the command line
  -c, --count              count the processes instead
  -d, --delimiter=STRING   what separates numbers (default a newline)
  -f, --full               match the whole command line
  -g, --pgroup=LIST        only of these process groups (0: ours)
  -i, --ignore-case        upper and lower case are alike
  -l, --list-name          list the number and the name
  -n, --newest             only the newest
  -o, --oldest             only the oldest
  -P, --parent=LIST        only children of these
  -r, --runstates=LETTERS  only in these states
  -s, --session=LIST       only of these sessions
  -u, --euid=LIST, -U, --uid=LIST  only of these users
  -v, --inverse            all others
  -w, --lightweight        threads, too (there are none)
  -x, --exact              the name must match as a whole
      --help        print this help
      --version     print the version

The status is 0 when something matched, 1 when nothing did, 2 for wrong usage,
3 for trouble.
";

pub mod pkill {
    use crate::{Args, Outcome};

    pub const HELP: &str = "\
Usage: pkill [-SIGNAL] [OPTION]... PATTERN
Send a signal to the processes whose name matches the extended regular
expression PATTERN.

  -SIGNAL, --signal=SIGNAL  by name or number (default TERM)
  -c, --count              count the processes that were signalled
  -e, --echo               tell which were
  -f, --full               match the whole command line
  -g, --pgroup=LIST        only of these process groups (0: ours)
  -i, --ignore-case        upper and lower case are alike
  -n, --newest             only the newest
  -o, --oldest             only the oldest
  -P, --parent=LIST        only children of these
  -r, --runstates=LETTERS  only in these states
  -s, --session=LIST       only of these sessions
  -u, --euid=LIST, -U, --uid=LIST  only of these users
  -v, --inverse            all others
  -x, --exact              the name must match as a whole
      --help        print this help
      --version     print the version

The status is 0 when something matched, 1 when nothing did, 2 for wrong usage,
3 for trouble.
";

    pub fn main(args: &Args) -> Outcome {
        super::command(args, true)
    }
}

pub fn main(args: &Args) -> Outcome {
    command(args, false)
}

const SIGNAL: char = only(0);
const INVERSE: char = only(1);
const LONG: &[Long] = &[
    ("list-full", NO, 'a'),
    ("count", NO, 'c'),
    ("delimiter", REQ, 'd'),
    ("echo", NO, 'e'),
    ("full", NO, 'f'),
    ("pgroup", REQ, 'g'),
    ("ignore-case", NO, 'i'),
    ("list-name", NO, 'l'),
    ("newest", NO, 'n'),
    ("oldest", NO, 'o'),
    ("parent", REQ, 'P'),
    ("runstates", REQ, 'r'),
    ("session", REQ, 's'),
    ("euid", REQ, 'u'),
    ("uid", REQ, 'U'),
    ("inverse", NO, INVERSE),
    ("lightweight", NO, 'w'),
    ("exact", NO, 'x'),
    ("signal", REQ, SIGNAL),
];

const USAGE: u8 = 2;
const TROUBLE: u8 = 3;

#[derive(Default)]
struct Wanted<'a> {
    pattern: Option<Regex>,
    exact: bool,
    full: bool,
    invert: bool,
    groups: Option<Vec<i32>>,
    parents: Option<Vec<i32>>,
    sessions: Option<Vec<i32>>,
    users: Option<Vec<u32>>,
    states: Option<&'a [u8]>,
}

fn command(args: &Args, kills: bool) -> Outcome {
    // `-9` and `-HUP` in front are signals.
    let mut signal = i32::from(Signal::TERM.number());
    let mut argv = args.argv.clone();
    if kills
        && let Some(name) = argv.get(1).and_then(|a| a.strip_prefix(b"-"))
        && let Some(found) = super::kill::signal(name).filter(|_| name.len() > 1 || name[0].is_ascii_digit())
    {
        signal = found;
        argv.remove(1);
    }
    let args = Args::new(argv);
    let short = if kills { "ceflg:inoP:r:s:u:U:vwx" } else { "acd:fg:ilnoP:r:s:u:U:vwx" };
    let mut options = Options::new(&args, short, LONG).status(USAGE);
    let mut w = Wanted::default();
    let (mut delimiter, mut count, mut names, mut full_names, mut fold) =
        (b"\n".as_slice(), false, false, false, false);
    let (mut newest, mut oldest, mut echo) = (false, false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => full_names = true,
            'c' => count = true,
            'd' => delimiter = opt.value(),
            'e' => echo = true,
            'f' => w.full = true,
            'g' => w.groups = Some(numbers(opt.value(), "process group", capsule_sys::getpgid(0).ok())?),
            'i' => fold = true,
            'l' => names = true,
            'n' => newest = true,
            'o' => oldest = true,
            'P' => w.parents = Some(numbers(opt.value(), "process", None)?),
            'r' => w.states = Some(opt.value()),
            's' => w.sessions = Some(numbers(opt.value(), "session", capsule_sys::getsid(0).ok())?),
            'u' | 'U' => {
                let id = |name: &[u8]| {
                    Names::users().id(name).ok_or_else(|| {
                        report::usage(USAGE, format_args!("invalid user name: {}", String::from_utf8_lossy(name)))
                    })
                };
                w.users = Some(opt.value().split(|&b| b == b',').map(id).collect::<Result<_, _>>()?);
            }
            'v' | INVERSE => w.invert = true,
            // Processes have one thread each, of the same number.
            'w' => {}
            'x' => w.exact = true,
            _ => {
                let unknown = || report::usage(USAGE, format_args!("unknown signal {}", locale(opt.value())));
                signal = super::kill::signal(opt.value()).ok_or_else(unknown)?;
            }
        }
    }
    let operands = options.operands();
    let criteria =
        w.groups.is_some() || w.parents.is_some() || w.sessions.is_some() || w.users.is_some() || w.states.is_some();
    match operands.as_slice() {
        [] if !criteria => return Err(report::usage(USAGE, "no matching criteria specified")),
        [] => {}
        [pattern] => {
            let options = capsule_regex::Options { syntax: Syntax::Extended, ignore_case: fold, ..Default::default() };
            let regex = Regex::new(pattern, &options).map_err(|e| report::die(USAGE, e.to_string()))?;
            w.pattern = Some(regex);
        }
        _ => return Err(report::usage(USAGE, "only one pattern can be provided")),
    }
    let mut found: Vec<Process> = proc::all().map_err(|_| Exit(TROUBLE))?;
    found.retain(|p| p.pid != getpid() && w.matches(p));
    if newest {
        found = found.into_iter().max_by_key(|p| (p.start, p.pid)).into_iter().collect();
    }
    if oldest {
        found = found.into_iter().min_by_key(|p| (p.start, p.pid)).into_iter().collect();
    }
    let mut out = Out::stdout();
    if kills {
        return signal_all(&found, signal, echo, count, &mut out);
    }
    if count {
        out.write(format!("{}\n", found.len()).as_bytes());
    } else {
        for (i, p) in found.iter().enumerate() {
            if i > 0 {
                out.write(delimiter);
            }
            out.write(p.pid.to_string().as_bytes());
            if full_names || names {
                out.byte(b' ');
                out.write(&if full_names { p.command() } else { p.comm.clone() });
            }
        }
        if !found.is_empty() {
            out.byte(b'\n');
        }
    }
    report::finish(&mut out, u8::from(found.is_empty()))
}

fn signal_all(found: &[Process], signal: i32, echo: bool, count: bool, out: &mut Out) -> Outcome {
    let mut reached = 0;
    for p in found {
        match kill(p.pid, signal) {
            Ok(()) => {
                reached += 1;
                if echo {
                    out.write(&[p.comm.as_slice(), format!(" killed (pid {})\n", p.pid).as_bytes()].concat());
                }
            }
            // It ended meanwhile.
            Err(Errno::ESRCH) => {}
            Err(e) => report::error(format_args!("killing pid {} failed: {e}", p.pid)),
        }
    }
    if count {
        out.write(format!("{reached}\n").as_bytes());
    }
    report::finish(out, u8::from(reached == 0))
}

/// A list of numbers; 0 is our own.
fn numbers(list: &[u8], what: &str, own: Option<i32>) -> Result<Vec<i32>, Exit> {
    let one = |word: &[u8]| {
        let number = std::str::from_utf8(word).ok().and_then(|t| t.parse().ok());
        let number =
            number.ok_or_else(|| report::usage(USAGE, format_args!("not a number: {} ({what})", locale(word))))?;
        Ok(if number == 0 { own.unwrap_or(0) } else { number })
    };
    list.split(|&b| b == b',').map(one).collect()
}

impl Wanted<'_> {
    fn matches(&self, p: &Process) -> bool {
        let among = |list: &Option<Vec<i32>>, value: i32| list.as_ref().is_none_or(|l| l.contains(&value));
        let text = || if self.full && !p.argv.is_empty() { p.command() } else { p.comm.clone() };
        let named = self.pattern.as_ref().is_none_or(|regex| {
            let text = text();
            match regex.find_at(&text, 0, false) {
                None => false,
                Some(range) => !self.exact || range == (0, text.len()),
            }
        });
        let all = named
            && among(&self.groups, p.pgrp)
            && among(&self.parents, p.ppid)
            && among(&self.sessions, p.session)
            && self.users.as_ref().is_none_or(|u| u.contains(&p.uid))
            && self.states.is_none_or(|s| s.contains(&(p.state as u8)));
        all != self.invert
    }
}
