//! `kill`.

use super::number;
use super::trap::{list, number_of, short_name};
use crate::shell::{Flow, Shell};
use capsule_sys as sys;

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut signal = 15u8;
    let mut next = 1;
    match args.get(1).map(Vec::as_slice) {
        None => return Ok(shell.usage("kill")),
        Some(b"-l" | b"-L") => return list_signals(shell, &args[2..]),
        Some(option @ (b"-s" | b"-n")) => {
            let Some(name) = args.get(2) else {
                let option = String::from_utf8_lossy(option).into_owned();
                shell.complain("kill", format!("{option}: option requires an argument"));
                return Ok(1);
            };
            match number_of(name).filter(|n| *n <= 64) {
                Some(n) => signal = n,
                None => return Ok(invalid(shell, name)),
            }
            next = 3;
        }
        Some(b"--") => next = 2,
        Some([b'-', name @ ..]) if !name.is_empty() => {
            match number_of(name).filter(|n| *n <= 64) {
                Some(n) => signal = n,
                None => return Ok(invalid(shell, name)),
            }
            next = 2;
        }
        _ => {}
    }
    if args.get(next).is_some_and(|a| a == b"--") {
        next += 1;
    }
    if args.len() == next {
        return Ok(shell.usage("kill"));
    }
    let mut status = 0;
    for target in &args[next..] {
        let pid = if target.starts_with(b"%") {
            match shell.jobs.by_spec(target) {
                Ok(at) => shell.jobs.list[at].pid,
                Err(why) => {
                    shell.complain("kill", [&target[..], b": ", why.as_bytes()].concat());
                    status = 1;
                    continue;
                }
            }
        } else {
            match number(target).and_then(|n| i32::try_from(n).ok()) {
                Some(pid) => pid,
                None => {
                    let text = [&target[..], b": arguments must be process or job IDs"].concat();
                    shell.complain("kill", text);
                    status = 1;
                    continue;
                }
            }
        };
        if let Err(errno) = sys::kill(pid, signal.into()) {
            shell.complain("kill", [b"(", &target[..], b") - ", errno.text().as_bytes()].concat());
            status = 1;
        }
    }
    // A signal to ourselves is taken now, not after the next command.
    shell.traps.look_soon();
    shell.check_signals()?;
    Ok(status)
}

fn invalid(shell: &mut Shell, name: &[u8]) -> i32 {
    shell.complain("kill", [name, b": invalid signal specification"].concat());
    1
}

fn list_signals(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    if args.is_empty() {
        list(shell);
        return Ok(0);
    }
    let mut status = 0;
    for arg in args {
        let text = match number(arg) {
            Some(n) => {
                // An exit status stands for its signal.
                let n = if n > 128 { n - 128 } else { n };
                match u8::try_from(n).ok().filter(|&n| n == 0 || n <= 64 && n != 32 && n != 33) {
                    Some(0) => "EXIT".to_owned(),
                    Some(n) => short_name(n),
                    None => {
                        status = invalid(shell, arg);
                        continue;
                    }
                }
            }
            None => match number_of(arg) {
                Some(n) => n.to_string(),
                None => {
                    status = invalid(shell, arg);
                    continue;
                }
            },
        };
        shell.out.extend_from_slice(text.as_bytes());
        shell.out.push(b'\n');
    }
    Ok(status)
}
