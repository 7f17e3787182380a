use super::uptime;
use crate::options::Options;
use crate::quote::locale;
use crate::users::Names;
use crate::{Args, Exit, Outcome, number, proc, report};
use capsule_sys::{Clock, Out, clock, getenv, sleep};
use std::collections::BTreeMap;

pub const HELP: &str = "\
Usage: top -b [OPTION]...
Show the session's processes, the busiest first.

  -b           write to a file or pipe; without it nothing is shown
  -n NUMBER    end after so many rounds (default: never)
  -d SECONDS   time between rounds (default 3)
  -c           command lines instead of names
  -i           leave idle processes out
  -p PID,...   only these
  -u USER      only of this user
  -o FIELD     sort by %CPU, %MEM, PID, TIME+ or RES (default %CPU)
  -w[COLUMNS]  cut lines at so many columns (default: COLUMNS, else 512)
  -H           threads: here every process has one
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "bcHin:d:p:u:o:w::", &[]);
    let (mut batch, mut rounds, mut delay, mut commands, mut busy) = (false, u64::MAX, 3.0, false, false);
    let mut width = usize::MAX - 1;
    let (mut pids, mut user, mut by): (Vec<i32>, Option<u32>, String) = (Vec::new(), None, "%CPU".to_owned());
    while let Some(opt) = options.next()? {
        let invalid = || report::die(1, format_args!("bad argument {} for -{}", locale(opt.value()), opt.letter));
        match opt.letter {
            'b' => batch = true,
            'c' => commands = true,
            'i' => busy = true,
            'n' => rounds = number::unsigned(opt.value(), b"").ok().filter(|n| *n > 0).ok_or_else(invalid)?,
            'd' => delay = super::sleep::duration(opt.value()).ok_or_else(invalid)?,
            'p' => {
                for word in opt.value().split(|&b| b == b',') {
                    pids.push(std::str::from_utf8(word).ok().and_then(|t| t.parse().ok()).ok_or_else(invalid)?);
                }
            }
            'u' => user = Some(Names::users().id(opt.value()).ok_or_else(invalid)?),
            'o' => by = opt.text(),
            'w' => width = columns(opt.value.map(<[u8]>::to_vec)).ok_or_else(invalid)?,
            // Each process is its only thread.
            _ => {}
        }
    }
    if !batch {
        return Err(report::die(1, "there is no screen to draw on here; use -b (for example: top -b -n 1)"));
    }
    let mut out = Out::stdout();
    let mut before: BTreeMap<i32, u64> = BTreeMap::new();
    let mut last = None;
    for round in 0..rounds {
        if round > 0 {
            out.byte(b'\n');
        }
        let mut processes = proc::all()?;
        processes.retain(|p| (pids.is_empty() || pids.contains(&p.pid)) && user.is_none_or(|u| p.uid == u));
        let (now, up) = (clock(Clock::Monotonic), proc::uptime()?);
        let share = |p: &proc::Process| {
            let ticks = p.user + p.system;
            // The first round has nothing to compare with: all since the start.
            let (used, seconds) = match (before.get(&p.pid), last) {
                (Some(old), Some(then)) => (ticks - old.min(&ticks), (now - then) as f64 / 1e9),
                _ => (ticks, up - p.start as f64 / proc::TICKS as f64),
            };
            if seconds > 0.0 { used as f64 / proc::TICKS as f64 * 100.0 / seconds } else { 0.0 }
        };
        let mut rows: Vec<(f64, &proc::Process)> = processes.iter().map(|p| (share(p), p)).collect();
        if busy {
            rows.retain(|r| r.0 >= 0.05);
        }
        match by.as_str() {
            "%CPU" => rows.sort_by(|a, b| b.0.total_cmp(&a.0)),
            "%MEM" | "RES" => rows.sort_by_key(|r| std::cmp::Reverse(r.1.resident)),
            "PID" => rows.sort_by_key(|r| std::cmp::Reverse(r.1.pid)),
            "TIME+" | "TIME" => rows.sort_by_key(|r| std::cmp::Reverse(r.1.user + r.1.system)),
            other => return Err(report::die(1, format_args!("unrecognized field name {}", locale(other.as_bytes())))),
        }
        let text = show(&processes, &rows, up as i64, commands)?;
        for line in text.split_inclusive(|&b| b == b'\n') {
            match line.len() > width + 1 {
                true => [&line[..width], b"\n"].iter().for_each(|part| out.write(part)),
                false => out.write(line),
            }
        }
        before = processes.iter().map(|p| (p.pid, p.user + p.system)).collect();
        last = Some(now);
        let _ = out.flush();
        report::writable(&out)?;
        if round + 1 < rounds {
            let _ = sleep((delay * 1e9) as u64);
        }
    }
    report::finish(&mut out, 0)
}

/// What `-w` says, else the width of the terminal, else more than anybody needs.
fn columns(given: Option<Vec<u8>>) -> Option<usize> {
    let text = given.or_else(|| getenv(b"COLUMNS")).unwrap_or_else(|| b"512".to_vec());
    number::unsigned(&text, b"").ok().filter(|n| *n > 0).map(|n| n.min(512) as usize)
}

fn show(all: &[proc::Process], rows: &[(f64, &proc::Process)], up: i64, commands: bool) -> Result<Vec<u8>, Exit> {
    let count = |states: &str| all.iter().filter(|p| states.contains(p.state)).count();
    let m = proc::Memory::read()?;
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let (total, free) = (m.get("MemTotal"), m.get("MemFree"));
    let busy: f64 = rows.iter().map(|r| r.0).sum::<f64>().min(100.0);
    let (swap, swap_free) = (m.get("SwapTotal"), m.get("SwapFree"));
    let mut text = format!("top - {}\n", uptime::line(up));
    text += &format!(
        "Tasks: {:3} total, {:3} running, {:3} sleeping, {:3} stopped, {:3} zombie\n",
        all.len(),
        count("R"),
        count("SDI"),
        count("Tt"),
        count("Z")
    );
    text += &format!(
        "%Cpu(s): {busy:4.1} us,  0.0 sy,  0.0 ni,{:5.1} id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n",
        100.0 - busy
    );
    text += &format!(
        "MiB Mem : {:8.1} total, {:8.1} free, {:8.1} used, {:8.1} buff/cache     \n",
        mib(total),
        mib(free),
        mib(total.saturating_sub(m.available())),
        mib(m.get("Buffers") + m.cache())
    );
    text += &format!(
        "MiB Swap: {:8.1} total, {:8.1} free, {:8.1} used. {:8.1} avail Mem \n\n",
        mib(swap),
        mib(swap_free),
        mib(swap - swap_free.min(swap)),
        mib(m.available())
    );
    text += "  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n";
    let mut text = text.into_bytes();
    let mut users = Names::users();
    for (share, p) in rows {
        let user = users.name(p.uid).unwrap_or_else(|| p.uid.to_string());
        let user: String = user.chars().take(8).collect();
        let memory = if total > 0 { p.resident as f64 * 100.0 / total as f64 } else { 0.0 };
        let hundredths = (p.user + p.system) * 100 / proc::TICKS;
        let time = format!("{}:{:02}.{:02}", hundredths / 6000, hundredths / 100 % 60, hundredths % 100);
        text.extend(
            format!(
                "{:5} {user:<8}  {:2} {:3} {:7} {:6} {:6} {} {share:5.1} {memory:5.1} {time:>9} ",
                p.pid,
                p.priority,
                p.nice,
                p.virtual_size / 1024,
                p.resident / 1024,
                0,
                p.state
            )
            .into_bytes(),
        );
        text.extend(if commands { p.command() } else { p.comm.clone() });
        text.push(b'\n');
    }
    Ok(text)
}
