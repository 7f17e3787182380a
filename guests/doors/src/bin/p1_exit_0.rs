//! The status of a program that ends well.
fn main() {
    capsule_sys::exit(0);
}
