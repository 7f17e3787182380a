//! `type`, and what `command -v` and `-V` say.

use super::{Letter, Letters};
use crate::exec::Found;
use crate::expand::single_quote;
use crate::shell::{Flow, Shell};

/// `command -v` and `command -V`; false when there is no such thing.
pub fn describe(shell: &mut Shell, name: &[u8], verbose: bool) -> bool {
    match shell.look_up(name, true, true).into_iter().next() {
        Some(found) if verbose => {
            tell(shell, name, &found);
            true
        }
        Some(found) => {
            let text = match found {
                Found::Alias(text) => [b"alias ", name, b"=", &single_quote(&text)].concat(),
                Found::File(path) | Found::Hashed(path) => path,
                _ => name.to_vec(),
            };
            shell.out.extend_from_slice(&text);
            shell.out.push(b'\n');
            true
        }
        None => false,
    }
}

fn tell(shell: &mut Shell, name: &[u8], found: &Found) {
    let text = match found {
        Found::Alias(text) => [name, b" is aliased to `", text, b"'"].concat(),
        Found::Keyword => [name, b" is a shell keyword"].concat(),
        Found::Function => {
            let body = shell.functions.get(name).map(|f| f.print(name).to_vec()).unwrap_or_default();
            [name, b" is a function\n", &body].concat()
        }
        Found::Builtin => {
            let special = shell.posix() && super::find(shell, name).is_some_and(|b| b.special);
            [name, if special { &b" is a special shell builtin"[..] } else { b" is a shell builtin" }].concat()
        }
        Found::File(path) => [name, b" is ", path].concat(),
        Found::Hashed(path) => [name, b" is hashed (", path, b")"].concat(),
    };
    shell.out.extend_from_slice(&text);
    shell.out.push(b'\n');
}

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut all, mut no_functions, mut only_type, mut only_path, mut force_path) = (false, false, false, false, false);
    let mut letters = Letters::new(args, b"afptP");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'a') => all = true,
            Letter::Plain(b'f') => no_functions = true,
            Letter::Plain(b't') => only_type = true,
            Letter::Plain(b'p') => only_path = true,
            Letter::Plain(_) => force_path = true,
            Letter::Bad(option) => return Ok(shell.bad_option("type", &option)),
            _ => return Ok(2),
        }
    }
    let mut status = 0;
    for name in letters.rest() {
        let mut found = if force_path {
            match shell.hashed.get(&name[..]) {
                Some((path, _)) => vec![Found::File(path.clone())],
                _ => shell.search_along(name, all).into_iter().map(Found::File).collect(),
            }
        } else {
            shell.look_up(name, !no_functions, true)
        };
        if all && !force_path {
            found.retain(|f| !matches!(f, Found::Hashed(_)));
            if !found.iter().any(|f| matches!(f, Found::File(_))) && !name.contains(&b'/') {
                found.extend(shell.search_along(name, true).into_iter().map(Found::File));
            }
        }
        if found.is_empty() {
            if !only_type && !only_path && !force_path {
                shell.complain("type", [&name[..], b": not found"].concat());
            }
            status = 1;
            continue;
        }
        if !all {
            found.truncate(1);
        }
        for found in &found {
            if only_type {
                let word = match found {
                    Found::Alias(_) => "alias\n",
                    Found::Keyword => "keyword\n",
                    Found::Function => "function\n",
                    Found::Builtin => "builtin\n",
                    Found::File(_) | Found::Hashed(_) => "file\n",
                };
                shell.out.extend_from_slice(word.as_bytes());
            } else if only_path || force_path {
                if let Found::File(path) | Found::Hashed(path) = found {
                    shell.out.extend_from_slice(path);
                    shell.out.push(b'\n');
                }
            } else {
                tell(shell, name, found);
            }
        }
    }
    Ok(status)
}
