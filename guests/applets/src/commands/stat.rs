use crate::calendar::{Moment, Zone};
use crate::input::dir_name;
use crate::options::{NO, Options, REQ, only, word};
use crate::path::{Missing, canonical};
use crate::quote::{Style, is_utf8, quoted, show, style_of_environment};
use crate::users::Names;
use crate::{Args, Exit, Outcome, mode, pad, report};
use capsule_sys::{FileType, FsUsage, Out, STDIN, Stat, Time, fstat, lstat, readlink, stat, statfs};

pub const HELP: &str = "\
Usage: stat [OPTION]... FILE...
Tell what is known of files, or of file systems.

  -L, --dereference     what links point to
  -f, --file-system     about the file system a file is in
      --cached=MODE     always, never or default: the same here, nothing is cached
  -c, --format=FORMAT   as FORMAT says, and a newline after each
      --printf=FORMAT   as FORMAT says, with backslash escapes
                          and no newline behind it
  -t, --terse           in one line
      --help        print this help
      --version     print the version

Formats for files: %a %A %b %B %d %D %f %F %g %G %h %Hd %Hr %i %Ld %Lr %m %n
%N %o %r %R %s %t %T %u %U %w %W %x %X %y %Y %z %Z.
For file systems: %a %b %c %d %f %i %l %n %s %S %t %T.
";

const PRINTF: char = only(0);
const CACHED: char = only(1);

const USUAL: &[u8] =
    b"  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-11i Links: \
%h\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const USUAL_DEVICE: &[u8] =
    b"  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-11i \
Links: %-5h Device type: %Hr,%Lr\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: \
%y\nChange: %z\n Birth: %w\n";
const TERSE: &[u8] = b"%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
const USUAL_FS: &[u8] =
    b"  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: \
%S\nBlocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n";
const TERSE_FS: &[u8] = b"%n %i %l %t %s %S %b %f %a %c %d\n";

enum Subject {
    File(Stat),
    System(FsUsage),
}

struct Shower {
    users: Names,
    groups: Names,
    zone: Zone,
    utf8: bool,
    /// Names are quoted even where they need not be.
    always: bool,
    /// As QUOTING_STYLE has it.
    style: Option<Style>,
    out: Out,
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("cached", REQ, CACHED),
        ("dereference", NO, 'L'),
        ("file-system", NO, 'f'),
        ("format", REQ, 'c'),
        ("printf", REQ, PRINTF),
        ("terse", NO, 't'),
    ];
    let mut options = Options::new(args, "c:fLt", long);
    let (mut follow, mut system, mut terse, mut format, mut newline) = (false, false, false, None, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'L' => follow = true,
            'f' => system = true,
            't' => terse = true,
            'c' => (format, newline) = (Some(opt.value()), true),
            // What is remembered of files elsewhere: nothing is here.
            CACHED => {
                word(opt.value(), "--cached", &[("default", 0), ("never", 1), ("always", 2)], 1)?;
            }
            _ => (format, newline) = (Some(opt.value()), false),
        }
    }
    let files = options.operands();
    if files.is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    let mut shower = Shower {
        users: Names::users(),
        groups: Names::groups(),
        zone: Zone::local(),
        utf8: is_utf8(),
        always: true,
        style: None,
        out: Out::stdout(),
    };
    // Asked once there is a name to be shown: a variable that means nothing is told then.
    if format.is_none_or(|format| format.windows(2).any(|pair| pair == b"%N")) {
        shower.style = style_of_environment();
    }
    let mut status = 0;
    for file in files {
        if system && file == b"-" {
            let _ = shower.out.flush();
            report::error("using '-' to denote standard input does not work in file system mode");
            status = 1;
            continue;
        }
        let found = if system {
            statfs(file).map(Subject::System)
        } else if file == b"-" {
            fstat(STDIN).map(Subject::File)
        } else {
            if follow { stat(file) } else { lstat(file) }.map(Subject::File)
        };
        let subject = match found {
            Ok(subject) => subject,
            Err(e) => {
                let _ = shower.out.flush();
                report::error(match system {
                    true => format!("cannot read file system information for {}: {e}", quoted(file)),
                    false => format!("cannot statx {}: {e}", quoted(file)),
                });
                status = 1;
                continue;
            }
        };
        let device = |s: &Stat| matches!(s.kind, FileType::CharDevice | FileType::BlockDevice);
        let usual = match (&subject, terse) {
            (Subject::File(_), true) => TERSE,
            (Subject::File(s), false) if device(s) => USUAL_DEVICE,
            (Subject::File(_), false) => USUAL,
            (Subject::System(_), true) => TERSE_FS,
            (Subject::System(_), false) => USUAL_FS,
        };
        shower.always = format.is_some();
        let mut text = Vec::new();
        match format {
            Some(format) if !newline => unescape(format, &mut text),
            other => text.extend_from_slice(other.unwrap_or(usual)),
        }
        shower.format(&text, file, &subject)?;
        if newline {
            shower.out.byte(b'\n');
        }
    }
    report::finish(&mut shower.out, status)
}

impl Shower {
    fn format(&mut self, format: &[u8], file: &[u8], subject: &Subject) -> Result<(), Exit> {
        let mut rest = format;
        while let Some(percent) = memchr::memchr(b'%', rest) {
            self.out.write(&rest[..percent]);
            rest = &rest[percent + 1..];
            let flags = rest.iter().take_while(|b| b"'-+ #0".contains(b)).count();
            let mut at = flags;
            let width = pad::number(rest, &mut at);
            let mut precision = None;
            if rest.get(at) == Some(&b'.') {
                at += 1;
                precision = Some(pad::number(rest, &mut at));
            }
            let modifier = rest.get(at).copied().filter(|b| matches!(b, b'H' | b'L') && rest.len() > at + 1);
            at += usize::from(modifier.is_some());
            let letter = match rest.get(at) {
                Some(b'%') | None if at > 0 => {
                    let shown = [b"%", &rest[..(at + 1).min(rest.len())]].concat();
                    let _ = self.out.flush();
                    return Err(report::die(1, format_args!("{}: invalid directive", crate::quote::locale(&shown))));
                }
                Some(&letter) => letter,
                None => {
                    self.out.byte(b'%');
                    return Ok(());
                }
            };
            if letter == b'%' {
                self.out.byte(b'%');
            } else {
                let text = match subject {
                    Subject::File(s) => self.file(letter, modifier, file, s, precision),
                    Subject::System(s) => self.system(letter, file, s),
                };
                let text = text.unwrap_or_else(|| b"?".to_vec());
                self.pad(&text, &rest[..flags], width, precision, letter);
            }
            rest = &rest[at + 1..];
        }
        self.out.write(rest);
        Ok(())
    }

    fn pad(&mut self, text: &[u8], flags: &[u8], width: usize, precision: Option<usize>, letter: u8) {
        // Of texts a precision is the most that is shown.
        let cut = precision.filter(|_| b"AFGUNnm".contains(&letter)).unwrap_or(usize::MAX);
        let text = &text[..text.len().min(cut)];
        let missing = width.saturating_sub(text.len());
        let zeros = flags.contains(&b'0') && !b"AFGUNnmxyzw".contains(&letter);
        if flags.contains(&b'-') {
            self.out.write(text);
            self.out.write(&vec![b' '; missing]);
        } else {
            self.out.write(&vec![if zeros { b'0' } else { b' ' }; missing]);
            self.out.write(text);
        }
    }

    fn file(
        &mut self,
        letter: u8,
        modifier: Option<u8>,
        file: &[u8],
        s: &Stat,
        precision: Option<usize>,
    ) -> Option<Vec<u8>> {
        use super::ls::{major, minor};
        let part = |dev: u64, whole: String| match modifier {
            Some(b'H') => major(dev).to_string(),
            Some(_) => minor(dev).to_string(),
            None => whole,
        };
        Some(
            match letter {
                b'n' => return Some(file.to_vec()),
                b'N' => {
                    let usual = if self.always { Style::ShellEscapeAlways } else { Style::ShellEscape };
                    let style = self.style.unwrap_or(usual);
                    let mut text = show(file, style, self.utf8, b"");
                    if s.kind == FileType::Symlink {
                        let target = readlink(file).unwrap_or_default();
                        text += &format!(" -> {}", show(&target, style, self.utf8, b""));
                    }
                    text
                }
                b'a' => format!("{:o}", s.mode),
                b'A' => mode::show(s.st_mode()),
                b'b' => s.blocks.to_string(),
                b'B' => "512".to_owned(),
                b'd' => part(s.dev, s.dev.to_string()),
                b'D' => format!("{:x}", s.dev),
                b'f' => format!("{:x}", s.st_mode()),
                b'F' => kind(s).to_owned(),
                b'g' => s.gid.to_string(),
                b'G' => self.groups.name(s.gid).unwrap_or_else(|| "UNKNOWN".to_owned()),
                b'h' => s.nlink.to_string(),
                b'i' => s.ino.to_string(),
                b'm' => return Some(mount_point(file).unwrap_or_else(|| b"?".to_vec())),
                b'o' => "4096".to_owned(),
                b'r' => part(s.rdev, s.rdev.to_string()),
                b'R' => format!("{:x}", s.rdev),
                b's' => s.size.to_string(),
                b't' => format!("{:x}", major(s.rdev)),
                b'T' => format!("{:x}", minor(s.rdev)),
                b'u' => s.uid.to_string(),
                b'U' => self.users.name(s.uid).unwrap_or_else(|| "UNKNOWN".to_owned()),
                // Nobody records when a file was born.
                b'w' => "-".to_owned(),
                b'W' => "0".to_owned(),
                b'x' => self.time(s.atime),
                b'y' => self.time(s.mtime),
                b'z' => self.time(s.ctime),
                b'X' => seconds(s.atime, precision),
                b'Y' => seconds(s.mtime, precision),
                b'Z' => seconds(s.ctime, precision),
                b'C' => "?".to_owned(),
                _ => return None,
            }
            .into_bytes(),
        )
    }

    fn time(&self, time: Time) -> String {
        let text = Moment::new(time.sec, time.nsec, &self.zone).format(b"%Y-%m-%d %H:%M:%S.%N %z");
        String::from_utf8_lossy(&text).into_owned()
    }

    fn system(&mut self, letter: u8, file: &[u8], s: &FsUsage) -> Option<Vec<u8>> {
        Some(
            match letter {
                b'n' => return Some(file.to_vec()),
                b'a' | b'f' => s.blocks_free.to_string(),
                b'b' => s.blocks.to_string(),
                b'c' => s.files.to_string(),
                b'd' => s.files_free.to_string(),
                b'i' => "0".to_owned(),
                b'l' => "255".to_owned(),
                b's' | b'S' => "4096".to_owned(),
                b't' => "794c7630".to_owned(),
                b'T' => "overlayfs".to_owned(),
                _ => return None,
            }
            .into_bytes(),
        )
    }
}

/// The highest directory above a file that is on the same device.
fn mount_point(file: &[u8]) -> Option<Vec<u8>> {
    let mut path = canonical(file, Missing::None, false, true).ok()?;
    let device = lstat(&path).ok()?.dev;
    while path != b"/" {
        let parent = dir_name(&path).to_vec();
        if lstat(&parent).ok()?.dev != device {
            break;
        }
        path = parent;
    }
    Some(path)
}

/// Seconds since the epoch, with as many digits behind the point as asked for.
fn seconds(time: Time, precision: Option<usize>) -> String {
    match precision {
        None | Some(0) => time.sec.to_string(),
        Some(n) => {
            let digits = format!("{:09}", time.nsec);
            format!("{}.{}{}", time.sec, &digits[..n.min(9)], "0".repeat(n.saturating_sub(9)))
        }
    }
}

fn kind(s: &Stat) -> &'static str {
    match s.kind {
        FileType::Regular if s.size == 0 => "regular empty file",
        FileType::Regular => "regular file",
        FileType::Directory => "directory",
        FileType::Symlink => "symbolic link",
        FileType::Fifo => "fifo",
        FileType::CharDevice => "character special file",
        FileType::BlockDevice => "block special file",
        FileType::Socket => "socket",
    }
}

/// The escapes of `--printf`.
fn unescape(text: &[u8], to: &mut Vec<u8>) {
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            to.push(byte);
            continue;
        }
        let Some((&letter, tail)) = rest.split_first() else {
            report::error("warning: backslash at end of format");
            to.push(b'\\');
            break;
        };
        let mut number = |digits: &[u8], radix: u32, most: usize| {
            let n = digits.iter().take(most).take_while(|b| char::from(**b).is_digit(radix)).count();
            let value = digits[..n].iter().fold(0, |v, d| v * radix + char::from(*d).to_digit(radix).unwrap_or(0));
            to.push(value as u8);
            n
        };
        match letter {
            b'0'..=b'7' => {
                let n = number(rest, 8, 3);
                rest = &rest[n..];
                continue;
            }
            b'x' if tail.first().is_some_and(u8::is_ascii_hexdigit) => {
                let n = number(tail, 16, 2);
                rest = &tail[n..];
                continue;
            }
            _ => rest = tail,
        }
        to.push(match letter {
            b'a' => 7,
            b'b' => 8,
            b'e' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'"' | b'\\' => letter,
            other => {
                report::error(format_args!("warning: unrecognized escape '\\{}'", other as char));
                other
            }
        });
    }
}
