//! The examples of the documents, run: blocks of the kind `console` hold commands after `$ ` and what they print.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The blocks of a kind, without their fences.
fn blocks(text: &str, kind: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.strip_prefix("```").is_some_and(|found| found == kind) {
            blocks.push(lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect());
        }
    }
    blocks
}

/// Runs the commands of a block in a folder; the block as it came out.
fn play(block: &str, folder: &Path, path: &str) -> String {
    let mut out = String::new();
    for command in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
        // Not a file: nothing here is longer than a pipe holds, and the order of both outputs counts.
        let mut run = Command::new("sh");
        run.args(["-c", &format!("{{ {command}\n}} 2>&1")]).current_dir(folder);
        let output = run.env("PATH", path).output().unwrap();
        out.push_str(&format!("$ {command}\n{}", String::from_utf8_lossy(&output.stdout)));
    }
    out
}

/// A search path that finds the binary under test first.
fn search_path() -> String {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_capsule"));
    format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default())
}

#[test]
fn console_examples_print_what_they_say() {
    let (folder, path) = (tempfile::tempdir().unwrap(), search_path());
    let mut count = 0;
    for name in ["sessions.md", "shell.md", "mcp.md", "commands.md"] {
        for block in blocks(&document(name), "console") {
            assert_eq!(play(&block, folder.path(), &path), block, "{name}");
            count += 1;
        }
    }
    assert!(count > 0);
}

#[test]
fn the_tour_of_the_readme_works() {
    let (folder, path) = (tempfile::tempdir().unwrap(), search_path());
    std::fs::create_dir(folder.path().join("docs")).unwrap();
    std::fs::write(folder.path().join("docs/page"), "line\n").unwrap();
    // The smallest program there is: it exports a start that does nothing.
    let tool = "(module (memory (export \"memory\") 1) (func (export \"_start\")))";
    std::fs::write(folder.path().join("tool.wasm"), wat::parse_str(tool).unwrap()).unwrap();
    let tour =
        blocks(&document("../README.md"), "sh").into_iter().find(|block| block.contains("capsule bash")).unwrap();
    // What needs the world outside is not for a test, and a terminal has tests of its own.
    let lines = tour.lines().filter(|line| line.starts_with("capsule ") && !line.contains("--allow-net"));
    let lines = lines.filter(|line| !line.starts_with("capsule shell"));
    let mut count = 0;
    for line in lines {
        let command = line.rsplit_once("  #").map_or(line, |(command, _)| command);
        let output = Command::new("sh").args(["-c", command]).current_dir(folder.path()).env("PATH", &path).output();
        let output = output.unwrap();
        let expected = if command.contains("--limit") { 137 } else { 0 };
        assert_eq!(output.status.code(), Some(expected), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        count += 1;
    }
    assert!(count > 7, "{count}");
}

#[test]
fn the_list_of_commands_is_what_there_is() {
    let text = document("commands.md");
    let (_, list) = text.split_once("## What there is").unwrap();
    let told: BTreeSet<&str> = list.split('`').skip(1).step_by(2).collect();
    let mut run = Command::new(env!("CARGO_BIN_EXE_capsule"));
    let output = run.args(["bash", "-c", "ls /bin"]).output().unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    let found: BTreeSet<&str> = found.lines().collect();
    let differ: Vec<_> = told.symmetric_difference(&found).collect();
    assert!(differ.is_empty(), "only in docs/commands.md, or only in /bin: {differ:?}");
}
