//! `zip`, as Info-ZIP's: the new archive is written beside the old one and takes its place.

use crate::calendar::Zone;
use crate::input::{base_name, dir_name, join};
use crate::zipfile::{self, Member, dos_time};
use crate::{Args, Exit, Outcome, glob, report};
use capsule_sys::{
    Errno, Fd, FileType, OpenFlags, Out, STDERR, STDIN, STDOUT, SetTime, Stat, Time, fchmod, fstat, getpid, lstat, now,
    open, pread, pwrite, read, read_dir, read_to_end, readlink, rename, rmdir, stat, unlink, utimens, write_all,
};
use flate2::{Compress, Compression, FlushCompress, Status};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

pub const HELP: &str = "\
Usage: zip [-options] ZIPFILE [FILE]... [-x PATTERN...] [-i PATTERN...]
Package and compress (archive) files.

  -r   directories, with all in them     -j   without the names of directories
  -0   store only                        -1   compress faster
  -9   compress better                   -q   quiet operation
  -u   update: only changed or new files -f   freshen: only changed files
  -d   delete entries in ZIPFILE         -m   move into ZIPFILE (delete files)
  -D   do not add directory entries      -y   store symbolic links as the link
  -@   read names from standard input    -T   test ZIPFILE integrity
  -x   leave out these names             -i   only these names
  -X   no extra fields   -n SUFFIXES  do not compress what ends so
  -FS  also delete what is no longer there
  -o   the archive is as old as its newest entry
  -v   tell more                         -g   grow ZIPFILE (as always)
  --recurse-paths --exclude --include --quiet --symlinks --delete --junk-paths
  --filesync      the same as -r -x -i -q -y -d -j -FS
      --help  print this help
A ZIPFILE of '-' is standard output, a FILE of '-' standard input.
";

struct Zip {
    recurse: bool,
    junk: bool,
    level: u32,
    quiet: bool,
    /// `-X`: no fields beyond those of the format.
    no_extra: bool,
    /// `-n`: what ends so is not packed.
    stored: Vec<Vec<u8>>,
    update: bool,
    /// `-FS`: what is no longer there goes.
    synchronize: bool,
    verbose: bool,
    /// `-o`: the archive gets the time of its newest member.
    newest: bool,
    freshen: bool,
    delete: bool,
    move_in: bool,
    no_directories: bool,
    links: bool,
    test: bool,
    excluded: Vec<Vec<u8>>,
    included: Vec<Vec<u8>>,
    zone: Zone,
}

/// A file that goes in, and the name it gets.
struct Candidate {
    path: Vec<u8>,
    name: Vec<u8>,
    stat: Option<Stat>,
}

pub fn main(args: &Args) -> Outcome {
    MESSAGES.set(STDOUT);
    let no_input = fstat(STDIN).is_err();
    crate::input::hold_standard();
    let mut zip = Zip {
        recurse: false,
        junk: false,
        level: 6,
        quiet: false,
        no_extra: false,
        stored: Vec::new(),
        update: false,
        synchronize: false,
        verbose: false,
        newest: false,
        freshen: false,
        delete: false,
        move_in: false,
        no_directories: false,
        links: false,
        test: false,
        excluded: Vec::new(),
        included: Vec::new(),
        zone: Zone::local(),
    };
    let mut names: Vec<Vec<u8>> = Vec::new();
    // Behind -x and -i come patterns, up to the next option.
    let mut list = None;
    let mut from_input = false;
    let mut words = args.rest().iter();
    while let Some(word) = words.next() {
        match word.as_slice() {
            b"--help" | b"-h" => {
                let mut out = Out::stdout();
                out.write(HELP.as_bytes());
                return report::finish(&mut out, 0);
            }
            b"--recurse-paths" => zip.recurse = true,
            b"--exclude" => list = Some(b'x'),
            b"--include" => list = Some(b'i'),
            b"--filesync" => zip.synchronize = true,
            b"--quiet" => zip.quiet = true,
            b"--symlinks" => zip.links = true,
            b"--delete" => zip.delete = true,
            b"--junk-paths" => zip.junk = true,
            [b'-', b'-', rest @ ..] if !rest.is_empty() => {
                let text = format!("long option '{}' not supported", String::from_utf8_lossy(rest));
                return Err(error(16, &format!("Invalid command arguments ({text})")));
            }
            b"-@" => from_input = true,
            [b'-', letters @ ..] if !letters.is_empty() => {
                list = None;
                let mut letters = letters.iter();
                while let Some(&letter) = letters.next() {
                    // Some options have two letters, whatever the first means alone.
                    if let Some(&next) = letters.as_slice().first()
                        && TWO_LETTERS.contains(&&[letter, next])
                    {
                        letters.next();
                        zip.two_letters(letter, next)?;
                        continue;
                    }
                    match letter {
                        b'x' | b'i' => {
                            list = Some(letter);
                            let rest: Vec<u8> = letters.by_ref().copied().collect();
                            if !rest.is_empty() {
                                zip.pattern(letter, &rest);
                            } else if words.as_slice().is_empty() {
                                let what = if letter == b'x' { "exclude files" } else { "include only files" };
                                return Err(no_value(letter, &format!("{what} matching patterns")));
                            }
                        }
                        b'n' => {
                            let rest: Vec<u8> = letters.by_ref().copied().collect();
                            if rest.is_empty() && words.as_slice().is_empty() {
                                return Err(no_value(letter, "suffixes to not compress: .gz:.zip"));
                            }
                            let list = if rest.is_empty() { words.next().cloned().unwrap_or_default() } else { rest };
                            let some = list.split(|b| matches!(b, b':' | b',')).filter(|s| !s.is_empty());
                            zip.stored.extend(some.map(<[u8]>::to_vec));
                        }
                        _ => zip.letter(letter)?,
                    }
                }
            }
            b"@" if list.is_some() => list = None,
            text => match list {
                Some(letter) if !names.is_empty() => zip.pattern(letter, text),
                _ => names.push(word.clone()),
            },
        }
    }
    if names.is_empty() {
        let mut out = Out::stdout();
        out.write(HELP.as_bytes());
        return report::finish(&mut out, if args.rest().is_empty() { 0 } else { 16 });
    }
    let archive = names.remove(0);
    if from_input {
        let text = read_to_end(STDIN).unwrap_or_default();
        names.extend(text.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec));
    }
    if no_input && names.iter().any(|name| name == b"-") {
        return Err(error(5, "Internal logic error (fstat(stdin))"));
    }
    zip.run(&archive, &names)
}

thread_local! {
    /// Where messages go: standard output, unless the archive goes there.
    static MESSAGES: Cell<i32> = const { Cell::new(STDOUT) };
}

fn tell(text: &str) {
    let _ = write_all(MESSAGES.get(), text.as_bytes());
}

fn error(status: u8, text: &str) -> Exit {
    tell(&format!("\nzip error: {text}\n"));
    Exit(status)
}

/// Options of two letters.
const TWO_LETTERS: [&[u8; 2]; 36] = [
    b"DF", b"FF", b"FS", b"MM", b"UN", b"TT", b"db", b"dc", b"dd", b"dg", b"ds", b"du", b"dv", b"fd", b"fz", b"h2",
    b"ic", b"la", b"lf", b"li", b"ll", b"mm", b"nw", b"sb", b"sc", b"sd", b"sf", b"so", b"sp", b"su", b"sU", b"sv",
    b"tt", b"wl", b"ws", b"ZZ",
];

fn no_value(letter: u8, what: &str) -> Exit {
    error(16, &format!("Invalid command arguments (option '{}' ({what}) requires a value)", letter as char))
}

/// A name on one line.
fn on_one_line(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    match text.chars().any(|c| c.is_ascii_control()) {
        true => text.chars().map(|c| if c < ' ' { format!("^{}", (c as u8 + 64) as char) } else { c.into() }).collect(),
        false => text.into_owned(),
    }
}

impl Zip {
    fn two_letters(&mut self, first: u8, second: u8) -> Result<(), Exit> {
        match [first, second] {
            [b'F', b'S'] => self.synchronize = true,
            [b'h', b'2'] => {
                let mut out = Out::stdout();
                out.write(HELP.as_bytes());
                return Err(Exit(report::finish(&mut out, 0)?));
            }
            _ => {
                let text = format!("short option '{}{}' not supported", first as char, second as char);
                return Err(error(16, &format!("Invalid command arguments ({text})")));
            }
        }
        Ok(())
    }

    fn pattern(&mut self, letter: u8, text: &[u8]) {
        let list = if letter == b'x' { &mut self.excluded } else { &mut self.included };
        list.push(text.to_vec());
    }

    fn letter(&mut self, letter: u8) -> Result<(), Exit> {
        match letter {
            b'r' => self.recurse = true,
            b'j' => self.junk = true,
            b'0'..=b'9' => self.level = u32::from(letter - b'0'),
            b'q' => self.quiet = true,
            b'u' => self.update = true,
            b'f' => self.freshen = true,
            b'd' => self.delete = true,
            b'm' => self.move_in = true,
            b'D' => self.no_directories = true,
            b'y' => self.links = true,
            b'T' => self.test = true,
            b'X' => self.no_extra = true,
            b'v' => self.verbose = true,
            b'o' => self.newest = true,
            // The archive is written anew and takes the place of the old one either way.
            b'g' => {}
            other => {
                let text = format!("short option '{}' not supported", other as char);
                return Err(error(16, &format!("Invalid command arguments ({text})")));
            }
        }
        Ok(())
    }

    fn say(&self, text: String) {
        if !self.quiet {
            tell(&text);
        }
    }

    fn run(&mut self, given: &[u8], names: &[Vec<u8>]) -> Outcome {
        let standard = given == b"-";
        if standard {
            MESSAGES.set(STDERR);
        }
        let mut archive = given.to_vec();
        if !standard && !base_name(&archive).contains(&b'.') {
            archive.extend_from_slice(b".zip");
        }
        let shown = String::from_utf8_lossy(&archive).into_owned();
        let old = if standard { None } else { open(&archive, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).ok() };
        let (mut members, mut comment) = (Vec::new(), Vec::new());
        if let Some(file) = &old {
            let size = fstat(file.raw()).map_or(0, |s| s.size);
            (members, comment) = match zipfile::directory(file.raw(), size) {
                Ok(Some(directory)) => (directory.members, directory.comment),
                _ => return Err(error(3, &format!("Zip file structure invalid ({shown})"))),
            };
        }
        if self.delete {
            return self.remove(&archive, old, members, comment, names);
        }
        let mut candidates = Vec::new();
        for name in names {
            self.gather(name, &mut candidates);
        }
        let id = |s: Stat| (s.dev, s.ino);
        let own = old.as_ref().and_then(|file| fstat(file.raw()).ok()).map(id);
        // The archive does not go into itself.
        candidates.retain(|c| self.passes(&c.name) && (own.is_none() || c.stat.map(id) != own));
        let present: HashSet<Vec<u8>> = candidates.iter().map(|c| c.name.clone()).collect();
        let gone = |m: &Member| self.synchronize && !present.contains(&m.name);
        let known: HashMap<&[u8], &Member> = members.iter().map(|m| (m.name.as_slice(), m)).collect();
        candidates.retain(|c| {
            let old = known.get(c.name.as_slice());
            let newer = |m: &&Member| c.stat.is_none_or(|s| s.mtime.sec > m.when(&self.zone).seconds_since_epoch + 1);
            match (self.update || self.freshen, old) {
                // What has the same time and size is the same.
                (false, Some(m)) if self.synchronize => {
                    let time = m.when(&self.zone).seconds_since_epoch;
                    c.stat.is_none_or(|s| s.mtime.sec != time || s.size != m.size) && !c.name.ends_with(b"/")
                }
                (false, _) => true,
                (true, None) => self.update,
                (true, Some(m)) => newer(m),
            }
        });
        if candidates.is_empty() && self.synchronize && !members.is_empty() && !members.iter().any(gone) {
            self.say("Archive is current\n".to_owned());
            return Ok(0);
        }
        if candidates.is_empty() && (!self.synchronize || members.is_empty()) {
            if (self.update || self.freshen) && !members.is_empty() {
                return Ok(12);
            }
            if self.test && names.is_empty() && old.is_some() {
                return self.check(old, &members, &shown);
            }
            return Err(error(12, &format!("Nothing to do! ({shown})")));
        }
        let mut writer = Writer::new(&archive, standard, comment)?;
        // What is not replaced stays, in its place.
        let mut replaced: HashMap<Vec<u8>, usize> = HashMap::new();
        for (at, candidate) in candidates.iter().enumerate() {
            replaced.insert(candidate.name.clone(), at);
        }
        let mut done = vec![false; candidates.len()];
        let mut unread = vec![false; candidates.len()];
        for member in &members {
            match replaced.get(&member.name) {
                Some(&at) => {
                    done[at] = true;
                    if !self.add(&mut writer, &candidates[at], "updating")? {
                        unread[at] = true;
                        writer.copy(old.as_ref(), member)?;
                    }
                }
                None if gone(member) => self.say(format!("deleting: {}\n", on_one_line(&member.name))),
                None => writer.copy(old.as_ref(), member)?,
            }
        }
        for (at, candidate) in candidates.iter().enumerate() {
            if !done[at] && replaced.get(&candidate.name) == Some(&at) {
                unread[at] = !self.add(&mut writer, candidate, "  adding")?;
            }
        }
        drop(old);
        let members = writer.finish(&archive, standard)?;
        if self.test {
            let file = open(&archive, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).ok();
            self.check(file, &members, &shown)?;
        }
        if self.move_in {
            for (candidate, _) in candidates.iter().zip(&unread).rev().filter(|(_, unread)| !**unread) {
                let directory = candidate.stat.is_some_and(|s| s.kind == FileType::Directory);
                let _ = if directory { rmdir(&candidate.path) } else { unlink(&candidate.path) };
            }
        }
        if self.verbose {
            let (size, packed) = members.iter().fold((0, 0), |sum, m| (sum.0 + m.size, sum.1 + m.packed));
            self.say(format!("total bytes={size}, compressed={packed} -> {}% savings\n", percent(size, packed)));
        }
        if self.newest
            && let Some(time) = members.iter().map(|m| m.when(&self.zone).seconds_since_epoch).max()
        {
            let time = SetTime::At(Time { sec: time, nsec: 0 });
            let _ = utimens(&archive, time, time);
        }
        if unread.contains(&true) {
            let sizes = |which: bool| {
                let some = candidates.iter().zip(&unread).filter(move |(_, unread)| **unread == which);
                some.fold((0, 0), |(n, all), (c, _)| (n + 1, all + c.stat.map_or(0, |s| s.size)))
            };
            let ((read, bytes), (skipped, lost)) = (sizes(false), sizes(true));
            tell(&format!(
                "\nzip warning: Not all files were readable\n  files/entries read:  {read} ({bytes} bytes)  \
                 skipped:  {skipped} ({lost} bytes)\n"
            ));
            if members.is_empty() {
                tell("\tzip warning: zip file empty\n");
            }
            return Ok(18);
        }
        Ok(0)
    }

    fn check(&self, file: Option<Fd>, members: &[Member], shown: &str) -> Outcome {
        let Some(file) = file else { return Ok(0) };
        for member in members.iter().filter(|m| !m.is_directory()) {
            if zipfile::unpack(file.raw(), member, None, |_| true).is_err() {
                return Err(error(8, &format!("Zip file invalid, could not spawn unzip, or wrong unzip ({shown})")));
            }
        }
        self.say(format!("test of {shown} OK\n"));
        Ok(0)
    }

    fn passes(&self, name: &[u8]) -> bool {
        let any = |list: &[Vec<u8>]| list.iter().any(|p| glob::matches(p, name, false));
        (self.included.is_empty() || any(&self.included)) && !any(&self.excluded)
    }

    fn remove(
        &self,
        archive: &[u8],
        old: Option<Fd>,
        members: Vec<Member>,
        comment: Vec<u8>,
        names: &[Vec<u8>],
    ) -> Outcome {
        let shown = String::from_utf8_lossy(archive).into_owned();
        let gone = |m: &Member| names.iter().any(|p| *p == m.name || glob::matches(p, &m.name, false));
        if members.is_empty() {
            tell(&format!("\tzip warning: {shown} not found or empty\n"));
            return Err(error(12, &format!("Nothing to do! ({shown})")));
        }
        if !members.iter().any(gone) {
            for name in names {
                tell(&format!("\tzip warning: name not matched: {}\n", String::from_utf8_lossy(name)));
            }
            return Err(error(12, &format!("Nothing to do! ({shown})")));
        }
        let mut writer = Writer::new(archive, false, comment)?;
        for member in &members {
            if gone(member) {
                self.say(format!("deleting: {}\n", String::from_utf8_lossy(&member.name)));
            } else {
                writer.copy(old.as_ref(), member)?;
            }
        }
        drop(old);
        if writer.members.is_empty() {
            tell("\tzip warning: zip file empty\n");
        }
        writer.finish(archive, false)?;
        Ok(0)
    }

    /// A named file, and what is below it.
    fn gather(&self, name: &[u8], all: &mut Vec<Candidate>) {
        if name == b"-" {
            all.push(Candidate { path: b"-".to_vec(), name: b"-".to_vec(), stat: None });
            return;
        }
        let mut stack = vec![name.to_vec()];
        while let Some(path) = stack.pop() {
            let found = if self.links { lstat(&path) } else { stat(&path) };
            let Ok(found) = found else {
                let text = format!("\tzip warning: name not matched: {}\n", String::from_utf8_lossy(&path));
                if !self.quiet {
                    tell(&text);
                }
                continue;
            };
            let directory = found.kind == FileType::Directory;
            let stored = self.stored(&path, directory);
            if !(directory && (self.no_directories || self.junk))
                && !stored.is_empty()
                && found.kind != FileType::Socket
            {
                all.push(Candidate { path: path.clone(), name: stored, stat: Some(found) });
            }
            if directory
                && self.recurse
                && let Ok(entries) = read_dir(&path)
            {
                let mut names: Vec<Vec<u8>> = entries.flatten().map(|e| join(&path, &e.name)).collect();
                names.reverse();
                stack.extend(names);
            }
        }
    }

    /// The name in the archive: no leading slash, no `./`, no `..` in front.
    fn stored(&self, path: &[u8], directory: bool) -> Vec<u8> {
        if self.junk {
            return base_name(path).to_vec();
        }
        let mut rest = path;
        loop {
            let next = rest.strip_prefix(b"/").or_else(|| rest.strip_prefix(b"./"));
            match next {
                Some(shorter) => rest = shorter,
                None => break,
            }
        }
        if rest == b"." {
            return Vec::new();
        }
        let mut name = rest.to_vec();
        if directory && !name.ends_with(b"/") && !name.is_empty() {
            name.push(b'/');
        }
        name
    }

    /// Stores a file; false when it could not be read.
    fn add(&self, writer: &mut Writer, candidate: &Candidate, verb: &str) -> Result<bool, Exit> {
        let shown = on_one_line(&candidate.name);
        self.say(format!("{verb}: {shown}"));
        let time = candidate.stat.map_or_else(now, |s| s.mtime);
        let mode = candidate.stat.map_or(0o010600, |s| s.st_mode());
        let member = Member {
            name: candidate.name.clone(),
            host: zipfile::UNIX,
            mode,
            dos_time: dos_time(time, &self.zone),
            mtime: Some(time.sec).filter(|_| !self.no_extra),
            atime: candidate.stat.filter(|_| !self.no_extra).map(|s| s.atime.sec),
            ids: candidate.stat.filter(|_| !self.no_extra).map(|s| (s.uid, s.gid)),
            ..Member::default()
        };
        let kind = candidate.stat.map_or(FileType::Regular, |s| s.kind);
        let size = candidate.stat.map_or(u64::MAX, |s| s.size);
        let level = if self.stored.iter().any(|end| candidate.name.ends_with(end)) { 0 } else { self.level };
        let member = match kind {
            FileType::Directory => writer.member(member, 0, 0, |_| Ok(0))?,
            FileType::Symlink => {
                let target = readlink(&candidate.path).unwrap_or_default();
                let mut left = target.as_slice();
                writer.member(member, 0, target.len() as u64, |block| {
                    let n = left.len().min(block.len());
                    block[..n].copy_from_slice(&left[..n]);
                    left = &left[n..];
                    Ok(n)
                })?
            }
            _ => {
                let file = match candidate.path.as_slice() {
                    b"-" => None,
                    path => match open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
                        Ok(file) => Some(file),
                        Err(e) => {
                            if !self.quiet {
                                tell("\n");
                            }
                            report::plain(&format!("zip warning: {e}\n"));
                            tell(&format!("\tzip warning: could not open for reading: {shown}\n"));
                            return Ok(false);
                        }
                    },
                };
                let fd = file.as_ref().map_or(STDIN, Fd::raw);
                writer.member(member, level, size, |block| read(fd, block))?
            }
        };
        let how = match member.method {
            0 => "stored 0%".to_owned(),
            _ => format!("deflated {}%", percent(member.size, member.packed)),
        };
        let space = if member.method == 0 { " " } else { "" };
        self.say(match self.verbose {
            true => format!("{space}\t(in={}) (out={}) ({how})\n", member.size, member.packed),
            false => format!(" ({how})\n"),
        });
        Ok(true)
    }
}

/// Whether bytes look like text: something to read, and no control characters that text does not have.
fn is_text(bytes: &[u8]) -> bool {
    let control = |b: &u8| matches!(b, 0..=6 | 14..=25 | 28..=31);
    !bytes.iter().any(control) && bytes.iter().any(|b| matches!(b, 9 | 10 | 13 | 32..))
}

fn percent(size: u64, packed: u64) -> u64 {
    if size == 0 {
        return 0;
    }
    (200 * size.saturating_sub(packed) / size).div_ceil(2)
}

/// The archive that is being written.
struct Writer {
    file: Fd,
    temporary: Vec<u8>,
    at: u64,
    members: Vec<Member>,
    /// What is said of the archive at its end.
    comment: Vec<u8>,
}

impl Writer {
    fn new(archive: &[u8], standard: bool, comment: Vec<u8>) -> Result<Writer, Exit> {
        let dir = if standard { b"." } else { dir_name(archive) };
        let temporary = join(dir, format!(".zip{}", getpid()).as_bytes());
        let flags = OpenFlags::RDWR | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
        let file = open(&temporary, flags, 0o666).map_err(|e| {
            tell(&format!("zip I/O error: {e}"));
            error(15, &format!("Could not create output file ({})", String::from_utf8_lossy(archive)))
        })?;
        Ok(Writer { file, temporary, at: 0, members: Vec::new(), comment })
    }

    fn fail(&self, e: Errno) -> Exit {
        let _ = unlink(&self.temporary);
        tell(&format!("zip I/O error: {e}"));
        error(14, "Output file write failure (write error on zip file)")
    }

    fn put(&mut self, mut bytes: &[u8]) -> Result<(), Exit> {
        while !bytes.is_empty() {
            match pwrite(self.file.raw(), bytes, self.at) {
                Ok(0) => return Err(self.fail(Errno::EIO)),
                Ok(n) => {
                    self.at += n as u64;
                    bytes = &bytes[n..];
                }
                Err(Errno::EINTR) => {}
                Err(e) => return Err(self.fail(e)),
            }
        }
        Ok(())
    }

    /// Writes a member; what does not get smaller is stored.
    fn member(
        &mut self,
        mut member: Member,
        level: u32,
        size: u64,
        mut source: impl FnMut(&mut [u8]) -> Result<usize, Errno>,
    ) -> Result<Member, Exit> {
        let start = self.at;
        member.offset = start;
        // A pipe has no size that is known.
        let large = size >= 0xffff_0000 && size != u64::MAX;
        member.method = if level == 0 || size == 0 { 0 } else { 8 };
        let head = zipfile::local_header(&member, large);
        self.put(&head)?;
        let data_at = self.at;
        let mut crc = flate2::Crc::new();
        let mut deflate = Compress::new(Compression::new(level.clamp(1, 9)), false);
        let (mut block, mut made) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
        // Small ones are kept, to be stored when that is no larger.
        let mut held: Option<Vec<u8>> = Some(Vec::new());
        loop {
            let n = match source(&mut block) {
                Ok(n) => n,
                Err(Errno::EINTR) => continue,
                Err(e) => return Err(self.fail(e)),
            };
            // Of what is packed the beginning tells whether it is text.
            if member.size == 0 && member.method == 8 {
                member.internal = u16::from(is_text(&block[..n]));
            }
            crc.update(&block[..n]);
            member.size += n as u64;
            if let Some(kept) = &mut held {
                kept.extend_from_slice(&block[..n]);
                if kept.len() > 64 * 1024 {
                    held = None;
                }
            }
            if member.method == 0 {
                self.put(&block[..n])?;
                if n == 0 {
                    break;
                }
                continue;
            }
            let mut input = &block[..n];
            let flush = if n == 0 { FlushCompress::Finish } else { FlushCompress::None };
            loop {
                let before = (deflate.total_in(), deflate.total_out());
                let status = deflate.compress(input, &mut made, flush);
                input = &input[(deflate.total_in() - before.0) as usize..];
                let out = (deflate.total_out() - before.1) as usize;
                self.put(&made[..out])?;
                let ended = matches!(status, Ok(Status::StreamEnd));
                if ended || status.is_err() || (n > 0 && input.is_empty() && out < made.len()) {
                    break;
                }
            }
            if n == 0 {
                break;
            }
        }
        member.crc = crc.sum();
        member.packed = self.at - data_at;
        if member.method == 8
            && member.packed >= member.size
            && let Some(kept) = held
        {
            member.method = 0;
            self.at = data_at;
            self.put(&kept)?;
            member.packed = member.size;
        }
        let end = self.at;
        self.at = start;
        let head = zipfile::local_header(&member, large);
        self.put(&head)?;
        self.at = end;
        self.members.push(member.clone());
        Ok(member)
    }

    /// A member of the old archive, packed as it is.
    fn copy(&mut self, old: Option<&Fd>, member: &Member) -> Result<(), Exit> {
        let Some(old) = old else { return Ok(()) };
        let mut head = [0; 30];
        let got = pread(old.raw(), &mut head, member.offset).map_err(|e| self.fail(e))?;
        if got < 30 || !head.starts_with(b"PK\x03\x04") {
            let _ = unlink(&self.temporary);
            return Err(error(3, "Zip file structure invalid"));
        }
        let mut from = member.offset
            + 30
            + u64::from(u16::from_le_bytes([head[26], head[27]]))
            + u64::from(u16::from_le_bytes([head[28], head[29]]));
        let mut member = member.clone();
        let extra = u16::from_le_bytes([head[28], head[29]]);
        zipfile::local_times(old.raw(), from - u64::from(extra), extra, &mut member).map_err(|e| self.fail(e))?;
        // Sizes are known now, so they need not follow the data; only a password is checked with what stood for them.
        if !member.is_encrypted() {
            member.flags &= !8;
        }
        member.offset = self.at;
        let large = member.size >= 0xffff_ffff || member.packed >= 0xffff_ffff;
        self.put(&zipfile::local_header(&member, large))?;
        let mut left = member.packed;
        let mut block = vec![0; 64 * 1024];
        while left > 0 {
            let most = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let n = pread(old.raw(), &mut block[..most], from).map_err(|e| self.fail(e))?;
            if n == 0 {
                return Err(self.fail(Errno::EIO));
            }
            self.put(&block[..n])?;
            from += n as u64;
            left -= n as u64;
        }
        if member.flags & 8 != 0 {
            self.put(&zipfile::descriptor(&member, large))?;
        }
        self.members.push(member);
        Ok(())
    }

    fn finish(mut self, archive: &[u8], standard: bool) -> Result<Vec<Member>, Exit> {
        let directory = zipfile::directory_bytes(&self.members, self.at, &self.comment);
        self.put(&directory)?;
        // A stored replacement may have left more behind.
        capsule_sys::ftruncate(self.file.raw(), self.at).map_err(|e| self.fail(e))?;
        if standard {
            let mut out = Out::stdout();
            let (mut from, mut block) = (0, vec![0; 64 * 1024]);
            loop {
                let n = pread(self.file.raw(), &mut block, from).map_err(|e| self.fail(e))?;
                if n == 0 {
                    break;
                }
                out.write(&block[..n]);
                from += n as u64;
            }
            let _ = unlink(&self.temporary);
            out.flush().map_err(|e| {
                tell(&format!("zip I/O error: {e}"));
                error(14, "Output file write failure (write error on zip file)")
            })?;
            return Ok(self.members);
        }
        if let Ok(old) = stat(archive) {
            let _ = fchmod(self.file.raw(), old.mode & 0o777);
        }
        rename(&self.temporary, archive).map_err(|e| self.fail(e))?;
        Ok(self.members)
    }
}
