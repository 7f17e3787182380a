//! Requests to servers on this machine, with a resolver that says what the test wants.

mod attacks;
mod kept;

use bytes::Bytes;
use capsule_net::resolver::Addresses;
use capsule_net::{Body, Error, Limits, Network, Options, Policy, Request, Resolver, Secret};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Answers from a table; each list of answers is used one after the other, the last one again and again.
#[derive(Default)]
struct Fake {
    names: HashMap<String, Vec<Vec<IpAddr>>>,
    asked: AtomicUsize,
}

impl Fake {
    fn with(names: &[(&str, &[&[&str]])]) -> Arc<Fake> {
        let parse = |answer: &&[&str]| answer.iter().map(|a| a.parse().expect("an address")).collect();
        let names = names.iter().map(|(n, answers)| (n.to_string(), answers.iter().map(parse).collect())).collect();
        Arc::new(Fake { names, asked: AtomicUsize::new(0) })
    }
}

impl Resolver for Fake {
    fn resolve<'a>(&'a self, name: &'a str) -> Addresses<'a> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = self.names.get(name).and_then(|all| all.get(turn).or(all.last())).cloned();
        Box::pin(async move { answer.ok_or_else(|| std::io::Error::other("no such name")) })
    }
}

/// A server that gives each connection to `serve` after the head of a request was read; the heads are kept.
struct Server {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

async fn server<F, Fut>(serve: F) -> Server
where
    F: Fn(TcpStream, String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let kept = heads.clone();
    let serve = Arc::new(serve);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (kept, serve) = (kept.clone(), serve.clone());
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    match stream.read_u8().await {
                        Ok(byte) => head.push(byte),
                        Err(_) => return,
                    }
                }
                let head = String::from_utf8_lossy(&head).into_owned();
                kept.lock().expect("heads").push(head.clone());
                serve(stream, head).await;
            });
        }
    });
    Server { port, heads }
}

async fn answer(mut stream: TcpStream, text: String) {
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn network(policy: &[String], options: Options) -> Network {
    Network::new(Policy::parse(policy).expect("a policy"), options).expect("a network")
}

fn local(server: &Server) -> Vec<String> {
    vec![format!("127.0.0.1:{}", server.port)]
}

fn url(server: &Server, path: &str) -> String {
    format!("http://127.0.0.1:{}{path}", server.port)
}

#[tokio::test]
async fn off_unless_allowed() {
    let error = Network::off().request(Request::get("http://example.com/")).await.expect_err("off");
    assert_eq!(error.to_string(), "network is off for this session (allow it with --allow-net HOST)");
    let none: [&str; 0] = [];
    let network = Network::new(Policy::parse(none).expect("empty"), Options::default()).expect("a network");
    assert!(network.is_off());
}

#[tokio::test]
async fn a_request_is_answered_and_recorded() {
    let server = server(|stream, _| answer(stream, ok("hello"))).await;
    let network = network(&local(&server), Options::default());
    let mut request = Request::get(&url(&server, "/path?q=1#fragment"));
    request.headers.push(("X-Test".into(), b"yes".to_vec()));
    request.headers.push(("Connection".into(), b"upgrade".to_vec()));
    let mut response = network.request(request).await.expect("an answer");
    assert_eq!((response.status, response.reason.as_str()), (200, "OK"));
    assert_eq!(response.body.bytes().await.expect("a body"), b"hello");
    drop(response);
    let head = server.heads.lock().expect("heads")[0].clone();
    assert!(head.starts_with("GET /path?q=1 HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("Host: 127.0.0.1:{}\r\n", server.port)), "{head}");
    assert!(head.contains("X-Test: yes\r\n") && !head.to_lowercase().contains("connection:"), "{head}");
    let records = network.records();
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].method.as_str(), records[0].status, records[0].received), ("GET", Some(200), 5));
}

#[tokio::test]
async fn names_off_the_list_are_not_even_resolved() {
    let fake = Fake::with(&[("evil.test", &[&["8.8.8.8"]])]);
    let options = Options { resolver: fake.clone(), ..Options::default() };
    let network = network(&["good.test".into(), "*.sub.test".into()], options);
    for target in ["http://evil.test/", "http://GOOD.test.evil.test/", "http://sub.test/", "https://good.test:444/"] {
        let error = network.request(Request::get(target)).await.expect_err(target);
        assert!(matches!(error, Error::Denied { .. }), "{target}: {error}");
    }
    for target in
        ["http://good.test@evil.test/", "http://good.test\0.evil.test/", "http://0x7f.1/", "http://2130706433/"]
    {
        let error = network.request(Request::get(target)).await.expect_err(target);
        assert!(matches!(error, Error::BadUrl(_)), "{target}: {error}");
    }
    assert_eq!(fake.asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn private_addresses_are_refused_unless_named() {
    let server = server(|stream, _| answer(stream, ok("inside"))).await;
    for address in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "0.0.0.0"]
    {
        let fake = Fake::with(&[("rebound.test", &[&[address]])]);
        let options = Options { resolver: fake, ..Options::default() };
        let network = network(&[format!("rebound.test:{}", server.port), "*".into()], options);
        let target = format!("http://Rebound.Test:{}/", server.port);
        let error = network.request(Request::get(&target)).await.expect_err(address);
        assert!(matches!(error, Error::DeniedAddress { .. }), "{address}: {error}");
    }
    assert!(server.heads.lock().expect("heads").is_empty());
    // Named, it is allowed; the name in the Host header stays.
    let fake = Fake::with(&[("inside.test", &[&["127.0.0.1"]])]);
    let options = Options { resolver: fake, ..Options::default() };
    let port = server.port;
    let network = network(&[format!("inside.test:{port}"), format!("127.0.0.1:{port}")], options);
    let mut response = network.request(Request::get(&format!("http://inside.test:{port}/"))).await.expect("an answer");
    assert_eq!(response.body.bytes().await.expect("a body"), b"inside");
    assert!(server.heads.lock().expect("heads")[0].contains(&format!("Host: inside.test:{port}")));
}

#[tokio::test]
async fn the_checked_address_is_the_one_dialled() {
    // A name that changes its mind: asked once, and what was said then is used.
    let server = server(|stream, _| answer(stream, ok("ok"))).await;
    let fake = Fake::with(&[("flip.test", &[&["10.9.9.9", "127.0.0.1"], &["169.254.169.254"]])]);
    let options = Options { resolver: fake.clone(), ..Options::default() };
    let port = server.port;
    let network = network(&[format!("flip.test:{port}"), format!("127.0.0.1:{port}")], options);
    let target = format!("http://flip.test:{port}/");
    let mut response = network.request(Request::get(&target)).await.expect("an answer");
    assert_eq!(response.body.bytes().await.expect("a body"), b"ok");
    assert_eq!(fake.asked.load(Ordering::SeqCst), 1);
    // The second time it lies.
    let error = network.request(Request::get(&target)).await.expect_err("refused");
    assert!(matches!(error, Error::DeniedAddress { .. }), "{error}");
}

#[tokio::test]
async fn every_redirect_is_checked() {
    let server = server(|stream, head| {
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let to = match path.as_str() {
            "/elsewhere" => "http://forbidden.test/".to_owned(),
            "/metadata" => "http://169.254.169.254/latest".to_owned(),
            "/file" => "file:///etc/passwd".to_owned(),
            "/userinfo" => "http://127.0.0.1@forbidden.test/".to_owned(),
            "/loop" => "/loop".to_owned(),
            "/relative/a" => "../done".to_owned(),
            _ => return answer(stream, ok(&path)),
        };
        answer(stream, format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"))
    })
    .await;
    let network = network(&local(&server), Options::default());
    let ask = |path: &str| Request { redirects: 5, ..Request::get(&url(&server, path)) };
    let error = network.request(ask("/elsewhere")).await.expect_err("refused");
    assert!(matches!(error, Error::Denied { .. }), "{error}");
    let error = network.request(ask("/metadata")).await.expect_err("refused");
    assert!(matches!(error, Error::Denied { .. }), "{error}");
    for path in ["/file", "/userinfo"] {
        let error = network.request(ask(path)).await.expect_err("refused");
        assert!(matches!(error, Error::BadUrl(_)), "{error}");
    }
    assert_eq!(network.request(ask("/loop")).await.expect_err("a loop"), Error::Redirects(5));
    let mut response = network.request(ask("/relative/a")).await.expect("an answer");
    assert_eq!(response.body.bytes().await.expect("a body"), b"/done");
    assert_eq!(response.url, url(&server, "/done"));
    // Not followed, it is an answer like any other.
    let response = network.request(Request::get(&url(&server, "/elsewhere"))).await.expect("an answer");
    assert_eq!(response.status, 302);
}

#[tokio::test]
async fn methods_and_headers_after_redirects() {
    let other = server(|stream, head| answer(stream, ok(&head))).await;
    let port = other.port;
    let first = server(move |stream, head| {
        let status = if head.contains("/keep") { "307 Temporary" } else { "302 Found" };
        let head = format!("HTTP/1.1 {status}\r\nLocation: http://127.0.0.1:{port}/x\r\nContent-Length: 0\r\n\r\n");
        answer(stream, head)
    })
    .await;
    let network = network(&[format!("127.0.0.1:{port}"), format!("127.0.0.1:{}", first.port)], Options::default());
    let ask = |path: &str| Request {
        method: "POST".into(),
        body: Body::Bytes(Bytes::from_static(b"data")),
        headers: vec![("Authorization".into(), b"Basic x".to_vec()), ("Content-Type".into(), b"a/b".to_vec())],
        redirects: 3,
        ..Request::get(&url(&first, path))
    };
    let head = network.request(ask("/change")).await.expect("an answer").body.bytes().await.expect("a body");
    let head = String::from_utf8_lossy(&head).into_owned();
    assert!(head.starts_with("GET /x") && !head.contains("Content-Type") && !head.contains("Basic"), "{head}");
    let head = network.request(ask("/keep")).await.expect("an answer").body.bytes().await.expect("a body");
    let head = String::from_utf8_lossy(&head).into_owned();
    assert!(head.starts_with("POST /x") && head.contains("Content-Length: 4") && !head.contains("Basic"), "{head}");
}

#[tokio::test]
async fn slow_and_endless_bodies_end() {
    let server = server(|mut stream, head| async move {
        if head.contains("/slow") {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx").await;
            std::future::pending::<()>().await;
        }
        if head.contains("/silent") {
            std::future::pending::<()>().await;
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
    })
    .await;
    let limits = Limits { idle: Duration::from_millis(50), response_bytes: 100_000, ..Limits::default() };
    let network = network(&local(&server), Options { limits, ..Options::default() });
    let mut response = network.request(Request::get(&url(&server, "/slow"))).await.expect("a head");
    assert_eq!(response.body.bytes().await.expect_err("too slow"), Error::Timeout(Duration::from_millis(50)));
    drop(response);
    let mut response = network.request(Request::get(&url(&server, "/endless"))).await.expect("a head");
    assert_eq!(response.body.bytes().await.expect_err("endless"), Error::TooLarge(100_000));
    let short = Duration::from_millis(60);
    let request = Request { timeout: Some(short), ..Request::get(&url(&server, "/silent")) };
    assert_eq!(network.request(request).await.expect_err("silent"), Error::Timeout(short));
    drop(response);
    let errors = network.records().iter().filter(|r| r.error.is_some()).count();
    assert_eq!(errors, 3, "{:?}", network.records());
}

#[tokio::test]
async fn limits_of_a_session() {
    let server = server(|stream, _| answer(stream, ok(&"x".repeat(1000)))).await;
    let limits = Limits { traffic: 2500, requests: 4, request_bytes: 10, ..Limits::default() };
    let network = network(&local(&server), Options { limits, ..Options::default() });
    for turn in 0..3 {
        let mut response = network.request(Request::get(&url(&server, "/"))).await.expect("an answer");
        assert_eq!(response.body.bytes().await.is_ok(), turn < 2, "turn {turn}");
    }
    let request = Request {
        method: "POST".into(),
        body: Body::Bytes(Bytes::from_static(b"more than ten bytes")),
        ..Request::get(&url(&server, "/"))
    };
    assert_eq!(network.request(request).await.expect_err("too large"), Error::RequestTooLarge(10));
    let error = network.request(Request::get(&url(&server, "/"))).await.expect_err("enough");
    assert_eq!(error, Error::Requests(4));
}

#[tokio::test]
async fn what_is_not_http_and_what_is_too_long_is_refused() {
    let server = server(|stream, head| {
        let text = match head.split(' ').nth(1) {
            Some("/garbage") => "SSH-2.0-OpenSSH\r\n\r\n".to_owned(),
            Some("/nothing") => String::new(),
            _ => format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "y".repeat(1_000_000)),
        };
        answer(stream, text)
    })
    .await;
    let network = network(&local(&server), Options::default());
    for path in ["/garbage", "/nothing", "/long"] {
        let error = network.request(Request::get(&url(&server, path))).await.expect_err(path);
        assert!(matches!(error, Error::Protocol(_) | Error::Broken(_)), "{path}: {error:?}");
    }
    let request = |method: &str, header: (&str, &str)| Request {
        method: method.into(),
        headers: vec![(header.0.into(), header.1.as_bytes().to_vec())],
        ..Request::get(&url(&server, "/"))
    };
    for bad in [
        request("CONNECT", ("a", "b")),
        request("GE T", ("a", "b")),
        request("GET", ("a\r\nb", "c")),
        request("GET", ("a", "b\r\nHost: other")),
        request("GET", ("Host", "other.test")),
    ] {
        assert!(matches!(network.request(bad).await, Err(Error::BadRequest(_))));
    }
}

#[tokio::test]
async fn bodies_are_streamed() {
    let server = server(|mut stream, head| async move {
        assert!(head.contains("Transfer-Encoding: chunked"), "{head}");
        let mut body = Vec::new();
        while !body.ends_with(b"0\r\n\r\n") {
            body.push(stream.read_u8().await.expect("a byte"));
        }
        answer(stream, ok(&String::from_utf8_lossy(&body))).await;
    })
    .await;
    let network = network(&local(&server), Options::default());
    let (sender, pieces) = tokio::sync::mpsc::channel(2);
    tokio::spawn(async move {
        for piece in ["one", "two"] {
            let _ = sender.send(Ok(Bytes::from_static(piece.as_bytes()))).await;
        }
    });
    let body = Body::Stream { pieces, length: None };
    let request = Request { method: "PUT".into(), body, ..Request::get(&url(&server, "/")) };
    let mut response = network.request(request).await.expect("an answer");
    let text = response.body.bytes().await.expect("a body");
    assert_eq!(String::from_utf8_lossy(&text), "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
    drop(response);
    assert_eq!(network.records()[0].sent, 6);
}

#[tokio::test]
async fn secrets_are_put_in_at_the_edge() {
    let server = server(|mut stream, head| async move {
        let mut body = vec![0; 9];
        let _ = stream.read_exact(&mut body).await;
        let _ = head;
        answer(stream, ok("done")).await;
    })
    .await;
    let port = server.port;
    let secrets = vec![
        Secret::parse(&format!("KEY=s3cret@http://127.0.0.1:{port}")).expect("a secret"),
        Secret::parse(&format!("header:X-Api-Key=hidden@http://127.0.0.1:{port}")).expect("a secret"),
        Secret::parse("OTHER=never@http://elsewhere.test").expect("a secret"),
    ];
    let network = network(&local(&server), Options { secrets, ..Options::default() });
    let request = Request {
        method: "POST".into(),
        headers: vec![
            ("Authorization".into(), b"Bearer __CAPSULE_SECRET_KEY__".to_vec()),
            ("X-Other".into(), b"__CAPSULE_SECRET_OTHER__".to_vec()),
        ],
        body: Body::Bytes(Bytes::from_static(b"k=__CAPSULE_SECRET_KEY__&")),
        ..Request::get(&url(&server, "/?k=__CAPSULE_SECRET_KEY__"))
    };
    let mut response = network.request(request).await.expect("an answer");
    response.body.bytes().await.expect("a body");
    drop(response);
    let head = server.heads.lock().expect("heads")[0].clone();
    assert!(head.starts_with("POST /?k=s3cret HTTP/1.1"), "{head}");
    assert!(head.contains("Authorization: Bearer s3cret\r\n") && head.contains("X-Api-Key: hidden\r\n"), "{head}");
    assert!(head.contains("X-Other: __CAPSULE_SECRET_OTHER__") && head.contains("Content-Length: 9"), "{head}");
    let record = &network.records()[0];
    assert!(record.url.contains("__CAPSULE_SECRET_KEY__") && !format!("{record:?}").contains("s3cret"), "{record:?}");
}

#[tokio::test]
async fn certificates_are_verified() {
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
    let made = rcgen::generate_simple_self_signed(vec!["secure.test".into()]).expect("a certificate");
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .expect("a server's configuration");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("its address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut head = vec![0; 4096];
                let _ = stream.read(&mut head).await;
                let _ = stream.write_all(ok("safe").as_bytes()).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    let names: &[(&str, &[&[&str]])] = &[("secure.test", &[&["127.0.0.1"]]), ("other.test", &[&["127.0.0.1"]])];
    let policy = [format!("secure.test:{port}"), format!("other.test:{port}"), format!("127.0.0.1:{port}")];
    let strict = network(&policy, Options { resolver: Fake::with(names), ..Options::default() });
    let error = strict.request(Request::get(&format!("https://secure.test:{port}/"))).await.expect_err("unknown root");
    assert!(matches!(error, Error::Certificate { .. }), "{error:?}");
    let options = Options { resolver: Fake::with(names), roots: vec![certificate], ..Options::default() };
    let trusting = network(&policy, options);
    let mut response =
        trusting.request(Request::get(&format!("https://secure.test:{port}/"))).await.expect("an answer");
    assert_eq!(response.body.bytes().await.expect("a body"), b"safe");
    // The right certificate for another name is the wrong one.
    let error = trusting.request(Request::get(&format!("https://other.test:{port}/"))).await.expect_err("wrong name");
    assert!(matches!(error, Error::Certificate { .. }), "{error:?}");
}
