//! The sandbox's python3 beside the machine's. A file of tests/cases/python is a chapter; a line `### NAME` begins a case,
//! and what follows is a program: Python's in a .py file, the shell's in a .sh file. Both sides run every case in an empty
//! folder; standard output, the last line of standard error and the status must agree.
//! A case that is known to differ is listed in known-failures.txt beside them, and fails when it starts to pass.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs every case below the folder `$1`, each in its own.
const RUN_ALL: &str = r#"
cd "$1" || exit 99
for d in */; do
    d=${d%/}
    cd "$1/$d/work" || exit 98
    case $(echo ../case.*) in
        *.py) timeout 60 python3 ../case.py ;;
        *) timeout 60 bash ../case.sh ;;
    esac < /dev/null > ../out 2> ../err
    echo $? > ../status
done
"#;

struct Case {
    name: String,
    extension: String,
    program: String,
}

#[derive(PartialEq, Eq, Debug)]
struct Outcome {
    status: String,
    stdout: String,
    last_error: String,
}

fn cases_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/python")
}

fn read_cases() -> Vec<Case> {
    let mut files: Vec<_> = fs::read_dir(cases_folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "py" || e == "sh"));
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let chapter = file.file_stem().unwrap().to_string_lossy().into_owned();
        let extension = file.extension().unwrap().to_string_lossy().into_owned();
        let text = format!("\n{}", fs::read_to_string(&file).unwrap());
        for part in text.split("\n### ").skip(1) {
            let (name, program) = part.split_once('\n').unwrap_or((part, ""));
            let name = format!("{chapter}: {}", name.trim());
            cases.push(Case { name, extension: extension.clone(), program: format!("{program}\n") });
        }
    }
    cases
}

/// Writes the cases below `root`, lets `run` run them, and reads what came of them.
fn outcomes(cases: &[&Case], root: &Path, run: impl FnOnce(&Path)) -> Vec<Outcome> {
    let folder = |i: usize| root.join(format!("{i:04}"));
    for (i, case) in cases.iter().enumerate() {
        fs::create_dir_all(folder(i).join("work")).unwrap();
        fs::write(folder(i).join(format!("case.{}", case.extension)), &case.program).unwrap();
    }
    run(root);
    let read = |i: usize, name: &str| {
        let bytes = fs::read(folder(i).join(name)).unwrap_or_else(|e| format!("no {name}: {e}").into_bytes());
        // The two run in different folders, which programs may print.
        String::from_utf8_lossy(&bytes).replace(&*root.to_string_lossy(), "<DIR>")
    };
    let outcome = |i| Outcome {
        status: read(i, "status"),
        stdout: read(i, "out"),
        last_error: read(i, "err").trim_end().lines().last().unwrap_or_default().to_owned(),
    };
    (0..cases.len()).map(outcome).collect()
}

fn native(root: &Path) {
    let mut bash = Command::new("bash");
    bash.args(["-c", RUN_ALL, "bash"]).arg(root).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    bash.env("HOME", "/root").env("LANG", "C.UTF-8").env("PYTHONDONTWRITEBYTECODE", "1");
    assert!(bash.stdin(Stdio::null()).status().unwrap().success());
}

fn sandboxed(root: &Path) {
    let dir = root.to_str().unwrap();
    let mut capsule = Command::new(env!("CARGO_BIN_EXE_capsule"));
    capsule.args(["bash", "--mount", &format!("{dir}::{dir}"), "--limit", "wall=900s"]);
    capsule.args(["--env", "HOME=/root", "--env", "LANG=C.UTF-8", "-c", RUN_ALL, "bash", dir]);
    assert!(capsule.stdin(Stdio::null()).status().unwrap().success());
}

/// Whether the machine has a python3 that knows what the cases use.
fn has_python() -> bool {
    let check = "import sys; sys.exit(sys.version_info < (3, 11))";
    Command::new("python3").args(["-c", check]).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[test]
fn python_does_what_the_machines_python_does() {
    if !has_python() {
        eprintln!("skipped: there is no python3 of 3.11 or newer to compare with");
        return;
    }
    let known: BTreeSet<String> = fs::read_to_string(cases_folder().join("known-failures.txt"))
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(str::to_owned)
        .collect();
    let all = read_cases();
    let names: BTreeSet<&str> = all.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), all.len(), "two cases have one name");
    let mut wrong: Vec<String> = known.iter().filter(|name| !names.contains(name.as_str())).cloned().collect();
    wrong.iter_mut().for_each(|name| *name = format!("{name}: listed as a known failure, but there is no such case"));
    let filter = std::env::var("CAPSULE_CASE").unwrap_or_default();
    let cases: Vec<&Case> = all.iter().filter(|case| case.name.contains(&filter)).collect();
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (expected, got) = (outcomes(&cases, one.path(), native), outcomes(&cases, other.path(), sandboxed));
    for ((case, expected), got) in cases.iter().zip(&expected).zip(&got) {
        match (expected == got, known.contains(&case.name)) {
            (true, false) | (false, true) => {}
            (true, true) => wrong.push(format!("{}: passes now; take it off the list", case.name)),
            (false, false) => {
                wrong.push(format!("{}\n{}python3: {expected:?}\ncapsule: {got:?}\n", case.name, case.program))
            }
        }
    }
    println!("{} cases", cases.len());
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// What a script in a sandbox of its own prints, and its status. Limits that were reached are told on standard error.
fn alone(options: &[&str], script: &str) -> (String, i32) {
    let mut capsule = Command::new(env!("CARGO_BIN_EXE_capsule"));
    capsule.arg("bash").args(options).args(["-c", script]).stdin(Stdio::null());
    let output = capsule.stderr(Stdio::inherit()).output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap_or(-1))
}

#[test]
fn an_endless_loop_ends_with_the_session_alive() {
    let (text, status) = alone(&[], "timeout 1 python3 -c 'while True: pass'; echo $? alive");
    assert_eq!((text.trim(), status), ("124 alive", 0));
}

#[test]
fn recursion_without_end_is_an_exception_or_one_dead_process() {
    let script = r#"
        python3 -c 'def f(): f()
f()' 2>&1 | tail -1
        python3 -c 'import sys
sys.setrecursionlimit(10**9)
def f(): return f()
f()' >/dev/null 2>&1; [ $? -ne 0 ] && echo ended
        python3 -c 'eval("(" * 100000 + ")" * 100000)' >/dev/null 2>&1; [ $? -ne 0 ] && echo ended
        python3 -c 'x = []
for _ in range(10**6): x = [x]
repr(x)' >/dev/null 2>&1; [ $? -ne 0 ] && echo ended
        echo alive"#;
    let (text, status) = alone(&[], script);
    let expected = "RecursionError: maximum recursion depth exceeded\nended\nended\nended\nalive";
    assert_eq!((text.trim(), status), (expected, 0));
}

#[test]
fn memory_that_is_not_there_is_an_exception() {
    let script = "python3 -c 'x = [bytes(100 << 20) for _ in range(100)]' 2>&1 | tail -1; echo alive";
    let (text, status) = alone(&["--limit", "memory=512M"], script);
    assert_eq!((text.trim(), status), ("MemoryError\nalive", 0));
}

#[test]
fn nothing_outside_can_be_written_or_reached() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "s").unwrap();
    let mount = format!("{}::/mnt/ro:ro", outside.path().display());
    let script = r#"python3 - <<'EOF'
import os, urllib.request
for name, call in {
    "write": lambda: open("/mnt/ro/new", "w"),
    "truncate": lambda: open("/mnt/ro/secret", "r+"),
    "unlink": lambda: os.unlink("/mnt/ro/secret"),
    "up": lambda: open("/mnt/ro/../../../../../../etc/shadow"),
    "net": lambda: urllib.request.urlopen("http://127.0.0.1:1/"),
}.items():
    try:
        call()
        print(name, "worked")
    except OSError as error:
        print(name, "refused")
EOF"#;
    let (text, status) = alone(&["--mount", &mount], script);
    assert_eq!((text.trim(), status), ("write refused\ntruncate refused\nunlink refused\nup refused\nnet refused", 0));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

/// Lines of `name | how far it works`, for every module CPython's library has.
const MODULES: &str = r#"
import contextlib, importlib, io, sys
from _capsule.absent import IN_PART, WHY
for name in sorted(sys.stdlib_module_names):
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            importlib.import_module(name)
    except ImportError as error:
        print(f"| `{name}` | absent | {WHY.get(error.name) or WHY.get(name) or 'not built'} |")
    else:
        part = IN_PART.get(name)
        print(f"| `{name}` | {'in part' if part else 'works'} | {part or ''} |")
"#;

/// Set CAPSULE_UPDATE=1 to write the table anew.
#[test]
fn the_table_of_modules_is_true() {
    let (table, status) = alone(&[], &format!("python3 - <<'EOF'{MODULES}EOF"));
    assert_eq!(status, 0, "{table}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/python.md");
    let text = fs::read_to_string(&page).unwrap();
    let (head, _) = text.split_once("| `__future__` |").unwrap();
    let made = format!("{head}{table}");
    if std::env::var_os("CAPSULE_UPDATE").is_some() {
        fs::write(&page, made).unwrap();
    } else {
        assert!(text == made, "docs/python.md is not what the modules do: run this test with CAPSULE_UPDATE=1");
    }
}
