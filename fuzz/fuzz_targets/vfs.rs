//! Bytes as calls on a session's tree; the test `random_bytes` of capsule-vfs explains them and what must hold.
#![no_main]

#[path = "../../crates/capsule-vfs/tests/random_bytes/calls.rs"]
mod calls;
#[path = "../../crates/capsule-vfs/tests/random_bytes/sound.rs"]
mod sound;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| calls::carry_out(input));
