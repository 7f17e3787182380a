//! `cd`, `pwd`.

use super::{Letter, Letters};
use crate::shell::{Flow, Opt, Shell, Shopt};
use capsule_sys as sys;

/// `a/./b/../c` to `a/c`, without asking the file system.
pub fn normalize(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    // Two leading slashes are kept, as POSIX allows and bash does.
    let lead: &[u8] = if path.starts_with(b"//") && !path.starts_with(b"///") { b"//" } else { b"/" };
    [lead, &parts.join(&b'/')].concat()
}

/// Every `..` must leave a directory that is there.
fn check_parents(path: &[u8]) -> sys::Result<()> {
    let mut at = 0;
    while let Some(found) = memchr::memmem::find(&path[at..], b"/..") {
        let end = at + found;
        at = end + 3;
        if matches!(path.get(at), None | Some(b'/')) && end > 0 {
            let before = normalize(&path[..end]);
            if sys::stat(&before)?.kind != sys::FileType::Directory {
                return Err(sys::Errno::ENOTDIR);
            }
        }
    }
    Ok(())
}

impl Shell {
    /// Goes to a directory and says so in PWD and OLDPWD.
    pub(crate) fn change_directory(&mut self, path: &[u8], physical: bool) -> sys::Result<()> {
        let logical = match (path.starts_with(b"/"), self.cwd.ends_with(b"/")) {
            (true, _) => path.to_vec(),
            (false, true) => [&self.cwd[..], path].concat(),
            (false, false) => [&self.cwd[..], b"/", path].concat(),
        };
        // A working directory that was removed has a parent still, which only the system knows.
        let checked = if physical { Ok(()) } else { check_parents(&logical) };
        let logical = normalize(&logical);
        let new = if physical || checked.is_err() {
            sys::chdir(path).map_err(|errno| checked.err().unwrap_or(errno))?;
            sys::getcwd()?
        } else {
            match sys::chdir(&logical) {
                Ok(()) => logical,
                Err(errno) => {
                    // `..` of a link that is gone, or a directory that only the relative path reaches.
                    if sys::chdir(path).is_err() {
                        return Err(errno);
                    }
                    sys::getcwd().unwrap_or(logical)
                }
            }
        };
        let old = std::mem::replace(&mut self.cwd, new.clone());
        let pwd = self.vars.text(b"PWD").map_or(old, |v| v.into_owned());
        let _ = self.set_var(b"OLDPWD", &pwd);
        let _ = self.set_var(b"PWD", &new);
        Ok(())
    }
}

pub fn run_cd(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut physical = shell.options.get(Opt::Physical);
    let mut letters = Letters::new(args, b"LPe@");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'L') => physical = false,
            Letter::Plain(b'P') => physical = true,
            Letter::Plain(_) => {}
            Letter::Bad(option) => return Ok(shell.bad_option("cd", &option)),
            _ => return Ok(2),
        }
    }
    let mut show = false;
    let target = match letters.rest() {
        [] => match shell.vars.text(b"HOME") {
            Some(home) => home.into_owned(),
            None => {
                shell.complain("cd", "HOME not set");
                return Ok(1);
            }
        },
        [dash] if dash == b"-" => match shell.vars.text(b"OLDPWD") {
            Some(old) => {
                show = true;
                old.into_owned()
            }
            None => {
                shell.complain("cd", "OLDPWD not set");
                return Ok(1);
            }
        },
        [directory] => directory.clone(),
        _ => {
            shell.complain("cd", "too many arguments");
            return Ok(1);
        }
    };
    if target.is_empty() {
        return Ok(0);
    }
    let relative = !target.starts_with(b"/") && !matches!(target.split(|&b| b == b'/').next(), Some(b"." | b".."));
    if let (true, Some(path)) = (relative, shell.vars.text(b"CDPATH").map(|v| v.into_owned())) {
        for directory in path.split(|&b| b == b':') {
            let between: &[u8] = if directory.is_empty() || directory.ends_with(b"/") { b"" } else { b"/" };
            let candidate = [directory, between, &target].concat();
            if shell.change_directory(&candidate, physical).is_ok() {
                if !directory.is_empty() {
                    let cwd = shell.cwd.clone();
                    shell.out.extend_from_slice(&cwd);
                    shell.out.push(b'\n');
                }
                return Ok(0);
            }
        }
    }
    match shell.change_directory(&target, physical) {
        Ok(()) => {
            if show {
                let cwd = shell.cwd.clone();
                shell.out.extend_from_slice(&cwd);
                shell.out.push(b'\n');
            }
            Ok(0)
        }
        Err(errno) => {
            if shell.options.shopt(Shopt::CdableVars)
                && let Some(value) = shell.vars.text(&target).map(|v| v.into_owned())
                && shell.change_directory(&value, physical).is_ok()
            {
                let cwd = shell.cwd.clone();
                shell.out.extend_from_slice(&cwd);
                shell.out.push(b'\n');
                return Ok(0);
            }
            shell.complain("cd", [&target[..], b": ", errno.text().as_bytes()].concat());
            Ok(1)
        }
    }
}

pub fn run_pwd(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut physical = shell.options.get(Opt::Physical);
    for letter in Letters::new(args, b"LP") {
        match letter {
            Letter::Plain(b'L') => physical = false,
            Letter::Plain(_) => physical = true,
            Letter::Bad(option) => return Ok(shell.bad_option("pwd", &option)),
            _ => return Ok(2),
        }
    }
    let cwd = match sys::getcwd() {
        _ if !physical => shell.cwd.clone(),
        Ok(cwd) => cwd,
        Err(errno) => {
            let why = format!("getcwd: cannot access parent directories: {}\n", errno.text());
            shell.stderr(format!("pwd: error retrieving current directory: {why}").as_bytes());
            return Ok(1);
        }
    };
    shell.out.extend_from_slice(&cwd);
    shell.out.push(b'\n');
    Ok(0)
}
