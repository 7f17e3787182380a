//! Coprocesses.

use crate::names::{Name, is_name};
use crate::shell::{Flow, Shell};
use crate::syntax::ast::Coproc;
use capsule_sys as sys;

impl Shell {
    pub(super) fn run_coproc(&mut self, coproc: &Coproc) -> Flow {
        let name = match &coproc.name {
            Some(word) => self.expand_single(word)?,
            None => b"COPROC".to_vec(),
        };
        if !is_name(&name) {
            self.error([b"`", &name[..], b"': not a valid identifier"].concat());
            self.status = 1;
            return Ok(());
        }
        let ends = sys::pipe(sys::OpenFlags::CLOEXEC).and_then(|to| Ok((to, sys::pipe(sys::OpenFlags::CLOEXEC)?)));
        let ((child_in, our_out), (our_in, child_out)) = match ends {
            Ok(ends) => ends,
            Err(errno) => return self.discard(format!("cannot make pipe for coproc: {errno}")),
        };
        self.before_process();
        let text = crate::syntax::print_command(&coproc.body);
        let (stdin, stdout) = (child_in.raw(), child_out.raw());
        let child = sys::fork(|| {
            let _ = sys::dup2(stdin, sys::STDIN, sys::OpenFlags(0));
            let _ = sys::dup2(stdout, sys::STDOUT, sys::OpenFlags(0));
            for fd in [stdin, stdout, our_in.raw(), our_out.raw()] {
                if fd > 2 {
                    let _ = sys::close(fd);
                }
            }
            self.enter_subshell();
            self.run_in_child(|shell| shell.run_command_last(&coproc.body))
        });
        drop((child_in, child_out));
        let pid = match child {
            Ok(pid) => pid,
            Err(errno) => return self.discard(format!("fork: {errno}")),
        };
        // High numbers, as bash has them: 63 and 60.
        let high = |fd: sys::Fd| match (0..).map(|i| 63 - i).take(50).find(|&n| sys::fcntl(n, sys::F_GETFD, 0).is_err())
        {
            Some(n) if sys::dup2(fd.raw(), n, sys::OpenFlags::CLOEXEC).is_ok() => n,
            _ => fd.into_raw(),
        };
        let (read, write) = (high(our_in), high(our_out));
        let fds = vec![read.to_string().into_bytes(), write.to_string().into_bytes()];
        let _ = self.set_array(Name::new(&name), fds);
        let pid_name = [&name[..], b"_PID"].concat();
        let _ = self.set_var(&pid_name, pid.to_string().as_bytes());
        self.last_background = Some(pid);
        self.jobs.add(pid, [b"coproc ", &name[..], b" ", &text].concat());
        self.coprocs.push((name.into(), pid));
        self.status = 0;
        Ok(())
    }

    /// A coprocess has ended: its variables go.
    pub fn coproc_ended(&mut self, pid: i32) {
        if let Some(at) = self.coprocs.iter().position(|(_, p)| *p == pid) {
            let (name, _) = self.coprocs.remove(at);
            for fd in self.array_values(Name::new(&name)) {
                if let Some(fd) = crate::arith::parse_integer(&fd).and_then(|n| i32::try_from(n).ok()) {
                    let _ = sys::close(fd);
                }
            }
            self.unset_var(Name::new(&name));
            self.unset_var(Name::new(&[&name[..], b"_PID"].concat()));
        }
    }
}
