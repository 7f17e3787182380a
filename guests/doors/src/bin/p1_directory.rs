//! Directories are created and removed; what is in the way is said.
use door_tests::{check_eq, ok, p1, refused};

fn main() {
    let dir = p1::here();
    ok!(p1::mkdir(dir, b"d"));
    refused!(p1::mkdir(dir, b"d"), EXIST);
    refused!(p1::mkdir(dir, b"no/such"), NOENT);
    p1::create(dir, b"f", b"");
    refused!(p1::mkdir(dir, b"f"), EXIST);
    refused!(p1::mkdir(dir, b"f/x"), NOTDIR);
    ok!(p1::mkdir(dir, b"d/e"));
    refused!(p1::rmdir(dir, b"d"), NOTEMPTY);
    refused!(p1::rmdir(dir, b"f"), NOTDIR);
    refused!(p1::rmdir(dir, b"nosuch"), NOENT);
    refused!(p1::unlink(dir, b"d"), ISDIR);
    ok!(p1::rmdir(dir, b"d/e"));
    ok!(p1::rmdir(dir, b"d"));
    check_eq!(ok!(p1::names(dir, 4096)), [b"f".to_vec()]);
}
