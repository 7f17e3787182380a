//! Bytes as a program and as JSON: an error or a tree, a value or none.
#![no_main]

use capsule_jq::{Library, compile, json};
use libfuzzer_sys::fuzz_target;

struct NoModules;

impl Library for NoModules {
    fn read(&mut self, _path: &str) -> Option<Vec<u8>> {
        None
    }

    fn search_list(&self) -> Vec<String> {
        Vec::new()
    }
}

fuzz_target!(|input: &[u8]| {
    if let Ok(text) = std::str::from_utf8(input) {
        let _ = compile(text, Vec::new(), &mut NoModules);
    }
    let _ = json::parse_all(input);
});
