//! The commands as one native program, called by the name it is linked to: for comparing them with the machine's own
//! tools. Not part of the product.
//!
//! It has no `main` of Rust's, whose start-up ignores SIGPIPE and opens /dev/null where a standard descriptor is closed:
//! a guest has no such start-up.
#![no_main]
#![allow(unsafe_code, reason = "the name that C's start-up calls")]

use std::ffi::{c_char, c_int};

#[unsafe(no_mangle)]
extern "C" fn main(_count: c_int, _words: *const *const c_char) -> c_int {
    let mut args = capsule_sys::args();
    // Under its own name the command is the first argument.
    if args.first().is_some_and(|name| name.ends_with(b"applet")) {
        args.remove(0);
    }
    capsule_sys::exit(match capsule_applets::run(args) {
        Some(status) => status.into(),
        None => 127,
    });
}
