//! Text to tree. A scannerless recursive-descent parser: bash's tokens depend on the grammar's place, so the grammar
//! reads the bytes itself. `cursor` holds the text and where we are; `word`, `dollar` and `param` read words; `command`,
//! `compound`, `simple` and `cond` read commands; `heredoc` reads the documents after their line; `print` writes trees
//! back as `declare -f` does.

pub mod ast;
mod brace;
mod command;
mod compound;
mod cond;
mod cursor;
mod dollar;
mod escape;
mod heredoc;
mod param;
mod print;
mod simple;
mod word;

pub use brace::expand_braces;
pub use cursor::{AliasMap, Ends, Input, ParseOptions, Parser, SyntaxError};
pub use escape::{Decoded, EscapeStyle, decode_escape, push_utf8};
pub use print::{print_command, print_function, print_list, print_substitution, save_function};

#[cfg(test)]
mod tests;
