//! `flock`: locks among the processes of a session. The kernel has none, so a lock is a record that this command keeps
//! beside its own kind: a file named by the locked file's number, with the number of the process it is held for. It
//! counts as long as that process lives and has the file open, which `/proc` tells; only `flock` looks at it.

use crate::input::join;
use crate::options::{Long, NO, Options, REQ, only};
use crate::{Args, Exit, Outcome, program, report};
use capsule_sys::{
    Clock, Errno, Fd, FdAction, OpenFlags, Stat, clock, fstat, getpid, getppid, mkdir, open, read_dir, sleep, stat,
    unlink, wait, write_all,
};

pub const HELP: &str = "\
Usage: flock [OPTION]... FILE|DIRECTORY COMMAND [ARG]...
  or:  flock [OPTION]... FILE|DIRECTORY -c COMMAND
  or:  flock [OPTION]... DESCRIPTOR
Hold a lock on a file while a command runs, or until a descriptor is closed.
Locks are seen by flock alone, and by all processes of the session.

  -s, --shared             one of several that may hold it
  -x, -e, --exclusive      get an exclusive lock (default)
  -u, --unlock             let it go
  -n, --nb, --nonblock     fail rather than wait
  -w, --timeout SECS       wait for a limited amount of time
  -E, --conflict-exit-code NUMBER  exit code after conflict or timeout
  -o, --close              close the descriptor before running the command
  -c, --command COMMAND    run a single command string through the shell
  -F, --no-fork            execute the command without forking
      --verbose            tell what is done
  -h, --help               print this help
  -V, --version            print the version
";

const VERBOSE: char = only(0);
const LONG: &[Long] = &[
    ("shared", NO, 's'),
    ("exclusive", NO, 'x'),
    ("unlock", NO, 'u'),
    ("nonblocking", NO, 'n'),
    ("nb", NO, 'n'),
    ("timeout", REQ, 'w'),
    ("wait", REQ, 'w'),
    ("conflict-exit-code", REQ, 'E'),
    ("close", NO, 'o'),
    ("command", REQ, 'c'),
    ("no-fork", NO, 'F'),
    ("verbose", NO, VERBOSE),
];

/// Where the records are.
const PLACE: &[u8] = b"/tmp/.flock";
/// How long a lock that is held is left alone before it is looked at again.
const PAUSE: u64 = 5_000_000;
/// sysexits: wrong usage, a file that cannot be opened.
const USAGE: u8 = 64;
const NO_INPUT: u8 = 66;
/// A descriptor that is none.
const BAD_DATA: u8 = 65;

/// A lock that is wanted.
struct Lock {
    dev: u64,
    ino: u64,
    shared: bool,
    /// For whom it is held.
    owner: i32,
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+sexnoFuw:E:c:hV", LONG).status(USAGE);
    let (mut shared, mut unlock, mut nonblocking, mut closes, mut no_fork) = (false, false, false, false, false);
    let (mut limit, mut conflict, mut verbose) = (None, 1, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            's' => (shared, unlock) = (true, false),
            'x' | 'e' => (shared, unlock) = (false, false),
            'u' => unlock = true,
            'n' => nonblocking = true,
            'o' => closes = true,
            'F' => no_fork = true,
            'w' => {
                let seconds = super::sleep::duration(opt.value());
                limit = Some(
                    seconds
                        .ok_or_else(|| report::die(USAGE, format_args!("invalid timeout value: '{}'", opt.text())))?,
                );
            }
            'E' => {
                let bad = || report::die(USAGE, format_args!("invalid exit code: '{}'", opt.text()));
                let number = opt.text().parse::<u64>().map_err(|_| bad())?;
                let large = |_| report::die(USAGE, "exit code out of range (expected 0 to 255)");
                conflict = u8::try_from(number).map_err(large)?;
            }
            'c' => return Err(report::usage(USAGE, "requires a file before -c")),
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            _ => verbose = true,
        }
    }
    let operands = options.operands();
    let Some((&name, command)) = operands.split_first() else {
        return Err(match args.rest().is_empty() {
            true => report::usage(USAGE, "not enough arguments"),
            false => report::die(USAGE, "requires file descriptor, file or directory"),
        });
    };
    if command.is_empty() {
        let number = std::str::from_utf8(name).ok().and_then(|text| text.parse::<i32>().ok());
        let Some(number) = number else {
            let text = format!("bad file descriptor: '{}'", String::from_utf8_lossy(name));
            return Err(report::die(USAGE, text));
        };
        let s = fstat(number).map_err(|e| report::die(BAD_DATA, format_args!("{number}: {e}")))?;
        // The descriptor is our parent's, and stays its.
        let lock = Lock::new(&s, shared, getppid());
        if unlock {
            lock.release();
            return Ok(0);
        }
        return lock.take(nonblocking, limit, conflict, verbose).map(|()| 0);
    }
    let argv: Vec<Vec<u8>> = match command {
        [b"-c" | b"--command", text] => vec![b"/bin/sh".to_vec(), b"-c".to_vec(), text.to_vec()],
        [b"-c" | b"--command", ..] => return Err(report::die(USAGE, "-c requires exactly one command argument")),
        words => words.iter().map(|word| word.to_vec()).collect(),
    };
    let shown = String::from_utf8_lossy(name).into_owned();
    let unopened = |e| report::die(NO_INPUT, format_args!("cannot open lock file {shown}: {e}"));
    let file = open(name, OpenFlags::RDONLY | OpenFlags::CREAT, 0o666).or_else(|e| match e {
        Errno::EISDIR => open(name, OpenFlags::RDONLY, 0),
        e => Err(e),
    });
    let file = file.map_err(unopened)?;
    let lock = Lock::new(&fstat(file.raw()).map_err(unopened)?, shared, getpid());
    lock.take(nonblocking, limit, conflict, verbose)?;
    if verbose {
        report::plain(&format!("{}: executing {}\n", report::program(), String::from_utf8_lossy(&argv[0])));
    }
    run(&argv, &file, &lock, closes, no_fork)
}

fn run(argv: &[Vec<u8>], file: &Fd, lock: &Lock, closes: bool, no_fork: bool) -> Outcome {
    let failed = |e: Errno| {
        report::error(format_args!("failed to execute {}: {e}", String::from_utf8_lossy(&argv[0])));
        Exit(if e == Errno::ENOMEM { 71 } else { 69 })
    };
    if no_fork {
        let why = program::become_command(argv, &capsule_sys::environ());
        lock.release();
        return Err(failed(why));
    }
    let actions = if closes { vec![FdAction::Close { fd: file.raw() }] } else { Vec::new() };
    let status = program::start(argv, actions).and_then(|child| wait(child, 0));
    lock.release();
    Ok(status.map_err(failed)?.map_or(0, |waited| waited.status.shell_code() as u8))
}

impl Lock {
    fn new(s: &Stat, shared: bool, owner: i32) -> Lock {
        Lock { dev: s.dev, ino: s.ino, shared, owner }
    }

    /// How the records of this file begin.
    fn prefix(&self) -> String {
        format!("{}-{}-", self.dev, self.ino)
    }

    /// Our own record: who, and how. One that wants all for itself stands in everybody's way.
    fn record(&self) -> Vec<u8> {
        let how = if self.shared { 's' } else { 'x' };
        join(PLACE, format!("{}{how}{}", self.prefix(), self.owner).as_bytes())
    }

    /// Waits for the lock; the end where it is not to be had.
    fn take(&self, nonblocking: bool, limit: Option<f64>, conflict: u8, verbose: bool) -> Result<(), Exit> {
        let failed = |e| report::die(71, format_args!("{}: {e}", String::from_utf8_lossy(PLACE)));
        match mkdir(PLACE, 0o1777) {
            // It is everybody's, whatever the umask says.
            Ok(()) => capsule_sys::chmod(PLACE, 0o1777).map_err(failed)?,
            Err(Errno::EEXIST) => {}
            Err(e) => return Err(failed(e)),
        }
        let start = clock(Clock::Monotonic);
        // What we had of another kind is changed into what is wanted.
        self.release();
        loop {
            // Our claim first, then a look at the others': of two that come together at least one sees the other.
            let record = self.record();
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC;
            let claim = open(&record, flags, 0o600).map_err(failed)?;
            let _ = write_all(claim.raw(), self.owner.to_string().as_bytes());
            drop(claim);
            if !self.is_held_by_others() {
                if verbose {
                    let micro = (clock(Clock::Monotonic) - start) / 1000;
                    let (seconds, rest) = (micro / 1_000_000, micro % 1_000_000);
                    report::plain(&format!("{}: getting lock took {seconds}.{rest:06} seconds\n", report::program()));
                }
                return Ok(());
            }
            let _ = unlink(&record);
            let waited = (clock(Clock::Monotonic) - start) as f64 / 1e9;
            if nonblocking || limit.is_some_and(|limit| waited >= limit) {
                if verbose {
                    let why = if nonblocking { "failed to get lock" } else { "timeout while waiting to get lock" };
                    report::error(why);
                }
                return Err(Exit(conflict));
            }
            // Unequal pauses, so that two do not stand in each other's way for ever.
            let _ = sleep(PAUSE + capsule_sys::random_u64() % PAUSE);
        }
    }

    fn release(&self) {
        for how in ['s', 'x'] {
            let record = join(PLACE, format!("{}{how}{}", self.prefix(), self.owner).as_bytes());
            let _ = unlink(&record);
        }
    }

    /// Whether a lock of somebody else's is in the way. Records of processes that have ended, or closed the file, go.
    fn is_held_by_others(&self) -> bool {
        let Ok(entries) = read_dir(PLACE) else { return false };
        let prefix = self.prefix();
        let mut held = false;
        for entry in entries.flatten() {
            let Some(rest) = entry.name.strip_prefix(prefix.as_bytes()) else { continue };
            let (how, owner) = rest.split_at(rest.len().min(1));
            let Some(owner) = std::str::from_utf8(owner).ok().and_then(|text| text.parse::<i32>().ok()) else {
                continue;
            };
            if owner == self.owner {
                continue;
            }
            if !self.is_open_in(owner) {
                let _ = unlink(&join(PLACE, &entry.name));
                continue;
            }
            held |= how == b"x" || !self.shared;
        }
        held
    }

    /// Whether a process has the file open.
    fn is_open_in(&self, process: i32) -> bool {
        let descriptors = format!("/proc/{process}/fd").into_bytes();
        let Ok(entries) = read_dir(&descriptors) else { return false };
        let is_it = |name: &[u8]| stat(&join(&descriptors, name)).is_ok_and(|s| (s.dev, s.ino) == (self.dev, self.ino));
        entries.flatten().any(|entry| is_it(&entry.name))
    }
}
