//! The process is killed at random moments; the session that is found again is the last one answered, or the next.
//!
//! The test runs itself as the child that is killed.

mod common;

use common::builder;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FOLDER: &str = "CAPSULE_TEST_CRASH_FOLDER";

/// How many runs have been answered when it is enough.
const RUNS: u64 = 200;

/// Every run changes the shell, a file, a list, and one of ten files; together they tell which run it was.
const STEP: &str = "n=$((n + 1)); echo $n > counter; echo $n >> list; echo $n > f$((n % 10)); mkdir -p d$n; rmdir d$((n - 1)) 2>/dev/null; :";

fn open(folder: &Path) -> capsule_session::Bash {
    builder().sessions_folder(folder).id("crash").build().unwrap()
}

/// Not a test: what the test kills. It says which run was answered, on standard error.
#[tokio::test]
async fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let bash = open(Path::new(&folder));
    loop {
        bash.run(STEP).await.unwrap();
        let n = bash.run("echo $n").await.unwrap().stdout;
        eprintln!("answered {}", n.trim());
    }
}

#[tokio::test]
async fn every_session_that_is_found_again_is_consistent() {
    let folder = tempfile::tempdir().unwrap();
    let mut seed = 42_u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let (mut answered, mut kills) = (0, 0);
    while answered < RUNS || kills < 20 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut last = answered;
        for _ in 0..=random(16) {
            let line = lines.next().expect("the child goes on").unwrap();
            last = line.strip_prefix("answered ").unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        }
        // Somewhere within the runs that follow.
        let until = Instant::now() + Duration::from_micros(random(6000));
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        for line in lines.map_while(Result::ok) {
            last = line.strip_prefix("answered ").and_then(|n| n.parse().ok()).unwrap_or(last);
        }
        let found = check(folder.path()).await;
        assert!(found == last || found == last + 1, "{last} was answered, {found} was found");
        answered = found;
    }
    println!("{kills} kills in {answered} runs");
}

/// All parts of the session tell of the same run: its number.
async fn check(folder: &Path) -> u64 {
    let bash = open(folder);
    let answer =
        bash.run("echo $n; cat counter; wc -l < list; tail -n 1 list; cat f$((n % 10)); ls -d d*").await.unwrap();
    let lines: Vec<&str> = answer.stdout.lines().collect();
    let n: u64 = lines[0].parse().unwrap_or_else(|_| panic!("{answer:?}"));
    assert_eq!(
        lines,
        [&*n.to_string(), &n.to_string(), &n.to_string(), &n.to_string(), &n.to_string(), &format!("d{n}")]
    );
    n
}
