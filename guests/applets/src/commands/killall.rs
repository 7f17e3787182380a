use crate::input::base_name;
use crate::options::{Long, NO, Options, REQ};
use crate::proc::{self, Process, TICKS};
use crate::quote::raw;
use crate::users::Names;
use crate::{Args, Exit, Outcome, report};
use capsule_regex::{Regex, Syntax};
use capsule_sys::{Errno, In, Out, STDERR, STDIN, Signal, getpid, kill, sleep, stat, write_all};

pub const HELP: &str = "\
Usage: killall [OPTION]... [--] NAME...
  or:  killall -l
Send a signal to all processes that run these commands.

  -SIGNAL, -s, --signal=SIGNAL  by name or number (default TERM)
  -e, --exact            names are compared as a whole (always so here)
  -g, --process-group    the group of each process, once
  -i, --interactive      ask before each
  -I, --ignore-case      upper and lower case are alike
  -l, --list             list the names of the signals
  -o, --older-than=TIME  only those that are older (5s, 4m, 3h, 2d, 1w, 1M, 1y)
  -y, --younger-than=TIME  only those that are younger
  -q, --quiet            do not complain that there are none
  -r, --regexp           NAME is an extended regular expression
  -u, --user=USER        only those of this user
  -v, --verbose          tell which were reached
  -w, --wait             wait until they have ended
      --help             print this help
  -V, --version          print the version
";

const LONG: &[Long] = &[
    ("signal", REQ, 's'),
    ("exact", NO, 'e'),
    ("process-group", NO, 'g'),
    ("interactive", NO, 'i'),
    ("ignore-case", NO, 'I'),
    ("list", NO, 'l'),
    ("older-than", REQ, 'o'),
    ("younger-than", REQ, 'y'),
    ("quiet", NO, 'q'),
    ("regexp", NO, 'r'),
    ("user", REQ, 'u'),
    ("verbose", NO, 'v'),
    ("wait", NO, 'w'),
];

/// How often `-w` looks, in nanoseconds.
const LOOK: u64 = 100_000_000;

#[derive(Default)]
struct Wanted {
    fold: bool,
    regexp: bool,
    user: Option<u32>,
    older: Option<f64>,
    younger: Option<f64>,
}

pub fn main(args: &Args) -> Outcome {
    // `-9` and `-HUP` are signals.
    let mut signal = i32::from(Signal::TERM.number());
    let mut argv = args.argv.clone();
    let named = argv.iter().skip(1).take_while(|word| *word != b"--").position(|word| {
        let name = word.strip_prefix(b"-").unwrap_or_default();
        (name.len() > 1 || name.first().is_some_and(u8::is_ascii_digit)) && super::kill::signal(name).is_some()
    });
    if let Some(at) = named {
        let word = argv.remove(at + 1);
        signal = super::kill::signal(&word[1..]).unwrap_or(signal);
    }
    let args = Args::new(argv);
    let mut options = Options::new(&args, "s:egiIlo:y:qru:vwV", LONG);
    let mut w = Wanted::default();
    let (mut groups, mut ask, mut quiet, mut verbose, mut waits) = (false, false, false, false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            's' => {
                let Some(known) = super::kill::signal(opt.value()) else {
                    report::plain(&format!("{}: unknown signal; killall -l lists signals.\n", opt.text()));
                    return Ok(1);
                };
                signal = known;
            }
            'g' => groups = true,
            'i' => ask = true,
            'I' => w.fold = true,
            'l' => return list(),
            'o' => w.older = Some(age(&opt.text())?),
            'y' => w.younger = Some(age(&opt.text())?),
            'q' => quiet = true,
            'r' => w.regexp = true,
            'u' => {
                let unknown = || said(format!("Cannot find user {}\n", opt.text()));
                w.user = Some(Names::users().id(opt.value()).ok_or_else(unknown)?);
            }
            'v' => verbose = true,
            'w' => waits = true,
            'V' => return Err(options.version()),
            _ => {}
        }
    }
    let names = options.operands();
    if names.is_empty() && w.user.is_none() {
        return Err(report::usage(1, "no process selection criteria"));
    }
    let processes = proc::all()?;
    let up = proc::uptime()?;
    let (mut reached, mut failed, mut done) = (Vec::new(), false, Vec::new());
    let patterns: Vec<Option<&[u8]>> =
        if names.is_empty() { vec![None] } else { names.into_iter().map(Some).collect() };
    for name in patterns {
        if let Some(name) = name.filter(|name| name.contains(&b'/') && !w.regexp)
            && let Err(e) = stat(name)
        {
            report::plain(&raw(&[name, format!(": {e}\n").as_bytes()].concat()));
            return Ok(1);
        }
        let matches = w.matcher(name)?;
        let found: Vec<&Process> =
            processes.iter().filter(|p| p.pid != getpid() && matches(p) && w.suits(p, up)).collect();
        let mut any = false;
        for p in found {
            let target = if groups { -p.pgrp } else { p.pid };
            // -1 would be everybody.
            if target == -1 || done.contains(&target) || (ask && !confirmed(p)) {
                continue;
            }
            done.push(target);
            any = true;
            let comm = String::from_utf8_lossy(&p.comm);
            match kill(target, signal) {
                Ok(()) => {
                    reached.push(p.pid);
                    if verbose {
                        report::plain(&format!("Killed {comm}({}) with signal {signal}\n", p.pid));
                    }
                }
                // It ended meanwhile.
                Err(Errno::ESRCH) => {}
                Err(e) => {
                    failed = true;
                    report::plain(&format!("{comm}({}): {e}\n", p.pid));
                }
            }
        }
        if let Some(name) = name.filter(|_| !any) {
            failed = true;
            if !quiet {
                report::plain(&raw(&[name, b": no process found\n"].concat()));
            }
        }
    }
    while waits && reached.iter().any(|pid| kill(*pid, 0).is_ok()) {
        let _ = sleep(LOOK);
        // Who has ended and was not waited for is not running.
        let living = proc::all()?;
        reached.retain(|pid| living.iter().any(|p| p.pid == *pid && p.state != 'Z'));
    }
    Ok(u8::from(failed || done.is_empty()))
}

type Matcher<'a> = Box<dyn Fn(&Process) -> bool + 'a>;

impl Wanted {
    fn matcher<'a>(&'a self, name: Option<&'a [u8]>) -> Result<Matcher<'a>, Exit> {
        let Some(name) = name else { return Ok(Box::new(|_| true)) };
        if self.regexp {
            let options =
                capsule_regex::Options { syntax: Syntax::Extended, ignore_case: self.fold, ..Default::default() };
            let bad = |_| report::die(1, format_args!("Bad regular expression: {}", String::from_utf8_lossy(name)));
            let regex = Regex::new(name, &options).map_err(bad)?;
            return Ok(Box::new(move |p| regex.find_at(&p.comm, 0, false).is_some()));
        }
        let same = move |a: &[u8]| if self.fold { a.eq_ignore_ascii_case(name) } else { a == name };
        Ok(Box::new(move |p| {
            let first = p.argv.first().map(Vec::as_slice).unwrap_or_default();
            // The kernel keeps the beginning of a long name only.
            same(&p.comm) || if name.contains(&b'/') { same(first) } else { same(base_name(first)) && first.len() > 15 }
        }))
    }

    fn suits(&self, p: &Process, up: f64) -> bool {
        let age = up - p.start as f64 / TICKS as f64;
        self.user.is_none_or(|user| user == p.uid)
            && self.older.is_none_or(|least| age >= least)
            && self.younger.is_none_or(|most| age <= most)
    }
}

/// Seconds of `5s`, `4m`, `3h`, `2d`, `1w`, `1M`, `1y`.
fn age(text: &str) -> Result<f64, Exit> {
    let wrong = || said("Invalid time format\n".to_owned());
    let unit = text.chars().last().ok_or_else(wrong)?;
    let each = match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        'd' => 86_400.0,
        'w' => 604_800.0,
        'M' => 2_419_200.0,
        'y' => 31_536_000.0,
        _ => return Err(wrong()),
    };
    let number: f64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| wrong())?;
    Ok(number * each)
}

/// The end, after a message without a name in front.
fn said(text: String) -> Exit {
    report::plain(&text);
    Exit(1)
}

fn confirmed(p: &Process) -> bool {
    let question = format!("Kill {}({}) ? (y/N) ", String::from_utf8_lossy(&p.comm), p.pid);
    let _ = write_all(STDERR, question.as_bytes());
    let mut answer = Vec::new();
    let _ = In::new(STDIN).read_until(b'\n', &mut answer);
    matches!(answer.first(), Some(b'y' | b'Y'))
}

/// The names of the signals, in rows.
pub fn list() -> Outcome {
    let mut out = Out::stdout();
    let mut column = 0;
    for signal in Signal::ALL {
        let name = super::kill::shown(*signal);
        if column + name.len() + 1 > 80 {
            out.byte(b'\n');
            column = 0;
        }
        if column > 0 {
            out.byte(b' ');
        }
        column += name.len() + 1;
        out.write(name.as_bytes());
    }
    out.byte(b'\n');
    report::finish(&mut out, 0)
}
