//! Processes in the order of a tree, each with the branch that leads to it.

use crate::proc::Process;

/// How the tree is drawn in front of the commands.
#[derive(Clone, Copy, PartialEq)]
pub enum Forest {
    /// `--forest`, `f`
    Branches,
    /// `-H`
    Indented,
}

/// Deeper ones stay where they are, at the end: each level is a call.
const DEEPEST: usize = 500;

pub fn order(processes: Vec<Process>, how: Forest) -> Vec<Process> {
    let mut waiting: Vec<Option<Process>> = processes.into_iter().map(Some).collect();
    let known: Vec<i32> = waiting.iter().flatten().map(|p| p.pid).collect();
    let tops: Vec<i32> =
        waiting.iter().flatten().filter(|p| !known.contains(&p.ppid) || p.ppid == p.pid).map(|p| p.pid).collect();
    let mut ordered = Vec::with_capacity(known.len());
    for top in tops {
        take(&mut waiting, top, b"", b"", how, &mut ordered);
    }
    ordered.extend(waiting.into_iter().flatten());
    ordered
}

/// Moves a process and what is below it; `line` goes on under it, `branch` stands in front of it.
fn take(
    waiting: &mut [Option<Process>],
    pid: i32,
    line: &[u8],
    branch: &[u8],
    how: Forest,
    ordered: &mut Vec<Process>,
) {
    let Some(mut process) =
        waiting.iter_mut().find(|p| p.as_ref().is_some_and(|p| p.pid == pid)).and_then(Option::take)
    else {
        return;
    };
    process.branch = branch.to_vec();
    ordered.push(process);
    let children: Vec<i32> = waiting.iter().flatten().filter(|p| p.ppid == pid).map(|p| p.pid).collect();
    if line.len() > DEEPEST * 4 {
        return;
    }
    for (i, child) in children.iter().enumerate() {
        let (below, branch): (&[u8], &[u8]) = match how {
            Forest::Indented => (b"  ", b"  "),
            Forest::Branches if i + 1 < children.len() => (b" |  ", b" \\_ "),
            Forest::Branches => (b"    ", b" \\_ "),
        };
        take(waiting, *child, &[line, below].concat(), &[line, branch].concat(), how, ordered);
    }
}
