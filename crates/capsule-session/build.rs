//! Finds the guests that `cargo xtask guests` built, to embed them.

use std::path::PathBuf;

fn main() {
    // The variable is not watched: xtask sets it to what is the default anyway, and plain cargo would rebuild each time.
    let dir = match std::env::var_os("CAPSULE_GUESTS_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../target/guests"),
    };
    let bash = dir.join("bash.wasm");
    println!("cargo::rerun-if-changed={}", bash.display());
    if !bash.is_file() {
        println!(
            "cargo::error=the guests are not built yet: run `cargo xtask guests` first ({} is missing)",
            bash.display()
        );
        return;
    }
    let bash = bash.canonicalize().unwrap_or(bash);
    println!("cargo::rustc-env=CAPSULE_BASH_WASM={}", bash.display());
}
