//! The examples of the documents, run: blocks of the kind `console` hold commands after `$ ` and what they print.

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

#[test]
fn console_examples_print_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_capsule"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let mut count = 0;
    for name in ["sessions.md", "shell.md", "mcp.md"] {
        for block in blocks(&document(name), "console") {
            assert_eq!(play(&block, folder.path(), &path), block, "{name}");
            count += 1;
        }
    }
    assert!(count > 0);
}
