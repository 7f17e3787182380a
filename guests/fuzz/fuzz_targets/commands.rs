//! Which command, its arguments a line each, NUL, and its input. Left out is what rightly waits, or has a target here.
#![no_main]

use capsule_guest_fuzz::{arguments, halves, has_long_number, run};
use libfuzzer_sys::fuzz_target;

const LEFT_OUT: [&str; 15] =
    ["awk", "bc", "dc", "ed", "gawk", "jq", "make", "sed", "shred", "sleep", "tail", "tee", "top", "watch", "yes"];

fuzz_target!(|input: &[u8]| {
    let [which, rest @ ..] = input else { return };
    let (lines, text) = halves(rest);
    let applet = &capsule_applets::all()[usize::from(*which) % capsule_applets::all().len()];
    // Counts and widths are what they say.
    if !LEFT_OUT.contains(&applet.name) && !has_long_number(lines, 4) {
        run(&arguments(&[applet.name], lines), text);
    }
});
