//! One file per command. Each has an `Args` (what clap reads) with a `run` that says how the command ended.

pub mod bench;
pub mod conformance;
pub mod fuzz;
pub mod guests;
pub mod lint;
pub mod quickstart;
pub mod setup;
pub mod test;
