//! What a guest or a server may try against the policy and its limits.

use super::*;

#[tokio::test]
async fn a_guest_cannot_write_the_frame_of_a_request() {
    let server = server(|stream, head| answer(stream, ok(&head))).await;
    let network = network(&local(&server), Options::default());
    let with = |name: &str, value: &[u8]| Request {
        headers: vec![(name.into(), value.to_vec())],
        ..Request::get(&url(&server, "/"))
    };
    for (name, value) in [
        ("X", &b"a\r\nHost: other.test"[..]),
        ("X", b"a\nb"),
        ("X", b"a\rb"),
        ("X", b"a\0b"),
        ("X: y\r\nHost", b"other.test"),
        ("X Y", b"z"),
        ("", b"z"),
        ("Host", b"other.test"),
        ("hOST", b"127.0.0.1"),
    ] {
        let error = network.request(with(name, value)).await.expect_err(name);
        assert!(matches!(error, Error::BadRequest(_)), "{name:?}: {error}");
    }
    for method in ["GET /x HTTP/1.1\r\nX: y", "G ET", "", "CONNECT", "TRACE", "GET\r\n"] {
        let request = Request { method: method.into(), ..Request::get(&url(&server, "/")) };
        assert!(matches!(network.request(request).await.expect_err(method), Error::BadRequest(_)), "{method:?}");
    }
    for path in ["/a b", "/a\r\nHost: x", "/\u{b}", "/\\x", "/a\u{a0}b"] {
        let error = network.request(Request::get(&url(&server, path))).await.expect_err(path);
        assert!(matches!(error, Error::BadUrl(_)), "{path:?}: {error}");
    }
    assert!(server.heads.lock().expect("heads").is_empty(), "nothing of that was sent");
    // How long a body is, and how it is sent, is never the guest's to say.
    let frame = [
        ("Content-Length", "0"),
        ("content-length", "100"),
        ("Transfer-Encoding", "chunked"),
        ("transfer-encoding", "identity"),
        ("TE", "trailers"),
        ("Trailer", "X"),
        ("Connection", "X-Api-Key"),
        ("Upgrade", "h2c"),
        ("Expect", "100-continue"),
        ("Proxy-Authorization", "x"),
    ];
    let request = Request {
        method: "POST".into(),
        headers: frame.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect(),
        body: Body::Bytes(Bytes::from_static(b"body")),
        ..Request::get(&url(&server, "/"))
    };
    let head = network.request(request).await.expect("an answer").body.bytes().await.expect("a body");
    let head = String::from_utf8_lossy(&head).to_lowercase();
    assert_eq!(head.matches("content-length: 4\r\n").count(), 1, "{head}");
    assert_eq!(head.lines().filter(|line| !line.is_empty()).count(), 3, "only POST, Host and the length: {head}");
}

#[tokio::test]
async fn other_spellings_of_this_machine_are_refused() {
    let fake = Fake::with(&[("localhost", &[&["127.0.0.1"]])]);
    let network = network(&["*".into()], Options { resolver: fake.clone(), ..Options::default() });
    for host in [
        "ⓛocalhost",
        "ＬＯＣＡＬＨＯＳＴ",
        "localhost.",
        "a.localhost",
        "127。0。0。1",
        "127.0.0.1.",
        "①27.0.0.1",
        "0",
        "0x7f000001",
        "017700000001",
        "127.0.1",
        "[::]",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:0:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1%25lo]",
        "xn--",
        "example.com:80@127.0.0.1",
        "127.0.0.1%2f.example.com",
        "127.0.0.1\u{3002}example\u{ff0e}com\u{0}",
    ] {
        let error = network.request(Request::get(&format!("http://{host}/"))).await.expect_err(host);
        assert!(matches!(error, Error::BadUrl(_) | Error::Denied { .. }), "{host}: {error:?}");
    }
    assert_eq!(fake.asked.load(Ordering::SeqCst), 0, "no question to DNS");
}

#[tokio::test]
async fn heads_without_end_end() {
    let server = server(|mut stream, head| async move {
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let _ = stream.write_all(if path == "/interim" { b"" } else { b"HTTP/1.1 200 OK\r\n" }).await;
        let line: &[u8] = match path.as_str() {
            "/interim" => b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n",
            "/many" => b"X: y\r\n",
            _ => &[b'x'; 1000],
        };
        while stream.write_all(line).await.is_ok() {}
    })
    .await;
    let network = network(&local(&server), Options::default());
    for path in ["/interim", "/many", "/long"] {
        let asked = network.request(Request::get(&url(&server, path)));
        let outcome = tokio::time::timeout(Duration::from_secs(20), asked).await.expect(path);
        let error = outcome.expect_err(path);
        assert!(matches!(error, Error::Protocol(_) | Error::Broken(_)), "{path}: {error:?}");
    }
}

#[tokio::test]
async fn a_head_that_drips_ends_with_the_time() {
    let server = server(|mut stream, _| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX: ").await;
        while stream.write_all(b"y").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
    let total = Duration::from_millis(100);
    let limits = Limits { total, ..Limits::default() };
    let network = network(&local(&server), Options { limits, ..Options::default() });
    let error = network.request(Request::get(&url(&server, "/"))).await.expect_err("too slow");
    assert_eq!(error, Error::Timeout(total));
}

#[tokio::test]
async fn so_many_requests_at_a_time_and_no_more() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = (now.clone(), most.clone());
    let server = server(move |stream, _| {
        let (now, most) = counted.clone();
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(20)).await;
            now.fetch_sub(1, Ordering::SeqCst);
            answer(stream, ok("x")).await;
        }
    })
    .await;
    let limits = Limits { connections: 2, ..Limits::default() };
    let network = network(&local(&server), Options { limits, ..Options::default() });
    let mut all = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (network, target) = (network.clone(), url(&server, "/"));
        all.spawn(async move { network.request(Request::get(&target)).await.expect("an answer").body.bytes().await });
    }
    while let Some(outcome) = all.join_next().await {
        assert_eq!(outcome.expect("a task").expect("a body"), b"x");
    }
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_secret_does_not_follow_a_redirect() {
    let other = server(|stream, head| answer(stream, ok(&head))).await;
    let (port, token) = (other.port, "s3cret");
    let first = server(move |stream, head| {
        // It tells what it was told, in the worst places.
        let to = match head.contains("/host") {
            true => format!("http://{token}.test/"),
            false => format!("http://127.0.0.1:{port}/{token}?k=__CAPSULE_SECRET_KEY__"),
        };
        answer(stream, format!("HTTP/1.1 307 Go\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"))
    })
    .await;
    let secrets = vec![
        Secret::parse(&format!("KEY={token}@http://127.0.0.1:{}", first.port)).expect("a secret"),
        Secret::parse(&format!("header:X-Token={token}@http://127.0.0.1:{}", first.port)).expect("a secret"),
    ];
    let network = network(&["127.0.0.1".into()], Options { secrets, ..Options::default() });
    let ask = |path: &str| Request {
        method: "POST".into(),
        body: Body::Bytes(Bytes::from_static(b"__CAPSULE_SECRET_KEY__")),
        headers: vec![
            ("Authorization".into(), b"Bearer __CAPSULE_SECRET_KEY__".to_vec()),
            ("X-Key".into(), b"__CAPSULE_SECRET_KEY__".to_vec()),
        ],
        redirects: 3,
        ..Request::get(&url(&first, path))
    };
    let head = network.request(ask("/")).await.expect("an answer").body.bytes().await.expect("a body");
    let head = String::from_utf8_lossy(&head).into_owned();
    let sent = first.heads.lock().expect("heads")[0].clone();
    assert!(sent.contains("X-Token: s3cret") && sent.contains("X-Key: s3cret"), "{sent}");
    assert!(head.contains("X-Key: __CAPSULE_SECRET_KEY__") && head.contains("k=__CAPSULE_SECRET_KEY__"), "{head}");
    assert!(!head.contains("Bearer") && !head.contains("X-Token"), "{head}");
    network.request(ask("/host")).await.expect_err("not in the policy");
    let told = format!("{:?}", network.records());
    assert!(!told.contains(token), "{told}");
}
