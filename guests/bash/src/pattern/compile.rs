//! Text to nodes.

use super::{Bracket, Kind, Node, Pattern, PatternOptions};

/// Extended patterns nest at most this deep; deeper ones are taken literally.
const MAX_DEPTH: u32 = 60;

/// Parentheses that never close are read again as text. So often; behind that they are text at once, which keeps a long
/// pattern of them from taking for ever.
const ATTEMPTS: usize = 256;

pub fn compile(text: &[u8], options: PatternOptions) -> Pattern {
    let last = |byte: u8| text.iter().rposition(|b| *b == byte).map_or(0, |at| at + 1);
    let (brackets, parens) = (last(b']'), last(b')'));
    let mut compiler = Compiler { text, options, extended: false, attempts: ATTEMPTS, brackets, parens };
    let (nodes, _) = compiler.sequence(0, 0);
    Pattern { nodes, extended: compiler.extended, nocase: options.nocase, utf8: options.utf8 }
}

struct Compiler<'a> {
    text: &'a [u8],
    options: PatternOptions,
    extended: bool,
    attempts: usize,
    /// Behind the last `]` and the last `)`: what opens there never closes.
    brackets: usize,
    parens: usize,
}

impl Compiler<'_> {
    /// Nodes up to the end or, inside parentheses, up to `|` or `)`; where it stopped.
    fn sequence(&mut self, mut i: usize, depth: u32) -> (Vec<Node>, usize) {
        let mut nodes = Vec::new();
        while let Some(&b) = self.text.get(i) {
            if depth > 0 && matches!(b, b'|' | b')') {
                break;
            }
            if self.options.extglob && depth < MAX_DEPTH && self.text.get(i + 1) == Some(&b'(') {
                let kind = match b {
                    b'?' => Some(Kind::Optional),
                    b'*' => Some(Kind::ZeroOrMore),
                    b'+' => Some(Kind::OneOrMore),
                    b'@' => Some(Kind::One),
                    b'!' => Some(Kind::Not),
                    _ => None,
                };
                if let Some((choices, end)) = kind.and_then(|_| self.choices(i + 2, depth)) {
                    self.extended = true;
                    nodes.push(Node::Extended(kind.unwrap_or(Kind::One), choices));
                    i = end;
                    continue;
                }
            }
            i += 1;
            nodes.push(match b {
                b'*' => {
                    if matches!(nodes.last(), Some(Node::Star)) {
                        continue;
                    }
                    Node::Star
                }
                b'?' => Node::Any,
                b'[' if i >= self.brackets => Node::Byte(b'['),
                b'[' => match Bracket::parse(&self.text[i..], self.options.utf8) {
                    Some((bracket, len)) => {
                        i += len;
                        Node::Bracket(Box::new(bracket))
                    }
                    None => Node::Byte(b'['),
                },
                b'\\' if i < self.text.len() => {
                    i += 1;
                    Node::Byte(self.text[i - 1])
                }
                b => Node::Byte(b),
            });
        }
        (nodes, i)
    }

    /// After `x(`: the alternatives, and where the text goes on. None when the parenthesis never closes.
    fn choices(&mut self, mut i: usize, depth: u32) -> Option<(Vec<Vec<Node>>, usize)> {
        if i >= self.parens || self.attempts == 0 {
            return None;
        }
        let mut choices = Vec::new();
        loop {
            let (nodes, end) = self.sequence(i, depth + 1);
            choices.push(nodes);
            match self.text.get(end) {
                Some(b'|') => i = end + 1,
                Some(_) => return Some((choices, end + 1)),
                None => {
                    self.attempts = self.attempts.saturating_sub(1);
                    return None;
                }
            }
        }
    }
}
