//! Bytes as YAML, TOML, JSON: an error or a value, which can be written in each way.
#![no_main]

use capsule_guest_fuzz::run;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    for from in ["yaml", "toml", "json"] {
        for to in ["yaml", "toml", "json"] {
            run(&["yq", "-p", from, "-o", to, "."], input);
        }
    }
});
