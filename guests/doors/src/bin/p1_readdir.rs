//! Directories are read with buffers of any size; an entry that does not fit whole comes again.
use door_tests::{check, check_eq, ok, p1, put, refused};

fn main() {
    let dir = p1::here();
    ok!(p1::mkdir(dir, b"d"));
    let d = ok!(p1::open(dir, b"d", p1::OFLAGS_DIRECTORY));
    check_eq!(ok!(p1::names(d, 4096)).len(), 0);
    let mut want = Vec::new();
    for i in 0..50 {
        let name = format!("name-{i:02}");
        put(format!("d/{name}").as_bytes(), b"");
        want.push(name.into_bytes());
    }
    for size in [40, 64, 100, 333, 4096, 65_536] {
        check_eq!(ok!(p1::names(d, size)), want);
    }
    // Less than an entry: what fits of it, and the buffer is said to be full.
    check_eq!(ok!(p1::readdir(d, 10, 0)).1, 10);
    check_eq!(ok!(p1::readdir(d, 0, 0)).1, 0);
    let (entries, _) = ok!(p1::readdir(d, 4096, 0));
    check!(entries.iter().any(|e| e.name == b"." && e.filetype == p1::FILETYPE_DIRECTORY));
    check!(entries.iter().any(|e| e.name == b".."));
    let file = entries.iter().find(|e| e.name == b"name-07");
    let stat = ok!(p1::stat(d, b"name-07"));
    check_eq!(file.map(|e| (e.ino, e.filetype)), Some((stat.ino, p1::FILETYPE_REGULAR_FILE)));
    let f = p1::create(dir, b"f", b"");
    refused!(p1::readdir(f, 100, 0), NOTDIR);
    refused!(p1::readdir(99, 100, 0), BADF);
}
