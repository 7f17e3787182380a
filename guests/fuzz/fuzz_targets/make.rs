//! Bytes as a makefile, of which nothing is made. References that double each other grow with their number.
#![no_main]

use capsule_guest_fuzz::{count, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if count(input, "$") <= 20 {
        run(&["make", "-n", "-f", "-"], input);
        run(&["make", "-nrR", "-f", "-"], input);
    }
});
