//! Text to documents.

use super::comments;
use super::scalar::resolve;
use super::{Document, Kind, Node, Notes, Style};
use capsule_jq::{Object, Value};
use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// How deep documents may nest: they are read and written by recursion.
const MAX_DEPTH: usize = 200;
/// How many values aliases may stand for: a few lines can ask for billions.
const MAX_EXPANDED: usize = 10_000_000;

struct Build<'a> {
    events: Vec<(Event<'a>, Span)>,
    at: usize,
    text: Vec<char>,
    /// What each anchor stands for: its name, its value, how many values that is.
    anchors: HashMap<usize, (String, Value, usize)>,
    expanded: usize,
    /// Scalars, where `#` is no comment.
    scalars: Vec<(usize, usize)>,
    /// Where each entry starts, in characters; they are numbered in the order they are met.
    entries: Vec<usize>,
}

/// All documents of a text.
pub fn parse(text: &str) -> Result<Vec<Document>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut events = Vec::new();
    for event in Parser::new_from_str(text) {
        events.push(event.map_err(|e| format!("yaml: {e}"))?);
    }
    let mut build = Build {
        events,
        at: 0,
        text: text.chars().collect(),
        anchors: HashMap::new(),
        expanded: 0,
        scalars: Vec::new(),
        entries: Vec::new(),
    };
    let mut documents = Vec::new();
    let mut bounds = Vec::new();
    while let Some((event, span)) = build.next() {
        if let Event::DocumentStart(_) = event {
            let from = (build.entries.len(), build.scalars.len(), span.start.index());
            build.anchors.clear();
            let root = build.node(0)?;
            documents.push(Document { root, after: Vec::new() });
            bounds.push(from);
        }
    }
    comments::attach(&mut documents, &bounds, &build.text, &build.scalars, &build.entries);
    Ok(documents)
}

impl<'a> Build<'a> {
    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        let event = self.events.get(self.at)?.clone();
        self.at += 1;
        Some(event)
    }

    fn peek(&self) -> Option<&(Event<'a>, Span)> {
        self.events.get(self.at)
    }

    fn slice(&self, from: usize, to: usize) -> String {
        self.text.get(from..to.min(self.text.len())).unwrap_or_default().iter().collect()
    }

    /// The anchor's name: it stands at the node's start, behind a tag, or somewhere before.
    fn anchor_name(&self, start: usize) -> String {
        let start = start.min(self.text.len());
        let line = self.text[start..].iter().take_while(|&&c| c != '\n');
        let ahead = line.clone().position(|&c| c == '&').filter(|_| matches!(self.text.get(start), Some('&' | '!')));
        let at = ahead.map(|n| start + n).or_else(|| self.text[..start].iter().rposition(|&c| c == '&'));
        let name = at.map_or(&[][..], |at| &self.text[at + 1..]);
        name.iter().take_while(|c| !c.is_whitespace() && !",[]{}".contains(**c)).collect()
    }

    /// Where a scalar ends; the end of a quoted one that the parser tells is that of the blanks behind it.
    fn scalar_end(&self, start: usize, end: usize, style: Style) -> usize {
        let quote = match style {
            Style::Single => '\'',
            Style::Double => '"',
            _ => return end,
        };
        let text = &self.text[..end.min(self.text.len())];
        let Some(open) = text.get(start..).and_then(|rest| rest.iter().position(|&c| c == quote)) else { return end };
        let mut at = start + open + 1;
        while at < text.len() {
            let doubled = style == Style::Single && text[at] == quote && text.get(at + 1) == Some(&quote);
            let escaped = style == Style::Double && text[at] == '\\';
            if text[at] == quote && !doubled {
                break;
            }
            at += if doubled || escaped { 2 } else { 1 };
        }
        at + 1
    }

    fn remember(&mut self, id: usize, start: usize, value: &Value, size: usize) -> Option<String> {
        if id == 0 {
            return None;
        }
        let name = self.anchor_name(start);
        self.anchors.insert(id, (name.clone(), value.clone(), size));
        Some(name)
    }

    /// Starts an entry; comments find it by this number.
    fn entry(&mut self) -> usize {
        self.entries.push(self.peek().map_or(0, |(_, span)| span.start.index()));
        self.entries.len() - 1
    }

    fn node(&mut self, depth: usize) -> Result<Node, String> {
        if depth > MAX_DEPTH {
            return Err("yaml: the document is nested too deeply".into());
        }
        let Some((event, span)) = self.next() else { return Err("yaml: the document ends early".into()) };
        let start = span.start.index();
        let before = self.expanded;
        self.expanded += 1;
        if self.expanded > MAX_EXPANDED {
            return Err("yaml: aliases stand for too many values".into());
        }
        match event {
            Event::Alias(id) => {
                let name = self.slice(start + 1, span.end.index()).trim().to_owned();
                let Some((_, value, size)) = self.anchors.get(&id) else {
                    return Err(format!("yaml: unknown anchor '{name}' referenced"));
                };
                self.expanded += size;
                Ok(plain_node(value.clone(), Kind::Alias(name)))
            }
            Event::Scalar(text, style, anchor, tag) => {
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::Single,
                    ScalarStyle::DoubleQuoted => Style::Double,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                };
                let end = self.scalar_end(start, span.end.index(), style);
                if start < end {
                    self.scalars.push((start, end));
                }
                let tag = tag_text(tag);
                let value = match (style, tag.as_deref()) {
                    (_, Some("!!str")) => text.as_ref().into(),
                    (Style::Plain, _) | (_, Some("!!int" | "!!float" | "!!bool" | "!!null")) => resolve(&text),
                    _ => text.as_ref().into(),
                };
                let anchor = self.remember(anchor, start, &value, 1);
                let kind = Kind::Scalar { text: text.into_owned(), style };
                Ok(Node { value, kind, anchor, tag, notes: Notes::default(), entry: None })
            }
            Event::SequenceStart(anchor, tag) => {
                let flow = self.text.get(start) == Some(&'[');
                let (mut items, mut values) = (Vec::new(), Vec::new());
                while !matches!(self.peek(), Some((Event::SequenceEnd, _)) | None) {
                    let id = self.entry();
                    let mut item = self.node(depth + 1)?;
                    item.entry = Some(id);
                    values.push(item.value.clone());
                    items.push(item);
                }
                self.next();
                let value = Value::array(values);
                let size = self.expanded - before;
                let anchor = self.remember(anchor, start, &value, size);
                let kind = Kind::Sequence { items, flow };
                Ok(Node { value, kind, anchor, tag: tag_text(tag), notes: Notes::default(), entry: None })
            }
            Event::MappingStart(anchor, tag) => {
                let flow = self.text.get(start) == Some(&'{');
                let mut entries = Vec::new();
                while !matches!(self.peek(), Some((Event::MappingEnd, _)) | None) {
                    let id = self.entry();
                    let mut key = self.node(depth + 1)?;
                    key.entry = Some(id);
                    let value = self.node(depth + 1)?;
                    entries.push((key, value));
                }
                self.next();
                let value = Value::object(object_of(&entries));
                let size = self.expanded - before;
                let anchor = self.remember(anchor, start, &value, size);
                let kind = Kind::Mapping { entries, flow };
                Ok(Node { value, kind, anchor, tag: tag_text(tag), notes: Notes::default(), entry: None })
            }
            _ => Ok(plain_node(Value::Null, Kind::Scalar { text: String::new(), style: Style::Plain })),
        }
    }
}

fn plain_node(value: Value, kind: Kind) -> Node {
    Node { value, kind, anchor: None, tag: None, notes: Notes::default(), entry: None }
}

fn tag_text(tag: Option<Cow<Tag>>) -> Option<String> {
    let tag = tag?;
    if tag.is_yaml_core_schema() {
        return Some(format!("!!{}", tag.suffix));
    }
    Some(format!("{}{}", tag.handle, tag.suffix))
}

/// A key as a string: JSON has no others.
pub fn key_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        other => capsule_jq::json::to_string(other),
    }
}

/// Whether this entry merges another mapping in.
pub fn is_merge(key: &Node) -> bool {
    matches!(&key.kind, Kind::Scalar { text, style: Style::Plain } if text == "<<")
}

/// The mapping's own keys first hold; what is merged in fills the rest.
fn object_of(entries: &[(Node, Node)]) -> Object {
    let mut object = Object::default();
    for (key, value) in entries {
        if !is_merge(key) {
            object.insert(Rc::new(key_text(&key.value)), value.value.clone());
        }
    }
    for (key, value) in merged(entries) {
        if !object.contains(&key) {
            object.insert(Rc::new(key), value);
        }
    }
    object
}

/// What is merged into a mapping, the first of a name.
pub fn merged(entries: &[(Node, Node)]) -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> = Vec::new();
    for (_, value) in entries.iter().filter(|(key, _)| is_merge(key)) {
        let sources = match &value.value {
            Value::Array(list) => list.0.clone(),
            other => vec![other.clone()],
        };
        for source in sources {
            if let Value::Object(source) = source {
                all.extend(source.entries().iter().map(|(key, value)| (key.to_string(), value.clone())));
            }
        }
    }
    all
}
