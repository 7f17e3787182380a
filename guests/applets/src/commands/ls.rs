//! Listing directories: `options` reads the command line, this file gathers, `sort` orders, `long`, `columns` and `color`
//! show.

use crate::input::join;
use crate::quote::{STYLES, quoted};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Errno, FileType, Out, Stat, lstat, read_dir, readlink, stat};

mod color;
mod columns;
mod help;
mod long;
mod name;
mod options;
mod sort;
mod values;

use color::Colors;
pub use help::HELP;
pub use long::{major, minor};
use options::{Deref, Format, Hidden, Settings};

/// Something that could not be reached below a directory.
const MINOR: u8 = 1;
/// An operand that could not be reached.
const SERIOUS: u8 = 2;

/// One line of the listing.
pub struct Entry {
    name: Vec<u8>,
    kind: Option<FileType>,
    stat: Option<Stat>,
    /// Where a symbolic link points, and what is there.
    target: Option<(Vec<u8>, Option<Stat>)>,
    /// The name as it is shown.
    shown: name::Shown,
}

impl Entry {
    fn is_dir(&self) -> bool {
        self.kind == Some(FileType::Directory)
    }

    /// A directory, or a link to one.
    fn leads_to_dir(&self) -> bool {
        let target = self.target.as_ref().and_then(|t| t.1.as_ref());
        self.is_dir() || target.is_some_and(|s| s.kind == FileType::Directory)
    }
}

struct Listing {
    settings: Settings,
    colors: Option<Colors>,
    long: long::Long,
    out: Out,
    status: u8,
    /// Directories still to be listed, the next one last.
    pending: Vec<(Vec<u8>, bool)>,
    /// Where titles begin and end, for --dired.
    titles: Vec<u64>,
    /// Directories on the way here: `-LR` must not run in circles.
    open: Vec<(Vec<u8>, u64, u64)>,
}

pub fn main(args: &Args) -> Outcome {
    let (settings, operands) = options::read(args)?;
    let colors = if settings.color { Colors::load() } else { None };
    let mut ls = Listing {
        long: long::Long::new(&settings),
        settings,
        colors,
        out: Out::stdout(),
        status: 0,
        pending: Vec::new(),
        titles: Vec::new(),
        open: Vec::new(),
    };
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    if operands.is_empty() {
        if ls.settings.directory {
            files.extend(ls.operand(b"."));
        } else {
            ls.pending.push((b".".to_vec(), true));
        }
    }
    for operand in &operands {
        files.extend(ls.operand(operand));
    }
    sort::sort(&mut files, &ls.settings);
    if !ls.settings.directory {
        for entry in files.iter().rev().filter(|e| e.is_dir()) {
            ls.pending.push((entry.name.clone(), true));
        }
        // Their lines are not shown, but count for the widths of columns, as in GNU's.
        (files, directories) = files.into_iter().partition(|e| !e.is_dir());
    }
    // A single directory needs no title; several, or one beside files, do.
    let titled = ls.settings.recursive || operands.len() > 1 || !files.is_empty();
    let mut first = files.is_empty();
    if !files.is_empty() {
        ls.show(files, directories);
    }
    while let Some((path, operand)) = ls.pending.pop() {
        ls.directory(&path, operand, titled, &mut first);
        report::writable(&ls.out)?;
    }
    if let Some(colors) = &mut ls.colors {
        colors.finish(&mut ls.out);
    }
    if ls.settings.dired {
        ls.tell_places();
    }
    let status = ls.status;
    report::finish(&mut ls.out, status).map_err(|_| Exit(SERIOUS))
}

impl Listing {
    /// What --dired adds: where names and titles are, and how they are quoted.
    fn tell_places(&mut self) {
        for (what, places) in [("DIRED", &self.long.marks), ("SUBDIRED", &self.titles)] {
            if !places.is_empty() {
                let places: String = places.iter().map(|place| format!(" {place}")).collect();
                self.out.write(format!("//{what}//{places}\n").as_bytes());
            }
        }
        let style = STYLES.iter().find(|style| style.1 == self.settings.style).map_or("", |style| style.0);
        self.out.write(format!("//DIRED-OPTIONS// --quoting-style={style}\n").as_bytes());
    }

    fn fail(&mut self, status: u8, what: &str, path: &[u8], e: Errno) {
        let _ = self.out.flush();
        report::fault(format_args!("{what} {}", quoted(path)), e);
        self.status = self.status.max(status);
    }

    /// An operand; none when it cannot be reached.
    fn operand(&mut self, path: &[u8]) -> Option<Entry> {
        let found = match self.settings.deref {
            Deref::Always | Deref::CommandLine => stat(path),
            Deref::CommandLineDir => match stat(path) {
                Ok(s) if s.kind == FileType::Directory => Ok(s),
                Err(e) if e != Errno::ENOENT => Err(e),
                _ => lstat(path),
            },
            Deref::Never => lstat(path),
        };
        match found {
            Ok(s) => Some(self.entry(path.to_vec(), path, Some(s), None)),
            Err(e) => {
                self.fail(SERIOUS, "cannot access", path, e);
                None
            }
        }
    }

    fn entry(&self, name: Vec<u8>, path: &[u8], stat_: Option<Stat>, kind: Option<FileType>) -> Entry {
        let kind = stat_.map(|s| s.kind).or(kind);
        let wants_target = self.settings.format == Format::Long
            || self.settings.directories_first
            || self.colors.is_some()
            || self.settings.indicator == options::Indicator::Classify;
        let wants_target = wants_target && (stat_.is_some() || self.settings.deref != Deref::Always);
        let target = (kind == Some(FileType::Symlink) && wants_target)
            .then(|| (readlink(path).unwrap_or_default(), stat(path).ok()));
        let mut shown = name::Shown::new(&name, &self.settings);
        shown.link = self.settings.host.as_ref().and_then(|host| name::address(host, path));
        Entry { name, kind, stat: stat_, target, shown }
    }

    fn directory(&mut self, path: &[u8], operand: bool, titled: bool, first: &mut bool) {
        let dir = match read_dir(path) {
            Ok(dir) => dir,
            Err(e) => {
                let status = if operand { SERIOUS } else { MINOR };
                return self.fail(status, "cannot open directory", path, e);
            }
        };
        if self.settings.recursive {
            // Directories we are no longer in leave the list; one that is still there is a circle.
            self.open.retain(|(open, ..)| path.starts_with(open) && path.get(open.len()) == Some(&b'/'));
            if let Ok(s) = stat(path) {
                if self.open.iter().any(|(_, dev, ino)| (*dev, *ino) == (s.dev, s.ino)) {
                    let text = format!("{}: not listing already-listed directory", crate::quote::name(path));
                    let _ = self.out.flush();
                    report::error(text);
                    self.status = SERIOUS;
                    return;
                }
                self.open.push((path.to_vec(), s.dev, s.ino));
            }
        }
        let mut entries = Vec::new();
        if self.settings.hidden == Hidden::All {
            for name in [b".".as_slice(), b".."] {
                entries.extend(self.child(path, name, Some(FileType::Directory)));
            }
        }
        for found in dir {
            match found {
                Ok(found) if self.settings.lists(&found.name) => {
                    entries.extend(self.child(path, &found.name, Some(found.kind)));
                }
                Ok(_) => {}
                Err(e) => {
                    self.fail(MINOR, "reading directory", path, e);
                    break;
                }
            }
        }
        sort::sort(&mut entries, &self.settings);
        if titled {
            // The heading's lines are lines, with --zero, too.
            if !*first {
                self.out.byte(b'\n');
            }
            let mut title = name::Shown::new(path, &self.settings);
            title.link = self.settings.host.as_ref().and_then(|host| name::address(host, path));
            if self.settings.dired {
                self.out.write(b"  ");
                self.titles.extend(name::place(&title, &self.settings, &self.out));
            }
            self.out.write(&title.linked());
            self.out.write(b":\n");
        }
        *first = false;
        if self.settings.recursive {
            let below = entries.iter().rev().filter(|e| e.is_dir() && e.name != b"." && e.name != b"..");
            self.pending.extend(below.map(|e| (join(path, &e.name), false)));
        }
        if self.settings.format == Format::Long || self.settings.blocks {
            let blocks: u64 = entries.iter().filter_map(|e| e.stat).map(|s| s.blocks).sum();
            let total = self.settings.block_unit.show(blocks * 512);
            let indent = if self.settings.dired { "  " } else { "" };
            self.out.write(format!("{indent}total {total}").as_bytes());
            self.out.byte(self.settings.end());
        }
        self.show(entries, Vec::new());
    }

    /// An entry of a directory, looked at as closely as the listing needs; none when it is gone.
    fn child(&mut self, dir: &[u8], name: &[u8], kind: Option<FileType>) -> Option<Entry> {
        let path = if dir == b"." { name.to_vec() } else { join(dir, name) };
        let follow = self.settings.deref == Deref::Always;
        let look = self.settings.needs_stat
            || (follow && kind == Some(FileType::Symlink) && self.settings.needs_type(self.colors.is_some()))
            || (self.colors.is_some() && kind == Some(FileType::Directory))
            || (self.settings.needs_mode(self.colors.is_some()) && kind == Some(FileType::Regular));
        if !look {
            return Some(self.entry(name.to_vec(), &path, None, kind));
        }
        match if follow { stat(&path) } else { lstat(&path) } {
            Ok(s) => Some(self.entry(name.to_vec(), &path, Some(s), kind)),
            Err(e) => {
                self.fail(MINOR, "cannot access", &path, e);
                Some(self.entry(name.to_vec(), &path, None, kind))
            }
        }
    }

    /// Shows entries, in columns that would fit `others`, too.
    fn show(&mut self, mut entries: Vec<Entry>, others: Vec<Entry>) {
        let shown = entries.len();
        entries.extend(others);
        name::align(&mut entries, &self.settings);
        let colors = self.colors.as_mut();
        match self.settings.format {
            Format::Long => self.long.show(&entries, shown, &self.settings, colors, &mut self.out),
            _ => columns::show(&entries, shown, &self.settings, colors, &mut self.out),
        }
    }
}

/// Whether a regular file can be run, for `*` and its color.
fn executable(s: &Stat) -> bool {
    s.mode & 0o111 != 0
}
