//! A compiled program, ready to be run any number of times.

use crate::config::Metering;
use crate::ending::{self, Ended};
use crate::instance::{self, GuestState};
use crate::shape::Shape;
use crate::ticker::Ticker;
use capsule_abi::door::{FORK_ENTRY, STACK_POINTER};
use capsule_abi::process::EXIT_NOT_EXECUTABLE;
use capsule_abi::signal::Signal;
use capsule_kernel::{BoxFuture, Exit, Process, Program};
use std::sync::Arc;
use wasmtime::{
    Engine, ExternType, FuncType, Instance, InstancePre, Memory, Module, ModuleExport, Mutability,
    PoolConcurrencyLimitError, Store, Trap, ValType,
};

/// Where a command starts, and where the Python guest does, which answers its status.
const START: &str = "_start";
const RUN: &str = "bashkit_run";
const MEMORY: &str = "memory";

/// A module linked with the doors, and the exports the engine uses.
pub struct WasmProgram {
    pre: InstancePre<GuestState>,
    shape: Shape,
    metering: Metering,
    ticker: Arc<Ticker>,
    start: Start,
    memory: Option<ModuleExport>,
    fork: Option<ForkExports>,
}

/// The function a run calls.
#[derive(Clone, Copy)]
enum Start {
    Command(ModuleExport),
    /// Its result is the status.
    Status(ModuleExport),
}

impl Start {
    fn find(module: &Module) -> Option<Start> {
        let command = function(module, START, &[], None).map(Start::Command);
        command.or_else(|| function(module, RUN, &[], Some(ValType::I32)).map(Start::Status))
    }

    async fn call(self, store: &mut Store<GuestState>, instance: Instance) -> wasmtime::Result<()> {
        let (Start::Command(export) | Start::Status(export)) = self;
        let found = instance.get_module_export(&mut *store, &export).and_then(|export| export.into_func());
        let found = found.ok_or_else(|| wasmtime::Error::msg("no function to start at"))?;
        match self {
            Start::Command(_) => found.typed::<(), ()>(&*store)?.call_async(store, ()).await,
            Start::Status(_) => {
                let status = found.typed::<(), i32>(&*store)?.call_async(store, ()).await?;
                Err(Ended::Code(status as u8).into())
            }
        }
    }
}

/// What a module must export so that its processes can be copied.
pub struct ForkExports {
    pub entry: ModuleExport,
    /// Every mutable global, the stack pointer among them.
    pub globals: Vec<ModuleExport>,
}

impl WasmProgram {
    /// Answers why not, when the module is no command.
    pub fn new(
        pre: InstancePre<GuestState>,
        shape: Shape,
        metering: Metering,
        ticker: Arc<Ticker>,
    ) -> Result<WasmProgram, String> {
        let module = pre.module();
        let start =
            Start::find(module).ok_or("it has no function _start without arguments (a library, not a command)")?;
        let memory = match module.get_export(MEMORY) {
            Some(ExternType::Memory(_)) => module.get_export_index(MEMORY),
            _ => None,
        };
        let fork = memory.and_then(|_| fork_exports(module, shape));
        Ok(WasmProgram { start, memory, fork, shape, metering, ticker, pre })
    }

    pub fn engine(&self) -> &Engine {
        self.pre.module().engine()
    }

    pub fn pre(&self) -> &InstancePre<GuestState> {
        &self.pre
    }

    pub fn metering(&self) -> Metering {
        self.metering
    }

    pub fn ticker(&self) -> &Arc<Ticker> {
        &self.ticker
    }

    /// Whether it was written for this kernel.
    pub fn is_native(&self) -> bool {
        self.shape.native
    }

    pub fn fork_exports(&self) -> Option<&ForkExports> {
        self.fork.as_ref()
    }

    /// Bytes of machine code and data this program keeps in memory.
    pub fn code_size(&self) -> usize {
        let image = self.pre.module().image_range();
        (image.end as usize).saturating_sub(image.start as usize)
    }

    pub fn memory(&self, store: &mut Store<GuestState>, instance: &Instance) -> Option<Memory> {
        instance.get_module_export(store, self.memory.as_ref()?)?.into_memory()
    }

    async fn run_once(self: Arc<WasmProgram>, process: Arc<Process>) -> Exit {
        let (store, instance) = match instance::instantiate(&self, process.clone()).await {
            Ok(made) => made,
            Err(error) => return not_started(&process, error),
        };
        let start = self.start;
        instance::finish(store, async move |store| start.call(store, instance).await).await
    }
}

impl Program for WasmProgram {
    fn run(self: Arc<Self>, process: Arc<Process>) -> BoxFuture<'static, Exit> {
        let ticker = self.ticker.clone();
        Box::pin(instance::polled(self.run_once(process.clone()), process, ticker))
    }
}

/// An instance could not be made, or its start function did not return.
fn not_started(process: &Process, error: wasmtime::Error) -> Exit {
    if error.is::<Ended>() || error.is::<Trap>() {
        return ending::ended(Err(error)).exit();
    }
    let (why, exit) = match error.is::<PoolConcurrencyLimitError>() {
        true => ("the host runs as many processes as it can hold", Exit::Code(EXIT_NOT_EXECUTABLE)),
        false => ("there is not enough memory to start it", Exit::Signal(Signal::KILL)),
    };
    say(process, &format!("{}: {why}", process.name()));
    exit
}

/// Tells the user on the process's standard error, if it takes it.
pub fn say(process: &Process, text: &str) {
    if let Ok(stderr) = process.description(2) {
        let _ = process.try_write(&*stderr, format!("capsule: {text}\n").as_bytes());
    }
}

fn function(module: &Module, name: &str, params: &[ValType], result: Option<ValType>) -> Option<ModuleExport> {
    let ExternType::Func(found) = module.get_export(name)? else { return None };
    let wanted = FuncType::new(module.engine(), params.iter().cloned(), result);
    if !FuncType::eq(&found, &wanted) {
        return None;
    }
    module.get_export_index(name)
}

/// A module can be forked when nothing of its state is hidden: a start function would run again in the child, and
/// globals that are not exported could not be copied.
fn fork_exports(module: &Module, shape: Shape) -> Option<ForkExports> {
    let entry = function(module, FORK_ENTRY, &[ValType::I32], None)?;
    if shape.has_start || module.get_export_index(STACK_POINTER).is_none() {
        return None;
    }
    let mutable = |kind: &ExternType| matches!(kind, ExternType::Global(g) if g.mutability() == Mutability::Var);
    let globals: Vec<ModuleExport> = module
        .exports()
        .filter(|export| mutable(&export.ty()))
        .filter_map(|export| module.get_export_index(export.name()))
        .collect();
    if globals.len() < shape.mutable_globals { None } else { Some(ForkExports { entry, globals }) }
}
