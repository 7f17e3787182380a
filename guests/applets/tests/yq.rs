//! yq and jq beside what they must print: the machine's own `yq`, if there is one, is another program, and its jq may be
//! an old one. Blocks in `yq.txt`, and in `jq.txt` as jq 1.8.2 was seen to answer: a line `$ SCRIPT`, then its output,
//! messages included.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

#[test]
fn prints_what_it_must() {
    run("yq", include_str!("yq.txt"));
}

#[test]
fn jq_prints_what_it_must() {
    run("jq", include_str!("jq.txt"));
}

fn run(name: &str, text: &str) {
    let mut applet = env::current_exe().expect("the test's own path");
    applet.pop();
    applet.pop();
    let applet = applet.join("examples/applet");
    let root: PathBuf = env::temp_dir().join(format!("capsule-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(root.join("bin")).expect("folder");
    std::os::unix::fs::symlink(&applet, root.join("bin").join(name)).expect("link");
    let path = format!("{}:/usr/bin:/bin", root.join("bin").display());
    let (mut failed, mut scripts) = (Vec::new(), 0);
    for block in text.split("\n$ ").skip(1) {
        let (script, want) = block.split_once('\n').unwrap_or((block, ""));
        let cwd = root.join("case");
        let _ = fs::remove_dir_all(&cwd);
        fs::create_dir_all(&cwd).expect("folder of a case");
        let output = Command::new("/bin/bash")
            .args(["-c", &format!("exec 2>&1\n{script}")])
            .current_dir(&cwd)
            .env_clear()
            .env("PATH", &path)
            .output()
            .expect("bash");
        let got = String::from_utf8_lossy(&output.stdout).into_owned();
        scripts += 1;
        if got.trim_end() != want.trim_end() {
            failed.push(format!("$ {script}\nwant:\n{want}\ngot:\n{got}"));
        }
    }
    let _ = fs::remove_dir_all(&root);
    assert!(scripts > 0 && failed.is_empty(), "{}", failed.join("\n"));
}
