//! The answer that counts: into its file, decoded where that was asked for.

use super::config::Mode;
use super::cookies::http_date;
use super::progress::Progress;
use super::sink::Sink;
use super::trace::Bytes;
use super::transfer::{Job, explain, lossy};
use super::url::Url;
use super::write_out::Facts;
use crate::http::{Problem, Reading, now_ms};
use capsule_abi::door::POLLIN;
use capsule_sys::http::{Exchange, Failure, Fault, Head};
use capsule_sys::{OpenFlags, PollFd, open, poll, sleep, write_all};
use std::cell::RefCell;
use std::io::{self, Cursor, Read};

pub struct Answer<'a> {
    pub job: &'a Job<'a>,
    pub exchange: &'a Exchange,
    pub head: &'a Head,
    pub url: &'a Url,
    pub offset: Option<u64>,
    /// When the transfer began.
    pub began: u64,
}

/// Encodings around each other; more are an attack.
const MOST_ENCODINGS: usize = 5;

impl Answer<'_> {
    /// `heads` is what is shown in front of the body.
    pub fn receive(
        &self,
        heads: Vec<u8>,
        name: Vec<u8>,
        facts: &mut Facts,
        progress: &Progress,
    ) -> Result<(), Problem> {
        let (config, head) = (self.job.config, self.head);
        let mut sink = Sink::new(config, self.job.output.as_ref(), name, head, self.offset.is_some())?;
        facts.file = sink.name.clone();
        self.save_etag()?;
        let error = (head.status >= 400)
            .then(|| Problem::new(22, format!("The requested URL returned error: {}", head.status)));
        if let (Some(error), true) = (&error, config.fail) {
            if !heads.is_empty() {
                sink.write(config, &heads)?;
            }
            return Err(error.clone());
        }
        if self.offset.is_some() && head.status == 416 {
            return Ok(());
        }
        if self.offset.is_some() && head.status == 200 {
            return Err(Problem::new(33, "HTTP server doesn't seem to support byte ranges. Cannot resume."));
        }
        let length = head.header("content-length").and_then(|v| lossy(v).trim().parse::<u64>().ok());
        if config.max_filesize > 0 && length.is_some_and(|length| length > config.max_filesize) {
            return Err(Problem::new(63, "Maximum file size exceeded"));
        }
        let modified = head.header("last-modified").and_then(|date| http_date(&lossy(date)));
        if let (Some(condition), Some(modified)) = (&config.time_condition, modified)
            && head.status == 200
            && !condition.holds(modified)
        {
            return Ok(());
        }
        if !heads.is_empty() {
            sink.write(config, &heads)?;
        }
        if facts.method != b"HEAD" && config.mode != Mode::Head {
            progress.answer(length);
            let outcome = self.body(&mut sink, facts, progress, length);
            if outcome.is_err() && config.remove_on_error {
                sink.remove();
            }
            outcome?;
        }
        // An answer without a body is an empty file, unless it says that nothing has changed.
        if head.status != 304 {
            sink.open(config)?;
        }
        facts.file = sink.name.clone();
        if let (true, Some(modified)) = (config.remote_time, modified) {
            sink.set_time(modified);
        }
        self.ended(length);
        match error {
            Some(error) if config.fail_with_body => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether the connection stays is told by the head.
    fn ended(&self, length: Option<u64>) {
        let head = self.head;
        let says = |text: &str| {
            head.header("connection").is_some_and(|value| lossy(value).to_ascii_lowercase().contains(text))
        };
        let framed = length.is_some()
            || head.header("transfer-encoding").is_some()
            || matches!(head.status, 204 | 304)
            || self.job.config.mode == Mode::Head;
        if framed && !says("close") && (head.version == 11 || says("keep-alive")) {
            self.job.left_intact(self.url);
        } else {
            let number = self.job.connections.get().saturating_sub(1);
            self.job.config.trace.info(&format!("Closing connection {number}"));
        }
    }

    /// `--etag-save`
    fn save_etag(&self) -> Result<(), Problem> {
        let (Some(name), Some(etag)) = (&self.job.config.etag_save, self.head.header("etag")) else { return Ok(()) };
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
        let written = open(name, flags, 0o666).and_then(|file| write_all(file.raw(), &[etag, b"\n"].concat()));
        written.map_err(|_| Problem::new(23, "Failed writing header"))
    }

    fn body(
        &self,
        sink: &mut Sink,
        facts: &mut Facts,
        progress: &Progress,
        length: Option<u64>,
    ) -> Result<(), Problem> {
        let (failed, received) = (RefCell::new(None), RefCell::new(0));
        let outcome = self.copy(sink, &failed, &received, progress);
        facts.downloaded = *received.borrow();
        let failed = failed.borrow();
        let Some(failure) = failed.as_ref() else { return outcome };
        let mut problem = explain(Problem::of(failure), self.url, self.began, facts);
        let got = facts.downloaded;
        match failure.fault {
            Fault::Cut => {
                problem.message = match length {
                    Some(length) => {
                        format!("transfer closed with {} bytes remaining to read", length.saturating_sub(got))
                    }
                    None => "transfer closed with outstanding read data remaining".into(),
                };
            }
            Fault::Timeout => {
                let out_of = length.map(|length| format!("out of {length} ")).unwrap_or_default();
                let took = now_ms() - self.began;
                problem.message =
                    format!("Operation timed out after {took} milliseconds with {got} {out_of}bytes received");
            }
            _ => {}
        }
        Err(problem)
    }

    /// Copies the body, decoded where that was asked for, as it comes.
    fn copy(
        &self,
        sink: &mut Sink,
        failed: &RefCell<Option<Failure>>,
        received: &RefCell<u64>,
        progress: &Progress,
    ) -> Result<(), Problem> {
        let config = self.job.config;
        let chunked = self.head.header("transfer-encoding").is_some();
        if config.raw && chunked {
            let why =
                "the body is in chunks, which are put together before curl sees them: --raw cannot show them here";
            return Err(Problem { policy: true, ..Problem::new(56, why) });
        }
        let told = Told { answer: self, inner: Reading::new(self.exchange, failed, received), progress };
        let encoding = match (config.compressed && !config.raw, self.head.header("content-encoding")) {
            (true, Some(encoding)) => lossy(encoding).to_ascii_lowercase(),
            _ => String::new(),
        };
        let mut source = decoder(Box::new(told), &encoding)?;
        let small = config.limit_rate > 0 && config.limit_rate < 64 << 10;
        let mut buf = vec![0; if small { config.limit_rate.max(1) as usize } else { 64 << 10 }];
        let mut total = 0u64;
        let mut window = (now_ms(), 0);
        let start = now_ms();
        loop {
            if config.speed_time > 0 {
                self.wait(&mut window, *received.borrow())?;
            }
            match source.read(&mut buf) {
                Ok(0) => return Ok(()),
                Ok(n) => {
                    total += n as u64;
                    if config.max_filesize > 0 && total > config.max_filesize {
                        return Err(Problem::new(63, "Maximum file size exceeded"));
                    }
                    sink.write(config, &buf[..n])?;
                    if let Some(due) = total.saturating_mul(1000).checked_div(config.limit_rate) {
                        let early = (start + due).saturating_sub(now_ms());
                        let _ = sleep(early.saturating_mul(1_000_000));
                    }
                }
                Err(e) => {
                    let why = if e.to_string().contains("header") { ": incorrect header check" } else { "" };
                    return Err(Problem::new(61, format!("Error while processing content unencoding{why}")));
                }
            }
        }
    }

    /// `-Y`, `-y`: waits for more, but not for less than so many bytes in so many seconds.
    fn wait(&self, window: &mut (u64, u64), received: u64) -> Result<(), Problem> {
        let (limit, time) = (self.job.config.speed_limit, self.job.config.speed_time);
        loop {
            let passed = now_ms() - window.0;
            if passed >= time * 1000 {
                if received - window.1 < limit * time {
                    return Err(Problem {
                        transient: true,
                        ..Problem::new(
                            28,
                            format!(
                                "Operation too slow. Less than {limit} bytes/sec transferred the last {time} seconds"
                            ),
                        )
                    });
                }
                *window = (now_ms(), received);
            }
            let left = i32::try_from(time * 1000 - passed.min(time * 1000)).unwrap_or(i32::MAX);
            let mut fds = [PollFd { fd: self.exchange.fd(), events: POLLIN, revents: 0 }];
            if poll(&mut fds, left.max(1)).is_ok_and(|n| n > 0) {
                return Ok(());
            }
        }
    }
}

/// What comes, told to whoever looks at it.
struct Told<'a> {
    answer: &'a Answer<'a>,
    inner: Reading<'a>,
    progress: &'a Progress,
}

impl Read for Told<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        if n > 0 {
            self.answer.job.config.trace.bytes(Bytes::ReceiveData, &buf[..n]);
            self.progress.received(n as u64);
        }
        Ok(n)
    }
}

/// The encodings are listed in the order in which they were applied.
fn decoder<'a>(source: Box<dyn Read + 'a>, encodings: &str) -> Result<Box<dyn Read + 'a>, Problem> {
    let names: Vec<&str> = encodings.split(',').map(str::trim).filter(|n| !n.is_empty() && *n != "identity").collect();
    if names.len() > MOST_ENCODINGS {
        return Err(Problem::new(61, format!("Reject response due to more than {MOST_ENCODINGS} content encodings")));
    }
    let mut source = source;
    for name in names.iter().rev() {
        source = match *name {
            "gzip" | "x-gzip" => Box::new(flate2::read::MultiGzDecoder::new(source)),
            "deflate" => deflate(source)?,
            "zstd" => match ruzstd::decoding::StreamingDecoder::new(source) {
                Ok(decoder) => Box::new(decoder),
                Err(_) => return Err(Problem::new(61, "Error while processing content unencoding")),
            },
            _ => {
                let known =
                    "Unrecognized content encoding type. libcurl understands deflate, gzip, zstd content encodings.";
                return Err(Problem::new(61, known));
            }
        };
    }
    Ok(source)
}

/// Some servers leave zlib's header away.
fn deflate<'a>(mut source: Box<dyn Read + 'a>) -> Result<Box<dyn Read + 'a>, Problem> {
    let mut start = Vec::new();
    let read = source.by_ref().take(2).read_to_end(&mut start);
    read.map_err(|_| Problem::new(61, "Error while processing content unencoding"))?;
    let zlib = matches!(start[..], [a, b] if a & 15 == 8 && (u16::from(a) << 8 | u16::from(b)).is_multiple_of(31));
    let whole = Cursor::new(start).chain(source);
    Ok(if zlib {
        Box::new(flate2::read::ZlibDecoder::new(whole))
    } else {
        Box::new(flate2::read::DeflateDecoder::new(whole))
    })
}
