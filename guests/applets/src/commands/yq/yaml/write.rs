//! Values to YAML. What is as it was read keeps its comments, quotes, anchors and aliases.

use super::parse::{is_merge, key_text, merged};
use super::scalar::{is_block, quoted};
use super::{Document, Kind, Node, Notes, Style};
use capsule_jq::{Object, Value, json};
use std::collections::HashMap;
use std::rc::Rc;

/// Deeper values are written as JSON, which is YAML too and takes no stack.
const MAX_DEPTH: usize = 200;

/// What is kept of what was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keep {
    /// Quotes, flow and everything else.
    pub styles: bool,
    pub comments: bool,
    /// Anchors, aliases and merges; without them what they stand for is written out.
    pub anchors: bool,
}

impl Keep {
    pub const NOTHING: Keep = Keep { styles: false, comments: false, anchors: false };
}

pub struct Writer<'a> {
    indent: usize,
    keep: Keep,
    /// Parts that are still what was read, by where they are in memory.
    known: HashMap<usize, &'a Node>,
    out: String,
}

/// Where the parts of a value are in memory.
fn address(value: &Value) -> Option<usize> {
    match value {
        Value::Array(array) if !array.0.is_empty() => Some(Rc::as_ptr(array) as usize),
        Value::Object(object) if !object.is_empty() => Some(Rc::as_ptr(object) as usize),
        _ => None,
    }
}

impl<'a> Writer<'a> {
    pub fn new(indent: usize, keep: Keep) -> Writer<'a> {
        Writer { indent: indent.max(1), keep, known: HashMap::new(), out: String::new() }
    }

    /// The text of an output that was made of a document.
    pub fn write(mut self, value: &Value, source: Option<&'a Document>) -> String {
        let mut node = None;
        if let (Some(document), false) = (source, !self.keep.styles) {
            self.learn(&document.root);
            // A part that is found by itself is itself; anything else of the same kind is the document, changed.
            let same = value.kind() == document.root.value.kind() && value.is_container();
            node = self.find(value).or(same.then_some(&document.root));
        }
        let whole = node.is_some_and(|node| source.is_some_and(|document| std::ptr::eq(node, &document.root)));
        self.block(value, node, 0);
        if let (true, Some(document)) = (whole && self.keep.comments, source) {
            for comment in &document.after {
                self.out += comment;
                self.out.push('\n');
            }
        }
        self.out
    }

    fn learn(&mut self, node: &'a Node) {
        if let (Some(address), false) = (address(&node.value), matches!(node.kind, Kind::Alias(_))) {
            self.known.insert(address, node);
        }
        match &node.kind {
            Kind::Sequence { items, .. } => items.iter().for_each(|item| self.learn(item)),
            Kind::Mapping { entries, .. } => entries.iter().for_each(|(_, value)| self.learn(value)),
            _ => {}
        }
    }

    fn find(&self, value: &Value) -> Option<&'a Node> {
        self.known.get(&address(value)?).copied()
    }

    /// What was read here: the part itself, or what stood at this place.
    fn source(&self, value: &Value, place: Option<&'a Node>) -> Option<&'a Node> {
        let node = match place {
            Some(node) if node.value.is_same(value) => place,
            _ => self.find(value).or(place),
        };
        match node.map(|node| &node.kind) {
            // What it stands for has the comments and quotes of its anchor.
            Some(Kind::Alias(_)) if !self.keep.anchors => self.find(value),
            _ => node,
        }
    }

    fn pad(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n(' ', depth * self.indent));
    }

    fn before(&mut self, notes: Option<&Notes>, depth: usize) {
        for comment in notes.filter(|_| self.keep.comments).map_or(&[][..], |notes| &notes.before) {
            if !comment.is_empty() {
                self.pad(depth);
                self.out += comment;
            }
            self.out.push('\n');
        }
    }

    fn behind(&mut self, notes: Option<&Notes>) {
        let kept = notes.filter(|_| self.keep.comments);
        if let Some(comment) = kept.and_then(|notes| notes.behind.as_ref()) {
            self.out.push(' ');
            self.out += comment;
        }
        self.out.push('\n');
    }

    /// A value on lines of its own.
    fn block(&mut self, value: &Value, place: Option<&'a Node>, depth: usize) {
        let node = self.source(value, place);
        if !is_nested(value, node, depth) {
            self.pad(depth);
            self.inline(value, node, depth, None);
            return;
        }
        match value {
            Value::Object(object) => self.mapping(object, node, depth, false),
            Value::Array(array) => self.sequence(&array.0, node, depth),
            _ => {}
        }
    }

    fn mapping(&mut self, object: &Object, node: Option<&'a Node>, depth: usize, mut started: bool) {
        let entries = match node.map(|node| &node.kind) {
            Some(Kind::Mapping { entries, .. }) => &entries[..],
            _ => &[],
        };
        let mut places: HashMap<String, &'a (Node, Node)> = HashMap::new();
        for entry in entries.iter().filter(|(key, _)| !is_merge(key)) {
            places.insert(key_text(&entry.0.value), entry);
        }
        // What a merge brings in is told by the merge, as long as it all still holds.
        let brought: HashMap<String, Value> = merged(entries).into_iter().rev().collect();
        let holds = self.keep.anchors
            && brought.iter().all(|(key, value)| places.contains_key(key) || object.get(key) == Some(value));
        if holds {
            for (key, value) in entries.iter().filter(|(key, _)| is_merge(key)) {
                self.start(&key.notes, depth, &mut started);
                self.out += "<<:";
                self.after_key(&value.value, Some(value), depth, Some(&key.notes));
            }
        }
        for (key, value) in object.entries() {
            let entry = places.get(key.as_str()).copied();
            if holds && entry.is_none() && brought.contains_key(key.as_str()) {
                continue;
            }
            let empty = Notes::default();
            let notes = entry.map_or(&empty, |entry| &entry.0.notes);
            self.start(notes, depth, &mut started);
            match entry.map(|entry| &entry.0.kind) {
                Some(Kind::Scalar { text, style: Style::Plain }) if !text.is_empty() => self.out += text,
                Some(Kind::Scalar { style, .. }) => self.out += &quoted(key, Some(*style), true),
                _ => self.out += &quoted(key, None, false),
            }
            self.out.push(':');
            self.after_key(value, entry.map(|entry| &entry.1), depth, entry.map(|entry| &entry.0.notes));
        }
    }

    /// Comments and indentation of an entry; the first after a dash has them already.
    fn start(&mut self, notes: &Notes, depth: usize, started: &mut bool) {
        if std::mem::take(started) {
            return;
        }
        self.before(Some(notes), depth);
        self.pad(depth);
    }

    fn after_key(&mut self, value: &Value, place: Option<&'a Node>, depth: usize, notes: Option<&Notes>) {
        let node = self.source(value, place);
        if !is_nested(value, node, depth) {
            self.out.push(' ');
            self.inline(value, node, depth, notes);
            return;
        }
        self.properties(node);
        self.behind(notes);
        self.block(value, node, depth + 1);
    }

    /// The anchor and the tag of a container that follows on its own lines.
    fn properties(&mut self, node: Option<&Node>) {
        let Some(node) = node else { return };
        if let Some(anchor) = node.anchor.as_ref().filter(|_| self.keep.anchors) {
            self.out += &format!(" &{anchor}");
        }
        if let Some(tag) = node.tag.as_ref().filter(|tag| !tag.starts_with("!!")) {
            self.out += &format!(" {tag}");
        }
    }

    fn sequence(&mut self, items: &[Value], node: Option<&'a Node>, depth: usize) {
        let places = match node.map(|node| &node.kind) {
            Some(Kind::Sequence { items, .. }) => &items[..],
            _ => &[],
        };
        let mut aligned = 0;
        for (at, value) in items.iter().enumerate() {
            let place = align(value, places, &mut aligned)
                // Changed where it stands.
                .or_else(|| places.get(at).filter(|_| at >= aligned && items.len() == places.len()));
            let node = self.source(value, place);
            let notes = place.map(|place| &place.notes);
            self.before(notes, depth);
            self.pad(depth);
            self.out.push('-');
            if !is_nested(value, node, depth) {
                self.out.push(' ');
                self.inline(value, node, depth, notes);
                continue;
            }
            let bare = node.is_none_or(|node| node.anchor.is_none() && node.tag.is_none());
            match value {
                Value::Object(object) if bare && notes.is_none_or(|notes| notes.behind.is_none()) => {
                    // The first key stands behind the dash.
                    self.out.extend(std::iter::repeat_n(' ', self.indent - 1));
                    if self.indent == 1 {
                        self.out.push(' ');
                    }
                    self.mapping(object, node, depth + 1, true);
                }
                Value::Array(inner) if bare => {
                    self.out.push('\n');
                    self.sequence(&inner.0, node, depth + 1);
                }
                _ => {
                    self.properties(node);
                    self.behind(notes);
                    self.block(value, node, depth + 1);
                }
            }
        }
    }

    /// A value behind a key or a dash, with its newline.
    fn inline(&mut self, value: &Value, node: Option<&'a Node>, depth: usize, notes: Option<&Notes>) {
        let kept = node.filter(|node| node.value.is_same(value) || (!value.is_container() && node.value == *value));
        if let Some(Kind::Alias(name)) = kept.map(|node| &node.kind) {
            self.out += &format!("*{name}");
            return self.behind(notes);
        }
        if let Some(anchor) = node.and_then(|node| node.anchor.as_ref()).filter(|_| self.keep.anchors) {
            self.out += &format!("&{anchor} ");
        }
        if let Some(tag) = node.and_then(|node| node.tag.as_ref()).filter(|_| kept.is_some()) {
            self.out += &format!("{tag} ");
        }
        let style = match node.map(|node| &node.kind) {
            Some(Kind::Scalar { style, .. }) => Some(*style),
            _ => None,
        };
        match value {
            Value::String(text) if is_block(text, style) => return self.lines(text, style, depth, notes),
            Value::Array(_) | Value::Object(_) => self.flow(value, node, depth),
            _ => self.scalar(value, kept, style, false),
        }
        self.behind(notes);
    }

    fn scalar(&mut self, value: &Value, kept: Option<&Node>, style: Option<Style>, flow: bool) {
        match (value, kept.map(|node| &node.kind)) {
            // As it was written, if that holds here: 0x1f, ~, True, plain words.
            (Value::String(text), Some(Kind::Scalar { text: same, style: Style::Plain }))
                if text.as_str() == same && !(flow && same.contains([',', '[', ']', '{', '}'])) =>
            {
                self.out += text;
            }
            (Value::String(text), _) => self.out += &quoted(text, style, flow),
            (_, Some(Kind::Scalar { text, style: Style::Plain })) if !text.is_empty() => self.out += text,
            (Value::Null, Some(_)) => {
                // `key:` alone: take the blank back.
                if self.out.ends_with(' ') {
                    self.out.pop();
                }
            }
            (Value::Number(n), _) if n.is_nan() => self.out += ".nan",
            (Value::Number(n), _) if n.is_infinite() => self.out += if *n > 0.0 { ".inf" } else { "-.inf" },
            (other, _) => self.out += &json::to_string(other),
        }
    }

    /// A string as a block of lines. What was folded stays so while it is one line.
    fn lines(&mut self, text: &str, style: Option<Style>, depth: usize, notes: Option<&Notes>) {
        let body = text.trim_end_matches('\n');
        let mark = match text.len() - body.len() {
            0 => "|-",
            1 => "|",
            _ => "|+",
        };
        let folded = style == Some(Style::Folded) && !body.contains('\n');
        self.out += &if folded { mark.replace('|', ">") } else { mark.to_owned() };
        self.behind(notes);
        let kept = if mark == "|+" { &text[..text.len() - 1] } else { body };
        for line in kept.split('\n') {
            if !line.is_empty() {
                self.pad(depth + 1);
                self.out += line;
            }
            self.out.push('\n');
        }
    }

    fn flow(&mut self, value: &Value, node: Option<&'a Node>, depth: usize) {
        if depth >= MAX_DEPTH {
            self.out += &json::to_string(value);
            return;
        }
        let node = self.source(value, node);
        match value {
            Value::Array(array) => {
                let places = match node.map(|node| &node.kind) {
                    Some(Kind::Sequence { items, .. }) => &items[..],
                    _ => &[],
                };
                self.out.push('[');
                for (at, item) in array.0.iter().enumerate() {
                    self.out += if at > 0 { ", " } else { "" };
                    self.flow_part(item, places.get(at), depth + 1);
                }
                self.out.push(']');
            }
            Value::Object(object) => {
                let places = match node.map(|node| &node.kind) {
                    Some(Kind::Mapping { entries, .. }) => &entries[..],
                    _ => &[],
                };
                self.out.push('{');
                for (at, (key, item)) in object.entries().iter().enumerate() {
                    self.out += if at > 0 { ", " } else { "" };
                    self.out += &quoted(key, None, true);
                    self.out += ": ";
                    let place = places.iter().find(|(k, _)| key_text(&k.value) == key.as_str());
                    self.flow_part(item, place.map(|entry| &entry.1), depth + 1);
                }
                self.out.push('}');
            }
            _ => {}
        }
    }

    fn flow_part(&mut self, value: &Value, place: Option<&'a Node>, depth: usize) {
        let node = self.source(value, place);
        if let (true, Some(Kind::Alias(name))) =
            (node.is_some_and(|node| node.value == *value), node.map(|node| &node.kind))
        {
            self.out += &format!("*{name}");
            return;
        }
        if value.is_container() {
            return self.flow(value, node, depth);
        }
        let style = match node.map(|node| &node.kind) {
            Some(Kind::Scalar { style, .. }) => Some(*style),
            _ => None,
        };
        let kept = node.filter(|node| node.value == *value);
        self.scalar(value, kept, style, true);
    }
}

/// How far an item is looked for in what was read.
const ALIGNED: usize = 200;

/// Where an item stood before others were deleted or added: it keeps its own comments.
fn align<'a>(value: &Value, places: &'a [Node], from: &mut usize) -> Option<&'a Node> {
    let ahead = places.get(*from..)?;
    let found = ahead.iter().take(ALIGNED).position(|node| node.value.is_same(value) || node.value == *value)?;
    *from += found + 1;
    ahead.get(found)
}

/// Whether a value takes lines of its own.
fn is_nested(value: &Value, node: Option<&Node>, depth: usize) -> bool {
    let filled = match value {
        Value::Array(array) => !array.0.is_empty(),
        Value::Object(object) => !object.is_empty(),
        _ => return false,
    };
    let flow = match node.map(|node| &node.kind) {
        Some(Kind::Sequence { flow, .. } | Kind::Mapping { flow, .. }) => *flow,
        Some(Kind::Alias(_)) => node.is_some_and(|node| node.value.is_same(value)),
        _ => false,
    };
    filled && !flow && depth < MAX_DEPTH
}
