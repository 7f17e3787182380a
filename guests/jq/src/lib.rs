//! jq: the language of `jq` 1.8, without any input or output of its own.
//!
//! * [`value`], [`number`]: JSON values and numbers; [`json`]: their text
//! * [`syntax`]: programs as trees; [`mod@compile`]: trees to terms with everything looked up; [`term`]: those terms
//! * [`machine`]: runs them, with backtracking and without recursion
//! * [`natives`]: functions written in Rust; `prelude`: those written in jq; [`paths`]: getting and setting
//!
//! What a program may ask of the world (inputs, messages, the clock, files of modules) is the trait [`Host`].

#![forbid(unsafe_code)]

pub mod compile;
pub mod json;
pub mod machine;
pub mod natives;
pub mod number;
pub mod paths;
mod prelude;
pub mod syntax;
pub mod term;
pub mod value;

pub use compile::{CompileError, Library, compile};
pub use machine::{Host, Machine, Stop};
pub use term::Program;
pub use value::{Object, Value};
