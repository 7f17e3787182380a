//! Backslash escapes of formats and of `%b`.

/// Carries out the escape at the start of `text`; how long it was. An error is a message, or none for `\c`.
pub fn one(text: &[u8], octal_zero: bool, utf8: bool, out: &mut Vec<u8>) -> Result<usize, Option<String>> {
    let Some(&letter) = text.get(1) else {
        out.push(b'\\');
        return Ok(1);
    };
    let byte = match letter {
        b'"' => b'"',
        b'\\' => b'\\',
        b'a' => 7,
        b'b' => 8,
        b'c' => return Err(None),
        b'e' => 27,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'x' => {
            let (value, n) = digits(&text[2..], 2, 16);
            if n == 0 {
                return Err(Some("missing hexadecimal number in escape".to_owned()));
            }
            out.push(value as u8);
            return Ok(2 + n);
        }
        b'0'..=b'7' => {
            // In %b a zero comes before up to three digits.
            let skip = usize::from(octal_zero && letter == b'0');
            let (value, n) = digits(&text[1 + skip..], 3, 8);
            out.push(value as u8);
            return Ok(1 + skip + n);
        }
        b'u' | b'U' => {
            let want = if letter == b'u' { 4 } else { 8 };
            let (value, n) = digits(&text[2..], want, 16);
            if n < want {
                return Err(Some("missing hexadecimal number in escape".to_owned()));
            }
            let c = char::from_u32(value).filter(|_| value >= 0xa0 || matches!(value, 0x24 | 0x40 | 0x60));
            let Some(c) = c else {
                let name = crate::quote::raw(&text[..2 + n]);
                return Err(Some(format!("invalid universal character name {name}")));
            };
            if utf8 || c.is_ascii() {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                // A character the locale does not have is shown by its name.
                let name = if value < 0x10000 { format!("\\u{value:04X}") } else { format!("\\U{value:08X}") };
                out.extend_from_slice(name.as_bytes());
            }
            return Ok(2 + n);
        }
        other => {
            out.extend_from_slice(&[b'\\', other]);
            return Ok(2);
        }
    };
    out.push(byte);
    Ok(2)
}

fn digits(text: &[u8], most: usize, base: u32) -> (u32, usize) {
    let mut value = 0;
    let mut n = 0;
    while n < most
        && let Some(digit) = text.get(n).and_then(|b| char::from(*b).to_digit(base))
    {
        value = value * base + digit;
        n += 1;
    }
    (value, n)
}
