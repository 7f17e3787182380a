//! Lists, `&&` and `||`, pipelines, and when a failure ends the script.

use super::direct::Started;
use super::redirect::Undo;
use super::traps::ERR;
use crate::names::command_named;
use crate::shell::{Flow, Opt, Shell, Shopt, Unwind};
use crate::syntax::ast::*;
use crate::syntax::print_command;
use capsule_sys::{self as sys, WaitStatus};

impl Shell {
    pub fn run_list(&mut self, list: &List) -> Flow {
        for item in &list.items {
            self.run_item(item, false)?;
        }
        Ok(())
    }

    /// A list after which this process ends: its last command may take the process over.
    pub fn run_list_last(&mut self, list: &List) -> Flow {
        let last = list.items.len().saturating_sub(1);
        for (i, item) in list.items.iter().enumerate() {
            self.run_item(item, i == last)?;
        }
        Ok(())
    }

    fn run_item(&mut self, item: &ListItem, last: bool) -> Flow {
        if self.options.get(Opt::Noexec) && !self.interactive {
            return Ok(());
        }
        if item.background { self.run_background(&item.and_or) } else { self.run_and_or(&item.and_or, last) }
    }

    fn run_and_or(&mut self, and_or: &AndOr, last: bool) -> Flow {
        if and_or.rest.is_empty() {
            return self.run_pipeline(&and_or.first, last);
        }
        self.errexit_off += 1;
        let result = self.run_pipeline(&and_or.first, false);
        self.errexit_off -= 1;
        result?;
        let end = and_or.rest.len() - 1;
        for (i, (op, pipeline)) in and_or.rest.iter().enumerate() {
            if (*op == AndOrOp::And) != (self.status == 0) {
                continue;
            }
            if i == end {
                return self.run_pipeline(pipeline, last);
            }
            self.errexit_off += 1;
            let result = self.run_pipeline(pipeline, false);
            self.errexit_off -= 1;
            result?;
        }
        Ok(())
    }

    fn run_pipeline(&mut self, pipeline: &Pipeline, last: bool) -> Flow {
        // A trap that the command itself sets is for those after it.
        let trapped = self.traps.has(ERR);
        let timer = pipeline.time.map(|format| (format, self.start_timer()));
        // `set -e` inside a negated function counts when it was off before.
        let shielded = pipeline.negated && self.options.get(Opt::Errexit);
        if shielded {
            self.errexit_off += 1;
        }
        let last = last && !pipeline.negated && timer.is_none();
        let result = match &pipeline.stages[..] {
            [] => {
                self.status = 0;
                Ok(())
            }
            [command] => {
                let result = self.run_command(command, last);
                let counts = matches!(
                    command.kind,
                    CommandKind::Simple(_) | CommandKind::Subshell(_) | CommandKind::Arith(_) | CommandKind::Cond(_)
                );
                if result.is_ok() && counts {
                    self.pipe_status.clear();
                    self.pipe_status.push(self.status);
                }
                result
            }
            stages => self.run_stages(stages),
        };
        if shielded {
            self.errexit_off -= 1;
        }
        if let Some((format, timer)) = timer {
            self.report_time(format, timer);
        }
        result?;
        if pipeline.negated {
            self.status = i32::from(self.status == 0);
        } else if self.status != 0 {
            let checked = match &pipeline.stages[..] {
                [command] => matches!(
                    command.kind,
                    CommandKind::Simple(_) | CommandKind::Subshell(_) | CommandKind::Arith(_) | CommandKind::Cond(_)
                ),
                _ => true,
            };
            if checked {
                self.command_failed(trapped)?;
            }
        }
        self.check_signals()
    }

    /// After a command failed where nobody tests it; `trapped`: there was an ERR trap before it.
    fn command_failed(&mut self, trapped: bool) -> Flow {
        if self.errexit_off > 0 {
            return Ok(());
        }
        if trapped && self.traps.has(ERR) && !self.traps.is_running(ERR) {
            self.run_trap(ERR)?;
        }
        if self.options.get(Opt::Errexit) {
            return Err(Unwind::Exit);
        }
        Ok(())
    }

    fn run_stages(&mut self, stages: &[Command]) -> Flow {
        self.before_process();
        self.line = stages.last().map_or(self.line, |stage| stage.line);
        if !self.options.shopt(Shopt::Lastpipe) || self.options.get(Opt::Monitor) {
            let started = self.start_stages(stages, None)?;
            self.wait_stages(started, Some(stages));
            self.follow_window();
            return Ok(());
        }
        let [first @ .., last] = stages else { return Ok(()) };
        let (read, write) = match sys::pipe(sys::OpenFlags::CLOEXEC) {
            Ok(ends) => ends,
            Err(errno) => return self.discard(format!("pipe error: {errno}")),
        };
        let started = self.start_stages(first, Some((write, read.raw())))?;
        self.announce_stage(last)?;
        let result = self.run_last_stage(last, read);
        let own = self.status;
        let mut statuses = self.stage_statuses(started, None);
        statuses.push(own);
        self.finish_stages(statuses);
        result
    }

    /// Starts them all, connected; the last one writes into a pipe (its writing end, and the reading end, which is not for
    /// them) or where this shell does.
    pub(super) fn start_stages(&mut self, stages: &[Command], output: Option<(sys::Fd, i32)>) -> Flow<Vec<Started>> {
        let (mut output, reader) = output.map_or((None, None), |(write, read)| (Some(write), Some(read)));
        let mut started = Vec::with_capacity(stages.len());
        let mut input: Option<sys::Fd> = None;
        for (i, stage) in stages.iter().enumerate() {
            let (next, write) = if i + 1 == stages.len() {
                (None, output.take())
            } else {
                match sys::pipe(sys::OpenFlags::CLOEXEC) {
                    Ok((read, write)) => (Some(read), Some(write)),
                    Err(errno) => return self.discard(format!("pipe error: {errno}")),
                }
            };
            self.announce_stage(stage)?;
            let raw = |fd: &Option<sys::Fd>| fd.as_ref().map(sys::Fd::raw);
            let unused = [raw(&next), raw(&output), reader];
            match self.start_stage(stage, raw(&input), raw(&write), &unused) {
                Ok(stage) => started.push(stage),
                Err(errno) => {
                    self.error_about(b"fork", errno.text());
                    self.status = 254;
                    break;
                }
            }
            input = next;
        }
        Ok(started)
    }

    /// For the DEBUG trap and BASH_COMMAND.
    fn announce_stage(&mut self, stage: &Command) -> Flow {
        if let CommandKind::Simple(_) = &stage.kind
            && (self.traps.watches_commands() || command_named())
        {
            self.line = stage.line;
            self.remember_command(stage);
            self.run_debug_trap(Vec::new)?;
        }
        Ok(())
    }

    /// Waits for all; the status and PIPESTATUS are set. When a signal ended the last of `told`, that is told of them all.
    pub(super) fn wait_stages(&mut self, started: Vec<Started>, told: Option<&[Command]>) {
        let statuses = self.stage_statuses(started, told);
        self.finish_stages(statuses);
    }

    fn stage_statuses(&mut self, started: Vec<Started>, told: Option<&[Command]>) -> Vec<i32> {
        let mut ends = Vec::with_capacity(started.len());
        for stage in started {
            ends.push(match stage {
                Started::Process(pid) => {
                    self.wait_quietly(pid).map_or((pid, WaitStatus::Exited(127)), |end| (pid, end))
                }
                Started::Done(status) => (0, WaitStatus::Exited(status as u8)),
            });
        }
        if let (Some(stages), Some((_, WaitStatus::Signaled(signal)))) = (told, ends.last()) {
            let lines: Vec<_> = ends.iter().zip(stages).map(|(end, stage)| (*end, print_command(stage))).collect();
            self.report_killed_stages(&lines, *signal);
        }
        ends.into_iter().map(|(_, end)| end.shell_code()).collect()
    }

    fn finish_stages(&mut self, statuses: Vec<i32>) {
        self.status = match statuses.iter().rev().find(|&&status| status != 0) {
            Some(&status) if self.options.get(Opt::Pipefail) => status,
            _ => statuses.last().copied().unwrap_or(0),
        };
        self.pipe_status = statuses;
    }

    /// `lastpipe`: the last stage runs here.
    fn run_last_stage(&mut self, stage: &Command, input: sys::Fd) -> Flow {
        let mut undo = Undo::default();
        self.place_copy(input.raw(), sys::STDIN, &mut undo);
        drop(input);
        let outer = std::mem::replace(&mut self.input_given, true);
        let result = self.run_command(stage, false);
        self.input_given = outer;
        self.flush_out();
        self.undo_redirects(undo);
        result
    }

    /// Starts one stage with its ends of the pipes.
    fn start_stage(
        &mut self,
        stage: &Command,
        input: Option<i32>,
        output: Option<i32>,
        unused: &[Option<i32>],
    ) -> sys::Result<Started> {
        if let Some(started) = self.start_direct(stage, input, output) {
            return Ok(started);
        }
        let child = sys::fork(|| {
            for fd in unused.iter().flatten() {
                let _ = sys::close(*fd);
            }
            for (fd, end) in [(input, sys::STDIN), (output, sys::STDOUT)] {
                if let Some(fd) = fd {
                    let _ = sys::dup2(fd, end, sys::OpenFlags(0));
                    let _ = sys::close(fd);
                }
            }
            self.enter_subshell();
            self.input_given |= input.is_some();
            self.run_in_child(|shell| match plain_subshell(stage) {
                Some(list) => {
                    shell.input_given = input.is_some();
                    shell.run_list_last(list)
                }
                None => shell.run_command_last(stage),
            })
        });
        child.map(Started::Process)
    }

    fn run_background(&mut self, and_or: &AndOr) -> Flow {
        if and_or.rest.is_empty() && and_or.first.negated {
            // bash loses the `!` of a pipeline on its own.
            let mut plain = and_or.clone();
            plain.first.negated = false;
            return self.run_background(&plain);
        }
        self.before_process();
        let text = and_or_text(and_or);
        let monitor = self.options.get(Opt::Monitor);
        let child = sys::fork(|| {
            self.enter_subshell();
            if monitor {
                let _ = sys::setpgid(0, 0);
            } else {
                // Without job control a background command must not take the script's input or its interrupts.
                if !self.input_given
                    && let Ok(null) = sys::open(b"/dev/null", sys::OpenFlags::RDONLY, 0)
                {
                    let _ = sys::dup2(null.raw(), sys::STDIN, sys::OpenFlags(0));
                }
                let _ = sys::signal_action(sys::Signal::INT, sys::Disposition::Ignore);
                let _ = sys::signal_action(sys::Signal::QUIT, sys::Disposition::Ignore);
            }
            if let ([], [Command { kind: CommandKind::Simple(_), .. }]) = (&and_or.rest[..], &and_or.first.stages[..]) {
                self.traps.hide(ERR);
            }
            let only = match (&and_or.rest[..], &and_or.first) {
                ([], Pipeline { negated: false, time: None, stages }) if stages.len() == 1 => {
                    plain_subshell(&stages[0])
                }
                _ => None,
            };
            self.run_in_child(|shell| match only {
                Some(list) => shell.run_list_last(list),
                None => shell.run_and_or(and_or, true),
            })
        });
        match child {
            Ok(pid) => {
                if monitor {
                    let _ = sys::setpgid(pid, pid);
                }
                self.last_background = Some(pid);
                let id = self.jobs.add(pid, text);
                if self.interactive {
                    let message = format!("[{id}] {pid}\n");
                    self.stderr(message.as_bytes());
                }
                self.status = 0;
                Ok(())
            }
            Err(errno) => self.discard(format!("fork: {errno}")),
        }
    }
}

/// The list of a subshell, in a child where one subshell is enough.
fn plain_subshell(command: &Command) -> Option<&List> {
    match &command.kind {
        CommandKind::Subshell(list) if command.redirects.is_empty() => Some(list),
        _ => None,
    }
}

fn and_or_text(and_or: &AndOr) -> Vec<u8> {
    let item = ListItem { and_or: and_or.clone(), background: false, newline: false };
    crate::syntax::print_list(&List { items: vec![item] })
}
