//! `dos2unix`, `unix2dos`, `mac2unix` and `unix2mac`: line ends of files, in place or into others.

use crate::input::dir_name;
use crate::options::{Long, NO, Options, REQ, only};
use crate::{Args, Exit, Outcome, report, temporary};
use capsule_sys::{
    Errno, FileType, OpenFlags, Out, STDIN, SetTime, Stat, Time, fchmod, futimens, lstat, open, read_to_end, rename,
    stat, unlink, write_all,
};

pub const HELP: &str = "\
Usage: dos2unix [options] [file ...] [-n infile outfile ...]
Convert line ends; unix2dos, mac2unix and unix2mac do as they are called.
Without files, from standard input to standard output.

 -b, --keep-bom       leave a byte order mark there
 -c, --convmode MODE  conversion mode: ascii (the others are not supported)
 -f, --force          convert binary files too
 -F, --follow-symlink convert what a link points to
 -h, --help           display this help text
 -k, --keepdate       leave the time of the file as it was
 -l, --newline        another newline behind each
 -m, --add-bom        add Byte Order Mark
 -n, --newfile        convert one file into another
 -o, --oldfile        convert files in their place (so it is)
 -q, --quiet          no messages
 -r, --remove-bom     remove Byte Order Mark (the default of dos2unix)
 -R, --replace-symlink put a converted file in the place of a link
 -s, --safe           leave binary files alone (so it is)
 -S, --skip-symlink   leave links alone (so it is)
 -v, --verbose        tell what is done
 -V, --version        display version number
";

const LONG: &[Long] = &[
    ("keep-bom", NO, 'b'),
    ("convmode", REQ, 'c'),
    ("force", NO, 'f'),
    ("follow-symlink", NO, 'F'),
    ("keepdate", NO, 'k'),
    ("newline", NO, 'l'),
    ("add-bom", NO, 'm'),
    ("newfile", NO, 'n'),
    ("oldfile", NO, 'o'),
    ("quiet", NO, 'q'),
    ("remove-bom", NO, 'r'),
    ("replace-symlink", NO, 'R'),
    ("safe", NO, 's'),
    ("skip-symlink", NO, 'S'),
    ("verbose", NO, 'v'),
    ("ascii", NO, only(0)),
];

const MARK: &[u8] = b"\xef\xbb\xbf";

#[derive(Clone, Copy, PartialEq)]
enum Links {
    Skip,
    Follow,
    Replace,
}

/// From which line ends to which.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    DosToUnix,
    MacToUnix,
    UnixToDos,
    UnixToMac,
}

struct Converter {
    way: Way,
    keep_mark: bool,
    add_mark: bool,
    double: bool,
    force: bool,
    links: Links,
    keep_date: bool,
    quiet: bool,
    verbose: bool,
    status: u8,
}

pub fn main(args: &Args) -> Outcome {
    let name = report::program();
    let way = match name.rsplit('/').next() {
        Some("unix2dos") => Way::UnixToDos,
        Some("mac2unix") => Way::MacToUnix,
        Some("unix2mac") => Way::UnixToMac,
        _ => Way::DosToUnix,
    };
    let mut converter = Converter {
        way,
        keep_mark: matches!(way, Way::UnixToDos | Way::UnixToMac),
        add_mark: false,
        double: false,
        force: false,
        links: Links::Skip,
        keep_date: false,
        quiet: false,
        verbose: false,
        status: 0,
    };
    let mut options = Options::new(args, "+bc:fFhklmnoqrRsSvV", LONG);
    let mut pairs = false;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' => converter.keep_mark = true,
            'c' if matches!(opt.value(), b"ascii" | b"ASCII") => {}
            'c' => {
                let text = crate::quote::raw(opt.value());
                let known = ["7bit", "iso", "mac"].contains(&text.to_ascii_lowercase().as_str());
                return Err(report::die(
                    1,
                    match known {
                        true => format!("conversion mode {text} is not supported"),
                        false => format!("invalid {text} conversion mode specified"),
                    },
                ));
            }
            'f' => converter.force = true,
            'F' => converter.links = Links::Follow,
            'k' => converter.keep_date = true,
            'l' => converter.double = true,
            'm' => converter.add_mark = true,
            'n' => pairs = true,
            'o' => pairs = false,
            'q' => converter.quiet = true,
            'r' => converter.keep_mark = false,
            'R' => converter.links = Links::Replace,
            's' => converter.force = false,
            'S' => converter.links = Links::Skip,
            'v' => converter.verbose = true,
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            _ => {}
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        let text = read_to_end(STDIN).map_err(|e| report::die(1, format_args!("can not read from input file: {e}")))?;
        return converter.to_stdout(&text);
    }
    if pairs {
        for pair in operands.chunks(2) {
            let [from, to] = pair else {
                let text = format!("target of file {} not specified in new-file mode", shown(pair[0]));
                return Err(report::die(1, text));
            };
            converter.file(from, to, true);
        }
    } else {
        for file in operands {
            converter.file(file, file, false);
        }
    }
    Ok(converter.status)
}

/// Times are kept in whole seconds.
fn whole(time: Time) -> SetTime {
    SetTime::At(Time { nsec: 0, ..time })
}

fn shown(name: &[u8]) -> String {
    crate::quote::raw(name)
}

impl Converter {
    fn say(&self, message: impl std::fmt::Display) {
        if !self.quiet {
            report::error(message);
        }
    }

    fn fail(&mut self, message: impl std::fmt::Display, status: u8) {
        if !self.quiet {
            report::error(message);
            self.status = status;
        }
    }

    fn to_stdout(&self, text: &[u8]) -> Outcome {
        let mut out = Out::stdout();
        if let Some((line, byte)) = self.binary(text) {
            out.write(&self.convert(&text[..text.iter().position(|b| *b == byte).unwrap_or(0)]));
            report::finish(&mut out, 0)?;
            self.say(format_args!("Binary symbol 0x{byte:02X} found at line {line}"));
            self.say("Skipping binary file stdin");
            return Err(Exit(1));
        }
        out.write(&self.convert(text));
        report::finish(&mut out, 0)
    }

    fn file(&mut self, from: &[u8], to: &[u8], new: bool) {
        let is_link = lstat(to).is_ok_and(|s| s.kind == FileType::Symlink);
        let found = match stat(from) {
            Ok(s) => s,
            Err(e) => {
                self.fail(format_args!("{}: {e}", shown(from)), 2);
                return self.say(format_args!("Skipping {}, not a regular file.", shown(from)));
            }
        };
        if found.kind != FileType::Regular {
            return self.say(format_args!("Skipping {}, not a regular file.", shown(from)));
        }
        if is_link && self.links == Links::Skip {
            return self.say(match new {
                true => format!("Skipping {}, output file {} is a symbolic link.", shown(from), shown(to)),
                false => format!("Skipping symbolic link {}.", shown(from)),
            });
        }
        let text = match open(from, OpenFlags::RDONLY, 0).and_then(|fd| read_to_end(fd.raw())) {
            Ok(text) => text,
            Err(e) => return self.fail(format_args!("{}: {e}", shown(from)), 2),
        };
        if let Some((line, byte)) = self.binary(&text) {
            self.say(format_args!("Binary symbol 0x{byte:02X} found at line {line}"));
            return self.say(format_args!("Skipping binary file {}", shown(from)));
        }
        let target = if is_link && self.links == Links::Follow {
            crate::path::canonical(to, crate::path::Missing::Any, false, true).unwrap_or_else(|_| to.to_vec())
        } else {
            to.to_vec()
        };
        if let Err(e) = self.replace(&target, &self.convert(&text), &found) {
            return self.fail(format_args!("{}: {e}", shown(to)), 1);
        }
        let to_what = match self.way {
            Way::DosToUnix | Way::MacToUnix => "Unix",
            Way::UnixToDos => "DOS",
            Way::UnixToMac => "Mac",
        };
        self.say(match new {
            true => format!("converting file {} to file {} in {to_what} format...", shown(from), shown(to)),
            false => format!("converting file {} to {to_what} format...", shown(from)),
        });
    }

    /// A new file in the place of the old one, with its mode.
    fn replace(&self, to: &[u8], text: &[u8], like: &Stat) -> Result<(), Errno> {
        let (file, beside) = temporary::named(dir_name(to), "d2utmp")?;
        let written = write_all(file.raw(), text)
            .and_then(|()| fchmod(file.raw(), like.mode))
            .and_then(|()| match self.keep_date {
                true => futimens(file.raw(), whole(like.atime), whole(like.mtime)),
                false => Ok(()),
            })
            .and_then(|()| rename(&beside, to));
        written.inspect_err(|_| _ = unlink(&beside))
    }

    /// The first byte that text does not have, and its line.
    fn binary(&self, text: &[u8]) -> Option<(usize, u8)> {
        let odd = |b: &u8| *b < 32 && !matches!(*b, b'\n' | b'\r' | b'\t' | 12);
        let at = text.iter().position(odd).filter(|_| !self.force)?;
        Some((1 + text[..at].iter().filter(|b| **b == b'\n').count(), text[at]))
    }

    fn convert(&self, text: &[u8]) -> Vec<u8> {
        let (marked, text) = match text.strip_prefix(MARK) {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut out = Vec::with_capacity(text.len() + text.len() / 16);
        if self.add_mark || (marked && self.keep_mark) {
            out.extend_from_slice(MARK);
        }
        let end: &[u8] = match self.way {
            Way::DosToUnix | Way::MacToUnix => b"\n",
            Way::UnixToDos => b"\r\n",
            Way::UnixToMac => b"\r",
        };
        for (i, &byte) in text.iter().enumerate() {
            let (before, next) = (i.checked_sub(1).map(|i| text[i]), text.get(i + 1).copied());
            let ends = match (self.way, byte) {
                (Way::DosToUnix, b'\r') if next == Some(b'\n') => continue,
                (Way::DosToUnix, b'\n') => before == Some(b'\r') || !self.double,
                // A return that belongs to a DOS line end is no Mac's.
                (Way::MacToUnix, b'\r') => next != Some(b'\n'),
                (Way::UnixToDos | Way::UnixToMac, b'\n') if before == Some(b'\r') => {
                    out.push(b'\n');
                    continue;
                }
                (Way::UnixToDos | Way::UnixToMac, b'\n') => true,
                _ => false,
            };
            if !ends {
                out.push(byte);
                continue;
            }
            out.extend_from_slice(end);
            if self.double {
                out.extend_from_slice(end);
            }
        }
        out
    }
}
