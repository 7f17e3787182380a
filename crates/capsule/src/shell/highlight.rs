//! Colours for a line of shell while it is typed. Not a parser: it sees quotes, comments, variables and the words where a
//! command may stand, which is what helps the eye.

use nu_ansi_term::{Color, Style};
use parking_lot::Mutex;
use reedline::{Highlighter, StyledText};
use std::collections::HashSet;
use std::sync::Arc;

pub struct Colours {
    /// Commands that exist; a first word that is none of them is red.
    pub commands: Commands,
}

/// Filled while the user already types: the prompt does not wait for it.
pub type Commands = Arc<Mutex<HashSet<String>>>;

const KEYWORDS: &[&str] = &[
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "select",
    "function", "time", "coproc", "{", "}", "!", "[[", "]]",
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Plain,
    Command,
    Keyword,
    String,
    Variable,
    Operator,
    Comment,
}

impl Highlighter for Colours {
    fn highlight(&self, line: &str, _cursor: usize) -> StyledText {
        let mut text = StyledText::new();
        let commands = self.commands.lock();
        for (part, piece) in parts(line) {
            let style = match part {
                Part::Plain => Style::new(),
                Part::Command if piece.contains('/') || commands.contains(piece) => Color::Green.normal(),
                Part::Command => Color::Red.normal(),
                Part::Keyword => Color::Magenta.normal(),
                Part::String => Color::Yellow.normal(),
                Part::Variable => Color::Cyan.normal(),
                Part::Operator => Color::Blue.normal(),
                Part::Comment => Style::new().dimmed(),
            };
            text.push((style, piece.to_owned()));
        }
        text
    }
}

/// The line cut into pieces of one kind each; together they are the line again.
fn parts(line: &str) -> Vec<(Part, &str)> {
    let bytes = line.as_bytes();
    let (mut parts, mut at, mut command) = (Vec::new(), 0, true);
    while at < bytes.len() {
        let (part, end) = match bytes[at] {
            b' ' | b'\t' | b'\n' => {
                let end = span(bytes, at, |b| matches!(b, b' ' | b'\t' | b'\n'));
                command |= bytes[at..end].contains(&b'\n');
                (Part::Plain, end)
            }
            b'#' if at == 0 || bytes[at - 1].is_ascii_whitespace() => (Part::Comment, span(bytes, at, |b| b != b'\n')),
            b'\'' => (Part::String, closed(bytes, at + 1, b'\'', false)),
            b'"' => (Part::String, closed(bytes, at + 1, b'"', true)),
            b'$' => (Part::Variable, variable(bytes, at)),
            b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' => {
                let end = span(bytes, at, |b| matches!(b, b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>'));
                // After a redirection stands a file.
                command = !matches!(bytes[end - 1], b'<' | b'>' | b')');
                (Part::Operator, end)
            }
            _ => {
                let end = word(bytes, at);
                let text = &line[at..end];
                let assignment = text.split_once('=').is_some_and(|(name, _)| is_name(name));
                let part = match (command, KEYWORDS.contains(&text)) {
                    (true, true) => Part::Keyword,
                    (true, false) if assignment => Part::Variable,
                    (true, false) => {
                        command = false;
                        Part::Command
                    }
                    _ => Part::Plain,
                };
                (part, end)
            }
        };
        // Quotes, variables and the rest of a command's word keep the word going.
        if matches!(part, Part::String | Part::Variable) && !(part == Part::Variable && bytes[at] != b'$') {
            command = false;
        }
        parts.push((part, &line[at..end]));
        at = end;
    }
    parts
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn span(bytes: &[u8], at: usize, inside: impl Fn(u8) -> bool) -> usize {
    at + bytes[at..].iter().take_while(|&&b| inside(b)).count()
}

/// After the closing quote, or the end of the line.
fn closed(bytes: &[u8], mut at: usize, quote: u8, escapes: bool) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b if b == quote => return at + 1,
            b'\\' if escapes => at += 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn variable(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at + 1) {
        Some(b'{') => closed(bytes, at + 2, b'}', true),
        // What a substitution runs is coloured as the commands it holds.
        Some(b'(') => at + 1,
        Some(b) if b.is_ascii_alphabetic() || *b == b'_' => {
            span(bytes, at + 1, |b| b.is_ascii_alphanumeric() || b == b'_')
        }
        Some(b) if b.is_ascii_digit() || b"?!$#*@-".contains(b) => at + 2,
        _ => at + 1,
    }
}

/// To the end of a plain piece of a word.
fn word(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && !b" \t\n'\"$|&;()<>".contains(&bytes[at]) {
        // The character behind a backslash belongs to it, whatever it is and however long.
        at += if bytes[at] == b'\\' { 2 } else { 1 };
        while at < bytes.len() && bytes[at] & 0xc0 == 0x80 {
            at += 1;
        }
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::{Part, parts};

    #[test]
    fn the_pieces_are_the_line() {
        for line in ["", "ls -l", "echo 'a", "a=\"$b\" c | d > e # f", "\\é x\\", "if x; then y; fi", "${a", "é$é'ü'"]
        {
            let joined: String = parts(line).iter().map(|(_, piece)| *piece).collect();
            assert_eq!(joined, line);
        }
    }

    #[test]
    fn commands_stand_where_they_may() {
        let commands = |line: &str| -> Vec<String> {
            parts(line).iter().filter(|(part, _)| *part == Part::Command).map(|(_, p)| (*p).to_owned()).collect()
        };
        assert_eq!(commands("ls a | wc -l && x=1 make; (cd y)"), ["ls", "wc", "make", "cd"]);
        assert_eq!(commands("if true; then echo a > out; fi"), ["true", "echo"]);
        assert_eq!(commands("echo $(date +%s) 'ls'"), ["echo", "date"]);
    }
}
