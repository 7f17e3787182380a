use crate::input::{base_name, join};
use crate::options::{NO, OPT, Options, only, word};
use crate::quote::quoted;
use crate::walk::{Follow, Met, Walk};
use crate::{Args, Outcome, report};
use capsule_sys::{
    AT_REMOVEDIR, Dir, Errno, FileType, In, OpenFlags, Out, STDERR, STDIN, Stat, W_OK, access_at, isatty, lstat,
    open_at, read_dir, stat, unlink_at, write_all,
};

pub const HELP: &str = "\
Usage: rm [OPTION]... [FILE]...
Remove files.

  -f, --force           no complaints of missing files, no questions
  -i                    ask before each
  -I                    ask once, if there are more than three
                          or directories
      --interactive[=WHEN]  ask never, once (-I)
                          or always (-i, or without WHEN)
      --one-file-system  with -r, leave out directories
                          of other file systems
      --no-preserve-root  / is a directory like any other
      --preserve-root[=all]  refuse / (so it is); with all,
                              also operands that are mount
                              points
  -r, -R, --recursive   directories, with everything in them
  -d, --dir             empty directories
  -v, --verbose         name each file
      --help        print this help
      --version     print the version

Directories are removed with -r only, and then with everything
in them.
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
    /// The directory at hand could not be looked into.
    denied: bool,
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
        denied: false,
    };
    let mut preserve_root = true;
    let mut options = Options::new(args, "dfiIrRv", long);
    hint_at_file(args);
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
            NO_PRESERVE => {
                // Too dangerous to be meant by less than its whole name.
                if !args.rest().iter().any(|arg| arg == b"--no-preserve-root") {
                    return Err(report::die(1, "you may not abbreviate the --no-preserve-root option"));
                }
                preserve_root = false;
            }
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
            let dots = base == b"." || base == b"..";
            let is_dir = found.is_ok_and(|s| s.kind == FileType::Directory);
            // Also where a link leads that has a slash behind it.
            if (dots || path.ends_with(b"/"))
                && is_dir
                && !self.recursive
                && read_dir(path).is_ok_and(|mut dir| dir.next().is_some())
            {
                return self.fail(format!("cannot remove {}: {}", quoted(path), Errno::ENOTEMPTY));
            }
            if dots && is_dir {
                let text = format!("refusing to remove '.' or '..' directory: skipping {}", quoted(path));
                return self.fail(text);
            }
        }
        match found {
            Err(Errno::ENOENT | Errno::ENOTDIR) if self.force => {}
            Err(e) => {
                // A link that leads nowhere is there, and is no directory.
                let trimmed = super::cp::trim_slashes(path);
                let link = e == Errno::ENOENT && trimmed != path && lstat(trimmed).is_ok();
                let e = if link { Errno::ENOTDIR } else { e };
                self.fail(format!("cannot remove {}: {e}", quoted(path)));
            }
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
                self.remove(path);
            }
        }
    }

    /// Removes what is below a path, and then what is there; by descriptors, so that no path is too long.
    fn remove(&mut self, path: &[u8]) {
        let mut walk = Walk::new(path, Follow::Never);
        // For each directory that is open: whether it was asked about, and whether all in it is gone.
        let mut open: Vec<(bool, bool)> = Vec::new();
        let mut device = None;
        while let Some(met) = walk.step() {
            let gone = match met {
                Met::Node(s) => self.may(&walk, &s, "remove") && self.unlink(&walk, 0),
                Met::Unknown(Errno::ENOENT) => true,
                Met::Unknown(e) => {
                    self.fail(format!("cannot remove {}: {e}", quoted(walk.path())));
                    false
                }
                // Links are not followed, so nothing contains itself.
                Met::Cycle(_) => false,
                Met::Enter(s) => {
                    let enters = self.enters(&walk, &s, *device.get_or_insert(s.dev));
                    if enters.is_none() || !self.recursive {
                        walk.skip();
                    }
                    // What is not entered is not removed, either.
                    open.push(enters.map_or((false, false), |asked| (asked, true)));
                    continue;
                }
                // It may be empty.
                Met::Unreadable(_, Errno::EACCES) => {
                    self.denied = true;
                    continue;
                }
                Met::Unreadable(_, e) => {
                    self.fail(format!("cannot remove {}: {e}", quoted(walk.path())));
                    if let Some(last) = open.last_mut() {
                        last.1 = false;
                    }
                    continue;
                }
                Met::Leave(s) => match open.pop() {
                    Some((asked, all)) if all || (asked && self.ask == Ask::Always) => {
                        let ask = !asked || self.ask == Ask::Always;
                        (!ask || self.may(&walk, &s, "remove")) && self.unlink(&walk, AT_REMOVEDIR)
                    }
                    _ => false,
                },
            };
            if !gone && let Some(above) = open.last_mut() {
                above.1 = false;
            }
        }
    }

    /// Whether a directory is entered: none when it stays as it is, else whether somebody was asked.
    fn enters(&mut self, walk: &Walk, s: &Stat, device: u64) -> Option<bool> {
        if !self.recursive && !self.directories {
            self.fail(format!("cannot remove {}: {}", quoted(walk.path()), Errno::EISDIR));
            return None;
        }
        if self.one_file_system && s.dev != device {
            self.fail(format!("skipping {}, since it's on a different device", quoted(walk.path())));
            return None;
        }
        if !self.recursive || self.ask == Ask::Never || (self.ask != Ask::Always && !self.terminal) {
            return Some(false);
        }
        // An empty one is only asked about once, when it goes.
        let (dir, name) = walk.at();
        let flags = OpenFlags::RDONLY | OpenFlags::DIRECTORY | OpenFlags::CLOEXEC;
        let empty = open_at(dir, name, flags, 0).is_ok_and(|fd| Dir::new(fd).next().is_none());
        if empty {
            return Some(false);
        }
        self.may(walk, s, "descend into").then_some(true)
    }

    fn unlink(&mut self, walk: &Walk, flags: u32) -> bool {
        let (dir, name) = walk.at();
        let denied = std::mem::take(&mut self.denied);
        match unlink_at(dir, name, flags) {
            Ok(()) => {
                if self.verbose {
                    let what = if flags == 0 { "removed" } else { "removed directory" };
                    self.out.write(format!("{what} {}\n", quoted(walk.path())).as_bytes());
                }
                true
            }
            Err(Errno::ENOENT | Errno::ENOTDIR) if self.force => true,
            Err(e) => {
                let e = if denied && e == Errno::ENOTEMPTY { Errno::EACCES } else { e };
                self.fail(format!("cannot remove {}: {e}", quoted(walk.path())));
                false
            }
        }
    }

    fn may(&mut self, walk: &Walk, s: &Stat, action: &str) -> bool {
        if self.ask == Ask::Never {
            return true;
        }
        let (dir, name) = walk.at();
        let path = walk.path();
        let protected = s.kind != FileType::Symlink && access_at(dir, name, W_OK, 0).is_err();
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

/// Somebody who wants to remove a file named like an option is told how.
fn hint_at_file(args: &Args) {
    let like_option = |arg: &&Vec<u8>| arg.len() > 1 && arg.starts_with(b"-") && lstat(arg).is_ok();
    if let Some(file) = args.rest().iter().find(like_option) {
        report::before_hint(format!(
            "Try '{} ./{}' to remove the file {}.\n",
            report::program(),
            crate::quote::show(file, crate::quote::Style::ShellEscape, crate::quote::is_utf8(), b""),
            quoted(file)
        ));
    }
}
