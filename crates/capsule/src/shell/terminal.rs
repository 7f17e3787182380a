//! What a guest may send to the terminal. Text and colours pass; everything else that begins with an escape is taken out:
//! moving the cursor could forge what the user reads, and some sequences make a terminal type back.

/// Filters a stream of bytes; a sequence may be cut anywhere between two calls.
#[derive(Default)]
pub struct Filter {
    state: State,
    /// The parameters of a control sequence that may turn out to be a colour.
    held: Vec<u8>,
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

impl Filter {
    pub fn pass(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for &byte in bytes {
            self.state = self.step(byte, out);
        }
    }

    fn step(&mut self, byte: u8, out: &mut Vec<u8>) -> State {
        match (self.state, byte) {
            (State::Text | State::Escape, 0x1b) => State::Escape,
            (State::Text, b'\n' | b'\t' | b'\r' | 0x07 | 0x08 | 0x20..=0x7e | 0x80..) => {
                out.push(byte);
                State::Text
            }
            (State::Text, _) => State::Text,
            (State::Escape, b'[') => {
                self.held.clear();
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
                if self.held.len() < MOST_HELD && !self.held.contains(&b'?') {
                    out.extend_from_slice(b"\x1b[");
                    out.extend_from_slice(&self.held);
                    out.push(b'm');
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

#[cfg(test)]
mod tests {
    use super::Filter;

    fn filtered(parts: &[&[u8]]) -> Vec<u8> {
        let (mut filter, mut out) = (Filter::default(), Vec::new());
        parts.iter().for_each(|part| filter.pass(part, &mut out));
        out
    }

    #[test]
    fn text_and_colours_pass() {
        let text = "a\tb\r\n\x1b[1;31mred\x1b[0m \x1b[m \x1b[38:2::1:2:3mü".as_bytes();
        assert_eq!(filtered(&[text]), text);
        // Cut anywhere, the outcome is the same.
        for at in 0..text.len() {
            assert_eq!(filtered(&[&text[..at], &text[at..]]), text);
        }
    }

    #[test]
    fn everything_else_is_taken_out() {
        let cases: &[(&[u8], &[u8])] = &[
            (b"\x1b[2J\x1b[Hx", b"x"),
            (b"\x1b]0;title\x07x", b"x"),
            (b"\x1b]52;c;aGk=\x1b\\x", b"x"),
            (b"\x1bP+q\x1b\\x", b"x"),
            (b"\x1b[?1049hx", b"x"),
            (b"\x1b[>4;1mx", b"x"),
            (b"\x1b[6nx", b"x"),
            (b"\x1b(Bx\x1bcy", b"xy"),
            (b"\x1b[1\x1b[2Jx", b"x"),
            (b"a\x00\x01\x0eb", b"ab"),
        ];
        for (given, want) in cases {
            assert_eq!(filtered(&[given]), *want, "{given:?}");
        }
        let long = [b"\x1b[".as_slice(), &[b'1'; 500], b"mx"].concat();
        assert_eq!(filtered(&[&long]), b"x");
    }
}
