use crate::calendar::Zone;
use crate::ignore::List;
use crate::options::{Long, NO, Options, REQ, only};
use crate::quote;
use crate::users::Names;
use crate::{Args, Outcome, number, report};
use capsule_sys::{FileType, OpenFlags, Out, STDOUT, Stat, dup2, open, stat};

mod look;
mod show;
mod structured;
pub use structured::json;

pub const HELP: &str = "\
Usage: tree [OPTION]... [DIRECTORY]...
Show the files below directories as a tree.

  -a  all files   -d  directories only   -f  whole paths   -i  no lines
  -l  follow links to directories        -x  stay on the file system
  -L LEVEL  no deeper    -P PATTERN  only these files   -I PATTERN  not these
  --matchdirs  -P holds for directories   --ignore-case   --prune  no empty ones
  --filelimit N   --noreport   -o FILE   --charset X   --gitignore  as .gitignore says
  --fromfile  the operands (or standard input) are lists of paths
  -p  protections   -u  owner   -g  group   -s  size   -h  readable size   --si
  -D  date   --timefmt FORMAT   -F  marks as ls -F   --inodes   --du  sums
  -Q  quotes   -N  odd characters as they are   -q  as ?   -n  no colors   -C  colors (not drawn)
  -v  by version   -t  by time   -c  by change   -U  unsorted   -r  reverse
  --sort KEY  name, version, size, mtime, ctime   --dirsfirst   --filesfirst
  -J  as JSON   -X  as XML
      --help        print this help
      --version     print the version
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
const GITIGNORE: char = only(13);
const FROM_FILE: char = only(14);
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
    ("gitignore", NO, GITIGNORE),
    ("fromfile", NO, FROM_FILE),
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

/// How characters that cannot be printed are shown.
#[derive(Clone, Copy, PartialEq)]
enum Odd {
    Octal,
    Question,
    AsIs,
}

struct Tree<'a> {
    odd: Odd,
    gitignore: bool,
    /// The lists of the directories we are in.
    ignored: Vec<(Vec<u8>, List)>,
    from_list: bool,
    xml: bool,
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
    let mut options = Options::new(args, "adfilxL:RP:I:o:pugshDFQNqnCvtcUrJX", LONG);
    let mut t = Tree {
        odd: Odd::Octal,
        gitignore: false,
        ignored: Vec::new(),
        from_list: false,
        xml: false,
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
            'N' => t.odd = Odd::AsIs,
            'q' => t.odd = Odd::Question,
            'X' => (t.xml, t.json) = (true, false),
            GITIGNORE => t.gitignore = true,
            FROM_FILE => t.from_list = true,
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
            'J' => (t.json, t.xml) = (true, false),
            'R' => return Err(report::die(1, "-R is not supported")),
            // There are no colors.
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
    if t.xml {
        let encoding = if t.utf8 { " encoding=\"UTF-8\"" } else { "" };
        t.out.write(format!("<?xml version=\"1.0\"{encoding}?>\n<tree>\n").as_bytes());
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
    } else if t.xml {
        if reports {
            let files = if t.directories { String::new() } else { format!("    <files>{files}</files>\n") };
            let text = format!("  <report>\n    <directories>{directories}</directories>\n{files}  </report>\n");
            t.out.write(text.as_bytes());
        }
        t.out.write(b"</tree>\n");
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
        if self.from_list {
            return self.list(path, number);
        }
        let found = stat(path);
        let is_dir = found.is_ok_and(|s| s.kind == FileType::Directory);
        if let Some(s) = found.ok().filter(|_| !is_dir && !self.json && !self.xml) {
            let node = top(path, s);
            let line = self.line(&node, path);
            self.out.write(&line);
            self.out.write(b"  [error opening dir]\n");
            return self.count(&node);
        }
        if !is_dir {
            self.failed = true;
            if self.json {
                let comma = if number > 0 { "," } else { "" };
                let text = format!("{comma}\n  {{\"type\":\"directory\",\"name\":{}", json(path));
                self.out.write(text.as_bytes());
                self.out.write(b",\"contents\":[{\"error\": \"opening dir\"}\n  ]}");
            } else if self.xml {
                let trouble = Some("[error opening dir]".to_owned());
                self.xml(&Node { trouble, ..top(path, look::unknown(FileType::Directory)) }, 1);
            } else {
                let shown = self.name(path);
                self.out.write(&[shown.as_slice(), b"  [error opening dir]\n"].concat());
            }
            return;
        }
        let Ok(s) = found else { return };
        let mut node = top(path, s);
        self.look(&mut node, 0, &mut vec![(s.dev, s.ino)]);
        self.counts.0 += u64::from(node.inside.as_ref().is_some_and(|i| !i.is_empty()));
        self.bytes += node.bytes - s.size;
        self.draw(&node, number);
    }

    /// A list of paths as if it were a directory; standard input is called `.`.
    fn list(&mut self, path: &[u8], number: usize) {
        let mut node = top(path, look::unknown(FileType::Directory));
        if self.read_list(&mut node, if path == b"." { b"-" } else { path }).is_err() {
            (self.failed, node.trouble) = (true, Some("  [error opening dir]".to_owned()));
        } else {
            self.counts.0 += 1;
        }
        self.draw(&node, number);
    }

    fn draw(&mut self, node: &Node, number: usize) {
        if self.json {
            self.out.write(if number > 0 { b",\n" } else { b"\n" });
            return self.json(node, 1);
        }
        if self.xml {
            return self.xml(node, 1);
        }
        let line = self.line(node, &node.path.clone());
        self.out.write(&line);
        if let Some(trouble) = &node.trouble {
            self.out.write(trouble.as_bytes());
        }
        self.out.byte(b'\n');
        self.show(node, &mut Vec::new());
    }

    fn count(&mut self, node: &Node) {
        if node.leads_to_dir() { self.counts.0 += 1 } else { self.counts.1 += 1 }
    }
}

/// What a tree begins with.
fn top(path: &[u8], stat: Stat) -> Node {
    let (name, path) = (path.to_vec(), path.to_vec());
    Node { name, path, stat, target: None, inside: None, trouble: None, bytes: stat.size }
}
