//! `rename` replaces what may be replaced and refuses the rest.
use capsule_sys::{AT_FDCWD, RENAME_EXCHANGE, RENAME_NOREPLACE, link, mkdir, rename, rename_at, stat};
use door_tests::{check, check_eq, fails, get, ok, put};

fn main() {
    put(b"a", b"a");
    put(b"b", b"b");
    ok!(rename(b"a", b"b"));
    check_eq!(get(b"b"), b"a");
    fails!(rename(b"a", b"c"), ENOENT);
    let flagged = |from: &[u8], to: &[u8], flags: u32| rename_at(AT_FDCWD, from, AT_FDCWD, to, flags);
    put(b"c", b"c");
    fails!(flagged(b"b", b"c", RENAME_NOREPLACE), EEXIST);
    ok!(flagged(b"b", b"c", RENAME_EXCHANGE));
    check_eq!((get(b"b"), get(b"c")), (b"c".to_vec(), b"a".to_vec()));
    fails!(flagged(b"b", b"nosuch", RENAME_EXCHANGE), ENOENT);
    fails!(flagged(b"b", b"c", RENAME_EXCHANGE | RENAME_NOREPLACE), EINVAL);
    ok!(flagged(b"b", b"new", RENAME_NOREPLACE));
    ok!(mkdir(b"d", 0o755));
    ok!(mkdir(b"d/sub", 0o755));
    ok!(mkdir(b"e", 0o755));
    ok!(mkdir(b"full", 0o755));
    put(b"full/x", b"");
    fails!(rename(b"d", b"full"), ENOTEMPTY);
    fails!(rename(b"d", b"c"), ENOTDIR);
    fails!(rename(b"c", b"d"), EISDIR);
    fails!(rename(b"d", b"d/sub/x"), EINVAL);
    fails!(rename(b"d/sub", b"d"), ENOTEMPTY);
    ok!(rename(b"d", b"e"));
    check!(stat(b"e/sub").is_ok() && stat(b"d").is_err());
    // Two names of one file: nothing happens, both stay.
    ok!(link(b"c", b"c2", 0));
    ok!(rename(b"c", b"c2"));
    check!(stat(b"c").is_ok() && stat(b"c2").is_ok());
}
