//! Reading makefiles: logical lines, conditionals, definitions and directives.

use super::rules::Pending;
use super::variables::{Assign, Modifiers, Origin};
use super::words::{after_blanks, is_blank, trim, words};
use super::{Bytes, Make, wildcard};
use crate::Exit;
use capsule_sys::{Errno, OpenFlags, open, read_to_end};

/// An `ifeq` and where it stands.
struct Condition {
    /// Lines are left out now.
    ignoring: bool,
    /// A branch was taken already.
    taken: bool,
    seen_else: bool,
}

/// A text being read.
pub struct Source<'a> {
    text: &'a [u8],
    at: usize,
    /// The number of the next line.
    next: usize,
}

impl<'a> Source<'a> {
    pub fn new(text: &'a [u8], line: usize) -> Source<'a> {
        Source { text, at: 0, next: line }
    }

    /// A line with those that a backslash at its end joins to it, as they stand; and its number.
    fn line(&mut self) -> Option<(&'a [u8], usize)> {
        if self.at >= self.text.len() {
            return None;
        }
        let (start, number) = (self.at, self.next);
        loop {
            let end = memchr::memchr(b'\n', &self.text[self.at..]).map_or(self.text.len(), |i| self.at + i);
            self.next += 1;
            self.at = end + 1;
            let line = &self.text[start..end];
            let slashes = line.iter().rev().take_while(|&&b| b == b'\\').count();
            if slashes % 2 == 0 || self.at >= self.text.len() {
                return Some((line.strip_suffix(b"\r").unwrap_or(line), number));
            }
        }
    }
}

/// Joined lines become one, with a single blank at each joint.
pub fn collapse(line: &[u8]) -> Bytes {
    let mut out: Bytes = Vec::with_capacity(line.len());
    let mut at = 0;
    while let Some(newline) = memchr::memchr(b'\n', &line[at..]).map(|i| at + i) {
        let part = &line[at..newline];
        let slashes = part.iter().rev().take_while(|&&b| b == b'\\').count();
        out.extend_from_slice(&part[..part.len() - slashes]);
        out.extend(std::iter::repeat_n(b'\\', slashes / 2));
        while out.last().is_some_and(|&b| is_blank(b)) {
            out.pop();
        }
        out.push(b' ');
        at = newline + 1;
        while line.get(at).is_some_and(|b| b" \t".contains(b)) {
            at += 1;
        }
    }
    out.extend_from_slice(&line[at..]);
    // A backslash at the very end joins nothing.
    out
}

/// Without the comment; `\#` is a number sign.
pub fn uncomment(line: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(line.len());
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(&b) = line.get(at) {
        match b {
            b'\\' => {
                let run = line[at..].iter().take_while(|&&b| b == b'\\').count();
                if depth == 0 && line.get(at + run) == Some(&b'#') {
                    out.extend(std::iter::repeat_n(b'\\', run / 2));
                    at += run;
                    if run % 2 == 1 {
                        out.push(b'#');
                        at += 1;
                    }
                    continue;
                }
                out.extend_from_slice(&line[at..at + run]);
                at += run;
                continue;
            }
            b'$' if matches!(line.get(at + 1), Some(b'(' | b'{')) => {
                depth += 1;
                out.extend_from_slice(&line[at..at + 2]);
                at += 2;
                continue;
            }
            b'(' | b'{' if depth > 0 => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b'#' if depth == 0 => break,
            _ => {}
        }
        out.push(b);
        at += 1;
    }
    out
}

/// A definition: the name, the kind of `=`, where the value starts.
pub fn assignment(line: &[u8]) -> Option<(&[u8], Assign, &[u8])> {
    let mut depth = 0usize;
    let mut at = 0;
    let mut blank_before = false;
    while let Some(&b) = line.get(at) {
        let rest = &line[at..];
        match b {
            b'$' => {
                if let Some(&open @ (b'(' | b'{')) = line.get(at + 1) {
                    let close = if open == b'(' { b')' } else { b'}' };
                    at = super::expand::closing(line, at + 2, open, close)? + 1;
                } else {
                    at += 2;
                }
                continue;
            }
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let found = match rest {
            [b'=', ..] => Some((Assign::Recursive, 1)),
            [b':', b'=', ..] => Some((Assign::Simple, 2)),
            [b':', b':', b'=', ..] => Some((Assign::Simple, 3)),
            [b':', b':', b':', b'=', ..] => Some((Assign::Immediate, 4)),
            [b'+', b'=', ..] => Some((Assign::Append, 2)),
            [b'?', b'=', ..] => Some((Assign::Conditional, 2)),
            [b'!', b'=', ..] => Some((Assign::Shell, 2)),
            [b':', ..] if depth == 0 => return None,
            _ => None,
        };
        if let Some((assign, length)) = found {
            let name = trim(&line[..at]);
            return Some((name, assign, after_blanks(&line[at + length..])));
        }
        // A second word is no name.
        if is_blank(b) {
            blank_before = true;
        } else if blank_before && at > 0 && !line[..at].iter().all(|&b| is_blank(b)) {
            return None;
        }
        at += 1;
    }
    None
}

/// The first word, if it is this one alone; and what follows.
fn keyword<'a>(line: &'a [u8], word: &str) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(word.as_bytes())?;
    (rest.is_empty() || is_blank(rest[0])).then(|| after_blanks(rest))
}

impl Make {
    /// Reads a makefile by name.
    pub fn read_makefile(&mut self, name: &[u8], needed: bool) -> Result<(), Errno> {
        if self.reading == 0 {
            self.tell_reading(name, if needed { "" } else { " (no default goal) (don't care)" });
        }
        let file = if name == b"-" { None } else { Some(open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)?) };
        let text = read_to_end(file.as_ref().map_or(capsule_sys::STDIN, |f| f.raw()))?;
        drop(file);
        let shown = name.to_vec();
        self.read_list.push((shown.clone(), needed));
        let mut list = self.globals.get(b"MAKEFILE_LIST".as_slice()).map(|v| v.value.to_vec()).unwrap_or_default();
        if !list.is_empty() {
            list.push(b' ');
        }
        list.extend_from_slice(&shown);
        self.set_global(b"MAKEFILE_LIST", super::variables::Variable::new(&list, false, Origin::File));
        let before = self.location.replace((shown, 1));
        let done = self.read_source(Source::new(&text, 1));
        self.location = before;
        // Remembered until the caller can hand it on.
        if let Err(exit) = done {
            self.stopped = Some(exit);
        }
        Ok(())
    }

    fn tell_reading(&self, name: &[u8], how: &str) {
        self.debug(super::debug::VERBOSE, 0, || {
            format!("Reading makefile '{}'{how}...", String::from_utf8_lossy(name))
        });
    }

    /// The text of `$(eval)`.
    pub fn read_text(&mut self, text: &[u8]) -> Result<(), Exit> {
        if self.reading >= super::MAX_INCLUDES {
            return Err(self.fatal("makefiles nest too deeply"));
        }
        let line = self.location.as_ref().map_or(1, |l| l.1);
        let before = self.location.clone();
        let done = self.read_source(Source::new(text, line));
        self.location = before;
        done
    }

    fn read_source(&mut self, mut source: Source<'_>) -> Result<(), Exit> {
        self.reading += 1;
        let done = self.read_lines(&mut source);
        self.reading -= 1;
        done
    }

    fn location_at(&mut self, number: usize) {
        if let Some(location) = &mut self.location {
            location.1 = number;
        }
    }

    fn read_lines(&mut self, source: &mut Source<'_>) -> Result<(), Exit> {
        let mut conditions: Vec<Condition> = Vec::new();
        let mut pending: Option<Pending> = None;
        while let Some((raw, number)) = source.line() {
            self.location_at(number);
            let ignoring = conditions.iter().any(|c| c.ignoring);
            if raw.first() == Some(&self.recipe_prefix)
                && let Some(rule) = &mut pending
            {
                if !ignoring {
                    rule.add_line(&raw[1..], number);
                }
                continue;
            }
            let joined = collapse(raw);
            let line = uncomment(&joined);
            let text = after_blanks(&line);
            if text.is_empty() {
                continue;
            }
            if self.conditional(text, &mut conditions)? || ignoring {
                if ignoring && keyword(text, "define").is_some() && assignment(text).is_none() {
                    self.skip_define(source);
                }
                continue;
            }
            // A definition takes the line as it is: the comment is gone, blanks at its end stay.
            let full = after_blanks(&line);
            if let Some((modifiers, rest)) = self.modifiers(full) {
                if let Some(rule) = pending.take() {
                    self.record(rule)?;
                }
                self.definition(modifiers, rest, source)?;
                continue;
            }
            if self.directive(text, &mut pending)? {
                continue;
            }
            if let Some(rule) = pending.take() {
                self.record(rule)?;
            }
            pending = self.rule_line(raw, &joined, number)?;
        }
        if let Some(rule) = pending.take() {
            self.record(rule)?;
        }
        if !conditions.is_empty() {
            self.location_at(source.next);
            return Err(self.fatal("missing 'endif'"));
        }
        Ok(())
    }

    /// `ifeq` and its friends; true when the line was one.
    fn conditional(&mut self, line: &[u8], conditions: &mut Vec<Condition>) -> Result<bool, Exit> {
        let outer = conditions.iter().any(|c| c.ignoring);
        if let Some(rest) = keyword(line, "endif") {
            if conditions.pop().is_none() {
                return Err(self.fatal("extraneous 'endif'"));
            }
            if !rest.is_empty() {
                self.warn("extraneous text after 'endif' directive");
            }
            return Ok(true);
        }
        if let Some(rest) = keyword(line, "else") {
            let Some(last) = conditions.last() else { return Err(self.fatal("extraneous 'else'")) };
            if last.seen_else {
                return Err(self.fatal("only one 'else' per conditional"));
            }
            let taken = last.taken;
            let outer = conditions[..conditions.len() - 1].iter().any(|c| c.ignoring);
            let mut ignoring = taken;
            let mut seen_else = true;
            if !rest.is_empty() {
                // `else ifeq …` is another branch; what it says is only looked at when it may be taken.
                match self.condition(rest, taken || outer)? {
                    Some(holds) => {
                        ignoring = taken || !holds;
                        seen_else = false;
                    }
                    None => self.warn("extraneous text after 'else' directive"),
                }
            }
            if let Some(last) = conditions.last_mut() {
                *last = Condition { ignoring: ignoring || outer, taken: taken || !ignoring, seen_else };
            }
            return Ok(true);
        }
        match self.condition(line, outer)? {
            None => Ok(false),
            Some(holds) => {
                conditions.push(Condition { ignoring: outer || !holds, taken: outer || holds, seen_else: false });
                if conditions.len() > super::MAX_NESTING {
                    return Err(self.fatal("conditionals nest too deeply"));
                }
                Ok(true)
            }
        }
    }

    /// Whether a condition holds; none: the line is no condition. `unread`: it does not matter.
    fn condition(&mut self, line: &[u8], unread: bool) -> Result<Option<bool>, Exit> {
        for (word, wanted) in [("ifdef", true), ("ifndef", false)] {
            let Some(rest) = keyword(line, word) else { continue };
            if unread {
                return Ok(Some(false));
            }
            let name = self.expand(rest)?;
            let name = trim(&name);
            if words(name).count() > 1 {
                return Err(self.fatal("invalid syntax in conditional"));
            }
            let mut text = Vec::new();
            let defined = self.computed(name, &mut text) || self.variable(name).is_some_and(|v| !v.0.value.is_empty());
            return Ok(Some(defined == wanted));
        }
        for (word, wanted) in [("ifeq", true), ("ifneq", false)] {
            let Some(rest) = line.strip_prefix(word.as_bytes()) else { continue };
            // `ifeq(a,b)` without a blank is a condition too.
            if rest.first().is_some_and(|&b| !is_blank(b) && b != b'(') {
                continue;
            }
            if unread {
                return Ok(Some(false));
            }
            let Some((first, second, junk)) = operands(trim(rest)) else {
                return Err(self.fatal("invalid syntax in conditional"));
            };
            if !trim(junk).is_empty() {
                self.warn(&format!("extraneous text after '{word}' directive"));
            }
            let (first, second) = (self.expand(first)?, self.expand(second)?);
            return Ok(Some((first == second) == wanted));
        }
        Ok(None)
    }

    /// The words before a definition; none: the line is no definition.
    fn modifiers<'a>(&self, line: &'a [u8]) -> Option<(Modifiers, &'a [u8])> {
        let mut found = Modifiers::default();
        let mut rest = line;
        loop {
            // `export = x` defines a variable of that name.
            if let Some((name, ..)) = assignment(rest)
                && !name.iter().any(|&b| is_blank(b))
                && !matches!(name.split(|&b| is_blank(b)).next(), Some(b"define"))
            {
                return Some((found, rest));
            }
            if let Some(after) = keyword(rest, "export") {
                (found.export, rest) = (true, after);
            } else if let Some(after) = keyword(rest, "override") {
                (found.over, rest) = (true, after);
            } else if let Some(after) = keyword(rest, "private") {
                (found.private, rest) = (true, after);
            } else if let Some(after) = keyword(rest, "define") {
                found.define = true;
                return Some((found, after));
            } else if let Some(after) = keyword(rest, "undefine") {
                found.undefine = true;
                return Some((found, after));
            } else {
                return None;
            }
        }
    }

    fn definition(&mut self, modifiers: Modifiers, rest: &[u8], source: &mut Source<'_>) -> Result<(), Exit> {
        let origin = if modifiers.over { Origin::Override } else { Origin::File };
        let text;
        let (name, assign, value) = if modifiers.define {
            let (name, assign) = match assignment(rest) {
                Some((name, assign, _)) => (name, assign),
                None => (trim(rest), Assign::Recursive),
            };
            text = self.define_body(source)?;
            (name, assign, text.as_slice())
        } else if modifiers.undefine {
            let name = self.expand(trim(rest))?;
            if self.globals.get(trim(&name)).is_none_or(|v| v.origin <= origin) {
                self.globals.remove(trim(&name));
            }
            return Ok(());
        } else {
            match assignment(rest) {
                Some(found) => found,
                None => return Ok(()),
            }
        };
        let name = self.expand(name)?;
        let name = trim(&name).to_vec();
        if name.is_empty() {
            return Err(self.fatal("empty variable name"));
        }
        self.define(&name, assign, value, origin, None)?;
        if let Some(variable) = self.globals.get_mut(&name) {
            if modifiers.export {
                variable.export = Some(true);
            }
            variable.private |= modifiers.private;
        }
        Ok(())
    }

    /// The lines up to `endef`.
    fn define_body(&mut self, source: &mut Source<'_>) -> Result<Bytes, Exit> {
        let start = self.location.clone();
        let (mut text, mut depth, mut first) = (Vec::new(), 1usize, true);
        while let Some((raw, number)) = source.line() {
            if raw.first() != Some(&self.recipe_prefix) {
                let plain = uncomment(&collapse(raw));
                let line = after_blanks(&plain);
                if keyword(line, "define").is_some() {
                    depth += 1;
                } else if let Some(junk) = keyword(line, "endef") {
                    depth -= 1;
                    if depth == 0 {
                        if !junk.is_empty() {
                            self.location_at(number);
                            self.warn("extraneous text after 'endef' directive");
                        }
                        return Ok(text);
                    }
                }
            }
            if !std::mem::replace(&mut first, false) {
                text.push(b'\n');
            }
            text.extend_from_slice(&collapse(raw));
        }
        self.location = start;
        Err(self.fatal("missing 'endef', unterminated 'define'"))
    }

    fn skip_define(&mut self, source: &mut Source<'_>) {
        let mut depth = 1;
        while depth > 0 {
            let Some((raw, _)) = source.line() else { return };
            let line = after_blanks(raw);
            depth += usize::from(keyword(line, "define").is_some());
            depth -= usize::from(keyword(line, "endef").is_some());
        }
    }

    /// Everything that is neither a definition nor a rule; true when it was such a line.
    fn directive(&mut self, line: &[u8], pending: &mut Option<Pending>) -> Result<bool, Exit> {
        let found = ["export", "unexport", "vpath", "include", "-include", "sinclude", "load", "-load"]
            .into_iter()
            .find_map(|word| Some((word, keyword(line, word)?)));
        let Some((word, rest)) = found else { return Ok(false) };
        // `include: x` is a rule for a file of that name.
        if rest.first() == Some(&b':') {
            return Ok(false);
        }
        if let Some(rule) = pending.take() {
            self.record(rule)?;
        }
        match word {
            "export" | "unexport" => {
                let on = word == "export";
                let names = self.expand(rest)?;
                if trim(&names).is_empty() {
                    self.export_all = on;
                }
                for name in words(&names) {
                    let empty = super::variables::Variable::new(b"", true, Origin::Default);
                    self.globals.entry(name.to_vec()).or_insert(empty).export = Some(on);
                }
            }
            "vpath" => {
                let text = self.expand(rest)?;
                let mut list = words(&text);
                let pattern = list.next().map(<[u8]>::to_vec);
                let dirs: Vec<Bytes> =
                    list.flat_map(|w| w.split(|&b| b == b':')).filter(|d| !d.is_empty()).map(<[u8]>::to_vec).collect();
                match pattern {
                    None => self.vpaths.clear(),
                    Some(pattern) if dirs.is_empty() => self.vpaths.retain(|v| v.0 != pattern),
                    Some(pattern) => self.vpaths.push((pattern, dirs)),
                }
            }
            "load" | "-load" => return Err(self.fatal("The 'load' operation is not supported on this platform.")),
            _ => self.include(rest, word == "include")?,
        }
        Ok(true)
    }

    fn include(&mut self, names: &[u8], needed: bool) -> Result<(), Exit> {
        if self.reading >= super::MAX_INCLUDES {
            return Err(self.fatal("makefiles nest too deeply"));
        }
        let names = self.expand(names)?;
        for word in words(&names) {
            let word = wildcard::home(word);
            let mut found = if wildcard::is_pattern(&word) { wildcard::matches(&word) } else { Vec::new() };
            if found.is_empty() {
                found.push(word);
            }
            for name in found {
                let care = if needed { "" } else { " (don't care)" };
                self.tell_reading(&name, &format!(" (search path){care} (no ~ expansion)"));
                let mut failure = Errno::ENOENT;
                let dirs = if name.starts_with(b"/") { Vec::new() } else { self.include_dirs.clone() };
                let tries = std::iter::once(name.clone()).chain(dirs.iter().map(|d| crate::input::join(d, &name)));
                let mut read = false;
                for path in tries {
                    match self.read_makefile(&path, needed) {
                        Ok(()) => {
                            read = true;
                            break;
                        }
                        Err(Errno::ENOENT) => {}
                        Err(e) => {
                            failure = e;
                            break;
                        }
                    }
                }
                if let Some(exit) = self.stopped.take() {
                    return Err(exit);
                }
                if !read {
                    // It may be made yet.
                    let place = self.location.clone();
                    self.missing.push(super::MissingMakefile { name, needed, place, why: failure });
                }
            }
        }
        Ok(())
    }
}

/// `(a,b)`, `"a" "b"` or `'a' 'b'`, and what follows.
fn operands(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    match text.first()? {
        b'(' => {
            let mut depth = 0usize;
            let mut comma = None;
            for (at, &b) in text.iter().enumerate() {
                match b {
                    b'(' => depth += 1,
                    b')' => {
                        depth -= 1;
                        if depth == 0 {
                            let comma = comma?;
                            return Some((trim(&text[1..comma]), after_blanks(&text[comma + 1..at]), &text[at + 1..]));
                        }
                    }
                    b',' if depth == 1 && comma.is_none() => comma = Some(at),
                    _ => {}
                }
            }
            None
        }
        _ => {
            let quoted = |text: &'_ [u8]| {
                let quote = *text.first().filter(|b| b"\"'".contains(b))?;
                let end = text[1..].iter().position(|&b| b == quote)? + 1;
                Some((1, end))
            };
            let first = quoted(text)?;
            let rest = after_blanks(&text[first.1 + 1..]);
            let second = quoted(rest)?;
            Some((&text[first.0..first.1], &rest[second.0..second.1], &rest[second.1 + 1..]))
        }
    }
}
