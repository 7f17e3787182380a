//! Answers that tell what is in the files.

mod common;

use capsule_abi::limits::Limits;
use capsule_session::{Answer, Bash, FileDiff, RunOptions};
use common::{builder, memory};

async fn run(bash: &Bash, command: &str) -> Answer {
    bash.run_with(command, RunOptions { contents: true, ..RunOptions::default() }).await.unwrap()
}

async fn diffs(bash: &Bash, command: &str) -> Vec<FileDiff> {
    run(bash, command).await.diff.contents.unwrap()
}

#[tokio::test]
async fn texts_are_unified_diffs() {
    let host = tempfile::tempdir().unwrap();
    for bash in [memory(), builder().host_workspace(host.path().to_path_buf()).build().unwrap()] {
        let made = diffs(&bash, "mkdir d; printf '1\\n2\\n3\\n' > d/f; ln -s f d/l").await;
        assert_eq!(made.len(), 1);
        assert_eq!((made[0].path.as_str(), made[0].change), ("d/f", "created"));
        assert_eq!(made[0].text.as_deref(), Some("--- /dev/null\n+++ b/d/f\n@@ -0,0 +1,3 @@\n+1\n+2\n+3\n"));
        let changed = diffs(&bash, "printf '1\\ntwo\\n3\\n' > d/f").await;
        assert_eq!(changed[0].text.as_deref(), Some("--- a/d/f\n+++ b/d/f\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"));
        let gone = diffs(&bash, "rm d/f").await;
        assert_eq!((gone[0].change, gone[0].text.as_ref().unwrap().lines().count()), ("deleted", 6));
        assert!(bash.run("echo x > y").await.unwrap().diff.contents.is_none());
    }
}

#[tokio::test]
async fn what_is_no_text_is_told_by_size_and_hash() {
    let bash = memory();
    let made = diffs(&bash, "printf 'a\\0b' > binary; head -c 3000000 /dev/zero > large").await;
    let sums = bash.run("sha256sum binary large | cut -c-64").await.unwrap().stdout;
    let hashes: Vec<&str> = made.iter().map(|file| file.after.as_ref().unwrap().sha256.as_deref().unwrap()).collect();
    assert_eq!(hashes, sums.lines().collect::<Vec<_>>());
    let changed = diffs(&bash, "printf x >> binary").await;
    assert_eq!(changed[0].before.as_ref().unwrap().size, 3);
    assert_eq!(changed[0].after.as_ref().unwrap().size, 4);
    let json = serde_json::to_value(&changed[0]).unwrap();
    assert!(json.get("text").is_none() && json["before"]["sha256"].is_string());
}

#[tokio::test]
async fn more_than_an_answer_holds() {
    let mut limits = Limits::default();
    limits.parse("answer=1000").unwrap();
    let bash = builder().limits(limits).build().unwrap();
    let answer = run(&bash, "seq 1000 > a; echo small > b; seq 1000").await;
    assert!(answer.truncated && answer.limit.len() == 2, "{:?}", answer.limit);
    assert!(answer.limit[0].contains("3893 bytes were printed and all of it is in /run/output/stdout"));
    assert_eq!(bash.run("wc -c < /run/output/stdout").await.unwrap().stdout, "3893\n");
    let files = answer.diff.contents.unwrap();
    assert!(files[0].text.is_none() && files[0].after.is_some() && files[1].text.is_some());
}
