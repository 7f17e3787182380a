//! Clients made with the official SDKs (tests/clients). `cargo xtask test` installs them; without them this is left out.

use crate::client::command;
use crate::web::Web;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where xtask installs an SDK, if it has.
fn installed(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mcp-clients").join(name);
    if folder.join("installed").is_file() {
        return Some(folder);
    }
    eprintln!("left out: no MCP SDK for {name} in target/mcp-clients (cargo xtask test installs it where it can)");
    None
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients").join(name)
}

/// Runs a client against a server of its own over stdio, then against one over HTTP with a token.
fn succeeds(client: impl Fn() -> Command) {
    let capsule = command(&[]).get_program().to_owned();
    let check = |command: &mut Command| {
        let output = command.env_remove("CAPSULE_MCP_TOKEN").output().unwrap();
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && stdout.trim() == "ok", "{command:?}\n{stdout}\n{stderr}");
    };
    check(client().arg("stdio").arg(capsule));
    let web = Web::start(&["--token", "t0ken"]);
    check(client().arg("http").arg(format!("http://{}/mcp", web.address)).arg("t0ken"));
}

fn python(mode: &'static str) {
    let Some(folder) = installed("python") else { return };
    succeeds(|| {
        let mut python = Command::new("python3");
        python.env("PYTHONPATH", &folder).arg(script("python/client.py")).arg(mode);
        python
    });
}

#[test]
fn python_with_a_handshake() {
    python("legacy");
}

#[test]
fn python_without_a_handshake() {
    python("auto");
}

#[test]
fn node() {
    let Some(folder) = installed("node") else { return };
    // Node looks for packages beside the script.
    let client = folder.join("client.mjs");
    std::fs::copy(script("node/client.mjs"), &client).unwrap();
    succeeds(|| {
        let mut node = Command::new("node");
        node.arg(&client);
        node
    });
}
