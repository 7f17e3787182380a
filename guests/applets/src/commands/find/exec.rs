//! `-exec`, `-execdir`, `-ok`, `-okdir`.

use super::expr::{Context, File};
use crate::input::{base_name, dir_name};
use crate::quote::locale;
use crate::{Exit, program, report};
use capsule_sys::{
    Errno, FdAction, STDERR, STDIN, SpawnRequest, WaitStatus, environ, getenv, read, spawn, wait, write_all,
};

/// What one command line may have; as xargs counts.
const MOST: usize = 131_072;

pub struct Exec {
    words: Vec<Vec<u8>>,
    /// Many files at once.
    many: bool,
    /// In the file's own directory.
    in_dir: bool,
    ask: bool,
    batch: Vec<Vec<u8>>,
    size: usize,
    batch_dir: Vec<u8>,
}

impl Exec {
    /// Takes the command's words; how many.
    pub fn parse(words: &[Vec<u8>], name: &str, shown: &str) -> Result<(Exec, usize), Exit> {
        let ask = name.starts_with("ok");
        let in_dir = name.ends_with("dir");
        let missing = || report::die(1, format_args!("missing argument to `{shown}'"));
        let mut end = None;
        let mut many = false;
        let mut braces = 0;
        for (at, word) in words.iter().enumerate() {
            if word == b";" {
                end = Some(at);
                break;
            }
            if word == b"+" && !ask && at > 0 && words[at - 1] == b"{}" {
                (end, many) = (Some(at), true);
                break;
            }
            braces += usize::from(memchr::memmem::find(word, b"{}").is_some());
        }
        let end = end.ok_or_else(missing)?;
        if end == 0 {
            return Err(report::die(1, format_args!("invalid argument `;' to `{shown}'")));
        }
        if many && braces > 1 {
            return Err(report::die(1, format_args!("Only one instance of {{}} is supported with {shown} ... +")));
        }
        if in_dir {
            check_path(shown)?;
        }
        let taken = if many { end - 1 } else { end };
        let words: Vec<Vec<u8>> = words[..taken].to_vec();
        let exec = Exec { words, many, in_dir, ask, batch: Vec::new(), size: 0, batch_dir: Vec::new() };
        Ok((exec, end + 1))
    }
}

/// A relative directory in `PATH` would let the files choose the command.
fn check_path(shown: &str) -> Result<(), Exit> {
    let path = getenv(b"PATH").unwrap_or_default();
    for dir in path.split(|&b| b == b':') {
        if dir.is_empty() || dir == b"." {
            let text = format!(
                "The current directory is included in the PATH environment variable, which is insecure in combination \
                 with the {shown} action of find.  Please remove the current directory from your $PATH (that is, remove \
                 \".\", doubled colons, or leading or trailing colons)"
            );
            return Err(report::die(1, text));
        }
        if dir[0] != b'/' {
            let text = format!(
                "The relative path {} is included in the PATH environment variable, which is insecure in combination \
                 with the {shown} action of find.  Please remove that entry from $PATH",
                locale(dir)
            );
            return Err(report::die(1, text));
        }
    }
    Ok(())
}

/// The directory to run in and the name to hand over.
fn place(file: &File, in_dir: bool) -> (Vec<u8>, Vec<u8>) {
    if !in_dir {
        return (Vec::new(), file.path.to_vec());
    }
    let name = base_name(file.path);
    let name = if name == b"/" { name.to_vec() } else { [b"./", name].concat() };
    (dir_name(file.path).to_vec(), name)
}

pub fn run(number: usize, file: &mut File, context: &mut Context) -> bool {
    let exec = &mut context.commands[number];
    let (dir, name) = place(file, exec.in_dir);
    if exec.many {
        let fixed: usize = exec.words.iter().map(|w| w.len() + 1).sum();
        if !exec.batch.is_empty() && (exec.batch_dir != dir || fixed + exec.size + name.len() + 1 > MOST) {
            run_batch(number, context);
        }
        let exec = &mut context.commands[number];
        exec.size += name.len() + 1;
        exec.batch.push(name);
        exec.batch_dir = dir;
        return true;
    }
    let argv: Vec<Vec<u8>> = exec.words.iter().map(|word| replaced(word, &name)).collect();
    let ask = exec.ask;
    if ask && !agreed(&argv[0], file.path, context) {
        return false;
    }
    start(argv, &dir, ask, context) == Some(0)
}

/// Runs what has been gathered.
fn run_batch(number: usize, context: &mut Context) {
    let exec = &mut context.commands[number];
    if exec.batch.is_empty() {
        return;
    }
    let mut argv = exec.words.clone();
    argv.append(&mut exec.batch);
    exec.size = 0;
    let dir = std::mem::take(&mut exec.batch_dir);
    if start(argv, &dir, false, context) != Some(0) {
        context.status = 1;
    }
}

pub fn finish(context: &mut Context) {
    for number in 0..context.commands.len() {
        run_batch(number, context);
    }
}

/// Runs a command to its end; its status, none when it could not be started or was killed.
fn start(argv: Vec<Vec<u8>>, dir: &[u8], no_input: bool, context: &mut Context) -> Option<i32> {
    context.flush();
    let search = getenv(b"PATH").unwrap_or_else(|| b"/usr/local/bin:/usr/bin:/bin".to_vec());
    let name = argv[0].clone();
    let cwd = (!dir.is_empty()).then(|| dir.to_vec());
    let actions = match no_input {
        true => vec![FdAction::Close { fd: STDIN }],
        false => Vec::new(),
    };
    let request = |path| SpawnRequest { path, argv, env: environ(), cwd, actions, ..SpawnRequest::default() };
    let pid = match program::find(&name, &search).and_then(|path| spawn(&request(path))) {
        Ok(pid) => pid,
        Err(e) => {
            report::fault(locale(&name), e);
            return None;
        }
    };
    loop {
        match wait(pid, 0) {
            Ok(Some(waited)) => {
                return match waited.status {
                    WaitStatus::Exited(code) => Some(i32::from(code)),
                    WaitStatus::Signaled(signal) => {
                        report::error(format_args!("{} terminated by signal {signal}", locale(&name)));
                        None
                    }
                    _ => continue,
                };
            }
            Ok(None) | Err(Errno::EINTR) => {}
            Err(_) => return None,
        }
    }
}

fn replaced(word: &[u8], name: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = word;
    while let Some(at) = memchr::memmem::find(rest, b"{}") {
        text.extend_from_slice(&rest[..at]);
        text.extend_from_slice(name);
        rest = &rest[at + 2..];
    }
    text.extend_from_slice(rest);
    text
}

/// Asks on standard error; the answer is a line of standard input, read byte by byte for whoever reads next.
fn agreed(command: &[u8], path: &[u8], context: &mut Context) -> bool {
    context.flush();
    let text = [b"< ", command, b" ... ", path, b" > ? "].concat();
    let _ = write_all(STDERR, &text);
    let mut line = Vec::new();
    let mut byte = [0];
    while let Ok(1) = read(STDIN, &mut byte) {
        if byte[0] == b'\n' {
            break;
        }
        line.push(byte[0]);
    }
    matches!(line.first(), Some(b'y' | b'Y'))
}
