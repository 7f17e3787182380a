//! Both eras of the protocol, and what can be listed.

use crate::client::{Client, error};
use serde_json::{Value, json};

#[test]
fn the_handshake_agrees_on_a_version() {
    for version in ["2025-06-18", "2025-11-25", "2025-03-26"] {
        let mut client = Client::start(&[]);
        let answer = client.initialize(version);
        assert_eq!(answer["result"]["protocolVersion"], version);
        client.still_works();
    }
    let mut client = Client::start(&[]);
    assert_eq!(client.initialize("1999-01-01")["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn the_server_introduces_itself_in_ten_lines() {
    let mut client = Client::start(&[]);
    let answer = client.initialize("2025-11-25");
    let result = &answer["result"];
    assert_eq!(result["instructions"].as_str().unwrap().lines().count(), 10);
    for capability in ["tools", "resources", "prompts"] {
        assert!(result["capabilities"][capability].is_object(), "{capability}");
    }
}

fn modern() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn the_era_without_handshake() {
    let mut client = Client::start(&[]);
    let discovered = client.request("server/discover", json!({ "_meta": modern() }));
    let versions = discovered["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{discovered}");

    let tools = client.request("tools/list", json!({ "_meta": modern() }));
    assert_eq!(tools["result"]["tools"][0]["name"], "run");
    assert_eq!(tools["result"]["resultType"], "complete");

    let params = json!({ "name": "run", "arguments": { "command": "x=1; echo hi" }, "_meta": modern() });
    let answer = client.request("tools/call", params);
    assert_eq!(answer["result"]["structuredContent"]["stdout"], "hi\n", "{answer}");
    let params = json!({ "name": "run", "arguments": { "command": "echo $x" }, "_meta": modern() });
    assert_eq!(client.request("tools/call", params)["result"]["structuredContent"]["stdout"], "1\n");

    // Every request of this era says what it speaks.
    let (code, message) = client.refused("tools/list", json!({}));
    assert_eq!(code, -32602, "{message}");
}

#[test]
fn the_tools_are_exactly_these() {
    let mut client = Client::greeted(&[]);
    let answer = client.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let run = &tools[0];
    assert_eq!(run["inputSchema"]["required"], json!(["command"]));
    assert_eq!(run["inputSchema"]["properties"]["session_id"]["default"], "default");
    assert_eq!(run["inputSchema"]["properties"]["diff"]["enum"], json!(["paths", "contents"]));
    let hints = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]
            .map(|hint| tool["annotations"][hint].as_bool().unwrap())
    };
    assert_eq!(hints("run"), [false, true, false, false]);
    assert_eq!(hints("reset"), [false, true, true, false]);
    assert_eq!(hints("sessions"), [true, false, true, false]);
    assert_eq!(hints("fork"), [false, false, false, false]);
    assert_eq!(hints("undo"), [false, true, false, false]);
    assert_eq!(hints("read_file"), [true, false, true, false]);
    assert_eq!(hints("write_file"), [false, true, true, false]);
}

#[test]
fn the_prompt_explains_the_sandbox() {
    let mut client = Client::greeted(&[]);
    let list = client.request("prompts/list", json!({}));
    assert_eq!(list["result"]["prompts"][0]["name"], "sandbox");
    let prompt = client.request("prompts/get", json!({ "name": "sandbox", "arguments": { "task": "count to ten" } }));
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("/workspace") && text.contains("count to ten"), "{text}");
    assert_eq!(client.refused("prompts/get", json!({ "name": "none" })).0, -32602);
    assert_eq!(client.refused("prompts/get", json!({ "name": "sandbox", "arguments": { "task": 1 } })).0, -32602);
}

#[test]
fn files_are_resources() {
    let mut client = Client::greeted(&[]);
    client.run("mkdir 'a b'; echo text > 'a b/ü.txt'; printf '\\377' > bin; ln -s bin link");
    let list = client.request("resources/list", json!({}));
    let resources = list["result"]["resources"].as_array().unwrap();
    let uris: Vec<&str> = resources.iter().map(|resource| resource["uri"].as_str().unwrap()).collect();
    assert_eq!(
        uris,
        ["capsule://session/default/workspace/a%20b/%C3%BC.txt", "capsule://session/default/workspace/bin"]
    );
    let mut read = |uri: &str| client.request("resources/read", json!({ "uri": uri }));
    assert_eq!(read(uris[0])["result"]["contents"][0]["text"], "text\n");
    assert_eq!(read(uris[1])["result"]["contents"][0]["blob"], "/w==");
    assert_eq!(read("capsule://session/default/workspace")["result"]["contents"][0]["text"], "a b/\nbin\nlink\n");
    for uri in [
        "capsule://session/default/none",
        "capsule://session/nobody/workspace/bin",
        "capsule://session/default/workspace/../../../../etc/shadow-of-the-host",
        "file:///etc/passwd",
    ] {
        assert_eq!(error(&read(uri)).0, -32002, "{uri}");
    }
    // Looking for a session does not begin one.
    assert_eq!(client.call("sessions", json!({}))["structuredContent"], json!({ "sessions": ["default"] }));
    let templates = client.request("resources/templates/list", json!({}));
    let template = &templates["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(template, "capsule://session/{session_id}/{+path}");
}

#[test]
fn long_lists_have_pages() {
    let mut client = Client::greeted(&[]);
    client.run("mkdir -p d/e 'x y'; touch d/f{1..1500} d/e/g{1..1500} a z $'x y/\\xff'");
    client.call("run", json!({ "command": "touch other", "session_id": "s/2" }));
    let (mut cursor, mut pages, mut uris) = (Value::Null, Vec::new(), Vec::new());
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let answer = client.request("resources/list", params);
        let resources = answer["result"]["resources"].as_array().unwrap();
        pages.push(resources.len());
        uris.extend(resources.iter().map(|resource| resource["uri"].as_str().unwrap().to_owned()));
        cursor = answer["result"]["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
        // Whatever becomes of the last file of a page, the next page begins behind it.
        if pages.len() == 2 {
            let last = uris.last().unwrap().rsplit('/').next().unwrap();
            client.run(&format!("rm d/e/{last}"));
        }
    }
    assert_eq!((pages.len(), pages[0], pages.iter().sum::<usize>()), (16, 200, 3004), "{pages:?}");
    assert_eq!(
        (uris[0].as_str(), uris[3003].as_str()),
        ("capsule://session/default/workspace/a", "capsule://session/s%2F2/workspace/other")
    );
    let distinct: std::collections::BTreeSet<&String> = uris.iter().collect();
    assert_eq!(distinct.len(), uris.len(), "none twice");
    // A name that is no text leads to its file as well.
    assert!(uris.contains(&"capsule://session/default/workspace/x%20y/%FF".to_owned()));
    let read = client.request("resources/read", json!({ "uri": "capsule://session/default/workspace/x%20y/%FF" }));
    assert_eq!(read["result"]["contents"][0]["text"], "", "{read}");
    assert_eq!(client.refused("resources/list", json!({ "cursor": "x" })).0, -32602);
    let far = client.request("resources/list", json!({ "cursor": "capsule://session/zzz/workspace/x" }));
    assert_eq!(far["result"]["resources"], json!([]));
}
