//! `let`.

use crate::shell::{Flow, Shell, Unwind};

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let args = if args.get(1).is_some_and(|a| a == b"--") { &args[2..] } else { &args[1..] };
    if args.is_empty() {
        shell.complain("let", "expression expected");
        return Ok(1);
    }
    let mut value = 0;
    for arg in args {
        value = match shell.evaluate_for(arg, b"let: ") {
            Ok(value) => value,
            Err(Unwind::Discard) => return Ok(1),
            Err(unwind) => return Err(unwind),
        };
    }
    Ok(i32::from(value == 0))
}
