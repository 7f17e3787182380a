//! The sandbox's python3 beside the machine's. A file of tests/cases/python is a chapter; a line `### NAME` begins a case,
//! and what follows is a program: Python's in a .py file, the shell's in a .sh file. Both sides run every case in an empty
//! folder; standard output, the last line of standard error and the status must agree.
//! A case that is known to differ is listed in known-failures.txt beside them, and fails when it starts to pass.

mod common;

use common::{Verdicts, parts};
use std::fs;
use std::io::{BufRead, BufReader};
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
        let extension = file.extension().unwrap().to_string_lossy().into_owned();
        cases.extend(parts(&file).into_iter().map(|(name, program)| Case {
            name,
            extension: extension.clone(),
            program,
        }));
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
    capsule.args(["--env", "HOME=/root", "--env", "LANG=C.UTF-8", "--env", "PYTHONDONTWRITEBYTECODE=1"]);
    capsule.args(["-c", RUN_ALL, "bash", dir]);
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
    let all = read_cases();
    let names = all.iter().map(|case| case.name.as_str());
    let mut verdicts = Verdicts::new(&cases_folder().join("known-failures.txt"), names);
    let cases: Vec<&Case> = all.iter().filter(|case| verdicts.wants(&case.name)).collect();
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (expected, got) = (outcomes(&cases, one.path(), native), outcomes(&cases, other.path(), sandboxed));
    for ((case, expected), got) in cases.iter().zip(&expected).zip(&got) {
        verdicts.compare(&case.name, &case.program, "python3:", expected, got);
    }
    verdicts.end();
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
fn recursion_without_end_is_an_exception_in_c_too() {
    let script = r#"
        python3 -c 'import copy, json, pickle
def attempt(what):
    try: what()
    except (RecursionError, MemoryError) as e: print(type(e).__name__)
def endless(): endless()
attempt(endless)
class Mirror:
    def __getattr__(self, name): return getattr(self, name)
attempt(lambda: Mirror().x)
attempt(lambda: eval("(" * 100000 + ")" * 100000))
x = []
for _ in range(10**5): x = [x]
for what in repr, pickle.dumps, copy.deepcopy, json.dumps, lambda x: x == [[[x]]]: attempt(lambda: what(x))
attempt(lambda: json.loads("[" * 100000))' | uniq -c | tr -s ' '
        python3 -c 'import sys
sys.setrecursionlimit(10**9)
def endless(): endless()
endless()' >/dev/null 2>&1; [ $? -ne 0 ] && echo ended
        echo alive"#;
    let (text, status) = alone(&["--limit", "memory=512M"], script);
    let expected = " 2 RecursionError\n 1 MemoryError\n 6 RecursionError\nended\nalive";
    assert_eq!((text.trim_end(), status), (expected, 0));
}

#[test]
fn memory_that_is_not_there_is_an_exception() {
    let script = "python3 -c 'x = [bytes(100 << 20) for _ in range(100)]' 2>&1 | tail -1; echo alive";
    let (text, status) = alone(&["--limit", "memory=512M"], script);
    assert_eq!((text.trim(), status), ("MemoryError\nalive", 0));
}

/// The anonymous memory of a sandbox with that many idle interpreters, in KiB.
fn memory_with(count: usize) -> u64 {
    let script = format!(
        "for i in $(seq {count}); do python3 -c 'print(1, flush=True); import time; time.sleep(60)' & done; wait"
    );
    let mut capsule = Command::new(env!("CARGO_BIN_EXE_capsule"));
    let mut child = capsule.args(["bash", "-c", &script]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().take(count);
    assert_eq!(lines.count(), count);
    let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", child.id())).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("Anonymous:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn an_idle_interpreter_has_less_than_3_mib_to_itself() {
    let (few, many) = (memory_with(2), memory_with(12));
    let each = many.saturating_sub(few) / 10;
    println!("{each} KiB for each idle interpreter");
    assert!(each < 3 << 10, "{each} KiB");
}

#[test]
fn fuel_ends_an_endless_loop() {
    let options = ["--limit", "fuel=2000000000"];
    let (text, status) = alone(&options, "python3 -c 'print(sum(range(1000)))'");
    assert_eq!((text.trim(), status), ("499500", 0));
    let (text, status) = alone(&options, "python3 -c 'while True: pass'; echo not reached");
    assert_eq!((text.trim(), status), ("", 137));
}

#[test]
fn string_hashes_and_random_numbers_differ_between_processes() {
    let program = "import random, secrets, uuid; print(hash('a string of this test'), hash(b'bytes of it'), \
        random.random(), secrets.token_hex(), uuid.uuid4())";
    let (text, _) = alone(&[], &format!("for i in 1 2 3; do python3 -c \"{program}\"; done"));
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
    assert_eq!(lines.len(), 3, "{text}");
    for (column, _) in lines[0].iter().enumerate() {
        let mut values: Vec<&str> = lines.iter().map(|line| line[column]).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), 3, "{text}");
    }
}

#[test]
fn hashes_are_as_the_seed_says() {
    let script = r#"
        h() { python3 "$@" -c 'import sys; print(hash("a string of this test"), sys.flags.hash_randomization)'; }
        zero=$(PYTHONHASHSEED=0 h) five=$(PYTHONHASHSEED=5 h)
        [ "$zero" = "$(PYTHONHASHSEED=0 h)" ] && [ "$five" = "$(PYTHONHASHSEED=5 h)" ] && echo same
        [ "${zero% *}" != "${five% *}" ] && echo "other ${zero#* } ${five#* }"
        [ "$five" != "$(PYTHONHASHSEED=5 h -R)" ] && echo random
        [ "$five" != "$(PYTHONHASHSEED=5 h -E)" ] && echo random
        [ "$(PYTHONHASHSEED=random h)" != "$(PYTHONHASHSEED=random h)" ] && echo random
        PYTHONHASHSEED=-1 h 2>&1 | head -1
        # What the snapshot holds is still found by strings that are made now.
        python3 -c '
import os, sys, json
assert getattr(os, "ge" + "tcwd")() and sys.modules["js" + "on"] is json and "PA" + "TH" in os.environ
assert {"".join(["x", "yz"]): 1}["xyz"] == 1 and "json" in {"js" + "on"}
names = [f"key {n}" for n in range(100000)]
assert len(set(names) | {"key " + str(n) for n in range(100000)}) == 100000
print("found")'"#;
    let (text, _) = alone(&[], script);
    let expected = "same\nother 0 1\nrandom\nrandom\nrandom\nFatal Python error: config_init_hash_seed: PYTHONHASHSEED must \
        be \"random\" or an integer in range [0; 4294967295]\nfound\n";
    assert_eq!(text, expected);
}

#[test]
fn local_time_is_that_of_tz() {
    let script = r#"
        export TZ=America/New_York
        python3 -c 'import time; print(time.tzname, time.timezone, time.strftime("%H:%M %Z %z", time.localtime(1720000000)))'
        python3 -c 'import datetime as d; print(d.datetime.fromtimestamp(1720000000).astimezone(), d.datetime(2024, 1, 1).timestamp())'
        python3 -c 'import os, time; os.environ["TZ"] = "Asia/Tokyo"; time.tzset(); print(time.tzname, time.localtime(0).tm_hour)'"#;
    let (text, _) = alone(&[], script);
    let expected = "('EST', 'EDT') 18000 05:46 EDT -0400\n2024-07-03 05:46:40-04:00 1704085200.0\n('JST', 'JST') 9\n";
    assert_eq!(text, expected);
}

#[test]
fn bytecode_is_kept_unless_it_is_not_wanted() {
    let script = r#"
        echo 'x = 1' > m.py; echo 'import m; print(m.__cached__)' > main.py
        PYTHONDONTWRITEBYTECODE=1 python3 main.py; python3 -B main.py; ls
        python3 main.py; ls __pycache__; echo 'x = 2' > m.py; touch -d 2001-01-01 m.py; python3 -c 'import m; print(m.x)'"#;
    let (text, _) = alone(&["--cwd", "/tmp"], script);
    let cached = "/tmp/__pycache__/m.cpython-314.pyc";
    assert_eq!(text, format!("{cached}\n{cached}\nm.py\nmain.py\n{cached}\nm.cpython-314.pyc\n2\n"));
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
