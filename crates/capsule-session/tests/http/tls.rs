//! HTTPS: the host speaks TLS and checks certificates, for curl and for Python's libraries alike.

use super::{allow, builder, run};
use crate::server::{Names, Server};
use capsule_session::{Bash, Mount, NetworkPolicy};
use std::path::Path;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// TLS in front of the server of these tests, with a certificate of its own for `secure.test`.
struct Tls {
    port: u16,
    /// Here somebody answers who does not speak TLS.
    plain: u16,
    certificate: Vec<u8>,
}

impl Tls {
    async fn start(server: &Server) -> Tls {
        let made = rcgen::generate_simple_self_signed(vec!["secure.test".into()]).unwrap();
        let certificate = made.cert.der().clone();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, behind) = (listener.local_addr().unwrap().port(), server.port);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut outside) = acceptor.accept(stream).await else { return };
                    let Ok(mut inside) = TcpStream::connect(("127.0.0.1", behind)).await else { return };
                    let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
                });
            }
        });
        Tls { port, plain: plain().await, certificate: certificate.to_vec() }
    }

    /// May reach the server by its name and by another, at this port and at one where nobody speaks TLS.
    fn policy(&self) -> NetworkPolicy {
        let names = ["secure.test", "other.test", "evil.test"].map(|name| (name, &["127.0.0.1"][..]));
        let hosts = [
            format!("secure.test:{}", self.port),
            format!("other.test:{}", self.port),
            format!("https://secure.test:{}", self.plain),
            // That the names mean this machine must be said as well.
            format!("127.0.0.1:{}", self.port),
            format!("https://127.0.0.1:{}", self.plain),
        ];
        allow(hosts).resolver(Names::with(&names))
    }

    fn trusted(&self) -> Bash {
        builder(self.policy().root(self.certificate.clone())).build().unwrap()
    }
}

/// A port where every greeting is answered with an error of HTTP.
async fn plain() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    port
}

/// What a program prints that has the address as `S`, and the port without TLS as `P`.
async fn python(bash: &Bash, server: &Server, tls: &Tls, program: &str) -> String {
    let (secure, plain) = (tls.port, tls.plain);
    let script =
        format!("python3 - <<'EOF'\nT, P = {secure}, {plain}\nS = f'https://secure.test:{{T}}'\n{program}\nEOF");
    let answer = run(bash, server, &script).await;
    assert_eq!(answer.exit_code, 0, "{}{}", answer.stdout, answer.stderr);
    answer.stdout
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn python_speaks_https_with_a_server_that_is_trusted() {
    let server = Server::start().await;
    let tls = Tls::start(&server).await;
    let bash = tls.trusted();
    let program = r#"
import http.client, ssl, urllib.error, urllib.request
with urllib.request.urlopen(S + "/ok") as r: print(r.status, r.headers["Content-Type"], r.read(), r.geturl() == S + "/ok")
with urllib.request.urlopen(S + "/redirect/2", context=ssl.create_default_context()) as r: print(r.status, r.geturl() == S + "/ok")
try: urllib.request.urlopen(S + "/status/404")
except urllib.error.HTTPError as e: print(e.code, e.read())
request = urllib.request.Request(S + "/echo", b"x" * 200_000, {"X-One": "1"})
print(len(urllib.request.urlopen(request).read()) > 200_000)
c = http.client.HTTPSConnection("secure.test", T, timeout=20)
for method in "GET", "HEAD":
    c.request(method, "/ok")
    r = c.getresponse()
    print(r.status, r.getheader("content-length"), r.read())
with urllib.request.urlopen(S + "/endless") as r: print(len(r.read(300_000)))
try: urllib.request.urlopen(S + "/silent", timeout=0.2)
except TimeoutError as e: print(e)
"#;
    let expected = "200 text/plain b'hello\\n' True\n200 True\n404 b'status 404\\n'\nTrue\n200 6 b'hello\\n'\n200 6 b''\n\
        300000\ntimed out\n";
    assert_eq!(python(&bash, &server, &tls, program).await, expected);
    let answer = run(&bash, &server, &format!("curl -sS https://secure.test:{}/ok", tls.port)).await;
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("hello\n", ""));
    assert_eq!(answer.network[0].url, format!("https://secure.test:{}/ok", tls.port));
}

/// Names the exception and what is said, for requests made in several ways.
const TRY: &str = r#"
import http.client, ssl, urllib.error, urllib.request
def told(call):
    try: print("worked", call())
    except urllib.error.URLError as e: print("URLError", type(e.reason).__name__, e.reason)
    except OSError as e: print(type(e).__name__, isinstance(e, ssl.SSLError), e)
def connection(host, port):
    c = http.client.HTTPSConnection(host, port)
    c.request("GET", "/ok")
    return c.getresponse().read()
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_that_does_not_hold_is_an_error_that_says_so() {
    let server = Server::start().await;
    let tls = Tls::start(&server).await;
    let strict = builder(tls.policy()).build().unwrap();
    let program = format!(
        r#"{TRY}
told(lambda: urllib.request.urlopen(S + "/ok"))
told(lambda: connection("secure.test", T))
# Nothing that a program can say makes it less strict.
told(lambda: urllib.request.urlopen(S + "/ok", context=ssl._create_unverified_context()))
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
told(lambda: urllib.request.urlopen(S + "/ok", context=context))
try: connection("secure.test", T)
except ssl.SSLError as e: print(e.library, e.reason, e.errno)
"#
    );
    let text = python(&strict, &server, &tls, &program).await;
    let lines: Vec<&str> = text.lines().collect();
    for (i, begins) in
        ["URLError SSLCertVerificationError [SSL", "SSLCertVerificationError True [SSL"].iter().enumerate()
    {
        assert!(lines[i].starts_with(begins) && lines[i].contains("secure.test"), "{text}");
        assert!(lines[i].to_lowercase().contains("certificate"), "{text}");
    }
    assert_eq!((lines[2], lines[3]), (lines[0], lines[0]), "{text}");
    assert_eq!(server.requests(), 0);

    let program = format!(
        r#"{TRY}
told(lambda: connection("other.test", T))
told(lambda: urllib.request.urlopen(f"https://other.test:{{T}}/ok"))
told(lambda: connection("secure.test", P))
"#
    );
    let text = python(&tls.trusted(), &server, &tls, &program).await;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("SSLCertVerificationError True") && lines[0].contains("other.test"), "{text}");
    assert!(lines[1].starts_with("URLError SSLCertVerificationError"), "{text}");
    // Nobody speaks TLS at that port.
    assert!(lines[2].starts_with("SSLError True"), "{text}");
    assert_eq!(server.requests(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn https_is_asked_for_under_the_policy() {
    let server = Server::start().await;
    let tls = Tls::start(&server).await;
    let bash = tls.trusted();
    let program = format!(
        r#"{TRY}
told(lambda: urllib.request.urlopen(f"https://evil.test:{{T}}/ok"))
told(lambda: connection("evil.test", T))
told(lambda: urllib.request.urlopen(f"https://secure.test:1/"))
told(lambda: urllib.request.urlopen(f"http://secure.test:{{P}}/ok"))
told(lambda: urllib.request.urlopen(S + f"/to/302?https%3A%2F%2Fevil.test:{{T}}%2Fok"))
told(lambda: urllib.request.urlopen(S + "/redirect/1").read())
context = ssl.create_default_context()
told(lambda: context.load_cert_chain("client.pem"))
"#
    );
    let text = python(&bash, &server, &tls, &program).await;
    let lines: Vec<&str> = text.lines().collect();
    for line in [0, 2, 3, 4] {
        assert!(lines[line].starts_with("URLError PermissionError [Errno 13]"), "{text}");
        assert!(lines[line].contains("not allowed by the network policy"), "{text}");
    }
    assert!(lines[1].starts_with("PermissionError False [Errno 13] evil.test"), "{text}");
    assert_eq!(lines[5], "worked b'hello\\n'", "{text}");
    assert_eq!(lines[6], "SSLError True certificates of a client cannot be used in the sandbox", "{text}");
    assert!(!server.heads.lock().unwrap().iter().any(|head| head.contains("evil.test:") && head.contains("GET /ok")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_speaks_https() {
    // The tests of packages fetch it.
    let packages = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-packages");
    if !packages.join("whole").is_file() {
        eprintln!("skipped: the package requests was not fetched");
        return;
    }
    let server = Server::start().await;
    let tls = Tls::start(&server).await;
    let program = r#"
import sys; sys.path.insert(0, "/packages")
import requests
def told(*args, **more):
    try: r = requests.get(*args, timeout=20, **more)
    except requests.exceptions.RequestException as e: print(type(e).__name__, "certificate" in str(e).lower(), "policy" in str(e))
    else: print(r.status_code, r.text.strip(), len(r.history), r.url.startswith("https:"))
told(S + "/ok")
told(S + "/redirect/2")
told(S + "/ok", verify=False)
told(f"https://other.test:{T}/ok")
told(f"https://evil.test:{T}/ok")
print(requests.post(S + "/echo", json={"k": 1}).text.split()[-1])
"#;
    let mount: Mount = format!("{}::/packages:ro", packages.display()).parse().unwrap();
    let open = |policy: NetworkPolicy| builder(policy).mount(mount.clone()).build().unwrap();
    let trusted = open(tls.policy().root(tls.certificate.clone()));
    let expected = "200 hello 0 True\n200 hello 3 True\n200 hello 0 True\nSSLError True False\n\
        ConnectionError False True\n1}\n";
    assert_eq!(python(&trusted, &server, &tls, program).await, expected);
    let strict = open(tls.policy());
    let first = "\n".to_owned() + program.split("told(f").next().unwrap();
    assert_eq!(python(&strict, &server, &tls, &first).await, "SSLError True False\n".repeat(3));
}
