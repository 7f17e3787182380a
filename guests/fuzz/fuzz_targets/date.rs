//! Bytes as a date and as a format, which must give text again that is a date.
#![no_main]

use capsule_guest_fuzz::{halves, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let (date, format) = halves(input);
    run(&["date", "-f", "-"], date);
    run(&[b"date" as &[u8], b"-u", b"-d", date, &[b"+", format].concat()], b"");
    let (status, seconds) = run(&[b"date" as &[u8], b"-u", b"-d", date, b"+@%s.%N"], b"");
    if status == 0 {
        let (status, again) = run(&[b"date" as &[u8], b"-u", b"-d", seconds.trim_ascii(), b"+@%s.%N"], b"");
        assert_eq!((status, again), (0, seconds));
    }
});
