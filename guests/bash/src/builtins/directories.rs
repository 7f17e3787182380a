//! `pushd`, `popd`, `dirs`.

use super::number;
use crate::shell::{Flow, Shell};

impl Shell {
    fn directory_list(&self) -> Vec<Vec<u8>> {
        let mut list = vec![self.cwd.clone()];
        list.extend(self.directories.iter().rev().cloned());
        list
    }

    fn set_directory_list(&mut self, list: &[Vec<u8>]) {
        self.directories = list[1..].iter().rev().cloned().collect();
    }

    fn shorten(&self, path: &[u8]) -> Vec<u8> {
        match self.vars.text(b"HOME") {
            Some(home) if home.len() > 1 && path.starts_with(&home) => match &path[home.len()..] {
                b"" => b"~".to_vec(),
                rest if rest[0] == b'/' => [b"~", rest].concat(),
                _ => path.to_vec(),
            },
            _ => path.to_vec(),
        }
    }

    fn show_directories(&mut self) {
        let list: Vec<Vec<u8>> = self.directory_list().iter().map(|path| self.shorten(path)).collect();
        let line = list.join(&b' ');
        self.out.extend_from_slice(&line);
        self.out.push(b'\n');
    }
}

/// `+N` from the left, `-N` from the right.
fn rotation(shell: &mut Shell, me: &str, text: &[u8], len: usize) -> Option<Result<usize, i32>> {
    let (left, digits) = match text {
        [b'+', digits @ ..] => (true, digits),
        [b'-', digits @ ..] => (false, digits),
        _ => return None,
    };
    let Some(n) = number(digits).and_then(|n| usize::try_from(n).ok()) else {
        shell.complain(me, [text, b": invalid number"].concat());
        return Some(Err(shell.usage(me)));
    };
    if n >= len {
        if len == 1 {
            shell.complain(me, "directory stack empty");
        } else {
            shell.complain(me, [text, b": directory stack index out of range"].concat());
        }
        return Some(Err(1));
    }
    Some(Ok(if left { n } else { len - 1 - n }))
}

fn go(shell: &mut Shell, me: &str, path: &[u8]) -> bool {
    match shell.change_directory(path, false) {
        Ok(()) => true,
        Err(errno) => {
            shell.complain(me, [path, b": ", errno.text().as_bytes()].concat());
            false
        }
    }
}

pub fn run_pushd(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut args = &args[1..];
    let mut stay = false;
    if args.first().is_some_and(|a| a == b"-n") {
        stay = true;
        args = &args[1..];
    }
    if args.first().is_some_and(|a| a == b"--") {
        args = &args[1..];
    }
    let mut list = shell.directory_list();
    let Some(text) = args.first() else {
        if list.len() < 2 {
            shell.complain("pushd", "no other directory");
            return Ok(1);
        }
        list.swap(0, 1);
        if !stay && !go(shell, "pushd", &list[0].clone()) {
            return Ok(1);
        }
        shell.set_directory_list(&list);
        shell.show_directories();
        return Ok(0);
    };
    if args.len() > 1 {
        shell.complain("pushd", "too many arguments");
        return Ok(1);
    }
    match rotation(shell, "pushd", text, list.len()) {
        Some(Err(status)) => return Ok(status),
        Some(Ok(n)) => {
            list.rotate_left(n);
            if !stay && !go(shell, "pushd", &list[0].clone()) {
                return Ok(1);
            }
            shell.set_directory_list(&list);
        }
        None => {
            let old = shell.cwd.clone();
            if stay {
                shell.directories.push(text.clone());
            } else {
                let target = if text == b"-" {
                    shell.vars.text(b"OLDPWD").map(|v| v.into_owned()).unwrap_or_default()
                } else {
                    text.clone()
                };
                if !go(shell, "pushd", &target) {
                    return Ok(1);
                }
                shell.directories.push(old);
            }
        }
    }
    shell.show_directories();
    Ok(0)
}

pub fn run_popd(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut args = &args[1..];
    let mut stay = false;
    if args.first().is_some_and(|a| a == b"-n") {
        stay = true;
        args = &args[1..];
    }
    if args.first().is_some_and(|a| a == b"--") {
        args = &args[1..];
    }
    let mut list = shell.directory_list();
    let chosen = args.first().map(|text| (text, rotation(shell, "popd", text, list.len())));
    let n = match chosen {
        None => 0,
        Some((_, Some(Ok(n)))) => n,
        Some((_, Some(Err(status)))) => return Ok(status),
        Some((text, None)) => {
            shell.complain("popd", [&text[..], b": invalid argument"].concat());
            return Ok(shell.usage("popd"));
        }
    };
    if list.len() < 2 {
        shell.complain("popd", "directory stack empty");
        return Ok(1);
    }
    if n == 0 && stay {
        list.remove(1);
    } else {
        list.remove(n);
        if n == 0 && !go(shell, "popd", &list[0].clone()) {
            return Ok(1);
        }
    }
    shell.set_directory_list(&list);
    shell.show_directories();
    Ok(0)
}

pub fn run_dirs(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut long, mut lines, mut numbered) = (false, false, false);
    let list = shell.directory_list();
    let mut chosen = None;
    for arg in &args[1..] {
        match &arg[..] {
            b"--" => {}
            [b'-', letters @ ..] if !letters.is_empty() && letters.iter().all(|b| b"clpv".contains(b)) => {
                for letter in letters {
                    match letter {
                        b'c' => {
                            shell.directories.clear();
                            return Ok(0);
                        }
                        b'l' => long = true,
                        b'p' => lines = true,
                        _ => {
                            lines = true;
                            numbered = true;
                        }
                    }
                }
            }
            text => match rotation(shell, "dirs", text, list.len()) {
                Some(Ok(n)) => chosen = Some(n),
                Some(Err(status)) => return Ok(status),
                None => {
                    let text = text.to_vec();
                    return Ok(shell.bad_option("dirs", &text));
                }
            },
        }
    }
    let shown: Vec<Vec<u8>> = list.iter().map(|path| if long { path.clone() } else { shell.shorten(path) }).collect();
    if let Some(n) = chosen {
        shell.out.extend_from_slice(&shown[n]);
        shell.out.push(b'\n');
        return Ok(0);
    }
    if lines {
        for (i, path) in shown.iter().enumerate() {
            if numbered {
                shell.out.extend_from_slice(format!("{i:2}  ").as_bytes());
            }
            shell.out.extend_from_slice(path);
            shell.out.push(b'\n');
        }
    } else {
        let line = shown.join(&b' ');
        shell.out.extend_from_slice(&line);
        shell.out.push(b'\n');
    }
    Ok(0)
}
