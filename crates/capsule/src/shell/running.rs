//! One command: its output as it comes, Ctrl-C, a sign of life when it is silent, and what it changed.

use super::Interactive;
use super::ahead::Ahead;
use super::terminal::{Filter, safe};
use super::timeline::summary;
use crate::window;
use capsule_session::{Bash, Error, Input, Output, RunOptions, Stream};
use parking_lot::Mutex;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Silence longer than this gets a spinner.
const SILENCE: Duration = Duration::from_secs(1);
const FRAMES: &[&str] = &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// What an interrupted command ends with: 128 + `SIGINT`.
const INTERRUPTED: i32 = 130;

/// What keys of the terminal send to this process while a command runs.
pub struct Signals {
    interrupt: Signal,
    /// Only held: as in bash, Ctrl-\ does not end the shell.
    _quit: Signal,
}

impl Signals {
    pub fn new() -> std::io::Result<Signals> {
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, _quit: signal(SignalKind::quit())? })
    }
}

impl Interactive {
    /// Runs a line; true when the user left with it (`exit`).
    pub fn execute(&mut self, line: &str) -> bool {
        let (outcome, interrupted) =
            self.watched(|session, options| async move { session.run_with(line, options).await });
        let answer = match outcome {
            Ok(answer) => answer,
            Err(error) => {
                eprintln!("capsule: {}", safe(&error.to_string()));
                self.status = 125;
                return false;
            }
        };
        self.status = if interrupted { INTERRUPTED } else { answer.exit_code };
        let lost = answer.state_lost.iter().filter(|_| !answer.left);
        answer.limit.iter().chain(lost).for_each(|message| eprintln!("{}", safe(message)));
        self.timeline.add(line, &answer.diff);
        if !answer.left {
            println!("{}", summary(&answer));
        }
        answer.left
    }

    /// What the session wants as its prompts.
    pub fn ask_prompt(&mut self) -> Option<[Vec<u8>; 2]> {
        self.watched(|session, options| async move { session.prompt(options).await }).0.ok().flatten()
    }

    /// Runs something with the terminal as its input and output; whether the user interrupted it. The first Ctrl-C is for
    /// the command, the second ends it whatever it does.
    fn watched<T, F>(&mut self, start: impl FnOnce(Bash, RunOptions) -> F) -> (Result<T, Error>, bool)
    where
        F: Future<Output = Result<T, Error>>,
    {
        let screen = Arc::new(Screen::default());
        let (interrupt, cancel) = (CancellationToken::new(), CancellationToken::new());
        let options = RunOptions {
            stdin: Input::OnDemand(Box::new(Typed { screen: screen.clone(), ahead: self.ahead.clone() })),
            // What is seen need not be told again, nor be held in memory.
            stdout: Output::Listener,
            stderr: Output::Listener,
            terminals: [true; 3],
            window: Some(window::size()),
            cancel: Some(cancel.clone()),
            interrupt: Some(interrupt.clone()),
            on_output: Some(Arc::new({
                let screen = screen.clone();
                move |stream, bytes: &[u8]| screen.show(stream, bytes)
            })),
            ..RunOptions::default()
        };
        let run = start(self.session().clone(), options);
        let pressed = &mut self.signals.interrupt;
        let outcome = self.tokio.block_on(async {
            tokio::pin!(run);
            let mut ticks = tokio::time::interval(Duration::from_millis(100));
            loop {
                tokio::select! {
                    outcome = &mut run => break outcome,
                    _ = pressed.recv() => {
                        if interrupt.is_cancelled() {
                            cancel.cancel();
                        }
                        interrupt.cancel();
                        screen.new_line();
                    }
                    _ = ticks.tick() => screen.tick(interrupt.is_cancelled()),
                }
            }
        });
        screen.finish();
        (outcome, interrupt.is_cancelled())
    }
}

/// The terminal while a command runs.
struct Screen {
    shown: Mutex<Shown>,
    /// The command waits for what is typed: nothing may be written over that.
    reading: AtomicBool,
    /// The command has ended. Held by whoever reads what was typed: afterwards that belongs to the prompt.
    over: Mutex<bool>,
}

struct Shown {
    stdout: Filter,
    stderr: Filter,
    last: Instant,
    began: Instant,
    spinning: bool,
    /// The cursor is not at the beginning of a line.
    midway: bool,
}

impl Default for Screen {
    fn default() -> Screen {
        let now = Instant::now();
        let shown = Shown {
            stdout: Filter::default(),
            stderr: Filter::default(),
            last: now,
            began: now,
            spinning: false,
            midway: false,
        };
        Screen { shown: Mutex::new(shown), reading: AtomicBool::new(false), over: Mutex::new(false) }
    }
}

impl Screen {
    fn show(&self, stream: Stream, bytes: &[u8]) {
        let mut shown = self.shown.lock();
        shown.clear_spinner();
        let mut clean = Vec::with_capacity(bytes.len());
        match stream {
            Stream::Stdout => shown.stdout.pass(bytes, &mut clean),
            Stream::Stderr => shown.stderr.pass(bytes, &mut clean),
        }
        shown.last = Instant::now();
        shown.midway = clean.last().map_or(shown.midway, |&b| b != b'\n');
        // A terminal that is gone is noticed at the next prompt.
        let _ = match stream {
            Stream::Stdout => write_all(std::io::stdout(), &clean),
            Stream::Stderr => write_all(std::io::stderr(), &clean),
        };
    }

    fn tick(&self, interrupted: bool) {
        let mut shown = self.shown.lock();
        if shown.midway || shown.last.elapsed() < SILENCE || self.reading.load(Ordering::Acquire) {
            return;
        }
        let elapsed = shown.began.elapsed();
        let frame = FRAMES[(elapsed.as_millis() / 100) as usize % FRAMES.len()];
        let hint = if interrupted { "  Ctrl-C again kills" } else { "" };
        shown.spinning = true;
        let _ = write_all(std::io::stderr(), format!("\r{frame} {:.1} s{hint}", elapsed.as_secs_f32()).as_bytes());
    }

    /// The terminal has shown the key.
    fn new_line(&self) {
        let mut shown = self.shown.lock();
        shown.clear_spinner();
        shown.midway = false;
        let _ = write_all(std::io::stdout(), b"\n");
    }

    fn finish(&self) {
        *self.over.lock() = true;
        let mut shown = self.shown.lock();
        shown.clear_spinner();
        let mut end = Vec::new();
        shown.stdout.finish(&mut end);
        // Colours of the guest's end with it, and the next prompt begins a line.
        if shown.stdout.coloured || shown.stderr.coloured {
            end.extend_from_slice(b"\x1b[0m");
        }
        if shown.midway {
            end.push(b'\n');
        }
        let _ = write_all(std::io::stdout(), &end);
    }
}

impl Shown {
    fn clear_spinner(&mut self) {
        if std::mem::take(&mut self.spinning) {
            let _ = write_all(std::io::stderr(), b"\r\x1b[K");
        }
    }
}

fn write_all(mut to: impl Write, bytes: &[u8]) -> std::io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}

/// What is typed while a command runs, as long as it runs; first what was typed before.
struct Typed {
    screen: Arc<Screen>,
    ahead: Ahead,
}

impl Read for Typed {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use rustix::io::Errno;
        if let Some(line) = self.ahead.line(buf.len()) {
            // The terminal would have shown it.
            self.screen.show(Stream::Stdout, &line);
            buf[..line.len()].copy_from_slice(&line);
            return Ok(line.len());
        }
        self.screen.reading.store(true, Ordering::Release);
        let stdin = std::io::stdin();
        let read = loop {
            if *self.screen.over.lock() {
                break Ok(0);
            }
            let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
            let soon = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
            // Not a blocking read: what is typed after the command belongs to the next prompt. A signal, as of a window that
            // changes its size, ends nothing.
            match poll(&mut fds, Some(&soon)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => {
                    let over = self.screen.over.lock();
                    if *over {
                        break Ok(0);
                    }
                    // There is something, so it does not wait.
                    match rustix::io::read(&stdin, &mut *buf) {
                        Err(Errno::INTR) => {}
                        read => break read.map_err(Into::into),
                    }
                }
                Err(error) => break Err(error.into()),
            }
        };
        self.screen.reading.store(false, Ordering::Release);
        read
    }
}
