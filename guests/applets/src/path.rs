//! Paths without links, dots and double slashes: what `readlink -f`, `realpath` and `ln -r` show.

use crate::input::join;
use capsule_sys::{Errno, FileType, SYMLOOP_MAX, getcwd, lstat, readlink, stat};

/// The names that lead to a path, the path last: `a`, `a/b`, `a/b/c`.
pub fn from_the_top(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_end = |end: usize| path[end - 1] != b'/' && path.get(end).is_none_or(|b| *b == b'/');
    (1..=path.len()).filter(move |&end| is_end(end)).map(|end| &path[..end])
}

/// Which components must exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// All must.
    None,
    /// All but the last must.
    Last,
    /// None must.
    Any,
}

/// The canonical absolute name. `logical` takes `..` away before links are followed; `links` off leaves links alone.
pub fn canonical(path: &[u8], missing: Missing, logical: bool, links: bool) -> Result<Vec<u8>, Errno> {
    if path.is_empty() {
        return Err(Errno::ENOENT);
    }
    let mut text = if path[0] == b'/' { path.to_vec() } else { join(&getcwd()?, path) };
    if logical {
        text = flatten(&text);
    }
    let slash = text.ends_with(b"/");
    let mut rest: Vec<Vec<u8>> = parts(&text);
    let mut done = b"/".to_vec();
    let mut followed = 0;
    while let Some(part) = rest.pop() {
        if part == b".." {
            let end = done.iter().rposition(|&b| b == b'/').unwrap_or(0);
            done.truncate(end.max(1));
            continue;
        }
        let next = join(&done, &part);
        // Links that are left alone must lead somewhere, or at least not in a circle.
        match if links { lstat(&next) } else { stat(&next) } {
            Ok(s) if s.kind == FileType::Symlink && links => {
                followed += 1;
                if followed > SYMLOOP_MAX {
                    // A circle counts as a missing file where those are allowed.
                    if missing == Missing::Any {
                        done = next;
                        continue;
                    }
                    return Err(Errno::ELOOP);
                }
                let target = readlink(&next)?;
                if target.starts_with(b"/") {
                    done = b"/".to_vec();
                }
                rest.extend(parts(&target));
            }
            Ok(s) => {
                if s.kind != FileType::Directory && missing != Missing::Any && (!rest.is_empty() || slash) {
                    return Err(Errno::ENOTDIR);
                }
                done = next;
            }
            Err(Errno::ENOENT) if missing == Missing::Any || (missing == Missing::Last && rest.is_empty()) => {
                done = next
            }
            // Without following links, nothing but the text is asked.
            Err(Errno::ENOENT) if missing == Missing::Last && !links => done = next,
            Err(_) if missing == Missing::Any => done = next,
            Err(e) => return Err(e),
        }
    }
    Ok(done)
}

/// The components, the last one first.
fn parts(text: &[u8]) -> Vec<Vec<u8>> {
    text.split(|&b| b == b'/').filter(|p| !p.is_empty() && *p != b".").rev().map(<[u8]>::to_vec).collect()
}

/// Takes `.` and `..` away by the text alone.
fn flatten(text: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for part in text.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(kept.pop()),
            part => kept.push(part),
        }
    }
    let mut flat = [b"/".as_slice(), &kept.join(&b'/')].concat();
    if text.ends_with(b"/") && flat.len() > 1 {
        flat.push(b'/');
    }
    flat
}

/// How to get to `path` (absolute and canonical) from `base`.
pub fn between(path: &[u8], base: &[u8]) -> Vec<u8> {
    let split = |p: &[u8]| -> Vec<Vec<u8>> { parts(p).into_iter().rev().collect() };
    let (to, from) = (split(path), split(base));
    let common = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
    let mut way: Vec<&[u8]> = vec![b".."; from.len() - common];
    way.extend(to[common..].iter().map(Vec::as_slice));
    if way.is_empty() { b".".to_vec() } else { way.join(&b'/') }
}

/// A target as it is seen from a directory, for `ln -sr`; unchanged where that cannot be told.
pub fn relative(target: &[u8], dir: &[u8]) -> Vec<u8> {
    match (canonical(target, Missing::Any, false, true), canonical(dir, Missing::Any, false, true)) {
        (Ok(target), Ok(dir)) => between(&target, &dir),
        _ => target.to_vec(),
    }
}

/// Makes the directories above a path that are missing. For archives: links made before lead down at most.
pub fn make_above(path: &[u8]) -> Result<(), Errno> {
    let mut missing = Vec::new();
    let mut dir = crate::input::dir_name(path);
    while dir != b"." && dir != b"/" && stat(dir).is_err() {
        missing.push(dir);
        dir = crate::input::dir_name(dir);
    }
    for dir in missing.into_iter().rev() {
        match capsule_sys::mkdir(dir, 0o777) {
            Ok(()) | Err(Errno::EEXIST) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways() {
        assert_eq!(between(b"/a/b/c", b"/a/d"), b"../b/c");
        assert_eq!(between(b"/a", b"/a"), b".");
        assert_eq!(between(b"/", b"/a/b"), b"../..");
        assert_eq!(flatten(b"/a/./b/../c//d"), b"/a/c/d");
    }
}
