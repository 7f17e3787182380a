//! Automatic variables, worked out when they are asked for.

use super::files::FileId;
use super::words::{dir_part, file_part};
use super::{Bytes, Make};

const NAMES: &[u8] = b"@%<?^+*|";

/// `@`, `<` … and their `D` and `F` forms.
pub fn is_automatic(name: &[u8]) -> bool {
    match name {
        [one] => NAMES.contains(one),
        [one, b'D' | b'F'] => NAMES.contains(one),
        _ => false,
    }
}

impl Make {
    /// Appends the value of a variable that is no definition; false when there is none of that name.
    pub fn computed(&mut self, name: &[u8], out: &mut Bytes) -> bool {
        match name {
            b".VARIABLES" => {
                let mut names: Vec<&Bytes> = self.globals.keys().collect();
                names.sort();
                for (at, name) in names.into_iter().enumerate() {
                    if at > 0 {
                        out.push(b' ');
                    }
                    out.extend_from_slice(name);
                }
                return true;
            }
            b"MAKEFLAGS" if self.globals.get(name).is_none_or(|v| v.value.is_empty()) => {
                out.extend_from_slice(&self.flags_text());
                return true;
            }
            _ if !is_automatic(name) => return false,
            _ => {}
        }
        let Some(file) = self.current else { return false };
        // A definition of a function's own goes first.
        if self.frames.iter().any(|f| f.contains_key(name)) {
            return false;
        }
        let list = self.automatic(name[0], file);
        let parts: Vec<Bytes> = match name.get(1) {
            None => list,
            Some(b'D') => list.iter().map(|n| directory(n)).collect(),
            Some(_) => list.iter().map(|n| file_part(n).to_vec()).collect(),
        };
        out.extend_from_slice(&parts.join(&b' '));
        true
    }

    fn automatic(&self, letter: u8, id: FileId) -> Vec<Bytes> {
        let file = &self.files[id];
        let shown = |dep: &super::files::Dep| match dep.file.or_else(|| self.known(&dep.name)) {
            Some(id) => self.shown_name(id).to_vec(),
            None => dep.name.clone(),
        };
        let deps = file.deps.iter().filter(|d| !d.second);
        let mut list: Vec<Bytes> = match letter {
            b'@' => return vec![file.name.clone()],
            b'%' => return Vec::new(),
            b'*' => return self.stem_of(id).into_iter().collect(),
            // The recipe of .DEFAULT has the target itself.
            b'<' if self.is_default_recipe(id) => return vec![file.name.clone()],
            b'<' => return deps.filter(|d| !d.order_only).take(1).map(shown).collect(),
            b'?' => deps.filter(|d| !d.order_only && d.changed).map(shown).collect(),
            b'|' => deps.filter(|d| d.order_only).map(shown).collect(),
            _ => deps.filter(|d| !d.order_only).map(shown).collect(),
        };
        if letter != b'+' {
            let mut seen = std::collections::HashSet::new();
            list.retain(|name| seen.insert(name.clone()));
        }
        if letter == b'|' {
            let normal: std::collections::HashSet<Bytes> =
                file.deps.iter().filter(|d| !d.order_only).map(|d| d.name.clone()).collect();
            list.retain(|name| !normal.contains(name));
        }
        list
    }

    fn is_default_recipe(&self, id: FileId) -> bool {
        let default = self.known(b".DEFAULT").and_then(|d| self.files[d].recipe.as_ref());
        matches!((default, &self.files[id].recipe), (Some(a), Some(b)) if std::rc::Rc::ptr_eq(a, b))
    }

    /// Of an explicit rule: the target without a known suffix.
    fn stem_of(&self, id: FileId) -> Option<Bytes> {
        let file = &self.files[id];
        if file.stem.is_some() {
            return file.stem.clone();
        }
        let suffixes = self.known(b".SUFFIXES")?;
        let found = self.files[suffixes].deps.iter().find_map(|d| file.name.strip_suffix(d.name.as_slice()));
        found.map(<[u8]>::to_vec)
    }
}

/// Without the slash at its end.
fn directory(name: &[u8]) -> Bytes {
    let dir = dir_part(name);
    match dir.strip_suffix(b"/") {
        Some(b"") => b"/".to_vec(),
        Some(rest) => rest.to_vec(),
        None => dir.to_vec(),
    }
}
