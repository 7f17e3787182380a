//! `cargo xtask bench`

use std::process::ExitCode;

use anyhow::Result;

use crate::guests;
use crate::process::CommandExt;
use crate::progress;
use crate::project::Project;

/// Measure, with real bash beside it where there is one: all benches, or those whose name contains FILTER
#[derive(clap::Args)]
pub struct Args {
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    filter: Vec<String>,
}

impl Args {
    pub fn run(self, project: &Project) -> Result<ExitCode> {
        guests::build_shipped(project)?;
        // Some benches start the command.
        project.build_capsule()?;
        let bench = ["--release", "--package", "capsule-bench"];
        progress::step("building the benches (release)", || project.cargo().arg("build").args(bench).run())?;
        project.cargo().args(["run", "--quiet"]).args(bench).arg("--").args(self.filter).run()?;
        Ok(ExitCode::SUCCESS)
    }
}
