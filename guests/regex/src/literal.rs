//! What every match of a pattern has: a literal, bytes it can start with.

use crate::node::{Look, Node};

/// What is known of all matches.
#[derive(Default, Debug)]
pub struct Facts {
    /// The pattern is this text and nothing else.
    pub exact: Option<Vec<u8>>,
    /// Every match starts with this.
    pub prefix: Vec<u8>,
    /// Every match has this somewhere.
    pub inside: Vec<u8>,
    /// The bytes a match can start with; none when it can be empty.
    pub first: Option<Box<[bool; 256]>>,
    /// Every match starts at the start of the text.
    pub anchored: bool,
}

impl Facts {
    pub fn new(node: &Node) -> Facts {
        let mut run = Run { text: Vec::new(), exact: true, prefix: None, best: Vec::new() };
        run.node(node);
        let exact = run.exact.then(|| run.text.clone());
        run.cut();
        let mut table = Box::new([false; 256]);
        let empty = first(node, &mut table);
        Facts {
            exact,
            prefix: run.prefix.unwrap_or_default(),
            inside: run.best,
            first: (!empty).then_some(table),
            anchored: anchored(node),
        }
    }
}

/// The literal that is being followed through a pattern.
struct Run {
    text: Vec<u8>,
    exact: bool,
    prefix: Option<Vec<u8>>,
    best: Vec<u8>,
}

impl Run {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Empty => {}
            Node::Byte(b) => self.text.push(*b),
            Node::Char(c) => self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            // A condition between two characters does not part them.
            Node::Look(_) => self.exact = false,
            Node::Group(_, inner) => self.node(inner),
            Node::Cat(all) => all.iter().for_each(|node| self.node(node)),
            Node::Repeat(inner, least, _) if *least > 0 => {
                self.node(inner);
                self.exact = false;
                self.cut();
            }
            Node::Any | Node::Set(_) | Node::Back(_) | Node::Alt(_) | Node::Repeat(..) => {
                self.exact = false;
                self.cut();
            }
        }
    }

    /// What comes next does not follow directly.
    fn cut(&mut self) {
        if self.prefix.is_none() {
            self.prefix = Some(self.text.clone());
        }
        if self.text.len() > self.best.len() {
            self.best = std::mem::take(&mut self.text);
        }
        self.text.clear();
    }
}

/// Adds the bytes that a match can start with; whether it can be empty.
fn first(node: &Node, table: &mut [bool; 256]) -> bool {
    match node {
        Node::Empty | Node::Look(_) => return true,
        Node::Byte(b) => table[usize::from(*b)] = true,
        Node::Char(c) => table[usize::from(c.encode_utf8(&mut [0; 4]).as_bytes()[0])] = true,
        Node::Any | Node::Back(_) => {
            table.fill(true);
            return matches!(node, Node::Back(_));
        }
        Node::Set(set) => {
            (0..=255).filter(|&b| set.has_byte(b)).for_each(|b| table[usize::from(b)] = true);
            if set.may_be_wide() {
                table[0xc2..=0xf4].fill(true);
            }
        }
        Node::Group(_, inner) => return first(inner, table),
        Node::Cat(all) => return all.iter().all(|node| first(node, table)),
        Node::Alt(all) => return all.iter().fold(false, |empty, node| first(node, table) | empty),
        Node::Repeat(inner, least, _) => return first(inner, table) | (*least == 0),
    }
    false
}

fn anchored(node: &Node) -> bool {
    match node {
        Node::Look(look) => matches!(look, Look::Start | Look::TextStart),
        Node::Group(_, inner) => anchored(inner),
        Node::Cat(all) => all.first().is_some_and(anchored),
        Node::Alt(all) => all.iter().all(anchored),
        Node::Repeat(inner, least, _) => *least > 0 && anchored(inner),
        _ => false,
    }
}
