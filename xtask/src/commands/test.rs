//! `cargo xtask test`

use std::io::stdout;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};

use crate::guests;
use crate::mcp_clients;
use crate::progress;
use crate::project::Project;
use crate::test_results::Sum;

/// Run the whole test suite: the host workspace with its doc tests, then the guests' own tests on this machine, then the commands' in sandboxes
#[derive(clap::Args)]
pub struct Args {
    /// Passed to `cargo test`, e.g. `-- rename` or `-- -p capsule-vfs`; with -p only that package of the host is tested
    #[arg(last = true)]
    args: Vec<String>,
}

impl Args {
    pub fn run(self, project: &Project) -> Result<ExitCode> {
        guests::build_all(project)?;
        let one_package = self.args.iter().any(|arg| arg.starts_with("-p") || arg.starts_with("--package"));
        mcp_clients::ensure(project);
        let mut sum = Sum::default();

        let mut host = project.cargo();
        host.args(["test", "--no-fail-fast"]).args((!one_package).then_some("--workspace"));
        self.stage("testing the host workspace", &mut host, &mut sum)?;

        if project.has_guests() && !one_package {
            let mut guests = project.native_guests_cargo();
            guests.args(["test", "--no-fail-fast", "--workspace", "--exclude", "capsule-door-tests"]);
            self.stage("testing the guests natively", &mut guests, &mut sum)?;

            let mut commands = project.native_guests_cargo();
            commands.args(["test", "-p", "capsule-applets", "--test", "gnu"]).env("SANDBOX", project.tested_capsule()?);
            self.stage("testing the commands in the sandbox", &mut commands, &mut sum)?;
        }
        println!("{} passed, {} failed", sum.passed, sum.failed);
        Ok(if sum.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn stage(&self, what: &str, cargo: &mut Command, sum: &mut Sum) -> Result<()> {
        progress::begin(what);
        let before = sum.failed;
        let mut child = cargo.args(&self.args).stdout(Stdio::piped()).spawn().context("cannot start cargo test")?;
        sum.stream(child.stdout.take().context("no output of cargo test")?, stdout())?;
        let status = child.wait().context("cannot wait for cargo test")?;
        if !status.success() && sum.failed == before {
            // A program that did not build, or died before its result line, is a failure too.
            progress::failure(format_args!("{what}: cargo ended with {status} and named no failed test, see above"));
            sum.failed += 1;
        }
        Ok(())
    }
}
