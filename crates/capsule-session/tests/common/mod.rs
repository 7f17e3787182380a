//! Sessions for tests.

use capsule_session::{Bash, BashBuilder};

/// A session whose workspace is in memory.
pub fn builder() -> BashBuilder {
    Bash::builder().host_workspace("memory")
}

#[allow(dead_code, reason = "not every test file needs it")]
pub fn memory() -> Bash {
    builder().build().unwrap()
}
