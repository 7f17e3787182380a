//! Licences, duplicate and banned crates, sources and advisories, with cargo-deny and the rules in deny.toml.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::process::CommandExt;
use crate::progress;
use crate::project::Project;
use crate::tools::{self, CARGO_DENY};

/// The advisory database is a git repository of a few megabytes.
const FETCH_LIMIT: Duration = Duration::from_secs(60);

pub fn check(project: &Project) -> Result<()> {
    let program = match tools::ensure(project, &CARGO_DENY) {
        Ok(program) => program,
        Err(error) => {
            progress::note(format_args!("dependencies not checked: cargo-deny cannot be installed here ({error:#})"));
            return Ok(());
        }
    };
    let mut checks = vec!["licenses", "bans", "sources"];
    if deny(project, &program, "Cargo.toml").args(["fetch", "db"]).succeeds_within(FETCH_LIMIT) {
        checks.push("advisories");
    } else {
        progress::note("advisories skipped: the database github.com/rustsec/advisory-db cannot be fetched here");
    }
    progress::step(format_args!("cargo deny check {}", checks.join(" ")), || {
        for manifest in ["Cargo.toml", "guests/Cargo.toml"] {
            if project.root().join(manifest).is_file() {
                deny(project, &program, manifest).arg("check").args(&checks).run()?;
            }
        }
        Ok(())
    })
}

fn deny(project: &Project, program: &Path, manifest: &str) -> Command {
    let mut deny = Command::new(program);
    deny.current_dir(project.root()).args(["--manifest-path", manifest, "--workspace", "--config", "deny.toml"]);
    deny
}
