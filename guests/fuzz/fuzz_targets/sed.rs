//! Flags, a script, NUL, and its input: an error or an end. Scripts with labels and `D` may rightly loop.
#![no_main]

use capsule_guest_fuzz::{count, halves, run};
use libfuzzer_sys::fuzz_target;

const OPTIONS: [&str; 8] = ["-n", "-E", "-z", "-s", "-u", "--posix", "-l7", "--sandbox"];

fuzz_target!(|input: &[u8]| {
    let (script, text) = halves(input);
    let [flags, script @ ..] = script else { return };
    if count(script, ":D") > 0 || count(script, "sGHx&") > 20 {
        return;
    }
    let options = OPTIONS.iter().enumerate().filter(|(bit, _)| flags & 1 << bit != 0);
    let mut argv: Vec<&[u8]> = vec![b"sed"];
    argv.extend(options.map(|(_, option)| option.as_bytes()));
    argv.extend([b"-e", script]);
    run(&argv, text);
});
