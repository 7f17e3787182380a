//! The server over streamable HTTP, at the one path `/mcp`.
//!
//! A web page that a user looks at can send requests to the user's own machine. So requests must name a host and an origin
//! that are expected, whatever address they reach; and where other machines can reach the server, they must know a token.

use crate::{MOST_MESSAGE, Server};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Where the protocol is spoken.
pub const PATH: &str = "/mcp";

/// Connections at a time; more wait.
const MOST_CONNECTIONS: usize = 1024;

/// For the head of a request: a client that sends nothing must not hold a connection for long.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// Who may ask, and where.
#[derive(Clone, Debug)]
pub struct Options {
    pub address: SocketAddr,
    /// What a client must send as `Authorization: Bearer TOKEN`.
    pub token: Option<String>,
    /// Hosts that clients may call this server by, beside those of the loopback and the address itself.
    pub hosts: Vec<String>,
    /// Origins of web pages that may ask, as `https://app.example.com:443`, beside pages of this machine.
    pub origins: Vec<String>,
}

/// `PORT`, `:PORT`, `HOST:PORT`; the loopback when no host is named.
pub fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = port.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    if let Some(port) = text.strip_prefix("localhost:").and_then(|port| port.parse().ok()) {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| "expected PORT or IP:PORT, as in 8080 or 127.0.0.1:8080".to_owned())
}

/// A server that listens and does not answer yet.
pub struct Listening {
    listener: TcpListener,
    options: Options,
}

/// Binds the address. One that other machines can reach needs a token.
pub async fn bind(options: Options) -> io::Result<Listening> {
    if options.token.as_deref().is_some_and(str::is_empty) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the token is empty"));
    }
    if !options.address.ip().is_loopback() && options.token.is_none() {
        let why =
            format!("{} can be reached from other machines: set a token (--token, CAPSULE_MCP_TOKEN)", options.address);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    Ok(Listening { listener: TcpListener::bind(options.address).await?, options })
}

impl Listening {
    /// Where it listens.
    pub fn url(&self) -> io::Result<String> {
        Ok(format!("http://{}{PATH}", self.listener.local_addr()?))
    }

    /// Answers until the future is given up.
    pub async fn serve(self, server: Server) -> io::Result<()> {
        let door = Arc::new(Door {
            service: StreamableHttpService::new(
                move || Ok(server.clone()),
                Arc::<LocalSessionManager>::default(),
                config(&self.options),
            ),
            token: self.options.token.as_ref().map(|token| blake3::hash(token.as_bytes())),
        });
        let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        loop {
            let place = room.clone().acquire_owned().await.map_err(io::Error::other)?;
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(_) => {
                    // Too many open files, most likely: others must close theirs first.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            let door = door.clone();
            tokio::spawn(async move {
                door.converse(stream).await;
                drop(place);
            });
        }
    }
}

fn config(options: &Options) -> StreamableHttpServerConfig {
    let local = ["localhost", "127.0.0.1", "[::1]"];
    let mut hosts: Vec<String> = local.map(str::to_owned).to_vec();
    if !options.address.ip().is_unspecified() {
        hosts.push(options.address.ip().to_string());
    }
    hosts.extend(options.hosts.iter().cloned());
    let origins = local.iter().map(|host| format!("http://{host}:*")).chain(options.origins.iter().cloned());
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MOST_MESSAGE)
}

struct Door {
    service: StreamableHttpService<Server, LocalSessionManager>,
    /// The token's hash. Comparing hashes takes the same time wherever they differ.
    token: Option<blake3::Hash>,
}

type Body = BoxBody<Bytes, Infallible>;

impl Door {
    async fn converse(self: Arc<Self>, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let service = service_fn(move |request| {
            let door = self.clone();
            async move { Ok::<_, Infallible>(door.answer(request).await) }
        });
        let mut http = hyper::server::conn::http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
        // A connection that breaks is the client's affair.
        let _ = http.serve_connection(TokioIo::new(stream), service).await;
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        if !self.admits(request.headers()) {
            let mut refusal = plain(StatusCode::UNAUTHORIZED, "this server wants Authorization: Bearer TOKEN");
            refusal.headers_mut().insert(WWW_AUTHENTICATE, hyper::header::HeaderValue::from_static("Bearer"));
            return refusal;
        }
        if request.uri().path().trim_end_matches('/') != PATH {
            return plain(StatusCode::NOT_FOUND, "the protocol is spoken at /mcp");
        }
        self.service.handle(request).await
    }

    fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(expected) = self.token else { return true };
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let (Some(given), None) = (given.next(), given.next()) else { return false };
        let Some((scheme, token)) = given.to_str().ok().and_then(|given| given.split_once(' ')) else { return false };
        scheme.eq_ignore_ascii_case("bearer") && blake3::hash(token.trim().as_bytes()) == expected
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_host_it_is_the_loopback() {
        for (text, address) in [
            ("8080", "127.0.0.1:8080"),
            (":8080", "127.0.0.1:8080"),
            ("localhost:1", "127.0.0.1:1"),
            ("[::1]:9", "[::1]:9"),
            ("0.0.0.0:80", "0.0.0.0:80"),
        ] {
            assert_eq!(parse_address(text).unwrap().to_string(), address);
        }
        for text in ["", "x", "127.0.0.1", "99999", "host:80"] {
            assert!(parse_address(text).is_err(), "{text}");
        }
    }

    #[tokio::test]
    async fn an_address_for_others_needs_a_token() {
        let options = |address: &str, token: Option<&str>| Options {
            address: address.parse().unwrap(),
            token: token.map(str::to_owned),
            hosts: Vec::new(),
            origins: Vec::new(),
        };
        assert!(bind(options("0.0.0.0:0", None)).await.is_err());
        assert!(bind(options("127.0.0.1:0", Some(""))).await.is_err());
        assert!(bind(options("127.0.0.1:0", None)).await.is_ok());
    }
}
