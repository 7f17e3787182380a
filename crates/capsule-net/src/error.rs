//! What can go wrong, worded for whoever runs the guest's command.

use std::time::Duration;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("network is off for this session (allow it with --allow-net HOST)")]
    Off,
    #[error("{0}")]
    BadUrl(String),
    #[error("{0}")]
    BadRequest(String),
    #[error("{host} is not allowed by the network policy (allow it with --allow-net {host})")]
    Denied { host: String },
    #[error("{host} has the address {address}, which is {class}: it is refused unless the policy names it")]
    DeniedAddress { host: String, address: String, class: &'static str },
    #[error("could not resolve host: {host}")]
    Unresolved { host: String },
    #[error("failed to connect to {host} port {port}: {reason}")]
    Connect { host: String, port: u16, reason: String },
    #[error("TLS with {host} failed: {reason}")]
    Tls { host: String, reason: String },
    #[error("the certificate of {host} was not accepted: {reason}")]
    Certificate { host: String, reason: String },
    #[error("operation timed out after {} milliseconds", .0.as_millis())]
    Timeout(Duration),
    #[error("connection timed out after {} milliseconds", .0.as_millis())]
    ConnectTimeout(Duration),
    #[error("the answer is larger than the limit of {0} bytes")]
    TooLarge(u64),
    #[error("the request is larger than the limit of {0} bytes")]
    RequestTooLarge(u64),
    #[error("the session used up its network traffic of {0} bytes")]
    Traffic(u64),
    #[error("the session made all of its {0} requests")]
    Requests(u64),
    #[error("maximum ({0}) redirects followed")]
    Redirects(u32),
    #[error("the server answered with nothing that is HTTP: {0}")]
    Protocol(String),
    #[error("the connection broke: {0}")]
    Broken(String),
    #[error("the connection was closed before the end of the answer")]
    Cut,
}
