//! Connections that are used again: the same checks, and nothing of one answer in the next.

use super::*;

/// Answers every request on a connection, and counts the connections; `more` is sent behind each answer.
async fn keeping(more: &'static str) -> (Server, Arc<AtomicUsize>) {
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    let server = server(move |mut stream, head| {
        let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            let mut head = head;
            loop {
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                if path == "/hang-up" {
                    return;
                }
                let body = format!("{number}{path}");
                if stream.write_all((ok(&body) + more).as_bytes()).await.is_err() {
                    return;
                }
                let mut next = Vec::new();
                while !next.ends_with(b"\r\n\r\n") {
                    match stream.read_u8().await {
                        Ok(byte) => next.push(byte),
                        Err(_) => return,
                    }
                }
                head = String::from_utf8_lossy(&next).into_owned();
            }
        }
    })
    .await;
    (server, connections)
}

async fn text(network: &Network, request: Request) -> String {
    let mut response = network.request(request).await.expect("an answer");
    String::from_utf8_lossy(&response.body.bytes().await.expect("a body")).into_owned()
}

#[tokio::test]
async fn a_connection_is_used_again_and_its_name_not_resolved_again() {
    let (server, connections) = keeping("").await;
    let fake = Fake::with(&[("a.test", &[&["127.0.0.1"], &["169.254.169.254"]]), ("b.test", &[&["127.0.0.1"]])]);
    let options = Options { resolver: fake.clone(), ..Options::default() };
    let port = server.port;
    let network = network(&[format!("a.test:{port}"), format!("127.0.0.1:{port}")], options);
    let at = |host: &str, path: &str| format!("http://{host}:{port}{path}");
    assert_eq!(text(&network, Request::get(&at("a.test", "/1"))).await, "1/1");
    let response = network.request(Request::get(&at("A.test.", "/2"))).await.expect("an answer");
    assert_eq!((response.times, connections.load(Ordering::SeqCst)), (Default::default(), 1));
    drop(response);
    // Whoever did not read to the end does not leave the rest to the next.
    assert_eq!(text(&network, Request::get(&at("127.0.0.1", "/3"))).await, "2/3");
    assert_eq!(fake.asked.load(Ordering::SeqCst), 1);
    // Another name, even of the same address, is another matter.
    let error = network.request(Request::get(&at("b.test", "/"))).await.expect_err("not in the policy");
    assert!(matches!(error, Error::Denied { .. }), "{error}");
    assert_eq!(network.records().len(), 4);
}

#[tokio::test]
async fn what_cannot_be_asked_twice_gets_a_connection_of_its_own() {
    let (server, connections) = keeping("").await;
    let network = network(&local(&server), Options::default());
    let ask = |method: &str, path: &str| Request { method: method.into(), ..Request::get(&url(&server, path)) };
    assert_eq!(text(&network, ask("GET", "/1")).await, "1/1");
    assert_eq!(text(&network, ask("POST", "/2")).await, "2/2");
    assert_eq!(text(&network, ask("GET", "/3")).await, "2/3");
    // A server that hangs up instead of answering is asked again, once and over a new connection.
    let error = network.request(ask("GET", "/hang-up")).await.expect_err("no answer");
    assert!(matches!(error, Error::Protocol(_)), "{error:?}");
    assert_eq!(connections.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn what_was_sent_unasked_answers_nothing() {
    let (server, _) = keeping("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged").await;
    let network = network(&local(&server), Options::default());
    for path in ["/1", "/2", "/3"] {
        let got = text(&network, Request::get(&url(&server, path))).await;
        assert!(got.ends_with(path), "{path}: {got}");
    }
}

#[tokio::test]
async fn names_of_headers_are_the_servers() {
    let server = server(|stream, _| {
        let head = "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 Fine\r\nx-b: 1\r\nX-A:2\r\nX-B: 3\r\n";
        answer(stream, format!("{head}Content-Length: 0\r\n\r\n"))
    })
    .await;
    let network = network(&local(&server), Options::default());
    let response = network.request(Request::get(&url(&server, "/"))).await.expect("an answer");
    let names: Vec<&str> = response.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["x-b", "X-A", "X-B", "Content-Length"]);
    assert_eq!((response.header("x-a"), response.reason.as_str()), (Some(&b"2"[..]), "Fine"));
    let heads = String::from_utf8_lossy(&response.heads).into_owned();
    assert!(
        heads.starts_with("HTTP/1.1 103 Early\r\n") && heads.ends_with("X-A:2\r\nX-B: 3\r\nContent-Length: 0\r\n\r\n")
    );
}
