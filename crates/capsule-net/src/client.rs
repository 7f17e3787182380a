//! Requests: checked, dialled, sent, followed.

use crate::body::{Body, Ends, Outgoing, ResponseBody};
use crate::dial::{self, Dialled, Tls};
use crate::error::{Error, Result};
use crate::head::{self, HEAD_BYTES, Heads, Tap};
use crate::host::Url;
use crate::limits::Limits;
use crate::policy::Policy;
use crate::pool::{Link, Pool};
use crate::record::{Record, Records};
use crate::resolver::{Resolver, System};
use crate::secret::{Secret, Secrets};
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use rustls::pki_types::CertificateDer;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// What a session's network is made of, beside the policy.
pub struct Options {
    pub limits: Limits,
    pub secrets: Vec<Secret>,
    pub resolver: Arc<dyn Resolver>,
    /// Certificates trusted beside the usual ones.
    pub roots: Vec<CertificateDer<'static>>,
}

impl Default for Options {
    fn default() -> Options {
        Options { limits: Limits::default(), secrets: Vec::new(), resolver: Arc::new(System), roots: Vec::new() }
    }
}

/// The network of a session; clones share its limits and its records.
#[derive(Clone)]
pub struct Network {
    pub(crate) inner: Option<Arc<Inner>>,
    pub(crate) records: Records,
}

pub(crate) struct Inner {
    pub policy: Policy,
    pub options: Options,
    pub tls: Tls,
    permits: Arc<Semaphore>,
    pub pool: Pool,
    traffic: Arc<AtomicU64>,
    requests: AtomicU64,
}

impl Inner {
    pub fn meter(&self) -> Arc<Meter> {
        let (traffic, limits) = (self.traffic.clone(), self.options.limits.clone());
        Arc::new(Meter { traffic, limits, sent: AtomicU64::new(0) })
    }

    /// One of the session's requests, and one of its connections, for which it may have to wait.
    pub async fn admit(&self, ends: &Ends) -> Result<OwnedSemaphorePermit> {
        let limits = &self.options.limits;
        if self.requests.fetch_add(1, Ordering::Relaxed) >= limits.requests {
            return Err(Error::Requests(limits.requests));
        }
        let late = |_| Error::Timeout(ends.allowed);
        let permit = timeout_at(ends.deadline, self.permits.clone().acquire_owned()).await.map_err(late)?;
        permit.map_err(|_| Error::Off)
    }

    /// A new connection that requests can be sent over, and how long it took to make it.
    async fn link(&self, url: &Url, ends: &Ends) -> Result<(Link, Times)> {
        let (resolved, dialled) = self.dial(url, ends).await?;
        let Dialled { connection, address, connected, secured } = dialled;
        let since = |then: Instant| then.saturating_duration_since(ends.started);
        let times = Times {
            resolved: since(resolved),
            connected: since(connected),
            secured: secured.map(since).unwrap_or_default(),
        };
        let heads = Heads::default();
        let (sender, driver) = hyper::client::conn::http1::Builder::new()
            .title_case_headers(true)
            .max_buf_size(HEAD_BYTES)
            .max_headers(HEADERS)
            .handshake(TokioIo::new(Tap { connection, heads: heads.clone() }))
            .await
            .map_err(|e| explain(e, false))?;
        let driver = tokio::spawn(async move {
            let _ = driver.await;
        });
        Ok((Link::new(url, sender, heads, address, driver.abort_handle()), times))
    }

    /// A connection to a checked address, and when the address was known.
    pub async fn dial(&self, url: &Url, ends: &Ends) -> Result<(Instant, Dialled)> {
        let connect_end = Instant::now() + ends.connect;
        let connecting = async {
            let addresses = dial::addresses(url, &self.policy, self.options.resolver.as_ref()).await?;
            let resolved = Instant::now();
            Ok((resolved, dial::connect(url, &addresses, &self.tls).await?))
        };
        match timeout_at(connect_end.min(ends.deadline), connecting).await {
            Ok(outcome) => outcome,
            Err(_) if connect_end < ends.deadline => Err(Error::ConnectTimeout(ends.connect)),
            Err(_) => Err(Error::ConnectTimeout(ends.allowed)),
        }
    }
}

/// Counts what goes through, against the limits.
pub(crate) struct Meter {
    traffic: Arc<AtomicU64>,
    limits: Limits,
    sent: AtomicU64,
}

impl Meter {
    fn pass(&self, bytes: u64) -> Result<()> {
        let before = self.traffic.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > self.limits.traffic {
            return Err(Error::Traffic(self.limits.traffic));
        }
        Ok(())
    }

    pub fn sent(&self, bytes: u64, total: u64) -> Result<()> {
        self.sent.store(total, Ordering::Relaxed);
        if total > self.limits.request_bytes {
            return Err(Error::RequestTooLarge(self.limits.request_bytes));
        }
        self.pass(bytes)
    }

    pub fn received(&self, bytes: u64, total: u64) -> Result<()> {
        if total > self.limits.response_bytes {
            return Err(Error::TooLarge(self.limits.response_bytes));
        }
        self.pass(bytes)
    }

    pub fn request_sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

/// What a guest asks for.
#[derive(Debug)]
pub struct Request {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Body,
    /// How many redirects are followed here; 0 gives them to whoever asks.
    pub redirects: u32,
    /// Less than the session's limit, if given.
    pub timeout: Option<Duration>,
    pub connect_timeout: Option<Duration>,
}

impl Request {
    pub fn get(url: &str) -> Request {
        Request {
            method: "GET".into(),
            url: url.into(),
            headers: Vec::new(),
            body: Body::Empty,
            redirects: 0,
            timeout: None,
            connect_timeout: None,
        }
    }
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub reason: String,
    /// 10 or 11.
    pub version: u8,
    /// Where it came from, after redirects.
    pub url: String,
    /// In order, with the names as the server wrote them.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The head byte for byte, and in front of it those that said only that there is more to come.
    pub heads: Vec<u8>,
    /// Whom we asked.
    pub address: SocketAddr,
    pub times: Times,
    pub body: ResponseBody,
}

/// How long it took from the beginning of this request until it had got so far; all zero over a connection that was there
/// already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub resolved: Duration,
    pub connected: Duration,
    /// Zero without TLS.
    pub secured: Duration,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|h| h.0.eq_ignore_ascii_case(name)).map(|h| h.1.as_slice())
    }
}

/// Headers that are about the connection, which is ours: a guest's are left out.
const OURS: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

const HEADERS: usize = 256;

impl Network {
    /// No network at all.
    pub fn off() -> Network {
        Network { inner: None, records: Records::default() }
    }

    pub fn new(policy: Policy, options: Options) -> Result<Network> {
        if policy.is_off() {
            return Ok(Network::off());
        }
        let tls = Tls::new(options.roots.clone());
        let permits = Arc::new(Semaphore::new(options.limits.connections.max(1)));
        let (pool, traffic, requests) = (Pool::default(), Arc::default(), AtomicU64::new(0));
        let inner = Inner { policy, options, tls, permits, pool, traffic, requests };
        Ok(Network { inner: Some(Arc::new(inner)), records: Records::default() })
    }

    pub fn is_off(&self) -> bool {
        self.inner.is_none()
    }

    /// What was asked for so far: the last ten thousand requests.
    pub fn records(&self) -> Vec<Record> {
        self.records.all()
    }

    /// How many requests there were so far.
    pub fn requests(&self) -> u64 {
        self.records.total()
    }

    /// What was asked for since there had been this many requests.
    pub fn records_since(&self, requests: u64) -> Vec<Record> {
        self.records.since(requests)
    }

    /// Sends a request, follows redirects, and gives the head of the answer; its body comes piece by piece.
    pub async fn request(&self, request: Request) -> Result<Response> {
        let Some(inner) = &self.inner else { return Err(Error::Off) };
        let limits = &inner.options.limits;
        let allowed = request.timeout.map_or(limits.total, |wanted| wanted.min(limits.total));
        let connect = request.connect_timeout.map_or(limits.connect, |wanted| wanted.min(limits.connect));
        let started = Instant::now();
        let ends = Ends { deadline: started + allowed, allowed, connect, idle: limits.idle, started };
        let mut method = method_of(&request.method)?;
        let mut url = Url::parse(&request.url)?;
        let mut headers = request.headers;
        let mut body = request.body;
        let follow = request.redirects.min(limits.redirects);
        let mut hops = 0;
        loop {
            // What is kept for another hop, if there may be one.
            let again = if follow > 0 { body.again() } else { None };
            let ends = Ends { started: Instant::now(), ..ends };
            let response = self.one(inner, &method, &url, &headers, body, ends).await?;
            let location = response.header("location").map(|value| String::from_utf8_lossy(value).into_owned());
            let (true, Some(location)) = (matches!(response.status, 301 | 302 | 303 | 307 | 308), location) else {
                return Ok(response);
            };
            if request.redirects == 0 {
                return Ok(response);
            }
            if hops == follow {
                return Err(Error::Redirects(follow));
            }
            hops += 1;
            let next = url.join(&location)?;
            let keeps = matches!(response.status, 307 | 308);
            drop(response);
            if keeps {
                body =
                    again.ok_or_else(|| Error::BadRequest("the body cannot be sent again after a redirect".into()))?;
            } else {
                if method != Method::GET && method != Method::HEAD {
                    method = Method::GET;
                }
                body = Body::Empty;
                headers.retain(|h| !h.0.to_ascii_lowercase().starts_with("content-"));
            }
            // What a guest told one host is not for another.
            if next.origin() != url.origin() {
                let private = ["authorization", "cookie", "cookie2", "host"];
                headers.retain(|h| !private.contains(&h.0.to_ascii_lowercase().as_str()));
            }
            url = next;
        }
    }

    /// One request to one host, recorded.
    async fn one(
        &self,
        inner: &Inner,
        method: &Method,
        url: &Url,
        headers: &[(String, Vec<u8>)],
        body: Body,
        ends: Ends,
    ) -> Result<Response> {
        let record = Record {
            method: method.to_string(),
            url: Secrets::for_record(&inner.options.secrets, &url.to_string()),
            status: None,
            sent: 0,
            received: 0,
            milliseconds: 0,
            error: None,
        };
        let meter = inner.meter();
        let pending =
            Pending { record: Some(record), records: &self.records, meter: meter.clone(), started: ends.started };
        match self.exchange(inner, method, url, headers, body, &ends, meter.clone()).await {
            Ok(Exchanged { parts, incoming, link, permit, times }) => {
                let record = pending.answered(parts.status.as_u16());
                let reason = parts.extensions.get::<hyper::ext::ReasonPhrase>();
                let reason = reason.map(|reason| String::from_utf8_lossy(reason.as_bytes()).into_owned());
                let (heads, address) = (link.heads.take(), SocketAddr::new(link.address, url.port));
                Ok(Response {
                    status: parts.status.as_u16(),
                    reason: reason.or(parts.status.canonical_reason().map(str::to_owned)).unwrap_or_default(),
                    version: if parts.version == http::Version::HTTP_10 { 10 } else { 11 },
                    url: url.to_string(),
                    headers: head::headers(&heads),
                    heads,
                    address,
                    times,
                    body: ResponseBody::new(
                        incoming,
                        meter,
                        ends,
                        (link, inner.pool.clone()),
                        record,
                        self.records.clone(),
                        permit,
                    ),
                })
            }
            Err(e) => {
                // A server may have put a secret into a host it redirects to.
                pending.failed(Secrets::for_record(&inner.options.secrets, &e.to_string()));
                Err(e)
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    async fn exchange(
        &self,
        inner: &Inner,
        method: &Method,
        url: &Url,
        headers: &[(String, Vec<u8>)],
        body: Body,
        ends: &Ends,
        meter: Arc<Meter>,
    ) -> Result<Exchanged> {
        inner.policy.check(url)?;
        let permit = inner.admit(ends).await?;
        let secrets = Secrets::for_url(&inner.options.secrets, url);
        let headers = headers_of(url, headers, &secrets)?;
        let target = secrets.in_target(&url.target);
        let target: http::Uri = target.parse().map_err(|_| Error::BadUrl("the path cannot be sent".into()))?;
        // A server may close a connection at the moment it is asked on it: only what can be asked again goes there.
        let repeatable = matches!(body, Body::Empty) && (method == Method::GET || method == Method::HEAD);
        let mut body = Some(body);
        let mut message = |again: bool| {
            let body = if again { body.take() } else { body.as_ref().and_then(Body::again) };
            let mut message =
                http::Request::new(Outgoing::new(body.unwrap_or_default(), secrets.clone(), meter.clone()));
            *message.method_mut() = method.clone();
            *message.uri_mut() = target.clone();
            *message.headers_mut() = headers.clone();
            message
        };
        let talking = async {
            while let Some(mut link) = if repeatable { inner.pool.take(url) } else { None } {
                link.heads.expect();
                if link.sender.ready().await.is_ok()
                    && let Ok(response) = link.sender.send_request(message(false)).await
                {
                    return Ok((link, response, Times::default()));
                }
            }
            let (mut link, times) = inner.link(url, ends).await?;
            link.heads.expect();
            let response = link.sender.send_request(message(true)).await.map_err(|e| explain(e, false))?;
            Ok((link, response, times))
        };
        let talking = timeout_at(ends.deadline, talking).await.map_err(|_| Error::Timeout(ends.allowed));
        let (link, response, times) = talking??;
        let (parts, incoming) = response.into_parts();
        Ok(Exchanged { parts, incoming, link, permit, times })
    }
}

/// A request that has no answer yet; when it is given up it is recorded all the same.
struct Pending<'a> {
    record: Option<Record>,
    records: &'a Records,
    meter: Arc<Meter>,
    started: Instant,
}

impl Pending<'_> {
    /// The record, for the answer to complete.
    fn answered(mut self, status: u16) -> Option<Record> {
        self.record.take().map(|record| Record { status: Some(status), ..record })
    }

    fn failed(mut self, error: String) {
        if let Some(record) = &mut self.record {
            record.error = Some(error);
        }
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if let Some(mut record) = self.record.take() {
            record.error.get_or_insert_with(|| "given up before there was an answer".into());
            record.sent = self.meter.request_sent();
            record.milliseconds = self.started.elapsed().as_millis() as u64;
            self.records.add(record);
        }
    }
}

/// A request that was sent, and the head of its answer.
struct Exchanged {
    parts: http::response::Parts,
    incoming: Incoming,
    link: Link,
    permit: OwnedSemaphorePermit,
    times: Times,
}

fn method_of(text: &str) -> Result<Method> {
    match Method::from_bytes(text.as_bytes()) {
        Ok(Method::CONNECT | Method::TRACE) => Err(Error::BadRequest(format!("the method {text} is not supported"))),
        Ok(method) => Ok(method),
        Err(_) => Err(Error::BadRequest(format!("{text:?} is not a method"))),
    }
}

/// The headers that are sent: the guest's with secrets put in, and ours.
fn headers_of(url: &Url, given: &[(String, Vec<u8>)], secrets: &Secrets) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    let own = HeaderValue::try_from(url.authority()).map_err(|_| Error::BadUrl("the host cannot be sent".into()))?;
    headers.insert(header::HOST, own.clone());
    for (name, value) in given {
        let bad = || Error::BadRequest(format!("the header {name:?} cannot be sent"));
        let name = HeaderName::try_from(name.as_str()).map_err(|_| bad())?;
        if OURS.contains(&name.as_str()) {
            continue;
        }
        let value = HeaderValue::try_from(secrets.in_bytes(value)).map_err(|_| bad())?;
        if name == header::HOST {
            // Another name inside than outside would be a way around the policy.
            if !value.as_bytes().eq_ignore_ascii_case(own.as_bytes()) {
                return Err(Error::BadRequest("the Host header must be the host of the URL".into()));
            }
            continue;
        }
        headers.append(name, value);
    }
    for (name, value) in secrets.headers() {
        let bad = || Error::BadRequest(format!("the secret header {name:?} cannot be sent"));
        let name = HeaderName::try_from(name).map_err(|_| bad())?;
        let mut value = HeaderValue::try_from(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// hyper's errors in our words; ours that went through it are taken out again.
pub(crate) fn explain(error: hyper::Error, begun: bool) -> Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(e) = cause {
        if let Some(ours) = e.downcast_ref::<Error>() {
            return ours.clone();
        }
        // An io::Error shows the cause of its cause, not its own.
        if let Some(inner) = e.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref)
            && let Some(ours) = inner.downcast_ref::<Error>()
        {
            return ours.clone();
        }
        cause = e.source();
    }
    let ended = |e: &std::io::Error| e.kind() == std::io::ErrorKind::UnexpectedEof;
    let source = std::error::Error::source(&error).and_then(|e| e.downcast_ref::<std::io::Error>());
    match begun {
        true if error.is_incomplete_message() || source.is_some_and(ended) => Error::Cut,
        false if error.is_incomplete_message() => Error::Protocol("the connection was closed".into()),
        false if error.is_parse() => Error::Protocol(error.to_string()),
        _ => Error::Broken(source.map_or_else(|| error.to_string(), ToString::to_string)),
    }
}
