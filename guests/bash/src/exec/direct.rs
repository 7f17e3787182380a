//! Commands of pipelines and substitutions that need no forked shell: programs are spawned with their ends of the pipes,
//! and builtins that only write are run here and what they wrote is passed on.

use super::redirect::Undo;
use crate::builtins::{self, Builtin, Run};
use crate::shell::{Opt, Shell, Shopt};
use crate::syntax::ast::*;
use capsule_sys as sys;

/// A command that was started without a fork.
pub(super) enum Started {
    Process(i32),
    /// It is over; what it wrote went where it should.
    Done(i32),
}

/// What fits into an empty pipe, with room to spare: writing it cannot block.
const PIPE_ROOM: usize = 32 * 1024;

/// Builtins that do nothing but write and answer, whatever their arguments.
const WRITERS: &[&str] = &[":", "echo", "false", "pwd", "true", "type"];

/// Whether this call of the builtin is such: that much must be known before anything is expanded.
fn is_writer(builtin: &Builtin, words: &[Word]) -> bool {
    let mut plain = words[1..].iter().map(|word| word.plain.as_deref());
    match builtin.name {
        "printf" => plain
            .find(|word| *word != Some(b"--"))
            .flatten()
            .is_some_and(|format| !format.starts_with(b"-") && memchr::memmem::find(format, b"%n").is_none()),
        "[" | "test" => !plain.any(|word| matches!(word, Some(b"-t" | b"-v"))),
        "command" => matches!(plain.next(), Some(Some(b"-v" | b"-V"))),
        _ => WRITERS.contains(&builtin.name),
    }
}

impl Shell {
    /// What `$( )` of this list gives, if no forked shell is needed for it.
    pub fn capture_direct(&mut self, body: &List) -> Option<Vec<u8>> {
        let [ListItem { and_or, background: false, .. }] = &body.items[..] else { return None };
        let Pipeline { negated: false, time: None, stages } = &and_or.first else { return None };
        if !and_or.rest.is_empty() || !self.unwatched() {
            return None;
        }
        let [stage] = &stages[..] else { return self.capture_pipeline(stages) };
        let CommandKind::Simple(simple) = &stage.kind else { return None };
        if simple.words.is_empty() || !self.is_pure_command(simple, &stage.redirects, true) {
            return None;
        }
        let line = std::mem::replace(&mut self.line, stage.line);
        self.subshell += 1;
        let output = match self.capture_builtin(simple, &stage.redirects) {
            Some((output, status)) => Some((output, status)),
            None => self.capture_program(simple, &stage.redirects),
        };
        self.subshell -= 1;
        self.line = line;
        let (output, status) = output?;
        self.substitution_status = Some(status);
        self.status = status;
        Some(output)
    }

    /// The status of `( program )`, if no forked shell is needed for it.
    pub(super) fn run_subshell_direct(&mut self, list: &List, text: &dyn Fn() -> Vec<u8>) -> Option<i32> {
        let [ListItem { and_or, background: false, .. }] = &list.items[..] else { return None };
        let ([], Pipeline { negated: false, time: None, stages }) = (&and_or.rest[..], &and_or.first) else {
            return None;
        };
        let [stage] = &stages[..] else { return None };
        self.subshell += 1;
        let started = self.start_direct(stage, None, None);
        self.subshell -= 1;
        Some(match started? {
            Started::Process(pid) => self.wait_foreground(pid, text, false),
            Started::Done(status) => status,
        })
    }

    /// Every stage is a process of its own anyway.
    fn capture_pipeline(&mut self, stages: &[Command]) -> Option<Vec<u8>> {
        if stages.is_empty() {
            return None;
        }
        let (read, write) = sys::pipe(sys::OpenFlags::CLOEXEC).ok()?;
        self.before_process();
        let (errexit, pipe_status) = (self.options.get(Opt::Errexit), std::mem::take(&mut self.pipe_status));
        let inherits = self.options.shopt(Shopt::InheritErrexit) || self.posix();
        self.options.put(Opt::Errexit, errexit && inherits);
        self.subshell += 1;
        let started = self.start_stages(stages, Some((write, read.raw()))).unwrap_or_default();
        self.subshell -= 1;
        self.options.put(Opt::Errexit, errexit);
        let output = sys::read_to_end(read.raw()).unwrap_or_default();
        self.wait_stages(started, None);
        self.pipe_status = pipe_status;
        self.substitution_status = Some(self.status);
        Some(output)
    }

    fn capture_program(&mut self, simple: &SimpleCommand, redirects: &[Redirect]) -> Option<(Vec<u8>, i32)> {
        let path = self.direct_program(simple)?;
        let (read, write) = sys::pipe(sys::OpenFlags::CLOEXEC).ok()?;
        let started = self.spawn_direct(path, simple, redirects, None, Some(write.raw()));
        drop(write);
        let output = sys::read_to_end(read.raw()).unwrap_or_default();
        let status = match started {
            Started::Process(pid) => self.wait_for(pid),
            Started::Done(status) => status,
        };
        Some((output, status))
    }

    /// Runs a builtin that only writes; what it wrote and its status.
    fn capture_builtin(&mut self, simple: &SimpleCommand, redirects: &[Redirect]) -> Option<(Vec<u8>, i32)> {
        let name = simple.words.first()?.plain.as_ref()?;
        if !redirects.is_empty() || !simple.assignments.is_empty() || self.functions.contains_key(&**name) {
            return None;
        }
        let builtin = builtins::find(self, name).filter(|builtin| is_writer(builtin, &simple.words))?;
        let Run::Plain(run) = builtin.run else { return None };
        self.flush_out();
        let Ok(args) = self.expand_words(&simple.words) else { return Some((Vec::new(), 1)) };
        self.capturing = true;
        let status = run(self, &args).unwrap_or(self.status);
        self.capturing = false;
        Some((std::mem::take(&mut self.out), status))
    }

    /// The file of a command that is neither function nor builtin.
    fn direct_program(&mut self, simple: &SimpleCommand) -> Option<Vec<u8>> {
        let name = simple.words.first()?.plain.as_ref()?;
        if self.functions.contains_key(&**name) || builtins::find(self, name).is_some() {
            return None;
        }
        self.locate(name)
    }

    /// Starts one stage of a pipeline between its ends of the pipes. None: it needs a fork.
    pub(super) fn start_direct(&mut self, stage: &Command, input: Option<i32>, output: Option<i32>) -> Option<Started> {
        let CommandKind::Simple(simple) = &stage.kind else { return None };
        if simple.words.is_empty() || !self.unwatched() || !self.is_pure_command(simple, &stage.redirects, false) {
            return None;
        }
        let line = std::mem::replace(&mut self.line, stage.line);
        let started = self.start_direct_here(simple, &stage.redirects, input, output);
        self.line = line;
        started
    }

    fn start_direct_here(
        &mut self,
        simple: &SimpleCommand,
        redirects: &[Redirect],
        input: Option<i32>,
        output: Option<i32>,
    ) -> Option<Started> {
        if let Some(path) = self.direct_program(simple) {
            return Some(self.spawn_direct(path, simple, redirects, input, output));
        }
        // The shell holds the reading end still: this can neither block nor break.
        let output = output?;
        let (text, status) = self.capture_builtin(simple, redirects)?;
        if text.len() > PIPE_ROOM {
            return None;
        }
        let _ = sys::write_all(output, &text);
        Some(Started::Done(status))
    }

    /// Expands, redirects, spawns, and puts everything back. What goes wrong is told as the child would tell it.
    fn spawn_direct(
        &mut self,
        path: Vec<u8>,
        simple: &SimpleCommand,
        redirects: &[Redirect],
        input: Option<i32>,
        output: Option<i32>,
    ) -> Started {
        self.before_process();
        let Ok(argv) = self.expand_words(&simple.words) else { return Started::Done(1) };
        let Ok(pushed) = self.push_temporary(simple) else { return Started::Done(1) };
        let mut undo = Undo::default();
        let ends = [(input, sys::STDIN), (output, sys::STDOUT)];
        let started = if redirects.is_empty() {
            let given = ends.iter().filter_map(|&(fd, to)| Some(sys::FdAction::Dup2 { from: fd?, to }));
            self.spawn_program(path, argv, given.collect())
        } else {
            // A redirection may copy an end of the pipe: both go where the command will see them.
            for (fd, to) in ends {
                if let Some(fd) = fd {
                    self.place_copy(fd, to, &mut undo);
                }
            }
            match self.redirect(redirects, &mut undo) {
                Ok(true) => self.spawn_program(path, argv, Vec::new()),
                _ => Started::Done(1),
            }
        };
        self.undo_redirects(undo);
        self.pop_temporary(pushed);
        started
    }

    fn spawn_program(&mut self, path: Vec<u8>, argv: Vec<Vec<u8>>, actions: Vec<sys::FdAction>) -> Started {
        let mut request = self.request(path, argv);
        request.actions = actions;
        match sys::spawn(&request) {
            Ok(pid) => Started::Process(pid),
            Err(errno) => Started::Done(self.exec_failed(&request.path, errno)),
        }
    }

    /// As [`Shell::find_program`], but a child's search is not remembered.
    fn locate(&self, name: &[u8]) -> Option<Vec<u8>> {
        if name.contains(&b'/') {
            return sys::stat(name).is_ok().then(|| name.to_vec());
        }
        match self.hashed.get(name) {
            Some((path, _)) if super::is_executable(path) => Some(path.clone()),
            _ => self.search_path(name),
        }
    }
}
