//! The `capsule` command from start to end.

use crate::Bench;
use crate::report::{Target, median, times};
use anyhow::Context;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The command itself, built like this program.
pub fn capsule() -> anyhow::Result<PathBuf> {
    let this = std::env::current_exe()?;
    let capsule = this.parent().context("no folder")?.join("capsule");
    anyhow::ensure!(capsule.is_file(), "{} is missing: cargo xtask bench builds it", capsule.display());
    Ok(capsule)
}

pub fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let name = "cold: capsule bash -c true";
    if !bench.wanted(name) {
        return Ok(());
    }
    let capsule = capsule()?;
    let time = |program: &std::path::Path, args: &[&str]| {
        let rounds = times(40, || {
            let status = Command::new(program).args(args).stdin(Stdio::null()).status()?;
            anyhow::ensure!(status.success(), "{} failed", program.display());
            Ok(())
        })?;
        Ok::<f64, anyhow::Error>(median(rounds) / 1e3)
    };
    // The first start may compile the shell for this machine.
    time(&capsule, &["bash", "-c", "true"])?;
    let ours = time(&capsule, &["bash", "-c", "true"])?;
    let bash = time("bash".as_ref(), &["--norc", "-c", "true"])?;
    bench.report.row(name, "ms", ours, Some(bash), &[Target::AtMost(15.0)]);
    Ok(())
}
