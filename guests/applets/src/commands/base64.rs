use crate::input::Input;
use crate::number;
use crate::options::{NO, Options, REQ};
use crate::quote::{self, locale};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: base64 [OPTION]... [FILE]
Base64 encode or decode FILE, or standard input, to standard output.

With no FILE, or when FILE is -, read standard input.

  -d, --decode          decode data
  -i, --ignore-garbage  when decoding, ignore non-alphabet characters
  -w, --wrap=COLS       wrap encoded lines after COLS character (default 76).
                          Use 0 to disable line wrapping
      --help        display this help and exit
      --version     output version information and exit
";

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn main(args: &Args) -> Outcome {
    let long = &[("decode", NO, 'd'), ("ignore-garbage", NO, 'i'), ("wrap", REQ, 'w')];
    let mut options = Options::new(args, "diw:", long);
    let (mut decode_it, mut ignore, mut wrap) = (false, false, 76);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'd' => decode_it = true,
            'i' => ignore = true,
            _ => {
                wrap = match number::unsigned(opt.value(), b"") {
                    Ok(n) => n,
                    Err(number::Bad::Overflow) => 0,
                    Err(bad) => return Err(number::complain(1, "invalid wrap size", opt.value(), bad)),
                };
            }
        }
    }
    let operands = options.operands();
    if let Some(extra) = operands.get(1) {
        return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
    }
    let name: &[u8] = operands.first().copied().unwrap_or(b"-");
    let mut input = Input::open(name).map_err(|e| report::die(1, format_args!("{}: {e}", quote::name(name))))?;
    let mut out = Out::stdout();
    let mut fill = |held: &mut Vec<u8>| -> Result<bool, Exit> {
        let block = input.stream.fill().map_err(|e| report::die(1, format_args!("read error: {e}")))?;
        held.extend_from_slice(block);
        let n = block.len();
        input.stream.consume(n);
        Ok(n > 0)
    };
    if decode_it {
        decode(&mut fill, ignore, &mut out)?;
    } else {
        encode(&mut fill, wrap as usize, &mut out)?;
    }
    report::finish(&mut out, 0)
}

type Fill<'a> = &'a mut dyn FnMut(&mut Vec<u8>) -> Result<bool, Exit>;

fn encode(fill: Fill<'_>, wrap: usize, out: &mut Out) -> Result<(), Exit> {
    let (mut held, mut text, mut column) = (Vec::new(), Vec::new(), 0);
    loop {
        let more = fill(&mut held)?;
        let whole = if more { held.len() / 3 * 3 } else { held.len() };
        for chunk in held[..whole].chunks(3) {
            let word = chunk.iter().fold(0u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
            for i in 0..4 {
                let letter = LETTERS[(word >> (18 - 6 * i) & 63) as usize];
                text.push(if i <= chunk.len() { letter } else { b'=' });
            }
        }
        held.drain(..whole);
        if wrap == 0 {
            out.write(&text);
            column += text.len();
        } else {
            let mut rest = text.as_slice();
            while !rest.is_empty() {
                let n = rest.len().min(wrap - column);
                out.write(&rest[..n]);
                column += n;
                rest = &rest[n..];
                if column == wrap {
                    out.byte(b'\n');
                    column = 0;
                }
            }
        }
        text.clear();
        if !more {
            if wrap > 0 && column > 0 {
                out.byte(b'\n');
            }
            return Ok(());
        }
        report::writable(out)?;
    }
}

fn decode(fill: Fill<'_>, ignore: bool, out: &mut Out) -> Result<(), Exit> {
    let mut values = [255u8; 256];
    LETTERS.iter().enumerate().for_each(|(i, b)| values[usize::from(*b)] = i as u8);
    let (mut held, mut group) = (Vec::new(), Vec::with_capacity(4));
    let invalid = |out: &mut Out| {
        let _ = out.flush();
        report::die(1, "invalid input")
    };
    loop {
        let more = fill(&mut held)?;
        for &byte in &held {
            let known = values[usize::from(byte)] < 64 || byte == b'=';
            if byte == b'\n' || (ignore && !known) {
                continue;
            }
            if !known {
                flush_group(&group, &values, out);
                return Err(invalid(out));
            }
            group.push(byte);
            if group.len() == 4 {
                if !flush_group(&group, &values, out) {
                    return Err(invalid(out));
                }
                group.clear();
            }
        }
        held.clear();
        if !more {
            if !group.is_empty() {
                flush_group(&group, &values, out);
                return Err(invalid(out));
            }
            return Ok(());
        }
        report::writable(out)?;
    }
}

/// Up to four letters as bytes; whether they were a whole group.
fn flush_group(group: &[u8], values: &[u8; 256], out: &mut Out) -> bool {
    let letters = group.iter().take_while(|b| **b != b'=').count();
    let padded = group[letters..].iter().all(|b| *b == b'=');
    let word =
        group[..letters].iter().fold(0u32, |w, b| w << 6 | u32::from(values[usize::from(*b)])) << (6 * (4 - letters));
    let bytes = word.to_be_bytes();
    out.write(&bytes[1..1 + (letters * 6 / 8).min(3)]);
    group.len() == 4 && padded && letters >= 2
}
