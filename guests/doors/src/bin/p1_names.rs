//! Names of 255 bytes are names, of 256 are not; paths end below 4096 bytes.
use door_tests::{check_eq, ok, p1, refused};

fn main() {
    let dir = p1::here();
    let long = vec![b'n'; 255];
    ok!(p1::open(dir, &long, p1::OFLAGS_CREAT));
    refused!(p1::open(dir, &vec![b'n'; 256], p1::OFLAGS_CREAT), NAMETOOLONG);
    refused!(p1::mkdir(dir, &vec![b'n'; 256]), NAMETOOLONG);
    check_eq!(ok!(p1::names(dir, 4096)), [long]);
    let path = [b"./".repeat(2046).as_slice(), b"./."].concat();
    check_eq!(path.len(), 4095);
    ok!(p1::stat(dir, &path));
    refused!(p1::stat(dir, &[path.as_slice(), b"/"].concat()), NAMETOOLONG);
    ok!(p1::symlink(&vec![b'x'; 4095], dir, b"l"));
    refused!(p1::symlink(&vec![b'x'; 4096], dir, b"m"), NAMETOOLONG);
}
