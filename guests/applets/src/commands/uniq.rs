use crate::input::Input;
use crate::number::{self, Bad};
use crate::options::{NO, OPT, Options, REQ, only, word};
use crate::quote::{locale, quoted};
use crate::{Args, Exit, Outcome, quote, report};
use capsule_sys::{OpenFlags, Out, STDOUT, dup2, getenv, open};

pub const HELP: &str = "\
Usage: uniq [OPTION]... [INPUT [OUTPUT]]
Of lines in a row that are alike, print one.
INPUT and OUTPUT are files; standard ones, if missing.

Sort the input first where lines that are alike are apart.

  -c, --count           with how many there were in front
  -d, --repeated        only lines that came more than once
  -D                    all lines that came more than once
      --all-repeated[=METHOD]  the same, with an empty line around the
                                 groups: none (so it is), prepend or
                                 separate
  -f, --skip-fields=N   the first N fields do not count
      --group[=METHOD]  all lines, with an empty line around the groups:
                          separate (so it is), prepend, append or both
  -i, --ignore-case     upper and lower case are alike
  -s, --skip-chars=N    the first N characters do not count
  -u, --unique          only lines that came once
  -z, --zero-terminated  lines end with NUL
  -w, --check-chars=N   no more than N characters count
      --help        print this help
      --version     print the version
";

const ALL_REPEATED: char = only(0);
const GROUP: char = only(1);

#[derive(Clone, Copy, PartialEq)]
enum Method {
    None,
    Prepend,
    Append,
    Separate,
    Both,
}

struct Uniq {
    count: bool,
    repeated: bool,
    unique: bool,
    all: Option<Method>,
    group: Option<Method>,
    fields: usize,
    skip: usize,
    check: usize,
    ignore_case: bool,
    end: u8,
    out: Out,
    groups: u64,
}

fn size(text: &[u8], what: &str) -> Result<usize, Exit> {
    match number::unsigned(text, b"") {
        Ok(n) => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
        Err(Bad::Overflow) => Ok(usize::MAX),
        Err(Bad::Invalid) => {
            let text = quote::raw(text);
            Err(report::die(1, format_args!("{text}: invalid number of {what}")))
        }
    }
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("count", NO, 'c'),
        ("repeated", NO, 'd'),
        ("all-repeated", OPT, ALL_REPEATED),
        ("group", OPT, GROUP),
        ("ignore-case", NO, 'i'),
        ("unique", NO, 'u'),
        ("skip-fields", REQ, 'f'),
        ("skip-chars", REQ, 's'),
        ("check-chars", REQ, 'w'),
        ("zero-terminated", NO, 'z'),
    ];
    let mut uniq = Uniq {
        count: false,
        repeated: false,
        unique: false,
        all: None,
        group: None,
        fields: 0,
        skip: 0,
        check: usize::MAX,
        ignore_case: false,
        end: b'\n',
        out: Out::stdout(),
        groups: 0,
    };
    let mut options = Options::new(args, "cdDf:is:uzw:0123456789", long);
    let mut old_fields = None;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'c' => uniq.count = true,
            'd' => uniq.repeated = true,
            'D' => uniq.all = Some(Method::None),
            ALL_REPEATED => {
                let words = &[("none", Method::None), ("prepend", Method::Prepend), ("separate", Method::Separate)];
                uniq.all = Some(opt.value.map_or(Ok(Method::None), |v| word(v, "--all-repeated", words, 1))?);
            }
            GROUP => {
                let words = &[
                    ("prepend", Method::Prepend),
                    ("append", Method::Append),
                    ("separate", Method::Separate),
                    ("both", Method::Both),
                ];
                uniq.group = Some(opt.value.map_or(Ok(Method::Separate), |v| word(v, "--group", words, 1))?);
            }
            'f' => uniq.fields = size(opt.value(), "fields to skip")?,
            'i' => uniq.ignore_case = true,
            's' => uniq.skip = size(opt.value(), "bytes to skip")?,
            'u' => uniq.unique = true,
            'w' => uniq.check = size(opt.value(), "bytes to compare")?,
            'z' => uniq.end = 0,
            digit => {
                // `-3` skips three fields, as it always did.
                let digit = digit as usize - '0' as usize;
                old_fields = Some(old_fields.unwrap_or(0usize).saturating_mul(10).saturating_add(digit));
            }
        }
    }
    uniq.fields = old_fields.unwrap_or(uniq.fields);
    let mut operands = options.operands();
    // `+3` skips three characters, as it did before `-s`; one version of POSIX takes it for a file.
    let strict = getenv(b"_POSIX2_VERSION")
        .and_then(|v| std::str::from_utf8(&v).ok()?.parse::<u64>().ok())
        .is_some_and(|v| (200_112..200_809).contains(&v));
    if let Some(digits) = operands.first().and_then(|o| o.strip_prefix(b"+"))
        && !strict
        && !digits.is_empty()
        && digits.iter().all(u8::is_ascii_digit)
    {
        uniq.skip = size(digits, "bytes to skip")?;
        operands.remove(0);
    }
    if let Some(extra) = operands.get(2) {
        return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
    }
    if uniq.group.is_some() && (uniq.count || uniq.repeated || uniq.unique || uniq.all.is_some()) {
        return Err(report::usage(1, "--group is mutually exclusive with -c/-d/-D/-u"));
    }
    if uniq.count && uniq.all.is_some() {
        return Err(report::usage(1, "printing all duplicated lines and repeat counts is meaningless"));
    }
    let name: &[u8] = operands.first().copied().unwrap_or(b"-");
    let mut input = Input::open(name).map_err(|e| report::die(1, format_args!("{}: {e}", quote::name(name))))?;
    if let Some(target) = operands.get(1).filter(|t| **t != b"-") {
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC;
        let opened = open(target, flags, 0o666).and_then(|fd| dup2(fd.raw(), STDOUT, OpenFlags(0)));
        opened.map_err(|e| report::die(1, format_args!("{}: {e}", quote::name(target))))?;
    }
    if uniq.stream(&mut input).is_err() {
        return Err(report::die(1, format_args!("error reading {}", quoted(name))));
    }
    report::finish(&mut uniq.out, 0)
}

impl Uniq {
    fn stream(&mut self, input: &mut Input) -> Result<(), capsule_sys::Errno> {
        let (mut first, mut line) = (Vec::new(), Vec::new());
        if !self.next(input, &mut first)? {
            return Ok(());
        }
        let mut count = 1u64;
        self.open_group(&first);
        loop {
            line.clear();
            let more = self.next(input, &mut line)?;
            if more && self.same(&first, &line) {
                count += 1;
                self.again(&first, &line, count);
                continue;
            }
            self.close_group(&first, count);
            if !more {
                break;
            }
            std::mem::swap(&mut first, &mut line);
            count = 1;
            self.open_group(&first);
            if self.out.error().is_some() {
                break;
            }
        }
        if matches!(self.group, Some(Method::Append | Method::Both)) {
            self.out.byte(self.end);
        }
        Ok(())
    }

    fn next(&self, input: &mut Input, line: &mut Vec<u8>) -> Result<bool, capsule_sys::Errno> {
        let found = input.stream.read_until(self.end, line)?;
        if line.last() == Some(&self.end) {
            line.pop();
        }
        Ok(found)
    }

    fn print(&mut self, line: &[u8]) {
        self.out.write(line);
        self.out.byte(self.end);
    }

    fn open_group(&mut self, line: &[u8]) {
        if let Some(method) = self.group {
            let before = match method {
                Method::Prepend | Method::Both => true,
                _ => self.groups > 0,
            };
            if before {
                self.out.byte(self.end);
            }
            self.groups += 1;
            self.print(line);
        }
    }

    /// Another line like the first.
    fn again(&mut self, first: &[u8], line: &[u8], count: u64) {
        if self.group.is_some() {
            return self.print(line);
        }
        let Some(method) = self.all else { return };
        if count == 2 {
            if method == Method::Prepend || (method == Method::Separate && self.groups > 0) {
                self.out.byte(self.end);
            }
            self.groups += 1;
            // -u hides the first of those that are repeated.
            if !self.unique {
                self.print(first);
            }
        }
        self.print(line);
    }

    fn close_group(&mut self, line: &[u8], count: u64) {
        if self.group.is_some() || self.all.is_some() {
            return;
        }
        let hidden = if count == 1 { self.repeated } else { self.unique };
        if hidden {
            return;
        }
        if self.count {
            self.out.write(format!("{count:>7} ").as_bytes());
        }
        self.print(line);
    }

    /// The part of a line that counts.
    fn key<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\n');
        let mut rest = line;
        for _ in 0..self.fields {
            let start = rest.iter().position(|b| !blank(b)).unwrap_or(rest.len());
            rest = &rest[start..];
            let end = rest.iter().position(blank).unwrap_or(rest.len());
            rest = &rest[end..];
            if rest.is_empty() {
                break;
            }
        }
        rest = &rest[self.skip.min(rest.len())..];
        &rest[..self.check.min(rest.len())]
    }

    fn same(&self, a: &[u8], b: &[u8]) -> bool {
        let (a, b) = (self.key(a), self.key(b));
        if self.ignore_case { a.eq_ignore_ascii_case(b) } else { a == b }
    }
}
