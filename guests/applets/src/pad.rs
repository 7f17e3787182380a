//! Texts filled up to a width. The widths of the standard library end at 65 535, beyond which it panics; ours come from
//! users.

/// Widths and precisions end here: a field of a gigabyte is no output that anybody wants.
pub const WIDEST: usize = 1 << 24;

/// The width or precision whose digits begin at `at`; zero without any.
pub fn number(text: &[u8], at: &mut usize) -> usize {
    let mut value = 0;
    while let Some(d) = text.get(*at).filter(|b| b.is_ascii_digit()) {
        value = (value * 10 + usize::from(d - b'0')).min(WIDEST);
        *at += 1;
    }
    value
}

/// Blanks in front.
pub fn right(text: &str, width: usize) -> String {
    fill(' ', text, width) + text
}

/// Blanks behind.
pub fn left(text: &str, width: usize) -> String {
    text.to_owned() + &fill(' ', text, width)
}

/// Zeros in front.
pub fn zeros(text: &str, width: usize) -> String {
    fill('0', text, width) + text
}

fn fill(with: char, text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    std::iter::repeat_n(with, missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_than_the_standard_library_can() {
        assert_eq!(right("7", 100_000).len(), 100_000);
        assert_eq!(
            (left("ab", 4).as_str(), right("ab", 4).as_str(), zeros("ab", 4).as_str()),
            ("ab  ", "  ab", "00ab")
        );
        assert_eq!(right("abc", 1), "abc");
        let mut at = 1;
        assert_eq!((number(b"%12.3f", &mut at), at), (12, 3));
        assert_eq!((number(b"%99999999999999999999s", &mut 1), number(b"%s", &mut 1)), (WIDEST, 0));
    }
}
