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
    /// By descriptor, in order. A shell keeps some far above the others, and every child gets a copy: so there is an entry
    /// for what is open, and none for what is not.
    entries: Vec<(usize, Entry)>,
    budget: Arc<Budget>,
}

/// The highest descriptor a process can have, whatever its own limit says.
const HIGHEST: usize = 1 << 16;

impl FdTable {
    pub fn new(budget: Arc<Budget>) -> FdTable {
        FdTable { entries: Vec::new(), budget }
    }

    /// A copy for a child, if the session's limit allows as many more descriptors.
    pub fn fork(&self) -> Result<FdTable, Errno> {
        charge(&self.budget, self.entries.len() as u64)?;
        Ok(FdTable { entries: self.entries.clone(), budget: self.budget.clone() })
    }

    /// Where a descriptor stands, or where it would.
    fn find(&self, fd: usize) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&fd, |(fd, _)| *fd)
    }

    fn position(&self, fd: i32) -> Result<usize, Errno> {
        usize::try_from(fd).ok().and_then(|fd| self.find(fd).ok()).ok_or(Errno::EBADF)
    }

    pub fn entry(&self, fd: i32) -> Result<&Entry, Errno> {
        self.position(fd).map(|at| &self.entries[at].1)
    }

    pub fn entry_mut(&mut self, fd: i32) -> Result<&mut Entry, Errno> {
        self.position(fd).map(|at| &mut self.entries[at].1)
    }

    /// Puts an entry at the lowest free descriptor that is not below `least`; `EMFILE` from `most` on.
    pub fn insert(&mut self, entry: Entry, least: i32, most: u64) -> Result<i32, Errno> {
        let least = usize::try_from(least).map_err(|_| Errno::EINVAL)?;
        let most = usize::try_from(most).unwrap_or(HIGHEST).min(HIGHEST);
        if least >= most {
            return Err(Errno::EINVAL);
        }
        let from = self.find(least).unwrap_or_else(|at| at);
        // Those without a gap before them come first: their distance from `least` is that of their places.
        let mut gapless = 0..self.entries.len() - from;
        while !gapless.is_empty() {
            let middle = gapless.start + gapless.len() / 2;
            match self.entries[from + middle].0 == least + middle {
                true => gapless.start = middle + 1,
                false => gapless.end = middle,
            }
        }
        let fd = least + gapless.start;
        if fd >= most {
            return Err(Errno::EMFILE);
        }
        charge(&self.budget, 1)?;
        self.entries.insert(from + gapless.start, (fd, entry));
        Ok(fd as i32)
    }

    /// Puts an entry at this descriptor; what was there is answered, to be dropped outside the table's lock.
    pub fn replace(&mut self, fd: i32, entry: Entry, most: u64) -> Result<Option<Entry>, Errno> {
        let fd = usize::try_from(fd).ok().filter(|&fd| fd < HIGHEST && (fd as u64) < most).ok_or(Errno::EBADF)?;
        match self.find(fd) {
            Ok(at) => Ok(Some(std::mem::replace(&mut self.entries[at].1, entry))),
            Err(at) => {
                charge(&self.budget, 1)?;
                self.entries.insert(at, (fd, entry));
                Ok(None)
            }
        }
    }

    pub fn remove(&mut self, fd: i32) -> Result<Entry, Errno> {
        let at = self.position(fd)?;
        self.budget.give_back(Limit::OpenFiles, 1);
        Ok(self.entries.remove(at).1)
    }

    /// Takes out what must not survive an exec, to be dropped outside the table's lock.
    pub fn close_on_exec(&mut self) -> Vec<(usize, Entry)> {
        let closed: Vec<_> = self.entries.extract_if(.., |(_, entry)| entry.close_on_exec).collect();
        self.budget.give_back(Limit::OpenFiles, closed.len() as u64);
        closed
    }

    pub fn close_all(&mut self) -> Vec<(usize, Entry)> {
        self.budget.give_back(Limit::OpenFiles, self.entries.len() as u64);
        std::mem::take(&mut self.entries)
    }

    /// The open descriptors, in order.
    pub fn open_fds(&self) -> impl Iterator<Item = i32> + '_ {
        self.entries.iter().map(|(fd, _)| *fd as i32)
    }
}

impl Drop for FdTable {
    fn drop(&mut self) {
        self.budget.give_back(Limit::OpenFiles, self.entries.len() as u64);
    }
}

fn charge(budget: &Budget, descriptors: u64) -> Result<(), Errno> {
    let effect = || "opening another file was refused (Too many open files in system)".into();
    if budget.take(Limit::OpenFiles, descriptors, effect) { Ok(()) } else { Err(Errno::ENFILE) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptions::bytes::Bytes;
    use capsule_abi::limits::Limits;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn entry(close_on_exec: bool) -> Entry {
        Entry { description: Bytes::new(Arc::default()), close_on_exec }
    }

    proptest! {
        /// Any sequence of changes does what it does to a set of numbers, and the session's count follows.
        #[test]
        fn like_a_set(changes in prop::collection::vec((0..4u8, 0..12i32), 0..60)) {
            let budget = Arc::new(Budget::new(Limits::default()));
            let mut table = FdTable::new(budget.clone());
            let mut model = BTreeSet::new();
            for (what, fd) in changes {
                match what {
                    0 | 1 => {
                        let lowest = (fd..).find(|fd| !model.contains(fd)).filter(|&fd| fd < 10);
                        let wanted = if fd >= 10 { Err(Errno::EINVAL) } else { lowest.ok_or(Errno::EMFILE) };
                        prop_assert_eq!(table.insert(entry(fd % 2 == 0), fd, 10), wanted);
                        model.extend(wanted);
                    }
                    2 => {
                        let replaced = table.replace(fd, entry(false), 10).map(|old| old.is_some());
                        prop_assert_eq!(replaced, if fd < 10 { Ok(!model.insert(fd)) } else { Err(Errno::EBADF) });
                    }
                    _ => prop_assert_eq!(table.remove(fd).is_ok(), model.remove(&fd)),
                }
                prop_assert_eq!(table.open_fds().collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(budget.used(Limit::OpenFiles), model.len() as u64);
            }
            let copy = table.fork().map_err(|_| TestCaseError::fail("refused"))?;
            let open = copy.open_fds().count() as u64;
            let closed = table.close_on_exec().len() as u64;
            prop_assert_eq!(budget.used(Limit::OpenFiles), 2 * open - closed);
            drop(copy);
            table.close_all();
            prop_assert_eq!(budget.used(Limit::OpenFiles), 0);
        }
    }
}
