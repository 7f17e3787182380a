//! Bytes as text: the bases of RFC 4648, bits, and ZeroMQ's 85. `base32`, `base64` and `basenc` are this with an alphabet.

use crate::input::Input;
use crate::number;
use crate::options::{Long, NO, Options, REQ, only};
use crate::quote::{self, locale};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::Out;

/// An alphabet and how bytes are grouped for it.
#[derive(Debug)]
pub struct Code {
    letters: &'static [u8],
    /// Bytes of a group.
    bytes: usize,
    /// Letters of a group.
    width: usize,
    padded: bool,
    /// The lowest bit comes first.
    reversed: bool,
}

const fn code(letters: &'static [u8], bytes: usize, width: usize, padded: bool) -> Code {
    Code { letters, bytes, width, padded, reversed: false }
}

pub static BASE64: Code = code(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 3, 4, true);
pub static BASE64URL: Code = code(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 3, 4, true);
pub static BASE32: Code = code(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8, true);
pub static BASE32HEX: Code = code(b"0123456789ABCDEFGHIJKLMNOPQRSTUV", 5, 8, true);
pub static BASE16: Code = code(b"0123456789ABCDEF", 1, 2, false);
pub static BASE2MSBF: Code = code(b"01", 1, 8, false);
pub static BASE2LSBF: Code = Code { reversed: true, ..code(b"01", 1, 8, false) };
pub static Z85: Code =
    code(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#", 4, 5, false);

/// The names `basenc` has for them.
const NAMES: &[(&str, &Code)] = &[
    ("base64", &BASE64),
    ("base64url", &BASE64URL),
    ("base32", &BASE32),
    ("base32hex", &BASE32HEX),
    ("base16", &BASE16),
    ("base2msbf", &BASE2MSBF),
    ("base2lsbf", &BASE2LSBF),
    ("z85", &Z85),
];

const CHOICES: &[Long] = &[
    ("decode", NO, 'd'),
    ("wrap", REQ, 'w'),
    ("ignore-garbage", NO, 'i'),
    ("base64", NO, only(0)),
    ("base64url", NO, only(1)),
    ("base32", NO, only(2)),
    ("base32hex", NO, only(3)),
    ("base16", NO, only(4)),
    ("base2msbf", NO, only(5)),
    ("base2lsbf", NO, only(6)),
    ("z85", NO, only(7)),
];

/// The command of one alphabet, or of the one that an option names.
pub fn command(args: &Args, fixed: Option<&'static Code>) -> Outcome {
    let mut options = Options::new(args, "diw:", if fixed.is_some() { &CHOICES[..3] } else { CHOICES });
    let (mut decode, mut ignore, mut wrap, mut code) = (false, false, 76, fixed);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'd' => decode = true,
            'i' => ignore = true,
            'w' => {
                wrap = match number::unsigned(opt.value(), b"") {
                    Ok(n) => n,
                    Err(number::Bad::Overflow) => 0,
                    Err(bad) => return Err(number::complain(1, "invalid wrap size", opt.value(), bad)),
                };
            }
            letter => code = NAMES.get(letter as usize - only(0) as usize).map(|n| n.1),
        }
    }
    let Some(code) = code else { return Err(report::usage(1, "missing encoding type")) };
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
    if decode {
        Decoder::new(code).run(&mut fill, ignore, &mut out)?;
    } else {
        encode(code, &mut fill, usize::try_from(wrap).unwrap_or(0), &mut out)?;
    }
    report::finish(&mut out, 0)
}

type Fill<'a> = &'a mut dyn FnMut(&mut Vec<u8>) -> Result<bool, Exit>;

fn encode(code: &Code, fill: Fill<'_>, wrap: usize, out: &mut Out) -> Result<(), Exit> {
    let (mut held, mut text, mut column) = (Vec::new(), Vec::new(), 0);
    loop {
        let more = fill(&mut held)?;
        if !more && !held.is_empty() && !code.padded {
            let n = code.bytes;
            return Err(report::die(1, format_args!("invalid input (length must be multiple of {n} characters)")));
        }
        write_wrapped(&text, wrap, &mut column, out);
        text.clear();
        let whole = if more { held.len() / code.bytes * code.bytes } else { held.len() };
        code.encode(&held[..whole], &mut text);
        held.drain(..whole);
        if !more {
            write_wrapped(&text, wrap, &mut column, out);
            if wrap > 0 && column > 0 {
                out.byte(b'\n');
            }
            return Ok(());
        }
        report::writable(out)?;
    }
}

fn write_wrapped(mut text: &[u8], wrap: usize, column: &mut usize, out: &mut Out) {
    if wrap == 0 {
        return out.write(text);
    }
    while !text.is_empty() {
        let n = text.len().min(wrap - *column);
        out.write(&text[..n]);
        *column += n;
        text = &text[n..];
        if *column == wrap {
            out.byte(b'\n');
            *column = 0;
        }
    }
}

impl Code {
    /// Bits of a letter; none for 85 letters, which are digits of a number.
    fn bits(&self) -> u32 {
        if self.letters.len().is_power_of_two() { self.letters.len().trailing_zeros() } else { 0 }
    }

    fn encode(&self, bytes: &[u8], text: &mut Vec<u8>) {
        let whole = match (self.bits(), self.reversed) {
            (6, _) => self.encode_groups::<3, 4, 64>(bytes, text),
            (5, _) => self.encode_groups::<5, 8, 32>(bytes, text),
            (4, _) => self.encode_groups::<1, 2, 16>(bytes, text),
            _ => 0,
        };
        self.encode_any(&bytes[whole..], text);
    }

    /// Whole groups of a size that is known when this is compiled; how many bytes they are.
    fn encode_groups<const BYTES: usize, const WIDTH: usize, const LETTERS: usize>(
        &self,
        bytes: &[u8],
        text: &mut Vec<u8>,
    ) -> usize {
        let Ok(letters) = <&[u8; LETTERS]>::try_from(self.letters) else { return 0 };
        let (start, groups) = (text.len(), bytes.len() / BYTES);
        text.resize(start + groups * WIDTH, 0);
        for (chunk, place) in bytes.as_chunks::<BYTES>().0.iter().zip(text[start..].as_chunks_mut::<WIDTH>().0) {
            let mut word = chunk.iter().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
            for letter in place.iter_mut().rev() {
                *letter = letters[word as usize % LETTERS];
                word /= LETTERS as u64;
            }
        }
        groups * BYTES
    }

    fn encode_any(&self, bytes: &[u8], text: &mut Vec<u8>) {
        let (bits, mask) = (self.bits(), self.letters.len() as u64 - 1);
        for chunk in bytes.chunks(self.bytes) {
            let mut word = chunk.iter().fold(0u64, |w, b| w << 8 | u64::from(*b)) << (8 * (self.bytes - chunk.len()));
            if bits == 0 {
                let mut digits = [0; 5];
                for digit in digits.iter_mut().rev() {
                    *digit = self.letters[(word % 85) as usize];
                    word /= 85;
                }
                text.extend_from_slice(&digits);
                continue;
            }
            if self.reversed {
                word = u64::from((word as u8).reverse_bits());
            }
            let used = (chunk.len() * 8).div_ceil(bits as usize);
            for i in 1..=self.width {
                let letter = self.letters[(word >> (bits as usize * (self.width - i)) & mask) as usize];
                text.push(if i <= used { letter } else { b'=' });
            }
        }
    }
}

/// What a byte is, when it is no letter's value.
const UNKNOWN: u8 = 255;
const PAD: u8 = 254;

struct Decoder<'a> {
    code: &'a Code,
    values: [u8; 256],
    /// Values of a group that is not full.
    group: Vec<u8>,
}

impl<'a> Decoder<'a> {
    fn new(code: &'a Code) -> Decoder<'a> {
        let mut values = [UNKNOWN; 256];
        code.letters.iter().enumerate().for_each(|(i, b)| values[usize::from(*b)] = i as u8);
        if code.padded {
            values[usize::from(b'=')] = PAD;
        }
        Decoder { code, values, group: Vec::with_capacity(8) }
    }

    fn run(&mut self, fill: Fill<'_>, ignore: bool, out: &mut Out) -> Result<(), Exit> {
        let (mut held, mut bytes) = (Vec::new(), Vec::new());
        loop {
            let more = fill(&mut held)?;
            let good = self.block(&held, ignore, &mut bytes) && (more || self.end(&mut bytes));
            out.write(&bytes);
            if !good {
                let _ = out.flush();
                return Err(report::die(1, "invalid input"));
            }
            if !more {
                return Ok(());
            }
            held.clear();
            bytes.clear();
            report::writable(out)?;
        }
    }

    fn block(&mut self, block: &[u8], ignore: bool, bytes: &mut Vec<u8>) -> bool {
        let width = self.code.width;
        let mut rest = block;
        while let Some(&byte) = rest.first() {
            // Whole groups of letters need no looking at their ends.
            if self.group.is_empty() {
                let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let used = match (self.code.bits(), self.code.reversed) {
                    (6, _) => self.decode_groups::<3, 4, 64>(&rest[..line], bytes),
                    (5, _) => self.decode_groups::<5, 8, 32>(&rest[..line], bytes),
                    (4, _) => self.decode_groups::<1, 2, 16>(&rest[..line], bytes),
                    _ => 0,
                };
                rest = &rest[used..];
                if rest.is_empty() {
                    return true;
                }
            }
            let byte = rest.first().copied().unwrap_or(byte);
            rest = &rest[1..];
            let value = self.values[usize::from(byte)];
            if byte == b'\n' || (ignore && value == UNKNOWN) {
                continue;
            }
            if value == UNKNOWN {
                self.end(bytes);
                return false;
            }
            self.group.push(value);
            if self.group.len() == width {
                let good = self.full(bytes);
                self.group.clear();
                if !good {
                    return false;
                }
            }
        }
        true
    }

    /// Groups of nothing but letters; how many letters they are.
    fn decode_groups<const BYTES: usize, const WIDTH: usize, const LETTERS: usize>(
        &self,
        text: &[u8],
        bytes: &mut Vec<u8>,
    ) -> usize {
        let start = bytes.len();
        bytes.resize(start + text.len() / WIDTH * BYTES, 0);
        let mut groups = 0;
        for (letters, place) in text.as_chunks::<WIDTH>().0.iter().zip(bytes[start..].as_chunks_mut::<BYTES>().0) {
            let values = letters.map(|letter| self.values[usize::from(letter)]);
            if usize::from(values.iter().fold(0, |all, value| all | value)) >= LETTERS {
                break;
            }
            let mut word = values.iter().fold(0u64, |word, value| word * LETTERS as u64 + u64::from(*value));
            for byte in place.iter_mut().rev() {
                *byte = word as u8;
                word >>= 8;
            }
            groups += 1;
        }
        bytes.truncate(start + groups * BYTES);
        groups * WIDTH
    }

    fn push(&self, word: u64, count: usize, bytes: &mut Vec<u8>) {
        let word = if self.code.reversed { u64::from((word as u8).reverse_bits()) } else { word };
        bytes.extend_from_slice(&word.to_be_bytes()[8 - self.code.bytes..][..count]);
    }

    /// A group of the full width; what can be told of it is told even when it is wrong.
    fn full(&self, bytes: &mut Vec<u8>) -> bool {
        let bits = self.code.bits();
        if bits == 0 {
            let word = self.group.iter().fold(0u64, |w, v| w * 85 + u64::from(*v));
            if word > u64::from(u32::MAX) {
                return false;
            }
            self.push(word, 4, bytes);
            return true;
        }
        let letters = self.group.iter().take_while(|v| **v != PAD).count();
        let padding = self.group[letters..].iter().all(|v| *v == PAD);
        let word = self.group[..letters].iter().fold(0u64, |w, v| w << bits | u64::from(*v));
        let count = letters * bits as usize / 8;
        self.push(word << (bits as usize * (self.group.len().max(self.code.width) - letters)), count, bytes);
        // Only so many letters as the bytes need.
        padding && letters >= 2 && letters == (count * 8).div_ceil(bits as usize)
    }

    /// The end: whether no group is left open. Of a base64 group, the bytes that are whole are told.
    fn end(&mut self, bytes: &mut Vec<u8>) -> bool {
        if !self.group.is_empty() && self.code.width == 4 {
            self.full(bytes);
        }
        self.group.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        for (name, code) in NAMES {
            for length in [0usize, 4, 8, 40] {
                let data: Vec<u8> = (0..length).map(|i| (i * 37 + 5) as u8).collect();
                let (mut text, mut back) = (Vec::new(), Vec::new());
                code.encode(&data, &mut text);
                let mut decoder = Decoder::new(code);
                assert!(decoder.block(&text, false, &mut back) && decoder.end(&mut back), "{name}");
                assert_eq!(back, data, "{name}");
            }
        }
    }
}
