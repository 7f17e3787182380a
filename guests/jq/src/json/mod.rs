//! JSON as text: reading it block by block, writing it in jq's layouts.

mod read;
mod stream;
mod token;
mod utf8;
mod write;

pub use read::{Reader, parse_all, parse_one};
pub use token::{Fault, unescape};
pub use utf8::text;
pub use write::{Colors, Indent, Layout, to_string};
