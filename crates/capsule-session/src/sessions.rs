//! Many sessions in one process, by id. Those that nobody has used for long are put away: closed, and opened again from
//! their folder when they are asked for.

use crate::builder::BashBuilder;
use crate::store;
use crate::{Bash, Error};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// How many sessions are held open when nobody says.
const MOST_OPEN: usize = 1024;

/// The sessions of a process.
pub struct Sessions {
    make: BashBuilder,
    folder: Option<PathBuf>,
    most_open: usize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    sessions: HashMap<String, Held>,
    /// Counts uses: the smaller a session's number, the longer it has not been used.
    clock: u64,
}

struct Held {
    bash: Bash,
    used: u64,
}

impl Sessions {
    /// Sessions as this builder makes them, but for the id. A workspace on the host is a folder in which each session has one of
    /// its own.
    pub fn new(make: BashBuilder) -> Sessions {
        Sessions { folder: make.folder(), make, most_open: MOST_OPEN, open: Mutex::default() }
    }

    /// How many are held open. More than that are only when so many are in use, or when there is no folder to put them in.
    pub fn most_open(mut self, most: usize) -> Sessions {
        self.most_open = most.max(1);
        self
    }

    /// The session of this id; made when it is new.
    pub fn get(&self, id: &str) -> Result<Bash, Error> {
        let mut open = self.open.lock();
        open.clock += 1;
        let used = open.clock;
        if let Some(held) = open.sessions.get_mut(id) {
            held.used = used;
            return Ok(held.bash.clone());
        }
        self.make_room(&mut open);
        let bash = self.make.clone().id(id).own_workspace(id).build()?;
        open.sessions.insert(id.to_owned(), Held { bash: bash.clone(), used });
        Ok(bash)
    }

    /// Forks a session; the new one is among the others.
    pub async fn fork(&self, id: &str, new_id: &str) -> Result<Bash, Error> {
        if self.open.lock().sessions.contains_key(new_id) {
            return Err(Error::Exists(new_id.to_owned()));
        }
        let fork = self.get(id)?.fork(new_id).await?;
        let mut open = self.open.lock();
        open.clock += 1;
        let used = open.clock;
        if open.sessions.contains_key(new_id) {
            return Err(Error::Exists(new_id.to_owned()));
        }
        self.make_room(&mut open);
        open.sessions.insert(new_id.to_owned(), Held { bash: fork.clone(), used });
        Ok(fork)
    }

    /// All ids, in order: of the sessions that are open, and of those in the folder.
    pub fn ids(&self) -> Result<Vec<String>, Error> {
        let mut ids: Vec<String> = self.open.lock().sessions.keys().cloned().collect();
        if let Some(folder) = &self.folder {
            ids.extend(store::ids(folder)?);
        }
        ids.sort();
        ids.dedup();
        Ok(ids)
    }

    /// How many are held open now.
    pub fn open_count(&self) -> usize {
        self.open.lock().sessions.len()
    }

    /// Closes one; what is kept of it stays.
    pub async fn close(&self, id: &str) -> Result<(), Error> {
        let held = self.open.lock().sessions.remove(id);
        match held {
            Some(held) => held.bash.close().await,
            None => Ok(()),
        }
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Puts away those that have not been used for longest, as far as nobody has them in hand. An eighth at a time: looking
    /// for them is not free.
    fn make_room(&self, open: &mut Open) {
        if open.sessions.len() < self.most_open || self.folder.is_none() {
            return;
        }
        let idle = open.sessions.iter().filter(|(_, held)| held.bash.is_idle());
        let mut idle: Vec<(u64, String)> = idle.map(|(id, held)| (held.used, id.clone())).collect();
        idle.sort_unstable();
        let too_many = open.sessions.len() + 1 - self.most_open;
        for (_, id) in idle.into_iter().take(too_many.max(self.most_open / 8)) {
            open.sessions.remove(&id);
        }
    }
}
