//! Finished programs: checked, and copied into place only when their bytes changed, so that nothing that embeds them is
//! built again for nothing.

use std::fs;
use std::path::{Path, PathBuf};

use capsule_abi::seal;

use anyhow::{Context, Result, ensure};

/// How programs and their libraries begin: WebAssembly, and zip.
const WASM: &[u8] = b"\0asm";
const ZIP: &[u8] = b"PK\x03\x04";

/// Copies `program` to `place`, a module with its seal. The answer is the hash of the bytes there.
pub fn install(program: &Path, place: &Path) -> Result<String> {
    let bytes = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    ensure!(
        bytes.starts_with(WASM) || bytes.starts_with(ZIP),
        "{} is neither a WebAssembly program nor a library",
        program.display()
    );
    let bytes = sealed(bytes);
    if fs::read(place).ok().as_deref() != Some(bytes.as_slice()) {
        write(place, &bytes)?;
    }
    Ok(hash(&bytes))
}

/// A program with its [`seal`].
fn sealed(module: Vec<u8>) -> Vec<u8> {
    if !module.starts_with(WASM) {
        return module;
    }
    let seal = seal::section(blake3::hash(&module).as_bytes());
    [module, seal].concat()
}

/// Whether `place` holds the program with this hash.
pub fn is_installed(place: &Path, expected: &str) -> bool {
    fs::read(place).is_ok_and(|bytes| hash(&bytes) == expected)
}

/// Writes a file in one step: a reader sees the old or the new one, never half.
pub fn write(place: &Path, bytes: &[u8]) -> Result<()> {
    let context = || format!("cannot write {}", place.display());
    let folder = place.parent().with_context(context)?;
    let name = place.file_name().with_context(context)?;
    let temporary = folder.join(PathBuf::from(format!(".{}.{}", name.display(), std::process::id())));
    fs::create_dir_all(folder).with_context(context)?;
    fs::write(&temporary, bytes).with_context(context)?;
    fs::rename(&temporary, place).with_context(context)
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_written_once_and_again_only_when_it_changed() {
        let folder = std::env::temp_dir().join(format!("capsule-xtask-output-{}", std::process::id()));
        let (program, place) = (folder.join("program"), folder.join("doors/program.wasm"));
        write(&program, b"\0asm one").unwrap();
        let first = install(&program, &place).unwrap();
        assert!(is_installed(&place, &first));
        let written = fs::metadata(&place).unwrap().modified().unwrap();
        assert_eq!(install(&program, &place).unwrap(), first);
        assert_eq!(fs::metadata(&place).unwrap().modified().unwrap(), written);

        write(&program, b"\0asm two").unwrap();
        let second = install(&program, &place).unwrap();
        assert!(is_installed(&place, &second) && !is_installed(&place, &first));
        assert_eq!(fs::read_dir(folder.join("doors")).unwrap().count(), 1, "no temporary file stays");

        write(&program, b"#!/bin/sh").unwrap();
        assert!(install(&program, &place).is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
