//! Colors: GNU's defaults, changed by `LS_COLORS`.

use super::{Entry, executable};
use capsule_sys::{FileType, Out, S_ISGID, S_ISUID, S_ISVTX, Stat, getenv};
use std::collections::BTreeMap;

pub struct Colors {
    kinds: BTreeMap<[u8; 2], Vec<u8>>,
    /// Endings of names, the last one given first.
    endings: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether anything was painted yet: the first color is preceded by a reset.
    used: bool,
}

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
        for part in given.unwrap_or_default().split(|&b| b == b':') {
            let Some(equals) = part.iter().position(|&b| b == b'=') else { continue };
            let (key, code) = (&part[..equals], part[equals + 1..].to_vec());
            match key {
                [b'*', ending @ ..] => colors.endings.insert(0, (ending.to_vec(), code)),
                [a, b] => {
                    colors.kinds.insert([*a, *b], code);
                }
                _ => {}
            }
        }
        Some(colors)
    }

    fn of(&self, kind: &[u8; 2]) -> Option<&[u8]> {
        self.kinds.get(kind).map(Vec::as_slice).filter(|code| !code.is_empty() && !matches!(*code, b"0" | b"00"))
    }

    /// The color of a file: by its kind, then by the end of its name.
    fn choose(&self, kind: Option<FileType>, stat: Option<&Stat>, name: &[u8]) -> Option<&[u8]> {
        let mode = stat.map_or(0, |s| s.mode);
        let first = |kinds: &[&[u8; 2]]| kinds.iter().find_map(|k| self.of(k));
        match kind? {
            FileType::Directory => match (mode & S_ISVTX != 0, mode & 0o002 != 0) {
                (true, true) => first(&[b"tw", b"di"]),
                (false, true) => first(&[b"ow", b"di"]),
                (true, false) => first(&[b"st", b"di"]),
                _ => self.of(b"di"),
            },
            FileType::Symlink => self.of(b"ln"),
            FileType::Fifo => self.of(b"pi"),
            FileType::Socket => self.of(b"so"),
            FileType::BlockDevice => self.of(b"bd"),
            FileType::CharDevice => self.of(b"cd"),
            FileType::Regular => {
                let special = (if mode & S_ISUID != 0 { self.of(b"su") } else { None })
                    .or_else(|| if mode & S_ISGID != 0 { self.of(b"sg") } else { None })
                    .or_else(|| if stat.is_some_and(executable) { self.of(b"ex") } else { None });
                let ending = || self.endings.iter().find(|(e, _)| name.ends_with(e)).map(|(_, code)| code.as_slice());
                special.or_else(ending).or_else(|| self.of(b"fi"))
            }
        }
    }

    pub fn paint(&mut self, entry: &Entry, text: &[u8], out: &mut Out) {
        let dangling = matches!(&entry.target, Some((_, None))) && entry.kind == Some(FileType::Symlink);
        let orphan = if dangling { self.of(b"or") } else { None };
        let code = orphan.or_else(|| self.choose(entry.kind, entry.stat.as_ref(), &entry.name));
        let code = code.map(<[u8]>::to_vec);
        self.wrap(code, text, out);
    }

    /// GNU looks at a link's target only when something depends on it.
    pub fn looks_at_targets(&self) -> bool {
        self.of(b"or").is_some()
            || self.of(b"mi").is_some()
            || self.kinds.get(b"ln").is_some_and(|code| code == b"target")
    }

    pub fn paint_target(&mut self, target: Option<&Stat>, name: &[u8], text: &[u8], out: &mut Out) {
        let code = match target {
            Some(s) => self.choose(Some(s.kind), Some(s), name),
            None => self.of(b"mi").or_else(|| self.of(b"or")),
        };
        let code = code.map(<[u8]>::to_vec);
        self.wrap(code, text, out);
    }

    fn wrap(&mut self, code: Option<Vec<u8>>, text: &[u8], out: &mut Out) {
        let Some(code) = code else { return out.write(text) };
        let part = |kind: &[u8; 2]| self.kinds.get(kind).cloned().unwrap_or_default();
        let (left, right, reset) = (part(b"lc"), part(b"rc"), part(b"rs"));
        let reset = [left.as_slice(), &reset, &right].concat();
        if !self.used {
            out.write(&reset);
            self.used = true;
        }
        // A leading blank that only aligns is not painted.
        let blank = usize::from(text.first() == Some(&b' '));
        out.write(&text[..blank]);
        for piece in [&left, &code, &right, &text[blank..], &reset] {
            out.write(piece);
        }
    }
}
