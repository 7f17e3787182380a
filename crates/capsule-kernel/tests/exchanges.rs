//! HTTP requests as processes see them, with a network that is a closure's worth of code.

mod common;

use capsule_abi::Errno;
use capsule_abi::door::{POLLERR, POLLHUP, POLLIN, POLLOUT};
use capsule_abi::http::{Body, Failure, Fault, Head, Request};
use capsule_abi::limits::{Limit, Limits};
use capsule_abi::process::WaitStatus;
use capsule_abi::signal::Signal;
use capsule_kernel::network::{Answer, AnswerBody, Network, RequestBody};
use capsule_kernel::{BoxFuture, PollFd, Process};
use common::{Machine, OK, Scripts, read, read_all, write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// `echo` sends the body back, `cut` fails in the middle, `endless` and `silent` never end, `panic` does.
#[derive(Default)]
struct Fake {
    alive: Arc<AtomicUsize>,
}

struct Alive(Arc<AtomicUsize>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Pieces {
    left: usize,
    piece: Vec<u8>,
    end: Option<Failure>,
    body: Option<RequestBody>,
    _alive: Alive,
}

impl AnswerBody for Pieces {
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, Failure>> {
        Box::pin(async {
            if let Some(body) = &self.body {
                let mut buf = vec![0; 5000];
                let n = body.read(&mut buf).await.map_err(|_| Failure::new(Fault::BadRequest, "given up"))?;
                buf.truncate(n);
                return Ok((n > 0).then_some(buf));
            }
            if self.left == 0 {
                return self.end.clone().map_or(Ok(None), Err);
            }
            self.left = self.left.saturating_sub(1);
            Ok(Some(self.piece.clone()))
        })
    }
}

impl Network for Fake {
    fn request(&self, request: Request, body: Option<RequestBody>) -> BoxFuture<'static, Result<Answer, Failure>> {
        self.alive.fetch_add(1, Ordering::SeqCst);
        let alive = Alive(self.alive.clone());
        Box::pin(async move {
            let cut = Failure::new(Fault::Cut, "cut");
            let (left, piece, end) = match request.url.as_slice() {
                b"echo" => (0, Vec::new(), None),
                b"cut" => (2, b"part".to_vec(), Some(cut)),
                b"endless" => (usize::MAX, vec![7; 10_000], None),
                b"silent" => std::future::pending().await,
                b"panic" => panic!("a fault of the host"),
                b"large" => (1, Vec::new(), Some(Failure::new(Fault::TooLarge, "too much"))),
                _ => return Err(Failure::new(Fault::Denied, "not allowed")),
            };
            let head = Head { status: 200, ..Head::default() };
            Ok(Answer { head, body: Box::new(Pieces { left, piece, end, body, _alive: alive }) })
        })
    }
}

fn get(url: &str) -> Request {
    Request { method: b"GET".to_vec(), url: url.as_bytes().to_vec(), ..Request::default() }
}

async fn machine<F, R>(limits: Limits, main: F) -> (Machine, Arc<AtomicUsize>)
where
    F: Fn(Arc<Process>) -> R + Send + Sync + 'static,
    R: Future<Output = capsule_kernel::Exit> + Send + 'static,
{
    let network = Fake::default();
    let alive = network.alive.clone();
    (Scripts::default().add("main", main).boot_on(limits, Arc::new(network)), alive)
}

/// Exchanges that were dropped end soon.
async fn none_alive(alive: &AtomicUsize) {
    while alive.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn bodies_stream_both_ways_at_once() {
    let (machine, alive) = machine(Limits::default(), |p: Arc<Process>| async move {
        let request = Request { body: Body::Stream { length: None }, ..get("echo") };
        let fd = p.http_open(request).unwrap();
        assert_eq!(p.http_head(fd).await.unwrap().status, 200);
        let block: Vec<u8> = (0..50_000u32).map(|i| i as u8).collect();
        let mut all = Vec::new();
        for round in 1..=10 {
            write(&p, fd, &block).await.unwrap();
            while all.len() < round * block.len() {
                all.extend(read(&p, fd, 1 << 16).await.unwrap());
            }
        }
        p.http_finish(fd).unwrap();
        assert_eq!(p.http_finish(fd), Err(Errno::EINVAL));
        all.extend(read_all(&p, fd).await.unwrap());
        assert_eq!(all.len(), 500_000);
        assert!(all.iter().enumerate().all(|(i, &b)| b == (i % 50_000) as u8));
        assert_eq!(write(&p, fd, b"late").await, Err(Errno::ENOTCONN));
        assert_eq!(p.http_failure(fd), Ok(None));
        OK
    })
    .await;
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
    none_alive(&alive).await;
}

#[tokio::test]
async fn failures_are_told_after_what_came_before_them() {
    let (machine, _) = machine(Limits::default(), |p: Arc<Process>| async move {
        let fd = p.http_open(get("cut")).unwrap();
        p.http_head(fd).await.unwrap();
        let mut all = Vec::new();
        let error = loop {
            match read(&p, fd, 3).await {
                Ok(block) => all.extend(block),
                Err(errno) => break errno,
            }
        };
        assert_eq!((all.as_slice(), error), (b"partpart".as_slice(), Errno::EIO));
        assert_eq!(p.http_failure(fd).unwrap().unwrap().fault, Fault::Cut);
        let mut polled = [PollFd { fd, events: POLLIN | POLLOUT, revents: 0 }];
        assert_eq!(p.poll(&mut polled, None).await, Ok(1));
        assert_eq!(polled[0].revents, POLLIN | POLLOUT | POLLHUP | POLLERR);
        let fd = p.http_open(get("elsewhere")).unwrap();
        assert_eq!(p.http_head(fd).await, Err(Errno::EIO));
        assert_eq!(p.http_failure(fd).unwrap().unwrap().message, "not allowed");
        let fd = p.http_open(get("panic")).unwrap();
        assert_eq!(p.http_head(fd).await, Err(Errno::EIO));
        assert_eq!(p.http_failure(fd).unwrap().unwrap().fault, Fault::Host);
        assert_eq!(p.http_head(1).await, Err(Errno::ENOTSOCK));
        assert_eq!(p.http_head(99).await, Err(Errno::EBADF));
        let fd = p.http_open(get("large")).unwrap();
        assert!(read_all(&p, fd).await.is_err());
        OK
    })
    .await;
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    assert!(machine.kernel.limit_hits().iter().any(|hit| hit.limit == Limit::Network), "the limit is named");
    machine.assert_empty().await;
}

#[tokio::test]
async fn whoever_is_killed_or_closes_ends_the_exchange() {
    let (machine, alive) = machine(Limits::default(), |p: Arc<Process>| async move {
        let fd = p.http_open(get("endless")).unwrap();
        p.http_head(fd).await.unwrap();
        p.close(fd).unwrap();
        let streamed = Request { body: Body::Stream { length: None }, ..get("echo") };
        let unfinished = p.http_open(streamed).unwrap();
        write(&p, unfinished, b"half").await.unwrap();
        let fd = p.http_open(get("silent")).unwrap();
        let _ = p.http_head(fd).await;
        OK
    })
    .await;
    let (process, _) = machine.start("main", &[]).await;
    while alive.load(Ordering::SeqCst) != 2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    process.post(Signal::KILL);
    assert_eq!(process.ended().await, WaitStatus::Signaled(9));
    machine.assert_empty().await;
    none_alive(&alive).await;
}

#[tokio::test]
async fn requests_cost_memory_of_the_session() {
    let mut limits = Limits::default();
    limits.set(Limit::Memory, 4 << 20);
    let (machine, alive) = machine(limits, |p: Arc<Process>| async move {
        let mut opened = 0;
        let error = loop {
            match p.http_open(get("silent")) {
                Ok(_) => opened += 1,
                Err(errno) => break errno,
            }
        };
        assert_eq!((error, opened), (Errno::ENOMEM, 5));
        let large = Request { body: Body::Bytes(vec![0; 8 << 20]), ..get("silent") };
        assert_eq!(p.http_open(large), Err(Errno::ENOMEM));
        OK
    })
    .await;
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
    none_alive(&alive).await;
}

#[tokio::test]
async fn a_whole_exchange_at_once() {
    let (machine, alive) = machine(Limits::default(), |p: Arc<Process>| async move {
        let failure = p.http(get("cut"), 1 << 20).await.unwrap().unwrap_err();
        assert_eq!(failure.fault, Fault::Cut);
        let failure = p.http(get("endless"), 100_000).await.unwrap().unwrap_err();
        assert_eq!(failure.fault, Fault::TooLarge);
        let (head, body) =
            p.http(Request { body: Body::Stream { length: None }, ..get("echo") }, 10).await.unwrap().unwrap();
        assert_eq!((head.status, body.len()), (200, 0));
        assert_eq!(p.http(get("nowhere"), 10).await.unwrap().unwrap_err().fault, Fault::Denied);
        OK
    })
    .await;
    assert_eq!(machine.run("main", &[]).await.0, WaitStatus::Exited(0));
    machine.assert_empty().await;
    none_alive(&alive).await;
}
