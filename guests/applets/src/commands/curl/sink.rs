//! Where an answer goes: standard output or a file, which is made when there is something for it.

use super::config::{Config, Output};
use super::url::Url;
use crate::http::{Problem, disposition};
use crate::input::{dir_name, join};
use capsule_sys::http::Head;
use capsule_sys::{Errno, Fd, OpenFlags, STDOUT, SetTime, Time, futimens, mkdir, open, stat, write_all};

pub struct Sink {
    fd: Option<Fd>,
    stdout: bool,
    pub name: Vec<u8>,
}

impl Sink {
    /// The name that an output has before there is an answer; empty is standard output.
    pub fn name(config: &Config, output: Option<&Output>, url: &Url) -> Result<Vec<u8>, Problem> {
        let name = match output {
            None => return Ok(Vec::new()),
            Some(Output::File(name)) if name == b"-" => return Ok(Vec::new()),
            Some(Output::File(name)) => name.clone(),
            Some(Output::Remote) => match url.file_name() {
                b"" => {
                    if !config.silent {
                        crate::report::plain("curl: Remote file name has no length!\n");
                    }
                    return Err(Problem::new(23, "Failed writing received data to disk/application"));
                }
                name => name.to_vec(),
            },
        };
        Ok(match &config.output_dir {
            Some(folder) => join(folder, &name),
            None => name,
        })
    }

    /// Opens it for an answer.
    pub fn open(
        config: &Config,
        output: Option<&Output>,
        mut name: Vec<u8>,
        head: &Head,
        append: bool,
    ) -> Result<Sink, Problem> {
        if name.is_empty() {
            return Ok(Sink { fd: None, stdout: true, name });
        }
        let mut flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC;
        flags |= if append { OpenFlags::APPEND } else { OpenFlags::TRUNC };
        if config.header_name
            && output == Some(&Output::Remote)
            && let Some(given) = head.header("content-disposition").and_then(disposition)
        {
            name = match &config.output_dir {
                Some(folder) => join(folder, &given),
                None => given,
            };
            // A server must not choose which file is written over.
            flags |= OpenFlags::EXCL;
        }
        if config.create_dirs {
            make_folders(dir_name(&name));
        }
        match open(&name, flags, 0o666) {
            Ok(fd) => Ok(Sink { fd: Some(fd), stdout: false, name }),
            Err(errno) => {
                if !config.silent {
                    let shown = String::from_utf8_lossy(&name);
                    crate::report::plain(&format!("Warning: Failed to open the file {shown}: {errno}\n"));
                }
                Err(Problem::new(23, "Failure writing output to destination"))
            }
        }
    }

    pub fn write(&self, bytes: &[u8]) -> Result<(), Problem> {
        let fd = if self.stdout { STDOUT } else { self.fd.as_ref().map_or(STDOUT, Fd::raw) };
        write_all(fd, bytes).map_err(|errno| match errno {
            Errno::EPIPE => Problem::new(23, "Failed writing body"),
            errno => Problem::new(23, format!("Failure writing output to destination: {errno}")),
        })
    }
}

impl Sink {
    /// The time of the file is what a header says.
    pub fn set_time(&self, sec: i64) {
        if let Some(fd) = &self.fd {
            let time = SetTime::At(Time { sec, nsec: 0 });
            let _ = futimens(fd.raw(), time, time);
        }
    }
}

fn make_folders(folder: &[u8]) {
    if folder == b"." || folder == b"/" || stat(folder).is_ok() {
        return;
    }
    make_folders(dir_name(folder));
    let _ = mkdir(folder, 0o750);
}
