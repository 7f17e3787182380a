//! What is known of the shell between runs. The bytes are the shell's own and come from a guest: here only their head is
//! read, strictly, and the rest goes back to a shell as it came.

use crate::answer::State;
use capsule_abi::state::Head;
use capsule_abi::wire::Reader;
use std::sync::Arc;

/// The most that is kept of a shell: sixteen mebibytes of variables and functions.
pub const MOST: usize = 16 << 20;

/// What the shell itself says in its environment: nobody asked for it, so nobody is told.
const OWN: &[&[u8]] = &[b"PWD", b"OLDPWD", b"SHLVL", b"_"];

/// The shell after a run. Copies share the bytes.
#[derive(Clone, Default)]
pub struct ShellState {
    bytes: Arc<Vec<u8>>,
    /// Whether the last run called `exit`.
    left: bool,
}

impl ShellState {
    /// None when the bytes are not a state.
    pub fn from_guest(bytes: Vec<u8>) -> Option<ShellState> {
        let left = Head::read(&mut Reader::new(&bytes)).ok()?.left;
        Some(ShellState { bytes: Arc::new(bytes), left })
    }

    pub fn bytes(&self) -> &Arc<Vec<u8>> {
        &self.bytes
    }

    /// No run has completed yet.
    pub fn is_new(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether the last run called `exit`.
    pub fn was_left(&self) -> bool {
        self.left
    }

    /// For the answer; `defaults` are what every session starts with, and not told unless they were changed.
    pub fn shown(&self, initial_cwd: &[u8], env: &[(Vec<u8>, Vec<u8>)], defaults: &[(&str, &str)]) -> State {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let told = |name: &[u8], value: &[u8]| {
            let unchanged = defaults.iter().any(|(n, v)| n.as_bytes() == name && v.as_bytes() == value);
            !unchanged && !OWN.contains(&name)
        };
        match Head::read(&mut Reader::new(&self.bytes)) {
            Ok(head) => State {
                cwd: text(head.cwd),
                env: head.env.iter().filter(|(n, v)| told(n, v)).map(|(n, v)| (text(n), text(v))).collect(),
            },
            Err(_) => State {
                cwd: text(initial_cwd),
                env: env.iter().filter(|(n, v)| told(n, v)).map(|(n, v)| (text(n), text(v))).collect(),
            },
        }
    }
}
