//! `/dev/tty`: the terminal of a run, wherever the descriptors of its programs lead.

use crate::description::{Description, FileDescription, Interest, StatusFlags};
use crate::descriptions::terminal::Terminal;
use crate::process::Pid;
use crate::wait_queue::WaiterId;
use capsule_abi::Errno;
use capsule_abi::door::{POLLIN, POLLOUT};
use capsule_abi::fs::{FileType, OpenFlags, Stat};
use capsule_vfs::OpenNode;
use std::sync::Arc;
use std::task::Waker;

/// What a process of the host's was started with; its session may open it until that process ends.
pub struct Controlling {
    pub leader: Pid,
    /// Where a person types.
    keyboard: Option<Description>,
    /// Where a person reads.
    screen: Option<Description>,
}

impl Controlling {
    /// The terminals among standard input, output and error; none where there are none.
    pub fn of(leader: Pid, descriptors: &[(i32, Description)]) -> Option<Controlling> {
        let terminal = |fd: i32| {
            let is_it = |(number, description): &&(i32, Description)| *number == fd && description.terminal().is_some();
            descriptors.iter().find(is_it).map(|(_, description)| description.clone())
        };
        let (keyboard, screen) = (terminal(0), terminal(2).or_else(|| terminal(1)));
        (keyboard.is_some() || screen.is_some()).then_some(Controlling { leader, keyboard, screen })
    }

    /// `ENXIO` where a side that is asked for is not there.
    pub fn open(&self, node: OpenNode, flags: OpenFlags) -> Result<Description, Errno> {
        let side = |wanted: bool, side: &Option<Description>| match (wanted, side) {
            (true, None) => Err(Errno::ENXIO),
            (true, there) => Ok(there.clone()),
            (false, _) => Ok(None),
        };
        let (keyboard, screen) = (side(flags.readable(), &self.keyboard)?, side(flags.writable(), &self.screen)?);
        Ok(Arc::new(Console { keyboard, screen, node, flags: StatusFlags::new(flags) }))
    }
}

/// The sides that it was opened for.
struct Console {
    keyboard: Option<Description>,
    screen: Option<Description>,
    node: OpenNode,
    flags: StatusFlags,
}

impl Console {
    fn side(&self, interest: Interest) -> Option<&Description> {
        match interest {
            Interest::Read => self.keyboard.as_ref(),
            Interest::Write => self.screen.as_ref(),
        }
    }
}

impl FileDescription for Console {
    fn file_type(&self) -> FileType {
        FileType::CharDevice
    }

    fn stat(&self) -> Result<Stat, Errno> {
        self.node.stat()
    }

    fn flags(&self) -> &StatusFlags {
        &self.flags
    }

    fn read(&self, buf: &mut [u8]) -> Result<usize, Errno> {
        self.keyboard.as_ref().map_or(Err(Errno::EBADF), |keyboard| keyboard.read(buf))
    }

    fn write(&self, data: &[u8]) -> Result<usize, Errno> {
        self.screen.as_ref().map_or(Err(Errno::EBADF), |screen| screen.write(data))
    }

    fn terminal(&self) -> Option<&Terminal> {
        self.screen.as_ref().or(self.keyboard.as_ref())?.terminal()
    }

    fn node(&self) -> Option<&OpenNode> {
        Some(&self.node)
    }

    fn ready(&self) -> u16 {
        let of = |interest, which| self.side(interest).map_or(0, |side| side.ready() & which);
        of(Interest::Read, !POLLOUT) | of(Interest::Write, !POLLIN)
    }

    fn register(&self, interest: Interest, id: WaiterId, waker: &Waker) {
        if let Some(side) = self.side(interest) {
            side.register(interest, id, waker);
        }
    }

    fn forget(&self, interest: Interest, id: WaiterId) {
        if let Some(side) = self.side(interest) {
            side.forget(interest, id);
        }
    }
}
