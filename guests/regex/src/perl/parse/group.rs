//! What is in parentheses, and references to it.

use super::*;

impl Parser<'_> {
    /// At the `(`; none where it only sets options.
    pub(super) fn group(&mut self) -> Result<Option<Ast>, Error> {
        self.at += 1;
        if self.rest().starts_with(b"*") {
            return self.verb().map(Some);
        }
        if !self.eat(b"?") {
            if self.flags.no_capture {
                return self.closed().map(Some);
            }
            return self.capture(None).map(Some);
        }
        for (start, behind, negated) in
            [(b"=".as_slice(), false, false), (b"!", false, true), (b"<=", true, false), (b"<!", true, true)]
        {
            if self.eat(start) {
                return self.around(behind, negated).map(Some);
            }
        }
        let Some(b) = self.peek() else { return Err(OPEN_GROUP) };
        let ast = match b {
            b':' => {
                self.at += 1;
                self.closed()?
            }
            b'>' => {
                self.at += 1;
                Ast::Atomic(Box::new(self.closed()?))
            }
            b'|' => {
                self.at += 1;
                self.reset_branches()?
            }
            b'<' | b'\'' => {
                self.at += 1;
                let name = self.name(if b == b'<' { b'>' } else { b'\'' })?;
                self.capture(Some(name))?
            }
            b'P' if self.eat(b"P<") => {
                let name = self.name(b'>')?;
                self.capture(Some(name))?
            }
            b'P' if self.eat(b"P=") => {
                let name = self.name(b')')?;
                Ast::Back(Reference::Name(name), self.flags.ignore_case)
            }
            b'P' if self.eat(b"P>") => Ast::Call(Reference::Name(self.name(b')')?)),
            b'&' => {
                self.at += 1;
                Ast::Call(Reference::Name(self.name(b')')?))
            }
            b'R' if self.eat(b"R)") => Ast::Call(Reference::Number(0)),
            b'0'..=b'9' => Ast::Call(Reference::Number(self.relative(b')')?)),
            b'+' | b'-' if self.text.get(self.at + 1).is_some_and(u8::is_ascii_digit) => {
                Ast::Call(Reference::Number(self.relative(b')')?))
            }
            b'(' => {
                self.at += 1;
                self.conditional()?
            }
            b'C' => {
                // A callout calls nobody.
                let len = memchr::memchr(b')', self.rest()).ok_or(OPEN_GROUP)?;
                self.at += len + 1;
                return Ok(None);
            }
            _ => return self.options(),
        };
        Ok(Some(ast))
    }

    /// The inside up to the `)`, which is taken.
    fn closed(&mut self) -> Result<Ast, Error> {
        let inner = self.choice()?;
        if self.eat(b")") { Ok(inner) } else { Err(OPEN_GROUP) }
    }

    fn capture(&mut self, name: Option<Vec<u8>>) -> Result<Ast, Error> {
        self.groups += 1;
        let number = self.groups;
        if let Some(name) = name {
            let taken = self.names.iter().any(|known| known.0 == name && known.1 != number);
            if taken && !self.flags.same_names {
                return Err(SAME_NAME);
            }
            self.names.push((name, number));
        }
        Ok(Ast::Group(number, Box::new(self.closed()?)))
    }

    fn around(&mut self, behind: bool, negated: bool) -> Result<Ast, Error> {
        let inner = self.closed()?;
        if behind {
            let branches = if let Ast::Alt(all) = &inner { all.as_slice() } else { std::slice::from_ref(&inner) };
            if branches.iter().any(|branch| branch.width().is_none()) {
                return Err(NOT_FIXED);
            }
        }
        Ok(Ast::Around { behind, negated, inner: Box::new(inner) })
    }

    /// `(?|…|…)`: the groups of each alternative have the same numbers.
    fn reset_branches(&mut self) -> Result<Ast, Error> {
        let (first, flags) = (self.groups, self.flags);
        let mut most = first;
        let mut all = Vec::new();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        loop {
            self.groups = first;
            all.push(self.sequence()?);
            most = most.max(self.groups);
            if !self.eat(b"|") {
                break;
            }
        }
        self.depth -= 1;
        self.groups = most;
        self.flags = flags;
        if self.eat(b")") { Ok(Ast::Alt(all)) } else { Err(OPEN_GROUP) }
    }

    fn name(&mut self, end: u8) -> Result<Vec<u8>, Error> {
        let rest = self.rest();
        if rest.first().is_some_and(u8::is_ascii_digit) {
            return Err(BAD_NAME);
        }
        let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let name = rest[..len].to_vec();
        self.at += len;
        if len == 0 || self.peek() != Some(end) {
            return Err(OPEN_NAME);
        }
        self.at += 1;
        Ok(name)
    }

    /// A number of a group, perhaps counted from here, up to a closing character.
    fn relative(&mut self, end: u8) -> Result<usize, Error> {
        let sign = self.peek().filter(|b| matches!(b, b'+' | b'-'));
        self.at += usize::from(sign.is_some());
        let n = self.number_until(end, 10).map_err(|_| NO_GROUP)? as usize;
        match sign {
            None => Ok(n),
            Some(b'+') => Ok(self.groups + n),
            Some(_) if n <= self.groups && n > 0 => Ok(self.groups + 1 - n),
            Some(_) => Err(NO_GROUP),
        }
    }

    /// `\g…` and `\k…`, at the letter.
    pub(super) fn reference(&mut self, letter: u8) -> Result<Ast, Error> {
        self.at += 1;
        let fold = self.flags.ignore_case;
        let Some(open) = self.peek() else { return Err(NO_GROUP) };
        let close = match open {
            b'{' => b'}',
            b'<' => b'>',
            b'\'' => b'\'',
            b'0'..=b'9' | b'-' | b'+' if letter == b'g' => {
                let sign = usize::from(!open.is_ascii_digit());
                let len = sign + self.rest()[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
                let text = String::from_utf8_lossy(&self.rest()[..len]).into_owned();
                self.at += len;
                return self.by_number(&text, fold);
            }
            _ => return Err(if letter == b'k' { OPEN_NAME } else { NO_GROUP }),
        };
        self.at += 1;
        let numeric = self.peek().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+'));
        // `\g<…>` calls a group, `\g{…}` is its text.
        let call = letter == b'g' && open != b'{';
        if numeric && letter == b'g' {
            let number = Reference::Number(self.relative(close)?);
            return Ok(if call { Ast::Call(number) } else { Ast::Back(number, fold) });
        }
        let name = Reference::Name(self.name(close)?);
        Ok(if call { Ast::Call(name) } else { Ast::Back(name, fold) })
    }

    fn by_number(&self, text: &str, fold: bool) -> Result<Ast, Error> {
        let n: usize = text.trim_start_matches(['-', '+']).parse().map_err(|_| NO_GROUP)?;
        let n = match text.as_bytes()[0] {
            b'-' if n <= self.groups && n > 0 => self.groups + 1 - n,
            b'-' => return Err(NO_GROUP),
            b'+' => self.groups + n,
            _ => n,
        };
        Ok(Ast::Back(Reference::Number(n), fold))
    }

    /// Behind `(?(`.
    fn conditional(&mut self) -> Result<Ast, Error> {
        let condition = match self.peek() {
            Some(b'?') => {
                self.at -= 1;
                match self.group()? {
                    Some(around @ Ast::Around { .. }) => Condition::Around(Box::new(around)),
                    _ => return Err(BAD_OPTION),
                }
            }
            Some(b'0'..=b'9' | b'+' | b'-') => Condition::Group(Reference::Number(self.relative(b')')?)),
            Some(quote @ (b'<' | b'\'')) => {
                self.at += 1;
                let name = self.name(if quote == b'<' { b'>' } else { b'\'' })?;
                if !self.eat(b")") {
                    return Err(OPEN_GROUP);
                }
                Condition::Group(Reference::Name(name))
            }
            _ => match self.name(b')')?.as_slice() {
                b"DEFINE" => Condition::Never,
                name => Condition::Group(Reference::Name(name.to_vec())),
            },
        };
        let inner = self.closed()?;
        let (yes, no) = match inner {
            Ast::Alt(mut all) => match (all.pop(), all.pop(), all.is_empty()) {
                (Some(no), Some(yes), true) => (yes, no),
                _ => return Err(MANY_BRANCHES),
            },
            yes => (yes, Ast::Empty),
        };
        Ok(Ast::If(condition, Box::new(yes), Box::new(no)))
    }

    /// `(*SKIP)`, `(*pla:…)`
    fn verb(&mut self) -> Result<Ast, Error> {
        for (text, behind, negated) in [
            (b"*pla:".as_slice(), false, false),
            (b"*positive_lookahead:", false, false),
            (b"*nla:", false, true),
            (b"*negative_lookahead:", false, true),
            (b"*plb:", true, false),
            (b"*positive_lookbehind:", true, false),
            (b"*nlb:", true, true),
            (b"*negative_lookbehind:", true, true),
        ] {
            if self.eat(text) {
                return self.around(behind, negated);
            }
        }
        if self.eat(b"*atomic:") {
            return Ok(Ast::Atomic(Box::new(self.closed()?)));
        }
        for (text, ast) in [
            (b"*FAIL)".as_slice(), Ast::Fail),
            (b"*F)", Ast::Fail),
            (b"*COMMIT)", Ast::Verb(Verb::Commit)),
            (b"*PRUNE)", Ast::Verb(Verb::Prune)),
            (b"*SKIP)", Ast::Verb(Verb::Skip)),
        ] {
            if self.eat(text) {
                return Ok(ast);
            }
        }
        Err(BAD_VERB)
    }

    /// `(?i)`, `(?i-s:…)`, `(?^x)`.
    fn options(&mut self) -> Result<Option<Ast>, Error> {
        let mut flags = self.flags;
        let mut on = true;
        loop {
            let Some(letter) = self.peek() else { return Err(OPEN_GROUP) };
            self.at += 1;
            match letter {
                b'^' => {
                    flags = Flags { lazy: flags.lazy, same_names: flags.same_names, ..Flags::default() };
                }
                b'-' => on = false,
                b'i' => flags.ignore_case = on,
                b'm' => flags.multi_line = on,
                b's' => flags.dot_all = on,
                b'x' => {
                    flags.extended = on;
                    flags.more_extended = on && self.eat(b"x");
                }
                b'n' => flags.no_capture = on,
                b'U' => flags.lazy = on,
                b'J' => flags.same_names = on,
                b')' => {
                    self.flags = flags;
                    return Ok(None);
                }
                b':' => {
                    let before = std::mem::replace(&mut self.flags, flags);
                    let inner = self.closed()?;
                    self.flags = before;
                    return Ok(Some(inner));
                }
                _ => return Err(BAD_OPTION),
            }
        }
    }
}
