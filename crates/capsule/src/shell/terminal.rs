//! What a guest may send to the terminal. Text and colours pass; everything else that begins with an escape is taken out:
//! moving the cursor could forge what the user reads, and some sequences make a terminal type back. What passes is valid
//! UTF-8: a byte on its own could be a control to a terminal of another mind.

/// Filters a stream of bytes; a sequence or a character may be cut anywhere between two calls.
#[derive(Default)]
pub struct Filter {
    state: State,
    /// The parameters of a control sequence that may turn out to be a colour.
    held: Vec<u8>,
    /// The beginning of a character of several bytes.
    part: Vec<u8>,
    /// A colour has passed, which somebody has to end.
    pub coloured: bool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC `[`.
    Control,
    /// In a string (OSC, DCS, APC, PM, SOS), up to BEL or ESC `\`.
    String,
    /// After ESC in a string.
    StringEscape,
}

/// A colour has a handful of parameters.
const MOST_HELD: usize = 64;

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

impl Filter {
    pub fn pass(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for &byte in bytes {
            match (self.state, byte) {
                (State::Text, 0x80..) => self.beyond_ascii(byte, out),
                _ => {
                    self.finish(out);
                    self.state = self.step(byte, out);
                }
            }
        }
    }

    /// A character that was begun does not go on.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if !self.part.is_empty() {
            self.part.clear();
            out.extend_from_slice(REPLACEMENT);
        }
    }

    fn beyond_ascii(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte & 0xc0 != 0x80 {
            self.finish(out);
        }
        self.part.push(byte);
        match std::str::from_utf8(&self.part) {
            Ok(character) => {
                match character.chars().next() {
                    // The controls of one byte, as characters.
                    Some('\u{9b}') => self.begin_control(),
                    Some('\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}') => self.state = State::String,
                    Some('\u{80}'..='\u{9f}') => {}
                    _ => out.extend_from_slice(&self.part),
                }
                self.part.clear();
            }
            Err(error) if error.error_len().is_some() => self.finish(out),
            Err(_) => {}
        }
    }

    fn begin_control(&mut self) {
        self.held.clear();
        self.state = State::Control;
    }

    fn step(&mut self, byte: u8, out: &mut Vec<u8>) -> State {
        match (self.state, byte) {
            (State::Text | State::Escape, 0x1b) => State::Escape,
            (State::Text, b'\n' | b'\t' | b'\r' | 0x07 | 0x08 | 0x20..=0x7e) => {
                out.push(byte);
                State::Text
            }
            (State::Text, _) => State::Text,
            (State::Escape, b'[') => {
                self.begin_control();
                State::Control
            }
            (State::Escape, b']' | b'P' | b'_' | b'^' | b'X') => State::String,
            // Intermediate bytes of a longer escape, as in `ESC ( B`.
            (State::Escape, 0x20..=0x2f) => State::Escape,
            (State::Escape, _) => State::Text,
            (State::Control, 0x1b) => State::Escape,
            (State::Control, b'0'..=b'9' | b';' | b':') if self.held.len() < MOST_HELD => {
                self.held.push(byte);
                State::Control
            }
            (State::Control, b'm') => {
                // Only digits and separators were held: anything else made it another sequence.
                if self.held.len() < MOST_HELD {
                    out.extend_from_slice(b"\x1b[");
                    out.extend_from_slice(&self.held);
                    out.push(b'm');
                    self.coloured = true;
                }
                State::Text
            }
            (State::Control, 0x40..=0x7e) => State::Text,
            // A private or unknown parameter: no colour any more.
            (State::Control, _) => {
                self.held.resize(MOST_HELD, b'?');
                State::Control
            }
            (State::String, 0x07) | (State::StringEscape, b'\\') => State::Text,
            (State::String | State::StringEscape, 0x1b) => State::StringEscape,
            (State::String | State::StringEscape, _) => State::String,
        }
    }
}

/// Text of the guest's for the terminal: several lines, colours.
pub fn safe(text: &str) -> String {
    let (mut filter, mut bytes) = (Filter::default(), Vec::new());
    filter.pass(text.as_bytes(), &mut bytes);
    filter.finish(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A name for the terminal: one may hold anything, and none of it but text is shown.
pub fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::Filter;

    fn filtered(parts: &[&[u8]]) -> Vec<u8> {
        let (mut filter, mut out) = (Filter::default(), Vec::new());
        parts.iter().for_each(|part| filter.pass(part, &mut out));
        filter.finish(&mut out);
        out
    }

    /// Wherever a stream is cut, the outcome is the same.
    fn check(given: &[u8], want: &[u8]) {
        assert_eq!(filtered(&[given]), want, "{given:?}");
        for at in 0..given.len() {
            assert_eq!(filtered(&[&given[..at], &given[at..]]), want, "{given:?} cut at {at}");
        }
    }

    #[test]
    fn text_and_colours_pass() {
        let text =
            "plain\r\n\tüñí€𝄞 \x1b[31mred\x1b[0m \x1b[1;38;5;9mx\x1b[m \x1b[4:3mcurly\x1b[38:2::1:2:3mrgb\x07\x08";
        check(text.as_bytes(), text.as_bytes());
    }

    #[test]
    fn everything_else_is_taken_out() {
        let cases: &[(&[u8], &[u8])] = &[
            (b"\x1b[2J\x1b[Hx", b"x"),
            (b"\x1b]0;title\x07x", b"x"),
            (b"\x1b]52;c;aGk=\x1b\\x", b"x"),
            (b"\x1bP+q\x1b\\x", b"x"),
            (b"\x1b_app\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\x", b"x"),
            (b"\x1b[?1049hx", b"x"),
            (b"\x1b[>4;1mx", b"x"),
            (b"\x1b[6nx", b"x"),
            (b"\x1b[1 qx", b"x"),
            (b"\x1b(Bx\x1bcy", b"xy"),
            (b"\x1b[1\x1b[2Jx", b"x"),
            (b"a\x00\x01\x0eb\x7f", b"ab"),
        ];
        for (given, want) in cases {
            check(given, want);
        }
        let long = [b"\x1b[".as_slice(), &[b'1'; 500], b"mx"].concat();
        check(&long, b"x");
    }

    #[test]
    fn controls_of_one_byte_are_taken_out() {
        check("\u{9b}2Jx\u{9b}31my".as_bytes(), b"x\x1b[31my");
        check("\u{9d}0;title\x07x\u{90}q\x1b\\y\u{85}\u{84}z".as_bytes(), b"xyz");
        // The same as bytes are no characters at all.
        check(b"\x9b2Jx", "\u{fffd}2Jx".as_bytes());
        check(b"\xe2\x82x\xff\xc0\x9b", "\u{fffd}x\u{fffd}\u{fffd}\u{fffd}".as_bytes());
    }
}
