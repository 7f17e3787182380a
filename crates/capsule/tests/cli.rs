//! The `capsule` command as people use it.

use std::io::{Read, Seek, Write};
use std::process::{Command, Output, Stdio};

fn capsule(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_capsule"));
    command.args(args).stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> (i32, String, String) {
    parts(capsule(args).output().unwrap())
}

fn parts(output: Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn bash(script: &str) -> (i32, String, String) {
    run(&["bash", "-c", script])
}

#[test]
fn what_the_foundation_promises() {
    assert_eq!(bash("yes | head -1"), (0, "y\n".into(), String::new()));
    assert_eq!(bash("(exit 3); echo $?"), (0, "3\n".into(), String::new()));
    assert_eq!(bash("cat /dev/zero | head -c 1G | wc -c"), (0, "1073741824\n".into(), String::new()));
    let (status, stdout, _) = bash("sleep 100 & kill $!; wait $!; echo $?");
    assert_eq!((status, stdout.as_str()), (0, "143\n"));
}

#[test]
fn the_exit_status_is_the_scripts() {
    for (script, status) in [("exit 7", 7), ("true", 0), ("nosuchcommand", 127), ("/etc", 126), ("kill -9 $$", 137)] {
        assert_eq!(bash(script).0, status, "{script}");
    }
}

#[test]
fn arguments_reach_the_script() {
    let (_, stdout, _) = run(&["bash", "-c", "echo $0 $1 $#", "name", "-x", "--json"]);
    assert_eq!(stdout, "name -x 2\n");
}

#[test]
fn a_script_on_standard_input() {
    let mut child = capsule(&["bash", "-s", "arg"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"echo $1\nexit 5\n").unwrap();
    let (status, stdout, _) = parts(child.wait_with_output().unwrap());
    assert_eq!((status, stdout.as_str()), (5, "arg\n"));
}

#[test]
fn without_input_there_is_no_input_to_search() {
    let script = "echo needle > f; rg needle; [ -c /dev/stdin ] && readlink /proc/self/fd/0";
    assert_eq!(bash(script).1, "f:needle\n/dev/null\n");
    let piped = capsule(&["bash", "-c", script]).stdin(Stdio::piped()).output().unwrap();
    assert_eq!(parts(piped), (1, String::new(), String::new()));
}

#[test]
fn output_and_errors_to_the_same_file_stay_in_order() {
    let mut both = tempfile::tempfile().unwrap();
    let script = "for i in 1 2 3; do echo out $i; echo error $i >&2; done; ls /nowhere; echo end";
    let handle = || Stdio::from(both.try_clone().unwrap());
    capsule(&["bash", "-c", script]).stdout(handle()).stderr(handle()).status().unwrap();
    let mut text = String::new();
    both.rewind().unwrap();
    both.read_to_string(&mut text).unwrap();
    let counted: String = (1..=3).map(|i| format!("out {i}\nerror {i}\n")).collect();
    assert_eq!(text, format!("{counted}ls: cannot access '/nowhere': No such file or directory\nend\n"));
}

#[test]
fn a_script_of_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("hello.sh");
    std::fs::write(&script, "echo hello $1; ls /nowhere-else-but-host 2>/dev/null; exit 4\n").unwrap();
    let (status, stdout, _) = run(&["bash", script.to_str().unwrap(), "you"]);
    assert_eq!((status, stdout.as_str()), (4, "hello you\n"));
}

#[test]
fn the_answer_as_json() {
    let (status, stdout, _) = run(&["bash", "--json", "-c", "mkdir src && touch src/index.ts; exit 2"]);
    assert_eq!(status, 2);
    let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(answer["exitCode"], 2);
    assert_eq!(answer["diff"]["created"], serde_json::json!(["src", "src/index.ts"]));
    assert_eq!(answer["diff"]["modified"], serde_json::json!([]));
    assert_eq!(answer["state"]["cwd"], "/workspace");
    assert_eq!(answer["feedback"], serde_json::json!(["Folder created ✔", "File created ✔"]));
}

#[test]
fn the_answer_tells_where_the_shell_is() {
    let (_, stdout, _) = run(&["bash", "--json", "-c", "cd /tmp; export A=1"]);
    let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(answer["state"], serde_json::json!({ "cwd": "/tmp", "env": { "A": "1" } }));
}

#[test]
fn help_is_help() {
    for args in
        [&["bash", "--help"][..], &["bash", "-h"], &["mcp", "--help"], &["shell", "--help"], &["wasm", "--help"]]
    {
        let (status, stdout, _) = run(args);
        assert!(status == 0 && stdout.contains("Examples:") && stdout.contains("--limit"), "{args:?}: {stdout}");
        let answer = if args[0] == "mcp" { "answer=64KiB" } else { "answer=1MiB" };
        assert!(stdout.contains(answer), "{args:?}: {stdout}");
        assert_eq!(stdout.contains("--json"), !["mcp", "shell"].contains(&args[0]), "{args:?}");
    }
}

#[test]
fn mounts_and_the_workspace_are_host_folders() {
    let folder = tempfile::tempdir().unwrap();
    let (data, work) = (folder.path().join("data"), folder.path().join("work"));
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("in.txt"), "in\n").unwrap();
    let mount = format!("{}::/data:ro", data.display());
    let script =
        "cat /data/in.txt > out.txt; echo x > /data/new; echo x > /data/in.txt; ln /data/in.txt l; mv /data/in.txt .";
    let (_, _, stderr) = run(&["bash", "--mount", &mount, "--workspace", work.to_str().unwrap(), "-c", script]);
    assert_eq!(std::fs::read_to_string(work.join("out.txt")).unwrap(), "in\n");
    assert!(!data.join("new").exists() && !work.join("l").exists());
    assert_eq!(std::fs::read_to_string(data.join("in.txt")).unwrap(), "in\n");
    assert!(stderr.contains("Read-only file system"), "{stderr}");
}

#[test]
fn the_host_is_not_there() {
    let (_, stdout, _) = bash("echo /home/* /root/.[a-z]*; echo $HOME $USER; ls / | wc -l");
    assert!(stdout.starts_with("/home/* /root/.[a-z]*\n/root\n"), "{stdout}");
}

#[test]
fn environment_and_directory() {
    let (_, stdout, _) = run(&["bash", "--env", "A=b c", "--cwd", "/tmp", "-c", "echo \"$A\"; pwd"]);
    assert_eq!(stdout, "b c\n/tmp\n");
}

#[test]
fn a_limit_is_loud() {
    let (status, _, stderr) = run(&["bash", "--limit", "wall=200ms", "-c", "while :; do :; done"]);
    assert_eq!(status, 137);
    assert_eq!(
        stderr,
        "capsule: the wall limit of 200ms was reached: the run was ended; raise it with --limit wall=VALUE\n"
    );
}

#[test]
fn mistakes_of_the_user_are_explained() {
    for (args, message) in [
        (vec!["bash", "--limit", "walls=1s", "-c", "true"], "no limit is called 'walls'"),
        (vec!["bash", "--sesion", "s", "-c", "true"], "unknown option '--sesion'; did you mean --session?"),
        (vec!["bash", "--mount", "/no/such/folder::/x", "-c", "true"], "cannot open the host folder /no/such/folder"),
        (vec!["bash", "--cwd", "/nowhere", "-c", "true"], "the working directory /nowhere cannot be used"),
        (
            vec!["bash", "--workspace", "/dev/null", "-c", "true"],
            "cannot open the host folder /dev/null: it is a file\n",
        ),
        (vec!["bash", "--session", "s", "--sessions", "/dev/null/x", "-c", "true"], "/dev/null/x: Not a directory\n"),
        (vec!["mcp", "--mount", "/no/such/folder::/x"], "cannot open the host folder /no/such/folder"),
        (vec!["wasm", "/no/such.wasm"], "cannot read /no/such.wasm: No such file or directory\n"),
        (
            vec!["wasm", "/etc/passwd"],
            "/etc/passwd is no WebAssembly program; for a script use: capsule bash /etc/passwd",
        ),
    ] {
        let (status, _, stderr) = run(&args);
        assert_eq!(status, 125, "{args:?}");
        assert!(stderr.contains(message), "{stderr}");
    }
    for (args, message) in [
        (["--env", "novalue"], "expected NAME=VALUE"),
        (["--env", "A B=x"], "expected NAME=VALUE, NAME of letters"),
        (["--cwd", "tmp"], "expected an absolute path"),
        (["--mount", "/tmp::tmp"], "GUEST an absolute path"),
    ] {
        let (status, _, stderr) = run(&[&["bash"], &args[..], &["-c", "true"]].concat());
        assert!(status == 2 && stderr.contains(message), "{stderr}");
    }
}

/// A program of somebody else's: it knows WASI and nothing of us.
const HELLO: &str = r#"(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\08\00\00\00\06\00\00\00hello\n")
  (func (export "_start") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 32)))))"#;

#[test]
fn a_wasm_file_is_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let tool = folder.path().join("tool.wasm");
    std::fs::write(&tool, wat::parse_str(HELLO).unwrap()).unwrap();
    let work = folder.path().to_str().unwrap();
    let script = "./tool.wasm; echo $?; chmod +x tool.wasm; ./tool.wasm | wc -c; PATH=.:$PATH; tool.wasm";
    let (status, stdout, stderr) = run(&["bash", "--workspace", work, "-c", script]);
    assert_eq!((status, stdout.as_str()), (0, "126\n6\nhello\n"), "{stderr}");
    assert_eq!(run(&["wasm", tool.to_str().unwrap()]), (0, "hello\n".into(), String::new()));
}

#[test]
fn broken_wasm_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [("empty", &b"\0asm\x01\0\0\0"[..]), ("cut", b"\0asm"), ("junk", b"\0asm\x01\0\0\0\xff\xff\xff")]
    {
        let path = folder.path().join(format!("{name}.wasm"));
        std::fs::write(&path, bytes).unwrap();
        let (status, _, stderr) = run(&["wasm", path.to_str().unwrap()]);
        assert!(status == 125 && stderr.contains("cannot be run"), "{name}: {status} {stderr}");
    }
}
