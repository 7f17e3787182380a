use crate::{Args, Exit, Outcome, proc, report};
use capsule_sys::{Out, getids, getpid};

mod columns;
mod forest;
use columns::View;
use forest::Forest;

pub const HELP: &str = "\
Usage: ps [OPTION]...
List the processes of the session.

Which: -e, -A, ax  all    a  those with a terminal    -p, -q, p LIST  by number
       -d  all but leaders of sessions    -a  of those, the ones with a terminal
       -C LIST  by name   -u, U LIST  by user   --ppid LIST   -g, -s LIST  by session
       -N, --deselect  the others   (default: those of the same user and terminal)
How:   -f  full   -F  more   -l, l  long (-y: without flags)   -j, j  jobs
       u  for users   -o, o, --format LIST  these columns   -O LIST  these, too
       c  names, not command lines   --sort, k [+-]KEY,...   --no-headers, h
       -w  wide (always)
       f, --forest  as a tree   -H  children indented
Columns: pid ppid pgid pgrp sid sess tty tt tname time cputime etime etimes start stime
       start_time lstart bsdstart bsdtime pcpu %cpu c pmem %mem rss rssize vsz vsize stat s state user euser
       ruser uid euid group gid comm ucmd args cmd command ni nice pri nlwp thcount
A column may have a width and a title: -o pid:9, -o pid=PROC; -o pid= has none.
      --help        print this help
      --version     print the version
";

#[derive(Default)]
struct Selection {
    all: bool,
    /// `a` alone: any user's; `x` alone: with or without a terminal.
    any_user: bool,
    any_terminal: bool,
    /// All but the leaders of sessions; with a terminal.
    no_leaders: Option<bool>,
    pids: Vec<i32>,
    parents: Vec<i32>,
    sessions: Vec<i32>,
    names: Vec<Vec<u8>>,
    users: Vec<u32>,
    listed: bool,
    invert: bool,
}

pub fn main(args: &Args) -> Outcome {
    let mut s = Selection::default();
    let (mut view, mut columns, mut sort, mut headers) = (View::Short, Vec::new(), Vec::new(), true);
    let (mut forest, mut without_flags, mut names_only) = (None, false, false);
    let words = args.rest();
    let mut at = 0;
    let value = |attached: &[u8], at: &mut usize, name: &str| -> Result<Vec<u8>, Exit> {
        if !attached.is_empty() {
            return Ok(attached.to_vec());
        }
        *at += 1;
        words.get(*at).cloned().ok_or_else(|| wrong(&format!("list of values must follow {name}")))
    };
    while at < words.len() {
        let word = &words[at];
        if let Some(long) = word.strip_prefix(b"--") {
            let (name, given) = match long.iter().position(|&b| b == b'=') {
                Some(i) => (&long[..i], &long[i + 1..]),
                None => (long, &[][..]),
            };
            match name {
                b"help" | b"version" => {
                    crate::options::only_operands(args, 1)?;
                }
                b"no-headers" | b"no-heading" | b"no-headings" => headers = false,
                b"forest" => forest = Some(Forest::Branches),
                b"deselect" => s.invert = true,
                b"sort" => sort = columns::sort_keys(&value(given, &mut at, "--sort")?)?,
                b"format" => columns::parse(&value(given, &mut at, "--format")?, &mut columns)?,
                b"pid" => numbers(&value(given, &mut at, "--pid")?, &mut s.pids, &mut s.listed)?,
                b"ppid" => numbers(&value(given, &mut at, "--ppid")?, &mut s.parents, &mut s.listed)?,
                b"sid" => numbers(&value(given, &mut at, "--sid")?, &mut s.sessions, &mut s.listed)?,
                b"user" | b"User" => s.add_users(&value(given, &mut at, "--user")?)?,
                _ => return Err(wrong(&format!("unknown gnu long option {}", String::from_utf8_lossy(word)))),
            }
            at += 1;
            continue;
        }
        let (dash, letters) = match word.strip_prefix(b"-") {
            Some(letters) => (true, letters),
            None => (false, word.as_slice()),
        };
        // Digits alone are process numbers.
        if letters.first().is_some_and(u8::is_ascii_digit) {
            numbers(letters, &mut s.pids, &mut s.listed)?;
            at += 1;
            continue;
        }
        let mut i = 0;
        while i < letters.len() {
            let rest = &letters[i + 1..];
            let mut listed = false;
            match (dash, letters[i]) {
                (true, b'e' | b'A') => s.all = true,
                (true, b'a') => s.no_leaders = Some(true),
                (true, b'd') => s.no_leaders = Some(false),
                (true, b'f') => view = View::Full,
                (true, b'F') => view = View::ExtraFull,
                (true, b'l') => view = View::Long,
                (false, b'l') => view = View::BsdLong,
                (true, b'j') => view = View::Jobs,
                (false, b'j') => view = View::BsdJobs,
                (true, b'y') => without_flags = true,
                (false, b'c') => names_only = true,
                (true, b'H') => forest = Some(Forest::Indented),
                // Lines are as long as they are.
                (_, b'w') => {}
                (true, b'N') => s.invert = true,
                (false, b'a') => s.any_user = true,
                (false, b'x') => s.any_terminal = true,
                (false, b'u') => view = View::User,
                (false, b'f') => forest = Some(Forest::Branches),
                (false, b'h') => headers = false,
                (_, b'o') => {
                    columns::parse(&value(rest, &mut at, "-o")?, &mut columns)?;
                    listed = true;
                }
                (_, b'O') => {
                    let more = value(rest, &mut at, "-O")?;
                    columns::parse(&[b"pid,", more.as_slice(), b",s,tname,time,command"].concat(), &mut columns)?;
                    listed = true;
                }
                (_, b'p' | b'q') => {
                    numbers(&value(rest, &mut at, "-p")?, &mut s.pids, &mut s.listed)?;
                    listed = true;
                }
                (true, b'g' | b's') => {
                    numbers(&value(rest, &mut at, "-s")?, &mut s.sessions, &mut s.listed)?;
                    listed = true;
                }
                (true, b'C') => {
                    let list = value(rest, &mut at, "-C")?;
                    s.names.extend(list.split(|b| matches!(b, b',' | b' ')).map(<[u8]>::to_vec));
                    s.listed = true;
                    listed = true;
                }
                (true, b'u' | b'U') | (false, b'U') => {
                    let list = value(rest, &mut at, "-u")?;
                    s.add_users(&list)?;
                    listed = true;
                }
                (false, b'k') => {
                    sort = columns::sort_keys(&value(rest, &mut at, "k")?)?;
                    listed = true;
                }
                (_, letter) => {
                    let (kind, mark) = if dash { ("SysV option", "-") } else { ("option (BSD syntax)", "") };
                    return Err(wrong(&format!("unsupported {kind} {mark}{}", letter as char)));
                }
            }
            if listed {
                break;
            }
            i += 1;
        }
        at += 1;
    }
    let processes = proc::all()?;
    let chosen = s.choose(processes);
    if without_flags && view == View::Long {
        view = View::LongWithoutFlags;
    }
    let mut columns = if columns.is_empty() { view.columns() } else { columns };
    if names_only {
        columns::names_only(&mut columns);
    }
    let mut out = Out::stdout();
    let any = !chosen.is_empty();
    columns::table(chosen, &columns, &sort, forest, headers, &mut out)?;
    report::finish(&mut out, u8::from(!any))
}

/// A message in the words of `ps`, and where help is.
fn wrong(text: &str) -> Exit {
    report::plain(&format!("error: {text}\n\nUsage:\n ps [options]\n\n Try 'ps --help' for additional help text.\n"));
    Exit(1)
}

fn numbers(list: &[u8], to: &mut Vec<i32>, listed: &mut bool) -> Result<(), Exit> {
    *listed = true;
    for word in list.split(|b| matches!(b, b',' | b' ')).filter(|w| !w.is_empty()) {
        let number = std::str::from_utf8(word).ok().and_then(|t| t.parse().ok());
        to.push(number.ok_or_else(|| wrong("process ID list syntax error"))?);
    }
    Ok(())
}

impl Selection {
    fn add_users(&mut self, list: &[u8]) -> Result<(), Exit> {
        self.listed = true;
        for word in list.split(|b| matches!(b, b',' | b' ')).filter(|w| !w.is_empty()) {
            let id = crate::users::Names::users().id(word);
            self.users.push(id.ok_or_else(|| wrong("user name does not exist"))?);
        }
        Ok(())
    }

    fn choose(&self, processes: Vec<proc::Process>) -> Vec<proc::Process> {
        let (uid, _) = getids().unwrap_or_default();
        let terminal = processes.iter().find(|p| p.pid == getpid()).map_or(0, |p| p.tty);
        let wanted = |p: &proc::Process| {
            if self.all || (self.any_user && self.any_terminal) {
                return true;
            }
            if self.no_leaders.is_some_and(|terminal| p.pid != p.session && (!terminal || p.tty != 0)) {
                return true;
            }
            if self.listed || self.no_leaders.is_some() {
                return self.pids.contains(&p.pid)
                    || self.parents.contains(&p.ppid)
                    || self.sessions.contains(&p.session)
                    || self.users.contains(&p.uid)
                    || self.names.contains(&p.comm);
            }
            if self.any_user {
                return p.tty != 0;
            }
            p.uid == uid && (self.any_terminal || p.tty == terminal)
        };
        processes.into_iter().filter(|p| wanted(p) != self.invert).collect()
    }
}
