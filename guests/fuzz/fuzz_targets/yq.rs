//! Bytes in each format yq reads: an error or a value, which can be written in each way.
#![no_main]

use capsule_guest_fuzz::run;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    for from in ["yaml", "toml", "json", "xml", "csv", "tsv", "props"] {
        for to in ["yaml", "toml", "json", "xml", "csv", "tsv", "props", "shell"] {
            run(&["yq", "-p", from, "-o", to, "."], input);
        }
    }
});
