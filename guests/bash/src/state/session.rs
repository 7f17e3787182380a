//! The two descriptors of a run.

use super::State;
use crate::shell::Shell;
use capsule_sys as sys;

/// The status of a run that could not start because its state is no good. Nothing ran then, and nothing was saved.
const REFUSED: i32 = 125;

/// Out of the way of the script's own descriptors.
const HIGH: i32 = 250;

/// Reads the state from a descriptor of the host's and closes it. None: nothing is there yet.
pub fn load(fd: &[u8]) -> Result<Option<State>, i32> {
    let file = sys::Fd::new(number("--load-state", fd)?);
    let bytes = sys::read_to_end(file.raw()).map_err(|errno| refuse("--load-state", errno.text()))?;
    if bytes.is_empty() {
        return Ok(None);
    }
    State::read(&bytes).map(Some).map_err(|error| refuse("--load-state", &error.to_string()))
}

/// A descriptor of the host's to write to, moved to where no script meets it and no program inherits it.
pub fn aside(option: &str, fd: &[u8]) -> Result<sys::Fd, i32> {
    let given = sys::Fd::new(number(option, fd)?);
    let moved = sys::dup(given.raw(), HIGH, true).or_else(|_| sys::dup(given.raw(), 10, true));
    moved.map(sys::Fd::new).map_err(|errno| refuse(option, errno.text()))
}

fn number(option: &str, text: &[u8]) -> Result<i32, i32> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).filter(|n| *n > 2);
    number.ok_or_else(|| refuse(option, "the number of a descriptor above 2 must follow"))
}

pub fn refuse(option: &str, why: &str) -> i32 {
    let _ = sys::write_all(sys::STDERR, format!("bash: {option}: {why}\n").as_bytes());
    REFUSED
}

impl Shell {
    /// After the script and its EXIT trap.
    pub fn save_state(&mut self) {
        if let Some(file) = self.session.take()
            && let Err(errno) = sys::write_all(file.raw(), &self.state_bytes())
        {
            refuse("--save-state", errno.text());
        }
    }
}
