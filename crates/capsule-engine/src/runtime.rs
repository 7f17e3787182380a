//! The runtime that the kernel loads programs with. One for all sessions of a host process.

use crate::cache::{self, DiskCache};
use crate::config::Metering;
use crate::modules::Modules;
use crate::ticker::Ticker;
use capsule_kernel::{BoxFuture, Image, LoadError, Program, Runtime};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;

/// Told a text: the name of a program that takes long to compile, or a warning.
pub type Listener = Arc<dyn Fn(&str) + Send + Sync>;

/// Where compiled programs are kept.
#[derive(Clone, Debug, Default)]
pub enum CacheFolder {
    /// See [`cache::default_folder`].
    #[default]
    Default,
    At(PathBuf),
    /// Nowhere: everything is compiled anew in each host process.
    None,
}

/// Asked before a module is compiled here, with its bytes and whether it is to count fuel: has another process compile it into
/// the same cache, and answers when that is over. What it answers is whether looking again is worth it.
pub type Elsewhere = Arc<dyn Fn(&[u8], bool) -> bool + Send + Sync>;

#[derive(Clone, Default)]
pub struct Options {
    pub cache: CacheFolder,
    /// Processes that can live at once; as many as the machine can hold when none. A host with one session needs no more
    /// than that session's process limit, and starts sooner: 256 slots took about a millisecond to make, 8192 took 45 ms
    /// and more (dev build, busy machine).
    pub pool_slots: Option<u32>,
    /// Told the name of a program whose compilation takes longer than a second.
    pub on_compile: Option<Listener>,
    /// Compiling in a process that outlives this one: a host that is always ended early would never have it done.
    pub elsewhere: Option<Elsewhere>,
    /// Told what works less well than it could, as when the cache cannot be used.
    pub on_warning: Option<Listener>,
}

impl Options {
    pub(crate) fn warn(&self, text: &str) {
        if let Some(tell) = &self.on_warning {
            tell(text);
        }
    }
}

/// Why there is no runtime.
#[derive(Debug, Error)]
pub enum EngineError {
    #[error("the machine cannot hold a WebAssembly engine: {0}")]
    Engine(String),
    #[error("no thread for the epoch clock: {0}")]
    Thread(#[from] std::io::Error),
}

/// Runs WebAssembly programs.
pub struct WasmRuntime {
    modules: Arc<Modules>,
}

impl WasmRuntime {
    pub fn new(options: Options) -> Result<Arc<WasmRuntime>, EngineError> {
        let folder = match &options.cache {
            CacheFolder::Default => Some(cache::default_folder()),
            CacheFolder::At(path) => Some(Ok(path.clone())),
            CacheFolder::None => None,
        };
        let disk = folder.and_then(|path| match path.and_then(|path| DiskCache::open(&path)) {
            Ok(disk) => Some(disk),
            Err(refused) => {
                options.warn(&format!("compiled programs are not kept: {refused}"));
                None
            }
        });
        let modules = Arc::new(Modules::new(options, Arc::new(Ticker::start()?), disk));
        modules.variant(Metering::Epoch).map_err(EngineError::Engine)?;
        Ok(Arc::new(WasmRuntime { modules }))
    }

    /// How many processes of ordinary sessions can live at once.
    pub fn slots(&self) -> u32 {
        self.modules.variant(Metering::Epoch).map_or(0, |variant| variant.slots)
    }

    /// Compiles a program ahead of its first use (or finds it compiled), so that starting it is quick.
    pub async fn prepare(&self, name: &str, bytes: Cow<'static, [u8]>, fuel: bool) -> Result<(), LoadError> {
        self.modules.by_content(name, bytes, metering(fuel)).await.map(drop)
    }
}

impl Runtime for WasmRuntime {
    fn known(&self, version: u64, fuel: bool) -> Option<Arc<dyn Program>> {
        self.modules.by_version(version, metering(fuel)).map(|program| program as Arc<dyn Program>)
    }

    fn load<'a>(&'a self, image: Image<'a>) -> BoxFuture<'a, Result<Arc<dyn Program>, LoadError>> {
        let metering = metering(image.fuel);
        Box::pin(async move {
            let name = String::from_utf8_lossy(image.name);
            let bytes = (image.read)()?;
            let loaded = self.modules.by_content(&name, bytes, metering).await;
            let (key, program) =
                loaded.map_err(|error| LoadError { why: format!("{name}: {}", error.why), ..error })?;
            if let Some(version) = image.version {
                self.modules.remember_version(version, metering, key);
            }
            Ok(program as Arc<dyn Program>)
        })
    }
}

fn metering(fuel: bool) -> Metering {
    if fuel { Metering::Fuel } else { Metering::Epoch }
}
