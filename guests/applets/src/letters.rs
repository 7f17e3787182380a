//! Capital and small letters, one for one, as the C library has them.

/// Letters changed; what is not a letter of this locale stays.
pub fn map_case(text: &[u8], utf8: bool, upper: bool) -> Vec<u8> {
    if !utf8 || text.is_ascii() {
        return if upper { text.to_ascii_uppercase() } else { text.to_ascii_lowercase() };
    }
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            // One for one, as towupper: a letter that would become two stays.
            let mut mapped: [Option<char>; 2] = [None, None];
            if upper {
                c.to_uppercase().take(2).zip(&mut mapped).for_each(|(c, slot)| *slot = Some(c));
            } else {
                c.to_lowercase().take(2).zip(&mut mapped).for_each(|(c, slot)| *slot = Some(c));
            }
            let c = if mapped[1].is_none() { mapped[0].unwrap_or(c) } else { c };
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
    out
}
