//! Whatever a client may send is answered, and the server goes on.

use crate::client::{Client, error};
use serde_json::{Value, json};

#[test]
fn arguments_that_are_missing_or_wrong_are_named() {
    let mut client = Client::greeted(&[]);
    for (tool, arguments, named) in [
        ("run", json!({}), "missing field `command`"),
        ("run", json!({ "command": 5 }), "command: "),
        ("run", json!({ "command": null }), "command: "),
        ("run", json!({ "command": ["echo"] }), "command: "),
        ("run", json!({ "command": "true", "session_id": 1 }), "session_id: "),
        ("run", json!({ "command": "true", "session_id": "x".repeat(257) }), "session_id: "),
        ("run", json!({ "command": "true", "timeout_ms": -1 }), "timeout_ms: "),
        ("run", json!({ "command": "true", "timeout_ms": 0 }), "timeout_ms: "),
        ("run", json!({ "command": "true", "timeout_ms": "1" }), "timeout_ms: "),
        ("run", json!({ "command": "true", "diff": "all" }), "diff: "),
        ("run", json!({ "command": "true", "comand": "false" }), "unknown field `comand`"),
        ("reset", json!({ "session": "x" }), "unknown field `session`"),
        ("sessions", json!({ "x": 1 }), "unknown field `x`"),
        ("read_file", json!({}), "missing field `path`"),
        ("write_file", json!({ "path": "x" }), "missing field `content`"),
        ("write_file", json!({ "path": "x", "content": "?", "encoding": "base64" }), "not base64"),
        ("nosuchtool", json!({}), "there is no tool 'nosuchtool'"),
    ] {
        let (code, message) = client.refused("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!((code, message.contains(named)), (-32602, true), "{arguments}: {message}");
    }
    client.still_works();
}

#[test]
fn parameters_of_another_shape() {
    let mut client = Client::greeted(&[]);
    for params in [json!(null), json!([]), json!({}), json!({ "name": 1 }), json!({ "name": "run", "arguments": "x" })]
    {
        assert_eq!(client.refused("tools/call", params.clone()).0, -32602, "{params}");
    }
    assert_eq!(client.refused("no/such/method", json!({})).0, -32601);
    assert_eq!(client.refused("resources/read", json!({})).0, -32602);
    client.still_works();
}

#[test]
fn null_is_as_good_as_nothing() {
    let mut client = Client::greeted(&[]);
    let arguments =
        json!({ "command": "echo hi", "session_id": null, "timeout_ms": null, "stdin": null, "diff": null });
    assert_eq!(client.call("run", arguments)["structuredContent"]["stdout"], "hi\n");
}

#[test]
fn lines_that_are_no_messages() {
    let mut client = Client::greeted(&[]);
    for (line, code) in [
        (b"not json".as_slice(), -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", -32700),
        (b"\xff\xfe\x00", -32700),
        (b"{}", -32600),
        (b"[]", -32600),
        (b"17", -32600),
        (b"null", -32600),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
        (b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600),
    ] {
        client.send_line(line);
        let answer = client.next();
        assert_eq!(error(&answer).0, code, "{}: {answer}", String::from_utf8_lossy(line));
    }
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    client.send_line(&deep);
    assert_eq!(error(&client.next()).0, -32700);
    // Nobody waits for an answer to these.
    for line in [b"".as_slice(), b"  \r", b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/none\"}"] {
        client.send_line(line);
    }
    client.notify("notifications/cancelled", json!({ "requestId": 4711 }));
    client.notify("notifications/cancelled", json!({ "requestId": [] }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 4711, "result": {} }));
    client.still_works();
}

#[test]
fn a_message_without_end_is_bounded() {
    let mut client = Client::greeted(&[]);
    let line = |length: usize| {
        let params = json!({ "name": "run", "arguments": { "command": "wc -c", "stdin": "x".repeat(length) } });
        json!({ "jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": params }).to_string()
    };
    client.send_line(line(17 << 20).as_bytes());
    let (code, message) = error(&client.next());
    assert_eq!((code, message.contains("16 MiB")), (-32600, true), "{message}");
    client.send_line(line(15 << 20).as_bytes());
    assert_eq!(client.answer(77)["result"]["structuredContent"]["stdout"], format!("{}\n", 15 << 20));
}

#[test]
fn two_requests_with_one_id() {
    let mut client = Client::greeted(&[]);
    let request = |command: &str| {
        let params = json!({ "name": "run", "arguments": { "command": command } });
        json!({ "jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": params })
    };
    client.send(&request("sleep 0.5; echo first"));
    client.send(&request("echo second"));
    assert_eq!(error(&client.next()).0, -32600);
    let answer = client.next();
    assert_eq!(answer["result"]["structuredContent"]["stdout"], "first\n", "{answer}");
    // Afterwards it is free.
    client.send(&request("echo third"));
    assert_eq!(client.next()["result"]["structuredContent"]["stdout"], "third\n");
}

#[test]
fn before_the_handshake() {
    let mut client = Client::start(&[]);
    client.notify("notifications/initialized", json!({}));
    client.send_line(b"garbage");
    assert_eq!(error(&client.next()).0, -32700);
    client.send(&json!({ "jsonrpc": "2.0", "id": 5, "result": {} }));
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert_eq!(client.refused("tools/list", json!({})).0, -32602);
    assert_eq!(client.refused("initialize", json!({ "protocolVersion": 5 })).0, -32602);
    client.initialize("2025-06-18");
    client.still_works();
}

#[test]
fn hostile_commands_and_ids_are_only_text() {
    let mut client = Client::greeted(&[]);
    for command in ["", "\0", "echo \0 x", "\u{feff}", "'", "$(", "\r\n", &"a".repeat(100_000)] {
        let answer = client.request("tools/call", json!({ "name": "run", "arguments": { "command": command } }));
        assert!(answer["result"]["isError"].is_boolean(), "{command:.20}: {answer}");
    }
    for id in ["\0", "..", "/", "a\nb", &"y".repeat(256)] {
        let result = client.call("run", json!({ "command": "pwd", "session_id": id }));
        assert_eq!(result["structuredContent"]["stdout"], "/workspace\n");
    }
    client.still_works();
}

#[test]
fn many_requests_at_once() {
    let mut client = Client::greeted(&[]);
    let ids: Vec<i64> = (0..200)
        .map(|i| {
            let arguments = json!({ "command": format!("echo {i}"), "session_id": format!("s{}", i % 7) });
            client.ask("tools/call", json!({ "name": "run", "arguments": arguments }))
        })
        .collect();
    let mut answers: Vec<(i64, Value)> =
        ids.iter().map(|_| client.next()).map(|m| (m["id"].as_i64().unwrap(), m)).collect();
    answers.sort_by_key(|(id, _)| *id);
    for (i, (id, answer)) in answers.iter().enumerate() {
        assert_eq!((*id, &answer["result"]["structuredContent"]["stdout"]), (ids[i], &json!(format!("{i}\n"))));
    }
}
