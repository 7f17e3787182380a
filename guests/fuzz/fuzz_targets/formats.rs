//! Lines as a format and its arguments, for each command that takes one.
#![no_main]

use capsule_guest_fuzz::{arguments, file, has_long_number, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // Widths are what they say.
    if has_long_number(input, 4) {
        return;
    }
    run(&arguments(&["printf", "--"], input), b"");
    run(&arguments(&["seq", "-f"], input), b"");
    run(&arguments(&["numfmt", "--format"], input), b"1 2K 3.5\n");
    run(&arguments(&["numfmt"], input), b"1 2K 3.5\n");
    let path = file("text", b"text\n");
    run(&[b"stat" as &[u8], b"-c", input, &path], b"");
    run(&[b"stat" as &[u8], b"--printf", input, &path], b"");
    run(&[b"find" as &[u8], &path[..], b"-printf", input], b"");
    run(&[b"hexdump" as &[u8], b"-e", input], b"some bytes");
    run(&[b"od" as &[u8], b"-t", input], b"some bytes");
});
