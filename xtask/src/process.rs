//! Child processes: cargo with a clean environment, and errors that name the command.

use std::env;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The cargo that runs us, without what it told us about the package xtask: build scripts of other packages that look at
/// those variables would run again each time.
pub fn cargo() -> Command {
    without_xtask(Command::new(cargo_path()))
}

/// The same, behind everything else that runs on the machine: for builds nobody waits for at the keyboard.
pub fn nice_cargo() -> Command {
    let Some(nice) = on_path("nice") else { return cargo() };
    let mut command = Command::new(nice);
    command.args(["-n", "10"]).arg(cargo_path());
    without_xtask(command)
}

fn cargo_path() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn without_xtask(mut command: Command) -> Command {
    for (name, _) in env::vars_os() {
        let about_xtask = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "CARGO_PRIMARY_PACKAGE"
        });
        if about_xtask {
            command.env_remove(name);
        }
    }
    command
}

/// The program `name` on PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|file| file.is_file())
}

pub trait CommandExt {
    /// Runs to the end with our own stdout and stderr; anything but success is an error.
    fn run(&mut self) -> Result<()>;

    /// What it prints on stdout, without the end of line.
    fn text(&mut self) -> Result<String>;

    /// Runs without output for at most `limit`; `false` when it failed, could not start or took longer.
    fn succeeds_within(&mut self, limit: Duration) -> bool;
}

impl CommandExt for Command {
    fn run(&mut self) -> Result<()> {
        let status = self.status().with_context(|| format!("cannot start {}", shown(self)))?;
        check(self, status)
    }

    fn text(&mut self) -> Result<String> {
        let output = self.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start {}", shown(self)))?;
        check(self, output.status)?;
        let text = String::from_utf8(output.stdout).with_context(|| format!("the output of {}", shown(self)))?;
        Ok(text.trim_end().to_owned())
    }

    fn succeeds_within(&mut self, limit: Duration) -> bool {
        let Ok(mut child) = self.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
            return false;
        };
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = child.try_wait() {
                return status.success();
            }
            sleep(Duration::from_millis(20));
        }
        // It may have ended in this moment: then there is nothing to end, and its status no longer matters.
        let _ = child.kill();
        let _ = child.wait();
        false
    }
}

pub fn check(command: &Command, status: ExitStatus) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    bail!("{} failed ({status})", shown(command))
}

/// The command as one would type it, the program without its folders.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut text = format!("`{}", program.file_name().unwrap_or(program.as_os_str()).display());
    for arg in command.get_args() {
        let _ = write!(text, " {}", arg.display());
    }
    text + "`"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command_and_its_status() {
        let error = Command::new("/bin/sh").args(["-c", "exit 3"]).run().unwrap_err();
        assert_eq!(error.to_string(), "`sh -c exit 3` failed (exit status: 3)");
    }

    #[test]
    fn a_command_that_hangs_is_ended() {
        assert!(!Command::new("sleep").arg("60").succeeds_within(Duration::from_millis(30)));
    }

    #[test]
    fn a_command_that_is_not_there_does_not_succeed() {
        assert!(!Command::new("/no/such/program").succeeds_within(Duration::from_secs(1)));
        assert!(Command::new("true").succeeds_within(Duration::from_secs(60)));
    }
}
