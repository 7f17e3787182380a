//! A server on this machine that answers by path, and a resolver that says what a test wants.

use capsule_net::Resolver;
use capsule_net::resolver::Addresses;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// `printf 'compressed\n' | gzip -n`
const GZIPPED: &[u8] = &[
    31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 75, 206, 207, 45, 40, 74, 45, 46, 78, 77, 225, 2, 0, 187, 109, 79, 200, 11, 0, 0,
    0,
];

/// What `GET /digest` is answered with by who knows the password.
const DIGESTED: &str = "response=\"5ce97321fbbd7634198ec2c4632fbc74\"";

/// The type of an answer, and its bytes.
type Page = (&'static str, Vec<u8>);

#[derive(Clone)]
pub struct Server {
    pub port: u16,
    /// The heads of the requests, in order.
    pub heads: Arc<Mutex<Vec<String>>>,
    /// More answers by path.
    pub pages: Arc<Mutex<HashMap<String, Page>>>,
    /// How many connections were closed by the other side while an answer was being sent.
    pub gone: Arc<AtomicUsize>,
}

impl Server {
    pub async fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Server { port, heads: Arc::default(), pages: Arc::default(), gone: Arc::default() };
        let own = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let own = own.clone();
                tokio::spawn(async move { own.connection(BufReader::new(stream)).await });
            }
        });
        server
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The policy entry for this server.
    pub fn entry(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn requests(&self) -> usize {
        self.heads.lock().unwrap().len()
    }

    async fn connection(&self, mut stream: BufReader<TcpStream>) {
        while let Some(head) = read_head(&mut stream).await {
            self.heads.lock().unwrap().push(head.clone());
            if !self.answer(&mut stream, &head).await {
                return;
            }
        }
    }

    /// Whether the connection may go on.
    async fn answer(&self, stream: &mut BufReader<TcpStream>, head: &str) -> bool {
        let mut words = head.split_whitespace();
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        let body = match method {
            "GET" | "HEAD" => Vec::new(),
            _ => read_body(stream, head).await,
        };
        let (status, headers, text): (String, String, Vec<u8>) = match parts.as_slice() {
            ["ok"] => ok("hello\n"),
            ["echo", ..] => ok(&echo(method, target, head, &body)),
            ["redirect", "0"] => redirect("302 Found", "/ok"),
            ["redirect", n] => redirect("302 Found", &format!("/redirect/{}", n.parse::<u32>().unwrap_or(1) - 1)),
            ["loop"] => redirect("301 Moved Permanently", "/loop"),
            ["to", code] => redirect(&format!("{code} Redirect"), &percent(query)),
            ["status", code] => (format!("{code} Status"), String::new(), format!("status {code}\n").into_bytes()),
            ["gzip"] => ("200 OK".into(), "Content-Encoding: gzip\r\n".into(), GZIPPED.to_vec()),
            ["cookie", "set"] => {
                ("200 OK".into(), "Set-Cookie: a=1; Path=/\r\nSet-Cookie: b=2; Path=/x\r\n".into(), Vec::new())
            }
            ["name"] => (
                "200 OK".into(),
                "Content-Disposition: attachment; filename=\"../../named.txt\"\r\n".into(),
                b"n\n".to_vec(),
            ),
            ["range"] => match header(head, "range") {
                Some("bytes=3-") => {
                    ("206 Partial Content".into(), "Content-Range: bytes 3-5/6\r\n".into(), b"def".to_vec())
                }
                Some(_) => ("416 Range Not Satisfiable".into(), String::new(), Vec::new()),
                None => ok("abcdef"),
            },
            ["flaky"] => {
                let so_far = self.heads.lock().unwrap().iter().filter(|h| h.contains(" /flaky ")).count();
                match so_far {
                    1 => ("503 Busy".into(), "Retry-After: 0\r\n".into(), b"busy\n".to_vec()),
                    _ => ok("at last\n"),
                }
            }
            // Names and blanks as no two servers write them.
            ["heads"] => (
                "200 OK".into(),
                "x-lower: 1\r\nX-UPPER:2\r\nX-a: b\r\nx-A: c\r\nX-S:   s  \r\n".into(),
                b"h\n".to_vec(),
            ),
            ["early"] => {
                let _ = stream.write_all(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n").await;
                ok("late\n")
            }
            ["chunks"] => {
                let text = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n4\r\ntwo\n\r\n0\r\n\r\n";
                return stream.write_all(text).await.is_ok();
            }
            ["etag"] if header(head, "if-none-match") == Some("\"e\"") => {
                return stream.write_all(b"HTTP/1.1 304 Not Modified\r\nETag: \"e\"\r\n\r\n").await.is_ok();
            }
            ["etag"] => ("200 OK".into(), "ETag: \"e\"\r\n".into(), b"tagged\n".to_vec()),
            ["basic"] if header(head, "authorization") == Some("Basic dTpw") => ok("in\n"),
            ["basic"] => ("401 No".into(), "WWW-Authenticate: Basic realm=\"r\"\r\n".into(), b"who?\n".to_vec()),
            // MD5 of user u and password p without a quality: what is right does not change.
            ["digest"] if header(head, "authorization").is_some_and(|a| a.contains(DIGESTED)) => ok("in\n"),
            ["digest"] => {
                ("401 No".into(), "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n".into(), b"who?\n".to_vec())
            }
            ["tree", page] => match *page {
                "" => ok("<a href=\"a.html\">a</a> <img src='i.png'> <a href=/ok>up</a>\n"),
                "a.html" => ok("<a href=\"./#x\">back</a>\n"),
                "i.png" => ok("picture\n"),
                _ => ("404 Not Found".into(), String::new(), Vec::new()),
            },
            ["nothing"] => return false,
            ["garbage"] => {
                let _ = stream.write_all(b"SSH-2.0-OpenSSH\r\n\r\n").await;
                return false;
            }
            ["silent"] => {
                self.until_gone(stream, b"").await;
                return false;
            }
            ["cut"] => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789").await;
                return false;
            }
            ["slow"] => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nslow").await;
                self.until_gone(stream, b"").await;
                return false;
            }
            ["endless"] => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
                self.until_gone(stream, &[b'x'; 64 << 10]).await;
                return false;
            }
            _ => ("404 Not Found".into(), String::new(), b"not here\n".to_vec()),
        };
        let page = self.pages.lock().unwrap().get(path).cloned();
        let (status, kind, text) = match page {
            Some((kind, text)) => ("200 OK".into(), kind, text),
            None if path.starts_with("/tree/") && !path.ends_with(".png") => (status, "text/html", text),
            None => (status, "text/plain", text),
        };
        let length = text.len();
        let mut answer =
            format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{headers}Content-Length: {length}\r\n\r\n")
                .into_bytes();
        if method != "HEAD" {
            answer.extend(text);
        }
        stream.write_all(&answer).await.is_ok()
    }

    /// Sends the same again and again (or waits), until the other side is gone.
    async fn until_gone(&self, stream: &mut BufReader<TcpStream>, bytes: &[u8]) {
        let mut buf = [0; 1];
        loop {
            let over = match bytes {
                [] => !matches!(stream.read(&mut buf).await, Ok(n) if n > 0),
                bytes => stream.write_all(bytes).await.is_err(),
            };
            if over {
                self.gone.fetch_add(1, Ordering::SeqCst);
                return;
            }
        }
    }

    /// Waits until that many connections were given up by the other side.
    pub async fn wait_gone(&self, count: usize) {
        let waiting = async {
            while self.gone.load(Ordering::SeqCst) < count {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("the connection is still open");
    }
}

fn ok(text: &str) -> (String, String, Vec<u8>) {
    ("200 OK".into(), String::new(), text.as_bytes().to_vec())
}

fn redirect(status: &str, to: &str) -> (String, String, Vec<u8>) {
    (status.into(), format!("Location: {to}\r\n"), b"elsewhere\n".to_vec())
}

fn percent(text: &str) -> String {
    text.replace("%3A", ":").replace("%2F", "/")
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().skip(1).find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// What was asked, but for what differs between clients.
fn echo(method: &str, target: &str, head: &str, body: &[u8]) -> String {
    let mut text = format!("{method} {target}\n");
    let names =
        ["accept", "accept-encoding", "authorization", "content-type", "cookie", "range", "referer", "x-one", "x-two"];
    for name in names {
        if let Some(value) = header(head, name) {
            // The boundary of a form is random.
            let value = value.split("boundary=").next().unwrap_or_default();
            text += &format!("{name}: {value}\n");
        }
    }
    let body = String::from_utf8_lossy(body);
    let boundary = header(head, "content-type").and_then(|v| v.split_once("boundary=")).map(|(_, b)| b.to_owned());
    text + &boundary.map_or_else(|| body.to_string(), |b| body.replace(&b, "BOUNDARY")) + "\n"
}

async fn read_head(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8_lossy(&head).into_owned())
}

async fn read_body(stream: &mut BufReader<TcpStream>, head: &str) -> Vec<u8> {
    if header(head, "expect").is_some() {
        let _ = stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await;
    }
    if let Some(length) = header(head, "content-length").and_then(|n| n.parse().ok()) {
        let mut body = vec![0; length];
        let _ = stream.read_exact(&mut body).await;
        return body;
    }
    let mut body = Vec::new();
    if header(head, "transfer-encoding").is_some() {
        loop {
            let mut line = Vec::new();
            while !line.ends_with(b"\r\n") {
                match stream.read_u8().await {
                    Ok(byte) => line.push(byte),
                    Err(_) => return body,
                }
            }
            let size = usize::from_str_radix(String::from_utf8_lossy(&line).trim(), 16).unwrap_or(0);
            let mut piece = vec![0; size + 2];
            if stream.read_exact(&mut piece).await.is_err() || size == 0 {
                return body;
            }
            body.extend_from_slice(&piece[..size]);
        }
    }
    body
}

/// Answers from a table; each list of answers is used one after the other, the last one again and again.
#[derive(Default)]
pub struct Names {
    names: HashMap<String, Vec<IpAddr>>,
    pub asked: AtomicUsize,
}

impl Names {
    pub fn with(names: &[(&str, &[&str])]) -> Arc<Names> {
        let all = names.iter().map(|(name, all)| (name.to_string(), all.iter().map(|a| a.parse().unwrap()).collect()));
        Arc::new(Names { names: all.collect(), asked: AtomicUsize::new(0) })
    }
}

impl Resolver for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Addresses<'a> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = self.names.get(name).and_then(|all| all.get(turn).or(all.last())).copied();
        Box::pin(async move { answer.map(|a| vec![a]).ok_or_else(|| std::io::Error::other("no such name")) })
    }
}
