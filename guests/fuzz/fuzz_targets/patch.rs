//! A text, NUL, and a patch for it, of whatever kind.
#![no_main]

use capsule_guest_fuzz::{file, halves, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let (text, patch) = halves(input);
    let path = file("text", text);
    for kind in ["-f", "-fu", "-fc", "-fn", "-fe", "-fR", "-fl"] {
        run(&[b"patch" as &[u8], b"-o", b"-", kind.as_bytes(), &path[..]], patch);
    }
});
