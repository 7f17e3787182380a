//! The options that say what a sandbox is made of, and running something in one.

use crate::{engine, window};
use anyhow::Context;
use capsule_abi::limits::Limits;
use capsule_session::{Bash, BashBuilder, Input, Mount, NetworkPolicy, Output, Run, RunOptions};
use std::io::{IsTerminal, stderr, stdin, stdout};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct SessionOptions {
    /// Show a host folder inside; repeatable
    #[arg(long = "mount", value_name = "HOST[::GUEST][:ro|:rw]")]
    pub mounts: Vec<Mount>,
    /// Working directory inside
    #[arg(long, default_value = "/workspace")]
    cwd: String,
    /// Set an environment variable; repeatable
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    /// Where the files of /workspace live: a host folder, or memory
    #[arg(long, default_value = "memory", value_name = "DIR|memory")]
    workspace: String,
    /// Change a limit: wall, fuel, memory, disk, files, processes, open-files, output, answer, network; repeatable
    #[arg(long = "limit", value_name = "NAME=VALUE")]
    limits: Vec<String>,
    /// Let the sandbox reach a host: NAME, *.NAME (what is below it) or *, with http:// or https:// and :PORT if need be;
    /// this machine and private networks only by address or as localhost; tcp://NAME:PORT for bash's /dev/tcp; repeatable,
    /// or several with commas
    #[arg(long = "allow-net", value_name = "HOST", value_delimiter = ',')]
    allow_net: Vec<String>,
    /// A secret that programs send to HOST and never see: inside, $NAME is a placeholder. Without =VALUE it is taken from
    /// this command's environment; header:NAME=VALUE@HOST sets a header; repeatable
    #[arg(long = "secret", value_name = "NAME[=VALUE]@HOST", requires = "allow_net")]
    secrets: Vec<String>,
}

#[derive(clap::Args)]
pub struct Sandbox {
    #[command(flatten)]
    pub session: SessionOptions,
    /// Go on in the session of this name, and keep it: files, and the shell's state of `-c COMMAND` and of what is typed
    #[arg(long = "session", value_name = "ID")]
    id: Option<String>,
    /// Where sessions are kept that have a name
    #[arg(long, value_name = "DIR", default_value = ".capsule/sessions", requires = "id")]
    sessions: PathBuf,
    /// Print the whole answer as JSON: output, exit code, what changed
    #[arg(long)]
    pub json: bool,
}

/// What is run in a sandbox.
pub enum What {
    Program(Run),
    /// A command for the session's own shell.
    Command(Vec<u8>),
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

/// A secret whose value is not on the command line, where others can read it, is in our environment.
fn with_value(secret: &str) -> anyhow::Result<String> {
    if secret.contains('=') {
        return Ok(secret.to_owned());
    }
    let (name, host) = secret.split_once('@').context("a secret is NAME=VALUE@HOST or NAME@HOST")?;
    let variable = name.strip_prefix("header:").unwrap_or(name);
    let value = std::env::var(variable).with_context(|| format!("the secret {variable} is not in the environment"))?;
    Ok(format!("{name}={value}@{host}"))
}

impl SessionOptions {
    pub fn limits(&self) -> anyhow::Result<Limits> {
        let mut limits = Limits::default();
        for limit in &self.limits {
            limits.parse(limit)?;
        }
        Ok(limits)
    }

    fn network(&self) -> anyhow::Result<NetworkPolicy> {
        let mut policy = NetworkPolicy::allow(&self.allow_net)?;
        for secret in &self.secrets {
            policy = policy.secret(&with_value(secret)?)?;
        }
        Ok(policy)
    }

    /// What sessions are made of, but for the runtime.
    pub fn builder(&self) -> anyhow::Result<BashBuilder> {
        let mut builder = Bash::builder()
            .host_workspace(self.workspace.as_str())
            .limits(self.limits()?)
            .initial_cwd(self.cwd.as_str())
            .network(self.network()?)
            .mounts(self.mounts.iter().cloned());
        for (name, value) in &self.env {
            builder = builder.env(name.as_str(), value.as_str());
        }
        Ok(builder)
    }
}

impl Sandbox {
    /// What the session is made of, but for the runtime.
    pub fn builder(&self) -> anyhow::Result<BashBuilder> {
        let builder = self.session.builder()?;
        Ok(match &self.id {
            Some(id) => builder.id(id).sessions_folder(&self.sessions),
            None => builder,
        })
    }

    /// Whether the session is to be there the next time.
    pub fn is_kept(&self) -> bool {
        self.id.is_some()
    }

    /// Makes a session and runs in it, to its end, what `prepare` names: streaming, or with the whole answer as JSON. The
    /// status to exit with.
    pub fn execute(&self, prepare: impl AsyncFnOnce(&Bash) -> anyhow::Result<What>) -> anyhow::Result<u8> {
        let runtime = engine::runtime(&self.session.limits()?)?;
        let session = self.builder()?.runtime(runtime).build()?;
        let found = [stdin().is_terminal(), stdout().is_terminal(), stderr().is_terminal()];
        let terminals = found.map(|terminal| terminal && !self.json);
        let window = Some(window::size());
        // A terminal that nobody types into would never end: with --json there is no dialogue.
        let stdin = match self.json && found[0] {
            true => Input::Empty,
            false => Input::Stream(Box::new(stdin())),
        };
        let (out, err) = match self.json {
            true => (Output::Answer, Output::Answer),
            false => (Output::Stream(Box::new(stdout())), Output::Stream(Box::new(stderr()))),
        };
        let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
        let answer = tokio.block_on(async {
            anyhow::Ok(match prepare(&session).await? {
                What::Program(run) => {
                    session.execute(Run { stdin, stdout: out, stderr: err, terminals, window, ..run }).await?
                }
                What::Command(command) => {
                    let options =
                        RunOptions { stdin, stdout: out, stderr: err, terminals, window, ..Default::default() };
                    session.run_with(command, options).await?
                }
            })
        })?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&answer)?);
        } else {
            answer.limit.iter().chain(&answer.state_lost).for_each(|message| eprintln!("{message}"));
        }
        // Not waited for: a thread may still be reading a terminal.
        tokio.shutdown_background();
        Ok(answer.exit_code as u8)
    }
}
