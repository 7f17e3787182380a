//! The files and the kernel of a session. A kernel sees one tree for life: when a session goes back to other files, it
//! gets a new kernel over them, which costs microseconds.

use crate::builder::{Config, WORKSPACE, Workspace};
use crate::{Error, image};
use capsule_abi::Errno;
use capsule_abi::limits::Limit;
use capsule_kernel::procfs::ProcFs;
use capsule_kernel::{Kernel, KernelConfig};
use capsule_vfs::devices::DevFs;
use capsule_vfs::hostdir::HostDir;
use capsule_vfs::namespace::MountOptions;
use capsule_vfs::{Caller, Credentials, Filesystem, MemoryFs, Quota, Vfs};
use std::path::Path;
use std::sync::Arc;

/// What is mounted over the tree in memory.
struct Mounted {
    path: Vec<u8>,
    fs: Arc<dyn Filesystem>,
    options: MountOptions,
}

pub struct World {
    pub kernel: Arc<Kernel>,
    /// `/`, but for what is mounted.
    pub root: Arc<MemoryFs>,
    quota: Arc<Quota>,
    mounted: Vec<Mounted>,
}

impl World {
    /// The world a session begins in.
    pub fn new(config: &Config) -> Result<World, Error> {
        let quota = Quota::new(config.limits.get(Limit::Disk), config.limits.get(Limit::Files));
        let mut mounted = vec![Mounted {
            path: b"/dev".to_vec(),
            fs: Arc::new(DevFs::new()),
            options: MountOptions { journal: false, ..MountOptions::default() },
        }];
        if let Workspace::Host(folder) = &config.workspace {
            std::fs::create_dir_all(folder).map_err(|e| host_folder(folder, &e.to_string()))?;
            mounted.push(host(folder, WORKSPACE.as_bytes(), false, &quota)?);
        }
        for mount in &config.mounts {
            mounted.push(host(&mount.host, &mount.guest, mount.read_only, &quota)?);
        }
        World::over(config, image::fork(quota.clone())?, quota, mounted)
    }

    fn over(config: &Config, root: MemoryFs, quota: Arc<Quota>, mounted: Vec<Mounted>) -> Result<World, Error> {
        let root = Arc::new(root);
        let vfs = Vfs::new(root.clone());
        for mount in &mounted {
            let failed = |e: Errno| Error::Mount {
                host: String::from("a folder"),
                guest: String::from_utf8_lossy(&mount.path).into_owned(),
                why: e.to_string(),
            };
            make_folders(&vfs, &mount.path).map_err(failed)?;
            vfs.mount(&mount.path, mount.fs.clone(), mount.options).map_err(failed)?;
        }
        let kernel =
            Kernel::new(KernelConfig::new(Arc::new(vfs), quota.clone(), config.limits, config.runtime.clone()));
        ProcFs::mount(&kernel).map_err(|e| Error::Image(e.to_string()))?;
        for command in &config.commands {
            command.install(&kernel).map_err(|e| Error::Image(e.to_string()))?;
        }
        Ok(World { kernel, root, quota, mounted })
    }

    /// The same folders of the host over other files. Nothing runs any more in the world that was.
    pub fn replaced(self, config: &Config, root: &MemoryFs) -> Result<World, Error> {
        let root = root.fork(self.quota.clone());
        World::over(config, root, self.quota, self.mounted)
    }

    /// The host, asking for itself.
    pub fn caller(&self) -> Caller {
        Caller { credentials: self.kernel.credentials(), umask: 0, cwd: self.kernel.vfs().root(), pid: 0 }
    }
}

fn host(host: &Path, guest: &[u8], read_only: bool, quota: &Arc<Quota>) -> Result<Mounted, Error> {
    let folder = HostDir::open(host, read_only, quota.clone()).map_err(|e| host_folder(host, &e.to_string()))?;
    let options = MountOptions { read_only, ..MountOptions::default() };
    Ok(Mounted { path: guest.to_vec(), fs: Arc::new(folder), options })
}

/// Makes a folder and those above it.
pub fn make_folders(vfs: &Vfs, path: &[u8]) -> Result<(), Errno> {
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
