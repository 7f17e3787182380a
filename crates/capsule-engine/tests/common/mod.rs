//! A session with nothing in it but the programs a test brings.

#![allow(dead_code, reason = "not every test file uses every part")]

use capsule_abi::fs::OpenFlags;
use capsule_abi::limits::{Limit, LimitHit, Limits};
use capsule_abi::process::WaitStatus;
use capsule_engine::{CacheFolder, Options, WasmRuntime};
use capsule_kernel::descriptions::capture::Capture;
use capsule_kernel::{Description, HostEnd, Kernel, KernelConfig, LoadError, Process, Start};
use capsule_vfs::devices::DevFs;
use capsule_vfs::{Caller, MemoryFs, MountOptions, Quota, Vfs};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub mod calls;

/// One engine for all tests of a file, as a host has one for all sessions.
pub fn runtime() -> Arc<WasmRuntime> {
    static SHARED: OnceLock<Arc<WasmRuntime>> = OnceLock::new();
    SHARED.get_or_init(|| runtime_with(256)).clone()
}

pub fn runtime_with(slots: u32) -> Arc<WasmRuntime> {
    WasmRuntime::new(Options { cache: CacheFolder::None, pool_slots: Some(slots), ..Options::default() }).unwrap()
}

pub struct Session {
    pub kernel: Arc<Kernel>,
    caller: Caller,
}

/// What a run came to.
#[derive(Debug)]
pub struct Outcome {
    pub status: WaitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub hits: Vec<LimitHit>,
}

impl Outcome {
    pub fn code(&self) -> i32 {
        self.status.shell_code()
    }

    pub fn hit(&self, limit: Limit) -> bool {
        self.hits.iter().any(|hit| hit.limit == limit)
    }
}

impl Session {
    pub fn new() -> Session {
        Session::with(Limits::default(), runtime())
    }

    pub fn limited(limits: &[&str]) -> Session {
        let mut parsed = Limits::default();
        for limit in limits {
            parsed.parse(limit).unwrap();
        }
        Session::with(parsed, runtime())
    }

    pub fn with(limits: Limits, runtime: Arc<WasmRuntime>) -> Session {
        let quota = Quota::new(limits.get(Limit::Disk), limits.get(Limit::Files));
        let vfs = Arc::new(Vfs::new(Arc::new(MemoryFs::new(quota.clone()))));
        let kernel = Kernel::new(KernelConfig::new(vfs.clone(), quota, limits, runtime));
        let caller = Caller { credentials: kernel.credentials(), umask: 0, cwd: vfs.root(), pid: 0 };
        let session = Session { kernel, caller };
        for (folder, mode) in [("/bin", 0o755), ("/dev", 0o755), ("/tmp", 0o1777), ("/workspace", 0o755)] {
            vfs.mkdir(&session.caller, None, folder.as_bytes(), mode).unwrap();
        }
        vfs.mount(b"/dev", Arc::new(DevFs::new()), MountOptions { read_only: false, journal: false }).unwrap();
        session
    }

    /// Puts a file there, executable.
    pub fn put(&self, path: &str, bytes: &[u8]) -> &Session {
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC;
        let file = self.kernel.vfs().open(&self.caller, None, path.as_bytes(), flags, 0o755).unwrap();
        let mut done = 0;
        while done < bytes.len() {
            done += file.write_at(done as u64, &bytes[done..]).unwrap();
        }
        self
    }

    pub fn mkdir(&self, path: &str) -> &Session {
        self.kernel.vfs().mkdir(&self.caller, None, path.as_bytes(), 0o755).unwrap();
        self
    }

    pub fn put_wat(&self, path: &str, text: &str) -> &Session {
        self.put(path, &wat::parse_str(text).unwrap())
    }

    /// What a file holds.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        let file = self.kernel.vfs().open(&self.caller, None, path.as_bytes(), OpenFlags::RDONLY, 0).ok()?;
        let mut bytes = vec![0; file.stat().ok()?.size as usize];
        let n = file.read_at(0, &mut bytes).ok()?;
        bytes.truncate(n);
        Some(bytes)
    }

    pub fn read_link(&self, path: &str) -> Option<Vec<u8>> {
        self.kernel.vfs().read_link(&self.caller, None, path.as_bytes()).ok()
    }

    /// Runs a program to its end, or until its time is over.
    pub async fn run(&self, argv: &[&str]) -> Outcome {
        self.try_run(argv).await.unwrap()
    }

    pub async fn try_run(&self, argv: &[&str]) -> Result<Outcome, LoadError> {
        self.run_with(argv, b"").await
    }

    /// The same, with something on standard input (no more than a pipe holds).
    pub async fn run_with(&self, argv: &[&str], input: &[u8]) -> Result<Outcome, LoadError> {
        let ((stdout, out), (stderr, err)) = (Capture::new(), Capture::new());
        self.kernel.begin_run(None);
        let process = self.start_with(argv, input, out, err).await?;
        let status = tokio::select! {
            status = process.ended() => status,
            () = tokio::time::sleep(self.kernel.time_left().unwrap_or(Duration::from_secs(600))) => {
                self.kernel.expire();
                process.ended().await
            }
        };
        self.kernel.kill_all(capsule_abi::signal::Signal::KILL);
        self.kernel.all_ended().await;
        let stderr = String::from_utf8_lossy(&stderr.take()).into_owned();
        Ok(Outcome { status, stdout: stdout.take(), stderr, hits: self.kernel.limit_hits() })
    }

    /// Starts a program and does not wait for it.
    pub async fn start(&self, argv: &[&str], out: Description, err: Description) -> Result<Arc<Process>, LoadError> {
        self.start_with(argv, b"", out, err).await
    }

    async fn start_with(
        &self,
        argv: &[&str],
        input: &[u8],
        out: Description,
        err: Description,
    ) -> Result<Arc<Process>, LoadError> {
        // The host's end goes at once: after these bytes comes the end of input.
        let (host, stdin) = HostEnd::writer();
        host.write_all(input).await?;
        drop(host);
        let path = match argv[0].starts_with('/') {
            true => argv[0].into(),
            false => format!("/bin/{}", argv[0]).into_bytes(),
        };
        let start = Start {
            path,
            argv: argv.iter().map(|arg| arg.as_bytes().to_vec()).collect(),
            env: vec![b"PATH=/bin".to_vec(), b"HOME=/workspace".to_vec(), b"PWD=/workspace".to_vec()],
            cwd: b"/workspace".to_vec(),
            umask: 0o022,
            descriptors: vec![(0, stdin), (1, out), (2, err)],
        };
        self.kernel.start(start).await
    }
}

/// Runs one WAT program in a session of its own.
pub async fn run_wat(text: &str) -> Outcome {
    let session = Session::new();
    session.put_wat("/bin/x", text);
    session.run(&["x"]).await
}
