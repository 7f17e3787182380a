//! Bytes as a file of options, and as an address. Nothing is reached: there is no such door natively.
#![no_main]

use capsule_guest_fuzz::run;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    run(&["curl", "-K", "-"], input);
    run(&[b"curl" as &[u8], input], b"");
    run(&[b"curl" as &[u8], b"-G", b"-d", input, b"--json", input, b"-w", input, b"http://a/"], b"");
    run(&[b"wget" as &[u8], input], b"");
});
