//! The examples of README.md and docs/sessions.md, word for word: each stands here as code that is compiled and run, and is
//! compared with the document.

use std::error::Error;

#[rustfmt::skip]
#[allow(unused_variables, unused_imports, reason = "an example names what its reader will use")]
async fn readme() -> Result<(), Box<dyn Error>> {
    // README.md
    use capsule_session::{Bash, CommandOutput, CustomCommand, RunOptions};
    use std::time::Duration;

    let hello = CustomCommand::new("hello", async |_opts, _state| Ok::<_, String>(CommandOutput::stdout("Hello\n")));
    let bash = Bash::builder()
        .host_workspace("memory")          // or a folder; `.capsule/session/workspace` when nobody says
        .sessions_folder(".capsule/sessions").id("mine")   // kept: opened again, it goes on where it stopped
        .custom_commands([hello])
        .build()?;

    bash.run("mkdir src && cd src && x=1").await?;          // working directory, variables, functions, files: all stay
    let answer = bash.run("hello | tr a-z A-Z; echo $x").await?;   // stdout "HELLO\n1\n", state.cwd "/workspace/src"
    let options = RunOptions { contents: true, timeout: Some(Duration::from_secs(5)), ..Default::default() };
    bash.run_with("echo two >> notes.txt", options).await?;  // with a unified diff of what changed

    let id = bash.snapshot().await?;                         // also: restore, diff_since, read_file, write_file, list_files
    let other = bash.fork("experiment").await?;              // shares every byte until one of them changes
    bash.undo().await?;                                      // files and state of the last step
    // end
    assert_eq!((answer.stdout.as_str(), answer.state.cwd.as_str()), ("HELLO\n1\n", "/workspace/src"));
    Ok(())
}

#[rustfmt::skip]
#[allow(unused_variables, unused_imports, reason = "an example names what its reader will use")]
async fn sessions() -> Result<(), Box<dyn Error>> {
    // docs/sessions.md
    use capsule_session::{Bash, RunOptions, Sessions};

    let bash = Bash::builder()
        .sessions_folder(".capsule/sessions").id("notes")     // without a folder it lives in memory
        .host_workspace("memory")                             // or a folder of the host
        .build()?;

    let answer = bash.run("mkdir src && touch src/index.ts").await?;
    assert_eq!(answer.diff.created, ["src", "src/index.ts"]);

    let before = bash.snapshot().await?;
    bash.run("rm -r src").await?;
    assert_eq!(bash.diff_since(before).await?.deleted, ["src", "src/index.ts"]);
    bash.restore(before).await?;                              // or undo(): the last eight steps

    let other = bash.fork("experiment").await?;               // shares every byte until one of them changes
    let options = RunOptions { contents: true, ..RunOptions::default() };
    let answer = other.run_with("echo 1 > src/index.ts", options).await?;
    assert!(answer.diff.contents.is_some());                  // unified diffs; size and SHA-256 of what is no text
    // end
    Ok(())
}

/// The lines between `// NAME` and `// end` of this file, without what they are indented by.
fn code(name: &str) -> String {
    let lines = include_str!("documents.rs").lines().skip_while(|line| line.trim() != format!("// {name}")).skip(1);
    let lines = lines.take_while(|line| line.trim() != "// end");
    lines.map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect()
}

#[tokio::test]
async fn the_examples_of_the_documents_work() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["README.md", "docs/sessions.md"] {
        let text = std::fs::read_to_string(root.join(name)).unwrap();
        assert!(text.contains(&format!("```rust\n{}```", code(name))), "{name} shows other code than this test runs");
    }
    // The examples keep sessions below the working directory. Nothing else runs in this process.
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::env::set_current_dir(&first).unwrap();
    readme().await.unwrap();
    std::env::set_current_dir(&second).unwrap();
    sessions().await.unwrap();
}
