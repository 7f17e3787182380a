//! `exit`, `return`, `break`, `continue`.

use super::number;
use crate::shell::{Flow, Shell, Unwind};

/// The status an argument asks for. None after a message that it is no number: the status is 2 then.
fn status_argument(shell: &mut Shell, name: &str, args: &[Vec<u8>]) -> Flow<Option<i32>> {
    let args = if args.get(1).is_some_and(|a| a == b"--") { &args[2..] } else { &args[1..] };
    match args {
        [] => Ok(Some(shell.status)),
        [text, more @ ..] => match number(text) {
            Some(_) if !more.is_empty() => shell.too_many(name),
            Some(n) => Ok(Some((n & 0xff) as i32)),
            None => {
                shell.complain(name, [&text[..], b": numeric argument required"].concat());
                Ok(None)
            }
        },
    }
}

pub fn run_exit(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    shell.status = status_argument(shell, "exit", args)?.unwrap_or(2);
    shell.left = true;
    Err(Unwind::Exit)
}

pub fn run_logout(shell: &mut Shell, _: &[Vec<u8>]) -> Flow<i32> {
    shell.complain("logout", "not login shell: use `exit'");
    Ok(1)
}

pub fn run_return(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let status = status_argument(shell, "return", args)?.unwrap_or(2);
    if shell.functions_running == 0 && shell.sources_running == 0 {
        shell.complain("return", "can only `return' from a function or sourced script");
        return Ok(2);
    }
    shell.before_return = shell.status;
    shell.status = status;
    Err(Unwind::Return)
}

/// How many loops; None when there is nothing to leave or the count is wrong.
fn loop_count(shell: &mut Shell, name: &str, args: &[Vec<u8>]) -> Result<u32, Flow<i32>> {
    if shell.loops == 0 {
        shell.complain(name, "only meaningful in a `for', `while', or `until' loop");
        return Err(Ok(0));
    }
    let args = if args.get(1).is_some_and(|a| a == b"--") { &args[2..] } else { &args[1..] };
    match args {
        [] => Ok(1),
        [text, more @ ..] => match number(text) {
            None => {
                shell.complain(name, [&text[..], b": numeric argument required"].concat());
                shell.status = 128;
                Err(Err(Unwind::Exit))
            }
            Some(_) if !more.is_empty() => Err(shell.too_many(name)),
            Some(n) if n <= 0 => {
                shell.complain(name, [&text[..], b": loop count out of range"].concat());
                shell.status = 1;
                Err(Err(Unwind::Break(shell.loops)))
            }
            Some(n) => Ok(u32::try_from(n).unwrap_or(u32::MAX).min(shell.loops)),
        },
    }
}

pub fn run_break(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    match loop_count(shell, "break", args) {
        Ok(n) => {
            shell.status = 0;
            Err(Unwind::Break(n))
        }
        Err(answer) => answer,
    }
}

pub fn run_continue(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    match loop_count(shell, "continue", args) {
        Ok(n) => {
            shell.status = 0;
            Err(Unwind::Continue(n))
        }
        Err(answer) => answer,
    }
}
