//! `unzip`, as Info-ZIP's. Links are made last, so that nothing is written through them.

use crate::calendar::Zone;
use crate::input::{base_name, dir_name, join};
use crate::late_links::{Late, LateLinks};
use crate::zipfile::{self, Bad, Member};
use crate::{Args, Exit, Outcome, glob, report};
use capsule_sys::{
    Errno, FileType, In, OpenFlags, Out, STDERR, STDIN, SetTime, Time, chmod, fchmod, fstat, futimens, lstat, mkdir,
    open, unlink, write_all,
};

pub const HELP: &str = "\
Usage: unzip [-opts] FILE[.zip] [LIST] [-x XLIST] [-d EXDIR]
Extract files from a zip archive.

  -c  extract to standard output, with names   -l  list files (short format)
  -p  extract to standard output, no messages  -v  list verbosely
  -t  test compressed archive data             -Z  as zipinfo does
  -f  freshen existing files, create none      -u  update files, create if needed
  -x  exclude files that follow (in XLIST)     -d  extract files into EXDIR
  -n  never overwrite existing files           -o  overwrite files without asking
  -j  junk paths (do not make directories)     -q  quiet mode (-qq quieter)
  -C  match names case-insensitively           -L  make names lowercase
  -D  do not restore times                     -b  no text conversion (the default)
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
    lower: bool,
    /// Files get the time of unpacking.
    no_times: bool,
    directory: Option<Vec<u8>>,
    wanted: Vec<Vec<u8>>,
    excluded: Vec<Vec<u8>>,
    seen: Vec<bool>,
    out: Out,
    status: u8,
    links: LateLinks,
    /// Modes of directories, set when all is in them.
    modes: Vec<(Vec<u8>, u32)>,
    zone: Zone,
}

pub fn main(args: &Args) -> Outcome {
    crate::input::hold_standard();
    let mut unzip = Unzip {
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
        lower: false,
        no_times: false,
        directory: None,
        wanted: Vec::new(),
        excluded: Vec::new(),
        seen: Vec::new(),
        out: Out::stdout(),
        status: 0,
        links: LateLinks::default(),
        modes: Vec::new(),
        zone: Zone::local(),
    };
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
                match letter {
                    b'd' => {
                        let rest: Vec<u8> = letters.by_ref().copied().collect();
                        let value = if rest.is_empty() { words.next().cloned() } else { Some(rest) };
                        let missing = || {
                            report::plain("error:  must specify directory to which to extract with -d option\n");
                            Exit(10)
                        };
                        unzip.directory = Some(value.ok_or_else(missing)?);
                    }
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
    unzip.seen = vec![false; unzip.wanted.len()];
    unzip.run(&archive)
}

impl Unzip {
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
            b'L' => self.lower = true,
            // Every file is binary: nothing converts text.
            b'b' => {}
            b'D' => self.no_times = true,
            other => {
                let text = format!("option -{} is not supported here", other as char);
                return Err(report::die(10, text));
            }
        }
        Ok(())
    }

    fn say(&mut self, text: &[u8]) {
        if self.quiet == 0 && (!self.pipe || self.with_names) {
            self.out.write(text);
        }
    }

    fn warn(&mut self, text: &[u8]) {
        let _ = self.out.flush();
        let _ = write_all(STDERR, text);
    }

    fn run(&mut self, archive: &[u8]) -> Outcome {
        let flags = OpenFlags::RDONLY | OpenFlags::CLOEXEC;
        let found = [archive.to_vec(), [archive, b".zip"].concat(), [archive, b".ZIP"].concat()]
            .into_iter()
            .find_map(|name| open(&name, flags, 0).ok().map(|fd| (name, fd)))
            .filter(|(_, fd)| fstat(fd.raw()).is_ok_and(|s| s.kind != FileType::Directory));
        let shown = String::from_utf8_lossy(archive).into_owned();
        let Some((name, file)) = found else {
            self.warn(format!("unzip:  cannot find or open {shown}, {shown}.zip or {shown}.ZIP.\n").as_bytes());
            return Ok(9);
        };
        self.fd = file.raw();
        let size = fstat(self.fd).map_or(0, |s| s.size);
        if self.quiet == 0 && (!self.pipe || self.with_names) {
            self.out.write(&[b"Archive:  ", name.as_slice(), b"\n"].concat());
        }
        let members = zipfile::directory(self.fd, size).unwrap_or(None);
        let Some(members) = members else {
            let text = format!(
                "  End-of-central-directory signature not found.  Either this file is not\n  a zipfile, or it \
                 constitutes one disk of a multi-part archive.  In the\n  latter case the central directory and zipfile \
                 comment will be found on\n  the last disk(s) of this archive.\nunzip:  cannot find zipfile directory in \
                 one of {shown} or\n        {shown}.zip, and cannot find {shown}.ZIP, period.\n"
            );
            self.warn(text.as_bytes());
            return Ok(9);
        };
        let chosen: Vec<&Member> = members.iter().filter(|m| self.chosen(&m.name)).collect();
        if self.list {
            self.listing(&chosen);
        } else {
            for member in chosen {
                self.member(member)?;
            }
            self.finish_files();
            if self.test && self.seen.contains(&false) {
                for (pattern, _) in self.wanted.clone().iter().zip(&self.seen.clone()).filter(|p| !p.1) {
                    self.out.write(&[b"caution: filename not matched:  ", pattern.as_slice(), b"\n"].concat());
                }
                self.out.write(&[b"At least one error was detected in ", name.as_slice(), b".\n"].concat());
                self.status = self.status.max(11);
            } else if self.test && self.quiet < 2 && self.status == 0 {
                let text = [b"No errors detected in compressed data of ", name.as_slice(), b".\n"].concat();
                self.out.write(&text);
            }
        }
        let told = self.test;
        for (pattern, _) in self.wanted.clone().iter().zip(self.seen.clone()).filter(|p| !p.1 && !told) {
            if self.list {
                self.status = self.status.max(11);
                continue;
            }
            self.warn(&[b"caution: filename not matched:  ", pattern.as_slice(), b"\n"].concat());
            self.status = self.status.max(11);
        }
        let status = self.status;
        report::finish(&mut self.out, status)
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
        any && !self.excluded.iter().any(|p| matches(p))
    }

    fn listing(&mut self, members: &[&Member]) {
        let heads = self.quiet < 2;
        let (mut total, mut packed) = (0, 0);
        if heads {
            self.out.write(match self.verbose {
                true => b" Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n--------  ------  ------- ---- ---------- ----- --------  ----\n",
                false => b"  Length      Date    Time    Name\n---------  ---------- -----   ----\n",
            });
        }
        for member in members {
            total += member.size;
            packed += member.packed;
            let date = member.when(&self.zone).format(b"%Y-%m-%d %H:%M");
            let date = String::from_utf8_lossy(&date).into_owned();
            let line = if self.verbose {
                let method = match member.method {
                    0 => "Stored".to_owned(),
                    8 => format!("Defl:{}", ['N', 'X', 'F', 'S'][usize::from(member.flags >> 1 & 3)]),
                    other => format!("Unk:{other:03}"),
                };
                format!(
                    "{:8}  {method:<6} {:8} {:3}% {date} {:08x}  ",
                    member.size,
                    member.packed,
                    saved(member.size, member.packed),
                    member.crc
                )
            } else {
                format!("{:9}  {date}   ", member.size)
            };
            self.out.write(line.as_bytes());
            self.out.write(&member.name);
            self.out.byte(b'\n');
        }
        if heads {
            let files = if members.len() == 1 { "1 file".to_owned() } else { format!("{} files", members.len()) };
            let text = match self.verbose {
                true => format!(
                    "--------          -------  ---                            -------\n{total:8}         {packed:8} {:3}%                            {files}\n",
                    saved(total, packed)
                ),
                false => format!("---------                     -------\n{total:9}                     {files}\n"),
            };
            self.out.write(text.as_bytes());
        }
    }

    /// The name below the target directory: what leads out of it is taken away.
    fn target(&mut self, member: &Member) -> Option<Vec<u8>> {
        let shown = String::from_utf8_lossy(&member.name).into_owned();
        let mut name = member.name.clone();
        if name.first() == Some(&b'/') {
            self.out.write(format!("warning:  stripped absolute path spec from {shown}\n").as_bytes());
            self.status = self.status.max(1);
            name = name[name.iter().take_while(|b| **b == b'/').count()..].to_vec();
        }
        if name.split(|b| *b == b'/').any(|part| part == b"..") {
            self.out.write(format!("warning:  skipped \"../\" path component(s) in {shown}\n").as_bytes());
            self.status = self.status.max(1);
            let parts: Vec<&[u8]> = name.split(|b| *b == b'/').filter(|part| *part != b"..").collect();
            name = parts.join(b"/".as_slice());
        }
        if self.junk {
            if member.is_directory() {
                return None;
            }
            name = base_name(&name).to_vec();
        }
        if self.lower {
            name.make_ascii_lowercase();
        }
        if name.is_empty() || name.contains(&0) {
            return None;
        }
        Some(match &self.directory {
            Some(dir) => join(dir, &name),
            None => name,
        })
    }

    fn member(&mut self, member: &Member) -> Result<(), Exit> {
        if self.test {
            return self.test_member(member);
        }
        if self.pipe {
            if member.is_directory() {
                return Ok(());
            }
            self.progress(member, &member.name.clone());
            if self.with_names {
                self.out.byte(b'\n');
            }
            let fd = self.fd;
            let out = &mut self.out;
            let result = zipfile::unpack(fd, member, |data| {
                out.write(data);
                out.error().is_none()
            });
            if self.with_names {
                self.out.byte(b'\n');
            }
            self.result(member, result);
            return report::writable(&self.out);
        }
        let Some(path) = self.target(member) else { return Ok(()) };
        if member.is_directory() {
            let path = path.strip_suffix(b"/").unwrap_or(&path);
            if lstat(path).is_err() {
                self.say(&[b"   creating: ", path, b"/\n"].concat());
                self.directories(&join(path, b"x"), &member.name);
            }
            if member.mode & 0o777 != 0 {
                self.modes.push((path.to_vec(), member.mode & 0o777));
            }
            return Ok(());
        }
        if !self.may_write(member, &path)? {
            return Ok(());
        }
        if !self.directories(&path, &member.name) {
            return Ok(());
        }
        if member.is_symlink() {
            let mut target = Vec::new();
            let result = zipfile::unpack(self.fd, member, |data| {
                target.extend_from_slice(data);
                target.len() <= 4096
            });
            self.result(member, result);
            let line = [b"    linking: ", pad(&path).as_slice(), b"  -> ", &target, b" \n"].concat();
            self.say(&line);
            if let Err(e) = self.links.add(&path, &target, None) {
                self.warn(format!("symlink error: {e}\n").as_bytes());
            }
            return Ok(());
        }
        self.progress(member, &path);
        self.say(b"\n");
        self.write_file(member, &path);
        Ok(())
    }

    fn progress(&mut self, member: &Member, name: &[u8]) {
        let verb: &[u8] = if member.method == 0 { b" extracting: " } else { b"  inflating: " };
        let line = [verb, &pad(name), b"  "].concat();
        self.say(&line);
    }

    fn write_file(&mut self, member: &Member, path: &[u8]) {
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC;
        let file = match open(path, flags, 0o666) {
            Ok(file) => file,
            Err(e) => {
                let text = format!("error:  cannot create {}\n        {e}\n", String::from_utf8_lossy(path));
                self.warn(text.as_bytes());
                self.status = 50;
                return;
            }
        };
        let mut out = Out::new(file.raw());
        let result = zipfile::unpack(self.fd, member, |data| {
            out.write(data);
            out.error().is_none()
        });
        if let Err(e) = out.flush() {
            let shown = String::from_utf8_lossy(path);
            let why = if e == Errno::ENOSPC { "disk full?".to_owned() } else { e.to_string() };
            let text = format!("{shown}:  write error ({why}).\nwarning:  {shown} is probably truncated\n");
            self.warn(text.as_bytes());
            self.status = 50;
            return;
        }
        if member.mode != 0 {
            let _ = fchmod(file.raw(), member.mode & 0o777);
        }
        if !self.no_times {
            let time = Time { sec: member.when(&self.zone).seconds_since_epoch, nsec: 0 };
            let _ = futimens(file.raw(), SetTime::At(time), SetTime::At(time));
        }
        self.result(member, result);
    }

    fn test_member(&mut self, member: &Member) -> Result<(), Exit> {
        let line = [b"    testing: ", pad(&member.name).as_slice(), b"  "].concat();
        self.say(&line);
        let result = match member.is_directory() {
            true => Ok(()),
            false => zipfile::unpack(self.fd, member, |_| true),
        };
        if result.is_ok() {
            self.say(b" OK\n");
        }
        self.result(member, result);
        Ok(())
    }

    fn result(&mut self, member: &Member, result: Result<(), Bad>) {
        let Err(bad) = result else { return };
        let name = String::from_utf8_lossy(&member.name).into_owned();
        let (text, status) = match bad {
            Bad::Read(e) => (format!("{name}:  read error ({e})\n"), 3),
            Bad::Header => (format!("file #1:  bad zipfile offset (local header sig):  {}\n", member.offset), 3),
            Bad::Data => (format!("  error:  invalid compressed data to inflate {name}\n"), 2),
            Bad::Crc => (format!(" bad CRC (should be {:08x})\n", member.crc), 2),
            Bad::Length => (format!("  error:  invalid compressed data to inflate {name} (length)\n"), 2),
            Bad::Method => (format!("   skipping: {name:<22}  unsupported compression method {}\n", member.method), 81),
            Bad::Encrypted => (format!("   skipping: {name:<22}  unable to get password\n"), 82),
        };
        self.warn(text.as_bytes());
        self.status = self.status.max(status);
    }

    /// Whether a file is written: asks when one is there and nobody said.
    fn may_write(&mut self, member: &Member, path: &[u8]) -> Result<bool, Exit> {
        let found = lstat(path).ok();
        if self.freshen && found.is_none() {
            return Ok(false);
        }
        let Some(found) = found else { return Ok(true) };
        if found.kind == FileType::Directory {
            self.warn(format!("error:  cannot create {}\n", String::from_utf8_lossy(path)).as_bytes());
            self.status = 50;
            return Ok(false);
        }
        if (self.freshen || self.update) && found.mtime.sec >= member.when(&self.zone).seconds_since_epoch {
            return Ok(false);
        }
        let yes = match self.overwrite {
            Some(answer) => answer,
            None => self.ask(path),
        };
        if yes {
            let _ = unlink(path);
        }
        Ok(yes)
    }

    fn ask(&mut self, path: &[u8]) -> bool {
        let name = String::from_utf8_lossy(path).into_owned();
        loop {
            self.warn(format!("replace {name}? [y]es, [n]o, [A]ll, [N]one, [r]ename: ").as_bytes());
            let mut line = Vec::new();
            let read = In::new(STDIN).read_until(b'\n', &mut line).unwrap_or(false);
            match line.first() {
                Some(b'y') => return true,
                Some(b'n') => return false,
                Some(b'A') => {
                    self.overwrite = Some(true);
                    return true;
                }
                Some(b'N') => {
                    self.overwrite = Some(false);
                    return false;
                }
                _ if !read => {
                    self.warn(b" NULL\n(EOF or read error, treating as \"[N]one\" ...)\n");
                    self.overwrite = Some(false);
                    self.status = self.status.max(1);
                    return false;
                }
                _ => self.warn(b"error:  invalid response\n"),
            }
        }
    }

    /// Makes what is missing above a path. Links among it are not ours: ours wait until the end.
    fn directories(&mut self, path: &[u8], name: &[u8]) -> bool {
        let mut missing = Vec::new();
        let mut dir = dir_name(path);
        while dir != b"." && dir != b"/" && capsule_sys::stat(dir).is_err() {
            missing.push(dir.to_vec());
            dir = dir_name(dir);
        }
        if dir != b"." && dir != b"/" && !capsule_sys::stat(dir).is_ok_and(|s| s.kind == FileType::Directory) {
            let text = format!(
                "checkdir error:  {} exists but is not directory\n                 unable to process {}.\n",
                String::from_utf8_lossy(dir),
                String::from_utf8_lossy(name)
            );
            self.warn(text.as_bytes());
            self.status = self.status.max(2);
            return false;
        }
        for dir in missing.into_iter().rev() {
            match mkdir(&dir, 0o777) {
                Ok(()) | Err(Errno::EEXIST) => {}
                Err(e) => {
                    let text = format!(
                        "checkdir error:  cannot create {}\n                 {e}\n",
                        String::from_utf8_lossy(&dir)
                    );
                    self.warn(text.as_bytes());
                    self.status = 50;
                    return false;
                }
            }
        }
        true
    }

    fn finish_files(&mut self) {
        let links = std::mem::take(&mut self.links);
        if !links.is_empty() && self.quiet == 0 {
            self.out.write(b"finishing deferred symbolic links:\n");
        }
        links.finish(|path, target, late| {
            if let Late::Taken = late {
                let why = b") failed:\n          invalid placeholder file\n";
                self.warn(&[b"warning:  deferred symlink (", path, why].concat());
                return;
            }
            let line = [b"  ", pad(path).as_slice(), b" -> ", target, b"\n"].concat();
            self.say(&line);
            if let Late::Failed(e) = late {
                self.warn(format!("symlink error: {e}\n").as_bytes());
                self.status = self.status.max(1);
            }
        });
        for (path, mode) in std::mem::take(&mut self.modes).into_iter().rev() {
            let _ = chmod(&path, mode);
        }
    }
}

/// Names stand in a column.
fn pad(name: &[u8]) -> Vec<u8> {
    let mut text = name.to_vec();
    text.resize(text.len().max(22), b' ');
    text
}

fn saved(size: u64, packed: u64) -> i64 {
    if size == 0 {
        return 0;
    }
    let share = 1000 * (size as i128 - packed as i128) / size as i128;
    ((share + if share >= 0 { 5 } else { -5 }) / 10) as i64
}
