//! Colors: GNU's defaults, changed by `LS_COLORS`.

use super::{Entry, executable};
use crate::quote::locale;
use crate::report;
use capsule_sys::{FileType, Out, S_ISGID, S_ISUID, S_ISVTX, Stat, getenv};
use std::collections::BTreeMap;

pub struct Colors {
    kinds: BTreeMap<[u8; 2], Vec<u8>>,
    /// Endings of names, the last one given first.
    endings: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether anything was painted yet: the first color is preceded by a reset.
    used: bool,
}

/// What `LS_COLORS` may speak of.
const KINDS: &[&[u8; 2]] = &[
    b"lc", b"rc", b"ec", b"rs", b"no", b"fi", b"di", b"ln", b"pi", b"so", b"bd", b"cd", b"mi", b"or", b"ex", b"do",
    b"su", b"sg", b"st", b"ow", b"tw", b"ca", b"mh", b"cl",
];

const DEFAULTS: &[(&[u8; 2], &str)] = &[
    (b"lc", "\x1b["),
    (b"rc", "m"),
    (b"rs", "0"),
    (b"di", "01;34"),
    (b"ln", "01;36"),
    (b"pi", "33"),
    (b"so", "01;35"),
    (b"bd", "01;33"),
    (b"cd", "01;33"),
    (b"ex", "01;32"),
    (b"su", "37;41"),
    (b"sg", "30;43"),
    (b"st", "37;44"),
    (b"ow", "34;42"),
    (b"tw", "30;42"),
];

/// Terminals that have colors, as dircolors lists them.
const TERMINALS: &[&str] = &[
    "ansi",
    "*color*",
    "con[0-9]*x[0-9]*",
    "cons25",
    "console",
    "cygwin",
    "*direct*",
    "dtterm",
    "gnome",
    "hurd",
    "jfbterm",
    "konsole",
    "kterm",
    "linux",
    "linux-c",
    "mlterm",
    "putty",
    "rxvt*",
    "screen*",
    "st",
    "terminator",
    "tmux*",
    "vt100",
    "vt220",
    "xterm*",
];

impl Colors {
    /// None where nothing says that colors can be shown.
    pub fn load() -> Option<Colors> {
        let given = getenv(b"LS_COLORS").filter(|v| !v.is_empty());
        if given.is_none() && getenv(b"COLORTERM").is_none_or(|v| v.is_empty()) {
            let terminal = getenv(b"TERM").unwrap_or_default();
            if !TERMINALS.iter().any(|pattern| crate::glob::matches(pattern.as_bytes(), &terminal, false)) {
                return None;
            }
        }
        let kinds = DEFAULTS.iter().map(|(kind, code)| (**kind, code.as_bytes().to_vec())).collect();
        let mut colors = Colors { kinds, endings: Vec::new(), used: false };
        if colors.read(&given.unwrap_or_default()).is_none() {
            report::error("unparsable value for LS_COLORS environment variable");
            return None;
        }
        Some(colors)
    }

    /// Takes over what the variable says; none where it cannot be understood.
    fn read(&mut self, text: &[u8]) -> Option<()> {
        let mut rest = text;
        while let Some((&first, behind)) = rest.split_first() {
            if first == b':' {
                rest = behind;
                continue;
            }
            if first == b'*' {
                let (ending, behind) = value(behind, b'=');
                let (code, behind) = value(behind.strip_prefix(b"=")?, b':');
                self.endings.insert(0, (ending, code));
                rest = behind;
                continue;
            }
            let key = *rest.first_chunk::<2>()?;
            let behind = rest[2..].strip_prefix(b"=")?;
            if !KINDS.contains(&&key) {
                report::error(format_args!("unrecognized prefix: {}", locale(&key)));
                return None;
            }
            let (code, behind) = value(behind, b':');
            self.kinds.insert(key, code);
            rest = behind;
        }
        Some(())
    }

    /// Whether a kind has a color that is one.
    fn is_colored(&self, kind: &[u8; 2]) -> bool {
        self.kinds.get(kind).is_some_and(|code| !code.is_empty() && !matches!(code.as_slice(), b"0" | b"00"))
    }

    /// Links are shown as what they lead to.
    fn as_target(&self) -> bool {
        self.kinds.get(b"ln").is_some_and(|code| code == b"target")
    }

    /// The color of a file: by its kind, then by the end of its name.
    fn choose(&self, kind: Option<FileType>, stat: Option<&Stat>, name: &[u8]) -> Option<Vec<u8>> {
        let mode = stat.map_or(0, |s| s.mode);
        let first = |kinds: &[(bool, &'static [u8; 2])], usual: &'static [u8; 2]| {
            kinds.iter().find(|(is, kind)| *is && self.is_colored(kind)).map_or(usual, |(_, kind)| *kind)
        };
        let (sticky, open) = (mode & S_ISVTX != 0, mode & 0o002 != 0);
        let kind = match kind? {
            FileType::Directory => first(&[(sticky && open, b"tw"), (open, b"ow"), (sticky, b"st")], b"di"),
            FileType::Symlink => b"ln",
            FileType::Fifo => b"pi",
            FileType::Socket => b"so",
            FileType::BlockDevice => b"bd",
            FileType::CharDevice => b"cd",
            FileType::Regular => {
                let runs = stat.is_some_and(executable);
                let shared = stat.is_some_and(|s| s.nlink > 1);
                let special =
                    [(mode & S_ISUID != 0, b"su"), (mode & S_ISGID != 0, b"sg"), (runs, b"ex"), (shared, b"mh")];
                first(&special, b"fi")
            }
        };
        let ends = |(ending, _): &&(Vec<u8>, Vec<u8>)| {
            let start = name.len().checked_sub(ending.len());
            start.is_some_and(|start| name[start..].eq_ignore_ascii_case(ending))
        };
        let ending = self.endings.iter().find(ends).filter(|_| kind == b"fi");
        ending.map(|(_, code)| code).or_else(|| self.kinds.get(kind)).cloned()
    }

    pub fn paint(&mut self, entry: &Entry, text: &[u8], out: &mut Out) {
        let is_link = entry.kind == Some(FileType::Symlink);
        let code = match &entry.target {
            Some((_, None)) if is_link && (self.as_target() || self.is_colored(b"or")) => {
                self.kinds.get(b"or").cloned()
            }
            Some((_, Some(target))) if is_link && self.as_target() => {
                self.choose(Some(target.kind), Some(target), &entry.name)
            }
            _ => self.choose(entry.kind, entry.stat.as_ref(), &entry.name),
        };
        self.wrap(code, text, out);
    }

    /// GNU looks at a link's target only when something depends on it.
    pub fn looks_at_targets(&self) -> bool {
        self.is_colored(b"or") || self.is_colored(b"mi") || self.as_target()
    }

    pub fn paint_target(&mut self, target: Option<&Stat>, name: &[u8], text: &[u8], out: &mut Out) {
        let code = match target {
            Some(s) => self.choose(Some(s.kind), Some(s), name),
            None if self.is_colored(b"mi") => self.kinds.get(b"mi").cloned(),
            None => self.kinds.get(b"or").cloned(),
        };
        self.wrap(code, text, out);
    }

    /// A name of which nothing is known.
    pub fn paint_plain(&mut self, text: &[u8], out: &mut Out) {
        self.wrap(None, text, out);
    }

    /// The color of what is no name, where there is one.
    pub fn normal(&mut self, out: &mut Out) {
        if self.is_colored(b"no") {
            self.switch(b"no", out);
        }
    }

    /// Changes to the color of a kind.
    fn switch(&mut self, kind: &[u8; 2], out: &mut Out) {
        self.begin(out);
        for part in [b"lc", kind, b"rc"] {
            out.write(self.kinds.get(part).map_or(b"", Vec::as_slice));
        }
    }

    fn begin(&mut self, out: &mut Out) {
        if !self.used {
            self.used = true;
            self.end(out);
        }
    }

    /// Back to what comes without a color.
    fn end(&mut self, out: &mut Out) {
        match self.kinds.get(b"ec") {
            Some(end) => out.write(end),
            None => self.switch(b"rs", out),
        }
    }

    /// After everything: a terminal with codes of its own is left as it was.
    pub fn finish(&mut self, out: &mut Out) {
        let part = |kind: &[u8; 2]| self.kinds.get(kind).cloned().unwrap_or_default();
        let (left, right) = (part(b"lc"), part(b"rc"));
        if self.used && !(left == b"\x1b[" && right == b"m") {
            out.write(&left);
            out.write(&right);
        }
    }

    fn wrap(&mut self, code: Option<Vec<u8>>, text: &[u8], out: &mut Out) {
        if code.is_none() && !self.is_colored(b"no") {
            return out.write(text);
        }
        // A leading blank that only aligns is not painted.
        let blank = usize::from(text.first() == Some(&b' '));
        out.write(&text[..blank]);
        if let Some(code) = code {
            let part = |kind: &[u8; 2]| self.kinds.get(kind).cloned().unwrap_or_default();
            let (left, right) = (part(b"lc"), part(b"rc"));
            self.begin(out);
            if self.is_colored(b"no") {
                out.write(&left);
                out.write(&right);
            }
            for piece in [&left, &code, &right] {
                out.write(piece);
            }
        }
        out.write(&text[blank..]);
        self.end(out);
    }
}

/// A value up to its end, with `\e`, `\033`, `\x1b` and `^[` for control characters; and the rest.
fn value(text: &[u8], end: u8) -> (Vec<u8>, &[u8]) {
    let mut out = Vec::new();
    let mut i = 0;
    while i < text.len() && text[i] != end && text[i] != b':' {
        match (text[i], text.get(i + 1)) {
            (b'\\', Some(b'0'..=b'7')) => {
                let digits = text[i + 1..].iter().take_while(|b| matches!(b, b'0'..=b'7')).count();
                out.push(text[i + 1..i + 1 + digits].iter().fold(0u8, |n, b| n.wrapping_mul(8).wrapping_add(b - b'0')));
                i += 1 + digits;
            }
            (b'\\', Some(b'x' | b'X')) => {
                let digits = text[i + 2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
                let hex = |b: &u8| (*b as char).to_digit(16).unwrap_or(0) as u8;
                out.push(text[i + 2..i + 2 + digits].iter().fold(0u8, |n, b| n.wrapping_mul(16).wrapping_add(hex(b))));
                i += 2 + digits;
            }
            (b'\\', Some(&c)) => {
                out.push(match c {
                    b'a' => 7,
                    b'b' => 8,
                    b'e' => 27,
                    b'f' => 12,
                    b'n' => 10,
                    b'r' => 13,
                    b't' => 9,
                    b'v' => 11,
                    b'?' => 127,
                    b'_' => b' ',
                    other => other,
                });
                i += 2;
            }
            (b'^', Some(b'?')) => {
                out.push(127);
                i += 2;
            }
            (b'^', Some(&c @ b'@'..=b'~')) => {
                out.push(c & 0o37);
                i += 2;
            }
            (c, _) => {
                out.push(c);
                i += 1;
            }
        }
    }
    (out, &text[i..])
}
