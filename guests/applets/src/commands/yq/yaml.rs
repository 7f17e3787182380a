//! YAML: documents as values, with what a value cannot tell (comments, quotes, anchors) beside them.

mod comments;
mod parse;
mod scalar;
mod write;

use capsule_jq::Value;
pub use parse::parse;
pub use scalar::resolve as plain;
pub use write::{Keep, Writer};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
}

/// A part of a document as it was written.
#[derive(Debug)]
pub struct Node {
    pub value: Value,
    pub kind: Kind,
    pub anchor: Option<String>,
    pub tag: Option<String>,
    /// What stands before and behind it; entries of mappings have that at their keys.
    pub notes: Notes,
    /// Its number, when it starts an entry.
    entry: Option<usize>,
}

#[derive(Debug)]
pub enum Kind {
    Scalar {
        text: String,
        style: Style,
    },
    /// A reference to an anchor of this name.
    Alias(String),
    Sequence {
        items: Vec<Node>,
        flow: bool,
    },
    Mapping {
        entries: Vec<(Node, Node)>,
        flow: bool,
    },
}

/// Comments, without their marks' indentation. An empty line is an empty comment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Notes {
    pub before: Vec<String>,
    pub behind: Option<String>,
}

#[derive(Debug)]
pub struct Document {
    pub root: Node,
    /// Comments after everything.
    pub after: Vec<String>,
}
