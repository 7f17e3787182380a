//! Connections to addresses that were checked.

use crate::error::{Error, Result};
use crate::host::{Host, Scheme, Url};
use crate::policy::Policy;
use crate::resolver::Resolver;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A connection, with or without TLS.
pub(crate) enum Connection {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// TLS, made when it is first needed: reading the machine's certificates takes milliseconds, and most sessions never ask.
pub(crate) struct Tls {
    extra: Vec<CertificateDer<'static>>,
    own: OnceLock<Result<Arc<ClientConfig>>>,
}

impl Tls {
    pub fn new(extra: Vec<CertificateDer<'static>>) -> Tls {
        Tls { extra, own: OnceLock::new() }
    }

    fn config(&self) -> Result<Arc<ClientConfig>> {
        // Sessions that trust the same share it.
        static USUAL: OnceLock<Result<Arc<ClientConfig>>> = OnceLock::new();
        let place = if self.extra.is_empty() { &USUAL } else { &self.own };
        place.get_or_init(|| config(&self.extra)).clone()
    }
}

/// The roots of Mozilla and of the machine, and those given. Verification cannot be turned off.
fn config(extra: &[CertificateDer<'static>]) -> Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    // A machine without a store, or with a broken certificate in it, still has Mozilla's.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots.add_parsable_certificates(extra.iter().cloned());
    let failed = |reason: String| Error::Tls { host: "this machine".into(), reason };
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|e| failed(e.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The addresses a URL may be dialled at: asked for once, and only the checked ones.
pub(crate) async fn addresses(url: &Url, policy: &Policy, resolver: &dyn Resolver) -> Result<Vec<IpAddr>> {
    let found = match &url.host {
        Host::Address(address) => vec![*address],
        Host::Name(name) => {
            let unresolved = || Error::Unresolved { host: name.clone() };
            let found = resolver.resolve(name).await.map_err(|_| unresolved())?;
            if found.is_empty() {
                return Err(unresolved());
            }
            found
        }
    };
    let mut refused = None;
    let mut good = Vec::new();
    for address in found {
        match policy.check_address(url, address) {
            Ok(()) => good.push(address),
            Err(e) => refused = refused.or(Some(e)),
        }
    }
    match refused {
        Some(e) if good.is_empty() => Err(e),
        _ => Ok(good),
    }
}

/// A connection that was made, and when its steps were done.
pub(crate) struct Dialled {
    pub connection: Connection,
    pub address: IpAddr,
    pub connected: Instant,
    pub secured: Option<Instant>,
}

/// Connects to the first address that answers.
pub(crate) async fn connect(url: &Url, addresses: &[IpAddr], tls: &Tls) -> Result<Dialled> {
    let failed = |reason: String| Error::Connect { host: url.host.to_string(), port: url.port, reason };
    let mut last = failed("there is no address".into());
    for address in addresses {
        match TcpStream::connect(SocketAddr::new(*address, url.port)).await {
            Ok(stream) => {
                let _ = stream.set_nodelay(true);
                let connected = Instant::now();
                let connection = secure(url, stream, tls).await?;
                let secured = matches!(connection, Connection::Tls(_)).then(Instant::now);
                return Ok(Dialled { connection, address: *address, connected, secured });
            }
            Err(e) => last = failed(e.to_string()),
        }
    }
    Err(last)
}

async fn secure(url: &Url, stream: TcpStream, tls: &Tls) -> Result<Connection> {
    if url.scheme != Scheme::Https {
        return Ok(Connection::Plain(stream));
    }
    let host = url.host.to_string();
    let failed = |reason: String| Error::Tls { host: host.clone(), reason };
    let name = match &url.host {
        Host::Name(name) => ServerName::try_from(name.clone()).map_err(|e| failed(e.to_string()))?,
        Host::Address(address) => ServerName::from(*address),
    };
    match TlsConnector::from(tls.config()?).connect(name, stream).await {
        Ok(stream) => Ok(Connection::Tls(Box::new(stream))),
        Err(e) => {
            let cause = e.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
            Err(match cause {
                Some(rustls::Error::InvalidCertificate(reason)) => {
                    Error::Certificate { host: host.clone(), reason: reason.to_string() }
                }
                _ => failed(e.to_string()),
            })
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context, into: &mut ReadBuf) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Connection::Plain(stream) => Pin::new(stream).poll_read(context, into),
            Connection::Tls(stream) => Pin::new(stream).poll_read(context, into),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Connection::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Connection::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Connection::Plain(stream) => Pin::new(stream).poll_flush(context),
            Connection::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Connection::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Connection::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
