//! Fuel: a run has so many instructions, whoever of its processes uses them. A guest gets all that is left and pays at
//! every tick for what it used; one process alone stops at the exact instruction, several overshoot by a tick at most.

use crate::ending::Ended;
use crate::instance::GuestState;
use wasmtime::{AsContextMut, StoreContextMut};

/// What a guest was given last; none where the engine does not count.
#[derive(Default)]
pub struct Given(Option<u64>);

/// Gives a guest what the run has left.
pub fn give(mut store: impl AsContextMut<Data = GuestState>) -> wasmtime::Result<()> {
    let mut store = store.as_context_mut();
    let left = store.data().process.fuel_left();
    store.set_fuel(left)?;
    store.data_mut().fuel = Given(Some(left));
    Ok(())
}

/// Pays for what was used since the last time, and gives anew.
pub fn settle(mut store: impl AsContextMut<Data = GuestState>) -> wasmtime::Result<()> {
    let mut store = store.as_context_mut();
    if store.data().fuel.0.is_none() {
        return Ok(());
    }
    if !pay(&mut store)? {
        return Err(Ended::OutOfFuel.into());
    }
    give(store)
}

/// Pays for the rest when the guest has ended.
pub fn close(mut store: impl AsContextMut<Data = GuestState>, ended: Ended) {
    let mut store = store.as_context_mut();
    if store.data().fuel.0.is_none() {
        return;
    }
    // A guest that could not pay for its last moments has ended; the limit is noted by the attempt.
    let _ = pay(&mut store);
    if ended == Ended::OutOfFuel {
        store.data().process.out_of_fuel();
    }
}

fn pay(store: &mut StoreContextMut<'_, GuestState>) -> wasmtime::Result<bool> {
    let left = store.get_fuel()?;
    let used = store.data().fuel.0.map_or(0, |given| given.saturating_sub(left));
    store.data_mut().fuel = Given(Some(left));
    Ok(used == 0 || store.data().process.consume_fuel(used))
}
