//! The network options of the command line, with a server on this machine.

#[path = "common/server.rs"]
mod server;

use server::server;
use std::process::{Command, Stdio};

fn run(args: &[&str], env: &[(&str, &str)]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_capsule"));
    let output = command.args(args).envs(env.iter().copied()).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_network_is_off_unless_hosts_are_named() {
    let address = server();
    let script = format!("curl -s http://{address}/x");
    let (status, stdout, stderr) = run(&["bash", "-c", &script], &[("http_proxy", &format!("http://{address}"))]);
    assert_eq!((status, stdout.as_str()), (6, ""));
    assert_eq!(stderr, "curl: (6) network is off for this session (allow it with --allow-net HOST)\n");
    let (status, stdout, stderr) = run(&["bash", "--allow-net", &address, "-c", &script], &[]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with("GET /x HTTP/1.1\r\n"), "{stdout}");
    let (_, stdout, _) = run(&["bash", "--allow-net", &format!("a.example,{address}"), "--json", "-c", &script], &[]);
    let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(answer["network"][0]["url"], format!("http://{address}/x"));
    assert_eq!(answer["network"][0]["status"], 200);
}

#[test]
fn secrets_are_placeholders_inside() {
    let address = server();
    let script = format!("echo $KEY; curl -s -H \"X-Key: $KEY\" http://{address}/ | grep X-Key | grep -o hidden");
    let secret = format!("KEY@http://{address}");
    let args = ["bash", "--allow-net", &address, "--secret", &secret, "-c", &script];
    let (_, stdout, _) = run(&args, &[("KEY", "hidden")]);
    assert_eq!(stdout, "__CAPSULE_SECRET_KEY__\nhidden\n", "the server of this test tells what it was sent");
    let (status, _, stderr) = run(&args, &[]);
    assert_eq!(
        (status, stderr.as_str()),
        (125, "capsule: the secret KEY is not in the environment: environment variable not found\n")
    );
}

#[test]
fn what_is_no_policy_is_an_error() {
    for entry in ["127.1", "ftp://x.example", "*x.example", "x.example/path", "a b"] {
        let (status, _, stderr) = run(&["bash", "--allow-net", entry, "-c", "true"], &[]);
        assert_eq!(status, 125, "{entry}");
        assert!(stderr.contains("the network policy has"), "{entry}: {stderr}");
    }
    let (status, _, stderr) = run(&["bash", "--secret", "K=v@x.example", "-c", "true"], &[]);
    assert_ne!(status, 0, "{stderr}");
}
