//! Going back, and going two ways at once.

mod common;

use capsule_session::Error;
use common::memory;

#[tokio::test]
async fn undo_takes_back_files_and_state() {
    let bash = memory();
    bash.run("echo one > f; x=1; cd /tmp").await.unwrap();
    bash.run("echo two > /workspace/f; rm -rf /etc/hosts; x=2; cd /").await.unwrap();
    bash.undo().await.unwrap();
    assert_eq!(bash.state().cwd, "/tmp");
    assert_eq!(
        bash.run("echo $x $PWD; cat /workspace/f /etc/hosts").await.unwrap().stdout,
        "1 /tmp\none\n127.0.0.1\tlocalhost\n"
    );
    // The run that looked changed the shell a little: it is a step too.
    bash.undo().await.unwrap();
    bash.undo().await.unwrap();
    assert_eq!(bash.run("echo [$x] $PWD; ls").await.unwrap().stdout, "[] /workspace\n");
    bash.undo().await.unwrap();
    assert!(matches!(bash.undo().await, Err(Error::NothingToUndo)));
}

#[tokio::test]
async fn snapshots_and_what_changed_since() {
    let bash = memory();
    bash.run("mkdir d; echo one > d/f; echo gone > g; v=1").await.unwrap();
    let id = bash.snapshot().await.unwrap();
    bash.run("echo two > d/f; rm g; mkdir -p n/m; v=2; echo x > /tmp/t").await.unwrap();
    let diff = bash.diff_since(id).await.unwrap();
    assert_eq!(diff.created, ["/tmp/t", "n", "n/m"]);
    assert_eq!((diff.modified, diff.deleted), (vec!["d/f".to_owned()], vec!["g".to_owned()]));
    bash.restore(id).await.unwrap();
    assert_eq!(bash.run("echo $v; cat d/f g; ls").await.unwrap().stdout, "1\none\ngone\nd\ng\n");
    assert!(bash.diff_since(id).await.unwrap().created.is_empty());
    assert!(matches!(bash.restore(99).await, Err(Error::NoSnapshot(99))));
    let other = bash.snapshot().await.unwrap();
    assert_ne!(id, other);
}

#[tokio::test]
async fn forks_go_their_own_ways() {
    let bash = memory();
    bash.run("echo shared > f; x=1; cd /tmp").await.unwrap();
    let fork = bash.fork("other").await.unwrap();
    assert_eq!(fork.id(), "other");
    bash.run("echo mine > /workspace/f; x=2").await.unwrap();
    assert_eq!(fork.run("cat /workspace/f; echo $x $PWD").await.unwrap().stdout, "shared\n1 /tmp\n");
    fork.run("rm /workspace/f").await.unwrap();
    assert_eq!(bash.run("cat /workspace/f; echo $x").await.unwrap().stdout, "mine\n2\n");
}

#[tokio::test]
async fn a_reset_can_be_taken_back() {
    let bash = memory();
    bash.write_file("f", "kept").await.unwrap();
    bash.reset().await.unwrap();
    assert!(bash.read_file("f").await.is_err());
    bash.undo().await.unwrap();
    assert_eq!(bash.read_file("f").await.unwrap(), b"kept");
    bash.undo().await.unwrap();
    assert!(bash.read_file("f").await.is_err());
}
