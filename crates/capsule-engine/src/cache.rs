//! Compiled modules on disk. What is loaded from here is machine code that the host runs unchecked, so the folder must
//! be the user's own: not a link, not writable by others, never a place of a project or a guest. Anything else is
//! refused, and guests are compiled anew each time.

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT,
};
use rustix::fs::{flock, fstat, fsync, futimens, mkdirat, openat, renameat, statat, unlinkat};
use std::fs::{DirBuilder, File};
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use thiserror::Error;
use wasmtime::{Engine, Module};

/// The folder below the cache's own that holds compiled modules.
const FOLDER: &str = "compiled";

/// How much is kept. Guests may run any number of modules; the least recently used ones go first.
const MAX_BYTES: u64 = 1 << 30;

/// Files end so once they are whole.
const SUFFIX: &str = ".cwasm";

/// Names a compiled module: the hash of its bytes, of the engine's version and of everything that shapes its code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key(blake3::Hash);

impl Key {
    /// `module` is the hash of its bytes.
    pub fn new(engine: &Engine, module: &[u8; 32]) -> Key {
        let mut hasher = Blake(blake3::Hasher::new());
        hasher.0.update(module);
        // The crate's version is part of the compatibility hash as well; said twice, should that ever change.
        hasher.0.update(concat!("capsule ", env!("CARGO_PKG_VERSION"), " wasmtime 48").as_bytes());
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Key(hasher.0.finalize())
    }

    fn file_name(&self) -> String {
        format!("{}{SUFFIX}", self.0.to_hex())
    }
}

/// Lets what implements [`Hash`] be hashed with BLAKE3.
struct Blake(blake3::Hasher);

impl Hasher for Blake {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

/// Why there is no cache.
#[derive(Debug, Error)]
pub enum CacheRefused {
    #[error("no home folder is known; set CAPSULE_CACHE to a folder of yours")]
    NoFolder,
    #[error(
        "{0}: the path is relative, and whoever wrote the current folder could plant code there; use an absolute one"
    )]
    Relative(PathBuf),
    #[error("{path}: {why}; use a folder that only you can write, or set CAPSULE_CACHE")]
    Unsafe { path: PathBuf, why: &'static str },
    #[error("{path}: {error}")]
    Io { path: PathBuf, error: io::Error },
}

/// `$CAPSULE_CACHE`, else `$XDG_CACHE_HOME/capsule`, else `~/.cache/capsule`.
pub fn default_folder() -> Result<PathBuf, CacheRefused> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = variable("CAPSULE_CACHE") {
        return Ok(path);
    }
    // Relative values are to be ignored, says the specification of XDG_CACHE_HOME.
    if let Some(path) = variable("XDG_CACHE_HOME").filter(|path| path.is_absolute()) {
        return Ok(path.join("capsule"));
    }
    variable("HOME").map(|home| home.join(".cache/capsule")).ok_or(CacheRefused::NoFolder)
}

/// An open, checked folder of compiled modules.
pub struct DiskCache {
    folder: OwnedFd,
    max_bytes: u64,
}

impl DiskCache {
    /// Opens the cache at `path`, making it when it is not there.
    pub fn open(path: &Path) -> Result<DiskCache, CacheRefused> {
        if !path.is_absolute() {
            return Err(CacheRefused::Relative(path.to_owned()));
        }
        // Without a trailing slash, which would make NOFOLLOW follow.
        let path: PathBuf = path.components().collect();
        let io = |error: io::Error| CacheRefused::Io { path: path.clone(), error };
        DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(io)?;
        let base = checked(&path, openat(rustix::fs::CWD, &path, folder_flags(), Mode::empty()))?;
        match mkdirat(&base, FOLDER, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(io(error.into())),
        }
        let folder = checked(&path.join(FOLDER), openat(&base, FOLDER, folder_flags(), Mode::empty()))?;
        Ok(DiskCache { folder, max_bytes: MAX_BYTES })
    }

    /// The compiled form, if it is here and whole. A file that cannot be used is removed.
    #[expect(unsafe_code, reason = "compiled code cannot be checked, only trusted; the comment says why it is")]
    pub fn load(&self, engine: &Engine, key: &Key) -> Option<Module> {
        let name = key.file_name();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = openat(&self.folder, &name, flags, Mode::empty()).ok()?;
        let trusted = fstat(&file).is_ok_and(|stat| {
            FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && why_unsafe(&stat).is_none()
        });
        if !trusted {
            return None;
        }
        touch(&file);
        // SAFETY: the bytes must come from Wasmtime, unchanged. The file was opened by name in a folder that belongs to
        // this user and that nobody else can write, is itself such a file, and gets its name only by `rename` after
        // `store` wrote and synced what `Module::serialize` gave. Whoever can forge it can already act as this user.
        // A file of another engine or version is refused by Wasmtime's own header check.
        match unsafe { Module::deserialize_open_file(engine, File::from(file)) } {
            Ok(module) => Some(module),
            Err(_) => {
                let _ = unlinkat(&self.folder, &name, AtFlags::empty());
                None
            }
        }
    }

    /// Waits until nobody compiles this module, in whatever process: then it is there, or the caller is to make it.
    pub fn lock(&self, key: &Key) -> io::Result<Lock<'_>> {
        let name = format!("{}.lock", key.0.to_hex());
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = openat(&self.folder, &name, flags, Mode::RUSR | Mode::WUSR)?;
        loop {
            match flock(&file, FlockOperation::LockExclusive) {
                Ok(()) => return Ok(Lock { cache: self, name, _file: file }),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Keeps a compiled module: the whole file appears, or none.
    pub fn store(&self, key: &Key, compiled: &[u8]) -> io::Result<()> {
        let (name, temporary) = (key.file_name(), temporary_name()?);
        let written = self.write_synced(&temporary, compiled).and_then(|()| {
            renameat(&self.folder, &temporary, &self.folder, &name)?;
            Ok(())
        });
        if written.is_err() {
            let _ = unlinkat(&self.folder, &temporary, AtFlags::empty());
        }
        written?;
        self.evict()
    }

    fn write_synced(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.folder, name, flags, Mode::RUSR | Mode::WUSR)?);
        file.write_all(bytes)?;
        fsync(&file)?;
        Ok(())
    }

    /// Removes the least recently used files until the rest is small enough, and what an ended process left unfinished.
    fn evict(&self) -> io::Result<()> {
        let mut files = Vec::new();
        let mut total = 0u64;
        for entry in Dir::read_from(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let Ok(stat) = statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
                total = total.saturating_add(stat.st_size as u64);
                files.push((stat.st_mtime, stat.st_size as u64, name.to_owned()));
            }
        }
        files.sort();
        for (_, size, name) in files {
            if total <= self.max_bytes {
                break;
            }
            if unlinkat(&self.folder, &name, AtFlags::empty()).is_ok() {
                total = total.saturating_sub(size);
            }
        }
        Ok(())
    }
}

/// Held while a module is compiled. The operating system lets go of it when the process ends, however it does.
pub struct Lock<'a> {
    cache: &'a DiskCache,
    name: String,
    _file: OwnedFd,
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        // Who waits for it has it open; who comes later makes a new one, and finds the module first.
        let _ = unlinkat(&self.cache.folder, &self.name, AtFlags::empty());
    }
}

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

fn checked(path: &Path, opened: rustix::io::Result<OwnedFd>) -> Result<OwnedFd, CacheRefused> {
    let refused = |why| CacheRefused::Unsafe { path: path.to_owned(), why };
    let io = |error: rustix::io::Errno| CacheRefused::Io { path: path.to_owned(), error: error.into() };
    let folder = match opened {
        Ok(folder) => folder,
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => return Err(refused("it is a link or no folder")),
        Err(error) => return Err(io(error)),
    };
    match why_unsafe(&fstat(&folder).map_err(io)?) {
        Some(why) => Err(refused(why)),
        None => Ok(folder),
    }
}

fn why_unsafe(stat: &Stat) -> Option<&'static str> {
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Some("it belongs to another user");
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
        return Some("others can write it");
    }
    None
}

/// Marks a file as just used: [`DiskCache::evict`] goes by modification time.
fn touch(file: impl AsFd) {
    let at = |nanoseconds| Timespec { tv_sec: 0, tv_nsec: nanoseconds };
    let times = Timestamps { last_access: at(UTIME_OMIT), last_modification: at(UTIME_NOW) };
    let _ = futimens(file, &times);
}

/// A name nobody else uses, also not another process with the same cache.
fn temporary_name() -> io::Result<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|_| io::Error::other("no random numbers"))?;
    Ok(format!("{:032x}.tmp", u128::from_le_bytes(random)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn module(engine: &Engine, text: &str) -> (Vec<u8>, Module) {
        let bytes = wat::parse_str(text).unwrap();
        let module = Module::new(engine, &bytes).unwrap();
        (bytes, module)
    }

    fn hash(bytes: &[u8]) -> [u8; 32] {
        *blake3::hash(bytes).as_bytes()
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let mut all: Vec<_> =
            std::fs::read_dir(folder.join(FOLDER)).unwrap().map(|entry| entry.unwrap().path()).collect();
        all.sort();
        all
    }

    #[test]
    fn a_module_comes_back_and_a_broken_file_goes() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::default();
        let cache = DiskCache::open(folder.path()).unwrap();
        let (bytes, module) = module(&engine, "(module (func (export \"answer\")))");
        let key = Key::new(&engine, &hash(&bytes));
        assert!(cache.load(&engine, &key).is_none());
        let compiled = module.serialize().unwrap();
        cache.store(&key, &compiled).unwrap();
        assert!(cache.load(&engine, &key).unwrap().get_export("answer").is_some());
        assert_eq!(files(folder.path()).len(), 1);
        for broken in [&compiled[..compiled.len() / 2], b"", b"\x7fELF"] {
            std::fs::write(&files(folder.path())[0], broken).unwrap();
            assert!(cache.load(&engine, &key).is_none());
            assert_eq!(files(folder.path()).len(), 0);
            cache.store(&key, &compiled).unwrap();
        }
    }

    #[test]
    fn one_compiles_while_the_others_wait() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::default();
        let (bytes, module) = module(&engine, "(module)");
        let key = Key::new(&engine, &hash(&bytes));
        let compiled = module.serialize().unwrap();
        let made = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    // As processes do, each opens the folder for itself.
                    let cache = DiskCache::open(folder.path()).unwrap();
                    let _lock = cache.lock(&key).unwrap();
                    if cache.load(&engine, &key).is_none() {
                        made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        cache.store(&key, &compiled).unwrap();
                    }
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
        assert_eq!(files(folder.path()).len(), 1, "no lock is left");
    }

    #[test]
    fn another_engine_or_other_bytes_have_another_key() {
        let engine = Engine::default();
        let mut config = wasmtime::Config::new();
        config.consume_fuel(true);
        let fuel = Engine::new(&config).unwrap();
        assert_eq!(Key::new(&engine, &hash(b"a")), Key::new(&Engine::default(), &hash(b"a")));
        assert_ne!(Key::new(&engine, &hash(b"a")), Key::new(&engine, &hash(b"b")));
        assert_ne!(Key::new(&engine, &hash(b"a")), Key::new(&fuel, &hash(b"a")));
    }

    #[test]
    fn folders_that_others_could_write_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let open_to_all = root.path().join("open");
        std::fs::create_dir(&open_to_all).unwrap();
        std::fs::set_permissions(&open_to_all, PermissionsExt::from_mode(0o777)).unwrap();
        assert!(matches!(DiskCache::open(&open_to_all), Err(CacheRefused::Unsafe { .. })));

        let inner = root.path().join("inner");
        std::fs::create_dir_all(inner.join(FOLDER)).unwrap();
        std::fs::set_permissions(inner.join(FOLDER), PermissionsExt::from_mode(0o770)).unwrap();
        assert!(matches!(DiskCache::open(&inner), Err(CacheRefused::Unsafe { .. })));

        let (real, link) = (root.path().join("real"), root.path().join("link"));
        std::fs::create_dir(&real).unwrap();
        symlink(&real, &link).unwrap();
        assert!(matches!(DiskCache::open(&link), Err(CacheRefused::Unsafe { .. })));
        assert!(matches!(DiskCache::open(&link.join("")), Err(CacheRefused::Unsafe { .. })));
        let planted = root.path().join("planted");
        std::fs::create_dir(&planted).unwrap();
        symlink(&real, planted.join(FOLDER)).unwrap();
        assert!(matches!(DiskCache::open(&planted), Err(CacheRefused::Unsafe { .. })));

        assert!(matches!(DiskCache::open(Path::new("cache")), Err(CacheRefused::Relative(_))));
        let made = root.path().join("a/b");
        DiskCache::open(&made).unwrap();
        assert_eq!(std::fs::metadata(&made).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(std::fs::metadata(made.join(FOLDER)).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn files_that_others_could_have_written_are_not_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::default();
        let cache = DiskCache::open(folder.path()).unwrap();
        let (bytes, module) = module(&engine, "(module)");
        let key = Key::new(&engine, &hash(&bytes));
        cache.store(&key, &module.serialize().unwrap()).unwrap();
        let file = &files(folder.path())[0];
        std::fs::set_permissions(file, PermissionsExt::from_mode(0o666)).unwrap();
        assert!(cache.load(&engine, &key).is_none());
        let elsewhere = folder.path().join("elsewhere");
        std::fs::rename(file, &elsewhere).unwrap();
        std::fs::set_permissions(&elsewhere, PermissionsExt::from_mode(0o600)).unwrap();
        symlink(&elsewhere, file).unwrap();
        assert!(cache.load(&engine, &key).is_none());
    }

    #[test]
    fn the_least_recently_used_files_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::default();
        let mut cache = DiskCache::open(folder.path()).unwrap();
        cache.max_bytes = 2500;
        let keys: Vec<Key> = (0..3u8).map(|n| Key::new(&engine, &[n; 32])).collect();
        for (age, key) in keys.iter().enumerate().take(2) {
            cache.store(key, &[0; 1000]).unwrap();
            let path = folder.path().join(FOLDER).join(key.file_name());
            let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(age as u64);
            File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
        }
        cache.store(&keys[2], &[0; 1000]).unwrap();
        let left = files(folder.path());
        assert_eq!(left.len(), 2);
        assert!(!left.iter().any(|path| path.ends_with(keys[0].file_name())));
    }
}
