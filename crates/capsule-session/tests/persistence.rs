//! Sessions that outlive their process: what is found again, by whom, and after what.

mod common;

use capsule_session::{Bash, Error};
use common::builder;
use std::fs;
use std::path::{Path, PathBuf};

fn open(folder: &Path, id: &str) -> Result<Bash, Error> {
    builder().sessions_folder(folder).id(id).build()
}

/// The only session of a folder.
fn only(folder: &Path) -> PathBuf {
    let mut entries = fs::read_dir(folder).unwrap();
    let path = entries.next().unwrap().unwrap().path();
    assert!(entries.next().is_none());
    path
}

#[tokio::test]
async fn a_session_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let bash = open(folder.path(), "mine").unwrap();
    bash.run("mkdir -p d; echo text > d/f; ln -s f d/l; ln d/f d/h; chmod 700 d; x=1; f() { echo f; }; cd d")
        .await
        .unwrap();
    bash.run("head -c 300000 /dev/zero > /tmp/big; rm /etc/hosts; mkfifo /tmp/p").await.unwrap();
    bash.close().await.unwrap();
    let bash = open(folder.path(), "mine").unwrap();
    assert_eq!(bash.state().cwd, "/workspace/d");
    let answer =
        bash.run("echo $x; f; pwd; cat l h; stat -c '%a %h' . f; ls /etc/hosts; wc -c < /tmp/big").await.unwrap();
    assert!(answer.stdout.starts_with("1\nf\n/workspace/d\ntext\ntext\n700 2\n644 2\n"), "{answer:?}");
    assert!(answer.stdout.ends_with("300000\n") && answer.stderr.contains("No such file"), "{answer:?}");
    drop(bash);
    assert_eq!(open(folder.path(), "another").unwrap().run("echo [$x]; ls").await.unwrap().stdout, "[]\n");
}

#[tokio::test]
async fn snapshots_and_undo_are_kept_too() {
    let folder = tempfile::tempdir().unwrap();
    let bash = open(folder.path(), "s").unwrap();
    bash.run("echo 1 > f; x=1").await.unwrap();
    let one = bash.snapshot().await.unwrap();
    bash.run("echo 2 > f; x=2").await.unwrap();
    bash.run("echo 3 > f; x=3").await.unwrap();
    bash.undo().await.unwrap();
    drop(bash);
    let bash = open(folder.path(), "s").unwrap();
    assert_eq!(bash.read_file("f").await.unwrap(), b"2\n");
    bash.undo().await.unwrap();
    drop(bash);
    let bash = open(folder.path(), "s").unwrap();
    assert_eq!(bash.run("cat f; echo $x").await.unwrap().stdout, "1\n1\n");
    bash.run("rm f").await.unwrap();
    bash.restore(one).await.unwrap();
    assert_ne!(bash.snapshot().await.unwrap(), one);
    drop(bash);
    let bash = open(folder.path(), "s").unwrap();
    assert_eq!(bash.run("cat f; echo $x").await.unwrap().stdout, "1\n1\n");
    bash.reset().await.unwrap();
    drop(bash);
    let bash = open(folder.path(), "s").unwrap();
    assert_eq!(bash.run("ls; echo [$x]").await.unwrap().stdout, "[]\n");
    bash.restore(one).await.unwrap();
    assert_eq!(bash.read_file("f").await.unwrap(), b"1\n");
}

#[tokio::test]
async fn a_session_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bash = open(folder.path(), "one").unwrap();
    let error = open(folder.path(), "one").err().unwrap();
    assert!(matches!(&error, Error::InUse(id) if id == "one"), "{error}");
    assert!(error.to_string().contains("in use"), "{error}");
    bash.close().await.unwrap();
    open(folder.path(), "one").unwrap();
}

#[tokio::test]
async fn ids_are_names_and_never_paths() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("sessions");
    let long = "x".repeat(256);
    let ids = [
        "../x",
        "a/b",
        "a",
        "b",
        "..",
        ".",
        "",
        "/",
        "/etc/passwd",
        "a\0b",
        "a\0",
        "A",
        "а",
        "a ",
        "a\u{301}",
        "á",
        "log",
        "lock",
        "x\n",
        "x\ny",
        "%2e%2e",
        &long,
    ];
    for id in ids {
        let bash = open(&folder, id).unwrap();
        let answer = bash.run("ls; echo \"[$mine]\"; mine=yes; touch f").await.unwrap();
        assert_eq!(answer.stdout, "[]\n", "{id:?} is another session's");
    }
    for id in ids {
        let bash = open(&folder, id).unwrap();
        assert_eq!(bash.run("ls; echo $mine").await.unwrap().stdout, "f\nyes\n", "{id:?}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), ids.len());
    assert_eq!(fs::read_dir(outer.path()).unwrap().count(), 1, "nothing outside the folder");
    assert!(matches!(open(&folder, &"x".repeat(257)), Err(Error::LongId(257))));
}

#[tokio::test]
async fn a_fork_is_kept_by_its_own_id() {
    let folder = tempfile::tempdir().unwrap();
    let bash = open(folder.path(), "a").unwrap();
    bash.run("echo 1 > f").await.unwrap();
    let fork = bash.fork("b").await.unwrap();
    fork.run("echo 2 > f").await.unwrap();
    assert!(matches!(bash.fork("b").await, Err(Error::InUse(_))));
    drop((bash, fork));
    assert_eq!(open(folder.path(), "a").unwrap().read_file("f").await.unwrap(), b"1\n");
    assert_eq!(open(folder.path(), "b").unwrap().read_file("f").await.unwrap(), b"2\n");
    let again = open(folder.path(), "a").unwrap().fork("b").await;
    assert!(matches!(again, Err(Error::Exists(_))));
}

#[tokio::test]
async fn a_long_log_is_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let bash = open(folder.path(), "s").unwrap();
    let mut largest = 0;
    for i in 0..60 {
        bash.run(format!("head -c 30000 /dev/urandom > f; n={i}")).await.unwrap();
        largest = largest.max(fs::metadata(only(folder.path()).join("log")).unwrap().len());
    }
    assert!((256 << 10..1400 << 10).contains(&largest), "{largest}");
    drop(bash);
    let bash = open(folder.path(), "s").unwrap();
    assert_eq!(bash.run("wc -c < f; echo $n").await.unwrap().stdout, "30000\n59\n");
    bash.undo().await.unwrap();
    bash.undo().await.unwrap();
    assert_eq!(bash.run("echo $n").await.unwrap().stdout, "58\n");
}

#[tokio::test]
async fn a_log_cut_anywhere_is_the_last_whole_step() {
    let folder = tempfile::tempdir().unwrap();
    let bash = open(folder.path(), "s").unwrap();
    let log = only(folder.path()).join("log");
    let mut ends = Vec::new();
    for i in 1..=4 {
        bash.run(format!("echo {i} > f; n={i}")).await.unwrap();
        ends.push(fs::metadata(&log).unwrap().len());
    }
    drop(bash);
    let whole = fs::read(&log).unwrap();
    for end in (ends[0]..=ends[3]).step_by(97).chain(ends.iter().copied()) {
        fs::write(&log, &whole[..end as usize]).unwrap();
        let bash = open(folder.path(), "s").unwrap();
        let step = ends.iter().filter(|&&e| e <= end).count();
        assert_eq!(bash.run("cat f; echo $n").await.unwrap().stdout, format!("{step}\n{step}\n"), "cut at {end}");
    }
    // A whole record in the middle that is not what was written is no accident.
    let mut bad = whole.clone();
    bad[ends[0] as usize + 200] ^= 1;
    fs::write(&log, &bad).unwrap();
    let error = open(folder.path(), "s").err().unwrap();
    assert!(error.to_string().contains("damaged"), "{error}");
}

#[tokio::test]
async fn nobodys_bytes_do_harm() {
    let folder = tempfile::tempdir().unwrap();
    let bash = open(folder.path(), "s").unwrap();
    bash.run("echo 1 > f").await.unwrap();
    drop(bash);
    let log = only(folder.path()).join("log");
    let whole = fs::read(&log).unwrap();
    let mut seed = 7_u64;
    for _ in 0..60 {
        let mut bad = whole.clone();
        for _ in 0..3 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (seed >> 33) as usize % bad.len();
            bad[at] = seed as u8;
        }
        fs::write(&log, &bad).unwrap();
        // Damage at the end looks like a step that was never answered; what is found then is the one before.
        if let Ok(bash) = open(folder.path(), "s") {
            assert!(bash.read_file("f").await.map_or(true, |bytes| bytes == b"1\n"));
            assert_eq!(bash.run("echo on").await.unwrap().stdout, "on\n");
        }
    }
    fs::remove_file(&log).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &log).unwrap();
    assert!(open(folder.path(), "s").is_err(), "a link is not followed");
}
