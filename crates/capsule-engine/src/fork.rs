//! `fork`: a second instance of the same module gets the pages the first has written, its globals, and its place on the
//! shadow stack; it then starts at the module's fork entry. What the first keeps on Wasmtime's own stack is not copied,
//! so the guest's `fork` is a call with a continuation and not a function that returns twice.
//!
//! Tables and dropped segments are not copied either: compilers write tables only when an instance is made.

use crate::call::breathe;
use crate::instance::{self, GuestState};
use crate::pagemap::{self, Looked};
use crate::program::{ForkExports, WasmProgram};
use capsule_abi::Errno;
use capsule_kernel::{BoxFuture, Exit, Process, Program};
use parking_lot::Mutex;
use std::sync::Arc;
use wasmtime::{Caller, Instance, Memory, ModuleExport, Store, TypedFunc};

/// A copied process that has not run yet.
struct Forked {
    program: Arc<WasmProgram>,
    /// Taken by the one run there is.
    child: Mutex<Option<Child>>,
}

struct Child {
    store: Store<GuestState>,
    entry: TypedFunc<i32, ()>,
    arg: i32,
}

/// Copies the calling process; the child's pid.
pub async fn fork(caller: &mut Caller<'_, GuestState>, arg: i32) -> Result<i32, Errno> {
    let program = caller.data().program.clone();
    let exports = program.fork_exports().ok_or(Errno::ENOSYS)?;
    let unborn = Unborn(Some(caller.data().process.fork()?));
    let child = unborn.process()?;
    let copied = copy(caller, &program, exports, child.clone(), arg).await?;
    unborn.launch(Arc::new(Forked { program, child: Mutex::new(Some(copied)) }));
    Ok(child.pid())
}

/// A child that does not run yet; given up when copying fails or the parent is ended meanwhile.
struct Unborn(Option<Arc<Process>>);

impl Unborn {
    fn process(&self) -> Result<Arc<Process>, Errno> {
        self.0.clone().ok_or(Errno::EAGAIN)
    }

    fn launch(mut self, program: Arc<Forked>) {
        if let Some(child) = self.0.take() {
            child.kernel().clone().launch(child, program);
        }
    }
}

impl Drop for Unborn {
    fn drop(&mut self) {
        if let Some(child) = self.0.take() {
            child.kernel().abandon(&child);
        }
    }
}

async fn copy(
    parent: &mut Caller<'_, GuestState>,
    program: &Arc<WasmProgram>,
    exports: &ForkExports,
    process: Arc<Process>,
    arg: i32,
) -> Result<Child, Errno> {
    let made = instance::instantiate(program, process).await;
    let (mut store, instance) = made.map_err(|error| match error.is::<wasmtime::PoolConcurrencyLimitError>() {
        true => Errno::EAGAIN,
        false => Errno::ENOMEM,
    })?;
    copy_memory(parent, &mut store).await?;
    copy_globals(parent, exports, &mut store, &instance)?;
    let entry = instance.get_module_export(&mut store, &exports.entry).and_then(|export| export.into_func());
    let entry = entry.ok_or(Errno::ENOSYS)?.typed(&store).map_err(|_| Errno::ENOSYS)?;
    Ok(Child { store, entry, arg })
}

/// Bytes copied in one go; between two of them kills and deadlines are heeded.
const PIECE: usize = 16 << 20;

async fn copy_memory(parent: &mut Caller<'_, GuestState>, child: &mut Store<GuestState>) -> Result<(), Errno> {
    let (Some(from), Some(to)) = (parent.data().memory, child.data().memory) else { return Ok(()) };
    grow_to(from.size(&*parent), to, child).await?;
    let mut at = 0;
    loop {
        let (source, target) = (from.data(&*parent), to.data_mut(&mut *child));
        at = copy_piece(source, target, at);
        if at >= source.len() {
            return Ok(());
        }
        // One that is to end does so when the door asks.
        let process = parent.data().process.clone();
        breathe(&process).await.map_err(|_| Errno::EINTR)?;
    }
}

/// Copies what was written from `at` on, a piece of it; how far it came.
fn copy_piece(source: &[u8], target: &mut [u8], at: usize) -> usize {
    let looked = pagemap::written(source, at, PIECE, |range| {
        if let (Some(target), Some(source)) = (target.get_mut(range.clone()), source.get(range)) {
            target.copy_from_slice(source);
        }
    });
    match looked {
        Looked::Until(offset) => offset,
        Looked::Unknown => {
            let end = source.len().min(at.saturating_add(PIECE));
            pagemap::copy_differing(&source[at..end], target.get_mut(at..).unwrap_or_default());
            end
        }
    }
}

async fn grow_to(pages: u64, memory: Memory, store: &mut Store<GuestState>) -> Result<(), Errno> {
    match pages.saturating_sub(memory.size(&*store)) {
        0 => Ok(()),
        more => memory.grow_async(store, more).await.map(drop).map_err(|_| Errno::ENOMEM),
    }
}

fn copy_globals(
    parent: &mut Caller<'_, GuestState>,
    exports: &ForkExports,
    child: &mut Store<GuestState>,
    instance: &Instance,
) -> Result<(), Errno> {
    for export in &exports.globals {
        let value = parent_global(parent, export).ok_or(Errno::ENOSYS)?;
        let target = instance.get_module_export(&mut *child, export).and_then(|export| export.into_global());
        target.ok_or(Errno::ENOSYS)?.set(&mut *child, value).map_err(|_| Errno::ENOSYS)?;
    }
    Ok(())
}

fn parent_global(parent: &mut Caller<'_, GuestState>, export: &ModuleExport) -> Option<wasmtime::Val> {
    Some(parent.get_module_export(export)?.into_global()?.get(&mut *parent))
}

impl Program for Forked {
    fn run(self: Arc<Self>, process: Arc<Process>) -> BoxFuture<'static, Exit> {
        let ticker = self.program.ticker().clone();
        let run = async move {
            let Some(Child { store, entry, arg }) = self.child.lock().take() else {
                return Exit::Signal(capsule_abi::signal::Signal::ABRT);
            };
            instance::finish(store, async move |store| entry.call_async(store, arg).await).await
        };
        Box::pin(instance::polled(run, process, ticker))
    }
}
