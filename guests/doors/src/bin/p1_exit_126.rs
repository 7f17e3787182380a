// expect: 126
//! Statuses from 126 on are nothing special to the door.
fn main() {
    capsule_sys::exit(126);
}
