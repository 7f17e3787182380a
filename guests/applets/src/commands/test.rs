use crate::quote::locale;
use crate::{Args, Exit, Outcome, options, report};
use capsule_sys::{FileType, R_OK, S_ISGID, S_ISUID, S_ISVTX, Stat, W_OK, X_OK, access, getids, isatty, lstat, stat};
use std::cmp::Ordering;

pub const HELP: &str = "\
Usage: test EXPRESSION
  or:  test
  or:  [ EXPRESSION ]
  or:  [ ]
  or:  [ OPTION
The status says whether EXPRESSION is true (0), false (1) or wrong (2).

      --help        print this help
      --version     print the version

An omitted EXPRESSION defaults to false.  Otherwise, EXPRESSION is true or
false and sets exit status.  It is one of:

  ( EXPRESSION )   ! EXPRESSION   EXPRESSION1 -a EXPRESSION2   E1 -o E2
  -n STRING   -z STRING   STRING1 = STRING2   STRING1 != STRING2
  INTEGER1 -eq INTEGER2, and -ge -gt -le -lt -ne;  -l STRING is its length
  FILE1 -ef FILE2   FILE1 -nt FILE2   FILE1 -ot FILE2
  -b -c -d -e -f -g -G -h -k -L -N -O -p -r -s -S -u -w -x FILE   -t FD
";

/// Neither true nor false.
const TROUBLE: u8 = 2;

pub fn main(args: &Args) -> Outcome {
    let mut words: Vec<&[u8]> = args.rest().iter().map(Vec::as_slice).collect();
    let bracket = args.argv.first().is_some_and(|name| name.ends_with(b"["));
    if bracket {
        if words.len() == 1 && matches!(words[0], b"--help" | b"--version") {
            options::only_operands(args, TROUBLE)?;
        }
        if words.pop() != Some(b"]") {
            return Err(report::die(TROUBLE, format_args!("missing {}", locale(b"]"))));
        }
    }
    if words.is_empty() {
        return Ok(1);
    }
    let mut test = Test { words: &words, at: 0, depth: 0 };
    let value = test.counted(words.len())?;
    if let Some(extra) = words.get(test.at) {
        return Err(report::die(TROUBLE, format_args!("extra argument {}", locale(extra))));
    }
    Ok(u8::from(!value))
}

struct Test<'a> {
    words: &'a [&'a [u8]],
    at: usize,
    depth: usize,
}

/// Parentheses inside each other: the stack ends some time.
const DEEPEST: usize = 1000;

fn is_unary(word: &[u8]) -> bool {
    matches!(word, [b'-', letter] if b"bcdefghknprstuwxzGLNOS".contains(letter))
}

fn is_binary(word: &[u8]) -> bool {
    matches!(
        word,
        b"=" | b"==" | b"!=" | b"-eq" | b"-ne" | b"-lt" | b"-le" | b"-gt" | b"-ge" | b"-nt" | b"-ot" | b"-ef"
    )
}

impl<'a> Test<'a> {
    fn word(&self, ahead: usize) -> Result<&'a [u8], Exit> {
        self.words.get(self.at + ahead).copied().ok_or_else(|| {
            let last = self.words.last().copied().unwrap_or_default();
            report::die(TROUBLE, format_args!("missing argument after {}", locale(last)))
        })
    }

    /// POSIX: what an expression of up to four words means depends on how many they are.
    fn counted(&mut self, count: usize) -> Result<bool, Exit> {
        match count {
            1 => {
                self.at += 1;
                Ok(!self.words[self.at - 1].is_empty())
            }
            2 => self.two(),
            3 => self.three(),
            4 if self.word(0)? == b"!" => {
                self.at += 1;
                Ok(!self.three()?)
            }
            4 if self.word(0)? == b"(" && self.word(3)? == b")" => {
                self.at += 1;
                let value = self.two()?;
                self.at += 1;
                Ok(value)
            }
            _ => self.or(),
        }
    }

    fn two(&mut self) -> Result<bool, Exit> {
        let (first, second) = (self.word(0)?, self.word(1)?);
        if first == b"!" {
            self.at += 2;
            return Ok(second.is_empty());
        }
        if first.len() == 2 && first[0] == b'-' {
            if is_unary(first) {
                return self.unary();
            }
            return Err(report::die(TROUBLE, format_args!("{}: unary operator expected", locale(first))));
        }
        Err(report::die(TROUBLE, format_args!("missing argument after {}", locale(second))))
    }

    fn three(&mut self) -> Result<bool, Exit> {
        let (first, second, third) = (self.word(0)?, self.word(1)?, self.word(2)?);
        if is_binary(second) {
            return self.binary(false);
        }
        if first == b"!" {
            self.at += 1;
            return Ok(!self.two()?);
        }
        if first == b"(" && third == b")" {
            self.at += 3;
            return Ok(!second.is_empty());
        }
        if second == b"-a" || second == b"-o" {
            return self.or();
        }
        Err(report::die(TROUBLE, format_args!("{}: binary operator expected", locale(second))))
    }

    fn or(&mut self) -> Result<bool, Exit> {
        let mut value = self.and()?;
        while self.words.get(self.at) == Some(&b"-o".as_slice()) {
            self.at += 1;
            value |= self.and()?;
        }
        Ok(value)
    }

    fn and(&mut self) -> Result<bool, Exit> {
        let mut value = self.term()?;
        while self.words.get(self.at) == Some(&b"-a".as_slice()) {
            self.at += 1;
            value &= self.term()?;
        }
        Ok(value)
    }

    fn term(&mut self) -> Result<bool, Exit> {
        let mut negated = false;
        while self.word(0)? == b"!" {
            negated = !negated;
            self.at += 1;
        }
        let left = self.words.len() - self.at;
        let first = self.word(0)?;
        let value = if first == b"(" {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(report::die(TROUBLE, "parentheses are nested too deeply"));
            }
            self.at += 1;
            self.word(0)?;
            let inside = self.words[self.at..].iter().take(4).position(|w| *w == b")");
            let value = match inside {
                Some(n @ 1..=4) => self.counted(n)?,
                _ => self.or()?,
            };
            match self.words.get(self.at) {
                Some(w) if *w == b")" => self.at += 1,
                Some(w) => {
                    let text = format!("{} expected, found {}", locale(b")"), locale(w));
                    return Err(report::die(TROUBLE, text));
                }
                None => return Err(report::die(TROUBLE, format_args!("{} expected", locale(b")")))),
            }
            self.depth -= 1;
            value
        } else if left >= 4 && first == b"-l" && is_binary(self.word(2)?) {
            self.binary(true)?
        } else if left >= 3 && is_binary(self.word(1)?) {
            self.binary(false)?
        } else if first.len() == 2 && first[0] == b'-' {
            if !is_unary(first) {
                return Err(report::die(TROUBLE, format_args!("{}: unary operator expected", locale(first))));
            }
            self.unary()?
        } else {
            self.at += 1;
            !first.is_empty()
        };
        Ok(value != negated)
    }

    fn unary(&mut self) -> Result<bool, Exit> {
        let (operator, operand) = (self.word(0)?[1], self.word(1)?);
        self.at += 2;
        let kind = |wanted: FileType| stat(operand).is_ok_and(|s| s.kind == wanted);
        let bit = |bit: u32| stat(operand).is_ok_and(|s| s.mode & bit != 0);
        Ok(match operator {
            b'n' => !operand.is_empty(),
            b'z' => operand.is_empty(),
            b'e' => stat(operand).is_ok(),
            b'f' => kind(FileType::Regular),
            b'd' => kind(FileType::Directory),
            b'b' => kind(FileType::BlockDevice),
            b'c' => kind(FileType::CharDevice),
            b'p' => kind(FileType::Fifo),
            b'S' => kind(FileType::Socket),
            b'h' | b'L' => lstat(operand).is_ok_and(|s| s.kind == FileType::Symlink),
            b's' => stat(operand).is_ok_and(|s| s.size > 0),
            b'g' => bit(S_ISGID),
            b'u' => bit(S_ISUID),
            b'k' => bit(S_ISVTX),
            b'r' => access(operand, R_OK).is_ok(),
            b'w' => access(operand, W_OK).is_ok(),
            b'x' => access(operand, X_OK).is_ok(),
            b'O' => matches!((stat(operand), getids()), (Ok(s), Ok((uid, _))) if s.uid == uid),
            b'G' => matches!((stat(operand), getids()), (Ok(s), Ok((_, gid))) if s.gid == gid),
            b'N' => stat(operand).is_ok_and(|s| s.mtime > s.atime),
            _ => isatty(integer(operand)?.parse().unwrap_or(-1)),
        })
    }

    fn binary(&mut self, length: bool) -> Result<bool, Exit> {
        let mut left = self.word(0)?.to_vec();
        if length {
            self.at += 1;
            left = self.word(0)?.len().to_string().into_bytes();
        }
        let operator = self.word(1)?;
        let mut right = self.word(2)?.to_vec();
        self.at += 3;
        if right == b"-l" && operator[0] == b'-' && self.at < self.words.len() {
            right = self.word(0)?.len().to_string().into_bytes();
            self.at += 1;
        }
        let files = || (stat(&left), stat(&right));
        let newer = |a: &capsule_sys::Result<Stat>, b: &capsule_sys::Result<Stat>| match (a, b) {
            (Ok(a), Ok(b)) => a.mtime > b.mtime,
            (Ok(_), Err(_)) => true,
            _ => false,
        };
        Ok(match operator {
            b"=" | b"==" => left == right,
            b"!=" => left != right,
            b"-ef" => matches!(files(), (Ok(a), Ok(b)) if (a.dev, a.ino) == (b.dev, b.ino)),
            b"-nt" => {
                let (a, b) = files();
                newer(&a, &b)
            }
            b"-ot" => {
                let (a, b) = files();
                newer(&b, &a)
            }
            _ => {
                let order = compare(&integer(&left)?, &integer(&right)?);
                match operator {
                    b"-eq" => order == Ordering::Equal,
                    b"-ne" => order != Ordering::Equal,
                    b"-lt" => order == Ordering::Less,
                    b"-le" => order != Ordering::Greater,
                    b"-gt" => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                }
            }
        })
    }
}

/// An integer of any length, without sign of plus and zeros in front.
fn integer(word: &[u8]) -> Result<String, Exit> {
    let text = word.trim_ascii();
    let (sign, digits) = match text.first() {
        Some(b'-') => ("-", &text[1..]),
        Some(b'+') => ("", &text[1..]),
        _ => ("", text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(report::die(TROUBLE, format_args!("invalid integer {}", locale(word))));
    }
    let digits = String::from_utf8_lossy(digits).trim_start_matches('0').to_owned();
    Ok(if digits.is_empty() { "0".to_owned() } else { format!("{sign}{digits}") })
}

fn compare(a: &str, b: &str) -> Ordering {
    match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (Some(a), Some(b)) => compare(b, a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
    }
}
