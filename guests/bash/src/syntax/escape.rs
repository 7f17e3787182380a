//! Backslash escapes of `$'…'`, `echo -e`, `printf` and `${x@E}`.

/// Whose rules: they differ in octal, in quotes and in `\c`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EscapeStyle {
    /// `$'…'`: `\nnn`, `\'`, `\"`, `\?`, `\cx`.
    Dollar,
    /// `echo -e` and `%b`: `\0nnn` only, `\c` ends the output.
    Echo,
    /// `%b` of printf: as echo, and `\nnn` too.
    PrintfB,
    /// A printf format: `\nnn`, `\"`, `\'`, `\?`.
    Format,
}

/// What an escape gave.
#[derive(Debug, PartialEq, Eq)]
pub enum Decoded {
    /// So many bytes of the text were taken.
    Taken(usize),
    /// `\c`: no output from here on.
    Stop,
}

/// Decodes the escape at the start of `text` (just after the backslash) into `out`.
pub fn decode_escape(text: &[u8], style: EscapeStyle, out: &mut Vec<u8>) -> Decoded {
    let Some(&b) = text.first() else {
        out.push(b'\\');
        return Decoded::Taken(0);
    };
    let simple = match b {
        b'a' => 7,
        b'b' => 8,
        b'e' | b'E' => 27,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'\\' => b'\\',
        b'\'' | b'"' | b'?' if matches!(style, EscapeStyle::Dollar | EscapeStyle::Format) => b,
        b'x' => {
            let (value, digits) = number(&text[1..], 16, 2);
            if digits == 0 {
                out.extend_from_slice(b"\\x");
                return Decoded::Taken(1);
            }
            out.push(value as u8);
            return Decoded::Taken(1 + digits);
        }
        b'u' | b'U' => {
            let (value, digits) = number(&text[1..], 16, if b == b'u' { 4 } else { 8 });
            if digits == 0 {
                out.extend_from_slice(&[b'\\', b]);
                return Decoded::Taken(1);
            }
            push_utf8(value, out);
            return Decoded::Taken(1 + digits);
        }
        b'c' if style == EscapeStyle::Dollar => {
            return match text.get(1) {
                Some(b'\\') if text.get(2) == Some(&b'\\') => {
                    out.push(b'\\' & 0x1f);
                    Decoded::Taken(3)
                }
                Some(&c) => {
                    out.push(if c == b'?' { 0x7f } else { c.to_ascii_uppercase() & 0x1f });
                    Decoded::Taken(2)
                }
                None => {
                    out.extend_from_slice(b"\\c");
                    Decoded::Taken(1)
                }
            };
        }
        b'c' if matches!(style, EscapeStyle::Echo | EscapeStyle::PrintfB) => return Decoded::Stop,
        b'0' if matches!(style, EscapeStyle::Echo | EscapeStyle::PrintfB) => {
            let (value, digits) = number(&text[1..], 8, 3);
            out.push(value as u8);
            return Decoded::Taken(1 + digits);
        }
        b'0'..=b'7' if style != EscapeStyle::Echo => {
            let (value, digits) = number(text, 8, 3);
            out.push(value as u8);
            return Decoded::Taken(digits);
        }
        // No escape: a conversion behind the backslash is one still.
        b'%' if style == EscapeStyle::Format => {
            out.push(b'\\');
            return Decoded::Taken(0);
        }
        _ => {
            out.extend_from_slice(&[b'\\', b]);
            return Decoded::Taken(1);
        }
    };
    out.push(simple);
    Decoded::Taken(1)
}

fn number(text: &[u8], base: u32, most: usize) -> (u32, usize) {
    let mut value = 0u32;
    let mut digits = 0;
    while digits < most {
        let Some(digit) = text.get(digits).and_then(|&b| (b as char).to_digit(base)) else { break };
        value = value.wrapping_mul(base).wrapping_add(digit);
        digits += 1;
    }
    (value, digits)
}

/// UTF-8 of any 31-bit number, surrogates included, as bash writes `\U`.
pub fn push_utf8(n: u32, out: &mut Vec<u8>) {
    let tail = |shift: u32| 0x80 | (n >> shift & 0x3f) as u8;
    match n {
        0..=0x7f => out.push(n as u8),
        0x80..=0x7ff => out.extend([0xc0 | (n >> 6) as u8, tail(0)]),
        0x800..=0xffff => out.extend([0xe0 | (n >> 12) as u8, tail(6), tail(0)]),
        0x1_0000..=0x1f_ffff => out.extend([0xf0 | (n >> 18) as u8, tail(12), tail(6), tail(0)]),
        0x20_0000..=0x3ff_ffff => out.extend([0xf8 | (n >> 24) as u8, tail(18), tail(12), tail(6), tail(0)]),
        _ => out.extend([0xfc | (n >> 30 & 1) as u8, tail(24), tail(18), tail(12), tail(6), tail(0)]),
    }
}
