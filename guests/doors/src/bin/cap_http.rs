//! Without a network a request fails and says so; records that are no requests, and descriptors that are none, are refused.
use capsule_abi::wire::Writer;
use capsule_sys::http::{Body, Exchange, Fault, Request};
use capsule_sys::{Errno, POLLIN, PollFd};
use door_tests::{at, cap, check, check_eq, ok};

fn main() {
    let invalid = -Errno::EINVAL.linux();
    let not_one = -Errno::ENOTSOCK.linux();
    let request = Request { method: b"GET".to_vec(), url: b"http://x.example/".to_vec(), ..Request::default() };
    let wire = request.to_wire();

    // Every cut of a record, and one with something behind it.
    for cut in 0..wire.len() {
        check_eq!(cap::http_open(at(&wire), cut as i32), invalid);
    }
    let long = [wire.as_slice(), b"x"].concat();
    check_eq!(cap::http_open(at(&long), long.len() as i32), invalid);
    // Lengths and counts that lie.
    let mut lying = Writer::default();
    lying.u32(u32::MAX);
    let lying = lying.finish();
    check_eq!(cap::http_open(at(&lying), lying.len() as i32), invalid);
    let mut many = Writer::default();
    many.bytes(b"GET").bytes(b"http://x/").u32(u32::MAX);
    let many = many.finish();
    check_eq!(cap::http_open(at(&many), many.len() as i32), invalid);

    // What is no request.
    let mut buf = [0u8; 256];
    check_eq!(cap::http_finish(1), not_one);
    check_eq!(cap::http_head(1, at(&buf), 256), not_one);
    check_eq!(cap::http_error(1, at(&buf), 256), not_one);
    check_eq!(cap::http_finish(99), -Errno::EBADF.linux());
    check_eq!(cap::http_head(-1, at(&buf), 256), -Errno::EBADF.linux());

    // One that is off.
    let exchange = ok!(Exchange::begin(&request));
    check!(exchange.head().is_err());
    let failure = exchange.failure().expect("a failure");
    check_eq!(failure.fault, Fault::Off);
    check!(failure.message.starts_with("network is off"));
    check_eq!(capsule_sys::read(exchange.fd(), &mut buf), Err(Errno::EIO));
    check_eq!(capsule_sys::write(exchange.fd(), b"x"), Err(Errno::ENOTCONN));
    check_eq!(exchange.finish(), Err(Errno::EINVAL));
    let mut polled = [PollFd { fd: exchange.fd(), events: POLLIN, revents: 0 }];
    check_eq!(ok!(capsule_sys::poll(&mut polled, -1)), 1);
    check!(polled[0].revents & POLLIN != 0);
    // A buffer that is too small is not written to; the length is told.
    let small = [7u8; 4];
    check!(cap::http_error(exchange.fd(), at(&small), 4) > 4);
    check_eq!(std::hint::black_box(small), [7u8; 4]);

    // A streamed body that nobody takes: the writer is told, and not ended by PIPE.
    let streamed = Request { body: Body::Stream { length: None }, ..request };
    let exchange = ok!(Exchange::begin(&streamed));
    check!(exchange.head().is_err());
    check_eq!(capsule_sys::write_all(exchange.fd(), &[0; 200_000]), Err(Errno::ENOTCONN));
    ok!(exchange.finish());
    check_eq!(exchange.finish(), Err(Errno::EINVAL));
    // Many at once are bounded by the session's memory and descriptors, not by the host's.
    let mut all = Vec::new();
    for _ in 0..100 {
        match Exchange::begin(&streamed) {
            Ok(exchange) => all.push(exchange),
            Err(errno) => {
                check!([Errno::ENOMEM, Errno::EMFILE, Errno::ENFILE].contains(&errno));
                break;
            }
        }
    }
}
