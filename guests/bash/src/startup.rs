//! The command line of the shell.

use crate::shell::{Flow, Opt, Options, Shell, Shopt, Unwind};
use crate::state;
use crate::syntax::Input;
use capsule_sys as sys;
use std::rc::Rc;

/// Runs the shell; the status to exit with.
pub fn main(argv: Vec<Vec<u8>>, environment: Vec<Vec<u8>>) -> i32 {
    let arg0 = argv.first().cloned().unwrap_or_else(|| b"bash".to_vec());
    let base = arg0.rsplit(|&b| b == b'/').next().unwrap_or_default().to_vec();
    let called = base.strip_prefix(b"-").unwrap_or(&base).to_vec();
    let (mut shell, argv, prompt) = match start(arg0, argv, environment) {
        Ok(started) => started,
        Err(status) => return status,
    };
    note_ignored(&mut shell);
    if shell.session.is_some() {
        shell.traps.catch_interrupts();
        shell.follow_window();
    }
    let status = match prompt {
        Some(fd) => tell_prompt(&mut shell, &fd),
        None => match parse(&mut shell, &argv, &called) {
            Ok(invocation) => run(&mut shell, invocation),
            Err(status) => status,
        },
    };
    // The process ends: its memory goes as a whole.
    std::mem::forget(shell);
    status
}

/// The shell, the arguments without those of the session, and where the prompt goes if it is all that is asked for.
type Started = (Shell, Vec<Vec<u8>>, Option<sys::Fd>);

/// A new shell, or one as a session left it. The arguments of the session come first.
fn start(arg0: Vec<u8>, mut argv: Vec<Vec<u8>>, environment: Vec<Vec<u8>>) -> Result<Started, i32> {
    let (mut state, mut session, mut cwd, mut prompt) = (None, None, None, None);
    while let [_, option, value, ..] = &argv[..] {
        match &option[..] {
            b"--load-state" => state = state::load(value)?,
            b"--save-state" => session = Some(state::aside("--save-state", value)?),
            b"--prompt" => prompt = Some(state::aside("--prompt", value)?),
            b"--cwd" => cwd = Some(value.clone()),
            _ => break,
        }
        argv.drain(1..3);
    }
    let mut shell = match state {
        Some(state) => Shell::resumed(arg0, state, environment),
        None => Shell::new(arg0, environment),
    };
    shell.session = session;
    if let Some(cwd) = cwd {
        sys::chdir(&cwd).map_err(|errno| state::refuse("--cwd", errno.text()))?;
        shell.set_working_directory();
    }
    Ok((shell, argv, prompt))
}

/// What an interactive shell does before it reads a line: PROMPT_COMMAND, and the prompts that follow from PS1 and PS2 with
/// a NUL between them; nothing where there is no PS1.
fn tell_prompt(shell: &mut Shell, fd: &sys::Fd) -> i32 {
    let result = shell.run_prompt_commands();
    if let Some([first, more]) = shell.prompts() {
        // A host that is gone needs no prompt.
        let _ = sys::write_all(fd.raw(), &[&first[..], b"\0", &more].concat());
    }
    end(shell, result)
}

#[derive(Default)]
struct Invocation {
    command: bool,
    stdin: bool,
    operands: Vec<Vec<u8>>,
    login: bool,
    interactive: bool,
    no_rc: bool,
    rc_file: Option<Vec<u8>>,
    restricted: bool,
}

/// Signals ignored at the start cannot be trapped.
fn note_ignored(shell: &mut Shell) {
    for &signal in sys::Signal::ALL {
        if signal.unstoppable()
            || !matches!(
                signal,
                sys::Signal::HUP
                    | sys::Signal::INT
                    | sys::Signal::QUIT
                    | sys::Signal::PIPE
                    | sys::Signal::TERM
                    | sys::Signal::USR1
                    | sys::Signal::USR2
            )
        {
            continue;
        }
        // Asking means setting: what was found is put back.
        if let Ok(found) = sys::signal_action(signal, sys::Disposition::Default)
            && found != sys::Disposition::Default
        {
            let _ = sys::signal_action(signal, found);
            // A trap of the session's before is no such thing.
            if found == sys::Disposition::Ignore && shell.traps.get(signal.number()).is_none() {
                shell.traps.ignored_from_start |= signal.bit();
            }
        }
    }
}

fn parse(shell: &mut Shell, argv: &[Vec<u8>], called: &[u8]) -> Result<Invocation, i32> {
    let mut invocation = Invocation { restricted: called == b"rbash", ..Invocation::default() };
    let mut next = 1;
    if called == b"sh" {
        shell.put_option(Opt::Posix, true);
    }
    while let Some(arg) = argv.get(next) {
        match &arg[..] {
            b"--" | b"-" => {
                next += 1;
                break;
            }
            b"--version" => {
                print_version();
                return Err(0);
            }
            b"--help" => {
                print_help(&shell.arg0);
                return Err(0);
            }
            b"--norc" => invocation.no_rc = true,
            // There is no profile and no line editor to go without.
            b"--noprofile" | b"--noediting" => {}
            b"--debugger" => shell.error("warning: cannot start debugger; debugging mode disabled"),
            b"--restricted" => invocation.restricted = true,
            b"--rcfile" | b"--init-file" => {
                next += 1;
                invocation.rc_file = argv.get(next).cloned();
            }
            b"--login" => invocation.login = true,
            b"--posix" => shell.put_option(Opt::Posix, true),
            b"--verbose" => shell.put_option(Opt::Verbose, true),
            [b'-', b'-', ..] => {
                let text = [&shell.arg0[..], b": ", arg, b": invalid option\n"].concat();
                let _ = sys::write_all(sys::STDERR, &text);
                usage(&shell.arg0);
                return Err(2);
            }
            [sign @ (b'-' | b'+'), letters @ ..] if !letters.is_empty() => {
                let on = *sign == b'-';
                for &letter in letters {
                    match letter {
                        b'c' if on => invocation.command = true,
                        b's' if on => invocation.stdin = true,
                        b'i' => invocation.interactive = on,
                        b'l' => invocation.login = true,
                        b'r' => invocation.restricted = on,
                        b'o' | b'O' => {
                            let name = argv.get(next + 1).cloned();
                            match name {
                                None => {
                                    let args = vec![b"set".to_vec(), if on { b"-o".to_vec() } else { b"+o".to_vec() }];
                                    let _ =
                                        crate::builtins::find(shell, if letter == b'o' { b"set" } else { b"shopt" })
                                            .map(|builtin| shell.call_builtin(builtin, args, Vec::new(), false));
                                    shell.flush_out();
                                    return Err(0);
                                }
                                Some(name) => {
                                    next += 1;
                                    if !put_named(shell, letter, &name, on) {
                                        return Err(2);
                                    }
                                }
                            }
                        }
                        letter => match Options::by_letter(letter) {
                            Some(opt) => shell.put_option(opt, on),
                            None => {
                                let text = [&shell.arg0[..], b": ", &[*sign, letter], b": invalid option\n"].concat();
                                let _ = sys::write_all(sys::STDERR, &text);
                                usage(&shell.arg0);
                                return Err(2);
                            }
                        },
                    }
                }
            }
            _ => break,
        }
        next += 1;
    }
    invocation.operands = argv.get(next..).unwrap_or_default().to_vec();
    Ok(invocation)
}

fn put_named(shell: &mut Shell, letter: u8, name: &[u8], on: bool) -> bool {
    if letter == b'o' {
        if let Some(opt) = Options::by_name(name) {
            shell.put_option(opt, on);
            return true;
        }
        let text = [&shell.arg0[..], b": line 0: ", &shell.arg0, b": ", name, b": invalid option name\n"].concat();
        let _ = sys::write_all(sys::STDERR, &text);
        return false;
    }
    if let Some(shopt) = Options::shopt_by_name(name) {
        shell.options.put_shopt(shopt, on);
        return true;
    }
    let text = [&shell.arg0[..], b": line 0: ", name, b": invalid shell option name\n"].concat();
    let _ = sys::write_all(sys::STDERR, &text);
    false
}

fn run(shell: &mut Shell, invocation: Invocation) -> i32 {
    if invocation.login {
        shell.options.put_shopt(Shopt::LoginShell, true);
    }
    if let Some(Err(unwind)) = run_startup_file(shell) {
        return end(shell, Err(unwind));
    }
    if invocation.interactive {
        start_interactive(shell, &invocation);
    }
    // Startup files are not restricted.
    if invocation.restricted {
        shell.start_restricted();
    }
    let mut operands = invocation.operands.into_iter();
    if invocation.command {
        let Some(text) = operands.next() else {
            let text = [&shell.arg0[..], b": -c: option requires an argument\n"].concat();
            let _ = sys::write_all(sys::STDERR, &text);
            return 2;
        };
        shell.options.invoked[0] = b'c';
        shell.command_string = true;
        shell.vars.set(b"BASH_EXECUTION_STRING", &text);
        // Without them a session keeps what it has.
        let name_given = operands.len() > 0;
        if let Some(name) = operands.next() {
            shell.arg0 = name;
        }
        if name_given {
            shell.positional = Rc::new(operands.collect());
        }
        // A command that took the shell's place could not save its state.
        let last = shell.session.is_none();
        let result = shell.run_input(text, &mut (), b"-c: ", last);
        return end(shell, result);
    }
    if !invocation.stdin
        && let Some(path) = operands.next()
    {
        shell.positional = Rc::new(operands.collect());
        return run_file(shell, path);
    }
    shell.positional = Rc::new(operands.collect());
    shell.options.invoked[0] = b's';
    let mut input = ScriptInput::new(sys::STDIN);
    let result = shell.run_input(Vec::new(), &mut input, b"", false);
    end(shell, result)
}

/// `BASH_ENV`.
fn run_startup_file(shell: &mut Shell) -> Option<Flow> {
    if shell.posix() {
        return None;
    }
    let text = shell.vars.text(b"BASH_ENV").map(|v| v.into_owned()).filter(|v| !v.is_empty())?;
    let path = shell.expand_text(&text).ok()?;
    let file = sys::open(&path, sys::OpenFlags::RDONLY | sys::OpenFlags::CLOEXEC, 0).ok()?;
    let text = sys::read_to_end(file.raw()).ok()?;
    Some(shell.source_file(&path, text, None))
}

fn run_file(shell: &mut Shell, path: Vec<u8>) -> i32 {
    let fail = |shell: &Shell, message: &str, status: i32| {
        let text = [&shell.arg0[..], b": ", &path, b": ", message.as_bytes(), b"\n"].concat();
        let _ = sys::write_all(sys::STDERR, &text);
        status
    };
    let mut found = path.clone();
    let mut file = sys::open(&found, sys::OpenFlags::RDONLY | sys::OpenFlags::CLOEXEC, 0);
    if file == Err(sys::Errno::ENOENT)
        && !path.contains(&b'/')
        && let Some(along) = shell.search_path(&path)
    {
        file = sys::open(&along, sys::OpenFlags::RDONLY | sys::OpenFlags::CLOEXEC, 0);
        found = along;
    }
    let file = match file {
        Ok(file) => file,
        Err(errno @ sys::Errno::ENOENT) => return fail(shell, errno.text(), 127),
        Err(errno) => return fail(shell, errno.text(), 126),
    };
    if sys::fstat(file.raw()).is_ok_and(|stat| stat.kind == sys::FileType::Directory) {
        return fail(shell, "Is a directory", 126);
    }
    // Out of the way of the script's own descriptors.
    let fd = sys::dup(file.raw(), 255, true).or_else(|_| sys::dup(file.raw(), 10, true)).map(sys::Fd::new);
    // The one below 10 is closed here: a script that finds it open would write to it.
    let file = fd.unwrap_or(file);
    let mut input = ScriptInput::new(file.raw());
    match input.looks_binary() {
        Ok(false) => {}
        Ok(true) => return fail(shell, "cannot execute binary file", 126),
        Err(errno) => return fail(shell, errno.text(), 126),
    }
    shell.arg0 = path.clone();
    shell.calls.push(crate::shell::CallFrame {
        name: b"main"[..].into(),
        source: found.into(),
        call_line: 0,
        is_function: false,
        args: None,
    });
    let result = shell.run_input(Vec::new(), &mut input, b"", false);
    end(shell, result)
}

fn start_interactive(shell: &mut Shell, invocation: &Invocation) {
    shell.options.invoked[1] = b'i';
    shell.options.put_shopt(Shopt::ExpandAliases, true);
    shell.put_option(Opt::History, true);
    shell.interactive = true;
    shell.follow_window();
    let home = shell.vars.text(b"HOME").map(|v| v.into_owned()).unwrap_or_default();
    if shell.vars.find(b"HISTFILE").is_none() {
        shell.vars.set(b"HISTFILE", &[&home[..], b"/.bash_history"].concat());
    }
    for (name, value) in [(&b"PS1"[..], &b"\\s-\\v\\$ "[..]), (b"PS2", b"> ")] {
        if shell.vars.find(name).is_none() {
            shell.vars.set(name, value);
        }
    }
    if !invocation.no_rc {
        let path = invocation.rc_file.clone().unwrap_or_else(|| [&home[..], b"/.bashrc"].concat());
        let text = sys::open(&path, sys::OpenFlags::RDONLY | sys::OpenFlags::CLOEXEC, 0)
            .and_then(|file| sys::read_to_end(file.raw()));
        if let Ok(text) = text {
            let _ = shell.source_file(&path, text, None);
        }
    }
    shell.load_history();
}

fn end(shell: &mut Shell, result: Flow) -> i32 {
    if shell.interactive {
        shell.save_history();
    }
    if let (Err(Unwind::Exit), true, true) = (result, shell.fatal_expansion, shell.command_string) {
        shell.status = 127;
    }
    shell.left &= result == Err(Unwind::Exit);
    let status = shell.finish();
    shell.save_state();
    status
}

/// Lines of a script from a descriptor. Pipes are read byte by byte and files put back, because the script's commands may
/// read the same input.
struct ScriptInput {
    fd: i32,
    block: Vec<u8>,
    at: usize,
    shared: bool,
    seekable: bool,
}

impl ScriptInput {
    fn new(fd: i32) -> ScriptInput {
        let seekable = sys::seek(fd, sys::Seek::Current(0)).is_ok();
        ScriptInput { fd, block: Vec::new(), at: 0, shared: fd == sys::STDIN, seekable }
    }

    fn fill(&mut self, want: usize) -> sys::Result<bool> {
        if self.at > 0 {
            self.block.drain(..self.at);
            self.at = 0;
        }
        let start = self.block.len();
        self.block.resize(start + want, 0);
        loop {
            match sys::read(self.fd, &mut self.block[start..]) {
                Ok(n) => {
                    self.block.truncate(start + n);
                    return Ok(n > 0);
                }
                Err(sys::Errno::EINTR) => {}
                Err(errno) => {
                    self.block.truncate(start);
                    return Err(errno);
                }
            }
        }
    }

    /// As bash guesses: a NUL in the first line, or the magic of another system's programs.
    fn looks_binary(&mut self) -> sys::Result<bool> {
        self.fill(4096)?;
        let head = &self.block[..self.block.len().min(80)];
        let line = head.split(|&b| b == b'\n').next().unwrap_or_default();
        Ok(line.contains(&0) && !head.starts_with(b"#!") || head.starts_with(b"\x7fELF"))
    }
}

impl Input for ScriptInput {
    fn next_line(&mut self) -> Option<Vec<u8>> {
        let mut scanned = 0;
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.block[self.at + scanned..]) {
                let end = self.at + scanned + end + 1;
                let line = self.block[self.at..end].to_vec();
                self.at = end;
                self.give_back();
                return Some(line);
            }
            scanned = self.block.len() - self.at;
            let want = if self.shared && !self.seekable { 1 } else { 64 * 1024 };
            match self.fill(want) {
                Ok(true) => {}
                _ => {
                    if self.at >= self.block.len() {
                        return None;
                    }
                    let line = self.block.split_off(self.at);
                    self.block.clear();
                    self.at = 0;
                    return Some(line);
                }
            }
        }
    }
}

impl ScriptInput {
    /// What was read beyond the line belongs to the commands.
    fn give_back(&mut self) {
        if self.shared && self.seekable {
            let unread = self.block.len() - self.at;
            if sys::seek(self.fd, sys::Seek::Current(-(unread as i64))).is_ok() {
                self.block.clear();
                self.at = 0;
            }
        }
    }
}

fn print_version() {
    let text = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n\
        Capsule's own shell, compatible with the above. Apache License 2.0.\n";
    let _ = sys::write_all(sys::STDOUT, text.as_bytes());
}

const LONG_OPTIONS: &[&str] = &[
    "debug",
    "debugger",
    "dump-po-strings",
    "dump-strings",
    "help",
    "init-file",
    "login",
    "noediting",
    "noprofile",
    "norc",
    "posix",
    "pretty-print",
    "rcfile",
    "restricted",
    "verbose",
    "version",
];

/// How the shell is called, and with which options.
fn usage_text(arg0: &[u8]) -> String {
    let name = String::from_utf8_lossy(arg0);
    let long: String = LONG_OPTIONS.iter().map(|option| format!("\t--{option}\n")).collect();
    format!(
        "Usage:\t{name} [GNU long option] [option] ...\n\t{name} [GNU long option] [option] script-file ...\n\
         GNU long options:\n{long}Shell options:\n\
         \t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n\t-abefhkmnptuvxBCEHPT or -o option\n"
    )
}

fn print_help(arg0: &[u8]) {
    let name = String::from_utf8_lossy(arg0);
    let text = format!(
        "GNU bash, version 5.2.15(1)-release-(x86_64-pc-linux-gnu)\n{}\
         Type `{name} -c \"help set\"' for more information about shell options.\n\
         Type `{name} -c help' for more information about shell builtin commands.\n",
        usage_text(arg0)
    );
    let _ = sys::write_all(sys::STDOUT, text.as_bytes());
}

fn usage(arg0: &[u8]) {
    let _ = sys::write_all(sys::STDERR, usage_text(arg0).as_bytes());
}
