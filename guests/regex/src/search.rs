//! Which of the machines searches: a literal by itself, then automata, and all paths at once where those cannot.

use crate::automata::{Automata, Quit};
use crate::hir::Alphabet;
use crate::literal::Facts;
use crate::machine::Text;
use crate::node::{Look, Node};
use crate::pike;
use crate::probe::Probe;
use crate::program::Program;
use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use std::rc::Rc;

/// Starts tried one by one before the text is searched as a whole: that is linear, and this is not.
const ATTEMPTS: usize = 4;
/// After so many texts that are not ASCII they are expected.
const MAX_QUITS: usize = 16;
/// Lines that have what all matches have and yet do not match, before it is asked what was gained by looking for it:
/// so many bytes passed over for each of them.
const MISSES: usize = 32;
const WORTH: usize = 128;

pub struct Search {
    node: Rc<Node>,
    facts: Facts,
    /// Finds the whole pattern.
    exact: Option<Finder<'static>>,
    /// Finds what is in all matches.
    probe: Option<Probe>,
    prefix: Option<Finder<'static>>,
    /// `^` is asked for.
    starts: bool,
    looks: bool,
    /// Words are asked for, which are known to automata only in ASCII.
    words: bool,
    utf8: bool,
    quits: usize,
    misses: usize,
    passed: usize,
    narrow: Tier,
    wide: Tier,
}

/// An automaton that may be built yet.
enum Tier {
    Not,
    Wanted(Alphabet),
    Built(Box<Automata>),
}

impl Tier {
    fn get(&mut self, node: &Node) -> Option<&mut Automata> {
        if let Tier::Wanted(alphabet) = self {
            *self = Automata::new(node, *alphabet).map_or(Tier::Not, |automata| Tier::Built(Box::new(automata)));
        }
        match self {
            Tier::Built(automata) => Some(automata),
            _ => None,
        }
    }
}

impl Search {
    pub fn new(node: Rc<Node>, utf8: bool) -> Search {
        let facts = Facts::new(&node);
        let words = node.has_look(Look::is_word);
        let exact = facts.exact.as_ref().map(|exact| Finder::new(exact).into_owned());
        let probe = match facts.inside.len() {
            _ if exact.is_some() => None,
            0 | 1 => Probe::bytes(&node),
            _ => Some(Probe::Literal(Box::new(Finder::new(&facts.inside).into_owned()))),
        };
        // Characters beyond ASCII in the pattern: they will be in the text too.
        let ascii = !node.any(&mut |node| match node {
            Node::Byte(b) => *b > 127,
            Node::Char(c) => !c.is_ascii(),
            _ => false,
        });
        let (narrow, wide) = match (utf8, words) {
            (false, _) => (Tier::Not, Tier::Wanted(Alphabet::Bytes)),
            (true, false) if ascii => (Tier::Wanted(Alphabet::Ascii), Tier::Wanted(Alphabet::Utf8)),
            (true, false) => (Tier::Not, Tier::Wanted(Alphabet::Utf8)),
            (true, true) if ascii => (Tier::Wanted(Alphabet::Ascii), Tier::Not),
            (true, true) => (Tier::Not, Tier::Not),
        };
        Search {
            exact,
            probe,
            prefix: (facts.prefix.len() > 1).then(|| Finder::new(&facts.prefix).into_owned()),
            starts: node.has_look(|look| matches!(look, Look::Start | Look::LineStart)),
            looks: node.has_look(|_| true),
            words,
            utf8,
            quits: 0,
            misses: 0,
            passed: 0,
            narrow,
            wide,
            facts,
            node,
        }
    }

    /// The leftmost longest match that starts at `from` or later.
    pub fn find(
        &mut self,
        text: Text<'_>,
        from: usize,
        program: impl FnOnce() -> Rc<Program>,
    ) -> Option<(usize, usize)> {
        let rest = text.bytes.get(from..)?;
        if let Some(exact) = &self.exact {
            let at = from + exact.find(rest)?;
            return Some((at, at + exact.needle().len()));
        }
        if let Some(probe) = &self.probe {
            probe.find(rest)?;
        }
        if from == 0 && text.not_bol && self.starts {
            return pike::find(&program(), text, from);
        }
        if self.facts.anchored && from > 0 {
            return None;
        }
        if self.quits < MAX_QUITS
            && let Some(automata) = self.narrow.get(&self.node)
        {
            match find(automata, &self.facts, self.looks, self.prefix.as_ref(), text.bytes, from) {
                Ok(found) => return found,
                Err(_) if self.words => {}
                Err(_) => self.quits += 1,
            }
        }
        if let Some(automata) = self.wide.get(&self.node)
            && let Ok(found) = find(automata, &self.facts, self.looks, self.prefix.as_ref(), text.bytes, from)
        {
            return found;
        }
        pike::find(&program(), text, from)
    }

    /// The longest end of a match that starts at a place.
    pub fn longest(&mut self, text: Text<'_>, at: usize, program: impl FnOnce() -> Rc<Program>) -> Option<usize> {
        if let Some(exact) = &self.exact {
            return text.bytes[at..].starts_with(exact.needle()).then(|| at + exact.needle().len());
        }
        if let Some(first) = &self.facts.first
            && !text.bytes.get(at).is_some_and(|b| first[usize::from(*b)])
        {
            return None;
        }
        if self.quits < MAX_QUITS
            && let Some(automata) = self.narrow.get(&self.node)
        {
            match automata.longest(text.bytes, at) {
                Ok(found) => return found,
                Err(_) if self.words => {}
                Err(_) => self.quits += 1,
            }
        }
        if let Some(automata) = self.wide.get(&self.node)
            && let Ok(found) = automata.longest(text.bytes, at)
        {
            return found;
        }
        pike::longest(&program(), text, at)
    }

    /// The end of a match in the first line that has one, where no match goes over the end of a line.
    pub fn find_in_lines(&mut self, text: &[u8], from: usize, program: &dyn Fn() -> Rc<Program>) -> Option<usize> {
        if let Some(exact) = &self.exact {
            let at = from + exact.find(text.get(from..)?)?;
            return Some(at + exact.needle().len());
        }
        let mut at = from;
        while at <= text.len() {
            let Some(probe) = self.probe.as_ref().filter(|_| self.misses < MISSES || self.passed > self.misses * WORTH)
            else {
                return self.scan(text, at, program);
            };
            let place = at + probe.find(&text[at..])?;
            let line = line_around(text, place, at);
            match self.line(text, line, program) {
                Some(end) => return Some(end),
                None => {
                    self.misses += 1;
                    self.passed += line.1 - at;
                    at = line.1 + 1;
                }
            }
        }
        None
    }

    /// The end of a match in this line.
    fn line(&mut self, text: &[u8], (start, end): (usize, usize), program: &dyn Fn() -> Rc<Program>) -> Option<usize> {
        if self.quits < MAX_QUITS
            && let Some(automata) = self.narrow.get(&self.node)
        {
            match automata.end(text, start, end, true) {
                Ok(found) => return found,
                Err(_) if self.words => {}
                Err(_) => self.quits += 1,
            }
        }
        if let Some(automata) = self.wide.get(&self.node)
            && let Ok(found) = automata.end(text, start, end, true)
        {
            return found;
        }
        let line = Text { bytes: &text[start..end], utf8: self.utf8, not_bol: false };
        pike::find(&program(), line, 0).map(|found| start + found.1)
    }

    /// Looks through all lines at once.
    fn scan(&mut self, text: &[u8], from: usize, program: &dyn Fn() -> Rc<Program>) -> Option<usize> {
        let mut at = from;
        while at <= text.len() {
            let narrow = self.quits < MAX_QUITS && !matches!(self.narrow, Tier::Not);
            let tier = if narrow { &mut self.narrow } else { &mut self.wide };
            let Quit(place) = match tier.get(&self.node) {
                Some(automata) => match automata.end(text, at, text.len(), true) {
                    Ok(found) => return found,
                    Err(quit) => quit,
                },
                None => Quit(at),
            };
            let line = line_around(text, place.clamp(at, text.len()), at);
            if let Some(end) = self.line(text, line, program) {
                return Some(end);
            }
            at = line.1 + 1;
        }
        None
    }
}

/// The line of a place, not before `from`.
fn line_around(text: &[u8], place: usize, from: usize) -> (usize, usize) {
    let start = memrchr(b'\n', &text[from..place]).map_or(from, |i| from + i + 1);
    let end = memchr(b'\n', &text[place..]).map_or(text.len(), |i| place + i);
    (start, end)
}

fn find(
    automata: &mut Automata,
    facts: &Facts,
    looks: bool,
    prefix: Option<&Finder<'_>>,
    text: &[u8],
    from: usize,
) -> Result<Option<(usize, usize)>, Quit> {
    let mut at = from;
    match &facts.first {
        _ if facts.anchored => return Ok(automata.longest(text, 0)?.map(|end| (0, end))),
        // It can match nothing, and so it does here.
        None if !looks => return Ok(automata.longest(text, from)?.map(|end| (from, end))),
        None => {}
        Some(first) => {
            for _ in 0..ATTEMPTS {
                let skip = match prefix {
                    Some(prefix) => prefix.find(&text[at..]),
                    None => text[at..].iter().position(|b| first[usize::from(*b)]),
                };
                let Some(skip) = skip else { return Ok(None) };
                at += skip;
                if let Some(end) = automata.longest(text, at)? {
                    return Ok(Some((at, end)));
                }
                at += 1;
            }
        }
    }
    let Some(end) = automata.end(text, at, text.len(), false)? else { return Ok(None) };
    let Some(start) = automata.start(text, at, end)? else { return Ok(None) };
    Ok(automata.longest(text, start)?.map(|end| (start, end)))
}
