//! One URL from the request to the last byte, over redirects and attempts.

use super::config::{Config, Mode, Output};
use super::cookies::{Cookies, http_date};
use super::sink::Sink;
use super::url::{Bad, Url};
use super::write_out::{Facts, head_bytes};
use crate::http::{Problem, Reading, base64, head_text, now_ms, send};
use crate::report;
use capsule_sys::http::{Exchange, Fault, Head, Headers, Request};
use capsule_sys::{Clock, OpenFlags, STDOUT, clock, open, sleep, stat, write_all};
use std::cell::RefCell;
use std::io::Read;

/// What a transfer needs beside the configuration.
pub struct Job<'a> {
    pub config: &'a Config,
    pub url: Vec<u8>,
    pub output: Option<Output>,
    pub upload: Option<Vec<u8>>,
    pub boundary: String,
    pub number: usize,
}

fn micros() -> u64 {
    clock(Clock::Monotonic) / 1000
}

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
            let outcome = self.attempt(cookies, &mut facts, left > 0);
            facts.total = micros() - start;
            let again = match &outcome {
                Err(problem) => {
                    problem.transient || config.retry_all && !problem.policy || config.retry_refused && problem.refused
                }
                Ok(()) => false,
            };
            let wait = match facts.head.as_ref().and_then(|head| head.header("retry-after")) {
                Some(text) => String::from_utf8_lossy(text).trim().parse().unwrap_or(delay),
                None if config.retry_delay > 0 => config.retry_delay,
                None => delay,
            };
            let late = config.retry_max_time > 0 && now_ms() - began + wait * 1000 > config.retry_max_time * 1000;
            if !again || left == 0 || late {
                return (facts, outcome);
            }
            if !config.silent {
                let what = if facts.head.is_some() { "HTTP error" } else { "timeout" };
                let plural = if left == 1 { "retry" } else { "retries" };
                report::plain(&format!(
                    "Warning: Problem: {what}. Will retry in {wait} seconds. {left} {plural} left.\n"
                ));
            }
            left -= 1;
            delay = (delay * 2).min(600);
            let _ = sleep(wait.saturating_mul(1_000_000_000));
        }
    }

    fn attempt(&self, cookies: &mut Cookies, facts: &mut Facts, may_retry: bool) -> Result<(), Problem> {
        let config = self.config;
        let began = now_ms();
        let default = match &config.proto_default {
            Some(scheme) => String::from_utf8_lossy(scheme).to_ascii_lowercase(),
            None => "http".to_owned(),
        };
        let mut url = Url::parse(&self.url, &default, config.path_as_is).map_err(bad_url)?;
        allowed_scheme(&url.scheme, config.proto.as_deref())?;
        if let (Some(file), true) = (&self.upload, url.target.ends_with(b"/")) {
            url.target.extend_from_slice(crate::input::base_name(file));
        }
        let first = url.clone();
        let name = Sink::name(config, self.output.as_ref(), &url)?;
        let mut body = config.body(&self.boundary, self.upload.as_deref()).map_err(|exit| Problem::new(exit.0, ""))?;
        let offset = self.offset(&name);
        let mut method = self.method();
        let mut referer = config.referer.clone();
        let mut heads = Vec::new();
        let start = micros();
        loop {
            facts.effective = url.text();
            facts.scheme = url.scheme.clone();
            facts.method = method.clone();
            let trusted =
                config.trusted || (url.host(), url.port(), &url.scheme) == (first.host(), first.port(), &first.scheme);
            let headers = self.headers(&url, &first, trusted, body.is_some(), referer.as_deref(), cookies, offset);
            let timeout = match config.max_time {
                0 => 0,
                most => most.saturating_sub(now_ms() - began).max(1),
            };
            let request = Request {
                method: method.clone(),
                url: url.text(),
                headers,
                timeout_ms: timeout,
                connect_timeout_ms: config.connect_timeout,
                ..Request::default()
            };
            if config.verbose {
                tell_request(&url, &request);
            }
            facts.request_bytes += request_bytes(&url, &request);
            facts.connects += 1;
            let hop = micros();
            let sent = send(request, body.as_deref());
            let (exchange, head, uploaded) = sent.map_err(|problem| explain(problem, &url, began, facts))?;
            facts.uploaded += uploaded;
            facts.started = micros() - start;
            facts.header_bytes += head_bytes(&head);
            facts.header_count = head.headers.len() as u64;
            if config.verbose {
                tell_head(&head, &url);
            }
            for (name, value) in &head.headers {
                if name == b"set-cookie" {
                    cookies.take(&url, value);
                }
            }
            let text = head_text(&head);
            self.dump(&text, facts.redirects > 0)?;
            if config.include || config.mode == Mode::Head {
                heads.extend_from_slice(&text);
            }
            let location = match head.status {
                301 | 302 | 303 | 307 | 308 => head.header("location").map(<[u8]>::to_vec),
                _ => None,
            };
            facts.head = Some(head.clone());
            let Some(location) = location else {
                return self.receive(&exchange, &head, heads, name, offset, facts, began, may_retry, &url);
            };
            let next = url.join(&location);
            if !config.location {
                facts.redirect_url = next.map(|next| next.text()).unwrap_or(location);
                return self.receive(&exchange, &head, heads, name, offset, facts, began, may_retry, &url);
            }
            if config.max_redirs.is_some_and(|most| facts.redirects >= most) {
                let most = config.max_redirs.unwrap_or_default();
                facts.redirect_url = next.map(|next| next.text()).unwrap_or_default();
                return Err(Problem::new(47, format!("Maximum ({most}) redirects followed")));
            }
            let next = next.map_err(bad_url)?;
            allowed_scheme(&next.scheme, config.proto_redir.as_deref().or(config.proto.as_deref()))?;
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
    fn offset(&self, name: &[u8]) -> Option<u64> {
        match self.config.resume? {
            Some(offset) => Some(offset),
            None => Some(stat(name).map_or(0, |s| s.size)),
        }
        .filter(|&offset| offset > 0)
    }

    #[allow(clippy::too_many_arguments)]
    fn headers(
        &self,
        url: &Url,
        first: &Url,
        trusted: bool,
        has_body: bool,
        referer: Option<&[u8]>,
        cookies: &Cookies,
        offset: Option<u64>,
    ) -> Headers {
        let config = self.config;
        let mut headers: Headers = Vec::new();
        let mut add = |name: &str, value: &[u8]| headers.push((name.as_bytes().to_vec(), value.to_vec()));
        let user = url.user.as_ref().or(config.user.as_ref().or(first.user.as_ref()).filter(|_| trusted));
        if let Some(bearer) = config.bearer.as_ref().filter(|_| trusted) {
            add("Authorization", &[b"Bearer ", bearer.as_slice()].concat());
        } else if let Some(user) = user {
            let user = if user.contains(&b':') { user.clone() } else { [user.as_slice(), b":"].concat() };
            add("Authorization", format!("Basic {}", base64(&user)).as_bytes());
        }
        if let Some(offset) = offset {
            add("Range", format!("bytes={offset}-").as_bytes());
        } else if let Some(range) = &config.range {
            add("Range", &[b"bytes=", range.as_slice()].concat());
        }
        match config.agent.as_deref() {
            None => add("User-Agent", format!("curl/{}", super::VERSION).as_bytes()),
            Some(b"") => {}
            Some(agent) => add("User-Agent", agent),
        }
        add("Accept", if config.json { b"application/json" } else { b"*/*" });
        if config.compressed {
            add("Accept-Encoding", b"deflate, gzip, zstd");
        }
        if let Some(referer) = referer.map(|r| r.strip_suffix(b";auto").unwrap_or(r)).filter(|r| !r.is_empty()) {
            add("Referer", referer);
        }
        if let Some(cookie) = cookies.header(url) {
            add("Cookie", &cookie);
        }
        if has_body {
            match config.mode {
                Mode::Post if config.json => add("Content-Type", b"application/json"),
                Mode::Post => add("Content-Type", b"application/x-www-form-urlencoded"),
                Mode::Form => {
                    add("Content-Type", format!("multipart/form-data; boundary={}", self.boundary).as_bytes());
                }
                Mode::Get | Mode::Head | Mode::Upload => {}
            }
        }
        if let Some(condition) = &config.time_condition {
            let (name, date) = condition.header();
            headers.push((name.as_bytes().to_vec(), date));
        }
        for line in &config.headers {
            let Some(at) = line.iter().position(|b| b":;".contains(b)) else { continue };
            let (name, value) = (line[..at].trim_ascii(), line[at + 1..].trim_ascii());
            let private = [b"authorization".as_slice(), b"cookie", b"host"];
            if !trusted && private.contains(&name.to_ascii_lowercase().as_slice()) {
                continue;
            }
            // What is given takes the place of what curl would send; nothing behind the colon takes it away.
            let ours = [
                &b"user-agent"[..],
                b"accept",
                b"content-type",
                b"authorization",
                b"referer",
                b"cookie",
                b"accept-encoding",
            ];
            if ours.contains(&name.to_ascii_lowercase().as_slice()) {
                let fresh = |h: &(Vec<u8>, Vec<u8>)| !h.0.eq_ignore_ascii_case(name);
                headers.retain(fresh);
            }
            if !value.is_empty() || line[at] == b';' {
                headers.push((name.to_vec(), value.to_vec()));
            }
        }
        headers
    }

    /// `-D`
    fn dump(&self, text: &[u8], again: bool) -> Result<(), Problem> {
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

    /// The answer that counts.
    #[allow(clippy::too_many_arguments)]
    fn receive(
        &self,
        exchange: &Exchange,
        head: &Head,
        heads: Vec<u8>,
        name: Vec<u8>,
        offset: Option<u64>,
        facts: &mut Facts,
        began: u64,
        may_retry: bool,
        url: &Url,
    ) -> Result<(), Problem> {
        let config = self.config;
        let error = (head.status >= 400).then(|| {
            let message = format!("The requested URL returned error: {}", head.status);
            Problem { transient: matches!(head.status, 408 | 429 | 500 | 502 | 503 | 504), ..Problem::new(22, message) }
        });
        if let Some(error) = &error
            && (config.fail || may_retry && error.transient)
        {
            if config.fail && config.include {
                Sink::open(config, self.output.as_ref(), name, head, false)?.write(&heads)?;
            }
            return Err(error.clone());
        }
        if offset.is_some() && head.status == 416 {
            return Ok(());
        }
        if offset.is_some() && head.status == 200 {
            return Err(Problem::new(33, "HTTP server doesn't seem to support byte ranges. Cannot resume."));
        }
        let length = head.header("content-length").and_then(|v| String::from_utf8_lossy(v).trim().parse::<u64>().ok());
        if config.max_filesize > 0 && length.is_some_and(|length| length > config.max_filesize) {
            return Err(Problem::new(63, "Maximum file size exceeded"));
        }
        let modified = head.header("last-modified").and_then(|date| http_date(&String::from_utf8_lossy(date)));
        if let (Some(condition), Some(modified)) = (&config.time_condition, modified)
            && head.status == 200
            && !condition.holds(modified)
        {
            return Ok(());
        }
        let sink = Sink::open(config, self.output.as_ref(), name, head, offset.is_some())?;
        facts.file = sink.name.clone();
        if !heads.is_empty() {
            sink.write(&heads)?;
        }
        if facts.method != b"HEAD" && config.mode != Mode::Head {
            let (failed, received) = (RefCell::new(None), RefCell::new(0));
            let outcome = self.copy(exchange, head, &sink, &failed, &received);
            facts.downloaded = *received.borrow();
            if let Some(failure) = failed.borrow().as_ref() {
                let mut problem = explain(Problem::of(failure), url, began, facts);
                if failure.fault == Fault::Cut {
                    problem.message = match length {
                        Some(length) => {
                            let left = length.saturating_sub(facts.downloaded);
                            format!("transfer closed with {left} bytes remaining to read")
                        }
                        None => "transfer closed with outstanding read data remaining".into(),
                    };
                }
                if failure.fault == Fault::Timeout {
                    let out_of = length.map(|length| format!("out of {length} ")).unwrap_or_default();
                    let (took, got) = (now_ms() - began, facts.downloaded);
                    problem.message =
                        format!("Operation timed out after {took} milliseconds with {got} {out_of}bytes received");
                }
                return Err(problem);
            }
            outcome?;
            if let (true, Some(modified)) = (config.remote_time, modified) {
                sink.set_time(modified);
            }
        }
        match error {
            Some(error) if config.fail_with_body => Err(error),
            _ => Ok(()),
        }
    }

    /// Copies the body, decoded where that was asked for, as it comes.
    fn copy(
        &self,
        exchange: &Exchange,
        head: &Head,
        sink: &Sink,
        failed: &RefCell<Option<capsule_sys::http::Failure>>,
        received: &RefCell<u64>,
    ) -> Result<(), Problem> {
        let reading = Reading::new(exchange, failed, received);
        let encoding = match (self.config.compressed, head.header("content-encoding")) {
            (true, Some(encoding)) => String::from_utf8_lossy(encoding).trim().to_ascii_lowercase(),
            _ => String::new(),
        };
        let mut source: Box<dyn Read + '_> = match encoding.as_str() {
            "gzip" | "x-gzip" => Box::new(flate2::read::MultiGzDecoder::new(reading)),
            "deflate" => Box::new(flate2::read::ZlibDecoder::new(reading)),
            "zstd" => match ruzstd::decoding::StreamingDecoder::new(reading) {
                Ok(decoder) => Box::new(decoder),
                Err(_) => return Err(Problem::new(61, "Error while processing content unencoding")),
            },
            "" | "identity" => Box::new(reading),
            other => return Err(Problem::new(61, format!("Unrecognized content encoding type '{other}'"))),
        };
        let mut buf = vec![0; 64 << 10];
        let mut total = 0u64;
        loop {
            match source.read(&mut buf) {
                Ok(0) => return Ok(()),
                Ok(n) => {
                    total += n as u64;
                    if self.config.max_filesize > 0 && total > self.config.max_filesize {
                        return Err(Problem::new(63, "Maximum file size exceeded"));
                    }
                    sink.write(&buf[..n])?;
                }
                Err(_) => return Err(Problem::new(61, "Error while processing content unencoding")),
            }
        }
    }
}

fn bad_url(bad: Bad) -> Problem {
    match bad {
        Bad::Malformed => Problem::new(3, "URL using bad/illegal format or missing URL"),
        Bad::Scheme(scheme) => Problem::new(1, format!("Protocol \"{scheme}\" not supported or disabled in libcurl")),
    }
}

/// `--proto`: a list of names, each added, with `-` taken away, with `=` alone.
fn allowed_scheme(scheme: &str, list: Option<&[u8]>) -> Result<(), Problem> {
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
fn explain(mut problem: Problem, url: &Url, began: u64, facts: &Facts) -> Problem {
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
        52 => problem = Problem { message: "Weird server reply".into(), status: 8, ..problem },
        60 => problem.message = format!("SSL certificate problem: {}", problem.message),
        _ => {}
    }
    problem
}

fn request_bytes(url: &Url, request: &Request) -> u64 {
    let headers: usize = request.headers.iter().map(|(n, v)| n.len() + v.len() + 4).sum();
    (request.method.len() + url.target.len() + " HTTP/1.1\r\nHost: \r\n\r\n".len() + 1 + url.authority.len() + headers)
        as u64
}

fn tell_request(url: &Url, request: &Request) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut lines =
        format!("> {} {} HTTP/1.1\r\n> Host: {}\r\n", text(&request.method), text(&url.target), text(&url.authority));
    for (name, value) in &request.headers {
        lines += &format!("> {}: {}\r\n", text(name), text(value));
    }
    report::plain(&(lines + "> \r\n"));
}

fn tell_head(head: &Head, url: &Url) {
    let address = String::from_utf8_lossy(&head.address).into_owned();
    let mut lines = format!("* Connected to {} ({address}) port {}\n", url.host(), head.port);
    for line in head_text(head).split_inclusive(|&b| b == b'\n') {
        lines += &format!("< {}", String::from_utf8_lossy(line));
    }
    report::plain(&lines);
}
