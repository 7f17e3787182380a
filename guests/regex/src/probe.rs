//! Bytes of which every match has one: where they are rare, lines without them are passed over.

use crate::node::Node;
use memchr::memmem::Finder;
use memchr::{memchr, memchr2, memchr3};

pub enum Probe {
    Literal(Box<Finder<'static>>),
    Bytes(Vec<u8>),
}

/// How often in a thousand bytes; where it is more, looking at every byte is as good.
const TOO_OFTEN: u32 = 60;

impl Probe {
    pub fn bytes(node: &Node) -> Option<Probe> {
        needed(node).filter(|needed| needed.cost <= TOO_OFTEN).map(|needed| Probe::Bytes(needed.bytes))
    }

    pub fn find(&self, text: &[u8]) -> Option<usize> {
        match self {
            Probe::Literal(finder) => finder.find(text),
            Probe::Bytes(bytes) => match **bytes {
                [a] => memchr(a, text),
                [a, b] => memchr2(a, b, text),
                [a, b, c] => memchr3(a, b, c, text),
                _ => Some(0),
            },
        }
    }
}

struct Needed {
    bytes: Vec<u8>,
    cost: u32,
}

fn needed(node: &Node) -> Option<Needed> {
    match node {
        Node::Byte(b) => Some(one(*b)),
        Node::Char(c) => c.encode_utf8(&mut [0; 4]).as_bytes().iter().map(|b| one(*b)).min_by_key(|needed| needed.cost),
        Node::Set(set) if set.low.count_ones() + set.high.count_ones() <= 3 => {
            let mut bytes: Vec<u8> = (0..=255).filter(|b| set.has_byte(*b)).collect();
            // The other case of an ASCII letter may be beyond ASCII.
            for range in set.wide().ranges().iter().take(4) {
                if range.start() != range.end() {
                    return None;
                }
                bytes.push(range.start().encode_utf8(&mut [0; 4]).as_bytes()[0]);
            }
            some_of(bytes)
        }
        Node::Group(_, inner) => needed(inner),
        Node::Repeat(inner, least, _) if *least > 0 => needed(inner),
        Node::Cat(all) => all.iter().filter_map(needed).min_by_key(|needed| needed.cost),
        Node::Alt(all) if all.len() < 20 => {
            let mut bytes = Vec::new();
            for node in all {
                bytes.extend(needed(node)?.bytes);
            }
            some_of(bytes)
        }
        _ => None,
    }
}

fn one(b: u8) -> Needed {
    Needed { bytes: vec![b], cost: often(b) }
}

fn some_of(mut bytes: Vec<u8>) -> Option<Needed> {
    bytes.sort_unstable();
    bytes.dedup();
    let cost = bytes.iter().map(|b| often(*b)).sum();
    (1..=3).contains(&bytes.len()).then_some(Needed { bytes, cost })
}

/// How often in a thousand bytes of text and programs, roughly.
fn often(b: u8) -> u32 {
    match b {
        b' ' => 180,
        b'e' => 70,
        b't' => 55,
        b'a' | b'i' | b'n' | b'o' | b'r' | b's' => 42,
        b'l' => 30,
        b'c' | b'd' | b'u' => 22,
        b'm' | b'p' | b'f' | b'h' => 16,
        b'g' | b'_' | b'b' | b'y' | b'v' | b'w' | b'.' | b',' | b'0' | b'1' => 10,
        b'(' | b')' | b':' | b'/' | b'-' | b'"' | b'\'' | b';' | b'=' | b'\n' | b'k' | b'x' | b'2' => 8,
        b'3'..=b'9' | b'A' | b'C' | b'E' | b'I' | b'S' | b'T' => 4,
        _ => 2,
    }
}
