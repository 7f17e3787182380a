//! The shell. From the bottom: `names`, `stack`, `pattern` and `arith` (expressions), `syntax` (text to tree; knows nothing of
//! running), `vars` (values and scopes), `shell` (the state), `expand`
//! (words to fields), `exec` (trees to effects), `builtins` (one file each), `state` (saved and loaded), `startup` (the command line).

pub mod arith;
pub mod builtins;
pub mod exec;
pub mod expand;
pub mod names;
pub mod pattern;
pub mod shell;
pub mod stack;
pub mod startup;
pub mod state;
pub mod syntax;
pub mod vars;
