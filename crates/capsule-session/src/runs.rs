//! Running something in a session, and the answer.

use crate::answer::{self, Answer, Diff};
use crate::bash::{Bash, ENVIRONMENT, Session};
use crate::builder::{Feedback, WORKSPACE};
use crate::run::{Launch, Outcome, Run, RunOptions};
use crate::shell_state::{self, ShellState};
use crate::world::World;
use crate::{Error, contents, feedback, fit};
use capsule_abi::limits::Limit;
use capsule_abi::process::WaitStatus;
use capsule_kernel::Description;
use capsule_kernel::descriptions::bytes::Bytes;
use capsule_kernel::descriptions::capture::Capture;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Where output is kept that is too long for an answer.
const WHOLE_OUTPUT: &str = "/run/output";

/// Nobody sits before a longer prompt.
const LONGEST_PROMPT: usize = 64 << 10;

impl Bash {
    /// Runs a command in the session's shell: working directory, variables, functions, aliases, options and files are those
    /// the last run left.
    pub async fn run(&self, command: impl Into<Vec<u8>>) -> Result<Answer, Error> {
        self.run_with(command, RunOptions::default()).await
    }

    pub async fn run_with(&self, command: impl Into<Vec<u8>>, options: RunOptions) -> Result<Answer, Error> {
        let mut session = self.turn().await?;
        if options.cancel.as_ref().is_some_and(CancellationToken::is_cancelled) {
            return Err(Error::Cancelled);
        }
        let (began, contents) = (Instant::now(), options.contents);
        let (launch, saved) = self.launch(&session, options, vec![b"-c".to_vec(), command.into()])?;
        session.unsettled = true;
        let requests = self.config().network.requests();
        let outcome = session.world()?.execute(launch).await?;
        session.unsettled = false;
        let (shell, note) = session.shell_after(&saved, &outcome);
        let left = match &note {
            Some(lost) => lost.replaced,
            None => shell.was_left(),
        };
        let note = note.map(|lost| lost.note);
        let mut answer = self.answer(&mut session, shell, outcome, began, contents).await?;
        self.tell_requests(&mut answer, requests).await;
        answer.feedback.extend(note.clone());
        answer.state_lost = note;
        answer.left = left;
        Ok(answer)
    }

    /// Runs a command in a copy of the session, which is gone afterwards: a question, not a step. Folders of the host can
    /// be read there.
    pub async fn ask(&self, command: impl Into<Vec<u8>>, timeout: Duration) -> Result<Answer, Error> {
        let session = self.turn().await?;
        let options = RunOptions { timeout: Some(timeout), ..RunOptions::default() };
        let (launch, _) = self.launch(&session, options, vec![b"-c".to_vec(), command.into()])?;
        self.try_out(&session, launch).await
    }

    /// Runs a program in a copy of the session, which is gone afterwards.
    pub async fn ask_program(&self, run: Run, timeout: Duration) -> Result<Answer, Error> {
        let session = self.turn().await?;
        self.try_out(&session, Launch { timeout: Some(timeout), ..self.foreign(run) }).await
    }

    async fn try_out(&self, session: &Session, launch: Launch) -> Result<Answer, Error> {
        let began = Instant::now();
        let world = session.world()?.scratch(self.config())?;
        let outcome = world.execute(launch).await?;
        Ok(self.told(&world, outcome, began, false))
    }

    /// What an interactive shell does before it reads a line: runs `PROMPT_COMMAND`, and answers `PS1` and `PS2` as they are to
    /// be shown; none where there is no `PS1`. What that changes belongs to the last step.
    pub async fn prompt(&self, options: RunOptions) -> Result<Option<[Vec<u8>; 2]>, Error> {
        let mut session = self.turn().await?;
        let (prompts, writer) = Capture::bounded(LONGEST_PROMPT);
        let (mut launch, saved) = self.launch(&session, options, Vec::new())?;
        launch.descriptors.push((5, writer));
        launch.program.args.extend([b"--prompt".to_vec(), b"5".to_vec()]);
        session.unsettled = true;
        let outcome = session.world()?.execute(launch).await?;
        session.unsettled = false;
        let (shell, _) = session.shell_after(&saved, &outcome);
        let host = session.world()?.end_step();
        self.amend(&mut session, shell, host).await?;
        let prompts = prompts.take();
        let end = prompts.iter().position(|&b| b == 0);
        Ok(end.map(|end| [prompts[..end].to_vec(), prompts[end + 1..].to_vec()]))
    }

    /// Runs a program that is not a command for the session's shell.
    pub async fn execute(&self, run: Run) -> Result<Answer, Error> {
        let mut session = self.turn().await?;
        let began = Instant::now();
        session.unsettled = true;
        let requests = self.config().network.requests();
        let outcome = session.world()?.execute(self.foreign(run)).await?;
        session.unsettled = false;
        let shell = session.history.current.shell.clone();
        let mut answer = self.answer(&mut session, shell, outcome, began, false).await?;
        self.tell_requests(&mut answer, requests).await;
        Ok(answer)
    }

    /// The session's shell with these arguments, and where its state will be.
    fn launch(&self, session: &Session, options: RunOptions, more: Vec<Vec<u8>>) -> Result<(Launch, Capture), Error> {
        let (saved, writer) = Capture::bounded(shell_state::MOST);
        let is_new = session.history.current.shell.is_new();
        let mut descriptors: Vec<(i32, Description)> = vec![(4, writer)];
        let mut args: Vec<Vec<u8>> = vec![b"--save-state".to_vec(), b"4".to_vec()];
        if !is_new {
            descriptors.push((3, Bytes::new(session.history.current.shell.bytes().clone())));
            args.extend([b"--load-state".to_vec(), b"3".to_vec()]);
        }
        // The shell goes where it was by itself; if that is gone, it stays where its process starts.
        let initial = &self.config().initial_cwd;
        let cwd = match options.cwd {
            Some(cwd) => {
                args.extend([b"--cwd".to_vec(), cwd.clone()]);
                cwd
            }
            None if is_new || session.world()?.exists(initial, b"/") => initial.clone(),
            None => b"/".to_vec(),
        };
        args.extend(more);
        let launch = Launch {
            program: Run {
                stdin: options.stdin,
                stdout: options.stdout,
                stderr: options.stderr,
                terminals: options.terminals,
                window: options.window,
                ..Run::bash(args)
            },
            env: self.environment(is_new, &options.env),
            cwd,
            descriptors,
            timeout: options.timeout,
            cancel: options.cancel,
            interrupt: options.interrupt,
            on_output: options.on_output,
            contents: options.contents,
        };
        Ok((launch, saved))
    }

    /// A program that is not the session's shell.
    fn foreign(&self, run: Run) -> Launch {
        Launch {
            env: self.environment(true, &[]),
            cwd: self.config().initial_cwd.clone(),
            descriptors: Vec::new(),
            timeout: None,
            cancel: run.cancel.clone(),
            interrupt: run.interrupt.clone(),
            program: run,
            on_output: None,
            contents: false,
        }
    }

    /// The first run gets everything; later ones have it in the shell's state, and get only what is to change.
    fn environment(&self, first: bool, extra: &[(Vec<u8>, Vec<u8>)]) -> Vec<Vec<u8>> {
        let defaults = ENVIRONMENT.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
        let own = self.config().env.iter().map(|(name, value)| (name.as_slice(), value.as_slice()));
        let extra = extra.iter().map(|(name, value)| (name.as_slice(), value.as_slice()));
        let mut all: Vec<(&[u8], &[u8])> = Vec::new();
        for (name, value) in defaults.chain(own).filter(|_| first).chain(extra) {
            match all.iter_mut().find(|(known, _)| *known == name) {
                Some(known) => known.1 = value,
                None => all.push((name, value)),
            }
        }
        all.into_iter().map(|(name, value)| [name, b"=", value].concat()).collect()
    }

    /// The run is over: what it left is taken over and told.
    async fn answer(
        &self,
        session: &mut Session,
        shell: ShellState,
        outcome: Outcome,
        began: Instant,
        with_contents: bool,
    ) -> Result<Answer, Error> {
        let world = session.world()?;
        if self.is_kept() {
            world.sync_hosts(&outcome.changes);
        }
        let mut answer = self.told(world, outcome, began, with_contents);
        let host = world.end_step();
        self.step(session, shell, host).await?;
        answer.state = self.state();
        fit::environment(&mut answer, self.config().limits.get(Limit::Answer));
        answer.duration = began.elapsed().as_secs_f64() * 1e3;
        Ok(answer)
    }

    /// What was asked of other hosts since there had been this many requests.
    async fn tell_requests(&self, answer: &mut Answer, since: u64) {
        answer.network = self.config().network.records_since(since).await;
        fit::requests(answer, self.config().limits.get(Limit::Answer));
    }

    /// What a run did, in words.
    fn told(&self, world: &World, outcome: Outcome, began: Instant, with_contents: bool) -> Answer {
        let mut limit = outcome.limits;
        let most = world.kernel.budget().limits().get(Limit::Answer);
        let (stdout, stderr) = (answer::text(&outcome.stdout.head, most), answer::text(&outcome.stderr.head, most));
        for (text, output, name) in [(&stdout, &outcome.stdout, "stdout"), (&stderr, &outcome.stderr, "stderr")] {
            if text.cut {
                let path = format!("{WHOLE_OUTPUT}/{name}");
                let kept = world.keep_output(path.as_bytes(), output);
                limit.push(answer::cut_notice(output.total, most, kept.then_some(path.as_str())));
            }
        }
        if outcome.changes.untold > 0 {
            limit.push(answer::untold_notice(outcome.changes.untold));
        }
        let mut diff = Diff::new(&outcome.changes, WORKSPACE.as_bytes());
        limit.extend(fit::paths(&mut diff, world, most));
        if with_contents {
            let shown = |path: &[u8]| answer::relative(path, WORKSPACE.as_bytes());
            let files = contents::of(&outcome.changes, &outcome.before, world, shown, most);
            limit.extend(fit::contents(&mut diff, files, most));
        }
        let feedback = feedback::of(&outcome.changes, world.kernel.vfs());
        let told = self.config().feedback == Feedback::Stdout && stdout.text.is_empty();
        Answer {
            truncated: stdout.cut || stderr.cut || diff.omitted.is_some(),
            stdout: if told { feedback.join("\n") } else { stdout.text },
            stderr: stderr.text,
            stdout_base64: stdout.base64,
            stderr_base64: stderr.base64,
            exit_code: outcome.status.shell_code(),
            diff,
            feedback,
            state: self.state(),
            duration: began.elapsed().as_secs_f64() * 1e3,
            limit,
            network: Vec::new(),
            left: false,
            state_lost: None,
            output_lost: outcome.output_lost,
        }
    }
}

/// A run left no shell.
struct Lost {
    /// Why, and what holds instead.
    note: String,
    /// Another program took its place.
    replaced: bool,
}

impl Session {
    /// The shell that a run left. When it left none, that of the last completed run, and a line that says so.
    fn shell_after(&self, saved: &Capture, outcome: &Outcome) -> (ShellState, Option<Lost>) {
        let mut replaced = false;
        let why = match outcome.status {
            _ if outcome.cancelled => "The run was cancelled".to_owned(),
            WaitStatus::Signaled(_) => "The run was killed".to_owned(),
            _ if saved.overflowed() => {
                format!("The shell's variables and functions are larger than {} MiB", shell_state::MOST >> 20)
            }
            _ => match ShellState::from_guest(saved.take()) {
                Some(shell) => return (shell, None),
                None => {
                    replaced = true;
                    "The shell did not end by itself (exec?)".to_owned()
                }
            },
        };
        let note = format!("{why}: files it wrote stay, the shell's state is that of the last completed run");
        (self.history.current.shell.clone(), Some(Lost { note, replaced }))
    }
}
