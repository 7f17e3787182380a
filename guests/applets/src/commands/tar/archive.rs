//! Where archives come from and go to, with what packs them.

use super::create::{Plain, Writer};
use super::program::{ToProgram, failure, unpack};
use super::settings::Packer;
use super::{FATAL, Tar, fatal, shown};
use crate::codec::{self, Decode, Encode, Fault, Format as Packing, Source};
use crate::commands::squeeze;
use crate::{Exit, report};
use capsule_sys::{Fd, FileType, OpenFlags, Out, STDERR, STDIN, STDOUT, fstat, open, wait};

/// The archive as it is read.
pub struct Input {
    pub data: Box<dyn Decode>,
    /// What unpacks it: a program, or what is built in and goes by a program's name when it complains.
    pub packing: Option<Packing>,
    pub child: Option<i32>,
}

impl Tar {
    /// The archive's name; none is the standard stream.
    pub fn archive_name(&self) -> Option<Vec<u8>> {
        let name = self.settings.archive.clone().or_else(|| capsule_sys::getenv(b"TAPE"));
        name.filter(|n| n != b"-")
    }

    fn packing_by_name(&self) -> Option<Packing> {
        let name = self.archive_name()?;
        let ends = |suffixes: &[&[u8]]| suffixes.iter().any(|s| name.ends_with(s));
        if ends(&[b".gz", b".tgz", b".taz"]) {
            Some(Packing::Gzip)
        } else if ends(&[b".Z", b".taZ"]) {
            Some(Packing::Lzw)
        } else if ends(&[b".bz2", b".tbz2", b".tbz", b".tz2"]) {
            Some(Packing::Bzip2)
        } else if ends(&[b".xz", b".txz"]) {
            Some(Packing::Xz)
        } else if ends(&[b".lzma", b".tlz"]) {
            Some(Packing::Lzma)
        } else if ends(&[b".zst", b".tzst"]) {
            Some(Packing::Zstd)
        } else {
            None
        }
    }

    /// Where verbose lines go.
    pub fn listing(&mut self, archive_is_stdout: bool) -> Result<Out, Exit> {
        if let Some(path) = &self.settings.index {
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
            let file =
                open(path, flags, 0o666).map_err(|e| fatal(format_args!("{}: Cannot open: {e}", shown(path))))?;
            let fd = file.raw();
            self.index = Some(file);
            return Ok(Out::new(fd));
        }
        Ok(Out::new(if archive_is_stdout { STDERR } else { STDOUT }))
    }

    /// A new archive; with the program that packs it, if there is one.
    pub fn new_archive(&mut self) -> Result<(Writer, Option<Fd>, Option<i32>), Exit> {
        let by_name = if self.settings.auto { self.packing_by_name() } else { None };
        let packer = self.settings.packer.clone().or(by_name.map(Packer::Builtin));
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
        let name = self.archive_name();
        let file = match &name {
            None => None,
            Some(path) => {
                Some(open(path, flags, 0o666).map_err(|e| fatal(format_args!("{}: Cannot open: {e}", shown(path))))?)
            }
        };
        let out = Out::new(file.as_ref().map_or(STDOUT, Fd::raw));
        let id = fstat(out.fd()).ok().filter(|s| s.kind == FileType::Regular).map(|s| (s.dev, s.ino));
        let mut child = None;
        let encoder: Box<dyn Encode> = match packer {
            None => Box::new(Plain(out)),
            Some(Packer::Builtin(packing)) => {
                self.packing = Some(packing);
                codec::encoder(packing, squeeze::level(packing)?, out)
                    .ok_or_else(|| fatal("there is not enough memory to compress"))?
            }
            Some(Packer::Program(command)) => {
                let (encoder, id) = ToProgram::start(&command, out.fd())?;
                child = Some(id);
                Box::new(encoder)
            }
        };
        let listing = self.listing(name.is_none())?;
        let mut writer = Writer::new(encoder, id, self.lister(), listing, self.settings.record);
        writer.checkpoints = std::mem::take(&mut self.settings.checkpoints);
        Ok((writer, file, child))
    }

    /// Opens the archive for reading, with its compression found out.
    pub fn open(&self) -> Result<Input, Exit> {
        let name = self.archive_name();
        let file = match &name {
            None => None,
            Some(path) => Some(
                open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)
                    .map_err(|e| fatal(format_args!("{}: Cannot open: {e}", shown(path))))?,
            ),
        };
        let fd = file.as_ref().map_or(STDIN, Fd::raw);
        if let Some(Packer::Program(command)) = &self.settings.packer {
            let (source, child) = unpack(command, fd)?;
            return Ok(Input { data: Box::new(source), packing: None, child: Some(child) });
        }
        let mut source = Source::new(fd, file);
        let shown_name = name.as_deref().map_or("-".to_owned(), shown);
        let start = source.look(512).map_err(|e| {
            report::error(format_args!("{shown_name}: Cannot read: {e}"));
            fatal("At beginning of tape, quitting now")
        })?;
        let packing = match &self.settings.packer {
            Some(Packer::Builtin(packing)) => Some(*packing),
            // What has the checksum of an archive is one, whatever its name begins with.
            _ if is_archive(start) => None,
            _ => codec::sniff(start).filter(|p| *p != Packing::Lzma).or_else(|| {
                self.packing_by_name().filter(|p| *p == Packing::Lzma && codec::sniff(start) == Some(Packing::Lzma))
            }),
        };
        Ok(match packing {
            None => Input { data: Box::new(source), packing: None, child: None },
            Some(packing) => Input { data: codec::decoder(packing, source), packing: Some(packing), child: None },
        })
    }

    /// The archive's end was reached: what unpacked it must have been content.
    pub fn finish_child(&mut self, child: Option<i32>) -> Result<(), Exit> {
        let Some(child) = child else { return Ok(()) };
        match wait(child, 0).ok().flatten().and_then(|waited| failure(waited.status)) {
            Some(why) => Err(fatal(why)),
            None => Ok(()),
        }
    }

    /// Packed data that cannot be read, in the words of the program that would have unpacked it.
    pub fn unpackable(&self, packing: Option<Packing>, fault: Fault) -> Exit {
        let name = self.archive_name().map_or("-".to_owned(), |n| shown(&n));
        match (fault, packing) {
            (Fault::Read(e), _) => fatal(format_args!("{name}: Cannot read: {e}")),
            (Fault::Memory, None) => fatal(format_args!("{name}: the archive asks for too much memory")),
            (fault, Some(packing)) => {
                let status = squeeze::complain_of_input(packing, fault);
                report::error(format_args!("Child returned status {status}"));
                report::die(FATAL, "Error is not recoverable: exiting now")
            }
            (_, None) => fatal(format_args!("{name}: the archive is damaged")),
        }
    }
}

fn is_archive(start: &[u8]) -> bool {
    <&[u8; super::header::BLOCK]>::try_from(start).is_ok_and(super::header::checksum_fits)
}
