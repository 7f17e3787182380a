//! Comparing two texts line by line: what `diff`, `diff3` and `sdiff` share.
//!
//! * `text`: lines
//! * `classes`: which of them count as the same
//! * `sequence`: Myers' algorithm in linear space, with a limit on what it may cost
//! * `discard`: lines that would only confuse the search are left out of it
//! * `script`: the changes, moved to where a reader expects them

mod classes;
mod discard;
mod script;
mod sequence;
mod text;

pub use classes::same;
pub use script::{Change, Effort, changes};
pub use text::{Ignore, Space, Text, expand, is_binary};
