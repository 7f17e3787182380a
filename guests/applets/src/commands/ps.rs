use crate::{Args, Exit, Outcome, proc, report};
use capsule_sys::{Out, getids, getpid};

mod columns;
mod forest;
use columns::View;
use forest::Forest;

pub const HELP: &str = "\
Usage: ps [OPTION]...
List the processes of the session.

Which: -e, -A, ax  all    a  those with a terminal    -p, p LIST  by number
       -C LIST  by name   -u, U LIST  by user   --ppid LIST   -g, -s LIST  by session
       -N, --deselect  the others   (default: those of the same user and terminal)
How:   -f  full   -l  long   -j  jobs   u  for users   -o, o LIST  these columns
       --sort [+-]KEY,...   --no-headers, h   -w  wide (always)
       f, --forest  as a tree   -H  children indented
Columns: pid ppid pgid pgrp sid sess tty tt tname time cputime etime etimes start stime
       start_time lstart pcpu %cpu c pmem %mem rss rssize vsz vsize stat s state user euser
       ruser uid euid group gid comm ucmd args cmd command ni nice pri nlwp thcount
A column may have a title of its own: -o pid=PROC; -o pid= shows none.
      --help        print this help
      --version     print the version
";

#[derive(Default)]
struct Selection {
    all: bool,
    /// `a` alone: any user's; `x` alone: with or without a terminal.
    any_user: bool,
    any_terminal: bool,
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
    let mut forest = None;
    let words = args.rest();
    let mut at = 0;
    let value = |attached: &[u8], at: &mut usize, name: &str| -> Result<Vec<u8>, Exit> {
        if !attached.is_empty() {
            return Ok(attached.to_vec());
        }
        *at += 1;
        words.get(*at).cloned().ok_or_else(|| report::die(1, format_args!("error: {name} needs a list")))
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
                b"headers" | b"cumulative" => {}
                b"deselect" => s.invert = true,
                b"sort" => sort = columns::sort_keys(&value(given, &mut at, "--sort")?)?,
                b"format" => columns::parse(&value(given, &mut at, "--format")?, &mut columns)?,
                b"pid" => numbers(&value(given, &mut at, "--pid")?, &mut s.pids, &mut s.listed)?,
                b"ppid" => numbers(&value(given, &mut at, "--ppid")?, &mut s.parents, &mut s.listed)?,
                b"sid" => numbers(&value(given, &mut at, "--sid")?, &mut s.sessions, &mut s.listed)?,
                b"user" | b"User" => s.add_users(&value(given, &mut at, "--user")?)?,
                _ => {
                    let shown = String::from_utf8_lossy(word);
                    return Err(report::usage(1, format_args!("error: unsupported option {shown}")));
                }
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
                (true, b'a' | b'd') => s.all = true,
                (true, b'f') => view = View::Full,
                (true, b'F') => view = View::Full,
                (_, b'l') => view = View::Long,
                (_, b'j') => view = View::Jobs,
                (true, b'H') => forest = Some(Forest::Indented),
                (_, b'w' | b'y' | b'c' | b'S') => {}
                (true, b'N') => s.invert = true,
                (false, b'a') => s.any_user = true,
                (false, b'x') => s.any_terminal = true,
                (false, b'u') => view = View::User,
                (false, b'v') => view = View::User,
                (false, b'f') => forest = Some(Forest::Branches),
                (false, b'e' | b'n') => {}
                (false, b'h') => headers = false,
                (_, b'o' | b'O') => {
                    columns::parse(&value(rest, &mut at, "-o")?, &mut columns)?;
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
                    let mark = if dash { "-" } else { "" };
                    let text = format!("error: unsupported option {mark}{}", letter as char);
                    return Err(report::usage(1, text));
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
    let columns = if columns.is_empty() { view.columns() } else { columns };
    let mut out = Out::stdout();
    let any = !chosen.is_empty();
    columns::table(chosen, &columns, &sort, forest, headers, &mut out)?;
    report::finish(&mut out, u8::from(!any))
}

fn numbers(list: &[u8], to: &mut Vec<i32>, listed: &mut bool) -> Result<(), Exit> {
    *listed = true;
    for word in list.split(|b| matches!(b, b',' | b' ')).filter(|w| !w.is_empty()) {
        let number = std::str::from_utf8(word).ok().and_then(|t| t.parse().ok());
        to.push(number.ok_or_else(|| report::usage(1, "error: process ID list syntax error"))?);
    }
    Ok(())
}

impl Selection {
    fn add_users(&mut self, list: &[u8]) -> Result<(), Exit> {
        self.listed = true;
        for word in list.split(|b| matches!(b, b',' | b' ')).filter(|w| !w.is_empty()) {
            let id = crate::users::Names::users().id(word);
            self.users.push(id.ok_or_else(|| report::usage(1, "error: user name does not exist"))?);
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
            if self.listed {
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
