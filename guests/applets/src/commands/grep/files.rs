//! Operands: files, standard input, directories with all that is in them.

use super::TROUBLE;
use super::options::{Directories, Glob, Names};
use super::search::Search;
use crate::{Outcome, glob, input, report};
use capsule_sys::{AT_FDCWD, DirEntry, Errno, FileType, OpenFlags, STDIN, Stat, fstat, open, read_dir, stat, stat_at};

/// Searches every operand; the status.
pub fn all(search: &mut Search<'_>) -> Outcome {
    let asked = search.asked;
    let recursive = asked.directories == Directories::Recurse;
    let mut files = Files { search, selected: false, failed: false, ancestors: Vec::new() };
    let several = asked.operands.len() > 1;
    files.search.printer.with_name = asked.with_names.unwrap_or(several);
    if asked.operands.is_empty() {
        if recursive {
            files.search.printer.with_name = asked.with_names.unwrap_or(true);
            files.directory(b"", b".");
        } else {
            files.operand(b"-");
        }
    }
    for operand in &asked.operands {
        files.operand(operand);
        if files.done() {
            break;
        }
    }
    let given_up = files.search.matcher.failed.get();
    if given_up || files.failed && !(asked.quiet && files.selected) {
        return Ok(TROUBLE);
    }
    Ok(u8::from(!files.selected))
}

/// A directory that is being read.
struct Level {
    prefix: Vec<u8>,
    entries: std::vec::IntoIter<DirEntry>,
}

struct Files<'s, 'a> {
    search: &'s mut Search<'a>,
    selected: bool,
    failed: bool,
    /// The directories that are being read: a link back to one of them is a loop.
    ancestors: Vec<(u64, u64)>,
}

impl Files<'_, '_> {
    /// Nothing that follows can change the answer.
    fn done(&self) -> bool {
        let search = &self.search;
        search.asked.quiet && self.selected || search.out.error().is_some() || search.matcher.failed.get()
    }

    fn operand(&mut self, path: &[u8]) {
        let asked = self.search.asked;
        if path == b"-" {
            let label = asked.label.clone();
            return self.open(STDIN, &label, true);
        }
        let recursive = asked.directories == Directories::Recurse;
        if recursive || !asked.excluded_dirs.is_empty() || !asked.files.is_empty() {
            match stat(path) {
                Err(e) => return self.trouble(path, e),
                Ok(s) if s.kind == FileType::Directory => {
                    if self.skipped_directory(path, true) {
                        return;
                    }
                    if recursive {
                        self.search.printer.with_name = asked.with_names.unwrap_or(true);
                        return self.directory(path, path);
                    }
                }
                Ok(_) if self.skipped_file(path, true) => return,
                Ok(_) => {}
            }
        }
        // Nobody need write to a FIFO that is not read.
        let wait = if asked.devices == Some(false) { OpenFlags::NONBLOCK } else { OpenFlags::NOCTTY };
        match open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC | wait, 0) {
            Ok(fd) => self.open(fd.raw(), path, true),
            Err(e) => self.trouble(path, e),
        }
    }

    /// All that is in a directory. `prefix` is put before the names; it is empty for what was not named.
    fn directory(&mut self, prefix: &[u8], path: &[u8]) {
        let mut levels: Vec<Level> = self.read(prefix, path).into_iter().collect();
        while let Some(level) = levels.last_mut() {
            let Some(entry) = level.entries.next() else {
                levels.pop();
                self.ancestors.pop();
                continue;
            };
            let path = input::join(&level.prefix, &entry.name);
            match entry.kind {
                FileType::Regular => self.file(&path),
                FileType::Symlink if !self.search.asked.follow => {}
                kind => {
                    let s = if kind == FileType::Directory { None } else { Some(stat_at(AT_FDCWD, &path, 0)) };
                    match s {
                        Some(Err(_)) if self.skipped_file(&path, false) => {}
                        Some(Err(e)) => self.trouble(&path, e),
                        Some(Ok(s)) if s.kind == FileType::Regular => self.file(&path),
                        Some(Ok(s)) if s.kind != FileType::Directory => {
                            if self.search.asked.devices.unwrap_or(self.search.asked.follow) {
                                self.file(&path);
                            }
                        }
                        _ if self.skipped_directory(&path, false) => {}
                        _ => levels.extend(self.read(&path, &path)),
                    }
                }
            }
            if self.done() {
                break;
            }
        }
    }

    /// Reads a directory that is not being read already.
    fn read(&mut self, prefix: &[u8], path: &[u8]) -> Option<Level> {
        let read = stat_at(AT_FDCWD, path, 0).and_then(|s| {
            let entries: Vec<_> = read_dir(path)?.collect::<Result<_, _>>()?;
            Ok(((s.dev, s.ino), entries))
        });
        match read {
            Ok((same, _)) if self.ancestors.contains(&same) => {
                self.warn_loop(path);
                None
            }
            Ok((same, entries)) => {
                self.ancestors.push(same);
                Some(Level { prefix: prefix.to_vec(), entries: entries.into_iter() })
            }
            Err(e) => {
                self.trouble(path, e);
                None
            }
        }
    }

    fn file(&mut self, path: &[u8]) {
        if self.skipped_file(path, false) {
            return;
        }
        match open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
            Ok(fd) => self.open(fd.raw(), path, false),
            Err(e) => self.trouble(path, e),
        }
    }

    fn warn_loop(&mut self, path: &[u8]) {
        if !self.search.asked.quiet_errors {
            let _ = self.search.out.flush();
            report::error(format_args!("{}: warning: recursive directory loop", String::from_utf8_lossy(path)));
        }
    }

    fn open(&mut self, fd: i32, name: &[u8], named: bool) {
        let asked = self.search.asked;
        let s = fstat(fd);
        if let Ok(s) = &s {
            if s.kind == FileType::Directory && asked.directories == Directories::Skip {
                return;
            }
            let device = !matches!(s.kind, FileType::Regular | FileType::Directory);
            if device && fd != STDIN && (!asked.devices.unwrap_or(named || asked.follow)) {
                return;
            }
            if self.is_output(s) {
                self.failed = true;
                let _ = self.search.out.flush();
                let shown = String::from_utf8_lossy(name);
                if !asked.quiet_errors {
                    report::error(format_args!("{shown}: input file is also the output"));
                }
                return;
            }
        }
        // As wide as the largest number there can be.
        self.search.printer.width = match s {
            Ok(s) if s.kind == FileType::Regular => s.size.to_string().len(),
            _ => 19,
        };
        self.search.waits = !s.is_ok_and(|s| s.kind == FileType::Regular);
        let found = self.search.input(fd, name);
        if self.search.matcher.failed.get() {
            self.failed = true;
            let _ = self.search.out.flush();
            let shown = String::from_utf8_lossy(name);
            return report::error(format_args!("{shown}: exceeded PCRE's backtracking limit"));
        }
        match found {
            Ok(selected) => self.tell(name, selected),
            Err(e) => {
                self.trouble(name, e);
                // What there is of a count is told.
                self.tell(name, 0);
            }
        }
    }

    fn is_output(&self, s: &Stat) -> bool {
        let asked = self.search.asked;
        !asked.quiet
            && !asked.count
            && asked.names == Names::None
            && asked.max > 1
            && s.kind == FileType::Regular
            && self.search.output.is_some_and(|o| (o.dev, o.ino) == (s.dev, s.ino))
    }

    /// Counts and names of files.
    fn tell(&mut self, name: &[u8], selected: u64) {
        let asked = self.search.asked;
        self.selected |= selected > 0;
        if asked.quiet {
            return;
        }
        let search = &mut *self.search;
        if asked.count {
            if search.printer.with_name {
                search.printer.name(name, search.out);
                search.printer.after_name(b':', search.out);
            }
            search.out.write(format!("{selected}\n").as_bytes());
        }
        let listed = match asked.names {
            Names::None => false,
            Names::With => selected > 0,
            Names::Without => selected == 0,
        };
        if listed {
            search.printer.name(name, search.out);
            search.out.byte(if asked.null { 0 } else { b'\n' });
        }
        if asked.line_buffered {
            let _ = search.out.flush();
        }
    }

    fn trouble(&mut self, name: &[u8], e: Errno) {
        self.failed = true;
        if !self.search.asked.quiet_errors {
            let _ = self.search.out.flush();
            report::fault(String::from_utf8_lossy(name), e);
        }
    }

    fn skipped_directory(&self, path: &[u8], named: bool) -> bool {
        self.search.asked.excluded_dirs.iter().any(|pattern| fits(pattern, path, named))
    }

    /// The last glob that matches decides; without one, whether the first was there to include.
    fn skipped_file(&self, path: &[u8], named: bool) -> bool {
        let globs = &self.search.asked.files;
        let Some(first) = globs.first() else { return false };
        let decides = |glob: &&Glob| fits(&glob.pattern, path, named);
        !globs.iter().rev().find(decides).map_or(!first.include, |glob| glob.include)
    }
}

/// A glob is for the name itself; for an operand it may be for any of its last parts.
fn fits(pattern: &[u8], path: &[u8], named: bool) -> bool {
    let name = input::base_name(path);
    if !named {
        return glob::matches(pattern, name, false);
    }
    let starts = path.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(i, _)| i + 1);
    std::iter::once(0).chain(starts).any(|start| glob::matches(pattern, &path[start..], false))
}
