//! Waiting for nothing is refused, and so are events nobody knows.
use door_tests::{p1, refused};

fn main() {
    refused!(p1::poll(&[]), INVAL);
    refused!(p1::poll(&[p1::fd_subscription(0, 77, 0)]), INVAL);
}
