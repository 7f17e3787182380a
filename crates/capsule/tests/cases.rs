//! The shell's cases against real bash. A file of tests/cases/bash is a chapter; a line `### NAME` begins a case, and what
//! follows is its script. Both shells start in an empty folder; output, status and the folder afterwards must agree.
//! A case that is known to differ is listed in tests/cases/known-failures.txt, and fails when it starts to pass.

mod common;

use common::{Verdicts, parts};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Case {
    name: String,
    script: String,
}

#[derive(PartialEq, Eq, Debug)]
struct Outcome {
    status: Option<i32>,
    stdout: String,
    stderr: String,
    /// Path, and what is there.
    folder: BTreeMap<String, String>,
}

fn cases_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases")
}

fn read_cases() -> Vec<Case> {
    let mut files: Vec<_> = fs::read_dir(cases_folder().join("bash")).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "sh"));
    files.sort();
    files.iter().flat_map(|file| parts(file)).map(|(name, script)| Case { name, script }).collect()
}

fn outcome(command: &mut Command, folder: &Path) -> Outcome {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| {
        // The two run in different folders, which scripts may print.
        String::from_utf8_lossy(&bytes).replace(&*folder.to_string_lossy(), "<DIR>")
    };
    let mut listing = BTreeMap::new();
    list(folder, folder, &mut listing);
    Outcome { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr), folder: listing }
}

fn list(root: &Path, folder: &Path, into: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        let what = if kind.is_dir() {
            list(root, &path, into);
            "folder".into()
        } else if kind.is_symlink() {
            format!("link to {}", fs::read_link(&path).unwrap().display())
        } else {
            String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned()
        };
        into.insert(name, what);
    }
}

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

fn in_bash(case: &Case) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    // Whoever runs the tests may ignore signals (nohup, a job in the background), and bash would keep that.
    let mut bash = Command::new("/usr/bin/env");
    bash.args(["--default-signal", "/bin/bash", "--norc", "-c", &case.script, "bash"]).current_dir(&folder).env_clear();
    bash.env("PATH", PATH).env("HOME", "/root").env("LANG", "C.UTF-8");
    outcome(&mut bash, folder.path())
}

fn in_capsule(case: &Case) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let mut capsule = Command::new(env!("CARGO_BIN_EXE_capsule"));
    capsule.args(["bash", "--mount", &format!("{dir}::{dir}"), "--cwd", dir, "--limit", "wall=20s"]);
    capsule.args(["--env", &format!("PATH={PATH}"), "-c", &case.script, "bash"]);
    outcome(&mut capsule, folder.path())
}

#[test]
fn the_shell_does_what_bash_does() {
    if !Path::new("/bin/bash").exists() {
        eprintln!("skipped: there is no /bin/bash to compare with");
        return;
    }
    let cases = read_cases();
    let names = cases.iter().map(|case| case.name.as_str());
    let mut verdicts = Verdicts::new(&cases_folder().join("known-failures.txt"), names);
    for case in cases.iter().filter(|case| verdicts.wants(&case.name)).collect::<Vec<_>>() {
        verdicts.compare(&case.name, &case.script, "bash:", &in_bash(case), &in_capsule(case));
    }
    verdicts.end();
}
