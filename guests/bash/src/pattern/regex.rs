//! Extended regular expressions for `[[ =~ ]]`: leftmost, longest, in time linear in the text (Thompson's construction,
//! run as Pike describes it).

use super::bracket::Bracket;
use super::{char_at, char_len};

/// `{m,n}` is written out; a program larger than this is refused.
const MAX_PROGRAM: usize = 20_000;
const MAX_DEPTH: u32 = 60;

#[derive(Debug)]
enum Step {
    Byte(u8),
    Any,
    Class(Box<Bracket>),
    /// A word character, or not.
    Word(bool),
    Space(bool),
    Split(usize, usize),
    Jump(usize),
    Save(usize),
    Start,
    End,
    /// `\b` `\B` `\<` `\>`
    Boundary(u8),
    Match,
}

pub struct Regex {
    program: Vec<Step>,
    groups: usize,
    nocase: bool,
    utf8: bool,
}

pub type Groups = Vec<Option<(usize, usize)>>;

struct Compiler<'a> {
    text: &'a [u8],
    at: usize,
    groups: usize,
    utf8: bool,
    depth: u32,
}

enum Node {
    Empty,
    Step(Step),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat(Box<Node>, u32, Option<u32>),
    Group(usize, Box<Node>),
}

impl Regex {
    pub fn new(text: &[u8], nocase: bool, utf8: bool) -> Option<Regex> {
        let mut compiler = Compiler { text, at: 0, groups: 1, utf8, depth: 0 };
        let node = compiler.choice()?;
        if compiler.at < text.len() {
            return None;
        }
        let mut program = Vec::new();
        emit(&Node::Group(0, Box::new(node)), &mut program)?;
        program.push(Step::Match);
        Some(Regex { program, groups: compiler.groups, nocase, utf8 })
    }

    /// The leftmost longest match, with its groups.
    pub fn find(&self, text: &[u8]) -> Option<Groups> {
        let mut start = 0;
        loop {
            if let Some(groups) = self.match_at(text, start) {
                return Some(groups);
            }
            if start >= text.len() {
                return None;
            }
            start += char_len(&text[start..], self.utf8);
        }
    }

    fn match_at(&self, text: &[u8], start: usize) -> Option<Groups> {
        let slots = self.groups * 2;
        let mut current: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut seen = vec![usize::MAX; self.program.len()];
        let mut best: Option<Vec<usize>> = None;
        let mut at = start;
        self.follow(0, vec![usize::MAX; slots], text, at, &mut current, &mut seen);
        while !current.is_empty() {
            let mut next = Vec::new();
            let len = if at < text.len() { char_len(&text[at..], self.utf8) } else { 0 };
            let mut ended = None;
            for (pc, saved) in current {
                match &self.program[pc] {
                    Step::Match => {
                        if ended.is_none() {
                            ended = Some(saved);
                        }
                    }
                    step => {
                        if let Some(taken) = self.step(step, &text[at..]) {
                            // Bytes of one character are taken one by one by literals, all at once by the rest.
                            self.schedule(pc + 1, saved, text, at, taken, len, &mut next, &mut seen);
                        }
                    }
                }
            }
            if let Some(saved) = ended {
                best = Some(saved);
            }
            if at >= text.len() {
                break;
            }
            at += 1;
            current = next.into_iter().filter_map(|(due, pc, saved)| (due == at).then_some((pc, saved))).collect();
        }
        let saved = best?;
        let pair = |i: usize| {
            let (a, b) = (saved[i * 2], saved[i * 2 + 1]);
            (a != usize::MAX && b != usize::MAX).then_some((a, b))
        };
        Some((0..self.groups).map(pair).collect())
    }

    #[allow(clippy::too_many_arguments)]
    fn schedule(
        &self,
        pc: usize,
        saved: Vec<usize>,
        text: &[u8],
        at: usize,
        taken: usize,
        _len: usize,
        next: &mut Vec<(usize, usize, Vec<usize>)>,
        seen: &mut [usize],
    ) {
        let mut list = Vec::new();
        self.follow(pc, saved, text, at + taken, &mut list, seen);
        next.extend(list.into_iter().map(|(pc, saved)| (at + taken, pc, saved)));
    }

    fn step(&self, step: &Step, text: &[u8]) -> Option<usize> {
        let &b = text.first()?;
        match step {
            Step::Byte(want) => (*want == b || self.nocase && want.eq_ignore_ascii_case(&b)).then_some(1),
            Step::Any => Some(char_len(text, self.utf8)),
            Step::Class(bracket) => {
                let (n, len) = char_at(text, self.utf8);
                bracket.has(n, self.nocase).then_some(len)
            }
            Step::Word(want) => {
                let (n, len) = char_at(text, self.utf8);
                (is_word(n) == *want).then_some(len)
            }
            Step::Space(want) => {
                let (n, len) = char_at(text, self.utf8);
                (char::from_u32(n).is_some_and(char::is_whitespace) == *want).then_some(len)
            }
            _ => None,
        }
    }

    /// Adds the thread at `pc` and all it leads to without taking text.
    fn follow(
        &self,
        pc: usize,
        saved: Vec<usize>,
        text: &[u8],
        at: usize,
        list: &mut Vec<(usize, Vec<usize>)>,
        seen: &mut [usize],
    ) {
        let mut stack = vec![(pc, saved)];
        while let Some((pc, mut saved)) = stack.pop() {
            // One thread an instruction and place; marks from other places do not count.
            if seen[pc] == at {
                continue;
            }
            seen[pc] = at;
            match &self.program[pc] {
                Step::Jump(to) => stack.push((*to, saved)),
                Step::Split(first, second) => {
                    stack.push((*second, saved.clone()));
                    stack.push((*first, saved));
                }
                Step::Save(slot) => {
                    saved[*slot] = at;
                    stack.push((pc + 1, saved));
                }
                Step::Start if at == 0 => stack.push((pc + 1, saved)),
                Step::End if at == text.len() => stack.push((pc + 1, saved)),
                Step::Start | Step::End => {}
                Step::Boundary(kind) => {
                    let before = at > 0 && is_word(text[at - 1].into());
                    let after = text.get(at).is_some_and(|&b| is_word(b.into()));
                    let holds = match kind {
                        b'b' => before != after,
                        b'B' => before == after,
                        b'<' => !before && after,
                        _ => before && !after,
                    };
                    if holds {
                        stack.push((pc + 1, saved));
                    }
                }
                _ => list.push((pc, saved)),
            }
        }
    }
}

fn is_word(n: u32) -> bool {
    char::from_u32(n).is_some_and(|c| c.is_alphanumeric() || c == '_')
}

impl Compiler<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn choice(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut choices = vec![self.sequence()?];
        while self.peek() == Some(b'|') {
            self.at += 1;
            choices.push(self.sequence()?);
        }
        self.depth -= 1;
        if choices.len() == 1 { choices.pop() } else { Some(Node::Choice(choices)) }
    }

    fn sequence(&mut self) -> Option<Node> {
        let mut items = Vec::new();
        while let Some(b) = self.peek() {
            if b == b'|' || b == b')' && self.depth > 1 {
                break;
            }
            let mut item = self.atom()?;
            loop {
                let (least, most) = match self.peek() {
                    Some(b'*') => (0, None),
                    Some(b'+') => (1, None),
                    Some(b'?') => (0, Some(1)),
                    Some(b'{') => match self.interval() {
                        Some(interval) => {
                            item = Node::Repeat(Box::new(item), interval.0, interval.1);
                            continue;
                        }
                        None => break,
                    },
                    _ => break,
                };
                self.at += 1;
                item = Node::Repeat(Box::new(item), least, most);
            }
            items.push(item);
        }
        Some(match items.len() {
            0 => Node::Empty,
            1 => items.pop()?,
            _ => Node::Sequence(items),
        })
    }

    fn interval(&mut self) -> Option<(u32, Option<u32>)> {
        let rest = &self.text[self.at + 1..];
        let close = rest.iter().position(|&b| b == b'}')?;
        let body = std::str::from_utf8(&rest[..close]).ok()?;
        let (least, most) = match body.split_once(',') {
            None => {
                let n = body.parse().ok()?;
                (n, Some(n))
            }
            Some((least, "")) => (least.parse().ok()?, None),
            Some(("", most)) => (0, Some(most.parse().ok()?)),
            Some((least, most)) => (least.parse().ok()?, Some(most.parse().ok()?)),
        };
        if least > 1000 || most.is_some_and(|most| most > 1000 || most < least) {
            return None;
        }
        self.at += close + 2;
        Some((least, most))
    }

    fn atom(&mut self) -> Option<Node> {
        let b = self.peek()?;
        self.at += 1;
        let step = match b {
            b'(' => {
                let group = self.groups;
                self.groups += 1;
                let inner = self.choice()?;
                if self.peek() != Some(b')') {
                    return None;
                }
                self.at += 1;
                return Some(Node::Group(group, Box::new(inner)));
            }
            b'.' => Step::Any,
            b'^' => Step::Start,
            b'$' => Step::End,
            b'[' => {
                // Inside brackets a backslash is itself, unlike in shell patterns.
                let escaped = escape_brackets(&self.text[self.at..])?;
                let (bracket, len) = Bracket::parse(&escaped.0, self.utf8)?;
                if len != escaped.0.len() {
                    return None;
                }
                self.at += escaped.1;
                Step::Class(Box::new(bracket))
            }
            b'*' | b'+' | b'?' => return None,
            b'\\' => {
                let c = self.peek()?;
                self.at += 1;
                match c {
                    b'w' => Step::Word(true),
                    b'W' => Step::Word(false),
                    b's' => Step::Space(true),
                    b'S' => Step::Space(false),
                    b'b' | b'B' | b'<' | b'>' => Step::Boundary(c),
                    c => Step::Byte(c),
                }
            }
            b => Step::Byte(b),
        };
        Some(Node::Step(step))
    }
}

/// The bracket expression (after `[`) with its backslashes doubled, and how many bytes of the text it is.
fn escape_brackets(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut i = usize::from(text.first() == Some(&b'^'));
    if text.get(i) == Some(&b']') {
        i += 1;
    }
    loop {
        match text.get(i)? {
            b']' => break,
            b'[' if matches!(text.get(i + 1), Some(b':' | b'.' | b'=')) => {
                let close = [text[i + 1], b']'];
                let len = text[i + 2..].windows(2).position(|w| w == close)?;
                i += len + 4;
            }
            _ => i += 1,
        }
    }
    let mut out = Vec::new();
    for &b in &text[..=i] {
        if b == b'\\' {
            out.push(b'\\');
        }
        // `!` negates only in shell patterns.
        if b == b'!' && out.is_empty() {
            out.push(b'\\');
        }
        out.push(b);
    }
    Some((out, i + 1))
}

fn emit(node: &Node, program: &mut Vec<Step>) -> Option<()> {
    if program.len() > MAX_PROGRAM {
        return None;
    }
    match node {
        Node::Empty => {}
        Node::Step(step) => program.push(copy(step)),
        Node::Sequence(items) => {
            for item in items {
                emit(item, program)?;
            }
        }
        Node::Group(n, inner) => {
            program.push(Step::Save(n * 2));
            emit(inner, program)?;
            program.push(Step::Save(n * 2 + 1));
        }
        Node::Choice(choices) => {
            let mut jumps = Vec::new();
            for (i, choice) in choices.iter().enumerate() {
                if i + 1 == choices.len() {
                    emit(choice, program)?;
                    break;
                }
                let split = program.len();
                program.push(Step::Match);
                emit(choice, program)?;
                jumps.push(program.len());
                program.push(Step::Match);
                program[split] = Step::Split(split + 1, program.len());
            }
            let end = program.len();
            for jump in jumps {
                program[jump] = Step::Jump(end);
            }
        }
        Node::Repeat(inner, least, most) => {
            for _ in 0..*least {
                emit(inner, program)?;
            }
            match most {
                None => {
                    let split = program.len();
                    program.push(Step::Match);
                    emit(inner, program)?;
                    program.push(Step::Jump(split));
                    program[split] = Step::Split(split + 1, program.len());
                }
                Some(most) => {
                    let mut splits = Vec::new();
                    for _ in *least..*most {
                        splits.push(program.len());
                        program.push(Step::Match);
                        emit(inner, program)?;
                    }
                    let end = program.len();
                    for split in splits {
                        program[split] = Step::Split(split + 1, end);
                    }
                }
            }
        }
    }
    Some(())
}

fn copy(step: &Step) -> Step {
    match step {
        Step::Byte(b) => Step::Byte(*b),
        Step::Any => Step::Any,
        Step::Class(bracket) => Step::Class(bracket.clone()),
        Step::Word(want) => Step::Word(*want),
        Step::Space(want) => Step::Space(*want),
        Step::Start => Step::Start,
        Step::End => Step::End,
        Step::Boundary(kind) => Step::Boundary(*kind),
        Step::Split(a, b) => Step::Split(*a, *b),
        Step::Jump(to) => Step::Jump(*to),
        Step::Save(slot) => Step::Save(*slot),
        Step::Match => Step::Match,
    }
}

#[cfg(test)]
mod tests {
    use super::Regex;

    #[test]
    fn groups_and_longest() {
        let find = |p: &str, t: &str| Regex::new(p.as_bytes(), false, true).unwrap().find(t.as_bytes());
        assert_eq!(find("a(b+)c", "xabbc"), Some(vec![Some((1, 5)), Some((2, 4))]));
        assert_eq!(find("a|ab", "ab"), Some(vec![Some((0, 2))]));
        assert_eq!(find("^[0-9]{2,3}$", "1234"), None);
        assert_eq!(find("(a*)*", "aa").map(|g| g[0]), Some(Some((0, 2))));
        assert_eq!(find("é.", "aéx").map(|g| g[0]), Some(Some((1, 4))));
        assert!(Regex::new(b"a(", false, true).is_none());
    }
}
