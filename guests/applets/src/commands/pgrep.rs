//! `pgrep`, and `pkill`, which sends a signal to what `pgrep` would list.

use crate::input::Input;
use crate::options::{Long, NO, Options, REQ, only};
use crate::proc::{self, Process};
use crate::quote::raw;
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
  -A, --ignore-ancestors   not those we descend from
  -f, --full               match the whole command line
  -F, --pidfile=FILE       only the process whose number FILE holds
  -g, --pgroup=LIST        only of these process groups (0: ours)
  -G, --group=LIST         only of these groups of users
  -i, --ignore-case        upper and lower case are alike
  -l, --list-name          list the number and the name
  -n, --newest             only the newest
  -o, --oldest             only the oldest
  -O, --older=SECONDS      only those that run longer
  -P, --parent=LIST        only children of these
  -r, --runstates=LETTERS  only in these states
  -s, --session=LIST       only of these sessions
  -t, --terminal=LIST      only of these terminals
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
  -A, --ignore-ancestors   not those we descend from
  -f, --full               match the whole command line
  -F, --pidfile=FILE       only the process whose number FILE holds
  -g, --pgroup=LIST        only of these process groups (0: ours)
  -G, --group=LIST         only of these groups of users
  -i, --ignore-case        upper and lower case are alike
  -n, --newest             only the newest
  -o, --oldest             only the oldest
  -O, --older=SECONDS      only those that run longer
  -P, --parent=LIST        only children of these
  -r, --runstates=LETTERS  only in these states
  -s, --session=LIST       only of these sessions
  -t, --terminal=LIST      only of these terminals
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
/// The first four are of `pgrep` alone, the last is of `pkill` alone.
const LONG: &[Long] = &[
    ("list-full", NO, 'a'),
    ("delimiter", REQ, 'd'),
    ("list-name", NO, 'l'),
    ("lightweight", NO, 'w'),
    ("count", NO, 'c'),
    ("full", NO, 'f'),
    ("pidfile", REQ, 'F'),
    ("group", REQ, 'G'),
    ("ignore-ancestors", NO, 'A'),
    ("older", REQ, 'O'),
    ("terminal", REQ, 't'),
    ("pgroup", REQ, 'g'),
    ("ignore-case", NO, 'i'),
    ("newest", NO, 'n'),
    ("oldest", NO, 'o'),
    ("parent", REQ, 'P'),
    ("runstates", REQ, 'r'),
    ("session", REQ, 's'),
    ("euid", REQ, 'u'),
    ("uid", REQ, 'U'),
    ("inverse", NO, INVERSE),
    ("exact", NO, 'x'),
    ("signal", REQ, SIGNAL),
    ("echo", NO, 'e'),
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
    user_groups: Option<Vec<u32>>,
    terminals: Option<Vec<&'a [u8]>>,
    older: Option<f64>,
    pid: Option<i32>,
    ancestors: Vec<i32>,
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
    let short = if kills { "AcefF:g:G:inoO:P:r:s:t:u:U:vx" } else { "Aacd:fF:g:G:ilnoO:P:r:s:t:u:U:vwx" };
    report::hint(report::Hint::Grave);
    let mut options =
        Options::new(&args, short, if kills { &LONG[4..] } else { &LONG[..LONG.len() - 1] }).status(USAGE);
    report::failure(1);
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
            'A' => w.ancestors.push(capsule_sys::getppid()),
            'F' => w.pid = Some(number_in(opt.value())?),
            'O' => w.older = Some(crate::float::parse(opt.value()).0),
            't' => w.terminals = Some(opt.value().split(|&b| b == b',').collect()),
            'G' => {
                let id = |name: &[u8]| {
                    let unknown = || wrong("invalid group name", name);
                    Names::groups().id(name).ok_or_else(unknown)
                };
                w.user_groups = Some(opt.value().split(|&b| b == b',').map(id).collect::<Result<_, _>>()?);
            }
            'g' => w.groups = Some(numbers(opt.value(), "invalid process group", capsule_sys::getpgid(0).ok())?),
            'i' => fold = true,
            'l' => names = true,
            'n' => newest = true,
            'o' => oldest = true,
            'P' => w.parents = Some(numbers(opt.value(), "not a number", None)?),
            'r' => w.states = Some(opt.value()),
            's' => w.sessions = Some(numbers(opt.value(), "invalid session id", capsule_sys::getsid(0).ok())?),
            'u' | 'U' => {
                let id = |name: &[u8]| Names::users().id(name).ok_or_else(|| wrong("invalid user name", name));
                w.users = Some(opt.value().split(|&b| b == b',').map(id).collect::<Result<_, _>>()?);
            }
            'v' | INVERSE => w.invert = true,
            // Processes have one thread each, of the same number.
            'w' => {}
            'x' => w.exact = true,
            _ => {
                let unknown = || report::usage(USAGE, format_args!("unknown signal '{}'", opt.text()));
                signal = super::kill::signal(opt.value()).ok_or_else(unknown)?;
            }
        }
    }
    let operands = options.operands();
    if newest && oldest {
        return Err(report::usage(USAGE, "-n and -o cannot be used together"));
    }
    let criteria = [&w.groups, &w.parents, &w.sessions].iter().any(|list| list.is_some())
        || w.users.is_some()
        || w.user_groups.is_some()
        || w.states.is_some()
        || w.terminals.is_some()
        || w.older.is_some()
        || w.pid.is_some();
    match operands.as_slice() {
        [] if !criteria => return Err(report::usage(USAGE, "no matching criteria specified")),
        [] => {}
        [pattern] => {
            let options = capsule_regex::Options { syntax: Syntax::Extended, ignore_case: fold, ..Default::default() };
            let regex = Regex::new(pattern, &options);
            let regex = regex.map_err(|e| report::die(USAGE, format_args!("regex error: {e}")))?;
            if pattern.len() > 15 && !w.full && pattern.iter().all(|b| !b"[](){}|*+?.^$\\".contains(b)) {
                let name = report::program();
                report::error(
                    "pattern that searches for process name longer than 15 characters will result in zero matches",
                );
                report::plain(&format!("Try `{name} -f' option to match against the complete command line.\n"));
            }
            w.pattern = Some(regex);
        }
        _ => return Err(report::usage(USAGE, "only one pattern can be provided")),
    }
    let mut found: Vec<Process> = proc::all().map_err(|_| Exit(TROUBLE))?;
    // The parent of the parent, and so on.
    while let Some(last) = w.ancestors.last().copied().filter(|pid| *pid > 1)
        && let Some(parent) = found.iter().find(|p| p.pid == last)
    {
        w.ancestors.push(parent.ppid);
    }
    let up = if w.older.is_some() { proc::uptime()? } else { 0.0 };
    found.retain(|p| p.pid != getpid() && !w.ancestors.contains(&p.pid) && w.matches(p, up));
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

fn wrong(what: &str, word: &[u8]) -> Exit {
    report::error(raw(&[what.as_bytes(), b": ", word].concat()));
    Exit(USAGE)
}

/// The number a file begins with.
fn number_in(file: &[u8]) -> Result<i32, Exit> {
    let mut text = Vec::new();
    let read = Input::open(file).and_then(|mut input| input.stream.read_to_end(&mut text));
    let digits = text.trim_ascii_start().iter().take_while(|b| b.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text.trim_ascii_start()[..digits]).ok().and_then(|digits| digits.parse().ok());
    number.filter(|_| read.is_ok()).ok_or_else(|| report::usage(1, "pidfile not valid"))
}

/// A list of numbers; 0 is our own.
fn numbers(list: &[u8], what: &str, own: Option<i32>) -> Result<Vec<i32>, Exit> {
    let one = |word: &[u8]| {
        let number = std::str::from_utf8(word).ok().and_then(|t| t.parse().ok());
        let number = number.ok_or_else(|| wrong(what, word))?;
        Ok(if number == 0 { own.unwrap_or(0) } else { number })
    };
    list.split(|&b| b == b',').map(one).collect()
}

impl Wanted<'_> {
    fn matches(&self, p: &Process, up: f64) -> bool {
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
            && self.user_groups.as_ref().is_none_or(|g| g.contains(&p.gid))
            && self.terminals.as_ref().is_none_or(|t| t.contains(&p.terminal().as_bytes()))
            && self.older.is_none_or(|seconds| up - p.start as f64 / proc::TICKS as f64 >= seconds)
            && self.pid.is_none_or(|pid| pid == p.pid)
            && self.states.is_none_or(|s| s.contains(&(p.state as u8)));
        all != self.invert
    }
}
