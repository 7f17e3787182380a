//! Custom commands: functions of the host that processes run like any other program, in pipes and substitutions too.

use crate::description::{Description, Interest};
use crate::process::{Checkpoint, Process};
use crate::program::{BoxFuture, Exit, Program};
use capsule_abi::Errno;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

/// A host function behind a command. It sees what a program sees, and no more.
pub trait Command: Send + Sync + 'static {
    fn run(self: Arc<Self>, io: CommandIo) -> BoxFuture<'static, u8>;
}

impl<F> Command for F
where
    F: Fn(CommandIo) -> BoxFuture<'static, u8> + Send + Sync + 'static,
{
    fn run(self: Arc<Self>, io: CommandIo) -> BoxFuture<'static, u8> {
        self(io)
    }
}

/// A command as a program.
pub struct CommandProgram(Arc<dyn Command>);

impl CommandProgram {
    pub fn new(command: impl Command) -> Arc<CommandProgram> {
        Arc::new(CommandProgram(Arc::new(command)))
    }
}

impl Program for CommandProgram {
    fn run(self: Arc<Self>, process: Arc<Process>) -> BoxFuture<'static, Exit> {
        Box::pin(async move {
            // A task of its own: a panic in it is a failed command and nothing more.
            let command = self.0.clone();
            let mut task = tokio::spawn(command.run(CommandIo { process: process.clone() }));
            let finished = poll_fn(|cx| {
                if let Poll::Ready(outcome) = Pin::new(&mut task).poll(cx) {
                    return Poll::Ready(Some(outcome));
                }
                match process.poll_killed(cx) {
                    true => Poll::Ready(None),
                    false => Poll::Pending,
                }
            })
            .await;
            match finished {
                Some(Ok(code)) => Exit::Code(code),
                Some(Err(_)) => {
                    let text = format!("{}: the command failed inside the host\n", process.name());
                    if let Ok(stderr) = process.description(2) {
                        let _ = process.try_write(&*stderr, text.as_bytes());
                    }
                    Exit::Code(1)
                }
                None => {
                    task.abort();
                    match process.checkpoint() {
                        Checkpoint::Killed(signal) => Exit::Signal(signal),
                        _ => Exit::Code(1),
                    }
                }
            }
        })
    }
}

/// What a command may touch: its arguments, and its descriptors.
#[derive(Clone)]
pub struct CommandIo {
    process: Arc<Process>,
}

impl CommandIo {
    pub fn argv(&self) -> Arc<Vec<Vec<u8>>> {
        self.process.argv()
    }

    pub fn env(&self) -> Arc<Vec<Vec<u8>>> {
        self.process.env()
    }

    pub fn cwd(&self) -> Result<Vec<u8>, Errno> {
        self.process.getcwd()
    }

    /// The process, for commands that work with the session's files.
    pub fn process(&self) -> &Arc<Process> {
        &self.process
    }

    /// Some bytes of standard input; none at its end.
    pub async fn read(&self, buf: &mut [u8]) -> Result<usize, Errno> {
        let stdin = self.process.description(0)?;
        loop {
            match stdin.read(buf) {
                Err(Errno::EAGAIN) => self.process.wait_ready(&*stdin, Interest::Read).await?,
                outcome => return outcome,
            }
        }
    }

    pub async fn write_stdout(&self, data: &[u8]) -> Result<(), Errno> {
        self.write(self.process.description(1)?, data).await
    }

    pub async fn write_stderr(&self, data: &[u8]) -> Result<(), Errno> {
        self.write(self.process.description(2)?, data).await
    }

    async fn write(&self, to: Description, mut data: &[u8]) -> Result<(), Errno> {
        while !data.is_empty() {
            match self.process.try_write(&*to, data) {
                Ok(n) => data = &data[n..],
                Err(Errno::EAGAIN) => self.process.wait_ready(&*to, Interest::Write).await?,
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}
