//! Names of 255 bytes, any byte but `/` and NUL; longer names and paths are refused.
use capsule_sys::{mkdir, read_dir, stat};
use door_tests::{check, check_eq, fails, get, ok, put};

fn main() {
    let long = vec![b'n'; 255];
    put(&long, b"long");
    check_eq!(get(&long), b"long");
    fails!(stat(&vec![b'n'; 256]), ENAMETOOLONG);
    fails!(mkdir(&vec![b'n'; 256], 0o755), ENAMETOOLONG);
    let odd: Vec<u8> = (1..=255).filter(|b| *b != b'/').collect();
    put(&odd[..200], b"odd");
    let names: Vec<_> = ok!(read_dir(b".")).map(|e| ok!(e).name).collect();
    check!(names.contains(&odd[..200].to_vec()) && names.contains(&long));
    // 4095 bytes are a path, 4096 are not.
    let path = b"./".repeat(2046);
    let path = [path.as_slice(), b"./."].concat();
    check_eq!(path.len(), 4095);
    ok!(stat(&path));
    fails!(stat(&[path.as_slice(), b"/"].concat()), ENAMETOOLONG);
}
