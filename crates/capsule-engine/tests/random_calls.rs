//! Random calls with random arguments through each door: the host must not panic. The fuzz targets do the same for as
//! long as one likes (`cargo +nightly fuzz run wasi_door`).

mod common;

use common::calls::{CAPSULE, Door, carry_out, guest, script};
use std::sync::atomic::{AtomicBool, Ordering};

/// How many scripts are tried; `CAPSULE_SCRIPTS` asks for more.
const SCRIPTS: u64 = 400;

static PANICKED: AtomicBool = AtomicBool::new(false);

/// Pseudo-random bytes (splitmix64): the same in every run.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb)
    };
    (0..64).flat_map(|_| next().to_le_bytes()).collect()
}

async fn try_scripts(door: Door) {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        PANICKED.store(true, Ordering::SeqCst);
        previous(info);
    }));
    let guest = guest(door);
    let scripts = std::env::var("CAPSULE_SCRIPTS").ok().and_then(|n| n.parse().ok()).unwrap_or(SCRIPTS);
    for seed in 0..scripts {
        carry_out(&guest, &script(door, &bytes(seed))).await;
        assert!(!PANICKED.load(Ordering::SeqCst), "the host panicked with seed {seed}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_wasi_calls_never_panic_the_host() {
    try_scripts(Door::Wasi).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_capsule_calls_never_panic_the_host() {
    try_scripts(Door::Capsule).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_guest_does_what_its_script_says() {
    let symlink = CAPSULE.iter().position(|(name, _)| *name == "symlink").unwrap() as u8;
    // symlink("g", AT_FDCWD, "f"): the names begin with "f\0g\0".
    let input = [symlink, 1, 2, 0, 0, 1, 0, 10, 0, 0, 1, 0, 0, 0, 1, 0];
    let session = carry_out(&guest(Door::Capsule), &script(Door::Capsule, &input)).await;
    assert_eq!(session.read_link("/workspace/f").as_deref(), Some(&b"g"[..]));
}
