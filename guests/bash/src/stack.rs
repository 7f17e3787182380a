//! How much stack is left. Scripts recurse as they like; a stack that overflows ends the process, so everything that
//! recurses on what a script says asks here first.

/// Kept free for what runs without asking: builtins, expansions, messages.
const RESERVE: usize = 160 * 1024;

/// Kept free on top of that by calls of functions, so that what says "too deep" is a call and not an expression in it.
const CALL_RESERVE: usize = 64 * 1024;

/// The address of something on the stack.
#[inline(never)]
fn here() -> usize {
    let mark = 0u8;
    std::hint::black_box(&raw const mark) as usize
}

/// The guest's stack lies at the bottom of its memory and grows down to 0 (`--stack-first`, rustc's default).
#[cfg(target_arch = "wasm32")]
fn is_beyond(reserve: usize) -> bool {
    here() < reserve
}

/// Natively (tests), as much as the guest has, counted from the first call on each thread.
#[cfg(not(target_arch = "wasm32"))]
fn is_beyond(reserve: usize) -> bool {
    // Threads of tests have 2 MiB, the main thread 8.
    const SIZE: usize = if cfg!(test) { 1 << 20 } else { 6 << 20 };
    thread_local! {
        static TOP: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }
    let here = here();
    TOP.with(|top| {
        if top.get() < here {
            top.set(here);
        }
        top.get() - here > SIZE - reserve
    })
}

pub fn is_deep() -> bool {
    is_beyond(RESERVE)
}

/// Whether there is no room for another call of a function.
pub fn is_deep_for_call() -> bool {
    is_beyond(RESERVE + CALL_RESERVE)
}
