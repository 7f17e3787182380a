//! Archives that are already there: more at the end, or something taken out.

use super::create::{Plain, Writer, tell_unfit};
use super::header::{BLOCK, encode};
use super::options::Step;
use super::reader::{Broken, Reader};
use super::settings::Action;
use super::{FATAL, Tar, fatal, reopen_at, shown};
use crate::codec::{self, Source};
use crate::input::{dir_name, join};
use crate::{Exit, report};
use capsule_sys::{Fd, OpenFlags, Out, fchmod, fstat, getpid, open, rename, unlink};

impl Tar {
    fn plain_archive(&self, flags: OpenFlags) -> Result<(Vec<u8>, Fd), Exit> {
        if self.settings.packer.is_some() {
            report::error("Cannot update compressed archives");
            return Err(report::try_help(FATAL));
        }
        let Some(path) = self.archive_name() else {
            return Err(fatal("-: Cannot open: an archive in a pipe cannot be changed"));
        };
        let file = open(&path, flags | OpenFlags::CLOEXEC, 0o666)
            .map_err(|e| fatal(format_args!("{}: Cannot open: {e}", shown(&path))))?;
        Ok((path, file))
    }

    pub(super) fn append(&mut self, steps: &[Step], action: Action) -> Result<(), Exit> {
        let (path, file) = self.plain_archive(OpenFlags::RDWR | OpenFlags::CREAT)?;
        let mut source = Source::new(file.raw(), None);
        if source.look(13).is_ok_and(|start| codec::sniff(start).is_some()) {
            return Err(fatal("Cannot update compressed archives"));
        }
        let mut reader = Reader::new(Box::new(source));
        let mut known = std::collections::HashMap::new();
        let end = loop {
            match reader.next() {
                Ok(Some(entry)) => {
                    let name = entry.name.strip_suffix(b"/").unwrap_or(&entry.name).to_vec();
                    known.insert(name, entry.mtime.sec);
                }
                Ok(None) => break reader.header_at,
                // A file that was just made.
                Err(Broken::NotTar | Broken::Garbage) if fstat(file.raw()).is_ok_and(|s| s.size == 0) => break 0,
                Err(broken) => return self.broken(broken, None),
            }
        };
        reopen_at(file.raw(), end).map_err(|e| fatal(format_args!("{}: Cannot write: {e}", shown(&path))))?;
        let id = fstat(file.raw()).ok().map(|s| (s.dev, s.ino));
        let mut writer =
            Writer::new(Box::new(Plain(Out::new(file.raw()))), id, self.lister(), Out::stdout(), self.settings.record);
        writer.written = end;
        if action == Action::Concatenate {
            for step in steps {
                if let Step::Name(name) = step {
                    self.join(&mut writer, &name.text)?;
                }
            }
        } else {
            if action == Action::Update {
                self.update = Some(known);
            }
            self.add_all(&mut writer, steps)?;
        }
        let (written, listed) = writer.end();
        self.lost |= listed.is_err();
        self.check_directories(steps);
        written.map_err(|e| fatal(format_args!("{}: Cannot write: {e}", shown(&path))))
    }

    /// All members of another archive.
    fn join(&mut self, writer: &mut Writer, name: &[u8]) -> Result<(), Exit> {
        // The archive is open and lacks its end: what cannot be put into it must not stop that.
        let file = match open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
            Ok(file) => file,
            Err(e) => {
                report::error(format_args!("{}: Cannot open: {e}", shown(name)));
                self.status = FATAL;
                return Ok(());
            }
        };
        // It would grow as fast as it is read.
        if fstat(file.raw()).is_ok_and(|s| writer.archive == Some((s.dev, s.ino))) {
            self.settings.warn("ignore-archive", format_args!("{}: file is the archive; not dumped", shown(name)));
            return Ok(());
        }
        let mut reader = Reader::new(Box::new(Source::new(file.raw(), Some(file))));
        self.copy_members(&mut reader, writer, |_| true)
    }

    fn copy_members(
        &mut self,
        reader: &mut Reader,
        writer: &mut Writer,
        mut keep: impl FnMut(&[u8]) -> bool,
    ) -> Result<(), Exit> {
        loop {
            let entry = match reader.next() {
                Ok(Some(entry)) => entry,
                Ok(None) => return Ok(()),
                Err(broken) => {
                    self.broken(broken, None)?;
                    return Ok(());
                }
            };
            if !keep(&entry.name) {
                continue;
            }
            if entry.sparse.is_some() {
                return Err(fatal(format_args!("{}: members with holes cannot be copied", shown(&entry.name))));
            }
            match encode(&entry, self.settings.format, &self.settings.pax) {
                Ok(head) => writer.bytes(&head),
                Err(unfit) => {
                    tell_unfit(&entry, unfit);
                    return Err(report::die(FATAL, "Error is not recoverable: exiting now"));
                }
            }
            loop {
                match reader.data() {
                    Ok([]) => break,
                    Ok(data) => writer.bytes(data),
                    Err(broken) => {
                        self.broken(broken, None)?;
                        return Ok(());
                    }
                }
            }
            let missing = writer.written.next_multiple_of(BLOCK as u64) - writer.written;
            writer.bytes(&[0; BLOCK][..missing as usize]);
        }
    }

    /// Writes the rest beside the archive, then takes its place.
    pub fn delete(&mut self, steps: &[Step]) -> Result<(), Exit> {
        let (path, file) = self.plain_archive(OpenFlags::RDONLY)?;
        let mode = fstat(file.raw()).map_or(0o644, |s| s.mode);
        let mut reader = Reader::new(Box::new(Source::new(file.raw(), Some(file))));
        let mut wanted = self.wanted(steps)?;
        let temporary = join(dir_name(&path), format!(".tar{}", getpid()).as_bytes());
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC;
        let new = open(&temporary, flags, 0o600)
            .map_err(|e| fatal(format_args!("{}: Cannot open: {e}", shown(&temporary))))?;
        let out = Out::new(new.raw());
        let mut writer = Writer::new(Box::new(Plain(out)), None, self.lister(), Out::stdout(), self.settings.record);
        let nothing = wanted.wishes.is_empty();
        let copied = self.copy_members(&mut reader, &mut writer, |name| nothing || wanted.matches(name).is_none());
        let (written, _) = writer.end();
        let done = copied.and_then(|()| {
            written
                .and_then(|()| fchmod(new.raw(), mode))
                .and_then(|()| rename(&temporary, &path))
                .map_err(|e| fatal(format_args!("{}: Cannot write: {e}", shown(&path))))
        });
        if done.is_err() {
            let _ = unlink(&temporary);
        }
        done?;
        if !wanted.finish(!self.settings.wildcards_said) {
            self.status = FATAL;
        }
        Ok(())
    }
}
