//! Sizes in blocks or with letters, as `ls`, `du`, `df` show them.

use crate::number::{self, Bad};

/// The unit sizes are shown in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// So many bytes a block.
    Bytes(u64),
    /// So many bytes a block, with this letter behind: `--block-size=K`.
    Named(u64, &'static str),
    /// The letter that fits: by 1024 or by 1000.
    Auto(u64),
}

const LETTERS: &[u8] = b"KMGTPEZY";

impl Unit {
    /// The value of `--block-size` or of a `BLOCK_SIZE` variable.
    pub fn parse(text: &[u8]) -> Result<Unit, Bad> {
        // Either word may be cut short.
        if !text.is_empty() && b"human-readable".starts_with(text) {
            return Ok(Unit::Auto(1024));
        }
        if matches!(text, b"s" | b"si") {
            return Ok(Unit::Auto(1000));
        }
        let value = number::unsigned_as_c(text, b"EgGkKmMPtTYZ0")?;
        if value == 0 {
            return Err(Bad::Invalid);
        }
        if text.iter().any(u8::is_ascii_digit) {
            return Ok(Unit::Bytes(value));
        }
        let decimal = text.ends_with(b"B") && !text.ends_with(b"iB");
        let both = text.ends_with(b"iB");
        let names = [
            ["K", "kB", "KiB"],
            ["M", "MB", "MiB"],
            ["G", "GB", "GiB"],
            ["T", "TB", "TiB"],
            ["P", "PB", "PiB"],
            ["E", "EB", "EiB"],
        ];
        let row = LETTERS.iter().position(|l| *l == text[0].to_ascii_uppercase()).ok_or(Bad::Invalid)?;
        let name = names.get(row).ok_or(Bad::Overflow)?[if decimal { 1 } else { usize::from(both) * 2 }];
        Ok(Unit::Named(value, name))
    }

    /// Rounded up, as space is counted.
    pub fn show(self, bytes: u64) -> String {
        match self {
            Unit::Bytes(unit) => bytes.div_ceil(unit).to_string(),
            Unit::Named(unit, name) => format!("{}{name}", bytes.div_ceil(unit)),
            Unit::Auto(base) => auto(bytes, base),
        }
    }
}

/// With the letter that fits, rounded to what is nearest; halves go to the even digit.
pub fn nearest(bytes: u64, base: u64) -> String {
    if bytes < base {
        return bytes.to_string();
    }
    let (n, base) = (u128::from(bytes), u128::from(base));
    let divided = |n: u128, by: u128| {
        let (whole, rest) = (n / by, n % by);
        whole + u128::from(rest * 2 > by || (rest * 2 == by && whole % 2 == 1))
    };
    let mut scale = base;
    let mut letter = 0;
    while divided(n, scale) >= base {
        scale *= base;
        letter += 1;
    }
    let name = if base == 1000 && letter == 0 { 'k' } else { LETTERS[letter] as char };
    let tenths = divided(n * 10, scale);
    if tenths < 100 { format!("{}.{}{name}", tenths / 10, tenths % 10) } else { format!("{}{name}", divided(n, scale)) }
}

fn auto(bytes: u64, base: u64) -> String {
    if bytes < base {
        return bytes.to_string();
    }
    let (n, base) = (u128::from(bytes), u128::from(base));
    let mut scale = base;
    let mut letter = 0;
    // Rounding up may reach the next letter.
    while n.div_ceil(scale) >= base {
        scale *= base;
        letter += 1;
    }
    let name = if base == 1000 && letter == 0 { 'k' } else { LETTERS[letter] as char };
    let tenths = (n * 10).div_ceil(scale);
    if tenths < 100 { format!("{}.{}{name}", tenths / 10, tenths % 10) } else { format!("{}{name}", n.div_ceil(scale)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown() {
        let h = |n| Unit::Auto(1024).show(n);
        assert_eq!((h(0), h(1023), h(1024), h(1025)), ("0".into(), "1023".into(), "1.0K".into(), "1.1K".into()));
        assert_eq!((h(10240), h(10241), h(1_048_575)), ("10K".into(), "11K".into(), "1.0M".into()));
        assert_eq!(Unit::Auto(1000).show(1500), "1.5k");
        assert_eq!(Unit::parse(b"K"), Ok(Unit::Named(1024, "K")));
        assert_eq!(Unit::parse(b"1K"), Ok(Unit::Bytes(1024)));
        assert_eq!(Unit::parse(b"kB"), Ok(Unit::Named(1000, "kB")));
        assert_eq!(Unit::parse(b"x"), Err(Bad::Invalid));
    }
}
