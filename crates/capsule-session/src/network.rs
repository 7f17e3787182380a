//! The network of a session: a policy, and the kernel's [`Network`] over capsule-net.

use crate::Error;
use capsule_abi::http::{Body, Failure, Fault, Head, Request};
use capsule_kernel::BoxFuture;
use capsule_kernel::network::{Answer, AnswerBody, Network, RequestBody};
use capsule_net::{Policy, Resolver, ResponseBody, Secret};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Which hosts a session may reach, and with which secrets. Nothing unless something is allowed.
#[derive(Clone, Default)]
pub struct NetworkPolicy {
    allowed: Vec<String>,
    secrets: Vec<Secret>,
    resolver: Option<Arc<dyn Resolver>>,
    roots: Vec<Vec<u8>>,
    limits: capsule_net::Limits,
}

impl NetworkPolicy {
    /// No network.
    pub fn off() -> NetworkPolicy {
        NetworkPolicy::default()
    }

    /// `api.x.com`, `*.x.com`, `*`, each with `http://` or `https://` in front and `:port` behind; an address or
    /// `localhost` only by its name; `tcp://host:port` for connections of bytes. What is none of these is an error.
    pub fn allow<S: Into<String>>(hosts: impl IntoIterator<Item = S>) -> Result<NetworkPolicy, Error> {
        let allowed: Vec<String> = hosts.into_iter().map(Into::into).collect();
        Policy::parse(&allowed).map_err(|e| Error::Network(e.to_string()))?;
        Ok(NetworkPolicy { allowed, ..NetworkPolicy::default() })
    }

    /// `NAME=VALUE@HOST`: inside, the variable NAME holds a placeholder, which is replaced on the way to that host.
    /// `header:NAME=VALUE@HOST`: the header is set on the way to that host.
    pub fn secret(mut self, spec: &str) -> Result<NetworkPolicy, Error> {
        self.secrets.push(Secret::parse(spec).map_err(|e| Error::Network(e.to_string()))?);
        Ok(self)
    }

    /// Who is asked for addresses, instead of the machine.
    pub fn resolver(mut self, resolver: Arc<dyn Resolver>) -> NetworkPolicy {
        self.resolver = Some(resolver);
        self
    }

    /// A certificate (DER) that is trusted beside the usual ones.
    pub fn root(mut self, certificate: Vec<u8>) -> NetworkPolicy {
        self.roots.push(certificate);
        self
    }

    /// Limits on time, connections and redirects; that on bytes is the session's own limit `network`.
    pub fn limits(mut self, limits: capsule_net::Limits) -> NetworkPolicy {
        self.limits = limits;
        self
    }

    pub fn is_off(&self) -> bool {
        self.allowed.is_empty()
    }

    /// What the guest's environment has in the place of secrets.
    pub(crate) fn placeholders(&self) -> impl Iterator<Item = (&str, String)> {
        self.secrets.iter().filter(|secret| !secret.is_header()).map(|secret| (secret.name(), secret.placeholder()))
    }

    /// The network itself: counting begins. `bytes` is the session's limit.
    pub(crate) fn open(&self, bytes: u64) -> Result<Arc<SessionNetwork>, Error> {
        let failed = |e: capsule_net::Error| Error::Network(e.to_string());
        let policy = Policy::parse(&self.allowed).map_err(failed)?;
        let limits = capsule_net::Limits {
            traffic: bytes,
            request_bytes: self.limits.request_bytes.min(bytes),
            response_bytes: bytes,
            ..self.limits.clone()
        };
        let options = capsule_net::Options {
            limits,
            secrets: self.secrets.clone(),
            roots: self.roots.iter().map(|root| root.clone().into()).collect(),
            resolver: self.resolver.clone().unwrap_or_else(|| Arc::new(capsule_net::System)),
        };
        let network = capsule_net::Network::new(policy, options).map_err(failed)?;
        Ok(Arc::new(SessionNetwork { network, under_way: Arc::default() }))
    }
}

/// One request of a run, as it is told in the answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NetworkRecord {
    pub method: String,
    /// Without secrets.
    pub url: String,
    /// None when there was no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Bytes of the bodies.
    pub sent: u64,
    pub received: u64,
    pub milliseconds: u64,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl From<capsule_net::Record> for NetworkRecord {
    fn from(record: capsule_net::Record) -> NetworkRecord {
        let capsule_net::Record { method, url, status, sent, received, milliseconds, error } = record;
        NetworkRecord { method, url, status, sent, received, milliseconds, error }
    }
}

/// The network of one session.
pub(crate) struct SessionNetwork {
    network: capsule_net::Network,
    under_way: Arc<UnderWay>,
}

/// Exchanges that are not over: each holds one of these.
#[derive(Default)]
struct UnderWay {
    /// Changed whenever one is over.
    over: tokio::sync::Notify,
}

struct Ticket(Arc<UnderWay>);

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.over.notify_waiters();
    }
}

impl SessionNetwork {
    pub fn requests(&self) -> u64 {
        self.network.requests()
    }

    pub fn records(&self) -> Vec<NetworkRecord> {
        self.network.records().into_iter().map(NetworkRecord::from).collect()
    }

    /// What was asked for since there had been this many requests. Waits for exchanges whose processes have ended: they
    /// are being given up, and recorded then.
    pub async fn records_since(&self, requests: u64) -> Vec<NetworkRecord> {
        // Dropping them takes no time; but nothing may hold up an answer for ever.
        for _ in 0..200 {
            let over = self.under_way.over.notified();
            // Ours is one.
            if Arc::strong_count(&self.under_way) == 1 {
                break;
            }
            // A ticket is told of before its count is gone: hence not for ever.
            let _ = tokio::time::timeout(Duration::from_millis(5), over).await;
        }
        self.network.records_since(requests).into_iter().map(NetworkRecord::from).collect()
    }
}

impl Network for SessionNetwork {
    fn request(&self, request: Request, body: Option<RequestBody>) -> BoxFuture<'static, Result<Answer, Failure>> {
        let network = self.network.clone();
        let ticket = Ticket(self.under_way.clone());
        if request.is_connection() {
            return Box::pin(connect(network, request.url, body, ticket));
        }
        Box::pin(async move {
            let text = |bytes: &[u8], what: &str| {
                let bad = |_| Failure::new(Fault::BadUrl, format!("the {what} is not valid UTF-8"));
                String::from_utf8(bytes.to_vec()).map_err(bad)
            };
            let (body, pump) = match (request.body, body) {
                (Body::Empty, _) | (Body::Stream { .. }, None) => (capsule_net::Body::Empty, None),
                (Body::Bytes(bytes), _) => (capsule_net::Body::Bytes(bytes.into()), None),
                (Body::Stream { length }, Some(body)) => {
                    let (sender, pieces) = mpsc::channel(1);
                    let pump = AbortOnDrop(tokio::spawn(pump(body, length, sender)));
                    (capsule_net::Body::Stream { pieces, length }, Some(pump))
                }
            };
            let mut headers = Vec::with_capacity(request.headers.len());
            for (name, value) in request.headers {
                headers.push((text(&name, "name of a header")?, value));
            }
            let time = |ms: u64| (ms > 0).then(|| Duration::from_millis(ms));
            let asked = capsule_net::Request {
                method: text(&request.method, "method")?,
                url: text(&request.url, "URL")?,
                headers,
                body,
                redirects: request.redirects,
                timeout: time(request.timeout_ms),
                connect_timeout: time(request.connect_timeout_ms),
            };
            let response = network.request(asked).await.map_err(|e| failure(&e))?;
            let microseconds = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
            let head = Head {
                status: response.status.into(),
                version: response.version.into(),
                reason: response.reason.into_bytes(),
                url: response.url.into_bytes(),
                address: response.address.ip().to_string().into_bytes(),
                port: response.address.port().into(),
                resolved_us: microseconds(response.times.resolved),
                connected_us: microseconds(response.times.connected),
                secured_us: microseconds(response.times.secured),
                headers: response.headers.into_iter().map(|(name, value)| (name.into_bytes(), value)).collect(),
                raw: response.heads,
            };
            Ok(Answer { head, body: Box::new(Receiving { body: response.body, _pump: pump, _ticket: ticket }) })
        })
    }
}

/// How much of a body is moved at a time.
const PIECE: usize = 64 << 10;

/// Moves the body of a request from its process to the connection. A body of another length than was said is given up:
/// the server must not take it for a whole one.
async fn pump(body: RequestBody, length: Option<u64>, sender: mpsc::Sender<std::io::Result<bytes::Bytes>>) {
    let mut buf = vec![0; PIECE];
    let mut sent = 0;
    loop {
        let piece = match body.read(&mut buf).await {
            Ok(0) if length.is_some_and(|length| sent != length) => Err("the body is shorter than was said"),
            Ok(0) => return,
            Ok(n) => {
                sent += n as u64;
                match length {
                    Some(length) if sent > length => Err("the body is longer than was said"),
                    _ => Ok(bytes::Bytes::copy_from_slice(&buf[..n])),
                }
            }
            Err(_) => Err("the body was given up"),
        };
        let failed = piece.is_err();
        let bad = |message: &str| std::io::Error::other(capsule_net::Error::BadRequest(message.to_owned()));
        if sender.send(piece.map_err(bad)).await.is_err() || failed {
            return;
        }
    }
}

/// A connection of bytes.
async fn connect(
    network: capsule_net::Network,
    target: Vec<u8>,
    body: Option<RequestBody>,
    ticket: Ticket,
) -> Result<Answer, Failure> {
    let bad = |_| Failure::new(Fault::BadUrl, "the host is not valid UTF-8");
    let target = String::from_utf8(target).map_err(bad)?;
    let capsule_net::Stream { address, reader, writer } = network.connect(&target).await.map_err(|e| failure(&e))?;
    let head = Head {
        address: address.ip().to_string().into_bytes(),
        port: address.port().into(),
        url: target.into_bytes(),
        ..Head::default()
    };
    let sending = body.map(|body| AbortOnDrop(tokio::spawn(send(body, writer))));
    Ok(Answer { head, body: Box::new(Connected { reader, sending, buf: vec![0; PIECE], _ticket: ticket }) })
}

/// Moves what a process writes to the connection; whether the process has closed it.
async fn send(body: RequestBody, mut writer: capsule_net::stream::Writer) -> bool {
    let mut buf = vec![0; PIECE];
    loop {
        let read = body.read(&mut buf).await;
        match read {
            Ok(n) if n > 0 => {
                if writer.write_all(&buf[..n]).await.is_err() {
                    return false;
                }
            }
            ended => {
                writer.finish().await;
                return ended.is_err();
            }
        }
    }
}

/// The fields are dropped in this order: the connection is recorded before its ticket is given back.
struct Connected {
    reader: capsule_net::stream::Reader,
    sending: Option<AbortOnDrop<bool>>,
    buf: Vec<u8>,
    _ticket: Ticket,
}

impl AnswerBody for Connected {
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, Failure>> {
        Box::pin(async {
            loop {
                let read = self.reader.read(&mut self.buf);
                let Some(AbortOnDrop(sending)) = &mut self.sending else {
                    let n = read.await.map_err(|e| failure(&e))?;
                    return Ok((n > 0).then(|| self.buf[..n].to_vec()));
                };
                tokio::select! {
                    biased;
                    closed = sending => {
                        self.sending = None;
                        if closed.unwrap_or(true) {
                            return Ok(None);
                        }
                    }
                    n = read => {
                        let n = n.map_err(|e| failure(&e))?;
                        return Ok((n > 0).then(|| self.buf[..n].to_vec()));
                    }
                }
            }
        })
    }

    fn drain(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if let Some(AbortOnDrop(sending)) = &mut self.sending {
                let _ = sending.await;
                self.sending = None;
            }
        })
    }
}

struct AbortOnDrop<T = ()>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The fields are dropped in this order: the request is recorded before its ticket is given back.
struct Receiving {
    body: ResponseBody,
    _pump: Option<AbortOnDrop>,
    _ticket: Ticket,
}

impl AnswerBody for Receiving {
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, Failure>> {
        Box::pin(async {
            let piece = self.body.chunk().await.map_err(|e| failure(&e))?;
            Ok(piece.map(|bytes| bytes.to_vec()))
        })
    }
}

fn failure(error: &capsule_net::Error) -> Failure {
    use capsule_net::Error as E;
    let fault = match error {
        E::Off => Fault::Off,
        E::BadUrl(_) => Fault::BadUrl,
        E::BadRequest(_) => Fault::BadRequest,
        E::Denied { .. } => Fault::Denied,
        E::DeniedAddress { .. } => Fault::DeniedAddress,
        E::Unresolved { .. } => Fault::Unresolved,
        E::Connect { .. } => Fault::Connect,
        E::Tls { .. } => Fault::Tls,
        E::Certificate { .. } => Fault::Certificate,
        E::Timeout(_) => Fault::Timeout,
        E::ConnectTimeout(_) => Fault::ConnectTimeout,
        E::TooLarge(_) | E::RequestTooLarge(_) | E::Traffic(_) => Fault::TooLarge,
        E::Requests(_) => Fault::Requests,
        E::Redirects(_) => Fault::Redirects,
        E::Protocol(_) => Fault::Protocol,
        E::Broken(_) => Fault::Broken,
        E::Cut => Fault::Cut,
    };
    Failure::new(fault, error.to_string())
}
