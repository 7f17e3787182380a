//! A text, NUL, and a script that edits it.
#![no_main]

use capsule_guest_fuzz::{count, file, halves, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let (text, script) = halves(input);
    if script.len() < 500 && count(script, "tms&") <= 20 {
        run(&[b"ed" as &[u8], b"-s", &file("text", text)], script);
    }
});
