//! Starting other programs: `PATH` is searched as the shell does.

use capsule_sys::{Errno, FdAction, FileType, SpawnRequest, X_OK, access, environ, exec, getenv, spawn, stat};

/// Not found.
pub const NOT_FOUND: u8 = 127;
/// Found, and could not be started.
pub const CANNOT: u8 = 126;

/// Where a command is: its own path when it has a slash, else the first executable file along `PATH`.
pub fn find(name: &[u8], path: &[u8]) -> Result<Vec<u8>, Errno> {
    if name.contains(&b'/') {
        return Ok(name.to_vec());
    }
    let mut why = Errno::ENOENT;
    if name.is_empty() {
        return Err(why);
    }
    for dir in path.split(|&b| b == b':') {
        let file = crate::input::join(if dir.is_empty() { b"." } else { dir }, name);
        match stat(&file) {
            Ok(s) if s.kind == FileType::Regular && access(&file, X_OK).is_ok() => return Ok(file),
            Ok(_) => why = Errno::EACCES,
            Err(Errno::EACCES) => why = Errno::EACCES,
            Err(Errno::ENOENT | Errno::ENOTDIR) => {}
            Err(e) => return Err(e),
        }
    }
    Err(why)
}

/// Becomes the command; comes back with the reason why not. `PATH` is that of the environment given.
pub fn become_command(argv: &[Vec<u8>], env: &[Vec<u8>]) -> Errno {
    let default = b"/usr/local/bin:/usr/bin:/bin".to_vec();
    let path = env.iter().find_map(|v| v.strip_prefix(b"PATH=")).map_or(default, <[u8]>::to_vec);
    let Some(name) = argv.first() else { return Errno::ENOENT };
    match find(name, &path) {
        Ok(path) => exec(&SpawnRequest { path, argv: argv.to_vec(), env: env.to_vec(), ..SpawnRequest::default() }),
        Err(e) => e,
    }
}

/// The status of a command that could not be started.
pub fn status(why: Errno) -> u8 {
    if why == Errno::ENOENT { NOT_FOUND } else { CANNOT }
}

/// Starts a command, found along `PATH`, with these changes of its descriptors.
pub fn start(argv: &[Vec<u8>], actions: Vec<FdAction>) -> Result<i32, Errno> {
    let path = getenv(b"PATH").unwrap_or_else(|| b"/usr/local/bin:/usr/bin:/bin".to_vec());
    let path = find(argv.first().ok_or(Errno::ENOENT)?, &path)?;
    spawn(&SpawnRequest { path, argv: argv.to_vec(), env: environ(), actions, ..SpawnRequest::default() })
}

/// Starts a command line, run by the shell, with more in its environment.
pub fn shell(command: &[u8], variables: &[(&str, Vec<u8>)], actions: Vec<FdAction>) -> Result<i32, Errno> {
    let mut env = environ();
    for (name, value) in variables {
        let name = [name.as_bytes(), b"="].concat();
        env.retain(|v| !v.starts_with(&name));
        env.push([name, value.clone()].concat());
    }
    let argv = vec![b"sh".to_vec(), b"-c".to_vec(), command.to_vec()];
    spawn(&SpawnRequest { path: b"/bin/sh".to_vec(), argv, env, actions, ..SpawnRequest::default() })
}
