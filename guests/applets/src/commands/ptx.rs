//! A permuted index: every word of a text in the middle of a line of its own, sorted by the words.
//!
//! * `text`: the input cut into contexts and words
//! * `layout`: what of a context is shown around a word
//! * `output`: the three formats

mod layout;
mod output;
mod text;

use crate::options::{Long, NO, Options, REQ, only, word};
use crate::quote::{is_utf8, locale};
use crate::{Args, Exit, Outcome, number, report};
use capsule_regex::{Regex, Syntax};
use capsule_sys::{OpenFlags, Out, open};
use text::{Breaks, Words};

pub const HELP: &str = "\
Usage: ptx [OPTION]... [INPUT]...   (without -G)
  or:  ptx -G [OPTION]... [INPUT [OUTPUT]]
Write a permuted index of the words in the input files, with what is around
them.

Standard input is read where FILE is - or missing.

  -A, --auto-reference           show FILE:LINE as a reference
  -G, --traditional              be more like System V's 'ptx'
  -F, --flag-truncation=STRING   STRING marks where a line is cut off
                                 (default '/')
  -M, --macro-name=STRING        name of the macro (default 'xx')
  -O, --format=roff              write roff macros
  -R, --right-side-refs          references at the right, not counted in -w
  -S, --sentence-regexp=REGEXP   what ends a line or a sentence
  -T, --format=tex               write TeX macros
  -W, --word-regexp=REGEXP       what a keyword is
  -b, --break-file=FILE          the characters in FILE separate words
  -f, --ignore-case              lower case sorts as upper case
  -g, --gap-size=NUMBER          columns between the fields
  -i, --ignore-file=FILE         the words in FILE are no keywords
  -o, --only-file=FILE           only the words in FILE are keywords
  -r, --references               the first field of a line is its reference
  -t, --typeset-mode             has no effect, as in GNU's ptx
  -w, --width=NUMBER             columns of output, references left out
      --help        print this help
      --version     print the version
";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Dumb,
    Roff,
    Tex,
}

/// What the command line asks for.
struct Settings {
    /// Not `-G`.
    extensions: bool,
    auto_reference: bool,
    input_reference: bool,
    right_reference: bool,
    ignore_case: bool,
    width: i64,
    gap: i64,
    truncation: Vec<u8>,
    macro_name: Vec<u8>,
    format: Format,
    /// What ends a context; none: a file is one.
    context: Option<Regex>,
    /// The pattern of `context`, for a message.
    context_text: Vec<u8>,
    words: Words,
    ignored: Option<Vec<Vec<u8>>>,
    only: Option<Vec<Vec<u8>>>,
}

/// Where a sentence ends when nothing else is said.
const SENTENCE: &[u8] = b"[.?!][]\"')}]*\\($\\|\t\\|  \\)[ \t\n]*";

pub fn main(args: &Args) -> Outcome {
    let (settings, operands) = settings(args)?;
    let none: &[&[u8]] = &[b"-"];
    let inputs: &[&[u8]] = match operands.as_slice() {
        [] => none,
        all if settings.extensions => all,
        all => &all[..1],
    };
    let mut out = Out::stdout();
    let target;
    if let (false, [_, output, rest @ ..]) = (settings.extensions, operands.as_slice()) {
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
        target = open(output, flags, 0o666)
            .map_err(|e| report::die(1, format_args!("{}: {e}", crate::quote::name(output))))?;
        out = Out::new(target.raw());
        if let Some(extra) = rest.first() {
            return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
        }
    }
    let index = text::read(&settings, inputs)?;
    output::write(&settings, &index, &mut out)?;
    report::finish(&mut out, 0)
}

/// The options; the operands.
fn settings(args: &Args) -> Result<(Settings, Vec<&[u8]>), Exit> {
    const LONG: &[Long] = &[
        ("auto-reference", NO, 'A'),
        ("break-file", REQ, 'b'),
        ("flag-truncation", REQ, 'F'),
        ("ignore-case", NO, 'f'),
        ("gap-size", REQ, 'g'),
        ("ignore-file", REQ, 'i'),
        ("macro-name", REQ, 'M'),
        ("only-file", REQ, 'o'),
        ("references", NO, 'r'),
        ("right-side-refs", NO, 'R'),
        ("format", REQ, only(0)),
        ("sentence-regexp", REQ, 'S'),
        ("traditional", NO, 'G'),
        ("typeset-mode", NO, 't'),
        ("width", REQ, 'w'),
        ("word-regexp", REQ, 'W'),
    ];
    let mut options = Options::new(args, "AF:GM:ORS:TW:b:i:fg:o:trw:", LONG);
    let mut set = Settings {
        extensions: true,
        auto_reference: false,
        input_reference: false,
        right_reference: false,
        ignore_case: false,
        width: 72,
        gap: 3,
        truncation: b"/".to_vec(),
        macro_name: b"xx".to_vec(),
        format: Format::Dumb,
        context: None,
        context_text: Vec::new(),
        words: Words::Breaks(Breaks::letters()),
        ignored: None,
        only: None,
    };
    let (mut context, mut words, mut breaks, mut ignore, mut only_file, mut format) =
        (None, None, None, None, None, None);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'A' => set.auto_reference = true,
            'F' => set.truncation = unescape(opt.value()),
            'G' => set.extensions = false,
            'M' => set.macro_name = opt.value().to_vec(),
            'O' => format = Some(Format::Roff),
            'R' => set.right_reference = true,
            'S' => context = Some(unescape(opt.value())),
            'T' => format = Some(Format::Tex),
            'W' => words = Some(unescape(opt.value())),
            'b' => breaks = Some(opt.value()),
            'f' => set.ignore_case = true,
            'g' => set.gap = positive("gap width", opt.value())?,
            'i' => ignore = Some(opt.value()),
            'o' => only_file = Some(opt.value()),
            'r' => set.input_reference = true,
            'w' => set.width = positive("line width", opt.value())?,
            't' => {}
            _ => format = Some(word(opt.value(), "--format", &[("roff", Format::Roff), ("tex", Format::Tex)], 1)?),
        }
    }
    set.format = format.unwrap_or(if set.extensions { Format::Dumb } else { Format::Roff });
    let sentence: &[u8] = if set.extensions && !set.input_reference { SENTENCE } else { b"\n" };
    set.context_text = context.unwrap_or_else(|| sentence.to_vec());
    if !set.context_text.is_empty() {
        set.context = Some(pattern(&set.context_text, set.ignore_case)?);
    }
    set.words = match words.filter(|w| !w.is_empty()) {
        Some(text) => Words::Pattern(Box::new(pattern(&text, set.ignore_case)?)),
        None => Words::Breaks(match breaks {
            Some(file) => Breaks::separators(&text::whole(file)?, !set.extensions),
            None if set.extensions => Breaks::letters(),
            None => Breaks::separators(b"", true),
        }),
    };
    set.ignored = ignore.map(|file| text::word_list(file, set.ignore_case)).transpose()?;
    set.only = only_file.map(|file| text::word_list(file, set.ignore_case)).transpose()?;
    Ok((set, options.operands()))
}

fn positive(what: &str, text: &[u8]) -> Result<i64, Exit> {
    match number::signed(text, b"") {
        // Wider than any text needs, and far from overflowing what is computed with it.
        Ok(n) if n > 0 => Ok(n.min(1 << 40)),
        _ => Err(report::die(1, format_args!("invalid {what}: {}", locale(text)))),
    }
}

fn pattern(text: &[u8], ignore_case: bool) -> Result<Regex, Exit> {
    let options = capsule_regex::Options {
        syntax: Syntax::Emacs,
        ignore_case,
        utf8: is_utf8(),
        multi_line: true,
        ..Default::default()
    };
    Regex::new(text, &options).map_err(|error| report::die(1, format_args!("{error} (for regexp {})", locale(text))))
}

/// The escapes of strings and patterns on the command line; a backslash before anything else stays.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&b) = text.get(at) {
        at += 1;
        if b != b'\\' {
            out.push(b);
            continue;
        }
        let Some(&letter) = text.get(at) else { break };
        at += 1;
        match letter {
            b'x' | b'0' => {
                let base = if letter == b'x' { 16 } else { 8 };
                let digit = |at: usize| text.get(at).and_then(|&d| char::from(d).to_digit(base));
                let (mut value, mut count) = (0, 0);
                while let (true, Some(d)) = (count < 3, digit(at)) {
                    value = value * base + d;
                    count += 1;
                    at += 1;
                }
                if letter == b'x' && count == 0 {
                    out.extend_from_slice(b"\\x");
                } else {
                    out.push(value as u8);
                }
            }
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'c' => break,
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            other => out.extend_from_slice(&[b'\\', other]),
        }
    }
    out
}
