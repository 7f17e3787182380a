//! `unzip`, as Info-ZIP's. Links are made last, so that nothing is written through them.

use crate::calendar::Zone;
use crate::input::{base_name, dir_name, join};
use crate::late_links::LateLinks;
use crate::zipfile::{self, Directory, Member};
use crate::{Args, Exit, Outcome, glob, report};
use capsule_sys::{Fd, FileType, In, OpenFlags, Out, STDERR, SetTime, Time, fstat, open, read_dir, utimens, write_all};
use std::collections::BTreeMap;

mod extract;
mod list;
mod place;

pub const HELP: &str = "\
Usage: unzip [-opts] FILE[.zip] [LIST] [-x XLIST] [-d EXDIR]
Extract files from a zip archive. FILE may be a pattern.

  -c  extract to standard output, with names   -l  list files (short format)
  -p  extract to standard output, no messages  -v  list verbosely
  -t  test compressed archive data             -Z  as zipinfo does
  -f  freshen existing files, create none      -u  update files, create if needed
  -x  exclude files that follow (in XLIST)     -d  extract files into EXDIR
  -n  never overwrite existing files           -o  overwrite files without asking
  -j  junk paths (do not make directories)     -q  quiet mode (-qq quieter)
  -C  match names case-insensitively           -L  make (some) names lowercase
  -a  convert the ends of lines of text files  -aa of all files   -b  of none
  -z  display the archive's comment            -T  give the archive its newest time
  -P PASSWORD  decrypt with it                 -D  do not restore times
  -X  restore user and group                   -K  keep set-user-ID bits
  -B  keep what is overwritten as NAME~        -:  allow '../' in names
  -^  allow control characters in names        -M  accepted: nothing is paged here
  -h, --help  print this help
";

struct Unzip {
    fd: i32,
    list: bool,
    verbose: bool,
    test: bool,
    pipe: bool,
    with_names: bool,
    quiet: u32,
    overwrite: Option<bool>,
    freshen: bool,
    update: bool,
    junk: bool,
    fold: bool,
    lower: u32,
    /// Ends of lines become ours: of text, or of everything.
    text: u32,
    comment: bool,
    /// The archive gets the time of its newest member.
    timestamp: bool,
    password: Option<Vec<u8>>,
    owners: bool,
    all_modes: bool,
    backups: bool,
    leads_up: bool,
    controls: bool,
    /// Files get the time of unpacking.
    no_times: bool,
    directory: Option<Vec<u8>>,
    wanted: Vec<Vec<u8>>,
    excluded: Vec<Vec<u8>>,
    seen: Vec<bool>,
    excluded_seen: Vec<bool>,
    out: Out,
    answers: Option<In>,
    status: u8,
    links: LateLinks,
    /// Modes of directories, set when all is in them.
    modes: Vec<(Vec<u8>, u32)>,
    zone: Zone,
    /// Parts of the archive that were read: none belongs to two members.
    covered: BTreeMap<u64, u64>,
    counts: Counts,
}

/// What became of the members.
#[derive(Default)]
struct Counts {
    processed: u64,
    skipped: u64,
    bad_passwords: u64,
}

/// No members, or none of these, were there.
const NOT_FOUND: u8 = 11;
const NO_ARCHIVE: u8 = 9;
/// Members share data: there may be no end to what they unpack to.
const OVERLAPPED: u8 = 12;

pub fn main(args: &Args) -> Outcome {
    crate::input::hold_standard();
    let mut unzip = Unzip::new();
    let mut archive: Option<Vec<u8>> = None;
    let mut excluding = false;
    let mut words = args.rest().iter();
    while let Some(word) = words.next() {
        if word.len() > 1 && word[0] == b'-' && (archive.is_none() || matches!(word[1], b'x' | b'd') || !excluding) {
            // From here on it is another program.
            if word.starts_with(b"-Z") && archive.is_none() {
                let rest = (word.len() > 2).then(|| [b"-", &word[2..]].concat());
                let argv = [b"unzip".to_vec()].into_iter().chain(rest).chain(words.cloned()).collect();
                return super::zipinfo::main(&Args::new(argv));
            }
            if word == b"--help" {
                unzip.out.write(HELP.as_bytes());
                return report::finish(&mut unzip.out, 0);
            }
            let mut letters = word[1..].iter();
            while let Some(letter) = letters.next() {
                let mut value = |what: &str| {
                    let rest: Vec<u8> = letters.by_ref().copied().collect();
                    let value = if rest.is_empty() { words.next().cloned() } else { Some(rest) };
                    value.ok_or_else(|| {
                        report::plain(&format!("error:  must {what} option\n"));
                        Exit(10)
                    })
                };
                match letter {
                    b'd' => unzip.directory = Some(value("specify directory to which to extract with -d")?),
                    b'P' => unzip.password = Some(value("give decryption password with -P")?),
                    b'x' => excluding = true,
                    _ => unzip.letter(*letter)?,
                }
            }
        } else if archive.is_none() {
            archive = Some(word.clone());
        } else if excluding {
            unzip.excluded.push(word.clone());
        } else {
            unzip.wanted.push(word.clone());
        }
    }
    let Some(archive) = archive else {
        unzip.out.write(HELP.as_bytes());
        return report::finish(&mut unzip.out, if unzip.verbose || args.rest().is_empty() { 0 } else { 10 });
    };
    unzip.run(&archive)
}

impl Unzip {
    fn new() -> Unzip {
        Unzip {
            fd: -1,
            list: false,
            verbose: false,
            test: false,
            pipe: false,
            with_names: false,
            quiet: 0,
            overwrite: None,
            freshen: false,
            update: false,
            junk: false,
            fold: false,
            lower: 0,
            text: 0,
            comment: false,
            timestamp: false,
            password: None,
            owners: false,
            all_modes: false,
            backups: false,
            leads_up: false,
            controls: false,
            no_times: false,
            directory: None,
            wanted: Vec::new(),
            excluded: Vec::new(),
            seen: Vec::new(),
            excluded_seen: Vec::new(),
            out: Out::stdout(),
            answers: None,
            status: 0,
            links: LateLinks::default(),
            modes: Vec::new(),
            zone: Zone::local(),
            covered: BTreeMap::new(),
            counts: Counts::default(),
        }
    }

    fn letter(&mut self, letter: u8) -> Result<(), Exit> {
        match letter {
            b'l' => self.list = true,
            b'v' => (self.list, self.verbose) = (true, true),
            b't' => self.test = true,
            b'p' => self.pipe = true,
            b'c' => (self.pipe, self.with_names) = (true, true),
            b'q' => self.quiet += 1,
            b'o' => self.overwrite = self.overwrite.or(Some(true)),
            b'n' => {
                if self.overwrite == Some(true) {
                    self.warn(b"caution:  both -n and -o specified; ignoring -o\n");
                }
                self.overwrite = Some(false);
            }
            b'h' => {
                self.out.write(HELP.as_bytes());
                return Err(Exit(report::finish(&mut self.out, 0)?));
            }
            b'f' => self.freshen = true,
            b'u' => self.update = true,
            b'j' => self.junk = true,
            b'C' => self.fold = true,
            b'L' => self.lower += 1,
            b'a' => self.text += 1,
            b'b' => self.text = 0,
            b'z' => self.comment = true,
            b'T' => self.timestamp = true,
            b'X' => self.owners = true,
            b'K' => self.all_modes = true,
            b'B' => self.backups = true,
            b':' => self.leads_up = true,
            b'^' => self.controls = true,
            b'D' => self.no_times = true,
            b'M' => {}
            other => {
                let text = format!("option -{} is not supported here", other as char);
                return Err(report::die(10, text));
            }
        }
        Ok(())
    }

    /// Whether what happens is told.
    fn tells(&self) -> bool {
        self.quiet == 0 && (!self.pipe || self.with_names)
    }

    fn say(&mut self, text: &[u8]) {
        if self.tells() {
            self.out.write(text);
        }
    }

    /// What is wrong is part of a test's result.
    fn warn(&mut self, text: &[u8]) {
        if self.test {
            return self.out.write(text);
        }
        let _ = self.out.flush();
        let _ = write_all(STDERR, text);
    }

    fn run(&mut self, archive: &[u8]) -> Outcome {
        if let Some((name, file)) = find(archive) {
            let status = self.archive(archive, &name, file)?;
            return report::finish(&mut self.out, status);
        }
        let mut names = if has_wildcard(archive) { matching(archive) } else { Vec::new() };
        names.retain(|name| find(name).is_some());
        if names.is_empty() {
            let last: &[u8] = if has_wildcard(archive) { b"\nNo zipfiles found.\n" } else { b"" };
            self.warn(&[b"unzip:  cannot find or open ", &tried(archive)[..], b".\n", last].concat());
            return report::finish(&mut self.out, NO_ARCHIVE);
        }
        let (mut worst, mut good, mut warned, mut failed) = (0, 0, 0, 0);
        for (at, name) in names.iter().enumerate() {
            let Some((name, file)) = find(name) else { continue };
            if at > 0 {
                self.say(b"\n");
            }
            let status = self.archive(&name, &name, file)?;
            match status {
                0 => good += 1,
                1 => warned += 1,
                _ => failed += 1,
            }
            worst = worst.max(status);
        }
        if names.len() > 1 {
            let plural = |count: u32, text: &str| match count {
                0 => String::new(),
                1 => format!("1 archive{}\n", text.replace("were", "was")),
                count => format!("{count} archives{text}\n"),
            };
            let text = [
                plural(good, " were successfully processed."),
                plural(warned, " had warnings but no fatal errors."),
                plural(failed, " had fatal errors."),
            ]
            .concat();
            self.warn(format!("\n{text}").as_bytes());
        }
        report::finish(&mut self.out, worst)
    }

    /// One archive: its status.
    fn archive(&mut self, given: &[u8], name: &[u8], file: Fd) -> Outcome {
        self.fd = file.raw();
        (self.status, self.counts) = (0, Counts::default());
        self.covered.clear();
        self.seen = vec![false; self.wanted.len()];
        self.excluded_seen = vec![false; self.excluded.len()];
        let size = fstat(self.fd).map_or(0, |s| s.size);
        let bare = self.timestamp || (self.comment && self.quiet > 0);
        if self.tells() && !bare {
            self.out.write(&[b"Archive:  ", name, b"\n"].concat());
        }
        let Some(directory) = zipfile::directory(self.fd, size).unwrap_or(None) else {
            let text = [no_directory().as_bytes(), b"unzip:  cannot find zipfile directory in one of "].concat();
            let text = [&text, given, b" or\n        ", given, b".zip, and cannot find ", given].concat();
            self.warn(&[&text, b".ZIP, period.\n".as_slice()].concat());
            return Ok(NO_ARCHIVE);
        };
        if self.timestamp {
            return Ok(self.set_time(name, &directory.members));
        }
        if self.comment || (self.tells() && !self.pipe) {
            self.out.write(&comment_lines(&directory.comment));
        }
        if self.comment {
            return Ok(0);
        }
        if directory.members.is_empty() {
            self.warn(&[b"warning [", name, b"]:  zipfile is empty\n"].concat());
            return Ok(1);
        }
        let extra = directory.before > 0;
        if extra {
            let text = format!("]:  {} extra bytes at beginning or within zipfile\n", directory.before);
            self.warn(&[b"warning [", name, text.as_bytes(), b"  (attempting to process anyway)\n"].concat());
        }
        self.members(name, &directory, size)?;
        Ok(self.status.max(u8::from(extra)))
    }

    /// Lists, tests or unpacks what is wanted.
    fn members(&mut self, name: &[u8], directory: &Directory, size: u64) -> Result<(), Exit> {
        let chosen: Vec<&Member> = directory.members.iter().filter(|m| self.chosen(&m.name)).collect();
        if self.list {
            self.listing(&chosen);
            if chosen.is_empty() {
                self.status = NOT_FOUND;
            }
            return Ok(());
        }
        if !self.test && !self.pipe && !self.make_directory() {
            self.status = 2;
            return Ok(());
        }
        let none = chosen.is_empty();
        self.covered.insert(directory.start, size);
        for (number, member) in chosen.into_iter().enumerate() {
            self.counts.processed += 1;
            if !self.member(member, number + 1)? {
                break;
            }
        }
        self.finish_files();
        self.tell_unmatched();
        if self.test && self.quiet < 2 && self.status != OVERLAPPED {
            self.tell_result(name);
        }
        if self.status <= 1 {
            if self.counts.skipped > 0 {
                self.status = 81;
            } else if self.counts.bad_passwords > 0 {
                self.status = 82;
            } else if none {
                self.status = NOT_FOUND;
            }
        }
        Ok(())
    }

    fn tell_unmatched(&mut self) {
        let unmatched = |names: &[Vec<u8>], seen: &[bool]| -> Vec<Vec<u8>> {
            names.iter().zip(seen).filter(|(_, seen)| !**seen).map(|(name, _)| name.clone()).collect()
        };
        for pattern in unmatched(&self.wanted, &self.seen) {
            self.warn(&[b"caution: filename not matched:  ", pattern.as_slice(), b"\n"].concat());
            self.status = if self.status <= 1 { NOT_FOUND } else { self.status };
        }
        for pattern in unmatched(&self.excluded, &self.excluded_seen) {
            self.warn(&[b"caution: excluded filename not matched:  ", pattern.as_slice(), b"\n"].concat());
        }
    }

    /// What a test says at its end.
    fn tell_result(&mut self, name: &[u8]) {
        let Counts { processed, skipped, bad_passwords } = self.counts;
        let tested = processed - bad_passwords;
        let plural = |n: u64| if n == 1 { "" } else { "s" };
        let all = self.wanted.is_empty() && self.excluded.is_empty();
        let text = if self.status > 0 {
            let kind = if self.status == 1 { "warning-" } else { "" };
            [format!("At least one {kind}error was detected in ").as_bytes(), name, b".\n"].concat()
        } else if tested == 0 {
            [b"Caution:  zero files tested in ", name, b".\n"].concat()
        } else if all && skipped + bad_passwords == 0 {
            [b"No errors detected in compressed data of ", name, b".\n"].concat()
        } else {
            let rest = format!(" for the {tested} file{} tested.\n", plural(tested));
            [b"No errors detected in ", name, rest.as_bytes()].concat()
        };
        self.out.write(&text);
        for (count, why) in [(skipped, "unsupported compression or encoding"), (bad_passwords, "incorrect password")] {
            if count > 0 {
                self.out.write(format!("{count} file{} skipped because of {why}.\n", plural(count)).as_bytes());
            }
        }
    }

    fn set_time(&mut self, name: &[u8], members: &[Member]) -> u8 {
        let Some(newest) = members.iter().map(|m| m.when(&self.zone).seconds_since_epoch).max() else { return 1 };
        let time = SetTime::At(Time { sec: newest, nsec: 0 });
        if let Err(e) = utimens(name, time, time) {
            self.warn(&[b"unzip:  cannot set time of ", name, format!(": {e}\n").as_bytes()].concat());
            return 2;
        }
        self.say(&[b"Updated time stamp for ", name, b".\n"].concat());
        0
    }

    fn chosen(&mut self, name: &[u8]) -> bool {
        let fold = self.fold;
        let matches = |pattern: &[u8]| match fold {
            true => glob::matches(&pattern.to_ascii_lowercase(), &name.to_ascii_lowercase(), false),
            false => pattern == name || glob::matches(pattern, name, false),
        };
        let mut any = self.wanted.is_empty();
        for (pattern, seen) in self.wanted.iter().zip(&mut self.seen) {
            if matches(pattern) {
                *seen = true;
                any = true;
            }
        }
        for (pattern, seen) in self.excluded.iter().zip(&mut self.excluded_seen).filter(|_| any) {
            if matches(pattern) {
                *seen = true;
                return false;
            }
        }
        any
    }
}

/// The archive, with or without its ending.
pub fn find(archive: &[u8]) -> Option<(Vec<u8>, Fd)> {
    let flags = OpenFlags::RDONLY | OpenFlags::CLOEXEC;
    [archive.to_vec(), [archive, b".zip"].concat(), [archive, b".ZIP"].concat()]
        .into_iter()
        .find_map(|name| open(&name, flags, 0).ok().map(|fd| (name, fd)))
        .filter(|(_, fd)| fstat(fd.raw()).is_ok_and(|s| s.kind != FileType::Directory))
}

/// The names that an archive was looked for by.
fn tried(archive: &[u8]) -> Vec<u8> {
    [archive, b", ", archive, b".zip or ", archive, b".ZIP"].concat()
}

pub fn has_wildcard(name: &[u8]) -> bool {
    name.iter().any(|b| b"*?[".contains(b))
}

/// Files of a directory whose names match a pattern.
pub fn matching(pattern: &[u8]) -> Vec<Vec<u8>> {
    let (dir, base) = (dir_name(pattern), base_name(pattern));
    let mut names: Vec<Vec<u8>> = read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.name)
        .filter(|name| (name.first() != Some(&b'.') || base.first() == Some(&b'.')) && glob::matches(base, name, false))
        .map(|name| if memchr::memchr(b'/', pattern).is_some() { join(dir, &name) } else { name })
        .collect();
    names.sort();
    names
}

fn no_directory() -> &'static str {
    "  End-of-central-directory signature not found.  Either this file is not\n  a zipfile, or it constitutes one disk \
     of a multi-part archive.  In the\n  latter case the central directory and zipfile comment will be found on\n  the \
     last disk(s) of this archive.\n"
}

/// What is said of an archive, in lines.
pub fn comment_lines(comment: &[u8]) -> Vec<u8> {
    let mut text: Vec<u8> = comment.iter().copied().filter(|b| *b != b'\r').collect();
    if text.last().is_some_and(|last| *last != b'\n') {
        text.push(b'\n');
    }
    text
}

/// A name on one line.
pub fn printable(name: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(name.len());
    for byte in name {
        match byte {
            0..0x20 => shown.extend([b'^', byte + 64]),
            0x7f => shown.extend(b"^?"),
            byte => shown.push(*byte),
        }
    }
    shown
}
