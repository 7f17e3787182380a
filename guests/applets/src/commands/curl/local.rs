//! `file://`: a file of the sandbox, by the ordinary calls. What the network's policy says has no part in it.

use super::body::open_file;
use super::config::Mode;
use super::progress::Progress;
use super::sink::Sink;
use super::transfer::{Job, allowed_scheme, bad_url};
use super::url::{Bad, Url, unescape};
use super::write_out::Facts;
use crate::calendar::{Moment, Zone};
use crate::http::Problem;
use capsule_sys::http::Head;
use capsule_sys::{Fd, FileType, OpenFlags, Seek, fstat, open, read, seek, write_all};

/// The path of a `file:` URL; none for others. Its host may be this one alone.
pub fn path(url: &[u8]) -> Option<Result<Vec<u8>, Bad>> {
    let rest = url.get(..6).filter(|start| start.eq_ignore_ascii_case(b"file:/")).map(|_| &url[5..])?;
    let path = match rest.strip_prefix(b"//") {
        None => rest,
        Some(rest) => {
            let slash = rest.iter().position(|&b| b == b'/').unwrap_or(rest.len());
            let host = rest[..slash].to_ascii_lowercase();
            if !matches!(host.as_slice(), b"" | b"localhost" | b"127.0.0.1") || slash == rest.len() {
                return Some(Err(Bad::Malformed));
            }
            &rest[slash..]
        }
    };
    // As in other URLs: neither what is asked nor a place inside belongs to the path, and dots are taken away.
    let end = path.iter().position(|b| b"?#".contains(b)).unwrap_or(path.len());
    let url = Url {
        scheme: "file".to_owned(),
        user: None,
        authority: Vec::new(),
        target: super::url::without_dots(&path[..end]),
    };
    let name = unescape(&url.target);
    let bad = name.contains(&0) || path.iter().any(|&b| b <= b' ' || b == 0x7f);
    Some(if bad { Err(Bad::Malformed) } else { Ok(name) })
}

/// The part of a file that `-r` asks for: where it starts, and how long it is.
fn part(range: &[u8], size: u64) -> Result<(u64, u64), Problem> {
    // Of several ranges the first.
    let text = String::from_utf8_lossy(range).into_owned();
    let first = text.split(',').next().unwrap_or_default();
    let wrong = || Problem::new(33, "Requested range was not delivered by the server");
    let late = || Problem::new(36, "failed to resume file:// transfer");
    let (from, to) = first.split_once('-').unwrap_or((first, first));
    match (from.parse::<u64>(), to.parse::<u64>()) {
        (Ok(from), _) if from > size => Err(late()),
        (Ok(from), Err(_)) => Ok((from, size - from)),
        (Ok(from), Ok(to)) if from > to => Err(wrong()),
        (Ok(from), Ok(to)) => Ok((from, (to - from).saturating_add(1).min(size - from))),
        (Err(_), Ok(last)) if last > size => Err(Problem::new(36, "Couldn't resume download")),
        (Err(_), Ok(last)) => Ok((size - last, last)),
        // No numbers at all are zeros.
        _ => Ok((0, size.min(1))),
    }
}

impl Job<'_> {
    /// Reads a file as if a server had sent it, or writes it with `-T`.
    pub fn file(&self, path: Result<Vec<u8>, Bad>, facts: &mut Facts, progress: &Progress) -> Result<(), Problem> {
        let path = path.map_err(bad_url)?;
        allowed_scheme("file", self.config.proto.as_deref())?;
        facts.scheme = "file".to_owned();
        facts.effective = [b"file://", path.as_slice()].concat();
        let done = match &self.upload {
            Some(from) => self.write_file(from, &path, facts),
            None => self.read_file(&path, facts, progress),
        };
        self.config.trace.info(&format!("Closing connection {}", self.connections.get()));
        done
    }

    fn read_file(&self, path: &[u8], facts: &mut Facts, progress: &Progress) -> Result<(), Problem> {
        let config = self.config;
        let shown = String::from_utf8_lossy(path).into_owned();
        let file = open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)
            .map_err(|_| Problem::new(37, format!("Couldn't open file {shown}")))?;
        let info = fstat(file.raw()).map_err(|_| Problem::new(37, format!("Couldn't open file {shown}")))?;
        let place = Url { scheme: "file".to_owned(), user: None, authority: Vec::new(), target: path.to_vec() };
        let name = Sink::name(config, self.output.as_ref(), &place)?;
        let offset = self.offset(&name);
        let mut sink = Sink::new(config, self.output.as_ref(), name, &Head::default(), offset.is_some())?;
        let date = Moment::new(info.mtime.sec, 0, &Zone::utc()).format(b"%a, %d %b %Y %H:%M:%S GMT");
        let head = format!(
            "Content-Length: {}\r\nAccept-ranges: bytes\r\nLast-Modified: {}\r\n",
            info.size,
            String::from_utf8_lossy(&date)
        );
        let only_head = config.mode == Mode::Head;
        let end: &str = if only_head { "" } else { "\r\n" };
        self.dump(format!("{head}{end}").as_bytes(), false)?;
        if only_head || config.include {
            sink.write(config, format!("{head}{end}").as_bytes())?;
        }
        if !only_head {
            let (start, length) = match (&config.range, offset) {
                (Some(range), _) => part(range, info.size)?,
                (None, Some(offset)) if offset > info.size => {
                    return Err(Problem::new(36, "failed to resume file:// transfer"));
                }
                (None, offset) => (offset.unwrap_or(0), info.size - offset.unwrap_or(0)),
            };
            // What is no file has no size that means something.
            let length = if info.kind == FileType::Regular { length } else { u64::MAX };
            progress.answer(Some(length).filter(|n| *n != u64::MAX));
            if start > 0 {
                let _ = seek(file.raw(), Seek::Start(start));
            }
            self.copy_file(&file, length, &mut sink, facts, progress)?;
        }
        sink.open(config)?;
        facts.file = sink.name.clone();
        if config.remote_time {
            sink.set_time(info.mtime.sec);
        }
        Ok(())
    }

    fn copy_file(
        &self,
        file: &Fd,
        length: u64,
        sink: &mut Sink,
        facts: &mut Facts,
        progress: &Progress,
    ) -> Result<(), Problem> {
        let mut buf = vec![0; 64 << 10];
        let mut left = length;
        while left > 0 {
            let most = buf.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            // A folder cannot be read, which is no error to curl.
            let Ok(n @ 1..) = read(file.raw(), &mut buf[..most]) else { break };
            left -= n as u64;
            facts.downloaded += n as u64;
            progress.received(n as u64);
            sink.write(self.config, &buf[..n])?;
        }
        Ok(())
    }

    fn write_file(&self, from: &[u8], path: &[u8], facts: &mut Facts) -> Result<(), Problem> {
        let unread = |_| Problem::new(26, "Failed to open/read local data from file/application");
        let input = open_file(from).map_err(unread)?;
        let shown = String::from_utf8_lossy(path).into_owned();
        let way = if self.config.resume.is_some() { OpenFlags::APPEND } else { OpenFlags::TRUNC };
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | way;
        let path = match path.ends_with(b"/") {
            true => [path, crate::input::base_name(from)].concat(),
            false => path.to_vec(),
        };
        let output =
            open(&path, flags, 0o644).map_err(|_| Problem::new(23, format!("Can't open {shown} for writing")))?;
        let mut buf = vec![0; 64 << 10];
        // What is there already is not sent again.
        let mut known = match self.config.resume {
            Some(Some(offset)) => offset,
            Some(None) => fstat(output.raw()).map_or(0, |s| s.size),
            None => 0,
        };
        while known > 0 {
            let most = buf.len().min(usize::try_from(known).unwrap_or(usize::MAX));
            match read(input.raw(), &mut buf[..most]).map_err(unread)? {
                0 => return Ok(()),
                n => known -= n as u64,
            }
        }
        loop {
            let n = read(input.raw(), &mut buf).map_err(unread)?;
            if n == 0 {
                return Ok(());
            }
            write_all(output.raw(), &buf[..n]).map_err(|_| Problem::new(55, "Failed sending data to the peer"))?;
            facts.uploaded += n as u64;
        }
    }
}
