//! Directories are made, listed, and removed when empty.
use capsule_sys::{Dir, FileType, mkdir, read_dir, rmdir, stat, symlink};
use door_tests::{check_eq, fails, ok, put};

fn names(dir: Dir) -> Vec<(Vec<u8>, FileType)> {
    let mut all: Vec<_> = dir.map(|e| ok!(e)).map(|e| (e.name, e.kind)).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

fn main() {
    ok!(mkdir(b"d", 0o755));
    fails!(mkdir(b"d", 0o755), EEXIST);
    fails!(mkdir(b"no/such", 0o755), ENOENT);
    ok!(mkdir(b"slash/", 0o755));
    check_eq!(names(ok!(read_dir(b"d"))), []);
    put(b"d/f", b"");
    ok!(mkdir(b"d/e", 0o755));
    ok!(symlink(b"f", b"d/l"));
    let want =
        [(b"e".to_vec(), FileType::Directory), (b"f".to_vec(), FileType::Regular), (b"l".to_vec(), FileType::Symlink)];
    check_eq!(names(ok!(read_dir(b"d"))), want);
    fails!(rmdir(b"d"), ENOTEMPTY);
    fails!(rmdir(b"d/f"), ENOTDIR);
    fails!(rmdir(b"d/e/."), EINVAL);
    fails!(rmdir(b"d/e/.."), ENOTEMPTY);
    ok!(rmdir(b"d/e"));
    fails!(rmdir(b"d/e"), ENOENT);
    // Far more than one block of entries.
    ok!(mkdir(b"many", 0o755));
    for i in 0..3000 {
        put(format!("many/a-rather-long-name-{i:05}").as_bytes(), b"");
    }
    let all = names(ok!(read_dir(b"many")));
    check_eq!(all.len(), 3000);
    check_eq!(all[2999].0, b"a-rather-long-name-02999");
    check_eq!(ok!(stat(b"many")).nlink, 2);
}
