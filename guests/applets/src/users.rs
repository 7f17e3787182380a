//! Names of users and groups, from the sandbox's `/etc/passwd` and `/etc/group`.

use capsule_sys::{OpenFlags, open, read_to_end};
use std::collections::BTreeMap;

/// One of the two files, read when the first name is wanted.
pub struct Names {
    path: &'static [u8],
    lines: Option<Vec<Vec<Vec<u8>>>>,
    seen: BTreeMap<u32, String>,
}

impl Names {
    pub fn users() -> Names {
        Names { path: b"/etc/passwd", lines: None, seen: BTreeMap::new() }
    }

    pub fn groups() -> Names {
        Names { path: b"/etc/group", lines: None, seen: BTreeMap::new() }
    }

    /// The file's lines, each split at its colons.
    pub fn lines(&mut self) -> &[Vec<Vec<u8>>] {
        let path = self.path;
        self.lines.get_or_insert_with(|| {
            let text = open(path, OpenFlags::RDONLY, 0).and_then(|fd| read_to_end(fd.raw())).unwrap_or_default();
            text.split(|&b| b == b'\n').map(|line| line.split(|&b| b == b':').map(<[u8]>::to_vec).collect()).collect()
        })
    }

    /// The name of an id, or none.
    pub fn name(&mut self, id: u32) -> Option<String> {
        if let Some(known) = self.seen.get(&id) {
            return Some(known.clone());
        }
        let wanted = id.to_string().into_bytes();
        let found = self.lines().iter().find(|fields| fields.get(2) == Some(&wanted))?;
        let name = String::from_utf8_lossy(&found[0]).into_owned();
        self.seen.insert(id, name.clone());
        Some(name)
    }

    /// The id of a name, or of decimal digits.
    pub fn id(&mut self, name: &[u8]) -> Option<u32> {
        let digits = |text: &[u8]| std::str::from_utf8(text).ok()?.parse().ok();
        let found = self.lines().iter().find(|fields| fields[0] == name && fields.len() > 2);
        found
            .and_then(|fields| digits(&fields[2]))
            .or_else(|| digits(name.trim_ascii_start().strip_prefix(b"+").unwrap_or(name.trim_ascii_start())))
    }
}

/// The id of a user, by name or number, and its groups, the own one first.
pub fn memberships(users: &mut Names, groups: &mut Names, user: &[u8]) -> Option<(u32, Vec<u32>)> {
    // A number; with a sign it is no name.
    let digits = user.strip_prefix(b"+").unwrap_or(user);
    let found = users.lines().iter().find(|f| f[0] == user || f.get(2).is_some_and(|id| id == digits)).cloned()?;
    let number = |field: Option<&Vec<u8>>| std::str::from_utf8(field?).ok()?.parse::<u32>().ok();
    let (uid, gid) = (number(found.get(2))?, number(found.get(3))?);
    let mut all = vec![gid];
    for line in groups.lines() {
        let member = line.get(3).is_some_and(|list| list.split(|&b| b == b',').any(|m| m == found[0]));
        if let Some(id) = number(line.get(2)).filter(|id| member && *id != gid) {
            all.push(id);
        }
    }
    Some((uid, all))
}
