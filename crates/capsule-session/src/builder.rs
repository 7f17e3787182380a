//! What a session is made of.

use crate::session::Session;
use crate::{Error, Mount, image};
use capsule_abi::Errno;
use capsule_abi::limits::{Limit, Limits};
use capsule_kernel::procfs::ProcFs;
use capsule_kernel::{Kernel, KernelConfig, Runtime};
use capsule_vfs::devices::DevFs;
use capsule_vfs::hostdir::HostDir;
use capsule_vfs::namespace::MountOptions;
use capsule_vfs::{Caller, Credentials, Quota, Vfs};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The working folder of a session and its first working directory.
pub const WORKSPACE: &str = "/workspace";

/// Where the files of `/workspace` live.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Workspace {
    #[default]
    Memory,
    /// Plain files in this folder of the host, which is made when it is missing.
    Host(PathBuf),
}

/// Makes a [`Session`].
pub struct SessionBuilder {
    runtime: Arc<dyn Runtime>,
    workspace: Workspace,
    mounts: Vec<Mount>,
    env: Vec<(Vec<u8>, Vec<u8>)>,
    cwd: Vec<u8>,
    limits: Limits,
}

impl SessionBuilder {
    pub fn new(runtime: Arc<dyn Runtime>) -> SessionBuilder {
        SessionBuilder {
            runtime,
            workspace: Workspace::default(),
            mounts: Vec::new(),
            env: Vec::new(),
            cwd: WORKSPACE.into(),
            limits: Limits::default(),
        }
    }

    pub fn workspace(mut self, workspace: Workspace) -> SessionBuilder {
        self.workspace = workspace;
        self
    }

    pub fn mount(mut self, mount: Mount) -> SessionBuilder {
        self.mounts.push(mount);
        self
    }

    pub fn env(mut self, name: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> SessionBuilder {
        self.env.push((name.into(), value.into()));
        self
    }

    pub fn cwd(mut self, cwd: impl Into<Vec<u8>>) -> SessionBuilder {
        self.cwd = cwd.into();
        self
    }

    pub fn limits(mut self, limits: Limits) -> SessionBuilder {
        self.limits = limits;
        self
    }

    pub fn build(self) -> Result<Session, Error> {
        let quota = Quota::new(self.limits.get(Limit::Disk), self.limits.get(Limit::Files));
        let vfs = Vfs::new(Arc::new(image::fork(quota.clone())?));
        let quiet = MountOptions { journal: false, ..MountOptions::default() };
        vfs.mount(b"/dev", Arc::new(DevFs::new()), quiet).map_err(|e| Error::Image(e.to_string()))?;
        if let Workspace::Host(folder) = &self.workspace {
            std::fs::create_dir_all(folder).map_err(|e| host_folder(folder, &e.to_string()))?;
            mount_folder(&vfs, folder, WORKSPACE.as_bytes(), false, &quota)?;
        }
        for mount in &self.mounts {
            mount_folder(&vfs, &mount.host, &mount.guest, mount.read_only, &quota)?;
        }
        let kernel = Kernel::new(KernelConfig::new(Arc::new(vfs), quota, self.limits, self.runtime));
        ProcFs::mount(&kernel).map_err(|e| Error::Image(e.to_string()))?;
        Ok(Session::new(kernel, self.env, self.cwd))
    }
}

fn mount_folder(vfs: &Vfs, host: &Path, guest: &[u8], read_only: bool, quota: &Arc<Quota>) -> Result<(), Error> {
    let folder = HostDir::open(host, read_only, quota.clone()).map_err(|e| host_folder(host, &e.to_string()))?;
    let failed = |e: Errno| Error::Mount {
        host: host.display().to_string(),
        guest: String::from_utf8_lossy(guest).into_owned(),
        why: e.to_string(),
    };
    make_mount_point(vfs, guest).map_err(failed)?;
    let options = MountOptions { read_only, ..MountOptions::default() };
    vfs.mount(guest, Arc::new(folder), options).map(drop).map_err(failed)
}

/// Makes the folder to mount on, and those above it.
fn make_mount_point(vfs: &Vfs, path: &[u8]) -> Result<(), Errno> {
    let caller = Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 0 };
    let ends = path.iter().enumerate().filter(|&(i, &b)| b == b'/' && i > 0).map(|(i, _)| i);
    for end in ends.chain([path.len()]) {
        match vfs.mkdir(&caller, None, &path[..end], 0o755) {
            Ok(()) | Err(Errno::EEXIST) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

fn host_folder(path: &Path, why: &str) -> Error {
    Error::HostFolder { path: path.display().to_string(), why: why.to_owned() }
}
