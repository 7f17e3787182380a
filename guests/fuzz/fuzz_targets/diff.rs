//! Two texts: what diff tells makes patch turn the first into the second, in each of its ways.
#![no_main]

use capsule_guest_fuzz::{file, halves, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let (first, second) = halves(input);
    let (a, b) = (file("a", first), file("b", second));
    for option in ["-a", "-ac", "-au", "-aU0", "-ad", "-auH"] {
        let (status, patch) = run(&[b"diff" as &[u8], option.as_bytes(), &a, &b], b"");
        assert_eq!(status, u8::from(first != second));
        if status == 1 {
            let (status, patched) = run(&[b"patch" as &[u8], b"--binary", b"-fo", b"-", &a], &patch);
            assert_eq!((status, &patched[..]), (0, second), "{option}");
        }
    }
    for option in ["-y", "-w", "-B", "-i", "-Z", "-e", "-n", "-q", "-I.", "-Du", "-p", "-tT", "--suppress-common-lines"]
    {
        run(&[b"diff" as &[u8], option.as_bytes(), &a, &b], b"");
    }
    run(&[b"diff3" as &[u8], &a[..], &b, &a], b"");
    run(&[b"diff3" as &[u8], b"-m", &a, &a, &b], b"");
    run(&[b"cmp" as &[u8], b"-l", &a, &b], b"");
    run(&[b"comm" as &[u8], &a[..], &b], b"");
    run(&[b"join" as &[u8], &a[..], &b], b"");
});
