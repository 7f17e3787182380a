//! What an interactive shell needs of a session: questions that leave no trace, prompts, interrupts, knowing who left.

mod common;

use capsule_session::{CancellationToken, Error, Input, Run, RunOptions, Stream, Window};
use common::{builder, memory};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_question_leaves_no_trace() {
    let (folder, host) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(host.path().join("kept"), "x").unwrap();
    let mount = format!("{}::/host:rw", host.path().display()).parse().unwrap();
    let bash = builder().sessions_folder(folder.path()).id("q").mount(mount).build().unwrap();
    bash.run("x=1; echo one > f").await.unwrap();
    let log = || walk(folder.path());
    let before = log();
    let question = "x=2; echo $x; cat f; echo two > f; cd /; rm /host/kept; touch /host/new";
    let answer = bash.ask(question, PATIENCE).await.unwrap();
    assert_eq!(answer.stdout, "2\none\n");
    assert!(answer.stderr.contains("Read-only file system"), "{}", answer.stderr);
    bash.ask_program(Run::script("echo three > f"), PATIENCE).await.unwrap();
    assert_eq!(log(), before, "nothing was written");
    assert!(host.path().join("kept").exists() && !host.path().join("new").exists());
    // The step before is the one that is taken back.
    bash.undo().await.unwrap();
    assert_eq!(bash.run("echo [$x]; ls").await.unwrap().stdout, "[]\n");
}

/// Names and lengths of all files below a folder.
fn walk(folder: &std::path::Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(walk(&path)),
            false => found.push((path.display().to_string(), entry.metadata().unwrap().len())),
        }
    }
    found.sort();
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_has_an_end() {
    let bash = memory();
    let answer = bash.ask("while :; do :; done", Duration::from_millis(100)).await.unwrap();
    assert_eq!(answer.exit_code, 137);
    assert_eq!(bash.run("echo on").await.unwrap().stdout, "on\n");
}

#[tokio::test]
async fn prompts_are_those_of_the_shell() {
    let bash = memory();
    assert!(bash.prompt(RunOptions::default()).await.unwrap().is_none());
    bash.run(r"PS1='\u@\h:\w [$?] \$ ' PS2='more '; cd /tmp; false").await.unwrap();
    let prompts = bash.prompt(RunOptions::default()).await.unwrap().unwrap();
    assert_eq!(prompts.map(|p| String::from_utf8(p).unwrap()), ["root@capsule:/tmp [1] # ", "more "]);
    assert_eq!(bash.run("echo $?").await.unwrap().stdout, "1\n");
}

#[tokio::test]
async fn prompt_commands_belong_to_the_last_step() {
    let folder = tempfile::tempdir().unwrap();
    let open = || builder().sessions_folder(folder.path()).id("p").build().unwrap();
    let bash = open();
    bash.run("PROMPT_COMMAND=('n=$((n + 1))' 'echo $n >> log'); PS1='$n '").await.unwrap();
    for turn in 1..=20 {
        let [prompt, _] = bash.prompt(RunOptions::default()).await.unwrap().unwrap();
        assert_eq!(prompt, format!("{turn} ").into_bytes());
    }
    bash.run("m=$n").await.unwrap();
    bash.prompt(RunOptions::default()).await.unwrap();
    drop(bash);
    // What is found again is the same, and so is what is taken back.
    let bash = open();
    assert_eq!(bash.run("echo $n $m; wc -l < log").await.unwrap().stdout, "21 20\n21\n");
    bash.undo().await.unwrap();
    bash.undo().await.unwrap();
    drop(bash);
    let bash = open();
    assert_eq!(bash.run("echo $n [$m]; wc -l < log").await.unwrap().stdout, "20 []\n20\n");
    bash.undo().await.unwrap();
    bash.undo().await.unwrap();
    assert!(matches!(bash.undo().await, Err(Error::NothingToUndo)));
}

/// Runs a command and interrupts it when it prints something.
async fn interrupted(bash: &capsule_session::Bash, command: &str) -> capsule_session::Answer {
    let interrupt = CancellationToken::new();
    let on_output = {
        let interrupt = interrupt.clone();
        move |_: Stream, _: &[u8]| interrupt.cancel()
    };
    let options =
        RunOptions { interrupt: Some(interrupt), on_output: Some(Arc::new(on_output)), ..RunOptions::default() };
    bash.run_with(command, options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_the_script_and_the_shell_keeps_what_it_knew() {
    let bash = memory();
    for (n, command) in [
        "while :; do :; done",
        "sleep 1000",
        "sleep 1000 | cat",
        "x=$(sleep 1000)",
        "(while :; do :; done)",
        "read line < <(sleep 1000)",
        "f() { sleep 1000; }; f",
        "until false; do sleep 1000; done",
        "for ((;;)); do true | true; done",
        "wait $!; sleep 1000",
        "eval 'while :; do sleep 1000; done'",
    ]
    .into_iter()
    .enumerate()
    {
        let answer = interrupted(&bash, &format!("n={n}; cd /tmp; echo started; {command}; echo no; n=no")).await;
        assert_eq!((answer.stdout.as_str(), answer.exit_code), ("started\n", 130), "{command}: {answer:?}");
        assert!(answer.state_lost.is_none(), "{command}: {answer:?}");
        assert_eq!(bash.run("echo $? $n $PWD").await.unwrap().stdout, format!("130 {n} /tmp\n"), "{command}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_is_trapped_ignored_and_inherited_as_in_bash() {
    let bash = memory();
    bash.run("trap 'echo caught' INT USR1").await.unwrap();
    // Also by a shell that has the trap from the run before. The program that is interrupted says itself that it runs:
    // before that, the signal would be the shell's alone, which then waits, as bash does.
    let waits = "bash -c 'echo ready; exec sleep 1000'; echo after";
    assert_eq!(interrupted(&bash, waits).await.stdout, "ready\ncaught\nafter\n");
    assert_eq!(bash.run("kill -USR1 $$; echo on").await.unwrap().stdout, "caught\non\n");
    bash.run("trap '' INT").await.unwrap();
    assert_eq!(interrupted(&bash, "echo ready; sleep 0.3; echo after").await.stdout, "ready\nafter\n");
    bash.run("trap - INT").await.unwrap();
    let answer = interrupted(&bash, "trap 'echo bye' EXIT; echo ready; sleep 1000").await;
    assert_eq!((answer.stdout.as_str(), answer.exit_code), ("ready\nbye\n", 130));
    // A program gets the signal as every program does.
    let answer = interrupted(&bash, "bash -c 'echo ready; sleep 1000; echo no'; echo no").await;
    assert_eq!((answer.stdout.as_str(), answer.exit_code), ("ready\n", 130));
}

#[tokio::test]
async fn who_left_is_known() {
    let bash = memory();
    for (command, left) in [
        ("exit", true),
        ("exit 3; echo", true),
        ("f() { exit 2; }; f", true),
        ("(exit 3)", false),
        ("x=$(exit 3)", false),
        ("exit 3 | true", false),
        ("echo exit", false),
        ("set -e; false", false),
        ("set +e; if", false),
        ("true", false),
    ] {
        assert_eq!(bash.run(command).await.unwrap().left, left, "{command}");
    }
}

#[tokio::test]
async fn output_goes_where_it_is_sent() {
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (bash, kept) = (memory(), Kept::default());
    let stdout = capsule_session::Output::Stream(Box::new(kept.clone()));
    let answer = bash.run_with("x=1; echo out; echo err >&2", RunOptions { stdout, ..RunOptions::default() }).await;
    let answer = answer.unwrap();
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("", "err\n"));
    assert_eq!(*kept.0.lock().unwrap(), b"out\n");
    assert_eq!(bash.run("echo $x").await.unwrap().stdout, "1\n");
}

#[tokio::test]
async fn programs_are_told_of_a_terminal() {
    let bash = memory();
    let at = |terminals: [bool; 3], typed: &str| RunOptions {
        stdin: Input::Bytes(typed.as_bytes().to_vec()),
        terminals,
        ..RunOptions::default()
    };
    let which = "for fd in 0 1 2; do [ -t $fd ] && echo $fd; done; (test -t 0 && test -t 0 < /dev/null); echo $?";
    assert_eq!(bash.run_with(which, at([true, false, true], "")).await.unwrap().stdout, "0\n2\n1\n");
    assert_eq!(bash.run_with(which, at([false; 3], "")).await.unwrap().stdout, "1\n");
    // What programs do there: they ask, lay out for a reader, and talk.
    let asked = bash.run_with("read -p 'name? ' x; echo \"<$x>\"", at([true; 3], "Ann\n")).await.unwrap();
    assert_eq!((asked.stdout.as_str(), asked.stderr.as_str()), ("<Ann>\n", "name? "));
    assert_eq!(bash.run_with("touch a b; ls", at([true; 3], "")).await.unwrap().stdout, "a  b\n");
    let talk = bash.run_with("python3 -q", at([true; 3], "6 * 7\nfor i in range(2): print(i)\n\n")).await.unwrap();
    assert_eq!((talk.stdout.as_str(), talk.stderr.as_str()), ("42\n0\n1\n", ">>> >>> ... >>> \n"));
}

#[tokio::test]
async fn programs_are_told_how_large_the_window_is() {
    let bash = memory();
    let at = |columns: u16, terminals: [bool; 3]| RunOptions {
        terminals,
        window: Some(Arc::new(move || Window { rows: 30, columns })),
        ..RunOptions::default()
    };
    let said = async |command: &str, options: RunOptions| bash.run_with(command, options).await.unwrap().stdout;
    assert_eq!(
        said("export TERM=xterm; stty size; tput cols; tput lines; COLUMNS=9 tput cols", at(100, [true; 3])).await,
        "30 100\n100\n30\n9\n"
    );
    let names = "mkdir d; touch d/{10..49}; ls -T 0 d; ls -CT 0 d | wc -l";
    let row = (10..50).map(|n| n.to_string()).collect::<Vec<_>>().join("  ");
    assert_eq!(said(names, at(200, [true; 3])).await, format!("{row}\n2\n"));
    let python = "python3 -c 'import os, termios; print(os.get_terminal_size(), termios.tcgetwinsize(0))'";
    assert_eq!(said(python, at(7, [true; 3])).await, "os.terminal_size(columns=7, lines=30) (30, 7)\n");
    // The shell looks where its errors go, when it starts and behind every program.
    assert_eq!(said("echo $LINES $COLUMNS; COLUMNS=1; (:); echo $COLUMNS", at(50, [true; 3])).await, "30 50\n50\n");
    assert_eq!(said("COLUMNS=1; (:); echo $COLUMNS", at(50, [true, true, false])).await, "1\n");
    assert_eq!(
        said("COLUMNS=1; shopt -u checkwinsize; (:); echo $COLUMNS; shopt -s checkwinsize", at(50, [true; 3])).await,
        "1\n"
    );
    // Nobody knows, and nobody is asked.
    assert_eq!(said("stty size", RunOptions { window: None, ..at(0, [true; 3]) }).await, "0 0\n");
    assert_eq!(
        said("stty size 2>&1", at(50, [false, true, true])).await,
        "stty: 'standard input': Inappropriate ioctl for device\n"
    );
}

#[tokio::test]
async fn the_terminal_of_a_run_can_be_opened() {
    let bash = memory();
    let at = |terminals: [bool; 3]| RunOptions {
        stdin: Input::Bytes(b"typed\nmore\n".to_vec()),
        terminals,
        ..RunOptions::default()
    };
    let talk = "echo x | { read -r answer < /dev/tty; echo $answer; echo shown > /dev/tty; } > out; cat out; [ -t 3 ] 3<> /dev/tty; echo $?";
    let answer = bash.run_with(talk, at([true; 3])).await.unwrap();
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("typed\n0\n", "shown\n"));
    // Errors go elsewhere: what is shown goes to the output.
    let answer =
        bash.run_with("echo shown > /dev/tty; stat -c %t,%T - < /dev/tty", at([true, true, false])).await.unwrap();
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("shown\n5,0\n", ""));
    let none = "bash: line 1: /dev/tty: No such device or address\n";
    for (terminals, command) in
        [([false; 3], ": < /dev/tty"), ([false, true, true], ": < /dev/tty"), ([true, false, false], ": > /dev/tty")]
    {
        assert_eq!(bash.run_with(command, at(terminals)).await.unwrap().stderr, none, "{terminals:?}");
    }
    // A session of its own has no terminal.
    let own = "python3 -c 'import os; os.setsid(); open(\"/dev/tty\")' 2>&1 | tail -n 1";
    let answer = bash.run_with(own, at([true; 3])).await.unwrap();
    assert_eq!(answer.stdout, "OSError: [Errno 6] No such device or address: '/dev/tty'\n");
}
