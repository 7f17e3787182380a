//! What there is to show: read from directories, or from a list of paths.

use super::{Node, Order, Tree};
use crate::glob;
use crate::ignore::{List, Verdict};
use crate::input::{Input, join};
use capsule_sys::{Errno, FileType, Stat, Time, lstat, read_dir, readlink, stat};
use std::cmp::Ordering;

impl Tree<'_> {
    fn matches(&self, patterns: &[&[u8]], name: &[u8]) -> bool {
        let name = if self.fold { name.to_ascii_lowercase() } else { name.to_vec() };
        patterns.iter().any(|list| {
            list.split(|&b| b == b'|').any(|pattern| {
                let pattern = pattern.strip_suffix(b"/").unwrap_or(pattern);
                let pattern = if self.fold { pattern.to_ascii_lowercase() } else { pattern.to_vec() };
                glob::matches(&pattern, &name, false)
            })
        })
    }

    fn includes(&self, name: &[u8]) -> bool {
        self.match_dirs && self.matches(&self.only, name)
    }

    /// Reads what is in a directory, and below.
    pub fn look(&mut self, node: &mut Node, level: usize, above: &mut Vec<(u64, u64)>) {
        if level >= self.deepest {
            return;
        }
        // With --matchdirs, all that is in a directory of a matching name is shown.
        let included = self.includes(&node.name) && level > 0;
        let entries: Result<Vec<_>, _> = read_dir(&node.path).and_then(Iterator::collect);
        let entries = match entries {
            Ok(entries) => entries,
            Err(_) => {
                node.trouble = Some("  [error opening dir]".to_owned());
                self.failed = true;
                return;
            }
        };
        let lists = self.ignored.len();
        if self.gitignore {
            self.ignored.push((node.path.clone(), List::read(&join(&node.path, b".gitignore"), false)));
        }
        let mut inside = Vec::new();
        for entry in entries {
            let path = join(&node.path, &entry.name);
            if !self.all && entry.name.starts_with(b".") {
                continue;
            }
            let Ok(mut s) = lstat(&path) else { continue };
            let mut target = None;
            if s.kind == FileType::Symlink {
                let there = stat(&path).ok();
                target = Some((readlink(&path).unwrap_or_default(), there));
                if let Some(there) = there.filter(|t| t.kind == FileType::Directory && self.follow) {
                    s = there;
                }
            }
            let is_dir = s.kind == FileType::Directory;
            if self.is_ignored(&path, is_dir) {
                continue;
            }
            let leads_to_dir = target.as_ref().and_then(|t| t.1).is_some_and(|t| t.kind == FileType::Directory);
            if self.matches(&self.not, &entry.name)
                || (!self.only.is_empty() && !is_dir && !included && !self.matches(&self.only, &entry.name))
                || (self.directories && !is_dir && !leads_to_dir)
            {
                continue;
            }
            let bytes = s.size;
            inside.push(Node { name: entry.name, path, stat: s, target, inside: None, trouble: None, bytes });
        }
        if inside.len() > self.limit {
            self.ignored.truncate(lists);
            node.trouble = Some(format!("  [{} entries exceeds filelimit, not opening dir]", inside.len()));
            return;
        }
        self.sort(&mut inside);
        for child in inside.iter_mut().filter(|c| c.is_dir()) {
            let id = (child.stat.dev, child.stat.ino);
            if above.contains(&id) {
                child.trouble = Some("  [recursive, not followed]".to_owned());
                continue;
            }
            if self.one_file_system && child.stat.dev != node.stat.dev {
                continue;
            }
            above.push(id);
            self.look(child, level + 1, above);
            // Links may lead to what was shown elsewhere; without them nothing is met twice.
            if !self.follow {
                above.pop();
            }
        }
        self.ignored.truncate(lists);
        self.close(node, inside);
    }

    /// Whether the nearest `.gitignore` that knows a path wants it gone.
    fn is_ignored(&self, path: &[u8], is_dir: bool) -> bool {
        let verdict = self.ignored.iter().rev().fold(Verdict::None, |said, (dir, list)| {
            let below = path.strip_prefix(dir.as_slice()).unwrap_or(path);
            said.or(|| list.verdict(below.strip_prefix(b"/").unwrap_or(below), is_dir))
        });
        verdict == Verdict::Ignore
    }

    /// What is known when everything below a directory is.
    fn close(&self, node: &mut Node, mut inside: Vec<Node>) {
        if self.prune {
            inside
                .retain(|c| !c.is_dir() || self.includes(&c.name) || c.inside.as_ref().is_some_and(|i| !i.is_empty()));
        }
        if self.sums {
            node.bytes += inside.iter().map(|c| c.bytes).sum::<u64>();
        }
        node.inside = Some(inside);
    }

    pub fn sort(&self, nodes: &mut [Node]) {
        if self.order == Order::None {
            return;
        }
        nodes.sort_by(|a, b| {
            if let Some(first) = self.first
                && a.leads_to_dir() != b.leads_to_dir()
            {
                return if a.leads_to_dir() == (first == FileType::Directory) {
                    Ordering::Less
                } else {
                    Ordering::Greater
                };
            }
            let names = || a.name.cmp(&b.name);
            let order = match self.order {
                Order::Version => crate::version::compare(&a.name, &b.name),
                Order::Size => b.stat.size.cmp(&a.stat.size).then_with(names),
                Order::Modified => a.stat.mtime.sec.cmp(&b.stat.mtime.sec).then_with(names),
                Order::Changed => a.stat.ctime.sec.cmp(&b.stat.ctime.sec).then_with(names),
                _ => names(),
            };
            if self.reverse { order.reverse() } else { order }
        });
    }

    /// Puts the paths of a list, one a line, below `root`, without a look at the files.
    pub fn read_list(&mut self, root: &mut Node, list: &[u8]) -> Result<(), Errno> {
        let mut input = Input::open(list)?;
        let (mut line, mut top) = (Vec::new(), Vec::new());
        while input.stream.read_until(b'\n', &mut line)? {
            let path = line.strip_suffix(b"\n").unwrap_or(&line);
            let path = path.strip_suffix(b"\r").unwrap_or(path);
            let names: Vec<&[u8]> = path.split(|&b| b == b'/').filter(|name| !name.is_empty()).collect();
            let last_is_dir = path.ends_with(b"/");
            let mut inside = &mut top;
            for (i, name) in names.iter().take(super::DEEPEST).enumerate() {
                let is_dir = i + 1 < names.len() || last_is_dir;
                let at = match inside.iter().position(|node: &Node| node.name == *name) {
                    Some(at) => at,
                    None => {
                        inside.push(listed(name, &join(&root.path, &names[..=i].join(&b'/'))));
                        inside.len() - 1
                    }
                };
                let node = &mut inside[at];
                if is_dir {
                    node.stat.kind = FileType::Directory;
                    node.inside.get_or_insert_default();
                }
                inside = node.inside.get_or_insert_default();
            }
            line.clear();
        }
        self.settle(root, top, 0);
        Ok(())
    }

    /// Leaves out of a list what is not wanted, and sorts it.
    fn settle(&mut self, node: &mut Node, mut inside: Vec<Node>, level: usize) {
        if level >= self.deepest {
            return;
        }
        let included = self.includes(&node.name) && level > 0;
        inside.retain(|child| {
            let wanted = self.only.is_empty() || child.is_dir() || included || self.matches(&self.only, &child.name);
            (self.all || !child.name.starts_with(b".") || child.name == b".")
                && wanted
                && (!self.directories || child.is_dir())
                && !self.matches(&self.not, &child.name)
        });
        if inside.len() > self.limit {
            node.trouble = Some(format!("  [{} entries exceeds filelimit, not opening dir]", inside.len()));
            return;
        }
        self.sort(&mut inside);
        for child in inside.iter_mut() {
            let below = child.inside.take().filter(|_| child.is_dir());
            if let Some(below) = below {
                self.settle(child, below, level + 1);
            }
        }
        self.close(node, inside);
    }
}

/// A path of a list: a file as long as nothing is below it.
fn listed(name: &[u8], path: &[u8]) -> Node {
    let stat = unknown(FileType::Regular);
    Node { name: name.to_vec(), path: path.to_vec(), stat, target: None, inside: None, trouble: None, bytes: 0 }
}

/// What nobody looked at.
pub fn unknown(kind: FileType) -> Stat {
    let never = Time { sec: 0, nsec: 0 };
    let (dev, ino, mode, nlink, uid, gid, rdev, size, blocks) = (0, 0, 0, 0, 0, 0, 0, 0, 0);
    Stat { dev, ino, kind, mode, nlink, uid, gid, rdev, size, blocks, atime: never, mtime: never, ctime: never }
}
