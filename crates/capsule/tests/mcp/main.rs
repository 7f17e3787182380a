//! `capsule mcp` as clients meet it: raw messages over standard input and output and over HTTP.
//!
//! * `client`: starts the server and speaks to it in lines; `web`: the same over HTTP
//! * `protocol`: both eras, lists, prompts, resources
//! * `tools`: what each tool answers
//! * `bad_input`: whatever a client may send
//! * `ending`: cancelled, timed out, gone
//! * `http`: who is let in
//! * `sdk`: clients made with the official SDKs

mod bad_input;
mod client;
mod ending;
mod http;
mod protocol;
mod sdk;
mod tools;
mod web;
