//! From the bytes of an image to a program: found in memory, found compiled on disk, or compiled. Compiling happens on
//! blocking threads, a few at a time, and one image is compiled once however many processes ask for it.

use crate::bridge;
use crate::cache::{DiskCache, Key};
use crate::config::{self, Metering};
use crate::door;
use crate::instance::GuestState;
use crate::program::WasmProgram;
use crate::runtime::Options;
use crate::shape::{self, Refused, Shape};
use crate::ticker::Ticker;
use crate::wasi;
use capsule_abi::{Errno, seal};
use capsule_kernel::LoadError;
use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::spawn_blocking;
use wasmtime::{Engine, Linker, Module, UnknownImportError};

/// Programs kept in memory, whatever their size.
const MAX_PROGRAMS: usize = 256;

/// Machine code kept in memory: thirteen times the compiled CPython of 38 MiB.
const MAX_CODE: usize = 512 << 20;

/// Content versions remembered; forgetting them only costs a hash.
const MAX_VERSIONS: usize = 4096;

/// Compilations at a time. Each uses all cores by itself, so more would only add memory; a few keep small modules from
/// waiting behind large ones.
const COMPILATIONS: usize = 4;

/// Who waits longer than this is told what for.
const SLOW: Duration = Duration::from_secs(1);

pub struct Modules {
    options: Options,
    ticker: Arc<Ticker>,
    disk: Option<DiskCache>,
    epoch: OnceLock<Result<Variant, String>>,
    fuel: OnceLock<Result<Variant, String>>,
    known: Mutex<Known>,
    clock: AtomicU64,
    compilations: Arc<Semaphore>,
}

/// An engine and what programs are linked with.
pub struct Variant {
    pub engine: Engine,
    linker: Linker<GuestState>,
    pub slots: u32,
}

#[derive(Default)]
struct Known {
    programs: HashMap<Key, Arc<Entry>>,
    versions: HashMap<(u64, Metering), Key>,
}

#[derive(Default)]
struct Entry {
    program: OnceCell<Arc<WasmProgram>>,
    used: AtomicU64,
}

impl Modules {
    pub fn new(options: Options, ticker: Arc<Ticker>, disk: Option<DiskCache>) -> Modules {
        Modules {
            options,
            ticker,
            disk,
            epoch: OnceLock::new(),
            fuel: OnceLock::new(),
            known: Mutex::default(),
            clock: AtomicU64::new(0),
            compilations: Arc::new(Semaphore::new(COMPILATIONS)),
        }
    }

    /// The engine of a kind, made at its first use.
    pub fn variant(&self, metering: Metering) -> Result<&Variant, String> {
        let cell = match metering {
            Metering::Epoch => &self.epoch,
            Metering::Fuel => &self.fuel,
        };
        cell.get_or_init(|| self.make_variant(metering).map_err(|error| format!("{error:#}")))
            .as_ref()
            .map_err(Clone::clone)
    }

    fn make_variant(&self, metering: Metering) -> wasmtime::Result<Variant> {
        let (engine, slots) = config::engine(metering, self.options.pool_slots)?;
        let mut linker = Linker::new(&engine);
        wasi::add_to(&mut linker)?;
        door::add_to(&mut linker)?;
        bridge::add_to(&mut linker)?;
        self.ticker.add(&engine);
        Ok(Variant { engine, linker, slots })
    }

    /// The program of an image whose content version was seen before.
    pub fn by_version(&self, version: u64, metering: Metering) -> Option<Arc<WasmProgram>> {
        let known = self.known.lock();
        let entry = known.programs.get(known.versions.get(&(version, metering))?)?;
        self.touch(entry);
        entry.program.get().cloned()
    }

    pub fn remember_version(&self, version: u64, metering: Metering, key: Key) {
        let mut known = self.known.lock();
        if known.versions.len() >= MAX_VERSIONS {
            known.versions.clear();
        }
        known.versions.insert((version, metering), key);
    }

    /// The program with these bytes. `name` is for messages.
    pub async fn by_content(
        self: &Arc<Modules>,
        name: &str,
        bytes: Cow<'static, [u8]>,
        metering: Metering,
    ) -> Result<(Key, Arc<WasmProgram>), LoadError> {
        let engine = self.variant(metering).map_err(internal)?.engine.clone();
        let hashing = spawn_blocking(move || (Key::new(&engine, &digest(&bytes, is_embedded(&bytes))), bytes));
        let (key, bytes) = hashing.await.map_err(internal)?;
        let entry = {
            let mut known = self.known.lock();
            known.programs.entry(key).or_default().clone()
        };
        self.touch(&entry);
        let made = entry.program.get_or_try_init(|| self.make(name, key, bytes, metering)).await;
        let program = match made {
            Ok(program) => program.clone(),
            Err(error) => {
                self.forget_failed(&key);
                return Err(error);
            }
        };
        self.evict(&key);
        Ok((key, program))
    }

    /// From disk, or compiled.
    async fn make(
        self: &Arc<Modules>,
        name: &str,
        key: Key,
        bytes: Cow<'static, [u8]>,
        metering: Metering,
    ) -> Result<Arc<WasmProgram>, LoadError> {
        let this = self.clone();
        let from_disk = spawn_blocking(move || {
            let shape = match seal::split(&bytes).1 {
                Some(_) if is_embedded(&bytes) => shape::sealed(&bytes)?,
                _ => shape::shape(&bytes)?,
            };
            let found = this.variant(metering).ok().and_then(|v| this.disk.as_ref()?.load(&v.engine, &key));
            Ok::<_, Refused>((bytes, shape, found))
        });
        let (bytes, shape, found) = from_disk.await.map_err(internal)?.map_err(|refused| not_executable(&refused))?;
        if let Some(module) = found {
            return self.link(&module, shape, metering);
        }
        let permit = self.compilations.clone().acquire_owned().await.map_err(internal)?;
        let this = self.clone();
        let mut compiling = spawn_blocking(move || {
            // Held by the thread that compiles: a process that is killed meanwhile does not make room for another.
            let _permit = permit;
            this.compile(key, &bytes, metering)
        });
        let module = tokio::select! {
            done = &mut compiling => done,
            () = tokio::time::sleep(SLOW) => {
                if let Some(tell) = &self.options.on_compile {
                    tell(name);
                }
                compiling.await
            }
        };
        self.link(&module.map_err(internal)??, shape, metering)
    }

    fn compile(&self, key: Key, bytes: &[u8], metering: Metering) -> Result<Module, LoadError> {
        let variant = self.variant(metering).map_err(internal)?;
        let found = || self.disk.as_ref()?.load(&variant.engine, &key);
        if let (Some(elsewhere), Some(_)) = (&self.options.elsewhere, &self.disk)
            && elsewhere(bytes, metering == Metering::Fuel)
            && let Some(module) = found()
        {
            return Ok(module);
        }
        // Without a lock it is only compiled twice.
        let _lock = self.disk.as_ref().and_then(|disk| disk.lock(&key).ok());
        if let Some(module) = found() {
            return Ok(module);
        }
        let module = Module::new(&variant.engine, bytes).map_err(|error| not_executable(&format!("{error:#}")))?;
        if let Some(disk) = &self.disk {
            let stored = module.serialize().map_err(|e| format!("{e:#}"));
            let stored = stored.and_then(|compiled| disk.store(&key, &compiled).map_err(|e| e.to_string()));
            if let Err(error) = stored {
                self.options.warn(&format!("a compiled program was not kept: {error}"));
            }
        }
        Ok(module)
    }

    fn link(&self, module: &Module, shape: Shape, metering: Metering) -> Result<Arc<WasmProgram>, LoadError> {
        let variant = self.variant(metering).map_err(internal)?;
        let pre = variant.linker.instantiate_pre(module).map_err(|error| {
            match error.downcast_ref::<UnknownImportError>() {
                Some(unknown) => not_executable(&format!("unknown import {}.{}", unknown.module(), unknown.name())),
                None => not_executable(&format!("{error:#}")),
            }
        })?;
        let program =
            WasmProgram::new(pre, shape, metering, self.ticker.clone()).map_err(|why| not_executable(&why))?;
        Ok(Arc::new(program))
    }

    fn touch(&self, entry: &Entry) {
        entry.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    fn forget_failed(&self, key: &Key) {
        let mut known = self.known.lock();
        if known.programs.get(key).is_some_and(|entry| entry.program.get().is_none()) {
            known.programs.remove(key);
        }
    }

    /// Lets the least recently used programs go until the rest fits; `newest` stays.
    fn evict(&self, newest: &Key) {
        let mut known = self.known.lock();
        let size = |entry: &Entry| entry.program.get().map_or(0, |program| program.code_size());
        let mut code: usize = known.programs.values().map(|entry| size(entry)).sum();
        while known.programs.len() > MAX_PROGRAMS || code > MAX_CODE {
            let made = known.programs.iter().filter(|(key, entry)| *key != newest && entry.program.initialized());
            let oldest = made.min_by_key(|(_, entry)| entry.used.load(Ordering::Relaxed)).map(|(key, _)| *key);
            let Some(entry) = oldest.and_then(|key| known.programs.remove(&key)) else { break };
            code = code.saturating_sub(size(&entry));
        }
    }
}

/// Whether the bytes are part of this program: nobody else wrote them.
#[expect(clippy::ptr_arg, reason = "whose bytes they are is what is asked")]
fn is_embedded(bytes: &Cow<'static, [u8]>) -> bool {
    matches!(bytes, Cow::Borrowed(_))
}

/// The hash of a module. A copy of a sealed one has the same, so that it finds the same code; but that it is a copy, only
/// its bytes can tell.
fn digest(bytes: &[u8], embedded: bool) -> [u8; seal::HASH] {
    match seal::split(bytes) {
        (_, Some(sealed)) if embedded => sealed,
        (module, _) => *blake3::hash(module).as_bytes(),
    }
}

fn not_executable(why: &impl ToString) -> LoadError {
    LoadError { errno: Errno::ENOEXEC, why: why.to_string() }
}

/// Something of the host's own failed: no threads, no address space.
fn internal(why: impl ToString) -> LoadError {
    LoadError { errno: Errno::ENOMEM, why: why.to_string() }
}
