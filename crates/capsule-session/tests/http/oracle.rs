//! Our curl beside the machine's, with the same server: each line of `curl.txt` is a script that both run. Where there is
//! no curl the scripts only have to run.

use super::{Server, allow, builder, run};
use std::process::Command;

const CASES: &str = include_str!("curl.txt");

/// What differs by nature: names of this machine's files, times.
fn normal(text: &str, server: &Server) -> String {
    let mut text =
        text.replace(&format!("127.0.0.1:{}", server.port), "SERVER").replace(&server.port.to_string(), "PORT");
    text = text.replace(
        "curl: try 'curl --help' or 'curl --manual' for more information",
        "curl: try 'curl --help' for more information",
    );
    // `after 12 ms`, `after 301 milliseconds`
    let words: Vec<&str> = text.split(' ').collect();
    let mut out: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let time = at > 0 && words[at - 1] == "after" && word.chars().all(|c| c.is_ascii_digit());
        out.push(if time { "N".into() } else { (*word).to_owned() });
    }
    out.join(" ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_curl_does_what_curl_does() {
    let server = Server::start().await;
    let has_curl = Command::new("curl").arg("--version").output().is_ok_and(|o| o.status.success());
    if !has_curl {
        eprintln!("skipped: there is no curl on this machine to compare with");
        return;
    }
    let mut failures = Vec::new();
    for case in CASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let folder = tempfile::tempdir().unwrap();
        let script = case.to_owned();
        let (url, place) = (server.url(""), folder.path().to_owned());
        let theirs = tokio::task::spawn_blocking(move || {
            let mut bash = Command::new("bash");
            bash.args(["-c", &script]).current_dir(place).env_clear().env("PATH", "/usr/bin:/bin").env("U", url);
            bash.output().unwrap()
        })
        .await
        .unwrap();
        let bash = builder(allow(["127.0.0.1"])).build().unwrap();
        let ours = run(&bash, &server, case).await;
        let text = |bytes: &[u8]| normal(&String::from_utf8_lossy(bytes), &server);
        let want = (text(&theirs.stdout), text(&theirs.stderr), theirs.status.code());
        let got = (normal(&ours.stdout, &server), normal(&ours.stderr, &server), Some(ours.exit_code));
        if got != want {
            failures.push(format!("{case}\n  got  {got:?}\n  want {want:?}"));
        }
    }
    assert!(failures.is_empty(), "{} cases differ:\n{}", failures.len(), failures.join("\n"));
}
