//! Lines as an expression of find, about a folder with one file.
#![no_main]

use capsule_guest_fuzz::{arguments, file, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let path = file("text", b"text\n");
    let path = String::from_utf8_lossy(&path);
    run(&arguments(&["find", &path], input), b"");
});
