//! A client over HTTP, as plain as can be.

use crate::client::{PATIENCE, command};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

pub struct Web {
    child: Child,
    pub address: String,
    /// Sent with every request.
    headers: Vec<(String, String)>,
}

pub struct Response {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: String,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The last message in the body, be it an event stream or plain JSON.
    pub fn message(&self) -> Value {
        let json =
            self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).rfind(|d| !d.is_empty());
        serde_json::from_str(json.unwrap_or(&self.body)).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

impl Web {
    pub fn start(args: &[&str]) -> Web {
        let mut child = command(&["--http", "127.0.0.1:0"]).args(args).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "the server ended");
            if let Some((_, url)) = line.trim().split_once("serving http://") {
                break url.trim_end_matches("/mcp").to_owned();
            }
        };
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Web { child, address, headers: Vec::new() }
    }

    /// Sends one request; the response can be read from the stream.
    pub fn open(&self, method: &str, path: &str, extra: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let sent: Vec<(&str, &str)> = own.chain(extra.iter().copied()).collect();
        let given = |name: &str| sent.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        for (name, value) in [
            ("Host", self.address.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ] {
            if !given(name) {
                head += &format!("{name}: {value}\r\n");
            }
        }
        for (name, value) in sent {
            head += &format!("{name}: {value}\r\n");
        }
        // A server that refuses need not read to the end.
        let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        stream
    }

    /// Sends one request and reads the whole response.
    pub fn send(&self, method: &str, path: &str, extra: &[(&str, &str)], body: &str) -> Response {
        let mut stream = self.open(method, path, extra, body);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no response: {text}"));
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers =
            lines.filter_map(|line| line.split_once(": ")).map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
        Response { status, headers, body: unchunked(head, body) }
    }

    pub fn post(&self, message: &Value, extra: &[(&str, &str)]) -> Response {
        self.send("POST", "/mcp", extra, &message.to_string())
    }

    /// Shakes hands, and sends the session's id from then on.
    pub fn greeted(mut self) -> Web {
        let response = self.post(&initialize(), &[]);
        assert_eq!(response.status, 200, "{}", response.body);
        let session = response.header("mcp-session-id").unwrap().to_owned();
        self.headers.extend([
            ("Mcp-Session-Id".to_owned(), session),
            ("MCP-Protocol-Version".to_owned(), "2025-11-25".to_owned()),
        ]);
        let done = self.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), &[]);
        assert_eq!(done.status, 202);
        self
    }

    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let response = self.post(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }), &[]);
        assert_eq!(response.status, 200, "{}", response.body);
        response.message()["result"].clone()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn initialize() -> Value {
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "0" },
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

/// The body without the lengths of its chunks.
fn unchunked(head: &str, body: &str) -> String {
    if !head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return body.to_owned();
    }
    let (mut rest, mut whole) = (body, String::new());
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap_or(0);
        if length == 0 || after.len() < length {
            break;
        }
        whole += &after[..length];
        rest = after[length..].trim_start_matches("\r\n");
    }
    whole
}
