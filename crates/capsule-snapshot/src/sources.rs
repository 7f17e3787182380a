//! The files of the crates: checked against the digests that were pinned when they were tried, and unpacked.

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Read;
use std::path::Path;

/// CPython as a core module of WASI preview1, initialised.
const INTERPRETER: Pinned = Pinned {
    path: "artifacts/python.wasm.xz",
    sha256: "93b66c1e1357a3b77481fee8e14448b55ca83a0dec4b05ec0284b33b58099b75",
};

/// Most of its library, compiled.
const FIRST_LIBRARY: Pinned = Pinned {
    path: "artifacts/python314.zip",
    sha256: "a2fbfc15b11fe851fffe3a84369f4d8c73992904ea23bbc045d89373737e15ea",
};

/// CPython's whole library as sources.
const WHOLE_LIBRARY: Pinned =
    Pinned { path: "python-lib.tar.zst", sha256: "c32ad592cdfb947b6290092589b6491938a384eb00559509daa664d2c73c2354" };

/// A file whose bytes were seen and tried.
struct Pinned {
    path: &'static str,
    sha256: &'static str,
}

impl Pinned {
    fn read(&self, folder: &Path) -> Result<Vec<u8>> {
        let path = folder.join(self.path);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if found != self.sha256 {
            bail!(
                "{} is not the file this guest was made for: its sha256 is {found}, expected {}. Pin it anew in \
                 crates/capsule-snapshot/src/sources.rs only after it was tried",
                path.display(),
                self.sha256
            );
        }
        Ok(bytes)
    }
}

pub fn interpreter(folder: &Path) -> Result<Vec<u8>> {
    let packed = INTERPRETER.read(folder)?;
    let mut wasm = Vec::new();
    lzma_rust2::XzReader::new(packed.as_slice(), true).read_to_end(&mut wasm).context("python.wasm.xz")?;
    Ok(wasm)
}

pub fn first_library(folder: &Path) -> Result<Vec<u8>> {
    FIRST_LIBRARY.read(folder)
}

/// As a tar archive.
pub fn whole_library(folder: &Path) -> Result<Vec<u8>> {
    let packed = WHOLE_LIBRARY.read(folder)?;
    let mut tar = Vec::new();
    let mut reader = ruzstd::decoding::StreamingDecoder::new(packed.as_slice()).context("python-lib.tar.zst")?;
    reader.read_to_end(&mut tar).context("python-lib.tar.zst")?;
    Ok(tar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_are_refused_with_both_digests() {
        let folder = std::env::temp_dir().join(format!("capsule-snapshot-{}", std::process::id()));
        fs::create_dir_all(folder.join("artifacts")).unwrap();
        fs::write(folder.join(FIRST_LIBRARY.path), "other").unwrap();
        let error = first_library(&folder).unwrap_err().to_string();
        assert!(
            error.contains(FIRST_LIBRARY.sha256) && error.contains("d9298a10d1b0735837dc4bd85dac641b0f3cef27"),
            "{error}"
        );
        fs::remove_dir_all(&folder).unwrap();
    }
}
