//! Recipes as processes: their lines one after the other, several recipes at a time with `-j`.

use super::files::{FileId, Recipe, Stamp, State, Status};
use super::output::{self, Held, OUTPUTS, Together};
use super::update::Progress;
use super::variables::Origin;
use super::words::{is_blank, trim, words};
use super::{Bytes, Make, debug};
use crate::{Exit, program};
use capsule_sys::{
    Errno, FdAction, STDERR, STDIN, STDOUT, Signal, SpawnRequest, WaitStatus, Waited, environ, spawn, stat, unlink,
    wait,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A program and its words; or a name that is none, and why.
type Chosen = Result<(Bytes, Vec<Bytes>), (Bytes, Errno)>;

/// An expanded line and its number.
type Line = (Bytes, usize);

/// A recipe that runs.
pub struct Job {
    file: FileId,
    recipe: Rc<Recipe>,
    /// Expanded lines that are still to be run, the last one first, each with its number.
    lines: Vec<Line>,
    pid: i32,
    /// Of the line that runs.
    number: usize,
    ignore: bool,
    env: Vec<Bytes>,
    /// What the file was like before.
    before: Stamp,
    /// What it prints, until it may be shown.
    held: Option<Held>,
    /// Stands for it where `--debug=j` tells of it.
    tag: usize,
    /// How far from the goal its file is.
    depth: usize,
}

/// What stands before a line.
#[derive(Clone, Copy, Default)]
struct Prefix {
    silent: bool,
    ignore: bool,
    always: bool,
}

/// Takes `@`, `-` and `+` away.
fn prefix(line: &[u8]) -> (Prefix, &[u8]) {
    let (mut found, mut rest) = (Prefix::default(), line);
    while let Some((&b, after)) = rest.split_first() {
        match b {
            b'@' => found.silent = true,
            b'-' => found.ignore = true,
            b'+' => found.always = true,
            b' ' | b'\t' => {}
            _ => break,
        }
        rest = after;
    }
    (found, rest)
}

/// Whether a line starts make again, and so runs with `-n`, too.
pub fn is_recursive(line: &[u8]) -> bool {
    let has = |text: &[u8]| memchr::memmem::find(line, text).is_some();
    prefix(line).0.always || has(b"$(MAKE)") || has(b"${MAKE}")
}

/// The words of a line that needs no shell.
fn simple_words(line: &[u8]) -> Option<Vec<Bytes>> {
    if line.iter().any(|b| b"#;\"*?[]&|<>(){}$`^~!'\\\n".contains(b)) {
        return None;
    }
    let list: Vec<Bytes> = words(line).map(<[u8]>::to_vec).collect();
    let first = list.first()?;
    let builtin = [
        ".", ":", "alias", "bg", "break", "case", "cd", "command", "continue", "eval", "exec", "exit", "export", "fc",
        "fg", "for", "getopts", "hash", "if", "jobs", "login", "logout", "read", "readonly", "return", "set", "shift",
        "test", "times", "trap", "type", "ulimit", "umask", "unalias", "unset", "wait", "while",
    ];
    let shell = first.contains(&b'=') || builtin.iter().any(|b| b.as_bytes() == first);
    (!shell).then_some(list)
}

impl Make {
    /// The shell: its path, and the words before the command.
    pub fn shell_words(&mut self) -> Result<(Bytes, Vec<Bytes>), Exit> {
        let shell = self.expand(b"$(SHELL)")?;
        let shell = trim(&shell).to_vec();
        let shell = if shell.is_empty() { b"/bin/sh".to_vec() } else { shell };
        let flags = self.expand(b"$(.SHELLFLAGS)")?;
        let mut argv = vec![shell.clone()];
        argv.extend(words(&flags).map(<[u8]>::to_vec));
        let default = b"/usr/local/bin:/usr/bin:/bin".to_vec();
        let path = capsule_sys::getenv(b"PATH").unwrap_or(default);
        let found = program::find(&shell, &path).unwrap_or(shell);
        Ok((found, argv))
    }

    /// What commands are started with.
    fn child_environment(&mut self) -> Result<Vec<Bytes>, Exit> {
        let mut env: BTreeMap<Bytes, Bytes> = BTreeMap::new();
        for entry in environ() {
            if let Some(at) = entry.iter().position(|&b| b == b'=') {
                env.insert(entry[..at].to_vec(), entry[at + 1..].to_vec());
            }
        }
        let mut names: Vec<Bytes> = self.globals.keys().cloned().collect();
        let mut scope = self.current;
        let mut steps = 0;
        while let (Some(id), true) = (scope, steps <= super::MAX_DEPTH) {
            names.extend(self.files[id].variables.keys().cloned());
            scope = self.files[id].parent;
            steps += 1;
        }
        names.sort();
        names.dedup();
        for name in names {
            let Some((variable, _)) = self.variable(&name) else { continue };
            let global = self.globals.get(&name).and_then(|v| v.export);
            let plain = name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
                && !name.first().is_some_and(u8::is_ascii_digit);
            let from_outside =
                matches!(variable.origin, Origin::Environment | Origin::EnvironmentOverride | Origin::CommandLine)
                    || env.contains_key(&name);
            let by_default = plain
                && ((from_outside && variable.origin != Origin::Default)
                    || (self.export_all && !matches!(variable.origin, Origin::Default | Origin::Automatic)));
            if name == b"SHELL" && variable.export.or(global) != Some(true) {
                continue;
            }
            if name == b"MAKELEVEL" || name == b"MAKE" && variable.origin == Origin::Default {
                continue;
            }
            match variable.export.or(global) {
                Some(true) => {}
                Some(false) => {
                    env.remove(&name);
                    continue;
                }
                None if !by_default => continue,
                None => {}
            }
            let mut value = Vec::new();
            self.value_into(&name, &mut value)?;
            env.insert(name, value);
        }
        if self.globals.get(b"MAKEFLAGS".as_slice()).and_then(|v| v.export) != Some(false) {
            env.insert(b"MAKEFLAGS".to_vec(), self.flags_text());
        }
        env.insert(b"MAKELEVEL".to_vec(), (self.level + 1).to_string().into_bytes());
        Ok(env.into_iter().map(|(name, value)| [name.as_slice(), b"=", &value].concat()).collect())
    }

    /// Starts a recipe; waits for it when only one may run.
    pub fn start(&mut self, id: FileId, depth: usize) -> Result<Progress, Exit> {
        let Some(recipe) = self.files[id].recipe.clone() else { return Ok(Progress::Done) };
        let most = if self.not_parallel { 1 } else { self.flags.jobs };
        while self.jobs.len() >= most {
            self.reap(true)?;
        }
        self.acquire()?;
        // Something may have failed meanwhile.
        if self.failed && !self.flags.keep_going {
            return Ok(self.finish(id, Status::Failed));
        }
        let before = self.stamp(id);
        let location = self.location.take();
        let current = self.current.replace(id);
        let prepared = self.prepare(&recipe);
        self.current = current;
        self.location = location;
        let (lines, env) = prepared?;
        if lines.is_empty() {
            // An empty recipe does nothing, and those who need the file are made as if it had.
            let file = &mut self.files[id];
            if file.phony || before == Stamp::Missing {
                file.stamp = Some(Stamp::New);
            }
            self.debug_file(debug::BASIC, depth, id, "Successfully remade target file '{}'.");
            return Ok(self.finish(id, Status::Good));
        }
        if self.flags.trace {
            self.trace(id, &recipe);
        }
        let held = if most > 1 && self.flags.together.is_some() { Held::new().ok() } else { None };
        self.job_count += 1;
        let tag = self.job_count;
        let mut job = Job { file: id, recipe, lines, pid: 0, number: 0, ignore: false, env, before, held, tag, depth };
        self.files[id].state = State::Running;
        for other in self.files[id].also.clone() {
            self.files[other].state = State::Running;
        }
        match self.next_line(&mut job)? {
            Some(status) => {
                self.end(&job, status);
                Ok(Progress::Done)
            }
            None => {
                self.debug(debug::JOBS, 0, || {
                    let name = String::from_utf8_lossy(&self.files[id].name);
                    format!("Putting child {:#x} ({name}) PID {} on the chain.", job.tag, job.pid)
                });
                self.jobs.push(job);
                if most == 1 {
                    while self.files[id].state == State::Running {
                        self.reap(true)?;
                    }
                    return Ok(Progress::Done);
                }
                self.debug_file(debug::VERBOSE, depth, id, "Recipe of '{}' is being run.");
                Ok(Progress::Running)
            }
        }
    }

    /// Why a target is made.
    fn trace(&mut self, id: FileId, recipe: &Recipe) {
        let place = match recipe.file.is_empty() {
            true => "<builtin>".to_owned(),
            false => format!("{}:{}", String::from_utf8_lossy(&recipe.file), recipe.numbers.first().unwrap_or(&0)),
        };
        let current = self.current.replace(id);
        let newer = self.expand(b"$?").unwrap_or_default();
        self.current = current;
        let name = String::from_utf8_lossy(&self.files[id].name).into_owned();
        let text = match newer.is_empty() {
            true => format!("{place}: target '{name}' does not exist\n"),
            false => format!("{place}: update target '{name}' due to: {}\n", String::from_utf8_lossy(&newer)),
        };
        self.print(text.as_bytes());
    }

    /// All lines expanded, the last one first; the environment.
    fn prepare(&mut self, recipe: &Recipe) -> Result<(Vec<Line>, Vec<Bytes>), Exit> {
        let mut lines: Vec<Line> = Vec::new();
        for (line, &number) in recipe.lines.iter().zip(&recipe.numbers) {
            if !recipe.file.is_empty() {
                self.location = Some((recipe.file.clone(), number));
            }
            let recursive = is_recursive(line);
            let joined = self.without_prefix_in_joints(line);
            let mut text = self.expand(&joined)?;
            if recursive && !prefix(&text).0.always {
                text.insert(0, b'+');
            }
            // A variable may hold several lines.
            let parts = if self.one_shell { vec![text] } else { split_lines(&text) };
            for (at, mut part) in parts.into_iter().enumerate() {
                // What stands before the line counts for all that comes out of it.
                if at > 0 {
                    let marks = line.iter().take_while(|b| b"@-+ \t".contains(b)).filter(|b| !is_blank(**b));
                    part.splice(0..0, marks.copied());
                }
                lines.push((part, number));
            }
        }
        if self.one_shell && lines.len() > 1 {
            let number = lines[0].1;
            let parts: Vec<Bytes> = lines.into_iter().map(|l| l.0).collect();
            lines = vec![(parts.join(&b'\n'), number)];
        }
        lines.retain(|(line, _)| !prefix(line).1.iter().all(|&b| is_blank(b)));
        let env = if lines.is_empty() { Vec::new() } else { self.child_environment()? };
        lines.reverse();
        Ok((lines, env))
    }

    /// A joined line goes to the shell as it stands, without the recipe's prefix at the start of its parts.
    fn without_prefix_in_joints(&self, line: &[u8]) -> Bytes {
        let mut out = Vec::with_capacity(line.len());
        let mut rest = line;
        while let Some(newline) = memchr::memchr(b'\n', rest) {
            out.extend_from_slice(&rest[..=newline]);
            rest = &rest[newline + 1..];
            if rest.first() == Some(&self.recipe_prefix) {
                rest = &rest[1..];
            }
        }
        out.extend_from_slice(rest);
        out
    }

    /// Starts the next line of a recipe; its status when there is nothing more to wait for.
    fn next_line(&mut self, job: &mut Job) -> Result<Option<Status>, Exit> {
        let done = self.next_line_to(job);
        output::redirect(OUTPUTS);
        done
    }

    /// Makes messages go where the output of a line goes, and tells where that is: what makes print that a line starts
    /// is only held back with `-Orecurse`.
    fn direct(&self, job: &Job, recursive: bool) -> (i32, i32) {
        let Some(held) = &job.held else { return OUTPUTS };
        let direct = recursive && self.flags.together != Some(Together::Recurse);
        let to = if direct { OUTPUTS } else { held.descriptors() };
        if direct {
            self.release(held);
        }
        output::redirect(to);
        to
    }

    fn next_line_to(&mut self, job: &mut Job) -> Result<Option<Status>, Exit> {
        while let Some((line, number)) = job.lines.pop() {
            let (mut found, mut command) = prefix(&line);
            let stripped;
            if self.one_shell && self.is_bourne_shell(job.file)? {
                stripped = one_shell_text(command);
                command = &stripped;
            }
            let outputs = self.direct(job, found.always);
            let file = &self.files[job.file];
            found.silent |= self.flags.silent || file.silent;
            job.ignore = found.ignore || self.flags.ignore || file.ignore;
            job.number = number;
            if self.flags.question && !found.always {
                self.started += 1;
                return Ok(Some(Status::Old));
            }
            if !found.silent || self.flags.just_print || self.flags.trace {
                self.print(&[command, b"\n"].concat());
            }
            self.started += 1;
            self.files[job.file].ran = true;
            if (self.flags.just_print || self.flags.touch) && !found.always {
                continue;
            }
            match self.run_line(job, command, found.always, outputs)? {
                Ok(pid) => {
                    job.pid = pid;
                    return Ok(None);
                }
                Err(status) => {
                    if !self.line_ended(job, WaitStatus::Exited(status)) {
                        return Ok(Some(Status::Failed));
                    }
                }
            }
        }
        Ok(Some(Status::Good))
    }

    /// Starts a command; the status when it could not be started.
    fn run_line(
        &mut self,
        job: &Job,
        command: &[u8],
        recursive: bool,
        outputs: (i32, i32),
    ) -> Result<Result<i32, u8>, Exit> {
        output::start();
        let env = &job.env;
        // A target may have a shell of its own.
        let before = self.current.replace(job.file);
        let chosen = self.command_words(command, env);
        self.current = before;
        let (path, argv) = match chosen? {
            Ok(found) => found,
            Err((name, e)) => return Ok(Err(self.not_started(&name, e))),
        };
        let name = argv[0].clone();
        let mut actions = Vec::new();
        for (from, to) in [(outputs.0, STDOUT), (outputs.1, STDERR)] {
            if from != to {
                actions.push(FdAction::Dup2 { from, to });
            }
        }
        // Only a make has use for the jobserver's descriptors.
        if let Some(server) = self.flags.jobserver.filter(|_| recursive) {
            actions.extend([server.reader, server.writer].map(|fd| FdAction::Dup2 { from: fd, to: fd }));
        }
        // One recipe may read our input; of several at a time only the first.
        if !self.jobs.is_empty() {
            actions.push(FdAction::Open { fd: STDIN, path: b"/dev/null".to_vec(), flags: 0, mode: 0 });
        }
        match spawn(&SpawnRequest {
            path: path.clone(),
            argv: argv.clone(),
            env: env.to_vec(),
            actions,
            ..Default::default()
        }) {
            Ok(pid) => Ok(Ok(pid)),
            // A script without `#!` is the shell's.
            Err(Errno::ENOEXEC) => {
                let argv = [vec![b"/bin/sh".to_vec(), path], argv[1..].to_vec()].concat();
                let request = SpawnRequest { path: b"/bin/sh".to_vec(), argv, env: env.to_vec(), ..Default::default() };
                Ok(spawn(&request).map_err(|e| self.not_started(&name, e)))
            }
            Err(e) => Ok(Err(self.not_started(&name, e))),
        }
    }

    /// The program that runs a command, and its words: the shell, unless the command needs none. Or what is not there.
    pub fn command_words(&mut self, command: &[u8], env: &[Bytes]) -> Result<Chosen, Exit> {
        let (shell, mut argv) = self.shell_words()?;
        let usual = argv.len() == 2 && argv[0] == b"/bin/sh" && matches!(argv[1].as_slice(), b"-c" | b"-ec");
        let Some(words) = (if usual && !self.one_shell { simple_words(command) } else { None }) else {
            argv.push(command.to_vec());
            return Ok(Ok((shell, argv)));
        };
        let default = b"/usr/local/bin:/usr/bin:/bin".to_vec();
        let path = env.iter().find_map(|v| v.strip_prefix(b"PATH=")).map_or(default, <[u8]>::to_vec);
        Ok(match program::find(&words[0], &path) {
            Ok(path) => Ok((path, words)),
            Err(e) => Err((words[0].clone(), e)),
        })
    }

    /// Whether the shell of a target takes blanks and prefixes before its lines for nothing.
    fn is_bourne_shell(&mut self, file: FileId) -> Result<bool, Exit> {
        let before = self.current.replace(file);
        let words = self.shell_words();
        self.current = before;
        let (_, argv) = words?;
        let name = super::words::file_part(&argv[0]);
        Ok([b"sh".as_slice(), b"bash", b"dash", b"ksh", b"rksh", b"zsh", b"ash"].contains(&name))
    }

    pub fn not_started(&self, name: &[u8], why: Errno) -> u8 {
        output::complain(&format!("{}: {}: {why}\n", self.name(), String::from_utf8_lossy(name)));
        program::NOT_FOUND
    }

    /// Says how a line ended, among what it printed; true: the recipe goes on.
    fn line_ended(&mut self, job: &Job, status: WaitStatus) -> bool {
        if let Some(held) = &job.held {
            if self.flags.together == Some(Together::Line) {
                self.release(held);
            }
            output::redirect(held.descriptors());
        }
        let goes_on = self.tell_ended(job, status);
        output::redirect(OUTPUTS);
        goes_on
    }

    fn tell_ended(&mut self, job: &Job, status: WaitStatus) -> bool {
        let how = match status {
            WaitStatus::Exited(0) => return true,
            WaitStatus::Exited(code) => format!("Error {code}"),
            WaitStatus::Signaled(number) => signal_text(number),
            _ => return true,
        };
        let place = match job.recipe.file.is_empty() {
            true => "<builtin>".to_owned(),
            false => format!("{}:{}", String::from_utf8_lossy(&job.recipe.file), job.number),
        };
        let target = String::from_utf8_lossy(&self.files[job.file].name).into_owned();
        if job.ignore {
            if self.flags.silent {
                return true;
            }
            self.tell_include_error();
            self.tell_error(&format!("[{place}: {target}] {how} (ignored)"));
            return true;
        }
        // Nobody asked for the makefile it was to make.
        if self.quiet_missing {
            return false;
        }
        self.tell_include_error();
        self.tell_error(&format!("*** [{place}: {target}] {how}"));
        false
    }

    fn end(&mut self, job: &Job, status: Status) {
        let id = job.file;
        if status == Status::Failed {
            self.failed = true;
            if self.delete_on_error {
                self.delete_target(job);
            }
        }
        if let Some(held) = &job.held {
            self.release(held);
        }
        let text = match status {
            Status::Good => "Successfully remade target file '{}'.",
            Status::Old => "Target file '{}' needs to be remade under -q.",
            Status::Failed => "Failed to remake target file '{}'.",
        };
        self.debug_file(debug::BASIC, job.depth, id, text);
        self.finished(id, status, self.flags.just_print || self.flags.question);
        if self.files[id].phony {
            self.files[id].stamp = Some(Stamp::New);
        }
    }

    /// What a failed recipe left behind is not the file.
    fn delete_target(&mut self, job: &Job) {
        let file = &self.files[job.file];
        if file.phony || self.is_precious(job.file) {
            return;
        }
        let name = file.name.clone();
        let Ok(now) = stat(&name) else { return };
        if job.before != Stamp::At(now.mtime) {
            self.tell_error(&format!("*** Deleting file '{}'", String::from_utf8_lossy(&name)));
            let _ = unlink(&name);
        }
    }

    /// Takes in what has ended; waits for one when `block`.
    pub fn reap(&mut self, block: bool) -> Result<(), Exit> {
        while !self.jobs.is_empty() {
            if block {
                self.tell_jobs();
            }
            let waited = match wait(-1, if block { 0 } else { capsule_sys::WNOHANG }) {
                Ok(Some(waited)) => waited,
                Ok(None) => return Ok(()),
                Err(Errno::EINTR) => continue,
                Err(_) => {
                    // Nobody is left to wait for.
                    for job in std::mem::take(&mut self.jobs) {
                        self.end(&job, Status::Failed);
                    }
                    return Ok(());
                }
            };
            let Some(at) = self.jobs.iter().position(|job| job.pid == waited.pid) else { continue };
            let mut job = self.jobs.remove(at);
            self.debug(debug::JOBS, 0, || {
                let how = if waited.status == WaitStatus::Exited(0) { "winning" } else { "losing" };
                format!("Reaping {how} child {:#x} PID {} ", job.tag, job.pid)
            });
            let status =
                if self.line_ended(&job, waited.status) { self.next_line(&mut job)? } else { Some(Status::Failed) };
            match status {
                None => self.jobs.push(job),
                Some(status) => {
                    self.debug(debug::JOBS, 0, || format!("Removing child {:#x} PID {} from chain.", job.tag, job.pid));
                    self.end(&job, status);
                    self.give_back();
                    return Ok(());
                }
            }
            if !block {
                return Ok(());
            }
        }
        Ok(())
    }

    fn tell_jobs(&self) {
        for job in &self.jobs {
            self.debug(debug::JOBS, 0, || {
                let name = String::from_utf8_lossy(&self.files[job.file].name);
                format!("Live child {:#x} ({name}) PID {} ", job.tag, job.pid)
            });
        }
    }

    /// Waits for one process; jobs that end meanwhile stay to be reaped.
    pub fn wait_for(&self, pid: i32, wait: impl Fn(i32) -> Result<Option<Waited>, Errno>) -> Option<WaitStatus> {
        loop {
            match wait(pid) {
                Ok(Some(waited)) => return Some(waited.status),
                Err(Errno::EINTR) => {}
                _ => return None,
            }
        }
    }

    pub fn print(&mut self, text: &[u8]) {
        output::print(text);
    }
}

/// How C's library names a signal.
fn signal_text(number: u8) -> String {
    let text = match Signal::from_number(i32::from(number)) {
        Some(signal) => signal.number(),
        None => number,
    };
    match text {
        1 => "Hangup",
        2 => "Interrupt",
        3 => "Quit",
        4 => "Illegal instruction",
        6 => "Aborted",
        7 => "Bus error",
        8 => "Floating point exception",
        9 => "Killed",
        11 => "Segmentation fault",
        13 => "Broken pipe",
        14 => "Alarm clock",
        15 => "Terminated",
        other => return format!("Unknown signal {other}"),
    }
    .to_owned()
}

/// The lines of an expanded line; a newline behind a backslash is the shell's.
fn split_lines(text: &[u8]) -> Vec<Bytes> {
    let mut list = vec![Vec::new()];
    let mut escaped = false;
    for &b in text {
        if b == b'\n' && !escaped {
            list.push(Vec::new());
            continue;
        }
        escaped = b == b'\\' && !escaped;
        if let Some(last) = list.last_mut() {
            last.push(b);
        }
    }
    list
}

/// In one shell for all lines, the blanks and prefixes of the others are taken away as well.
fn one_shell_text(text: &[u8]) -> Bytes {
    let lines: Vec<&[u8]> = text.split(|&b| b == b'\n').map(|line| prefix(line).1).collect();
    lines.join(&b'\n')
}
