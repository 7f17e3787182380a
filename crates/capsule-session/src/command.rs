//! Custom commands: functions of the host that scripts call like any other command, in pipes and `$( )` too.

use crate::Error;
use crate::world::make_folders;
use capsule_abi::Errno;
use capsule_abi::fs::OpenFlags;
use capsule_kernel::command::CommandProgram;
use capsule_kernel::exec::COMMAND_MAGIC;
use capsule_kernel::{BoxFuture, Kernel};
use capsule_vfs::{Caller, Credentials};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::Arc;

pub use capsule_kernel::command::CommandIo;

/// Where custom commands are found: before the commands of the image.
const FOLDER: &[u8] = b"/usr/local/bin";

/// The longest name.
const LONGEST_NAME: usize = 100;

/// What a command was called with. Bytes that are no text are replaced in the parsed part, and as they were in `argv`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandOptions {
    /// The name it was called by, and its arguments.
    pub argv: Vec<Vec<u8>>,
    /// `--name=value`, `--name`, `-n`: without their dashes; the value is empty where there is none.
    pub flags: BTreeMap<String, String>,
    /// What is not a flag, and everything after `--`.
    pub args: Vec<String>,
}

impl CommandOptions {
    /// Whether a flag was given.
    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains_key(flag)
    }

    /// Flags by the usual rules; those that are in `valued` take the next argument when they have no `=value`.
    fn parse(argv: &[Vec<u8>], valued: &BTreeSet<String>) -> CommandOptions {
        let mut options = CommandOptions { argv: argv.to_vec(), ..CommandOptions::default() };
        let mut words = argv.iter().skip(1).map(|word| String::from_utf8_lossy(word).into_owned());
        while let Some(word) = words.next() {
            if word == "--" {
                options.args.extend(words);
                break;
            }
            if let Some(long) = word.strip_prefix("--") {
                let (name, value) = match long.split_once('=') {
                    Some((name, value)) => (name, value.to_owned()),
                    None if valued.contains(long) => (long, words.next().unwrap_or_default()),
                    None => (long, String::new()),
                };
                options.flags.insert(name.to_owned(), value);
            } else if let Some(short) = word.strip_prefix('-').filter(|short| !short.is_empty()) {
                for (at, letter) in short.char_indices() {
                    let name = letter.to_string();
                    if valued.contains(&name) {
                        let rest = &short[at + letter.len_utf8()..];
                        let value = if rest.is_empty() { words.next().unwrap_or_default() } else { rest.to_owned() };
                        options.flags.insert(name, value);
                        break;
                    }
                    options.flags.insert(name, String::new());
                }
            } else {
                options.args.push(word);
            }
        }
        options
    }
}

/// Where a command was called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandState {
    pub cwd: String,
    pub env: BTreeMap<String, String>,
}

/// What a command answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandOutput {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub exit_code: u8,
}

impl CommandOutput {
    /// Success, with this on standard output.
    pub fn stdout(text: impl Into<Vec<u8>>) -> CommandOutput {
        CommandOutput { stdout: text.into(), ..CommandOutput::default() }
    }
}

type Function =
    Arc<dyn Fn(CommandOptions, CommandState, CommandIo) -> BoxFuture<'static, Result<u8, String>> + Send + Sync>;

/// A command of the host's.
#[derive(Clone)]
pub struct CustomCommand {
    name: String,
    manual: Option<String>,
    valued: BTreeSet<String>,
    run: Function,
}

impl CustomCommand {
    /// A command that answers as a whole. An error it returns is a message and status 1; a panic is a failed command too.
    pub fn new<F, Fut, E>(name: impl Into<String>, run: F) -> CustomCommand
    where
        F: Fn(CommandOptions, CommandState) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<CommandOutput, E>> + Send + 'static,
        E: Display,
    {
        CustomCommand::streaming(name, move |options, state, io| {
            let output = run(options, state);
            async move {
                let output = output.await.map_err(|e| e.to_string())?;
                // A reader that has gone is none of the command's business.
                let _ = io.write_stdout(&output.stdout).await;
                let _ = io.write_stderr(&output.stderr).await;
                Ok::<u8, String>(output.exit_code)
            }
        })
    }

    /// A command that reads and writes as it goes; what it answers is its status.
    pub fn streaming<F, Fut, E>(name: impl Into<String>, run: F) -> CustomCommand
    where
        F: Fn(CommandOptions, CommandState, CommandIo) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<u8, E>> + Send + 'static,
        E: Display,
    {
        let run: Function = Arc::new(move |options, state, io| {
            let running = run(options, state, io);
            Box::pin(async move { running.await.map_err(|e| e.to_string()) })
        });
        CustomCommand { name: name.into(), manual: None, valued: BTreeSet::new(), run }
    }

    /// What `--help` shows.
    pub fn manual(mut self, text: impl Into<String>) -> CustomCommand {
        self.manual = Some(text.into());
        self
    }

    /// A flag that takes a value: `-n 5`, `--lines 5` (`--lines=5` needs no telling).
    pub fn takes_value(mut self, flag: impl Into<String>) -> CustomCommand {
        self.valued.insert(flag.into());
        self
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let bad = |b: u8| b == b'/' || b == 0 || b.is_ascii_whitespace();
        let fine = !self.name.is_empty() && self.name.len() <= LONGEST_NAME && !self.name.starts_with('.');
        match fine && !self.name.bytes().any(bad) {
            true => Ok(()),
            false => Err(Error::BadCommand(self.name.clone())),
        }
    }

    /// Makes the command known to a kernel, and its file, where that is not there yet.
    pub(crate) fn install(&self, kernel: &Kernel) -> Result<(), Errno> {
        let command = self.clone();
        let run = move |io: CommandIo| -> BoxFuture<'static, u8> { Box::pin(command.clone().answer(io)) };
        kernel.add_command(self.name.as_bytes(), CommandProgram::new(run));
        let vfs = kernel.vfs();
        make_folders(vfs, FOLDER)?;
        let caller = Caller { credentials: Credentials::default(), umask: 0, cwd: vfs.root(), pid: 0 };
        let path = [FOLDER, b"/", self.name.as_bytes()].concat();
        let file = [COMMAND_MAGIC, self.name.as_bytes(), b"\n"].concat();
        if let Ok(known) = vfs.open(&caller, None, &path, OpenFlags::RDONLY, 0) {
            let mut found = vec![0; file.len() + 1];
            if known.read_at(0, &mut found) == Ok(file.len()) && found.starts_with(&file) {
                return Ok(());
            }
        }
        let flags = OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::WRONLY;
        vfs.open(&caller, None, &path, flags, 0o755)?.write_at(0, &file).map(drop)
    }

    async fn answer(self, io: CommandIo) -> u8 {
        let options = CommandOptions::parse(&io.argv(), &self.valued);
        if options.has("help") {
            let usage = || format!("Usage: {} [ARGUMENT]...", self.name);
            let mut manual = self.manual.clone().unwrap_or_else(usage).into_bytes();
            if !manual.ends_with(b"\n") {
                manual.push(b'\n');
            }
            return u8::from(io.write_stdout(&manual).await.is_err());
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let variable = |entry: &Vec<u8>| {
            let at = entry.iter().position(|&b| b == b'=')?;
            Some((text(&entry[..at]), text(&entry[at + 1..])))
        };
        let state = CommandState {
            cwd: text(&io.cwd().unwrap_or_default()),
            env: io.env().iter().filter_map(variable).collect(),
        };
        let stderr = io.clone();
        match (self.run)(options, state, io).await {
            Ok(code) => code,
            Err(message) => {
                let _ = stderr.write_stderr(format!("{}: {message}\n", self.name).as_bytes()).await;
                1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_by_the_usual_rules() {
        let parse = |words: &str, valued: &[&str]| {
            let argv: Vec<Vec<u8>> = words.split(' ').map(|word| word.as_bytes().to_vec()).collect();
            let options = CommandOptions::parse(&argv, &valued.iter().map(|v| (*v).to_owned()).collect());
            let flags: Vec<String> = options.flags.iter().map(|(name, value)| format!("{name}={value}")).collect();
            (flags.join(" "), options.args.join(" "))
        };
        let is = |flags: &str, args: &str| (flags.to_owned(), args.to_owned());
        assert_eq!(parse("c a -x --long b", &[]), is("long= x=", "a b"));
        assert_eq!(parse("c --a=1 -bc - -- -d", &[]), is("a=1 b= c=", "- -d"));
        assert_eq!(parse("c -n 5 -k7 --lines 9 x", &["n", "k", "lines"]), is("k=7 lines=9 n=5", "x"));
        assert_eq!(parse("c -n", &["n"]), is("n=", ""));
    }
}
