use crate::input::join;
use crate::options::{Long, NO, Options};
use crate::path::{Missing, canonical};
use crate::users::Names;
use crate::{Args, Outcome, mode, proc, report};
use capsule_sys::{Errno, FileType, Out, Stat, lstat, readlink, stat};

pub const HELP: &str = "\
Usage: namei [OPTION]... PATH...
Follow paths to their ends and show every part on the way, links too.

  -x, --mountpoints  a 'D' for directories on which something is mounted
  -m, --modes        the mode of each part
  -o, --owners       owner and group of each part
  -l, --long         -m -o -v
  -n, --nosymlinks   do not follow links
  -v, --vertical     modes and owners in line
  -h, --help         print this help
  -V, --version      print the version
";

const LONG: &[Long] = &[
    ("mountpoints", NO, 'x'),
    ("modes", NO, 'm'),
    ("owners", NO, 'o'),
    ("long", NO, 'l'),
    ("nosymlinks", NO, 'n'),
    ("vertical", NO, 'v'),
];

/// Links inside links.
const MOST_LINKS: usize = 20;

/// A part of a path, or why it is none.
struct Part {
    depth: usize,
    name: Vec<u8>,
    found: Result<(Stat, Option<Vec<u8>>), Errno>,
    mounted: bool,
}

struct Namei {
    mounts: Option<Vec<Vec<u8>>>,
    modes: bool,
    owners: bool,
    vertical: bool,
    follow: bool,
    users: Names,
    groups: Names,
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "xmolnvhV", LONG);
    let (users, groups) = (Names::users(), Names::groups());
    let mut n = Namei { mounts: None, modes: false, owners: false, vertical: false, follow: true, users, groups };
    while let Some(opt) = options.next()? {
        match opt.letter {
            'x' => n.mounts = Some(proc::mounts().into_iter().map(|m| m.target).collect()),
            'm' => n.modes = true,
            'o' => n.owners = true,
            'l' => (n.modes, n.owners, n.vertical) = (true, true, true),
            'n' => n.follow = false,
            'v' => n.vertical = true,
            'h' => return Err(options.help()),
            _ => return Err(options.version()),
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        return Err(report::usage(1, "pathname argument is missing"));
    }
    let (mut out, mut status) = (Out::stdout(), 0);
    for path in operands {
        if path.is_empty() || (path.ends_with(b"/") && stat(path).is_err()) {
            status = 1;
        }
        if path.is_empty() {
            continue;
        }
        let mut parts = Vec::new();
        if !n.walk(path, b"", 0, &mut parts) {
            let _ = out.flush();
            report::error(format_args!("{}: exceeded limit of symlinks", String::from_utf8_lossy(path)));
            status = 1;
        }
        if parts.iter().any(|part| part.found.is_err()) {
            status = 1;
        }
        out.write(&[b"f: ", path, b"\n"].concat());
        n.show(&parts, &mut out);
    }
    report::finish(&mut out, status)
}

impl Namei {
    /// The parts of a path that is in `dir`; false when there were too many links.
    fn walk(&self, path: &[u8], dir: &[u8], depth: usize, parts: &mut Vec<Part>) -> bool {
        let mut so_far = dir.to_vec();
        let mut names: Vec<&[u8]> = path.split(|&b| b == b'/').filter(|name| !name.is_empty()).collect();
        if path.starts_with(b"/") {
            so_far.clear();
            names.insert(0, b"/");
        }
        for name in names {
            so_far = if so_far.is_empty() { name.to_vec() } else { join(&so_far, name) };
            let found = lstat(&so_far).map(|stat| {
                let link = (stat.kind == FileType::Symlink).then(|| readlink(&so_far).unwrap_or_default());
                (stat, link)
            });
            let failed = found.is_err();
            let link = found.as_ref().ok().and_then(|found| found.1.clone());
            let mounted = self.mounts.as_ref().is_some_and(|mounts| {
                canonical(&so_far, Missing::None, false, true).is_ok_and(|full| mounts.contains(&full))
            });
            parts.push(Part { depth, name: name.to_vec(), found, mounted });
            if failed {
                return true;
            }
            if let Some(target) = link.filter(|_| self.follow) {
                if depth == MOST_LINKS {
                    return false;
                }
                let parent = so_far.iter().rposition(|&b| b == b'/').map_or(&b""[..], |at| &so_far[..at.max(1)]);
                if !self.walk(&target, parent, depth + 1, parts) {
                    return false;
                }
                if parts.last().is_some_and(|part| part.found.is_err()) {
                    return true;
                }
            }
        }
        true
    }

    fn show(&mut self, parts: &[Part], out: &mut Out) {
        let mut lines: Vec<Option<(String, String, String)>> = Vec::new();
        for part in parts {
            lines.push(part.found.as_ref().ok().map(|(stat, _)| {
                let mut text = mode::show(stat.st_mode());
                if part.mounted {
                    text.replace_range(..1, "D");
                }
                if !self.modes {
                    text.truncate(1);
                }
                let name = |names: &mut Names, id: u32| names.name(id).unwrap_or_else(|| id.to_string());
                (text, name(&mut self.users, stat.uid), name(&mut self.groups, stat.gid))
            }));
        }
        let widest = |of: fn(&(String, String, String)) -> &String| {
            lines.iter().flatten().map(|line| of(line).len()).max().unwrap_or(0)
        };
        let (user, group) = (widest(|l| &l.1), widest(|l| &l.2));
        let columns = if self.modes { 10 } else { 1 } + if self.owners { user + group + 2 } else { 0 };
        for (part, line) in parts.iter().zip(&lines) {
            let deep = " ".repeat(part.depth * 2);
            let mut text = if self.vertical { String::new() } else { format!("{deep} ") };
            match line {
                Some((mode, owner, of)) => {
                    text += mode;
                    if self.owners {
                        text += &format!(" {owner:<user$} {of:<group$}");
                    }
                }
                None => text += &" ".repeat(columns),
            }
            text.push(' ');
            if self.vertical {
                text += &deep;
            }
            out.write(text.as_bytes());
            out.write(&part.name);
            match &part.found {
                Ok((_, Some(target))) => out.write(&[b" -> ", target.as_slice()].concat()),
                Ok(_) => {}
                Err(e) => out.write(format!(" - {e}").as_bytes()),
            }
            out.byte(b'\n');
        }
    }
}
