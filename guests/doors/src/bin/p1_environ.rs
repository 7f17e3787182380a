//! `environ_get` hands out the environment byte for byte, in order.
use capsule_sys::{SpawnRequest, WaitStatus, spawn};
use door_tests::{again, at_mut, check_eq, ok, p1, role, wait_for};

fn main() {
    let env = [b"B=2".to_vec(), b"A=1".to_vec(), b"BYTES=\xff".to_vec()];
    if role().is_none() {
        let pid = ok!(spawn(&SpawnRequest { env: env.to_vec(), ..again(&[b"child"]) }));
        check_eq!(wait_for(pid), WaitStatus::Exited(0));
        return;
    }
    let (mut count, mut size) = (0u32, 0u32);
    check_eq!(p1::environ_sizes_get(at_mut(&mut count), at_mut(&mut size)), 0);
    check_eq!((count, size), (3, 4 + 4 + 8));
    let mut pointers = [0u32; 3];
    let mut bytes = vec![1u8; size as usize];
    check_eq!(p1::environ_get(at_mut(&mut pointers), at_mut(bytes.as_mut_slice())), 0);
    check_eq!(bytes, b"B=2\0A=1\0BYTES=\xff\0");
}
