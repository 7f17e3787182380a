//! A request: its headers, the challenges that are answered, the redirects that are followed.

use super::config::{GENERIC, NETWORK, SERVER, TLS};
use super::fetch::{Answered, Attempt, Failed, Session, lossy, marked};
use super::messages::time;
use super::names::is_usual_port;
use crate::calendar::{Moment, Zone};
use crate::commands::curl::auth::{Auth, Offer, offer};
use crate::commands::curl::url::Url;
use crate::http::{Problem, base64, send};
use crate::report;
use capsule_sys::http::{Exchange, Head, Headers, Request};
use capsule_sys::random_u64;

impl Session<'_> {
    fn headers(&self, url: &Url, attempt: &Attempt, has_body: bool, taken: Option<&Offer>, method: &[u8]) -> Headers {
        let config = self.config;
        let first = same_origin(url, attempt.first);
        let mut headers: Headers = Vec::new();
        let mut add = |name: &[u8], value: &[u8]| {
            headers.retain(|h| !h.0.eq_ignore_ascii_case(name));
            headers.push((name.to_vec(), value.to_vec()));
        };
        if !config.agent.is_empty() {
            add(b"User-Agent", &config.agent);
        }
        add(b"Accept", b"*/*");
        add(b"Accept-Encoding", config.compression.unwrap_or(b"identity"));
        if let Some(user) = self.user(url, first) {
            match taken {
                Some(Offer::Digest(challenge)) => {
                    let nonce = format!("{:016x}", random_u64());
                    add(b"Authorization", &challenge.answer(&user, method, &url.target, &nonce));
                }
                Some(Offer::Basic) => add(b"Authorization", format!("Basic {}", base64(&user)).as_bytes()),
                None if config.no_challenge => {
                    add(b"Authorization", format!("Basic {}", base64(&user)).as_bytes());
                }
                None => {}
            }
        }
        if attempt.offset > 0 {
            add(b"Range", format!("bytes={}-", attempt.offset).as_bytes());
        }
        if let Some(local) = &attempt.local {
            let date = Moment::new(local.mtime.sec, 0, &Zone::utc()).format(b"%a, %d %b %Y %H:%M:%S GMT");
            add(b"If-Modified-Since", &date);
        }
        if let Some(referer) = &config.referer {
            add(b"Referer", referer);
        }
        if config.no_cache {
            add(b"Cache-Control", b"no-cache");
            add(b"Pragma", b"no-cache");
        }
        if let Some(cookie) = self.cookies.header(url).filter(|_| config.cookies) {
            add(b"Cookie", &cookie);
        }
        if has_body {
            add(b"Content-Type", b"application/x-www-form-urlencoded");
        }
        for line in &config.headers {
            let Some(at) = line.iter().position(|&b| b == b':') else { continue };
            let name = line[..at].trim_ascii();
            let private = [b"authorization".as_slice(), b"cookie", b"host"];
            if first || !private.contains(&name.to_ascii_lowercase().as_slice()) {
                add(name, line[at + 1..].trim_ascii());
            }
        }
        headers
    }

    fn user(&self, url: &Url, first: bool) -> Option<Vec<u8>> {
        let config = self.config;
        let own = config.user.as_ref().filter(|_| first);
        url.user.clone().or(own.map(|user| [user.as_slice(), b":", &config.password].concat()))
    }

    /// Sends the request, answers challenges and follows redirects.
    pub(super) fn ask(&mut self, attempt: &Attempt, referer: Option<&Url>) -> Result<Answered, Failed> {
        let config = self.config;
        let mut url = attempt.first.clone();
        let mut method = match (&config.method, config.spider) {
            (Some(method), _) => method.clone(),
            (None, true) => b"HEAD".to_vec(),
            (None, false) => b"GET".to_vec(),
        };
        let mut body = config.body.clone();
        let mut taken = None;
        let (mut hops, mut fresh_line) = (0, true);
        loop {
            if fresh_line {
                let tries = if attempt.number > 1 { format!("  (try:{:2})", attempt.number) } else { String::new() };
                config.say(&format!("--{}--{tries}  {}\n", time(), lossy(&url.text())));
            }
            fresh_line = true;
            let mut headers = self.headers(&url, attempt, body.is_some(), taken.as_ref(), &method);
            if let Some(referer) = referer.filter(|_| config.referer.is_none()) {
                headers.push((b"Referer".to_vec(), referer.text()));
            }
            let request = Request {
                method: method.clone(),
                url: url.text(),
                headers,
                timeout_ms: config.timeout,
                connect_timeout_ms: config.connect_timeout,
                ..Request::default()
            };
            let sent = send(request, body.as_deref(), &mut |_| {});
            let (exchange, head, _) = sent.map_err(|problem| self.failed(&problem, &url))?;
            self.tell_connection(&head, &url);
            for (_, value) in head.headers.iter().filter(|h| h.0.eq_ignore_ascii_case(b"set-cookie")) {
                self.cookies.take(&url, value);
            }
            let reason = lossy(&head.reason);
            if config.server_response {
                config.say("\n");
                for line in head
                    .raw
                    .split(|&b| b == b'\n')
                    .map(|l| l.strip_suffix(b"\r").unwrap_or(l))
                    .filter(|l| !l.is_empty())
                {
                    config.write(&format!("  {}\n", lossy(line)));
                }
            } else {
                config.say(&format!("{} {reason}\n", head.status));
            }
            if head.status == 401 && taken.is_none() && self.user(&url, same_origin(&url, attempt.first)).is_some() {
                let offers: Vec<&[u8]> = head
                    .headers
                    .iter()
                    .filter(|h| h.0.eq_ignore_ascii_case(b"www-authenticate"))
                    .map(|h| h.1.as_slice())
                    .collect();
                taken = offer(offers.iter().copied(), Auth::Any);
                if taken.is_some() {
                    let selected = offers.first().map(|offer| lossy(offer)).unwrap_or_default();
                    config.say(&format!("Authentication selected: {selected}\n"));
                    read_over(&exchange);
                    fresh_line = false;
                    continue;
                }
            }
            let location = head.header("location").filter(|_| matches!(head.status, 301 | 302 | 303 | 307 | 308));
            let Some(location) = location else { return Ok(Answered { exchange, head, url }) };
            config.say(&format!("Location: {} [following]\n", lossy(location)));
            if hops >= config.redirects {
                config.tell(&format!("{} redirections exceeded.\n", config.redirects));
                return Err(Failed::new(SERVER, false));
            }
            hops += 1;
            url = url.join(location).map_err(|_| {
                config.tell(&format!("{}: Unsupported scheme.\n", lossy(location)));
                Failed::new(GENERIC, false)
            })?;
            read_over(&exchange);
            if !matches!(head.status, 307 | 308) && method == b"POST" {
                (method, body) = (b"GET".to_vec(), None);
            }
        }
    }

    fn tell_connection(&self, head: &Head, url: &Url) {
        let (host, port, address) = (url.host(), url.port(), lossy(&head.address));
        let bracketed = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        let text = if head.connected_us == 0 {
            format!("Reusing existing connection to {bracketed}:{port}.\n")
        } else if host == address {
            format!("Connecting to {bracketed}:{port}... connected.\n")
        } else {
            let resolved = format!("Resolving {host} ({host})... {address}\n");
            format!("{resolved}Connecting to {host} ({host})|{address}|:{port}... connected.\n")
        };
        self.config.say(&format!("{text}HTTP request sent, awaiting response... "));
    }

    /// A request that was not answered, in wget's words.
    fn failed(&self, problem: &Problem, url: &Url) -> Failed {
        let config = self.config;
        let (host, port) = (url.host(), url.port());
        let shown = if is_usual_port(url) && !host.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            format!("{host} ({host}):{port}")
        } else {
            format!("{host}:{port}")
        };
        let sent = format!("Connecting to {shown}... connected.\nHTTP request sent, awaiting response... ");
        match problem.status {
            // What the policy forbids is told even to those who want silence: nobody could guess it.
            _ if problem.policy => report::plain(&format!("wget: {}\n", problem.message)),
            6 => config.tell(&format!("wget: unable to resolve host address {}\n", marked(&host))),
            7 => config.say(&format!("Connecting to {shown}... failed: Connection refused.\n")),
            28 if problem.message.starts_with("connection") => {
                config.say(&format!("Connecting to {shown}... failed: Connection timed out.\n"));
            }
            28 => config.say(&format!("{sent}Read error (Connection timed out) in headers.\n")),
            52 if problem.message.contains("the connection was closed") => {
                config.say(&format!("{sent}No data received.\n"));
            }
            _ => config.tell(&format!("wget: {}\n", problem.message)),
        }
        match problem.status {
            35 | 60 => Failed::new(TLS, false),
            3 | 43 => Failed::new(GENERIC, false),
            7 => Failed::new(NETWORK, problem.refused && config.retry_refused),
            28 | 52 | 56 => Failed::new(NETWORK, !problem.policy),
            _ => Failed::new(NETWORK, false),
        }
    }
}

fn same_origin(one: &Url, other: &Url) -> bool {
    (one.host(), one.port(), &one.scheme) == (other.host(), other.port(), &other.scheme)
}

/// The body of an answer that does not count, so that its connection can be used again.
fn read_over(exchange: &Exchange) {
    let (mut buf, mut total) = (vec![0; 16 << 10], 0);
    while let Ok(n) = exchange.read(&mut buf)
        && n > 0
        && total < 1 << 20
    {
        total += n;
    }
}
