//! `cargo xtask conformance`

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::guests;
use crate::project::Project;

/// Run other shells' test suites against `capsule bash` and print the score of each
///
/// The suites are not part of the project: ${CAPSULE_CONFORMANCE:-../shared/conformance} holds them and their runner.
/// Failures with what came and what was wanted go to target/conformance-failures.json.
#[derive(clap::Args)]
pub struct Args {
    /// Suites, then options of the runner: `oils brush --only '^array'`, `--limit 50`, `--show oils:array/00` …
    #[arg(allow_hyphen_values = true, trailing_var_arg = true, value_name = "SUITES, OPTIONS")]
    args: Vec<String>,
}

impl Args {
    pub fn run(self, project: &Project) -> Result<ExitCode> {
        let folder = env::var_os("CAPSULE_CONFORMANCE")
            .map_or_else(|| project.root().join("../shared/conformance"), PathBuf::from);
        let runner = folder.join("score");
        let missing =
            || format!("no conformance runner at {}: set CAPSULE_CONFORMANCE to its folder", runner.display());
        ensure!(runner.is_file(), missing());

        guests::build_shipped(project)?;
        let capsule = project.build_capsule()?;
        let mut score = Command::new(&runner);
        score.current_dir(project.root()).args(&self.args).arg("--wasm-helpers");
        if !self.args.iter().any(|arg| arg.starts_with("--out")) {
            score.args(["--out", "target/conformance-failures.json"]);
        }
        score.arg("--").arg(capsule).args(["bash", "--mount", "{dir}::{dir}", "--cwd", "{dir}", "{env:--env}"]);
        let status = score.status().with_context(|| format!("cannot start {}", runner.display()))?;
        // 0 all passed, 1 some failed, 2 wrong usage: handed on as they are.
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
    }
}
