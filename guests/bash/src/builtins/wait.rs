//! `wait`.

use super::{Letter, Letters, number};
use crate::exec::JobState;
use crate::shell::{Flow, Shell};
use capsule_sys as sys;

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut any, mut variable) = (false, None);
    let mut letters = Letters::new(args, b"fnp:");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'n') => any = true,
            Letter::Plain(_) => {}
            Letter::With(_, name) => variable = Some(name.to_vec()),
            Letter::Bad(option) => return Ok(shell.bad_option("wait", &option)),
            Letter::Missing(letter) => {
                shell.complain("wait", format!("-{}: option requires an argument", letter as char));
                return Ok(shell.usage("wait"));
            }
        }
    }
    if let Some(name) = &variable {
        if !crate::names::is_name(name) {
            shell.complain("wait", [b"`", &name[..], b"': not a valid identifier"].concat());
            return Ok(1);
        }
        shell.unset_var(crate::names::Name::new(name));
    }
    let ids = letters.rest().to_vec();
    if any {
        return wait_any(shell, &ids, variable.as_deref());
    }
    if ids.is_empty() {
        return wait_all(shell);
    }
    let mut status = 0;
    for id in &ids {
        let Some(pid) = find(shell, id, &mut status) else { continue };
        status = match shell.jobs.by_pid(pid).is_some() {
            true => match shell.wait_job(pid)? {
                Some(ended) => {
                    report(shell, pid, ended);
                    shell.retire(pid);
                    ended.shell_code()
                }
                None => return interrupted(shell),
            },
            false => match shell.jobs.remembered.iter().find(|(p, _)| *p == pid) {
                Some((_, status)) => *status,
                None if shell.jobs.disowned.contains(&pid) => {
                    shell.jobs.disowned.retain(|p| *p != pid);
                    shell.wait_for(pid)
                }
                None => {
                    shell.complain("wait", format!("pid {pid} is not a child of this shell"));
                    127
                }
            },
        };
        if let Some(name) = &variable {
            let _ = shell.set_var(name, pid.to_string().as_bytes());
        }
    }
    Ok(status)
}

/// A job that a signal ended is told, as after a foreground command.
fn report(shell: &mut Shell, pid: i32, ended: sys::WaitStatus) {
    if let sys::WaitStatus::Signaled(signal) = ended {
        let text = shell.jobs.by_pid(pid).map(|job| job.command.clone()).unwrap_or_default();
        if signal != 15 || shell.interactive {
            shell.report_killed(pid, signal, &text);
        }
    }
}

fn find(shell: &mut Shell, id: &[u8], status: &mut i32) -> Option<i32> {
    if id.starts_with(b"%") {
        return match shell.jobs.by_spec(id) {
            Ok(at) => Some(shell.jobs.list[at].pid),
            Err(why) => {
                shell.complain("wait", [id, b": ", why.as_bytes()].concat());
                *status = 127;
                None
            }
        };
    }
    match number(id).and_then(|n| i32::try_from(n).ok()).filter(|n| *n >= 0) {
        Some(pid) => Some(pid),
        None => {
            shell.complain("wait", [b"`", id, b"': not a pid or valid job spec"].concat());
            *status = 1;
            None
        }
    }
}

fn wait_all(shell: &mut Shell) -> Flow<i32> {
    while let Some(pid) = shell.jobs.list.iter().find(|job| job.state == JobState::Running).map(|job| job.pid) {
        let Some(ended) = shell.wait_job(pid)? else { return interrupted(shell) };
        report(shell, pid, ended);
        shell.retire(pid);
    }
    shell.jobs.list.retain(|job| !matches!(job.state, JobState::Done(_)));
    // Whoever waits for all has asked for the last time.
    shell.jobs.remembered.clear();
    Ok(0)
}

fn wait_any(shell: &mut Shell, ids: &[Vec<u8>], variable: Option<&[u8]>) -> Flow<i32> {
    let mut wanted = Vec::new();
    for id in ids {
        let pid = match number(id).and_then(|n| i32::try_from(n).ok()) {
            Some(pid) => shell.jobs.by_pid(pid).map(|job| job.pid),
            None => shell.jobs.by_spec(id).ok().filter(|_| id.starts_with(b"%")).map(|at| shell.jobs.list[at].pid),
        };
        match pid {
            Some(pid) => wanted.push(pid),
            None => shell.complain("wait", [&id[..], b": no such job"].concat()),
        }
    }
    let fits = |pid: i32| ids.is_empty() || wanted.contains(&pid);
    loop {
        let done =
            shell.jobs.list.iter().find(|job| fits(job.pid) && matches!(job.state, JobState::Done(_)) && !job.hidden);
        if let Some(job) = done {
            let (pid, JobState::Done(ended)) = (job.pid, job.state) else { return Ok(127) };
            shell.retire(pid);
            if let Some(name) = variable {
                let _ = shell.set_var(name, pid.to_string().as_bytes());
            }
            return Ok(ended.shell_code());
        }
        if !shell.jobs.list.iter().any(|job| fits(job.pid) && !job.hidden) {
            return Ok(127);
        }
        match sys::wait(-1, 0) {
            Ok(Some(waited)) => shell.note_child(waited.pid, waited.status),
            Ok(None) => {}
            Err(sys::Errno::EINTR) => {
                if shell.wait_is_interrupted()? {
                    return interrupted(shell);
                }
            }
            Err(_) => return Ok(127),
        }
    }
}

/// A trapped signal ended the wait: its number in the status, then its trap.
fn interrupted(shell: &mut Shell) -> Flow<i32> {
    let status = 128 + shell.traps.first_pending().map_or(0, i32::from);
    shell.status = status;
    shell.check_signals()?;
    Ok(status)
}
