//! A file that begins with `#!` is run by the interpreter it names, with one argument and its own path.
use capsule_sys::{SpawnRequest, WaitStatus, args, chmod, exit, spawn};
use door_tests::{again, check, check_eq, fails, ok, put, self_path, wait_for};

fn main() {
    if let [_, first, script, rest @ ..] = args().as_slice() {
        check_eq!(first.as_slice(), b"one and two");
        check!(script.ends_with(b"script"));
        check_eq!(rest, [b"x".to_vec(), b"y z".to_vec()]);
        exit(9);
    }
    put(b"script", &[b"#! ", self_path().as_slice(), b" one and two \nrest\n"].concat());
    ok!(chmod(b"script", 0o755));
    let argv = vec![b"ignored".to_vec(), b"x".to_vec(), b"y z".to_vec()];
    let pid = ok!(spawn(&SpawnRequest { path: b"./script".to_vec(), argv, ..again(&[]) }));
    check_eq!(wait_for(pid), WaitStatus::Exited(9));
    put(b"lost", b"#!/no/such/interpreter\n");
    ok!(chmod(b"lost", 0o755));
    fails!(spawn(&SpawnRequest { path: b"lost".to_vec(), ..again(&[]) }), ENOENT);
}
