//! The functions: which there are, and how their arguments are cut.

mod control;
mod text;

use super::{Bytes, Make};
use crate::Exit;

type OfText = fn(&[Bytes]) -> Result<Bytes, String>;
type OfMake = fn(&mut Make, &[Bytes], &mut Bytes) -> Result<(), Exit>;
type OfRaw = fn(&mut Make, &[&[u8]], &mut Bytes) -> Result<(), Exit>;

/// A function gets its arguments, expanded or (where it decides itself what is expanded) as they stand.
pub enum Body {
    Text(OfText),
    Make(OfMake),
    Raw(OfRaw),
}

pub struct Function {
    pub name: &'static str,
    least: usize,
    /// Commas beyond belong to the last argument; 0: any number.
    most: usize,
    body: Body,
}

const fn text(name: &'static str, count: usize, body: OfText) -> Function {
    Function { name, least: count, most: count, body: Body::Text(body) }
}

const fn raw(name: &'static str, least: usize, most: usize, body: OfRaw) -> Function {
    Function { name, least, most, body: Body::Raw(body) }
}

const fn make(name: &'static str, least: usize, most: usize, body: OfMake) -> Function {
    Function { name, least, most, body: Body::Make(body) }
}

const FUNCTIONS: &[Function] = &[
    text("abspath", 1, text::abspath),
    text("addprefix", 2, text::addprefix),
    text("addsuffix", 2, text::addsuffix),
    raw("and", 1, 0, control::and),
    text("basename", 1, text::basename),
    make("call", 1, 0, control::call),
    text("dir", 1, text::dir),
    make("error", 1, 1, control::error),
    make("eval", 1, 1, control::eval),
    make("file", 1, 2, control::file),
    text("filter", 2, text::filter),
    text("filter-out", 2, text::filter_out),
    text("findstring", 2, text::findstring),
    text("firstword", 1, text::firstword),
    make("flavor", 1, 1, control::flavor),
    raw("foreach", 3, 3, control::foreach),
    raw("if", 2, 3, control::r#if),
    make("info", 1, 1, control::info),
    raw("intcmp", 2, 5, control::intcmp),
    text("join", 2, text::join),
    text("lastword", 1, text::lastword),
    raw("let", 3, 3, control::r#let),
    text("notdir", 1, text::notdir),
    raw("or", 1, 0, control::or),
    make("origin", 1, 1, control::origin),
    text("patsubst", 3, text::patsubst),
    text("realpath", 1, text::realpath),
    make("shell", 1, 1, control::shell),
    text("sort", 1, text::sort),
    text("strip", 1, text::strip),
    text("subst", 3, text::subst),
    text("suffix", 1, text::suffix),
    make("value", 1, 1, control::value),
    make("warning", 1, 1, control::warning),
    text("wildcard", 1, text::wildcard),
    text("word", 2, text::word),
    text("wordlist", 3, text::wordlist),
    text("words", 1, text::count_words),
];

pub fn find(name: &[u8]) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|f| f.name.as_bytes() == name)
}

/// The arguments: commas inside of parentheses (of the kind the call is in) do not count.
fn arguments(inside: &[u8], most: usize, open: u8) -> Vec<&[u8]> {
    let close = if open == b'(' { b')' } else { b'}' };
    let (mut list, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (at, &b) in inside.iter().enumerate() {
        if b == open {
            depth += 1;
        } else if b == close {
            depth = depth.saturating_sub(1);
        } else if b == b',' && depth == 0 && (most == 0 || list.len() + 1 < most) {
            list.push(&inside[start..at]);
            start = at + 1;
        }
    }
    list.push(&inside[start..]);
    list
}

impl Make {
    pub fn call_function(
        &mut self,
        function: &'static Function,
        inside: &[u8],
        open: u8,
        out: &mut Bytes,
    ) -> Result<(), Exit> {
        let list = arguments(inside, function.most, open);
        if list.len() < function.least {
            let text = format!("insufficient number of arguments ({}) to function '{}'", list.len(), function.name);
            return Err(self.fatal_inside(&text));
        }
        if let Body::Raw(body) = function.body {
            return body(self, &list, out);
        }
        let mut expanded = Vec::with_capacity(list.len());
        for argument in list {
            expanded.push(self.expand(argument)?);
        }
        match function.body {
            Body::Make(body) => body(self, &expanded, out),
            Body::Text(body) => match body(&expanded) {
                Ok(text) => {
                    out.extend_from_slice(&text);
                    Ok(())
                }
                Err(message) => Err(self.fatal_inside(&message)),
            },
            Body::Raw(_) => Ok(()),
        }
    }
}
