//! Bytes as text, with jq's idea of what is replaced where they are not UTF-8.

/// The text of bytes. What is not UTF-8 becomes U+FFFD: one for each sequence that stops too early, and one for all of
/// a sequence that the end cuts off or that stands for no character.
pub fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| mended(e.as_bytes()))
}

fn mended(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&lead) = rest.first() {
        let length = match lead {
            0..=0x7f => 1,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 0,
        };
        let used = match length {
            0 => 1,
            _ if length > rest.len() => rest.len(),
            _ => 1 + rest[1..length].iter().take_while(|&&b| b & 0xc0 == 0x80).count(),
        };
        match std::str::from_utf8(&rest[..used]) {
            Ok(good) => out.push_str(good),
            Err(_) => out.push(char::REPLACEMENT_CHARACTER),
        }
        rest = &rest[used..];
    }
    out
}
