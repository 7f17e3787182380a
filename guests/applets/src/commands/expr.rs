use crate::quote::locale;
use crate::{Args, Exit, Outcome, options, report};
use capsule_regex::{Groups, Options, Regex};
use capsule_sys::Out;
use dashu_int::IBig;

pub const HELP: &str = "\
Usage: expr EXPRESSION
  or:  expr OPTION
Print the value of EXPRESSION to standard output.

      --help        print this help
      --version     print the version

By increasing precedence:

  ARG1 | ARG2   ARG1 & ARG2   ARG1 < <= = != >= > ARG2
  ARG1 + - ARG2   ARG1 * / % ARG2   STRING : REGEXP
  match STRING REGEXP   substr STRING POS LENGTH   index STRING CHARS
  length STRING   + TOKEN   ( EXPRESSION )

Status: 0 something other than empty or 0, 1 empty or 0, 2 an EXPRESSION that is
none, 3 an error.
";

const INVALID: u8 = 2;
const FAILED: u8 = 3;

#[derive(Clone)]
enum Value {
    Number(IBig),
    Text(Vec<u8>),
}

impl Value {
    fn text(&self) -> Vec<u8> {
        match self {
            Value::Number(n) => n.to_string().into_bytes(),
            Value::Text(t) => t.clone(),
        }
    }

    /// The number it is, or looks like.
    fn number(&self) -> Option<IBig> {
        match self {
            Value::Number(n) => Some(n.clone()),
            Value::Text(t) => {
                let digits = t.strip_prefix(b"-").unwrap_or(t);
                let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
                if plain { std::str::from_utf8(t).ok()?.parse().ok() } else { None }
            }
        }
    }

    fn is_null(&self) -> bool {
        match self {
            Value::Number(n) => n.is_zero(),
            Value::Text(t) => {
                let digits = t.strip_prefix(b"-").unwrap_or(t);
                t.is_empty() || (!digits.is_empty() && digits.iter().all(|b| *b == b'0'))
            }
        }
    }
}

struct Evaluator<'a> {
    words: &'a [Vec<u8>],
    at: usize,
    depth: usize,
}

/// Parentheses and prefix operators inside each other: the stack ends some time.
const DEEPEST: usize = 1000;

pub fn main(args: &Args) -> Outcome {
    let mut words = args.rest();
    if let [only] = words
        && (only == b"--help" || only == b"--version")
    {
        options::only_operands(args, INVALID)?;
    }
    if words.first().is_some_and(|w| w == b"--") {
        words = &words[1..];
    }
    if words.is_empty() {
        return Err(report::usage(INVALID, "missing operand"));
    }
    let mut evaluator = Evaluator { words, at: 0, depth: 0 };
    let value = evaluator.or(true)?;
    if let Some(extra) = words.get(evaluator.at) {
        let text = format!("syntax error: unexpected argument {}", locale(extra));
        return Err(report::die(INVALID, text));
    }
    let mut out = Out::stdout();
    out.write(&value.text());
    out.byte(b'\n');
    match out.flush() {
        Ok(()) => Ok(u8::from(value.is_null())),
        Err(e) => Err(report::die(FAILED, format_args!("write error: {e}"))),
    }
}

impl Evaluator<'_> {
    fn eat(&mut self, word: &[u8]) -> bool {
        let found = self.words.get(self.at).is_some_and(|w| w == word);
        self.at += usize::from(found);
        found
    }

    fn any(&mut self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|w| self.eat(w.as_bytes()))
    }

    /// What is not needed is read all the same, but nothing in it can fail.
    fn or(&mut self, wanted: bool) -> Result<Value, Exit> {
        let mut left = self.and(wanted)?;
        while self.eat(b"|") {
            let right = self.and(wanted && left.is_null())?;
            if left.is_null() {
                left = if right.is_null() { Value::Number(IBig::ZERO) } else { right };
            }
        }
        Ok(left)
    }

    fn and(&mut self, wanted: bool) -> Result<Value, Exit> {
        let mut left = self.compare(wanted)?;
        while self.eat(b"&") {
            let right = self.compare(wanted && !left.is_null())?;
            if left.is_null() || right.is_null() {
                left = Value::Number(IBig::ZERO);
            }
        }
        Ok(left)
    }

    fn compare(&mut self, wanted: bool) -> Result<Value, Exit> {
        let mut left = self.sum(wanted)?;
        while let Some(operator) = self.any(&["<=", "<", "==", "=", "!=", ">=", ">"]) {
            let right = self.sum(wanted)?;
            let order = match (left.number(), right.number()) {
                (Some(a), Some(b)) => a.cmp(&b),
                _ => left.text().cmp(&right.text()),
            };
            let holds = match operator {
                "<" => order.is_lt(),
                "<=" => order.is_le(),
                "=" | "==" => order.is_eq(),
                "!=" => order.is_ne(),
                ">=" => order.is_ge(),
                _ => order.is_gt(),
            };
            left = Value::Number(u8::from(holds).into());
        }
        Ok(left)
    }

    fn sum(&mut self, wanted: bool) -> Result<Value, Exit> {
        let mut left = self.product(wanted)?;
        while let Some(operator) = self.any(&["+", "-"]) {
            let right = self.product(wanted)?;
            left = arithmetic(operator, &left, &right, wanted)?;
        }
        Ok(left)
    }

    fn product(&mut self, wanted: bool) -> Result<Value, Exit> {
        let mut left = self.matching(wanted)?;
        while let Some(operator) = self.any(&["*", "/", "%"]) {
            let right = self.matching(wanted)?;
            left = arithmetic(operator, &left, &right, wanted)?;
        }
        Ok(left)
    }

    fn matching(&mut self, wanted: bool) -> Result<Value, Exit> {
        let mut left = self.primary(wanted)?;
        while self.eat(b":") {
            let right = self.primary(wanted)?;
            left = if wanted { matched(&left, &right)? } else { Value::Number(IBig::ZERO) };
        }
        Ok(left)
    }

    fn operand(&mut self, wanted: bool) -> Result<Value, Exit> {
        self.primary(wanted)
    }

    fn next(&mut self) -> Result<Vec<u8>, Exit> {
        let Some(word) = self.words.get(self.at) else {
            let last = self.words.last().map(Vec::as_slice).unwrap_or_default();
            let text = format!("syntax error: missing argument after {}", locale(last));
            return Err(report::die(INVALID, text));
        };
        self.at += 1;
        Ok(word.clone())
    }

    fn primary(&mut self, wanted: bool) -> Result<Value, Exit> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(report::die(INVALID, "syntax error: the expression is nested too deeply"));
        }
        let value = self.inner(wanted);
        self.depth -= 1;
        value
    }

    fn inner(&mut self, wanted: bool) -> Result<Value, Exit> {
        let word = self.next()?;
        match word.as_slice() {
            b"+" => self.next().map(Value::Text),
            b"length" => {
                let text = self.operand(wanted)?.text();
                Ok(Value::Number(length(&text).into()))
            }
            b"match" => {
                let (text, pattern) = (self.operand(wanted)?, self.operand(wanted)?);
                if wanted { matched(&text, &pattern) } else { Ok(Value::Number(IBig::ZERO)) }
            }
            b"index" => {
                let (text, set) = (self.operand(wanted)?.text(), self.operand(wanted)?.text());
                let found = characters(&text).iter().position(|c| characters(&set).contains(c));
                Ok(Value::Number(found.map_or(0, |i| i + 1).into()))
            }
            b"substr" => {
                let text = self.operand(wanted)?.text();
                let (from, count) = (self.operand(wanted)?.number(), self.operand(wanted)?.number());
                let all = characters(&text);
                // What is too large is behind the end.
                let position =
                    |n: Option<IBig>| n.filter(|n| *n > IBig::ZERO).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
                let part = match (position(from), position(count)) {
                    (Some(from), Some(count)) => {
                        let start = (from - 1).min(all.len());
                        all[start..start.saturating_add(count).min(all.len())].concat()
                    }
                    _ => Vec::new(),
                };
                Ok(Value::Text(part))
            }
            b"(" => {
                let value = self.or(wanted)?;
                if self.eat(b")") {
                    return Ok(value);
                }
                Err(report::die(
                    INVALID,
                    match self.words.get(self.at) {
                        Some(found) => format!("syntax error: expecting ')' instead of {}", locale(found)),
                        None => format!("syntax error: expecting ')' after {}", locale(&self.words[self.at - 1])),
                    },
                ))
            }
            b")" => Err(report::die(INVALID, "syntax error: unexpected ')'")),
            _ => Ok(Value::Text(word)),
        }
    }
}

/// Bytes, or characters where the locale has them.
fn characters(text: &[u8]) -> Vec<&[u8]> {
    if text.is_ascii() || !crate::quote::is_utf8() {
        return text.chunks(1).collect();
    }
    text.utf8_chunks()
        .flat_map(|chunk| {
            let valid = chunk.valid();
            let chars = valid.char_indices().map(move |(i, c)| &valid.as_bytes()[i..i + c.len_utf8()]);
            chars.chain(chunk.invalid().chunks(1))
        })
        .collect()
}

fn length(text: &[u8]) -> usize {
    characters(text).len()
}

fn matched(text: &Value, pattern: &Value) -> Result<Value, Exit> {
    let text = text.text();
    let options = Options { utf8: crate::quote::is_utf8(), lenient: true, ..Options::default() };
    let regex = Regex::new(&pattern.text(), &options).map_err(|error| report::die(INVALID, error))?;
    let mut groups = Groups::new();
    let whole = if regex.match_at(&text, 0, &mut groups) { groups[0] } else { None };
    if regex.group_count() > 0 {
        let first = groups[1].filter(|_| whole.is_some());
        return Ok(Value::Text(first.map_or(Vec::new(), |(from, to)| text[from..to].to_vec())));
    }
    Ok(Value::Number(whole.map_or(0, |(_, end)| length(&text[..end])).into()))
}

fn arithmetic(operator: &str, a: &Value, b: &Value, wanted: bool) -> Result<Value, Exit> {
    if !wanted {
        return Ok(Value::Number(IBig::ZERO));
    }
    let (Some(a), Some(b)) = (a.number(), b.number()) else {
        return Err(report::die(INVALID, "non-integer argument"));
    };
    let divides = matches!(operator, "/" | "%");
    if divides && b.is_zero() {
        return Err(report::die(INVALID, "division by zero"));
    }
    Ok(Value::Number(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        _ => a % b,
    }))
}
