//! Finds the guests that `cargo xtask guests` built, to embed them.

use std::path::{Path, PathBuf};

/// Seen from this package.
const GUESTS: &str = "../../target/guests";

fn main() {
    // The variable is not watched: xtask sets it to what is the default anyway, and plain cargo would rebuild each time.
    let dir = match std::env::var_os("CAPSULE_GUESTS_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join(GUESTS),
    };
    // Watched by relative paths: a copy of the whole tree must look at its own guests, not at those of the original.
    let usual = dir.canonicalize().ok() == Path::new(GUESTS).canonicalize().ok();
    for (name, variable) in [
        ("bash.wasm", "CAPSULE_BASH_WASM"),
        ("python.wasm", "CAPSULE_PYTHON_WASM"),
        ("python314.zip", "CAPSULE_PYTHON_LIBRARY"),
    ] {
        let file = dir.join(name);
        let watched = if usual { Path::new(GUESTS).join(name) } else { file.clone() };
        println!("cargo::rerun-if-changed={}", watched.display());
        if !file.is_file() {
            println!(
                "cargo::error=the guests are not built yet: run `cargo xtask guests` first ({} is missing)",
                file.display()
            );
            return;
        }
        let file = file.canonicalize().unwrap_or(file);
        println!("cargo::rustc-env={variable}={}", file.display());
    }
}
