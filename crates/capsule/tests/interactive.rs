//! The interactive shell as a user meets it: tmux types and looks. Nothing here waits for a time: each step waits until
//! the screen shows what it must, and fails when that does not happen.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

struct Tmux {
    socket: String,
    home: tempfile::TempDir,
    args: &'static str,
    width: &'static str,
    env: Vec<(&'static str, &'static str)>,
}

/// None, with a message, where there is no tmux.
fn tmux(name: &str) -> Option<Tmux> {
    if Command::new("tmux").arg("-V").output().is_err() {
        eprintln!("skipped: tmux is not installed (apt-get install tmux)");
        return None;
    }
    let home = tempfile::tempdir().expect("a home");
    let socket = format!("capsule-{name}-{}", std::process::id());
    Some(Tmux { socket, home, args: "shell", width: "100", env: Vec::new() })
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]);
    }
}

impl Tmux {
    fn command(&self, args: &[&str]) -> Output {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.socket, "-f", "/dev/null"]).args(args).current_dir(&self.home);
        tmux.env("HOME", self.home.path()).env("XDG_STATE_HOME", self.home.path()).env("LC_ALL", "C.UTF-8");
        // With the home goes the cache: without this every test would compile the shell anew.
        if let Ok(cache) = capsule_engine::cache::default_folder() {
            tmux.env("CAPSULE_CACHE", cache);
        }
        tmux.env_remove("NO_COLOR").envs(self.env.iter().copied());
        tmux.output().expect("tmux runs")
    }

    fn start(&self) {
        self.begin("/workspace $");
    }

    /// Starts it, and waits for its prompt.
    fn begin(&self, prompt: &str) {
        let output = self.command(&["new-session", "-d", "-x", self.width, "-y", "40", &self.shell()]);
        assert!(output.status.success(), "{output:?}");
        self.until(prompt);
    }

    fn shell(&self) -> String {
        format!("{} {}; echo left with $?; exec sleep 1000", env!("CARGO_BIN_EXE_capsule"), self.args)
    }

    /// Ends the first sitting and begins another one.
    fn again(&self) {
        self.until_prompt();
        self.key("C-d");
        self.until("left with");
        // In the same server: one that is just ending would refuse a new session.
        let output = self.command(&["respawn-pane", "-k", &self.shell()]);
        assert!(output.status.success(), "{output:?}");
        self.until("/workspace $");
    }

    /// Types without Enter.
    fn keys(&self, text: &str) {
        self.command(&["send-keys", "-l", text]);
    }

    fn type_line(&self, text: &str) {
        self.keys(text);
        self.key("Enter");
    }

    fn key(&self, key: &str) {
        self.command(&["send-keys", key]);
    }

    /// Pastes text: as a terminal does it for a program that knows of pasting, or as keys that come all at once.
    fn paste(&self, text: &str, bracketed: bool) {
        self.command(&["set-buffer", text]);
        self.command(if bracketed { &["paste-buffer", "-p"] } else { &["paste-buffer"] });
    }

    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.command(&["capture-pane", "-p"]).stdout).into_owned()
    }

    /// With the colours, as escapes.
    fn coloured_screen(&self) -> String {
        String::from_utf8_lossy(&self.command(&["capture-pane", "-p", "-e"]).stdout).into_owned()
    }

    /// Waits until the screen shows this text.
    fn until(&self, text: &str) -> String {
        self.until_that(text, |screen| screen.contains(text))
    }

    /// Waits until the shell reads a line: what is typed while it still tells of the last command may be lost.
    fn until_prompt(&self) {
        self.until_that("a prompt", |screen| screen.trim_end().ends_with('$'));
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
    tmux.until_prompt();
    tmux.type_line(":undo");
    tmux.until("taken back");
    tmux.type_line("ls; echo x is $x");
    tmux.until("\na  b\nx is 41\n");
    // `exit` leaves, wherever it stands, and its status is the shell's.
    tmux.type_line("if true; then exit 7; fi");
    tmux.until("left with 7");
}

#[test]
fn interrupts() {
    let Some(tmux) = tmux("interrupts") else { return };
    tmux.start();
    // Ctrl-C ends the command, and only it: what the shell knew by then it still knows.
    tmux.type_line("x=kept; echo begun; while :; do :; done");
    tmux.until("\nbegun\n");
    tmux.key("C-c");
    tmux.until("[130] /workspace $");
    // What was printed is not told again, however much it was.
    tmux.type_line("seq 300000 | tail -n 200000; (exit 130)");
    let screen = tmux.until("\n300000\n");
    assert!(!screen.contains("limit"), "{screen}");
    tmux.until_that("the prompt after it", |screen| screen.trim_end().ends_with("[130] /workspace $"));
    tmux.type_line("echo $? $x; sleep 1000; echo not this");
    tmux.until("\n130 kept\n");
    tmux.key("C-c");
    tmux.until_that("the third prompt", |screen| screen.matches("[130] /workspace $").count() == 2);
    assert!(!tmux.screen().contains("\nnot this"));
    // A trap gets it; whoever does not listen is killed by the second one.
    tmux.type_line("trap 'echo caught' INT; bash -c 'echo ready; exec sleep 1000'; echo after");
    tmux.until("\nready\n");
    tmux.key("C-c");
    tmux.until("\ncaught\nafter\n");
    tmux.type_line("trap '' INT; echo deaf; while :; do :; done");
    tmux.until("\ndeaf\n");
    tmux.key("C-c");
    tmux.until("Ctrl-C again kills");
    tmux.key("C-c");
    tmux.until("the shell's state is that of the last completed run");
    // In the middle of a line it only leaves the line.
    tmux.keys("echo unfinished");
    tmux.until("echo unfinished");
    tmux.key("C-c");
    tmux.until_that("an empty line", |screen| screen.trim_end().ends_with("unfinished\n[130] /workspace $"));
    tmux.type_line("echo \"go\"on");
    tmux.until("\ngoon\n");
}

#[test]
fn input_of_a_command() {
    let Some(tmux) = tmux("input") else { return };
    tmux.start();
    // A command can be talked to.
    tmux.type_line("echo asks; read -r line; echo \"<$line>\"");
    tmux.until("\nasks\n");
    tmux.type_line("hello");
    tmux.until("\n<hello>\n");
    // A window that changes its size is no end of input, and Ctrl-D is.
    tmux.type_line("echo reads; cat; echo \"cat\" ended");
    tmux.until("\nreads\n");
    tmux.type_line("one");
    tmux.until("\none\none\n");
    tmux.command(&["resize-window", "-x", "90", "-y", "30"]);
    tmux.type_line("two");
    tmux.until("\ntwo\ntwo\n");
    tmux.key("C-d");
    tmux.until("\ncat ended\n");
    // The window as it is now, and the terminal by its name.
    tmux.until_prompt();
    tmux.type_line("stty size; echo $COLUMNS; echo x | { read -r line < /dev/tty; echo \"[$line]\" > /dev/tty; } > f");
    tmux.until(" 90\n90\n");
    tmux.type_line("named");
    tmux.until("\n[named]\n");
    // Programs know that somebody sits there.
    tmux.type_line("python3 -q; echo \"left\" python");
    tmux.until("\n>>>");
    tmux.type_line("6 * 7");
    tmux.until("\n42\n");
    tmux.key("C-d");
    tmux.until("\nleft python\n");
    // What a command does not ask for is there for the prompt.
    tmux.type_line("echo busy; sleep 0.5");
    tmux.until("\nbusy\n");
    tmux.type_line("echo \"typed\" ahead");
    tmux.until("\ntyped ahead\n");
    // A sign of life, which goes away.
    let spins = |screen: &str| screen.contains(['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']);
    tmux.type_line("sleep 4; echo \"slept\"");
    tmux.until_that("a spinner", spins);
    let screen = tmux.until("\nslept\n");
    assert!(!spins(&screen), "{screen}");
}

#[test]
fn keys_that_come_all_at_once() {
    let Some(tmux) = tmux("ahead") else { return };
    tmux.start();
    // Each line is for whoever reads next: the prompt, or a command that asks.
    tmux.paste("echo \"on\"e\nread -r x\nhello\nfor i in 1 2; do\necho $i-$x\ndone\necho \"la\"st\n", false);
    let screen = tmux.until("\nlast\n");
    assert!(screen.contains("\none\n") && screen.contains("\n1-hello\n2-hello\n"), "{screen}");
    // Also what is typed while a command runs that does not ask.
    tmux.type_line("echo busy; sleep 1");
    tmux.until("\nbusy\n");
    tmux.paste("echo \"se\"cond\necho \"thi\"rd\necho \"unfin", false);
    tmux.until("\nthird\n");
    tmux.until_that("the unfinished line", |screen| screen.trim_end().ends_with("$ echo \"unfin"));
    tmux.type_line("ished\"");
    let screen = tmux.until("\nunfinished\n");
    assert!(screen.contains("\nsecond\n"), "{screen}");
    // They are in the history like any others.
    tmux.key("Up");
    tmux.key("Up");
    tmux.until("$ echo \"thi\"rd");
}

#[test]
fn a_paste_of_many_lines_is_one_command() {
    let Some(tmux) = tmux("paste") else { return };
    tmux.start();
    tmux.paste("x=1\nfor i in a b; do\n  echo $i$x\ndone", true);
    // Nothing runs before Enter.
    tmux.until_that("all of it", |screen| screen.trim_end().ends_with("done"));
    assert!(!tmux.screen().contains("~0"), "{}", tmux.screen());
    tmux.key("Enter");
    let screen = tmux.until("\na1\nb1\n");
    assert_eq!(screen.matches("~0").count(), 1, "{screen}");
}

#[test]
fn leaving_with_exec() {
    let Some(tmux) = tmux("exec") else { return };
    tmux.start();
    tmux.type_line("bash");
    tmux.type_line("exit 4");
    tmux.until("[4] /workspace $");
    tmux.type_line("exec bash -c 'echo \"in\" its place; exit 6'");
    let screen = tmux.until("left with 6");
    assert!(screen.contains("\nin its place\nleft with 6"), "{screen}");
}

#[test]
fn completion() {
    let Some(tmux) = tmux("completion") else { return };
    tmux.start();
    tmux.type_line("mkdir -p 'long folder/inside' && touch long-file && a_variable=found");
    tmux.until("+3 ~0 -0");
    tmux.until_prompt();
    // Names with blanks are quoted; after `cd` only folders come.
    tmux.keys("cd long");
    tmux.key("Tab");
    tmux.until("cd long\\ folder/");
    tmux.key("Enter");
    tmux.until("/workspace/long folder $");
    tmux.keys("ls ../long-f");
    tmux.key("Tab");
    tmux.until("ls ../long-file");
    tmux.key("C-u");
    tmux.keys("echo $a_var");
    tmux.key("Tab");
    tmux.until("echo $a_variable");
    tmux.key("Enter");
    tmux.until("\nfound\n");
    tmux.keys("basena");
    tmux.key("Tab");
    tmux.until("basename");
    tmux.type_line("/x/y/zet");
    tmux.until("\nzet\n");
    tmux.keys(":und");
    tmux.key("Tab");
    tmux.until(":undo");
    tmux.key("C-u");
    // A name that would move the cursor is not offered.
    tmux.type_line("touch $'evil\\e[2Jname'");
    tmux.until("+1 ~0 -0");
    tmux.until_prompt();
    tmux.keys("ls ev");
    tmux.key("Tab");
    tmux.type_line("; echo \"still\"");
    assert!(tmux.until("\nstill\n").contains("a_variable"));
}

#[test]
fn what_a_guest_prints() {
    let Some(tmux) = tmux("escapes") else { return };
    tmux.start();
    tmux.type_line(r"printf 'a\033[2Jb\n\033]0;title\007c\302\2332Jd\n'");
    tmux.until("\nab\ncd\n");
    tmux.type_line(r"printf '\033[31mred\n'; printf 'no end'");
    tmux.until("\nred\nno end\n");
    assert!(tmux.coloured_screen().contains("\x1b[31mred"));
    // The command's colour has ended with it.
    assert!(!tmux.coloured_screen().contains("\x1b[31m/workspace"));
}

#[test]
fn prompts() {
    let Some(tmux) = tmux("prompts") else { return };
    tmux.start();
    tmux.type_line(r"PROMPT_COMMAND='n=$((n+1))'; PS1='\u:\w[$n,$?]\$ ' PS2='more: '");
    tmux.until("root:/workspace[1,0]#");
    tmux.type_line("cd /; false");
    tmux.until("root:/[2,1]#");
    tmux.type_line("echo one \\");
    tmux.until("more:");
    tmux.type_line("two");
    tmux.until("\none two\n");
    // Asking for the prompt is no step: this takes back `echo` and then `cd`.
    tmux.type_line(":undo");
    tmux.type_line(":undo");
    tmux.until("root:/workspace[");
    tmux.type_line("unset PS1");
    tmux.until("/workspace $");
}

#[test]
fn sessions_of_a_sitting() {
    let Some(tmux) = tmux("sessions") else { return };
    tmux.start();
    tmux.type_line("echo one > f");
    tmux.until("+1 ~0 -0");
    tmux.until_prompt();
    tmux.type_line(":snapshot");
    tmux.until("snapshot 1");
    tmux.type_line("echo two > f");
    tmux.until("+0 ~1 -0");
    tmux.until_prompt();
    tmux.type_line(":fork other");
    tmux.until("this is other now");
    tmux.type_line(":sessions");
    tmux.until("  default\n* other\n");
    tmux.type_line("echo three > f; cat f");
    tmux.until("\nthree\n");
    tmux.type_line(":switch default");
    tmux.until("this is default now");
    tmux.type_line("cat f");
    tmux.until("\ntwo\n");
    tmux.type_line(":restore 1");
    tmux.until("back at snapshot 1");
    tmux.type_line("cat f");
    tmux.until("\none\n");
    tmux.type_line(":restore x");
    tmux.until("is not the number of a snapshot");
    tmux.type_line(":nonsense");
    tmux.until(":nonsense is not known");
    tmux.type_line(": ${v:=bash}; echo $v");
    tmux.until("\nbash\n");
    tmux.type_line(":help");
    tmux.until(":restore N");
}

#[test]
fn a_kept_session_goes_on_with_its_history() {
    let Some(mut tmux) = tmux("kept") else { return };
    tmux.args = "shell --session notes";
    tmux.start();
    tmux.type_line("x=5; echo file > f");
    tmux.until("+1 ~0 -0");
    tmux.again();
    tmux.type_line("echo $x; cat f");
    tmux.until("\n5\nfile\n");
    for _ in 0..2 {
        tmux.key("Up");
    }
    tmux.until("$ x=5; echo file > f");
    tmux.key("C-u");
    // Another name has another history; `capsule bash` on a terminal is the same shell.
    tmux.args = "bash --session other";
    tmux.again();
    tmux.type_line(":sessions");
    tmux.until("  notes\n* other\n");
    tmux.key("Up");
    tmux.key("Up");
    tmux.until("$ :sessions");
}

#[test]
fn a_narrow_window_without_colours() {
    let Some(mut tmux) = tmux("narrow") else { return };
    (tmux.width, tmux.env) = ("40", vec![("NO_COLOR", "1")]);
    tmux.start();
    tmux.type_line("echo aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee");
    tmux.until("\naaaaaaaaaabbbbbbbbbbccccccccccdddddddddd\neeeeeeeeee\n");
    tmux.type_line("touch f; :");
    tmux.until("+1 ~0 -0");
    tmux.until_prompt();
    tmux.type_line(":diff");
    tmux.until("  + f");
    let screen = tmux.coloured_screen();
    assert!(!screen.contains('\x1b'), "{screen:?}");
}

/// The sitting that docs/shell.md shows, but for the times.
#[test]
fn the_sitting_of_the_document() {
    let Some(tmux) = tmux("document") else { return };
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/shell.md");
    let text = std::fs::read_to_string(path).unwrap();
    let block = text.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    tmux.start();
    let mut shown = String::new();
    for line in block.lines() {
        let typed = line.strip_prefix("> ").or_else(|| line.split_once(" $ ").map(|(_, typed)| typed));
        if let Some(typed) = typed {
            // What is typed before the prompt is there is echoed above it.
            let wanted = without_times(&format!("{shown}{}", line.trim_end_matches(typed)));
            tmux.until_that(&wanted, |screen| without_times(screen).trim_end().ends_with(wanted.trim_end()));
            tmux.type_line(typed);
        }
        shown.push_str(line);
        shown.push('\n');
    }
    tmux.until("left with 0");
}

/// The text with `T` for how long a command took.
fn without_times(text: &str) -> String {
    let line = |line: &str| match line.rsplit_once("  ") {
        Some((before, time)) if before.starts_with('+') && time.ends_with('s') => format!("{before}  T\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}
