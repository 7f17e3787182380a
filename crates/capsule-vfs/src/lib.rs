//! The filesystem of a session, and the only code that resolves a path.
//!
//! * [`filesystem`]: the [`Filesystem`] trait: one mounted tree of nodes
//! * [`memory`]: a tree in memory with shared chunks; cloning the whole tree is cheap
//! * [`hostdir`]: a folder of the host, through directory handles; **the only code that touches host paths**
//! * [`overlay`]: a writable tree over a read-only one
//! * [`devices`][]: `/dev`
//! * [`namespace`]: [`Vfs`]: mounts, path resolution, permissions; every change passes through it
//! * [`journal`]: what a run changed, by content, in time proportional to the changes
//! * [`trees`]: copying, clearing and comparing whole trees
//! * [`quota`]: bytes and files, for a session as a whole
//!
//! Uses capsule-abi only. Calls never block on anything but the host's disk, and never panic on what they are given.

pub mod clock;
pub mod copy;
pub mod devices;
pub mod digest;
pub mod filesystem;
pub mod hostdir;
pub mod journal;
pub mod memory;
pub mod namespace;
pub mod overlay;
pub mod quota;
pub mod trees;

pub use capsule_abi::Errno;
pub use filesystem::{Access, Attributes, Content, Filesystem, NewNode, NodeId, NodeKind};
pub use hostdir::HostDir;
pub use journal::{Changes, Journal, Past};
pub use memory::MemoryFs;
pub use namespace::{Caller, Credentials, MountInfo, MountOptions, OpenNode, Place, Vfs};
pub use overlay::{Overlay, OverlayState};
pub use quota::Quota;

/// The result of every filesystem call.
pub type Result<T, E = Errno> = std::result::Result<T, E>;
