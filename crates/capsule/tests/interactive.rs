//! The interactive shell as a user meets it: tmux types and looks. Nothing here waits for a time: each step waits until
//! the screen shows what it must, and fails when that does not happen.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

struct Tmux {
    socket: String,
    home: tempfile::TempDir,
}

/// None, with a message, where there is no tmux.
fn tmux(name: &str) -> Option<Tmux> {
    if Command::new("tmux").arg("-V").output().is_err() {
        eprintln!("skipped: tmux is not installed (apt-get install tmux)");
        return None;
    }
    let home = tempfile::tempdir().expect("a home");
    Some(Tmux { socket: format!("capsule-{name}-{}", std::process::id()), home })
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]);
    }
}

impl Tmux {
    fn command(&self, args: &[&str]) -> Output {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.socket, "-f", "/dev/null"]).args(args);
        tmux.env("HOME", self.home.path()).env("XDG_STATE_HOME", self.home.path()).env("LC_ALL", "C.UTF-8");
        tmux.output().expect("tmux runs")
    }

    fn start(&self) {
        let shell = format!("{} shell", env!("CARGO_BIN_EXE_capsule"));
        let output = self.command(&["new-session", "-d", "-x", "100", "-y", "40", &shell]);
        assert!(output.status.success(), "{output:?}");
        self.until("/workspace $");
    }

    fn type_line(&self, text: &str) {
        self.command(&["send-keys", "-l", text]);
        self.key("Enter");
    }

    fn key(&self, key: &str) {
        self.command(&["send-keys", key]);
    }

    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.command(&["capture-pane", "-p"]).stdout).into_owned()
    }

    /// Waits until the screen shows this text.
    fn until(&self, text: &str) -> String {
        self.until_that(text, |screen| screen.contains(text))
    }

    fn until_that(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if holds(&screen) {
                return screen;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "waited for {what:?}; the screen shows:\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_sitting() {
    let Some(tmux) = tmux("sitting") else { return };
    tmux.start();
    // What changed is told after each command; state stays.
    tmux.type_line("mkdir src && cd src && touch a b");
    tmux.until("+3 ~0 -0");
    tmux.until("/workspace/src $");
    tmux.type_line("x=41; echo $((x + 1))");
    tmux.until("\n42\n");
    // A status that is not 0 stands in the prompt.
    tmux.type_line("(exit 3)");
    tmux.until("[3] /workspace/src $");
    // An open construct goes on in the next line.
    tmux.type_line("for i in one two; do");
    tmux.until("\n>");
    tmux.type_line("echo turn-$i; done");
    tmux.until("\nturn-one\nturn-two\n");
    // History.
    tmux.type_line("echo $x-again");
    tmux.until("\n41-again\n");
    tmux.key("Up");
    tmux.key("Enter");
    tmux.until_that("the line from the history", |screen| screen.matches("\n41-again\n").count() == 2);
    // The timeline, and taking back.
    tmux.type_line(":diff");
    tmux.until("+ src/a");
    tmux.type_line("rm a; x=0");
    tmux.until("+0 ~0 -1");
    tmux.type_line(":undo");
    tmux.until("taken back");
    tmux.type_line("ls; echo x is $x");
    tmux.until("\na\nb\nx is 41\n");
}

#[test]
fn interrupt_and_input() {
    let Some(tmux) = tmux("interrupt") else { return };
    tmux.start();
    // Ctrl-C ends the command, and only it.
    tmux.type_line("echo begun; while :; do :; done");
    tmux.until("\nbegun\n");
    tmux.key("C-c");
    tmux.until("[137] /workspace $");
    // A command can be talked to; what it is not asked for stays for the prompt.
    tmux.type_line("read -r line; echo \"<$line>\"");
    tmux.type_line("hello");
    tmux.until("\n<hello>\n");
    // Completion of a command and of a path.
    tmux.type_line("mkdir -p long-folder-name/inside");
    tmux.until("+2 ~0 -0");
    tmux.command(&["send-keys", "-l", "ls long-f"]);
    tmux.key("Tab");
    tmux.until("ls long-folder-name/");
    tmux.key("Enter");
    tmux.until("\ninside\n");
    // Escapes of a guest do not reach the terminal.
    tmux.type_line(r"printf 'a\033[2Jb\n'");
    tmux.until("\nab\n");
    tmux.key("C-d");
    tmux.until_that("the end", |screen| screen.trim().is_empty() || screen.contains("no server"));
}
