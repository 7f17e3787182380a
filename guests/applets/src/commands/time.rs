use crate::options::{NO, Options, REQ};
use crate::quote::raw;
use crate::{Args, Outcome, program, quote, report};
use capsule_sys::{
    Clock, Disposition, OpenFlags, STDERR, Signal, SpawnRequest, WaitStatus, clock, environ, getenv, open,
    signal_action, spawn, wait, write_all,
};

pub const HELP: &str = "\
Usage: time [OPTION]... COMMAND [ARG]...
Run COMMAND, then tell the time it took.

  -a, --append              with -o, append to FILE
  -f, --format=FORMAT       use FORMAT; %e seconds, %E minutes and seconds, %U
                              user and %S system seconds, %P percent, %M peak
                              memory in KiB, %x status, %C command; the numbers
                              that nobody counts here (%F %R %W %c %w %I %O
                              %r %s %k %D %K %p %t %X %Z) are 0
  -o, --output=FILE         write to FILE, not to standard error
  -p, --portability         as POSIX has it
  -q, --quiet               say nothing of the status
  -v, --verbose             tell all, one thing a line
      --help                print this help
  -V, --version             print the version

Processor time is that of the command's code: all of it is user time.
";

const DEFAULT: &[u8] = b"%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps";
const POSIX: &[u8] = b"real %e\nuser %U\nsys %S";
const VERBOSE: &[u8] = b"\tCommand being timed: \"%C\"
\tUser time (seconds): %U
\tSystem time (seconds): %S
\tPercent of CPU this job got: %P
\tElapsed (wall clock) time (h:mm:ss or m:ss): %E
\tAverage shared text size (kbytes): %X
\tAverage unshared data size (kbytes): %D
\tAverage stack size (kbytes): %p
\tAverage total size (kbytes): %K
\tMaximum resident set size (kbytes): %M
\tAverage resident set size (kbytes): %t
\tMajor (requiring I/O) page faults: %F
\tMinor (reclaiming a frame) page faults: %R
\tVoluntary context switches: %w
\tInvoluntary context switches: %c
\tSwaps: %W
\tFile system inputs: %I
\tFile system outputs: %O
\tSocket messages sent: %s
\tSocket messages received: %r
\tSignals delivered: %k
\tPage size (bytes): %Z
\tExit status: %x";

const FAILED: u8 = 125;

/// What was measured.
struct Measured<'a> {
    command: &'a [Vec<u8>],
    elapsed: u64,
    cpu: u64,
    memory: u64,
    status: u8,
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("append", NO, 'a'),
        ("format", REQ, 'f'),
        ("output", REQ, 'o'),
        ("portability", NO, 'p'),
        ("quiet", NO, 'q'),
        ("verbose", NO, 'v'),
    ];
    let mut options = Options::new(args, "+af:o:pqvV", long).status(FAILED);
    let variable = getenv(b"TIME");
    let mut format: &[u8] = variable.as_deref().unwrap_or(DEFAULT);
    let (mut append, mut output, mut quiet) = (false, None, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'V' => return Err(options.version()),
            'a' => append = true,
            'f' => format = opt.value(),
            'o' => output = Some(opt.value()),
            'p' => format = POSIX,
            'q' => quiet = true,
            _ => format = VERBOSE,
        }
    }
    let command: Vec<Vec<u8>> = options.operands().iter().map(|w| w.to_vec()).collect();
    if command.is_empty() {
        return Err(report::usage(FAILED, "missing program to run"));
    }
    let to = match output {
        None => None,
        Some(file) => {
            let how = if append { OpenFlags::APPEND } else { OpenFlags::TRUNC };
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | how;
            let opened = open(file, flags, 0o666);
            Some(opened.map_err(|e| report::die(FAILED, format_args!("{}: {e}", quote::name(file))))?)
        }
    };
    // The signals of a terminal are for the command.
    let _ = signal_action(Signal::INT, Disposition::Ignore);
    let _ = signal_action(Signal::QUIT, Disposition::Ignore);
    let start = clock(Clock::Monotonic);
    let path = getenv(b"PATH").unwrap_or_default();
    let bits = (1 << (Signal::INT.number() - 1)) | (1 << (Signal::QUIT.number() - 1));
    let started = program::find(&command[0], &path).and_then(|path| {
        spawn(&SpawnRequest {
            path,
            argv: command.clone(),
            env: environ(),
            default_signals: bits,
            ..SpawnRequest::default()
        })
    });
    let mut m = Measured { command: &command, elapsed: 0, cpu: 0, memory: 0, status: 0 };
    let mut how = None;
    match started {
        Err(e) => {
            report::error(raw(&[b"cannot run ", command[0].as_slice(), format!(": {e}").as_bytes()].concat()));
            m.status = program::status(e);
        }
        Ok(pid) => loop {
            match wait(pid, 0) {
                Ok(Some(waited)) => {
                    (m.cpu, m.memory) = (waited.usage.cpu_ns, waited.usage.peak_memory);
                    m.status = waited.status.shell_code() as u8;
                    how = Some(waited.status);
                    break;
                }
                Ok(None) | Err(capsule_sys::Errno::EINTR) => {}
                Err(e) => return Err(report::die(FAILED, format_args!("error waiting for child process: {e}"))),
            }
        },
    }
    m.elapsed = clock(Clock::Monotonic) - start;
    let mut text = Vec::new();
    if !quiet && format != POSIX {
        match how {
            Some(WaitStatus::Signaled(signal)) => {
                text.extend(format!("Command terminated by signal {signal}\n").bytes());
            }
            _ if m.status != 0 => text.extend(format!("Command exited with non-zero status {}\n", m.status).bytes()),
            _ => {}
        }
    }
    m.show(format, &mut text);
    text.push(b'\n');
    let _ = write_all(to.as_ref().map_or(STDERR, |fd| fd.raw()), &text);
    Ok(m.status)
}

impl Measured<'_> {
    fn show(&self, format: &[u8], text: &mut Vec<u8>) {
        let hundredths = |ns: u64| format!("{}.{:02}", ns / 1_000_000_000, ns / 10_000_000 % 100);
        let mut rest = format;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            let Some((&letter, behind)) = rest.split_first() else {
                text.push(byte);
                continue;
            };
            if byte == b'\\' {
                rest = behind;
                match letter {
                    b'n' => text.push(b'\n'),
                    b't' => text.push(b'\t'),
                    b'\\' => text.push(b'\\'),
                    other => text.extend([b'?', b'\\', other]),
                }
                continue;
            }
            if byte != b'%' {
                text.push(byte);
                continue;
            }
            rest = behind;
            let shown = match letter {
                b'%' => "%".to_owned(),
                b'C' => {
                    text.extend(self.command.join(&b' '));
                    continue;
                }
                b'e' => hundredths(self.elapsed),
                b'E' => {
                    let seconds = self.elapsed / 1_000_000_000;
                    match seconds / 3600 {
                        0 => format!("{}:{:02}.{:02}", seconds / 60, seconds % 60, self.elapsed / 10_000_000 % 100),
                        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
                    }
                }
                b'U' => hundredths(self.cpu),
                b'S' => hundredths(0),
                b'P' => match self.elapsed {
                    0 => "?%".to_owned(),
                    elapsed => format!("{}%", u128::from(self.cpu) * 100 / u128::from(elapsed)),
                },
                b'M' => (self.memory / 1024).to_string(),
                b'x' => self.status.to_string(),
                b'Z' => "4096".to_owned(),
                b'F' | b'R' | b'W' | b'c' | b'w' | b'I' | b'O' | b'r' | b's' | b'k' | b'D' | b'K' | b'p' | b't'
                | b'X' => "0".to_owned(),
                other => {
                    text.extend([b'?', other]);
                    continue;
                }
            };
            text.extend(shown.bytes());
        }
    }
}
