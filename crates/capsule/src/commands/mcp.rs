//! `capsule mcp`.

use crate::engine;
use crate::sandbox::{SessionOptions, limits_help};
use anyhow::Context;
use capsule_abi::limits::{Limit, Limits};
use capsule_mcp::{Server, Surroundings, ToolSet, http, stdio};
use capsule_session::Sessions;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Serve bash sandboxes to an agent over the Model Context Protocol
///
/// Without --http it speaks over standard input and output, as clients that start it expect. Each session_id of a client
/// is a session of its own; all are made with the options given here. With --workspace DIR each has a folder of its own
/// there; to work on files of the host, mount them.
#[derive(clap::Args)]
#[command(mut_arg("limits", |arg| arg.help(limits_help(&limits()))))]
#[command(after_help = "Examples:
  capsule mcp
  capsule mcp --mount ./src::/src:ro --limit wall=60s
  capsule mcp --http 8080
  CAPSULE_MCP_TOKEN=secret capsule mcp --http 0.0.0.0:8080 --allow-host box.example.com")]
pub struct Mcp {
    #[command(flatten)]
    session: SessionOptions,
    /// Keep sessions in this folder, so that they go on when the server is started again
    #[arg(long, value_name = "DIR")]
    sessions: Option<PathBuf>,
    /// Which tools to offer: all, or a list such as run,reset,sessions
    #[arg(long, default_value = "all", value_name = "all|LIST")]
    tools: ToolSet,
    /// Serve streamable HTTP at /mcp; the loopback unless an address is named
    #[arg(long, value_name = "[IP:]PORT", value_parser = http::parse_address)]
    http: Option<SocketAddr>,
    /// With --http: what clients must send as Authorization: Bearer TOKEN
    #[arg(long, env = "CAPSULE_MCP_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// With --http: a host name clients call this server by; repeatable
    #[arg(long = "allow-host", value_name = "HOST[:PORT]", requires = "http")]
    hosts: Vec<String>,
    /// With --http: an origin of web pages that may ask; repeatable
    #[arg(long = "allow-origin", value_name = "SCHEME://HOST:PORT", requires = "http")]
    origins: Vec<String>,
}

/// What a model reads costs, and crowds out the rest of what it knows: answers are shorter than elsewhere.
const ANSWER: u64 = 64 << 10;

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.set(Limit::Answer, ANSWER);
    limits
}

impl Mcp {
    pub fn run(self) -> anyhow::Result<u8> {
        let limits = self.session.limits(limits())?;
        let builder = self.session.builder(limits)?.runtime(engine::shared_runtime(&limits)?);
        // What is wrong with the options is said now, to the user, and not with every call, to the agent.
        let spare = builder.clone().host_workspace("memory").build()?;
        let builder = match self.sessions {
            Some(folder) => builder.sessions_folder(folder),
            None => builder,
        };
        let surroundings = Surroundings { mounts: self.session.mounts, hosts: self.session.allow_net };
        let server = Server::new(Sessions::new(builder), self.tools, &surroundings);
        let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
        // The shell's code is made ready while client and server greet each other. If it fails, the first run says why.
        tokio.spawn(async move { spare.preload("bash").await });
        tokio.block_on(async {
            let Some(address) = self.http else {
                return stdio::serve(server).await.context("the client does not speak the protocol");
            };
            let options = http::Options { address, token: self.token, hosts: self.hosts, origins: self.origins };
            let listening = http::bind(options).await.with_context(|| format!("cannot serve at {address}"))?;
            eprintln!("capsule: serving {}", listening.url()?);
            listening.serve(server).await.context("the server stopped")
        })?;
        // Not waited for: whoever asked for what still runs is gone.
        tokio.shutdown_background();
        Ok(0)
    }
}
