use crate::number::push_decimal;
use crate::options::{NO, Options};
use crate::quote::locale;
use crate::{Args, Outcome, report};
use capsule_sys::{In, Out, STDIN};

mod big;
mod prime;

pub const HELP: &str = "\
Usage: factor [OPTION] [NUMBER]...
Print the prime factors of each specified integer NUMBER.
Without NUMBER, they are read from standard input.

  -h, --exponents   print repeated factors as p^e
      --help        print this help
      --version     print the version

A number may have any length. How long it takes goes by its second largest
factor.
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "h", &[("exponents", NO, 'h')]);
    let mut exponents = false;
    while options.next()?.is_some() {
        exponents = true;
    }
    let operands = options.operands();
    let mut out = Out::stdout();
    let mut good = true;
    for operand in &operands {
        good &= one(operand, exponents, &mut out);
        report::writable(&out)?;
    }
    if operands.is_empty() {
        let (mut stream, mut line) = (In::new(STDIN), Vec::new());
        loop {
            line.clear();
            match stream.read_until(b'\n', &mut line) {
                Ok(true) => {}
                Ok(false) => break,
                Err(e) => return Err(report::die(1, format_args!("error reading input: {e}"))),
            }
            for word in line.split(|b| b" \t\n".contains(b)).filter(|w| !w.is_empty()) {
                good &= one(word, exponents, &mut out);
            }
            // Somebody may wait for the answer.
            if stream.buffered() == 0 {
                let _ = out.flush();
            }
            report::writable(&out)?;
        }
    }
    report::finish(&mut out, u8::from(!good))
}

fn one(text: &[u8], exponents: bool, out: &mut Out) -> bool {
    let blanks = text.iter().take_while(|b| **b == b' ').count();
    let digits = text[blanks..].strip_prefix(b"+").unwrap_or(&text[blanks..]);
    let complain = |out: &mut Out, what: &str| {
        let _ = out.flush();
        report::error(format_args!("{} {what}", locale(text)));
        false
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return complain(out, "is not a valid positive integer");
    }
    let number = digits.iter().try_fold(0u128, |n, d| n.checked_mul(10)?.checked_add(u128::from(d - b'0')));
    let zeros = digits.iter().take_while(|b| **b == b'0').count().min(digits.len() - 1);
    let digits = &digits[zeros..];
    match number {
        Some(n) => write(digits, &prime::factors(n), exponents, out, decimal),
        None => write(digits, &big::factors(digits), exponents, out, |n| n.to_string().into_bytes()),
    }
    true
}

fn write<N: PartialEq + Clone>(
    digits: &[u8],
    factors: &[N],
    exponents: bool,
    out: &mut Out,
    show: impl Fn(N) -> Vec<u8>,
) {
    let mut line = digits.to_vec();
    line.push(b':');
    let mut at = 0;
    while let Some(factor) = factors.get(at) {
        let times = factors[at..].iter().take_while(|f| *f == factor).count();
        line.push(b' ');
        line.extend(show(factor.clone()));
        if exponents && times > 1 {
            line.push(b'^');
            push_decimal(&mut line, times as u64);
        }
        at += if exponents { times } else { 1 };
    }
    line.push(b'\n');
    out.write(&line);
}

fn decimal(number: u128) -> Vec<u8> {
    match u64::try_from(number) {
        Ok(small) => {
            let mut text = Vec::new();
            push_decimal(&mut text, small);
            text
        }
        Err(_) => number.to_string().into_bytes(),
    }
}
