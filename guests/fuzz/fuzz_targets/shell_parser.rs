//! Bytes as a script; the test `random_bytes` of the shell says what must hold.
#![no_main]

#[path = "../../bash/tests/random_bytes/mod.rs"]
#[allow(dead_code)]
mod bytes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| bytes::parse_anything(input));
