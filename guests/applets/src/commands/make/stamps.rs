//! How old files are, and where they are found.

use super::files::{FileId, Stamp, State};
use super::words::{pattern_matches, put_stem, tidy, words};
use super::{Bytes, Make};
use crate::float;
use capsule_sys::{FileType, Time, lstat, readlink, stat};

impl Make {
    /// When a file was changed last, looked up once.
    pub fn stamp(&mut self, id: FileId) -> Stamp {
        if let Some(stamp) = self.files[id].stamp {
            return stamp;
        }
        let stamp = self.look(id);
        self.files[id].stamp = Some(stamp);
        stamp
    }

    pub fn look(&mut self, id: FileId) -> Stamp {
        let name = self.files[id].name.clone();
        if self.files[id].phony && self.files[id].state != State::Done {
            return Stamp::Missing;
        }
        if self.flags.new_files.iter().any(|n| tidy(n) == name) {
            return Stamp::New;
        }
        if self.flags.old.iter().any(|n| tidy(n) == name) {
            return Stamp::Ancient;
        }
        let mut found = self.stat_time(&name);
        if found.is_none() {
            if let Some(path) = self.search_vpath(&name) {
                found = self.stat_time(&path);
                self.files[id].found = Some(path);
            } else if let Some(library) = self.search_library(&name) {
                found = self.stat_time(&library);
                self.files[id].found = Some(library);
            }
        }
        if let Some(time) = found {
            self.check_clock(&name, time);
        }
        found.map_or(Stamp::Missing, Stamp::At)
    }

    /// A file from the future is always newer.
    fn check_clock(&mut self, name: &[u8], time: Time) {
        let now = capsule_sys::now();
        if time <= now || std::mem::replace(&mut self.skewed, true) {
            return;
        }
        let ahead = (time.sec - now.sec) as f64 + (f64::from(time.nsec) - f64::from(now.nsec)) / 1e9;
        let shown = if ahead >= 99.0 { format!("{}", ahead as u64) } else { float::general(ahead, 2, false) };
        let name = String::from_utf8_lossy(name).into_owned();
        self.tell_error(&format!("Warning: File '{name}' has modification time {shown} s in the future"));
    }

    pub fn stat_time(&self, name: &[u8]) -> Option<Time> {
        let mut latest = stat(name).ok()?.mtime;
        if self.flags.check_links {
            let mut path = name.to_vec();
            for _ in 0..32 {
                let Ok(link) = lstat(&path) else { break };
                if link.kind != FileType::Symlink {
                    break;
                }
                latest = latest.max(link.mtime);
                let Ok(target) = readlink(&path) else { break };
                path =
                    if target.starts_with(b"/") { target } else { [super::words::dir_part(&path), &target].concat() };
            }
        }
        Some(latest)
    }

    /// `vpath` first, then `VPATH`.
    fn search_vpath(&mut self, name: &[u8]) -> Option<Bytes> {
        if name.starts_with(b"/") {
            return None;
        }
        let mut dirs: Vec<Bytes> = Vec::new();
        for (pattern, list) in &self.vpaths {
            if pattern_matches(pattern, name) {
                dirs.extend(list.iter().cloned());
            }
        }
        if self.globals.contains_key(b"VPATH".as_slice()) {
            let text = self.expand(b"$(VPATH)").unwrap_or_default();
            dirs.extend(
                words(&text).flat_map(|w| w.split(|&b| b == b':')).filter(|d| !d.is_empty()).map(<[u8]>::to_vec),
            );
        }
        dirs.iter()
            .map(|dir| crate::input::join(dir, name))
            .find(|path| stat(path).is_ok() || self.known(path).is_some_and(|id| self.files[id].is_target))
    }

    /// `-lname`: the first file that .LIBPATTERNS fits, here, along VPATH, or where libraries are.
    fn search_library(&mut self, name: &[u8]) -> Option<Bytes> {
        let base = name.strip_prefix(b"-l").filter(|n| !n.is_empty())?.to_vec();
        let patterns = self.expand(b"$(.LIBPATTERNS)").unwrap_or_default();
        for pattern in words(&patterns) {
            let file = put_stem(pattern, &base);
            if stat(&file).is_ok() {
                return Some(file);
            }
            if let Some(path) = self.search_vpath(&file) {
                return Some(path);
            }
            let dirs = [b"/lib".as_slice(), b"/usr/lib", b"/usr/local/lib"];
            if let Some(path) = dirs.iter().map(|dir| crate::input::join(dir, &file)).find(|path| stat(path).is_ok()) {
                return Some(path);
            }
        }
        None
    }

    /// The name a file is used by: where it was found.
    pub fn shown_name(&self, id: FileId) -> &[u8] {
        let file = &self.files[id];
        file.found.as_deref().unwrap_or(&file.name)
    }
}
