//! Runs that do not come to their end: cancelled, out of time, nobody there any more. And what they say until then.

use crate::client::Client;
use serde_json::{Value, json};

fn call(command: &str, meta: Value) -> Value {
    json!({ "name": "run", "arguments": { "command": command }, "_meta": meta })
}

/// Waits until the run has printed something.
fn first_progress(client: &mut Client) -> Value {
    loop {
        let message = client.next();
        if message["method"] == "notifications/progress" {
            return message;
        }
    }
}

#[test]
fn output_is_told_while_the_run_goes_on() {
    let mut client = Client::greeted(&[]);
    let id =
        client.ask("tools/call", call("echo one; sleep 0.5; echo two; sleep 0.5", json!({ "progressToken": "p" })));
    let progress = first_progress(&mut client);
    assert_eq!(progress["params"]["progressToken"], "p");
    assert_eq!((&progress["params"]["message"], &progress["params"]["progress"]), (&json!("one\n"), &json!(4.0)));
    let answer = client.answer(id);
    assert_eq!(answer["result"]["structuredContent"]["stdout"], "one\ntwo\n");
    let told: Vec<&Value> = client.notifications.iter().map(|n| &n["params"]["message"]).collect();
    assert_eq!(told, [&json!("two\n")]);
}

#[test]
fn nobody_who_did_not_ask_is_told() {
    let mut client = Client::greeted(&[]);
    client.run("echo one; sleep 0.3; echo two");
    assert_eq!(client.notifications, Vec::<Value>::new());
}

#[test]
fn a_flood_of_output_is_told_in_bounded_pieces() {
    let mut client = Client::greeted(&["--limit", "answer=1K"]);
    let id = client.ask("tools/call", call("timeout 1 yes; true", json!({ "progressToken": 1 })));
    client.answer(id);
    assert!(client.notifications.len() < 30, "{}", client.notifications.len());
    assert!(client.notifications.iter().all(|n| n["params"]["message"].as_str().unwrap().len() < 40_000));
}

#[test]
fn a_cancelled_run_is_killed_and_its_session_goes_on() {
    let mut client = Client::greeted(&[]);
    client.run("kept=1");
    let id = client.ask(
        "tools/call",
        call("kept=2; echo started; touch file; while :; do :; done", json!({ "progressToken": 1 })),
    );
    first_progress(&mut client);
    client.notify("notifications/cancelled", json!({ "requestId": id, "reason": "enough" }));
    // The run that waits for its turn gets it: the loop is dead. Its files stay, its variables do not.
    let answer = client.run("echo $kept; ls");
    assert_eq!(answer["stdout"], "1\nfile\n");
    // Nothing was sent for the cancelled request.
    assert_eq!(client.notifications, Vec::<Value>::new());
}

#[test]
fn a_request_cancelled_in_the_queue_changes_nothing() {
    let mut client = Client::greeted(&[]);
    let first = client.ask("tools/call", call("echo started; sleep 1", json!({ "progressToken": 1 })));
    first_progress(&mut client);
    let second = client.ask("tools/call", call("touch never", Value::Null));
    client.notify("notifications/cancelled", json!({ "requestId": second }));
    client.answer(first);
    assert_eq!(client.run("ls")["stdout"], "");
}

#[test]
fn a_client_that_hangs_up_gets_the_answers_it_asked_for() {
    let mut client = Client::greeted(&[]);
    let id = client.ask("tools/call", call("sleep 0.3; echo done", Value::Null));
    let status = {
        client.close_input();
        let answer = client.answer(id);
        assert_eq!(answer["result"]["structuredContent"]["stdout"], "done\n");
        client.hang_up()
    };
    assert!(status.success(), "{status}");
}

#[test]
fn the_server_ends_with_its_client_whatever_runs() {
    let mut client = Client::greeted(&[]);
    client.ask("tools/call", call("echo started; while :; do :; done", json!({ "progressToken": 1 })));
    first_progress(&mut client);
    assert!(client.hang_up().success());
}

#[test]
fn a_client_that_never_speaks() {
    assert!(Client::start(&[]).hang_up().success());
}
