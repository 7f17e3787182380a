//! `fg`, `bg`, `disown`, `suspend`.

use super::{Letter, Letters};
use crate::exec::JobState;
use crate::shell::{Flow, Opt, Shell};
use capsule_sys as sys;

fn no_control(shell: &mut Shell, name: &str) -> Option<i32> {
    if shell.options.get(Opt::Monitor) {
        return None;
    }
    shell.complain(name, "no job control");
    Some(1)
}

fn chosen(shell: &mut Shell, name: &str, spec: Option<&Vec<u8>>) -> Option<usize> {
    let text = spec.cloned().unwrap_or_else(|| b"%+".to_vec());
    match shell.jobs.by_spec(&text) {
        Ok(at) => Some(at),
        Err(why) => {
            let shown = if spec.is_some() { text } else { b"current".to_vec() };
            shell.complain(name, [&shown[..], b": ", why.as_bytes()].concat());
            None
        }
    }
}

pub fn run_fg(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    if let Some(status) = no_control(shell, "fg") {
        return Ok(status);
    }
    let Some(at) = chosen(shell, "fg", args.get(1)) else { return Ok(1) };
    let job = shell.jobs.list[at].clone();
    shell.out.extend_from_slice(&job.command);
    shell.out.push(b'\n');
    shell.flush_out();
    let _ = sys::kill(job.pid, 18);
    if let Some(job) = shell.jobs.by_pid(job.pid)
        && matches!(job.state, JobState::Stopped(_))
    {
        job.state = JobState::Running;
    }
    let status = shell.wait_job(job.pid)?.map_or(1, |ended| ended.shell_code());
    shell.retire(job.pid);
    Ok(status)
}

pub fn run_bg(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    if let Some(status) = no_control(shell, "bg") {
        return Ok(status);
    }
    let Some(at) = chosen(shell, "bg", args.get(1)) else { return Ok(1) };
    let job = shell.jobs.list[at].clone();
    if job.state == JobState::Running {
        shell.complain("bg", format!("job {} already in background", job.id));
        return Ok(0);
    }
    let _ = sys::kill(job.pid, 18);
    if let Some(job) = shell.jobs.by_pid(job.pid) {
        job.state = JobState::Running;
    }
    let line = [format!("[{}]+ ", job.id).as_bytes(), &job.command, b" &\n"].concat();
    shell.out.extend_from_slice(&line);
    Ok(0)
}

pub fn run_disown(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut all, mut keep) = (false, false);
    let mut letters = Letters::new(args, b"ahr");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'h') => keep = true,
            Letter::Plain(_) => all = true,
            Letter::Bad(option) => return Ok(shell.bad_option("disown", &option)),
            _ => return Ok(2),
        }
    }
    if keep {
        return Ok(0);
    }
    if all {
        let (hidden, known): (Vec<_>, Vec<_>) = shell.jobs.list.drain(..).partition(|job| job.hidden);
        shell.jobs.list = hidden;
        shell.jobs.disowned.extend(known.iter().map(|job| job.pid));
        return Ok(0);
    }
    let mut status = 0;
    let specs = letters.rest();
    if specs.is_empty() {
        return Ok(match chosen(shell, "disown", None) {
            Some(at) => {
                let job = shell.jobs.list.remove(at);
                shell.jobs.disowned.push(job.pid);
                0
            }
            None => 1,
        });
    }
    for spec in specs {
        let at = match super::number(spec).and_then(|n| i32::try_from(n).ok()) {
            Some(pid) => shell.jobs.list.iter().position(|job| job.pid == pid).ok_or("no such job"),
            None => shell.jobs.by_spec(spec),
        };
        match at {
            Ok(at) => {
                let job = shell.jobs.list.remove(at);
                shell.jobs.disowned.push(job.pid);
            }
            Err(why) => {
                shell.complain("disown", [&spec[..], b": ", why.as_bytes()].concat());
                status = 1;
            }
        }
    }
    Ok(status)
}

pub fn run_suspend(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    for letter in Letters::new(args, b"f") {
        if let Letter::Bad(option) = letter {
            return Ok(shell.bad_option("suspend", &option));
        }
    }
    shell.complain("suspend", "cannot suspend: no job control");
    Ok(1)
}
