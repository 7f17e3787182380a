use crate::input::Input;
use crate::options::{NO, Options, REQ, only};
use crate::quote::{self, locale, quoted};
use crate::{Args, Exit, Outcome, number, report};
use capsule_sys::{Errno, In, OpenFlags, Out, open, unlink, write_all};

mod pattern;
use pattern::{Pattern, What};

pub const HELP: &str = "\
Usage: csplit [OPTION]... FILE PATTERN...
Cut FILE at the PATTERNs into files named xx00, xx01 and so on,
and print how many bytes each of them has.

FILE may be -, standard input.

  -b, --suffix-format=FORMAT  number the files by this printf format (%02d)
  -f, --prefix=PREFIX        begin the names with PREFIX (xx)
  -k, --keep-files           leave the files there if something fails
      --suppress-matched     the lines that match go into no file
  -n, --digits=DIGITS        this many digits in a name (2)
  -s, --quiet, --silent      do not print the sizes
  -z, --elide-empty-files    leave out files that would be empty
      --help        print this help
      --version     print the version

A PATTERN is one of:
  INTEGER            everything before this line
  /REGEXP/[OFFSET]   everything before the next line that matches
  %REGEXP%[OFFSET]   the same, thrown away
  {INTEGER}          the pattern before it, this many times more
  {*}                the pattern before it, to the end

OFFSET is +N or -N: that many lines later or earlier.
";

const SUPPRESS: char = only(0);

struct Csplit {
    prefix: Vec<u8>,
    format: pattern::Suffix,
    keep: bool,
    quiet: bool,
    elide: bool,
    suppress: bool,
    /// Names of the files there are.
    made: Vec<Vec<u8>>,
    out: Out,
    stream: In,
    /// Lines read and not written, with their ends.
    held: std::collections::VecDeque<Vec<u8>>,
    /// The number of the first of them.
    line: u64,
    ended: bool,
    /// All the rest was skipped: there is no last piece.
    skipped: bool,
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("suffix-format", REQ, 'b'),
        ("prefix", REQ, 'f'),
        ("keep-files", NO, 'k'),
        ("suppress-matched", NO, SUPPRESS),
        ("digits", REQ, 'n'),
        ("quiet", NO, 's'),
        ("silent", NO, 's'),
        ("elide-empty-files", NO, 'z'),
    ];
    let mut options = Options::new(args, "b:f:kn:sqz", long);
    let (mut prefix, mut format, mut digits) = (b"xx".to_vec(), None, 2);
    let (mut keep, mut quiet, mut elide, mut suppress) = (false, false, false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' => format = Some(pattern::Suffix::parse(opt.value())?),
            'f' => prefix = opt.value().to_vec(),
            'k' => keep = true,
            SUPPRESS => suppress = true,
            'n' => {
                digits = match number::signed(opt.value(), b"") {
                    Ok(n @ 0..=200) => n as usize,
                    Ok(_) => {
                        let text = format!("invalid number: {}: {}", locale(opt.value()), Errno::ERANGE);
                        return Err(report::die(1, text));
                    }
                    Err(bad) => return Err(number::complain(1, "invalid number", opt.value(), bad)),
                }
            }
            's' | 'q' => quiet = true,
            _ => elide = true,
        }
    }
    let operands = options.operands();
    let [file, patterns @ ..] = operands.as_slice() else { return Err(report::usage(1, "missing operand")) };
    if patterns.is_empty() {
        return Err(report::usage(1, format_args!("missing operand after {}", locale(file))));
    }
    let input =
        Input::open(file).map_err(|e| report::die(1, format_args!("cannot open {} for reading: {e}", quoted(file))))?;
    let patterns = Pattern::parse_all(patterns)?;
    let mut c = Csplit {
        prefix,
        format: format.unwrap_or(pattern::Suffix::digits(digits)),
        keep,
        quiet,
        elide,
        suppress,
        made: Vec::new(),
        out: Out::stdout(),
        stream: In::new(input.fd()),
        held: Default::default(),
        line: 1,
        ended: false,
        skipped: false,
    };
    match c.run(&patterns) {
        Ok(()) => report::finish(&mut c.out, 0),
        Err(exit) => {
            let _ = c.out.flush();
            if !c.keep {
                for name in &c.made {
                    let _ = unlink(name);
                }
            }
            Err(exit)
        }
    }
}

impl Csplit {
    /// Line `n` counted from the first held; none at the end.
    fn peek(&mut self, n: usize) -> Result<Option<&[u8]>, Exit> {
        while self.held.len() <= n && !self.ended {
            let mut line = Vec::new();
            match self.stream.read_until(b'\n', &mut line) {
                Ok(true) => self.held.push_back(line),
                Ok(false) => self.ended = true,
                Err(e) => {
                    // A piece had been begun.
                    let exit = report::die(1, format_args!("read error: {e}"));
                    self.cut(self.held.len(), true)?;
                    return Err(exit);
                }
            }
        }
        Ok(self.held.get(n).map(Vec::as_slice))
    }

    /// The first `n` lines held, as a piece or dropped.
    fn cut(&mut self, n: usize, write: bool) -> Result<(), Exit> {
        let lines: Vec<Vec<u8>> = self.held.drain(..n).collect();
        self.line += n as u64;
        if write { self.piece(&lines) } else { Ok(()) }
    }

    fn piece(&mut self, lines: &[Vec<u8>]) -> Result<(), Exit> {
        let size: usize = lines.iter().map(Vec::len).sum();
        if size == 0 && self.elide {
            return Ok(());
        }
        let name = [self.prefix.clone(), self.format.show(self.made.len() as u64)].concat();
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
        let result = open(&name, flags, 0o666).and_then(|fd| {
            self.made.push(name.clone());
            write_all(fd.raw(), &lines.concat())
        });
        result.map_err(|e| match self.made.last() == Some(&name) {
            true => report::die(1, format_args!("write error for {}: {e}", quoted(&name))),
            false => report::die(1, format_args!("{}: {e}", quote::name(&name))),
        })?;
        if !self.quiet {
            self.out.write(format!("{size}\n").as_bytes());
        }
        Ok(())
    }

    fn run(&mut self, patterns: &[Pattern]) -> Result<(), Exit> {
        for pattern in patterns {
            let mut round = 0;
            while pattern.times.is_none_or(|times| round <= times) {
                let go_on = match &pattern.what {
                    What::Line(number) => self.up_to_line(*number, pattern, round)?,
                    What::Match { .. } => self.up_to_match(pattern, round)?,
                };
                if !go_on {
                    break;
                }
                round += 1;
            }
        }
        if self.skipped {
            return Ok(());
        }
        // The rest is the last piece.
        while self.peek(self.held.len())?.is_some() {}
        let rest = self.held.len();
        self.cut(rest, true)
    }

    fn fail(&mut self, pattern: &Pattern, round: u64, what: &str) -> Exit {
        let _ = self.out.flush();
        let shown = locale(&pattern.text);
        match round {
            0 => report::die(1, format_args!("{shown}: {what}")),
            n => report::die(1, format_args!("{shown}: {what} on repetition {n}")),
        }
    }

    /// Up to a line, which is the first of the next piece; with a repetition, as many lines again.
    fn up_to_line(&mut self, number: u64, pattern: &Pattern, round: u64) -> Result<bool, Exit> {
        let target = number.saturating_mul(round + 1);
        let count = usize::try_from(target.saturating_sub(self.line)).unwrap_or(usize::MAX);
        if self.line == 1 && self.made.is_empty() && self.peek(0)?.is_none() {
            // The piece that was begun stays.
            (self.quiet, self.keep, self.elide) = (true, true, false);
            self.cut(0, true)?;
            return Err(report::die(1, "input disappeared"));
        }
        if target < self.line || (count > 0 && self.peek(count - 1)?.is_none()) {
            let left = self.held.len();
            self.cut(left, true)?;
            return Err(self.fail(pattern, round, "line number out of range"));
        }
        let ends = self.peek(count)?.is_none();
        self.cut(count, true)?;
        match (ends, self.suppress) {
            (true, false) => return Err(self.fail(pattern, round, "line number out of range")),
            (false, true) => self.cut(1, false)?,
            _ => {}
        }
        Ok(true)
    }

    fn up_to_match(&mut self, pattern: &Pattern, round: u64) -> Result<bool, Exit> {
        let What::Match { regex, skip, offset } = &pattern.what else { return Ok(false) };
        // The first line of a piece is where the last match was: it is not looked at again.
        let mut at = usize::from(self.line > 1 || round > 0 || !self.made.is_empty());
        if self.suppress && at > 0 {
            at = 0;
        }
        loop {
            let Some(line) = self.peek(at)? else {
                let all = self.held.len();
                if pattern.times.is_none() && !*skip {
                    return Ok(false);
                }
                if pattern.times.is_none() {
                    self.skipped = true;
                    return Ok(false);
                }
                self.cut(all, !*skip)?;
                return Err(self.fail(pattern, round, "match not found"));
            };
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            if regex.is_match(text) {
                break;
            }
            at += 1;
        }
        let target = at as i64 + offset;
        if target < 0 {
            self.cut(0, !*skip)?;
            return Err(self.fail(pattern, round, "line number out of range"));
        }
        let target = target as usize;
        if target > at && self.peek(target.saturating_sub(1))?.is_none() {
            let all = self.held.len();
            self.cut(all, !*skip)?;
            return Err(self.fail(pattern, round, "line number out of range"));
        }
        self.cut(target, !*skip)?;
        if self.suppress && self.peek(0)?.is_some() {
            self.cut(1, false)?;
        }
        Ok(true)
    }
}
