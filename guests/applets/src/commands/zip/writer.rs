//! The archive that is being written: beside the old one, whose place it takes at the end.

use super::{error, tell};
use crate::Exit;
use crate::input::{dir_name, join};
use crate::zipfile::{self, Keys, Member};
use capsule_sys::{Errno, Fd, OpenFlags, Out, fchmod, getpid, open, pread, pwrite, rename, stat, unlink};
use flate2::{Compress, Compression, FlushCompress, Status};

/// Whether bytes look like text: something to read, and no control characters that text does not have.
pub fn is_text(bytes: &[u8]) -> bool {
    let control = |b: &u8| matches!(b, 0..=6 | 14..=25 | 28..=31);
    !bytes.iter().any(control) && bytes.iter().any(|b| matches!(b, 9 | 10 | 13 | 32..))
}

pub fn percent(size: u64, packed: u64) -> u64 {
    if size == 0 {
        return 0;
    }
    (200 * size.saturating_sub(packed) / size).div_ceil(2)
}

/// The flags of a member with a password, whose sizes follow its data.
const ENCRYPTED: u16 = 9;

/// Bytes that nobody can guess.
fn random() -> [u8; 12] {
    let mut bytes = [0; 12];
    let _ = capsule_sys::random(&mut bytes);
    bytes
}

pub struct Writer {
    file: Fd,
    temporary: Vec<u8>,
    at: u64,
    pub members: Vec<Member>,
    /// What is said of the archive at its end.
    pub comment: Vec<u8>,
    /// What new members are encrypted with.
    pub password: Option<Vec<u8>>,
}

impl Writer {
    pub fn new(archive: &[u8], standard: bool, comment: Vec<u8>) -> Result<Writer, Exit> {
        let dir = if standard { b"." } else { dir_name(archive) };
        let temporary = join(dir, format!(".zip{}", getpid()).as_bytes());
        let flags = OpenFlags::RDWR | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
        let file = open(&temporary, flags, 0o666).map_err(|e| {
            tell(&format!("zip I/O error: {e}"));
            error(15, &format!("Could not create output file ({})", String::from_utf8_lossy(archive)))
        })?;
        Ok(Writer { file, temporary, at: 0, members: Vec::new(), comment, password: None })
    }

    fn fail(&self, e: Errno) -> Exit {
        let _ = unlink(&self.temporary);
        tell(&format!("zip I/O error: {e}"));
        error(14, "Output file write failure (write error on zip file)")
    }

    fn put(&mut self, mut bytes: &[u8]) -> Result<(), Exit> {
        while !bytes.is_empty() {
            match pwrite(self.file.raw(), bytes, self.at) {
                Ok(0) => return Err(self.fail(Errno::EIO)),
                Ok(n) => {
                    self.at += n as u64;
                    bytes = &bytes[n..];
                }
                Err(Errno::EINTR) => {}
                Err(e) => return Err(self.fail(e)),
            }
        }
        Ok(())
    }

    /// Packed data, encrypted where there are keys for it.
    fn data(&mut self, bytes: &[u8], keys: &mut Option<Keys>) -> Result<(), Exit> {
        match keys {
            Some(keys) => {
                let bytes = keys.encrypted(bytes);
                self.put(&bytes)
            }
            None => self.put(bytes),
        }
    }

    /// Writes a member; what does not get smaller is stored.
    pub fn member(
        &mut self,
        mut member: Member,
        level: u32,
        size: u64,
        mut source: impl FnMut(&mut [u8]) -> Result<usize, Errno>,
    ) -> Result<Member, Exit> {
        let start = self.at;
        member.offset = start;
        // A pipe has no size that is known.
        let large = size >= 0xffff_0000 && size != u64::MAX;
        member.method = if level == 0 || size == 0 { 0 } else { 8 };
        let mut keys = self.password.as_ref().filter(|_| !member.is_directory()).map(|password| Keys::new(password));
        if keys.is_some() {
            member.flags |= ENCRYPTED;
        }
        let head = zipfile::local_header(&member, large);
        self.put(&head)?;
        let data_at = self.at;
        if let Some(keys) = &mut keys {
            // What stands for the checksum, which is not known yet, is the time.
            let mut lock: [u8; 12] = random();
            lock[11] = (member.dos_time >> 8) as u8;
            self.put(&keys.encrypted(&lock))?;
        }
        let begun = keys.clone();
        let mut crc = flate2::Crc::new();
        let mut deflate = Compress::new(Compression::new(level.clamp(1, 9)), false);
        let (mut block, mut made) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
        // Small ones are kept, to be stored when that is no larger.
        let mut held: Option<Vec<u8>> = Some(Vec::new());
        loop {
            let n = match source(&mut block) {
                Ok(n) => n,
                Err(Errno::EINTR) => continue,
                Err(e) => return Err(self.fail(e)),
            };
            // Of what is packed the beginning tells whether it is text.
            if member.size == 0 && member.method == 8 {
                member.internal = u16::from(is_text(&block[..n]));
            }
            crc.update(&block[..n]);
            member.size += n as u64;
            if let Some(kept) = &mut held {
                kept.extend_from_slice(&block[..n]);
                if kept.len() > 64 * 1024 {
                    held = None;
                }
            }
            if member.method == 0 {
                self.data(&block[..n], &mut keys)?;
                if n == 0 {
                    break;
                }
                continue;
            }
            let mut input = &block[..n];
            let flush = if n == 0 { FlushCompress::Finish } else { FlushCompress::None };
            loop {
                let before = (deflate.total_in(), deflate.total_out());
                let status = deflate.compress(input, &mut made, flush);
                input = &input[(deflate.total_in() - before.0) as usize..];
                let out = (deflate.total_out() - before.1) as usize;
                self.data(&made[..out], &mut keys)?;
                let ended = matches!(status, Ok(Status::StreamEnd));
                if ended || status.is_err() || (n > 0 && input.is_empty() && out < made.len()) {
                    break;
                }
            }
            if n == 0 {
                break;
            }
        }
        member.crc = crc.sum();
        member.packed = self.at - data_at;
        if member.method == 8
            && member.packed_data() >= member.size
            && let Some(kept) = held
        {
            member.method = 0;
            self.at -= member.packed_data();
            keys = begun;
            self.data(&kept, &mut keys)?;
            member.packed = self.at - data_at;
        }
        if member.flags & 8 != 0 {
            self.put(&zipfile::descriptor(&member, large))?;
        }
        let end = self.at;
        self.at = start;
        let head = zipfile::local_header(&member, large);
        self.put(&head)?;
        self.at = end;
        self.members.push(member.clone());
        Ok(member)
    }

    /// A member of the old archive, packed as it is.
    pub fn copy(&mut self, old: Option<&Fd>, member: &Member) -> Result<(), Exit> {
        let Some(old) = old else { return Ok(()) };
        let mut head = [0; 30];
        let got = pread(old.raw(), &mut head, member.offset).map_err(|e| self.fail(e))?;
        if got < 30 || !head.starts_with(b"PK\x03\x04") {
            let _ = unlink(&self.temporary);
            return Err(error(3, "Zip file structure invalid"));
        }
        let mut from = member.offset
            + 30
            + u64::from(u16::from_le_bytes([head[26], head[27]]))
            + u64::from(u16::from_le_bytes([head[28], head[29]]));
        let mut member = member.clone();
        let extra = u16::from_le_bytes([head[28], head[29]]);
        zipfile::local_times(old.raw(), from - u64::from(extra), extra, &mut member).map_err(|e| self.fail(e))?;
        // Sizes are known now, so they need not follow the data; only a password is checked with what stood for them.
        if !member.is_encrypted() {
            member.flags &= !8;
        }
        member.offset = self.at;
        let large = member.size >= 0xffff_ffff || member.packed >= 0xffff_ffff;
        self.put(&zipfile::local_header(&member, large))?;
        let mut left = member.packed;
        let mut block = vec![0; 64 * 1024];
        while left > 0 {
            let most = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let n = pread(old.raw(), &mut block[..most], from).map_err(|e| self.fail(e))?;
            if n == 0 {
                return Err(self.fail(Errno::EIO));
            }
            self.put(&block[..n])?;
            from += n as u64;
            left -= n as u64;
        }
        if member.flags & 8 != 0 {
            self.put(&zipfile::descriptor(&member, large))?;
        }
        self.members.push(member);
        Ok(())
    }

    pub fn finish(mut self, archive: &[u8], standard: bool) -> Result<Vec<Member>, Exit> {
        let directory = zipfile::directory_bytes(&self.members, self.at, &self.comment);
        self.put(&directory)?;
        // A stored replacement may have left more behind.
        capsule_sys::ftruncate(self.file.raw(), self.at).map_err(|e| self.fail(e))?;
        if standard {
            let mut out = Out::stdout();
            let (mut from, mut block) = (0, vec![0; 64 * 1024]);
            loop {
                let n = pread(self.file.raw(), &mut block, from).map_err(|e| self.fail(e))?;
                if n == 0 {
                    break;
                }
                out.write(&block[..n]);
                from += n as u64;
            }
            let _ = unlink(&self.temporary);
            out.flush().map_err(|e| {
                tell(&format!("zip I/O error: {e}"));
                error(14, "Output file write failure (write error on zip file)")
            })?;
            return Ok(self.members);
        }
        if let Ok(old) = stat(archive) {
            let _ = fchmod(self.file.raw(), old.mode & 0o777);
        }
        rename(&self.temporary, archive).map_err(|e| self.fail(e))?;
        Ok(self.members)
    }
}
