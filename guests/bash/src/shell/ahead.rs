//! Reading ahead. `read` must leave the offset at the end of its line for whoever reads next; from a file that this shell
//! opened itself, and that no other process has, nobody reads next but this shell, so the rest of a block can wait here.

use super::Shell;
use capsule_sys as sys;

/// A file only this shell reads, and what was read of it but not used.
#[derive(Default)]
pub struct OwnInput {
    pub fd: i32,
    pub block: Vec<u8>,
    pub at: usize,
}

impl Shell {
    /// A redirection has just opened this regular file.
    pub fn own_input(&mut self, fd: i32) {
        self.own_input = Some(OwnInput { fd, ..OwnInput::default() });
    }

    /// The input, if it is this descriptor; whoever takes it gives it back.
    pub fn take_own_input(&mut self, fd: i32) -> Option<OwnInput> {
        self.own_input.take_if(|input| input.fd == fd)
    }

    /// From here on others may read it or look at its offset.
    pub fn release_input(&mut self) {
        if let Some(input) = self.own_input.take() {
            let unread = input.block.len() - input.at;
            if unread > 0 {
                let _ = sys::seek(input.fd, sys::Seek::Current(-(unread as i64)));
            }
        }
    }

    /// Before a process is made: what is written so far is out, and it sees the descriptors as they should be.
    pub fn before_process(&mut self) {
        self.flush_out();
        self.release_input();
    }
}
