//! `cargo xtask quickstart`

mod scenes;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::commands::setup;
use crate::progress;
use crate::project::Project;
use scenes::{SCENES, Scene};

/// From a fresh clone to a first session in the sandbox: what `setup` does, then a few real answers
#[derive(clap::Args)]
pub struct Args {}

impl Args {
    pub fn run(self, project: &Project) -> Result<ExitCode> {
        let capsule = setup::everything(project)?;
        let workspace = env::temp_dir().join(format!("capsule-quickstart-{}", std::process::id()));
        fs::create_dir_all(&workspace).with_context(|| format!("cannot make {}", workspace.display()))?;
        let told = SCENES.iter().try_for_each(|scene| show(&capsule, &workspace, scene));
        // What cannot be removed stays in the temporary folder, as temporary things do.
        let _ = fs::remove_dir_all(&workspace);
        told?;
        let shown = project.shown(&capsule);
        progress::done(format_args!("it works. Go on with: {shown} bash --workspace . -c 'ls'"));
        Ok(ExitCode::SUCCESS)
    }
}

/// Runs one scene and prints the answer as `capsule` printed it.
fn show(capsule: &Path, workspace: &Path, scene: &Scene) -> Result<()> {
    let options: String = scene.options.iter().map(|option| format!(" {option}")).collect();
    let folder = workspace.display();
    println!("\n# {}\n$ capsule bash --json --workspace {folder}{options} -c '{}'", scene.says, scene.script);
    let mut bash = Command::new(capsule);
    bash.args(["bash", "--json", "--workspace"]).arg(workspace).args(scene.options).args(["-c", scene.script]);
    let output = bash.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("cannot start capsule")?;
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{}", text.trim_end());
    check(&text, scene)
}

fn check(text: &str, scene: &Scene) -> Result<()> {
    let answer: Value = serde_json::from_str(text).context("the answer is not JSON")?;
    let status = &answer["exitCode"];
    ensure!(*status == scene.exit_code, "expected the exit code {}, not {status}", scene.exit_code);
    let part = scene.expect;
    let found = ["stdout", "stderr", "diff", "limit"].into_iter().any(|field| match &answer[field] {
        Value::String(output) => output.contains(part),
        other => other.to_string().contains(part),
    });
    ensure!(found, "expected to see {part:?} in the answer");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: Scene = Scene { says: "", options: &[], script: "", exit_code: 3, expect: "src/a" };

    #[test]
    fn an_answer_is_checked_for_its_exit_code_and_what_it_should_show() {
        let answer = |code, path| format!(r#"{{"exitCode":{code},"stdout":"","diff":{{"created":["{path}"]}}}}"#);
        check(&answer(3, "src/a"), &SCENE).unwrap();
        assert_eq!(check(&answer(0, "src/a"), &SCENE).unwrap_err().to_string(), "expected the exit code 3, not 0");
        assert!(check(&answer(3, "b"), &SCENE).is_err());
        assert!(check("no json", &SCENE).is_err());
    }
}
