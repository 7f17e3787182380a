//! The commands beside the machine's own GNU tools: each line of `tests/cases/*.txt` is a script that both run in a
//! fresh folder; output, messages, status and the folder afterwards must agree. Where the tools are not GNU's, nothing
//! is compared. Lines that are indented by two blanks go on with the script above them. A script that begins with `!` is
//! known to differ, and fails when it no longer does; one that begins with `@` tells of the machine (its users, its
//! disks, the order of names in a folder) and is not for a sandbox.
//!
//! A file of cases may say, in comments, `needs NAMES` (tools that not every machine has: without them ours are compared
//! with what those tools answered elsewhere, see [`recorded`]), `first SCRIPT` (what is put in front of every case), and
//! `also as UID` (run again as that user, when root runs the tests), `natively` (nothing of it is for a sandbox), and `disk SIZE` (the folder is a file system of
//! that size, such as `200k`; where none can be mounted, nothing is compared).
//!
//! `CASES=NAME` runs the files whose names contain that, `RECORD=1` writes the answers of this machine's tools down,
//! `RECORDED=1` compares with what was written even where the tools are, and `SANDBOX=CAPSULE` runs ours in sandboxes of
//! that binary instead of natively.

mod place;
mod recorded;

use place::{Place, Whose, answer, can_mount};
use recorded::Recorded;

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
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
    of_machine: bool,
    place: Place,
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
        name(&self.script, self.place.user)
    }

    fn answer(&self, cwd: &Path, whose: &Whose) -> String {
        answer(&format!("{}\n{}", self.first, self.script), cwd, whose, &self.place)
    }

    /// What is wrong with it, in a folder of its own.
    fn trouble(&self, cwd: &Path, ours: &Whose) -> Option<String> {
        // Two shells agree on what is no script at all, and nothing would be compared.
        let parsed = Command::new("/bin/bash").args(["-n", "-c", &self.script]).output().expect("bash");
        if !parsed.stderr.is_empty() {
            return Some(format!("=== {}\n{}", self.name(), String::from_utf8_lossy(&parsed.stderr)));
        }
        let got = self.answer(cwd, ours);
        let (want, got) = match &self.against {
            Against::Machine => (self.answer(cwd, &Whose::Machine), got),
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
    let ours = match env::var_os("SANDBOX") {
        Some(capsule) => Whose::Sandbox(capsule.into()),
        None => Whose::Native(format!("{}:/usr/bin:/bin", bin.display())),
    };
    let mut cases = cases(root_runs, &root.join("0/case"));
    if let Whose::Sandbox(_) = ours {
        // There everybody is root, and the disk is counted in other units.
        cases.retain(|case| !case.of_machine && case.place.user.is_none() && case.place.disk.is_empty());
    }
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
        let natively = text.lines().any(|line| line.starts_with("# natively"));
        if !disk.is_empty() && !can_mount() {
            eprintln!("{file}: no small disk can be mounted here, nothing is compared");
            continue;
        }
        for script in scripts(&text) {
            let (differs, of_machine) = (script.starts_with('!'), natively || script.starts_with('@'));
            let script = script.trim_start_matches(['!', '@']).trim_start();
            for user in [Some(None), other.filter(|_| root_runs).map(Some)].into_iter().flatten() {
                // Whoever is not root may do what the other user may.
                let like = user.or(other.filter(|_| !root_runs));
                let against = match recorded.as_ref().map(|recorded| recorded.get(&name(script, like))) {
                    Some(None) => Against::Unrecorded,
                    Some(Some(answer)) if is_missing || is_set("RECORDED") => Against::Recorded(answer.to_owned()),
                    _ => Against::Machine,
                };
                let (file, first, script) = (file.clone(), said("# first ").to_owned(), script.to_owned());
                let place = Place { user, disk: disk.to_owned() };
                cases.push(Case { file, first, script, differs, of_machine, place, against });
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
    let answers: Vec<_> =
        of_it().map(|case| (case.name(), recorded::shown(&case.answer(cwd, &Whose::Machine)))).collect();
    recorded::write(file, &answers);
    cases.iter_mut().filter(|case| case.file == file).for_each(|case| case.against = Against::Machine);
}

fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some()
}
