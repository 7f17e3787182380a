//! Trees to effects. `list` runs lists and pipelines, `simple` simple commands, `compound` and `select` the rest; `redirect` changes
//! descriptors, `search` finds commands, `process` forks, spawns and waits, `direct` does without a fork what `pure`
//! says may be done so, `jobs` and `traps` keep their state,
//! `script` reads and runs text, `trace` writes what `set -x` shows.

mod assign;
mod call;
mod compound;
mod cond;
mod coproc;
mod direct;
mod jobs;
mod list;
mod process;
mod pure;
mod redirect;
mod script;
mod search;
mod select;
mod simple;
mod socket;
mod time;
mod trace;
mod traps;

pub(crate) use cond::{compare_files, compare_numbers};
pub use jobs::{Job, JobState, Jobs};
pub use redirect::Undo;
pub use search::{Found, is_executable};
pub use traps::{DEBUG, ERR, EXIT, RETURN, Traps};
