//! Lines as the words of an expression: true, false, or an error, by their statuses.
#![no_main]

use capsule_guest_fuzz::{arguments, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    assert!(run(&arguments(&["test"], input), b"").0 <= 2);
    assert!(run(&arguments(&["["], input), b"").0 <= 2);
    assert!(run(&arguments(&["expr"], input), b"").0 <= 3);
});
