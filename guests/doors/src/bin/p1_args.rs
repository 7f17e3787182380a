//! `args_get` hands out the arguments byte for byte, in order, each with its NUL.
use capsule_sys::WaitStatus;
use door_tests::{at_mut, check, check_eq, p1, program, respawn, role};

fn main() {
    let strange: [&[u8]; 4] = [b"child", b"", b"a b", b"\xff\xfe"];
    if role().is_none() {
        check_eq!(respawn(&strange, Vec::new()), WaitStatus::Exited(0));
        return;
    }
    let (mut count, mut size) = (0u32, 0u32);
    check_eq!(p1::args_sizes_get(at_mut(&mut count), at_mut(&mut size)), 0);
    check_eq!(count, 5);
    let want = [program().as_slice(), strange[0], strange[1], strange[2], strange[3]].join(&0);
    check_eq!(size as usize, want.len() + 1);
    let mut pointers = [0u32; 5];
    let mut bytes = vec![1u8; size as usize];
    check_eq!(p1::args_get(at_mut(&mut pointers), at_mut(bytes.as_mut_slice())), 0);
    check_eq!(bytes[..want.len()], want);
    check_eq!(bytes[want.len()], 0);
    check_eq!(pointers[0], bytes.as_ptr() as usize as u32);
    check!(pointers.is_sorted());
}
