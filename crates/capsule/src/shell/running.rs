//! One command: its output as it comes, Ctrl-C, a sign of life when it is silent, and what it changed.

use super::Interactive;
use super::terminal::Filter;
use super::timeline::summary;
use capsule_session::{Answer, Error, Input, RunOptions, Stream};
use parking_lot::Mutex;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Silence longer than this gets a spinner.
const SILENCE: Duration = Duration::from_secs(1);
const FRAMES: &[&str] = &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

impl Interactive {
    /// Runs a line; true when the shell left with it (`exit`).
    pub fn execute(&mut self, line: &str) -> anyhow::Result<bool> {
        let answer = self.tokio.clone().block_on(self.run_line(line));
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                eprintln!("capsule: {error}");
                self.status = 125;
                return Ok(false);
            }
        };
        self.status = answer.exit_code;
        answer.limit.iter().chain(&answer.feedback).for_each(|message| eprintln!("{}", super::safe(message)));
        println!("{}", summary(&answer));
        self.timeline.add(line, &answer.diff);
        Ok(leaves(line))
    }

    async fn run_line(&self, line: &str) -> Result<Answer, Error> {
        let screen = Arc::new(Screen::default());
        let cancel = CancellationToken::new();
        let over = Arc::new(AtomicBool::new(false));
        let options = RunOptions {
            stdin: Input::OnDemand(Box::new(Typed { over: over.clone() })),
            cancel: Some(cancel.clone()),
            on_output: Some(Arc::new({
                let screen = screen.clone();
                move |stream, bytes: &[u8]| screen.show(stream, bytes)
            })),
            ..RunOptions::default()
        };
        let run = self.session().run_with(line, options);
        tokio::pin!(run);
        let mut ticks = tokio::time::interval(Duration::from_millis(100));
        let outcome = loop {
            tokio::select! {
                outcome = &mut run => break outcome,
                Ok(()) = tokio::signal::ctrl_c() => cancel.cancel(),
                _ = ticks.tick() => screen.tick(),
            }
        };
        over.store(true, Ordering::Release);
        screen.finish();
        outcome
    }
}

/// Whether a line that was run was about leaving.
fn leaves(line: &str) -> bool {
    let mut words = line.split_whitespace();
    matches!((words.next(), words.next(), words.next()), (Some("exit" | "logout"), _, None))
}

/// The terminal while a command runs.
struct Screen(Mutex<Shown>);

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
        Screen(Mutex::new(Shown {
            stdout: Filter::default(),
            stderr: Filter::default(),
            last: now,
            began: now,
            spinning: false,
            midway: false,
        }))
    }
}

impl Screen {
    fn show(&self, stream: Stream, bytes: &[u8]) {
        let mut shown = self.0.lock();
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

    fn tick(&self) {
        let mut shown = self.0.lock();
        if shown.midway || shown.last.elapsed() < SILENCE {
            return;
        }
        let elapsed = shown.began.elapsed();
        let frame = FRAMES[(elapsed.as_millis() / 100) as usize % FRAMES.len()];
        shown.spinning = true;
        let _ = write_all(std::io::stderr(), format!("\r{frame} {:.1} s", elapsed.as_secs_f32()).as_bytes());
    }

    fn finish(&self) {
        let mut shown = self.0.lock();
        shown.clear_spinner();
        // Colours of the guest's end with it, and the next prompt begins a line.
        let end: &[u8] = if shown.midway { b"\x1b[0m\n" } else { b"\x1b[0m" };
        let _ = write_all(std::io::stdout(), end);
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

/// What is typed while a command runs, as long as it runs.
struct Typed {
    over: Arc<AtomicBool>,
}

impl Read for Typed {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdin = std::io::stdin();
        loop {
            if self.over.load(Ordering::Acquire) {
                return Ok(0);
            }
            let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
            let soon = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
            // Not a blocking read: what is typed after the command belongs to the next prompt.
            if poll(&mut fds, Some(&soon))? > 0 {
                return Ok(rustix::io::read(&stdin, buf)?);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::leaves;

    #[test]
    fn leaving() {
        assert!(leaves("exit") && leaves(" exit 3 ") && leaves("logout"));
        assert!(!leaves("exit 3; echo") && !leaves("echo exit") && !leaves(""));
    }
}
