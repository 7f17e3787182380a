//! GNU argument parsing: clusters, unique prefixes of long options, `--`, `--help`, `--version`, operands anywhere.

use crate::quote::raw;
use crate::{Args, Exit, report};
use capsule_sys::{Out, getenv};

/// Whether an option takes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    None,
    Required,
    Optional,
}
pub use Value::{None as NO, Optional as OPT, Required as REQ};

/// A long option: its name, whether it takes a value, and the letter it stands for.
pub type Long = (&'static str, Value, char);

/// Letters for long options that have no short form.
pub const fn only(n: u8) -> char {
    (0x80 + n) as char
}

/// Stands for an operand, where those are wanted in their order.
pub const OPERAND: char = '\u{1}';

/// Asks for `--help` and `--version`; every command has them.
const HELP: char = only(120);
const VERSION: char = only(121);

/// An option found.
#[derive(Debug)]
pub struct Opt<'a> {
    pub letter: char,
    pub value: Option<&'a [u8]>,
    /// The full name, where it was given as a long option.
    pub name: Option<&'static str>,
}

impl<'a> Opt<'a> {
    /// The value of an option that requires one.
    pub fn value(&self) -> &'a [u8] {
        self.value.unwrap_or_default()
    }

    /// The option as messages show it.
    pub fn shown(&self) -> String {
        self.name.map_or_else(|| format!("-{}", self.letter), |name| format!("--{name}"))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.value()).into_owned()
    }
}

/// The options of one command line, in order.
pub struct Options<'a> {
    args: &'a [Vec<u8>],
    short: &'static str,
    long: &'static [Long],
    /// The status of a wrong command line.
    status: u8,
    /// Operands end the options.
    posix: bool,
    /// Operands come in between, as [`OPERAND`].
    in_order: bool,
    at: usize,
    /// Where in the cluster `args[at]` the next letter is; 0 outside of one.
    inside: usize,
    operands: Vec<&'a [u8]>,
}

impl<'a> Options<'a> {
    /// `short` is as for `getopt`: a letter, then `:` when it takes a value, `::` when it may. A `+` in front: the first
    /// operand ends the options; a `-`: operands come in their order.
    pub fn new(args: &'a Args, short: &'static str, long: &'static [Long]) -> Options<'a> {
        let posix = short.starts_with('+');
        let in_order = short.starts_with('-');
        #[cfg(test)]
        told::TABLE.set(Some((short, long)));
        Options { args: args.rest(), short, long, status: 1, posix, in_order, at: 0, inside: 0, operands: Vec::new() }
    }

    /// The status of a wrong command line, and of output that fails, where it is not 1.
    pub fn status(mut self, status: u8) -> Options<'a> {
        // 64 speaks of usage alone.
        report::failure(if status == 64 { 1 } else { status });
        self.status = status;
        self
    }

    /// The next option; `None` when only operands are left.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Opt<'a>>, Exit> {
        match self.step()? {
            Some(Opt { letter: HELP, .. }) => Err(self.help()),
            Some(Opt { letter: VERSION, .. }) => Err(self.version()),
            opt => Ok(opt),
        }
    }

    /// Prints the help, where `--help` has a short form.
    pub fn help(&self) -> Exit {
        self.print(report::help())
    }

    /// Prints the version, where `--version` has a short form.
    pub fn version(&self) -> Exit {
        let name = report::program();
        let name = name.rsplit('/').next().unwrap_or_default();
        self.print(&format!("{name} (Capsule) {}\n", env!("CARGO_PKG_VERSION")))
    }

    /// The next word, where it is a number: the value of an option whose value stands apart and may be missing.
    pub fn number(&mut self) -> Option<&'a [u8]> {
        let word = self.args.get(self.at).filter(|_| self.inside == 0)?;
        if !word.first()?.is_ascii_digit() || !word.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
            return None;
        }
        self.at += 1;
        Some(word)
    }

    /// Whether the next option is in the same word as the last.
    pub fn in_cluster(&self) -> bool {
        self.inside > 0
    }

    fn print(&self, text: &str) -> Exit {
        let mut out = Out::stdout();
        out.write(text.as_bytes());
        match report::finish(&mut out, 0) {
            Ok(status) => Exit(status),
            Err(_) => Exit(self.status),
        }
    }

    fn step(&mut self) -> Result<Option<Opt<'a>>, Exit> {
        if self.inside > 0 {
            return self.letter().map(Some);
        }
        while let Some(arg) = self.args.get(self.at) {
            // Asked only when it matters: what looks like an option stands behind an operand.
            let optional = arg.len() > 1 && arg[0] == b'-';
            if optional && !self.operands.is_empty() && getenv(b"POSIXLY_CORRECT").is_some() {
                break;
            }
            if arg == b"--" {
                self.at += 1;
                break;
            }
            if let Some(long) = arg.strip_prefix(b"--") {
                self.at += 1;
                return self.long(long).map(Some);
            }
            if optional {
                self.inside = 1;
                return self.letter().map(Some);
            }
            if self.in_order {
                self.at += 1;
                return Ok(Some(Opt { letter: OPERAND, value: Some(arg), name: None }));
            }
            if self.posix {
                break;
            }
            self.operands.push(arg);
            self.at += 1;
        }
        Ok(None)
    }

    fn letter(&mut self) -> Result<Opt<'a>, Exit> {
        let arg = &self.args[self.at];
        let byte = arg[self.inside];
        self.inside += 1;
        let rest = &arg[self.inside..];
        let found = self.short.bytes().position(|b| b == byte).filter(|_| byte.is_ascii() && !b":+-".contains(&byte));
        let Some(position) = found else {
            return Err(report::usage(self.status, format_args!("invalid option -- '{}'", raw(&[byte]))));
        };
        let colons = self.short.as_bytes()[position + 1..].iter().take_while(|&&b| b == b':').count();
        let mut value = None;
        if colons > 0 && !rest.is_empty() {
            value = Some(rest);
            self.next_argument();
        } else if colons == 1 {
            self.next_argument();
            let Some(next) = self.args.get(self.at) else {
                let message = format_args!("option requires an argument -- '{}'", byte as char).to_string();
                return Err(report::usage(self.status, message));
            };
            value = Some(next.as_slice());
            self.at += 1;
        } else if rest.is_empty() {
            self.next_argument();
        }
        Ok(Opt { letter: byte as char, value, name: None })
    }

    fn next_argument(&mut self) {
        self.at += 1;
        self.inside = 0;
    }

    fn long(&mut self, text: &'a [u8]) -> Result<Opt<'a>, Exit> {
        let (name, given) = match text.iter().position(|&b| b == b'=') {
            Some(i) => (&text[..i], Some(&text[i + 1..])),
            None => (text, None),
        };
        let shown = raw(text);
        let known = || self.long.iter().chain(&[("help", NO, HELP), ("version", NO, VERSION)]).copied();
        let exact = known().find(|l| l.0.as_bytes() == name);
        let mut near = known().filter(|l| l.0.as_bytes().starts_with(name));
        let (full, takes, letter) = match (exact, near.next()) {
            (Some(option), _) => option,
            (None, None) => {
                return Err(report::usage(self.status, format_args!("unrecognized option '--{shown}'")));
            }
            // Several names for one thing are not ambiguous.
            (None, Some(first)) if near.all(|l| (l.1, l.2) == (first.1, first.2)) => first,
            _ => {
                let near: Vec<Long> = known().filter(|l| l.0.as_bytes().starts_with(name)).collect();
                // Other names for the first are not told.
                let others = near.iter().skip(1).filter(|l| (l.1, l.2) != (near[0].1, near[0].2));
                let all: String = near.iter().take(1).chain(others).map(|l| format!(" '--{}'", l.0)).collect();
                let message = format!("option '--{shown}' is ambiguous; possibilities:{all}");
                return Err(report::usage(self.status, message));
            }
        };
        let value = match (takes, given) {
            (NO, Some(_)) => {
                return Err(report::usage(self.status, format_args!("option '--{full}' doesn't allow an argument")));
            }
            (REQ, None) => {
                let next = self.args.get(self.at);
                self.at += 1;
                let Some(next) = next else {
                    return Err(report::usage(self.status, format_args!("option '--{full}' requires an argument")));
                };
                Some(next.as_slice())
            }
            (_, given) => given,
        };
        Ok(Opt { letter, value, name: Some(full) })
    }

    /// The operands, when the options are through.
    pub fn operands(mut self) -> Vec<&'a [u8]> {
        if let Some(rest) = self.args.get(self.at..) {
            self.operands.extend(rest.iter().map(Vec::as_slice));
        }
        self.operands
    }
}

/// The operands of a command that has no options of its own.
pub fn only_operands(args: &Args, status: u8) -> Result<Vec<&[u8]>, Exit> {
    let mut options = Options::new(args, "", &[]).status(status);
    while options.next()?.is_some() {}
    Ok(options.operands())
}

/// One of some words, or a unique prefix of one; `option` is named in the message.
pub fn word<T: Copy + PartialEq>(value: &[u8], option: &str, words: &[(&str, T)], status: u8) -> Result<T, Exit> {
    let mut near = words.iter().filter(|w| w.0.as_bytes().starts_with(value));
    if let Some(exact) = words.iter().find(|w| w.0.as_bytes() == value) {
        return Ok(exact.1);
    }
    let problem = match near.next() {
        Some(first) if near.all(|w| w.1 == first.1) => return Ok(first.1),
        Some(_) => "ambiguous",
        None => "invalid",
    };
    Err(no_word(value, option, problem, words, status))
}

/// Tells that a value is none of these words.
pub fn no_word<T: Copy + PartialEq>(
    value: &[u8],
    option: &str,
    problem: &str,
    words: &[(&str, T)],
    status: u8,
) -> Exit {
    use crate::quote::{locale, quote_open_close};
    report::error(format_args!("{problem} argument {} for {}", locale(value), locale(option.as_bytes())));
    let (open, close) = quote_open_close();
    let mut text = String::from("Valid arguments are:");
    let mut last = None;
    for &(name, meaning) in words {
        let same = last == Some(meaning);
        text += &format!("{}{open}{name}{close}", if same { ", " } else { "\n  - " });
        last = Some(meaning);
    }
    let _ = capsule_sys::write_all(capsule_sys::STDERR, (text + "\n").as_bytes());
    report::try_help(status)
}

/// Every option that a command takes is told by its `--help`.
#[cfg(test)]
mod told {
    use super::Long;
    use crate::Args;
    use std::cell::Cell;

    thread_local! {
        /// The options that the command asked for last.
        pub static TABLE: Cell<Option<(&'static str, &'static [Long])>> = const { Cell::new(None) };
    }

    /// What is not told: second names and old letters that are not in the help of the tools they are from either, and
    /// options that are refused by name. The list is exact: an option that is told must leave it.
    const UNTOLD: &[(&str, &str)] = &[
        ("awk", "--debug --gen-pot --trace --bignum --profile --lint-old"),
        ("bc", "--standard --warn"),
        ("bunzip2", "--repetitive-fast --repetitive-best"),
        ("bzcat", "--repetitive-fast --repetitive-best"),
        ("bzip2", "--repetitive-fast --repetitive-best"),
        ("cal", "-C"),
        ("chgrp", "--from"),
        ("cksum", "-b"),
        ("column", "--columns"),
        ("cpio", "-S"),
        ("date", "--rfc-822 --rfc-2822 --uct"),
        ("df", "-m"),
        (
            "diff",
            "--changed-group-format --new-group-format --new-line-format --old-group-format --old-line-format --unchanged-group-format --unchanged-line-format",
        ),
        ("dos2unix", "--ascii"),
        ("ed", "--traditional"),
        ("egrep", "-X -y --fixed-regexp --unix-byte-offsets"),
        ("fgrep", "-X -y --fixed-regexp --unix-byte-offsets"),
        ("flock", "--nonblocking --wait"),
        ("gawk", "--debug --gen-pot --trace --bignum --profile --lint-old"),
        ("grep", "-X -y --fixed-regexp --unix-byte-offsets"),
        ("gunzip", "-H -m -M -Z --ascii --bits --to-stdout --uncompress --silent"),
        ("gzip", "-H -m -M -Z --ascii --bits --to-stdout --uncompress --silent"),
        ("lzcat", "--uncompress --to-stdout"),
        ("lzma", "--uncompress --to-stdout"),
        ("mac2unix", "--ascii"),
        ("man", "-l -P"),
        ("numfmt", "---debug"),
        ("od", "-B -D -F -H -I -L -O -X"),
        ("pgrep", "--signal"),
        ("rename", "--unicode"),
        ("sed", "--binary --zero-terminated"),
        ("sort", "-y"),
        (
            "tar",
            "--quote-chars --no-quote-chars --multi-volume --tape-length --info-script --new-volume-script --listed-incremental --incremental --level",
        ),
        ("uname", "--sysname --release"),
        ("uncompress", "-H -m -M -Z --ascii --bits --to-stdout --uncompress --silent"),
        ("unix2dos", "--ascii"),
        ("unix2mac", "--ascii"),
        ("unlzma", "--uncompress --to-stdout"),
        ("unxz", "--uncompress --to-stdout"),
        ("unzstd", "--uncompress"),
        ("xz", "--uncompress --to-stdout"),
        ("xzcat", "--uncompress --to-stdout"),
        ("zcat", "-H -m -M -Z --ascii --bits --to-stdout --uncompress --silent"),
        ("zstd", "--uncompress"),
        ("zstdcat", "--uncompress"),
        ("zstdmt", "--uncompress"),
    ];

    /// Whose help has the options of these commands; `less` tells that all are taken and what they do not do.
    fn where_told(name: &'static str) -> &'static str {
        match name {
            "dir" | "vdir" => "ls",
            "hd" => "hexdump",
            other => other,
        }
    }

    /// Whether a text has a word, and not as a part of a longer one.
    fn has(text: &str, word: &str) -> bool {
        let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '-';
        text.match_indices(word).any(|(at, _)| {
            !text[at + word.len()..].starts_with(goes_on) && !text[..at].ends_with(|c: char| c == '-' || goes_on(c))
        })
    }

    /// A help in which `--[no-]x` and `--x[-y|-z]` are followed by all that they stand for.
    fn spelled_out(help: &str) -> String {
        let mut text = help.to_owned();
        for word in help.split_whitespace() {
            if let Some(name) = word.strip_prefix("--[no-]") {
                text.push_str(&format!(" --{name} --no-{name}"));
            } else if let Some((stem, more)) = word.split_once("[-")
                && let Some((endings, _)) = more.split_once(']')
            {
                let endings = endings.split('|').map(|ending| ending.trim_start_matches('-'));
                endings.for_each(|ending| text.push_str(&format!(" {stem}-{ending}")));
            }
        }
        text
    }

    fn missing(help: &str, short: &str, long: &[Long]) -> Vec<String> {
        // Digits are numbers, told as `-NUM` or `-1 ... -9`.
        let letters = short.chars().filter(|c| c.is_ascii_alphabetic() && !long.iter().any(|l| l.2 == *c));
        let of_letters = letters.filter(|c| !help.contains(&format!("-{c}"))).map(|c| format!("-{c}"));
        let names = long.iter().map(|l| format!("--{}", l.0)).filter(|name| !has(help, name));
        of_letters.chain(names).collect()
    }

    #[test]
    fn by_help() {
        let mut wrong = Vec::new();
        for applet in crate::all() {
            if matches!(applet.name, "less" | "more" | "pager") {
                continue;
            }
            TABLE.set(None);
            let args = Args::new(vec![applet.name.as_bytes().to_vec(), b"--help".to_vec()]);
            applet.main(&args);
            let Some((short, long)) = TABLE.take() else { continue };
            let told = crate::all().iter().find(|a| a.name == where_told(applet.name)).map_or("", |a| a.help);
            let missing = missing(&spelled_out(told), short, long).join(" ");
            let known = UNTOLD.iter().find(|(name, _)| *name == applet.name).map_or("", |(_, options)| options);
            if missing != known {
                wrong.push(format!("{}: {missing:?}, not {known:?}", applet.name));
            }
        }
        assert!(wrong.is_empty(), "options that --help does not tell:\n{}", wrong.join("\n"));
    }
}
