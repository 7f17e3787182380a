//! What is shown of a process, and under which title.

use super::forest::{self, Forest};
use crate::Exit;
use crate::calendar::{Moment, Zone};
use crate::proc::{self, Process, TICKS};
use crate::users::Names;
use capsule_sys::{Out, now};
use std::cmp::Ordering;

#[derive(Clone, Copy, PartialEq)]
pub enum View {
    Short,
    Full,
    ExtraFull,
    Long,
    LongWithoutFlags,
    BsdLong,
    Jobs,
    BsdJobs,
    User,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Pid,
    Ppid,
    Pgid,
    Sid,
    Tty,
    Time,
    BsdTime,
    Etime,
    Etimes,
    Start,
    Lstart,
    Cpu,
    CpuWhole,
    Memory,
    Rss,
    Vsz,
    Pages,
    Stat,
    State,
    User,
    Uid,
    Group,
    Gid,
    Comm,
    Args,
    Nice,
    Priority,
    Threads,
    Flags,
    Processor,
    TerminalGroup,
    Dash,
}

#[derive(Clone, Debug)]
pub struct Column {
    kind: Kind,
    title: String,
    width: usize,
    left: bool,
}

/// Names, titles, widths; numbers stand at the right.
const KNOWN: &[(&str, Kind, &str, usize, bool)] = &[
    ("pid", Kind::Pid, "PID", 5, false),
    ("tgid", Kind::Pid, "TGID", 5, false),
    ("ppid", Kind::Ppid, "PPID", 5, false),
    ("pgid", Kind::Pgid, "PGID", 5, false),
    ("pgrp", Kind::Pgid, "PGRP", 5, false),
    ("sid", Kind::Sid, "SID", 5, false),
    ("sess", Kind::Sid, "SESS", 5, false),
    ("session", Kind::Sid, "SESS", 5, false),
    ("tty", Kind::Tty, "TT", 8, true),
    ("tt", Kind::Tty, "TT", 8, true),
    ("tname", Kind::Tty, "TTY", 8, true),
    ("time", Kind::Time, "TIME", 8, false),
    ("cputime", Kind::Time, "TIME", 8, false),
    ("bsdtime", Kind::BsdTime, "TIME", 6, false),
    ("etime", Kind::Etime, "ELAPSED", 11, false),
    ("etimes", Kind::Etimes, "ELAPSED", 7, false),
    ("start", Kind::Start, "STARTED", 8, false),
    ("start_time", Kind::Start, "START", 5, true),
    ("stime", Kind::Start, "STIME", 5, true),
    ("bsdstart", Kind::Start, "START", 5, true),
    ("lstart", Kind::Lstart, "STARTED", 24, true),
    ("pcpu", Kind::Cpu, "%CPU", 4, false),
    ("%cpu", Kind::Cpu, "%CPU", 4, false),
    ("c", Kind::CpuWhole, "C", 2, false),
    ("pmem", Kind::Memory, "%MEM", 4, false),
    ("%mem", Kind::Memory, "%MEM", 4, false),
    ("rss", Kind::Rss, "RSS", 5, false),
    ("rssize", Kind::Rss, "RSS", 5, false),
    ("rsz", Kind::Rss, "RSZ", 5, false),
    ("vsz", Kind::Vsz, "VSZ", 6, false),
    ("vsize", Kind::Vsz, "VSZ", 6, false),
    ("sz", Kind::Pages, "SZ", 2, false),
    ("stat", Kind::Stat, "STAT", 4, true),
    ("state", Kind::State, "S", 1, true),
    ("s", Kind::State, "S", 1, true),
    ("user", Kind::User, "USER", 8, true),
    ("euser", Kind::User, "EUSER", 8, true),
    ("ruser", Kind::User, "RUSER", 8, true),
    ("uname", Kind::User, "USER", 8, true),
    ("uid", Kind::Uid, "UID", 5, false),
    ("euid", Kind::Uid, "EUID", 5, false),
    ("ruid", Kind::Uid, "RUID", 5, false),
    ("group", Kind::Group, "GROUP", 8, true),
    ("egroup", Kind::Group, "EGROUP", 8, true),
    ("rgroup", Kind::Group, "RGROUP", 8, true),
    ("gid", Kind::Gid, "GID", 5, false),
    ("egid", Kind::Gid, "EGID", 5, false),
    ("comm", Kind::Comm, "COMMAND", 15, true),
    ("ucmd", Kind::Comm, "CMD", 15, true),
    ("ucomm", Kind::Comm, "COMMAND", 15, true),
    ("args", Kind::Args, "COMMAND", 27, true),
    ("cmd", Kind::Args, "CMD", 27, true),
    ("command", Kind::Args, "COMMAND", 27, true),
    ("ni", Kind::Nice, "NI", 3, false),
    ("nice", Kind::Nice, "NI", 3, false),
    ("pri", Kind::Priority, "PRI", 3, false),
    ("nlwp", Kind::Threads, "NLWP", 4, false),
    ("thcount", Kind::Threads, "THCNT", 5, false),
    ("f", Kind::Flags, "F", 1, false),
    ("flags", Kind::Flags, "F", 1, false),
    ("psr", Kind::Processor, "PSR", 3, false),
    ("tpgid", Kind::TerminalGroup, "TPGID", 5, false),
    ("addr", Kind::Dash, "ADDR", 4, true),
    ("wchan", Kind::Dash, "WCHAN", 6, true),
];

fn column(name: &str, title: Option<&str>) -> Option<Column> {
    // `NAME:WIDTH`
    let (name, asked) = match name.split_once(':') {
        Some((name, width)) => (name, Some(width.parse().ok().filter(|width| (1..=MAX_WIDTH).contains(width))?)),
        None => (name, None),
    };
    let (_, kind, usual, width, left) = KNOWN.iter().find(|k| k.0 == name)?;
    let (title, width) = (title.unwrap_or(usual).to_owned(), asked.unwrap_or(*width));
    Some(Column { kind: *kind, title, width, left: *left })
}

/// The widest column that can be asked for.
const MAX_WIDTH: usize = 10_000;

/// Names instead of command lines.
pub fn names_only(columns: &mut [Column]) {
    columns.iter_mut().filter(|column| column.kind == Kind::Args).for_each(|column| column.kind = Kind::Comm);
}

impl View {
    pub fn columns(self) -> Vec<Column> {
        let list: &[(&str, Option<&str>)] = match self {
            View::Short => &[("pid", None), ("tname", None), ("time", None), ("ucmd", None)],
            View::Full => &[
                ("user", Some("UID")),
                ("pid", None),
                ("ppid", None),
                ("c", None),
                ("stime", None),
                ("tname", None),
                ("time", None),
                ("cmd", None),
            ],
            View::ExtraFull => &[
                ("user", Some("UID")),
                ("pid", None),
                ("ppid", None),
                ("c", None),
                ("sz", None),
                ("rss", None),
                ("psr", None),
                ("stime", None),
                ("tname", None),
                ("time", None),
                ("cmd", None),
            ],
            View::LongWithoutFlags => &[
                ("s", None),
                ("uid", None),
                ("pid", None),
                ("ppid", None),
                ("c", None),
                ("pri", None),
                ("ni", None),
                ("rss", None),
                ("sz", None),
                ("wchan", None),
                ("tname", None),
                ("time", None),
                ("ucmd", None),
            ],
            View::BsdLong => &[
                ("f", None),
                ("uid", None),
                ("pid", None),
                ("ppid", None),
                ("pri", None),
                ("ni", None),
                ("vsz", None),
                ("rss", None),
                ("wchan", None),
                ("stat", None),
                ("tname", None),
                ("bsdtime", None),
                ("args", None),
            ],
            View::BsdJobs => &[
                ("ppid", None),
                ("pid", None),
                ("pgid", None),
                ("sid", None),
                ("tname", None),
                ("tpgid", None),
                ("stat", None),
                ("uid", None),
                ("bsdtime", None),
                ("args", None),
            ],
            View::Long => &[
                ("f", None),
                ("s", None),
                ("uid", None),
                ("pid", None),
                ("ppid", None),
                ("c", None),
                ("pri", None),
                ("ni", None),
                ("addr", None),
                ("sz", None),
                ("wchan", None),
                ("tname", None),
                ("time", None),
                ("ucmd", None),
            ],
            View::Jobs => {
                &[("pid", None), ("pgid", None), ("sid", None), ("tname", None), ("time", None), ("ucmd", None)]
            }
            View::User => &[
                ("user", None),
                ("pid", None),
                ("%cpu", None),
                ("%mem", None),
                ("vsz", None),
                ("rss", None),
                ("tname", None),
                ("stat", None),
                ("bsdstart", None),
                ("bsdtime", None),
                ("command", None),
            ],
        };
        list.iter().filter_map(|(name, title)| column(name, *title)).collect()
    }
}

/// `-o`: names with commas or blanks between them; behind `=`, all the rest is a title.
pub fn parse(list: &[u8], to: &mut Vec<Column>) -> Result<(), Exit> {
    let text = String::from_utf8_lossy(list).into_owned();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let end = rest.find([',', ' ', '=']).unwrap_or(rest.len());
        let name = &rest[..end];
        let unknown = || super::wrong(&format!("unknown user-defined format specifier \"{name}\""));
        if let Some(title) = rest[end..].strip_prefix('=') {
            // An empty title ends at the comma; another goes on to the end.
            let (title, behind) = match title.strip_prefix(',') {
                Some(behind) => ("", behind),
                None => (title, ""),
            };
            to.push(column(name, Some(title)).ok_or_else(unknown)?);
            rest = behind;
            continue;
        }
        if !name.is_empty() {
            to.push(column(name, None).ok_or_else(unknown)?);
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    Ok(())
}

pub type SortKey = (Column, bool);

pub fn sort_keys(list: &[u8]) -> Result<Vec<SortKey>, Exit> {
    let text = String::from_utf8_lossy(list).into_owned();
    let key = |word: &str| {
        let (down, name) = match word.strip_prefix('-') {
            Some(name) => (true, name),
            None => (false, word.strip_prefix('+').unwrap_or(word)),
        };
        column(name, None).map(|c| (c, down)).ok_or_else(|| super::wrong("unknown sort specifier"))
    };
    text.split(',').filter(|w| !w.is_empty()).map(key).collect()
}

/// What cells are made from.
struct Facts {
    up: f64,
    memory: u64,
    users: Names,
    groups: Names,
    zone: Zone,
}

pub fn table(
    mut processes: Vec<Process>,
    columns: &[Column],
    sort: &[SortKey],
    forest: Option<Forest>,
    headers: bool,
    out: &mut Out,
) -> Result<(), Exit> {
    let memory = proc::Memory::read().map_or(0, |m| m.get("MemTotal"));
    let mut facts =
        Facts { up: proc::uptime()?, memory, users: Names::users(), groups: Names::groups(), zone: Zone::local() };
    processes.sort_by(|a, b| {
        let keys = sort.iter().map(|(column, down)| {
            let order = facts.order(column.kind, a, b);
            if *down { order.reverse() } else { order }
        });
        keys.fold(Ordering::Equal, Ordering::then)
    });
    if let Some(forest) = forest {
        processes = forest::order(processes, forest);
    }
    let rows: Vec<Vec<Vec<u8>>> =
        processes.iter().map(|p| columns.iter().map(|c| facts.cell(c.kind, p)).collect()).collect();
    let headers = headers && columns.iter().any(|c| !c.title.is_empty());
    let widths: Vec<usize> = columns.iter().map(|c| c.width.max(c.title.len())).collect();
    let mut line = |cells: &mut dyn Iterator<Item = &[u8]>| {
        let mut text = Vec::new();
        for (i, cell) in cells.enumerate() {
            if i > 0 {
                text.push(b' ');
            }
            let blanks = vec![b' '; widths[i].saturating_sub(cell.len())];
            match columns[i].left {
                true if i + 1 == columns.len() => text.extend_from_slice(cell),
                true => text.extend([cell, &blanks].concat()),
                false => text.extend([&blanks, cell].concat()),
            }
        }
        text.push(b'\n');
        out.write(&text);
    };
    if headers {
        line(&mut columns.iter().map(|c| c.title.as_bytes()));
    }
    for row in &rows {
        line(&mut row.iter().map(Vec::as_slice));
    }
    Ok(())
}

impl Facts {
    fn elapsed(&self, p: &Process) -> f64 {
        (self.up - p.start as f64 / TICKS as f64).max(0.0)
    }

    fn cpu(&self, p: &Process) -> f64 {
        let elapsed = self.elapsed(p);
        if elapsed > 0.0 { (p.user + p.system) as f64 / TICKS as f64 * 100.0 / elapsed } else { 0.0 }
    }

    fn order(&self, kind: Kind, a: &Process, b: &Process) -> Ordering {
        match kind {
            Kind::Cpu | Kind::CpuWhole => self.cpu(a).total_cmp(&self.cpu(b)),
            Kind::Memory | Kind::Rss => a.resident.cmp(&b.resident),
            Kind::Vsz | Kind::Pages => a.virtual_size.cmp(&b.virtual_size),
            Kind::Time | Kind::BsdTime => (a.user + a.system).cmp(&(b.user + b.system)),
            Kind::Start | Kind::Lstart => a.start.cmp(&b.start),
            Kind::Etime | Kind::Etimes => b.start.cmp(&a.start),
            Kind::Ppid => a.ppid.cmp(&b.ppid),
            Kind::Pgid => a.pgrp.cmp(&b.pgrp),
            Kind::Sid => a.session.cmp(&b.session),
            Kind::Comm => a.comm.cmp(&b.comm),
            Kind::Args => a.command().cmp(&b.command()),
            Kind::User | Kind::Uid => a.uid.cmp(&b.uid),
            Kind::Nice => a.nice.cmp(&b.nice),
            _ => a.pid.cmp(&b.pid),
        }
    }

    fn cell(&mut self, kind: Kind, p: &Process) -> Vec<u8> {
        let seconds = p.seconds();
        let text = match kind {
            Kind::Pid => p.pid.to_string(),
            Kind::Ppid => p.ppid.to_string(),
            Kind::Pgid => p.pgrp.to_string(),
            Kind::Sid => p.session.to_string(),
            Kind::Tty => p.terminal(),
            Kind::Time => {
                let days = if seconds >= 86_400 { format!("{}-", seconds / 86_400) } else { String::new() };
                format!("{days}{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
            }
            Kind::BsdTime => format!("{}:{:02}", seconds / 60, seconds % 60),
            Kind::Etime => {
                let s = self.elapsed(p) as u64;
                let days = if s >= 86_400 { format!("{}-", s / 86_400) } else { String::new() };
                let hours = if s >= 3600 { format!("{:02}:", s / 3600 % 24) } else { String::new() };
                format!("{days}{hours}{:02}:{:02}", s / 60 % 60, s % 60)
            }
            Kind::Etimes => (self.elapsed(p) as u64).to_string(),
            Kind::Start | Kind::Lstart => {
                let started = now().sec - self.elapsed(p) as i64;
                let moment = Moment::new(started, 0, &self.zone);
                let format: &[u8] = match kind {
                    Kind::Lstart => b"%a %b %e %H:%M:%S %Y",
                    _ if moment.yearday == Moment::new(now().sec, 0, &self.zone).yearday => b"%H:%M",
                    _ => b"%b%d",
                };
                return moment.format(format);
            }
            Kind::Cpu => format!("{:.1}", self.cpu(p)),
            Kind::CpuWhole => format!("{:.0}", self.cpu(p).min(99.0).trunc()),
            Kind::Memory => match self.memory {
                0 => "0.0".to_owned(),
                all => format!("{:.1}", (p.resident as f64 * 1000.0 / all as f64).trunc() / 10.0),
            },
            Kind::Rss => (p.resident / 1024).to_string(),
            Kind::Vsz => (p.virtual_size / 1024).to_string(),
            Kind::Pages => (p.virtual_size / proc::PAGE).to_string(),
            Kind::State => p.state.to_string(),
            Kind::Stat => {
                let mut text = p.state.to_string();
                if p.nice != 0 {
                    text.push(if p.nice < 0 { '<' } else { 'N' });
                }
                for (is, letter) in
                    [(p.session == p.pid, 's'), (p.threads > 1, 'l'), (p.tty != 0 && p.tty_group == p.pgrp, '+')]
                {
                    if is {
                        text.push(letter);
                    }
                }
                text
            }
            Kind::User => self.users.name(p.uid).filter(|n| n.len() <= 8).unwrap_or_else(|| p.uid.to_string()),
            Kind::Uid => p.uid.to_string(),
            Kind::Group => self.groups.name(p.gid).filter(|n| n.len() <= 8).unwrap_or_else(|| p.gid.to_string()),
            Kind::Gid => p.gid.to_string(),
            Kind::Comm => return [p.branch.as_slice(), &p.comm].concat(),
            Kind::Args => return [p.branch.as_slice(), &p.command()].concat(),
            Kind::Nice => p.nice.to_string(),
            Kind::Priority => (60 + p.priority).to_string(),
            Kind::Threads => p.threads.to_string(),
            // There is one.
            Kind::Processor => "0".to_owned(),
            Kind::TerminalGroup => p.tty_group.to_string(),
            Kind::Flags => "0".to_owned(),
            Kind::Dash => "-".to_owned(),
        };
        text.into_bytes()
    }
}
