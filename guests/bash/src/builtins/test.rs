//! `test`, `[`.

use super::number;
use crate::exec::compare_files;
use crate::shell::{Flow, Shell, Unwind};

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    evaluate(shell, "test", &args[1..])
}

pub fn run_bracket(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    match args.split_last() {
        Some((last, rest)) if last == b"]" && !rest.is_empty() => evaluate(shell, "[", &rest[1..]),
        _ => {
            shell.complain("[", "missing `]'");
            Ok(2)
        }
    }
}

const BINARY: &[&[u8]] =
    &[b"=", b"==", b"!=", b"<", b">", b"-eq", b"-ne", b"-lt", b"-le", b"-gt", b"-ge", b"-nt", b"-ot", b"-ef"];

fn is_unary(text: &[u8]) -> bool {
    matches!(text, [b'-', letter] if b"abcdefghknoprstuvwxzGLNORS".contains(letter))
}

fn is_binary(text: &[u8]) -> bool {
    BINARY.contains(&text)
}

/// A failed evaluation: a message, or execution unwinds.
enum Stop {
    Message(Vec<u8>),
    Unwind(Unwind),
}

impl From<Unwind> for Stop {
    fn from(unwind: Unwind) -> Stop {
        Stop::Unwind(unwind)
    }
}

type Tested = Result<bool, Stop>;

fn evaluate(shell: &mut Shell, me: &str, args: &[Vec<u8>]) -> Flow<i32> {
    let args: Vec<&[u8]> = args.iter().map(Vec::as_slice).collect();
    let mut parser = Test { shell, args: &args, at: 0, depth: 0 };
    match parser.by_count() {
        Ok(true) => Ok(0),
        Ok(false) => Ok(1),
        Err(Stop::Message(message)) => {
            shell.complain(me, message);
            Ok(2)
        }
        Err(Stop::Unwind(Unwind::Discard)) => Ok(2),
        Err(Stop::Unwind(unwind)) => Err(unwind),
    }
}

struct Test<'a> {
    shell: &'a mut Shell,
    args: &'a [&'a [u8]],
    at: usize,
    depth: u32,
}

impl Test<'_> {
    /// POSIX's rules for up to four arguments, then the grammar.
    fn by_count(&mut self) -> Tested {
        let args = self.args;
        match args {
            [] => Ok(false),
            [one] => Ok(!one.is_empty()),
            [b"!", one] => Ok(one.is_empty()),
            [op, one] if is_unary(op) => self.unary(op, one),
            [op, _] => Err(message(&[op, b": unary operator expected"])),
            [left, op, right] if is_binary(op) => self.binary(left, op, right),
            [left, b"-a", right] => Ok(!left.is_empty() && !right.is_empty()),
            [left, b"-o", right] => Ok(!left.is_empty() || !right.is_empty()),
            [b"!", a, b] => {
                let inner = [*a, *b];
                Test { shell: self.shell, args: &inner, at: 0, depth: 0 }.by_count().map(|t| !t)
            }
            [b"(", one, b")"] => Ok(!one.is_empty()),
            [_, op, _] => Err(message(&[op, b": binary operator expected"])),
            [b"!", a, b, c] => {
                let inner = [*a, *b, *c];
                Test { shell: self.shell, args: &inner, at: 0, depth: 0 }.by_count().map(|t| !t)
            }
            [b"(", a, b, b")"] => {
                let inner = [*a, *b];
                Test { shell: self.shell, args: &inner, at: 0, depth: 0 }.by_count()
            }
            _ => {
                let value = self.or()?;
                if self.at < args.len() {
                    return Err(message(&[b"too many arguments"]));
                }
                Ok(value)
            }
        }
    }

    fn or(&mut self) -> Tested {
        self.depth += 1;
        if self.depth > 100 {
            return Err(message(&[b"too many arguments"]));
        }
        let mut value = self.and()?;
        while self.args.get(self.at) == Some(&&b"-o"[..]) {
            self.at += 1;
            let right = self.and()?;
            value = value || right;
        }
        self.depth -= 1;
        Ok(value)
    }

    fn and(&mut self) -> Tested {
        let mut value = self.term()?;
        while self.args.get(self.at) == Some(&&b"-a"[..]) {
            self.at += 1;
            let right = self.term()?;
            value = value && right;
        }
        Ok(value)
    }

    fn term(&mut self) -> Tested {
        let rest = &self.args[self.at.min(self.args.len())..];
        match rest {
            [] => Err(message(&[b"argument expected"])),
            [b"!", ..] => {
                self.at += 1;
                self.depth += 1;
                if self.depth > 100 {
                    return Err(message(&[b"too many arguments"]));
                }
                let value = self.term()?;
                self.depth -= 1;
                Ok(!value)
            }
            [left, op, right, ..] if is_binary(op) && (*left != b"(" || rest.len() == 3 && *right != b")") => {
                self.at += 3;
                self.binary(left, op, right)
            }
            [b"(", ..] => {
                self.at += 1;
                let value = self.or()?;
                if self.args.get(self.at) != Some(&&b")"[..]) {
                    return Err(message(&[b"`)' expected"]));
                }
                self.at += 1;
                Ok(value)
            }
            [op, one, ..] if is_unary(op) => {
                self.at += 2;
                self.unary(op, one)
            }
            [one, ..] => {
                self.at += 1;
                Ok(!one.is_empty())
            }
        }
    }

    fn unary(&mut self, op: &[u8], text: &[u8]) -> Tested {
        Ok(self.shell.unary_test(op[1], text)?)
    }

    fn binary(&mut self, left: &[u8], op: &[u8], right: &[u8]) -> Tested {
        Ok(match op {
            b"=" | b"==" => left == right,
            b"!=" => left != right,
            b"<" => self.shell.collate(left, right).is_lt(),
            b">" => self.shell.collate(left, right).is_gt(),
            b"-nt" | b"-ot" | b"-ef" => compare_files(op, left, right),
            _ => {
                let parse = |text: &[u8]| {
                    number(text)
                        .filter(|_| !text.ends_with(b"\n"))
                        .ok_or_else(|| message(&[text, b": integer expression expected"]))
                };
                let (a, b) = (parse(left)?, parse(right)?);
                crate::exec::compare_numbers(op, a, b)
            }
        })
    }
}

fn message(parts: &[&[u8]]) -> Stop {
    Stop::Message(parts.concat())
}
