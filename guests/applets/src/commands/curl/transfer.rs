//! One URL from the request to the last byte, over redirects, challenges and attempts.

use super::auth::{Auth, Offer, offer};
use super::config::{Config, Mode, Output};
use super::cookies::Cookies;
use super::headers::{Asked, user};
use super::options::warn;
use super::progress::Progress;
use super::sink::Sink;
use super::trace::Bytes;
use super::url::{Bad, Url};
use super::write_out::Facts;
use crate::http::{Problem, now_ms, send};
use capsule_sys::http::{Exchange, Head, Request};
use capsule_sys::{Clock, OpenFlags, STDOUT, clock, open, sleep, stat, write_all};
use std::cell::Cell;

/// What a transfer needs beside the configuration.
pub struct Job<'a> {
    pub config: &'a Config,
    pub url: Vec<u8>,
    pub output: Option<Output>,
    pub upload: Option<Vec<u8>>,
    pub boundary: String,
    pub number: usize,
    /// How many connections there were so far.
    pub connections: &'a Cell<u64>,
}

pub(super) fn micros() -> u64 {
    clock(Clock::Monotonic) / 1000
}

/// As much of a redirect's body is read to be able to use its connection again.
const READ_OVER: usize = 1 << 20;

impl Job<'_> {
    /// With as many attempts as are allowed.
    pub fn run(&self, cookies: &mut Cookies) -> (Facts, Result<(), Problem>) {
        let config = self.config;
        let began = now_ms();
        let mut left = config.retry;
        let mut delay = 1;
        loop {
            let start = micros();
            let mut facts = Facts {
                url: self.url.clone(),
                effective: self.url.clone(),
                number: self.number,
                retries: config.retry - left,
                ..Facts::default()
            };
            let progress = Progress::begin(super::style(config, self.output.as_ref()));
            let outcome = self.attempt(cookies, &mut facts, &progress);
            progress.end();
            facts.total = micros() - start;
            let status = facts.head.as_ref().map_or(0, |head| head.status);
            let busy = matches!(status, 408 | 429 | 500 | 502 | 503 | 504);
            let why = match &outcome {
                Err(problem) if problem.transient => Some(": timeout"),
                Err(problem) if config.retry_refused && problem.refused => Some(": connection refused"),
                Err(problem) if problem.status == 22 && busy => Some(": HTTP error"),
                Err(problem) if config.retry_all && !problem.policy => Some("(retrying all errors)"),
                Ok(()) if busy => Some(": HTTP error"),
                _ => None,
            };
            let told = facts.head.as_ref().and_then(|head| head.header("retry-after"));
            let told = told.and_then(|text| String::from_utf8_lossy(text).trim().parse::<u64>().ok());
            let wait = match told.filter(|_| busy) {
                Some(seconds) if seconds > 0 => seconds,
                _ if config.retry_delay > 0 => config.retry_delay,
                _ => delay,
            };
            let late = config.retry_max_time > 0
                && (now_ms() - began).saturating_add(wait.saturating_mul(1000)) > config.retry_max_time * 1000;
            let Some(why) = why.filter(|_| left > 0 && !late) else { return (facts, outcome) };
            if let Err(problem) = &outcome {
                super::tell(config, problem);
            }
            warn(&format!("Problem {why}. Will retry in {wait} seconds. {left} retries left."));
            left -= 1;
            delay = (delay * 2).min(600);
            let _ = sleep(wait.saturating_mul(1_000_000_000));
        }
    }

    fn attempt(&self, cookies: &mut Cookies, facts: &mut Facts, progress: &Progress) -> Result<(), Problem> {
        let config = self.config;
        let began = now_ms();
        let default = match &config.proto_default {
            Some(scheme) => String::from_utf8_lossy(scheme).to_ascii_lowercase(),
            None => "http".to_owned(),
        };
        if let Some(path) = super::local::path(&self.url) {
            return self.file(path, facts, progress);
        }
        let mut url = Url::parse(&self.url, &default, config.path_as_is).map_err(bad_url)?;
        allowed_scheme(&url.scheme, config.proto.as_deref())?;
        if url.user.is_some() && config.no_user_in_url {
            return Err(Problem::new(67, "Login denied"));
        }
        if let (Some(file), true) = (&self.upload, url.target.ends_with(b"/")) {
            url.target.extend_from_slice(crate::input::base_name(file));
        }
        let first = url.clone();
        let name = Sink::name(config, self.output.as_ref(), &url)?;
        let mut body = config
            .body(&self.boundary, self.upload.as_deref())
            .map_err(|exit| Problem::new(exit.0, "Failed to open/read local data from file/application"))?;
        let length = body.as_ref().and_then(|all| all.iter().map(|p| p.length()).try_fold(0, |sum, n| Some(sum + n?)));
        progress.start();
        let offset = self.offset(&name);
        let etag = config.etag_compare.as_deref().map(saved_etag);
        let mut method = self.method();
        let mut referer = config.referer.clone();
        let mut heads = Vec::new();
        let mut taken: Option<Offer> = None;
        let start = micros();
        loop {
            facts.effective = url.text();
            facts.scheme = url.scheme.clone();
            facts.method = method.clone();
            facts.referer = referer.clone().unwrap_or_default();
            let trusted =
                config.trusted || (url.host(), url.port(), &url.scheme) == (first.host(), first.port(), &first.scheme);
            // While nobody knows what the server wants to know, nothing is sent but the question.
            let asks = config.auth != Auth::Basic && taken.is_none() && user(config, &url, &first, trusted).is_some();
            let sends = if asks && body.is_some() { Some(Vec::new()) } else { body.clone() };
            let asked = Asked {
                url: &url,
                first: &first,
                trusted,
                method: &method,
                has_body: body.is_some(),
                referer: referer.as_deref(),
                offset,
                offer: taken.as_ref(),
                boundary: &self.boundary,
                etag: etag.as_deref(),
            };
            let timeout = match config.max_time {
                0 => 0,
                most => most.saturating_sub(now_ms() - began).max(1),
            };
            let request = Request {
                method: method.clone(),
                url: url.text(),
                headers: asked.headers(config, cookies),
                timeout_ms: timeout,
                connect_timeout_ms: config.connect_timeout,
                ..Request::default()
            };
            let text =
                request_text(&url, &request, sends.as_deref().map(|_| length.filter(|_| !asks).or(asks.then_some(0))));
            facts.request_bytes += text.len() as u64;
            let hop = micros();
            let mut sent_data = Vec::new();
            let sent = send(request, sends.as_deref(), &mut |bytes| {
                // What is not held in memory is told of as it goes.
                if config.trace.is_on() && sent_data.len() < READ_OVER {
                    sent_data.extend_from_slice(bytes);
                }
            });
            let (exchange, head, uploaded) = match sent {
                Ok(sent) => sent,
                Err(problem) => {
                    let problem = explain(problem, &url, began, facts);
                    self.tell_failure(&problem, &url, &text, &sent_data);
                    return Err(problem);
                }
            };
            progress.sent(uploaded, length.filter(|_| !asks));
            facts.uploaded += uploaded;
            facts.started = micros() - start;
            facts.header_bytes += head.raw.len() as u64;
            facts.header_count = head.headers.len() as u64;
            let fresh = head.connected_us > 0;
            facts.connects += u64::from(fresh);
            self.tell_request(fresh, &head, &url, &text, &sent_data);
            config.trace.heads(&head.raw);
            for (name, value) in &head.headers {
                if name.eq_ignore_ascii_case(b"set-cookie") {
                    cookies.take(&url, value);
                }
            }
            self.dump(&head.raw, !heads.is_empty() || facts.redirects > 0)?;
            if config.include || config.mode == Mode::Head {
                heads.extend_from_slice(&head.raw);
            }
            facts.head = Some(head.clone());
            if head.status == 401 && asks {
                let offers = head.headers.iter().filter(|h| h.0.eq_ignore_ascii_case(b"www-authenticate"));
                taken = offer(offers.map(|h| h.1.as_slice()), config.auth);
                if taken.is_some() {
                    self.read_over(&exchange);
                    self.left_intact(&url);
                    config.trace.info(&format!("Issue another request to this URL: '{}'", lossy(&url.text())));
                    continue;
                }
            }
            let location = match head.status {
                301 | 302 | 303 | 307 | 308 => head.header("location").map(<[u8]>::to_vec),
                _ => None,
            };
            let answer =
                super::receive::Answer { job: self, exchange: &exchange, head: &head, url: &url, offset, began };
            let Some(location) = location else {
                return answer.receive(heads, name, facts, progress);
            };
            let next = url.join(&location);
            if !config.location {
                facts.redirect_url = next.map(|next| next.text()).unwrap_or(location);
                return answer.receive(heads, name, facts, progress);
            }
            self.read_over(&exchange);
            self.left_intact(&url);
            if config.max_redirs.is_some_and(|most| facts.redirects >= most) {
                let most = config.max_redirs.unwrap_or_default();
                facts.redirect_url = next.map(|next| next.text()).unwrap_or_default();
                return Err(Problem::new(47, format!("Maximum ({most}) redirects followed")));
            }
            let next = next.map_err(bad_url)?;
            allowed_scheme(&next.scheme, config.proto_redir.as_deref().or(config.proto.as_deref()))?;
            config.trace.info(&format!("Issue another request to this URL: '{}'", lossy(&next.text())));
            if referer.as_ref().is_some_and(|r| r.ends_with(b";auto")) {
                referer = Some([&url.text()[..], b";auto"].concat());
            }
            facts.redirects += 1;
            facts.redirect_time += micros() - hop;
            // As browsers do: the answer to a POST is fetched with GET.
            let keep = match head.status {
                301 => config.keep_post[0],
                302 => config.keep_post[1],
                303 => config.keep_post[2],
                _ => true,
            };
            let posts = matches!(config.mode, Mode::Post | Mode::Form) && head.status != 303
                || head.status == 303 && method != b"HEAD";
            if !keep && body.is_some() && posts {
                body = None;
                method = config.method.clone().unwrap_or_else(|| b"GET".to_vec());
            }
            if body.is_some() && self.upload.as_deref().is_some_and(|file| file == b"-" || file == b".") {
                return Err(Problem::new(65, "necessary data rewind was not possible"));
            }
            taken = None;
            url = next;
        }
    }

    fn method(&self) -> Vec<u8> {
        let usual: &[u8] = match self.config.mode {
            Mode::Get => b"GET",
            Mode::Head => b"HEAD",
            Mode::Post | Mode::Form => b"POST",
            Mode::Upload => b"PUT",
        };
        self.config.method.clone().unwrap_or_else(|| usual.to_vec())
    }

    /// Where a download goes on.
    pub(super) fn offset(&self, name: &[u8]) -> Option<u64> {
        match self.config.resume? {
            Some(offset) => Some(offset),
            None => Some(stat(name).map_or(0, |s| s.size)),
        }
        .filter(|&offset| offset > 0)
    }

    /// `-D`
    pub(super) fn dump(&self, text: &[u8], again: bool) -> Result<(), Problem> {
        let Some(name) = &self.config.dump_header else { return Ok(()) };
        let failed = |_| Problem::new(23, "Failure writing output to destination");
        if name == b"-" {
            return write_all(STDOUT, text).map_err(failed);
        }
        let way = if again || self.number > 0 { OpenFlags::APPEND } else { OpenFlags::TRUNC };
        let file =
            open(name, OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | way, 0o666).map_err(failed)?;
        write_all(file.raw(), text).map_err(failed)
    }

    /// The body of an answer that does not count.
    fn read_over(&self, exchange: &Exchange) {
        let (mut buf, mut total) = (vec![0; 16 << 10], 0);
        if self.config.mode == Mode::Head {
            return;
        }
        self.config.trace.info("Ignoring the response-body");
        while let Ok(n) = exchange.read(&mut buf)
            && n > 0
            && total < READ_OVER
        {
            self.config.trace.bytes(Bytes::ReceiveData, &buf[..n]);
            total += n;
        }
    }

    fn tell_request(&self, fresh: bool, head: &Head, url: &Url, text: &[u8], data: &[u8]) {
        let (trace, address) = (&self.config.trace, lossy(&head.address));
        let (host, count) = (url.host(), self.connections);
        if fresh {
            count.set(count.get() + 1);
            let number = count.get() - 1;
            trace.info(&format!("  Trying {}:{}...", bracketed(&address), head.port));
            trace.info(&format!("Connected to {host} ({address}) port {} (#{number})", head.port));
        } else {
            let number = count.get().saturating_sub(1);
            trace.info(&format!("Re-using existing connection #{number} with host {host}"));
        }
        trace.bytes(Bytes::SendHeader, text);
        if !data.is_empty() {
            trace.bytes(Bytes::SendData, data);
        }
    }

    fn tell_failure(&self, problem: &Problem, url: &Url, text: &[u8], data: &[u8]) {
        let trace = &self.config.trace;
        if !matches!(problem.status, 3 | 6 | 7 | 35 | 60) {
            trace.info(&format!("Connected to {} port {}", url.host(), url.port()));
            trace.bytes(Bytes::SendHeader, text);
            if !data.is_empty() {
                trace.bytes(Bytes::SendData, data);
            }
        }
        trace.info(&problem.message);
        trace.info(&format!("Closing connection {}", self.connections.get()));
    }

    pub(super) fn left_intact(&self, url: &Url) {
        let number = self.connections.get().saturating_sub(1);
        self.config.trace.info(&format!("Connection #{number} to host {} left intact", url.host()));
    }
}

pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn bracketed(address: &str) -> String {
    if address.contains(':') { format!("[{address}]") } else { address.to_owned() }
}

/// `--etag-compare`: what `--etag-save` wrote; nothing is a tag that nothing has.
fn saved_etag(name: &[u8]) -> Vec<u8> {
    let text = super::body::read_file(name).unwrap_or_default();
    let line = text.split(|&b| b == b'\n').next().unwrap_or_default().trim_ascii();
    if line.is_empty() { b"\"\"".to_vec() } else { line.to_vec() }
}

pub(super) fn bad_url(bad: Bad) -> Problem {
    match bad {
        Bad::Malformed => Problem::new(3, "URL using bad/illegal format or missing URL"),
        Bad::Scheme(scheme) => Problem::new(1, format!("Protocol \"{scheme}\" not supported or disabled in libcurl")),
    }
}

/// `--proto`: a list of names, each added, with `-` taken away, with `=` alone.
pub(super) fn allowed_scheme(scheme: &str, list: Option<&[u8]>) -> Result<(), Problem> {
    let Some(list) = list else { return Ok(()) };
    let mut allowed = true;
    let list = String::from_utf8_lossy(list).to_ascii_lowercase();
    for word in list.split(',') {
        let (sign, name) = match word.as_bytes().first() {
            Some(b'+' | b'-' | b'=') => word.split_at(1),
            _ => ("+", word),
        };
        let named = name == scheme || name == "all";
        match sign {
            "=" => allowed = named,
            "-" if named => allowed = false,
            "+" if named => allowed = true,
            _ => {}
        }
    }
    if allowed {
        Ok(())
    } else {
        Err(Problem::new(1, format!("Protocol \"{scheme}\" not supported or disabled in libcurl")))
    }
}

/// A failure in the words curl has for it.
pub(super) fn explain(mut problem: Problem, url: &Url, began: u64, facts: &Facts) -> Problem {
    let took = now_ms() - began;
    let (host, port) = (url.host(), url.port());
    match problem.status {
        6 if !problem.policy => problem.message = format!("Could not resolve host: {host}"),
        7 if problem.refused => {
            problem.message =
                format!("Failed to connect to {host} port {port} after {took} ms: Couldn't connect to server");
        }
        28 if problem.message.starts_with("connection") => {
            problem.message = format!("Connection timed out after {took} milliseconds");
        }
        28 => {
            let got = facts.downloaded;
            problem.message = format!("Operation timed out after {took} milliseconds with {got} bytes received");
        }
        52 if problem.message.contains("the connection was closed") => {
            problem.message = "Empty reply from server".into();
        }
        52 if problem.message.contains("invalid HTTP version") => {
            problem = Problem { message: "Received HTTP/0.9 when not allowed".into(), status: 1, ..problem };
        }
        52 => problem = Problem { message: "Weird server reply".into(), status: 8, ..problem },
        56 if problem.message.contains("chunk size") => {
            problem.message = "Illegal or missing hexadecimal sequence in chunked-encoding".into();
        }
        60 => problem.message = format!("SSL certificate problem: {}", problem.message),
        _ => {}
    }
    problem
}

/// The head of a request as it goes out. `body`: the length of one, where it is known.
fn request_text(url: &Url, request: &Request, body: Option<Option<u64>>) -> Vec<u8> {
    let mut text = [&request.method[..], b" ", &url.target, b" HTTP/1.1\r\nHost: ", &url.authority, b"\r\n"].concat();
    let mut line = |name: &[u8], value: &[u8]| text.extend([name, b": ", value, b"\r\n"].concat());
    let (before, after): (Vec<_>, Vec<_>) =
        request.headers.iter().partition(|(name, _)| !name.eq_ignore_ascii_case(b"content-type"));
    before.iter().for_each(|(name, value)| line(name, value));
    match body {
        None => {}
        Some(Some(length)) => line(b"Content-Length", length.to_string().as_bytes()),
        Some(None) => line(b"Transfer-Encoding", b"chunked"),
    }
    after.iter().for_each(|(name, value)| line(name, value));
    text.extend_from_slice(b"\r\n");
    text
}
