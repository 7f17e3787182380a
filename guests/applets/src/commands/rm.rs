use crate::input::{base_name, join};
use crate::options::{NO, OPT, Options, only, word};
use crate::quote::quoted;
use crate::{Args, Outcome, report};
use capsule_sys::{
    AT_REMOVEDIR, Errno, FileType, In, Out, STDERR, STDIN, Stat, W_OK, access, isatty, lstat, read_dir, stat,
    unlink_at, write_all,
};

pub const HELP: &str = "\
Usage: rm [OPTION]... [FILE]...
Remove (unlink) the FILE(s).

  -f, --force           ignore nonexistent files and arguments, never prompt
  -i                    prompt before every removal
  -I                    prompt once before removing more than three files, or
                          when removing recursively; less intrusive than -i,
                          while still giving protection against most mistakes
      --interactive[=WHEN]  prompt according to WHEN: never, once (-I), or
                          always (-i); without WHEN, prompt always
      --one-file-system  when removing a hierarchy recursively, skip any
                          directory that is on a file system different from
                          that of the corresponding command line argument
      --no-preserve-root  do not treat '/' specially
      --preserve-root[=all]  do not remove '/' (default);
                              with 'all', reject any command line argument
                              on a separate device from its parent
  -r, -R, --recursive   remove directories and their contents recursively
  -d, --dir             remove empty directories
  -v, --verbose         explain what is being done
      --help        display this help and exit
      --version     output version information and exit

By default, rm does not remove directories.  Use the --recursive (-r or -R)
option to remove each listed directory, too, along with all of its contents.
";

#[derive(Clone, Copy, PartialEq)]
enum Ask {
    /// Only for what is write-protected, and only somebody who can answer.
    Sometimes,
    Once,
    Always,
    Never,
}

struct Remover {
    ask: Ask,
    /// Missing files are no error.
    force: bool,
    recursive: bool,
    directories: bool,
    verbose: bool,
    one_file_system: bool,
    preserve_all: bool,
    terminal: bool,
    answers: In,
    out: Out,
    failed: bool,
}

const INTERACTIVE: char = only(0);
const ONE_FILE_SYSTEM: char = only(1);
const NO_PRESERVE: char = only(2);
const PRESERVE: char = only(3);

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("force", NO, 'f'),
        ("interactive", OPT, INTERACTIVE),
        ("one-file-system", NO, ONE_FILE_SYSTEM),
        ("no-preserve-root", NO, NO_PRESERVE),
        ("preserve-root", OPT, PRESERVE),
        ("recursive", NO, 'r'),
        ("dir", NO, 'd'),
        ("verbose", NO, 'v'),
    ];
    let mut rm = Remover {
        ask: Ask::Sometimes,
        force: false,
        recursive: false,
        directories: false,
        verbose: false,
        one_file_system: false,
        preserve_all: false,
        terminal: isatty(STDIN),
        answers: In::new(STDIN),
        out: Out::stdout(),
        failed: false,
    };
    let mut preserve_root = true;
    let mut options = Options::new(args, "dfiIrRv", long);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'f' => (rm.ask, rm.force) = (Ask::Never, true),
            'i' => (rm.ask, rm.force) = (Ask::Always, false),
            'I' => (rm.ask, rm.force) = (Ask::Once, false),
            INTERACTIVE => {
                let words = &[
                    ("never", Ask::Never),
                    ("no", Ask::Never),
                    ("none", Ask::Never),
                    ("once", Ask::Once),
                    ("always", Ask::Always),
                    ("yes", Ask::Always),
                ];
                rm.ask = opt.value.map_or(Ok(Ask::Always), |v| word(v, "--interactive", words, 1))?;
                rm.force &= rm.ask == Ask::Never;
            }
            ONE_FILE_SYSTEM => rm.one_file_system = true,
            NO_PRESERVE => preserve_root = false,
            PRESERVE => match opt.value {
                None => preserve_root = true,
                Some(b"all") => (preserve_root, rm.preserve_all) = (true, true),
                Some(other) => {
                    let text = format!("unrecognized --preserve-root argument: {}", quoted(other));
                    return Err(report::die(1, text));
                }
            },
            'r' | 'R' => rm.recursive = true,
            'd' => rm.directories = true,
            _ => rm.verbose = true,
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        return if rm.force { Ok(0) } else { Err(report::usage(1, "missing operand")) };
    }
    if rm.ask == Ask::Once && (rm.recursive || operands.len() > 3) {
        let n = operands.len();
        let noun = if n == 1 { "argument" } else { "arguments" };
        let how = if rm.recursive { " recursively" } else { "" };
        if !rm.confirm(&format!("remove {n} {noun}{how}? ")) {
            return Ok(0);
        }
    }
    let root = if rm.recursive && preserve_root { stat(b"/").ok() } else { None };
    for operand in operands {
        rm.operand(operand, root.as_ref());
    }
    let status = u8::from(rm.failed);
    report::finish(&mut rm.out, status)
}

impl Remover {
    fn operand(&mut self, path: &[u8], root: Option<&Stat>) {
        let found = lstat(path);
        // An operand that is a directory through and through: its own entries cannot be unlinked.
        if self.recursive || self.directories {
            let base = base_name(path);
            if (base == b"." || base == b"..") && found.is_ok_and(|s| s.kind == FileType::Directory) {
                let text = format!("refusing to remove '.' or '..' directory: skipping {}", quoted(path));
                return self.fail(text);
            }
        }
        match found {
            Err(Errno::ENOENT | Errno::ENOTDIR) if self.force => {}
            Err(e) => self.fail(format!("cannot remove {}: {e}", quoted(path))),
            Ok(s) => {
                if root.is_some_and(|root| (root.dev, root.ino) == (s.dev, s.ino)) && self.recursive {
                    let same = if path == b"/" { String::new() } else { " (same as '/')".to_owned() };
                    self.fail(format!("it is dangerous to operate recursively on {}{same}", quoted(path)));
                    return report::error("use --no-preserve-root to override this failsafe");
                }
                if self.preserve_all && s.kind == FileType::Directory {
                    let parent = stat(&join(path, b".."));
                    if parent.is_ok_and(|parent| parent.dev != s.dev) {
                        self.fail(format!("skipping {}, since it's on a different device", quoted(path)));
                        return report::error("and --preserve-root=all is in effect");
                    }
                }
                self.remove(path, &s, s.dev, true);
            }
        }
    }

    /// Removes one thing, and first what is in it; whether it is gone.
    fn remove(&mut self, path: &[u8], s: &Stat, device: u64, top: bool) -> bool {
        if s.kind != FileType::Directory {
            return self.may(path, s, "remove") && self.unlink(path, 0);
        }
        if !self.recursive && !self.directories {
            self.fail(format!("cannot remove {}: {}", quoted(path), Errno::EISDIR));
            return false;
        }
        if !top && self.one_file_system && s.dev != device {
            self.fail(format!("skipping {}, since it's on a different device", quoted(path)));
            return false;
        }
        let entries = if self.recursive { self.entries(path) } else { None };
        let mut entered = false;
        if let Some(entries) = entries
            && !entries.is_empty()
        {
            if !self.may(path, s, "descend into") {
                return false;
            }
            entered = true;
            let mut all = true;
            for name in entries {
                let below = join(path, &name);
                all &= match lstat(&below) {
                    Ok(s) => self.remove(&below, &s, device, false),
                    Err(Errno::ENOENT) => true,
                    Err(e) => {
                        self.fail(format!("cannot remove {}: {e}", quoted(&below)));
                        false
                    }
                };
            }
            if !all && self.ask != Ask::Always {
                return false;
            }
        }
        // Who was asked about going in is asked again about the directory itself, but only when asked about everything.
        let ask = !entered || self.ask == Ask::Always;
        (!ask || self.may(path, s, "remove")) && self.unlink(path, AT_REMOVEDIR)
    }

    /// The names in a directory; none when it cannot be read, which removing it then tells.
    fn entries(&mut self, path: &[u8]) -> Option<Vec<Vec<u8>>> {
        let names: Result<Vec<_>, _> = read_dir(path).and_then(|dir| dir.map(|e| e.map(|e| e.name)).collect());
        match names {
            Ok(names) => Some(names),
            Err(Errno::EACCES) => None,
            Err(e) => {
                self.fail(format!("cannot remove {}: {e}", quoted(path)));
                None
            }
        }
    }

    fn unlink(&mut self, path: &[u8], flags: u32) -> bool {
        match unlink_at(capsule_sys::AT_FDCWD, path, flags) {
            Ok(()) => {
                if self.verbose {
                    let what = if flags == 0 { "removed" } else { "removed directory" };
                    self.out.write(format!("{what} {}\n", quoted(path)).as_bytes());
                }
                true
            }
            Err(Errno::ENOENT) if self.force => true,
            Err(e) => {
                self.fail(format!("cannot remove {}: {e}", quoted(path)));
                false
            }
        }
    }

    fn may(&mut self, path: &[u8], s: &Stat, action: &str) -> bool {
        let protected = s.kind != FileType::Symlink && access(path, W_OK).is_err();
        let ask = match self.ask {
            Ask::Always => true,
            Ask::Never => false,
            Ask::Sometimes | Ask::Once => protected && self.terminal,
        };
        if !ask {
            return true;
        }
        let protected = if protected { "write-protected " } else { "" };
        let what = match s.kind {
            FileType::Regular if s.size == 0 => "regular empty file",
            FileType::Regular => "regular file",
            FileType::Directory => "directory",
            FileType::Symlink => "symbolic link",
            FileType::Fifo => "fifo",
            FileType::CharDevice => "character special file",
            FileType::BlockDevice => "block special file",
            FileType::Socket => "socket",
        };
        self.confirm(&if action == "descend into" {
            format!("descend into {protected}{what} {}? ", quoted(path))
        } else {
            format!("{action} {protected}{what} {}? ", quoted(path))
        })
    }

    /// Asks; yes is an answer that begins with y.
    fn confirm(&mut self, question: &str) -> bool {
        let _ = self.out.flush();
        let _ = write_all(STDERR, format!("{}: {question}", report::program()).as_bytes());
        let mut line = Vec::new();
        let _ = self.answers.read_until(b'\n', &mut line);
        matches!(line.first(), Some(b'y' | b'Y'))
    }

    fn fail(&mut self, message: String) {
        let _ = self.out.flush();
        report::error(message);
        self.failed = true;
    }
}
