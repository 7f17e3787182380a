// expect: 1
//! A status of one.
fn main() {
    capsule_sys::exit(1);
}
