//! Where an answer goes: standard output or a file, which is made when there is something for it.

use super::config::{Config, Output};
use super::url::Url;
use crate::http::{Problem, disposition};
use crate::input::{dir_name, join};
use capsule_sys::http::Head;
use capsule_sys::{Errno, Fd, OpenFlags, STDOUT, SetTime, Time, futimens, mkdir, open, stat, unlink, write_all};

pub struct Sink {
    fd: Option<Fd>,
    /// Empty is standard output.
    pub name: Vec<u8>,
    append: bool,
    /// The server chose the name: it must not choose which file is written over.
    chosen: bool,
}

/// With `--no-clobber`: `name.1` to `name.100`.
const MOST_NAMES: u32 = 100;

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
        Ok(in_folder(config, name))
    }

    /// For an answer. A name that the server chose is taken at once, as its headers come before its body.
    pub fn new(
        config: &Config,
        output: Option<&Output>,
        name: Vec<u8>,
        head: &Head,
        append: bool,
    ) -> Result<Sink, Problem> {
        let mut sink = Sink { fd: None, name, append, chosen: false };
        if config.header_name
            && output == Some(&Output::Remote)
            && let Some(given) = head.header("content-disposition").and_then(disposition)
        {
            (sink.name, sink.chosen) = (in_folder(config, given), true);
            sink.open(config)?;
        }
        Ok(sink)
    }

    fn is_stdout(&self) -> bool {
        self.name.is_empty()
    }

    /// Makes the file, if there is to be one and it is not there yet.
    pub fn open(&mut self, config: &Config) -> Result<(), Problem> {
        if self.is_stdout() || self.fd.is_some() {
            return Ok(());
        }
        let mut flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC;
        flags |= if self.append { OpenFlags::APPEND } else { OpenFlags::TRUNC };
        let keeps = config.no_clobber && !self.append;
        if self.chosen && !config.clobber || keeps {
            flags |= OpenFlags::EXCL;
        }
        if config.create_dirs {
            make_folders(dir_name(&self.name));
        }
        let mut opened = open(&self.name, flags, 0o666);
        if keeps {
            let plain = self.name.clone();
            let mut number = 1;
            while matches!(opened, Err(Errno::EEXIST)) && number <= MOST_NAMES {
                self.name = [plain.as_slice(), format!(".{number}").as_bytes()].concat();
                opened = open(&self.name, flags, 0o666);
                number += 1;
            }
        }
        match opened {
            Ok(fd) => {
                self.fd = Some(fd);
                Ok(())
            }
            Err(errno) => {
                if !config.silent {
                    let shown = String::from_utf8_lossy(&self.name);
                    crate::report::plain(&format!("Warning: Failed to open the file {shown}: {errno}\n"));
                }
                let message =
                    if self.chosen { "Failed writing header" } else { "Failure writing output to destination" };
                Err(Problem::new(23, message))
            }
        }
    }

    pub fn write(&mut self, config: &Config, bytes: &[u8]) -> Result<(), Problem> {
        self.open(config)?;
        write_all(self.fd.as_ref().map_or(STDOUT, Fd::raw), bytes).map_err(|errno| match errno {
            Errno::EPIPE => Problem::new(23, "Failed writing body"),
            errno => Problem::new(23, format!("Failure writing output to destination: {errno}")),
        })
    }

    /// The time of the file is what a header says.
    pub fn set_time(&self, sec: i64) {
        if let Some(fd) = &self.fd {
            let time = SetTime::At(Time { sec, nsec: 0 });
            let _ = futimens(fd.raw(), time, time);
        }
    }

    /// `--remove-on-error`
    pub fn remove(&self) {
        if self.fd.is_some() {
            let _ = unlink(&self.name);
        }
    }
}

fn in_folder(config: &Config, name: Vec<u8>) -> Vec<u8> {
    match &config.output_dir {
        Some(folder) => join(folder, &name),
        None => name,
    }
}

fn make_folders(folder: &[u8]) {
    if folder == b"." || folder == b"/" || stat(folder).is_ok() {
        return;
    }
    make_folders(dir_name(folder));
    let _ = mkdir(folder, 0o750);
}
