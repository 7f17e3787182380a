//! `command`, `builtin`.

use super::{Letter, Letters, find};
use crate::shell::{Flow, Shell};

pub fn run_builtin(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let rest = match args.get(1).map(Vec::as_slice) {
        Some(b"--") => &args[2..],
        Some(option) if option.len() > 1 && option.starts_with(b"-") => {
            let option = option[..2].to_vec();
            return Ok(shell.bad_option("builtin", &option));
        }
        _ => &args[1..],
    };
    let Some(name) = rest.first() else { return Ok(0) };
    match find(shell, name) {
        Some(builtin) => {
            let last = shell.may_replace;
            shell.call_builtin(builtin, rest.to_vec(), Vec::new(), last)?;
            Ok(shell.status)
        }
        None => {
            shell.complain("builtin", [&name[..], b": not a shell builtin"].concat());
            Ok(1)
        }
    }
}

pub fn run_command(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut verbose, mut terse, mut standard) = (false, false, false);
    let mut letters = Letters::new(args, b"pVv");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'p') => standard = true,
            Letter::Plain(b'V') => verbose = true,
            Letter::Plain(_) => terse = true,
            Letter::Bad(option) => return Ok(shell.bad_option("command", &option)),
            _ => return Ok(2),
        }
    }
    let rest = letters.rest().to_vec();
    let Some(name) = rest.first().cloned() else { return Ok(0) };
    if verbose || terse {
        if standard {
            shell.vars.push_frame(true);
            shell.vars.make_local(crate::names::Name::new(b"PATH"), true);
            shell.vars.set(b"PATH", b"/bin:/usr/bin:/sbin:/usr/sbin");
        }
        let mut any = false;
        for name in &rest {
            let found = super::r#type::describe(shell, name, verbose);
            any |= found;
            if !found && verbose {
                shell.complain("command", [&name[..], b": not found"].concat());
            }
        }
        if standard {
            shell.pop_vars();
        }
        return Ok(i32::from(!any));
    }
    if let Some(builtin) = find(shell, &name) {
        let last = shell.may_replace;
        shell.call_builtin(builtin, rest, Vec::new(), last)?;
        return Ok(shell.status);
    }
    let last = shell.may_replace;
    if standard {
        shell.vars.push_frame(true);
        shell.vars.make_local(crate::names::Name::new(b"PATH"), true);
        shell.vars.set(b"PATH", b"/bin:/usr/bin:/sbin:/usr/sbin");
        shell.hashed.clear();
        let result = shell.start_external(rest, false);
        shell.pop_vars();
        result?;
    } else {
        shell.start_external(rest, last)?;
    }
    Ok(shell.status)
}
