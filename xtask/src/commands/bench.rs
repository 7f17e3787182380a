//! `cargo xtask bench`

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::guests;
use crate::process::CommandExt;
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
        let bench = project.build_release("capsule-bench")?;
        Command::new(bench).args(self.filter).run()?;
        Ok(ExitCode::SUCCESS)
    }
}
