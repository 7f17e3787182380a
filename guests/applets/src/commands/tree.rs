use crate::calendar::Zone;
use crate::ignore::List;
use crate::options::Options;
use crate::quote;
use crate::users::Names;
use crate::{Args, Outcome, report};
use capsule_sys::{FileType, OpenFlags, Out, STDOUT, Stat, dup2, lstat, open, stat};

mod color;
mod look;
mod options;
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
  --gitfile FILE  as this file says   --metafirst  details before the lines
  --fromfile  the operands (or standard input) are lists of paths
  -p  protections   -u  owner   -g  group   -s  size   -h  readable size   --si
  -D  date   --timefmt FORMAT   -F  marks as ls -F   --inodes   --device   --du  sums
  -Q  quotes   -N  odd characters as they are   -q  as ?
  -n  no colors   -C  colors in any case   -A  lines of ANSI   -S  lines of CP437
  -v  by version   -t  by time   -c  by change   -U  unsorted   -r  reverse
  --sort KEY  name, version, size, mtime, ctime   --dirsfirst   --filesfirst
  -J  as JSON   -X  as XML
      --help        print this help
      --version     print the version
";

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

/// What the lines are made of.
#[derive(Clone, Copy, PartialEq)]
enum Drawn {
    Ascii,
    Utf8,
    /// By the other character set of a terminal.
    Ansi,
    Cp437,
}

struct Tree<'a> {
    colors: Option<color::Colors>,
    drawn: Drawn,
    details_first: bool,
    device: bool,
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
    report::hint(report::Hint::Help);
    let (found, operands) = options::read(args.rest())?;
    let mut t = Tree {
        colors: None,
        drawn: if quote::is_utf8() { Drawn::Utf8 } else { Drawn::Ascii },
        details_first: false,
        device: false,
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
        users: Names::users(),
        groups: Names::groups(),
        zone: Zone::local(),
        counts: (0, 0),
        bytes: 0,
        failed: false,
        out: Out::stdout(),
    };
    let (mut reports, mut output) = (true, None);
    let (mut never, mut always) = (false, false);
    for opt in found {
        match opt.name.as_str() {
            "a" => t.all = true,
            "d" => t.directories = true,
            "f" => t.full = true,
            "i" => t.lines = false,
            "l" => t.follow = true,
            "x" => t.one_file_system = true,
            "L" => match options::leading_number(opt.value) {
                0 => return Err(report::die(1, "Invalid level, must be greater than 0.")),
                level => t.deepest = level.min(DEEPEST),
            },
            "P" => t.only.push(opt.value),
            "I" => t.not.push(opt.value),
            "o" => output = Some(opt.value),
            "matchdirs" => t.match_dirs = true,
            "ignore-case" => t.fold = true,
            "prune" => t.prune = true,
            "filelimit" => {
                t.limit = Some(options::leading_number(opt.value)).filter(|n| *n > 0).unwrap_or(usize::MAX);
            }
            "noreport" => reports = false,
            "charset" => {
                let utf8 = opt.value.to_ascii_lowercase().starts_with(b"utf");
                t.draw_with(if utf8 { Drawn::Utf8 } else { Drawn::Ascii });
            }
            "p" => t.protections = true,
            "u" => t.owner = true,
            "g" => t.group = true,
            "s" => t.sizes = true,
            "h" => (t.sizes, t.size) = (true, Some(1024)),
            "si" => (t.sizes, t.size) = (true, Some(1000)),
            "D" => t.date = true,
            "timefmt" => (t.date, t.date_format) = (true, Some(opt.value)),
            "F" => t.marks = true,
            "N" => t.odd = Odd::AsIs,
            "q" => t.odd = Odd::Question,
            "X" => (t.xml, t.json) = (true, false),
            "gitignore" => t.gitignore = true,
            "gitfile" => {
                stat(opt.value).map_err(|_| report::die(1, "Could not load gitignore file"))?;
                t.ignored.push((Vec::new(), List::read(opt.value, false)));
            }
            "fromfile" => t.from_list = true,
            "metafirst" => t.details_first = true,
            "inodes" => t.inodes = true,
            "device" => t.device = true,
            "du" => (t.sizes, t.sums) = (true, true),
            "Q" => t.quotes = true,
            "v" => t.order = Order::Version,
            "t" => t.order = Order::Modified,
            "c" => t.order = Order::Changed,
            "U" => t.order = Order::None,
            "r" => t.reverse = true,
            "sort" => {
                t.order = match opt.value {
                    b"name" => Order::Name,
                    b"version" => Order::Version,
                    b"size" => Order::Size,
                    b"mtime" => Order::Modified,
                    b"ctime" => Order::Changed,
                    other => {
                        let (known, other) = ("name,version,size,mtime,ctime", String::from_utf8_lossy(other));
                        let text = format!("Sort type '{other}' not valid, should be one of: {known}");
                        return Err(report::die(1, text));
                    }
                }
            }
            "dirsfirst" => t.first = Some(FileType::Directory),
            "filesfirst" => t.first = Some(FileType::Regular),
            "J" => (t.json, t.xml) = (true, false),
            "A" => t.drawn = Drawn::Ansi,
            "S" => t.draw_with(Drawn::Cp437),
            "n" => never = true,
            "C" => always = true,
            "help" => return Err(Options::new(args, "", &[]).help()),
            "version" => return Err(Options::new(args, "", &[]).version()),
            name => {
                let dashes = if name.len() == 1 { "-" } else { "--" };
                return Err(report::die(1, format_args!("{dashes}{name} is not supported")));
            }
        }
    }
    t.colors = color::Colors::load(never, always);
    if let Some(file) = output {
        let shown = String::from_utf8_lossy(file);
        open(file, OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC, 0o666)
            .and_then(|fd| dup2(fd.raw(), STDOUT, OpenFlags(0)))
            .map_err(|_| report::die(1, format_args!("invalid filename '{shown}'")))?;
    }
    let roots: Vec<&[u8]> = if operands.is_empty() { vec![b"."] } else { operands };
    if t.json {
        t.out.byte(b'[');
    }
    if t.xml {
        let encoding = if t.drawn == Drawn::Utf8 { " encoding=\"UTF-8\"" } else { "" };
        t.out.write(format!("<?xml version=\"1.0\"{encoding}?>\n<tree>\n").as_bytes());
    }
    for (i, root) in roots.iter().enumerate() {
        t.root(root, i);
    }
    let (directories, files) = t.counts;
    if t.json {
        if reports {
            let files = if t.directories { String::new() } else { format!(",\"files\":{files}") };
            let size = if t.sums { format!("\"size\":{},", t.bytes) } else { String::new() };
            let text = format!("\n,\n  {{\"type\":\"report\",{size}\"directories\":{directories}{files}}}");
            t.out.write(text.as_bytes());
        }
        t.out.write(if reports { "\n]\n" } else { "\n\n]\n" }.as_bytes());
    } else if t.xml {
        if reports {
            let files = if t.directories { String::new() } else { format!("    <files>{files}</files>\n") };
            let size = if t.sums { format!("    <size>{}</size>\n", t.bytes) } else { String::new() };
            let text = format!("  <report>\n{size}    <directories>{directories}</directories>\n{files}  </report>\n");
            t.out.write(text.as_bytes());
        }
        t.out.write(b"</tree>\n");
    } else if reports {
        let plural = |n: u64, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let used = match (t.sums, t.size) {
            (false, _) => String::new(),
            (true, None) => format!("{:12} bytes used in ", t.bytes),
            (true, Some(base)) => format!(" {} used in ", show::human(t.bytes, base)),
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
    /// Lines of ANSI are those of no character set.
    fn draw_with(&mut self, drawn: Drawn) {
        if self.drawn != Drawn::Ansi {
            self.drawn = drawn;
        }
    }

    fn root(&mut self, path: &[u8], number: usize) {
        if self.from_list {
            return self.list(path, number);
        }
        // Files of --gitfile hold from here.
        self.ignored.iter_mut().for_each(|(dir, _)| *dir = path.to_vec());
        let found = stat(path);
        let is_dir = found.is_ok_and(|s| s.kind == FileType::Directory);
        if let Some(s) = lstat(path).ok().filter(|_| found.is_ok() && !is_dir) {
            let mut node = top(path, s);
            if self.json || self.xml {
                node.trouble = Some("[error opening dir]".to_owned());
                self.draw(&node, number);
                return self.count(&node);
            }
            let line = self.line(&node, b"", path);
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
        let too_many = node.trouble.as_ref().is_some_and(|why| why.contains("filelimit"));
        self.counts.0 += u64::from(too_many || node.inside.as_ref().is_some_and(|i| !i.is_empty()));
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
        let line = self.line(node, b"", &node.path);
        self.out.write(&line);
        if let Some(trouble) = &node.trouble {
            self.out.write(trouble.as_bytes());
        }
        self.out.byte(b'\n');
        self.show(node, &mut Vec::new());
    }

    fn count(&mut self, node: &Node) {
        // What is in a directory counts again with it, there as here.
        self.bytes += node.bytes;
        if node.leads_to_dir() { self.counts.0 += 1 } else { self.counts.1 += 1 }
    }
}

/// What a tree begins with.
fn top(path: &[u8], stat: Stat) -> Node {
    let (name, path) = (path.to_vec(), path.to_vec());
    Node { name, path, stat, target: None, inside: None, trouble: None, bytes: stat.size }
}
