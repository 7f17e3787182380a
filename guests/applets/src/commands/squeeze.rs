//! What `gzip`, `bzip2`, `xz`, `zstd` and their friends share: options, names, one file after the other. How each of
//! them words its messages is in [`words`].

use crate::codec::{self, Decode, Encode, Fault, Format, Source, gzip};
use crate::input::base_name;
use crate::options::{Long, Options};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{
    Errno, Fd, FileType, OpenFlags, Out, STDIN, STDOUT, SetTime, Stat, Time, fchmod, futimens, isatty, lstat, open,
    read, read_dir, stat, unlink,
};

mod list;
mod words;
mod xz_list;
mod zstd_list;

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
    quiet: bool,
    /// Warnings leave the status at 0.
    no_warn: bool,
    verbose: bool,
    recursive: bool,
    /// Name and time go into the header, or come out of it.
    name: Option<bool>,
    suffix: Vec<u8>,
    level: u32,
    output: Option<Vec<u8>>,
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
            quiet: false,
            no_warn: false,
            verbose: false,
            recursive: false,
            name: None,
            // `uncompress` is gzip under another name.
            suffix: suffix(if format == Format::Lzw { Format::Gzip } else { format }).to_vec(),
            level: codec::usual_level(format),
            output: None,
        }
    }
}

pub struct Squeezer {
    settings: Settings,
    status: u8,
    /// Of `-l`: the sums, and whether the heading is out.
    totals: (u64, u64, usize),
    xz: xz_list::Sums,
    zstd: zstd_list::Sums,
    headed: bool,
    /// Which of the operands it is, and how many there are.
    place: (usize, usize),
    out: Out,
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
    let status = if tool.family == Family::Zstd { 1 } else { words::usage_status(tool.family) };
    let mut options = Options::new(args, tool.short, tool.long).status(status);
    match tool.family {
        Family::Xz => report::hint(report::Hint::NamedGrave),
        Family::Gzip => report::hint(report::Hint::Grave),
        _ => {}
    }
    let mut settings = Settings {
        decompress: tool.decompress,
        stdout: tool.stdout,
        // `zstdcat` hands on what is not packed.
        force: tool.family == Family::Zstd && tool.stdout,
        ..Settings::new(tool.family, tool.format)
    };
    let (mut digits, mut extreme, mut ultra) = (None::<u32>, 0, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            // Text is as bytes are, memory is bounded as it is, progress is never shown, every level is allowed.
            'a' | 's' | words::PLAIN => {}
            'e' => extreme = codec::EXTREME,
            'Q' => settings.no_warn = true,
            // So many threads at most: there is one.
            'T' => words::threads(tool.family, opt.value())?,
            'M' => {
                let text = "a limit for memory (-M, --memlimit) is not supported: decoding takes at most 100 MiB";
                return Err(report::die(1, text));
            }
            'c' => settings.stdout = true,
            'd' => settings.decompress = true,
            'z' => settings.decompress = false,
            'f' => settings.force = true,
            'F' => settings.format = words::format(opt.value(), settings.format)?,
            'k' => settings.keep = true,
            words::REMOVE => settings.keep = false,
            'l' => (settings.list, settings.decompress) = (true, true),
            'n' => settings.name = Some(false),
            'N' => settings.name = Some(true),
            'o' => settings.output = opt.value.map(<[u8]>::to_vec),
            'q' => settings.quiet = true,
            'r' => settings.recursive = true,
            'S' => settings.suffix = words::suffix(tool.family, opt.value())?,
            't' => (settings.test, settings.decompress) = (true, true),
            'v' => settings.verbose = true,
            'V' | 'L' => {
                let mut out = Out::stdout();
                out.write(format!("{} (Capsule) {}\n", report::program(), env!("CARGO_PKG_VERSION")).as_bytes());
                return report::finish(&mut out, 0);
            }
            words::FAST => settings.level = 1,
            words::BEST => settings.level = 9,
            words::ULTRA => ultra = true,
            digit @ '0'..='9' => {
                let digit = digit as u32 - '0' as u32;
                digits = Some(digits.unwrap_or(0_u32).saturating_mul(10).saturating_add(digit));
                settings.level = digits.unwrap_or(6);
            }
            _ => {}
        }
    }
    settings.level = match settings.family {
        // Beyond these it takes more memory, and must be asked for twice.
        Family::Zstd if settings.level == 0 => codec::usual_level(Format::Zstd),
        Family::Zstd => words::zstd_level(settings.level, ultra),
        Family::Xz => settings.level.min(9),
        _ => settings.level.clamp(1, 9),
    };
    settings.level |= extreme;
    let operands: Vec<Vec<u8>> = options.operands().iter().map(|o| o.to_vec()).collect();
    let mut squeezer = Squeezer {
        settings,
        status: 0,
        totals: (0, 0, 0),
        xz: xz_list::Sums::default(),
        zstd: zstd_list::Sums::default(),
        headed: false,
        place: (0, operands.len()),
        out: Out::stdout(),
    };
    if operands.is_empty() {
        squeezer.standard_input()?;
    }
    for operand in &operands {
        squeezer.place.0 += 1;
        match operand.as_slice() {
            b"-" => squeezer.standard_input()?,
            path => squeezer.path(path)?,
        }
    }
    if squeezer.settings.list {
        squeezer.list_totals(operands.len());
    }
    match squeezer.out.flush() {
        Ok(()) => Ok(squeezer.status),
        Err(e) => {
            squeezer.complain(words::standard_output(squeezer.settings.family), Trouble::Write(e));
            Ok(squeezer.status)
        }
    }
}

/// Says of packed standard input what the program for its format would say; the status that one would end with.
pub fn complain_of_input(format: Format, fault: Fault) -> u8 {
    let (family, name) = match format {
        Format::Gzip | Format::Lzw => (Family::Gzip, "gzip"),
        Format::Bzip2 => (Family::Bzip2, "bzip2"),
        Format::Xz | Format::Lzma => (Family::Xz, if format == Format::Xz { "xz" } else { "lzma" }),
        Format::Zstd => (Family::Zstd, "zstd"),
    };
    let program = report::program();
    report::set_program(name.as_bytes());
    let settings = Settings { decompress: true, stdout: true, ..Settings::new(family, format) };
    let status = words::tell(&settings, words::standard_input(family), Trouble::Fault(fault));
    report::set_program(program.as_bytes());
    status
}

impl Squeezer {
    /// Tells what is wrong, and counts it.
    fn complain(&mut self, name: &[u8], trouble: Trouble) {
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
            Ok(()) => {}
            // The last flush tells of it.
            Err(Trouble::Write(_)) if file.is_none() => {}
            Err(trouble) => self.complain(name, trouble),
        }
        Ok(())
    }

    fn path(&mut self, path: &[u8]) -> Result<(), Exit> {
        let named = self.find(path);
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
            Family::Xz if to_file && !settings.force && link() => Err(Trouble::Link),
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
        if !settings.decompress {
            let own = &settings.suffix;
            return match ending {
                Some((suffix, _)) if suffix == own && !settings.force && settings.family != Family::Zstd => {
                    Err(Trouble::HasSuffix(own.clone()))
                }
                _ => Ok([path, own].concat()),
            };
        }
        match ending {
            Some((suffix, instead)) => Ok([&path[..path.len() - suffix.len()], instead].concat()),
            None if settings.family == Family::Bzip2 => {
                words::guess(path);
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
        if to_file && !settings.force && settings.family != Family::Zstd {
            let kind = lstat(path).map_or(found.kind, |s| s.kind);
            if kind == FileType::Symlink {
                return Err(Trouble::Link);
            }
            if kind != FileType::Regular {
                return Err(Trouble::NotRegular);
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
                Family::Xz if codec::sniff(start).is_none() => return Err(Trouble::Fault(Fault::NotFormat)),
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
            let out = std::mem::replace(&mut self.out, Out::stdout());
            let done = self.convert(path, source, out, time_of(&found), Some(base_name(path)));
            self.out = done.out;
            match done.result {
                // The last flush tells of it.
                Err(Trouble::Write(_)) => return Ok(()),
                result => result?,
            }
            words::done(&self.settings, path, None, done.sizes);
            return Ok(());
        };
        self.clear_way(&target)?;
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC;
        let output = open(&target, flags, 0o600).map_err(|e| Trouble::Create(target.clone(), e))?;
        let done = self.convert(path, source, Out::new(output.raw()), time_of(&found), Some(base_name(path)));
        let mut out = done.out;
        let finished = done.result.and_then(|()| out.flush().map_err(Trouble::Write));
        let finished = finished.and_then(|()| self.finish_file(output, &found, done.mtime));
        if let Err(trouble) = finished {
            let _ = unlink(&target);
            if let Trouble::Write(_) = trouble {
                self.complain(&target, trouble);
                return Ok(());
            }
            return Err(trouble);
        }
        if !self.settings.keep {
            unlink(path).map_err(Trouble::Open)?;
        }
        words::done(&self.settings, path, Some(&target), done.sizes);
        Ok(())
    }

    /// Mode and times follow the file that was.
    fn finish_file(&self, output: Fd, found: &Stat, mtime: Option<u32>) -> Result<(), Trouble> {
        let _ = fchmod(output.raw(), found.mode & 0o777);
        let modified = match mtime {
            Some(time) if self.settings.name == Some(true) && time != 0 => Time { sec: time.into(), nsec: 0 },
            _ => found.mtime,
        };
        let _ = futimens(output.raw(), SetTime::At(found.atime), SetTime::At(modified));
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
        let named = settings.name != Some(false);
        let mut encoder: Box<dyn Encode> = match settings.format {
            Format::Gzip => {
                let time = if named { mtime } else { 0 };
                Box::new(gzip::Encoder::new(out, settings.level, time, stored.filter(|_| named)))
            }
            format => match codec::encoder(format, settings.level, out) {
                Some(encoder) => encoder,
                None => return Done::failed(Trouble::Fault(Fault::Memory)),
            },
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
        let mut out = encoder.finish();
        let result = result.and_then(|()| out.flush().map_err(Trouble::Write));
        let made = capsule_sys::seek(out.fd(), capsule_sys::Seek::Current(0)).unwrap_or(0);
        Done { out, result, sizes: Sizes { plain: total, packed: made, overhead: 18 }, mtime: None }
    }

    fn unpack(&self, name: &[u8], mut source: Source, mut out: Out) -> Done {
        let settings = &self.settings;
        // Each of them also reads what the others of its family write.
        let start = source.look(13).map(<[u8]>::to_vec).unwrap_or_default();
        let found = codec::sniff(&start);
        let accepted = match (settings.family, found) {
            (Family::Gzip, Some(Format::Gzip | Format::Lzw)) => found,
            (Family::Xz, Some(Format::Xz | Format::Lzma)) => found,
            (Family::Zstd, Some(_)) => found,
            _ => Some(settings.format),
        };
        let format = accepted.unwrap_or(settings.format);
        if found.is_none()
            && settings.force
            && settings.stdout
            && !(start.is_empty() && settings.family == Family::Zstd)
        {
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
            let mut decoder = codec::decoder(format, source);
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
        Done { out: Out::stdout(), result: Err(trouble), sizes: Sizes::default(), mtime: None }
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
