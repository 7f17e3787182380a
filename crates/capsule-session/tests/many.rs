//! Many sessions in one process.

mod common;

use capsule_session::Sessions;
use common::builder;
use std::sync::Arc;

const SESSIONS: usize = 1000;

/// Resident bytes of this process.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_sessions_see_nothing_of_each_other() {
    let sessions = Arc::new(Sessions::new(builder()));
    let name = |i: usize| format!("session {i}");
    // The first ones pay for what all share.
    for i in 0..20 {
        sessions.get(&name(i)).unwrap().run("true").await.unwrap();
    }
    let before = resident();
    let first: Vec<_> = (0..SESSIONS)
        .map(|i| {
            let bash = sessions.get(&name(i)).unwrap();
            tokio::spawn(async move { bash.run(format!("mine={i}; echo {i} > file; echo {i}; touch only{i}")).await })
        })
        .collect();
    for (i, task) in first.into_iter().enumerate() {
        let answer = task.await.unwrap().unwrap();
        assert_eq!(answer.stdout, format!("{i}\n"));
        assert_eq!(answer.diff.created, ["file".to_owned(), format!("only{i}")]);
    }
    let each = resident().saturating_sub(before) / (SESSIONS - 20);
    println!("{} KiB for each idle session", each / 1024);
    let second: Vec<_> = (0..SESSIONS)
        .map(|i| {
            let bash = sessions.get(&name(i)).unwrap();
            tokio::spawn(async move { bash.run("echo $mine; cat file; ls").await })
        })
        .collect();
    for (i, task) in second.into_iter().enumerate() {
        assert_eq!(task.await.unwrap().unwrap().stdout, format!("{i}\n{i}\nfile\nonly{i}\n"));
    }
    assert_eq!(sessions.ids().unwrap().len(), SESSIONS);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_beyond_the_number_are_put_away_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(builder().sessions_folder(folder.path())).most_open(4);
    for i in 0..12 {
        let bash = sessions.get(&format!("s{i}")).unwrap();
        bash.run(format!("n={i}; echo {i} > f")).await.unwrap();
        if i == 3 {
            bash.snapshot().await.unwrap();
        }
        assert!(sessions.open_count() <= 4, "{}", sessions.open_count());
    }
    assert_eq!(sessions.ids().unwrap().len(), 12);
    for i in 0..12 {
        let answer = sessions.get(&format!("s{i}")).unwrap().run("echo $n; cat f").await.unwrap();
        assert_eq!(answer.stdout, format!("{i}\n{i}\n"));
    }
    // Nobody notices that it was away.
    let third = sessions.get("s3").unwrap();
    third.undo().await.unwrap();
    third.run("rm f").await.unwrap();
    third.restore(1).await.unwrap();
    assert_eq!(third.read_file("f").await.unwrap(), b"3\n");
    // One that somebody holds is not put away.
    for i in 20..40 {
        sessions.get(&format!("s{i}")).unwrap();
    }
    assert_eq!(third.run("echo $n").await.unwrap().stdout, "3\n");
    let fork = sessions.fork("s3", "forked").await.unwrap();
    assert_eq!(fork.run("echo $n").await.unwrap().stdout, "3\n");
    assert!(sessions.fork("s4", "forked").await.is_err());
}
