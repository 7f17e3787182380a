//! Processes: forks, spawns, waits, and what a subshell starts with.

use crate::shell::{Flow, Shell, Shopt, Unwind};
use capsule_sys as sys;
use std::rc::Rc;

impl Shell {
    /// In a child that goes on as a shell.
    pub fn enter_subshell(&mut self) {
        self.subshell += 1;
        self.random_inherited = true;
        self.loops = 0;
        self.interactive = false;
        self.exiting = false;
        self.out.clear();
        self.session = None;
        self.jobs.forget();
        self.reset_traps();
    }

    /// Runs what a forked child is for, with its EXIT trap; the status to exit with.
    pub fn run_in_child(&mut self, work: impl FnOnce(&mut Shell) -> Flow) -> i32 {
        self.command_string = false;
        let result = work(self);
        if let Err(Unwind::Discard) = result {
            self.status = self.status.max(1);
        }
        self.finish()
    }

    /// The EXIT trap, then the last output; the status the process exits with.
    pub fn finish(&mut self) -> i32 {
        self.run_exit_trap();
        self.flush_out();
        self.status & 0xff
    }

    /// Waits for a child of ours; its status.
    pub fn wait_for(&mut self, pid: i32) -> i32 {
        loop {
            match sys::wait(pid, 0) {
                Ok(Some(waited)) => {
                    self.note_interrupted(waited.status);
                    return waited.status.shell_code();
                }
                Ok(None) => {}
                Err(sys::Errno::EINTR) => self.note_signals(),
                Err(_) => return 127,
            }
        }
    }

    /// What interrupted a child was likely meant for all.
    fn note_interrupted(&mut self, status: sys::WaitStatus) {
        if status == sys::WaitStatus::Signaled(sys::Signal::INT.number()) {
            self.traps.look_soon();
        }
    }

    /// Waits for a foreground command and tells when a signal ended it.
    pub fn wait_foreground(&mut self, pid: i32, text: &dyn Fn() -> Vec<u8>, quiet: bool) -> i32 {
        let Some(status) = self.wait_quietly(pid) else { return 127 };
        if let (sys::WaitStatus::Signaled(signal), false) = (status, quiet) {
            if self.tells_later {
                self.killed = Some((pid, signal, text()));
            } else {
                self.report_killed(pid, signal, &text());
            }
        }
        status.shell_code()
    }

    /// What was to be told once the redirections are undone.
    pub(super) fn tell_killed(&mut self) {
        if let Some((pid, signal, text)) = self.killed.take() {
            self.report_killed(pid, signal, &text);
        }
    }

    /// How a process ended; None when it is none of ours.
    pub(super) fn wait_quietly(&mut self, pid: i32) -> Option<sys::WaitStatus> {
        loop {
            match sys::wait(pid, 0) {
                Ok(Some(waited)) => {
                    self.note_interrupted(waited.status);
                    return Some(waited.status);
                }
                Ok(None) => {}
                Err(sys::Errno::EINTR) => self.note_signals(),
                Err(_) => return None,
            }
        }
    }

    /// LINES and COLUMNS tell how large the terminal's window is now, if `checkwinsize` is on: when the shell starts to
    /// talk to somebody, and behind every foreground process.
    pub fn follow_window(&mut self) -> Option<sys::Window> {
        let window = self.options.shopt(Shopt::Checkwinsize).then(|| sys::window(sys::STDERR))??;
        for (name, size) in [(b"LINES".as_slice(), window.rows), (b"COLUMNS", window.columns)] {
            // What is wrong with the assignment has been told.
            let _ = self.set_var(name, size.to_string().as_bytes());
        }
        Some(window)
    }

    /// How wide the terminal is: what COLUMNS says, or the window.
    pub fn columns(&mut self) -> usize {
        let said = self.vars.text(b"COLUMNS").and_then(|text| std::str::from_utf8(&text).ok()?.trim().parse().ok());
        said.filter(|&n| n > 0).unwrap_or_else(|| self.follow_window().map_or(80, |window| window.columns.into()))
    }

    /// `bash: line 1:  123 Killed                  command`
    pub fn report_killed(&mut self, pid: i32, signal: u8, text: &[u8]) {
        self.report_killed_stages(&[((pid, sys::WaitStatus::Signaled(signal)), text.to_vec())], signal);
    }

    /// How each process of a pipeline ended that a signal has ended: a line for each of them.
    pub(super) fn report_killed_stages(&mut self, stages: &[((i32, sys::WaitStatus), Vec<u8>)], signal: u8) {
        let Some(signal) = sys::Signal::from_number(signal.into()) else { return };
        if matches!(signal, sys::Signal::INT | sys::Signal::PIPE) {
            return;
        }
        // What was to be expected needs no more than its name.
        if signal == sys::Signal::TERM || self.traps.has(signal.number()) {
            self.stderr(format!("{}\n", signal.text()).as_bytes());
            return;
        }
        let mut message = self.prefix();
        for (i, ((pid, end), text)) in stages.iter().enumerate() {
            // What the stages before it share is not said again.
            let state = if i > 0 && *end == stages[0].0.1 { String::new() } else { end_text(*end) };
            let (indent, bar) = if i > 0 { ("     ", "| ") } else { ("", "") };
            message.extend_from_slice(format!("{indent}{pid:5} {state:<24}{bar}").as_bytes());
            message.extend_from_slice(text);
            message.push(b'\n');
        }
        self.stderr(&message);
    }

    /// What exported variables and functions give a child.
    pub fn child_environment(&mut self) -> Rc<Vec<Vec<u8>>> {
        let functions = &self.functions;
        self.vars.environment(|list| {
            for (name, function) in functions {
                if function.exported {
                    let text = function.save(name);
                    let body = &text[name.len() + 1..];
                    // The name's line and the body's, joined as bash does.
                    let body = [b"() ", body.strip_prefix(b"() \n").unwrap_or(body)].concat();
                    list.push([b"BASH_FUNC_", &name[..], b"%%=", &body].concat());
                }
            }
        })
    }

    pub(crate) fn request(&mut self, path: Vec<u8>, argv: Vec<Vec<u8>>) -> sys::SpawnRequest {
        let mut env = self.child_environment().to_vec();
        env.retain(|entry| !entry.starts_with(b"_="));
        env.push([b"_=", &path[..]].concat());
        sys::SpawnRequest { path, argv, env, default_signals: self.traps.caught_set(), ..Default::default() }
    }

    /// Starts a program and waits for it.
    pub fn run_program(&mut self, path: Vec<u8>, argv: Vec<Vec<u8>>, last: bool, text: &dyn Fn() -> Vec<u8>) {
        self.before_process();
        let request = self.request(path, argv);
        if last && !self.traps.any() && !self.jobs.any_running() && self.process_subs.is_empty() {
            let errno = sys::exec(&request);
            self.status = self.exec_failed(&request.path, errno);
            return;
        }
        match sys::spawn(&request) {
            Ok(pid) => {
                self.status = self.wait_foreground(pid, text, false);
            }
            Err(errno) => self.status = self.exec_failed(&request.path, errno),
        }
    }

    pub fn exec_failed(&mut self, path: &[u8], errno: sys::Errno) -> i32 {
        let is_directory = sys::stat(path).is_ok_and(|stat| stat.kind == sys::FileType::Directory);
        let (what, message, status): (&[u8], String, i32) = match errno {
            _ if is_directory => (path, "Is a directory".into(), 126),
            // The file is there: what is missing is the program its first line names.
            sys::Errno::ENOENT if sys::stat(path).is_ok() => {
                (path, "cannot execute: required file not found".into(), 127)
            }
            sys::Errno::ENOENT => (path, errno.to_string(), 127),
            sys::Errno::E2BIG => (path, errno.to_string(), 126),
            sys::Errno::ENOEXEC => (path, "cannot execute binary file: Exec format error".into(), 126),
            _ => (path, errno.to_string(), 126),
        };
        self.error_about(what, message);
        status
    }
}

fn end_text(end: sys::WaitStatus) -> String {
    crate::builtins::state_text(super::JobState::Done(end))
}
