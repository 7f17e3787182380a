//! The options that say what a sandbox is made of, and running something in one.

use crate::interrupts::{self, Interrupts};
use crate::{engine, streams, window};
use anyhow::Context;
use capsule_abi::limits::{Limit, Limits};
use capsule_session::{Answer, Bash, BashBuilder, Input, Mount, NetworkPolicy, Output, Run, RunOptions};
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdin, stdout};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct SessionOptions {
    /// Show a host folder inside; repeatable
    #[arg(long = "mount", value_name = "HOST[::GUEST][:ro|:rw]")]
    pub mounts: Vec<Mount>,
    /// Working directory inside
    #[arg(long, default_value = "/workspace", value_name = "DIR", value_parser = absolute)]
    cwd: String,
    /// Set an environment variable; repeatable
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    /// Where the files of /workspace live: a host folder, or memory
    #[arg(long, default_value = "memory", value_name = "DIR|memory")]
    workspace: String,
    #[arg(long = "limit", value_name = "NAME=VALUE", help = limits_help(&Limits::default()))]
    limits: Vec<String>,
    /// Let the sandbox reach a host: NAME, *.NAME (what is below it) or *, with http:// or https:// and :PORT if need be;
    /// this machine and private networks only by address or as localhost; tcp://NAME:PORT for bash's /dev/tcp; repeatable,
    /// or several with commas
    #[arg(long = "allow-net", value_name = "HOST", value_delimiter = ',')]
    pub allow_net: Vec<String>,
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
}

/// What is run in a sandbox.
pub enum What {
    Program(Run),
    /// A command for the session's own shell.
    Command(Vec<u8>),
}

/// What a write to a pipe that nobody reads ends with: 128 + `SIGPIPE`.
const BROKEN_PIPE: u8 = 141;

/// The shell would pass over a variable that has another name.
fn variable(text: &str) -> Result<(String, String), String> {
    let is_name = |name: &str| {
        !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && is_name(name) => Ok((name.to_owned(), value.to_owned())),
        Some(_) => Err("expected NAME=VALUE, NAME of letters, digits and _".to_owned()),
        None => Err("expected NAME=VALUE".to_owned()),
    }
}

fn absolute(text: &str) -> Result<String, String> {
    if text.starts_with('/') { Ok(text.to_owned()) } else { Err("expected an absolute path in the sandbox".to_owned()) }
}

/// How `--limit` explains itself: the names with their values.
pub fn limits_help(limits: &Limits) -> String {
    let shown = |limit: Limit| match limits.get(limit) {
        u64::MAX => format!("{}=unlimited", limit.name()),
        value => format!("{}={}", limit.name(), limit.show(value).replace(' ', "")),
    };
    let values = Limit::ALL.map(shown).join(" ");
    format!("Change a limit, as in wall=30s or memory=512M; repeatable. Without it: {values}")
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
    /// The limits that were asked for; where none were, those of `others`.
    pub fn limits(&self, others: Limits) -> anyhow::Result<Limits> {
        let mut limits = others;
        for limit in &self.limits {
            limits.parse(limit)?;
        }
        Ok(limits)
    }

    /// Whether a variable was given.
    pub fn sets(&self, variable: &str) -> bool {
        self.env.iter().any(|(name, _)| name == variable)
    }

    fn network(&self) -> anyhow::Result<NetworkPolicy> {
        let mut policy = NetworkPolicy::allow(&self.allow_net)?;
        for secret in &self.secrets {
            policy = policy.secret(&with_value(secret)?)?;
        }
        Ok(policy)
    }

    /// What sessions are made of, but for the runtime.
    pub fn builder(&self, limits: Limits) -> anyhow::Result<BashBuilder> {
        let mut builder = Bash::builder()
            .host_workspace(self.workspace.as_str())
            .limits(limits)
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
    /// What the session is made of.
    pub fn builder(&self) -> anyhow::Result<BashBuilder> {
        let limits = self.session.limits(Limits::default())?;
        let builder = self.session.builder(limits)?.runtime(engine::runtime(&limits)?);
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
    pub fn execute(&self, json: bool, prepare: impl AsyncFnOnce(&Bash) -> anyhow::Result<What>) -> anyhow::Result<u8> {
        let session = self.builder()?.build()?;
        let found = [stdin().is_terminal(), stdout().is_terminal(), stderr().is_terminal()];
        let terminals = found.map(|terminal| terminal && !json);
        let window = Some(window::size());
        // A terminal that nobody types into would never end: with --json there is no dialogue.
        let stdin = match json && found[0] || streams::is_null(stdin()) {
            true => Input::Empty,
            false => Input::Stream(Box::new(stdin())),
        };
        let (out, err) = match (json, streams::are_one(stdout(), stderr())) {
            (true, _) => (Output::Answer, Output::Answer),
            (false, true) => (Output::Stream(Box::new(stdout())), Output::LikeStdout),
            (false, false) => (Output::Stream(Box::new(stdout())), Output::Stream(Box::new(stderr()))),
        };
        let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
        let (answer, interrupted) = tokio.block_on(async {
            let mut interrupts = Interrupts::new().context("cannot listen to signals")?;
            let what = prepare(&session).await?;
            let interrupt = Some(interrupts.token.clone());
            let answer = interrupts.during(async {
                match what {
                    What::Program(run) => {
                        let run = Run { stdin, stdout: out, stderr: err, terminals, window, interrupt, ..run };
                        session.execute(run).await
                    }
                    What::Command(command) => {
                        let streams = RunOptions { stdin, stdout: out, stderr: err, ..RunOptions::default() };
                        session.run_with(command, RunOptions { terminals, window, interrupt, ..streams }).await
                    }
                }
            });
            let answer = answer.await?;
            anyhow::Ok((answer, interrupts.token.is_cancelled()))
        })?;
        let status = if json { printed(&answer)? } else { told(&answer) };
        // Not waited for: a thread may still be reading a terminal.
        tokio.shutdown_background();
        if interrupted && status == interrupts::STATUS {
            interrupts::end();
        }
        Ok(status)
    }
}

/// Prints the whole answer; the status to exit with.
fn printed(answer: &Answer) -> anyhow::Result<u8> {
    let mut text = serde_json::to_string_pretty(answer)?;
    text.push('\n');
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(BROKEN_PIPE),
        written => written.context("cannot write the answer").map(|()| answer.exit_code as u8),
    }
}

/// Says what the output did not; the status to exit with.
fn told(answer: &Answer) -> u8 {
    answer.limit.iter().chain(&answer.state_lost).for_each(|message| {
        // Standard error may be as full as standard output.
        let _ = writeln!(stderr(), "{message}");
    });
    match &answer.output_lost {
        Some(why) => {
            let _ = writeln!(stderr(), "capsule: {why}");
            // The fault is not the script's.
            125
        }
        None => answer.exit_code as u8,
    }
}
