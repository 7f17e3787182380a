//! `cpio`, as GNU's: `-o`, `-i`, `-t` and `-p`.

use crate::calendar::{Moment, Zone};
use crate::input::{Input, dir_name, join};
use crate::late_links::{Late, LateLinks, leads_out};
use crate::options::{Long, NO, Options, REQ, only};
use crate::users::Names;
use crate::{Args, Exit, Outcome, glob, mode, report};
use capsule_sys::{
    AT_FDCWD, AT_SYMLINK_NOFOLLOW, Errno, Fd, FileType, OpenFlags, Out, STDERR, STDIN, STDOUT, SetTime, Time, chmod,
    chown_at, fchmod, futimens, getids, link, lstat, mkdir, mkfifo, now, open, read, readlink, rmdir, stat, symlink,
    unlink, utimens_at, write_all,
};
use std::collections::HashMap;

mod create;
mod format;
use format::{Broken, Entry, Format, Reader};

pub const HELP: &str = "\
Usage: cpio [OPTION...] [destination-directory]
Copy files to and from archives.

 Modes:
  -i, --extract              extract files from an archive (run in copy-in mode)
  -o, --create               create the archive (run in copy-out mode)
  -p, --pass-through         run in copy-pass mode
  -t, --list                 print a table of contents of the input

 Modifiers:
  -0, --null                 filenames in the list are delimited by NUL
  -a, --reset-access-time    files keep their times of access
  -B                         blocks of 5120 bytes
      --block-size=NUMBER    blocks of so many times 512 bytes
  -C, --io-size=NUMBER       blocks of NUMBER bytes
  -c                         the same as -H odc
  -d, --make-directories     create leading directories where needed
  -D, --directory=DIR        change to directory DIR
  -E, --pattern-file=FILE    read patterns from FILE
  -f, --nonmatching          only copy files that match no pattern
  -F, --file=FILE            use this FILE instead of standard input or output
  -H, --format=FORMAT        newc, odc, bin or crc
      --force-local          archives are files (so it is)
  -I FILE  -O FILE           archive to read, archive to write
  -l, --link                 link files instead of copying them (with -p)
  -L, --dereference          follow symbolic links
  -m, --preserve-modification-time  retain modification times
  -n, --numeric-uid-gid      show numbers in tables
      --no-absolute-filenames  create all files below the current directory
      --absolute-filenames   names stay as they are
      --device-independent, --reproducible  the next two at once
      --ignore-devno         store no device numbers
      --renumber-inodes      store inode numbers from 0 on
  -R, --owner=[USER][:GROUP]  whose the created files are
      --no-preserve-owner    do not change the ownership of the files
      --quiet                do not print the number of blocks copied
  -u, --unconditional        replace all files unconditionally
      --to-stdout            extract files to standard output
  -v, --verbose              list the files processed
  -V, --dot                  print a dot for each file
  -?, --help                 print this help
      --usage                print how it is used
      --version              print the version
";

const LONG: &[Long] = &[
    ("extract", NO, 'i'),
    ("create", NO, 'o'),
    ("pass-through", NO, 'p'),
    ("list", NO, 't'),
    ("null", NO, '0'),
    ("make-directories", NO, 'd'),
    ("directory", REQ, 'D'),
    ("pattern-file", REQ, 'E'),
    ("nonmatching", NO, 'f'),
    ("file", REQ, 'F'),
    ("format", REQ, 'H'),
    ("link", NO, 'l'),
    ("dereference", NO, 'L'),
    ("preserve-modification-time", NO, 'm'),
    ("numeric-uid-gid", NO, 'n'),
    ("no-absolute-filenames", NO, NO_ABSOLUTE),
    ("absolute-filenames", NO, ABSOLUTE),
    ("no-preserve-owner", NO, NO_OWNER),
    ("quiet", NO, QUIET),
    ("unconditional", NO, 'u'),
    ("to-stdout", NO, TO_STDOUT),
    ("verbose", NO, 'v'),
    ("block-size", REQ, BLOCKS),
    ("dot", NO, 'V'),
    ("owner", REQ, 'R'),
    ("reset-access-time", NO, 'a'),
    ("device-independent", NO, REPRODUCIBLE),
    ("ignore-devno", NO, IGNORE_DEVICES),
    ("renumber-inodes", NO, RENUMBER),
    ("force-local", NO, FORCE_LOCAL),
    ("usage", NO, USAGE),
    ("io-size", REQ, 'C'),
    ("reproducible", NO, REPRODUCIBLE),
];
const NO_ABSOLUTE: char = only(0);
const ABSOLUTE: char = only(1);
const NO_OWNER: char = only(2);
const QUIET: char = only(3);
const TO_STDOUT: char = only(4);
const REPRODUCIBLE: char = only(5);
const IGNORE_DEVICES: char = only(6);
const RENUMBER: char = only(7);
const BLOCKS: char = only(8);
const FORCE_LOCAL: char = only(9);
const USAGE: char = only(10);
const FATAL: u8 = 2;
/// The status of an option that is none.
const NO_OPTION: u8 = 64;

/// The names that each file with more than one has so far.
type Linked = HashMap<((u32, u32), u64), Vec<Vec<u8>>>;

#[derive(Default)]
struct Cpio {
    null: bool,
    directories: bool,
    inverted: bool,
    follow: bool,
    times: bool,
    numeric: bool,
    safe: bool,
    keep_owner: bool,
    quiet: bool,
    replace: bool,
    link: bool,
    to_stdout: bool,
    verbose: bool,
    patterns: Vec<Vec<u8>>,
    status: u8,
    /// What was read or written, and how much is one block.
    bytes: u64,
    io_size: u64,
    dots: bool,
    reset_times: bool,
    renumber: bool,
    no_devices: bool,
    owner: (Option<u32>, Option<u32>),
    told_prefix: bool,
    links: LateLinks,
}

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::Usage);
    let mut options = Options::new(args, "0aBC:dD:E:fF:H:I:ilLmnO:optR:uvVbcsS?", LONG).status(NO_OPTION);
    let mut cpio = Cpio { keep_owner: getids().is_ok_and(|ids| ids.0 == 0), io_size: 512, ..Cpio::default() };
    let (mut modes, mut format, mut file, mut directory) = ([false; 4], Format::Binary, None, None);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'i' => modes[0] = true,
            'o' => modes[1] = true,
            'p' => modes[2] = true,
            't' => modes[3] = true,
            '0' => cpio.null = true,
            'd' => cpio.directories = true,
            'D' => directory = Some(opt.value()),
            'E' => {
                let mut input = Input::open(opt.value())
                    .map_err(|e| report::die(FATAL, format_args!("{}: Cannot open: {e}", opt.text())))?;
                let mut text = Vec::new();
                let _ = input.stream.read_to_end(&mut text);
                cpio.patterns.extend(text.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec));
            }
            'f' => cpio.inverted = true,
            'F' | 'I' | 'O' => file = Some(opt.value()),
            'H' => {
                format = match opt.value().to_ascii_lowercase().as_slice() {
                    b"newc" => Format::Newc,
                    b"crc" => Format::Crc,
                    b"odc" => Format::Odc,
                    b"bin" => Format::Binary,
                    _ => {
                        let text = format!(
                            "invalid archive format `{}'; valid formats are:\ncrc newc odc bin (all-caps also recognized)",
                            opt.text()
                        );
                        return Err(report::usage(FATAL, text));
                    }
                }
            }
            'c' => format = Format::Odc,
            'l' => cpio.link = true,
            'L' => cpio.follow = true,
            'm' => cpio.times = true,
            'n' => cpio.numeric = true,
            'u' => cpio.replace = true,
            'v' => cpio.verbose = true,
            NO_ABSOLUTE => cpio.safe = true,
            ABSOLUTE => cpio.safe = false,
            NO_OWNER => cpio.keep_owner = false,
            QUIET => cpio.quiet = true,
            TO_STDOUT => cpio.to_stdout = true,
            'a' => cpio.reset_times = true,
            'B' => cpio.io_size = 5120,
            'C' => cpio.io_size = block_size(opt.value(), 1)?,
            BLOCKS => cpio.io_size = block_size(opt.value(), 512)?,
            'V' => cpio.dots = true,
            'R' => cpio.owner = owner(opt.value())?,
            REPRODUCIBLE => (cpio.renumber, cpio.no_devices) = (true, true),
            RENUMBER => cpio.renumber = true,
            IGNORE_DEVICES => cpio.no_devices = true,
            // Names are never those of other machines.
            FORCE_LOCAL => {}
            '?' => return Err(options.help()),
            USAGE => {
                let mut out = Out::stdout();
                out.write(b"Usage: cpio [OPTION...] [destination-directory]\n");
                return report::finish(&mut out, 0);
            }
            other => return Err(report::usage(FATAL, format_args!("option -{other} is not supported here"))),
        }
    }
    let operands = options.operands();
    let fault =
        |name: &[u8], e: Errno| report::die(FATAL, format_args!("Cannot open {}: {e}", String::from_utf8_lossy(name)));
    let opened = |flags: OpenFlags| -> Result<Option<Fd>, Exit> {
        file.map(|f| open(f, flags | OpenFlags::CLOEXEC, 0o666).map_err(|e| fault(f, e))).transpose()
    };
    let create = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC;
    let result = match modes {
        [false, true, false, false] => {
            if !operands.is_empty() {
                return Err(report::usage(FATAL, "Too many arguments"));
            }
            if file.is_none() {
                still_open(STDOUT, "output")?;
            }
            let out = opened(create)?;
            enter(directory)?;
            cpio.create(format, Out::new(out.as_ref().map_or(STDOUT, Fd::raw)))
        }
        [_, false, false, list] if modes[0] || list => {
            if file.is_none() {
                still_open(STDIN, "input")?;
            }
            let input = opened(OpenFlags::RDONLY)?;
            enter(directory)?;
            cpio.patterns.extend(operands.iter().map(|o| o.to_vec()));
            let fd = input.as_ref().map_or(STDIN, Fd::raw);
            cpio.extract(Reader::new(fd, input), list)
        }
        [false, false, true, false] => {
            let [target] = operands[..] else {
                return Err(report::usage(
                    FATAL,
                    if operands.is_empty() { "Not enough arguments" } else { "Too many arguments" },
                ));
            };
            enter(directory)?;
            cpio.pass(target)
        }
        [false, false, false, false] => {
            return Err(report::usage(FATAL, "You must specify one of -oipt options."));
        }
        _ => return Err(report::usage(FATAL, "Mode already defined")),
    };
    result?;
    if cpio.dots {
        let _ = write_all(STDERR, b"\n");
    }
    if !cpio.quiet {
        let blocks = cpio.bytes.div_ceil(cpio.io_size);
        let plural = if blocks == 1 { "" } else { "s" };
        let _ = write_all(STDERR, format!("{blocks} block{plural}\n").as_bytes());
    }
    Ok(cpio.status)
}

fn still_open(fd: i32, which: &str) -> Result<(), Exit> {
    capsule_sys::fstat(fd).map(drop).map_err(|e| report::die(FATAL, format_args!("standard {which} is closed: {e}")))
}

fn block_size(text: &[u8], unit: u64) -> Result<u64, Exit> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
    let size = number.and_then(|n| n.checked_mul(unit)).filter(|n| (1..1 << 31).contains(n));
    size.ok_or_else(|| report::usage(FATAL, "invalid block size"))
}

/// `USER`, `USER:GROUP` or `:GROUP`, by name or number.
fn owner(text: &[u8]) -> Result<(Option<u32>, Option<u32>), Exit> {
    let colon = text.iter().position(|b| matches!(b, b':' | b'.'));
    let (user, group) = match colon {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, b"".as_slice()),
    };
    let find = |name: &[u8], mut names: Names, what: &str| {
        if name.is_empty() {
            return Ok(None);
        }
        let number = std::str::from_utf8(name).ok().and_then(|n| n.parse::<u32>().ok());
        let bad = || report::usage(FATAL, format_args!("{}: invalid {what}", shown(text)));
        names.id(name).or(number).map(Some).ok_or_else(bad)
    };
    Ok((find(user, Names::users(), "user")?, find(group, Names::groups(), "group")?))
}

fn enter(directory: Option<&[u8]>) -> Result<(), Exit> {
    let Some(dir) = directory else { return Ok(()) };
    capsule_sys::chdir(dir).map_err(|e| {
        report::die(FATAL, format_args!("cannot change to directory `{}': {e}", String::from_utf8_lossy(dir)))
    })
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

impl Cpio {
    /// Does `each` for every name on standard input.
    fn names(&mut self, mut each: impl FnMut(&mut Cpio, &[u8]) -> Result<(), Exit>) -> Result<(), Exit> {
        let mut input = Input::stdin();
        let end = if self.null { 0 } else { b'\n' };
        let mut line = Vec::new();
        while input.stream.read_until(end, &mut line).unwrap_or(false) {
            let name = line.strip_suffix(&[end]).unwrap_or(&line);
            match name.is_empty() {
                true => report::error("blank line ignored"),
                false => each(self, name)?,
            }
            line.clear();
        }
        Ok(())
    }

    fn stat(&mut self, name: &[u8]) -> Option<capsule_sys::Stat> {
        let found = if self.follow { stat(name) } else { lstat(name) };
        found
            .map_err(|e| {
                report::error(format_args!("{}: Cannot stat: {e}", shown(name)));
                self.status = FATAL;
            })
            .ok()
    }

    fn wanted(&self, name: &[u8]) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|p| glob::matches(p, name, false)) != self.inverted
    }

    fn extract(&mut self, mut reader: Reader, list: bool) -> Result<(), Exit> {
        let mut out = Out::stdout();
        let (mut users, mut groups, zone) = (Names::users(), Names::groups(), Zone::local());
        let mut linked = Linked::new();
        let mut delayed = Vec::new();
        loop {
            let (mut entry, format) = match reader.next() {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(broken) => return Err(stop(broken)),
            };
            if entry.name.is_empty() {
                let _ = out.flush();
                report::error("Substituting `.' for empty member name");
                entry.name.push(b'.');
            }
            let padding = format.padding(entry.size) as u64;
            if !self.wanted(&entry.name) {
                reader.exactly(entry.size + padding, |_| {}).map_err(stop)?;
                continue;
            }
            if list {
                let mut target = Vec::new();
                let is_link = FileType::from_mode(entry.mode) == Some(FileType::Symlink);
                reader
                    .exactly(entry.size, |data| {
                        if is_link && target.len() < 4096 {
                            target.extend_from_slice(data);
                        }
                    })
                    .map_err(stop)?;
                if self.verbose {
                    self.line(&mut out, &entry, &target, &mut users, &mut groups, &zone);
                } else {
                    out.write(&[entry.name.as_slice(), b"\n"].concat());
                }
            } else if self.to_stdout {
                reader.exactly(entry.size, |data| out.write(data)).map_err(stop)?;
            } else {
                self.make(&mut reader, &entry, &mut linked, &mut delayed)?;
                self.tell(&entry.name);
            }
            reader.exactly(padding, |_| {}).map_err(stop)?;
            report::writable(&out)?;
        }
        std::mem::take(&mut self.links).finish(|path, _, late| {
            if let Late::Failed(e) = late {
                self.fail("cannot make symlink", path, e);
            }
        });
        for (path, entry) in delayed.iter().rev() {
            self.attributes(path, entry);
        }
        self.bytes = reader.read.next_multiple_of(self.io_size);
        report::finish(&mut out, 0).map(drop)
    }

    fn line(&self, out: &mut Out, entry: &Entry, target: &[u8], users: &mut Names, groups: &mut Names, zone: &Zone) {
        let name = |names: &mut Names, id: u32| match self.numeric {
            true => id.to_string(),
            false => names.name(id).unwrap_or_else(|| id.to_string()),
        };
        let age = now().sec - entry.mtime;
        let format: &[u8] = if (0..15_778_476).contains(&age) { b"%b %e %H:%M" } else { b"%b %e  %Y" };
        let date = Moment::new(entry.mtime, 0, zone).format(format);
        let text = format!(
            "{} {:3} {:<8} {:<8} {:8} {} ",
            mode::show(entry.mode),
            entry.links,
            name(users, entry.uid),
            name(groups, entry.gid),
            entry.size,
            String::from_utf8_lossy(&date)
        );
        out.write(text.as_bytes());
        out.write(&entry.name);
        if !target.is_empty() {
            out.write(b" -> ");
            out.write(target);
        }
        out.byte(b'\n');
    }

    /// Where a member goes. Names that lead up are never followed.
    fn place(&mut self, name: &[u8]) -> Vec<u8> {
        let mut end = 0;
        let mut at = 0;
        for part in name.split_inclusive(|b| *b == b'/') {
            at += part.len();
            if matches!(part, b"../" | b"..") {
                end = at;
            }
        }
        let absolute = name[end..].iter().take_while(|b| **b == b'/').count();
        if end > 0 || (self.safe && absolute > 0) {
            let prefix = &name[..end + absolute];
            if !self.told_prefix {
                self.told_prefix = true;
                report::error(format_args!("Removing leading `{}' from member names", shown(prefix)));
            }
            let rest = &name[end + absolute..];
            return if rest.is_empty() { b".".to_vec() } else { rest.to_vec() };
        }
        name.to_vec()
    }

    fn make(
        &mut self,
        reader: &mut Reader,
        entry: &Entry,
        linked: &mut Linked,
        delayed: &mut Vec<(Vec<u8>, Entry)>,
    ) -> Result<(), Exit> {
        let skip = |reader: &mut Reader| reader.exactly(entry.size, |_| {}).map_err(stop);
        let path = self.place(&entry.name);
        let kind = FileType::from_mode(entry.mode).unwrap_or(FileType::Regular);
        if let Ok(found) = lstat(&path) {
            if kind == FileType::Directory && found.kind == FileType::Directory {
                delayed.push((path, entry.clone()));
                return skip(reader);
            }
            if !self.replace && found.mtime.sec >= entry.mtime {
                report::error(format_args!("{} not created: newer or same age version exists", shown(&path)));
                return skip(reader);
            }
            let gone = if found.kind == FileType::Directory { rmdir(&path) } else { unlink(&path) };
            if let Err(e) = gone {
                report::error(format_args!("cannot remove current {}: {e}", shown(&path)));
                return skip(reader);
            }
        }
        if self.directories {
            above(&path);
        }
        match kind {
            FileType::Directory => {
                skip(reader)?;
                match mkdir(&path, entry.mode & 0o777 | 0o700) {
                    Ok(()) => delayed.push((path, entry.clone())),
                    Err(e) => drop(self.fail("cannot make directory", &path, e)),
                }
            }
            FileType::Symlink => {
                let mut target = Vec::new();
                reader
                    .exactly(entry.size, |data| {
                        if target.len() < 8192 {
                            target.extend_from_slice(data);
                        }
                    })
                    .map_err(stop)?;
                let made = match leads_out(&target) {
                    true => self.links.add(&path, &target, None),
                    false => symlink(&target, &path),
                };
                if let Err(e) = made {
                    self.fail("cannot make symlink", &path, e);
                }
            }
            FileType::Regular => self.file(reader, &path, entry, linked)?,
            FileType::Fifo => {
                skip(reader)?;
                match mkfifo(&path, entry.mode & 0o777) {
                    Ok(()) => self.attributes(&path, entry),
                    Err(e) => drop(self.fail("cannot mkfifo", &path, e)),
                }
            }
            _ => {
                skip(reader)?;
                self.fail("cannot mknod", &path, Errno::EPERM);
            }
        }
        Ok(())
    }

    fn fail(&mut self, what: &str, path: &[u8], e: Errno) -> Option<Exit> {
        report::error(format_args!("{}: {what}: {e}", shown(path)));
        self.status = FATAL;
        None
    }

    fn file(&mut self, reader: &mut Reader, path: &[u8], entry: &Entry, linked: &mut Linked) -> Result<(), Exit> {
        let key = (entry.dev, entry.ino);
        let earlier = if entry.links > 1 { linked.get(&key).cloned().unwrap_or_default() } else { Vec::new() };
        if entry.links > 1 {
            linked.entry(key).or_default().push(path.to_vec());
        }
        // The data comes with one of the names only.
        if entry.size == 0
            && let Some(first) = earlier.first()
            && link(first, path, 0).is_ok()
        {
            return Ok(());
        }
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC;
        let file = match open(path, flags, 0o600) {
            Ok(file) => file,
            Err(e) => {
                self.fail("Cannot open", path, e);
                return reader.exactly(entry.size, |_| {}).map_err(stop);
            }
        };
        let mut out = Out::new(file.raw());
        let mut sum = 0;
        let copied = reader.exactly(entry.size, |data| {
            out.write(data);
            if entry.sum.is_some() {
                sum = create::sum_of(sum, data);
            }
        });
        copied.map_err(stop)?;
        if let Err(e) = out.flush() {
            return Err(report::die(FATAL, format_args!("write error: {e}")));
        }
        if let Some(wanted) = entry.sum.filter(|wanted| *wanted != sum) {
            report::error(format_args!("{}: checksum error (0x{sum:x}, should be 0x{wanted:x})", shown(path)));
            self.status = 1;
        }
        let _ = fchmod(file.raw(), entry.mode & 0o7777);
        drop(file);
        self.attributes(path, entry);
        for name in earlier {
            if unlink(&name).is_ok() {
                let _ = link(path, &name, 0);
            }
        }
        Ok(())
    }

    fn attributes(&self, path: &[u8], entry: &Entry) {
        let owner = match (self.keep_owner, self.owner) {
            (true, (user, group)) => (user.or(Some(entry.uid)), group.or(Some(entry.gid))),
            (false, owner) => owner,
        };
        if owner != (None, None) {
            let _ = chown_at(AT_FDCWD, path, owner.0, owner.1, AT_SYMLINK_NOFOLLOW);
        }
        let _ = chmod(path, entry.mode & 0o7777);
        if self.times {
            let time = SetTime::At(Time { sec: entry.mtime, nsec: 0 });
            let _ = utimens_at(AT_FDCWD, path, time, time, AT_SYMLINK_NOFOLLOW);
        }
    }

    fn pass(&mut self, target: &[u8]) -> Result<(), Exit> {
        let target = target.to_vec();
        let mut known: HashMap<(u64, u64), Vec<u8>> = HashMap::new();
        self.names(|cpio, name| {
            let Some(s) = cpio.stat(name) else { return Ok(()) };
            let path = join(&target, name.strip_prefix(b"/").unwrap_or(name));
            if let Ok(found) = lstat(&path) {
                let directory = s.kind == FileType::Directory && found.kind == FileType::Directory;
                if !directory && !cpio.replace && found.mtime.sec >= s.mtime.sec {
                    report::error(format_args!("{} not created: newer or same age version exists", shown(&path)));
                    return Ok(());
                }
                if !directory {
                    let _ = unlink(&path);
                }
            }
            if cpio.directories {
                above(&path);
            }
            let made = match s.kind {
                FileType::Directory => match mkdir(&path, s.mode) {
                    Err(Errno::EEXIST) => Ok(()),
                    other => other,
                },
                FileType::Symlink => readlink(name).and_then(|to| symlink(&to, &path)),
                FileType::Regular if cpio.link => link(name, &path, 0),
                // Names of one file stay names of one file.
                FileType::Regular if known.contains_key(&(s.dev, s.ino)) => link(&known[&(s.dev, s.ino)], &path, 0),
                FileType::Regular => {
                    if s.nlink > 1 {
                        known.insert((s.dev, s.ino), path.clone());
                    }
                    cpio.copy(name, &path, &s)
                }
                FileType::Fifo => mkfifo(&path, s.mode),
                _ => Err(Errno::EPERM),
            };
            if let Err(e) = made {
                if e == Errno::ENOSPC && s.kind == FileType::Regular {
                    return Err(report::die(FATAL, format_args!("write error: {e}")));
                }
                let what = match s.kind {
                    FileType::Regular => "Cannot open",
                    FileType::Directory => "Cannot mkdir",
                    _ => "Cannot create",
                };
                cpio.fail(what, &path, e);
            } else {
                cpio.tell(&path);
            }
            Ok(())
        })
    }

    fn copy(&mut self, from: &[u8], to: &[u8], s: &capsule_sys::Stat) -> Result<(), Errno> {
        let input = open(from, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)?;
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC;
        let output = open(to, flags, 0o600)?;
        let mut out = Out::new(output.raw());
        let mut block = vec![0; 64 * 1024];
        loop {
            let n = read(input.raw(), &mut block)?;
            if n == 0 {
                break;
            }
            out.write(&block[..n]);
            self.bytes += n as u64;
        }
        out.flush()?;
        if self.owner != (None, None) {
            let _ = chown_at(AT_FDCWD, to, self.owner.0, self.owner.1, AT_SYMLINK_NOFOLLOW);
        }
        fchmod(output.raw(), s.mode)?;
        if self.reset_times {
            let _ = futimens(input.raw(), SetTime::At(s.atime), SetTime::At(s.mtime));
        }
        if self.times {
            let _ = futimens(output.raw(), SetTime::At(s.atime), SetTime::At(s.mtime));
        }
        Ok(())
    }
}

fn stop(broken: Broken) -> Exit {
    match broken {
        Broken::Read(e) => report::die(FATAL, format_args!("read error: {e}")),
        Broken::End => report::die(FATAL, "premature end of archive"),
        Broken::Malformed => report::die(FATAL, "standard input is not a cpio archive"),
    }
}

/// The directories above a path.
fn above(path: &[u8]) {
    let mut missing = Vec::new();
    let mut dir = dir_name(path);
    while dir != b"." && dir != b"/" && stat(dir).is_err() {
        missing.push(dir);
        dir = dir_name(dir);
    }
    for dir in missing.into_iter().rev() {
        let _ = mkdir(dir, 0o777);
    }
}
