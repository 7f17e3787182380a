//! The MCP server as a client meets it: a request on its standard input, an answer on its standard output.

use crate::Bench;
use crate::cold;
use crate::report::{Target, median, times};
use anyhow::Context;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Client {
    fn start(capsule: &Path) -> anyhow::Result<Client> {
        let mut child = Command::new(capsule).arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (stdin, stdout) = (child.stdin.take().context("no stdin")?, child.stdout.take().context("no stdout")?);
        let mut client = Client { child, stdin, stdout: BufReader::new(stdout) };
        let client_info = json!({ "name": "bench", "version": "0" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client_info });
        client.request("initialize", &params)?;
        Ok(client)
    }

    fn request(&mut self, method: &str, params: &Value) -> anyhow::Result<String> {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.stdin.write_all(format!("{message}\n").as_bytes())?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(line)
    }

    fn echo(&mut self) -> anyhow::Result<()> {
        let answer = self.request("tools/call", &json!({ "name": "run", "arguments": { "command": "echo hi" } }))?;
        anyhow::ensure!(answer.contains(r#""stdout":"hi\n""#), "{answer}");
        Ok(())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let (warm, first) = ("mcp: run echo hi, over stdio", "mcp: first answer of a new process");
    if bench.wanted(warm) {
        let mut client = Client::start(&cold::capsule()?)?;
        times(50, || client.echo())?;
        let ours = median(times(1000, || client.echo())?);
        let bash = median(times(100, || {
            let mut bash = Command::new("bash");
            bash.args(["--norc", "-c", "echo hi"]).stdout(Stdio::null()).status().map(drop)
        })?);
        bench.report.row(warm, "µs", ours, Some(bash), &[Target::AtMost(1000.0)]);
    }
    if bench.wanted(first) {
        let capsule = cold::capsule()?;
        let rounds = times(20, || Client::start(&capsule)?.echo())?;
        bench.report.row(first, "ms", median(rounds) / 1e3, None, &[Target::AtMost(50.0)]);
    }
    Ok(())
}
