//! The descriptors of one process. Each open descriptor counts against the session's limit from `insert` until it is
//! closed, whichever way that happens.

use crate::budget::Budget;
use crate::description::Description;
use capsule_abi::Errno;
use capsule_abi::limits::Limit;
use std::sync::Arc;

#[derive(Clone)]
pub struct Entry {
    pub description: Description,
    pub close_on_exec: bool,
}

pub struct FdTable {
    entries: Vec<Option<Entry>>,
    open: u64,
    budget: Arc<Budget>,
}

/// The highest descriptor a process can have, whatever its own limit says: tables are vectors.
const HIGHEST: usize = 1 << 16;

impl FdTable {
    pub fn new(budget: Arc<Budget>) -> FdTable {
        FdTable { entries: Vec::new(), open: 0, budget }
    }

    /// A copy for a child, if the session's limit allows as many more descriptors.
    pub fn fork(&self) -> Result<FdTable, Errno> {
        charge(&self.budget, self.open)?;
        Ok(FdTable { entries: self.entries.clone(), open: self.open, budget: self.budget.clone() })
    }

    pub fn entry(&self, fd: i32) -> Result<&Entry, Errno> {
        usize::try_from(fd).ok().and_then(|i| self.entries.get(i)?.as_ref()).ok_or(Errno::EBADF)
    }

    pub fn entry_mut(&mut self, fd: i32) -> Result<&mut Entry, Errno> {
        usize::try_from(fd).ok().and_then(|i| self.entries.get_mut(i)?.as_mut()).ok_or(Errno::EBADF)
    }

    /// Puts an entry at the lowest free descriptor that is not below `least`; `EMFILE` from `most` on.
    pub fn insert(&mut self, entry: Entry, least: i32, most: u64) -> Result<i32, Errno> {
        let least = usize::try_from(least).map_err(|_| Errno::EINVAL)?;
        let most = usize::try_from(most).unwrap_or(HIGHEST).min(HIGHEST);
        if least >= most {
            return Err(Errno::EINVAL);
        }
        let free = (least..self.entries.len()).find(|&i| self.entries[i].is_none());
        let at = free.unwrap_or(self.entries.len().max(least));
        if at >= most {
            return Err(Errno::EMFILE);
        }
        self.put(at, entry).map(|_| at as i32)
    }

    /// Puts an entry at this descriptor; what was there is answered, to be dropped outside the table's lock.
    pub fn replace(&mut self, fd: i32, entry: Entry, most: u64) -> Result<Option<Entry>, Errno> {
        match usize::try_from(fd) {
            Ok(at) if at < HIGHEST && (at as u64) < most => self.put(at, entry),
            _ => Err(Errno::EBADF),
        }
    }

    fn put(&mut self, at: usize, entry: Entry) -> Result<Option<Entry>, Errno> {
        if self.entries.len() <= at {
            self.entries.resize_with(at + 1, || None);
        }
        if self.entries[at].is_none() {
            charge(&self.budget, 1)?;
            self.open += 1;
        }
        Ok(self.entries[at].replace(entry))
    }

    pub fn remove(&mut self, fd: i32) -> Result<Entry, Errno> {
        let slot = usize::try_from(fd).ok().and_then(|i| self.entries.get_mut(i)).ok_or(Errno::EBADF)?;
        let entry = slot.take().ok_or(Errno::EBADF)?;
        self.open -= 1;
        self.budget.give_back(Limit::OpenFiles, 1);
        Ok(entry)
    }

    /// Takes out what must not survive an exec.
    pub fn close_on_exec(&mut self) -> Vec<Entry> {
        self.take_if(|entry| entry.close_on_exec)
    }

    pub fn close_all(&mut self) -> Vec<Entry> {
        self.take_if(|_| true)
    }

    fn take_if(&mut self, goes: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        let taken: Vec<Entry> = self.entries.iter_mut().filter_map(|slot| slot.take_if(|entry| goes(entry))).collect();
        self.open -= taken.len() as u64;
        self.budget.give_back(Limit::OpenFiles, taken.len() as u64);
        taken
    }

    /// The open descriptors, in order.
    pub fn open_fds(&self) -> impl Iterator<Item = i32> + '_ {
        self.entries.iter().enumerate().filter(|(_, e)| e.is_some()).map(|(i, _)| i as i32)
    }
}

impl Drop for FdTable {
    fn drop(&mut self) {
        self.budget.give_back(Limit::OpenFiles, self.open);
    }
}

fn charge(budget: &Budget, descriptors: u64) -> Result<(), Errno> {
    let effect = || "opening another file was refused (Too many open files in system)".into();
    if budget.take(Limit::OpenFiles, descriptors, effect) { Ok(()) } else { Err(Errno::ENFILE) }
}
