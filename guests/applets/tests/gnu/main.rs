//! The commands beside the machine's own GNU tools: each line of `tests/cases/*.txt` is a script that both run in a
//! fresh folder; output, messages, status and the folder afterwards must agree. Where the tools are not GNU's, nothing
//! is compared. Lines that are indented by two blanks go on with the script above them. A script that begins with `!` is
//! known to differ, and fails when it no longer does.
//!
//! A file of cases may say, in comments, `needs NAMES` (tools that not every machine has: without them ours are compared
//! with what those tools answered elsewhere, see [`recorded`]), `first SCRIPT` (what is put in front of every case), and
//! `also as UID` (run again as that user, when root runs the tests), and `disk SIZE` (the folder is a file system of
//! that size, such as `200k`; where none can be mounted, nothing is compared).
//!
//! `CASES=NAME` runs the files whose names contain that, `RECORD=1` writes the answers of this machine's tools down, and
//! `RECORDED=1` compares with what was written even where the tools are.

mod recorded;

use recorded::Recorded;

use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

/// The native build of the commands, which cargo puts beside the tests.
fn applets() -> PathBuf {
    let mut path = env::current_exe().expect("the test's own path");
    path.pop();
    path.pop();
    path.join("examples/applet")
}

/// A folder with a link for every command. The program is copied, as other users may have no way into its folder.
fn links(into: &Path) {
    fs::create_dir_all(into).expect("folder for links");
    let program = into.join("applet");
    fs::copy(applets(), &program).expect("a copy of the program");
    for applet in capsule_applets::all() {
        symlink(&program, into.join(applet.name)).expect("link");
    }
}

/// How the entries of a folder are listed.
const LIST: [&str; 3] = [".", "-printf", "%y %M %s %n %P %l\n"];

/// Makes a small disk that nobody else sees of the folder it starts in, runs a script there, and lists what is left.
const ON_SMALL_DISK: &str = r#"mount -t tmpfs -o size="$1" small . && cd "$PWD" || exit 125
env --default-signal PATH="$PATH_OF_CASE" "${@:7}" "$2"; status=$?
find "${@:4:3}" >"$3"; exit $status"#;

/// A case that hangs ends with the status of `timeout` instead of holding up the rest.
const BOUNDED: [&str; 6] = ["/usr/bin/timeout", "-k", "1", "60", "/bin/bash", "-c"];

/// A shell in a namespace where it may mount.
fn alone() -> Command {
    let mut command = Command::new("/usr/bin/unshare");
    command.args(["--map-root-user", "--mount", "/bin/bash", "-c"]).env("PATH", MACHINE);
    command
}

fn can_mount() -> bool {
    let mounted = alone().args(["cd /tmp && mount -t tmpfs -o size=100k small ."]).stderr(Stdio::null()).status();
    mounted.is_ok_and(|status| status.success())
}

fn run(script: &str, cwd: &Path, path: &str, user: Option<u32>, disk: &str) -> String {
    // The case before may have left what its owner cannot look into.
    if fs::remove_dir_all(cwd).is_err() && cwd.exists() {
        let _ = Command::new("/usr/bin/chmod").args(["-R", "u+rwX"]).arg(cwd).status();
        fs::remove_dir_all(cwd).expect("an empty place");
    }
    fs::create_dir_all(cwd).expect("folder for a case");
    let listing = cwd.with_file_name("listing");
    let _ = fs::remove_file(&listing);
    let mut command = match disk {
        "" => Command::new("/usr/bin/env"),
        _ => alone(),
    };
    if let Some(user) = user {
        chown(cwd, Some(user), Some(user)).expect("the folder's owner");
        command.uid(user).gid(user);
    }
    command.env_clear();
    match disk {
        "" => command.args(["--default-signal"]).args(BOUNDED).arg(script).env("PATH", path),
        size => command
            .args([ON_SMALL_DISK, "case", size, script])
            .arg(&listing)
            .args(LIST)
            .args(BOUNDED)
            .envs([("PATH", MACHINE), ("PATH_OF_CASE", path)]),
    };
    let output =
        command.current_dir(cwd).env("LC_ALL", "C").env("TZ", "UTC0").stdin(Stdio::null()).output().expect("bash");
    let tree = match disk {
        "" => Command::new("/usr/bin/find").args(LIST).current_dir(cwd).output().expect("find").stdout,
        _ => fs::read(&listing).expect("the list of what a small disk holds"),
    };
    let mut entries: Vec<_> = String::from_utf8_lossy(&tree).lines().map(str::to_owned).collect();
    entries.sort();
    // The size of a directory is the file system's affair.
    let entries: Vec<_> = entries.iter().filter(|e| !e.starts_with('d')).cloned().collect();
    let answer = format!(
        "status {:?}\n{}---\n{}---\n{}",
        output.status.code(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        entries.join("\n"),
    );
    // Where the case ran is no part of the answer.
    answer.replace(cwd.to_string_lossy().trim_start_matches('/'), "CASE")
}

/// What is between the common beginning and the common end.
fn difference(want: &str, got: &str) -> String {
    let (want, got): (Vec<_>, Vec<_>) = (want.lines().collect(), got.lines().collect());
    let start = want.iter().zip(&got).take_while(|(a, b)| a == b).count();
    let end = want[start..].iter().rev().zip(got[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let show = |mark: char, lines: &[&str]| -> String {
        lines[start..lines.len() - end].iter().map(|line| format!("{mark}{line}\n")).collect()
    };
    show('-', &want) + &show('+', &got)
}

struct Case {
    file: String,
    first: String,
    script: String,
    differs: bool,
    user: Option<u32>,
    disk: String,
    against: Against,
}

/// What our answer is compared with.
enum Against {
    /// What the machine's own tools answer.
    Machine,
    /// What the tools answered elsewhere.
    Recorded(String),
    /// Nothing: a machine without the tools would have nothing to compare with.
    Unrecorded,
}

impl Case {
    fn name(&self) -> String {
        name(&self.script, self.user)
    }

    fn answer(&self, cwd: &Path, path: &str) -> String {
        run(&format!("{}\n{}", self.first, self.script), cwd, path, self.user, &self.disk)
    }

    /// What is wrong with it, in a folder of its own.
    fn trouble(&self, cwd: &Path, ours: &str) -> Option<String> {
        // Two shells agree on what is no script at all, and nothing would be compared.
        let parsed = Command::new("/bin/bash").args(["-n", "-c", &self.script]).output().expect("bash");
        if !parsed.stderr.is_empty() {
            return Some(format!("=== {}\n{}", self.name(), String::from_utf8_lossy(&parsed.stderr)));
        }
        let got = self.answer(cwd, ours);
        let (want, got) = match &self.against {
            Against::Machine => (self.answer(cwd, MACHINE), got),
            Against::Recorded(want) => (want.clone(), recorded::shown(&got)),
            Against::Unrecorded => {
                return Some(format!("=== {}\nno answer is recorded (RECORD=1, where its tools are)\n", self.name()));
            }
        };
        match (want == got, self.differs) {
            (false, false) => Some(format!("=== {}\n{}", self.name(), difference(&want, &got))),
            (true, true) => Some(format!("=== {}\nlisted as different, but it agrees\n", self.name())),
            _ => None,
        }
    }
}

/// A case as it stands in a file of answers.
fn name(script: &str, user: Option<u32>) -> String {
    user.map(|user| format!("as {user}: ")).unwrap_or_default() + script
}

/// Where the machine's own tools are.
const MACHINE: &str = "/usr/bin:/bin";

#[test]
fn agrees_with_gnu() {
    let version = Command::new("/bin/ls").arg("--version").output();
    if !version.is_ok_and(|v| String::from_utf8_lossy(&v.stdout).contains("GNU coreutils")) {
        eprintln!("the machine has no GNU tools to compare with");
        return;
    }
    let root = env::temp_dir().join(format!("capsule-applets-{}", std::process::id()));
    let bin = root.join("bin");
    links(&bin);
    let root_runs = fs::metadata(&bin).is_ok_and(|made| made.uid() == 0);
    let ours = format!("{}:/usr/bin:/bin", bin.display());
    let cases = cases(root_runs, &root.join("0/case"));
    let next = AtomicUsize::new(0);
    let work = &|worker: usize| {
        let cwd = root.join(format!("{worker}/case"));
        let taken = std::iter::from_fn(|| cases.get(next.fetch_add(1, Ordering::Relaxed)));
        taken.filter_map(|case| case.trouble(&cwd, &ours)).collect::<Vec<_>>()
    };
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let failed: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a worker")).collect()
    });
    let _ = fs::remove_dir_all(&root);
    assert!(failed.is_empty(), "{}\n{} of {} cases differ", failed.join("\n"), failed.len(), cases.len());
}

/// All that are to be run here; `cwd` is for those that are recorded.
fn cases(root_runs: bool, cwd: &Path) -> Vec<Case> {
    let only = env::var("CASES").unwrap_or_default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> = fs::read_dir(folder).expect("cases").flatten().map(|e| e.path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for path in files.iter().filter(|path| path.to_string_lossy().contains(&only)) {
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(path).expect("a file of cases");
        let said = |what| text.lines().find_map(|line| line.strip_prefix(what)).unwrap_or_default();
        let needed: Vec<&str> = said("# needs ").split_whitespace().collect();
        let is_missing = needed.iter().any(|tool| !Path::new("/usr/bin").join(tool).exists());
        let recorded = (!needed.is_empty()).then(|| Recorded::read(&file));
        let other: Option<u32> = said("# also as ").parse().ok();
        let disk = said("# disk ");
        if !disk.is_empty() && !can_mount() {
            eprintln!("{file}: no small disk can be mounted here, nothing is compared");
            continue;
        }
        for script in scripts(&text) {
            let (script, differs) = match script.strip_prefix('!') {
                Some(script) => (script.trim_start(), true),
                None => (script.as_str(), false),
            };
            for user in [Some(None), other.filter(|_| root_runs).map(Some)].into_iter().flatten() {
                // Whoever is not root may do what the other user may.
                let like = user.or(other.filter(|_| !root_runs));
                let against = match recorded.as_ref().map(|recorded| recorded.get(&name(script, like))) {
                    Some(None) => Against::Unrecorded,
                    Some(Some(answer)) if is_missing || is_set("RECORDED") => Against::Recorded(answer.to_owned()),
                    _ => Against::Machine,
                };
                let (file, first, script) = (file.clone(), said("# first ").to_owned(), script.to_owned());
                cases.push(Case { file, first, script, differs, user, disk: disk.to_owned(), against });
            }
        }
        if !needed.is_empty() && !is_missing && is_set("RECORD") {
            record(&mut cases, &file, cwd);
        }
    }
    cases
}

/// The scripts of a file of cases.
fn scripts(text: &str) -> Vec<String> {
    let mut scripts: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (line.strip_prefix("  "), scripts.last_mut()) {
            (Some(more), Some(script)) => *script += &format!("\n{more}"),
            _ => scripts.push(line.to_owned()),
        }
    }
    scripts
}

#[test]
fn indented_lines_go_on_with_a_script() {
    assert_eq!(scripts("# head\none\n  two\n\n! three\n"), ["one\ntwo", "! three"]);
}

/// Writes down what the machine's tools answer to the cases of a file.
fn record(cases: &mut [Case], file: &str, cwd: &Path) {
    let of_it = || cases.iter().filter(|case| case.file == file);
    let answers: Vec<_> = of_it().map(|case| (case.name(), recorded::shown(&case.answer(cwd, MACHINE)))).collect();
    recorded::write(file, &answers);
    cases.iter_mut().filter(|case| case.file == file).for_each(|case| case.against = Against::Machine);
}

fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some()
}
