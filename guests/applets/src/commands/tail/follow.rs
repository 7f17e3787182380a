//! Files that grow.

use super::{Followed, Tail};
use crate::input::Input;
use crate::{Exit, quote, report};
use capsule_sys::{Errno, Seek, fstat, kill, seek, stat};

impl Tail {
    /// Shows what files gain, for ever or until a process has ended.
    pub fn follow(
        &mut self,
        files: &mut [Followed],
        by_name: bool,
        pid: Option<i32>,
        interval: f64,
    ) -> Result<(), Exit> {
        let pause = (interval * 1e9) as u64;
        loop {
            // Asked before the last look, so that what it wrote at the end is still shown.
            let over = pid.is_some_and(|pid| kill(pid, 0) == Err(Errno::ESRCH));
            for file in files.iter_mut() {
                self.look(file, by_name);
            }
            if self.out.flush().is_err() {
                return report::writable(&self.out);
            }
            if over {
                return Ok(());
            }
            let _ = capsule_sys::sleep(pause);
        }
    }

    /// Shows what a file has gained.
    fn look(&mut self, file: &mut Followed, by_name: bool) {
        if by_name {
            let there = stat(&file.name);
            let ours = file.input.as_ref().and_then(|i| fstat(i.fd()).ok());
            match (there, ours) {
                (Ok(there), Some(ours)) if (there.dev, there.ino) == (ours.dev, ours.ino) => {}
                (Ok(_), before) => {
                    let verb = if before.is_some() { "been replaced" } else { "appeared" };
                    report::error(format_args!("{} has {verb};  following new file", quote::quoted(&file.name)));
                    file.input = Input::open(&file.name).ok();
                }
                (Err(e), Some(_)) => {
                    report::error(format_args!("{} has become inaccessible: {e}", quote::quoted(&file.name)));
                    file.input = None;
                }
                (Err(_), None) => {}
            }
        }
        let Some(input) = &mut file.input else { return };
        if let (Ok(s), Ok(at)) = (fstat(input.fd()), seek(input.fd(), Seek::Current(0))) {
            if s.size < at {
                report::error(format_args!("{}: file truncated", quote::name(&file.name)));
                let _ = seek(input.fd(), Seek::Start(0));
            } else if s.size == at {
                return;
            }
        }
        let name = file.name.clone();
        if self.last.as_deref() != Some(&name) {
            self.title(&name);
        }
        let _ = self.copy(&mut input.stream);
    }
}
