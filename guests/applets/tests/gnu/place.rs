//! Where a case runs: in a folder of the machine, on a small disk that is made of one, or in a sandbox.

use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Whose commands a case runs with.
pub enum Whose {
    Machine,
    /// Ours, built for this machine: where they are found.
    Native(String),
    /// Ours, in a sandbox of this `capsule`.
    Sandbox(PathBuf),
}

/// What a case asks of the place it runs at.
#[derive(Clone, Default)]
pub struct Place {
    pub user: Option<u32>,
    /// The size of the file system that the folder is; empty for the one it lies on.
    pub disk: String,
}

/// Where the machine's own tools are.
const MACHINE: &str = "/usr/bin:/bin";

/// How the entries of a folder are listed.
const LIST: [&str; 3] = [".", "-printf", "%y %M %s %n %P %l\n"];

/// A case that hangs ends with the status of `timeout` instead of holding up the rest.
const BOUNDED: [&str; 6] = ["/usr/bin/timeout", "-k", "1", "60", "/bin/bash", "-c"];

/// Makes a small disk that nobody else sees of the folder it starts in, runs a script there, and lists what is left.
const ON_SMALL_DISK: &str = r#"mount -t tmpfs -o size="$1" small . && cd "$PWD" || exit 125
env --default-signal PATH="$PATH_OF_CASE" "${@:7}" "$2"; status=$?
find "${@:4:3}" >"$3"; exit $status"#;

/// Runs a script in the workspace of a sandbox, and lists what is left on a folder of the machine.
const IN_SANDBOX: &str = r#"/bin/bash -c "$1"; status=$?
cd /workspace; find "${@:2}" >/outside/listing; exit $status"#;

/// A shell in a namespace where it may mount.
fn alone() -> Command {
    let mut command = Command::new("/usr/bin/unshare");
    command.args(["--map-root-user", "--mount", "/bin/bash", "-c"]);
    command
}

pub fn can_mount() -> bool {
    let mut mount = alone();
    mount.args(["cd /tmp && mount -t tmpfs -o size=100k small ."]).env("PATH", MACHINE).stderr(Stdio::null());
    mount.status().is_ok_and(|status| status.success())
}

/// What came of a script in an empty folder: status, output, messages, and the files it left.
pub fn answer(script: &str, cwd: &Path, whose: &Whose, place: &Place) -> String {
    empty(cwd);
    let outside = cwd.with_file_name("outside");
    empty(&outside);
    let listing = outside.join("listing");
    let mut command = match whose {
        Whose::Machine => natively(script, cwd, MACHINE, place, &listing),
        Whose::Native(path) => natively(script, cwd, path, place, &listing),
        Whose::Sandbox(capsule) => in_sandbox(capsule, script, &outside),
    };
    let output = command.current_dir(cwd).stdin(Stdio::null()).output().expect("a shell");
    if !listing.exists() {
        let list = Command::new("/usr/bin/find").args(LIST).current_dir(cwd).output().expect("find");
        fs::write(&listing, list.stdout).expect("the list of what a case left");
    }
    let listed = fs::read(&listing).expect("the list of what a case left");
    // The size of a directory is the file system's affair.
    let mut entries: Vec<_> = String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect();
    entries.retain(|entry| !entry.starts_with('d'));
    entries.sort();
    let answer = format!(
        "status {:?}\n{}---\n{}---\n{}",
        output.status.code(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        entries.join("\n"),
    );
    // Where the case ran is no part of the answer.
    let folder = match whose {
        Whose::Sandbox(_) => "workspace".into(),
        _ => cwd.to_string_lossy(),
    };
    answer.replace(folder.trim_start_matches('/'), "CASE")
}

fn empty(folder: &Path) {
    // The case before may have left what its owner cannot look into.
    if fs::remove_dir_all(folder).is_err() && folder.exists() {
        let _ = Command::new("/usr/bin/chmod").args(["-R", "u+rwX"]).arg(folder).status();
        fs::remove_dir_all(folder).expect("an empty place");
    }
    fs::create_dir_all(folder).expect("folder for a case");
}

fn natively(script: &str, cwd: &Path, path: &str, place: &Place, listing: &Path) -> Command {
    let mut command = match place.disk.as_str() {
        "" => {
            let mut command = Command::new("/usr/bin/env");
            command.arg("--default-signal").args(BOUNDED).arg(script).env_clear().env("PATH", path);
            command
        }
        size => {
            let mut command = alone();
            command.args([ON_SMALL_DISK, "case", size, script]).arg(listing).args(LIST).args(BOUNDED);
            command.env_clear().envs([("PATH", MACHINE), ("PATH_OF_CASE", path)]);
            command
        }
    };
    if let Some(user) = place.user {
        chown(cwd, Some(user), Some(user)).expect("the folder's owner");
        command.uid(user).gid(user);
    }
    command.envs([("LC_ALL", "C"), ("TZ", "UTC0")]);
    command
}

fn in_sandbox(capsule: &Path, script: &str, outside: &Path) -> Command {
    let mut command = Command::new(capsule);
    command.args(["bash", "--limit", "wall=60s", "--mount", &format!("{}::/outside", outside.display())]);
    for variable in [&format!("PATH={MACHINE}"), "LC_ALL=C", "TZ=UTC0"] {
        command.args(["--env", variable]);
    }
    command.args(["-c", IN_SANDBOX, "case", script]).args(LIST);
    command
}
