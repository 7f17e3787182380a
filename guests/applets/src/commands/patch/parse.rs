//! From a patch's text to its parts: unified, context, normal and `ed` diffs, with the headers of git.

use super::hunk::{Hunk, Op};
use crate::{Exit, report};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Unified,
    Context,
    Normal,
    Ed,
}

/// One file's changes.
#[derive(Clone, Default, Debug)]
pub struct Patch {
    pub kind: Option<Kind>,
    /// The names behind `---` (or `***`) and `+++` (or `---`), and behind `Index:`.
    pub old: Option<Name>,
    pub new: Option<Name>,
    pub index: Option<Vec<u8>>,
    /// The lines above the first hunk, for messages.
    pub lead: Vec<Vec<u8>>,
    /// The number of the first hunk's line.
    pub line: usize,
    pub hunks: Vec<Hunk>,
    pub script: Vec<u8>,
    pub git: Option<Git>,
}

#[derive(Clone, Default, Debug)]
pub struct Name {
    pub name: Vec<u8>,
    /// What follows the name: a tab and the time.
    pub rest: Vec<u8>,
    /// `/dev/null`, or a time that only files that are not there have.
    pub missing: bool,
}

/// What git's own headers say.
#[derive(Clone, Default, Debug)]
pub struct Git {
    pub old: Vec<u8>,
    pub new: Vec<u8>,
    pub rename: bool,
    pub copy: bool,
    pub old_mode: Option<u32>,
    pub new_mode: Option<u32>,
    pub created: bool,
    pub deleted: bool,
    pub binary: bool,
}

pub struct Parser<'a> {
    lines: Vec<&'a [u8]>,
    at: usize,
    only: Option<Kind>,
    /// The headers of the patch that is being read: they are told of when the rest of it is malformed.
    pub begun: Option<Patch>,
}

/// One side of a context hunk: each line's mark and text; none when it is left out.
type Half = Option<Vec<(u8, Vec<u8>)>>;

/// Hunks and lines are read with their numbers checked, so a patch has no more of them than it has lines.
impl<'a> Parser<'a> {
    pub fn new(text: &'a [u8], only: Option<Kind>) -> Parser<'a> {
        Parser { lines: text.split_inclusive(|&b| b == b'\n').collect(), at: 0, only, begun: None }
    }

    fn peek(&self, ahead: usize) -> &'a [u8] {
        self.lines.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn malformed(&self, at: usize) -> Exit {
        let text = self.lines.get(at).copied().unwrap_or_default();
        let text = crate::quote::raw(text.strip_suffix(b"\n").unwrap_or(text));
        report::die(2, format_args!("**** malformed patch at line {}: {text}\n", at + 1))
    }

    /// The next file's changes; none when only text is left.
    pub fn next(&mut self) -> Result<Option<Patch>, Exit> {
        let mut patch = Patch::default();
        while self.at < self.lines.len() {
            let line = self.peek(0);
            let wants = |kind: Kind| self.only.is_none_or(|only| only == kind);
            if line.starts_with(b"diff --git ") {
                // Headers alone may be a whole change.
                if patch.git.as_ref().is_some_and(complete) {
                    return Ok(Some(patch));
                }
                patch = Patch { git: Some(git_names(&line[11..])), lead: std::mem::take(&mut patch.lead), ..patch };
            } else if let Some(git) = &mut patch.git
                && git_header(line, git)
            {
                // Kept below as text.
            } else if let Some(rest) = line.strip_prefix(b"Index:") {
                patch.index = Some(header_name(rest).name);
            } else if wants(Kind::Unified) && line.starts_with(b"--- ") && self.peek(1).starts_with(b"+++ ") {
                let (old, new) = (header_name(&line[4..]), header_name(&self.peek(1)[4..]));
                if unified_range(self.peek(2)).is_some() {
                    patch.lead.extend([line.to_vec(), self.peek(1).to_vec()]);
                    (patch.old, patch.new) = (Some(old), Some(new));
                    self.at += 2;
                    return self.unified(patch).map(Some);
                }
            } else if wants(Kind::Unified) && unified_range(line).is_some() {
                return self.unified(patch).map(Some);
            } else if wants(Kind::Context) && line.starts_with(b"***************") {
                return self.context(patch).map(Some);
            } else if wants(Kind::Context) && line.starts_with(b"*** ") && self.peek(1).starts_with(b"--- ") {
                let (old, new) = (header_name(&line[4..]), header_name(&self.peek(1)[4..]));
                (patch.old, patch.new) = (Some(old), Some(new));
            } else if wants(Kind::Normal) && self.only != Some(Kind::Ed) && normal_command(line).is_some() {
                let mark = self.peek(1).get(..2);
                if mark == Some(b"< ") || mark == Some(b"> ") {
                    return self.normal(patch).map(Some);
                }
            }
            if (self.only == Some(Kind::Ed) || self.only.is_none()) && ed_command(line).is_some() {
                return self.ed(patch).map(Some);
            }
            patch.lead.push(line.to_vec());
            self.at += 1;
        }
        Ok(patch.git.as_ref().is_some_and(complete).then_some(patch))
    }

    fn begin(&mut self, patch: &mut Patch, kind: Kind) {
        patch.kind = Some(kind);
        patch.line = self.at + 1;
        self.begun = Some(patch.clone());
    }

    fn unified(&mut self, mut patch: Patch) -> Result<Patch, Exit> {
        self.begin(&mut patch, Kind::Unified);
        while let Some(range) = unified_range(self.peek(0)) {
            let (mut old_left, mut new_left) = (range.old.1, range.new.1);
            let mut hunk =
                Hunk { old_start: range.old.0, new_start: range.new.0, function: range.function, lines: Vec::new() };
            self.at += 1;
            while old_left > 0 || new_left > 0 {
                let Some(line) = self.lines.get(self.at).copied() else {
                    // Blank lines at the end of a mail get lost: they were context.
                    if old_left == new_left && old_left <= 3 {
                        hunk.lines.extend(std::iter::repeat_n((Op::Keep, b"\n".to_vec()), old_left));
                        break;
                    }
                    return Err(report::die(2, "**** unexpected end of file in patch"));
                };
                let (op, text) = match line.split_first() {
                    Some((b' ', rest)) => (Op::Keep, rest),
                    Some((b'-', rest)) => (Op::Delete, rest),
                    Some((b'+', rest)) => (Op::Insert, rest),
                    Some((b'\t', _)) => (Op::Keep, line),
                    Some((b'\n', _)) => (Op::Keep, line),
                    Some((b'=', rest)) => (Op::Keep, rest),
                    _ => return Err(self.malformed(self.at)),
                };
                let (old, new) = (usize::from(op != Op::Insert), usize::from(op != Op::Delete));
                if old > old_left || new > new_left {
                    return Err(self.malformed(self.at));
                }
                old_left -= old;
                new_left -= new;
                hunk.lines.push((op, text.to_vec()));
                self.at += 1;
                self.no_newline(&mut hunk);
            }
            patch.hunks.push(hunk);
        }
        Ok(patch)
    }

    /// `\ No newline at end of file` is about the line before it.
    fn no_newline(&mut self, hunk: &mut Hunk) {
        if self.peek(0).starts_with(b"\\ ") {
            self.at += 1;
            if let Some((_, text)) = hunk.lines.last_mut()
                && text.last() == Some(&b'\n')
            {
                text.pop();
            }
        }
    }

    fn context(&mut self, mut patch: Patch) -> Result<Patch, Exit> {
        self.begin(&mut patch, Kind::Context);
        while self.peek(0).starts_with(b"***************") {
            let function = self.peek(0)[15..].trim_ascii().to_vec();
            self.at += 1;
            let Some(old) = context_range(self.peek(0), b"*** ", b" ****") else {
                return Err(self.malformed(self.at));
            };
            self.at += 1;
            let old_lines = self.context_half(b"-!", old)?;
            let Some(new) = context_range(self.peek(0), b"--- ", b" ----") else {
                return Err(self.malformed(self.at));
            };
            self.at += 1;
            let new_lines = self.context_half(b"+!", new)?;
            let mut hunk = Hunk { old_start: old.0, new_start: new.0, function, lines: Vec::new() };
            if !join_halves(&mut hunk, old_lines, new_lines) {
                return Err(self.malformed(self.at.saturating_sub(1)));
            }
            patch.hunks.push(hunk);
        }
        Ok(patch)
    }

    /// One side of a context hunk; none when it is left out because the other tells all.
    fn context_half(&mut self, marks: &[u8; 2], range: (usize, usize)) -> Result<Half, Exit> {
        let mut lines: Vec<(u8, Vec<u8>)> = Vec::new();
        while lines.len() < range.1 {
            let line = self.peek(0);
            let (mark, text) = match line {
                [b' ', b' ' | b'\t', rest @ ..] => (b' ', rest),
                [mark, b' ' | b'\t', rest @ ..] if marks.contains(mark) => (*mark, rest),
                b"\n" => (b' ', line),
                _ if lines.is_empty() => return Ok(None),
                _ => return Err(self.malformed(self.at)),
            };
            // The other half's heading begins like a deletion.
            if lines.is_empty() && context_range(line, b"--- ", b" ----").is_some() {
                return Ok(None);
            }
            lines.push((mark, text.to_vec()));
            self.at += 1;
            if self.peek(0).starts_with(b"\\ ") {
                self.at += 1;
                if let Some((_, text)) = lines.last_mut() {
                    text.pop();
                }
            }
        }
        Ok(Some(lines))
    }

    fn normal(&mut self, mut patch: Patch) -> Result<Patch, Exit> {
        self.begin(&mut patch, Kind::Normal);
        while let Some((old, letter, new)) = normal_command(self.peek(0)) {
            self.at += 1;
            let old_count = if letter == b'a' { 0 } else { old.1 - old.0 + 1 };
            let new_count = if letter == b'd' { 0 } else { new.1 - new.0 + 1 };
            let mut hunk = Hunk { old_start: old.0, new_start: new.0, ..Hunk::default() };
            self.normal_lines(&mut hunk, b"< ", Op::Delete, old_count)?;
            if letter == b'c' {
                if self.peek(0) != b"---\n" {
                    return Err(self.malformed(self.at));
                }
                self.at += 1;
            }
            self.normal_lines(&mut hunk, b"> ", Op::Insert, new_count)?;
            patch.hunks.push(hunk);
        }
        Ok(patch)
    }

    fn normal_lines(&mut self, hunk: &mut Hunk, mark: &[u8], op: Op, count: usize) -> Result<(), Exit> {
        for _ in 0..count {
            let line = self.peek(0);
            let text =
                line.strip_prefix(mark).or_else(|| line.strip_prefix(&mark[..1]).filter(|r| r.starts_with(b"\t")));
            let Some(text) = text else {
                if self.at >= self.lines.len() {
                    return Err(report::die(2, "**** unexpected end of file in patch"));
                }
                return Err(self.malformed(self.at));
            };
            hunk.lines.push((op, text.to_vec()));
            self.at += 1;
            self.no_newline(hunk);
        }
        Ok(())
    }

    /// An `ed` script goes on as long as its commands do.
    fn ed(&mut self, mut patch: Patch) -> Result<Patch, Exit> {
        self.begin(&mut patch, Kind::Ed);
        while let Some(text) = ed_command(self.peek(0)) {
            patch.script.extend_from_slice(self.peek(0));
            self.at += 1;
            if text {
                loop {
                    let line = self.peek(0);
                    if self.at >= self.lines.len() {
                        return Err(report::die(2, "**** unexpected end of file in patch"));
                    }
                    patch.script.extend_from_slice(line);
                    self.at += 1;
                    if line.strip_suffix(b"\n").unwrap_or(line) == b"." {
                        break;
                    }
                }
            }
        }
        Ok(patch)
    }
}

/// Puts the halves of a context hunk together.
fn join_halves(hunk: &mut Hunk, old: Half, new: Half) -> bool {
    // A half that is left out has the other's context.
    let context =
        |lines: &Half| -> Vec<(u8, Vec<u8>)> { lines.iter().flatten().filter(|l| l.0 == b' ').cloned().collect() };
    let old_lines = old.clone().unwrap_or_else(|| context(&new));
    let new_lines = new.unwrap_or_else(|| context(&old));
    let (mut i, mut j) = (0, 0);
    while i < old_lines.len() || j < new_lines.len() {
        while i < old_lines.len() && old_lines[i].0 != b' ' {
            hunk.lines.push((Op::Delete, old_lines[i].1.clone()));
            i += 1;
        }
        while j < new_lines.len() && new_lines[j].0 != b' ' {
            hunk.lines.push((Op::Insert, new_lines[j].1.clone()));
            j += 1;
        }
        match (old_lines.get(i), new_lines.get(j)) {
            (Some(line), Some(_)) => {
                hunk.lines.push((Op::Keep, line.1.clone()));
                i += 1;
                j += 1;
            }
            (None, None) => break,
            _ => return false,
        }
    }
    true
}

struct Range {
    old: (usize, usize),
    new: (usize, usize),
    function: Vec<u8>,
}

fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    // Numbers beyond a file's possible lines would only overflow later.
    let value = std::str::from_utf8(&text[..digits]).ok()?.parse::<u32>().ok()?;
    Some((value as usize, &text[digits..]))
}

/// `@@ -1,3 +1,4 @@ function`
fn unified_range(line: &[u8]) -> Option<Range> {
    fn part(text: &[u8]) -> Option<((usize, usize), &[u8])> {
        let (start, rest) = number(text)?;
        match rest.strip_prefix(b",") {
            Some(rest) => {
                let (count, rest) = number(rest)?;
                Some(((start, count), rest))
            }
            None => Some(((start, 1), rest)),
        }
    }
    let rest = line.strip_prefix(b"@@ -")?;
    let (old, rest) = part(rest)?;
    let (new, rest) = part(rest.strip_prefix(b" +")?)?;
    let rest = rest.strip_prefix(b" @@")?;
    Some(Range { old, new, function: rest.trim_ascii().to_vec() })
}

/// `*** 1,5 ****`: first line and how many.
fn context_range(line: &[u8], before: &[u8], after: &[u8]) -> Option<(usize, usize)> {
    let rest = line.strip_prefix(before)?;
    let (first, rest) = number(rest)?;
    let (last, rest) = match rest.strip_prefix(b",") {
        Some(rest) => number(rest)?,
        None => (first, rest),
    };
    rest.starts_with(after).then_some(())?;
    let count = if first == 0 { 0 } else { (last + 1).checked_sub(first)? };
    Some((first, count))
}

type Command = ((usize, usize), u8, (usize, usize));

/// `3,4c5`
fn normal_command(line: &[u8]) -> Option<Command> {
    fn range(text: &[u8]) -> Option<((usize, usize), &[u8])> {
        let (first, rest) = number(text)?;
        match rest.strip_prefix(b",") {
            Some(rest) => {
                let (last, rest) = number(rest)?;
                (last >= first).then_some(((first, last), rest))
            }
            None => Some(((first, first), rest)),
        }
    }
    let (old, rest) = range(line)?;
    let (&letter, rest) = rest.split_first()?;
    let (new, rest) = range(rest)?;
    (b"acd".contains(&letter) && rest.trim_ascii().is_empty()).then_some((old, letter, new))
}

/// Whether a line is a command of `ed`, and whether text follows it.
fn ed_command(line: &[u8]) -> Option<bool> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    if line == b"s/.//" {
        return Some(false);
    }
    if line == b"a" {
        return Some(true);
    }
    let (_, rest) = number(line)?;
    let rest = match rest.strip_prefix(b",") {
        Some(rest) => number(rest)?.1,
        None => rest,
    };
    match rest {
        b"a" | b"c" | b"i" => Some(true),
        b"d" | b"s/.//" | b"s/^\\.//" => Some(false),
        _ => None,
    }
}

/// A header's name, and whether it says that there is no such file.
fn header_name(text: &[u8]) -> Name {
    let whole = text.strip_suffix(b"\n").unwrap_or(text);
    let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
    let text = whole.trim_ascii_start();
    let (name, time) = if text.first() == Some(&b'"') {
        let (name, used) = unquote(text);
        (name, &text[used..])
    } else if let Some(tab) = memchr::memchr(b'\t', text) {
        (text[..tab].to_vec(), &text[tab..])
    } else {
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        (text[..end].to_vec(), &text[end..])
    };
    let rest = time.to_vec();
    let time = time.trim_ascii();
    let epoch = !time.is_empty() && {
        let zone = crate::calendar::Zone::utc();
        let origin = capsule_sys::Time { sec: 0, nsec: 0 };
        crate::calendar::parse::parse(time, origin, &zone).is_some_and(|t| t == origin)
    };
    Name { missing: name == b"/dev/null" || epoch, name, rest }
}

/// A name as C writes it; how long it was.
fn unquote(text: &[u8]) -> (Vec<u8>, usize) {
    let mut name = Vec::new();
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => break,
            b'\\' => {
                let Some(&next) = text.get(at) else { break };
                at += 1;
                name.push(match next {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'0'..=b'7' => {
                        let more = text[at..].iter().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
                        let digits = &text[at - 1..at + more];
                        at += more;
                        digits.iter().fold(0u32, |n, d| n * 8 + u32::from(d - b'0')) as u8
                    }
                    other => other,
                });
            }
            _ => name.push(byte),
        }
    }
    (name, at.min(text.len()))
}

/// The two names behind `diff --git`.
fn git_names(text: &[u8]) -> Git {
    let text = text.trim_ascii_end();
    let mut git = Git::default();
    if text.first() == Some(&b'"') {
        let (old, used) = unquote(text);
        let rest = text[used..].trim_ascii_start();
        git.old = old;
        git.new = if rest.first() == Some(&b'"') { unquote(rest).0 } else { rest.to_vec() };
        return git;
    }
    // Both are the same but for a prefix: the middle blank parts them.
    let half = text.len() / 2;
    let middle = memchr::memchr_iter(b' ', text).min_by_key(|&i| i.abs_diff(half)).unwrap_or(text.len());
    git.old = text[..middle].to_vec();
    git.new = text[middle..].trim_ascii_start().to_vec();
    git
}

/// Whether these headers are a change without any hunk.
fn complete(git: &Git) -> bool {
    git.rename || git.copy || git.created || git.deleted || git.binary || git.old_mode != git.new_mode
}

fn git_header(line: &[u8], git: &mut Git) -> bool {
    let line = line.trim_ascii_end();
    let name = |rest: &[u8]| if rest.first() == Some(&b'"') { unquote(rest).0 } else { rest.to_vec() };
    let mode = |rest: &[u8]| std::str::from_utf8(rest).ok().and_then(|t| u32::from_str_radix(t, 8).ok());
    let rest = |prefix: &[u8]| line.strip_prefix(prefix);
    if let Some(text) = rest(b"old mode ") {
        git.old_mode = mode(text);
    } else if let Some(text) = rest(b"new mode ") {
        git.new_mode = mode(text);
    } else if let Some(text) = rest(b"new file mode ") {
        (git.created, git.new_mode) = (true, mode(text));
    } else if let Some(text) = rest(b"deleted file mode ") {
        (git.deleted, git.old_mode) = (true, mode(text));
    } else if let Some(text) = rest(b"rename from ") {
        (git.rename, git.old) = (true, [b"a/", name(text).as_slice()].concat());
    } else if let Some(text) = rest(b"rename to ") {
        (git.rename, git.new) = (true, [b"b/", name(text).as_slice()].concat());
    } else if let Some(text) = rest(b"copy from ") {
        (git.copy, git.old) = (true, [b"a/", name(text).as_slice()].concat());
    } else if let Some(text) = rest(b"copy to ") {
        (git.copy, git.new) = (true, [b"b/", name(text).as_slice()].concat());
    } else if line == b"GIT binary patch" {
        git.binary = true;
    } else {
        return rest(b"similarity index ").is_some() || rest(b"index ").is_some();
    }
    true
}
