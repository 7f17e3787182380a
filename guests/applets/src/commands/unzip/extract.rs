//! Members become files, or are tested.

use super::place::Nowhere;
use super::{OVERLAPPED, Unzip, printable};
use crate::input::{dir_name, join};
use crate::late_links::Late;
use crate::zipfile::{self, Bad, Member, Unpacking};
use crate::{Exit, report};
use capsule_sys::{
    AT_FDCWD, AT_SYMLINK_NOFOLLOW, Errno, FileType, In, OpenFlags, Out, STDIN, SetTime, Time, chmod, chown_at, fchmod,
    futimens, lstat, mkdir, open, rename, unlink,
};

impl Unzip {
    /// `-d`: the directory that all goes into. Only its last part is made.
    pub(super) fn make_directory(&mut self) -> bool {
        let Some(dir) = self.directory.clone() else { return true };
        let why = match capsule_sys::stat(&dir) {
            Ok(found) if found.kind == FileType::Directory => return true,
            Ok(_) => Errno::EEXIST,
            Err(_) => match mkdir(&dir, 0o777) {
                Ok(()) => return true,
                Err(e) => e,
            },
        };
        let why = format!("\n           {why}\n");
        self.warn(&[b"checkdir:  cannot create extraction directory: ", &dir[..], why.as_bytes()].concat());
        false
    }

    /// One member; false to stop at it.
    pub(super) fn member(&mut self, member: &Member, number: usize) -> Result<bool, Exit> {
        match Unpacking::find(self.fd, member) {
            Ok(found) => {
                if !self.cover(member.offset, found.data.end) {
                    self.warn(b"error: invalid zip file with overlapped components (possible zip bomb)\n");
                    self.status = OVERLAPPED;
                    return Ok(false);
                }
            }
            Err(_) => {
                let text = format!("file #{number}:  bad zipfile offset (local header sig):  {}\n", member.offset);
                self.warn(text.as_bytes());
                self.status = self.status.max(3);
                return Ok(true);
            }
        }
        if !self.can_unpack(member) {
            return Ok(true);
        }
        if self.test {
            self.test_member(member);
        } else if self.pipe {
            self.write_out(member)?;
        } else {
            self.place_file(member);
        }
        Ok(true)
    }

    /// Whether a part of the archive belongs to no other member.
    fn cover(&mut self, start: u64, end: u64) -> bool {
        if self.covered.range(..end).next_back().is_some_and(|(_, known)| *known > start) {
            return false;
        }
        self.covered.insert(start, end);
        true
    }

    /// What cannot be unpacked is left out: how it is packed is not known, or the password is not.
    fn can_unpack(&mut self, member: &Member) -> bool {
        if member.packed == 0 || member.is_directory() {
            return true;
        }
        let (why, status) = match zipfile::can_unpack(self.fd, member, self.password.as_deref()) {
            Err(Bad::Method) => (format!("unsupported compression method {}", member.method), None),
            Err(Bad::Encrypted) => ("unable to get password".to_owned(), Some(5)),
            Err(Bad::Password) => ("incorrect password".to_owned(), None),
            _ => return true,
        };
        match (status, why.starts_with("incorrect")) {
            (Some(status), _) => self.status = self.status.max(status),
            (None, true) => self.counts.bad_passwords += 1,
            (None, false) => {
                self.counts.skipped += 1;
                self.counts.processed -= 1;
            }
        }
        if status.is_none() && !self.tells() {
            return false;
        }
        let name = pad(&printable(&member.name));
        self.warn(&[b"   skipping: ", name.as_slice(), b"  ", why.as_bytes(), b"\n"].concat());
        false
    }

    fn write_out(&mut self, member: &Member) -> Result<(), Exit> {
        let name = printable(&member.name);
        self.progress(member, &name);
        self.say(b"\n");
        let mut text = Lines::new(self.converts(member));
        let out = &mut self.out;
        let result = zipfile::unpack(self.fd, member, self.password.as_deref(), |data| {
            out.write(&text.convert(data));
            out.error().is_none()
        });
        self.say(b"\n");
        self.result(member, result);
        report::writable(&self.out)
    }

    fn place_file(&mut self, member: &Member) {
        let mut path = match self.target(member) {
            Ok(path) => path,
            Err(Nowhere::Unwanted) => return,
            Err(Nowhere::NoName) => {
                self.warn(&[b"mapname:  conversion of ", &member.name[..], b" failed\n"].concat());
                self.status = self.status.max(2);
                return;
            }
        };
        if member.is_directory() {
            let path = path.strip_suffix(b"/").unwrap_or(&path);
            if lstat(path).is_err() {
                self.say(&[b"   creating: ", path, b"/\n"].concat());
                self.directories(&join(path, b"x"), &member.name);
            }
            if member.mode & 0o777 != 0 {
                self.modes.push((path.to_vec(), member.mode & self.mode_mask()));
            }
            return;
        }
        if !self.may_write(member, &mut path) || !self.directories(&path, &member.name) {
            return;
        }
        if member.is_symlink() {
            let mut target = Vec::new();
            let result = zipfile::unpack(self.fd, member, self.password.as_deref(), |data| {
                target.extend_from_slice(data);
                target.len() <= 4096
            });
            self.result(member, result);
            let line = [b"    linking: ", pad(&path).as_slice(), b"  -> ", &target, b" \n"].concat();
            self.say(&line);
            if let Err(e) = self.links.add(&path, &target, None) {
                self.warn(format!("symlink error: {e}\n").as_bytes());
            }
            return;
        }
        self.write_file(member, &path);
    }

    /// Whether the ends of a member's lines are made ours.
    fn converts(&self, member: &Member) -> bool {
        self.text > 1 || (self.text == 1 && member.internal & 1 != 0)
    }

    fn progress(&mut self, member: &Member, name: &[u8]) {
        let verb: &[u8] = match member.method {
            0 => b" extracting: ",
            12 => b" bunzipping: ",
            _ => b"  inflating: ",
        };
        let kind: &[u8] = match (self.text == 1, member.internal & 1 != 0) {
            (false, _) => b"",
            (true, true) => b"[text]  ",
            (true, false) => b"[binary]",
        };
        let line = [verb, &pad(name), b"  ", kind].concat();
        self.say(&line);
    }

    fn mode_mask(&self) -> u32 {
        if self.all_modes { 0o7777 } else { 0o777 }
    }

    fn write_file(&mut self, member: &Member, path: &[u8]) {
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC;
        let file = match open(path, flags, 0o666) {
            Ok(file) => file,
            Err(e) => {
                self.warn(&[b"error:  cannot create ", path, format!("\n        {e}\n").as_bytes()].concat());
                self.status = 50;
                return;
            }
        };
        self.progress(member, path);
        self.say(b"\n");
        let mut out = Out::new(file.raw());
        let mut text = Lines::new(self.converts(member));
        let result = zipfile::unpack(self.fd, member, self.password.as_deref(), |data| {
            out.write(&text.convert(data));
            out.error().is_none()
        });
        if let Err(e) = out.flush() {
            let why = if e == Errno::ENOSPC { "disk full?".to_owned() } else { e.to_string() };
            let why = format!(":  write error ({why}).\n");
            self.warn(&[path, why.as_bytes(), b"warning:  ", path, b" is probably truncated\n"].concat());
            self.status = 50;
            return;
        }
        if let Some((user, group)) = member.ids.filter(|_| self.owners) {
            let _ = chown_at(AT_FDCWD, path, Some(user), Some(group), AT_SYMLINK_NOFOLLOW);
        }
        if member.mode != 0 {
            let _ = fchmod(file.raw(), member.mode & self.mode_mask());
        }
        if !self.no_times {
            let time = Time { sec: member.when(&self.zone).seconds_since_epoch, nsec: 0 };
            let _ = futimens(file.raw(), SetTime::At(time), SetTime::At(time));
        }
        self.result(member, result);
    }

    fn test_member(&mut self, member: &Member) {
        let line = [b"    testing: ", pad(&printable(&member.name)).as_slice(), b"  "].concat();
        self.say(&line);
        let result = match member.is_directory() {
            true => Ok(()),
            false => zipfile::unpack(self.fd, member, self.password.as_deref(), |_| true),
        };
        if result.is_ok() {
            self.say(b" OK\n");
        }
        self.result(member, result);
    }

    fn result(&mut self, member: &Member, result: Result<(), Bad>) {
        let Err(bad) = result else { return };
        let name = printable(&member.name);
        let (text, status) = match bad {
            Bad::Read(e) => ([name.as_slice(), format!(":  read error ({e})\n").as_bytes()].concat(), 3),
            Bad::Data | Bad::Length => {
                let verb: &[u8] = if member.method == 12 { b"bunzip " } else { b"inflate " };
                let what: &[u8] = if bad == Bad::Length { b" (length)\n" } else { b"\n" };
                ([b"  error:  invalid compressed data to ", verb, &name, what].concat(), 2)
            }
            Bad::Crc(found) => {
                let text = format!(" bad CRC {found:08x}  (should be {:08x})\n", member.crc);
                // The name is told where no other line has it.
                let name = if self.tells() { Vec::new() } else { [pad(&name).as_slice(), b" "].concat() };
                ([name, text.into_bytes()].concat(), 2)
            }
            // Such members are not begun.
            Bad::Header | Bad::Method | Bad::Encrypted | Bad::Password => return,
        };
        self.warn(&text);
        self.status = self.status.max(status);
    }

    /// Whether a file is written: asks when one is there and nobody said. It may get another name.
    fn may_write(&mut self, member: &Member, path: &mut Vec<u8>) -> bool {
        loop {
            let found = lstat(path).ok();
            if self.freshen && found.is_none() {
                return false;
            }
            let Some(found) = found else { return true };
            if found.kind == FileType::Directory {
                self.warn(&[b"error:  cannot create ", path.as_slice(), b"\n"].concat());
                self.status = 50;
                return false;
            }
            if (self.freshen || self.update) && found.mtime.sec >= member.when(&self.zone).seconds_since_epoch {
                return false;
            }
            match self.overwrite.map_or_else(|| self.ask(path), |yes| if yes { Answer::Yes } else { Answer::No }) {
                Answer::No => return false,
                Answer::Yes => break,
                Answer::Rename(name) => *path = name,
            }
        }
        let _ = match self.backups {
            true => rename(path, &[path.as_slice(), b"~"].concat()),
            false => unlink(path),
        };
        true
    }

    fn answer(&mut self, question: &[u8]) -> Option<Vec<u8>> {
        self.warn(question);
        let mut line = Vec::new();
        let answers = self.answers.get_or_insert_with(|| In::new(STDIN));
        let _ = answers.read_until(b'\n', &mut line);
        if line.is_empty() {
            return None;
        }
        Some(line.strip_suffix(b"\n").unwrap_or(&line).to_vec())
    }

    fn ask(&mut self, path: &[u8]) -> Answer {
        let question = [b"replace ", path, b"? [y]es, [n]o, [A]ll, [N]one, [r]ename: "].concat();
        loop {
            let Some(line) = self.answer(&question) else {
                self.warn(b" NULL\n(EOF or read error, treating as \"[N]one\" ...)\n");
                self.overwrite = Some(false);
                self.status = self.status.max(1);
                return Answer::No;
            };
            match line.first() {
                Some(b'y' | b'Y') => return Answer::Yes,
                Some(b'n') => return Answer::No,
                Some(b'A') => {
                    self.overwrite = Some(true);
                    return Answer::Yes;
                }
                Some(b'N') => {
                    self.overwrite = Some(false);
                    return Answer::No;
                }
                Some(b'r' | b'R') => loop {
                    match self.answer(b"new name: ") {
                        Some(name) if !name.is_empty() && !name.contains(&0) => return Answer::Rename(name),
                        Some(_) => {}
                        None => return Answer::No,
                    }
                },
                other => {
                    let shown = if other.is_some() { line.as_slice() } else { b"{ENTER}" };
                    self.warn(&[b"error:  invalid response [", shown, b"]\n"].concat());
                }
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
            let why: &[u8] = b" exists but is not directory\n                 unable to process ";
            self.warn(&[b"checkdir error:  ", dir, why, &printable(name), b".\n"].concat());
            self.status = self.status.max(2);
            return false;
        }
        for dir in missing.into_iter().rev() {
            match mkdir(&dir, 0o777) {
                Ok(()) | Err(Errno::EEXIST) => {}
                Err(e) => {
                    let why = format!("\n                 {e}\n");
                    self.warn(&[b"checkdir error:  cannot create ", &dir[..], why.as_bytes()].concat());
                    self.status = 50;
                    return false;
                }
            }
        }
        true
    }

    pub(super) fn finish_files(&mut self) {
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

enum Answer {
    Yes,
    No,
    Rename(Vec<u8>),
}

/// Ends of lines of any system become ours, and the mark for the end of a file of old is left out.
struct Lines {
    converts: bool,
    after_return: bool,
}

impl Lines {
    fn new(converts: bool) -> Lines {
        Lines { converts, after_return: false }
    }

    fn convert<'a>(&mut self, data: &'a [u8]) -> std::borrow::Cow<'a, [u8]> {
        if !self.converts {
            return data.into();
        }
        let mut made = Vec::with_capacity(data.len());
        for &byte in data {
            match byte {
                b'\r' => made.push(b'\n'),
                b'\n' if self.after_return => {}
                0x1a => {}
                byte => made.push(byte),
            }
            self.after_return = byte == b'\r';
        }
        made.into()
    }
}

/// Names stand in a column.
fn pad(name: &[u8]) -> Vec<u8> {
    let mut text = name.to_vec();
    text.resize(text.len().max(22), b' ');
    text
}
