//! `/dev/tcp/HOST/PORT` and `/dev/udp/HOST/PORT`: names that stand for connections, in redirections only.

use crate::shell::Shell;
use capsule_sys as sys;
use sys::http::{Exchange, Fault};

/// What such a name says.
pub(super) struct Socket<'a> {
    host: &'a [u8],
    port: &'a [u8],
    tcp: bool,
}

impl Socket<'_> {
    /// None for a path that is only a path.
    pub fn parse(path: &[u8]) -> Option<Socket<'_>> {
        let (rest, tcp) = match path.strip_prefix(b"/dev/tcp/") {
            Some(rest) => (rest, true),
            None => (path.strip_prefix(b"/dev/udp/")?, false),
        };
        let slash = rest.iter().position(|&b| b == b'/')?;
        let (host, port) = (&rest[..slash], &rest[slash + 1..]);
        (!host.is_empty() && !port.is_empty()).then_some(Socket { host, port, tcp })
    }

    fn port(&self) -> Option<u16> {
        std::str::from_utf8(self.port).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
    }
}

impl Shell {
    /// The connection, or why there is none is told.
    pub(super) fn connect(&mut self, path: &[u8], socket: &Socket) -> Option<sys::Fd> {
        let why = if !socket.tcp {
            b"/dev/udp is not supported: the network is HTTP and, where the policy says so, TCP".to_vec()
        } else if let Some(port) = socket.port() {
            match Exchange::connect(socket.host, port) {
                Ok(fd) => return Some(fd),
                Err(failure) if failure.fault == Fault::Connect && failure.message.contains("refused") => {
                    self.error("connect: Connection refused");
                    b"Connection refused".to_vec()
                }
                Err(failure) => failure.message.into(),
            }
        } else {
            self.error([socket.port, b": Servname not supported for ai_socktype"].concat());
            b"Invalid argument".to_vec()
        };
        self.error([path, b": ", &why].concat());
        None
    }
}
