//! The session's standard output and error: passes everything on and counts it against the output limit.

use crate::budget::Budget;
use crate::description::{Description, FileDescription, StatusFlags};
use capsule_abi::Errno;
use capsule_abi::fs::{FileType, Stat};
use capsule_abi::limits::Limit;
use std::sync::Arc;

pub struct Metered {
    inner: Description,
    budget: Arc<Budget>,
}

impl Metered {
    pub fn new(inner: Description, budget: Arc<Budget>) -> Arc<Metered> {
        Arc::new(Metered { inner, budget })
    }
}

impl FileDescription for Metered {
    fn file_type(&self) -> FileType {
        self.inner.file_type()
    }

    fn stat(&self) -> Result<Stat, Errno> {
        self.inner.stat()
    }

    fn flags(&self) -> &StatusFlags {
        self.inner.flags()
    }

    fn behind(&self) -> Option<&Description> {
        Some(&self.inner)
    }

    /// `EFBIG` past the limit: the kernel ends the run, which has been noted as having hit it.
    fn write(&self, data: &[u8]) -> Result<usize, Errno> {
        let room = self.budget.limits().get(Limit::Output).saturating_sub(self.budget.used(Limit::Output));
        let fits = data.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        if fits == 0 && !data.is_empty() {
            self.budget.hit(Limit::Output, "the run was ended".into());
            return Err(Errno::EFBIG);
        }
        let n = self.inner.write(&data[..fits])?;
        self.budget.take(Limit::Output, n as u64, || "the run was ended".into());
        Ok(n)
    }
}
