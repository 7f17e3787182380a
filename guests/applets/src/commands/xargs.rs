use crate::input::Input;
use crate::number;
use crate::options::{Long, NO, OPT, Options, REQ, only};
use crate::quote::locale;
use crate::{Args, Exit, Outcome, program, report};
use capsule_sys::{
    Errno, FdAction, In, OpenFlags, STDERR, STDIN, SpawnRequest, WaitStatus, environ, getenv, open, spawn, wait,
    write_all,
};

mod words;
use words::{Next, Split, Words};

pub const HELP: &str = "\
Usage: xargs [OPTION]... COMMAND [INITIAL-ARGS]...
Run COMMAND with INITIAL-ARGS and what the input lists.

  -0, --null                   items end with NUL; quotes and backslashes
                                 mean nothing
  -a, --arg-file=FILE          the list is in FILE
  -d, --delimiter=CHARACTER    items in input stream are separated by CHARACTER
  -E END                       an item that is END ends the input
  -e, --eof[=END]              the same; without END no item does
  -I R                         --replace=R
  -i, --replace[=R]            replace R in INITIAL-ARGS with names read from
                                 standard input, split at newlines; if R is
                                 unspecified, assume {}
  -L, --max-lines=MAX-LINES    MAX-LINES lines that are not blank to a
                                 command
  -l[MAX-LINES]                similar to -L but defaults to at most one line
  -n, --max-args=MAX-ARGS      MAX-ARGS items to a command
  -o, --open-tty               reopen stdin as /dev/tty in the child process
  -P, --max-procs=MAX-PROCS    run MAX-PROCS at a time
  -p, --interactive            ask before each
      --process-slot-var=VAR   VAR in their environment tells them apart
  -r, --no-run-if-empty        if there are no arguments, then do not run
                                 COMMAND
      --show-limits            tell the limits of command lines
  -s, --max-chars=MAX-CHARS    a command is MAX-CHARS long at the most
  -t, --verbose                print each command
  -x, --exit                   end where one would be longer than that
      --help        print this help
      --version     print the version

Exit status: 123 if a command ended with 1-125, 124 if it ended with 255, 125 if
it was killed, 126 if it cannot be run, 127 if it is not found, 1 otherwise.
";

const LONG: &[Long] = &[
    ("null", NO, '0'),
    ("arg-file", REQ, 'a'),
    ("delimiter", REQ, 'd'),
    ("eof", OPT, EOF),
    ("replace", OPT, 'i'),
    ("max-lines", OPT, 'l'),
    ("max-args", REQ, 'n'),
    ("open-tty", NO, 'o'),
    ("max-procs", REQ, 'P'),
    ("interactive", NO, 'p'),
    ("process-slot-var", REQ, SLOT),
    ("no-run-if-empty", NO, 'r'),
    ("show-limits", NO, LIMITS),
    ("max-chars", REQ, 's'),
    ("verbose", NO, 't'),
    ("exit", NO, 'x'),
];
const EOF: char = only(0);
const SLOT: char = only(1);
const LIMITS: char = only(2);

/// What a command line has unless -s tells, as findutils counts it on Linux.
const USUAL: usize = 131_072;

/// What a command's words and variables may have together on Linux, without the room that POSIX wants left for what it
/// sets itself.
const ALL: usize = (2 << 20) - 2048;

/// What the items of a command are bounded by.
struct Bounds {
    items: Option<usize>,
    lines: Option<usize>,
    chars: usize,
    /// A command that would have to be shorter than these say is an error.
    exit: bool,
}

struct Runner {
    command: Vec<Vec<u8>>,
    env: Vec<Vec<u8>>,
    path: Result<Vec<u8>, Errno>,
    replace: Option<Vec<u8>>,
    parallel: usize,
    running: usize,
    /// Which of the parallel places each child has, and the variable that tells it.
    slots: Vec<i32>,
    slot_variable: Option<Vec<u8>>,
    verbose: bool,
    interactive: bool,
    terminal: bool,
    status: u8,
}

/// The later of two options that exclude each other counts.
fn overrides<T>(earlier: &mut Option<T>, name: &str, by: &str) {
    if earlier.take().is_some() {
        let text = format!("options {name} and {by} are mutually exclusive, ignoring previous {name} value");
        report::error(format_args!("warning: {text}"));
    }
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+0a:d:e::E:i::I:l::L:n:oP:prs:tx", LONG);
    let (mut file, mut delimiter, mut end) = (None, None, None);
    let (mut replace, mut lines, mut most, mut chars, mut parallel) = (None, None, None, USUAL, 1);
    let (mut verbose, mut interactive, mut not_empty, mut exit, mut terminal) = (false, false, false, false, false);
    let mut slot_variable = None;
    let mut limits = false;
    while let Some(opt) = options.next()? {
        let value = opt.value;
        match opt.letter {
            SLOT if opt.value().contains(&b'=') => {
                let text = "option --process-slot-var may not be set to a value which includes `='";
                return Err(report::die(1, text));
            }
            SLOT if opt.value().is_empty() => {
                let text = format!("failed to unset environment variable : {}", Errno::EINVAL);
                return Err(report::die(1, text));
            }
            SLOT => slot_variable = value.map(<[u8]>::to_vec),
            '0' => delimiter = Some(0),
            'a' => file = value,
            'd' => delimiter = Some(words::delimiter(opt.value())?),
            'E' | 'e' | EOF => end = value.filter(|v| !v.is_empty()),
            'i' | 'I' => {
                overrides(&mut lines, "--max-lines", "--replace/-I/-i");
                overrides(&mut most, "--max-args", "--replace/-I/-i");
                replace = Some(value.unwrap_or(b"{}").to_vec());
            }
            'l' | 'L' => {
                let own = if opt.letter == 'l' { "--max-lines/-l" } else { "-L" };
                lines = Some(value.map_or(Ok(1), |v| count(v, opt.letter, 1))?);
                overrides(&mut most, "--max-args", own);
                overrides(&mut replace, "--replace", own);
            }
            'n' => {
                most = Some(count(opt.value(), 'n', 1)?);
                overrides(&mut lines, "--max-lines", "--max-args/-n");
                // With -I one item is one command; -n1 says the same.
                if most != Some(1) {
                    overrides(&mut replace, "--replace", "--max-args/-n");
                }
            }
            'o' => terminal = true,
            LIMITS => limits = true,
            'P' => parallel = count(opt.value(), 'P', 0)?,
            'p' => (interactive, verbose) = (true, true),
            'r' => not_empty = true,
            's' => chars = size(opt.value())?,
            't' => verbose = true,
            _ => exit = true,
        }
    }
    if limits {
        show_limits(chars);
    }
    let mut command: Vec<Vec<u8>> = options.operands().iter().map(|o| o.to_vec()).collect();
    if command.is_empty() {
        command.push(b"echo".to_vec());
    }
    let name = file.unwrap_or(b"-");
    let input =
        Input::open(name).map_err(|e| report::die(1, format_args!("Cannot open input file {}: {e}", locale(name))))?;
    let split = match (delimiter, &replace) {
        (Some(byte), _) => Split::At(byte),
        (None, Some(_)) => Split::Lines,
        (None, None) => Split::Blanks,
    };
    let mut items = Words::new(input, split, end.filter(|_| delimiter.is_none()));
    let env = environ();
    let search = getenv(b"PATH").unwrap_or_else(|| b"/usr/local/bin:/usr/bin:/bin".to_vec());
    let mut runner = Runner {
        path: program::find(&command[0], &search),
        command,
        env,
        replace,
        parallel: if parallel == 0 { usize::MAX } else { parallel },
        running: 0,
        slots: Vec::new(),
        slot_variable,
        verbose,
        interactive,
        terminal,
        status: 0,
    };
    let exit = exit || lines.is_some();
    let outcome = runner.all(&mut items, &Bounds { items: most, lines, chars, exit }, not_empty);
    while runner.running > 0 {
        runner.reap()?;
    }
    outcome?;
    Ok(runner.status)
}

/// What the environment takes, and what it leaves for a command.
fn room() -> (usize, usize) {
    let env: usize = environ().iter().map(|entry| entry.len() + 1).sum();
    (env, ALL.saturating_sub(env))
}

/// The value of -s: too little or too much is told, and the nearest that is possible is taken.
fn size(text: &[u8]) -> Result<usize, Exit> {
    let most = room().1;
    let (bound, possible) = match number::signed(text, b"") {
        Ok(n) if n < 1 => (">=", 1),
        Ok(n) if n <= most as i64 => return Ok(n as usize),
        Ok(_) | Err(number::Bad::Overflow) => ("<=", most),
        Err(number::Bad::Invalid) => return count(text, 's', 1),
    };
    let shown = String::from_utf8_lossy(text);
    report::error(format_args!("value {shown} for -s option should be {bound} {possible}"));
    Ok(possible)
}

/// `--show-limits`
fn show_limits(used: usize) {
    let (env, upper) = room();
    report::plain(&format!(
        "Your environment variables take up {env} bytes\n\
         POSIX upper limit on argument length (this system): {upper}\n\
         POSIX smallest allowable upper limit on argument length (all systems): 4096\n\
         Maximum length of command we could actually use: {}\n\
         Size of command buffer we are actually using: {used}\n\
         Maximum parallelism (--max-procs must be no greater): 2147483647\n",
        upper.saturating_sub(env)
    ));
}

fn count(text: &[u8], letter: char, least: u64) -> Result<usize, Exit> {
    let shown = String::from_utf8_lossy(text).into_owned();
    match number::signed(text, b"") {
        Err(number::Bad::Overflow) if letter == 'P' => {
            Err(report::usage(1, format_args!("value {shown} for -P option should be <= {}", i32::MAX)))
        }
        Err(number::Bad::Overflow) => Ok(usize::MAX),
        Err(_) => Err(report::usage(1, format_args!("invalid number \"{shown}\" for -{letter} option"))),
        Ok(n) if n < least as i64 => {
            Err(report::usage(1, format_args!("value {shown} for -{letter} option should be >= {least}")))
        }
        Ok(n) => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
    }
}

impl Runner {
    fn all(&mut self, items: &mut Words, bounds: &Bounds, not_empty: bool) -> Result<(), Exit> {
        let own = if self.replace.is_some() { &self.command[..1] } else { &self.command };
        let base = size_of(own);
        if base > bounds.chars {
            return Err(does_not_fit());
        }
        let before = if self.replace.is_some() { 0 } else { base };
        items.longest = bounds.chars.saturating_sub(before + 1);
        if self.replace.is_some() {
            return self.one_each(items, bounds.chars);
        }
        let (mut batch, mut size, mut line_count, mut any) = (Vec::new(), base, 0, false);
        loop {
            let (item, ends_line) = match items.next()? {
                Next::Item(item, ends_line) => (item, ends_line),
                Next::End => break,
                Next::TooLong => {
                    if !batch.is_empty() && !bounds.exit {
                        self.run(&batch)?;
                    }
                    return Err(report::die(1, TOO_LONG));
                }
            };
            any = true;
            if size + item.len() + 1 > bounds.chars {
                if batch.is_empty() {
                    return Err(does_not_fit());
                }
                if bounds.exit && (bounds.items.is_some() || bounds.lines.is_some()) {
                    return Err(report::die(1, "argument list too long"));
                }
                self.run(&std::mem::take(&mut batch))?;
                size = base;
                if base + item.len() + 1 > bounds.chars {
                    return Err(does_not_fit());
                }
            }
            size += item.len() + 1;
            batch.push(item);
            line_count += usize::from(ends_line);
            let full = bounds.items.is_some_and(|most| batch.len() >= most);
            if full || bounds.lines.is_some_and(|most| line_count >= most) {
                self.run(&std::mem::take(&mut batch))?;
                (size, line_count) = (base, 0);
            }
        }
        if !batch.is_empty() || (!any && !not_empty) {
            self.run(&batch)?;
        }
        Ok(())
    }

    /// -I: a command for each item, which stands where the mark does.
    fn one_each(&mut self, items: &mut Words, chars: usize) -> Result<(), Exit> {
        loop {
            match items.next()? {
                Next::Item(item, _) => {
                    let mark = self.replace.as_deref().unwrap_or_default();
                    let mut size = size_of(&self.command[..1]);
                    for word in &self.command[1..] {
                        let length = replaced(word, mark, &item).len();
                        if length + 1 >= chars {
                            return Err(report::die(1, "command too long"));
                        }
                        size += length + 1;
                    }
                    if size > chars {
                        return Err(report::die(1, "argument list too long"));
                    }
                    self.run(&[item])?;
                }
                Next::End => return Ok(()),
                Next::TooLong => return Err(report::die(1, TOO_LONG)),
            }
        }
    }

    /// Starts the command with these items, when there is room for one more.
    fn run(&mut self, items: &[Vec<u8>]) -> Result<(), Exit> {
        let mut argv = self.command.clone();
        match &self.replace {
            Some(mark) => {
                for word in &mut argv[1..] {
                    *word = replaced(word, mark, &items[0]);
                }
            }
            None => argv.extend_from_slice(items),
        }
        // An argument ends where C's would.
        for word in &mut argv {
            word.truncate(memchr::memchr(0, word).unwrap_or(word.len()));
        }
        if self.verbose {
            let shown: Vec<String> =
                argv.iter().map(|w| crate::quote::show(w, crate::quote::Style::Shell, true, b"")).collect();
            let end = if self.interactive { "" } else { "\n" };
            let _ = write_all(STDERR, format!("{}{end}", shown.join(" ")).as_bytes());
        }
        if self.interactive && !confirmed()? {
            return Ok(());
        }
        while self.running >= self.parallel {
            self.reap()?;
        }
        // Our input is not the command's.
        let path: &[u8] = if self.terminal { b"/dev/tty" } else { b"/dev/null" };
        let actions = vec![FdAction::Open { fd: STDIN, path: path.to_vec(), flags: 0, mode: 0 }];
        let slot = self.slots.iter().position(|&pid| pid == 0).unwrap_or(self.slots.len());
        let mut env = self.env.clone();
        if let Some(name) = &self.slot_variable {
            let start = [name, b"=".as_slice()].concat();
            env.retain(|entry| !entry.starts_with(&start));
            env.push([start.as_slice(), slot.to_string().as_bytes()].concat());
        }
        let started = self
            .path
            .clone()
            .and_then(|path| spawn(&SpawnRequest { path, argv, env, actions, ..SpawnRequest::default() }));
        match started {
            Ok(pid) => {
                self.slots.resize(self.slots.len().max(slot + 1), 0);
                self.slots[slot] = pid;
                self.running += 1;
                // One at a time: its end may be the end of all.
                if self.parallel == 1 {
                    self.reap()?;
                }
                Ok(())
            }
            // What is too much for the system is tried as two commands.
            Err(Errno::E2BIG) if self.replace.is_none() && items.len() > 1 => {
                let (first, second) = items.split_at(items.len() / 2);
                self.run(first)?;
                self.run(second)
            }
            Err(Errno::E2BIG) => Err(report::die(1, "can't call exec() due to argument size restrictions")),
            Err(e) => {
                report::fault(String::from_utf8_lossy(&self.command[0]), e);
                Err(Exit(program::status(e)))
            }
        }
    }

    fn reap(&mut self) -> Result<(), Exit> {
        let name = || String::from_utf8_lossy(&self.command[0]).into_owned();
        let waited = match wait(-1, 0) {
            Ok(Some(waited)) => waited,
            Err(Errno::EINTR) | Ok(None) => return Ok(()),
            Err(e) => {
                self.running = 0;
                return Err(report::die(1, format_args!("error waiting for child process: {e}")));
            }
        };
        self.running -= 1;
        if let Some(slot) = self.slots.iter_mut().find(|pid| **pid == waited.pid) {
            *slot = 0;
        }
        match waited.status {
            WaitStatus::Exited(0) => Ok(()),
            WaitStatus::Exited(255) => {
                Err(report::die(124, format_args!("{}: exited with status 255; aborting", name())))
            }
            WaitStatus::Exited(126) => Err(Exit(126)),
            WaitStatus::Exited(127) => Err(Exit(127)),
            WaitStatus::Signaled(signal) => {
                Err(report::die(125, format_args!("{}: terminated by signal {signal}", name())))
            }
            _ => {
                self.status = 123;
                Ok(())
            }
        }
    }
}

const TOO_LONG: &str = "argument line too long";

fn does_not_fit() -> Exit {
    report::die(1, "cannot fit single argument within argument list size limit")
}

/// What words take in a command line.
fn size_of(words: &[Vec<u8>]) -> usize {
    words.iter().map(|word| word.len() + 1).sum()
}

fn replaced(word: &[u8], mark: &[u8], item: &[u8]) -> Vec<u8> {
    if mark.is_empty() {
        return word.to_vec();
    }
    let mut text = Vec::new();
    let mut rest = word;
    while let Some(at) = memchr::memmem::find(rest, mark) {
        text.extend_from_slice(&rest[..at]);
        text.extend_from_slice(item);
        rest = &rest[at + mark.len()..];
    }
    text.extend_from_slice(rest);
    text
}

/// Asks at the terminal.
fn confirmed() -> Result<bool, Exit> {
    let terminal = open(b"/dev/tty", OpenFlags::RDONLY, 0)
        .map_err(|e| report::die(1, format_args!("failed to open /dev/tty for reading: {e}")))?;
    let _ = write_all(STDERR, b"?...");
    let mut line = Vec::new();
    let _ = In::new(terminal.raw()).read_until(b'\n', &mut line);
    Ok(matches!(line.first(), Some(b'y' | b'Y')))
}
