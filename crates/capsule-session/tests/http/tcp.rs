//! `/dev/tcp`: bash's connections, under the policy.

use super::server::Names;
use super::{allow, builder};
use capsule_abi::limits::Limits;
use capsule_session::{Answer, Bash, NetworkPolicy, RunOptions};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Does what the first line asks: `echo` sends lines back until the end, `endless` sends for ever, `silent` nothing, `bye`
/// a line and then the end of its side.
#[derive(Clone)]
struct Peer {
    port: u16,
    /// All that was sent to it on connections that are over.
    heard: Arc<Mutex<Vec<String>>>,
    met: Arc<AtomicUsize>,
}

impl Peer {
    async fn start() -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let peer = Peer { port: listener.local_addr().unwrap().port(), heard: Arc::default(), met: Arc::default() };
        let own = peer.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                own.met.fetch_add(1, Ordering::SeqCst);
                let own = own.clone();
                tokio::spawn(async move { own.serve(BufReader::new(stream)).await });
            }
        });
        peer
    }

    async fn serve(&self, mut stream: BufReader<TcpStream>) {
        let mut heard = String::new();
        let _ = stream.read_line(&mut heard).await;
        match heard.trim() {
            "echo" => loop {
                let mut line = String::new();
                match stream.read_line(&mut line).await {
                    Ok(n) if n > 0 => {
                        heard += &line;
                        let _ = stream.write_all(format!("<{}>\n", line.trim_end()).as_bytes()).await;
                    }
                    _ => break,
                }
            },
            "endless" => while stream.write_all(&[b'x'; 4096]).await.is_ok() {},
            "bye" => {
                let _ = stream.write_all(b"goodbye\n").await;
                let _ = stream.shutdown().await;
                let _ = stream.read_to_string(&mut heard).await;
            }
            _ => {
                let _ = stream.read_to_string(&mut heard).await;
            }
        }
        self.heard.lock().unwrap().push(heard);
    }

    /// Waits until so many connections are over.
    async fn wait_over(&self, count: usize) -> Vec<String> {
        for _ in 0..2000 {
            let heard = self.heard.lock().unwrap().clone();
            if heard.len() >= count {
                return heard;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{count} connections should be over: {:?}", self.heard.lock().unwrap());
    }

    fn entry(&self) -> String {
        format!("tcp://127.0.0.1:{}", self.port)
    }

    fn session(&self) -> Bash {
        builder(allow([self.entry()])).build().unwrap()
    }

    /// `$T` is the name of the connection.
    async fn run(&self, bash: &Bash, script: &str) -> Answer {
        let target = format!("/dev/tcp/127.0.0.1/{}", self.port).into_bytes();
        let options = RunOptions { env: vec![(b"T".to_vec(), target)], ..RunOptions::default() };
        bash.run_with(script, options).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_allowed_is_talked_to_and_recorded() {
    let peer = Peer::start().await;
    let bash = peer.session();
    let script = "exec 3<>$T; echo echo >&3; echo one >&3; read -r a <&3; echo two >&3; read -r b <&3; echo $a $b
        (echo sub >&3); read -t 5 c <&3; echo $c; cat <&3 & echo last >&3; sleep 0.2; kill $!; exec 3>&-";
    let answer = peer.run(&bash, script).await;
    assert_eq!(answer.stdout, "<one> <two>\n<sub>\n<last>\n", "{}", answer.stderr);
    assert_eq!(peer.wait_over(1).await, ["echo\none\ntwo\nsub\nlast\n"]);
    let told = &answer.network[0];
    assert_eq!((told.method.as_str(), told.status, told.sent, told.received), ("CONNECT", None, 22, 25));
    assert_eq!((&told.url, &told.error), (&peer.entry(), &None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_written_before_closing_arrives() {
    let peer = Peer::start().await;
    let bash = peer.session();
    let answer = peer.run(&bash, "{ echo silent; head -c 300000 /dev/zero | tr '\\0' a; } > $T; echo $?").await;
    assert_eq!(answer.stdout, "0\n", "{}", answer.stderr);
    assert_eq!(peer.wait_over(1).await[0].len(), 7 + 300_000);
    // The other side has ended, and this one goes on.
    let answer = peer.run(&bash, "exec 3<>$T; echo bye >&3; cat <&3; echo still >&3; echo $?; exec 3>&-").await;
    assert_eq!(answer.stdout, "goodbye\n0\n", "{}", answer.stderr);
    assert_eq!(peer.wait_over(2).await[1], "bye\nstill\n");
    assert_eq!(peer.run(&bash, "echo silent > $T; echo $(echo bye >&3; cat <&3) 3<>$T").await.exit_code, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_named_with_tcp_is_refused() {
    let peer = Peer::start().await;
    let port = peer.port;
    let names = Names::with(&[("inside.test", &["127.0.0.1"]), ("meta.test", &["169.254.169.254"])]);
    let policies = [
        NetworkPolicy::off(),
        allow([format!("127.0.0.1:{port}")]),
        allow([format!("http://127.0.0.1:{port}"), format!("https://127.0.0.1:{port}"), "*".into()]),
        allow(["tcp://127.0.0.1:1".to_owned(), "tcp://*:80".to_owned()]),
    ];
    for policy in policies {
        let off = policy.is_off();
        let bash = builder(policy).build().unwrap();
        let answer = peer.run(&bash, "exec 3<>$T; echo $?; echo x > $T || echo failed; [ -e $T ]; echo $?").await;
        assert_eq!(answer.stdout, "1\nfailed\n1\n", "{}", answer.stderr);
        let why = if off { "network is off for this session" } else { "is not allowed by the network policy" };
        let line = answer.stderr.lines().next().unwrap_or_default();
        assert!(line.starts_with("bash: ") && line.contains("/dev/tcp/127.0.0.1/"), "{}", answer.stderr);
        assert!(line.contains(why), "{}", answer.stderr);
    }
    // A name of the policy that has an address of this machine, or of another network.
    let policy = allow([format!("tcp://inside.test:{port}"), "tcp://meta.test:80".into()]).resolver(names.clone());
    let bash = builder(policy).build().unwrap();
    let script = format!(": > /dev/tcp/inside.test/{port}; : > /dev/tcp/meta.test/80; : > /dev/tcp/other.test/80");
    let answer = peer.run(&bash, &script).await;
    assert!(answer.stderr.contains("inside.test has the address 127.0.0.1, which is"), "{}", answer.stderr);
    assert!(answer.stderr.contains("meta.test has the address 169.254.169.254, which is"), "{}", answer.stderr);
    assert_eq!(names.asked.load(Ordering::SeqCst), 2, "other.test was asked for");
    // Other spellings, and what is no TCP.
    let script = "for t in tcp/127.1 tcp/2130706433 tcp/0x7f000001 tcp/localhost tcp/127.0.0.1:80@x tcp/::ffff:127.0.0.1 udp/127.0.0.1; do
        : > /dev/$t/$P && echo reached $t; done; : > /dev/udp/127.0.0.1/53";
    let bash = builder(allow([peer.entry()])).build().unwrap();
    let answer = peer.run(&bash, &format!("P={port}; {script}")).await;
    assert_eq!(answer.stdout, "");
    assert!(answer.stderr.contains("/dev/udp is not supported"), "{}", answer.stderr);
    assert_eq!(peer.met.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_is_resolved_once_for_a_connection_and_again_for_the_next() {
    let peer = Peer::start().await;
    let names = Names::with(&[("rebind.test", &["127.0.0.1", "10.0.0.1"])]);
    let policy = allow([format!("tcp://rebind.test:{}", peer.port), peer.entry()]).resolver(names.clone());
    let bash = builder(policy).build().unwrap();
    let script = format!("T=/dev/tcp/rebind.test/{}; echo silent > $T; echo $?; echo silent > $T; echo $?", peer.port);
    let answer = peer.run(&bash, &script).await;
    assert_eq!(answer.stdout, "0\n1\n", "{}", answer.stderr);
    assert!(answer.stderr.contains("rebind.test has the address 10.0.0.1"), "{}", answer.stderr);
    assert_eq!((peer.wait_over(1).await.len(), names.asked.load(Ordering::SeqCst)), (1, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn peers_that_are_dead_silent_or_endless() {
    let peer = Peer::start().await;
    let dead = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let mut limits = Limits::default();
    limits.parse("network=1MiB").unwrap();
    limits.parse("wall=30s").unwrap();
    let policy = allow([format!("tcp://127.0.0.1:{dead}"), peer.entry()]);
    let bash = builder(policy).limits(limits).build().unwrap();
    let answer = peer.run(&bash, &format!("echo x > /dev/tcp/127.0.0.1/{dead}; echo $?")).await;
    assert_eq!(answer.stdout, "1\n");
    assert!(answer.stderr.contains("connect: Connection refused\n"), "{}", answer.stderr);
    assert!(answer.stderr.ends_with(&format!("/dev/tcp/127.0.0.1/{dead}: Connection refused\n")), "{}", answer.stderr);
    // Killed while it waits for what never comes.
    let answer =
        peer.run(&bash, "exec 3<>$T; echo silent >&3; (read x <&3) & sleep 0.1; kill $!; wait $!; echo $?").await;
    assert_eq!(answer.stdout, "143\n", "{}", answer.stderr);
    let answer = peer.run(&bash, "exec 3<>$T; echo silent >&3; read -t 0.1 x <&3; echo $(($? > 128))").await;
    assert_eq!(answer.stdout, "1\n", "{}", answer.stderr);
    peer.wait_over(2).await;
    let options = RunOptions { timeout: Some(Duration::from_secs(1)), ..RunOptions::default() };
    let answer = bash.run_with(format!("cat < /dev/tcp/127.0.0.1/{}", peer.port), options).await.unwrap();
    assert_eq!(answer.exit_code, 137);
    peer.wait_over(3).await;
    // Nobody reads: the sender waits, and the end of the run closes.
    let answer = peer.run(&bash, "exec 3<>$T; echo endless >&3; head -c 5 <&3").await;
    assert_eq!(answer.stdout, "xxxxx", "{}", answer.stderr);
    peer.wait_over(4).await;
    let answer = peer.run(&bash, "exec 3<>$T; echo endless >&3; cat <&3 | wc -c").await;
    assert!(answer.stdout.trim().parse::<u64>().unwrap() <= 1 << 20, "{}", answer.stdout);
    assert!(answer.limit.iter().any(|l| l.contains("network")), "{:?}", answer.limit);
    peer.wait_over(5).await;
}
