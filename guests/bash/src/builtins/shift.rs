//! `shift`.

use super::number;
use crate::shell::{Flow, Shell, Shopt};
use std::rc::Rc;

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let args = if args.get(1).is_some_and(|a| a == b"--") { &args[2..] } else { &args[1..] };
    let count = match args {
        [] => 1,
        [text, more @ ..] => match number(text) {
            None => {
                shell.complain("shift", [&text[..], b": numeric argument required"].concat());
                return Ok(1);
            }
            Some(_) if !more.is_empty() => return shell.too_many("shift"),
            Some(n) => n,
        },
    };
    if count < 0 {
        shell.complain("shift", [&args[0][..], b": shift count out of range"].concat());
        return Ok(1);
    }
    let count = count as usize;
    if count > shell.positional.len() {
        if shell.options.shopt(Shopt::ShiftVerbose) {
            shell.complain("shift", format!("{count}: shift count out of range"));
        }
        return Ok(1);
    }
    Rc::make_mut(&mut shell.positional).drain(..count);
    Ok(0)
}
