//! `enable`.

use super::{BUILTINS, Letter, Letters};
use crate::shell::{Flow, Shell};

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut disable, mut all, mut special) = (false, false, false);
    let mut letters = Letters::new(args, b"anpsd");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'n') => disable = true,
            Letter::Plain(b'a') => all = true,
            Letter::Plain(b's') => special = true,
            Letter::Plain(b'd') => {
                shell.complain("enable", "dynamic loading not available");
                return Ok(1);
            }
            Letter::Plain(_) => {}
            Letter::Bad(option) => return Ok(shell.bad_option("enable", &option)),
            _ => return Ok(2),
        }
    }
    if letters.rest().is_empty() {
        for builtin in BUILTINS {
            let off = shell.disabled_builtins.contains(&builtin.name);
            if special && !builtin.special || !all && off != disable {
                continue;
            }
            let word = if off { "enable -n" } else { "enable" };
            shell.out.extend_from_slice(format!("{word} {}\n", builtin.name).as_bytes());
        }
        return Ok(0);
    }
    let mut status = 0;
    for name in letters.rest() {
        match BUILTINS.iter().find(|builtin| builtin.name.as_bytes() == name) {
            Some(builtin) => {
                shell.disabled_builtins.retain(|n| *n != builtin.name);
                if disable {
                    shell.disabled_builtins.push(builtin.name);
                }
            }
            None => {
                shell.complain("enable", [&name[..], b": not a shell builtin"].concat());
                status = 1;
            }
        }
    }
    Ok(status)
}
