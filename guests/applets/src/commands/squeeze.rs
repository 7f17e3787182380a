//! What `gzip`, `bzip2`, `xz`, `zstd` and their friends share: options, names, one file after the other. How each of
//! them words its messages is in [`words`].

use crate::codec::{self, Decode, Encode, Fault, Format, Source, gzip};
use crate::input::base_name;
use crate::options::Long;
use crate::{Args, Exit, Outcome};
use capsule_sys::{
    Errno, Fd, FileType, OpenFlags, Out, STDIN, STDOUT, SetTime, Stat, Time, fchmod, futimens, isatty, lstat, open,
    read, read_dir, stat, unlink,
};

mod arguments;
mod bzip2_words;
mod list;
mod programs;
mod words;
mod xz_filters;
mod xz_list;
mod zstd_list;

pub use programs::{complain_of_file, complain_of_input, complain_of_output, level};
use words::Trouble;

/// A command of the family.
pub struct Tool {
    pub family: Family,
    pub format: Format,
    pub decompress: bool,
    pub stdout: bool,
    pub short: &'static str,
    pub long: &'static [Long],
}

/// A command of a family: its `HELP` and `main`. The file has `LONG`, `SHORT` and, as `options!`, what follows the first two
/// lines of the help.
macro_rules! compressor {
    ($name:literal, $does:literal, $family:ident, $format:ident, decompress: $decompress:literal, stdout: $stdout:literal) => {
        pub const HELP: &str = concat!("Usage: ", $name, " [OPTION]... [FILE]...\n", $does, "\n", options!());

        pub fn main(args: &$crate::Args) -> $crate::Outcome {
            let tool = $crate::commands::squeeze::Tool {
                family: $crate::commands::squeeze::Family::$family,
                format: $crate::codec::Format::$format,
                decompress: $decompress,
                stdout: $stdout,
                short: SHORT,
                long: LONG,
            };
            $crate::commands::squeeze::main(args, &tool)
        }
    };
}
pub(crate) use compressor;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

/// What the options say.
pub struct Settings {
    family: Family,
    format: Format,
    decompress: bool,
    stdout: bool,
    test: bool,
    list: bool,
    keep: bool,
    force: bool,
    quiet: u8,
    /// Warnings leave the status at 0.
    no_warn: bool,
    /// Lists are for programs.
    robot: bool,
    /// What xz was asked to filter with.
    chain: codec::Chain,
    verbose: u8,
    recursive: bool,
    /// Name and time go into the header, or come out of it.
    name: Option<bool>,
    /// `-m`: as for the name, of the time alone.
    no_time: bool,
    suffix: Vec<u8>,
    level: u32,
    output: Option<Vec<u8>>,
    /// What is being written, and whether much was; of names the length of the longest.
    target: Vec<u8>,
    large: bool,
    longest: usize,
    /// Where results go, and whether the directories of the names are made there.
    directory: Option<(Vec<u8>, bool)>,
    /// No other format is read.
    only: bool,
    /// What is not packed is handed on.
    pass: Option<bool>,
    /// What has the name of a packed file is left alone.
    only_unpacked: bool,
    /// The first stream of a file is all that is read.
    single: bool,
    /// Equal parts of files stay equal.
    rsyncable: bool,
    /// Results are on the disk before what they were made of goes.
    sync: bool,
}

impl Settings {
    fn new(family: Family, format: Format) -> Settings {
        Settings {
            family,
            format,
            decompress: false,
            stdout: false,
            test: false,
            list: false,
            keep: family == Family::Zstd,
            force: false,
            quiet: 0,
            no_warn: false,
            robot: false,
            chain: codec::Chain::default(),
            verbose: 0,
            recursive: false,
            name: None,
            // `uncompress` is gzip under another name.
            suffix: suffix(if format == Format::Lzw { Format::Gzip } else { format }).to_vec(),
            level: codec::usual_level(format),
            output: None,
            target: Vec::new(),
            large: false,
            longest: 0,
            no_time: false,
            directory: None,
            only: false,
            pass: None,
            only_unpacked: false,
            single: false,
            sync: false,
            rsyncable: false,
        }
    }
}

pub struct Squeezer {
    settings: Settings,
    status: u8,
    /// Of `-l`: the sums, and whether the heading is out.
    totals: (u64, u64, usize),
    /// What of the last file listed was no data, and the name shown.
    last: (u64, Vec<u8>),
    xz: xz_list::Sums,
    zstd: zstd_list::Sums,
    headed: bool,
    /// Which of the operands it is, and how many there are.
    place: (usize, usize),
    out: Out,
    /// bzip2 stops at the first file it cannot finish.
    stopped: bool,
    /// Of zstd: what was made of how much, in how many files.
    made: (u64, u64, usize),
}

fn suffix(format: Format) -> &'static [u8] {
    match format {
        Format::Gzip => b".gz",
        Format::Bzip2 => b".bz2",
        Format::Xz => b".xz",
        Format::Lzma => b".lzma",
        Format::Zstd => b".zst",
        Format::Lzw => b".Z",
    }
}

/// Endings that are replaced when a file is unpacked.
fn endings(family: Family) -> &'static [(&'static [u8], &'static [u8])] {
    match family {
        Family::Gzip => &[
            (b".gz", b""),
            (b".z", b""),
            (b"-gz", b""),
            (b"-z", b""),
            (b"_z", b""),
            (b".tgz", b".tar"),
            (b".taz", b".tar"),
            (b".Z", b""),
        ],
        Family::Bzip2 => &[(b".bz2", b""), (b".bz", b""), (b".tbz2", b".tar"), (b".tbz", b".tar")],
        Family::Xz => &[(b".xz", b""), (b".lzma", b""), (b".txz", b".tar"), (b".tlz", b".tar")],
        Family::Zstd => &[(b".zst", b""), (b".tzst", b".tar"), (b".gz", b""), (b".xz", b""), (b".lzma", b"")],
    }
}

pub fn main(args: &Args, tool: &Tool) -> Outcome {
    let (settings, operands) = arguments::read(args, tool)?;
    let mut squeezer = Squeezer {
        settings,
        status: 0,
        totals: (0, 0, 0),
        last: (0, b"stdout".to_vec()),
        xz: xz_list::Sums::default(),
        zstd: zstd_list::Sums::default(),
        headed: false,
        place: (0, operands.len()),
        out: Out::stdout(),
        stopped: false,
        made: (0, 0, 0),
    };
    if operands.is_empty() {
        squeezer.standard_input()?;
        if squeezer.stopped {
            return Ok(squeezer.status);
        }
    }
    if squeezer.settings.output.is_some() && operands.len() > 1 {
        words::ask_concatenate(&squeezer.settings)?;
    }
    squeezer.settings.longest = operands.iter().map(Vec::len).max().unwrap_or(0);
    for operand in &operands {
        squeezer.place.0 += 1;
        match operand.as_slice() {
            b"-" => squeezer.standard_input()?,
            path => squeezer.path(path)?,
        }
        if squeezer.stopped {
            bzip2_words::unprocessed(&squeezer.settings, squeezer.place);
            return Ok(squeezer.status);
        }
    }
    words::finished(&squeezer.settings, squeezer.status, squeezer.place.1, squeezer.made);
    if squeezer.settings.list {
        squeezer.list_totals(operands.len());
    }
    match squeezer.out.flush() {
        Ok(()) => Ok(squeezer.status),
        Err(e) => {
            let name = match squeezer.settings.family {
                Family::Gzip => std::mem::take(&mut squeezer.last.1),
                family => words::standard_output(family).to_vec(),
            };
            squeezer.complain(&name, Trouble::Write(e));
            Ok(squeezer.status)
        }
    }
}

impl Squeezer {
    /// Tells what is wrong, and counts it.
    fn complain(&mut self, name: &[u8], trouble: Trouble) {
        self.stopped |= self.settings.family == Family::Bzip2 && bzip2_words::stops(&self.settings, &trouble);
        let status = words::tell(&self.settings, name, trouble);
        // An error is worse than a warning, which gzip numbers higher.
        if self.status == 0 || (status == 1 && self.settings.family == Family::Gzip) {
            self.status = status;
        } else if self.settings.family != Family::Gzip {
            self.status = self.status.max(status);
        }
    }

    fn standard_input(&mut self) -> Result<(), Exit> {
        let name = words::standard_input(self.settings.family);
        if !self.settings.decompress && !self.settings.force && self.settings.output.is_none() && isatty(STDOUT) {
            return Err(words::terminal(&self.settings));
        }
        if self.settings.family == Family::Gzip
            && let Err(e) = capsule_sys::fstat(STDIN)
        {
            self.complain(b"standard input", Trouble::Open(e));
            return Ok(());
        }
        words::begin(&self.settings, name);
        self.settings.target = self.settings.output.clone().unwrap_or_default();
        let source = Source::new(STDIN, None);
        if self.settings.list {
            self.list(name, source);
            return Ok(());
        }
        let out = std::mem::replace(&mut self.out, Out::stdout());
        let mut file = None;
        let target = match &self.settings.output {
            Some(path) => {
                let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
                match open(path, flags, 0o666) {
                    Ok(fd) => Out::new(file.insert(fd).raw()),
                    Err(e) => {
                        let path = path.clone();
                        self.complain(&path, Trouble::Write(e));
                        return Ok(());
                    }
                }
            }
            None => out,
        };
        let done = self.convert(name, source, target, 0, None);
        if file.is_none() {
            self.out = done.out;
        }
        match done.result {
            Ok(()) => {
                let output = self.settings.output.clone();
                self.count(done.sizes);
                words::done(&self.settings, name, output.as_deref(), done.sizes, self.place.1);
            }
            // The last flush tells of it.
            Err(Trouble::Write(_)) if file.is_none() && self.settings.family != Family::Bzip2 => {}
            Err(trouble) => self.complain(name, trouble),
        }
        Ok(())
    }

    fn count(&mut self, sizes: Sizes) {
        self.made = (self.made.0 + sizes.plain, self.made.1 + sizes.packed, self.made.2 + 1);
    }

    fn path(&mut self, path: &[u8]) -> Result<(), Exit> {
        let named = self.find(path);
        if self.settings.only_unpacked && words::looks_packed(path) {
            return Ok(());
        }
        if let Err(trouble) = self.look_first(&named) {
            self.complain(&named, trouble);
            return Ok(());
        }
        let found = match stat(&named) {
            Ok(found) => found,
            Err(e) => {
                self.complain(&named, Trouble::Open(e));
                return Ok(());
            }
        };
        if found.kind == FileType::Directory {
            if !self.settings.recursive {
                self.complain(path, Trouble::Directory);
                return Ok(());
            }
            return self.tree(path);
        }
        self.file(&named, found);
        Ok(())
    }

    /// What xz and zstd ask before anything else: links are not followed, and zstd wants to know the new name.
    fn look_first(&mut self, path: &[u8]) -> Result<(), Trouble> {
        let settings = &self.settings;
        let to_file = !settings.stdout && !settings.test && !settings.list && !settings.recursive;
        let link = || lstat(path).is_ok_and(|s| s.kind == FileType::Symlink);
        match settings.family {
            Family::Xz if to_file && !settings.force && !settings.keep && link() => Err(Trouble::Link),
            Family::Zstd if !settings.force && link() => Err(Trouble::Link),
            Family::Zstd if to_file && settings.decompress => self.target(path).map(drop),
            _ => Ok(()),
        }
    }

    /// All files below a directory.
    fn tree(&mut self, path: &[u8]) -> Result<(), Exit> {
        let mut waiting = vec![path.to_vec()];
        while let Some(dir) = waiting.pop() {
            let entries = match read_dir(&dir).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
                Ok(entries) => entries,
                Err(e) => {
                    self.complain(&dir, Trouble::Open(e));
                    continue;
                }
            };
            for entry in entries {
                let name = crate::input::join(&dir, &entry.name);
                match (entry.kind, lstat(&name)) {
                    (FileType::Directory, _) => waiting.push(name),
                    (FileType::Regular, Ok(found)) => self.file(&name, found),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// A name may leave its ending out.
    fn find(&self, path: &[u8]) -> Vec<u8> {
        let gzip = self.settings.family == Family::Gzip;
        let known =
            || path.ends_with(&self.settings.suffix) || endings(Family::Gzip).iter().any(|e| path.ends_with(e.0));
        if !gzip || !self.settings.decompress || lstat(path) != Err(Errno::ENOENT) || known() {
            return path.to_vec();
        }
        [path, &self.settings.suffix].concat()
    }

    /// Where the result goes.
    fn target(&mut self, path: &[u8]) -> Result<Vec<u8>, Trouble> {
        let settings = &self.settings;
        if let Some(output) = &settings.output {
            return Ok(output.clone());
        }
        let known: Vec<(&[u8], &[u8])> = std::iter::once((settings.suffix.as_slice(), b"".as_slice()))
            .chain(endings(settings.family).iter().copied())
            .collect();
        let ending = known.iter().find(|e| path.ends_with(e.0) && base_name(path).len() > e.0.len());
        let path = match &settings.directory {
            Some((dir, mirror)) => &crate::input::join(dir, if *mirror { mirrored(path) } else { base_name(path) }),
            None => path,
        };
        if !settings.decompress {
            let own = &settings.suffix;
            // gzip knows its own suffix beside another one that it is given.
            let has = |suffix: &[u8]| suffix == own || (settings.family == Family::Gzip && suffix == b".gz");
            return match ending {
                Some((suffix, _)) if has(suffix) && !settings.force && settings.family != Family::Zstd => {
                    Err(Trouble::HasSuffix(suffix.to_vec()))
                }
                _ => Ok([path, own].concat()),
            };
        }
        match ending {
            Some((suffix, instead)) => Ok([&path[..path.len() - suffix.len()], instead].concat()),
            None if settings.family == Family::Bzip2 => {
                if settings.quiet == 0 {
                    words::guess(path);
                }
                Ok([path, b".out"].concat())
            }
            None => Err(Trouble::UnknownSuffix),
        }
    }

    fn file(&mut self, path: &[u8], found: Stat) {
        if let Err(trouble) = self.try_file(path, found) {
            self.complain(path, trouble);
        }
    }

    fn try_file(&mut self, path: &[u8], found: Stat) -> Result<(), Trouble> {
        let settings = &self.settings;
        let to_file = !settings.stdout && !settings.test && !settings.list;
        if settings.family == Family::Zstd && !settings.force && !settings.list && found.kind != FileType::Regular {
            return Err(Trouble::NotRegular);
        }
        // Who runs it would not get what was meant.
        let special = found.mode & 0o7000;
        if to_file && special & 0o6000 != 0 && settings.family == Family::Gzip {
            return Err(Trouble::SpecialMode(special));
        }
        if to_file && !settings.force && settings.family != Family::Zstd {
            let kind = lstat(path).map_or(found.kind, |s| s.kind);
            if kind == FileType::Symlink && !(settings.family == Family::Xz && settings.keep) {
                return Err(Trouble::Link);
            }
            if found.kind != FileType::Regular {
                return Err(Trouble::NotRegular);
            }
            let kept = settings.family != Family::Gzip && (settings.family != Family::Xz || settings.keep);
            if special != 0 && !kept {
                return Err(Trouble::SpecialMode(special));
            }
            if found.nlink > 1 && !settings.keep {
                return Err(Trouble::Links(found.nlink - 1));
            }
        }
        let mut target = match to_file {
            // xz asks first what the file is, and gzip whether it can be read.
            true if matches!(settings.family, Family::Xz | Family::Gzip) && settings.decompress => None,
            true => Some(self.target(path)?),
            false => None,
        };
        let flags = OpenFlags::RDONLY | OpenFlags::CLOEXEC;
        let file = open(path, flags, 0).map_err(Trouble::Open)?;
        let mut source = Source::new(file.raw(), Some(file));
        if to_file && self.settings.family == Family::Gzip && self.settings.decompress {
            target = Some(self.target(path)?);
        }
        if to_file && self.settings.decompress {
            let start = source.look(13).map_err(|e| Trouble::Fault(Fault::Read(e)))?;
            match self.settings.family {
                Family::Gzip if start.len() < 2 => return Err(Trouble::Fault(Fault::Eof)),
                Family::Xz if !self.reads(codec::sniff(start)) => return Err(Trouble::Fault(Fault::NotFormat)),
                Family::Gzip if start.len() > 5 && codec::sniff(start).is_none() => {
                    return Err(Trouble::Fault(Fault::NotFormat));
                }
                Family::Xz => target = Some(self.target(path)?),
                _ => {}
            }
        }
        if self.settings.list {
            self.list(path, source);
            return Ok(());
        }
        if self.settings.decompress
            && let Some(target) = &mut target
            && self.settings.name == Some(true)
            && let Some(name) = stored_name(&mut source)
        {
            *target = crate::input::join(crate::input::dir_name(target), base_name(&name));
        }
        let Some(target) = target else {
            words::begin(&self.settings, path);
            self.settings.target.clear();
            let out = std::mem::replace(&mut self.out, Out::stdout());
            let done = self.convert(path, source, out, time_of(&found), Some(base_name(path)));
            self.out = done.out;
            self.settings.large = done.sizes.plain > 4096;
            match done.result {
                // The last flush tells of it.
                Err(Trouble::Write(_)) if self.settings.family != Family::Bzip2 => return Ok(()),
                result => result?,
            }
            self.count(done.sizes);
            words::done(&self.settings, path, None, done.sizes, self.place.1);
            return Ok(());
        };
        if let Some((_, true)) = &self.settings.directory {
            crate::path::make_above(&target).map_err(|e| Trouble::Create(target.clone(), e))?;
        }
        self.clear_way(&target)?;
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC;
        let output = open(&target, flags, 0o600).map_err(|e| Trouble::Create(target.clone(), e))?;
        words::begin(&self.settings, path);
        self.settings.target = target.clone();
        let done = self.convert(path, source, Out::new(output.raw()), time_of(&found), Some(base_name(path)));
        let mut out = done.out;
        let finished = done.result.and_then(|()| out.flush().map_err(Trouble::Write));
        let finished = finished.and_then(|()| self.finish_file(output, &found, done.mtime));
        if let Err(trouble) = finished {
            let _ = unlink(&target);
            if let Trouble::Write(_) = trouble
                && self.settings.family != Family::Bzip2
            {
                self.complain(&target, trouble);
                return Ok(());
            }
            return Err(trouble);
        }
        if !self.settings.keep {
            unlink(path).map_err(Trouble::Open)?;
        }
        self.count(done.sizes);
        words::done(&self.settings, path, Some(&target), done.sizes, self.place.1);
        Ok(())
    }

    /// Whether xz takes the format.
    fn reads(&self, found: Option<Format>) -> bool {
        let Some(found) = found else { return false };
        matches!(found, Format::Xz | Format::Lzma) && (!self.settings.only || found == self.settings.format)
    }

    /// Mode and times follow the file that was.
    fn finish_file(&self, output: Fd, found: &Stat, mtime: Option<u32>) -> Result<(), Trouble> {
        let _ = fchmod(output.raw(), found.mode & 0o777);
        let modified = match mtime {
            Some(time) if self.settings.name == Some(true) && !self.settings.no_time && time != 0 => {
                Time { sec: time.into(), nsec: 0 }
            }
            _ => found.mtime,
        };
        let _ = futimens(output.raw(), SetTime::At(found.atime), SetTime::At(modified));
        if self.settings.sync {
            capsule_sys::fsync(output.raw()).map_err(Trouble::Write)?;
        }
        output.close().map_err(Trouble::Write)
    }

    /// What is already there is replaced only when that was asked for.
    fn clear_way(&mut self, target: &[u8]) -> Result<(), Trouble> {
        if lstat(target).is_err() {
            return Ok(());
        }
        if !self.settings.force && !words::ask_overwrite(&self.settings, target) {
            return Err(Trouble::Exists(target.to_vec()));
        }
        unlink(target).map_err(|e| Trouble::Create(target.to_vec(), e))
    }

    fn convert(&self, name: &[u8], source: Source, out: Out, mtime: u32, stored: Option<&[u8]>) -> Done {
        match self.settings.decompress {
            true => self.unpack(name, source, out),
            false => self.pack(source, out, mtime, stored),
        }
    }

    fn pack(&self, mut source: Source, out: Out, mtime: u32, stored: Option<&[u8]>) -> Done {
        let settings = &self.settings;
        let named = settings.name != Some(false) && settings.family == Family::Gzip;
        let before = out.position();
        let mut encoder: Box<dyn Encode> = match settings.format {
            Format::Gzip => {
                let time = if named && !settings.no_time { mtime } else { 0 };
                let encoder = gzip::Encoder::new(out, settings.level, time, stored.filter(|_| named));
                Box::new(if settings.rsyncable { encoder.rsyncable() } else { encoder })
            }
            format => {
                let encoder = match format {
                    Format::Xz => codec::filtering_encoder(settings.level, &settings.chain, out),
                    format => codec::encoder(format, settings.level, out),
                };
                match encoder {
                    Some(encoder) => encoder,
                    None => return Done::failed(Trouble::Fault(Fault::Memory)),
                }
            }
        };
        let mut total = 0;
        let result = loop {
            match source.fill() {
                Ok([]) => break Ok(()),
                Ok(block) => {
                    encoder.write(block);
                    let n = block.len();
                    total += n as u64;
                    source.consume(n);
                    if let Some(e) = encoder.out().error() {
                        break Err(Trouble::Write(e));
                    }
                }
                Err(e) => break Err(Trouble::Fault(Fault::Read(e))),
            }
        };
        // What could not be read to its end gets no end.
        let mut out = match result {
            Err(Trouble::Fault(_)) => return Done { out: Out::new(encoder.out().fd()), ..Done::failed_with(result) },
            _ => encoder.finish(),
        };
        let result = result.and_then(|()| out.flush().map_err(Trouble::Write));
        let made = out.position() - before;
        Done { out, result, sizes: Sizes { plain: total, packed: made, overhead: 18 }, mtime: None }
    }

    fn unpack(&self, name: &[u8], mut source: Source, mut out: Out) -> Done {
        let settings = &self.settings;
        // Each of them also reads what the others of its family write.
        let start = source.look(13).map(<[u8]>::to_vec).unwrap_or_default();
        let found = codec::sniff(&start);
        let accepted = match (settings.family, found) {
            (Family::Gzip, Some(Format::Gzip | Format::Lzw)) => found,
            (Family::Xz, Some(Format::Xz | Format::Lzma)) if !settings.only => found,
            (Family::Zstd, Some(Format::Zstd | Format::Gzip | Format::Xz | Format::Lzma)) => found,
            _ => Some(settings.format),
        };
        let format = accepted.unwrap_or(settings.format);
        let pass = match settings.family {
            // bzip2 asks nothing but to be forced.
            Family::Bzip2 => settings.force && !settings.test && !start.is_empty(),
            Family::Zstd => settings.pass.unwrap_or(settings.force && settings.stdout) && !start.is_empty(),
            _ => settings.force && settings.stdout,
        };
        if found.is_none() && pass {
            return copy(source, out);
        }
        let mut sizes = Sizes::default();
        let mut mtime = None;
        let result;
        let garbage;
        if format == Format::Gzip {
            let mut decoder = gzip::Decoder::new(source);
            result = pump(&mut decoder, &mut out, settings.test, &mut sizes);
            mtime = decoder.header.as_ref().map(|h| h.mtime);
            sizes.overhead = decoder.overhead;
            garbage = decoder.garbage();
        } else {
            let mut decoder = codec::some_decoder(format, source, settings.single);
            result = pump(&mut *decoder, &mut out, settings.test, &mut sizes);
            garbage = decoder.garbage();
        }
        let result = result.and(if garbage { Err(Trouble::Garbage) } else { Ok(()) });
        // What follows the data is told, but the data is good.
        let result = match result {
            Err(Trouble::Garbage) if words::garbage_is_error(settings.family) => Err(Trouble::Garbage),
            Err(Trouble::Garbage) => {
                words::tell(settings, name, Trouble::Garbage);
                Ok(())
            }
            other => other,
        };
        Done { out, result, sizes, mtime }
    }
}

#[derive(Clone, Copy, Default)]
pub struct Sizes {
    plain: u64,
    packed: u64,
    overhead: u64,
}

struct Done {
    out: Out,
    result: Result<(), Trouble>,
    sizes: Sizes,
    mtime: Option<u32>,
}

impl Done {
    fn failed(trouble: Trouble) -> Done {
        Done::failed_with(Err(trouble))
    }

    fn failed_with(result: Result<(), Trouble>) -> Done {
        Done { out: Out::stdout(), result, sizes: Sizes::default(), mtime: None }
    }
}

fn copy(mut source: Source, mut out: Out) -> Done {
    let mut sizes = Sizes::default();
    let result = pump(&mut source, &mut out, false, &mut sizes);
    Done { out, result, sizes, mtime: None }
}

/// Everything through, until either side fails.
fn pump(decoder: &mut dyn Decode, out: &mut Out, test: bool, sizes: &mut Sizes) -> Result<(), Trouble> {
    let mut block = vec![0; 64 * 1024];
    loop {
        match decoder.read(&mut block) {
            Ok(0) => {
                sizes.packed = decoder.read_bytes();
                return out.flush().map_err(Trouble::Write);
            }
            Ok(n) => {
                sizes.plain += n as u64;
                if !test {
                    out.write(&block[..n]);
                }
                if let Some(e) = out.error() {
                    return Err(Trouble::Write(e));
                }
            }
            Err(fault) => {
                let _ = out.flush();
                return Err(Trouble::Fault(fault));
            }
        }
    }
}

fn time_of(found: &Stat) -> u32 {
    u32::try_from(found.mtime.sec).unwrap_or(0)
}

/// The name in a gzip header, looked at without using it up.
fn stored_name(source: &mut Source) -> Option<Vec<u8>> {
    let start = source.look(512).ok()?;
    let flags = *start.get(3)?;
    if !start.starts_with(&[0x1f, 0x8b, 8]) || flags & 8 == 0 || flags & 4 != 0 {
        return None;
    }
    let rest = &start[10..];
    let name = &rest[..memchr::memchr(0, rest)?];
    (!name.is_empty()).then(|| name.to_vec())
}

/// A line from standard input, byte by byte.
fn answer() -> Vec<u8> {
    let mut line = Vec::new();
    let mut byte = [0];
    while let Ok(1) = read(STDIN, &mut byte) {
        if byte[0] == b'\n' {
            break;
        }
        line.push(byte[0]);
    }
    line
}

/// The part of a path that is made again below another directory.
fn mirrored(path: &[u8]) -> &[u8] {
    if path.split(|b| *b == b'/').any(|part| part == b"..") {
        return base_name(path);
    }
    let start = path.iter().take_while(|b| **b == b'/').count();
    path[start..].strip_prefix(b"./").unwrap_or(&path[start..])
}
