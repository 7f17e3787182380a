//! What is compared with what: two files, a file and a directory, two trees.

use super::hunks::{self, Functions};
use super::style::Painter;
use super::{Settings, Style, TROUBLE, edit, format, side};
use crate::calendar::{Moment, Zone};
use crate::compare::{self, Change, Space, Text, changes, is_binary};
use crate::input::{base_name, join};
use crate::{Outcome, glob, program, quote, report};
use capsule_sys::{
    Errno, FdAction, FileType, OpenFlags, Out, STDIN, Stat, Time, fstat, lstat, now, open, pipe, read_dir, read_to_end,
    readlink, stat, wait,
};
use std::collections::BTreeMap;

/// One of the two files.
pub struct Side {
    path: Vec<u8>,
    stat: Option<Stat>,
    label: Option<Vec<u8>>,
}

impl Side {
    /// What stands behind `---`: the label, or the name and the time.
    pub fn header(&self, unified: bool) -> Vec<u8> {
        if let Some(label) = &self.label {
            return label.clone();
        }
        let time = match &self.stat {
            // Nobody knows how old what comes through a pipe is, and other input is treated alike.
            Some(_) if self.path == b"-" => now(),
            Some(s) => s.mtime,
            None => Time { sec: 0, nsec: 0 },
        };
        // The older style keeps the older date where no locale asks for another.
        let format: &[u8] = match unified || quote::has_locale(b"LC_TIME") {
            true => b"%Y-%m-%d %H:%M:%S.%N %z",
            false => b"%a %b %e %H:%M:%S %Y",
        };
        let date = Moment::new(time.sec, time.nsec, &Zone::local()).format(format);
        [quoted(&self.path).as_slice(), b"\t", &date].concat()
    }

    /// The label, or the name.
    fn title(&self) -> &[u8] {
        self.label.as_ref().unwrap_or(&self.path)
    }

    fn kind(&self) -> Option<FileType> {
        self.stat.as_ref().map(|s| s.kind)
    }

    fn read(&self) -> Result<Vec<u8>, Errno> {
        match &self.stat {
            None => Ok(Vec::new()),
            Some(_) if self.path == b"-" => read_to_end(STDIN),
            Some(_) => {
                let file = open(&self.path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)?;
                read_to_end(file.raw())
            }
        }
    }
}

/// A name that would confuse whoever reads the header is written as C would.
fn quoted(name: &[u8]) -> Vec<u8> {
    if !name.iter().any(|&b| b <= b' ' || b == b'"' || b == b'\\') {
        return name.to_vec();
    }
    let mut text = vec![b'"'];
    for &byte in name {
        match byte {
            7 => text.extend(b"\\a"),
            8 => text.extend(b"\\b"),
            b'\t' => text.extend(b"\\t"),
            b'\n' => text.extend(b"\\n"),
            11 => text.extend(b"\\v"),
            12 => text.extend(b"\\f"),
            b'\r' => text.extend(b"\\r"),
            b'"' | b'\\' => text.extend([b'\\', byte]),
            0..=31 => text.extend(format!("\\{byte:03o}").bytes()),
            _ => text.push(byte),
        }
    }
    text.push(b'"');
    text
}

/// A name as the first and as the second directory have it.
type Names = (Option<Vec<u8>>, Option<Vec<u8>>);

/// A pair of directories on the way down.
struct Level {
    a: Side,
    b: Side,
    names: std::vec::IntoIter<Names>,
}

pub struct Differ {
    settings: Settings,
    out: Out,
    status: u8,
}

impl Differ {
    pub fn new(settings: Settings, out: Out) -> Differ {
        Differ { settings, out, status: 0 }
    }

    pub fn finish(mut self) -> Outcome {
        report::finish(&mut self.out, self.status)
    }

    fn differs(&mut self) {
        self.status = self.status.max(1);
    }

    fn trouble(&mut self, path: &[u8], errno: Errno) {
        let _ = self.out.flush();
        report::fault(quote::raw(path), errno);
        self.status = TROUBLE;
    }

    fn stat(&self, path: &[u8]) -> Result<Stat, Errno> {
        match path {
            b"-" => fstat(STDIN),
            _ if self.settings.dereference => stat(path),
            _ => lstat(path),
        }
    }

    /// Two operands.
    pub fn compare(&mut self, a: &[u8], b: &[u8]) {
        let (first, second) = (self.stat(a), self.stat(b));
        let may_lack = [self.settings.new_file || self.settings.new_first, self.settings.new_file];
        let mut failed = false;
        let missing = |answer: &Result<Stat, Errno>, other: &Result<Stat, Errno>, may: bool| {
            answer == &Err(Errno::ENOENT) && other.is_ok() && may
        };
        for (path, answer, other, may) in [(a, &first, &second, may_lack[0]), (b, &second, &first, may_lack[1])] {
            if let Err(e) = answer
                && !missing(answer, other, may)
            {
                self.trouble(path, *e);
                failed = true;
            }
        }
        if failed {
            return;
        }
        let mut sides = [(a.to_vec(), first.ok()), (b.to_vec(), second.ok())];
        let directory = |s: &Option<Stat>| s.is_some_and(|s| s.kind == FileType::Directory);
        let is_dir = [directory(&sides[0].1), directory(&sides[1].1)];
        if is_dir[0] != is_dir[1] && sides.iter().all(|s| s.1.is_some()) {
            let (dir, file) = if is_dir[0] { (0, 1) } else { (1, 0) };
            if sides[file].0 == b"-" {
                let _ = self.out.flush();
                report::error("cannot compare '-' to a directory");
                self.status = TROUBLE;
                return;
            }
            let path = join(&sides[dir].0, base_name(&sides[file].0));
            match self.stat(&path) {
                Ok(found) => sides[dir] = (path, Some(found)),
                Err(e) => return self.trouble(&path, e),
            }
        }
        let [a, b] = sides.map(|(path, stat)| Side { path, stat, label: None });
        if let Some(level) = self.pair(a, b, 0, &[]) {
            self.tree(level);
        }
    }

    fn tree(&mut self, root: Level) {
        let mut stack = vec![root];
        while let Some(level) = stack.last_mut() {
            let Some((a, b)) = level.names.next() else {
                stack.pop();
                continue;
            };
            let (in_a, in_b) = (a.is_some(), b.is_some());
            let a_name = a.clone().or_else(|| b.clone()).unwrap_or_default();
            let b_name = b.or(a).unwrap_or_default();
            let (dir_a, dir_b) = (level.a.path.clone(), level.b.path.clone());
            let (a, b) = (join(&dir_a, &a_name), join(&dir_b, &b_name));
            let lone = in_a != in_b;
            let counts_as_empty = self.settings.new_file || (self.settings.new_first && !in_a);
            if lone && !counts_as_empty {
                let (dir, name) = if in_a { (&dir_a, &a_name) } else { (&dir_b, &b_name) };
                self.out.write(&[b"Only in ", dir.as_slice(), b": ", name, b"\n"].concat());
                self.differs();
                continue;
            }
            let found = |differ: &mut Differ, path: &[u8], there: bool| -> Option<Option<Stat>> {
                if !there {
                    return Some(None);
                }
                match differ.stat(path) {
                    Ok(s) => Some(Some(s)),
                    Err(e) => {
                        differ.trouble(path, e);
                        None
                    }
                }
            };
            let (stat_a, stat_b) = (found(self, &a, in_a), found(self, &b, in_b));
            let (Some(stat_a), Some(stat_b)) = (stat_a, stat_b) else { continue };
            let depth = stack.len();
            let (a, b) = (Side { path: a, stat: stat_a, label: None }, Side { path: b, stat: stat_b, label: None });
            if let Some(next) = self.pair(a, b, depth, &stack) {
                stack.push(next);
            }
        }
    }

    /// Two things that may be compared; directories are handed back.
    fn pair(&mut self, a: Side, b: Side, depth: usize, above: &[Level]) -> Option<Level> {
        let directory = |side: &Side| side.kind() == Some(FileType::Directory);
        let both = (directory(&a) || a.stat.is_none()) && (directory(&b) || b.stat.is_none());
        if both {
            if depth == 0 && self.settings.style == Style::Formatted {
                report::error("-D option not supported with directories");
                self.status = TROUBLE;
                return None;
            }
            let same_directory = matches!((&a.stat, &b.stat), (Some(x), Some(y)) if (x.dev, x.ino) == (y.dev, y.ino));
            if same_directory && depth == 0 {
                return None;
            }
            if depth > 0 && !self.settings.recursive {
                let text = [b"Common subdirectories: ", a.path.as_slice(), b" and ", &b.path, b"\n"].concat();
                self.out.write(&text);
                return None;
            }
            let same = |x: &Side, y: &Side| match (&x.stat, &y.stat) {
                (Some(x), Some(y)) => (x.dev, x.ino) == (y.dev, y.ino),
                _ => false,
            };
            // Only links lead back to where we are.
            if let Some(path) = above
                .iter()
                .find_map(|l| if same(&l.a, &a) { Some(&a.path) } else { same(&l.b, &b).then_some(&b.path) })
            {
                let _ = self.out.flush();
                report::error(format_args!("{}: recursive directory loop", quote::raw(path)));
                self.status = TROUBLE;
                return None;
            }
            return self.level(a, b, depth);
        }
        let (Some(x), Some(y)) = (&a.stat, &b.stat) else {
            self.files(a, b, depth);
            return None;
        };
        if x.kind == FileType::Symlink && y.kind == FileType::Symlink {
            if readlink(&a.path) != readlink(&b.path) {
                let text = [b"Symbolic links ", a.path.as_slice(), b" and ", &b.path, b" differ\n"].concat();
                self.out.write(&text);
                self.differs();
            }
            return None;
        }
        let comparable = |s: &Stat| s.kind == FileType::Regular || depth == 0 && s.kind != FileType::Directory;
        if comparable(x) && comparable(y) {
            self.files(a, b, depth);
            return None;
        }
        for (before, path, kind) in [("File ", &a.path, kind(x)), (" while file ", &b.path, kind(y))] {
            [before.as_bytes(), path, b" is a ", kind.as_bytes()].iter().for_each(|text| self.out.write(text));
        }
        self.out.byte(b'\n');
        self.differs();
        None
    }

    /// The names of two directories side by side.
    fn level(&mut self, a: Side, b: Side, depth: usize) -> Option<Level> {
        let mut names: BTreeMap<Vec<u8>, Names> = BTreeMap::new();
        let mut failed = false;
        for (first, side) in [(true, &a), (false, &b)] {
            if side.stat.is_none() {
                continue;
            }
            let entries = match read_dir(&side.path).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
                Ok(entries) => entries,
                Err(e) => {
                    self.trouble(&side.path, e);
                    failed = true;
                    continue;
                }
            };
            for entry in entries {
                if self.settings.exclude.iter().any(|p| glob::matches(p, &entry.name, false)) {
                    continue;
                }
                let key = if self.settings.name_case { entry.name.clone() } else { entry.name.to_ascii_lowercase() };
                let pair = names.entry(key).or_default();
                *if first { &mut pair.0 } else { &mut pair.1 } = Some(entry.name);
            }
        }
        if failed {
            return None;
        }
        if let (0, Some(start)) = (depth, &self.settings.start) {
            names = names.split_off(start);
        }
        let names: Vec<_> = names.into_values().collect();
        Some(Level { a, b, names: names.into_iter() })
    }

    fn files(&mut self, mut a: Side, mut b: Side, depth: usize) {
        a.label = self.settings.labels.first().cloned();
        b.label = self.settings.labels.get(1).cloned();
        let plain = a.path != b"-" && b.path != b"-";
        let same_file = match (&a.stat, &b.stat) {
            (Some(x), Some(y)) => (x.dev, x.ino) == (y.dev, y.ino) && x.kind == FileType::Regular,
            _ => false,
        };
        // The styles that show common lines read even a file that is compared with itself.
        let shows_all = matches!(self.settings.style, Style::Side | Style::Formatted) && !self.settings.brief;
        // Standard input is the same as itself without being read.
        let both_standard = a.path == b"-" && b.path == b"-";
        if (both_standard || (same_file && plain)) && !shows_all {
            return self.identical(&a, &b);
        }
        let first = a.read();
        let second = if a.path == b"-" && b.path == b"-" { first.clone() } else { b.read() };
        let (x, y) = match (first, second) {
            (Ok(x), Ok(y)) => (x, y),
            (Err(e), _) => return self.trouble(&a.path, e),
            (_, Err(e)) => return self.trouble(&b.path, e),
        };
        let same = compare::same(&x, &y);
        if !self.settings.text && (is_binary(&x) || is_binary(&y)) && !(same && shows_all) {
            if same {
                return self.identical(&a, &b);
            }
            let what: &[u8] = if self.settings.brief { b"Files " } else { b"Binary files " };
            self.out.write(&[what, a.title(), b" and ", b.title(), b" differ\n"].concat());
            return self.differs();
        }
        let ed = matches!(self.settings.style, Style::Ed | Style::ForwardEd) && !self.settings.brief;
        if same && !shows_all && !(ed && x.last().is_some_and(|&byte| byte != b'\n')) {
            return self.identical(&a, &b);
        }
        let (mut x, mut y) = (Text::new(x), Text::new(y));
        if self.settings.strip_cr {
            x.strip_carriage_returns();
            y.strip_carriage_returns();
        }
        let changes = changes(&x, &y, &self.settings.ignore, self.settings.effort);
        let changes: Vec<(Change, bool)> = changes.into_iter().map(|c| (c, self.ignorable(&c, &x, &y))).collect();
        let differ = changes.iter().any(|c| !c.1);
        if !differ && !shows_all && !(ed && (x.incomplete || y.incomplete)) {
            return self.identical(&a, &b);
        }
        if differ {
            self.differs();
        }
        if self.settings.brief {
            if differ {
                self.out.write(&[b"Files ", a.title(), b" and ", b.title(), b" differ\n"].concat());
            }
            return;
        }
        let switches = self.settings.switches.as_bytes();
        let title = [b"diff", switches, b" ", &quoted(a.title()), b" ", &quoted(b.title())].concat();
        if self.settings.paginate {
            self.print_pages(title, &a, &b, &x, &y, &changes);
        } else {
            if depth > 0 && (differ || !shows_all) {
                self.out.write(&title);
                self.out.byte(b'\n');
            }
            self.print(&a, &b, &x, &y, &changes);
        }
        if !differ {
            self.identical(&a, &b);
        }
    }

    /// The same through `pr`, under this title.
    fn print_pages(&mut self, title: Vec<u8>, a: &Side, b: &Side, x: &Text, y: &Text, changes: &[(Change, bool)]) {
        let _ = self.out.flush();
        let started = pipe(OpenFlags::CLOEXEC).and_then(|(reader, writer)| {
            let stdin = FdAction::Dup2 { from: reader.raw(), to: STDIN };
            let child = program::start(&[b"pr".to_vec(), b"-h".to_vec(), title], vec![stdin])?;
            Ok((child, writer))
        });
        let Ok((child, writer)) = started else {
            report::error("subsidiary program 'pr' not found");
            self.status = TROUBLE;
            return;
        };
        let standard = std::mem::replace(&mut self.out, Out::new(writer.raw()));
        self.print(a, b, x, y, changes);
        let mut pages = std::mem::replace(&mut self.out, standard);
        let _ = pages.flush();
        drop(writer);
        if wait(child, 0).ok().flatten().is_none_or(|waited| waited.status.shell_code() != 0) {
            report::error("subsidiary program 'pr' failed");
            self.status = TROUBLE;
        }
    }

    fn print(&mut self, a: &Side, b: &Side, x: &Text, y: &Text, changes: &[(Change, bool)]) {
        let settings = &self.settings;
        let mut painter = Painter { out: &mut self.out, settings };
        let shown = || changes.iter().filter(|c| !c.1).map(|c| &c.0);
        match settings.style {
            Style::Normal => shown().for_each(|c| hunks::normal(&mut painter, x, y, c)),
            Style::Context | Style::Unified => {
                let unified = settings.style == Style::Unified;
                hunks::header(&mut painter, if unified { ["---", "+++"] } else { ["***", "---"] }, [a, b]);
                let mut functions = Functions::new();
                for group in hunks::groups(changes, settings.context) {
                    if group.iter().all(|c| c.1) {
                        continue;
                    }
                    let print = if unified { hunks::unified } else { hunks::context };
                    print(&mut painter, x, y, group, &mut functions);
                }
            }
            Style::Ed => shown().collect::<Vec<_>>().into_iter().rev().for_each(|c| edit::ed(&mut self.out, y, c)),
            Style::ForwardEd => shown().for_each(|c| edit::forward(&mut self.out, y, c)),
            Style::Rcs => shown().for_each(|c| edit::rcs(&mut self.out, y, c)),
            Style::Side => {
                let colors = settings.color.then_some(&settings.palette);
                side::print(&settings.columns, &mut self.out, x, y, changes, colors);
            }
            Style::Formatted => format::print(&settings.formats, &mut self.out, x, y, changes),
        }
        if matches!(self.settings.style, Style::Ed | Style::ForwardEd) {
            for (side, text) in [(a, x), (b, y)] {
                if text.incomplete {
                    let _ = self.out.flush();
                    let name = quote::raw(&side.path);
                    report::error(format_args!("{name}: No newline at end of file\n"));
                    self.status = TROUBLE;
                }
            }
        }
    }

    fn identical(&mut self, a: &Side, b: &Side) {
        if self.settings.report_same {
            self.out.write(&[b"Files ", a.title(), b" and ", b.title(), b" are identical\n"].concat());
        }
    }

    /// Whether -B and -I let a change pass: every line of it is blank or matches.
    fn ignorable(&self, change: &Change, x: &Text, y: &Text) -> bool {
        let settings = &self.settings;
        if !settings.blank_lines && settings.ignored.is_empty() {
            return false;
        }
        let blanks = settings.ignore.space >= Space::Amount;
        let trivial = |line: &[u8]| {
            let rest = if blanks { line.trim_ascii_start() } else { line };
            (settings.blank_lines && rest.is_empty()) || settings.ignored.iter().any(|r| r.is_match(line))
        };
        (change.a..change.a + change.deleted).all(|n| trivial(x.content(n)))
            && (change.b..change.b + change.inserted).all(|n| trivial(y.content(n)))
    }
}

fn kind(s: &Stat) -> &'static str {
    match s.kind {
        FileType::Regular if s.size == 0 => "regular empty file",
        FileType::Regular => "regular file",
        FileType::Directory => "directory",
        FileType::Symlink => "symbolic link",
        FileType::Fifo => "fifo",
        FileType::CharDevice => "character special file",
        FileType::BlockDevice => "block special file",
        FileType::Socket => "socket",
    }
}
