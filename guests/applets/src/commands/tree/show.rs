//! The lines of the tree.

use super::{Drawn, Node, Odd, Order, Tree};
use crate::calendar::Moment;
use crate::{mode, quote};
use capsule_sys::{FileType, Stat, now};

impl Tree<'_> {
    /// A name as it is shown. Where it is text, blanks and backslashes stand for themselves.
    pub fn name(&self, name: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let text = std::str::from_utf8(name).ok().filter(|_| quote::is_utf8());
        match (self.odd, text) {
            (Odd::AsIs, _) => out.extend_from_slice(name),
            (odd, Some(text)) => {
                for c in text.chars() {
                    let mut bytes = [0; 4];
                    let bytes = c.encode_utf8(&mut bytes).as_bytes();
                    match odd {
                        _ if !c.is_control() && (c.is_ascii() || quote::printable(c)) => out.extend_from_slice(bytes),
                        Odd::Question => out.push(b'?'),
                        _ => bytes.iter().for_each(|b| octal(*b, &mut out)),
                    }
                }
            }
            (odd, None) => name.iter().for_each(|b| self.byte(*b, odd, &mut out)),
        }
        if self.quotes { [b"\"", out.as_slice(), b"\""].concat() } else { out }
    }

    fn byte(&self, b: u8, odd: Odd, out: &mut Vec<u8>) {
        match b {
            7..=13 => out.extend([b'\\', b"abtnvfr"[usize::from(b) - 7]]),
            b' ' if !self.quotes => out.extend(b"\\ "),
            b'"' if self.quotes => out.extend(b"\\\""),
            b'\\' => out.extend(b"\\\\"),
            32..=126 => out.push(b),
            // Bytes that are no text pass with -q where the locale has such characters.
            128.. if odd == Odd::Question && quote::is_utf8() => out.push(b),
            _ if odd == Odd::Question => out.push(b'?'),
            _ => octal(b, out),
        }
    }

    /// The time that -D shows.
    pub fn date_of(&self, s: &Stat) -> Vec<u8> {
        let time = if self.order == Order::Changed { s.ctime } else { s.mtime };
        let recent = now().sec - time.sec < 6 * 30 * 86_400;
        let format = self.date_format.unwrap_or(if recent { b"%b %e %H:%M" } else { b"%b %e  %Y" });
        Moment::new(time.sec, time.nsec, &self.zone).format(format)
    }

    /// The details in brackets.
    pub fn details(&mut self, node: &Node) -> Vec<u8> {
        let s = &node.stat;
        let mut parts = Vec::new();
        if self.inodes {
            parts.push(format!("{:7}", s.ino));
        }
        if self.device {
            parts.push(format!("{:3}", s.dev));
        }
        if self.protections {
            parts.push(mode::show(s.st_mode()));
        }
        if self.owner {
            parts.push(format!("{:<8}", self.users.name(s.uid).unwrap_or_else(|| s.uid.to_string())));
        }
        if self.group {
            parts.push(format!("{:<8}", self.groups.name(s.gid).unwrap_or_else(|| s.gid.to_string())));
        }
        if self.sizes {
            parts.push(match self.size {
                None => format!("{:11}", node.bytes),
                Some(base) => human(node.bytes, base),
            });
        }
        if self.date {
            let date = self.date_of(s);
            parts.push(String::from_utf8_lossy(&date).into_owned());
        }
        if parts.is_empty() { Vec::new() } else { format!("[{}]  ", parts.join(" ")).into_bytes() }
    }

    /// A line: details, what leads to the name, and the name.
    pub fn line(&mut self, node: &Node, lead: &[u8], name: &[u8]) -> Vec<u8> {
        let (details, named) = (self.details(node), self.named(node, name));
        let (first, second) = if self.details_first { (details.as_slice(), lead) } else { (lead, details.as_slice()) };
        [first, second, &named].concat()
    }

    /// The name with what stands behind it.
    fn named(&self, node: &Node, name: &[u8]) -> Vec<u8> {
        let s = &node.stat;
        let paint = |code: Option<&[u8]>, text: Vec<u8>| match &self.colors {
            Some(colors) => colors.paint(code, text),
            None => text,
        };
        let colors = self.colors.as_ref();
        let Some((target, there)) = &node.target else {
            let mut line = paint(colors.and_then(|c| c.file(s, name)), self.name(name));
            line.extend(self.mark(Some(s)).bytes());
            return line;
        };
        let there = there.as_ref();
        let mut line = paint(colors.and_then(|c| c.link(s, there, name)), self.name(name));
        line.extend(b" -> ");
        line.extend(paint(colors.and_then(|c| c.target(there, target)), self.name(target)));
        line.extend(self.mark(there).bytes());
        line
    }

    fn mark(&self, s: Option<&Stat>) -> &'static str {
        match s {
            Some(s) if self.marks => match s.kind {
                FileType::Directory => "/",
                FileType::Fifo => "|",
                FileType::Socket => "=",
                FileType::Regular if s.mode & 0o111 != 0 => "*",
                _ => "",
            },
            _ => "",
        }
    }

    /// The lines before a name.
    fn lead(&self, before: &[bool], last: bool) -> Vec<u8> {
        let [bar, branch, end]: [&[u8]; 3] = match self.drawn {
            Drawn::Utf8 => ["│\u{a0}\u{a0} ".as_bytes(), "├── ".as_bytes(), "└── ".as_bytes()],
            Drawn::Ascii => [b"|   ", b"|-- ", b"`-- "],
            Drawn::Ansi => [b"x   ", b"tqq ", b"mqq "],
            Drawn::Cp437 => [b"\xb3   ", b"\xc3\xc4\xc4 ", b"\xc0\xc4\xc4 "],
        };
        let (on, off): (&[u8], &[u8]) = if self.drawn == Drawn::Ansi { (b"\x1b(0", b"\x1b(B") } else { (b"", b"") };
        let mut lead = on.to_vec();
        for more in before {
            lead.extend(if *more { bar } else { b"    " });
        }
        lead.extend(if last { end } else { branch });
        lead.extend(off);
        lead
    }

    pub fn show(&mut self, node: &Node, before: &mut Vec<bool>) {
        let Some(inside) = &node.inside else { return };
        for (i, child) in inside.iter().enumerate() {
            let last = i + 1 == inside.len();
            let lead = if self.lines { self.lead(before, last) } else { Vec::new() };
            let name = if self.full { child.path.clone() } else { child.name.clone() };
            let mut line = self.line(child, &lead, &name);
            if let Some(trouble) = &child.trouble {
                line.extend(trouble.bytes());
            }
            line.push(b'\n');
            self.out.write(&line);
            self.count(child);
            before.push(!last);
            self.show(child, before);
            before.pop();
        }
    }
}

fn octal(b: u8, out: &mut Vec<u8>) {
    out.extend(format!("\\{b:03o}").as_bytes());
}

/// A size with a letter, of what is left of it when it was divided.
pub fn human(mut size: u64, base: u64) -> String {
    if size < base {
        return format!("{size:4}");
    }
    let mut letters = if base == 1000 { "kMGTPEZY" } else { "KMGTPEZY" }.chars();
    let mut letter = letters.next();
    while size >= base * base {
        size /= base;
        letter = letters.next();
    }
    let digits = usize::from(size / base < 10);
    format!("{:3.digits$}{}", size as f32 / base as f32, letter.unwrap_or('?'))
}
