//! Colors, as `TREE_COLORS` or `LS_COLORS` has them.

use capsule_sys::{FileType, S_ISGID, S_ISUID, S_ISVTX, STDOUT, Stat, getenv, isatty};
use std::collections::BTreeMap;

/// Where colors are asked for and no variable has any.
const KINDS: &str = "no=00:rs=0:fi=00:di=01;34:ln=01;36:pi=40;33:so=01;35:bd=40;33;01:cd=40;33;01:or=40;31;01:ex=01;32";
/// Colors, the endings that have them, and whether they have them in capitals, too.
const ENDINGS: &[(&str, &str, bool)] = &[
    ("01;32", "bat btm cmd com dll exe", true),
    ("01;31", "arj bz2 deb gz lzh rpm tar taz tb2 tbz tbz2 tgz tz2 zoo", false),
    ("01;31", "z zip", true),
    ("01;35", "asf avi bmp flac gif jpeg jpg m2v mov mp3 mpeg mpg ogg rm tga tif wav wmv", true),
    ("01;35", "m2a M2a ppm xbm xpm", false),
];

pub struct Colors {
    kinds: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Endings of names, the last one given first.
    endings: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Colors {
    /// None where names have no colors.
    pub fn load(never: bool, always: bool) -> Option<Colors> {
        let always = always || (!never && getenv(b"CLICOLOR_FORCE").is_some());
        getenv(b"TERM")?;
        let given = getenv(b"TREE_COLORS").or_else(|| getenv(b"LS_COLORS"));
        if !always && (never || given.is_none() || !isatty(STDOUT)) {
            return None;
        }
        let mut colors = Colors { kinds: BTreeMap::new(), endings: Vec::new() };
        match given.filter(|text| !text.is_empty()) {
            Some(text) => colors.read(&text),
            None => {
                colors.read(KINDS.as_bytes());
                for (code, endings, capitals) in ENDINGS {
                    for ending in endings.split(' ') {
                        colors.read(format!("*.{ending}={code}").as_bytes());
                        if *capitals {
                            colors.read(format!("*.{}={code}", ending.to_uppercase()).as_bytes());
                        }
                    }
                }
            }
        }
        Some(colors)
    }

    fn read(&mut self, text: &[u8]) {
        for part in text.split(|b| *b == b':') {
            let Some(at) = part.iter().position(|b| *b == b'=') else { continue };
            let (key, code) = (&part[..at], part[at + 1..].to_vec());
            match key {
                _ if code.is_empty() => {}
                [b'*', ending @ ..] => self.endings.insert(0, (ending.to_vec(), code)),
                _ => drop(self.kinds.insert(key.to_vec(), code)),
            }
        }
    }

    fn kind(&self, key: &str) -> Option<&[u8]> {
        self.kinds.get(key.as_bytes()).map(Vec::as_slice)
    }

    /// The color of a file of this name.
    fn of(&self, s: &Stat, name: &[u8]) -> Option<&[u8]> {
        let when = |is: bool, key: &str| if is { self.kind(key) } else { None };
        let (sticky, open) = (s.mode & S_ISVTX != 0, s.mode & 0o002 != 0);
        match s.kind {
            FileType::Directory => when(sticky && open, "tw")
                .or_else(|| when(open, "ow"))
                .or_else(|| when(sticky, "st"))
                .or_else(|| self.kind("di")),
            FileType::Symlink => self.kind("ln"),
            FileType::Fifo => self.kind("pi"),
            FileType::Socket => self.kind("so"),
            FileType::BlockDevice => self.kind("bd"),
            FileType::CharDevice => self.kind("cd"),
            FileType::Regular => when(s.mode & S_ISUID != 0, "su")
                .or_else(|| when(s.mode & S_ISGID != 0, "sg"))
                .or_else(|| when(s.mode & 0o111 != 0, "ex"))
                .or_else(|| self.endings.iter().find(|(end, _)| name.ends_with(end)).map(|(_, code)| code.as_slice()))
                .or_else(|| self.kind("fi")),
        }
    }

    /// The color of a link that leads to `target`, or nowhere.
    pub fn link(&self, s: &Stat, target: Option<&Stat>, name: &[u8]) -> Option<&[u8]> {
        match target {
            None => self.kind("or").or_else(|| self.kind("ln")).filter(|code| *code != b"target"),
            Some(there) if self.kind("ln") == Some(b"target") => self.of(there, name),
            Some(_) => self.of(s, name),
        }
    }

    /// The color of what a link leads to, or would.
    pub fn target(&self, target: Option<&Stat>, name: &[u8]) -> Option<&[u8]> {
        match target {
            None => self.kind("mi").or_else(|| self.kind("no")),
            Some(there) => self.of(there, name),
        }
    }

    /// The color of anything else.
    pub fn file(&self, s: &Stat, name: &[u8]) -> Option<&[u8]> {
        self.of(s, name)
    }

    /// A text in a color.
    pub fn paint(&self, code: Option<&[u8]>, text: Vec<u8>) -> Vec<u8> {
        let Some(code) = code else { return text };
        let (left, right) = (self.kind("lc").unwrap_or(b"\x1b["), self.kind("rc").unwrap_or(b"m"));
        let end = match self.kind("ec") {
            Some(end) => end.to_vec(),
            None => [left, self.kind("rs").unwrap_or(b"0"), right].concat(),
        };
        [left, code, right, &text, &end].concat()
    }
}
