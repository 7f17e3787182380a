//! Texts filled up to a width. The widths of the standard library end at 65 535, beyond which it panics; ours come from
//! users.

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
    }
}
