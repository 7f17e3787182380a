//! Capsule Bash for agents: a server of the Model Context Protocol over standard input and output, or over streamable HTTP.
//!
//! * [`server`]: what the protocol asks of a server, each answered by one of the modules below
//! * [`tools`]: one file a tool: its schema, what it says of itself, what it does
//! * `surroundings`: what the user let in, as agents are told
//! * `progress`: output of a run while it goes on
//! * `resources`: files of sessions, by address; `prompt`: the sandbox explained
//! * [`stdio`], [`http`]: the two ways in; `in_flight`: which requests wait for an answer; `order`: which begins first
//!
//! Whoever is on the other side may send anything: every frame has an end, what is wrong is answered with an error that
//! says so, and the server goes on.

pub mod http;
mod in_flight;
mod order;
mod progress;
mod prompt;
mod resources;
pub mod server;
pub mod stdio;
mod surroundings;
pub mod tools;

pub use server::Server;
pub use surroundings::Surroundings;
pub use tools::ToolSet;

/// The most bytes of one message from a client: a file of some mebibytes fits into one `write_file`.
pub const MOST_MESSAGE: usize = 16 << 20;
