//! `file`: what is in a file, in the words of the `file` that everybody knows.

use crate::codec::{self, Source};
use crate::input::Input;
use crate::options::{Long, NO, Options, REQ, only};
use crate::{Args, Exit, Outcome, quote, report};
use capsule_sys::{Errno, Fd, FileType, OpenFlags, Out, STDIN, Seek, lstat, open, read_full, readlink, seek, stat};

mod json;
mod magic;
mod text;

pub const HELP: &str = "\
Usage: file [OPTION...] [FILE...]
Tell what the FILEs hold.

      --help                 print this help
  -v, --version              print the version
  -0, --print0               terminate filenames with NUL
  -b, --brief                without their names
  -E                         errors of the file system are errors
  -f, --files-from FILE      names of files are in FILE, one a line
  -F, --separator STRING     STRING between name and kind, not :
  -h, --no-dereference       don't follow symlinks (default)
  -i, --mime                 output MIME type strings
      --mime-type            the MIME type
      --mime-encoding        the MIME encoding
  -L, --dereference          follow symlinks
  -n, --no-buffer            write each line at once
  -N, --no-pad               kinds need not stand below each other
  -p, --preserve-date        leave access times alone (so it is)
  -r, --raw                  names as they are, odd characters too
  -s, --special-files        read special files too
  -S, --no-sandbox           no sandbox of its own (there is none)
  -z, --uncompress           try to look inside compressed files
  -Z, --uncompress-noreport  only print the contents of compressed files
";

const LONG: &[Long] = &[
    ("print0", NO, '0'),
    ("brief", NO, 'b'),
    ("files-from", REQ, 'f'),
    ("separator", REQ, 'F'),
    ("no-dereference", NO, 'h'),
    ("mime", NO, 'i'),
    ("mime-type", NO, MIME_TYPE),
    ("mime-encoding", NO, MIME_ENCODING),
    ("dereference", NO, 'L'),
    ("no-buffer", NO, 'n'),
    ("no-pad", NO, 'N'),
    ("no-sandbox", NO, 'S'),
    ("preserve-date", NO, 'p'),
    ("raw", NO, 'r'),
    ("special-files", NO, 's'),
    ("uncompress", NO, 'z'),
    ("uncompress-noreport", NO, 'Z'),
];
const USAGE: &str = "\
Usage: file [-bEhiLnNprsSvzZ0] [--mime-encoding] [--mime-type] [-F <separator>]
            [-f <namefile>] <file> ...
       file [--help]
";
const MIME_TYPE: char = only(0);
const MIME_ENCODING: char = only(1);

/// How much of a file is looked at.
const START: usize = 256 * 1024;

struct Looker {
    brief: bool,
    zero: bool,
    mime_type: bool,
    mime_encoding: bool,
    follow: bool,
    special: bool,
    strict: bool,
    at_once: bool,
    raw: bool,
    inside: Inside,
    separator: Vec<u8>,
    width: usize,
    out: Out,
    status: u8,
}

/// What was found: words, MIME type, charset.
struct Found(String, &'static str, &'static str);

/// Whether `-z` or `-Z` looks into compressed files.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    No,
    /// And tells what they are compressed with.
    Both,
    Only,
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "0bEf:F:hiLnNprsSvzZ", LONG);
    report::hint(report::Hint::None);
    report::before_hint(USAGE.to_owned());
    let mut looker = Looker {
        brief: false,
        zero: false,
        mime_type: false,
        mime_encoding: false,
        follow: false,
        special: false,
        strict: false,
        at_once: false,
        raw: false,
        inside: Inside::No,
        separator: b":".to_vec(),
        width: 0,
        out: Out::stdout(),
        status: 0,
    };
    let (mut lists, mut pad) = (Vec::new(), true);
    while let Some(opt) = options.next()? {
        match opt.letter {
            '0' => looker.zero = true,
            'b' => looker.brief = true,
            'E' => looker.strict = true,
            'f' => lists.push(opt.value().to_vec()),
            'F' => looker.separator = opt.value().to_vec(),
            'h' => looker.follow = false,
            'i' => (looker.mime_type, looker.mime_encoding) = (true, true),
            MIME_TYPE => looker.mime_type = true,
            MIME_ENCODING => looker.mime_encoding = true,
            'L' => looker.follow = true,
            'N' => pad = false,
            's' => looker.special = true,
            'z' => looker.inside = Inside::Both,
            'Z' => looker.inside = Inside::Only,
            'v' => return Err(options.version()),
            'n' => looker.at_once = true,
            'r' => looker.raw = true,
            // -p and -S: so it is.
            _ => {}
        }
    }
    let operands: Vec<Vec<u8>> = options.operands().iter().map(|o| o.to_vec()).collect();
    if operands.is_empty() && lists.is_empty() {
        return Err(report::try_help(1));
    }
    for list in lists {
        let names = looker.read_list(&list)?;
        looker.look_at(&names, pad);
    }
    looker.look_at(&operands, pad);
    let status = looker.status;
    report::finish(&mut looker.out, status)
}

impl Looker {
    fn read_list(&self, list: &[u8]) -> Result<Vec<Vec<u8>>, Exit> {
        let fault = |e: Errno| report::die(1, format_args!("Cannot open `{}' ({e})", String::from_utf8_lossy(list)));
        let mut text = Vec::new();
        Input::open(list).and_then(|mut input| input.stream.read_to_end(&mut text)).map_err(fault)?;
        Ok(text.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec).collect())
    }

    fn look_at(&mut self, names: &[Vec<u8>], pad: bool) {
        // Standard input is as wide as it was written.
        let labels: Vec<Vec<u8>> = names.iter().map(|name| self.label(name)).collect();
        let widest = labels.iter().map(Vec::len).max().unwrap_or(0);
        self.width = if pad { widest } else { 0 };
        for (name, label) in names.iter().zip(labels) {
            let pad = self.width.saturating_sub(label.len()) + 1;
            let (found, compressed) = match self.identify(name) {
                (_, Some(inside)) if self.inside == Inside::Only => (inside, None),
                (found, Some(inside)) => (inside, Some(found)),
                (found, None) => (found, None),
            };
            let label: &[u8] = if name == b"-" { b"/dev/stdin" } else { &label };
            if !self.brief && widest > 0 {
                self.out.write(label);
                if self.zero {
                    self.out.byte(0);
                }
                self.out.write(&self.separator.clone());
                self.out.write(&vec![b' '; pad]);
            }
            let Found(text, mime, charset) = found;
            let line = match (self.mime_type, self.mime_encoding) {
                _ if mime.is_empty() => text,
                (true, true) => format!("{mime}; charset={charset}"),
                (true, false) => mime.to_owned(),
                (false, true) => charset.to_owned(),
                (false, false) => text,
            };
            self.out.write(line.as_bytes());
            if let Some(Found(text, mime, charset)) = compressed {
                let with = match (self.mime_type, self.mime_encoding) {
                    (true, true) => format!(" compressed-encoding={mime}; charset={charset}"),
                    (false, false) => format!(" ({text})"),
                    _ => String::new(),
                };
                self.out.write(with.as_bytes());
            }
            self.out.byte(b'\n');
            if self.at_once {
                let _ = self.out.flush();
            }
        }
    }

    /// A name as it is shown: what cannot be printed in octal.
    fn label(&self, name: &[u8]) -> Vec<u8> {
        if self.raw {
            return name.to_vec();
        }
        let mut label = Vec::new();
        let mut octal = |bytes: &[u8], as_is: bool| match as_is {
            true => label.extend_from_slice(bytes),
            false => bytes.iter().for_each(|b| label.extend(format!("\\{b:03o}").bytes())),
        };
        if !quote::is_utf8() {
            name.iter().for_each(|b| octal(&[*b], (b' '..=b'~').contains(b)));
            return label;
        }
        for chunk in name.utf8_chunks() {
            for c in chunk.valid().chars() {
                octal(c.encode_utf8(&mut [0; 4]).as_bytes(), !c.is_control() && (c.is_ascii() || quote::printable(c)));
            }
            octal(chunk.invalid(), false);
        }
        label
    }

    /// What a file is, and with -z what is inside of a compressed one.
    fn identify(&mut self, name: &[u8]) -> (Found, Option<Found>) {
        let shown = String::from_utf8_lossy(&self.label(name)).into_owned();
        let found = match name {
            b"-" => return (self.content(STDIN, None), None),
            _ if self.follow => stat(name),
            _ => lstat(name),
        };
        let s = match found {
            Ok(s) => s,
            Err(e) if self.strict => {
                self.status = 1;
                return (Found(format!("ERROR: cannot stat `{shown}' ({e})"), "", ""), None);
            }
            Err(e) => return (Found(format!("cannot open `{shown}' ({e})"), "", ""), None),
        };
        let special = |text: &str, mime: &'static str| (Found(text.to_owned(), mime, "binary"), None);
        match s.kind {
            FileType::Directory => {
                let sticky = match s.mode & 0o7000 {
                    0o1000 => "sticky, directory",
                    0o2000 => "setgid, directory",
                    _ => "directory",
                };
                return special(sticky, "inode/directory");
            }
            FileType::Symlink => {
                let target = readlink(name).unwrap_or_default();
                let target = String::from_utf8_lossy(&target).into_owned();
                let broken = if stat(name).is_err() { "broken " } else { "" };
                return special(&format!("{broken}symbolic link to {target}"), "inode/symlink");
            }
            FileType::Fifo => return special("fifo (named pipe)", "inode/fifo"),
            FileType::Socket => return special("socket", "inode/socket"),
            FileType::CharDevice if !self.special => {
                use crate::commands::ls::{major, minor};
                let text = format!("character special ({}/{})", major(s.rdev), minor(s.rdev));
                return special(&text, "inode/chardevice");
            }
            FileType::BlockDevice if !self.special => return special("block special", "inode/blockdevice"),
            _ => {}
        }
        if s.size == 0 && s.kind == FileType::Regular {
            return special("empty", "inode/x-empty");
        }
        match open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
            Ok(file) => {
                let found = self.content(file.raw(), Some(s.size));
                (found, if self.inside == Inside::No { None } else { self.inside_of(file) })
            }
            Err(Errno::EACCES) => special("regular file, no read permission", "application/octet-stream"),
            Err(e) => (Found(format!("cannot open `{shown}' ({e})"), "", ""), None),
        }
    }

    /// What is in a compressed file; none where it is not one, or a broken one.
    fn inside_of(&self, file: Fd) -> Option<Found> {
        seek(file.raw(), Seek::Start(0)).ok()?;
        let mut source = Source::new(file.raw(), Some(file));
        let format = codec::sniff(source.look(16).ok()?)?;
        let mut decoder = codec::decoder(format, source);
        let (mut start, mut n) = (vec![0; START], 0);
        while n < START {
            match decoder.read(&mut start[n..]) {
                Ok(0) => break,
                Ok(more) => n += more,
                Err(_) if n == 0 => return None,
                Err(_) => break,
            }
        }
        start.truncate(n);
        Some(described(&start, &start[n.saturating_sub(4)..]))
    }

    fn content(&self, fd: i32, size: Option<u64>) -> Found {
        let mut start = vec![0; START];
        let n = match read_full(fd, &mut start) {
            Ok(n) => n,
            Err(e) => return Found(format!("cannot read ({e})"), "", ""),
        };
        start.truncate(n);
        if n == 0 {
            return Found("empty".to_owned(), "inode/x-empty", "binary");
        }
        if n == 1 {
            return Found("very short file (no magic)".to_owned(), "application/octet-stream", "binary");
        }
        // The last bytes of a gzip file say how large it was.
        let mut tail = [0; 4];
        let tail: &[u8] = match size {
            // Not of what is looked into.
            _ if self.inside != Inside::No => &[],
            Some(size) if size > 18 && seek(fd, Seek::Start(size - 4)).is_ok() => {
                let n = read_full(fd, &mut tail).unwrap_or(0);
                &tail[..n]
            }
            _ => &start[n.saturating_sub(4)..],
        };
        described(&start, tail)
    }
}

/// What a beginning and the last bytes tell.
fn described(start: &[u8], tail: &[u8]) -> Found {
    if start.is_empty() {
        return Found("empty".to_owned(), "application/x-empty", "binary");
    }
    let textual = text::identify(start, start.len() < START);
    if let Some(kind) = magic::identify(start, tail) {
        let charset = textual.map_or("binary", |t| t.1);
        return Found(kind.text, kind.mime, charset);
    }
    match textual {
        Some((kind, charset)) => Found(kind.text, kind.mime, charset),
        None => Found("data".to_owned(), "application/octet-stream", "binary"),
    }
}
