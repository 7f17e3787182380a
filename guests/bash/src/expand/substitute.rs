//! Command and process substitution.

use crate::shell::{Flow, Opt, Shell, Shopt};
use crate::syntax::ast::{AndOr, Command, CommandKind, CommandSub, List, ListItem, ProcessSub, RedirectOp, SubForm};
use crate::syntax::{ParseOptions, Parser, print_substitution};
use capsule_sys as sys;
use std::rc::Rc;

impl Shell {
    pub(super) fn command_substitution(&mut self, sub: &CommandSub) -> Flow<Vec<u8>> {
        let Some(body) = self.placed_body(sub)? else { return Ok(Vec::new()) };
        let mut output = match plain_read(&body) {
            Some(redirect) => self.read_file_substitution(redirect)?,
            None => match self.capture_direct(&body) {
                Some(output) => output,
                None => self.capture(&body)?,
            },
        };
        if memchr::memchr(0, &output).is_some() {
            self.error("warning: command substitution: ignored null byte in input");
            output.retain(|&b| b != 0);
        }
        let end = output.iter().rposition(|&b| b != b'\n').map_or(0, |i| i + 1);
        output.truncate(end);
        Ok(output)
    }

    /// The commands of a substitution; None when they are wrong, which has been told. bash reads their text when it comes
    /// to it, and so their lines count from that of the command around them.
    fn placed_body(&mut self, sub: &CommandSub) -> Flow<Option<Rc<List>>> {
        if let (Some(body), true) = (sub.body.get(), sub.line == Some(self.line)) {
            return Ok(Some(Rc::clone(body)));
        }
        if let Some((line, body)) = &*sub.placed.borrow()
            && *line == self.line
        {
            return Ok(Some(Rc::clone(body)));
        }
        let options = match sub.form {
            SubForm::Backquoted => self.parse_options(),
            // Aliases were replaced the first time.
            _ => ParseOptions { aliases: None, ..self.parse_options() },
        };
        let changing = options.aliases.is_some();
        let text = match (sub.form, sub.body.get()) {
            (SubForm::Laid, Some(body)) => print_substitution(body, true),
            _ => sub.text.to_vec(),
        };
        let mut none = ();
        let mut parser = Parser::new(text, self.line, &mut none, options);
        let mut list = List::default();
        let error = loop {
            match parser.next_command() {
                Ok(Some(more)) => list.items.extend(more.items),
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        let warnings = std::mem::take(&mut parser.warnings);
        let list = match (error, sub.body.get()) {
            (Some(_), Some(body)) => Rc::clone(body),
            (Some(error), None) => {
                self.report_warnings(warnings);
                self.syntax_error(&error, b"command substitution: ");
                self.substitution_status = Some(2);
                self.status = 2;
                return Ok(None);
            }
            (None, Some(_)) => Rc::new(list),
            (None, None) => {
                self.report_warnings(warnings);
                Rc::new(list)
            }
        };
        if !changing {
            *sub.placed.borrow_mut() = Some((self.line, Rc::clone(&list)));
        }
        Ok(Some(list))
    }

    /// Runs the list in a child and reads what it writes.
    fn capture(&mut self, body: &List) -> Flow<Vec<u8>> {
        if body.items.is_empty() {
            self.substitution_status = Some(0);
            return Ok(Vec::new());
        }
        let (read, write) = match sys::pipe(sys::OpenFlags::CLOEXEC) {
            Ok(ends) => ends,
            Err(errno) => return self.discard(format!("cannot make pipe for command substitution: {errno}")),
        };
        self.before_process();
        let keep_errexit = self.options.shopt(Shopt::InheritErrexit) || self.posix();
        let (read_fd, write_fd) = (read.raw(), write.raw());
        let child = sys::fork(|| {
            let _ = sys::close(read_fd);
            if write_fd != sys::STDOUT {
                let _ = sys::dup2(write_fd, sys::STDOUT, sys::OpenFlags(0));
                let _ = sys::close(write_fd);
            }
            self.enter_subshell();
            self.input_given = false;
            self.trace_level += 1;
            if !keep_errexit {
                self.options.put(Opt::Errexit, false);
            }
            self.run_in_child(|shell| shell.run_list_last(body))
        });
        drop(write);
        let pid = match child {
            Ok(pid) => pid,
            Err(errno) => return self.discard(format!("fork: {errno}")),
        };
        let output = sys::read_to_end(read.raw()).unwrap_or_default();
        drop(read);
        let status = self.wait_for(pid);
        self.substitution_status = Some(status);
        self.status = status;
        Ok(output)
    }

    /// `$(<file)`
    fn read_file_substitution(&mut self, redirect: &crate::syntax::ast::Redirect) -> Flow<Vec<u8>> {
        let path = self.redirect_path(&redirect.word)?;
        let Some(path) = path else {
            self.substitution_status = Some(1);
            return Ok(Vec::new());
        };
        match self.open_for_redirect(&path, sys::OpenFlags::RDONLY) {
            Some(file) => {
                self.substitution_status = Some(0);
                match sys::read_to_end(file.raw()) {
                    Ok(text) => Ok(text),
                    Err(errno) => {
                        self.error_about(&path, errno.text());
                        self.substitution_status = Some(1);
                        Ok(Vec::new())
                    }
                }
            }
            None => {
                self.substitution_status = Some(1);
                self.status = 1;
                Ok(Vec::new())
            }
        }
    }

    /// `<(…)` and `>(…)`: the name of a pipe's end.
    pub(super) fn process_substitution(&mut self, sub: &ProcessSub) -> Flow<Vec<u8>> {
        let body = self.placed_body(&sub.sub)?.unwrap_or_default();
        let (read, write) = match sys::pipe(sys::OpenFlags::CLOEXEC) {
            Ok(ends) => ends,
            Err(errno) => return self.discard(format!("cannot make pipe for process substitution: {errno}")),
        };
        // High numbers stay out of the way of the script's own descriptors.
        let (ours, theirs) = if sub.reads { (read, write) } else { (write, read) };
        let kept = match (0..).map(|i| 63 - i).take(54).find(|&fd| sys::fcntl(fd, sys::F_GETFD, 0).is_err()) {
            Some(fd) if sys::dup2(ours.raw(), fd, sys::OpenFlags(0)).is_ok() => fd,
            _ => return self.discard("cannot make pipe for process substitution"),
        };
        drop(ours);
        self.before_process();
        let their_fd = theirs.raw();
        let child = sys::fork(|| {
            let end = if sub.reads { sys::STDOUT } else { sys::STDIN };
            let _ = sys::dup2(their_fd, end, sys::OpenFlags(0));
            let _ = sys::close(their_fd);
            let _ = sys::close(kept);
            for (fd, _) in std::mem::take(&mut self.process_subs) {
                let _ = sys::close(fd);
            }
            self.enter_subshell();
            self.run_in_child(|shell| shell.run_list_last(&body))
        });
        drop(theirs);
        match child {
            Ok(pid) => {
                self.process_subs.push((kept, pid));
                self.last_background = Some(pid);
                self.jobs.add_detached(pid);
                Ok(format!("/dev/fd/{kept}").into_bytes())
            }
            Err(errno) => {
                let _ = sys::close(kept);
                self.discard(format!("fork: {errno}"))
            }
        }
    }

    /// Closes what process substitutions since `mark` left open.
    pub fn end_process_subs(&mut self, mark: usize) {
        while self.process_subs.len() > mark {
            if let Some((fd, _)) = self.process_subs.pop() {
                let _ = sys::close(fd);
            }
        }
    }
}

/// `< file` alone.
fn plain_read(list: &List) -> Option<&crate::syntax::ast::Redirect> {
    let [ListItem { and_or: AndOr { first, rest }, background: false, .. }] = &list.items[..] else { return None };
    let ([Command { kind: CommandKind::Simple(simple), redirects, .. }], [], false, None) =
        (&first.stages[..], &rest[..], first.negated, first.time)
    else {
        return None;
    };
    let [redirect] = &redirects[..] else { return None };
    let default =
        matches!(redirect.target, crate::syntax::ast::RedirectFd::Default | crate::syntax::ast::RedirectFd::Number(0));
    (simple.words.is_empty() && simple.assignments.is_empty() && redirect.op == RedirectOp::Read && default)
        .then_some(redirect)
}
