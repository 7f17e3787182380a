//! Which ignore files count, `.gitignore` and its friends, and the globs of `-g`.

use crate::ignore::glob::braces;
use crate::ignore::{List, Verdict};
use crate::input::join;
use capsule_sys::{lstat, stat};

/// The globs of `-g`: what they name is kept, and with `!` ignored.
#[derive(Default)]
pub struct Overrides {
    list: List,
    /// Something is asked for by name, so the rest is not.
    chosen: bool,
}

impl Overrides {
    /// Or why the glob is none.
    pub fn add(&mut self, text: &[u8], ignore_case: bool) -> Result<(), &'static str> {
        if braces(text).is_none() {
            let count = |brace| text.iter().filter(|b| **b == brace).count();
            return Err(match count(b'{') > count(b'}') {
                true => "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
                false => "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)",
            });
        }
        if has_open_class(text) {
            return Err("unclosed character class; missing ']'");
        }
        self.chosen |= !text.starts_with(b"!");
        self.list.pattern(text, ignore_case);
        Ok(())
    }

    pub fn verdict(&self, path: &[u8], directory: bool) -> Verdict {
        match self.list.verdict(path, directory) {
            // A glob names what is wanted, which in a file is what is not.
            Verdict::Ignore => Verdict::Keep,
            Verdict::Keep => Verdict::Ignore,
            Verdict::None if self.chosen && !directory => Verdict::Ignore,
            Verdict::None => Verdict::None,
        }
    }
}

/// Whether a `[` has no `]`; right behind it, or behind `!` or `^`, one is a member.
fn has_open_class(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&b) = text.get(at) {
        at += 1;
        match b {
            b'\\' => at += 1,
            b'[' => {
                at += usize::from(matches!(text.get(at), Some(b'!' | b'^')));
                let Some(end) = text.get(at + 1..).and_then(|rest| memchr::memchr(b']', rest)) else { return true };
                at += end + 2;
            }
            _ => {}
        }
    }
    false
}

/// Which ignore files count.
#[derive(Clone, Copy)]
pub struct Sources {
    /// `.ignore` and `.rgignore`
    pub dot: bool,
    /// `.gitignore`
    pub git: bool,
    /// `.git/info/exclude`
    pub exclude: bool,
    /// The user's own.
    pub global: bool,
    /// Those of directories above.
    pub parents: bool,
    /// `.gitignore` counts only in a repository.
    pub require_git: bool,
    pub ignore_case: bool,
}

/// A directory with its lists.
pub struct Level {
    /// How much of a path is this directory's, with its slash.
    prefix: usize,
    /// What comes before a path inside, for a directory above the first.
    above: Vec<u8>,
    rgignore: List,
    ignore: List,
    gitignore: List,
    exclude: List,
    repository: bool,
}

impl Level {
    /// `path` is as it is shown; a path below has it in front.
    pub fn read(path: &[u8], sources: &Sources) -> Level {
        let prefix = if path.is_empty() { 0 } else { join(path, b"").len() };
        let dir: &[u8] = if path.is_empty() { b"." } else { path };
        Level::with(dir, prefix, Vec::new(), sources)
    }

    fn with(dir: &[u8], prefix: usize, above: Vec<u8>, sources: &Sources) -> Level {
        let list = |wanted: bool, name: &[u8]| {
            if wanted { List::read(&join(dir, name), sources.ignore_case) } else { List::default() }
        };
        let repository = sources.git && lstat(&join(dir, b".git")).is_ok();
        Level {
            prefix,
            above,
            rgignore: list(sources.dot, b".rgignore"),
            ignore: list(sources.dot, b".ignore"),
            gitignore: list(sources.git, b".gitignore"),
            exclude: list(sources.exclude && repository, b".git/info/exclude"),
            repository,
        }
    }

    /// The directories above an absolute one, the nearest last.
    pub fn above(absolute: &[u8], sources: &Sources) -> Vec<Level> {
        let mut levels = Vec::new();
        if !sources.parents {
            return levels;
        }
        let mut dir = absolute;
        while dir.len() > 1 {
            let end = dir.iter().rposition(|b| *b == b'/').unwrap_or(0);
            let parent = if end == 0 { &dir[..1] } else { &dir[..end] };
            // Below the parent, a path has the names between in front.
            let names = absolute[parent.len()..].strip_prefix(b"/").unwrap_or(&absolute[parent.len()..]);
            levels.push(Level::with(parent, 0, join(names, b""), sources));
            dir = parent;
        }
        levels.reverse();
        levels
    }

    fn verdict(&self, list: &List, path: &[u8], from: usize, directory: bool) -> Verdict {
        if list.is_empty() {
            return Verdict::None;
        }
        if self.above.is_empty() {
            return list.verdict(&path[self.prefix..], directory);
        }
        list.verdict(&[&self.above, &path[from..]].concat(), directory)
    }
}

/// All lists that count for a walk.
pub struct Ignores {
    pub sources: Sources,
    /// From the outermost to the innermost.
    pub levels: Vec<Level>,
    pub global: List,
    /// The files of `--ignore-file`.
    pub explicit: Vec<List>,
}

impl Ignores {
    /// What is said of a path as it is shown; `from`: where in it the part below the root of the walk begins.
    pub fn verdict(&self, path: &[u8], from: usize, directory: bool) -> Verdict {
        let nearest = |list: fn(&Level) -> &List| {
            self.levels
                .iter()
                .rev()
                .map(|level| level.verdict(list(level), path, from, directory))
                .find(|verdict| *verdict != Verdict::None)
                .unwrap_or(Verdict::None)
        };
        let in_repository = || !self.sources.require_git || self.levels.iter().any(|level| level.repository);
        nearest(|level| &level.rgignore)
            .or(|| nearest(|level| &level.ignore))
            .or(|| if in_repository() { self.git(path, from, directory) } else { Verdict::None })
            .or(|| self.global.verdict(&path[from..], directory))
            .or(|| {
                let lists = self.explicit.iter().rev();
                lists
                    .map(|list| list.verdict(&path[from..], directory))
                    .find(|v| *v != Verdict::None)
                    .unwrap_or(Verdict::None)
            })
    }

    /// `.gitignore` of this repository: what is above its root is another's.
    fn git(&self, path: &[u8], from: usize, directory: bool) -> Verdict {
        let mut exclude = Verdict::None;
        for level in self.levels.iter().rev() {
            let verdict = level.verdict(&level.gitignore, path, from, directory);
            if verdict != Verdict::None {
                return verdict;
            }
            exclude = exclude.or(|| level.verdict(&level.exclude, path, from, directory));
            if level.repository {
                break;
            }
        }
        exclude
    }
}

/// The user's own list, where git looks for it by default.
pub fn global(sources: &Sources) -> List {
    if !sources.global {
        return List::default();
    }
    let set = |name: &[u8]| capsule_sys::getenv(name).filter(|value| !value.is_empty());
    let config = set(b"XDG_CONFIG_HOME").or_else(|| set(b"HOME").map(|home| join(&home, b".config")));
    match config.map(|dir| join(&dir, b"git/ignore")) {
        Some(path) if stat(&path).is_ok() => List::read(&path, sources.ignore_case),
        _ => List::default(),
    }
}
