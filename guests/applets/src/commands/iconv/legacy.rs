//! Encodings of one country or maker, by the tables of encoding_rs, one character at a time.

use super::charset::Broken;
use encoding_rs::{DecoderResult, EncoderResult, Encoding};

/// The bytes of the longest character.
const LONGEST: usize = 4;

/// The first character of a text, and its length.
pub fn decode(encoding: &'static Encoding, text: &[u8]) -> Result<(char, usize), Broken> {
    if text[0].is_ascii() {
        return Ok((text[0].into(), 1));
    }
    for length in 1..=LONGEST.min(text.len()) {
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let mut out = [0; 16];
        let (result, _, written) = decoder.decode_to_utf8_without_replacement(&text[..length], &mut out, false);
        if let DecoderResult::Malformed(..) = result {
            return Err(Broken::Bad(1));
        }
        let mut found = std::str::from_utf8(&out[..written]).unwrap_or_default().chars();
        match (found.next(), found.next()) {
            (None, _) => {}
            // Control characters stand where the web wants no byte to be an error.
            (Some('\u{80}'..='\u{9f}'), None) if strict(encoding) => return Err(Broken::Bad(1)),
            (Some(c), None) => return Ok((c, length)),
            // Two characters for one code: they could not be told apart from two of their own.
            (Some(_), Some(_)) => return Err(Broken::Bad(length)),
        }
    }
    Err(if text.len() < LONGEST { Broken::Short } else { Broken::Bad(1) })
}

/// Writes a character; whether there is such a one.
pub fn encode(encoding: &'static Encoding, c: char, to: &mut Vec<u8>) -> bool {
    if matches!(c, '\u{80}'..='\u{9f}') && strict(encoding) {
        return false;
    }
    let (mut text, mut out) = ([0; 4], [0; 16]);
    let mut encoder = encoding.new_encoder();
    let text = c.encode_utf8(&mut text);
    match encoder.encode_from_utf8_without_replacement(text, &mut out, true) {
        (EncoderResult::InputEmpty, _, written) => {
            to.extend_from_slice(&out[..written]);
            true
        }
        _ => false,
    }
}

/// Code pages of Windows and the like leave bytes without a meaning; the standards of ISO have control characters there.
fn strict(encoding: &'static Encoding) -> bool {
    !encoding.name().starts_with("ISO-8859") && encoding != encoding_rs::GB18030
}
