//! Runs the tiny guest programs of `guests/doors`, one behaviour each, in a session of its own. A program passes when it
//! exits with 0, or with what the first line of its source says: `// expect: N`.

mod common;

use capsule_abi::limits::Limits;
use capsule_engine::{CacheFolder, Options, WasmRuntime};
use common::Session;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn programs() -> Vec<PathBuf> {
    let guests = std::env::var_os("CAPSULE_GUESTS_DIR").map_or_else(|| root().join("target/guests"), PathBuf::from);
    let Ok(folder) = std::fs::read_dir(guests.join("doors")) else { return Vec::new() };
    let mut programs: Vec<PathBuf> = folder
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "wasm"))
        .collect();
    programs.sort();
    programs
}

fn expected(name: &str) -> i32 {
    let source = root().join("guests/doors/src/bin").join(format!("{name}.rs"));
    let text = std::fs::read_to_string(source).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("// expect:").map_or(0, |number| number.trim().parse().expect("a status after `// expect:`"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_door_program_ends_as_it_should() {
    let programs = programs();
    if programs.is_empty() {
        eprintln!("skipped: no programs; `cargo xtask guests` builds them");
        return;
    }
    // Kept between runs: compiling the programs is most of the work.
    let cache = CacheFolder::At(Path::new(env!("CARGO_TARGET_TMPDIR")).join("door-programs"));
    let runtime = WasmRuntime::new(Options { cache, pool_slots: Some(300), ..Options::default() }).expect("an engine");
    let only = std::env::var("CAPSULE_DOOR").unwrap_or_default();
    let mut failures = Vec::new();
    let mut passed = 0;
    for path in &programs {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a readable name");
        if !name.contains(&only) {
            continue;
        }
        match run(&runtime, name, &std::fs::read(path).expect("a readable program")).await {
            Ok(()) => passed += 1,
            Err(why) => failures.push(format!("{name}: {why}")),
        }
    }
    println!("{passed} door programs passed");
    assert!(failures.is_empty(), "{} of {} failed:\n{}", failures.len(), programs.len(), failures.join("\n"));
}

async fn run(runtime: &Arc<WasmRuntime>, name: &str, program: &[u8]) -> Result<(), String> {
    let mut limits = Limits::default();
    limits.parse("wall=20s").map_err(|error| error.to_string())?;
    let session = Session::with(limits, runtime.clone());
    session.put(&format!("/bin/{name}"), program);
    let outcome = session.try_run(&[name]).await.map_err(|error| format!("did not start: {error:?}"))?;
    let wanted = expected(name);
    if outcome.code() == wanted {
        return Ok(());
    }
    let hits: String = outcome.hits.iter().map(|hit| format!("\n  {hit}")).collect();
    let stderr = outcome.stderr.replace('\n', "\n  ");
    Err(format!("status {} instead of {wanted}{hits}\n  {stderr}", outcome.code()))
}
