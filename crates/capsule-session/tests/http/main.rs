//! The network of a session through the whole stack: curl and wget in the sandbox, the door, the policy, servers on this
//! machine and a resolver that says what a test wants.

mod oracle;
mod python;
mod server;
mod tcp;
mod tls;

use capsule_abi::limits::Limits;
use capsule_session::{Answer, Bash, BashBuilder, CancellationToken, NetworkPolicy, RunOptions};
use server::{Names, Server};
use std::sync::atomic::Ordering;
use std::time::Duration;

fn builder(policy: NetworkPolicy) -> BashBuilder {
    Bash::builder().host_workspace("memory").network(policy)
}

fn allow<S: Into<String>>(hosts: impl IntoIterator<Item = S>) -> NetworkPolicy {
    NetworkPolicy::allow(hosts).unwrap()
}

fn session(server: &Server) -> Bash {
    builder(allow([server.entry()])).build().unwrap()
}

/// Runs a script with `$U` as the server's address.
async fn run(bash: &Bash, server: &Server, script: &str) -> Answer {
    let options = RunOptions { env: vec![(b"U".to_vec(), server.url("").into_bytes())], ..RunOptions::default() };
    bash.run_with(script, options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_allowed_is_fetched_and_recorded() {
    let server = Server::start().await;
    let bash = session(&server);
    let answer =
        run(&bash, &server, "curl -s $U/ok | tr a-z A-Z; curl -sd x=1 -o out $U/echo; wget -q $U/ok; cat ok").await;
    assert_eq!(answer.stdout, "HELLO\nhello\n", "{}", answer.stderr);
    assert_eq!(answer.diff.created, ["ok", "out"]);
    let told: Vec<_> = answer.network.iter().map(|r| (r.method.as_str(), r.status, r.sent, r.received)).collect();
    assert_eq!(told[0], ("GET", Some(200), 0, 6));
    assert_eq!((told[1].0, told[1].1, told[1].2), ("POST", Some(200), 3));
    assert_eq!(told.len(), 3);
    assert_eq!(answer.network[0].url, server.url("/ok"));
    assert_eq!(bash.network_records().len(), 3);
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(json["network"][0]["status"], 200);
    assert!(run(&bash, &server, "true").await.network.is_empty());
    assert!(serde_json::to_value(run(&bash, &server, "true").await).unwrap().get("network").is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_policy_nothing_is_reached() {
    let server = Server::start().await;
    let bash = builder(NetworkPolicy::off()).build().unwrap();
    let answer =
        run(&bash, &server, "curl -s $U/ok; echo $?; wget -q $U/ok; echo $?; echo x > /dev/tcp/127.0.0.1/80").await;
    assert_eq!(answer.stdout, "6\n4\n");
    assert!(
        answer.stderr.contains("curl: (6) network is off for this session (allow it with --allow-net HOST)\n"),
        "{}",
        answer.stderr
    );
    assert!(answer.stderr.contains("wget: network is off"), "{}", answer.stderr);
    assert!(answer.stderr.contains("/dev/tcp"), "{}", answer.stderr);
    assert_ne!(answer.exit_code, 0);
    assert_eq!(server.requests(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_that_are_not_named_are_refused_before_they_are_resolved() {
    let server = Server::start().await;
    let names = Names::with(&[("good.test", &["127.0.0.1"]), ("evil.test", &["127.0.0.1"])]);
    let port = server.port;
    let policy = allow([format!("good.test:{port}"), server.entry()]).resolver(names.clone());
    let bash = builder(policy).build().unwrap();
    let script = format!("
        for host in evil.test good.test.evil.test xgood.test 127.1 0x7f000001 2130706433 '[::ffff:127.0.0.1]' localhost; do
            curl -g -so /dev/null http://$host:{port}/ok 2>/dev/null; printf '%s ' $?
        done
        curl -s $'http://good.test\\0.evil.test:{port}/ok' 2>/dev/null; printf '%s ' $?
        curl -s http://good.test%00.evil.test:{port}/ok 2>/dev/null; printf '%s ' $?
        curl -s 'http://good.test@evil.test:{port}/ok' 2>/dev/null; printf '%s ' $?
        curl -s 'http://good.test\\@evil.test:{port}/ok' 2>/dev/null; printf '%s ' $?
        curl -s http://good.test:1/ok 2>/dev/null; printf '%s\\n' $?");
    let answer = run(&bash, &server, &script).await;
    // bash ends a string at NUL: the second request is for a name that is allowed, at the usual port.
    assert_eq!(answer.stdout, "6 6 6 3 3 3 3 6 6 3 6 6 6\n", "{}", answer.stderr);
    assert_eq!((server.requests(), names.asked.load(Ordering::SeqCst)), (0, 0));
    let answer = run(&bash, &server, &format!("curl -s http://GOOD.Test.:{port}/ok; curl -sS http://evil.test/")).await;
    assert_eq!(answer.stdout, "hello\n", "{}", answer.stderr);
    assert_eq!(
        answer.stderr,
        "curl: (6) evil.test is not allowed by the network policy (allow it with --allow-net evil.test)\n"
    );
    assert_eq!(answer.network[1].error.as_deref().map(|e| e.contains("not allowed")), Some(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redirects_are_checked_each_time() {
    let server = Server::start().await;
    let names = Names::with(&[("good.test", &["127.0.0.1"]), ("evil.test", &["127.0.0.1"])]);
    let port = server.port;
    let bash = builder(allow([format!("good.test:{port}"), server.entry()]).resolver(names)).build().unwrap();
    let script = format!(
        "
        B=http://good.test:{port}
        curl -sL $B/redirect/3; echo $?
        curl -sSL \"$B/to/302?http%3A%2F%2Fevil.test:{port}%2Fok\"; echo $?
        curl -sSL \"$B/to/302?http%3A%2F%2F169.254.169.254%2F\"; echo $?
        curl -sSL \"$B/to/302?file%3A%2F%2F%2Fetc%2Fpasswd\"; echo $?
        curl -sSL --max-redirs 3 $B/loop; echo $?
        curl -sSL $B/loop; echo $?
        curl -s -o /dev/null -w '%{{http_code}} %{{redirect_url}}\\n' $B/redirect/0
        wget -q -O - $B/redirect/1; wget -q \"$B/to/302?http%3A%2F%2Fevil.test:{port}%2Fok\"; echo $?"
    );
    let answer = run(&bash, &server, &script).await;
    let expected = format!("hello\n0\n6\n6\n1\n47\n47\n302 http://good.test:{port}/ok\nhello\n4\n");
    assert_eq!(answer.stdout, expected, "{}", answer.stderr);
    assert!(
        answer.stderr.contains("curl: (6) evil.test")
            && answer.stderr.contains("curl: (47) Maximum (3) redirects followed")
    );
    assert!(!server.heads.lock().unwrap().iter().any(|head| head.contains("Host: evil.test")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_changes_its_address_is_checked_again() {
    let server = Server::start().await;
    let port = server.port;
    // First an address of the internet where nobody answers in time, then this machine.
    let names = Names::with(&[("rebind.test", &["192.0.2.1", "127.0.0.1", "169.254.169.254"])]);
    let bash = builder(allow([format!("rebind.test:{port}")]).resolver(names)).build().unwrap();
    let script =
        format!("for i in 1 2 3; do curl -sS --connect-timeout 0.2 http://rebind.test:{port}/ok; echo $?; done");
    let answer = run(&bash, &server, &script).await;
    assert_eq!(answer.stdout.lines().skip(1).collect::<Vec<_>>(), ["7", "7"], "{}", answer.stderr);
    assert!(answer.stderr.contains("rebind.test has the address 127.0.0.1, which is"), "{}", answer.stderr);
    assert_eq!(server.requests(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn time_and_bytes_are_bounded() {
    let server = Server::start().await;
    let mut limits = Limits::default();
    limits.parse("network=1MiB").unwrap();
    limits.parse("wall=30s").unwrap();
    let bash = builder(allow([server.entry()])).limits(limits).build().unwrap();
    let answer = run(&bash, &server, "curl -sS -m 2 $U/slow; echo $?; curl -sS -m 0.2 $U/silent; echo $?").await;
    assert_eq!(answer.stdout, "slow28\n28\n", "{}", answer.stderr);
    assert!(answer.stderr.contains("with 4 out of 1000 bytes received"), "{}", answer.stderr);
    let answer = run(&bash, &server, "curl -sS $U/endless | wc -c; echo ${PIPESTATUS[0]}").await;
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert!(lines[0].trim().parse::<u64>().unwrap() <= 1 << 20, "{}", answer.stdout);
    assert_eq!(lines[1], "63", "{}", answer.stderr);
    assert!(answer.limit.iter().any(|l| l.contains("network")), "{:?}", answer.limit);
    server.wait_gone(3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_ends_an_endless_download() {
    let server = Server::start().await;
    let mut limits = Limits::default();
    limits.parse("disk=64MiB").unwrap();
    let bash = builder(allow([server.entry()])).limits(limits).build().unwrap();
    let answer = run(&bash, &server, "curl -sS -o big $U/endless; echo $?").await;
    assert_eq!(answer.stdout, "23\n", "{}", answer.stderr);
    assert!(answer.stderr.contains("No space left on device"), "{}", answer.stderr);
    server.wait_gone(1).await;
    let answer = run(&bash, &server, "wget -q -O big2 $U/endless; echo $?").await;
    assert_eq!(answer.stdout, "3\n", "{}", answer.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_closes_its_connection() {
    let server = Server::start().await;
    let bash = session(&server);
    let begun = "until [ -s part ]; do sleep 0.01; done";
    let answer = run(&bash, &server, &format!("curl -s -o part $U/slow & {begun}; kill -9 $!; wait $!; echo $?")).await;
    assert_eq!(answer.stdout, "137\n", "{}", answer.stderr);
    server.wait_gone(1).await;
    assert_eq!((answer.network.len(), answer.network[0].status), (1, Some(200)));
    // One that is left behind ends with the run.
    let answer = run(&bash, &server, &format!("rm part; curl -s -o part $U/slow > /dev/null 2>&1 & {begun}")).await;
    assert_eq!((answer.exit_code, answer.network.len()), (0, 1));
    server.wait_gone(2).await;
    // A run that is cancelled; what had no answer yet is told, too.
    let cancel = CancellationToken::new();
    let options = RunOptions { cancel: Some(cancel.clone()), ..RunOptions::default() };
    let (seen, script) = (server.requests(), format!("curl -s {}", server.url("/silent")));
    let asked = async {
        while server.requests() == seen {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        cancel.cancel();
    };
    let (answer, ()) = tokio::join!(bash.run_with(script, options), asked);
    let answer = answer.unwrap();
    server.wait_gone(3).await;
    assert_eq!((answer.network[0].status, answer.network[0].error.is_some()), (None, true));
    // A reader that goes away ends the writer.
    let answer = run(&bash, &server, "curl -s $U/endless | head -c 10").await;
    assert_eq!(answer.stdout, "xxxxxxxxxx");
    server.wait_gone(4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_never_come_inside() {
    let server = Server::start().await;
    let other = Server::start().await;
    let host = format!("http://{}", server.entry());
    let policy = allow([server.entry(), other.entry()])
        .secret(&format!("API_KEY=s3cret-value@{host}"))
        .unwrap()
        .secret(&format!("header:X-One=hidden-value@{host}"))
        .unwrap();
    let bash = builder(policy).build().unwrap();
    let script = format!(
        "
        env; set; export -p; cat /proc/self/environ
        curl -sv -H \"Authorization: Bearer $API_KEY\" $U/ok 2>&1
        curl -s -d \"k=$API_KEY\" \"$U/status/200?k=$API_KEY\"
        curl -s -H \"Authorization: Bearer $API_KEY\" {}/echo
        curl -sL -H \"X-Two: $API_KEY\" \"$U/to/302?{}\"",
        other.url(""),
        other.url("/echo/2")
    );
    let answer = run(&bash, &server, &script).await;
    let all = format!("{}{}{:?}{:?}", answer.stdout, answer.stderr, answer.state, answer.network);
    assert!(!all.contains("s3cret-value") && !all.contains("hidden-value"), "{all}");
    assert!(answer.stdout.contains("authorization: Bearer __CAPSULE_SECRET_API_KEY__"), "{}", answer.stdout);
    let heads = server.heads.lock().unwrap().clone();
    assert!(
        heads[0].contains("Authorization: Bearer s3cret-value\r\n") && heads[0].contains("X-One: hidden-value"),
        "{}",
        heads[0]
    );
    assert!(heads[1].starts_with("POST /status/200?k=s3cret-value "), "{}", heads[1]);
    assert!(heads[2].contains("X-Two: s3cret-value"), "{}", heads[2]);
    assert!(
        other.heads.lock().unwrap().iter().all(|head| !head.contains("s3cret-value") && !head.contains("hidden-value"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_of_any_size_are_streamed() {
    let server = Server::start().await;
    let bash = session(&server);
    let script = "
        head -c 3000000 /dev/zero | tr '\\0' a > big
        curl -s -T big $U/echo | wc -c
        head -c 2000000 /dev/zero | tr '\\0' b | curl -s -T - $U/echo | wc -c
        curl -s --data-binary @big $U/echo | wc -c
        curl -s -F f=@big -F t=text $U/echo | grep -c BOUNDARY
        curl -s -T big $U/ok > /dev/null; echo $?";
    let answer = run(&bash, &server, script).await;
    let lines: Vec<u64> = answer.stdout.lines().map(|l| l.trim().parse().unwrap()).collect();
    assert!(lines[0] > 3_000_000 && lines[1] > 2_000_000 && lines[2] > 3_000_000, "{lines:?} {}", answer.stderr);
    assert_eq!(lines[3..], [3, 0], "{}", answer.stderr);
    let heads = server.heads.lock().unwrap().clone();
    assert!(
        heads[0].contains("Content-Length: 3000000") && heads[1].contains("Transfer-Encoding: chunked"),
        "{heads:?}"
    );
    assert_eq!(answer.network[0].sent, 3_000_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_done_here_is_refused_with_a_reason() {
    let server = Server::start().await;
    let bash = session(&server);
    for (options, reason) in [
        ("-k", "certificates are always verified"),
        ("--insecure", "certificates are always verified"),
        ("-x http://proxy:3128", "proxies are not used"),
        ("--tls-max 1.2", "chosen with the server"),
        ("--resolve a:80:127.0.0.1", "names are resolved by the session"),
        ("--cacert x", "TLS is the session's"),
    ] {
        let answer = run(&bash, &server, &format!("curl {options} $U/ok")).await;
        assert_eq!(answer.exit_code, 2, "{options}");
        assert!(answer.stderr.contains(reason), "{options}: {}", answer.stderr);
    }
    let answer = run(&bash, &server, "http_proxy=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1 curl -s $U/ok").await;
    assert_eq!(answer.stdout, "hello\n", "proxies of the environment are not used");
    let answer =
        run(&bash, &server, "curl -sS -H 'Host: other.example' $U/ok; echo $?; curl -sS -X $'G ET' $U/ok; echo $?")
            .await;
    assert_eq!(answer.stdout, "43\n43\n", "{}", answer.stderr);
    let answer = run(
        &bash,
        &server,
        "curl -sS -H $'X: y\\r\\nHost: other' $U/ok; echo $?; wget -q --no-check-certificate $U/ok; echo $?",
    )
    .await;
    assert_eq!(answer.stdout, "43\n2\n", "{}", answer.stderr);
    assert_eq!(server.requests(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_choose_no_paths() {
    let server = Server::start().await;
    let bash = session(&server);
    let answer = run(&bash, &server, "mkdir d; cd d; curl -sOJ $U/name; curl -sOJ $U/name; echo $?; wget -q --content-disposition $U/name; ls; ls / | grep -c named").await;
    assert_eq!(answer.stdout, "23\nnamed.txt\nnamed.txt.1\n0\n", "{}", answer.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forks_and_many_requests_share_the_limits() {
    let server = Server::start().await;
    let bash = session(&server);
    let answer = run(&bash, &server, "for i in $(seq 40); do curl -s $U/ok & done | wc -l; wait").await;
    assert_eq!(answer.stdout.trim(), "40", "{}", answer.stderr);
    assert_eq!(answer.network.len(), 40);
    let fork = bash.fork("other").await.unwrap();
    assert!(fork.network_records().is_empty(), "a fork begins its own list");
    assert_eq!(run(&fork, &server, "curl -s $U/ok").await.stdout, "hello\n");
    let answer = run(&bash, &server, "curl -s --retry 2 $U/flaky").await;
    assert_eq!((answer.stdout.as_str(), answer.network.len()), ("busy\nat last\n", 2), "{}", answer.stderr);
    bash.reset().await.unwrap();
    assert_eq!(run(&bash, &server, "curl -s $U/ok").await.stdout, "hello\n", "the policy stays");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_over_ends_its_requests() {
    let server = Server::start().await;
    let bash = session(&server);
    let options = RunOptions { timeout: Some(Duration::from_secs(3)), ..RunOptions::default() };
    let answer = bash.run_with(format!("curl -s {}", server.url("/silent")), options).await.unwrap();
    assert_eq!(answer.exit_code, 137);
    assert_eq!(answer.network.len(), 1);
    server.wait_gone(1).await;
}
