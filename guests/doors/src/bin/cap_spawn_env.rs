//! A spawned program gets exactly the environment it was given, in order.
use capsule_sys::{SpawnRequest, WaitStatus, environ, getenv, spawn};
use door_tests::{again, check_eq, ok, role, wait_for};

fn main() {
    let env = [b"B=2".to_vec(), b"A=1=1".to_vec(), b"EMPTY=".to_vec(), b"BYTES=\xff".to_vec()];
    if role().is_some() {
        check_eq!(environ(), env);
        check_eq!(getenv(b"A"), Some(b"1=1".to_vec()));
        check_eq!(getenv(b"EMPTY"), Some(Vec::new()));
        check_eq!(getenv(b"NONE"), None);
        return;
    }
    let pid = ok!(spawn(&SpawnRequest { env: env.to_vec(), ..again(&[b"child"]) }));
    check_eq!(wait_for(pid), WaitStatus::Exited(0));
}
