//! Records that end early or hold nonsense are refused.
use capsule_sys::SpawnRequest;
use door_tests::{again, at, cap, check, check_eq};

fn main() {
    if !cfg!(target_arch = "wasm32") {
        return;
    }
    let invalid = -capsule_sys::Errno::EINVAL.linux();
    let wire = again(&[b"x"]).to_wire();
    for cut in 0..wire.len() {
        check_eq!(cap::spawn(at(wire.as_slice()), cut as i32), invalid);
    }
    // A count that claims far more than is there.
    let mut huge = wire.clone();
    let path = 4 + u32::from_le_bytes([wire[0], wire[1], wire[2], wire[3]]) as usize;
    huge[path..path + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    check_eq!(cap::spawn(at(huge.as_slice()), huge.len() as i32), invalid);
    check_eq!(cap::exec(at(huge.as_slice()), huge.len() as i32), invalid);
    let nul = SpawnRequest { path: b"/bin/\0x".to_vec(), ..again(&[]) };
    check!(capsule_sys::spawn(&nul).is_err());
    check!(capsule_sys::stat(b"a\0b").is_err());
    check!(capsule_sys::signal_action(capsule_sys::Signal::KILL, capsule_sys::Disposition::Catch).is_err());
}
