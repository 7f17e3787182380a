//! Basic regular expressions, matched at the start of a text by backtracking: what `expr` and `nl` need. A greedy match
//! is taken where POSIX asks for the longest; they differ only in alternatives of different length.

/// A pattern, ready to match.
pub struct Pattern {
    /// The alternatives of `\|`.
    branches: Vec<Vec<Piece>>,
    groups: usize,
}

struct Piece {
    atom: Atom,
    least: usize,
    most: usize,
}

enum Atom {
    Byte(u8),
    Any,
    Set(Box<[bool; 256]>),
    Start,
    End,
    Group(usize, Vec<Vec<Piece>>),
    Back(usize),
}

/// Where each group matched.
type Groups = Vec<Option<(usize, usize)>>;

/// Why a pattern is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bad(pub &'static str);

impl Pattern {
    pub fn parse(text: &[u8]) -> Result<Pattern, Bad> {
        let mut parser = Parser { text, at: 0, groups: 0, open: 0 };
        let branches = parser.branches()?;
        if parser.at < text.len() {
            return Err(Bad("Unmatched ) or \\)"));
        }
        Ok(Pattern { branches, groups: parser.groups })
    }

    /// Whether there is a group.
    pub fn has_group(&self) -> bool {
        self.groups > 0
    }

    /// The length of the match at the start of `text`, and where its first group is.
    pub fn at_start(&self, text: &[u8]) -> Option<(usize, Option<(usize, usize)>)> {
        let mut best: Option<(usize, Groups)> = None;
        for branch in &self.branches {
            let mut found = None;
            let mut run = Run { text, groups: vec![None; self.groups + 1] };
            run.pieces(branch, 0, &mut |run, at| {
                found = Some((at, run.groups.clone()));
                true
            });
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| found.0 > best.0)
            {
                best = Some(found);
            }
        }
        best.map(|(end, groups)| (end, groups.get(1).copied().flatten()))
    }
}

struct Run<'a> {
    text: &'a [u8],
    groups: Groups,
}

type Then<'t, 'r> = &'t mut dyn FnMut(&mut Run<'r>, usize) -> bool;

impl<'r> Run<'r> {
    fn pieces(&mut self, pieces: &[Piece], at: usize, then: Then<'_, 'r>) -> bool {
        match pieces.split_first() {
            None => then(self, at),
            Some((piece, rest)) => self.repeat(piece, 0, at, &mut |run, at| run.pieces(rest, at, then)),
        }
    }

    /// As often as it goes, then less.
    fn repeat(&mut self, piece: &Piece, done: usize, at: usize, then: Then<'_, 'r>) -> bool {
        if done < piece.most {
            let more = self.atom(&piece.atom, at, &mut |run, next| {
                // What matches nothing is not repeated for ever.
                (next > at || done < piece.least) && run.repeat(piece, done + 1, next, then)
            });
            if more {
                return true;
            }
        }
        done >= piece.least && then(self, at)
    }

    fn atom(&mut self, atom: &Atom, at: usize, then: Then<'_, 'r>) -> bool {
        let byte = self.text.get(at).copied();
        match atom {
            Atom::Byte(b) => byte == Some(*b) && then(self, at + 1),
            Atom::Any => byte.is_some() && then(self, at + 1),
            Atom::Set(set) => byte.is_some_and(|b| set[usize::from(b)]) && then(self, at + 1),
            Atom::Start => at == 0 && then(self, at),
            Atom::End => at == self.text.len() && then(self, at),
            Atom::Group(number, branches) => {
                let before = self.groups[*number];
                for branch in branches {
                    let found = self.pieces(branch, at, &mut |run, end| {
                        let inner = run.groups[*number].replace((at, end));
                        then(run, end) || {
                            run.groups[*number] = inner;
                            false
                        }
                    });
                    if found {
                        return true;
                    }
                }
                self.groups[*number] = before;
                false
            }
            Atom::Back(number) => match self.groups.get(*number).copied().flatten() {
                Some((from, to)) if self.text[at..].starts_with(&self.text[from..to]) => then(self, at + to - from),
                _ => false,
            },
        }
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    groups: usize,
    open: usize,
}

impl Parser<'_> {
    fn branches(&mut self) -> Result<Vec<Vec<Piece>>, Bad> {
        let mut all = vec![self.branch()?];
        while self.text[self.at..].starts_with(b"\\|") {
            self.at += 2;
            all.push(self.branch()?);
        }
        Ok(all)
    }

    fn branch(&mut self) -> Result<Vec<Piece>, Bad> {
        let mut pieces: Vec<Piece> = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            if rest.is_empty() || rest.starts_with(b"\\|") {
                return Ok(pieces);
            }
            if rest.starts_with(b"\\)") {
                return if self.open > 0 { Ok(pieces) } else { Err(Bad("Unmatched ) or \\)")) };
            }
            let first = pieces.is_empty() || pieces.iter().all(|p| matches!(p.atom, Atom::Start));
            let atom = self.atom(first)?;
            let start = matches!(atom, Atom::Start);
            let (least, most) = self.times(start)?;
            let mut piece = Piece { atom, least, most };
            // A repetition may be repeated; group 0 is nobody's.
            while !start && self.repeats() {
                let (least, most) = self.times(false)?;
                piece = Piece { atom: Atom::Group(0, vec![vec![piece]]), least, most };
            }
            pieces.push(piece);
        }
    }

    fn repeats(&self) -> bool {
        matches!(&self.text[self.at..], [b'*', ..] | [b'\\', b'+' | b'?' | b'{', ..])
    }

    fn times(&mut self, start: bool) -> Result<(usize, usize), Bad> {
        let rest = &self.text[self.at..];
        match rest {
            _ if start => Ok((1, 1)),
            [b'*', ..] => {
                self.at += 1;
                while self.text.get(self.at) == Some(&b'*') {
                    self.at += 1;
                }
                Ok((0, usize::MAX))
            }
            [b'\\', b'+', ..] => {
                self.at += 2;
                Ok((1, usize::MAX))
            }
            [b'\\', b'?', ..] => {
                self.at += 2;
                Ok((0, 1))
            }
            [b'\\', b'{', inside @ ..] => {
                let Some(end) = inside.windows(2).position(|w| w == b"\\}") else { return Err(Bad("Unmatched \\{")) };
                let text = std::str::from_utf8(&inside[..end]).map_err(|_| Bad("Invalid content of \\{\\}"))?;
                let (low, high) = text.split_once(',').unwrap_or((text, text));
                let number = |t: &str| t.parse::<usize>().ok().filter(|n| *n <= 0x7fff);
                let least = if low.is_empty() { Some(0) } else { number(low) };
                let most = if high.is_empty() { Some(usize::MAX) } else { number(high) };
                self.at += end + 4;
                match (least, most) {
                    (Some(least), Some(most)) if least <= most => Ok((least, most)),
                    _ => Err(Bad("Invalid content of \\{\\}")),
                }
            }
            _ => Ok((1, 1)),
        }
    }

    fn atom(&mut self, first: bool) -> Result<Atom, Bad> {
        let byte = self.text[self.at];
        self.at += 1;
        let rest = &self.text[self.at..];
        Ok(match byte {
            b'.' => Atom::Any,
            b'^' if first => Atom::Start,
            b'$' if rest.is_empty() || rest.starts_with(b"\\)") || rest.starts_with(b"\\|") => Atom::End,
            b'[' => self.set()?,
            b'\\' => {
                let Some(&next) = rest.first() else { return Err(Bad("Trailing backslash")) };
                self.at += 1;
                match next {
                    b'(' => {
                        self.groups += 1;
                        let number = self.groups;
                        self.open += 1;
                        let branches = self.branches()?;
                        if !self.text[self.at..].starts_with(b"\\)") {
                            return Err(Bad("Unmatched ( or \\("));
                        }
                        self.at += 2;
                        self.open -= 1;
                        Atom::Group(number, branches)
                    }
                    b'1'..=b'9' => {
                        let number = usize::from(next - b'0');
                        if number > self.groups {
                            return Err(Bad("Invalid back reference"));
                        }
                        Atom::Back(number)
                    }
                    b'w' | b'W' | b's' | b'S' => {
                        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
                        let test =
                            |b: u8| if next.eq_ignore_ascii_case(&b'w') { word(b) } else { b.is_ascii_whitespace() };
                        Atom::Set(Box::new(std::array::from_fn(|i| test(i as u8) != next.is_ascii_uppercase())))
                    }
                    other => Atom::Byte(other),
                }
            }
            other => Atom::Byte(other),
        })
    }

    fn set(&mut self) -> Result<Atom, Bad> {
        let mut set = Box::new([false; 256]);
        let negated = self.text.get(self.at) == Some(&b'^');
        self.at += usize::from(negated);
        let mut first = true;
        loop {
            let unfinished = Bad("Unmatched [, [^, [:, [., or [=");
            let byte = *self.text.get(self.at).ok_or(unfinished)?;
            let rest = &self.text[self.at..];
            if byte == b']' && !first {
                self.at += 1;
                break;
            }
            first = false;
            if rest.starts_with(b"[:") {
                let end = rest.windows(2).position(|w| w == b":]").ok_or(unfinished)?;
                let name = &rest[2..end];
                (0..=255u8).filter(|b| crate::glob::class(name, *b)).for_each(|b| set[usize::from(b)] = true);
                self.at += end + 2;
                continue;
            }
            self.at += 1;
            let mut high = byte;
            if self.text.get(self.at) == Some(&b'-') && self.text.get(self.at + 1).is_some_and(|b| *b != b']') {
                high = self.text[self.at + 1];
                self.at += 2;
                if high < byte {
                    return Err(Bad("Invalid range end"));
                }
            }
            (byte..=high).for_each(|b| set[usize::from(b)] = true);
        }
        if negated {
            set.iter_mut().for_each(|inside| *inside = !*inside);
        }
        Ok(Atom::Set(set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches() {
        let at = |p: &str, t: &str| Pattern::parse(p.as_bytes()).ok().and_then(|p| p.at_start(t.as_bytes()));
        assert_eq!(at("a*b", "aaab"), Some((4, None)));
        assert_eq!(at("a\\(b*\\)c", "abbc"), Some((4, Some((1, 3)))));
        assert_eq!(at("[0-9]*", "12x"), Some((2, None)));
        assert_eq!(at("x", "yx"), None);
        assert_eq!(at("a\\{2,3\\}", "aaaa"), Some((3, None)));
        assert_eq!(at("\\(.\\)\\1", "aab"), Some((2, Some((0, 1)))));
        assert_eq!(at("a\\|ab", "ab"), Some((2, None)));
        assert_eq!(at(".*/\\(.*\\)", "a/b/c"), Some((5, Some((4, 5)))));
        assert!(Pattern::parse(b"\\(a").is_err() && Pattern::parse(b"[a").is_err() && Pattern::parse(b"\\2").is_err());
    }
}
