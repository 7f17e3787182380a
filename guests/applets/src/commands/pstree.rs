use crate::options::{Long, NO, Options, REQ};
use crate::proc::{self, Process};
use crate::quote::{is_utf8, raw};
use crate::users::Names;
use crate::width::width;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Out, STDOUT, getenv, getpid, isatty, window};

pub const HELP: &str = "\
Usage: pstree [OPTION]... [PID | USER]
Show the processes of the session as a tree.

  -a, --arguments      the arguments of each command; -c too
  -A, --ascii          lines of ASCII    -U, --unicode  lines of Unicode
  -G, --vt100          lines of a VT100
  -c, --compact-not    the same several times is shown several times
  -g, --show-pgids     numbers of process groups
  -h, --highlight-all  our own line in bold    -H, --highlight-pid=PID  another
  -l, --long           do not cut long lines
  -n, --numeric-sort   by number, not by name
  -p, --show-pids      numbers of processes; -c too
  -s, --show-parents   what is above PID, too
  -t, --thread-names, -T, --hide-threads  make no difference: there are none
  -u, --uid-changes    tell where the user changes
      --help           print this help
  -V, --version        print the version
";

const LONG: &[Long] = &[
    ("arguments", NO, 'a'),
    ("ascii", NO, 'A'),
    ("unicode", NO, 'U'),
    ("vt100", NO, 'G'),
    ("compact-not", NO, 'c'),
    ("show-pgids", NO, 'g'),
    ("highlight-all", NO, 'h'),
    ("highlight-pid", REQ, 'H'),
    ("long", NO, 'l'),
    ("numeric-sort", NO, 'n'),
    ("show-pids", NO, 'p'),
    ("show-parents", NO, 's'),
    ("thread-names", NO, 't'),
    ("hide-threads", NO, 'T'),
    ("uid-changes", NO, 'u'),
];

/// Where nobody says how wide the output is.
const USUAL_WIDTH: usize = 132;
/// Deeper trees are cut off: each level is a call.
const DEEPEST: usize = 500;

/// The pieces that lines are drawn with: an only child, the first of several, one between, the last, and a line that goes on.
struct Lines {
    only: &'static str,
    first: &'static str,
    between: &'static str,
    last: &'static str,
    down: &'static str,
}
const ASCII: Lines = Lines { only: "---", first: "-+-", between: " |-", last: " `-", down: " | " };
const UNICODE: Lines =
    Lines { only: "───", first: "─┬─", between: " ├─", last: " └─", down: " │ " };
const VT100: Lines = Lines {
    only: "\x1b(0\x0fqqq\x1b(B",
    first: "\x1b(0\x0fqwq\x1b(B",
    between: " \x1b(0\x0ftq\x1b(B",
    last: " \x1b(0\x0fmq\x1b(B",
    down: " \x1b(0\x0fx\x1b(B ",
};

struct Tree {
    processes: Vec<Process>,
    arguments: bool,
    compact: bool,
    pids: bool,
    groups: bool,
    by_number: bool,
    users: Option<Names>,
    bold: Vec<i32>,
    lines: Lines,
    width: usize,
    out: Out,
}

/// A process with what is below it, and how often the same is there.
struct Node {
    label: Vec<u8>,
    bold: bool,
    times: usize,
    children: Vec<Node>,
}

impl Node {
    fn is_like(&self, other: &Node) -> bool {
        let same = |(a, b): (&Node, &Node)| a.times == b.times && a.is_like(b);
        self.label == other.label
            && self.bold == other.bold
            && self.children.len() == other.children.len()
            && self.children.iter().zip(&other.children).all(same)
    }
}

fn unknown_user(name: &[u8]) -> Exit {
    report::plain(&raw(&[b"No such user name: ", name, b"\n"].concat()));
    Exit(1)
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "aAUGcghH:lnpstTuV", LONG);
    let lines = if is_utf8() { UNICODE } else { ASCII };
    let mut tree = Tree {
        processes: Vec::new(),
        arguments: false,
        compact: true,
        pids: false,
        groups: false,
        by_number: false,
        users: None,
        bold: Vec::new(),
        lines,
        width: screen(),
        out: Out::stdout(),
    };
    let (mut parents, mut highlighted) = (false, None);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => (tree.arguments, tree.compact) = (true, false),
            'A' => tree.lines = ASCII,
            'U' => tree.lines = UNICODE,
            'G' => tree.lines = VT100,
            'c' => tree.compact = false,
            'g' => tree.groups = true,
            'h' => highlighted = isatty(STDOUT).then(getpid),
            'H' => {
                let wrong = || report::usage(1, format_args!("{}: no process number", opt.text()));
                highlighted = Some(opt.text().parse::<i32>().map_err(|_| wrong())?);
            }
            'l' => tree.width = usize::MAX,
            'n' => tree.by_number = true,
            'p' => (tree.pids, tree.compact) = (true, false),
            's' => parents = true,
            'u' => tree.users = Some(Names::users()),
            'V' => return Err(options.version()),
            _ => {}
        }
    }
    let operands = options.operands();
    tree.processes = proc::all()?;
    if let Some(pid) = highlighted {
        tree.bold = tree.above(pid);
    }
    let roots = match operands.as_slice() {
        [] => tree.tops(|_| true),
        [word] => match std::str::from_utf8(word).ok().and_then(|text| text.parse::<i32>().ok()) {
            Some(pid) => tree.processes.iter().filter(|p| p.pid == pid).map(|p| p.pid).collect(),
            None => {
                let unknown = || unknown_user(word);
                let uid = Names::users().id(word).ok_or_else(unknown)?;
                tree.tops(|p| p.uid == uid)
            }
        },
        _ => return Err(report::usage(1, "one process or user at most")),
    };
    if roots.is_empty() && !operands.is_empty() {
        return Err(report::die(1, "No processes found."));
    }
    for pid in roots {
        let mut node = tree.node(pid, None, 0);
        if parents {
            let above = tree.above(pid);
            for parent in above.into_iter().skip(1) {
                let alone = tree.alone(parent);
                node = node.map(|child| Node { children: vec![child], ..alone });
            }
        }
        if let Some(node) = node {
            if tree.arguments {
                tree.draw_arguments(&node, &mut Vec::new());
            } else {
                tree.draw(&node, Vec::new(), String::new(), "");
            }
        }
    }
    report::finish(&mut tree.out, 0)
}

/// The columns of the terminal, of `COLUMNS`, or the usual number.
fn screen() -> usize {
    let said = getenv(b"COLUMNS").and_then(|text| String::from_utf8(text).ok()?.parse().ok()).filter(|n| *n > 0);
    said.or_else(|| window(STDOUT).map(|w| w.columns.into()).filter(|n| *n > 0)).unwrap_or(USUAL_WIDTH)
}

impl Tree {
    fn find(&self, pid: i32) -> Option<&Process> {
        self.processes.iter().find(|p| p.pid == pid)
    }

    /// Those that nobody who counts is above; with process 1, that one.
    fn tops(&self, counts: impl Fn(&Process) -> bool) -> Vec<i32> {
        let is_top = |p: &&Process| counts(p) && !self.find(p.ppid).is_some_and(&counts);
        let tops: Vec<i32> = self.processes.iter().filter(is_top).map(|p| p.pid).collect();
        // Beside process 1 there may be threads of a kernel, which are nobody's.
        if tops.contains(&1) { vec![1] } else { tops }
    }

    /// A process and those above it.
    fn above(&self, pid: i32) -> Vec<i32> {
        let mut found = Vec::new();
        let mut next = self.find(pid);
        while let Some(p) = next.filter(|p| !found.contains(&p.pid)) {
            found.push(p.pid);
            next = self.find(p.ppid);
        }
        found
    }

    fn alone(&mut self, pid: i32) -> Node {
        let label = self.label(pid, None);
        Node { label, bold: self.bold.contains(&pid), times: 1, children: Vec::new() }
    }

    fn node(&mut self, pid: i32, parent: Option<u32>, depth: usize) -> Option<Node> {
        let uid = self.find(pid)?.uid;
        let mut node = Node { label: self.label(pid, parent), ..self.alone(pid) };
        let mut below: Vec<(Vec<u8>, i32)> =
            self.processes.iter().filter(|p| p.ppid == pid && p.pid != pid).map(|p| (p.comm.clone(), p.pid)).collect();
        match self.by_number {
            true => below.sort_by_key(|child| child.1),
            false => below.sort(),
        }
        if depth == DEEPEST {
            below.clear();
        }
        for (_, child) in below {
            let Some(child) = self.node(child, Some(uid), depth + 1) else { continue };
            match node.children.iter_mut().find(|known| self.compact && known.is_like(&child)) {
                Some(known) => known.times += 1,
                None => node.children.push(child),
            }
        }
        Some(node)
    }

    /// The name with its numbers and arguments.
    fn label(&mut self, pid: i32, parent: Option<u32>) -> Vec<u8> {
        let Some(p) = self.processes.iter().find(|p| p.pid == pid) else { return Vec::new() };
        let mut notes = Vec::new();
        if self.pids {
            notes.push(p.pid.to_string());
        }
        if self.groups {
            notes.push(p.pgrp.to_string());
        }
        if let Some(names) = &mut self.users
            && parent.is_some_and(|uid| uid != p.uid)
        {
            notes.push(names.name(p.uid).unwrap_or_else(|| p.uid.to_string()));
        }
        let mut label = p.comm.clone();
        for (i, note) in notes.iter().enumerate() {
            label.push(if i > 0 || self.arguments { b',' } else { b'(' });
            label.extend_from_slice(note.as_bytes());
        }
        if !notes.is_empty() && !self.arguments {
            label.push(b')');
        }
        if self.arguments {
            for word in p.argv.iter().skip(1) {
                label.push(b' ');
                for &b in word {
                    match b {
                        b'\\' => label.extend(b"\\\\"),
                        0..=31 | 127 => label.extend(format!("\\{b:03o}").as_bytes()),
                        b => label.push(b),
                    }
                }
            }
        }
        label
    }

    /// One process behind another: `a---b`, `a-+-b`. `indent` is what stands in front of the lines below.
    fn draw(&mut self, node: &Node, mut line: Vec<u8>, mut indent: String, closing: &str) {
        let before = columns(&line);
        let mut closing = closing.to_owned();
        if node.times > 1 {
            line.extend(format!("{}*[", node.times).as_bytes());
            closing.insert(0, ']');
        }
        if node.bold {
            line.extend(b"\x1b[1m");
        }
        line.extend(&node.label);
        if node.bold {
            line.extend(b"\x1b[0m");
        }
        indent += &" ".repeat(columns(&line).saturating_sub(before));
        let count = node.children.len();
        if count == 0 {
            line.extend(closing.as_bytes());
            return self.write(&line);
        }
        for (i, child) in node.children.iter().enumerate() {
            let (piece, below) = match (i, i + 1 == count) {
                (0, true) => (self.lines.only, "   "),
                (0, false) => (self.lines.first, self.lines.down),
                (_, true) => (self.lines.last, "   "),
                (_, false) => (self.lines.between, self.lines.down),
            };
            let mut start = if i == 0 { std::mem::take(&mut line) } else { indent.clone().into_bytes() };
            start.extend(piece.as_bytes());
            let closing = if i + 1 == count { closing.as_str() } else { "" };
            self.draw(child, start, format!("{indent}{below}"), closing);
        }
    }

    /// One process a line; `more` tells, for each level, whether others follow there.
    fn draw_arguments(&mut self, node: &Node, more: &mut Vec<bool>) {
        let mut line = String::new();
        for (i, others) in more.iter().enumerate() {
            let last = i + 1 == more.len();
            let piece = match (last, others) {
                (true, true) => self.lines.between,
                (true, false) => self.lines.last,
                (false, true) => self.lines.down,
                (false, false) => "   ",
            };
            line += " ";
            line += piece;
        }
        self.write(&[line.as_bytes(), &node.label].concat());
        for (i, child) in node.children.iter().enumerate() {
            more.push(i + 1 < node.children.len());
            self.draw_arguments(child, more);
            more.pop();
        }
    }

    /// A line, cut where the screen ends.
    fn write(&mut self, line: &[u8]) {
        if columns(line) <= self.width {
            self.out.write(line);
        } else {
            let (text, mut column) = (String::from_utf8_lossy(line), 0);
            let room = if self.arguments { self.width } else { self.width - 1 };
            let fits = text.chars().take_while(|c| {
                column += width(*c);
                column <= room
            });
            let mut text: String = fits.collect();
            if !self.arguments {
                text.push('+');
            }
            self.out.write(text.as_bytes());
        }
        self.out.byte(b'\n');
    }
}

/// Columns on the screen; what switches character sets or colours has none.
fn columns(text: &[u8]) -> usize {
    let (mut count, mut escape, mut before) = (0, false, ' ');
    for c in String::from_utf8_lossy(text).chars() {
        match c {
            '\x1b' => escape = true,
            'm' if escape => escape = false,
            // The end of ESC ( 0 and ESC ( B.
            '0' | 'B' if escape && before == '(' => escape = false,
            '\x0f' => {}
            c if !escape => count += width(c),
            _ => {}
        }
        before = c;
    }
    count
}
