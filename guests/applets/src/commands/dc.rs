//! dc: a calculator with a stack.

use crate::decimal::Decimal;
use crate::options::{Long, Options, REQ};
use crate::{Args, Outcome, program, report};
use capsule_sys::{Errno, In, OpenFlags, Out, STDIN, STDOUT, fstat, getenv, open, read_to_end, wait};
use std::cmp::Ordering;
use std::collections::HashMap;

pub const HELP: &str = "\
Usage: dc [OPTION]... [FILE]...
Compute in reverse Polish notation with numbers of any precision.

  -e, --expression=EXPR  carry out EXPR
  -f, --file=FILE        carry out the contents of FILE
  -h, --help             print this help
  -V, --version          print the version
";

const LONG: &[Long] = &[("expression", REQ, 'e'), ("file", REQ, 'f')];

/// So many macros may run inside of each other.
const DEEPEST: usize = 100_000;

#[derive(Clone, Debug)]
enum Item {
    Number(Decimal),
    Text(Vec<u8>),
}

impl Item {
    /// A small number; a text is none.
    fn to_i64(&self) -> Option<i64> {
        match self {
            Item::Number(n) => n.to_i64(),
            Item::Text(_) => None,
        }
    }
}

#[derive(Default)]
struct Register {
    stack: Vec<Item>,
    array: HashMap<i64, Item>,
}

/// A text that is being carried out.
struct Running {
    text: Vec<u8>,
    at: usize,
}

struct Calculator {
    out: Out,
    stack: Vec<Item>,
    registers: HashMap<u8, Register>,
    scale: usize,
    ibase: u32,
    obase: u32,
    line_length: usize,
    running: Vec<Running>,
    input: In,
    /// What runs is from the command line: its end is told in other words, and to quit there is no failure.
    expression: bool,
}

enum Stop {
    Quit,
}

pub fn main(args: &Args) -> Outcome {
    let length = getenv(b"DC_LINE_LENGTH").and_then(|v| String::from_utf8_lossy(&v).parse().ok());
    let mut calculator = Calculator {
        out: Out::stdout(),
        stack: Vec::new(),
        registers: HashMap::new(),
        scale: 0,
        ibase: 10,
        obase: 10,
        line_length: match length {
            Some(0) => usize::MAX,
            Some(n) if n > 2 => n,
            _ => 70,
        },
        running: Vec::new(),
        input: In::new(STDIN),
        expression: false,
    };
    report::hint(report::Hint::Help);
    let mut options = Options::new(args, "e:f:hV", LONG);
    let mut any = false;
    let mut ended = None;
    while let Some(opt) = options.next()? {
        match opt.letter {
            _ if ended.is_some() => {}
            'e' => ended = calculator.all(opt.value().to_vec(), true),
            'f' => ended = calculator.file(opt.value()),
            'h' => return Err(options.help()),
            _ => return Err(options.version()),
        }
        any = true;
    }
    for name in options.operands() {
        any = true;
        ended = ended.or_else(|| calculator.file(name));
    }
    if !any {
        // Line by line: who waits for an answer gets it.
        let mut line = Vec::new();
        loop {
            let open = opens(&line);
            if !open {
                line.clear();
            }
            let more = match calculator.input.read_until(b'\n', &mut line) {
                Ok(more) => more,
                Err(e) => {
                    let _ = calculator.out.flush();
                    return Err(report::die(1, format_args!("error reading input: {e}")));
                }
            };
            if more && opens(&line) {
                continue;
            }
            ended = calculator.all(line.clone(), false);
            let _ = calculator.out.flush();
            if ended.is_some() || !more {
                break;
            }
        }
    }
    let what = if calculator.out.error().is_some() { "could not write output file" } else { "error writing to stdout" };
    calculator.out.flush().map_err(|e| report::die(1, format_args!("{what}: {e}")))?;
    // Standard output may have been closed from the start.
    fstat(STDOUT).map_err(|e| report::die(1, format_args!("error closing stdout: {e}")))?;
    Ok(ended.unwrap_or(0))
}

/// Whether a string is still open at the end.
fn opens(text: &[u8]) -> bool {
    let mut depth = 0usize;
    let mut comment = false;
    for &b in text {
        match b {
            b'\n' => comment = false,
            _ if comment => {}
            b'#' if depth == 0 => comment = true,
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth > 0
}

impl Calculator {
    /// Carries out a text; the status, when that was told to be the end.
    fn all(&mut self, text: Vec<u8>, expression: bool) -> Option<u8> {
        self.expression = expression;
        let quit = self.run(text).is_err();
        quit.then(|| u8::from(!expression))
    }

    /// Carries out a file. One that cannot be read is told, and no failure: so it is with GNU's.
    fn file(&mut self, name: &[u8]) -> Option<u8> {
        let text = match name {
            b"-" => read_to_end(STDIN),
            _ => open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|fd| read_to_end(fd.raw())),
        };
        let shown = String::from_utf8_lossy(name);
        let why = match text {
            Ok(text) => return self.all(text, false),
            Err(Errno::EISDIR) => format!("Will not attempt to process directory {shown}"),
            Err(e) if name == b"-" => format!("Could not fstat file -: {e}"),
            Err(_) => format!("Could not open file {shown}"),
        };
        self.complain(&why);
        None
    }

    fn complain(&mut self, text: &str) {
        let _ = self.out.flush();
        report::error(text);
    }

    fn run(&mut self, text: Vec<u8>) -> Result<(), Stop> {
        self.running.push(Running { text, at: 0 });
        while let Some(top) = self.running.last_mut() {
            match top.text.get(top.at) {
                None => {
                    self.running.pop();
                }
                Some(&command) => {
                    top.at += 1;
                    self.command(command)?;
                }
            }
        }
        Ok(())
    }

    /// The next byte of the text that runs.
    fn next(&mut self) -> Option<u8> {
        let top = self.running.last_mut()?;
        let b = top.text.get(top.at).copied();
        top.at += usize::from(b.is_some());
        b
    }

    fn peek(&self) -> Option<u8> {
        self.running.last().and_then(|top| top.text.get(top.at)).copied()
    }

    fn pop(&mut self) -> Option<Item> {
        let item = self.stack.pop();
        if item.is_none() {
            self.complain("stack empty");
        }
        item
    }

    fn pop_number(&mut self) -> Option<Decimal> {
        match self.pop()? {
            Item::Number(n) => Some(n),
            Item::Text(_) => {
                self.complain("non-numeric value");
                None
            }
        }
    }

    fn push(&mut self, n: Decimal) {
        self.stack.push(Item::Number(n));
    }

    fn number(&mut self, first: u8) {
        let mut text = vec![if first == b'_' { b'-' } else { first }];
        let mut point = first == b'.';
        while let Some(b) = self.peek() {
            match b {
                b'0'..=b'9' | b'A'..=b'F' => {}
                b'.' if !point => point = true,
                _ => break,
            }
            text.push(b);
            self.next();
        }
        self.push(Decimal::parse(&text, self.ibase, false));
    }

    fn string(&mut self) {
        let mut text = Vec::new();
        let mut depth = 1;
        while let Some(b) = self.next() {
            match b {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            text.push(b);
        }
        self.stack.push(Item::Text(text));
    }

    fn show(&mut self, item: &Item, end: bool) {
        match item {
            Item::Text(text) => self.out.write(text),
            Item::Number(n) => {
                let text = n.show(self.obase, false);
                for (i, b) in text.bytes().enumerate() {
                    if i > 0 && i % (self.line_length - 1) == 0 {
                        self.out.write(b"\\\n");
                    }
                    self.out.byte(b);
                }
            }
        }
        if end {
            self.out.byte(b'\n');
        }
    }

    /// Two numbers into one; both stay when it cannot be.
    fn binary(&mut self, operator: u8) {
        if self.stack.len() < 2 {
            return self.complain("stack empty");
        }
        let (right, left) = (self.stack.pop(), self.stack.pop());
        let (Some(Item::Number(b)), Some(Item::Number(a))) = (&right, &left) else {
            self.stack.extend(left.into_iter().chain(right));
            return self.complain("non-numeric value");
        };
        let scale = self.scale;
        let result = match operator {
            b'+' => Ok(a.add(b)),
            b'-' => Ok(a.sub(b)),
            b'*' => Ok(a.mul(b, scale)),
            b'/' => a.div(b, scale).ok_or("divide by zero"),
            b'%' => a.rem(b, scale).ok_or("remainder by zero"),
            b'~' => match (a.div(b, scale), a.rem(b, scale)) {
                (Some(quotient), Some(rest)) => {
                    self.push(quotient);
                    Ok(rest)
                }
                _ => Err("divide by zero"),
            },
            _ => match b.to_i64() {
                Some(n) if a.is_zero() && n < 0 => Ok(Decimal::default()),
                Some(n) => {
                    if b.scale() > 0 && b.with_scale(0).compare(b) != Ordering::Equal {
                        report::plain("Runtime warning: non-zero scale in exponent\n");
                    }
                    a.pow(n, scale).ok_or("exponent too large")
                }
                None => Err("exponent too large"),
            },
        };
        match result {
            Ok(value) => self.push(value),
            Err(text) => {
                self.stack.extend(left.into_iter().chain(right));
                self.complain(text);
            }
        }
    }

    /// `base^exponent % modulus`; all three stay when it cannot be.
    fn modular(&mut self) {
        let (base, exponent, modulus) = match self.stack.as_slice() {
            [.., Item::Number(a), Item::Number(b), Item::Number(c)] => (a.clone(), b.clone(), c.clone()),
            [_, _, _, ..] => return self.complain("non-numeric value"),
            _ => return self.complain("stack empty"),
        };
        if modulus.is_zero() {
            return self.complain("remainder by zero");
        }
        if exponent.is_negative() {
            return self.complain("exponent not positive");
        }
        self.stack.truncate(self.stack.len() - 3);
        let two = Decimal::int(2);
        let mut result = Decimal::int(1);
        let mut square = base.rem(&modulus, 0).unwrap_or_default();
        let mut left = exponent.with_scale(0);
        while !left.is_zero() {
            if !left.rem(&two, 0).unwrap_or_default().is_zero() {
                result = result.mul(&square, 0).rem(&modulus, 0).unwrap_or_default();
            }
            square = square.mul(&square, 0).rem(&modulus, 0).unwrap_or_default();
            left = left.div(&two, 0).unwrap_or_default();
        }
        self.push(result);
    }

    fn register(&mut self) -> Option<u8> {
        let name = self.next();
        if name.is_none() {
            self.complain(if self.expression { "unexpected EOS" } else { "unexpected EOF" });
        }
        name
    }

    /// Runs a macro; one that ends the text it is called from takes its place.
    fn execute(&mut self, item: Item) -> Result<(), Stop> {
        match item {
            Item::Number(n) => self.push(n),
            Item::Text(text) => {
                if self.running.last().is_some_and(|top| top.at >= top.text.len()) && self.running.len() > 1 {
                    self.running.pop();
                }
                if self.running.len() >= DEEPEST {
                    self.complain("macros nested too deeply");
                    return Err(Stop::Quit);
                }
                self.running.push(Running { text, at: 0 });
            }
        }
        Ok(())
    }

    fn compare(&mut self, mark: u8, negate: bool) -> Result<(), Stop> {
        let Some(name) = self.register() else { return Ok(()) };
        if self.stack.len() < 2 {
            self.complain("stack empty");
            return Ok(());
        }
        let (Some(top), Some(second)) = (self.pop_number(), self.pop_number()) else { return Ok(()) };
        let order = top.compare(&second);
        let holds = match mark {
            b'<' => order == Ordering::Less,
            b'>' => order == Ordering::Greater,
            _ => order == Ordering::Equal,
        };
        if holds != negate {
            let item = self.registers.get(&name).and_then(|r| r.stack.last().cloned());
            if let Some(item) = item {
                self.execute(item)?;
            }
        }
        Ok(())
    }

    fn command(&mut self, command: u8) -> Result<(), Stop> {
        match command {
            b'0'..=b'9' | b'A'..=b'F' | b'.' | b'_' => self.number(command),
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'#' => while self.next().is_some_and(|b| b != b'\n') {},
            b'[' => self.string(),
            b'+' | b'-' | b'*' | b'/' | b'%' | b'~' | b'^' => self.binary(command),
            b'|' => self.modular(),
            b'v' => {
                if let Some(n) = self.pop_number() {
                    match n.sqrt(self.scale) {
                        Some(root) => self.push(root),
                        None => self.complain("square root of negative number"),
                    }
                }
            }
            b'p' => match self.stack.last().cloned() {
                Some(item) => self.show(&item, true),
                None => self.complain("stack empty"),
            },
            b'n' => {
                if let Some(item) = self.pop() {
                    self.show(&item, false);
                }
            }
            b'P' => match self.pop() {
                Some(Item::Text(text)) => self.out.write(&text),
                Some(Item::Number(n)) => {
                    // Its bytes, the first one first.
                    let (mut rest, base) = (n.abs().with_scale(0), Decimal::int(256));
                    let mut bytes = Vec::new();
                    while !rest.is_zero() {
                        bytes.push(rest.rem(&base, 0).and_then(|d| d.to_i64()).unwrap_or(0) as u8);
                        rest = rest.div(&base, 0).unwrap_or_default();
                    }
                    bytes.reverse();
                    self.out.write(&bytes);
                }
                None => {}
            },
            b'f' => {
                for item in self.stack.clone().iter().rev() {
                    self.show(item, true);
                }
            }
            b'c' => self.stack.clear(),
            b'd' => match self.stack.last().cloned() {
                Some(item) => self.stack.push(item),
                None => self.complain("stack empty"),
            },
            b'r' => {
                if let [.., second, top] = self.stack.as_mut_slice() {
                    std::mem::swap(second, top);
                }
            }
            b'R' => {
                if let Some(n) = self.pop_number().and_then(|n| n.to_i64()) {
                    let len = self.stack.len();
                    let count = (n.unsigned_abs() as usize).min(len);
                    if n > 0 {
                        self.stack[len - count..].rotate_left(1.min(count));
                    } else {
                        self.stack[len - count..].rotate_right(1.min(count));
                    }
                }
            }
            b's' | b'S' => {
                if let Some(name) = self.register()
                    && let Some(item) = self.pop()
                {
                    let register = self.registers.entry(name).or_default();
                    if command == b's' {
                        register.stack.pop();
                    }
                    register.stack.push(item);
                }
            }
            b'l' => {
                if let Some(name) = self.register() {
                    let item = self.registers.get(&name).and_then(|r| r.stack.last().cloned());
                    self.stack.push(item.unwrap_or(Item::Number(Decimal::default())));
                }
            }
            b'L' => {
                if let Some(name) = self.register() {
                    match self.registers.get_mut(&name).and_then(|r| r.stack.pop()) {
                        Some(item) => self.stack.push(item),
                        None => self.complain(&format!("stack register '{}' (0{name:o}) is empty", char::from(name))),
                    }
                }
            }
            b':' | b';' => self.array(command),
            b'i' => {
                if let Some(item) = self.pop() {
                    match item.to_i64() {
                        Some(n @ 2..=16) => self.ibase = n as u32,
                        _ => self.complain("input base must be a number between 2 and 16 (inclusive)"),
                    }
                }
            }
            b'o' => {
                if let Some(item) = self.pop() {
                    match item.to_i64().and_then(|n| u32::try_from(n).ok()) {
                        Some(n) if n >= 2 => self.obase = n,
                        _ => self.complain("output base must be a number greater than 1"),
                    }
                }
            }
            b'k' => {
                if let Some(item) = self.pop() {
                    match item.to_i64() {
                        Some(n @ 0..=1_000_000) => self.scale = n as usize,
                        _ => self.complain("scale must be a nonnegative number"),
                    }
                }
            }
            b'I' => self.push(Decimal::int(self.ibase.into())),
            b'O' => self.push(Decimal::int(self.obase.into())),
            b'K' => self.push(Decimal::int(self.scale as i64)),
            b'z' => self.push(Decimal::int(self.stack.len() as i64)),
            b'Z' => {
                if let Some(item) = self.pop() {
                    let n = match item {
                        Item::Number(n) => n.length(),
                        Item::Text(text) => text.len(),
                    };
                    self.push(Decimal::int(n as i64));
                }
            }
            b'X' => {
                if let Some(item) = self.pop() {
                    let n = match item {
                        Item::Number(n) => n.scale(),
                        Item::Text(_) => 0,
                    };
                    self.push(Decimal::int(n as i64));
                }
            }
            b'a' => {
                if let Some(item) = self.pop() {
                    let text = match item {
                        Item::Number(n) => vec![n.to_i64().unwrap_or(0) as u8],
                        Item::Text(text) => text.into_iter().take(1).collect(),
                    };
                    self.stack.push(Item::Text(text));
                }
            }
            b'x' => {
                if let Some(item) = self.pop() {
                    self.execute(item)?;
                }
            }
            b'<' | b'>' | b'=' => self.compare(command, false)?,
            b'!' => match self.peek() {
                Some(mark @ (b'<' | b'>' | b'=')) => {
                    self.next();
                    self.compare(mark, true)?;
                }
                _ => {
                    let mut command = Vec::new();
                    while let Some(b) = self.next().filter(|b| *b != b'\n') {
                        command.push(b);
                    }
                    let _ = self.out.flush();
                    match program::shell(&command, &[], Vec::new()) {
                        Ok(pid) => while wait(pid, 0) == Err(Errno::EINTR) {},
                        Err(e) => self.complain(&e.to_string()),
                    }
                }
            },
            b'?' => {
                let _ = self.out.flush();
                let mut line = Vec::new();
                if self.input.read_until(b'\n', &mut line).unwrap_or(false) {
                    self.execute(Item::Text(line))?;
                }
            }
            b'q' => {
                // This text and the one that called it.
                if self.running.len() <= 2 {
                    return Err(Stop::Quit);
                }
                self.running.truncate(self.running.len() - 2);
            }
            b'Q' => {
                if let Some(n) = self.pop_number().and_then(|n| n.to_i64()) {
                    if n < 1 {
                        self.complain("Q command requires a number >= 1");
                    } else {
                        // Where nothing called this text, there is nothing to go back to.
                        let deep = self.running.len();
                        let levels = usize::try_from(n).unwrap_or(usize::MAX);
                        self.running.truncate(if deep == 1 { 1 } else { deep.saturating_sub(levels) });
                    }
                }
            }
            other => {
                let text = if other.is_ascii_graphic() {
                    format!("'{}' (0{other:o}) unimplemented", char::from(other))
                } else {
                    format!("{} unimplemented", if other == 0 { "0".to_owned() } else { format!("0{other:o}") })
                };
                // GNU's puts its name there and the rest here.
                let _ = self.out.flush();
                report::plain("dc: ");
                self.out.write(text.as_bytes());
                self.out.byte(b'\n');
            }
        }
        Ok(())
    }

    fn array(&mut self, command: u8) {
        let Some(name) = self.register() else { return };
        let Some(index) = self.pop_number() else { return };
        let small = index.to_i64().and_then(|n| i32::try_from(n).ok());
        if small.is_none() {
            self.complain("value overflows simple integer; punting...");
        }
        let Some(index) = small.filter(|n| *n >= 0).map(i64::from) else {
            return self.complain("array index must be a nonnegative integer");
        };
        if command == b':' {
            if let Some(item) = self.pop() {
                self.registers.entry(name).or_default().array.insert(index, item);
            }
            return;
        }
        let item = self.registers.get(&name).and_then(|r| r.array.get(&index).cloned());
        self.stack.push(item.unwrap_or(Item::Number(Decimal::default())));
    }
}
