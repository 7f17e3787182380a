//! A cookie goes on exactly behind its entry, however often it is used.
use door_tests::{check_eq, ok, p1, put};

fn main() {
    for i in 0..20 {
        put(format!("f{i:02}").as_bytes(), b"");
    }
    let dir = p1::here();
    let (all, _) = ok!(p1::readdir(dir, 65_536, 0));
    for (i, entry) in all.iter().enumerate() {
        for _ in 0..2 {
            let (rest, _) = ok!(p1::readdir(dir, 65_536, entry.next));
            check_eq!(rest, all[i + 1..]);
        }
    }
}
