//! `cargo xtask guests`

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::guests::{self, GUESTS, Tool};
use crate::progress;
use crate::project::Project;

/// Build the guests into target/guests: all of them, or those named
#[derive(clap::Args)]
pub struct Args {
    /// bash, python, doors
    names: Vec<String>,
}

impl Args {
    pub fn run(self, project: &Project) -> Result<ExitCode> {
        let known: Vec<&str> = GUESTS.iter().map(|guest| guest.name).collect();
        if let Some(unknown) = self.names.iter().find(|name| !known.contains(&name.as_str())) {
            bail!("no guest is named {unknown}; there are: {}", known.join(", "));
        }
        guests::build(project, Tool::Debug, |guest| {
            self.names.is_empty() || self.names.iter().any(|name| name == guest.name)
        })?;
        progress::done(format_args!("guests are up to date in {}", project.built_guests().display()));
        Ok(ExitCode::SUCCESS)
    }
}
