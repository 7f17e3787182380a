// expect: 255
//! The largest status.
fn main() {
    capsule_sys::exit(255);
}
