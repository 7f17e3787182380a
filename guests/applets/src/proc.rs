//! What `/proc` tells, in Linux's format: processes, memory, times, mounts. The kernel of the session provides the files.

use crate::{Exit, report};
use capsule_sys::{Errno, OpenFlags, open, read_dir, read_to_end, stat};

/// Ticks of a second in `/proc/PID/stat`.
pub const TICKS: u64 = 100;
/// Bytes of a page there.
pub const PAGE: u64 = 4096;

pub struct Process {
    pub pid: i32,
    pub ppid: i32,
    pub pgrp: i32,
    pub session: i32,
    pub tty: i32,
    pub tty_group: i32,
    pub state: char,
    pub comm: Vec<u8>,
    /// User and system time, in ticks.
    pub user: u64,
    pub system: u64,
    /// Ticks between the start of the system and that of the process.
    pub start: u64,
    pub priority: i64,
    pub nice: i64,
    pub threads: u64,
    /// Bytes.
    pub virtual_size: u64,
    pub resident: u64,
    pub uid: u32,
    pub gid: u32,
    /// Empty for what has none.
    pub argv: Vec<Vec<u8>>,
    /// What `ps` draws in front of the command to show whose child it is.
    pub branch: Vec<u8>,
}

pub fn file(path: &str) -> Result<Vec<u8>, Errno> {
    open(path.as_bytes(), OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|fd| read_to_end(fd.raw()))
}

/// Every process, in the order of their numbers.
pub fn all() -> Result<Vec<Process>, Exit> {
    let dir = read_dir(b"/proc");
    let dir = dir.map_err(|e| report::die(1, format_args!("cannot read /proc, which lists the processes: {e}")))?;
    let numbers = dir.flatten().filter_map(|e| std::str::from_utf8(&e.name).ok()?.parse::<i32>().ok());
    let mut numbers: Vec<i32> = numbers.collect();
    numbers.sort_unstable();
    // One that ends meanwhile is not listed.
    Ok(numbers.into_iter().filter_map(process).collect())
}

fn process(pid: i32) -> Option<Process> {
    let text = file(&format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold some itself.
    let open = text.iter().position(|&b| b == b'(')?;
    let close = text.iter().rposition(|&b| b == b')')?;
    let rest = std::str::from_utf8(text.get(close + 1..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // Fields are counted from the state, which is the third.
    let number = |n: usize| fields.get(n - 3).and_then(|f| f.parse::<i64>().ok()).unwrap_or(0);
    let owner = stat(format!("/proc/{pid}").as_bytes()).ok()?;
    let command = file(&format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let command = command.strip_suffix(b"\0").unwrap_or(&command);
    let argv = if command.is_empty() { Vec::new() } else { command.split(|&b| b == 0).map(<[u8]>::to_vec).collect() };
    Some(Process {
        pid,
        ppid: number(4) as i32,
        pgrp: number(5) as i32,
        session: number(6) as i32,
        tty: number(7) as i32,
        tty_group: number(8) as i32,
        state: fields.first()?.chars().next()?,
        comm: text.get(open + 1..close)?.to_vec(),
        user: number(14) as u64,
        system: number(15) as u64,
        priority: number(18),
        nice: number(19),
        threads: number(20) as u64,
        start: number(22) as u64,
        virtual_size: number(23) as u64,
        resident: number(24) as u64 * PAGE,
        uid: owner.uid,
        gid: owner.gid,
        argv,
        branch: Vec::new(),
    })
}

impl Process {
    pub fn seconds(&self) -> u64 {
        (self.user + self.system) / TICKS
    }

    /// The command with its arguments, or its name in brackets.
    pub fn command(&self) -> Vec<u8> {
        if self.argv.is_empty() {
            return [b"[", self.comm.as_slice(), b"]"].concat();
        }
        let joined = self.argv.join(&b' ');
        joined.iter().map(|b| if *b < 32 { b'?' } else { *b }).collect()
    }

    /// The terminal's name as `ps` shows it.
    pub fn terminal(&self) -> String {
        let (major, minor) = (self.tty >> 8 & 0xfff, (self.tty & 0xff) | (self.tty >> 12 & 0xfff00));
        match major {
            0 => "?".to_owned(),
            4 => format!("tty{minor}"),
            136..=143 => format!("pts/{minor}"),
            _ => format!("{major}:{minor}"),
        }
    }
}

/// Seconds since the start of the system.
pub fn uptime() -> Result<f64, Exit> {
    let text = file("/proc/uptime").map_err(|e| report::die(1, format_args!("cannot read /proc/uptime: {e}")))?;
    let text = String::from_utf8_lossy(&text);
    Ok(text.split_ascii_whitespace().next().and_then(|w| w.parse().ok()).unwrap_or(0.0))
}

/// The three averages, zeros where nobody counts.
pub fn load() -> [f64; 3] {
    let text = file("/proc/loadavg").unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let mut words = text.split_ascii_whitespace().map(|w| w.parse().unwrap_or(0.0));
    std::array::from_fn(|_| words.next().unwrap_or(0.0))
}

/// Numbers of `/proc/meminfo`, in bytes.
pub struct Memory(Vec<(String, u64)>);

impl Memory {
    pub fn read() -> Result<Memory, Exit> {
        let text = file("/proc/meminfo").map_err(|e| report::die(1, format_args!("cannot read /proc/meminfo: {e}")))?;
        let text = String::from_utf8_lossy(&text);
        let line = |line: &str| {
            let (name, value) = line.split_once(':')?;
            let kib: u64 = value.split_ascii_whitespace().next()?.parse().ok()?;
            Some((name.to_owned(), kib * 1024))
        };
        Ok(Memory(text.lines().filter_map(line).collect()))
    }

    pub fn get(&self, name: &str) -> u64 {
        self.0.iter().find(|entry| entry.0 == name).map_or(0, |entry| entry.1)
    }

    pub fn cache(&self) -> u64 {
        self.get("Cached") + self.get("SReclaimable")
    }

    pub fn available(&self) -> u64 {
        match self.get("MemAvailable") {
            0 => self.get("MemFree"),
            n => n,
        }
    }
}

pub struct Mount {
    pub source: Vec<u8>,
    pub target: Vec<u8>,
    pub kind: Vec<u8>,
    /// `rw` and the like, separated by commas.
    pub options: Vec<u8>,
}

/// What is mounted where; the root alone where no list is.
pub fn mounts() -> Vec<Mount> {
    let text = file("/proc/mounts").or_else(|_| file("/etc/mtab")).unwrap_or_default();
    let mut all: Vec<Mount> = text
        .split(|&b| b == b'\n')
        .filter_map(|line| {
            let mut words = line.split(|&b| b == b' ').map(unescape);
            let (source, target, kind) = (words.next()?, words.next()?, words.next()?);
            Some(Mount { source, target, kind, options: words.next()? })
        })
        .collect();
    if all.is_empty() {
        let (source, target, kind) = (b"session".to_vec(), b"/".to_vec(), b"capsule".to_vec());
        all.push(Mount { source, target, kind, options: b"rw".to_vec() });
    }
    all
}

/// Blanks are written in octal.
fn unescape(word: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::new(), word);
    while let Some((&byte, tail)) = rest.split_first() {
        let digits = tail.get(..3).filter(|d| byte == b'\\' && d.iter().all(|b| (b'0'..b'8').contains(b)));
        match digits {
            Some(d) => {
                plain.push(d.iter().fold(0u8, |v, b| v.wrapping_mul(8).wrapping_add(b - b'0')));
                rest = &tail[3..];
            }
            None => {
                plain.push(byte);
                rest = tail;
            }
        }
    }
    plain
}
