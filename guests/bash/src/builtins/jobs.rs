//! `jobs`.

use super::{Letter, Letters};
use crate::exec::JobState;
use crate::shell::{Flow, Shell};
use capsule_sys::{Signal, WaitStatus};

pub fn state_text(state: JobState) -> String {
    match state {
        JobState::Running => "Running".into(),
        JobState::Stopped(_) => "Stopped".into(),
        JobState::Done(WaitStatus::Exited(0)) => "Done".into(),
        JobState::Done(WaitStatus::Exited(code)) => format!("Exit {code}"),
        JobState::Done(WaitStatus::Signaled(signal)) => {
            Signal::from_number(signal.into()).map_or("Killed", |s| s.text()).to_owned()
        }
        JobState::Done(_) => "Done".into(),
    }
}

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut long, mut pids, mut running, mut stopped, mut changed) = (false, false, false, false, false);
    let mut letters = Letters::new(args, b"lnprsx");
    while let Some(letter) = letters.next() {
        match letter {
            Letter::Plain(b'l') => long = true,
            Letter::Plain(b'p') => pids = true,
            Letter::Plain(b'r') => running = true,
            Letter::Plain(b's') => stopped = true,
            Letter::Plain(b'n') => changed = true,
            Letter::Plain(_) => {
                let rest = letters.rest().to_vec();
                if rest.is_empty() {
                    return Ok(0);
                }
                let words: Vec<Vec<u8>> = rest
                    .iter()
                    .map(|word| match word.starts_with(b"%").then(|| shell.jobs.by_spec(word)) {
                        Some(Ok(at)) => shell.jobs.list[at].pid.to_string().into_bytes(),
                        _ => word.clone(),
                    })
                    .collect();
                shell.start_external(words, false)?;
                return Ok(shell.status);
            }
            Letter::Bad(option) => return Ok(shell.bad_option("jobs", &option)),
            _ => return Ok(2),
        }
    }
    shell.reap();
    let mut status = 0;
    let mut chosen = Vec::new();
    for spec in letters.rest() {
        match shell.jobs.by_spec(spec) {
            Ok(at) => chosen.push(shell.jobs.list[at].pid),
            Err(why) => {
                shell.complain("jobs", [&spec[..], b": ", why.as_bytes()].concat());
                status = 1;
            }
        }
    }
    if !letters.rest().is_empty() && chosen.is_empty() {
        return Ok(status);
    }
    if shell.jobs.list.is_empty() {
        // In a pipeline the parent's are shown, once.
        shell.jobs.list = std::mem::take(&mut shell.jobs.inherited);
    }
    let (current, previous) = shell.jobs.current();
    let list = shell.jobs.list.clone();
    for job in list.iter().filter(|job| !job.hidden) {
        if !chosen.is_empty() && !chosen.contains(&job.pid)
            || running && job.state != JobState::Running
            || stopped && !matches!(job.state, JobState::Stopped(_))
            || changed && (job.notified || job.state == JobState::Running)
        {
            continue;
        }
        if pids {
            shell.out.extend_from_slice(format!("{}\n", job.pid).as_bytes());
            continue;
        }
        let mark = if Some(job.id) == current {
            '+'
        } else if Some(job.id) == previous {
            '-'
        } else {
            ' '
        };
        let state = state_text(job.state);
        let mut line = if long {
            format!("[{}]{mark} {:>5} {state:<24}", job.id, job.pid).into_bytes()
        } else {
            format!("[{}]{mark}  {state:<24}", job.id).into_bytes()
        };
        line.extend_from_slice(&job.command);
        if job.state == JobState::Running {
            line.extend_from_slice(b" &");
        }
        line.push(b'\n');
        shell.out.extend_from_slice(&line);
    }
    // Jobs that have ended are told once.
    for job in list {
        if matches!(job.state, JobState::Done(_)) && !job.hidden && !pids {
            shell.retire(job.pid);
        }
    }
    Ok(status)
}
