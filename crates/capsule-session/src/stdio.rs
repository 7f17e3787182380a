//! Where a run's input comes from and where its output goes.

use crate::error::reason;
use crate::run::{OutputListener, Stream};
use capsule_abi::fs::{FileType, OpenFlags};
use capsule_abi::limits::{Limit, Limits};
use capsule_kernel::descriptions::bytes::Bytes;
use capsule_kernel::descriptions::capture::{Capture, Collected, Listener};
use capsule_kernel::descriptions::metered::Metered;
use capsule_kernel::descriptions::on_demand::OnDemand;
use capsule_kernel::descriptions::regular::RegularFile;
use capsule_kernel::{Description, HostEnd, Kernel};
use capsule_vfs::{Caller, Quota, Vfs};
use std::io::{self, Read, Write};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Standard input of a run.
#[derive(Default)]
pub enum Input {
    #[default]
    Empty,
    Bytes(Vec<u8>),
    /// Read from ahead of the run.
    Stream(Box<dyn Read + Send>),
    /// Read from only when a process waits for more.
    OnDemand(Box<dyn Read + Send>),
}

/// Standard output or error of a run.
#[derive(Default)]
pub enum Output {
    /// Collected into the answer.
    #[default]
    Answer,
    /// Only told to the run's listener ([`on_output`](crate::RunOptions::on_output)), as it comes: nothing is collected.
    Listener,
    /// Handed on as it comes; when writing fails, the writers get `SIGPIPE`.
    Stream(Box<dyn Write + Send>),
    /// Of standard error: it is the same open file as standard output, so that both stay in the order they are written in.
    LikeStdout,
}

/// How much crosses the wall at once.
const BLOCK: usize = 64 << 10;

impl Input {
    /// The description to give to the first process. Reading goes on in the background.
    pub(crate) fn connect(self, vfs: &Vfs, caller: &Caller) -> Description {
        match self {
            // A pipe would tell programs that something is meant for them: `rg TODO` would look there and not at the files.
            Input::Empty => match vfs.open(caller, None, b"/dev/null", OpenFlags::RDONLY, 0) {
                Ok(node) if node.kind() == FileType::CharDevice => {
                    RegularFile::new(node, FileType::CharDevice, OpenFlags::RDONLY)
                }
                _ => Bytes::new(Arc::default()),
            },
            Input::Bytes(bytes) => Bytes::new(Arc::new(bytes)),
            Input::Stream(mut stream) => {
                let (end, description) = HostEnd::writer();
                let runtime = tokio::runtime::Handle::current();
                // A thread of its own that nobody waits for: a terminal may never send the end.
                std::thread::spawn(move || {
                    let mut block = vec![0; BLOCK];
                    while let Ok(n @ 1..) = stream.read(&mut block) {
                        if runtime.block_on(end.write_all(&block[..n])).is_err() {
                            break;
                        }
                    }
                });
                description
            }
            Input::OnDemand(mut stream) => {
                let (end, description) = HostEnd::writer();
                let runtime = tokio::runtime::Handle::current();
                // One question may be open; more of them are the same one.
                let (ask, asked) = std::sync::mpsc::sync_channel::<()>(1);
                std::thread::spawn(move || {
                    let mut block = vec![0; BLOCK];
                    // Ends when the description, which holds the other end, is gone.
                    while asked.recv().is_ok() {
                        match stream.read(&mut block) {
                            Ok(n @ 1..) if runtime.block_on(end.write_all(&block[..n])).is_ok() => {}
                            _ => break,
                        }
                    }
                });
                OnDemand::new(description, move || {
                    let _ = ask.try_send(());
                })
            }
        }
    }
}

/// The host's side of an output.
pub(crate) enum Sink {
    Capture(Capture),
    /// The task, and why it could not go on writing.
    Pump(JoinHandle<io::Result<()>>, Option<io::Error>),
    /// Another one has it.
    Elsewhere,
}

impl Output {
    /// `listener` hears what is not streamed; `stdout` is what standard output is connected to.
    pub(crate) fn connect(
        self,
        kernel: &Kernel,
        listener: Option<(Stream, OutputListener)>,
        stdout: Option<&Description>,
    ) -> (Description, Sink) {
        let metered = |inner| Metered::new(inner, kernel.budget().clone()) as Description;
        match (self, stdout) {
            (Output::LikeStdout, Some(stdout)) => (stdout.clone(), Sink::Elsewhere),
            (Output::Answer | Output::LikeStdout, _) => {
                let listener = listener
                    .map(|(stream, listener)| Arc::new(move |bytes: &[u8]| listener(stream, bytes)) as Listener);
                let limits = kernel.budget().limits();
                // More than the disk holds could not be kept at the end either. It is a quota of its own: that a script
                // prints much must not fail its writing.
                let quota = Quota::new(limits.get(Limit::Disk), 0);
                let (capture, writer) = Capture::spooled(head(limits), quota, listener);
                (metered(writer), Sink::Capture(capture))
            }
            (Output::Listener, _) => {
                let (capture, writer) = Capture::passed_on(Arc::new(move |bytes| {
                    if let Some((stream, listener)) = &listener {
                        listener(*stream, bytes);
                    }
                }));
                (metered(writer), Sink::Capture(capture))
            }
            (Output::Stream(stream), _) => {
                let (end, description) = HostEnd::reader();
                (metered(description), Sink::Pump(tokio::spawn(pump(end, stream)), None))
            }
        }
    }
}

/// Passes on what processes write until all of them have closed their end, or the receiver is gone.
async fn pump(end: HostEnd, mut stream: Box<dyn Write + Send>) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    while let Ok(n @ 1..) = end.read(&mut block).await {
        let written = tokio::task::spawn_blocking(move || {
            let outcome = stream.write_all(&block[..n]).and_then(|()| stream.flush());
            (stream, block, outcome)
        });
        let outcome;
        (stream, block, outcome) = written.await.map_err(io::Error::other)?;
        outcome?;
    }
    Ok(())
}

impl Sink {
    /// Waits until nobody can write any more (or the receiver is gone).
    pub(crate) async fn closed(&mut self) {
        match self {
            Sink::Capture(capture) => capture.closed().await,
            Sink::Pump(task, lost) => match task.await {
                Ok(outcome) => *lost = outcome.err(),
                Err(error) => *lost = Some(io::Error::other(error)),
            },
            Sink::Elsewhere => {}
        }
    }

    /// Why what was written is not where it was to go. A reader that is gone is no loss: it wanted no more.
    pub(crate) fn lost(&self, name: &str) -> Option<String> {
        match self {
            Sink::Pump(_, Some(why)) if why.kind() != io::ErrorKind::BrokenPipe => {
                Some(format!("{name} could not be written: {}", reason(why)))
            }
            _ => None,
        }
    }

    /// What was collected.
    pub(crate) fn take(self, limits: &Limits) -> Collected {
        match self {
            Sink::Capture(capture) => capture.collect(head(limits)),
            Sink::Pump(..) | Sink::Elsewhere => Collected::default(),
        }
    }
}

/// How much of an output is held as one piece: what an answer shows, and enough behind it to see where its last character
/// ends.
fn head(limits: &Limits) -> usize {
    usize::try_from(limits.get(Limit::Answer).saturating_add(4)).unwrap_or(usize::MAX)
}
