//! `shopt`.

use super::{Letter, Letters};
use crate::shell::{Flow, Options, SET_OPTIONS, SHOPTS, Shell, Shopt};

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut set, mut unset, mut quiet, mut print, mut set_options) = (false, false, false, false, false);
    let mut letters = Letters::new(args, b"psuqo");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b's') => set = true,
            Letter::Plain(b'u') => unset = true,
            Letter::Plain(b'q') => quiet = true,
            Letter::Plain(b'p') => print = true,
            Letter::Plain(_) => set_options = true,
            Letter::Bad(option) => return Ok(shell.bad_option("shopt", &option)),
            _ => return Ok(2),
        }
    }
    if set && unset {
        shell.complain("shopt", "cannot set and unset shell options simultaneously");
        return Ok(1);
    }
    let names = letters.rest();
    if names.is_empty() {
        if set_options {
            for (opt, name, _, _) in SET_OPTIONS {
                let on = shell.options.get(*opt);
                if set && !on || unset && on {
                    continue;
                }
                show_set(shell, name, on, print);
            }
            return Ok(0);
        }
        for (shopt, name, _, _) in SHOPTS {
            let on = shell.options.shopt(*shopt);
            if set && !on || unset && on {
                continue;
            }
            show(shell, name, on, print);
        }
        return Ok(0);
    }
    let mut status = 0;
    for name in names {
        if set_options {
            let Some(opt) = Options::by_name(name) else {
                shell.complain("shopt", [&name[..], b": invalid option name"].concat());
                status = 1;
                continue;
            };
            if set || unset {
                shell.put_option(opt, set);
                continue;
            }
            let on = shell.options.get(opt);
            if !on {
                status = 1;
            }
            if !quiet {
                show_set(shell, &String::from_utf8_lossy(name), on, print);
            }
            continue;
        }
        let Some(shopt) = Options::shopt_by_name(name) else {
            shell.complain("shopt", [&name[..], b": invalid shell option name"].concat());
            status = 1;
            continue;
        };
        // What the shell was started as does not change.
        if (set || unset) && matches!(shopt, Shopt::RestrictedShell | Shopt::LoginShell) {
            continue;
        }
        if set || unset {
            shell.options.put_shopt(shopt, set);
            if shopt == Shopt::Extdebug {
                shell.put_option(crate::shell::Opt::Functrace, set);
                shell.put_option(crate::shell::Opt::Errtrace, set);
                shell.note_arguments();
            }
            continue;
        }
        let on = shell.options.shopt(shopt);
        if !on {
            status = 1;
        }
        if !quiet {
            show(shell, &String::from_utf8_lossy(name), on, print);
        }
    }
    Ok(status)
}

fn show(shell: &mut Shell, name: &str, on: bool, print: bool) {
    let line = if print {
        format!("shopt -{} {name}\n", if on { 's' } else { 'u' })
    } else {
        format!("{name:<15}\t{}\n", if on { "on" } else { "off" })
    };
    shell.out.extend_from_slice(line.as_bytes());
}

fn show_set(shell: &mut Shell, name: &str, on: bool, print: bool) {
    let line = if print {
        format!("set {}o {name}\n", if on { '-' } else { '+' })
    } else {
        format!("{name:<15}\t{}\n", if on { "on" } else { "off" })
    };
    shell.out.extend_from_slice(line.as_bytes());
}
