//! The working directory: changed, told, followed when it is renamed, gone when it is removed.
use capsule_sys::{Errno, chdir, getcwd, mkdir, rename, rmdir, stat, symlink};
use door_tests::{check, check_eq, fails, ok, put};

fn main() {
    let start = ok!(getcwd());
    check!(start.starts_with(b"/"));
    ok!(mkdir(b"a", 0o755));
    ok!(mkdir(b"a/b", 0o755));
    ok!(chdir(b"a/b"));
    check_eq!(ok!(getcwd()), [start.as_slice(), b"/a/b"].concat());
    ok!(rename(b"../../a", b"../../c"));
    check_eq!(ok!(getcwd()), [start.as_slice(), b"/c/b"].concat());
    put(b"here", b"");
    check!(stat(&[start.as_slice(), b"/c/b/here"].concat()).is_ok());
    fails!(chdir(b"here"), ENOTDIR);
    fails!(chdir(b"nosuch"), ENOENT);
    fails!(chdir(b""), ENOENT);
    ok!(chdir(b"/"));
    check_eq!(ok!(getcwd()), b"/");
    ok!(chdir(b"/../.."));
    check_eq!(ok!(getcwd()), b"/");
    ok!(chdir(&start));
    // Through a link, the real place is told.
    ok!(symlink(b"c", b"link"));
    ok!(chdir(b"link"));
    check_eq!(ok!(getcwd()), [start.as_slice(), b"/c"].concat());
    ok!(chdir(&start));
    ok!(mkdir(b"gone", 0o755));
    ok!(chdir(b"gone"));
    ok!(rmdir(b"../gone"));
    check_eq!(getcwd(), Err(Errno::ENOENT));
    fails!(mkdir(b"x", 0o755), ENOENT);
    ok!(chdir(b".."));
    check_eq!(ok!(getcwd()), start);
}
