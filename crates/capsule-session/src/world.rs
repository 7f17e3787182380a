//! The files and the kernel of a session. A kernel sees one tree for life: when a session goes back to other files, it
//! gets a new kernel over them, which costs microseconds.

use crate::builder::{Config, WORKSPACE, Workspace};
use crate::error::reason;
use crate::history::HostPast;
use crate::{Error, image};
use capsule_abi::Errno;
use capsule_abi::fs::OpenFlags;
use capsule_abi::limits::Limit;
use capsule_kernel::procfs::ProcFs;
use capsule_kernel::{Kernel, KernelConfig};
use capsule_vfs::devices::DevFs;
use capsule_vfs::hostdir::HostDir;
use capsule_vfs::namespace::MountOptions;
use capsule_vfs::{Caller, Changes, Credentials, Filesystem, MemoryFs, Quota, Vfs};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is mounted over the tree in memory.
struct Mounted {
    path: Vec<u8>,
    fs: Arc<dyn Filesystem>,
    options: MountOptions,
    /// When it is a folder of the host that can be written: what it was can only be known by asking it.
    host: Option<Arc<HostDir>>,
    /// The mount's number, once it is mounted.
    id: u32,
}

/// What a world is connected with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// As the session was made.
    Everything,
    Files,
}

/// How many bytes of host files a step may hold in memory for being taken back.
const KEEP: u64 = 32 << 20;

/// How many bytes of host files are hashed for a step, before and again after it. A process waits for the first, and whoever
/// asked for the second: beyond this, a file that was written counts as modified, whatever was written.
const HASH: u64 = 256 << 20;

pub struct World {
    pub kernel: Arc<Kernel>,
    /// `/`, but for what is mounted.
    pub root: Arc<MemoryFs>,
    quota: Arc<Quota>,
    mounted: Vec<Mounted>,
    /// Whether a program has been loaded here.
    pub loaded: AtomicBool,
}

impl World {
    /// The world a session begins in.
    pub fn new(config: &Config) -> Result<World, Error> {
        let quota = Quota::new(config.limits.get(Limit::Disk), config.limits.get(Limit::Files));
        let mut mounted = vec![Mounted {
            path: b"/dev".to_vec(),
            fs: Arc::new(DevFs::new()),
            options: MountOptions { journal: false, ..MountOptions::default() },
            host: None,
            id: 0,
        }];
        if let Workspace::Host(folder) = &config.workspace {
            std::fs::create_dir_all(folder).map_err(|e| match e.kind() {
                io::ErrorKind::AlreadyExists => host_folder(folder, "it is a file"),
                _ => host_folder(folder, &reason(&e)),
            })?;
            mounted.push(host(folder, WORKSPACE.as_bytes(), false, &quota)?);
        }
        for mount in &config.mounts {
            mounted.push(host(&mount.host, &mount.guest, mount.read_only, &quota)?);
        }
        World::over(config, image::fork(quota.clone())?, quota, mounted, Reach::Everything)
    }

    fn over(
        config: &Config,
        root: MemoryFs,
        quota: Arc<Quota>,
        mut mounted: Vec<Mounted>,
        reach: Reach,
    ) -> Result<World, Error> {
        let root = Arc::new(root);
        let vfs = Vfs::new(root.clone());
        for mount in &mut mounted {
            let guest = String::from_utf8_lossy(&mount.path).into_owned();
            let failed = |e: Errno| Error::Mount { guest: guest.clone(), why: e.to_string() };
            make_folders(&vfs, &mount.path).map_err(failed)?;
            mount.id = vfs.mount(&mount.path, mount.fs.clone(), mount.options).map_err(failed)?;
        }
        let mut options = KernelConfig::new(Arc::new(vfs), quota.clone(), config.limits, config.runtime.clone());
        if reach == Reach::Everything {
            options.network = config.network.clone();
        }
        let kernel = Kernel::new(options);
        ProcFs::mount(&kernel).map_err(|e| Error::Image(e.to_string()))?;
        for command in &config.commands {
            command.install(&kernel).map_err(|e| Error::Image(e.to_string()))?;
        }
        Ok(World { kernel, root, quota, mounted, loaded: AtomicBool::new(false) })
    }

    /// The same folders of the host over other files. Nothing runs any more in the world that was.
    pub fn replaced(self, config: &Config, root: &MemoryFs) -> Result<World, Error> {
        let root = root.fork(self.quota.clone());
        World::over(config, root, self.quota, self.mounted, Reach::Everything)
    }

    /// A copy to try something in: nothing of it is kept, folders of the host cannot be changed, and there is no network.
    pub fn scratch(&self, config: &Config) -> Result<World, Error> {
        let quota = Quota::new(config.limits.get(Limit::Disk), config.limits.get(Limit::Files));
        let mounted = self.mounted.iter().map(|mount| Mounted {
            path: mount.path.clone(),
            fs: mount.fs.clone(),
            options: MountOptions { read_only: mount.options.read_only || mount.host.is_some(), ..mount.options },
            host: None,
            id: 0,
        });
        World::over(config, self.root.fork(quota.clone()), quota, mounted.collect(), Reach::Files)
    }

    /// The folders of the host that can be written, with the numbers of their mounts.
    fn hosts(&self) -> impl Iterator<Item = (u32, &Arc<HostDir>)> {
        self.mounted.iter().filter_map(|mount| Some((mount.id, mount.host.as_ref()?)))
    }

    /// Whether there are files that no version knows.
    pub fn has_hosts(&self) -> bool {
        self.hosts().next().is_some()
    }

    /// From now on it is noted what changes.
    pub fn begin_step(&self) {
        self.hosts().for_each(|(_, host)| host.keep_contents(KEEP, HASH));
        self.kernel.vfs().journal().begin();
    }

    /// What comes now only looks.
    pub fn keep_nothing_more(&self) {
        self.hosts().for_each(|(_, host)| host.keep_contents(0, HASH));
    }

    /// What the step has changed in folders of the host.
    pub fn end_step(&self) -> HostPast {
        let mounts: Vec<u32> = self.hosts().map(|(id, _)| id).collect();
        let past = self.kernel.vfs().journal().take(&mounts);
        self.keep_nothing_more();
        if past.is_empty() { HostPast::Same } else { HostPast::Kept(Arc::new(past)) }
    }

    /// Makes the folders of the host what they were before a step.
    pub fn take_back(&self, past: &HostPast) -> Result<(), Error> {
        let past = match past {
            HostPast::Same => return Ok(()),
            HostPast::Unknown if !self.has_hosts() => return Ok(()),
            HostPast::Unknown => return Err(Error::CannotUndo("what it changed in host folders was not kept".into())),
            HostPast::Kept(past) => past,
        };
        for (id, host) in self.hosts() {
            past.check(id, &**host).map_err(|name| {
                let name = String::from_utf8_lossy(&name).into_owned();
                Error::CannotUndo(format!("'{name}' was too large to be kept"))
            })?;
        }
        for (id, host) in self.hosts() {
            past.take_back(id, &**host).map_err(|e| Error::CannotUndo(e.to_string()))?;
        }
        Ok(())
    }

    /// Has what a step wrote into folders of the host be on the disk.
    pub fn sync_hosts(&self, changes: &Changes) {
        if !self.has_hosts() {
            return;
        }
        let vfs = self.kernel.vfs();
        let renamed = changes.renamed.iter().map(|(_, to)| to);
        for path in changes.created.iter().chain(&changes.modified).chain(renamed) {
            let folder = &path[..path.iter().rposition(|&b| b == b'/').unwrap_or(0).max(1)];
            for path in [path, folder] {
                let flags = OpenFlags::RDONLY | OpenFlags::NOFOLLOW;
                // What cannot be opened (a link, a file without permissions) is nothing to wait for.
                if let Ok(node) = vfs.open(&self.caller(), None, path, flags, 0) {
                    let _ = node.sync();
                }
            }
        }
    }

    /// The workspace, when it is a folder of the host.
    pub fn host_workspace(&self) -> Option<Arc<HostDir>> {
        self.mounted.iter().find(|mount| mount.path == WORKSPACE.as_bytes()).and_then(|mount| mount.host.clone())
    }

    /// The host, asking for itself.
    pub fn caller(&self) -> Caller {
        Caller { credentials: self.kernel.credentials(), umask: 0, cwd: self.kernel.vfs().root(), pid: 0 }
    }
}

fn host(host: &Path, guest: &[u8], read_only: bool, quota: &Arc<Quota>) -> Result<Mounted, Error> {
    let folder = HostDir::open(host, read_only, quota.clone()).map_err(|e| host_folder(host, &e.to_string()))?;
    let options = MountOptions { read_only, ..MountOptions::default() };
    let folder = Arc::new(folder);
    let host = (!read_only).then(|| folder.clone());
    Ok(Mounted { path: guest.to_vec(), fs: folder, options, host, id: 0 })
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
