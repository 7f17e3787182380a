//! One file over its attempts, and where the answer goes.

use super::config::{AUTHENTICATION, Config, FILE, GENERIC, NETWORK, SERVER, Talk};
use super::messages::{self, Progress, time};
use super::names::make_folders;
use super::recurse::{IN_PASSING, acceptable};
use crate::commands::curl::cookies::{Cookies, http_date};
use crate::commands::curl::url::{Bad, Url};
use crate::http::{Reading, disposition, now_ms};
use crate::input::{base_name, join};
use crate::quote::quote_open_close;
use capsule_sys::http::{Exchange, Fault, Head};
use capsule_sys::{Fd, OpenFlags, STDERR, STDOUT, SetTime, Stat, Time, futimens, open, sleep, stat, write_all};
use std::cell::RefCell;
use std::io::Read;

/// What is the same for all files of a command.
pub struct Session<'a> {
    pub config: &'a Config,
    pub cookies: Cookies,
    /// The file of `-O`.
    pub together: Option<Fd>,
    pub files: u64,
    pub bytes: u64,
    pub milliseconds: u64,
}

/// A file that was fetched, or was there.
pub struct Fetched {
    pub name: Vec<u8>,
    /// Where it came from, after redirects.
    pub url: Url,
    pub kind: String,
}

/// The status, and whether another attempt may do better; how much of the file there is then.
pub(super) struct Failed {
    pub status: u8,
    pub again: bool,
    pub got: u64,
}

impl Failed {
    pub fn new(status: u8, again: bool) -> Failed {
        Failed { status, again, got: 0 }
    }
}

/// An answer that counts.
pub(super) struct Answered {
    pub exchange: Exchange,
    pub head: Head,
    pub url: Url,
}

/// The state of one file over its attempts.
pub(super) struct Attempt<'a> {
    pub first: &'a Url,
    pub name: &'a [u8],
    pub number: u64,
    pub offset: u64,
    /// The file that `-N` compares with.
    pub local: Option<Stat>,
}

impl Config {
    pub fn say(&self, text: &str) {
        if self.talk == Talk::Full {
            self.tell(text);
        }
    }

    pub fn tell(&self, text: &str) {
        if self.talk != Talk::Quiet {
            self.write(text);
        }
    }

    pub fn write(&self, text: &str) {
        let _ = write_all(self.log.as_ref().map_or(STDERR, Fd::raw), text.as_bytes());
    }
}

/// In the quotes of the locale.
pub fn marked(text: &str) -> String {
    let (open, close) = quote_open_close();
    format!("{open}{text}{close}")
}

pub fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is wrong with what is no URL.
fn malformed(text: &[u8]) -> String {
    let shown = if text.is_empty() { "http://".to_owned() } else { lossy(text) };
    let behind = shown.split_once("://").map_or(shown.as_str(), |(_, rest)| rest);
    let authority = behind.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let why = match (authority.strip_prefix('['), authority.split_once(':')) {
        (Some(address), _) if !address.contains(']') => "Unterminated IPv6 numeric address",
        (None, Some((host, _))) if !host.is_empty() && !host.contains(' ') => "Bad port number",
        _ => "Invalid host name",
    };
    format!("{shown}: {why}.\n")
}

impl Session<'_> {
    pub fn fetch(&mut self, text: &[u8], referer: Option<&Url>) -> Result<Option<Fetched>, u8> {
        let config = self.config;
        let shown = lossy(text);
        let url = Url::parse(text, "http", false).map_err(|bad| {
            match bad {
                Bad::Malformed => config.tell(&malformed(text)),
                Bad::Scheme(scheme) => config.tell(&format!("{shown}: Unsupported scheme {}.\n", marked(&scheme))),
            }
            GENERIC
        })?;
        let mut name = config.name(&url);
        if config.recursion.on && !acceptable(config, base_name(&name)) {
            name.extend_from_slice(IN_PASSING);
        }
        let local = stat(&name).ok();
        if config.no_clobber && config.output.is_none() && local.is_some() {
            config.say(&format!("File {} already there; not retrieving.\n\n", marked(&lossy(&name))));
            let kind = if name.ends_with(b".html") { "text/html" } else { "" };
            return Ok(Some(Fetched { name, url, kind: kind.into() }));
        }
        let resume = config.resume && config.output.as_deref() != Some(b"-");
        let mut attempt = Attempt {
            first: &url,
            name: &name,
            number: 1,
            offset: config.start_at.unwrap_or(if resume { local.map_or(0, |s| s.size) } else { 0 }),
            local: local.filter(|_| config.timestamping && config.output.is_none()),
        };
        loop {
            let failed = match self.attempt(&attempt, referer) {
                Ok(fetched) => return Ok(fetched),
                Err(failed) => failed,
            };
            if !failed.again {
                return Err(failed.status);
            }
            if config.tries > 0 && attempt.number >= config.tries {
                config.tell("Giving up.\n\n");
                return Err(failed.status);
            }
            config.say("Retrying.\n\n");
            attempt.offset = attempt.offset.max(failed.got);
            let _ = sleep(attempt.number.min(config.wait_retry).saturating_mul(1_000_000_000));
            attempt.number += 1;
        }
    }

    fn attempt(&mut self, attempt: &Attempt, referer: Option<&Url>) -> Result<Option<Fetched>, Failed> {
        let config = self.config;
        let Answered { exchange, head, url } = self.ask(attempt, referer)?;
        let kind = head.header("content-type").map(lossy).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_owned();
        if head.status == 304 {
            config
                .say(&format!("File {} not modified on server. Omitting download.\n\n", marked(&lossy(attempt.name))));
            return Ok(Some(Fetched { name: attempt.name.to_vec(), url, kind: "text/html".into() }));
        }
        if head.status == 416 && attempt.offset > 0 {
            config.say("\n    The file is already fully retrieved; nothing to do.\n\n");
            return Ok(None);
        }
        let mut status = None;
        if head.status >= 400 {
            status = Some(self.server_error(&head, &url)?);
        }
        let whole = head.header("content-length").and_then(|v| lossy(v).trim().parse::<u64>().ok());
        let offset = if head.status == 206 { attempt.offset } else { 0 };
        let whole = whole.map(|length| length + offset);
        // A server that knows no ranges sends it all: what is there already is left out.
        let skip = if config.resume && head.status == 200 && self.together.is_none() { attempt.offset } else { 0 };
        if config.spider {
            config.say(&messages::length(whole, 0, &kind));
            match config.talk {
                Talk::Brief => {
                    config.tell(&format!(
                        "{} URL: {} {} {}\n",
                        time(),
                        lossy(&url.text()),
                        head.status,
                        lossy(&head.reason)
                    ));
                }
                _ => config.say("Remote file exists.\n\n"),
            }
            return Ok(None);
        }
        let modified = head.header("last-modified").and_then(|date| http_date(&lossy(date)));
        if let (Some(local), Some(modified)) = (&attempt.local, modified)
            && whole.is_none_or(|whole| whole == local.size)
            && modified <= local.mtime.sec
        {
            let shown = lossy(attempt.name);
            config.say(&format!(
                "Server ignored If-Modified-Since header for file {}.\nYou might want to add --no-if-modified-since option.\n\n",
                marked(&shown)
            ));
            return Ok(Some(Fetched { name: attempt.name.to_vec(), url, kind }));
        }
        config.say(&messages::length(whole, offset, &kind));
        let (name, file) = self.open(attempt, &head, &kind, offset + skip > 0)?;
        let outcome = self.save(&exchange, &head, &url, &name, file.as_ref(), (whole, offset, skip));
        if let (Ok(()), Some(modified), true) = (&outcome, modified, config.server_times)
            && let Some(file) = file.as_ref().or(self.together.as_ref())
        {
            let time = SetTime::At(Time { sec: modified, nsec: 0 });
            let _ = futimens(file.raw(), time, time);
        }
        outcome?;
        match status {
            Some(status) => Err(Failed::new(status, false)),
            None => Ok(Some(Fetched { name, url, kind })),
        }
    }

    /// What an error of the server's means; the status, where its page is wanted all the same.
    fn server_error(&self, head: &Head, url: &Url) -> Result<u8, Failed> {
        let config = self.config;
        let reason = lossy(&head.reason);
        let status = if head.status == 401 { AUTHENTICATION } else { SERVER };
        if config.retry_status.contains(&head.status) {
            config.say(&format!("{} ERROR {}: {reason}.\n", time(), head.status));
            return Err(Failed::new(NETWORK, true));
        }
        if head.status == 401 {
            config.tell("\nUsername/Password Authentication Failed.\n");
        } else if config.spider && head.status == 404 {
            config.tell("Remote file does not exist -- broken link!!!\n\n");
        } else if config.talk == Talk::Brief {
            config.tell(&format!("{}:\n{} ERROR {}: {reason}.\n", lossy(&url.text()), time(), head.status));
        } else {
            config.say(&format!("{} ERROR {}: {reason}.\n\n", time(), head.status));
        }
        if config.on_error { Ok(status) } else { Err(Failed::new(status, false)) }
    }

    /// Copies the body to its file.
    fn save(
        &mut self,
        exchange: &Exchange,
        head: &Head,
        url: &Url,
        name: &[u8],
        file: Option<&Fd>,
        (whole, offset, mut skip): (Option<u64>, u64, u64),
    ) -> Result<(), Failed> {
        let config = self.config;
        let to = file.or(self.together.as_ref()).map_or(STDOUT, Fd::raw);
        let stdout = name == b"-";
        let display = if stdout { "STDOUT".to_owned() } else { lossy(name) };
        config.say(&format!("Saving to: {}\n", marked(&display)));
        let show = |text: &str| match config.show_progress {
            true => config.write(text),
            false => config.say(text),
        };
        let (mut progress, start) = Progress::begin(config.dots, whole, offset);
        show(&start);
        let (failed, received) = (RefCell::new(None), RefCell::new(0));
        let reading = Reading::new(exchange, &failed, &received);
        let zipped = head.header("content-encoding").is_some_and(|e| e.eq_ignore_ascii_case(b"gzip"));
        let mut body: Box<dyn Read + '_> = match zipped && config.compression.is_some() {
            true => Box::new(flate2::read::MultiGzDecoder::new(reading)),
            false => Box::new(reading),
        };
        let failed_write = |e| {
            config.tell(&format!("\nCannot write to {} ({e}).\n", marked(&display)));
            Failed::new(FILE, false)
        };
        if config.save_headers {
            write_all(to, &head.raw).map_err(failed_write)?;
        }
        let mut buf = vec![0; if config.rate > 0 { config.rate.clamp(1, 16 << 10) as usize } else { 64 << 10 }];
        let (mut got, began, mut told) = (0u64, now_ms(), 0);
        let outcome = loop {
            match body.read(&mut buf) {
                Ok(0) => break Ok(()),
                Ok(n) => {
                    got += n as u64;
                    let from = usize::try_from(skip).map_or(n, |skip| skip.min(n));
                    skip -= from as u64;
                    write_all(to, &buf[from..n]).map_err(failed_write)?;
                    let come = *received.borrow();
                    show(&progress.received(come - told));
                    told = come;
                    if let Some(due) = got.saturating_mul(1000).checked_div(config.rate) {
                        let _ = sleep((began + due).saturating_sub(now_ms()).saturating_mul(1_000_000));
                    }
                }
                Err(e) => break Err(e),
            }
        };
        show(&progress.end());
        let (come, took) = (*received.borrow(), progress.took());
        (self.bytes, self.milliseconds) = (self.bytes + come, self.milliseconds + took);
        let speed = messages::speed(come, took);
        if let Some(failure) = failed.borrow().as_ref() {
            let total = offset + come;
            let (how, reason) = match failure.fault {
                Fault::Cut => ("Connection closed", String::new()),
                Fault::Timeout => ("Read error", " (Connection timed out)".to_owned()),
                _ => ("Read error", format!(" ({})", failure.message)),
            };
            config.tell(&format!("{} ({speed}) - {how} at byte {total}{reason}. ", time()));
            return Err(Failed { status: NETWORK, again: true, got: total });
        }
        if outcome.is_err() {
            config.tell(&format!("{}: the answer could not be decompressed.\n", marked(&display)));
            return Err(Failed::new(GENERIC, false));
        }
        self.files += 1;
        let size = match whole {
            Some(whole) => format!("{}/{whole}", offset + come),
            None => (offset + come).to_string(),
        };
        match config.talk {
            Talk::Brief => {
                let (url, name) = (lossy(&url.text()), lossy(name));
                config.tell(&format!("{} URL:{url} [{size}] -> \"{name}\" [1]\n", time()));
            }
            _ if stdout => config.say(&format!("{} ({speed}) - written to stdout [{size}]\n\n", time())),
            _ => config.say(&format!("{} ({speed}) - {} saved [{size}]\n\n", time(), marked(&display))),
        }
        Ok(())
    }

    /// The file for an answer, and its name: one that is there already stays.
    fn open(&self, attempt: &Attempt, head: &Head, kind: &str, append: bool) -> Result<(Vec<u8>, Option<Fd>), Failed> {
        let config = self.config;
        let mut name = attempt.name.to_vec();
        if self.together.is_some() || name == b"-" {
            return Ok((name, None));
        }
        if config.disposition
            && let Some(given) = head.header("content-disposition").and_then(disposition)
        {
            name = config.folder.as_ref().map_or_else(|| given.clone(), |folder| join(folder, &given));
        }
        let page = matches!(kind, "" | "text/html" | "application/xhtml+xml");
        if config.adjust_extension && page && !name.ends_with(b".html") && !name.ends_with(b".htm") {
            name.extend_from_slice(b".html");
        }
        make_folders(&name);
        let replaces = append || config.resume || config.timestamping || config.recursion.on || attempt.number > 1;
        if !replaces && config.directories.force != Some(true) {
            let plain = name.clone();
            let mut number = 0;
            while stat(&name).is_ok() {
                number += 1;
                name = [plain.as_slice(), format!(".{number}").as_bytes()].concat();
            }
        }
        let way = if append { OpenFlags::APPEND } else { OpenFlags::TRUNC };
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | way;
        match open(&name, flags, 0o666) {
            Ok(fd) => Ok((name, Some(fd))),
            Err(e) => {
                config.tell(&format!(
                    "{}: {e}\n\nCannot write to {} (Success).\n",
                    lossy(&name),
                    marked(&lossy(&name))
                ));
                Err(Failed::new(FILE, false))
            }
        }
    }
}
