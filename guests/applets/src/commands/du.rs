use crate::calendar::{Moment, Zone};
use crate::human::Unit;
use crate::options::{Long, NO, OPT, Options, REQ, only, word};
use crate::quote::{self, locale, quoted};
use crate::walk::{Follow, Met, Walk};
use crate::{Args, Exit, Outcome, glob, number, report};
use capsule_sys::{Errno, FileType, Out, Stat, Time, getenv};
use std::collections::HashSet;

pub const HELP: &str = "\
Usage: du [OPTION]... [FILE]...
  or:  du [OPTION]... --files0-from=F
Summarize disk usage of the set of FILEs, recursively for directories.

  -0, --null            NUL and no newline behind each line
  -a, --all             a line for files as well
      --apparent-size   print apparent sizes, rather than disk usage
  -B, --block-size=SIZE  scale sizes by SIZE before printing them
  -b, --bytes           exact sizes in bytes
  -c, --total           a line with the sum at the end
  -D, -H, --dereference-args  dereference only symlinks that are operands
  -d, --max-depth=N     print the total for a directory only if it is N or
                          fewer levels below the command line argument
      --files0-from=F   summarize disk usage of the NUL-terminated file
                          names specified in file F
  -h, --human-readable  sizes such as 1K, 234M and 2G
      --inodes          count files, not blocks
  -k                    blocks of 1024 bytes
  -L, --dereference     follow symbolic links
  -l, --count-links     count a hard link each time it is met
  -m                    blocks of 1 MiB
  -P, --no-dereference  don't follow any symbolic links (the default)
  -S, --separate-dirs   without what directories below hold
      --si              -h with powers of 1000
  -s, --summarize       one line for each operand
  -t, --threshold=SIZE  leave out what is smaller than SIZE
                          (or larger, if SIZE is negative)
      --time[=WORD]     show the newest modification time below; WORD may be
                          atime, access, use, ctime, status
      --time-style=STYLE  full-iso, long-iso, iso, or +FORMAT
  -X, --exclude-from=FILE  leave out names like a pattern of FILE
      --exclude=PATTERN  leave out names like PATTERN
  -x, --one-file-system  do not leave the file system
      --help        print this help
      --version     print the version
";

const APPARENT: char = only(0);
const FILES0: char = only(1);
const INODES: char = only(2);
const SI: char = only(3);
const TIME: char = only(4);
const TIME_STYLE: char = only(5);
const EXCLUDE: char = only(6);
const BLOCK_SIZE: char = only(7);
const THRESHOLD: char = only(8);

const LONG: &[Long] = &[
    ("all", NO, 'a'),
    ("apparent-size", NO, APPARENT),
    ("block-size", REQ, BLOCK_SIZE),
    ("bytes", NO, 'b'),
    ("count-links", NO, 'l'),
    ("dereference", NO, 'L'),
    ("dereference-args", NO, 'D'),
    ("exclude", REQ, EXCLUDE),
    ("exclude-from", REQ, 'X'),
    ("files0-from", REQ, FILES0),
    ("human-readable", NO, 'h'),
    ("inodes", NO, INODES),
    ("max-depth", REQ, 'd'),
    ("no-dereference", NO, 'P'),
    ("null", NO, '0'),
    ("one-file-system", NO, 'x'),
    ("separate-dirs", NO, 'S'),
    ("si", NO, SI),
    ("summarize", NO, 's'),
    ("threshold", REQ, THRESHOLD),
    ("time", OPT, TIME),
    ("time-style", REQ, TIME_STYLE),
    ("total", NO, 'c'),
];

#[derive(Clone, Copy, PartialEq)]
enum Stamp {
    Modified,
    Accessed,
    Changed,
}

struct Du {
    all: bool,
    apparent: bool,
    count_links: bool,
    depth: usize,
    end: u8,
    exclude: Vec<Vec<u8>>,
    follow: Follow,
    inodes: bool,
    one_file_system: bool,
    separate: bool,
    stamp: Option<Stamp>,
    style: Vec<u8>,
    threshold: i64,
    unit: Unit,
    zone: Zone,
    seen: HashSet<(u64, u64)>,
    /// A file may be met twice though it has one name: by several operands, or by links.
    remembers_all: bool,
    good: bool,
    out: Out,
}

/// What is counted.
#[derive(Clone, Copy, Default)]
struct Usage {
    bytes: u64,
    inodes: u64,
    newest: Option<Time>,
}

impl Usage {
    fn add(&mut self, other: Usage) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.inodes += other.inodes;
        self.newest = self.newest.max(other.newest);
    }
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "abd:0chHklmst:xB:DLPSX:", LONG);
    let mut du = Du {
        all: false,
        apparent: false,
        count_links: false,
        depth: usize::MAX,
        end: b'\n',
        exclude: Vec::new(),
        follow: Follow::Never,
        inodes: false,
        one_file_system: false,
        separate: false,
        stamp: None,
        style: Vec::new(),
        threshold: 0,
        unit: default_unit(),
        zone: Zone::local(),
        seen: HashSet::new(),
        remembers_all: false,
        good: true,
        out: Out::stdout(),
    };
    let (mut summarize, mut max_depth, mut total, mut list, mut style) = (false, None, false, None, None);
    while let Some(opt) = options.next()? {
        match opt.letter {
            '0' => du.end = 0,
            'a' => du.all = true,
            APPARENT => du.apparent = true,
            'B' => du.unit = block_size(opt.value(), "-B")?,
            BLOCK_SIZE => du.unit = block_size(opt.value(), "--block-size")?,
            'b' => (du.apparent, du.unit) = (true, Unit::Bytes(1)),
            'c' => total = true,
            'D' | 'H' => du.follow = Follow::Operands,
            'd' => match number::unsigned_as_c(opt.value(), b"") {
                Ok(n) => max_depth = Some(usize::try_from(n).unwrap_or(usize::MAX)),
                Err(_) => {
                    return Err(report::usage(1, format_args!("invalid maximum depth {}", locale(opt.value()))));
                }
            },
            FILES0 => list = Some(opt.value()),
            'h' => du.unit = Unit::Auto(1024),
            INODES => du.inodes = true,
            'k' => du.unit = Unit::Bytes(1024),
            'L' => du.follow = Follow::Always,
            'l' => du.count_links = true,
            'm' => du.unit = Unit::Bytes(1 << 20),
            'P' => du.follow = Follow::Never,
            'S' => du.separate = true,
            SI => du.unit = Unit::Auto(1000),
            's' => summarize = true,
            't' => du.threshold = threshold(opt.value(), "-t")?,
            THRESHOLD => du.threshold = threshold(opt.value(), "--threshold")?,
            TIME => {
                let words = [
                    ("atime", Stamp::Accessed),
                    ("access", Stamp::Accessed),
                    ("use", Stamp::Accessed),
                    ("ctime", Stamp::Changed),
                    ("status", Stamp::Changed),
                ];
                du.stamp = Some(opt.value.map_or(Ok(Stamp::Modified), |v| word(v, "--time", &words, 1))?);
            }
            TIME_STYLE => style = Some(opt.value().to_vec()),
            'X' => du.exclude_from(opt.value())?,
            EXCLUDE => du.exclude.push(opt.value().to_vec()),
            _ => du.one_file_system = true,
        }
    }
    let operands = options.operands();
    if du.all && summarize {
        return Err(report::usage(1, "cannot both summarize and show all entries"));
    }
    if summarize {
        match max_depth {
            Some(0) => report::error("warning: summarizing is the same as using --max-depth=0"),
            Some(n) => {
                return Err(report::usage(1, format_args!("warning: summarizing conflicts with --max-depth={n}")));
            }
            None => {}
        }
        max_depth = Some(0);
    }
    du.depth = max_depth.unwrap_or(usize::MAX);
    if du.inodes && du.apparent {
        report::error("warning: options --apparent-size and -b are ineffective with --inodes");
    }
    if du.stamp.is_some() {
        du.style = time_style(style.or_else(|| getenv(b"TIME_STYLE")))?;
    }
    let mut names: Vec<Vec<u8>> = operands.iter().map(|o| o.to_vec()).collect();
    if let Some(list) = list {
        names = du.listed(list, &operands)?;
    } else if names.is_empty() {
        names.push(b".".to_vec());
    }
    du.remembers_all = names.len() > 1 || du.follow == Follow::Always;
    let mut sum = Usage::default();
    for name in &names {
        sum.add(du.operand(name));
    }
    if total {
        du.line(sum, b"total");
    }
    let status = u8::from(!du.good);
    report::finish(&mut du.out, status)
}

/// `DU_BLOCK_SIZE` and its relatives, else 1024.
fn default_unit() -> Unit {
    for name in [b"DU_BLOCK_SIZE".as_slice(), b"BLOCK_SIZE", b"BLOCKSIZE"] {
        if let Some(value) = getenv(name) {
            return Unit::parse(&value).unwrap_or(Unit::Bytes(1024));
        }
    }
    Unit::Bytes(if getenv(b"POSIXLY_CORRECT").is_some() { 512 } else { 1024 })
}

pub fn block_size(text: &[u8], option: &str) -> Result<Unit, Exit> {
    Unit::parse(text).map_err(|bad| number::refuse(1, option, text, bad))
}

fn threshold(text: &[u8], option: &str) -> Result<i64, Exit> {
    let (negative, body) = match text.strip_prefix(b"-") {
        Some(body) => (true, body),
        None => (false, text),
    };
    let value = number::unsigned_as_c(body, b"kKmMGTPEZY0");
    match value.and_then(|n| i64::try_from(n).map_err(|_| number::Bad::Overflow)) {
        Ok(0) if negative => Err(report::die(1, format_args!("invalid --threshold argument '-0'"))),
        Ok(n) => Ok(if negative { -n } else { n }),
        Err(bad) => Err(number::refuse(1, option, text, bad)),
    }
}

fn time_style(style: Option<Vec<u8>>) -> Result<Vec<u8>, Exit> {
    let style = style.unwrap_or_else(|| b"long-iso".to_vec());
    let style = style.strip_prefix(b"posix-").unwrap_or(&style);
    if let Some(format) = style.strip_prefix(b"+") {
        return Ok(format.to_vec());
    }
    let words: [(&str, &[u8]); 3] =
        [("full-iso", b"%Y-%m-%d %H:%M:%S.%N %z"), ("long-iso", b"%Y-%m-%d %H:%M"), ("iso", b"%Y-%m-%d")];
    // `locale` in the environment is for ls.
    if style == b"locale" {
        return Ok(words[1].1.to_vec());
    }
    word(style, "time style", &words, 1).map(<[u8]>::to_vec)
}

impl Du {
    fn exclude_from(&mut self, file: &[u8]) -> Result<(), Exit> {
        let mut text = Vec::new();
        crate::input::Input::open(file)
            .and_then(|mut i| i.stream.read_to_end(&mut text))
            .map_err(|e| report::usage(1, format_args!("{}: {e}", quote::name(file))))?;
        self.exclude.extend(text.split(|&b| b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec));
        Ok(())
    }

    fn listed(&mut self, list: &[u8], operands: &[&[u8]]) -> Result<Vec<Vec<u8>>, Exit> {
        if let Some(extra) = operands.first() {
            report::error(format_args!("extra operand {}", locale(extra)));
            let text = "file operands cannot be combined with --files0-from\n";
            let _ = capsule_sys::write_all(capsule_sys::STDERR, text.as_bytes());
            return Err(report::try_help(1));
        }
        let mut text = Vec::new();
        crate::input::Input::open(list).and_then(|mut i| i.stream.read_to_end(&mut text)).map_err(|e| match e {
            Errno::EISDIR => report::die(1, format_args!("{}: read error: {e}", quote::name(list))),
            e => report::die(1, format_args!("cannot open {} for reading: {e}", quoted(list))),
        })?;
        let mut names = Vec::new();
        if text.is_empty() {
            return Ok(names);
        }
        let text = text.strip_suffix(b"\0").unwrap_or(&text);
        for (i, name) in text.split(|&b| b == 0).enumerate() {
            if name.is_empty() {
                report::error(format_args!("{}:{}: invalid zero-length file name", quote::name(list), i + 1));
                self.good = false;
            } else if list == b"-" && name == b"-" {
                report::error("when reading file names from stdin, no file name of '-' allowed");
                self.good = false;
            } else {
                names.push(name.to_vec());
            }
        }
        Ok(names)
    }

    fn complain(&mut self, message: String) {
        let _ = self.out.flush();
        report::error(message);
        self.good = false;
    }

    fn excluded(&self, path: &[u8]) -> bool {
        // A pattern matches the whole path or what is behind any slash.
        self.exclude.iter().any(|pattern| {
            glob::matches(pattern, path, false)
                || memchr::memchr_iter(b'/', path).any(|at| glob::matches(pattern, &path[at + 1..], false))
        })
    }

    /// What one node counts; none when it was counted before.
    fn usage(&mut self, s: &Stat) -> Option<Usage> {
        let again = self.remembers_all || s.nlink > 1 || s.kind == FileType::Directory;
        if !self.count_links && again && !self.seen.insert((s.dev, s.ino)) {
            return None;
        }
        let apparent = matches!(s.kind, FileType::Regular | FileType::Symlink | FileType::Directory);
        let bytes = match self.apparent {
            true => {
                if apparent {
                    s.size
                } else {
                    0
                }
            }
            false => s.blocks * 512,
        };
        let newest = self.stamp.map(|stamp| match stamp {
            Stamp::Modified => s.mtime,
            Stamp::Accessed => s.atime,
            Stamp::Changed => s.ctime,
        });
        Some(Usage { bytes, inodes: 1, newest })
    }

    fn operand(&mut self, name: &[u8]) -> Usage {
        if name.is_empty() {
            self.complain("invalid zero-length file name".to_owned());
            return Usage::default();
        }
        let mut walk = Walk::new(name, self.follow);
        // For each directory that is open: its own and its files', and that of the directories below.
        let mut open: Vec<(Usage, Usage)> = Vec::new();
        let (mut total, mut device) = (Usage::default(), None);
        while let Some(met) = walk.step() {
            let depth = walk.depth();
            match met {
                Met::Unknown(e) => {
                    // A link to nothing is told without a reason.
                    let link = self.follow == Follow::Always && depth > 0 && e == Errno::ENOENT;
                    let reason = if link { String::new() } else { format!(": {e}") };
                    self.complain(format!("cannot access {}{reason}", quoted(walk.path())));
                }
                Met::Cycle(_) if self.follow == Follow::Never => {}
                Met::Cycle(_) => {}
                Met::Unreadable(_, e) => self.complain(format!("cannot read directory {}: {e}", quoted(walk.path()))),
                Met::Enter(s) => {
                    let first = *device.get_or_insert(s.dev);
                    let usage = if self.excluded(walk.path()) || (self.one_file_system && s.dev != first) {
                        None
                    } else {
                        self.usage(&s)
                    };
                    if usage.is_none() {
                        walk.skip();
                    }
                    // A directory that is left out is left as if it were not there.
                    open.push((usage.unwrap_or(Usage { inodes: u64::MAX, ..Usage::default() }), Usage::default()));
                }
                Met::Leave(_) => {
                    let Some((own, below)) = open.pop() else { continue };
                    if own.inodes == u64::MAX {
                        continue;
                    }
                    let mut all = own;
                    all.add(below);
                    match open.last_mut() {
                        Some(above) => above.1.add(all),
                        None => total = all,
                    }
                    if depth <= self.depth {
                        let path = walk.path().to_vec();
                        self.line(if self.separate { own } else { all }, &path);
                    }
                }
                Met::Node(s) => {
                    if self.excluded(walk.path()) {
                        continue;
                    }
                    let Some(usage) = self.usage(&s) else { continue };
                    match open.last_mut() {
                        Some(above) => above.0.add(usage),
                        None => total = usage,
                    }
                    if (self.all || depth == 0) && depth <= self.depth {
                        let path = walk.path().to_vec();
                        self.line(usage, &path);
                    }
                }
            }
        }
        total
    }

    fn line(&mut self, usage: Usage, name: &[u8]) {
        let value = if self.inodes { usage.inodes } else { usage.bytes };
        let signed = i64::try_from(value).unwrap_or(i64::MAX);
        if (self.threshold < 0 && signed > -self.threshold) || (self.threshold > 0 && signed < self.threshold) {
            return;
        }
        let shown = match self.unit {
            Unit::Bytes(_) | Unit::Named(..) if self.inodes => value.to_string(),
            unit => unit.show(value),
        };
        self.out.write(shown.as_bytes());
        self.out.byte(b'\t');
        if self.stamp.is_some() {
            let time = usage.newest.unwrap_or_default();
            self.out.write(&Moment::new(time.sec, time.nsec, &self.zone).format(&self.style));
            self.out.byte(b'\t');
        }
        self.out.write(name);
        self.out.byte(self.end);
    }
}
