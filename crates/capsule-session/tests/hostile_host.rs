//! Attacks on what the host keeps and does for a session beside running its processes: output, undo, diffs, history. Each is
//! bounded by one of the session's limits, and said.

mod common;

use capsule_abi::limits::Limits;
use capsule_session::{Answer, Bash, RunOptions};
use common::builder;

fn session(limits: &[&str]) -> Bash {
    let mut all = Limits::default();
    limits.iter().for_each(|limit| all.parse(limit).unwrap());
    builder().limits(all).build().unwrap()
}

fn says(answer: &Answer, what: &str) {
    assert!(answer.limit.iter().any(|message| message.contains(what)), "{what}: {:#?}", answer.limit);
}

/// What is more than the disk holds is not held by the host either; and printing takes nothing from the script's disk.
#[tokio::test(flavor = "multi_thread")]
async fn output_that_does_not_fit_the_disk_is_not_kept() {
    let bash = session(&["disk=4M", "answer=1K"]);
    let answer =
        bash.run("head -c 20M /dev/zero | tr '\\0' x; head -c 3M /dev/zero > mine; echo $? >&2").await.unwrap();
    assert_eq!((answer.stdout.len(), answer.stderr.as_str()), (1024, "0\n"), "{:?}", answer.limit);
    says(&answer, "20971520 bytes were printed and the rest is not kept");
    assert_eq!(bash.run("ls /run/output; stat -c %s mine").await.unwrap().stdout, "3145728\n");
    let answer = bash.run("rm mine; head -c 2M /dev/zero | tr '\\0' y").await.unwrap();
    says(&answer, "all of it is in /run/output/stdout");
    let kept = "tr -d y < /run/output/stdout | wc -c; stat -c %s /run/output/stdout";
    assert_eq!(bash.run(kept).await.unwrap().stdout, "0\n2097152\n");
    // It is the session's like any file, and what took its place gives the room back.
    assert_eq!(bash.run("head -c 3M /dev/zero > f; echo $?; rm f").await.unwrap().stdout, "1\n");
    bash.run("rm /run/output/stdout").await.unwrap();
    assert_eq!(bash.run("head -c 3M /dev/zero > f; echo $?").await.unwrap().stdout, "0\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_character_of_a_cut_output_is_whole() {
    let bash = session(&["answer=1K"]);
    for spaces in 0..4 {
        let script = format!("printf '%{spaces}s' ''; for i in {{1..400}}; do printf '€'; done");
        let answer = bash.run(script).await.unwrap();
        assert!(answer.truncated && answer.stdout_base64.is_none(), "{answer:?}");
        assert_eq!(answer.stdout, " ".repeat(spaces) + &"€".repeat((1024 - spaces) / 3));
    }
}

/// A guest that writes its whole disk anew in every run has it twice in the host's memory, not nine times.
#[tokio::test(flavor = "multi_thread")]
async fn the_past_holds_no_more_than_a_disk() {
    let bash = session(&["disk=8M"]);
    for i in 0..6 {
        bash.run(format!("rm -f big; head -c 3M /dev/urandom > big; echo {i} > n")).await.unwrap();
    }
    for i in [4, 3] {
        bash.undo().await.unwrap();
        assert_eq!(bash.read_file("n").await.unwrap(), format!("{i}\n").as_bytes());
    }
    let refused = bash.undo().await.unwrap_err().to_string();
    assert!(refused.contains("more than the disk limit"), "{refused}");
    // Small steps are kept as before.
    for i in 0..8 {
        bash.run(format!("echo small{i} > n")).await.unwrap();
    }
    for _ in 0..8 {
        bash.undo().await.unwrap();
    }
    assert_eq!(bash.run("cat n").await.unwrap().stdout, "3\n");
}

/// Texts that are as different as can be, many of them.
#[tokio::test(flavor = "multi_thread")]
async fn comparing_hostile_texts_ends() {
    let bash = session(&["wall=2m"]);
    let make = "for i in {1..40}; do shuf -i 1-90000 > f$i; done";
    bash.run(make).await.unwrap();
    let answer = bash.run_with(make, RunOptions { contents: true, ..RunOptions::default() }).await.unwrap();
    assert_eq!(answer.diff.modified.len(), 40);
    let contents = answer.diff.contents.as_ref().unwrap();
    assert_eq!(contents.len(), 40, "each is told");
    says(&answer, "files of the diff are told by size and hash only");
    let told = contents.last().unwrap();
    assert!(told.text.is_none() && told.after.as_ref().unwrap().sha256.is_some(), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_without_a_path_are_counted() {
    let bash = session(&["wall=1m"]);
    let deep = "n=$(printf '%0250d' 7); for i in {1..30}; do mkdir $n; cd $n; done; > f; cd /";
    let answer = bash.run(deep).await.unwrap();
    assert_eq!(answer.diff.created.len(), 16, "{}", answer.stderr);
    says(&answer, "15 changes of files are not in the diff");
}
