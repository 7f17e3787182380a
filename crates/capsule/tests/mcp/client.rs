//! A client that sends lines and reads lines.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_capsule"));
    command.arg("mcp").args(args).env_remove("CAPSULE_MCP_TOKEN");
    command
}

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    last_id: i64,
    /// Notifications that came while an answer was waited for.
    pub notifications: Vec<Value>,
}

impl Client {
    pub fn start(args: &[&str]) -> Client {
        let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.expect("stdout is text");
                // Whatever else is on stdout breaks a client.
                let message = serde_json::from_str(&line).unwrap_or_else(|e| panic!("not a frame ({e}): {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client { stdin: child.stdin.take(), child, lines, last_id: 0, notifications: Vec::new() }
    }

    /// A client that has shaken hands.
    pub fn greeted(args: &[&str]) -> Client {
        let mut client = Client::start(args);
        let answer = client.initialize("2025-11-25");
        assert_eq!(answer["result"]["serverInfo"]["name"], "capsule", "{answer}");
        client
    }

    pub fn initialize(&mut self, version: &str) -> Value {
        let client = json!({ "name": "test", "version": "0" });
        let answer =
            self.request("initialize", json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client }));
        self.notify("notifications/initialized", json!({}));
        answer
    }

    pub fn send_line(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().expect("still open");
        stdin.write_all(line).and_then(|()| stdin.write_all(b"\n")).unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and does not wait; its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message, whatever it is.
    pub fn next(&mut self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("the server answers")
    }

    /// The answer to a request.
    pub fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
            assert!(message.get("id").is_none(), "not the answer to {id}: {message}");
            self.notifications.push(message);
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// What a tool answers.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// What `run` answers, which must not be an error.
    pub fn run(&mut self, command: &str) -> Value {
        let result = self.call("run", json!({ "command": command }));
        assert_eq!(result["isError"], false, "{command}: {result}");
        result["structuredContent"].clone()
    }

    /// The error a request is answered with.
    pub fn refused(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.request(method, params);
        error(&answer)
    }

    /// The server still does what it is for.
    pub fn still_works(&mut self) {
        assert_eq!(self.run("echo alive")["stdout"], "alive\n");
    }

    /// Sends nothing more.
    pub fn close_input(&mut self) {
        drop(self.stdin.take());
    }

    /// Hangs up; how the server ended.
    pub fn hang_up(mut self) -> ExitStatus {
        self.close_input();
        self.child.wait().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn error(answer: &Value) -> (i64, String) {
    let error = answer.get("error").unwrap_or_else(|| panic!("not an error: {answer}"));
    (error["code"].as_i64().unwrap(), error["message"].as_str().unwrap().to_owned())
}
