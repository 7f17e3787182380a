//! How `capsule bash` ends when something outside it does: interrupts, readers that go away, disks that are full.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

fn capsule(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_capsule"));
    command.arg("bash").args(args).stdin(Stdio::null());
    command
}

/// Starts a script and waits until it says `ready`.
fn started(args: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let mut child = capsule(args).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    (child, stdout)
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn ended(mut child: Child, mut stdout: BufReader<ChildStdout>) -> (ExitStatus, String) {
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    (child.wait().unwrap(), rest)
}

#[test]
fn an_interrupt_ends_the_script_as_a_signal_ends_bash() {
    let (child, stdout) = started(&["-c", "echo ready; sleep 1000; echo no"]);
    interrupt(&child);
    let (status, rest) = ended(child, stdout);
    // By the signal, and not with 130: a script that called us must see that it was interrupted too.
    assert_eq!((status.signal(), rest.as_str()), (Some(2), ""), "{status}");
}

#[test]
fn a_trap_gets_the_interrupt() {
    let (child, stdout) = started(&["-c", "trap 'echo caught; exit 9' INT; echo ready; sleep 1000"]);
    interrupt(&child);
    let (status, rest) = ended(child, stdout);
    assert_eq!((status.code(), rest.as_str()), (Some(9), "caught\n"));
}

#[test]
fn the_second_interrupt_ends_what_does_not_listen() {
    let (child, mut stdout) =
        started(&["-c", "trap '' INT; echo ready; for i in {1..500}; do echo $i; sleep 0.1; done"]);
    interrupt(&child);
    // It was heard, and is ignored.
    for _ in 0..10 {
        stdout.read_line(&mut String::new()).unwrap();
    }
    interrupt(&child);
    assert_eq!(ended(child, stdout).0.signal(), Some(2));
}

#[test]
fn an_interrupted_run_of_a_kept_session_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = folder.path().to_str().unwrap();
    let args = ["--session", "s", "--sessions", sessions, "-c"];
    let (child, stdout) = started(&[&args[..], &["x=1; echo text > f; echo ready; sleep 1000"]].concat());
    interrupt(&child);
    assert_eq!(ended(child, stdout).0.signal(), Some(2));
    let output = capsule(&[&args[..], &["echo $x; cat f"]].concat()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\ntext\n");
}

#[test]
fn a_background_job_of_a_script_ignores_interrupts() {
    let script = format!(
        "{} bash -c 'echo ready; sleep 1; echo done' & pid=$!; sleep 0.5; kill -INT $pid; wait $pid; echo $?",
        env!("CARGO_BIN_EXE_capsule")
    );
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ready\ndone\n0\n");
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    for args in [&["-c", "echo hi"][..], &["-c", "yes"], &["--json", "-c", "echo hi"]] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let output = capsule(args).stdout(full).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(125), "{args:?}: {stderr}");
        assert!(stderr.starts_with("capsule: ") && stderr.ends_with(": No space left on device\n"), "{stderr}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for args in [&["-c", "yes"][..], &["--json", "-c", "seq 100000"]] {
        let mut child = capsule(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(141), 0), "{args:?}");
    }
}
