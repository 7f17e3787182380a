use crate::input::Input;
use crate::number;
use crate::options::{Long, NO, Options, only};
use crate::quote::{self, locale};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::Out;
use std::cmp::Ordering;

mod side;
use side::{Line, Side};

pub const HELP: &str = "\
Usage: join [OPTION]... FILE1 FILE2
Join the lines of two sorted files that have the same key: the first
field, unless told otherwise. Fields are separated by blanks.

One of FILE1 and FILE2 may be -, standard input.

  -a FILENUM             lines of file FILENUM (1 or 2) without a partner
                           as well
  -e STRING              replace missing (empty) input fields with STRING
  -i, --ignore-case      upper and lower case are alike
  -j FIELD               -1 FIELD and -2 FIELD
  -o FORMAT              the fields of a line of output
  -t CHAR                CHAR between fields, both ways
  -v FILENUM             -a FILENUM, without the joined lines
  -1 FIELD               the key of FILE1
  -2 FIELD               the key of FILE2
      --check-order      complain of unsorted input, even where
                           every line has a partner
      --nocheck-order    never complain of unsorted input
      --header           the first lines are titles: join
                           them, whatever they say
  -z, --zero-terminated  lines end with NUL
      --help        print this help
      --version     print the version
";

const CHECK: char = only(0);
const NO_CHECK: char = only(1);
const HEADER: char = only(2);

/// Lines with one key whose room is kept for the next.
const KEPT: usize = 16;

const LONG: &[Long] = &[
    ("ignore-case", NO, 'i'),
    ("check-order", NO, CHECK),
    ("nocheck-order", NO, NO_CHECK),
    ("zero-terminated", NO, 'z'),
    ("header", NO, HEADER),
];

/// What goes into an output line: the join field, or a field of a file.
#[derive(Clone, Copy)]
enum Part {
    Key,
    Field(usize, usize),
}

struct Joiner<'a> {
    keys: [usize; 2],
    separator: Option<u8>,
    ignore_case: bool,
    empty: Option<&'a [u8]>,
    format: Option<Vec<Part>>,
    /// `-o auto`: as many fields as the first lines have.
    auto: Option<[usize; 2]>,
    unpaired: [bool; 2],
    paired: bool,
    end: u8,
    /// A line had no partner: from now on order matters.
    seen_unpaired: bool,
    /// Room for lines with one key.
    groups: [Vec<Line>; 2],
    out: Out,
}

pub fn main(args: &Args) -> Outcome {
    let mut join = Joiner {
        keys: [0; 2],
        separator: None,
        ignore_case: false,
        empty: None,
        format: None,
        auto: None,
        unpaired: [false; 2],
        paired: true,
        end: b'\n',
        seen_unpaired: false,
        groups: [Vec::new(), Vec::new()],
        out: Out::stdout(),
    };
    let (mut check, mut header, mut auto) = (None, false, false);
    let mut keys = [None; 2];
    let mut options = Options::new(args, "a:e:i1:2:j:o:t:v:z", LONG);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' | 'v' => {
                let file = match opt.value() {
                    b"1" => 0,
                    b"2" => 1,
                    other => return Err(report::die(1, format_args!("invalid field number: {}", locale(other)))),
                };
                join.unpaired[file] = true;
                join.paired &= opt.letter == 'a';
            }
            'e' if join.empty.is_some_and(|other| other != opt.value()) => {
                return Err(report::die(1, "conflicting empty-field replacement strings"));
            }
            'e' => join.empty = Some(opt.value()),
            'i' => join.ignore_case = true,
            '1' | '2' | 'j' => {
                let field = field(opt.value())?;
                for (i, letter) in ['1', '2'].into_iter().enumerate() {
                    if opt.letter == letter || opt.letter == 'j' {
                        if keys[i].is_some_and(|before| before != field) {
                            let text = format!("incompatible join fields {}, {}", keys[i].unwrap_or(0) + 1, field + 1);
                            return Err(report::die(1, text));
                        }
                        keys[i] = Some(field);
                    }
                }
            }
            'o' if opt.value() == b"auto" => auto = true,
            'o' => join.format.get_or_insert_default().extend(format(opt.value())?),
            't' => {
                let byte = match opt.value() {
                    [] => b'\n',
                    b"\\0" => 0,
                    [one] => *one,
                    other => return Err(report::die(1, format_args!("multi-character tab {}", locale(other)))),
                };
                if join.separator.is_some_and(|before| before != byte) {
                    return Err(report::die(1, "incompatible tabs"));
                }
                join.separator = Some(byte);
            }
            'z' => join.end = 0,
            CHECK => check = Some(true),
            NO_CHECK => check = Some(false),
            _ => header = true,
        }
    }
    join.keys = keys.map(|key| key.unwrap_or(0));
    let operands = options.operands();
    let [first, second] = match operands.as_slice() {
        [first, second] => [*first, *second],
        [] => return Err(report::usage(1, "missing operand")),
        [_] => {
            let last = args.argv.last().map(Vec::as_slice).unwrap_or_default();
            return Err(report::usage(1, format_args!("missing operand after {}", locale(last))));
        }
        [_, _, extra, ..] => return Err(report::usage(1, format_args!("extra operand {}", quote::quoted(extra)))),
    };
    if first == b"-" && second == b"-" {
        return Err(report::die(1, "both files cannot be standard input"));
    }
    let open = |name: &[u8]| Input::open(name).map_err(|e| report::die(1, format_args!("{}: {e}", quote::name(name))));
    let mut a = Side::new(open(first)?, first, 0, check);
    let mut b = Side::new(open(second)?, second, 1, check);
    if let Err(exit) = join.run(&mut a, &mut b, header, auto) {
        let _ = join.out.flush();
        return Err(exit);
    }
    let disorder = a.told || b.told;
    let status = report::finish(&mut join.out, u8::from(disorder))?;
    if disorder {
        report::error("input is not in sorted order");
    }
    Ok(status)
}

fn field(text: &[u8]) -> Result<usize, Exit> {
    match number::unsigned(text, b"") {
        Ok(n @ 1..) => Ok(usize::try_from(n - 1).unwrap_or(usize::MAX)),
        Err(number::Bad::Overflow) => Ok(usize::MAX),
        _ => Err(report::die(1, format_args!("invalid field number: {}", locale(text)))),
    }
}

fn format(text: &[u8]) -> Result<Vec<Part>, Exit> {
    let mut parts = Vec::new();
    for spec in text.split(|b| matches!(b, b',' | b' ' | b'\t')) {
        let bad = |what: &str| report::die(1, format_args!("{what}: {}", locale(spec)));
        parts.push(match spec {
            b"0" => Part::Key,
            [b'1' | b'2', b'.', digits @ ..] => Part::Field(usize::from(spec[0] - b'1'), field(digits)?),
            [b'0'..=b'2', ..] => return Err(bad("invalid field specifier")),
            _ => return Err(bad("invalid file number in field spec")),
        });
    }
    Ok(parts)
}

impl Joiner<'_> {
    fn run(&mut self, a: &mut Side, b: &mut Side, header: bool, auto: bool) -> Result<(), Exit> {
        a.advance(self)?;
        b.advance(self)?;
        if auto {
            let count = |side: &Side| side.line.as_ref().map_or(0, |l| l.fields.len());
            self.auto = Some([count(a), count(b)]);
        }
        if header && (a.line.is_some() || b.line.is_some()) {
            self.print(a.line.as_ref(), b.line.as_ref());
            // Headers have no place in the order.
            for side in [&mut *a, &mut *b] {
                (side.line, side.before) = (None, None);
                side.advance(self)?;
            }
        }
        while let (Some(x), Some(y)) = (&a.line, &b.line) {
            match self.compare(x.key(self.keys[0]), y.key(self.keys[1])) {
                Ordering::Less => self.alone(a, 0)?,
                Ordering::Greater => self.alone(b, 1)?,
                Ordering::Equal => self.group(a, b)?,
            }
            report::writable(&self.out)?;
        }
        self.seen_unpaired |= a.line.is_some() && b.before.is_some() || b.line.is_some() && a.before.is_some();
        // What is left over beside a file that had nothing says nothing of the order.
        while a.line.is_some() {
            self.left_over(a, 0)?;
        }
        while b.line.is_some() {
            self.left_over(b, 1)?;
        }
        Ok(())
    }

    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.ignore_case { a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase()) } else { a.cmp(b) }
    }

    fn alone(&mut self, side: &mut Side, number: usize) -> Result<(), Exit> {
        self.left_over(side, number)?;
        self.seen_unpaired = true;
        Ok(())
    }

    fn left_over(&mut self, side: &mut Side, number: usize) -> Result<(), Exit> {
        if self.unpaired[number] {
            let line = side.line.take();
            match number {
                0 => self.print(line.as_ref(), None),
                _ => self.print(None, line.as_ref()),
            }
            side.line = line;
        }
        side.advance(self)
    }

    /// All lines of both files with one key, each with each.
    fn group(&mut self, a: &mut Side, b: &mut Side) -> Result<(), Exit> {
        let mut groups = std::mem::take(&mut self.groups);
        let mut counts = [0; 2];
        for (i, side) in [a, b].into_iter().enumerate() {
            while let Some(line) = &side.line {
                let first = if counts[i] > 0 { groups[i].first() } else { None };
                if first.is_some_and(|f| self.compare(f.key(self.keys[i]), line.key(self.keys[i])) != Ordering::Equal) {
                    break;
                }
                match groups[i].get_mut(counts[i]) {
                    Some(room) => room.copy(line),
                    None => groups[i].push(line.clone()),
                }
                counts[i] += 1;
                side.advance(self)?;
            }
        }
        if self.paired {
            for x in &groups[0][..counts[0]] {
                for y in &groups[1][..counts[1]] {
                    self.print(Some(x), Some(y));
                }
            }
        }
        groups.iter_mut().for_each(|group| group.truncate(KEPT));
        self.groups = groups;
        Ok(())
    }

    fn print(&mut self, a: Option<&Line>, b: Option<&Line>) {
        let lines = [a, b];
        let found = (0..2).find_map(|i| lines[i].map(|l| l.key(self.keys[i])));
        let key = found.unwrap_or_default();
        let (between, empty) = (self.separator.unwrap_or(b' '), self.empty.unwrap_or_default());
        let out = &mut self.out;
        let mut first = true;
        let mut field = |text: &[u8]| {
            if !std::mem::take(&mut first) {
                out.byte(between);
            }
            out.write(if text.is_empty() { empty } else { text });
        };
        if let Some(format) = &self.format {
            for part in format {
                field(match part {
                    Part::Key => key,
                    Part::Field(file, n) => lines[*file].map(|l| l.key(*n)).unwrap_or_default(),
                });
            }
        } else {
            field(key);
            for (i, line) in lines.iter().enumerate() {
                let count = self.auto.map_or(line.map_or(0, |l| l.fields.len()), |auto| auto[i]);
                for n in (0..count).filter(|n| *n != self.keys[i]) {
                    field(line.map(|l| l.key(n)).unwrap_or_default());
                }
            }
        }
        out.byte(self.end);
    }
}
