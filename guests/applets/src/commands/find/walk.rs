//! The walk: a stack of directories whose entries are read at once, so that neither depth nor deletion disturbs it.

use super::expr::{Context, Expr, File, evaluate, stat_or_link};
use super::{Follow, Settings, exec};
use crate::quote::locale;
use crate::{Outcome, report};
use capsule_sys::{Errno, FileType, Stat, lstat, read_dir, stat};

/// A directory on the way down.
struct Level {
    /// Names, each behind its type and length: a million entries are one allocation.
    entries: Vec<u8>,
    at: usize,
    /// How long the directory's own path is.
    path: usize,
    file: Known,
}

/// What is known of a file when it is met.
#[derive(Clone, Copy)]
struct Known {
    kind: FileType,
    stat: Option<Stat>,
    depth: usize,
}

pub struct Walk {
    settings: Settings,
    expr: Expr,
    context: Context,
    path: Vec<u8>,
    start: usize,
    /// The device of the starting point, for `-xdev`.
    device: u64,
}

impl Walk {
    pub fn new(settings: Settings, expr: Expr, mut context: Context) -> Walk {
        context.ignore_race = settings.ignore_race;
        context.depth_first = settings.depth_first;
        Walk { settings, expr, context, path: Vec::new(), start: 0, device: 0 }
    }

    pub fn starts_from(&self) -> Option<Vec<u8>> {
        self.settings.starts_from.clone()
    }

    pub fn failed(&mut self) {
        self.context.status = 1;
    }

    /// Walks one starting point.
    pub fn start(&mut self, path: &[u8]) {
        if self.context.quit {
            return;
        }
        self.path = path.to_vec();
        self.start = path.len();
        let follow = self.settings.follow != Follow::Never;
        let answer = if follow { stat_or_link(path) } else { lstat(path) };
        let found = match answer {
            Ok(found) => found,
            Err(e) => return self.context.fault(path, e),
        };
        self.device = found.dev;
        self.tree(Known { kind: found.kind, stat: Some(found), depth: 0 });
    }

    fn tree(&mut self, root: Known) {
        let mut stack: Vec<Level> = Vec::new();
        self.meet(root, &mut stack);
        while let Some(level) = stack.last_mut() {
            if self.context.quit {
                return;
            }
            self.path.truncate(level.path);
            let Some(kind) = next_entry(level, &mut self.path) else {
                self.path.truncate(level.path);
                let file = level.file;
                stack.pop();
                if self.settings.depth_first {
                    self.evaluate(file);
                }
                continue;
            };
            let depth = level.file.depth + 1;
            let mut known = Known { kind, stat: None, depth };
            if self.settings.follow == Follow::Always && kind == FileType::Symlink {
                match stat_or_link(&self.path) {
                    Ok(found) => known = Known { kind: found.kind, stat: Some(found), depth },
                    Err(e) => {
                        self.context.fault(&self.path, e);
                        continue;
                    }
                }
            }
            self.meet(known, &mut stack);
        }
    }

    /// One file: evaluated, and entered when it is a directory.
    fn meet(&mut self, mut known: Known, stack: &mut Vec<Level>) {
        let enter = known.kind == FileType::Directory && known.depth < self.settings.most;
        if enter && self.looped(&mut known, stack) {
            return;
        }
        self.context.prune = false;
        if !self.settings.depth_first {
            self.evaluate(known);
            if self.context.quit || self.context.prune {
                return;
            }
        }
        if !enter || self.other_system(&mut known) {
            if self.settings.depth_first {
                self.evaluate(known);
            }
            return;
        }
        match read_entries(&self.path) {
            Ok(entries) => stack.push(Level { entries, at: 0, path: self.path.len(), file: known }),
            Err(Errno::ENOENT) if self.settings.ignore_race => {}
            Err(e) => {
                let path = std::mem::take(&mut self.path);
                self.context.fault(&path, e);
                self.path = path;
                if self.settings.depth_first {
                    self.evaluate(known);
                }
            }
        }
    }

    fn evaluate(&mut self, known: Known) {
        if known.depth < self.settings.least || self.context.quit {
            return;
        }
        let follow = match self.settings.follow {
            Follow::Never => false,
            Follow::Named => known.depth == 0,
            Follow::Always => true,
        };
        let Known { kind, stat, depth } = known;
        let mut file = File { path: &self.path, start: self.start, depth, kind, follow, stat };
        evaluate(&mut self.expr, &mut file, &mut self.context);
    }

    /// Whether this directory is one that we are in already: only links lead there.
    fn looped(&mut self, known: &mut Known, stack: &[Level]) -> bool {
        if self.settings.follow != Follow::Always {
            return false;
        }
        if known.stat.is_none() {
            known.stat = stat(&self.path).ok();
        }
        let same = |level: &&Level| match (level.file.stat, known.stat) {
            (Some(a), Some(b)) => (a.dev, a.ino) == (b.dev, b.ino),
            _ => false,
        };
        let Some(level) = stack.iter().find(same) else { return false };
        self.context.flush();
        report::error(format_args!(
            "File system loop detected; {} is part of the same file system loop as {}.",
            locale(&self.path),
            locale(&self.path[..level.path])
        ));
        self.context.status = 1;
        true
    }

    fn other_system(&mut self, known: &mut Known) -> bool {
        if !self.settings.one_system {
            return false;
        }
        if known.stat.is_none() {
            known.stat = lstat(&self.path).ok();
        }
        known.stat.is_some_and(|s| s.dev != self.device)
    }

    /// What was gathered for `-exec … +` runs, and everything is written.
    pub fn finish(mut self) -> Outcome {
        exec::finish(&mut self.context);
        let mut status = self.context.status;
        for output in &mut self.context.outputs[1..] {
            if let Err(e) = output.out.flush() {
                report::fault(locale(&output.name), e);
                status = 1;
            }
        }
        match self.context.outputs[0].out.flush() {
            Ok(()) => Ok(status),
            Err(e) => {
                report::fault(locale(b"standard output"), e);
                // That it cannot even be closed is a reason; what was told above is not told again.
                match e {
                    Errno::EBADF => Err(report::die(1, format_args!("write error: {e}"))),
                    _ => Err(report::die(1, "write error")),
                }
            }
        }
    }
}

fn read_entries(path: &[u8]) -> Result<Vec<u8>, Errno> {
    let mut entries = Vec::new();
    for entry in read_dir(path)? {
        let entry = entry?;
        entries.push((entry.kind.mode_bits() >> 12) as u8);
        entries.push(entry.name.len().min(255) as u8);
        entries.extend_from_slice(&entry.name[..entry.name.len().min(255)]);
    }
    Ok(entries)
}

/// Appends the next name to the path; its type.
fn next_entry(level: &mut Level, path: &mut Vec<u8>) -> Option<FileType> {
    let rest = &level.entries[level.at..];
    let (&kind, &length) = (rest.first()?, rest.get(1)?);
    let name = rest.get(2..2 + usize::from(length))?;
    level.at += 2 + name.len();
    if path.last() != Some(&b'/') {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    FileType::from_mode(u32::from(kind) << 12)
}
