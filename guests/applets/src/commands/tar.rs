//! `tar`, as GNU's: [`header`] and [`reader`] know the format, [`create`] and [`extract`] the files.

use crate::codec::{self, Decode, Encode, Format as Packing, Source};
use crate::mode::Change;
use crate::options::Options;
use crate::users::Names;
use crate::{Args, Exit, Outcome, quote, report};
use capsule_sys::{
    Errno, Fd, OpenFlags, Out, STDIN, STDOUT, Seek, Time, chdir, fstat, ftruncate, getids, now, open, read_to_end,
    seek, umask,
};
use std::collections::HashMap;

mod change;
mod create;
mod differ;
mod extract;
mod header;
mod help;
mod names;
mod options;
mod reader;
mod show;

use create::{Plain, Writer};
use extract::Extraction;
use header::Format;
pub use help::HELP;
use names::{Pattern, Transform, Wanted, shown};
use options::{Step, read_options};
use reader::{Broken, Reader};
use show::Lister;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Create,
    Append,
    Update,
    Concatenate,
    Delete,
    Diff,
    List,
    Extract,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Keep {
    /// Replaced.
    No,
    Old,
    SkipOld,
    Newer,
    Overwrite,
}

struct Settings {
    action: Option<Action>,
    archive: Option<Vec<u8>>,
    packing: Option<Packing>,
    auto: bool,
    verbose: u32,
    format: Format,
    keep: Keep,
    unlink_first: bool,
    no_overwrite_dir: bool,
    to_stdout: bool,
    touch: bool,
    same_mode: bool,
    same_owner: bool,
    umask: u32,
    absolute: bool,
    /// Warnings that `--warning=no-…` takes away.
    silent: Vec<&'static str>,
    strip: usize,
    transforms: Vec<Transform>,
    show_transformed: bool,
    top_level: Option<Vec<u8>>,
    excludes: Vec<Pattern>,
    /// Members are named by patterns.
    wildcards: bool,
    follow: bool,
    hard_dereference: bool,
    recurse: bool,
    one_system: bool,
    sort: bool,
    owner: Option<(Vec<u8>, u32)>,
    group: Option<(Vec<u8>, u32)>,
    numeric: bool,
    mode: Option<Change>,
    mtime: Option<Time>,
    clamp: bool,
    newer: Option<Time>,
    remove_files: bool,
    ignore_failed: bool,
    ignore_zeros: bool,
    full_time: bool,
    totals: bool,
    record: u64,
    users: Names,
    groups: Names,
}

impl Settings {
    /// The id of a name, unless numbers were asked for.
    fn owner_ids(&self, name: &[u8], user: bool) -> Option<u32> {
        if self.numeric || name.is_empty() {
            return None;
        }
        let mut names = if user { Names::users() } else { Names::groups() };
        let found = names.lines().iter().any(|fields| fields[0] == name);
        if found { names.id(name) } else { None }
    }
}

pub struct Tar {
    settings: Settings,
    status: u8,
    /// Of `-u`: when the archive's copies were changed.
    update: Option<HashMap<Vec<u8>, i64>>,
}

const FATAL: u8 = 2;

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::Usage);
    let args = options::old_style(args)?;
    let options = Options::new(&args, options::SHORT, options::LONG).status(FATAL);
    let mask = umask(0);
    umask(mask);
    let root = getids().is_ok_and(|ids| ids.0 == 0);
    let settings = Settings {
        action: None,
        archive: None,
        packing: None,
        auto: false,
        verbose: 0,
        format: Format::Gnu,
        keep: Keep::No,
        unlink_first: false,
        no_overwrite_dir: false,
        to_stdout: false,
        touch: false,
        same_mode: root,
        same_owner: root,
        umask: mask,
        absolute: false,
        silent: Vec::new(),
        strip: 0,
        transforms: Vec::new(),
        show_transformed: false,
        top_level: None,
        excludes: Vec::new(),
        wildcards: false,
        follow: false,
        hard_dereference: false,
        recurse: true,
        one_system: false,
        sort: false,
        owner: None,
        group: None,
        numeric: false,
        mode: None,
        mtime: None,
        clamp: false,
        newer: None,
        remove_files: false,
        ignore_failed: false,
        ignore_zeros: false,
        full_time: false,
        totals: false,
        record: 20 * header::BLOCK as u64,
        users: Names::users(),
        groups: Names::groups(),
    };
    let (settings, steps) = read_options(options, settings, &args)?;
    let Some(action) = settings.action else {
        let text = "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options";
        report::error(text);
        return Err(report::try_help(FATAL));
    };
    let mut tar = Tar { settings, status: 0, update: None };
    match action {
        Action::Create => tar.create(&steps)?,
        Action::Append | Action::Update | Action::Concatenate => tar.append(&steps, action)?,
        Action::Delete => tar.delete(&steps)?,
        Action::List | Action::Extract | Action::Diff => tar.read(&steps, action)?,
    }
    if tar.status == FATAL {
        report::error("Exiting with failure status due to previous errors");
    }
    Ok(tar.status)
}

fn fatal(what: impl std::fmt::Display) -> Exit {
    report::error(what);
    report::die(FATAL, "Error is not recoverable: exiting now")
}

impl Tar {
    fn lister(&self) -> Lister {
        let mut lister = Lister::new();
        lister.numeric = self.settings.numeric;
        lister.full_time = self.settings.full_time;
        lister
    }

    /// The archive's name; none is the standard stream.
    fn archive_name(&self) -> Option<Vec<u8>> {
        let name = self.settings.archive.clone().or_else(|| capsule_sys::getenv(b"TAPE"));
        name.filter(|n| n != b"-")
    }

    fn packing_by_name(&self) -> Option<Packing> {
        let name = self.archive_name()?;
        let ends = |suffixes: &[&[u8]]| suffixes.iter().any(|s| name.ends_with(s));
        if ends(&[b".gz", b".tgz", b".taz"]) {
            Some(Packing::Gzip)
        } else if ends(&[b".bz2", b".tbz2", b".tbz", b".tz2"]) {
            Some(Packing::Bzip2)
        } else if ends(&[b".xz", b".txz"]) {
            Some(Packing::Xz)
        } else if ends(&[b".lzma", b".tlz"]) {
            Some(Packing::Lzma)
        } else if ends(&[b".zst", b".tzst"]) {
            Some(Packing::Zstd)
        } else {
            None
        }
    }

    fn create(&mut self, steps: &[Step]) -> Result<(), Exit> {
        if !steps.iter().any(|s| matches!(s, Step::Name(_) | Step::FromFile)) {
            report::error("Cowardly refusing to create an empty archive");
            return Err(report::try_help(FATAL));
        }
        let packing = self.settings.packing.or(if self.settings.auto { self.packing_by_name() } else { None });
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
        let name = self.archive_name();
        let file = match &name {
            None => None,
            Some(path) => {
                Some(open(path, flags, 0o666).map_err(|e| fatal(format_args!("{}: Cannot open: {e}", shown(path))))?)
            }
        };
        let out = Out::new(file.as_ref().map_or(STDOUT, Fd::raw));
        let id = fstat(out.fd()).ok().filter(|s| s.kind == capsule_sys::FileType::Regular).map(|s| (s.dev, s.ino));
        let encoder: Box<dyn Encode> = match packing {
            None => Box::new(Plain(out)),
            Some(packing) => {
                codec::encoder(packing, 6, out).ok_or_else(|| fatal("this compression can only be read"))?
            }
        };
        // The archive itself may be on standard output.
        let listing = if name.is_none() { Out::new(capsule_sys::STDERR) } else { Out::stdout() };
        let mut writer = Writer::new(encoder, id, self.lister(), listing);
        self.add_all(&mut writer, steps)?;
        let total = writer.written;
        let (written, _) = writer.end(self.settings.record);
        let shown_name = name.as_deref().map_or("-".to_owned(), shown);
        written.map_err(|e| fatal(format_args!("{shown_name}: Cannot write: {e}")))?;
        if self.settings.totals {
            let total = (total + 2 * header::BLOCK as u64).next_multiple_of(self.settings.record);
            let text = format!("Total bytes written: {total}\n");
            let _ = capsule_sys::write_all(capsule_sys::STDERR, text.as_bytes());
        }
        Ok(())
    }

    fn add_all(&mut self, writer: &mut Writer, steps: &[Step]) -> Result<(), Exit> {
        for step in steps {
            match step {
                Step::Directory(dir) => {
                    chdir(dir).map_err(|e| fatal(format_args!("{}: Cannot open: {e}", shown(dir))))?;
                }
                Step::Name(name) => self.add(writer, name),
                Step::FromFile => {}
            }
        }
        Ok(())
    }

    /// Opens the archive for reading, with its compression found out.
    fn open(&self) -> Result<Box<dyn Decode>, Exit> {
        let name = self.archive_name();
        let file = match &name {
            None => None,
            Some(path) => Some(
                open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)
                    .map_err(|e| fatal(format_args!("{}: Cannot open: {e}", shown(path))))?,
            ),
        };
        let fd = file.as_ref().map_or(STDIN, Fd::raw);
        let mut source = Source::new(fd, file);
        let shown_name = name.as_deref().map_or("-".to_owned(), shown);
        let start = source.look(13).map_err(|e| {
            report::error(format_args!("{shown_name}: Cannot read: {e}"));
            fatal("At beginning of tape, quitting now")
        })?;
        let packing = codec::sniff(start).filter(|p| *p != Packing::Lzma).or(self.settings.packing);
        let lzma = self.settings.packing == Some(Packing::Lzma) || self.packing_by_name() == Some(Packing::Lzma);
        let packing = packing.or_else(|| lzma.then_some(Packing::Lzma));
        Ok(match packing {
            None => Box::new(source),
            Some(packing) => codec::decoder(packing, source),
        })
    }

    /// Lists, extracts or compares.
    fn read(&mut self, steps: &[Step], action: Action) -> Result<(), Exit> {
        let mut reader = Reader::new(self.open()?);
        reader.ignore_zeros = self.settings.ignore_zeros;
        let mut wanted = self.wanted(steps)?;
        let mut out = Out::stdout();
        let mut listing = Out::new(if self.settings.to_stdout { capsule_sys::STDERR } else { STDOUT });
        let mut lister = self.lister();
        let mut work = Extraction::default();
        loop {
            let entry = match reader.next() {
                Ok(Some(entry)) => entry,
                Ok(None) => break,
                Err(Broken::Skipped) => {
                    report::error("Skipping to next header");
                    self.status = FATAL;
                    while let Err(Broken::Skipped) = reader.next() {}
                    break;
                }
                Err(broken) => {
                    let _ = listing.flush();
                    let _ = out.flush();
                    self.finish_extraction(work);
                    return self.broken(broken);
                }
            };
            if matches!(entry.kind, header::Kind::Other(b'V')) {
                continue;
            }
            if !wanted.matches(&entry.name) || self.settings.excludes.iter().any(|p| p.matches(&entry.name)) {
                if let Err(broken) = reader.skip() {
                    return self.broken(broken);
                }
                continue;
            }
            if !self.settings.absolute {
                work.tell_prefixes(&entry);
            }
            let mut shown_entry = entry.clone();
            if self.settings.show_transformed {
                self.settings.transforms.iter().for_each(|t| shown_entry.name = t.apply(&shown_entry.name));
                if let Some(name) = names::strip(&shown_entry.name, self.settings.strip) {
                    shown_entry.name = name.to_vec();
                }
            }
            let done = match action {
                Action::List => {
                    lister.line(&mut out, &shown_entry, self.settings.verbose > 0);
                    Ok(())
                }
                Action::Extract => {
                    if self.settings.verbose > 0 {
                        lister.line(&mut listing, &shown_entry, self.settings.verbose > 1);
                        if !self.settings.to_stdout {
                            // Messages and names stay in order.
                            let _ = listing.flush();
                        }
                    }
                    self.extract(&mut reader, &entry, &mut work, &mut out)
                }
                _ => self.differ(&mut reader, &entry, &mut out),
            };
            if let Err(broken) = done {
                if broken == Broken::Cut && action == Action::Extract {
                    report::error("Unexpected EOF in archive");
                }
                let _ = listing.flush();
                let _ = out.flush();
                self.finish_extraction(work);
                return self.broken(broken);
            }
            report::writable(&out)?;
        }
        self.finish_extraction(work);
        let _ = listing.flush();
        if let Err(e) = out.flush() {
            return Err(fatal(format_args!("-: Cannot write: {e}")));
        }
        if !wanted.finish() {
            self.status = FATAL;
        }
        Ok(())
    }

    /// The members that are named; a change of directory holds for all that is extracted.
    fn wanted(&mut self, steps: &[Step]) -> Result<Wanted, Exit> {
        let mut patterns = Vec::new();
        for step in steps {
            match step {
                Step::Name(name) => patterns.push(Pattern {
                    text: name.clone(),
                    wildcards: self.settings.wildcards,
                    anchored: true,
                    ignore_case: false,
                    slash: true,
                }),
                Step::Directory(dir) => {
                    chdir(dir).map_err(|e| fatal(format_args!("{}: Cannot open: {e}", shown(dir))))?;
                }
                Step::FromFile => {}
            }
        }
        if let Some(top) = &self.settings.top_level
            && self.settings.action == Some(Action::Extract)
            && capsule_sys::stat(top).is_err()
        {
            let _ = capsule_sys::mkdir(top, 0o777);
        }
        Ok(Wanted::new(patterns))
    }

    fn broken(&mut self, broken: Broken) -> Result<(), Exit> {
        match broken {
            Broken::NotTar => {
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
            Broken::Fault(fault) => {
                let name = self.archive_name().map_or("-".to_owned(), |n| shown(&n));
                let why = match fault {
                    codec::Fault::Read(e) => format!("Cannot read: {e}"),
                    codec::Fault::NotFormat => "not in the compression format that was asked for".to_owned(),
                    codec::Fault::Eof | codec::Fault::Empty => "unexpected end of the compressed data".to_owned(),
                    codec::Fault::Memory => "the archive asks for too much memory".to_owned(),
                    _ => "the compressed data is damaged".to_owned(),
                };
                report::error(format_args!("{name}: {why}"));
                Err(report::die(FATAL, "Error is not recoverable: exiting now"))
            }
        }
    }
}

fn read_list(file: &[u8]) -> Result<Vec<u8>, Errno> {
    match file {
        b"-" => read_to_end(STDIN),
        _ => open(file, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|fd| read_to_end(fd.raw())),
    }
}

fn date(text: &[u8]) -> Result<Time, Exit> {
    // A file's own time, or a date.
    if matches!(text.first(), Some(b'/' | b'.')) {
        return capsule_sys::stat(text)
            .map(|s| s.mtime)
            .map_err(|e| fatal(format_args!("{}: Cannot stat: {e}", shown(text))));
    }
    crate::calendar::parse::parse(text, now(), &crate::calendar::Zone::local())
        .ok_or_else(|| report::die(FATAL, format_args!("Invalid time stamp: {}", quote::locale(text))))
}

/// Cuts a file off at an offset and puts the position there.
fn reopen_at(fd: i32, offset: u64) -> Result<(), Errno> {
    ftruncate(fd, offset)?;
    seek(fd, Seek::Start(offset)).map(drop)
}
