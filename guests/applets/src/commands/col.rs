//! col: a text that moves back and up, as typewriters did, becomes one that only goes on.
//!
//! Lines are counted in halves, as there are sequences that go up or down by half a line.

use crate::options::{Long, NO, Options, REQ};
use crate::quote::{is_utf8, plain};
use crate::width::width;
use crate::{Args, Outcome, number, report};
use capsule_sys::{In, Out, STDIN};
use std::collections::VecDeque;

pub const HELP: &str = "\
Usage: col [OPTION]...
Copy standard input to standard output without reverse line feeds.

  -b, --no-backspaces  only the last character written at a place
  -f, --fine           keep half line feeds
  -h, --tabs           blanks become tabs (always so, but for -x)
  -l, --lines=NUM      remember at least NUM lines (128)
  -p, --pass           pass control characters that mean nothing to col
  -x, --spaces         tabs become blanks
  -H, --help           print this help
  -v, --version        print the version
";

const LONG: &[Long] = &[
    ("no-backspaces", NO, 'b'),
    ("fine", NO, 'f'),
    ("tabs", NO, 'h'),
    ("lines", REQ, 'l'),
    ("pass", NO, 'p'),
    ("spaces", NO, 'x'),
];

/// Half lines that may gather beyond those that are remembered, so that writing them is worth it.
const MARGIN: i64 = 32;
/// More would only be memory.
const MOST_LINES: u64 = 1 << 20;

const SHIFT_IN: u8 = 0x0f;
const SHIFT_OUT: u8 = 0x0e;

struct Character {
    column: usize,
    text: Vec<u8>,
    width: usize,
    alternate: bool,
}

struct Col {
    fine: bool,
    last_only: bool,
    tabs: bool,
    /// Half lines that are remembered.
    remembered: i64,
    lines: VecDeque<Vec<Character>>,
    /// The number of the first of `lines`.
    written: i64,
    blank: i64,
    alternate: bool,
    warned: bool,
    out: Out,
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "bfhl:pxHv", LONG);
    let mut col = Col {
        fine: false,
        last_only: false,
        tabs: true,
        remembered: 256,
        lines: VecDeque::new(),
        written: 0,
        blank: 0,
        alternate: false,
        warned: false,
        out: Out::stdout(),
    };
    let mut pass = false;
    let mut tabs = None;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' => col.last_only = true,
            'f' => col.fine = true,
            'h' | 'x' => {
                let spaces = opt.letter == 'x';
                if tabs.replace(!spaces).is_some_and(|before| before == spaces) {
                    return Err(report::die(1, "mutually exclusive arguments: --tabs --spaces"));
                }
                col.tabs = !spaces;
            }
            'l' => {
                let lines = number::signed(opt.value(), b"");
                let lines = lines.and_then(|n| u64::try_from(n).map_err(|_| number::Bad::Overflow));
                let lines = lines.map_err(|bad| {
                    let why = if bad == number::Bad::Overflow { ": Numerical result out of range" } else { "" };
                    report::die(1, format_args!("bad -l argument: {}{why}", plain(opt.value())))
                })?;
                col.remembered = (lines.min(MOST_LINES) * 2) as i64;
            }
            'p' => pass = true,
            'H' => return Err(options.help()),
            _ => return Err(options.version()),
        }
    }
    if !options.operands().is_empty() {
        return Err(report::usage(1, "bad usage"));
    }
    let failed = col.copy(pass).err();
    if let Some(e) = failed {
        report::error(format_args!("read error: {e}"));
    }
    report::finish(&mut col.out, u8::from(failed.is_some()))
}

/// The next character of the input: one byte where the bytes are no UTF-8.
fn character(input: &mut In, text: &mut Vec<u8>) -> capsule_sys::Result<bool> {
    text.clear();
    let length = if is_utf8() { 4 } else { 1 };
    loop {
        let Some(&byte) = input.fill()?.first() else { return Ok(!text.is_empty()) };
        // What cannot go on stays for the next one.
        if !text.is_empty() && byte & 0xc0 != 0x80 {
            return Ok(true);
        }
        input.consume(1);
        text.push(byte);
        let wanted = match text[0] {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        if text.len() >= wanted.min(length) {
            return Ok(true);
        }
    }
}

impl Col {
    fn copy(&mut self, pass: bool) -> capsule_sys::Result<()> {
        let mut input = In::new(STDIN);
        let mut text = Vec::new();
        let (mut column, mut line, mut last, mut alternate) = (0usize, 0i64, 0i64, false);
        while character(&mut input, &mut text)? {
            let shown = std::str::from_utf8(&text).ok().and_then(|t| t.chars().next());
            match text[0] {
                8 => column = column.saturating_sub(1),
                b'\r' => column = 0,
                0x1b => {
                    if !character(&mut input, &mut text)? {
                        break;
                    }
                    match text[0] {
                        7 => line -= 2,
                        8 => line -= 1,
                        9 => line += 1,
                        _ => {}
                    }
                    last = last.max(line);
                }
                b'\n' => {
                    (line, column) = (line + 2, 0);
                    last = last.max(line);
                }
                b' ' => column += 1,
                SHIFT_IN => alternate = false,
                SHIFT_OUT => alternate = true,
                b'\t' => column = (column | 7) + 1,
                11 => line -= 2,
                _ => {
                    let printable = shown.is_some_and(|c| !c.is_control());
                    if !printable && !pass {
                        continue;
                    }
                    let width = shown.map_or(1, width);
                    line = self.put(line, Character { column, text: text.clone(), width, alternate });
                    last = last.max(line);
                    column += width;
                }
            }
        }
        self.finish(last);
        Ok(())
    }

    /// Puts a character into a line; which one it was, as nobody can go back to what was written.
    fn put(&mut self, line: i64, character: Character) -> i64 {
        let line = if line < self.written {
            if !self.warned {
                let why = if self.written == 0 { "past first line" } else { "-- line already flushed" };
                let _ = self.out.flush();
                report::error(format_args!("warning: can't back up {why}."));
            }
            self.warned = true;
            self.written + (self.written & 1)
        } else {
            line
        };
        // Without -f, halves count as the line below.
        let at = if self.fine { line } else { line + (line & 1) };
        let behind = at - self.written - self.remembered;
        if behind >= MARGIN {
            self.write(behind);
        }
        let index = usize::try_from(at - self.written).unwrap_or(0);
        while self.lines.len() <= index {
            self.lines.push_back(Vec::new());
        }
        self.lines[index].push(character);
        line
    }

    /// Writes half lines from the front of what is remembered.
    fn write(&mut self, count: i64) {
        for _ in 0..count {
            let line = self.lines.pop_front().unwrap_or_default();
            if !line.is_empty() {
                self.feed();
                self.write_line(line);
            }
            self.blank += 1;
            self.written += 1;
        }
    }

    /// The line ends that are due.
    fn feed(&mut self) {
        let half = self.fine && self.blank & 1 == 1;
        let whole = if self.fine { self.blank / 2 } else { (self.blank + 1) / 2 };
        (0..whole).for_each(|_| self.out.byte(b'\n'));
        if half {
            self.out.write(b"\x1b9");
            if whole == 0 {
                self.out.byte(b'\r');
            }
        }
        self.blank = 0;
    }

    fn write_line(&mut self, mut line: Vec<Character>) {
        line.sort_by_key(|c| c.column);
        let mut at = 0;
        let mut rest = line.as_slice();
        while let Some(first) = rest.first() {
            let here = rest.iter().take_while(|c| c.column == first.column).count();
            let (mut same, others) = rest.split_at(here);
            rest = others;
            if self.last_only {
                same = &same[here - 1..];
            }
            self.blanks(&mut at, first.column);
            for (i, c) in same.iter().enumerate() {
                if i > 0 {
                    (0..same[i - 1].width).for_each(|_| self.out.byte(8));
                }
                if c.alternate != self.alternate {
                    self.out.byte(if c.alternate { SHIFT_OUT } else { SHIFT_IN });
                    self.alternate = c.alternate;
                }
                self.out.write(&c.text);
            }
            at = at.max(first.column + same.last().map_or(0, |c| c.width));
        }
    }

    fn blanks(&mut self, at: &mut usize, to: usize) {
        while self.tabs && to.saturating_sub(*at) > 1 && (*at + 8) & !7 <= to {
            self.out.byte(b'\t');
            *at = (*at + 8) & !7;
        }
        while *at < to {
            self.out.byte(b' ');
            *at += 1;
        }
    }

    /// Everything that is left, and the end of the last line, where it has none.
    fn finish(&mut self, last: i64) {
        if last == 0 && self.lines.is_empty() && self.written == 0 {
            return;
        }
        let lines = self.lines.len() as i64;
        let reached = self.written + lines - i64::from(lines > 0);
        self.write(lines);
        if self.alternate {
            self.out.byte(SHIFT_IN);
        }
        self.blank = last - reached;
        if last & 1 == 1 {
            self.blank += 1;
        } else if self.blank <= 0 {
            self.blank = 2;
        }
        self.feed();
    }
}
