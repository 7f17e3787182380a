//! Sessions that outlive the process. Each has a folder of its own, named by a hash of its id:
//!
//! * `lock`: held (`flock`) by the process that has the session open
//! * `log`: what the session was, step by step: see [`log`]
//!
//! A step is in the log, and on the disk, before its answer is given. The log only grows by records that carry a checksum;
//! a record that is not whole was never answered and is cut off when the session is opened. A log that has grown too long is
//! written anew beside the old one and takes its name. So whatever moment the process dies at, what is found is the last
//! step that was answered or the one that was about to be.

mod log;

use crate::Error;
use crate::error::reason;
use crate::history::{History, Version};
use log::{Kind, Log};
use parking_lot::Mutex;
use rustix::fs::{FlockOperation, Mode, OFlags};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest id.
pub const LONGEST_ID: usize = 256;

/// A log is not written anew below this size.
const SMALL: u64 = 256 << 10;

/// How much longer than a new one a log may be.
const GROWTH: u64 = 4;

/// What is to be kept of a step.
pub enum Step {
    Forward,
    Back,
    /// The last step became a little different.
    Amendment,
    Mark(u64),
}

/// The folder of an open session.
pub struct Store {
    shared: Arc<Mutex<Open>>,
}

struct Open {
    id: String,
    folder: PathBuf,
    _lock: File,
    log: Option<Log>,
    /// What the end of the log says.
    kept: Option<Version>,
}

/// Where a session is kept. Ids are names, never paths: whatever is in them, the folder's name is a hash.
pub fn folder(sessions: &Path, id: &str) -> Result<PathBuf, Error> {
    if id.len() > LONGEST_ID {
        return Err(Error::LongId(id.len()));
    }
    Ok(sessions.join(blake3::hash(id.as_bytes()).to_hex().as_str()))
}

impl Store {
    /// Opens a session's folder, and reads what the session was; none when it is new.
    pub fn open(sessions: &Path, id: &str) -> Result<(Store, Option<History>), Error> {
        let folder = folder(sessions, id)?;
        let place = sessions.display();
        let failed = |e: io::Error| Error::Store { id: id.to_owned(), why: format!("{place}: {}", reason(&e)) };
        make_folder(sessions).and_then(|()| make_folder(&folder)).map_err(failed)?;
        let lock = open(&folder.join("lock"), OFlags::RDWR | OFlags::CREATE).map_err(failed)?;
        match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(Error::InUse(id.to_owned())),
            Err(e) => return Err(failed(e.into())),
        }
        let mut open = Open { id: id.to_owned(), folder, _lock: lock, log: None, kept: None };
        let history = match Log::open(&open.log_path(), id) {
            Ok((log, history)) => {
                open.log = Some(log);
                open.kept = Some(history.current.clone());
                Some(history)
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(failed(e)),
        };
        Ok((Store { shared: Arc::new(Mutex::new(open)) }, history))
    }

    /// Keeps a step; when this answers, it is on the disk. It happens also when nobody waits for it any more.
    pub async fn keep(&self, step: Step, history: &History) -> Result<(), Error> {
        let (shared, history) = (self.shared.clone(), history.clone());
        let work = move || {
            let mut open = shared.lock();
            open.keep(step, &history).map_err(|e| Error::Store { id: open.id.clone(), why: reason(&e) })
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(kept) => kept,
            Err(e) => Err(Error::Store { id: String::new(), why: e.to_string() }),
        }
    }
}

impl Open {
    fn log_path(&self) -> PathBuf {
        self.folder.join("log")
    }

    fn keep(&mut self, step: Step, history: &History) -> io::Result<()> {
        let kept = self.add(step, history);
        if kept.is_err() {
            // What the log says next would not follow on what it says now: the next step writes it anew.
            self.log = None;
        }
        kept
    }

    fn add(&mut self, step: Step, history: &History) -> io::Result<()> {
        let kept = self.kept.clone();
        let (Some(log), Some(kept)) = (&mut self.log, kept) else { return self.rewrite(history) };
        if log.len() > SMALL.max(GROWTH * log.len_when_new()) {
            return self.rewrite(history);
        }
        match step {
            Step::Forward => log.append_version(Kind::Step, &history.current, Some(&kept))?,
            Step::Amendment => log.append_version(Kind::Amendment, &history.current, Some(&kept))?,
            Step::Back => log.append(Kind::Undo, &[])?,
            Step::Mark(id) => log.append(Kind::Mark, &id.to_le_bytes())?,
        }
        // What was not answered need not be on the disk yet; the next step brings it there.
        if !matches!(step, Step::Amendment) {
            log.sync()?;
        }
        self.kept = Some(history.current.clone());
        Ok(())
    }

    /// Writes the log anew, and gives it its name when all of it is on the disk.
    fn rewrite(&mut self, history: &History) -> io::Result<()> {
        let new = self.folder.join("log.new");
        let mut log = Log::create(&new, &self.id)?;
        let mut before: Option<&Version> = None;
        for (id, version) in &history.snapshots {
            log.append_version(Kind::Base, version, before)?;
            log.append(Kind::Mark, &id.to_le_bytes())?;
            before = Some(version);
        }
        let mut kind = Kind::Base;
        for version in history.past.iter().map(|passed| &passed.version).chain([&history.current]) {
            log.append_version(kind, version, before)?;
            (kind, before) = (Kind::Step, Some(version));
        }
        log.done()?;
        std::fs::rename(&new, self.log_path())?;
        sync_folder(&self.folder)?;
        self.log = Some(log);
        self.kept = Some(history.current.clone());
        Ok(())
    }
}

/// The ids of the sessions that are kept in a folder, in order.
pub fn ids(sessions: &Path) -> Result<Vec<String>, Error> {
    let failed = |e: io::Error| Error::Store { id: sessions.display().to_string(), why: e.to_string() };
    let entries = match std::fs::read_dir(sessions) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(failed(e)),
    };
    let mut ids: Vec<String> = entries.flatten().filter_map(|entry| Log::id_of(&entry.path().join("log"))).collect();
    ids.sort();
    Ok(ids)
}

fn make_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    if path.is_dir() {
        return Ok(());
    }
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    File::open(path)?.sync_all()
}

/// A file of a session's folder: never through a link that somebody may have put there.
fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?.into())
}
