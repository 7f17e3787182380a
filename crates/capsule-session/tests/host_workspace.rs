//! A workspace that is a folder of the host: plain files, and all that can be done with those in memory.

mod common;

use capsule_session::{Bash, Error, Sessions};
use common::builder;
use std::fs;
use std::path::Path;

fn open(folder: &Path) -> Bash {
    builder().host_workspace(folder.to_path_buf()).build().unwrap()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|e| e.kind().to_string())
}

#[tokio::test]
async fn undo_takes_back_what_was_done_to_the_folder() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("w");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("old"), "mine").unwrap();
    let bash = open(&folder);
    bash.run("echo 1 > f; mkdir d; x=1; echo tmp > /tmp/t").await.unwrap();
    let answer = bash.run("echo 2 > f; mv old d/new; rmdir nothing; echo more >> d/new; x=2; rm /tmp/t").await.unwrap();
    assert_eq!(answer.diff.modified, ["f"]);
    assert_eq!(read(&folder, "d/new"), "minemore\n");
    bash.undo().await.unwrap();
    assert_eq!((read(&folder, "f").as_str(), read(&folder, "old").as_str()), ("1\n", "mine"));
    assert_eq!(bash.run("echo $x; ls; cat /tmp/t").await.unwrap().stdout, "1\nd\nf\nold\ntmp\n");
    bash.undo().await.unwrap();
    bash.undo().await.unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    bash.write_file("old", "written over").await.unwrap();
    bash.undo().await.unwrap();
    assert_eq!(read(&folder, "old"), "mine");
    assert!(matches!(bash.undo().await, Err(Error::NothingToUndo)));
}

#[tokio::test]
async fn what_is_too_large_to_keep_is_not_taken_back_by_halves() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("w");
    let bash = open(&folder);
    bash.run("head -c 40M /dev/zero > big; echo 1 > small").await.unwrap();
    bash.run("echo more >> big; echo 2 > small; x=2").await.unwrap();
    let error = bash.undo().await.unwrap_err();
    assert!(error.to_string().contains("'big' was too large"), "{error}");
    assert_eq!(bash.run("cat small; echo $x").await.unwrap().stdout, "2\n2\n");
}

#[tokio::test]
async fn snapshots_forks_and_reset() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("w");
    let bash = open(&folder);
    bash.run("mkdir d; echo 1 > d/f; ln d/f hard; ln -s d/f soft; chmod 600 d/f; x=1").await.unwrap();
    let id = bash.snapshot().await.unwrap();
    bash.run("echo 2 > d/f; rm soft; touch new; x=2").await.unwrap();
    let diff = bash.diff_since(id).await.unwrap();
    assert_eq!((diff.created, diff.deleted), (vec!["new".to_owned()], vec!["soft".to_owned()]));
    assert_eq!(diff.modified, ["d/f", "hard"]);
    let fork = bash.fork("other").await.unwrap();
    fork.run("echo fork > d/f").await.unwrap();
    assert_eq!(read(&folder, "d/f"), "2\n");
    assert!(matches!(bash.fork("other").await, Err(Error::Exists(_))));
    bash.restore(id).await.unwrap();
    let answer = bash.run("cat soft hard; stat -c '%a %h' d/f; ls; echo $x").await.unwrap();
    assert_eq!(answer.stdout, "1\n1\n600 2\nd\nhard\nsoft\n1\n");
    assert_eq!(fork.run("cat d/f; echo $x").await.unwrap().stdout, "fork\n2\n");
    bash.undo().await.unwrap();
    let error = bash.undo().await.unwrap_err();
    assert!(error.to_string().contains("was not kept"), "{error}");
    bash.reset().await.unwrap();
    assert_eq!(bash.run("ls; echo [$x]").await.unwrap().stdout, "[]\n");
    bash.close().await.unwrap();
    assert!(!outer.path().join("w.copies").exists());
}

#[tokio::test]
async fn files_that_were_there_before_are_not_reset() {
    let outer = tempfile::tempdir().unwrap();
    fs::write(outer.path().join("precious"), "x").unwrap();
    let bash = open(outer.path());
    bash.run("x=1").await.unwrap();
    assert!(matches!(bash.reset().await, Err(Error::ForeignWorkspace(_))));
    assert_eq!(bash.run("cat precious; echo $x").await.unwrap().stdout, "x1\n");
    // Where sessions have their workspaces, everything is theirs.
    let ours = outer.path().join(".capsule/session/workspace");
    fs::create_dir_all(&ours).unwrap();
    fs::write(ours.join("left"), "by another process").unwrap();
    let bash = open(&ours);
    bash.reset().await.unwrap();
    assert_eq!(fs::read_dir(&ours).unwrap().count(), 0);
}

#[tokio::test]
async fn a_kept_session_finds_its_folder_again() {
    let outer = tempfile::tempdir().unwrap();
    let sessions =
        || Sessions::new(builder().host_workspace(outer.path().join("files")).sessions_folder(outer.path().join("s")));
    let first = sessions();
    let (a, b) = (first.get("a").unwrap(), first.get("b").unwrap());
    a.run("echo a > f; x=a").await.unwrap();
    let id = a.snapshot().await.unwrap();
    a.run("echo changed > f").await.unwrap();
    assert_eq!(b.run("ls").await.unwrap().stdout, "", "sessions have folders of their own");
    first.fork("a", "c").await.unwrap().run("echo c > f").await.unwrap();
    drop((a, b, first));
    let again = sessions();
    let a = again.get("a").unwrap();
    assert_eq!(a.run("cat f; echo $x").await.unwrap().stdout, "changed\na\n");
    a.restore(id).await.unwrap();
    assert_eq!(a.read_file("f").await.unwrap(), b"a\n");
    assert_eq!(again.get("c").unwrap().read_file("f").await.unwrap(), b"c\n");
    assert_eq!(again.ids().unwrap(), ["a", "b", "c"]);
}
