//! `getopts`.

use super::{Letter, Letters};
use crate::names::is_name;
use crate::shell::{Flow, Shell};

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut letters = Letters::new(args, b"");
    if let Some(Letter::Bad(option)) = letters.next() {
        return Ok(shell.bad_option("getopts", &option));
    }
    let args = &args[letters.next - 1..];
    let (Some(spec), Some(name)) = (args.get(1), args.get(2)) else { return Ok(shell.usage("getopts")) };
    let words: Vec<Vec<u8>> = if args.len() > 3 { args[3..].to_vec() } else { shell.positional.to_vec() };
    let index = shell.vars.text(b"OPTIND").and_then(|v| crate::arith::parse_integer(&v)).unwrap_or(1).max(1) as usize;
    let silent = spec.first() == Some(&b':');
    let spec = if silent { &spec[1..] } else { &spec[..] };
    let verbose = !silent && shell.vars.text(b"OPTERR").is_none_or(|v| &*v != b"0");
    let mut at = index - 1;
    let mut within = shell.getopts_at;
    if within == 0 {
        match words.get(at).map(Vec::as_slice) {
            Some(b"--") => return end(shell, name, at + 2),
            Some([b'-', _, ..]) => within = 1,
            _ => return end(shell, name, (at + 1).min(words.len() + 1)),
        }
    }
    let Some(word) = words.get(at).filter(|word| within < word.len()) else {
        return end(shell, name, (at + 1).min(words.len() + 1));
    };
    let letter = word[within];
    within += 1;
    let place = spec.iter().position(|&b| b == letter && letter != b':');
    let mut argument = None;
    let mut value = vec![letter];
    let mut status_message = None;
    match place {
        None => {
            value = b"?".to_vec();
            if silent {
                argument = Some(vec![letter]);
            } else {
                status_message = Some([b"illegal option -- ", &[letter][..]].concat());
            }
            if within >= word.len() {
                at += 1;
                within = 0;
            }
        }
        Some(place) if spec.get(place + 1) == Some(&b':') => {
            if within < word.len() {
                argument = Some(word[within..].to_vec());
            } else {
                at += 1;
                match words.get(at) {
                    Some(next) => argument = Some(next.clone()),
                    None if silent => {
                        value = b":".to_vec();
                        argument = Some(vec![letter]);
                    }
                    None => {
                        value = b"?".to_vec();
                        status_message = Some([b"option requires an argument -- ", &[letter][..]].concat());
                    }
                }
            }
            at += 1;
            within = 0;
        }
        Some(_) => {
            if within >= word.len() {
                at += 1;
                within = 0;
            }
        }
    }
    if let (Some(message), true) = (status_message, verbose) {
        let text = [&shell.arg0[..], b": ", &message, b"\n"].concat();
        shell.stderr(&text);
    }
    let _ = shell.set_var(b"OPTIND", (at.min(words.len()) + 1).to_string().as_bytes());
    shell.getopts_at = within;
    match argument {
        Some(argument) => drop(shell.set_var(b"OPTARG", &argument)),
        None => shell.unset_var(crate::names::Name::new(b"OPTARG")),
    }
    bind(shell, name, &value)
}

fn bind(shell: &mut Shell, name: &[u8], value: &[u8]) -> Flow<i32> {
    if !is_name(name) {
        shell.complain("getopts", [b"`", name, b"': not a valid identifier"].concat());
        return Ok(1);
    }
    let at = shell.getopts_at;
    let ok = shell.set_var(name, value).is_ok();
    shell.getopts_at = at;
    Ok(i32::from(!ok))
}

fn end(shell: &mut Shell, name: &[u8], index: usize) -> Flow<i32> {
    let _ = shell.set_var(b"OPTIND", index.to_string().as_bytes());
    shell.getopts_at = 0;
    shell.unset_var(crate::names::Name::new(b"OPTARG"));
    bind(shell, name, b"?")?;
    Ok(1)
}
