//! A kernel whose programs are closures: a file with the Wasm magic and a name runs the closure of that name.

#![allow(dead_code, reason = "not every test file uses every part")]

use capsule_abi::Errno;
use capsule_abi::fs::OpenFlags;
use capsule_abi::limits::Limits;
use capsule_abi::process::{SpawnRequest, WaitStatus};
use capsule_kernel::descriptions::capture::Capture;
use capsule_kernel::network::{Network, NoNetwork};
use capsule_kernel::{
    BoxFuture, Checkpoint, Exit, Image, Interest, Kernel, KernelConfig, LoadError, Process, Program, Runtime, Start,
};
use capsule_vfs::{Caller, Credentials, MemoryFs, Quota, Vfs};
use std::collections::HashMap;
use std::sync::Arc;

type Body = Arc<dyn Fn(Arc<Process>) -> BoxFuture<'static, Exit> + Send + Sync>;

pub struct Scripted(Body);

impl Program for Scripted {
    fn run(self: Arc<Self>, process: Arc<Process>) -> BoxFuture<'static, Exit> {
        let body = (self.0)(process.clone());
        Box::pin(async move {
            let exit = body.await;
            // As a runtime does: whoever was told to end, ends with that signal whatever it answers.
            match process.checkpoint() {
                Checkpoint::Killed(signal) if exit != Exit::Exec => Exit::Signal(signal),
                _ => exit,
            }
        })
    }
}

#[derive(Default)]
pub struct Scripts(HashMap<&'static str, Body>);

impl Scripts {
    /// Adds `/bin/NAME`.
    pub fn add<F, R>(mut self, name: &'static str, body: F) -> Scripts
    where
        F: Fn(Arc<Process>) -> R + Send + Sync + 'static,
        R: Future<Output = Exit> + Send + 'static,
    {
        self.0.insert(name, Arc::new(move |process| Box::pin(body(process))));
        self
    }

    pub fn boot(self) -> Machine {
        self.boot_with(Limits::default())
    }

    pub fn boot_with(self, limits: Limits) -> Machine {
        self.boot_on(limits, Arc::new(NoNetwork))
    }

    pub fn boot_on(self, limits: Limits, network: Arc<dyn Network>) -> Machine {
        let quota = Quota::unlimited();
        let vfs = Arc::new(Vfs::new(Arc::new(MemoryFs::new(quota.clone()))));
        let names: Vec<_> = self.0.keys().copied().collect();
        let config = KernelConfig::new(vfs, quota, limits, Arc::new(self));
        let kernel = Kernel::new(KernelConfig { network, ..config });
        let machine = Machine { kernel };
        machine.mkdir("/bin");
        machine.mkdir("/tmp");
        for name in names {
            machine.write(&format!("/bin/{name}"), format!("\0asm{name}").as_bytes(), 0o755);
        }
        machine.kernel.begin_run(None);
        machine
    }
}

impl Runtime for Scripts {
    fn load<'a>(&'a self, image: Image<'a>) -> BoxFuture<'a, Result<Arc<dyn Program>, LoadError>> {
        Box::pin(async move {
            let bytes = (image.read)()?;
            let name = std::str::from_utf8(&bytes[4..]).map_err(|_| Errno::ENOEXEC)?;
            let body = self.0.get(name).ok_or(Errno::ENOEXEC)?;
            Ok(Arc::new(Scripted(body.clone())) as Arc<dyn Program>)
        })
    }
}

pub struct Machine {
    pub kernel: Arc<Kernel>,
}

impl Machine {
    pub fn caller(&self) -> Caller {
        Caller { credentials: Credentials::default(), umask: 0, cwd: self.kernel.vfs().root(), pid: 0 }
    }

    pub fn mkdir(&self, path: &str) {
        self.kernel.vfs().mkdir(&self.caller(), None, path.as_bytes(), 0o755).unwrap();
    }

    pub fn write(&self, path: &str, bytes: &[u8], mode: u32) {
        let flags = OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::WRONLY;
        let file = self.kernel.vfs().open(&self.caller(), None, path.as_bytes(), flags, mode).unwrap();
        assert_eq!(file.write_at(0, bytes), Ok(bytes.len()));
    }

    pub async fn start(&self, name: &str, args: &[&str]) -> (Arc<Process>, Capture) {
        let (output, writer) = Capture::new();
        let argv = [name].iter().chain(args).map(|a| a.as_bytes().to_vec()).collect();
        let start = Start {
            path: format!("/bin/{name}").into_bytes(),
            argv,
            env: Vec::new(),
            cwd: b"/".to_vec(),
            umask: 0o022,
            descriptors: vec![(1, writer)],
        };
        (self.kernel.start(start).await.unwrap_or_else(|e| panic!("{name}: {e:?}")), output)
    }

    /// Runs a program to its end: its status and what it wrote to descriptor 1.
    pub async fn run(&self, name: &str, args: &[&str]) -> (WaitStatus, String) {
        let (process, output) = self.start(name, args).await;
        let status = process.ended().await;
        (status, String::from_utf8(output.take()).unwrap())
    }

    /// Nothing may be left when a test is over.
    pub async fn assert_empty(&self) {
        self.kernel.all_ended().await;
        assert!(self.kernel.processes().is_empty(), "processes are left");
        use capsule_abi::limits::Limit;
        for limit in [Limit::Processes, Limit::OpenFiles, Limit::Memory] {
            assert_eq!(self.kernel.budget().used(limit), 0, "{limit:?} was not given back");
        }
    }
}

pub fn request(path: &str, args: &[&str]) -> SpawnRequest {
    let argv = [path].iter().chain(args).map(|a| a.as_bytes().to_vec()).collect();
    SpawnRequest { path: path.as_bytes().to_vec(), argv, ..SpawnRequest::default() }
}

/// Writes everything to a descriptor, waiting as a blocking write does.
pub async fn write(process: &Process, fd: i32, mut data: &[u8]) -> Result<(), Errno> {
    let description = process.description(fd)?;
    while !data.is_empty() {
        match process.try_write(&*description, data) {
            Ok(n) => data = &data[n..],
            Err(Errno::EAGAIN) => process.wait_ready(&*description, Interest::Write).await?,
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

pub async fn read(process: &Process, fd: i32, most: usize) -> Result<Vec<u8>, Errno> {
    let description = process.description(fd)?;
    let mut buf = vec![0; most];
    loop {
        match description.read(&mut buf) {
            Ok(n) => {
                buf.truncate(n);
                return Ok(buf);
            }
            Err(Errno::EAGAIN) => process.wait_ready(&*description, Interest::Read).await?,
            Err(e) => return Err(e),
        }
    }
}

pub async fn read_all(process: &Process, fd: i32) -> Result<Vec<u8>, Errno> {
    let mut all = Vec::new();
    loop {
        match read(process, fd, 1 << 16).await? {
            block if block.is_empty() => return Ok(all),
            block => all.extend(block),
        }
    }
}

pub async fn say(process: &Process, text: &str) {
    write(process, 1, text.as_bytes()).await.unwrap();
}

/// An ordinary end.
pub const OK: Exit = Exit::Code(0);
