use crate::input::Input;
use crate::number::{self, Bad, push_decimal};
use crate::options::{NO, Options, REQ, only};
use crate::quote::{locale, name, quoted};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{FileType, In, OpenFlags, Out, STDOUT, dup2, fstat, open};
use std::collections::HashMap;

pub const HELP: &str = "\
Usage: shuf [OPTION]... [FILE]
  or:  shuf -e [OPTION]... [ARG]...
  or:  shuf -i LO-HI [OPTION]...
Print the lines of the input in an order left to chance.

Standard input is read where FILE is - or missing.

  -e, --echo                the ARGs are the lines
  -i, --input-range=LO-HI   the numbers from LO to HI are the lines
  -n, --head-count=COUNT    COUNT lines at the most
  -o, --output=FILE         write to FILE
      --random-source=FILE  take the random bytes from FILE
  -r, --repeat              lines may come again
  -z, --zero-terminated     lines end with NUL
      --help        print this help
      --version     print the version
";

const SOURCE: char = only(0);

/// Where chance comes from: the system, or a file whose bytes are used up.
enum Source {
    System { buffer: Box<[u8; 4096]>, at: usize },
    File(In, Vec<u8>),
}

impl Source {
    fn byte(&mut self) -> Result<u8, Exit> {
        match self {
            Source::System { buffer, at } => {
                if *at == buffer.len() {
                    capsule_sys::random(&mut buffer[..]).map_err(|e| report::die(1, format_args!("random: {e}")))?;
                    *at = 0;
                }
                *at += 1;
                Ok(buffer[*at - 1])
            }
            Source::File(stream, name) => {
                let block = stream.fill().map_err(|e| report::die(1, format_args!("{}: {e}", quoted(name))))?;
                let Some(&byte) = block.first() else {
                    return Err(report::die(1, format_args!("{}: end of file", quoted(name))));
                };
                stream.consume(1);
                Ok(byte)
            }
        }
    }
}

/// Numbers by chance, in GNU's way, so that a file of random bytes gives the same order there and here.
struct Chance {
    source: Source,
    /// What the last number left over: a number from 0 to `most`, all as likely.
    left: u64,
    most: u64,
}

impl Chance {
    /// A number below `limit`, all as likely.
    fn below(&mut self, limit: u64) -> Result<u64, Exit> {
        let Some(highest) = limit.checked_sub(1) else { return Ok(0) };
        loop {
            while self.most < highest {
                self.left = self.left << 8 | u64::from(self.source.byte()?);
                self.most = self.most << 8 | 255;
            }
            if self.most == highest {
                self.most = 0;
                return Ok(std::mem::take(&mut self.left));
            }
            // Beyond the last whole multiple some would be likelier.
            let excess = self.most - highest;
            let unusable = excess % limit;
            let value = self.left % limit;
            if self.left <= self.most - unusable {
                (self.left, self.most) = (self.left / limit, excess / limit);
                return Ok(value);
            }
            (self.left, self.most) = (value, unusable - 1);
        }
    }
}

/// Fisher and Yates: who is where, while places are taken one by one. Of few places of many only those are remembered
/// that were touched.
enum Order {
    All(Vec<u64>),
    Touched(HashMap<u64, u64>),
}

impl Order {
    fn new(count: u64, total: u64) -> Order {
        if total / 8 <= count { Order::All((0..total).collect()) } else { Order::Touched(HashMap::new()) }
    }

    /// Takes what is at `j`, and puts what is at `i`, the next place, there.
    fn take(&mut self, i: u64, j: u64) -> u64 {
        match self {
            Order::All(all) => {
                all.swap(i as usize, j as usize);
                all[i as usize]
            }
            Order::Touched(moved) => {
                let chosen = moved.get(&j).copied().unwrap_or(j);
                let here = moved.remove(&i).unwrap_or(i);
                if j != i {
                    moved.insert(j, here);
                }
                chosen
            }
        }
    }
}

enum Lines {
    Range(u64, u64),
    /// Lines that were chosen, or given.
    Some(Vec<Vec<u8>>),
    /// All lines of a text, and where they end.
    Whole(Vec<u8>, Vec<usize>),
}

impl Lines {
    fn len(&self) -> u64 {
        match self {
            Lines::Range(low, high) => (high - low).saturating_add(1),
            Lines::Some(all) => all.len() as u64,
            Lines::Whole(_, ends) => ends.len() as u64,
        }
    }

    fn write(&self, at: u64, end: u8, out: &mut Out) {
        match self {
            Lines::Range(low, _) => {
                let mut text = Vec::with_capacity(24);
                push_decimal(&mut text, low + at);
                out.write(&text);
            }
            Lines::Some(all) => out.write(&all[at as usize]),
            Lines::Whole(text, ends) => {
                let at = at as usize;
                let start = at.checked_sub(1).map_or(0, |before| ends[before] + 1);
                out.write(&text[start..ends[at]]);
            }
        }
        out.byte(end);
    }
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("echo", NO, 'e'),
        ("input-range", REQ, 'i'),
        ("head-count", REQ, 'n'),
        ("output", REQ, 'o'),
        ("random-source", REQ, SOURCE),
        ("repeat", NO, 'r'),
        ("zero-terminated", NO, 'z'),
    ];
    let mut options = Options::new(args, "ei:n:o:rz", long);
    let (mut echo, mut range, mut count, mut output) = (false, None, u64::MAX, None);
    let (mut source, mut repeat, mut end) = (None, false, b'\n');
    while let Some(opt) = options.next()? {
        match opt.letter {
            'e' => echo = true,
            'i' => {
                if range.is_some() {
                    return Err(report::die(1, "multiple -i options specified"));
                }
                range = Some(parse_range(opt.value())?);
            }
            'n' => match number::unsigned(opt.value(), b"") {
                Ok(n) => count = count.min(n),
                Err(Bad::Overflow) => {}
                Err(_) => return Err(report::die(1, format_args!("invalid line count: {}", locale(opt.value())))),
            },
            'o' => {
                if output.is_some_and(|o| o != opt.value()) {
                    return Err(report::die(1, "multiple output files specified"));
                }
                output = Some(opt.value());
            }
            SOURCE => {
                if source.is_some_and(|s| s != opt.value()) {
                    return Err(report::die(1, "multiple random sources specified"));
                }
                source = Some(opt.value());
            }
            'r' => repeat = true,
            _ => end = 0,
        }
    }
    let operands = options.operands();
    if echo && range.is_some() {
        return Err(report::usage(1, "cannot combine -e and -i options"));
    }
    let most = if range.is_some() { 0 } else { 1 };
    if let Some(extra) = operands.get(most).filter(|_| !echo) {
        return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
    }
    let source = match source {
        None => Source::System { buffer: Box::new([0; 4096]), at: 4096 },
        Some(file) => {
            let fd =
                open(file, OpenFlags::RDONLY, 0).map_err(|e| report::die(1, format_args!("{}: {e}", name(file))))?;
            Source::File(In::new(fd.into_raw()), file.to_vec())
        }
    };
    let mut chance = Chance { source, left: 0, most: 0 };
    let lines = match range {
        Some((low, high)) => Lines::Range(low, high),
        None if echo => Lines::Some(operands.iter().map(|o| o.to_vec()).collect()),
        None if count == 0 => Lines::Some(Vec::new()),
        // A few of many lines need not all be kept.
        None => read(operands.first().copied().unwrap_or(b"-"), end, count, repeat, &mut chance)?,
    };
    if let Some(target) = output {
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC;
        open(target, flags, 0o666)
            .and_then(|fd| dup2(fd.raw(), STDOUT, OpenFlags(0)))
            .map_err(|e| report::die(1, format_args!("{}: {e}", name(target))))?;
    }
    let mut out = Out::stdout();
    let total = match &lines {
        Lines::Range(low, high) if low > high => 0,
        lines => lines.len(),
    };
    if repeat {
        if total == 0 && count > 0 {
            return Err(report::die(1, "no lines to repeat"));
        }
        for _ in 0..count {
            lines.write(chance.below(total)?, end, &mut out);
            report::writable(&out)?;
        }
    } else {
        let mut order = Order::new(count.min(total), total);
        for i in 0..count.min(total) {
            let chosen = order.take(i, i + chance.below(total - i)?);
            lines.write(chosen, end, &mut out);
            report::writable(&out)?;
        }
    }
    report::finish(&mut out, 0)
}

fn parse_range(text: &[u8]) -> Result<(u64, u64), Exit> {
    let invalid = |part: &[u8]| report::die(1, format_args!("invalid input range: {}", locale(part)));
    let number = |part: &[u8]| {
        number::unsigned(part, b"").map_err(|bad| match bad {
            Bad::Invalid => invalid(part),
            Bad::Overflow => {
                let why = "Value too large for defined data type";
                report::die(1, format_args!("invalid input range: {}: {why}", locale(part)))
            }
        })
    };
    let Some(dash) = text.iter().position(|&b| b == b'-') else {
        number(text)?;
        return Err(invalid(text));
    };
    let (low, high) = (number(&text[..dash])?, number(&text[dash + 1..])?);
    // One beyond the end is an empty range; more is a mistake.
    if low > high && low != high + 1 {
        return Err(invalid(text));
    }
    Ok((low, high))
}

/// Files up to this size are read whole, however few of their lines are wanted.
const SMALL: u64 = 8 << 20;

/// The lines of a file; only `keep` of them, chosen by chance, where fewer are wanted.
fn read(file: &[u8], end: u8, keep: u64, repeat: bool, chance: &mut Chance) -> Result<Lines, Exit> {
    let fail = |e| report::die(1, format_args!("{}: {e}", name(file)));
    let mut input = Input::open(file).map_err(fail)?;
    let small = fstat(input.fd()).is_ok_and(|s| s.kind == FileType::Regular && s.size <= SMALL);
    let limit = usize::try_from(keep).unwrap_or(usize::MAX);
    if repeat || limit == usize::MAX || (small && keep > 0) {
        let mut text = Vec::new();
        input.stream.read_to_end(&mut text).map_err(|e| report::die(1, format_args!("read error: {e}")))?;
        let mut ends: Vec<usize> = memchr::memchr_iter(end, &text).collect();
        if text.last().is_some_and(|&last| last != end) {
            ends.push(text.len());
        }
        return Ok(Lines::Whole(text, ends));
    }
    let (mut all, mut line, mut seen) = (Vec::new(), Vec::new(), 0u64);
    let unread = |e| report::die(1, format_args!("read error: {e}"));
    loop {
        // Chosen before the line is there, as GNU does: also the end takes its bytes from the source.
        let at = if all.len() < limit || limit == 0 { None } else { Some(chance.below(seen + 1)?) };
        if !input.stream.read_until(end, &mut line).map_err(unread)? {
            break;
        }
        if line.last() == Some(&end) {
            line.pop();
        }
        seen += 1;
        match at.map(|at| at as usize) {
            Some(at) if at < limit => all[at] = std::mem::take(&mut line),
            None if limit > 0 => all.push(std::mem::take(&mut line)),
            _ => line.clear(),
        }
    }
    Ok(Lines::Some(all))
}
