//! Ctrl-C while a command runs. The first one is the command's: a trap gets it, and whatever has none ends with 130. The
//! second ends this process, whatever runs.

use signal_hook::consts::SIGINT;
use signal_hook::low_level::emulate_default_handler;
use std::io::{IsTerminal, stderr};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// What a command that was interrupted ends with.
pub const STATUS: u8 = 130;

/// A command that goes on for so long after Ctrl-C may not have heard it.
const PATIENCE: Duration = Duration::from_secs(1);

pub struct Interrupts {
    /// None where interrupts are ignored, as for a background job of a script: then they still are.
    pressed: Option<Signal>,
    /// For the command that runs.
    pub token: CancellationToken,
}

impl Interrupts {
    pub fn new() -> std::io::Result<Interrupts> {
        let pressed = if is_ignored() { None } else { Some(signal(SignalKind::interrupt())?) };
        Ok(Interrupts { pressed, token: CancellationToken::new() })
    }

    /// Does some work, and hears interrupts meanwhile.
    pub async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let Some(pressed) = &mut self.pressed else { return work.await };
        let hint = async |token: &CancellationToken| {
            token.cancelled().await;
            tokio::time::sleep(PATIENCE).await;
            if stderr().is_terminal() {
                eprintln!("capsule: the command goes on; Ctrl-C again ends it");
            }
            std::future::pending::<()>().await;
        };
        let (mut work, mut hint) = (std::pin::pin!(work), std::pin::pin!(hint(&self.token)));
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                _ = pressed.recv() => {
                    if self.token.is_cancelled() {
                        end();
                    }
                    self.token.cancel();
                }
                () = &mut hint => {}
            }
        }
    }
}

/// Ends this process as an interrupt would have: whoever waits for it must see that, or a script that was interrupted would
/// go on with its next line.
pub fn end() -> ! {
    let _ = emulate_default_handler(SIGINT);
    std::process::exit(128 + SIGINT)
}

/// Whether whoever started this process had it ignore interrupts.
fn is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    (mask.unwrap_or(0) >> (SIGINT - 1)) & 1 == 1
}
