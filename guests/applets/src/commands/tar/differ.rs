//! `-d`: what is different between the archive and the files.

use super::Tar;
use super::header::{BLOCK, Entry, Kind};
use super::names::shown;
use super::reader::{Broken, Reader};
use crate::report;
use capsule_sys::{Errno, FileType, OpenFlags, Out, lstat, open, pread, readlink, stat};

impl Tar {
    pub fn differ(
        &mut self,
        reader: &mut Reader,
        entry: &Entry,
        out: &mut Out,
        listing: &mut Out,
    ) -> Result<(), Broken> {
        if self.settings.verbose > 0 {
            if self.settings.verify {
                listing.write(b"Verify ");
            }
            self.lister().line(listing, entry, self.settings.verbose > 1, reader.header_at / BLOCK as u64);
            let _ = listing.flush();
        }
        let path = entry.name.strip_suffix(b"/").filter(|n| !n.is_empty()).unwrap_or(&entry.name).to_vec();
        let found = match lstat(&path) {
            Ok(found) => found,
            Err(e) => {
                let _ = out.flush();
                let what = if entry.kind == Kind::Symlink { "readlink" } else { "stat" };
                report::error(format_args!("{}: Warning: Cannot {what}: {e}", shown(&path)));
                self.status = self.status.max(1);
                return Ok(());
            }
        };
        let mut tell = |what: &str| {
            out.write(format!("{}: {what}\n", shown(&path)).as_bytes());
            self.status = self.status.max(1);
        };
        if entry.kind == Kind::HardLink {
            let same = stat(&entry.link).is_ok_and(|s| (s.dev, s.ino) == (found.dev, found.ino));
            if !same {
                tell(&format!("Not linked to {}", shown(&entry.link)));
            }
            return Ok(());
        }
        if found.kind != entry.file_type() {
            tell("File type differs");
            return Ok(());
        }
        if found.kind == FileType::Symlink {
            if readlink(&path).is_ok_and(|target| target != entry.link) {
                tell("Symlink differs");
            }
            return Ok(());
        }
        if found.mode != entry.mode {
            tell("Mode differs");
        }
        if found.kind == FileType::Directory {
            return Ok(());
        }
        if u64::from(found.uid) != entry.uid {
            tell("Uid differs");
        }
        if u64::from(found.gid) != entry.gid {
            tell("Gid differs");
        }
        if entry.kind != Kind::Regular {
            return Ok(());
        }
        if found.mtime.sec != entry.mtime.sec {
            tell("Mod time differs");
        }
        if found.size != entry.real_size() {
            tell("Size differs");
            return Ok(());
        }
        let Ok(file) = open(&path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) else { return Ok(()) };
        let mut block = vec![0; 64 * 1024];
        // Of a file with holes only the data is in the archive.
        let whole = [(0, found.size)];
        let mut pieces = entry.sparse.as_ref().map_or(whole.as_slice(), |sparse| &sparse.0).iter().copied();
        let (mut at, mut left) = (0, 0);
        loop {
            let mut data = reader.data()?;
            if data.is_empty() {
                return Ok(());
            }
            while !data.is_empty() {
                while left == 0 {
                    let Some(piece) = pieces.next() else { return Ok(()) };
                    (at, left) = piece;
                }
                let most = data.len().min(block.len()).min(usize::try_from(left).unwrap_or(usize::MAX));
                match pread(file.raw(), &mut block[..most], at) {
                    Ok(n @ 1..) if block[..n] == data[..n] => {
                        at += n as u64;
                        left -= n as u64;
                        data = &data[n..];
                    }
                    Err(Errno::EINTR) => {}
                    _ => {
                        tell("Contents differ");
                        return Ok(());
                    }
                }
            }
        }
    }
}
