//! How much a session may ask for.

use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// To find the addresses and to connect, TLS included.
    pub connect: Duration,
    /// A whole request, to the last byte of its answer.
    pub total: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// The body of one request and of one answer.
    pub request_bytes: u64,
    pub response_bytes: u64,
    /// All bodies of the session, both ways.
    pub traffic: u64,
    pub requests: u64,
    /// Requests at a time; more wait.
    pub connections: usize,
    pub redirects: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(120),
            idle: Duration::from_secs(30),
            request_bytes: 64 << 20,
            response_bytes: 256 << 20,
            traffic: 1 << 30,
            requests: 10_000,
            connections: 16,
            redirects: 50,
        }
    }
}
