//! `zip`, as Info-ZIP's: the new archive is written beside the old one and takes its place.

use crate::calendar::Zone;
use crate::input::{base_name, join};
use crate::zipfile::{self, Directory, Member, dos_time};
use crate::{Args, Exit, Outcome, glob, report};
use capsule_sys::{
    Fd, FileType, OpenFlags, Out, STDERR, STDIN, STDOUT, SetTime, Stat, Time, fstat, isatty, lstat, now, open, read,
    read_dir, read_to_end, readlink, rmdir, stat, unlink, utimens, write_all,
};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

mod options;
mod writer;

use writer::{Writer, is_text, percent};

pub const HELP: &str = "\
Usage: zip [-options] ZIPFILE [FILE]... [-x PATTERN...] [-i PATTERN...]
Package and compress (archive) files.

  -r   directories, with all in them     -j   without the names of directories
  -R   files below '.' whose names match -0   store only
  -1   compress faster                   -9   compress better
  -u   update: only changed or new files -f   freshen: only changed files
  -d   delete entries in ZIPFILE         -m   move into ZIPFILE (delete files)
  -D   do not add directory entries      -y   store symbolic links as the link
  -@   read names from standard input    -T   test ZIPFILE integrity
  -x   leave out these names             -i   only these names
  -l   LF becomes CR LF in text files    -ll  CR LF becomes LF
  -t DATE   only what is not older       -tt DATE  only what is older
  -z   read a comment for ZIPFILE        -sf  only show what would be done
  -O FILE   write another archive        -P PASSWORD  encrypt (as of old: weakly)
  -X   no extra fields   -n SUFFIXES  do not compress what ends so
  -Z METHOD  store or deflate            -FI  also read FIFOs
  -FS  also delete what is no longer there
  -o   the archive is as old as its newest entry
  -q   quiet operation   -v   tell more  -g   grow ZIPFILE (as always)
Options also have long names, such as --recurse-paths, --exclude, --quiet.
      --help  print this help
A ZIPFILE of '-' is standard output, a FILE of '-' standard input; both without names.
";

#[derive(Default)]
struct Zip {
    recurse: bool,
    /// `-R`: names are patterns.
    by_pattern: bool,
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
    fifos: bool,
    test: bool,
    from_input: bool,
    /// `-z`: what is said of the archive is asked for.
    comments: bool,
    shows: bool,
    lines: Option<Lines>,
    /// Days that files are not older than, or older than.
    since: Option<i64>,
    before: Option<i64>,
    password: Option<Vec<u8>>,
    output: Option<Vec<u8>>,
    excluded: Vec<Vec<u8>>,
    included: Vec<Vec<u8>>,
    zone: Zone,
}

/// What ends of lines become.
#[derive(Clone, Copy, PartialEq)]
enum Lines {
    Crlf,
    Lf,
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
    let mut zip = Zip { level: 6, zone: Zone::local(), ..Zip::default() };
    let mut names = options::read(&mut zip, args.rest())?;
    if names.is_empty() {
        // Data in and data out, where nobody sits in front of either.
        if isatty(STDOUT) || isatty(STDIN) || zip.verbose {
            let mut out = Out::stdout();
            out.write(HELP.as_bytes());
            return report::finish(&mut out, if args.rest().is_empty() || zip.verbose { 0 } else { 16 });
        }
        names = vec![b"-".to_vec(), b"-".to_vec()];
    }
    let archive = names.remove(0);
    if zip.from_input {
        names.extend(options::names_of_input());
    }
    if no_input && names.iter().any(|name| name == b"-") {
        return Err(error(5, "Internal logic error (fstat(stdin))"));
    }
    if names.is_empty() && (zip.by_pattern || !(zip.excluded.is_empty() && zip.included.is_empty())) {
        return Err(error(16, "Invalid command arguments (nothing to select from)"));
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

/// A name on one line.
fn on_one_line(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    match text.chars().any(|c| c.is_ascii_control()) {
        true => text.chars().map(|c| if c < ' ' { format!("^{}", (c as u8 + 64) as char) } else { c.into() }).collect(),
        false => text.into_owned(),
    }
}

impl Zip {
    fn pattern(&mut self, letter: &str, text: &[u8]) {
        let list = if letter == "x" { &mut self.excluded } else { &mut self.included };
        list.push(text.to_vec());
    }

    fn switch(&mut self, option: &str) -> Result<(), Exit> {
        match option {
            "r" => self.recurse = true,
            "R" => self.by_pattern = true,
            "j" => self.junk = true,
            "p" => self.junk = false,
            "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" => {
                self.level = u32::from(option.as_bytes()[0] - b'0');
            }
            "q" => self.quiet = true,
            "u" => self.update = true,
            "f" => self.freshen = true,
            "d" => self.delete = true,
            "m" => self.move_in = true,
            "D" => self.no_directories = true,
            "y" => self.links = true,
            "FI" => self.fifos = true,
            "FS" => self.synchronize = true,
            "T" => self.test = true,
            "X" => self.no_extra = true,
            "v" => self.verbose = true,
            "o" => self.newest = true,
            "l" => self.lines = Some(Lines::Crlf),
            "ll" => self.lines = Some(Lines::Lf),
            "z" => self.comments = true,
            "sf" => self.shows = true,
            "@" => self.from_input = true,
            // The archive is written anew and takes the place of the old one either way.
            "g" => {}
            "h" | "H" | "?" | "h2" => {
                let mut out = Out::stdout();
                out.write(HELP.as_bytes());
                return Err(Exit(report::finish(&mut out, 0)?));
            }
            "e" => return Err(error(16, "Invalid command arguments (a password is not asked for here: use -P)")),
            other => {
                return Err(error(16, &format!("Invalid command arguments (short option '{other}' not supported)")));
            }
        }
        Ok(())
    }

    fn value(&mut self, option: &str, value: &[u8]) -> Result<(), Exit> {
        match option {
            "n" => {
                let some = value.split(|b| matches!(b, b':' | b',')).filter(|s| !s.is_empty());
                self.stored.extend(some.map(<[u8]>::to_vec));
            }
            // What is written stands beside the archive, so that it can take its place.
            "b" => {}
            "t" => self.since = Some(options::date(value, "t")?),
            "tt" => self.before = Some(options::date(value, "tt")?),
            "P" => self.password = Some(value.to_vec()),
            "O" => self.output = Some(with_ending(value)),
            "Z" if value == b"store" => self.level = 0,
            "Z" if value == b"deflate" => self.level = self.level.max(1),
            other => {
                return Err(error(16, &format!("Invalid command arguments (short option '{other}' not supported)")));
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
        let archive = if standard { given.to_vec() } else { with_ending(given) };
        let shown = String::from_utf8_lossy(&archive).into_owned();
        if self.output.as_ref() == Some(&archive) {
            let why = format!("--out path must be different than in path: {shown}");
            return Err(error(16, &format!("Invalid command arguments ({why})")));
        }
        let old = if standard { None } else { open(&archive, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).ok() };
        let mut directory = Directory::default();
        if let Some(file) = &old {
            let size = fstat(file.raw()).map_or(0, |s| s.size);
            directory = match zipfile::directory(file.raw(), size) {
                Ok(Some(directory)) => directory,
                _ => return Err(not_a_zip(&shown)),
            };
        }
        if self.delete {
            return self.remove(&archive, old, directory, names);
        }
        let Directory { members, comment, .. } = directory;
        let mut candidates = Vec::new();
        if self.by_pattern {
            self.gather_matching(names, &mut candidates);
        } else if self.freshen && names.is_empty() {
            // What is in the archive and still there.
            for member in members.iter().filter(|member| lstat(&member.name).is_ok()) {
                self.gather(member.name.strip_suffix(b"/").unwrap_or(&member.name), &mut candidates);
            }
        } else {
            for name in names {
                self.gather(name, &mut candidates);
            }
        }
        let id = |s: Stat| (s.dev, s.ino);
        let own = old.as_ref().and_then(|file| fstat(file.raw()).ok()).map(id);
        // The archive does not go into itself.
        candidates.retain(|c| self.passes(&c.name) && self.is_in_time(c) && (own.is_none() || c.stat.map(id) != own));
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
        if self.shows {
            return Ok(self.show(&candidates, &members, names.is_empty()));
        }
        let mut only_copied = false;
        if candidates.is_empty() && names.is_empty() && !members.is_empty() && !self.test {
            only_copied = self.comments || self.output.is_some();
        }
        // Of names that were to be picked, none may be left.
        let picked = !self.included.is_empty() && members.is_empty() && !names.is_empty();
        if candidates.is_empty() && self.synchronize && !members.is_empty() && !members.iter().any(gone) {
            self.say("Archive is current\n".to_owned());
            return Ok(0);
        }
        if candidates.is_empty() && !only_copied && !picked && (!self.synchronize || members.is_empty()) {
            if (self.update || self.freshen) && !members.is_empty() {
                return Ok(12);
            }
            if self.test && names.is_empty() && old.is_some() {
                return self.check(old, &members, &shown);
            }
            return Err(error(12, &format!("Nothing to do! ({shown})")));
        }
        let target = self.output.clone().unwrap_or_else(|| archive.clone());
        let mut writer = Writer::new(&target, standard, comment)?;
        writer.password = self.password.clone();
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
                    let verb = if self.freshen { "freshening" } else { "updating" };
                    if !self.add(&mut writer, &candidates[at], verb)? {
                        unread[at] = true;
                        writer.copy(old.as_ref(), member)?;
                    }
                }
                None if gone(member) => self.say(format!("deleting: {}\n", on_one_line(&member.name))),
                None => {
                    if only_copied && !self.comments {
                        self.say(format!(" copying: {}\n", on_one_line(&member.name)));
                    }
                    writer.copy(old.as_ref(), member)?;
                }
            }
        }
        for (at, candidate) in candidates.iter().enumerate() {
            if !done[at] && replaced.get(&candidate.name) == Some(&at) {
                unread[at] = !self.add(&mut writer, candidate, "  adding")?;
            }
        }
        drop(old);
        if self.comments {
            writer.comment = self.ask_comment(&writer.comment);
        }
        if picked && writer.members.is_empty() && candidates.is_empty() {
            tell("\tzip warning: zip file empty\n");
        }
        let members = writer.finish(&target, standard)?;
        if self.test {
            let file = open(&target, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).ok();
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
            let _ = utimens(&target, time, time);
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
            if zipfile::unpack(file.raw(), member, self.password.as_deref(), |_| true).is_err() {
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

    fn remove(&self, archive: &[u8], old: Option<Fd>, directory: Directory, names: &[Vec<u8>]) -> Outcome {
        let Directory { members, comment, .. } = directory;
        let shown = String::from_utf8_lossy(archive).into_owned();
        let gone = |m: &Member| names.iter().any(|p| *p == m.name || glob::matches(p, &m.name, false));
        if members.is_empty() {
            tell(&format!("\tzip warning: {shown} not found or empty\n"));
            return Err(error(12, &format!("Nothing to do! ({shown})")));
        }
        if self.shows {
            let gone: Vec<&Member> = members.iter().filter(|m| gone(m)).collect();
            return Ok(show("Would Delete:", gone.iter().map(|m| (m.name.as_slice(), m.size))));
        }
        if !members.iter().any(gone) {
            for name in names.iter().filter(|_| !self.quiet) {
                tell(&format!("\tzip warning: name not matched: {}\n", String::from_utf8_lossy(name)));
            }
            return Err(error(12, &format!("Nothing to do! ({shown})")));
        }
        let target = self.output.as_deref().unwrap_or(archive);
        let mut writer = Writer::new(target, false, comment)?;
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
        writer.finish(target, false)?;
        Ok(0)
    }

    /// Whether a file is as old as was asked for.
    fn is_in_time(&self, candidate: &Candidate) -> bool {
        let Some(found) = candidate.stat else { return true };
        let moment = crate::calendar::Moment::new(found.mtime.sec, 0, &self.zone);
        let day = crate::calendar::days_from_civil(moment.year, moment.month, moment.day);
        self.since.is_none_or(|since| day >= since) && self.before.is_none_or(|before| day < before)
    }

    /// `-sf`: what would be done.
    fn show(&self, candidates: &[Candidate], members: &[Member], nothing_named: bool) -> u8 {
        if nothing_named && !members.is_empty() {
            return show("Archive contains:", members.iter().map(|m| (m.name.as_slice(), m.size)));
        }
        let sizes = candidates.iter().map(|c| (c.name.as_slice(), c.stat.map_or(0, |s| s.size)));
        show("Would Add/Update:", sizes)
    }

    /// `-z`: lines up to a `.`, with the ends of lines that others know, too.
    fn ask_comment(&self, old: &[u8]) -> Vec<u8> {
        if !old.is_empty() {
            self.say(format!("current zip file comment is:\n{}\n", String::from_utf8_lossy(old)));
        }
        self.say("enter new zip file comment (end with .):\n".to_owned());
        let text = read_to_end(STDIN).unwrap_or_default();
        let lines: Vec<&[u8]> = text.split(|b| *b == b'\n').take_while(|line| *line != b".").collect();
        let lines = lines.strip_suffix(&[b"".as_slice()]).unwrap_or(&lines);
        lines.join(b"\r\n".as_slice())
    }

    /// `-R`: files below this directory whose names, or as many last parts of them as a pattern has, match it.
    fn gather_matching(&self, patterns: &[Vec<u8>], all: &mut Vec<Candidate>) {
        let mut found = Vec::new();
        let walk = Zip { recurse: true, links: self.links, zone: self.zone.clone(), quiet: true, ..Zip::default() };
        walk.gather(b".", &mut found);
        let slashes = |text: &[u8]| memchr::memchr_iter(b'/', text).count();
        found.retain(|c| {
            patterns.iter().any(|pattern| {
                let over = slashes(&c.name).saturating_sub(slashes(pattern));
                let tail = memchr::memchr_iter(b'/', &c.name).nth(over.wrapping_sub(1)).map_or(0, |at| at + 1);
                glob::matches(pattern, &c.name, false) || glob::matches(pattern, &c.name[tail..], false)
            })
        });
        found.retain(|c| !c.name.ends_with(b"/"));
        all.extend(found);
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
            if found.kind == FileType::Fifo && !self.fifos {
                let name = String::from_utf8_lossy(&path);
                tell(&format!("\tzip warning: ignoring FIFO (Named Pipe) - use -FI to read: {name}\n"));
                continue;
            }
            if found.kind == FileType::Fifo {
                tell(&format!("\tzip warning: Reading FIFO (Named Pipe): {}\n", String::from_utf8_lossy(&path)));
            }
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
                match self.converted(fd) {
                    None => writer.member(member, level, size, |block| read(fd, block))?,
                    Some(text) => {
                        let mut left = text.as_slice();
                        writer.member(member, level, text.len() as u64, |block| {
                            let n = left.len().min(block.len());
                            block[..n].copy_from_slice(&left[..n]);
                            left = &left[n..];
                            Ok(n)
                        })?
                    }
                }
            }
        };
        let how = match member.method {
            0 => "stored 0%".to_owned(),
            _ => format!("deflated {}%", percent(member.size, member.packed_data())),
        };
        let space = if level == 0 && member.size > 0 { " " } else { "" };
        self.say(match self.verbose {
            true => format!("{space}\t(in={}) (out={}) ({how})\n", member.size, member.packed_data()),
            false => format!(" ({how})\n"),
        });
        Ok(true)
    }

    /// A text with other ends of lines; none where they stay as they are. What is no text is left alone.
    fn converted(&self, fd: i32) -> Option<Vec<u8>> {
        let lines = self.lines?;
        let text = read_to_end(fd).unwrap_or_default();
        if !is_text(&text) && !text.is_empty() {
            let option = if lines == Lines::Crlf { "-l" } else { "-ll" };
            tell(&format!("\n\tzip warning: has binary so {option} ignored\n"));
            return Some(text);
        }
        let mut made = Vec::with_capacity(text.len());
        for (at, &byte) in text.iter().enumerate() {
            match (lines, byte) {
                (Lines::Crlf, b'\n') => made.extend(b"\r\n"),
                (Lines::Lf, b'\r') if text.get(at + 1) == Some(&b'\n') => {}
                _ => made.push(byte),
            }
        }
        Some(made)
    }
}

fn show<'a>(what: &str, files: impl Iterator<Item = (&'a [u8], u64)>) -> u8 {
    tell(&format!("{what}\n"));
    let (mut count, mut bytes) = (0, 0u64);
    for (name, size) in files {
        tell(&format!("  {}\n", on_one_line(name)));
        (count, bytes) = (count + 1, bytes.saturating_add(size));
    }
    tell(&format!("Total {count} entries ({bytes} bytes)\n"));
    0
}

/// The name of an archive.
fn with_ending(name: &[u8]) -> Vec<u8> {
    let ending: &[u8] = if base_name(name).contains(&b'.') { b"" } else { b".zip" };
    [name, ending].concat()
}

fn not_a_zip(shown: &str) -> Exit {
    tell(
        "\tzip warning: missing end signature--probably not a zip file (did you\n\tzip warning: remember to use \
         binary mode when you transferred it?)\n\tzip warning: (if you are trying to read a damaged archive try -F)\n",
    );
    error(3, &format!("Zip file structure invalid ({shown})"))
}
