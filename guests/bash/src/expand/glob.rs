//! Pathname expansion.

use super::Field;
use crate::pattern::{Pattern, PatternOptions, has_glob};
use crate::shell::{Flow, Shell, Shopt};
use crate::vars::Variable;
use capsule_sys as sys;

/// One piece of a path pattern between slashes.
enum Piece {
    /// Nothing special in it; escapes removed.
    Plain(Vec<u8>),
    Pattern(Pattern),
    /// `**` under globstar.
    AnyDepth,
}

struct Walk {
    dotglob: bool,
    skip_dots: bool,
    found: Vec<Vec<u8>>,
}

impl Shell {
    /// Adds the names a field matches, or what stands for it when none does.
    pub(super) fn expand_pathname(&mut self, field: Field, out: &mut Vec<Vec<u8>>) -> Flow {
        let pattern = field.pattern();
        let extglob = self.options.shopt(Shopt::Extglob);
        if !has_glob(&pattern, extglob) {
            out.push(field.text);
            return Ok(());
        }
        let found = self.glob(&pattern);
        if !found.is_empty() {
            out.extend(found);
            return Ok(());
        }
        if self.options.shopt(Shopt::Failglob) {
            return self.discard([b"no match: ", &field.text[..]].concat());
        }
        if !self.options.shopt(Shopt::Nullglob) {
            out.push(field.text);
        }
        Ok(())
    }

    /// The names that match, sorted.
    pub fn glob(&mut self, pattern: &[u8]) -> Vec<Vec<u8>> {
        let ignore =
            self.vars.find(b"GLOBIGNORE").and_then(Variable::get).filter(|v| !v.is_empty()).map(<[u8]>::to_vec);
        let options = PatternOptions { nocase: self.options.shopt(Shopt::Nocaseglob), ..self.pattern_options() };
        let globstar = self.options.shopt(Shopt::Globstar);
        let (prefix, pieces) = split(pattern, options, globstar);
        let mut walk = Walk {
            dotglob: self.options.shopt(Shopt::Dotglob) || ignore.is_some(),
            skip_dots: self.options.shopt(Shopt::Globskipdots) || ignore.is_some(),
            found: Vec::new(),
        };
        walk.descend(prefix, &pieces);
        if let Some(ignore) = ignore {
            let patterns: Vec<Pattern> = split_colons(&ignore).into_iter().map(|p| Pattern::new(&p, options)).collect();
            walk.found.retain(|name| {
                let last = name.rsplit(|&b| b == b'/').next().unwrap_or_default();
                last != b"." && last != b".." && !patterns.iter().any(|p| p.matches(name))
            });
        }
        walk.found.sort_by(|a, b| self.collate(a, b));
        walk.found.dedup();
        walk.found
    }

    /// The order of names: by code points, as in the C.UTF-8 locale.
    pub fn collate(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        a.cmp(b)
    }
}

/// A list of patterns; colons in brackets do not count.
fn split_colons(text: &[u8]) -> Vec<Vec<u8>> {
    let mut items = vec![Vec::new()];
    let mut in_bracket = false;
    for &b in text {
        match b {
            b'[' => in_bracket = true,
            b']' => in_bracket = false,
            _ => {}
        }
        if b == b':' && !in_bracket {
            items.push(Vec::new());
        } else if let Some(last) = items.last_mut() {
            last.push(b);
        }
    }
    items
}

/// Leading slashes and the pieces, each with the slashes after it.
fn split(pattern: &[u8], options: PatternOptions, globstar: bool) -> (Vec<u8>, Vec<(Piece, Vec<u8>)>) {
    let slashes = pattern.iter().take_while(|&&b| b == b'/').count();
    let prefix = pattern[..slashes].to_vec();
    let mut pieces = Vec::new();
    let mut rest = &pattern[slashes..];
    while !rest.is_empty() {
        let end = piece_end(rest, options.extglob);
        let text = &rest[..end];
        let after = rest[end..].iter().take_while(|&&b| b == b'/').count();
        let separator = rest[end..end + after].to_vec();
        rest = &rest[end + after..];
        if text == b"**" && globstar && matches!(pieces.last(), Some((Piece::AnyDepth, _))) && !rest.is_empty() {
            // `**/**` is `**`.
            continue;
        }
        let piece = if text == b"**" && globstar {
            Piece::AnyDepth
        } else if has_glob(text, options.extglob) {
            Piece::Pattern(Pattern::new(text, options))
        } else {
            Piece::Plain(unescape(text))
        };
        pieces.push((piece, separator));
    }
    (prefix, pieces)
}

/// Where a piece ends: at a slash that is not inside an extended pattern.
fn piece_end(text: &[u8], extglob: bool) -> usize {
    let (mut i, mut depth) = (0, 0u32);
    while i < text.len() {
        match text[i] {
            b'\\' => i += 1,
            b'/' if depth == 0 => return i,
            b'(' if extglob && i > 0 && matches!(text[i - 1], b'@' | b'+' | b'!' | b'?' | b'*') => depth += 1,
            b')' if depth > 0 => depth -= 1,
            _ => {}
        }
        i += 1;
    }
    text.len()
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut escaped = false;
    for &b in text {
        if b == b'\\' && !escaped {
            escaped = true;
            continue;
        }
        escaped = false;
        out.push(b);
    }
    out
}

impl Walk {
    fn descend(&mut self, path: Vec<u8>, pieces: &[(Piece, Vec<u8>)]) {
        let Some(((piece, separator), rest)) = pieces.split_first() else {
            self.found.push(path);
            return;
        };
        match piece {
            Piece::Plain(name) => {
                let mut path = path;
                path.extend_from_slice(name);
                let here = path.len();
                path.extend_from_slice(separator);
                if rest.is_empty() {
                    if sys::lstat(&path).is_ok() {
                        self.found.push(path);
                    }
                } else if sys::stat(&path[..here.max(1)]).is_ok_and(|stat| stat.kind == sys::FileType::Directory) {
                    self.descend(path, rest);
                }
            }
            Piece::Pattern(pattern) => {
                for (name, kind) in self.names(&path, pattern.starts_with_byte(b'.')) {
                    if !pattern.matches(&name) {
                        continue;
                    }
                    let mut next = path.clone();
                    next.extend_from_slice(&name);
                    if !separator.is_empty() {
                        if !is_directory(&next, kind) {
                            continue;
                        }
                        next.extend_from_slice(separator);
                    }
                    self.descend(next, rest);
                }
            }
            Piece::AnyDepth => self.any_depth(path, separator, rest, 0),
        }
    }

    /// `**`: this directory and all below it; links to directories are not followed.
    fn any_depth(&mut self, path: Vec<u8>, separator: &[u8], rest: &[(Piece, Vec<u8>)], depth: u32) {
        if rest.is_empty() && separator.is_empty() {
            // `a/**` is also the directory itself.
            if depth == 0 && !path.is_empty() {
                self.found.push(path.clone());
            }
        } else if !(rest.is_empty() && path.is_empty()) {
            self.descend(path.clone(), rest);
        }
        if depth > 200 {
            return;
        }
        for (name, kind) in self.names(&path, false) {
            let mut next = path.clone();
            next.extend_from_slice(&name);
            let real_directory = kind == sys::FileType::Directory;
            if rest.is_empty() && separator.is_empty() {
                self.found.push(next.clone());
            }
            if real_directory {
                next.push(b'/');
                self.any_depth(next, separator, rest, depth + 1);
            } else if rest.is_empty()
                && !separator.is_empty()
                && kind == sys::FileType::Symlink
                && is_directory(&next, kind)
            {
                next.push(b'/');
                self.found.push(next);
            }
        }
    }

    fn names(&self, directory: &[u8], dots: bool) -> Vec<(Vec<u8>, sys::FileType)> {
        let directory = if directory.is_empty() { &b"."[..] } else { directory };
        let Ok(entries) = sys::read_dir(directory) else { return Vec::new() };
        let mut names: Vec<(Vec<u8>, sys::FileType)> = entries
            .filter_map(Result::ok)
            .map(|entry| (entry.name, entry.kind))
            .filter(|(name, _)| name != b"." && name != b"..")
            .filter(|(name, _)| name.first() != Some(&b'.') || dots || self.dotglob)
            .collect();
        if dots && !self.skip_dots {
            names.push((b".".to_vec(), sys::FileType::Directory));
            names.push((b"..".to_vec(), sys::FileType::Directory));
        }
        names
    }
}

fn is_directory(path: &[u8], kind: sys::FileType) -> bool {
    match kind {
        sys::FileType::Directory => true,
        sys::FileType::Symlink => sys::stat(path).is_ok_and(|stat| stat.kind == sys::FileType::Directory),
        _ => false,
    }
}
