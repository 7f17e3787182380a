//! `exec`.

use super::{Letter, Letters};
use crate::shell::{Flow, Shell, Shopt, Unwind};
use capsule_sys as sys;

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut clean, mut login, mut name) = (false, false, None);
    let mut letters = Letters::new(args, b"cla:");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'c') => clean = true,
            Letter::Plain(_) => login = true,
            Letter::With(_, value) => name = Some(value.to_vec()),
            Letter::Bad(option) => return Ok(shell.bad_option("exec", &option)),
            Letter::Missing(letter) => {
                shell.complain("exec", format!("-{}: option requires an argument", letter as char));
                return Ok(shell.usage("exec"));
            }
        }
    }
    let mut argv = letters.rest().to_vec();
    if argv.is_empty() {
        shell.exec_keeps_redirects = true;
        return Ok(0);
    }
    let command = argv[0].clone();
    let path = shell.find_program(&command);
    if let Some(name) = name {
        argv[0] = name;
    }
    if login {
        argv[0].insert(0, b'-');
    }
    shell.flush_out();
    let status = match path {
        None => {
            if command.contains(&b'/') {
                let bare = command.strip_prefix(b"./").unwrap_or(&command);
                let whole =
                    if command.starts_with(b"/") { command.clone() } else { [&shell.cwd[..], b"/", bare].concat() };
                shell.error_about(&whole, "No such file or directory");
            } else {
                shell.complain("exec", [&command[..], b": not found"].concat());
            }
            127
        }
        Some(path) => {
            let mut request = shell.request(path, argv);
            if clean {
                request.env.clear();
            }
            // Traps are gone in the new program; an EXIT trap does not run.
            shell.before_process();
            let errno = sys::exec(&request);
            let is_directory = sys::stat(&request.path).is_ok_and(|stat| stat.kind == sys::FileType::Directory);
            let why = if is_directory { sys::Errno::EISDIR } else { errno }.text();
            if matches!(errno, sys::Errno::EACCES) || is_directory {
                shell.error_about(&request.path, why);
            }
            shell.complain("exec", [&command[..], b": cannot execute: ", why.as_bytes()].concat());
            126
        }
    };
    shell.status = status;
    if shell.interactive || shell.options.shopt(Shopt::Execfail) {
        return Ok(status);
    }
    Err(Unwind::Exit)
}
