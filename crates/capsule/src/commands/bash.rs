//! `capsule bash`.

use super::shell;
use crate::sandbox::{Sandbox, What};
use anyhow::Context;
use capsule_session::Run;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// Run a shell command or script in a sandbox
///
/// What follows the options is given to bash as it is: `-c SCRIPT [NAME ARGS…]`, `FILE ARGS…`, or nothing: then the script
/// is read from standard input, or, on a terminal, typed (see `capsule shell`). FILE is looked for in the sandbox first, then
/// on the host. The exit status is the script's. With `--session ID` the files stay for the next call, and what `-c SCRIPT`
/// alone does to variables, functions and the working directory stays too.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "Examples:
  capsule bash -c 'for i in 1 2 3; do echo $i; done | wc -l'
  capsule bash --mount ./src::/src:ro -c 'ls /src'
  capsule bash --workspace ./out --json -c 'echo hi > hello.txt'
  capsule bash --session notes -c 'cd /tmp; x=1'
  echo 'echo $0 $1' | capsule bash -s arg"
)]
pub struct Bash {
    #[command(flatten)]
    sandbox: Sandbox,
    /// Print the whole answer as JSON: output, exit code, what changed, where the shell is
    #[arg(long)]
    json: bool,
    /// Print this help
    #[arg(short, long, action = clap::ArgAction::HelpLong)]
    help: Option<bool>,
    /// Arguments of bash
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "BASH ARGS")]
    args: Vec<OsString>,
}

impl Bash {
    pub fn run(self) -> anyhow::Result<u8> {
        if self.args.is_empty() && !self.json && shell::is_interactive() {
            return shell::talk(&self.sandbox);
        }
        if let Some(meant) = self.args.first().and_then(|first| mistyped(first.to_str()?)) {
            anyhow::bail!("unknown option '{}'; did you mean --{meant}?", self.args[0].display());
        }
        let mut args: Vec<Vec<u8>> = self.args.into_iter().map(OsStringExt::into_vec).collect();
        // The state of a shell is kept for the next call, or told; nobody else needs it.
        let stateful = self.sandbox.is_kept() || self.json;
        self.sandbox.execute(self.json, async |session| {
            if let [option, script] = &mut args[..]
                && stateful
                && option == b"-c"
            {
                return Ok(What::Command(std::mem::take(script)));
            }
            if let Some(file) = args.first_mut().filter(|first| !first.starts_with(b"-")) {
                *file = bring_in(session, file).await?;
            }
            Ok(What::Program(Run::bash(args)))
        })
    }
}

/// What is no option of ours is bash's, and bash would only tell its own. One letter away, no option of bash is meant.
fn mistyped(option: &str) -> Option<String> {
    let name = option.strip_prefix("--")?.split('=').next()?;
    let ours = <Bash as clap::Args>::augment_args(clap::Command::new("bash"));
    let found = ours.get_arguments().filter_map(clap::Arg::get_long).find(|ours| strsim::osa_distance(ours, name) == 1);
    found.map(str::to_owned)
}

/// A script of the host is copied in, so that it can be run without mounting its folder.
async fn bring_in(session: &capsule_session::Bash, file: &[u8]) -> anyhow::Result<Vec<u8>> {
    let name = String::from_utf8_lossy(file).into_owned();
    if session.exists(file).await? || !Path::new(&name).is_file() {
        return Ok(file.to_vec());
    }
    let script = std::fs::read(&name).with_context(|| format!("cannot read {name}"))?;
    let base = file.rsplit(|&b| b == b'/').next().unwrap_or(b"script");
    let inside = [b"/run/", base].concat();
    let copied = session.write_program(&inside, &script).await;
    copied.with_context(|| format!("cannot copy {name} into the sandbox"))?;
    Ok(inside)
}
