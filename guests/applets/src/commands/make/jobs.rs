//! Recipes as processes: their lines one after the other, several recipes at a time with `-j`.

use super::files::{FileId, Recipe, Stamp, State, Status};
use super::update::Progress;
use super::variables::Origin;
use super::words::{is_blank, trim, words};
use super::{Bytes, Make};
use crate::{Exit, program, report};
use capsule_sys::{
    Errno, FdAction, STDIN, Signal, SpawnRequest, WaitStatus, Waited, environ, spawn, stat, unlink, wait,
};
use std::collections::BTreeMap;
use std::rc::Rc;

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
    pub fn start(&mut self, id: FileId) -> Result<Progress, Exit> {
        let Some(recipe) = self.files[id].recipe.clone() else { return Ok(Progress::Done) };
        let most = if self.not_parallel || self.flags.together.is_some() { 1 } else { self.flags.jobs };
        if self.jobs.len() >= most {
            while self.jobs.len() >= most {
                self.reap(true)?;
            }
            // Something may have failed meanwhile.
            if self.failed && !self.flags.keep_going {
                return Ok(self.finish(id, Status::Failed));
            }
        }
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
            return Ok(self.finish(id, Status::Good));
        }
        if self.flags.trace {
            self.trace(id, &recipe);
        }
        let mut job = Job { file: id, recipe, lines, pid: 0, number: 0, ignore: false, env, before };
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
                self.jobs.push(job);
                if most == 1 {
                    while self.files[id].state == State::Running {
                        self.reap(true)?;
                    }
                    return Ok(Progress::Done);
                }
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
        while let Some((line, number)) = job.lines.pop() {
            let (mut found, mut command) = prefix(&line);
            let stripped;
            if self.one_shell {
                stripped = one_shell_text(command);
                command = &stripped;
            }
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
            match self.run_line(job.file, command, &job.env)? {
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
    fn run_line(&mut self, file: FileId, command: &[u8], env: &[Bytes]) -> Result<Result<i32, u8>, Exit> {
        // A target may have a shell of its own.
        let before = self.current.replace(file);
        let shell_words = self.shell_words();
        self.current = before;
        let (shell, mut argv) = shell_words?;
        let usual = argv.len() == 2 && argv[0] == b"/bin/sh" && matches!(argv[1].as_slice(), b"-c" | b"-ec");
        let direct = if usual && !self.one_shell { simple_words(command) } else { None };
        let (path, argv) = match direct {
            Some(words) => {
                let default = b"/usr/local/bin:/usr/bin:/bin".to_vec();
                let path = env.iter().find_map(|v| v.strip_prefix(b"PATH=")).map_or(default, <[u8]>::to_vec);
                match program::find(&words[0], &path) {
                    Ok(path) => (path, words),
                    Err(e) => return Ok(Err(self.not_started(&words[0], e))),
                }
            }
            None => {
                argv.push(command.to_vec());
                (shell, argv)
            }
        };
        let name = argv[0].clone();
        let mut actions = Vec::new();
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

    fn not_started(&self, name: &[u8], why: Errno) -> u8 {
        report::plain(&format!("{}: {}: {why}\n", self.name(), String::from_utf8_lossy(name)));
        program::NOT_FOUND
    }

    /// Says how a line ended; true: the recipe goes on.
    fn line_ended(&mut self, job: &Job, status: WaitStatus) -> bool {
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
            self.tell_error(&format!("[{place}: {target}] {how} (ignored)"));
            return true;
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
            let status =
                if self.line_ended(&job, waited.status) { self.next_line(&mut job)? } else { Some(Status::Failed) };
            match status {
                None => self.jobs.push(job),
                Some(status) => {
                    self.end(&job, status);
                    return Ok(());
                }
            }
            if !block {
                return Ok(());
            }
        }
        Ok(())
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
        super::print(text);
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

/// In one shell for all lines, the prefixes of the others are taken away as well.
fn one_shell_text(text: &[u8]) -> Bytes {
    let lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
    let clean = lines.iter().enumerate().map(|(at, line)| if at == 0 { line } else { strip_marks(line) });
    clean.collect::<Vec<_>>().join(&b'\n')
}

fn strip_marks(line: &[u8]) -> &[u8] {
    let marks = line.iter().take_while(|b| b"@-+ \t".contains(b)).count();
    match line[..marks].iter().rposition(|b| b"@-+".contains(b)) {
        Some(last) => &line[last + 1..],
        None => line,
    }
}
