//! The server over HTTP, and who is let in.

use crate::client::command;
use crate::web::{Web, initialize};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};

#[test]
fn a_session_over_http() {
    let web = Web::start(&[]).greeted();
    assert_eq!(
        web.call("run", json!({ "command": "x=1; touch a" }))["structuredContent"]["diff"]["created"],
        json!(["a"])
    );
    assert_eq!(web.call("run", json!({ "command": "echo $x" }))["structuredContent"]["stdout"], "1\n");
    let failed = web.call("run", json!({ "command": "exit 4" }));
    assert_eq!((&failed["isError"], &failed["structuredContent"]["exitCode"]), (&json!(true), &json!(4)));
}

/// What a request of the era without sessions has in its head.
const STATELESS: [(&str, &str); 3] =
    [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "run")];

fn stateless(command: &str) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
        "progressToken": 1,
    });
    let params = json!({ "name": "run", "arguments": { "command": command }, "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

#[test]
fn the_era_without_sessions() {
    let web = Web::start(&[]);
    let response = web.post(&stateless("x=1; echo hi"), &STATELESS);
    assert_eq!(response.status, 200, "{}", response.body);
    assert_eq!(response.message()["result"]["structuredContent"]["stdout"], "hi\n");
    let answer = web.post(&stateless("echo $x"), &STATELESS).message();
    assert_eq!(answer["result"]["structuredContent"]["stdout"], "1\n");
}

#[test]
fn a_client_that_hangs_up_cancels_its_run() {
    // Nothing but the cancellation ends the loop within the patience of this test.
    let web = Web::start(&["--limit", "wall=1h"]);
    let endless = "touch file; echo started; while :; do :; done";
    let stream = web.open("POST", "/mcp", &STATELESS, &stateless(endless).to_string());
    let started = BufReader::new(&stream).lines().map(|line| line.unwrap()).any(|line| line.contains("started"));
    assert!(started, "it ended before it began");
    drop(stream);
    let answer = web.post(&stateless("ls"), &STATELESS).message();
    assert_eq!(answer["result"]["structuredContent"]["stdout"], "file\n");
}

#[test]
fn other_hosts_and_origins_are_refused() {
    let web = Web::start(&["--allow-host", "box.example.com", "--allow-origin", "https://app.example.com:443"]);
    let status = |header: (&str, &str)| web.post(&initialize(), &[header]).status;
    for (name, value, expected) in [
        ("Host", "evil.example.com", 403),
        ("Host", "evil.example.com:8080", 403),
        ("Host", "127.0.0.1.evil.example.com", 403),
        ("Host", "localhost", 200),
        ("Host", "box.example.com", 200),
        ("Origin", "https://evil.example.com", 403),
        ("Origin", "http://localhost.evil.example.com", 403),
        ("Origin", "null", 403),
        ("Origin", "http://localhost:6274", 200),
        ("Origin", "http://127.0.0.1:1234", 200),
        ("Origin", "https://app.example.com", 200),
        ("Origin", "http://app.example.com", 403),
    ] {
        assert_eq!(status((name, value)), expected, "{name}: {value}");
    }
}

#[test]
fn only_the_token_opens_the_door() {
    let web = Web::start(&["--token", "s3cret"]);
    let status = |headers: &[(&str, &str)]| web.post(&initialize(), headers).status;
    let refused = web.post(&initialize(), &[]);
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some("Bearer")));
    for token in ["Bearer wrong", "Bearer s3cre", "Bearer s3cret2", "Basic s3cret", "s3cret", "Bearer", "Bearer "] {
        assert_eq!(status(&[("Authorization", token)]), 401, "{token}");
    }
    assert_eq!(status(&[("Authorization", "Bearer s3cret")]), 200);
    assert_eq!(status(&[("Authorization", "bearer s3cret")]), 200);
    assert_eq!(status(&[("Authorization", "Bearer s3cret"), ("Authorization", "Bearer wrong")]), 401);
    // Whoever knows the token is held to the other rules still.
    assert_eq!(status(&[("Authorization", "Bearer s3cret"), ("Origin", "https://evil.example.com")]), 403);
}

#[test]
fn an_open_address_without_a_token_is_not_served() {
    let output = command(&["--http", "0.0.0.0:0"]).output().unwrap();
    assert!(!output.status.success());
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("token"), "{stderr}");
}

#[test]
fn bad_requests() {
    let web = Web::start(&[]);
    assert_eq!(web.send("POST", "/", &[], "{}").status, 404);
    assert_eq!(web.send("POST", "/mcp/../etc", &[], "{}").status, 404);
    assert_eq!(web.send("PUT", "/mcp", &[], "{}").status, 405);
    assert_eq!(web.send("POST", "/mcp", &[("Content-Type", "text/plain")], "{}").status, 415);
    assert_eq!(web.send("POST", "/mcp", &[], &"x".repeat(17 << 20)).status, 413);
    for body in ["not json", "{}", "[]", "", "\u{0}"] {
        let status = web.send("POST", "/mcp", &[], body).status;
        assert!((400..500).contains(&status), "{body}: {status}");
    }
    let stranger = [("Mcp-Session-Id", "00000000-0000-0000-0000-000000000000")];
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    assert_eq!(web.post(&list, &stranger).status, 404);
    let web = web.greeted();
    assert_eq!(web.call("run", json!({ "command": "echo alive" }))["structuredContent"]["stdout"], "alive\n");
}
