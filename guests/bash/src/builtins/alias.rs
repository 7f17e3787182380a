//! `alias`, `unalias`.

use super::{Letter, Letters};
use crate::expand::single_quote;
use crate::shell::{Flow, Shell};
use std::rc::Rc;

fn show(shell: &mut Shell, name: &[u8], value: &[u8]) {
    let text = [b"alias ", name, b"=", &single_quote(value), b"\n"].concat();
    shell.out.extend_from_slice(&text);
}

pub fn run_alias(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut letters = Letters::new(args, b"p");
    let mut print = args.len() == 1;
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(_) => print = true,
            Letter::Bad(option) => return Ok(shell.bad_option("alias", &option)),
            _ => return Ok(2),
        }
    }
    if print {
        let mut all: Vec<_> = shell.aliases.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        all.sort();
        for (name, value) in all {
            show(shell, &name, &value);
        }
    }
    let mut status = 0;
    for arg in letters.rest() {
        match arg.iter().position(|&b| b == b'=') {
            Some(equals) if equals > 0 => {
                let (name, value) = (&arg[..equals], &arg[equals + 1..]);
                let bad = name.iter().any(|b| {
                    matches!(
                        b,
                        b'/' | b'$'
                            | b'`'
                            | b'\''
                            | b'"'
                            | b'\\'
                            | b'='
                            | b' '
                            | b'\t'
                            | b'\n'
                            | b';'
                            | b'&'
                            | b'|'
                            | b'<'
                            | b'>'
                            | b'('
                            | b')'
                    )
                });
                if bad {
                    shell.complain("alias", [b"`", name, b"': invalid alias name"].concat());
                    status = 1;
                } else {
                    Rc::make_mut(&mut shell.aliases).insert(name.into(), value.into());
                }
            }
            _ => match shell.aliases.get(&arg[..]).cloned() {
                Some(value) => show(shell, arg, &value),
                None => {
                    shell.complain("alias", [&arg[..], b": not found"].concat());
                    status = 1;
                }
            },
        }
    }
    Ok(status)
}

pub fn run_unalias(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut letters = Letters::new(args, b"a");
    let mut all = false;
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(_) => all = true,
            Letter::Bad(option) => return Ok(shell.bad_option("unalias", &option)),
            _ => return Ok(2),
        }
    }
    if all {
        shell.aliases = Rc::default();
        return Ok(0);
    }
    if letters.rest().is_empty() {
        return Ok(shell.usage("unalias"));
    }
    let mut status = 0;
    for arg in letters.rest() {
        if Rc::make_mut(&mut shell.aliases).remove(&arg[..]).is_none() {
            shell.complain("unalias", [&arg[..], b": not found"].concat());
            status = 1;
        }
    }
    Ok(status)
}
