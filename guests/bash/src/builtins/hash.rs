//! `hash`.

use super::{Letter, Letters, find};
use crate::shell::{Flow, Opt, Shell};

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    if !shell.options.get(Opt::Hashall) {
        shell.complain("hash", "hashing disabled");
        return Ok(1);
    }
    let (mut list, mut delete, mut tell, mut path) = (false, false, false, None);
    let mut letters = Letters::new(args, b"lrdtp:");
    let mut cleared = false;
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'l') => list = true,
            Letter::Plain(b'r') => {
                shell.hashed.clear();
                cleared = true;
            }
            Letter::Plain(b'd') => delete = true,
            Letter::Plain(_) => tell = true,
            Letter::With(_, value) => path = Some(value.to_vec()),
            Letter::Bad(option) => return Ok(shell.bad_option("hash", &option)),
            Letter::Missing(letter) => {
                shell.complain("hash", format!("-{}: option requires an argument", letter as char));
                return Ok(1);
            }
        }
    }
    let names = letters.rest();
    if names.is_empty() {
        if cleared || path.is_some() {
            return Ok(0);
        }
        let mut all: Vec<_> = shell.hashed.iter().map(|(n, (p, h))| (n.clone(), p.clone(), *h)).collect();
        if all.is_empty() {
            if !list {
                shell.out.extend_from_slice(b"hash: hash table empty\n");
            }
            return Ok(0);
        }
        all.sort();
        if !list {
            shell.out.extend_from_slice(b"hits\tcommand\n");
        }
        for (name, path, hits) in all {
            let line = if list {
                [b"builtin hash -p ", &path[..], b" ", &name, b"\n"].concat()
            } else {
                [format!("{hits:4}\t").as_bytes(), &path, b"\n"].concat()
            };
            shell.out.extend_from_slice(&line);
        }
        return Ok(0);
    }
    let mut status = 0;
    for name in names {
        if let Some(path) = &path {
            shell.hashed.insert(name[..].into(), (path.clone(), 0));
        } else if delete {
            if shell.hashed.remove(&name[..]).is_none() {
                shell.complain("hash", [&name[..], b": not found"].concat());
                status = 1;
            }
        } else if tell {
            match shell.hashed.get(&name[..]).cloned() {
                Some((path, _)) => {
                    let line = if list {
                        [b"builtin hash -p ", &path[..], b" ", name, b"\n"].concat()
                    } else if names.len() > 1 {
                        [&name[..], b"\t", &path, b"\n"].concat()
                    } else {
                        [&path[..], b"\n"].concat()
                    };
                    shell.out.extend_from_slice(&line);
                }
                None => {
                    shell.complain("hash", [&name[..], b": not found"].concat());
                    status = 1;
                }
            }
        } else if !name.contains(&b'/') && find(shell, name).is_none() && !shell.functions.contains_key(&name[..]) {
            shell.hashed.remove(&name[..]);
            match shell.search_path(name).filter(|path| crate::exec::is_executable(path)) {
                Some(path) => drop(shell.hashed.insert(name[..].into(), (path, 0))),
                None => {
                    shell.complain("hash", [&name[..], b": not found"].concat());
                    status = 1;
                }
            }
        }
    }
    Ok(status)
}
