//! A pattern with back-references, made wider until it has none: what does not match it needs no backtracking.

use crate::node::Node;

/// Larger is not worth it.
const MAX_SIZE: usize = 10_000;

/// In the place of each back-reference is what its group can match.
pub fn relax(node: &Node) -> Option<Node> {
    let mut relax = Relax { groups: Vec::new(), size: 0 };
    let node = relax.node(node);
    (relax.size <= MAX_SIZE).then_some(node)
}

struct Relax {
    groups: Vec<(usize, Node)>,
    size: usize,
}

impl Relax {
    fn node(&mut self, node: &Node) -> Node {
        self.size += 1;
        if self.size > MAX_SIZE {
            return Node::Empty;
        }
        match node {
            Node::Back(n) => {
                // A number may be that of several groups.
                let mut all: Vec<Node> =
                    self.groups.iter().filter(|group| group.0 == *n).map(|group| group.1.clone()).collect();
                let copy = if all.len() == 1 { all.remove(0) } else { Node::Alt(all) };
                copy.any(&mut |_| {
                    self.size += 1;
                    false
                });
                copy
            }
            Node::Group(n, inner) => {
                let inner = self.node(inner);
                self.groups.push((*n, without_looks(&inner)));
                inner
            }
            Node::Cat(all) => Node::Cat(all.iter().map(|node| self.node(node)).collect()),
            Node::Alt(all) => Node::Alt(all.iter().map(|node| self.node(node)).collect()),
            Node::Repeat(inner, least, most) => Node::Repeat(Box::new(self.node(inner)), *least, *most),
            other => other.clone(),
        }
    }
}

/// What held around the group need not hold where it is repeated.
fn without_looks(node: &Node) -> Node {
    match node {
        Node::Look(_) => Node::Empty,
        Node::Group(n, inner) => Node::Group(*n, Box::new(without_looks(inner))),
        Node::Cat(all) => Node::Cat(all.iter().map(without_looks).collect()),
        Node::Alt(all) => Node::Alt(all.iter().map(without_looks).collect()),
        Node::Repeat(inner, least, most) => Node::Repeat(Box::new(without_looks(inner)), *least, *most),
        other => other.clone(),
    }
}
