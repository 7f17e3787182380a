//! `eval`.

use crate::shell::{Flow, Shell, Unwind};
use std::rc::Rc;

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let args = match args.get(1).map(Vec::as_slice) {
        Some(b"--") => &args[2..],
        Some(option) if option.len() > 1 && option.starts_with(b"-") => {
            let option = option[..2].to_vec();
            return Ok(shell.bad_option("eval", &option));
        }
        _ => &args[1..],
    };
    let text = args.join(&b' ');
    if text.is_empty() {
        return Ok(0);
    }
    if crate::stack::is_deep() {
        let depth = shell.depth;
        shell.complain("eval", format!("maximum eval nesting level exceeded ({depth})"));
        shell.status = 1;
        return Err(Unwind::Discard);
    }
    shell.depth += 1;
    shell.trace_level += 1;
    let line = shell.line;
    let command = Rc::clone(&shell.command_text);
    let result = shell.run_text(text, line, b"eval: ", false);
    shell.command_text = command;
    shell.line = line;
    shell.trace_level -= 1;
    shell.depth -= 1;
    result?;
    Ok(shell.status)
}
