//! Copies of a workspace that is a folder of the host: for snapshots and forks. In memory nothing of this is needed.

use crate::builder::{Config, Workspace};
use crate::{Error, store};
use capsule_vfs::{Changes, Filesystem, HostDir, Quota, trees};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn failed(why: impl ToString) -> Error {
    Error::Copy(why.to_string())
}

/// Where the copies of a session's workspace are: with the session, or beside the workspace. None when it is in memory.
pub fn folder(config: &Config) -> Result<Option<PathBuf>, Error> {
    let Workspace::Host(workspace) = &config.workspace else { return Ok(None) };
    Ok(Some(match &config.sessions {
        Some(sessions) => store::folder(sessions, &config.id)?.join("copies"),
        None => {
            let mut name = workspace.file_name().unwrap_or_default().to_owned();
            name.push(".copies");
            workspace.with_file_name(name)
        }
    }))
}

/// The workspace of a fork: beside that of the session, under a name that no other id gives.
pub fn beside(workspace: &Path, id: &str) -> PathBuf {
    workspace.with_file_name(&blake3::hash(id.as_bytes()).to_hex()[..32])
}

fn open(path: &Path) -> Result<HostDir, Error> {
    HostDir::open(path, false, Quota::unlimited()).map_err(failed)
}

/// Copies a workspace to a folder, which is made.
pub fn make(workspace: &HostDir, to: &Path) -> Result<(), Error> {
    remove(to)?;
    std::fs::create_dir_all(to).map_err(failed)?;
    trees::copy(workspace, &open(to)?).map_err(failed)
}

pub fn remove(path: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(e)),
        _ => Ok(()),
    }
}

/// Makes a workspace what a copy of it is.
pub fn put_back(workspace: &HostDir, from: &Path) -> Result<(), Error> {
    let copy = open(from)?;
    trees::clear(workspace, workspace.root()).map_err(failed)?;
    trees::copy(&copy, workspace).map_err(failed)
}

/// How a workspace differs from a copy of it.
pub fn changes(workspace: &Arc<HostDir>, copy: &Path, at: &str) -> Result<Changes, Error> {
    let (copy, workspace): (Arc<dyn Filesystem>, Arc<dyn Filesystem>) = (Arc::new(open(copy)?), workspace.clone());
    trees::changes(&copy, &workspace, at.as_bytes()).map_err(failed)
}

/// Empties a workspace. One that held files before the session began is not the session's to empty, unless it is where
/// sessions have theirs.
pub fn empty(workspace: &HostDir, config: &Config, was_empty: bool) -> Result<(), Error> {
    let Workspace::Host(path) = &config.workspace else { return Ok(()) };
    let ours = path.components().any(|part| part.as_os_str() == ".capsule");
    match ours || was_empty {
        true => trees::clear(workspace, workspace.root()).map_err(failed),
        false => Err(Error::ForeignWorkspace(path.display().to_string())),
    }
}
