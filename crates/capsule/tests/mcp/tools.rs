//! What each tool answers.

use crate::client::Client;
use serde_json::{Value, json};

/// The answer as text, which must be the same as the structured one.
fn parsed(result: &Value) -> Value {
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("{\n  \""), "pretty: {text}");
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(value, result["structuredContent"]);
    value
}

#[test]
fn the_example_of_the_documents() {
    let mut client = Client::greeted(&[]);
    let result = client.call("run", json!({ "command": "mkdir src && touch src/index.ts" }));
    let answer = parsed(&result);
    assert_eq!(answer["diff"], json!({ "created": ["src", "src/index.ts"], "modified": [], "deleted": [] }));
    assert_eq!((&answer["exitCode"], &answer["stdout"], &answer["stderr"]), (&json!(0), &json!(""), &json!("")));
    assert_eq!(answer["state"], json!({ "cwd": "/workspace", "env": {} }));
    assert_eq!(result["isError"], false);
}

#[test]
fn a_session_goes_on_from_call_to_call() {
    let mut client = Client::greeted(&[]);
    let mut run =
        |command: &str| parsed(&client.call("run", json!({ "command": command, "session_id": "custom_session" })));
    assert_eq!(run("mkdir -p /data && cd /data")["state"]["cwd"], "/data");
    let script =
        "echo 'nums = [x for x in [1, 2, 3, []] if isinstance(x, int)]\nprint(sum(nums) / len(nums))' > avg.py";
    assert_eq!(run(script)["diff"]["created"], json!(["/data/avg.py"]));
    assert_eq!(run("python3 avg.py")["stdout"], "2.0\n");
    assert_eq!(run("export A=1; f() { echo f; }; x=2")["state"]["env"], json!({ "A": "1" }));
    assert_eq!(run("f; echo $x$A")["stdout"], "f\n21\n");
}

#[test]
fn sessions_do_not_see_each_other() {
    let mut client = Client::greeted(&[]);
    assert_eq!(client.call("sessions", json!({}))["structuredContent"], json!({ "sessions": [] }));
    for id in ["default", "a", "../a", "a/b", "ä", ""] {
        let result = client.call("run", json!({ "command": "ls; echo \"[$x]\"; touch mine; x=1", "session_id": id }));
        assert_eq!(result["structuredContent"]["stdout"], "[]\n", "{id}");
    }
    let sessions = client.call("sessions", json!({}));
    assert_eq!(parsed(&sessions), json!({ "sessions": ["", "../a", "a", "a/b", "default", "ä"] }));
}

#[test]
fn reset_brings_back_the_beginning() {
    let mut client = Client::greeted(&["--env", "KEPT=1"]);
    client.run("touch a; cd /tmp; x=1; export KEPT=2");
    let result = client.call("reset", json!({}));
    assert_eq!(parsed(&result), json!({ "ok": true, "session_id": "default" }));
    assert_eq!(client.run("ls; pwd; echo \"$x$KEPT\"")["stdout"], "/workspace\n1\n");
    let other = client.call("reset", json!({ "session_id": "other" }));
    assert_eq!(parsed(&other), json!({ "ok": true, "session_id": "other" }));
}

#[test]
fn a_failure_is_an_error_with_the_whole_answer() {
    let mut client = Client::greeted(&[]);
    let result = client.call("run", json!({ "command": "echo out; echo err >&2; exit 3" }));
    let answer = parsed(&result);
    assert_eq!(result["isError"], true);
    assert_eq!(
        (&answer["exitCode"], &answer["stdout"], &answer["stderr"]),
        (&json!(3), &json!("out\n"), &json!("err\n"))
    );
}

#[test]
fn input_and_time() {
    let mut client = Client::greeted(&[]);
    let result = client.call("run", json!({ "command": "tr a-z A-Z", "stdin": "hällo\n" }));
    assert_eq!(result["structuredContent"]["stdout"], "HäLLO\n");
    let result = client.call("run", json!({ "command": "x=2; while :; do :; done", "timeout_ms": 200 }));
    let answer = parsed(&result);
    assert_eq!((&answer["exitCode"], &result["isError"]), (&json!(137), &json!(true)));
    assert!(answer["limit"][0].as_str().unwrap().contains("the timeout of 200ms"), "{answer}");
    client.still_works();
}

#[test]
fn bytes_that_are_no_text_come_through() {
    let mut client = Client::greeted(&[]);
    let answer = client.run("printf 'a\\377\\0b'");
    assert_eq!(answer["stdout"], "a\u{fffd}\0b");
    assert_eq!(answer["stdoutBase64"], "Yf8AYg==");
}

#[test]
fn files_are_written_and_read() {
    let mut client = Client::greeted(&[]);
    let text = "it's \"quoted\" $HOME `x` \\ ü\n";
    let written = client.call("write_file", json!({ "path": "deep/er/a.txt", "content": text }));
    assert_eq!(parsed(&written), json!({ "ok": true, "path": "deep/er/a.txt", "size": text.len() }));
    assert_eq!(client.run("cat /workspace/deep/er/a.txt")["stdout"], text);
    let read = client.call("read_file", json!({ "path": "/workspace/deep/er/a.txt" }));
    let expected =
        json!({ "path": "/workspace/deep/er/a.txt", "content": text, "encoding": "utf-8", "size": text.len() });
    assert_eq!(parsed(&read), expected);

    let bytes = json!({ "path": "b", "content": "AP8=", "encoding": "base64" });
    assert_eq!(client.call("write_file", bytes)["isError"], false);
    assert_eq!(client.run("od -An -tx1 b")["stdout"], " 00 ff\n");
    let read = client.call("read_file", json!({ "path": "b" }));
    assert_eq!(read["structuredContent"]["content"], "AP8=");
    assert_eq!(read["structuredContent"]["encoding"], "base64");
}

#[test]
fn files_that_cannot_be_had_are_errors_of_the_tool() {
    let mut client = Client::greeted(&[]);
    client.run("mkdir d; head -c 1100000 /dev/zero > big");
    for (path, why) in [("none", "No such file"), ("d", "directory"), ("big", "1100000 bytes"), ("/dev/zero", "nvalid")]
    {
        let result = client.call("read_file", json!({ "path": path }));
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(result["isError"], true, "{path}");
        assert!(text.contains(why), "{path}: {text}");
    }
    let result = client.call("write_file", json!({ "path": "d", "content": "" }));
    assert_eq!(result["isError"], true);
}

#[test]
fn tools_can_be_left_out() {
    let mut client = Client::greeted(&["--tools", "run,reset,sessions"]);
    let tools = client.request("tools/list", json!({}));
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["run", "reset", "sessions"]);
    let (code, message) = client.refused("tools/call", json!({ "name": "read_file", "arguments": { "path": "x" } }));
    assert_eq!((code, message.contains("there is no tool 'read_file'")), (-32602, true), "{message}");
}

#[test]
fn sessions_are_made_with_the_options_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.txt"), "from the host\n").unwrap();
    let mount = format!("{}::/data:ro", folder.path().display());
    let mut client =
        Client::greeted(&["--mount", &mount, "--env", "NAME=value", "--limit", "answer=1K", "--cwd", "/tmp"]);
    let answer = client.run("cat /data/in.txt; echo $NAME; pwd; touch /data/x 2>/dev/null || echo read-only");
    assert_eq!(answer["stdout"], "from the host\nvalue\n/tmp\nread-only\n");
    let answer = client.run("seq 10000");
    assert_eq!(answer["truncated"], true);
}

#[test]
fn a_fork_goes_its_own_way() {
    let mut client = Client::greeted(&[]);
    client.run("echo one > a; x=1; cd /tmp");
    let forked = client.call("fork", json!({ "new_session_id": "copy" }));
    assert_eq!(parsed(&forked), json!({ "ok": true, "session_id": "default", "new_session_id": "copy" }));
    let script = "pwd; echo $x; cat /workspace/a; echo two > /workspace/a; x=2";
    let copy = client.call("run", json!({ "command": script, "session_id": "copy" }));
    assert_eq!(copy["structuredContent"]["stdout"], "/tmp\n1\none\n");
    assert_eq!(client.run("echo $x; cat /workspace/a")["stdout"], "1\none\n");
    let again = client.call("fork", json!({ "new_session_id": "copy" }));
    assert_eq!(again["isError"], true);
    assert!(again["content"][0]["text"].as_str().unwrap().contains("exists already"), "{again}");
    let nobody = client.call("fork", json!({ "session_id": "nobody", "new_session_id": "x" }));
    assert_eq!(nobody["isError"], true);
    assert!(nobody["content"][0]["text"].as_str().unwrap().contains("there is no session 'nobody'"), "{nobody}");
    assert_eq!(client.call("sessions", json!({}))["structuredContent"], json!({ "sessions": ["copy", "default"] }));
}

#[test]
fn undo_takes_back_the_last_step() {
    let mut client = Client::greeted(&[]);
    client.run("echo one > a; x=1");
    client.run("echo two > a; x=2; cd /tmp");
    let undone = client.call("undo", json!({}));
    let state = json!({ "cwd": "/workspace", "env": {} });
    assert_eq!(parsed(&undone), json!({ "ok": true, "session_id": "default", "state": state }));
    assert_eq!(client.run("pwd; echo $x; cat a")["stdout"], "/workspace\n1\none\n");
    client.call("reset", json!({}));
    assert_eq!(client.call("undo", json!({}))["isError"], false);
    assert_eq!(client.run("cat a")["stdout"], "one\n");
    let nothing = client.call("undo", json!({ "session_id": "fresh" }));
    assert_eq!(nothing["isError"], true, "{nothing}");
}

#[test]
fn sessions_can_outlive_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--sessions", folder.path().to_str().unwrap()];
    let mut client = Client::greeted(&args);
    client.run("echo kept > a; x=1; cd /tmp");
    assert!(client.hang_up().success());
    let mut client = Client::greeted(&args);
    assert_eq!(client.call("sessions", json!({}))["structuredContent"], json!({ "sessions": ["default"] }));
    assert_eq!(client.run("pwd; echo $x; cat /workspace/a")["stdout"], "/tmp\n1\nkept\n");
}

#[test]
fn a_diff_can_tell_what_changed_in_the_files() {
    let mut client = Client::greeted(&[]);
    client.run("echo one > a");
    let asked = json!({ "command": "echo two >> a; printf '\\377' > b", "diff": "contents" });
    let diff = parsed(&client.call("run", asked))["diff"].clone();
    assert_eq!((&diff["created"], &diff["modified"]), (&json!(["b"]), &json!(["a"])));
    let file = |path: &str| diff["contents"].as_array().unwrap().iter().find(|file| file["path"] == path).unwrap();
    assert!(file("a")["text"].as_str().unwrap().contains(" one\n+two\n"), "{diff}");
    assert_eq!((&file("b")["change"], &file("b")["after"]["size"]), (&json!("created"), &json!(1)));
    // Nobody who did not ask is told.
    assert!(client.run("echo three > a")["diff"].get("contents").is_none());
}

#[test]
fn each_session_has_a_folder_of_its_own_on_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::greeted(&["--workspace", folder.path().to_str().unwrap()]);
    for id in ["a", "../a"] {
        let result = client.call("run", json!({ "command": "ls; echo hi > file", "session_id": id }));
        assert_eq!(result["structuredContent"]["stdout"], "", "{id}");
    }
    let mut found: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|workspace| workspace.join("file").is_file());
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_long_list_of_files_is_cut_and_says_where_the_rest_is() {
    let mut client = Client::greeted(&[]);
    let answer = client.run("touch file-{00001..20000}");
    let listed = answer["diff"]["created"].as_array().unwrap().len() as u64;
    assert!(listed > 1000 && answer.to_string().len() < 100_000, "{listed}");
    assert_eq!(answer["diff"]["omitted"]["created"], 20_000 - listed);
    assert_eq!(answer["truncated"], true);
    let notice = answer["limit"][0].as_str().unwrap();
    assert!(notice.contains("the answer limit of 64 KiB") && notice.contains("/run/output/diff.json"), "{notice}");
    assert_eq!(client.run("jq '.created | length' /run/output/diff.json")["stdout"], "20000\n");
}

/// A model reads all of an answer: what is too long for it is in a file.
#[test]
fn long_output_is_cut_and_says_where_the_rest_is() {
    let mut client = Client::greeted(&[]);
    let answer = client.run("seq 100000");
    assert_eq!((answer["stdout"].as_str().unwrap().len(), &answer["truncated"]), (64 << 10, &json!(true)));
    assert!(answer["limit"][0].as_str().unwrap().contains("all of it is in /run/output/stdout"), "{answer:.300}");
    assert_eq!(client.run("tail -n 1 /run/output/stdout")["stdout"], "100000\n");
    let mut client = Client::greeted(&["--limit", "answer=1M"]);
    assert!(client.run("seq 100000").get("truncated").is_none());
}

#[test]
fn calls_of_one_session_are_done_in_the_order_in_which_they_came() {
    let mut client = Client::greeted(&[]);
    let mut ids = Vec::new();
    for i in 0..100 {
        let arguments = json!({ "command": format!("echo {i} >> log"), "session_id": "s" });
        ids.push(client.ask("tools/call", json!({ "name": "run", "arguments": arguments })));
        if i % 10 == 0 {
            let file = json!({ "path": format!("f{i}"), "content": "", "session_id": "s" });
            ids.push(client.ask("tools/call", json!({ "name": "write_file", "arguments": file })));
        }
    }
    ids.iter().for_each(|_| drop(client.next()));
    let result = client.call("run", json!({ "command": "cat log", "session_id": "s" }));
    let expected: String = (0..100).map(|i| format!("{i}\n")).collect();
    assert_eq!(result["structuredContent"]["stdout"], expected);
}
