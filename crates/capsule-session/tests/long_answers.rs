//! Answers that would be too long: what is left out is counted, and where all of it is stands beside it.

mod common;

use capsule_abi::limits::Limits;
use capsule_session::{Bash, Omitted, RunOptions};
use common::builder;

fn with_answers_of(bytes: &str) -> Bash {
    let mut limits = Limits::default();
    limits.parse(&format!("answer={bytes}")).unwrap();
    builder().limits(limits).build().unwrap()
}

#[tokio::test]
async fn a_long_list_of_files_is_cut_and_counted() {
    let bash = with_answers_of("2000");
    bash.run("touch gone1 gone2; echo old > changed").await.unwrap();
    let answer = bash.run("rm gone*; echo new > changed; touch file-{0001..1000}").await.unwrap();
    let diff = &answer.diff;
    // Short lists are whole.
    assert_eq!(
        (&diff.modified[..], &diff.deleted[..]),
        (&["changed".into()][..], &["gone1".into(), "gone2".into()][..])
    );
    assert_eq!(
        (diff.created[0].as_str(), diff.created.iter().map(|p| p.len() + 3).sum::<usize>() <= 2000),
        ("file-0001", true)
    );
    let omitted = Omitted { created: 1000 - diff.created.len(), ..Omitted::default() };
    assert_eq!((diff.omitted, diff.counts()), (Some(omitted), [1000, 1, 2]));
    assert!(answer.truncated);
    let listed = diff.created.len() + 3;
    let notice = format!("{listed} of 1003 changed paths are listed and all of them are in /run/output/diff.json");
    assert!(answer.limit.len() == 1 && answer.limit[0].contains(&notice), "{:?}", answer.limit);
    // The file has them all, and is no change of the run.
    let answer =
        bash.run("jq -r '.created[-1], (.created | length), .deleted[1]' /run/output/diff.json").await.unwrap();
    assert_eq!((answer.stdout.as_str(), answer.diff.omitted), ("file-1000\n1000\ngone2\n", None), "{answer:?}");
    let json = serde_json::to_value(&answer.diff).unwrap();
    assert!(json.get("omitted").is_none(), "{json}");
}

#[tokio::test]
async fn a_hundred_thousand_files_are_a_short_answer() {
    let bash = with_answers_of("64K");
    let options = RunOptions { contents: true, ..RunOptions::default() };
    let script = "for i in {1..100}; do mkdir d$i; (cd d$i; touch f{1..1000}); done";
    let answer = bash.run_with(script, options).await.unwrap();
    assert_eq!((answer.exit_code, answer.diff.counts()), (0, [100_100, 0, 0]));
    let contents = answer.diff.contents.as_ref().unwrap().len();
    let omitted = answer.diff.omitted.unwrap();
    assert!(contents > 10 && omitted.contents > 90_000, "{contents} {omitted:?}");
    let json = serde_json::to_string(&answer).unwrap();
    assert!(json.len() < 400_000, "{}", json.len());
    assert!(answer.feedback.len() < 10, "{:?}", answer.feedback);
}

#[tokio::test]
async fn a_large_environment_is_cut_and_told() {
    let bash = with_answers_of("2000");
    let answer = bash.run("export A=1 B=$(printf %3000d 0) C=3").await.unwrap();
    let names: Vec<&String> = answer.state.env.keys().collect();
    assert_eq!(names, ["A", "C"]);
    assert!(answer.limit[0].contains("of the environment 1 of 3 variables are not shown"), "{:?}", answer.limit);
    assert_eq!(bash.state().env["B"].len(), 3000, "the state itself is whole");
}
