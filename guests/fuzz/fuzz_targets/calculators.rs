//! Bytes as a program of bc and of dc. What may rightly loop, or is asked for with many digits, is not tried.
#![no_main]

use capsule_guest_fuzz::{contains, count, has_long_number, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if input.len() > 200 || has_long_number(input, 2) || count(input, "*^|") > 8 {
        return;
    }
    if !["while", "for", "define"].iter().any(|word| contains(input, word)) {
        run(&["bc", "-q"], input);
        run(&["bc", "-lq"], input);
    }
    if count(input, "x<>=?") == 0 && count(input, "d*^|") <= 8 {
        run(&["dc", "-"], input);
    }
});
