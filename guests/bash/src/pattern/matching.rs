//! Matching.

use super::{Kind, Node, Pattern, char_at, char_len};

impl Pattern {
    /// Whether the whole text matches.
    pub fn matches(&self, text: &[u8]) -> bool {
        if self.extended {
            return self.ends(&self.nodes, text, &Places::one(text.len(), 0)).has(text.len());
        }
        let (mut node, mut at) = (0, 0);
        // Where the last star stands, and how much of the text it has taken.
        let mut retry: Option<(usize, usize)> = None;
        loop {
            match self.nodes.get(node) {
                Some(Node::Star) => {
                    if node + 1 == self.nodes.len() {
                        return true;
                    }
                    retry = Some((node, at));
                    node += 1;
                    continue;
                }
                Some(simple) => {
                    if let Some(len) = self.step(simple, &text[at..]) {
                        node += 1;
                        at += len;
                        continue;
                    }
                }
                None if at == text.len() => return true,
                None => {}
            }
            let Some((star, taken)) = retry else { return false };
            if taken >= text.len() {
                return false;
            }
            let mut taken = taken + char_len(&text[taken..], self.utf8);
            // After a star a plain byte can be looked for in one go.
            if let (Some(Node::Byte(b)), false) = (self.nodes.get(star + 1), self.nocase) {
                match memchr::memchr(*b, &text[taken..]) {
                    Some(skip) => taken += skip,
                    None => return false,
                }
            }
            retry = Some((star, taken));
            node = star + 1;
            at = taken;
        }
    }

    /// Bytes a simple node takes.
    fn step(&self, node: &Node, text: &[u8]) -> Option<usize> {
        let &b = text.first()?;
        match node {
            Node::Byte(want) if *want == b => Some(1),
            Node::Byte(want) => (self.nocase && want.eq_ignore_ascii_case(&b)).then_some(1),
            Node::Any => Some(char_len(text, self.utf8)),
            Node::Bracket(bracket) => {
                let (n, len) = char_at(text, self.utf8);
                bracket.has(n, self.nocase).then_some(len)
            }
            Node::Star | Node::Extended(..) => None,
        }
    }

    /// All places a match that starts at the given ones can end.
    fn ends(&self, nodes: &[Node], text: &[u8], starts: &Places) -> Places {
        let mut places = starts.clone();
        for node in nodes {
            if places.is_empty() {
                break;
            }
            places = match node {
                Node::Star => places.everything_after(),
                Node::Extended(kind, choices) => self.extended_ends(*kind, choices, text, &places),
                simple => {
                    let mut next = Places::none(text.len());
                    for at in places.iter() {
                        if let Some(len) = self.step(simple, &text[at..]) {
                            next.add(at + len);
                        }
                    }
                    next
                }
            };
        }
        places
    }

    fn extended_ends(&self, kind: Kind, choices: &[Vec<Node>], text: &[u8], starts: &Places) -> Places {
        let once = |from: &Places| {
            let mut all = Places::none(text.len());
            for choice in choices {
                all.merge(&self.ends(choice, text, from));
            }
            all
        };
        match kind {
            Kind::One => once(starts),
            Kind::Optional => {
                let mut all = once(starts);
                all.merge(starts);
                all
            }
            Kind::ZeroOrMore | Kind::OneOrMore => {
                let mut all = if kind == Kind::ZeroOrMore { starts.clone() } else { Places::none(text.len()) };
                let mut from = starts.clone();
                loop {
                    let mut fresh = once(&from);
                    fresh.remove(&all);
                    if fresh.is_empty() {
                        return all;
                    }
                    all.merge(&fresh);
                    from = fresh;
                }
            }
            Kind::Not => {
                let mut all = Places::none(text.len());
                for at in starts.iter() {
                    let one = Places::one(text.len(), at);
                    let mut rest = one.everything_after();
                    rest.remove(&once(&one));
                    all.merge(&rest);
                }
                all
            }
        }
    }

    /// The shortest or longest prefix that matches.
    pub fn prefix(&self, text: &[u8], longest: bool) -> Option<usize> {
        if let Some(literal) = self.literal() {
            return text.starts_with(&literal).then_some(literal.len());
        }
        let ends = self.ends(&self.nodes, text, &Places::one(text.len(), 0));
        if longest { ends.iter().last() } else { ends.iter().next() }
    }

    /// Where the shortest or longest suffix that matches starts.
    pub fn suffix(&self, text: &[u8], longest: bool) -> Option<usize> {
        if let Some(literal) = self.literal() {
            return text.ends_with(&literal).then(|| text.len() - literal.len());
        }
        let mut boundaries = Vec::new();
        let mut at = 0;
        while at < text.len() {
            boundaries.push(at);
            at += char_len(&text[at..], self.utf8);
        }
        boundaries.push(text.len());
        let fits = |&at: &usize| match self.nodes.first() {
            Some(Node::Byte(b)) if !self.nocase && text.get(at) != Some(b) => false,
            _ => self.matches(&text[at..]),
        };
        if longest { boundaries.into_iter().find(fits) } else { boundaries.into_iter().rev().find(fits) }
    }

    /// The first, longest match at or after `from`: its start and end.
    pub fn find(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let mut at = from;
        loop {
            let candidate = match self.nodes.first() {
                Some(Node::Byte(b)) if !self.nocase => at + memchr::memchr(*b, &text[at..])?,
                _ => at,
            };
            if let Some(len) = self.prefix_at(&text[candidate..]) {
                return Some((candidate, candidate + len));
            }
            if candidate >= text.len() {
                return None;
            }
            at = candidate + char_len(&text[candidate..], self.utf8);
        }
    }

    /// The longest match at the start; patterns without stars need no set of places.
    fn prefix_at(&self, text: &[u8]) -> Option<usize> {
        if self.extended || self.nodes.iter().any(|node| matches!(node, Node::Star)) {
            return self.prefix(text, true);
        }
        let mut at = 0;
        for node in &self.nodes {
            at += self.step(node, &text[at..])?;
        }
        Some(at)
    }
}

/// A set of offsets into a text.
#[derive(Clone)]
struct Places {
    bits: Vec<u64>,
    len: usize,
}

impl Places {
    fn none(len: usize) -> Places {
        Places { bits: vec![0; len / 64 + 1], len }
    }

    fn one(len: usize, at: usize) -> Places {
        let mut places = Places::none(len);
        places.add(at);
        places
    }

    fn add(&mut self, at: usize) {
        self.bits[at / 64] |= 1 << (at % 64);
    }

    fn has(&self, at: usize) -> bool {
        self.bits[at / 64] >> (at % 64) & 1 != 0
    }

    fn is_empty(&self) -> bool {
        self.bits.iter().all(|&word| word == 0)
    }

    fn merge(&mut self, other: &Places) {
        for (a, b) in self.bits.iter_mut().zip(&other.bits) {
            *a |= b;
        }
    }

    fn remove(&mut self, other: &Places) {
        for (a, b) in self.bits.iter_mut().zip(&other.bits) {
            *a &= !b;
        }
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.bits.iter().enumerate().flat_map(|(i, &word)| {
            let mut word = word;
            std::iter::from_fn(move || {
                if word == 0 {
                    return None;
                }
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                Some(i * 64 + bit)
            })
        })
    }

    fn everything_after(&self) -> Places {
        let mut all = Places::none(self.len);
        if let Some(first) = self.iter().next() {
            for at in first..=self.len {
                all.add(at);
            }
        }
        all
    }
}
