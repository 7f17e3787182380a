//! Which members are meant, and what they are called on the way in or out.

use crate::glob;
use crate::quote::Style;
use crate::report;
use std::cell::Cell;

/// A pattern and how it is matched, as the options before it say.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub text: Vec<u8>,
    pub wildcards: bool,
    pub anchored: bool,
    pub ignore_case: bool,
    pub slash: bool,
    /// What is below a directory that it matches, is matched too.
    pub below: bool,
}

impl Pattern {
    /// As of a list of what is left out.
    pub fn exclude(text: &[u8]) -> Pattern {
        Pattern { text: text.to_vec(), wildcards: true, anchored: false, ignore_case: false, slash: true, below: true }
    }

    /// Whether it matches the name or a directory above it.
    pub fn matches(&self, name: &[u8]) -> bool {
        let name = name.strip_suffix(b"/").unwrap_or(name);
        let (name, text) = match self.ignore_case {
            true => (name.to_ascii_lowercase(), self.text.to_ascii_lowercase()),
            false => (name.to_vec(), self.text.clone()),
        };
        let text = text.strip_suffix(b"/").unwrap_or(&text);
        let slashes = || memchr::memchr_iter(b'/', &name);
        let starts = std::iter::once(0).chain(slashes().map(|i| i + 1).filter(|_| !self.anchored));
        for start in starts {
            let ends = slashes().filter(|&e| e > start && self.below).chain(std::iter::once(name.len()));
            for end in ends {
                let part = &name[start..end];
                let fits = match self.wildcards {
                    false => part == text,
                    // Without slashes in what `*` takes, both have as many.
                    true if !self.slash && count(part) != count(text) => false,
                    true => glob::matches(text, part, false),
                };
                if fits {
                    return true;
                }
            }
        }
        false
    }
}

fn count(text: &[u8]) -> usize {
    memchr::memchr_iter(b'/', text).count()
}

/// A member that is wanted, and where it goes.
pub struct Wish {
    pub pattern: Pattern,
    /// The directory it is extracted in: how many changes of it stand before the name.
    pub directory: usize,
    found: u64,
}

/// The members named on the command line.
pub struct Wanted {
    pub wishes: Vec<Wish>,
    /// Only this one of each.
    occurrence: Option<u64>,
    /// Where everything goes, when nothing is named.
    last: usize,
    /// Nothing is wanted at all.
    pub nothing: bool,
}

impl Wanted {
    pub fn new(names: Vec<(Pattern, usize)>, occurrence: Option<u64>, last: usize) -> Wanted {
        let wish = |(pattern, directory)| Wish { pattern, directory, found: 0 };
        Wanted { wishes: names.into_iter().map(wish).collect(), occurrence, last, nothing: false }
    }

    /// Whether a member is wanted: the directory it goes to.
    pub fn matches(&mut self, name: &[u8]) -> Option<usize> {
        if self.wishes.is_empty() {
            return (!self.nothing).then_some(self.last);
        }
        let wish = self.wishes.iter_mut().find(|wish| wish.pattern.matches(name))?;
        wish.found += 1;
        let wanted = self.occurrence.is_none_or(|nth| wish.found == nth);
        wanted.then_some(wish.directory)
    }

    /// Whether nothing more can be wanted.
    pub fn is_done(&self) -> bool {
        self.occurrence.is_some_and(|nth| self.wishes.iter().all(|wish| wish.found >= nth))
    }

    /// Tells which were not there; whether all were.
    pub fn finish(&self, warn_of_patterns: bool) -> bool {
        let least = self.occurrence.unwrap_or(1);
        let missing = || self.wishes.iter().filter(|wish| wish.found < least);
        let special = |text: &[u8]| text.iter().any(|b| b"*?[\\".contains(b));
        if warn_of_patterns && missing().any(|wish| special(&wish.pattern.text)) {
            report::error("Pattern matching characters used in file names");
            report::error("Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning");
        }
        for wish in missing() {
            let what = if self.occurrence.is_some() { "Required occurrence not found" } else { "Not found" };
            report::error(format_args!("{}: {what} in archive", shown(&wish.pattern.text)));
        }
        missing().next().is_none()
    }
}

thread_local! {
    static STYLE: Cell<Style> = const { Cell::new(Style::Escape) };
}

/// How names are shown from now on: `--quoting-style`.
pub fn set_style(style: Style) {
    STYLE.set(style);
}

/// A name as tar shows it: what cannot be printed as C would write it.
pub fn shown(name: &[u8]) -> String {
    let text = crate::quote::show(name, STYLE.get(), crate::quote::is_utf8(), b"");
    // Blanks are as they are, where others escape them.
    if STYLE.get() == Style::Escape { text.replace("\\ ", " ") } else { text }
}

/// Takes so many components away; nothing is left when there are no more.
pub fn strip(name: &[u8], components: usize) -> &[u8] {
    let mut rest = name;
    for _ in 0..components {
        rest = &rest[rest.iter().take_while(|b| **b == b'/').count()..];
        let Some(slash) = memchr::memchr(b'/', rest) else { return b"" };
        rest = &rest[slash..];
        rest = &rest[rest.iter().take_while(|b| **b == b'/').count()..];
    }
    rest
}

/// Names lose what would lead out of the directory, and that is told once for each kind of start.
#[derive(Default)]
pub struct Prefixes {
    told: Vec<(Vec<u8>, bool)>,
}

impl Prefixes {
    pub fn remove<'a>(&mut self, name: &'a [u8], links: bool) -> &'a [u8] {
        let end = leading(name);
        let prefix = &name[..end];
        if !prefix.is_empty() && !self.told.iter().any(|t| t.0 == prefix && t.1 == links) {
            let what = if links { "hard link targets" } else { "member names" };
            report::error(format_args!("Removing leading `{}' from {what}", String::from_utf8_lossy(prefix)));
            self.told.push((prefix.to_vec(), links));
        }
        if end == name.len() { b"." } else { &name[end..] }
    }
}

/// How long what leads out of the directory is: all up to the last `..` that is a component, and slashes.
pub fn leading(name: &[u8]) -> usize {
    let (mut end, mut at) = (0, 0);
    for part in name.split_inclusive(|&b| b == b'/') {
        at += part.len();
        if matches!(part, b"../" | b"..") {
            end = at;
        }
    }
    end + name[end..].iter().take_while(|b| **b == b'/').count()
}

/// A component that leads up.
pub fn leads_up(name: &[u8]) -> bool {
    name.split(|&b| b == b'/').any(|part| part == b"..")
}
