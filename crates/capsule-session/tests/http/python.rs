//! Python's own HTTP libraries under the policy.

use super::{allow, builder, run, session};
use crate::server::{Names, Server};
use capsule_session::{Bash, NetworkPolicy};

/// What a program prints that has the server's address as `U`.
async fn python(bash: &Bash, server: &Server, program: &str) -> String {
    let script = format!("python3 - <<'EOF'\nimport os\nU = os.environ['U']\n{program}\nEOF");
    let answer = run(bash, server, &script).await;
    assert_eq!(answer.exit_code, 0, "{}{}", answer.stdout, answer.stderr);
    answer.stdout
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_have_status_headers_and_body() {
    let server = Server::start().await;
    let bash = session(&server);
    let program = r#"
import http.client, urllib.error, urllib.request
with urllib.request.urlopen(U + "/ok") as r: print(r.status, r.headers["Content-Type"], r.read(), r.geturl() == U + "/ok")
with urllib.request.urlopen(U + "/redirect/2") as r: print(r.status, r.read(), r.geturl() == U + "/ok")
try: urllib.request.urlopen(U + "/status/503")
except urllib.error.HTTPError as e: print(e.code, e.reason, e.read())
print(urllib.request.urlopen(urllib.request.Request(U + "/echo", b"x=1", {"X-One": "1"})).read().decode().splitlines())
c = http.client.HTTPConnection(U.partition("//")[2])
c.request("HEAD", "/ok")
r = c.getresponse()
print(r.status, r.getheader("content-length"), r.read())
c.request("DELETE", "/echo/x?y")
print(c.getresponse().read().split()[:2])
try: urllib.request.urlopen(U + "/cut").read()
except http.client.IncompleteRead as e: print(e)
for path in "/garbage", "/nothing":
    try: urllib.request.urlopen(U + path)
    except ConnectionError: print("broken")
"#;
    let expected = "200 text/plain b'hello\\n' True\n200 b'hello\\n' True\n503 Status b'status 503\\n'\n\
        ['POST /echo', 'accept-encoding: identity', 'content-type: application/x-www-form-urlencoded', 'x-one: 1', 'x=1']\n\
        200 6 b''\n[b'DELETE', b'/echo/x?y']\nIncompleteRead(10 bytes read, 90 more expected)\nbroken\nbroken\n";
    assert_eq!(python(&bash, &server, program).await, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_are_streamed_both_ways() {
    let server = Server::start().await;
    let bash = session(&server);
    let program = r#"
import http.client, io, urllib.request
with urllib.request.urlopen(U + "/endless") as r: print(len(r.read(1_000_000)), r.read1(10))
def pieces():
    for _ in range(300): yield b"y" * 10_000
for body in io.BytesIO(b"x" * 3_000_000), pieces(), b"z" * 3_000_000, b"w":
    request = urllib.request.Request(U + "/echo", body, method="PUT")
    print(urllib.request.urlopen(request).read().decode().splitlines()[-1][:10])
c = http.client.HTTPConnection(U.partition("//")[2])
c.request("POST", "/echo", iter([b"one", b"", b"two"]), {"Transfer-Encoding": "chunked"}, encode_chunked=True)
print(c.getresponse().read().split()[-1])
"#;
    let text = python(&bash, &server, program).await;
    assert_eq!(text, "1000000 b'xxxxxxxxxx'\nxxxxxxxxxx\nyyyyyyyyyy\nzzzzzzzzzz\nw\nb'onetwo'\n");
    server.wait_gone(1).await;
    let heads = server.heads.lock().unwrap().clone();
    assert!(heads[2].to_lowercase().contains("transfer-encoding: chunked"), "{heads:?}");
    assert!(heads[3].to_lowercase().contains("content-length: 3000000"), "{heads:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timeouts_are_for_each_operation() {
    let server = Server::start().await;
    let bash = session(&server);
    let program = r#"
import http.client, socket, urllib.request
try: urllib.request.urlopen(U + "/silent", timeout=0.2)
except TimeoutError as e: print("head", e)
r = urllib.request.urlopen(U + "/slow", timeout=0.2)
print(r.read(4))
try: r.read(1)
except TimeoutError as e: print("body", e)
c = http.client.HTTPConnection(U.partition("//")[2], timeout=0.1)
c.request("GET", "/silent")
c.sock.settimeout(0.3)
try: c.getresponse()
except TimeoutError as e: print("longer", e)
socket.setdefaulttimeout(0.1)
try: urllib.request.urlopen(U + "/silent")
except TimeoutError as e: print("default", e)
"#;
    let expected = "head timed out\nb'slow'\nbody timed out\nlonger timed out\ndefault timed out\n";
    assert_eq!(python(&bash, &server, program).await, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_policy_is_asked_at_every_hop() {
    let server = Server::start().await;
    let names = Names::with(&[("good.test", &["127.0.0.1"]), ("evil.test", &["127.0.0.1"])]);
    let port = server.port;
    let bash = builder(allow([format!("good.test:{port}"), server.entry()]).resolver(names)).build().unwrap();
    let program = format!(
        r#"
import http.client, socket, urllib.error, urllib.request
G = "http://good.test:{port}"
def get(url):
    try: print(urllib.request.urlopen(url).read())
    except urllib.error.URLError as e: print(type(e.reason).__name__, str(e.reason).partition("(")[0])
get(G + "/redirect/1")
get(G + "/to/302?http%3A%2F%2Fevil.test:{port}%2Fok")
get(G + "/to/302?http%3A%2F%2F169.254.169.254%2F")
get("http://evil.test/")
get("https://evil.test/")
get("http://good.test@evil.test:{port}/ok")
for headers in {{"Host": "evil.test"}}, {{"X": "a\x01"}}:
    c = http.client.HTTPConnection("good.test", {port})
    try: c.request("GET", "/ok", headers=headers)
    except OSError as e: print(e)
s = socket.create_connection(("good.test", {port}))
s.sendall(b"GET http://evil.test/ HTTP/1.1\r\n")
try: s.sendall(b"\r\n")
except PermissionError: print("refused")
s = socket.create_connection(("good.test", 25))
try: s.recv(1)
except OSError as e: print(e)
"#
    );
    let text = python(&bash, &server, &program).await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "b'hello\\n'", "{text}");
    let denied = "PermissionError [Errno 13] evil.test";
    assert!(lines[1].starts_with(denied) && lines[3].starts_with(denied) && lines[4].starts_with(denied), "{text}");
    assert!(lines[2].starts_with("PermissionError [Errno 13] 169.254.169.254"), "{text}");
    assert!(lines[5].contains("a user name in front of the host is refused"), "{text}");
    assert_eq!(lines[6], "the Host header must be the host of the URL", "{text}");
    assert!(lines[7].contains("cannot be sent"), "{text}");
    assert_eq!(lines[8], "refused", "{text}");
    assert!(lines[9].contains("only HTTP requests leave the sandbox"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_network_the_error_says_so() {
    let server = Server::start().await;
    let bash = builder(NetworkPolicy::off()).build().unwrap();
    let program = r#"
import urllib.request
try: urllib.request.urlopen(U + "/ok")
except OSError as e: print(e)
"#;
    let text = python(&bash, &server, program).await;
    assert_eq!(text, "<urlopen error [Errno 101] network is off for this session (allow it with --allow-net HOST)>\n");
    assert_eq!(server.requests(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pip_installs_from_an_index_that_is_allowed() {
    let server = Server::start().await;
    let bash = session(&server);
    let program = r#"
import hashlib, zipfile
for name, version in ("one", "1.0"), ("one", "2.0"), ("two", "1.0"):
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(f"{name}-{version}-py3-none-any.whl", "w") as z:
        z.writestr(f"{name}.py", f"x = '{name} {version}'\n")
        z.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        z.writestr(f"{info}/RECORD", "")
    print(hashlib.sha256(open(f"{name}-{version}-py3-none-any.whl", "rb").read()).hexdigest())
"#;
    let text = python(&bash, &server, program).await;
    let digests: Vec<&str> = text.lines().collect();
    let file = |name: &str, digest: &str, more: &str| {
        format!(r#"{{"filename": "{name}", "url": "../../files/{name}", "hashes": {{"sha256": "{digest}"}}{more}}}"#)
    };
    let (first, second, third) = ("one-1.0-py3-none-any.whl", "one-2.0-py3-none-any.whl", "two-1.0-py3-none-any.whl");
    // The newest is for another Python; the digest of the last is wrong.
    let newer = file("one-3.0-py3-none-any.whl", digests[0], r#", "requires-python": ">=3.99""#);
    let list = format!(
        r#"{{"meta": {{"api-version": "1.0"}}, "name": "one", "files": [{}, {}, {newer}]}}"#,
        file(first, digests[0], ""),
        file(second, digests[1], "")
    );
    let page = format!("<!DOCTYPE html><a href='/files/{third}#sha256={}'>x</a>", digests[0]);
    let mut pages = Vec::from([
        ("/simple/one/".to_owned(), ("application/vnd.pypi.simple.v1+json", list.into_bytes())),
        ("/simple/two/".to_owned(), ("text/html", page.into_bytes())),
    ]);
    for name in [first, second, third] {
        pages.push((format!("/files/{name}"), ("application/zip", bash.read_file(name).await.unwrap())));
    }
    server.pages.lock().unwrap().extend(pages);
    let script = "
        pip install -i $U/simple 'one>=1'; python3 -c 'import one; print(one.x)'
        PIP_INDEX_URL=$U/simple pip install two 2>&1
        pip install -i $U/simple three 2>&1 | tail -1
        pip install -i http://other.example/simple one==1.0 2>&1 | head -1";
    let answer = run(&bash, &server, script).await;
    let expected = "Successfully installed one-2.0\none 2.0\n\
        ERROR: THESE PACKAGES DO NOT MATCH THE HASHES: two-1.0-py3-none-any.whl is not what the index promised\n\
        ERROR: No matching distribution found for three\n\
        ERROR: http://other.example/simple/one/ cannot be reached: other.example is not allowed by the network policy (allow \
        it with --allow-net other.example)\n";
    assert_eq!(answer.stdout, expected, "{}", answer.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_ends_a_request_that_waits() {
    let server = Server::start().await;
    let bash = session(&server);
    let script = "timeout -s INT 1 python3 -c '
import os, urllib.request
try: urllib.request.urlopen(os.environ[\"U\"] + \"/silent\")
except KeyboardInterrupt: print(\"interrupted\")'";
    assert_eq!(run(&bash, &server, script).await.stdout, "interrupted\n");
    server.wait_gone(1).await;
}
