use crate::calendar::{Moment, Zone};
use crate::input::join;
use crate::options::{Long, NO, Options, REQ, only};
use crate::quote::{self, Style};
use crate::users::Names;
use crate::{Args, Outcome, glob, mode, number, report};
use capsule_sys::{FileType, OpenFlags, Out, STDOUT, Stat, dup2, lstat, now, open, read_dir, readlink, stat};
use std::cmp::Ordering;

pub const HELP: &str = "\
Usage: tree [OPTION]... [DIRECTORY]...
Show the files below directories as a tree.

  -a  all files   -d  directories only   -f  whole paths   -i  no lines
  -l  follow links to directories        -x  stay on the file system
  -L LEVEL  no deeper    -P PATTERN  only these files   -I PATTERN  not these
  --matchdirs  -P holds for directories   --ignore-case   --prune  no empty ones
  --filelimit N   --noreport   -o FILE   --charset X   --fromfile is not known
  -p  protections   -u  owner   -g  group   -s  size   -h  readable size   --si
  -D  date   --timefmt FORMAT   -F  marks as ls -F   --inodes   --du  sums
  -Q  quotes   -N, -q  odd characters   -n  no colors   -C  colors (not drawn)
  -v  by version   -t  by time   -c  by change   -U  unsorted   -r  reverse
  --sort KEY  name, version, size, mtime, ctime   --dirsfirst   --filesfirst
  -J  as JSON
      --help        display this help and exit
      --version     output version information and exit
";

const MATCH_DIRS: char = only(0);
const IGNORE_CASE: char = only(1);
const PRUNE: char = only(2);
const FILE_LIMIT: char = only(3);
const NO_REPORT: char = only(4);
const CHARSET: char = only(5);
const SI: char = only(6);
const TIME_FORMAT: char = only(7);
const INODES: char = only(8);
const DU: char = only(9);
const SORT: char = only(10);
const DIRS_FIRST: char = only(11);
const FILES_FIRST: char = only(12);
const LONG: &[Long] = &[
    ("matchdirs", NO, MATCH_DIRS),
    ("ignore-case", NO, IGNORE_CASE),
    ("prune", NO, PRUNE),
    ("filelimit", REQ, FILE_LIMIT),
    ("noreport", NO, NO_REPORT),
    ("charset", REQ, CHARSET),
    ("si", NO, SI),
    ("timefmt", REQ, TIME_FORMAT),
    ("inodes", NO, INODES),
    ("du", NO, DU),
    ("sort", REQ, SORT),
    ("dirsfirst", NO, DIRS_FIRST),
    ("filesfirst", NO, FILES_FIRST),
];

/// Deeper trees are cut off: each level is a call.
const DEEPEST: usize = 500;

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Name,
    Version,
    Size,
    Modified,
    Changed,
    None,
}

struct Tree<'a> {
    all: bool,
    directories: bool,
    full: bool,
    lines: bool,
    follow: bool,
    one_file_system: bool,
    deepest: usize,
    only: Vec<&'a [u8]>,
    not: Vec<&'a [u8]>,
    match_dirs: bool,
    fold: bool,
    prune: bool,
    limit: usize,
    protections: bool,
    owner: bool,
    group: bool,
    size: Option<u64>,
    sizes: bool,
    date: bool,
    date_format: Option<&'a [u8]>,
    marks: bool,
    inodes: bool,
    sums: bool,
    quotes: bool,
    order: Order,
    reverse: bool,
    first: Option<FileType>,
    json: bool,
    utf8: bool,
    users: Names,
    groups: Names,
    zone: Zone,
    counts: (u64, u64),
    bytes: u64,
    failed: bool,
    out: Out,
}

struct Node {
    name: Vec<u8>,
    path: Vec<u8>,
    stat: Stat,
    /// Where a link points.
    target: Option<(Vec<u8>, Option<Stat>)>,
    /// What is in a directory; none where nobody looked.
    inside: Option<Vec<Node>>,
    trouble: Option<String>,
    bytes: u64,
}

impl Node {
    fn is_dir(&self) -> bool {
        self.stat.kind == FileType::Directory
    }

    /// A directory, or a link to one.
    fn leads_to_dir(&self) -> bool {
        self.is_dir() || self.target.as_ref().and_then(|t| t.1).is_some_and(|t| t.kind == FileType::Directory)
    }
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "adfilxL:RP:I:o:pugshDFQNqnCAvtcUrJ", LONG);
    let mut t = Tree {
        all: false,
        directories: false,
        full: false,
        lines: true,
        follow: false,
        one_file_system: false,
        deepest: DEEPEST,
        only: Vec::new(),
        not: Vec::new(),
        match_dirs: false,
        fold: false,
        prune: false,
        limit: usize::MAX,
        protections: false,
        owner: false,
        group: false,
        size: None,
        sizes: false,
        date: false,
        date_format: None,
        marks: false,
        inodes: false,
        sums: false,
        quotes: false,
        order: Order::Name,
        reverse: false,
        first: None,
        json: false,
        utf8: quote::is_utf8(),
        users: Names::users(),
        groups: Names::groups(),
        zone: Zone::local(),
        counts: (0, 0),
        bytes: 0,
        failed: false,
        out: Out::stdout(),
    };
    let (mut reports, mut output) = (true, None);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => t.all = true,
            'd' => t.directories = true,
            'f' => t.full = true,
            'i' => t.lines = false,
            'l' => t.follow = true,
            'x' => t.one_file_system = true,
            'L' => {
                let level = number::unsigned(opt.value(), b"").ok().filter(|n| *n > 0);
                let level = level.ok_or_else(|| report::die(1, "Invalid level, must be greater than 0."))?;
                t.deepest = usize::try_from(level).unwrap_or(DEEPEST).min(DEEPEST);
            }
            'P' => t.only.push(opt.value()),
            'I' => t.not.push(opt.value()),
            'o' => output = Some(opt.value()),
            MATCH_DIRS => t.match_dirs = true,
            IGNORE_CASE => t.fold = true,
            PRUNE => t.prune = true,
            FILE_LIMIT => {
                let limit = number::unsigned(opt.value(), b"").ok().filter(|n| *n > 0);
                t.limit = limit.ok_or_else(|| report::die(1, "Invalid file limit"))? as usize;
            }
            NO_REPORT => reports = false,
            CHARSET => t.utf8 = opt.value().to_ascii_lowercase().starts_with(b"utf"),
            'p' => t.protections = true,
            'u' => t.owner = true,
            'g' => t.group = true,
            's' => t.sizes = true,
            'h' => (t.sizes, t.size) = (true, Some(1024)),
            SI => (t.sizes, t.size) = (true, Some(1000)),
            'D' => t.date = true,
            TIME_FORMAT => (t.date, t.date_format) = (true, Some(opt.value())),
            'F' => t.marks = true,
            INODES => t.inodes = true,
            DU => (t.sizes, t.sums) = (true, true),
            'Q' => t.quotes = true,
            'v' => t.order = Order::Version,
            't' => t.order = Order::Modified,
            'c' => t.order = Order::Changed,
            'U' => t.order = Order::None,
            'r' => t.reverse = true,
            SORT => {
                let words = [
                    ("name", Order::Name),
                    ("version", Order::Version),
                    ("size", Order::Size),
                    ("mtime", Order::Modified),
                    ("ctime", Order::Changed),
                ];
                t.order = crate::options::word(opt.value(), "--sort", &words, 1)?;
            }
            DIRS_FIRST => t.first = Some(FileType::Directory),
            FILES_FIRST => t.first = Some(FileType::Regular),
            'J' => t.json = true,
            'R' | 'A' => return Err(report::die(1, format_args!("-{} is not supported", opt.letter))),
            // There are no colors, and names are written as they are.
            _ => {}
        }
    }
    let operands = options.operands();
    if let Some(file) = output {
        open(file, OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC, 0o666)
            .and_then(|fd| dup2(fd.raw(), STDOUT, OpenFlags(0)))
            .map_err(|e| report::die(1, format_args!("{}: {e}", quote::name(file))))?;
    }
    let roots: Vec<&[u8]> = if operands.is_empty() { vec![b"."] } else { operands };
    if t.json {
        t.out.byte(b'[');
    }
    for (i, root) in roots.iter().enumerate() {
        t.root(root, i);
    }
    let (directories, files) = t.counts;
    if t.json {
        if reports {
            let files = if t.directories { String::new() } else { format!(",\"files\":{files}") };
            t.out.write(format!("\n,\n  {{\"type\":\"report\",\"directories\":{directories}{files}}}").as_bytes());
        }
        t.out.write(b"\n]\n");
    } else if reports {
        let plural = |n: u64, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let used = match (t.sums, t.size) {
            (false, _) => String::new(),
            (true, None) => format!("{:12} bytes used in ", t.bytes),
            (true, Some(base)) => format!("{:>4} used in ", crate::human::Unit::Auto(base).show(t.bytes)),
        };
        let mut text = format!("\n{used}{}", plural(directories, "directory", "directories"));
        if !t.directories {
            text += &format!(", {}", plural(files, "file", "files"));
        }
        t.out.write((text + "\n").as_bytes());
    }
    let status = if t.failed { 2 } else { 0 };
    report::finish(&mut t.out, status)
}

impl Tree<'_> {
    fn root(&mut self, path: &[u8], number: usize) {
        let found = stat(path);
        let is_dir = found.is_ok_and(|s| s.kind == FileType::Directory);
        if let Some(s) = found.ok().filter(|_| !is_dir && !self.json) {
            let name = path.to_vec();
            let node =
                Node { path: name.clone(), name, stat: s, target: None, inside: None, trouble: None, bytes: s.size };
            let line = self.line(&node, path);
            self.out.write(&line);
            self.out.write(b"  [error opening dir]\n");
            return self.count(&node);
        }
        if !is_dir {
            self.failed = true;
            let shown = self.name(path);
            match self.json {
                true => {
                    let comma = if number > 0 { "," } else { "" };
                    let text = format!("{comma}\n  {{\"type\":\"directory\",\"name\":{}", json(path));
                    self.out.write(text.as_bytes());
                    self.out.write(b",\"contents\":[{\"error\": \"opening dir\"}\n  ]}");
                }
                false => self.out.write(&[shown.as_slice(), b"  [error opening dir]\n"].concat()),
            }
            return;
        }
        let Ok(s) = found else { return };
        let mut node = Node {
            name: path.to_vec(),
            path: path.to_vec(),
            stat: s,
            target: None,
            inside: None,
            trouble: None,
            bytes: s.size,
        };
        self.look(&mut node, 0, &mut vec![(s.dev, s.ino)]);
        self.counts.0 += u64::from(node.inside.as_ref().is_some_and(|i| !i.is_empty()));
        self.bytes += node.bytes - s.size;
        if self.json {
            self.out.write(if number > 0 { b",\n" } else { b"\n" });
            self.json(&node, 1);
            return;
        }
        let line = self.line(&node, path);
        self.out.write(&line);
        if let Some(trouble) = &node.trouble {
            self.out.write(trouble.as_bytes());
        }
        self.out.byte(b'\n');
        self.show(&node, &mut Vec::new());
    }

    fn matches(&self, patterns: &[&[u8]], name: &[u8]) -> bool {
        let name = if self.fold { name.to_ascii_lowercase() } else { name.to_vec() };
        patterns.iter().any(|list| {
            list.split(|&b| b == b'|').any(|pattern| {
                let pattern = pattern.strip_suffix(b"/").unwrap_or(pattern);
                let pattern = if self.fold { pattern.to_ascii_lowercase() } else { pattern.to_vec() };
                glob::matches(&pattern, &name, false)
            })
        })
    }

    fn includes(&self, name: &[u8]) -> bool {
        self.match_dirs && self.matches(&self.only, name)
    }

    /// Reads what is in a directory, and below.
    fn look(&mut self, node: &mut Node, level: usize, above: &mut Vec<(u64, u64)>) {
        if level >= self.deepest {
            return;
        }
        // With --matchdirs, all that is in a directory of a matching name is shown.
        let included = self.includes(&node.name) && level > 0;
        let entries: Result<Vec<_>, _> = read_dir(&node.path).and_then(Iterator::collect);
        let entries = match entries {
            Ok(entries) => entries,
            Err(_) => {
                node.trouble = Some("  [error opening dir]".to_owned());
                self.failed = true;
                return;
            }
        };
        let mut inside = Vec::new();
        for entry in entries {
            let path = join(&node.path, &entry.name);
            if !self.all && entry.name.starts_with(b".") {
                continue;
            }
            let Ok(mut s) = lstat(&path) else { continue };
            let mut target = None;
            if s.kind == FileType::Symlink {
                let there = stat(&path).ok();
                target = Some((readlink(&path).unwrap_or_default(), there));
                if let Some(there) = there.filter(|t| t.kind == FileType::Directory && self.follow) {
                    s = there;
                }
            }
            let is_dir = s.kind == FileType::Directory;
            let leads_to_dir = target.as_ref().and_then(|t| t.1).is_some_and(|t| t.kind == FileType::Directory);
            if self.matches(&self.not, &entry.name)
                || (!self.only.is_empty() && !is_dir && !included && !self.matches(&self.only, &entry.name))
                || (self.directories && !is_dir && !leads_to_dir)
            {
                continue;
            }
            let bytes = s.size;
            inside.push(Node { name: entry.name, path, stat: s, target, inside: None, trouble: None, bytes });
        }
        if inside.len() > self.limit {
            node.trouble = Some(format!("  [{} entries exceeds filelimit, not opening dir]", inside.len()));
            return;
        }
        self.sort(&mut inside);
        for child in inside.iter_mut().filter(|c| c.is_dir()) {
            let id = (child.stat.dev, child.stat.ino);
            if above.contains(&id) {
                child.trouble = Some("  [recursive, not followed]".to_owned());
                continue;
            }
            if self.one_file_system && child.stat.dev != node.stat.dev {
                continue;
            }
            above.push(id);
            self.look(child, level + 1, above);
            // Links may lead to what was shown elsewhere; without them nothing is met twice.
            if !self.follow {
                above.pop();
            }
        }
        if self.prune {
            inside
                .retain(|c| !c.is_dir() || self.includes(&c.name) || c.inside.as_ref().is_some_and(|i| !i.is_empty()));
        }
        if self.sums {
            node.bytes += inside.iter().map(|c| c.bytes).sum::<u64>();
        }
        node.inside = Some(inside);
    }

    fn sort(&self, nodes: &mut [Node]) {
        if self.order == Order::None {
            return;
        }
        nodes.sort_by(|a, b| {
            if let Some(first) = self.first
                && a.leads_to_dir() != b.leads_to_dir()
            {
                return if a.leads_to_dir() == (first == FileType::Directory) {
                    Ordering::Less
                } else {
                    Ordering::Greater
                };
            }
            let names = || a.name.cmp(&b.name);
            let order = match self.order {
                Order::Version => crate::version::compare(&a.name, &b.name),
                Order::Size => b.stat.size.cmp(&a.stat.size).then_with(names),
                Order::Modified => a.stat.mtime.cmp(&b.stat.mtime).then_with(names),
                Order::Changed => a.stat.ctime.cmp(&b.stat.ctime).then_with(names),
                _ => names(),
            };
            if self.reverse { order.reverse() } else { order }
        });
    }

    fn name(&self, name: &[u8]) -> Vec<u8> {
        if self.quotes { quote::show(name, Style::C, self.utf8, b"").into_bytes() } else { name.to_vec() }
    }

    /// The details in brackets, and the name with what stands behind it.
    fn line(&mut self, node: &Node, name: &[u8]) -> Vec<u8> {
        let s = &node.stat;
        let mut parts = Vec::new();
        if self.inodes {
            parts.push(format!("{:7}", s.ino));
        }
        if self.protections {
            parts.push(mode::show(s.st_mode()));
        }
        if self.owner {
            parts.push(format!("{:<8}", self.users.name(s.uid).unwrap_or_else(|| s.uid.to_string())));
        }
        if self.group {
            parts.push(format!("{:<8}", self.groups.name(s.gid).unwrap_or_else(|| s.gid.to_string())));
        }
        if self.sizes {
            parts.push(match self.size {
                None => format!("{:11}", node.bytes),
                Some(base) => {
                    let text = crate::human::Unit::Auto(base).show(node.bytes);
                    format!("{:>4}", text)
                }
            });
        }
        if self.date {
            let time = if self.order == Order::Changed { s.ctime } else { s.mtime };
            let recent = now().sec - time.sec < 6 * 30 * 86_400;
            let format = self.date_format.unwrap_or(if recent { b"%b %e %H:%M" } else { b"%b %e  %Y" });
            let date = Moment::new(time.sec, time.nsec, &self.zone).format(format);
            parts.push(String::from_utf8_lossy(&date).into_owned());
        }
        let mut line = Vec::new();
        if !parts.is_empty() {
            line.extend(format!("[{}]  ", parts.join(" ")).bytes());
        }
        line.extend(self.name(name));
        if let Some((target, there)) = &node.target {
            line.extend(b" -> ");
            line.extend(self.name(target));
            line.extend(self.mark(there.as_ref()).bytes());
        } else {
            line.extend(self.mark(Some(s)).bytes());
        }
        line
    }

    fn mark(&self, s: Option<&Stat>) -> &'static str {
        match s {
            Some(s) if self.marks => match s.kind {
                FileType::Directory => "/",
                FileType::Fifo => "|",
                FileType::Socket => "=",
                FileType::Regular if s.mode & 0o111 != 0 => "*",
                _ => "",
            },
            _ => "",
        }
    }

    fn show(&mut self, node: &Node, before: &mut Vec<bool>) {
        let Some(inside) = &node.inside else { return };
        for (i, child) in inside.iter().enumerate() {
            let last = i + 1 == inside.len();
            let mut line = Vec::new();
            if self.lines {
                let (bar, gap, branch, end) = match self.utf8 {
                    true => ("│\u{a0}\u{a0} ", "    ", "├── ", "└── "),
                    false => ("|   ", "    ", "|-- ", "`-- "),
                };
                for more in before.iter() {
                    line.extend(if *more { bar } else { gap }.bytes());
                }
                line.extend(if last { end } else { branch }.bytes());
            }
            let name = if self.full { child.path.clone() } else { child.name.clone() };
            line.extend(self.line(child, &name));
            if let Some(trouble) = &child.trouble {
                line.extend(trouble.bytes());
            }
            line.push(b'\n');
            self.out.write(&line);
            self.count(child);
            before.push(!last);
            self.show(child, before);
            before.pop();
        }
    }

    fn count(&mut self, node: &Node) {
        if node.leads_to_dir() { self.counts.0 += 1 } else { self.counts.1 += 1 }
    }

    fn json(&mut self, node: &Node, depth: usize) {
        let kind = match (node.target.is_some(), node.stat.kind) {
            (true, _) => "link",
            (_, FileType::Directory) => "directory",
            (_, FileType::Regular) => "file",
            (_, FileType::Fifo) => "fifo",
            (_, FileType::Socket) => "socket",
            (_, FileType::CharDevice) => "char",
            (_, FileType::BlockDevice) => "block",
            _ => "link",
        };
        let name = if self.full { &node.path } else { &node.name };
        let indent = "  ".repeat(depth);
        let mut text = format!("{indent}{{\"type\":\"{kind}\",\"name\":{}", json(name));
        if let Some((target, _)) = &node.target {
            text += &format!(",\"target\":{}", json(target));
        }
        if self.inodes {
            text += &format!(",\"inode\":{}", node.stat.ino);
        }
        if self.protections {
            text += &format!(",\"mode\":\"{:04o}\",\"prot\":\"{}\"", node.stat.mode, mode::show(node.stat.st_mode()));
        }
        if self.owner {
            let user = self.users.name(node.stat.uid).unwrap_or_else(|| node.stat.uid.to_string());
            text += &format!(",\"user\":\"{user}\"");
        }
        if self.group {
            let group = self.groups.name(node.stat.gid).unwrap_or_else(|| node.stat.gid.to_string());
            text += &format!(",\"group\":\"{group}\"");
        }
        if self.sizes {
            text += &format!(",\"size\":{}", node.bytes);
        }
        self.out.write(text.as_bytes());
        if let Some(inside) = node.inside.as_ref().filter(|i| !i.is_empty() || depth == 1) {
            self.out.write(b",\"contents\":[");
            for (i, child) in inside.iter().enumerate() {
                self.out.write(if i > 0 { b",\n" } else { b"\n" });
                self.count(child);
                self.json(child, depth + 1);
            }
            let end = if inside.is_empty() { String::new() } else { format!("\n{indent}") };
            self.out.write(format!("{end}]").as_bytes());
        }
        self.out.byte(b'}');
    }
}

/// A string of JSON.
pub fn json(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for c in String::from_utf8_lossy(text).chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            '\r' => out += "\\r",
            c if c < ' ' => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out + "\""
}
