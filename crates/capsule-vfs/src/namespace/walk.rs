//! From a path to a node, by Linux rules, one component after the other and never by recursion.

use super::mount::gone;
use super::{Caller, Mount, Mounts, Place, permissions};
use crate::{Access, Errno, NodeId, Result};
use capsule_abi::fs::{FileType, NAME_MAX, PATH_MAX, SYMLOOP_MAX, Stat, X_OK};
use std::borrow::Cow;
use std::sync::Arc;

pub struct Walk<'a> {
    mounts: &'a Mounts,
    caller: &'a Caller,
}

/// An existing node.
pub struct Found {
    pub place: Place,
    /// Without `dev`.
    pub stat: Stat,
}

/// Where a walk ended.
pub enum Last<'p> {
    /// At a node. `slash`: the path ended with one (then it is a directory).
    Node { dir: Place, found: Found, slash: bool },
    /// Before the last component: it does not exist, or was not looked for.
    Name { dir: Place, name: Cow<'p, [u8]>, slash: bool },
    /// At a directory reached by `.`, `..` or `/`.
    Special { kind: Special, found: Found },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Special {
    Dot,
    DotDot,
    Root,
}

/// How to treat the last component.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Find it, following a symlink.
    Follow,
    /// Find it; a symlink itself, unless a slash follows.
    NoFollow,
    /// Find it for `O_CREAT`: a slash after it is an error whatever is there, so it is not looked for then.
    Create { follow: bool },
    /// Do not look for it, nor at its length: Linux does so when it looks for it.
    Parent,
}

impl End {
    fn follows(self) -> bool {
        matches!(self, End::Follow | End::Create { follow: true })
    }
}

impl<'a> Walk<'a> {
    pub fn new(mounts: &'a Mounts, caller: &'a Caller) -> Walk<'a> {
        Walk { mounts, caller }
    }

    /// The node at a path, `ENOENT` when there is none.
    #[inline]
    pub fn existing(&self, dir: Option<Place>, path: &[u8], follow: bool) -> Result<Found> {
        match self.walk(dir, path, if follow { End::Follow } else { End::NoFollow })? {
            Last::Node { found, .. } | Last::Special { found, .. } => Ok(found),
            Last::Name { .. } => Err(Errno::ENOENT),
        }
    }

    pub fn walk<'p>(&self, dir: Option<Place>, path: &'p [u8], end: End) -> Result<Last<'p>> {
        check_path(path)?;
        let mut path = Cow::Borrowed(path);
        let mut at = if path[0] == b'/' { self.mounts.root() } else { dir.unwrap_or(self.caller.cwd) };
        // What is known of `at`.
        let mut access = None;
        let mut special = Special::Root;
        let (mut pos, mut links) = (0, 0);
        loop {
            let start = skip_slashes(&path, pos);
            if start == path.len() {
                return self.special(special, at);
            }
            let stop = find_slash(&path, start);
            let rest = skip_slashes(&path, stop);
            let (last, slash) = (rest == path.len(), rest > stop);
            let name = &path[start..stop];
            pos = rest;
            let mount = self.mounts.get(at.mount).map_err(gone)?;
            self.may_search(mount, at, access.as_ref())?;
            let link = match name {
                b"." => {
                    special = Special::Dot;
                    continue;
                }
                b".." => {
                    (at, access, special) = (self.mounts.parent(at)?, None, Special::DotDot);
                    continue;
                }
                _ if last && (end == End::Parent || slash && matches!(end, End::Create { .. })) => {
                    return Ok(Last::Name { dir: at, name: part(path, start, stop), slash });
                }
                _ if name.len() > NAME_MAX => return Err(Errno::ENAMETOOLONG),
                _ if last => match mount.fs.lookup_stat(at.node, name) {
                    Ok((node, stat)) if stat.kind == FileType::Symlink && (slash || end.follows()) => node,
                    Ok((node, stat)) => return self.end(at, Found { place: mount.place(node), stat }, slash),
                    Err(Errno::ENOENT | Errno::ESTALE) => {
                        return Ok(Last::Name { dir: at, name: part(path, start, stop), slash });
                    }
                    Err(errno) => return Err(gone(errno)),
                },
                _ => {
                    let (node, found) = mount.fs.lookup_access(at.node, name).map_err(gone)?;
                    match found.kind {
                        FileType::Symlink => node,
                        FileType::Directory => {
                            let top = self.mounts.down(mount.place(node));
                            access = Some(found).filter(|_| top.mount == at.mount);
                            at = top;
                            continue;
                        }
                        _ => return Err(Errno::ENOTDIR),
                    }
                }
            };
            links += 1;
            if links > SYMLOOP_MAX {
                return Err(Errno::ELOOP);
            }
            path = Cow::Owned(self.follow(mount, link, &path[stop..])?);
            pos = 0;
            if path[0] == b'/' {
                (at, access, special) = (self.mounts.root(), None, Special::Root);
            }
        }
    }

    /// At the last component: onto what is mounted there.
    #[inline(always)]
    fn end<'p>(&self, dir: Place, mut found: Found, slash: bool) -> Result<Last<'p>> {
        if found.stat.kind == FileType::Directory {
            let top = self.mounts.down(found.place);
            if top != found.place {
                let stat = self.mounts.get(top.mount)?.fs.stat(top.node).map_err(gone)?;
                found = Found { place: top, stat };
            }
        } else if slash {
            return Err(Errno::ENOTDIR);
        }
        Ok(Last::Node { dir, found, slash })
    }

    /// The path that goes on in a symlink's stead.
    fn follow(&self, mount: &Arc<Mount>, link: NodeId, rest: &[u8]) -> Result<Vec<u8>> {
        let mut target = mount.fs.read_link_as(link, self.caller.pid).map_err(gone)?;
        if target.contains(&0) {
            return Err(Errno::EINVAL);
        }
        if target.is_empty() {
            return Err(Errno::ENOENT);
        }
        if target.len() >= PATH_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        target.extend_from_slice(rest);
        Ok(target)
    }

    /// Searching a directory takes its x bit; user 0 has it always, so that nothing is looked up for it.
    #[inline]
    fn may_search(&self, mount: &Arc<Mount>, at: Place, access: Option<&Access>) -> Result<()> {
        if self.caller.credentials.uid == 0 {
            return Ok(());
        }
        if let Some(access) = access {
            return permissions::may(access, &self.caller.credentials, X_OK);
        }
        let stat = mount.fs.stat(at.node).map_err(gone)?;
        if stat.kind != FileType::Directory {
            return Err(Errno::ENOTDIR);
        }
        permissions::may(&Access::from(&stat), &self.caller.credentials, X_OK)
    }

    fn special<'p>(&self, kind: Special, at: Place) -> Result<Last<'p>> {
        let stat = self.mounts.get(at.mount).and_then(|mount| mount.fs.stat(at.node)).map_err(gone)?;
        if stat.kind != FileType::Directory {
            return Err(Errno::ENOTDIR);
        }
        Ok(Last::Special { kind, found: Found { place: at, stat } })
    }
}

fn skip_slashes(path: &[u8], mut pos: usize) -> usize {
    while path.get(pos) == Some(&b'/') {
        pos += 1;
    }
    pos
}

fn find_slash(path: &[u8], mut pos: usize) -> usize {
    while path.get(pos).is_some_and(|&byte| byte != b'/') {
        pos += 1;
    }
    pos
}

fn check_path(path: &[u8]) -> Result<()> {
    if path.is_empty() {
        return Err(Errno::ENOENT);
    }
    // The limit counts the NUL that C has at the end.
    if path.len() >= PATH_MAX {
        return Err(Errno::ENAMETOOLONG);
    }
    if path.contains(&0) { Err(Errno::EINVAL) } else { Ok(()) }
}

/// A part of a path, without copying what the caller gave.
fn part(path: Cow<'_, [u8]>, start: usize, stop: usize) -> Cow<'_, [u8]> {
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(&path[start..stop]),
        Cow::Owned(path) => Cow::Owned(path[start..stop].to_vec()),
    }
}
