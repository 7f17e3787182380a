//! `tar`, as GNU's: [`header`] and [`reader`] know the format, [`create`] and [`extract`] the files.

use crate::commands::squeeze;
use crate::{Args, Exit, Outcome, codec, report};
use capsule_sys::{
    Errno, Fd, OpenFlags, Out, STDIN, STDOUT, Seek, Time, fchdir, ftruncate, now, open, read_to_end, seek,
};
use std::collections::HashMap;

mod archive;
mod change;
mod checkpoint;
mod create;
mod differ;
mod extract;
mod header;
mod help;
mod lists;
mod maps;
mod names;
mod options;
mod pax;
mod program;
mod reader;
mod settings;
mod show;
mod table;
mod tags;
mod transform;

use create::Writer;
use extract::Extraction;
use header::{Entry, Kind};
pub use help::HELP;
use names::{Pattern, Wanted, shown};
use options::Step;
use reader::{Broken, Reader};
use settings::{Action, Settings};
use show::Lister;
use transform::{HARD_LINKS, MEMBERS, SYMBOLIC_LINKS, transformed};

pub struct Tar {
    settings: Settings,
    status: u8,
    /// Of `-u`: when the archive's copies were changed.
    update: Option<HashMap<Vec<u8>, i64>>,
    /// The directories that `-C` has led to, the one that tar was started in first.
    directories: Vec<Fd>,
    /// The file that verbose lines go to.
    index: Option<Fd>,
    /// Where the answers to questions come from, as far as it is read.
    answers: Option<capsule_sys::In>,
    started: Time,
    /// What packs a new archive, where it is built in.
    packing: Option<codec::Format>,
    /// Lines for standard output could not be written.
    lost: bool,
}

const FATAL: u8 = 2;

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::Usage);
    crate::input::hold_standard();
    let (settings, steps) = options::read(args)?;
    let Some(action) = settings.action else {
        let text = "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options";
        report::error(text);
        return Err(report::try_help(FATAL));
    };
    let status = settings.status;
    let mut tar = Tar {
        settings,
        status,
        update: None,
        directories: Vec::new(),
        index: None,
        answers: None,
        started: now(),
        packing: None,
        lost: false,
    };
    tar.check(&steps, action)?;
    tar.settings.checkpoints.archive = tar.settings.archive.clone().unwrap_or_else(|| b"-".to_vec());
    tar.settings.checkpoints.operation = action.option();
    match action {
        Action::Create => tar.create(&steps)?,
        Action::Append | Action::Update | Action::Concatenate => tar.append(&steps, action)?,
        Action::Delete => tar.delete(&steps)?,
        Action::List | Action::Extract | Action::Diff => tar.read(&steps, action)?,
        Action::TestLabel => tar.test_label(&steps)?,
    }
    if tar.status == FATAL {
        report::error("Exiting with failure status due to previous errors");
    }
    if tar.lost {
        return Err(report::die(FATAL, "stdout: write error"));
    }
    Ok(tar.status)
}

fn fatal(what: impl std::fmt::Display) -> Exit {
    report::error(what);
    report::die(FATAL, "Error is not recoverable: exiting now")
}

impl Tar {
    fn lister(&self) -> Lister {
        Lister::new(&self.settings)
    }

    /// Options that make no sense together.
    fn check(&self, steps: &[Step], action: Action) -> Result<(), Exit> {
        let settings = &self.settings;
        let cannot =
            |option: &str| report::usage(FATAL, format_args!("'{option}' cannot be used with '{}'", action.option()));
        if settings.occurrence.is_some() {
            if !matches!(action, Action::Delete | Action::Diff | Action::Extract | Action::List) {
                return Err(cannot("--occurrence"));
            }
            if !steps.iter().any(|s| matches!(s, Step::Name(_) | Step::FromFile)) {
                return Err(report::usage(FATAL, "--occurrence is meaningless without a file list"));
            }
        }
        if settings.verify {
            if !action.adds() {
                return Err(cannot("--verify"));
            }
            if settings.packer.is_some() {
                return Err(report::usage(FATAL, "Cannot verify compressed archives"));
            }
            if self.archive_name().is_none() {
                return Err(fatal("Cannot verify stdin/stdout archive"));
            }
        }
        Ok(())
    }

    /// Asks whether to; anything but an answer that begins with `y` is no.
    fn confirmed(&mut self, what: &str, name: &[u8]) -> bool {
        let name = name.strip_suffix(b"/").unwrap_or(name);
        let _ = capsule_sys::write_all(STDOUT, format!("{what} {}?", crate::quote::locale(name)).as_bytes());
        let answers = self.answers.get_or_insert_with(|| capsule_sys::In::new(STDIN));
        let mut line = Vec::new();
        let _ = answers.read_until(b'\n', &mut line);
        if line.is_empty() {
            let _ = capsule_sys::write_all(STDOUT, b"\n");
        }
        matches!(line.first(), Some(b'y' | b'Y'))
    }

    fn create(&mut self, steps: &[Step]) -> Result<(), Exit> {
        if !steps.iter().any(|s| matches!(s, Step::Name(_) | Step::FromFile)) {
            report::error("Cowardly refusing to create an empty archive");
            return Err(report::try_help(FATAL));
        }
        let (mut writer, file, child) = self.new_archive()?;
        self.label(&mut writer);
        self.add_all(&mut writer, steps)?;
        self.check_links(&writer);
        let (total, record) = (writer.written, writer.record);
        let (written, listed) = writer.end();
        drop(file);
        self.lost |= listed.is_err() && self.index.is_none();
        let shown_name = self.archive_name().map_or("-".to_owned(), |n| shown(&n));
        self.finish_child(child)?;
        written.map_err(|e| match self.packing {
            // In the words of the program that would have packed it.
            Some(packing) => {
                let status = squeeze::complain_of_output(packing, e);
                fatal(format_args!("Child returned status {status}"))
            }
            None => fatal(format_args!("{shown_name}: Cannot write: {e}")),
        })?;
        self.check_directories(steps);
        self.tell_totals("written", (total + 2 * header::BLOCK as u64).next_multiple_of(record));
        if self.settings.verify {
            self.go_to(0)?;
            self.read(&[], Action::Diff)?;
        }
        Ok(())
    }

    fn tell_totals(&self, what: &str, bytes: u64) {
        if self.settings.totals {
            report::plain(&format!("Total bytes {what}: {}\n", show::totals(bytes, self.started)));
        }
    }

    /// What stands in front of all members.
    fn label(&mut self, writer: &mut Writer) {
        if self.settings.format == header::Format::Pax {
            let head = header::global(&self.settings.pax, now().sec);
            writer.bytes(&head);
        }
        if let Some(label) = &self.settings.label {
            let mtime = self.settings.mtime.unwrap_or_else(now);
            writer.bytes(&header::label(label, mtime.sec));
        }
    }

    fn add_all(&mut self, writer: &mut Writer, steps: &[Step]) -> Result<(), Exit> {
        let names = steps.iter().filter(|s| matches!(s, Step::Name(_))).count();
        let lists = steps.iter().any(|s| matches!(s, Step::FromFile));
        writer.again = names > 1 || lists || self.settings.follow;
        self.remember_directory()?;
        for step in steps {
            match step {
                Step::Directory(dir) => self.change_directory(dir)?,
                Step::Name(name) => self.add(writer, &name.text, name.below),
                Step::FromFile => {}
            }
        }
        Ok(())
    }

    /// A directory behind all names changes nothing.
    fn check_directories(&mut self, steps: &[Step]) {
        let names = steps.iter().rposition(|s| !matches!(s, Step::Directory(_))).map_or(0, |at| at + 1);
        if names == 0 || names == steps.len() {
            return;
        }
        report::error(
            "The following options were used after any non-optional arguments in archive create or update mode.  \
             These options are positional and affect only arguments that follow them.  Please, rearrange them \
             properly.",
        );
        for step in &steps[names..] {
            if let Step::Directory(dir) = step {
                report::error(format_args!("-C {} has no effect", crate::quote::locale(dir)));
            }
        }
        self.status = FATAL;
    }

    /// The place that tar was started in, to come back to.
    fn remember_directory(&mut self) -> Result<(), Exit> {
        if self.directories.is_empty() {
            let flags = OpenFlags::RDONLY | OpenFlags::DIRECTORY | OpenFlags::CLOEXEC;
            let here = open(b".", flags, 0).map_err(|e| fatal(format_args!(".: Cannot open: {e}")))?;
            self.directories.push(here);
        }
        Ok(())
    }

    fn change_directory(&mut self, dir: &[u8]) -> Result<(), Exit> {
        let cannot = |e: Errno| fatal(format_args!("{}: Cannot open: {e}", shown(dir)));
        let flags = OpenFlags::RDONLY | OpenFlags::DIRECTORY | OpenFlags::CLOEXEC;
        let opened = open(dir, flags, 0).map_err(cannot)?;
        fchdir(opened.raw()).map_err(cannot)?;
        self.directories.push(opened);
        Ok(())
    }

    /// Goes to the directory that so many changes of it have led to.
    fn go_to(&self, number: usize) -> Result<(), Exit> {
        match self.directories.get(number) {
            Some(dir) => fchdir(dir.raw()).map_err(|e| fatal(format_args!("Cannot change working directory: {e}"))),
            None => Ok(()),
        }
    }

    /// A member's name as `--transform` makes it.
    fn transformed_name(&self, name: &[u8]) -> Vec<u8> {
        let stripped = name.strip_suffix(b"/").filter(|n| !n.is_empty()).unwrap_or(name);
        transformed(&self.settings.transforms, stripped, MEMBERS)
    }

    /// A member as it is shown.
    fn shown_entry(&self, entry: &Entry) -> Entry {
        let mut shown_entry = entry.clone();
        match entry.kind {
            Kind::HardLink => {
                let link = transformed(&self.settings.transforms, &entry.link, HARD_LINKS);
                shown_entry.link = names::strip(&link, self.settings.strip).to_vec();
            }
            Kind::Symlink => shown_entry.link = transformed(&self.settings.transforms, &entry.link, SYMBOLIC_LINKS),
            _ => {}
        }
        if self.settings.show_transformed {
            let name = self.transformed_name(&entry.name);
            shown_entry.name = names::strip(&name, self.settings.strip).to_vec();
            if entry.name.ends_with(b"/") {
                shown_entry.name.push(b'/');
            }
        }
        shown_entry
    }

    /// Lists, extracts or compares.
    fn read(&mut self, steps: &[Step], action: Action) -> Result<(), Exit> {
        let input = self.open()?;
        let (packing, child) = (input.packing, input.child);
        let mut reader = Reader::new(input.data);
        reader.ignore_zeros = self.settings.ignore_zeros;
        reader.record = self.settings.record;
        reader.seeks = self.settings.seeks;
        reader.checkpoints = std::mem::take(&mut self.settings.checkpoints);
        let mut wanted = self.wanted(steps)?;
        let mut out = Out::stdout();
        let mut listing = self.listing(self.settings.to_stdout)?;
        if action == Action::List {
            out = Out::new(listing.fd());
        }
        let mut lister = self.lister();
        // One for every directory that members go to.
        let mut works: Vec<Extraction> = self.directories.iter().map(|_| Extraction::default()).collect();
        let mut here = self.directories.len() - 1;
        let mut ended = Ok(());
        loop {
            if wanted.is_done() {
                break;
            }
            let mut entry = match reader.next() {
                Ok(Some(entry)) => entry,
                Ok(None) => break,
                Err(Broken::Garbage) if self.settings.label.is_some() => {
                    ended = Err(Broken::Garbage);
                    break;
                }
                Err(broken @ (Broken::Skipped | Broken::Garbage)) => {
                    if broken == Broken::Garbage {
                        report::error("This does not look like a tar archive");
                    }
                    let _ = out.flush();
                    report::error("Skipping to next header");
                    self.status = FATAL;
                    if reader.find_header() { continue } else { break }
                }
                Err(broken) => {
                    ended = Err(if reader.is_inside() { cut_short(broken, packing) } else { broken });
                    break;
                }
            };
            self.check_label(&entry)?;
            let Some(directory) = self.selects(&entry, &mut wanted) else {
                if self.settings.omitted && entry.kind == Kind::Directory {
                    let _ = out.flush();
                    let name = entry.name.strip_suffix(b"/").unwrap_or(&entry.name);
                    report::error(format_args!("{}: Omitting", shown(name)));
                }
                continue;
            };
            if directory != here {
                self.go_to(directory)?;
                here = directory;
            }
            let work = &mut works[directory];
            let block = reader.header_at / header::BLOCK as u64;
            if entry.kind != Kind::Label {
                let name = self.transformed_name(&entry.name);
                work.tell_prefixes(&name, &mut entry, self.settings.absolute, &mut out);
            }
            let line = self.shown_entry(&entry);
            let done = match action {
                Action::List => {
                    lister.line(&mut out, &line, self.settings.verbose > 0, block);
                    Ok(())
                }
                Action::Extract => {
                    let verbose = self.settings.verbose;
                    self.extract(&mut reader, &entry, work, &mut out, &mut |to_stdout| {
                        if verbose > 0 {
                            lister.line(&mut listing, &line, verbose > 1, block + 1);
                            if !to_stdout {
                                // Messages and names stay in order.
                                let _ = listing.flush();
                            }
                        }
                    })
                }
                _ if entry.kind == Kind::Label => Ok(()),
                _ => self.differ(&mut reader, &entry, &mut out, &mut listing),
            };
            if let Err(broken) = done {
                let broken = cut_short(broken, packing);
                if broken == Broken::Cut && action == Action::Extract {
                    report::error("Unexpected EOF in archive");
                }
                ended = Err(broken);
                break;
            }
            if out.error().is_some() && action == Action::List {
                break;
            }
        }
        if let Some(block) = reader.zeros.filter(|_| action == Action::List && self.settings.block_numbers) {
            out.write(format!("block {block}: ** Block of NULs **\n").as_bytes());
        }
        self.lost |= listing.flush().is_err() && self.index.is_none() && listing.fd() == STDOUT;
        // What was to be a file's content was told of already.
        let flushed = if self.settings.to_stdout { Ok(()) } else { out.flush() };
        self.lost |= flushed.is_err() && self.index.is_none();
        if let Some(start) = self.settings.starting.take() {
            report::error(format_args!("{}: Not found in archive", shown(&start)));
            self.status = FATAL;
        }
        for (number, work) in works.into_iter().enumerate() {
            if !work.is_empty() {
                self.go_to(number)?;
                self.finish_extraction(work);
            }
        }
        if let Err(broken) = ended {
            return match broken {
                Broken::Fault(fault) => Err(self.unpackable(packing, fault)),
                broken => self.broken(broken, child),
            };
        }
        self.tell_totals("read", reader.offset.next_multiple_of(self.settings.record));
        if let Some(alone) = reader.alone {
            self.settings.warn("alone-zero-block", format_args!("A lone zero block at {alone}"));
        }
        if !wanted.is_done() {
            // What unpacks the archive may still have something to say.
            reader.drain().map_err(|fault| self.unpackable(packing, fault))?;
            self.finish_child(child)?;
        }
        if !wanted.finish(!self.settings.wildcards_said) {
            self.status = FATAL;
        }
        Ok(())
    }

    /// `-V`: the archive must have such a label.
    fn check_label(&mut self, entry: &Entry) -> Result<(), Exit> {
        let Some(label) = self.settings.label.take() else { return Ok(()) };
        let wanted = crate::quote::locale(&label);
        if entry.kind != Kind::Label {
            return Err(fatal(format_args!("Archive not labeled to match {wanted}")));
        }
        if !crate::glob::matches(&label, &entry.name, false) {
            let found = crate::quote::locale(&entry.name);
            return Err(fatal(format_args!("Volume {found} does not match {wanted}")));
        }
        Ok(())
    }

    /// Whether a member is one of those that are meant, and the directory it goes to.
    fn selects(&mut self, entry: &Entry, wanted: &mut Wanted) -> Option<usize> {
        if let Some(start) = &self.settings.starting {
            if entry.name.strip_suffix(b"/").unwrap_or(&entry.name) != start {
                return None;
            }
            self.settings.starting = None;
        }
        if entry.kind == Kind::Label {
            return Some(self.directories.len() - 1);
        }
        let directory = wanted.matches(&entry.name)?;
        if self.settings.newer.is_some_and(|newer| entry.mtime < newer)
            || self.settings.excludes.iter().any(|p| p.matches(&entry.name))
        {
            return None;
        }
        Some(directory)
    }

    /// The members that are named, each with the directory that it goes to.
    fn wanted(&mut self, steps: &[Step]) -> Result<Wanted, Exit> {
        self.remember_directory()?;
        let mut names: Vec<(Pattern, usize)> = Vec::new();
        let mut lists = false;
        for step in steps {
            match step {
                Step::Name(name) => names.push((name.clone(), self.directories.len() - 1)),
                Step::Directory(dir) => self.change_directory(dir)?,
                Step::FromFile => lists = true,
            }
        }
        if let Some(top) = &self.settings.top_level
            && self.settings.action == Some(Action::Extract)
            && capsule_sys::stat(top).is_err()
        {
            let _ = capsule_sys::mkdir(top, 0o777);
        }
        let mut wanted = Wanted::new(names, self.settings.occurrence, self.directories.len() - 1);
        // A list without names wants nothing.
        wanted.nothing = lists && wanted.wishes.is_empty();
        Ok(wanted)
    }

    /// `--test-label`: shows the label, or tells whether it is one of these.
    fn test_label(&mut self, steps: &[Step]) -> Result<(), Exit> {
        let mut reader = Reader::new(self.open()?.data);
        let label = match reader.next() {
            Ok(Some(entry)) if entry.kind == Kind::Label => Some(entry.name),
            Ok(_) => None,
            Err(broken) => return self.broken(broken, None),
        };
        let names: Vec<_> = steps.iter().filter_map(|s| if let Step::Name(n) = s { Some(n) } else { None }).collect();
        if names.is_empty() {
            if let Some(label) = label {
                let _ = capsule_sys::write_all(STDOUT, &[&label[..], b"\n"].concat());
            }
            return Ok(());
        }
        let known = label.is_some_and(|label| names.iter().any(|name| name.text == label));
        self.status = u8::from(!known);
        Ok(())
    }

    fn broken(&mut self, broken: Broken, child: Option<i32>) -> Result<(), Exit> {
        match broken {
            Broken::NotTar | Broken::Garbage => {
                self.finish_child(child)?;
                report::error("This does not look like a tar archive");
                report::error("Exiting with failure status due to previous errors");
                Err(Exit(FATAL))
            }
            Broken::Cut => {
                report::error("Unexpected EOF in archive");
                Err(report::die(FATAL, "Error is not recoverable: exiting now"))
            }
            Broken::Skipped => {
                self.status = FATAL;
                Ok(())
            }
            Broken::Fault(fault) => Err(self.unpackable(None, fault)),
        }
    }
}

/// Packed data that ends or breaks inside of a member is an archive that ends there, behind the words of the program that
/// would have unpacked it.
fn cut_short(broken: Broken, packing: Option<codec::Format>) -> Broken {
    match (broken, packing) {
        (Broken::Fault(codec::Fault::Read(_)), _) => broken,
        (Broken::Fault(fault), Some(packing)) => {
            squeeze::complain_of_input(packing, fault);
            Broken::Cut
        }
        _ => broken,
    }
}

fn read_list(file: &[u8]) -> Result<Vec<u8>, Errno> {
    match file {
        b"-" => read_to_end(STDIN),
        _ => open(file, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|fd| read_to_end(fd.raw())),
    }
}

/// Cuts a file off at an offset and puts the position there.
fn reopen_at(fd: i32, offset: u64) -> Result<(), Errno> {
    ftruncate(fd, offset)?;
    seek(fd, Seek::Start(offset)).map(drop)
}
