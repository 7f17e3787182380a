//! Other programs: what packs and unpacks an archive (`-I`), and what takes members (`--to-command`).

use super::Tar;
use super::header::{Entry, Format};
use super::reader::{Broken, Reader};
use super::{fatal, shown};
use crate::codec::{Encode, Source};
use crate::{Exit, program, report};
use capsule_sys::{
    Disposition, Errno, Fd, FdAction, OpenFlags, Out, STDIN, STDOUT, Signal, WaitStatus, pipe, signal_action, wait,
    write_all,
};

/// The version that scripts are told, whose behaviour this is.
pub const VERSION: &[u8] = b"1.34";

/// A program that packs what is written to it.
pub struct ToProgram {
    out: Out,
    end: Option<Fd>,
}

/// What became of a child, when it is no success.
pub fn failure(status: WaitStatus) -> Option<String> {
    match status {
        WaitStatus::Exited(0) => None,
        WaitStatus::Exited(code) => Some(format!("Child returned status {code}")),
        other => Some(format!("Child died with signal {}", other.shell_code() - 128)),
    }
}

impl ToProgram {
    /// Starts the program; its output goes to the archive.
    pub fn start(command: &[u8], archive: i32) -> Result<(ToProgram, i32), Exit> {
        let failed = |e: Errno| fatal(format_args!("Cannot open pipe: {e}"));
        let (reader, writer) = pipe(OpenFlags::CLOEXEC).map_err(failed)?;
        let actions =
            vec![FdAction::Dup2 { from: reader.raw(), to: STDIN }, FdAction::Dup2 { from: archive, to: STDOUT }];
        let child = program::shell(command, &[], actions).map_err(failed)?;
        // A program that ends early is told by its status.
        let _ = signal_action(Signal::PIPE, Disposition::Ignore);
        Ok((ToProgram { out: Out::new(writer.raw()), end: Some(writer) }, child))
    }
}

impl Encode for ToProgram {
    fn write(&mut self, bytes: &[u8]) {
        self.out.write(bytes);
    }

    fn finish(mut self: Box<Self>) -> Out {
        let _ = self.out.flush();
        // The program sees the end of its input, and nothing more is written to where the pipe was.
        drop(self.end.take());
        Out::new(STDOUT)
    }

    fn out(&mut self) -> &mut Out {
        &mut self.out
    }
}

/// Starts the program that unpacks an archive, with `-d`.
pub fn unpack(command: &[u8], archive: i32) -> Result<(Source, i32), Exit> {
    let (reader, writer) = pipe(OpenFlags::CLOEXEC).map_err(|e| fatal(format_args!("Cannot open pipe: {e}")))?;
    let mut argv: Vec<Vec<u8>> =
        command.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).map(<[u8]>::to_vec).collect();
    argv.push(b"-d".to_vec());
    let actions = vec![FdAction::Dup2 { from: archive, to: STDIN }, FdAction::Dup2 { from: writer.raw(), to: STDOUT }];
    match program::start(&argv, actions) {
        Ok(child) => Ok((Source::new(reader.raw(), Some(reader)), child)),
        Err(e) => {
            let text = format!("tar (child): {}: Cannot exec: {e}\n", shown(command));
            report::plain(&text);
            report::plain("tar (child): Error is not recoverable: exiting now\n");
            report::error("Child returned status 2");
            Err(report::die(2, "Error is not recoverable: exiting now"))
        }
    }
}

impl Tar {
    /// `--to-command`: a member's data is a command's input.
    pub fn give_to_command(&mut self, reader: &mut Reader, entry: &Entry, command: &[u8]) -> Result<(), Broken> {
        let (input, output) = match pipe(OpenFlags::CLOEXEC) {
            Ok(ends) => ends,
            Err(e) => {
                report::error(format_args!("Cannot open pipe: {e}"));
                self.status = 2;
                return Ok(());
            }
        };
        let name = self.transformed_name(&entry.name);
        let time = |t: capsule_sys::Time| match t.nsec {
            0 => t.sec.to_string(),
            nsec => format!("{}.{nsec:09}", t.sec),
        };
        let format = match self.settings.format {
            Format::V7 => "v7",
            Format::Ustar => "ustar",
            Format::Gnu => "gnu",
            Format::OldGnu => "oldgnu",
            Format::Pax => "posix",
        };
        let text = |text: String| text.into_bytes();
        let variables = [
            ("TAR_VERSION", VERSION.to_vec()),
            ("TAR_ARCHIVE", self.archive_name().unwrap_or_else(|| b"-".to_vec())),
            ("TAR_BLOCKING_FACTOR", text((self.settings.record / 512).to_string())),
            ("TAR_FORMAT", format.as_bytes().to_vec()),
            ("TAR_FILETYPE", b"f".to_vec()),
            ("TAR_MODE", text(format!("0{:o}", entry.mode))),
            ("TAR_FILENAME", name),
            ("TAR_REALNAME", entry.name.clone()),
            ("TAR_UNAME", entry.user.clone()),
            ("TAR_GNAME", entry.group.clone()),
            ("TAR_ATIME", text(time(capsule_sys::now()))),
            ("TAR_MTIME", text(time(entry.mtime))),
            ("TAR_CTIME", text(time(capsule_sys::now()))),
            ("TAR_SIZE", text(entry.real_size().to_string())),
            ("TAR_UID", text(entry.uid.to_string())),
            ("TAR_GID", text(entry.gid.to_string())),
        ];
        let actions = vec![FdAction::Dup2 { from: input.raw(), to: STDIN }];
        let child = match program::shell(command, &variables, actions) {
            Ok(child) => child,
            Err(e) => {
                report::error(format_args!("/bin/sh: Cannot exec: {e}"));
                self.status = 2;
                return Ok(());
            }
        };
        drop(input);
        let _ = signal_action(Signal::PIPE, Disposition::Ignore);
        let mut read = Ok(());
        loop {
            match reader.data() {
                Ok([]) => break,
                // A command may stop reading when it has seen enough.
                Ok(data) => {
                    if write_all(output.raw(), data).is_err() {
                        break;
                    }
                }
                Err(broken) => {
                    read = Err(broken);
                    break;
                }
            }
        }
        drop(output);
        if let Ok(Some(waited)) = wait(child, 0)
            && !self.settings.ignore_command_error
        {
            match waited.status {
                WaitStatus::Exited(0) => {}
                WaitStatus::Exited(code) => {
                    report::error(format_args!("{child}: Child returned status {code}"));
                    self.status = 2;
                }
                // Only a warning, as GNU has it.
                other => {
                    let signal = other.shell_code() - 128;
                    report::error(format_args!("{child}: Child terminated on signal {signal}"));
                }
            }
        }
        read
    }
}
