//! What someone hostile tries first. Each ends by its own limit, which is named in the answer, while another session of
//! the same process goes on answering. (How late they end is measured by `cargo xtask bench`.)

use capsule_abi::limits::Limits;
use capsule_engine::{Options, WasmRuntime};
use capsule_session::{Answer, Bash};
use std::sync::{Arc, OnceLock};

fn engine() -> Arc<WasmRuntime> {
    static ENGINE: OnceLock<Arc<WasmRuntime>> = OnceLock::new();
    ENGINE.get_or_init(|| WasmRuntime::new(Options::default()).unwrap()).clone()
}

fn session(limits: &[&str]) -> Bash {
    let mut all = Limits::default();
    // A safety net: a case that is not ended by its own limit fails by the name in its answer.
    all.parse("wall=20s").unwrap();
    limits.iter().for_each(|limit| all.parse(limit).unwrap());
    Bash::builder().runtime(engine()).host_workspace("memory").limits(all).build().unwrap()
}

/// Runs a script under limits, with another session answering meanwhile.
async fn attack(script: &str, limits: &[&str]) -> Answer {
    let hostile = session(limits);
    let script = script.to_owned();
    let attack = tokio::spawn(async move { hostile.run(script).await.unwrap() });
    let neighbour = session(&[]);
    let mut answers = 0;
    while !attack.is_finished() || answers == 0 {
        let answer = neighbour.run("echo $((6 * 7))").await.unwrap();
        assert_eq!(answer.stdout, "42\n", "{answer:?}");
        answers += 1;
    }
    attack.await.unwrap()
}

fn names(answer: &Answer, limit: &str) {
    let found = answer.limit.iter().any(|message| message.contains(&format!("the {limit} limit of ")));
    assert!(found, "no mention of the {limit} limit: {answer:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_loop() {
    let answer = attack("while :; do :; done", &["wall=300ms"]).await;
    names(&answer, "wall");
    assert_eq!(answer.exit_code, 137);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_sleep() {
    let answer = attack("sleep 1000", &["wall=300ms"]).await;
    names(&answer, "wall");
    assert_eq!(answer.exit_code, 137);
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_work_counted_in_fuel() {
    let answer = attack("while :; do :; done", &["fuel=100M"]).await;
    names(&answer, "fuel");
    assert_ne!(answer.exit_code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_bomb() {
    let answer = attack("x=xxxxxxxx; while :; do x=$x$x; done", &["memory=64M"]).await;
    names(&answer, "memory");
    assert_ne!(answer.exit_code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_small_processes_share_one_memory_budget() {
    let answer = attack("for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; wait", &["memory=20M", "wall=2s"]).await;
    names(&answer, "memory");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_bomb() {
    let answer = attack("b() { b | b & }; b; wait", &["processes=32", "wall=1s"]).await;
    names(&answer, "processes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk() {
    let answer = attack("yes > file; echo status $?; rm file; echo room > again; cat again", &["disk=8M"]).await;
    names(&answer, "disk");
    assert!(answer.stderr.contains("No space left on device"), "{}", answer.stderr);
    assert!(answer.stdout.ends_with("room\n"), "removing gives the room back: {}", answer.stdout);
}

/// Text that is no script is an error of the shell's, and the session goes on.
#[tokio::test(flavor = "multi_thread")]
async fn text_that_is_no_script() {
    let bash = session(&[]);
    bash.run("x=kept").await.unwrap();
    let garbage: Vec<u8> = (0..20_000u32).map(|n| (n * 7919 % 251 + 1) as u8).collect();
    for bad in [
        b"echo \"abc".to_vec(),
        b"echo 'abc".to_vec(),
        b"done".to_vec(),
        b"case x in".to_vec(),
        "(".repeat(100_000).into_bytes(),
        "$(".repeat(100_000).into_bytes(),
        "{ ".repeat(100_000).into_bytes(),
        garbage,
    ] {
        let begins = String::from_utf8_lossy(&bad[..bad.len().min(20)]).into_owned();
        let answer = bash.run(bad).await.unwrap();
        assert_ne!(answer.exit_code, 0, "{begins}");
        assert!(answer.exit_code < 128 && !answer.stderr.is_empty(), "{begins}: {}", answer.exit_code);
        assert_eq!(bash.run("echo $x").await.unwrap().stdout, "kept\n", "{begins}");
    }
}

/// An archive that unpacks to more than there is room for.
#[tokio::test(flavor = "multi_thread")]
async fn a_bomb() {
    let script = "head -c 1G /dev/zero | gzip > b.gz; gunzip b.gz; echo $?; ls";
    let answer = attack(script, &["disk=16M"]).await;
    names(&answer, "disk");
    assert_eq!(answer.stdout, "1\nb.gz\n", "{}", answer.stderr);
}

/// `sort` takes room on the disk when memory is short.
#[tokio::test(flavor = "multi_thread")]
async fn more_lines_than_memory() {
    let script = "seq 6000000 | sort -rn | head -n 2; seq 6000000 | sort | tail -n 1";
    // Work, and not little of it: on a busy machine it takes its time.
    let answer = attack(script, &["memory=128M", "disk=1G", "wall=10m"]).await;
    assert_eq!(answer.stdout, "6000000\n5999999\n999999\n", "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_giant_write() {
    let answer = attack("head -c 100G /dev/zero > file; echo status $?", &["disk=16M"]).await;
    names(&answer, "disk");
    assert_eq!(answer.stdout, "status 1\n", "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_files() {
    let script = "for i in {1..500}; do > f$i || { echo stopped; break; }; done";
    let answer = attack(script, &["files=100"]).await;
    names(&answer, "files");
    assert_eq!(answer.stdout, "stopped\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn deep_directories() {
    let script = "for i in {1..1500}; do mkdir d && cd d || exit 1; done; cd /workspace; rm -r d; ls";
    let answer = attack(script, &[]).await;
    let shown: String = answer.stderr.chars().take(500).collect();
    assert_eq!((answer.exit_code, answer.stdout.as_str()), (0, ""), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_flood() {
    let answer = attack("yes", &["output=2M"]).await;
    names(&answer, "output");
    assert!(answer.truncated && answer.stdout.len() <= 1 << 20);
    assert_eq!(answer.exit_code, 137);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_open_files() {
    let script = "while exec {fd}</dev/null; do :; done 2>/dev/null; echo ended";
    let answer = attack(script, &["open-files=100"]).await;
    names(&answer, "open-files");
}

#[tokio::test(flavor = "multi_thread")]
async fn recursion_without_end() {
    let answer = attack("f() { f; }; f; echo after", &[]).await;
    assert_ne!(answer.exit_code, 0, "{answer:?}");
    assert!(!answer.limit.iter().any(|l| l.contains("wall")), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_after_an_attack() {
    let session = session(&["wall=300ms"]);
    session.run("echo kept > file").await.unwrap();
    let killed = session.run("echo more >> file; while :; do :; done").await.unwrap();
    assert_eq!(killed.exit_code, 137);
    let after = session.run("cat file").await.unwrap();
    assert_eq!(after.stdout, "kept\nmore\n");
    assert!(after.limit.is_empty(), "{after:?}");
}
