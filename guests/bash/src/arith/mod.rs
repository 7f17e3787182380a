//! Arithmetic: expressions as trees (`ast`), the parser (`parse`), and evaluation against the shell's variables (`eval`).

pub mod ast;
mod eval;
mod number;
pub mod parse;

pub use number::parse_integer;
