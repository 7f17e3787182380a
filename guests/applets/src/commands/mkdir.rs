use crate::input::dir_name;
use crate::mode::Change;
use crate::options::{Long, NO, OPT, Options, REQ, only};
use crate::path::from_the_top;
use crate::quote::{locale, quoted};
use crate::{Args, Outcome, report};
use capsule_sys::{Errno, FileType, Out, chmod, mkdir, stat, umask};

pub const HELP: &str = "\
Usage: mkdir [OPTION]... DIRECTORY...
Make directories.

  -m, --mode=MODE   permissions, as for chmod
  -p, --parents     make what is missing on the way (-m is for the
                    last one), and no error if it is there
  -v, --verbose     name each directory
  -Z, --context[=CTX]  no effect: there are no security contexts
      --help        print this help
      --version     print the version
";

struct Maker {
    parents: bool,
    verbose: bool,
    /// The mode given, and the umask it was read under.
    mode: Option<Change>,
    umask: u32,
    out: Out,
}

const CONTEXT: char = only(0);
const LONG: &[Long] = &[("context", OPT, CONTEXT), ("mode", REQ, 'm'), ("parents", NO, 'p'), ("verbose", NO, 'v')];

pub fn main(args: &Args) -> Outcome {
    let mut maker = Maker { parents: false, verbose: false, mode: None, umask: 0, out: Out::stdout() };
    let mut options = Options::new(args, "m:pvZ", LONG);
    let mut mode = None;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'm' => mode = Some(opt.value()),
            'p' => maker.parents = true,
            'Z' => {}
            CONTEXT => super::mkfifo::no_context(opt.value),
            _ => maker.verbose = true,
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        return Err(report::usage(1, "missing operand"));
    }
    if let Some(text) = mode {
        let Some(change) = Change::parse(text) else {
            return Err(report::die(1, format_args!("invalid mode {}", locale(text))));
        };
        maker.mode = Some(change);
    }
    maker.umask = umask(0);
    umask(maker.umask);
    let mut status = 0;
    for directory in operands {
        if let Err((path, e)) = maker.make(directory) {
            // What is there already and is no directory: a link in a circle is told as one.
            let circle = maker.parents && e == Errno::EEXIST && stat(&path) == Err(Errno::ELOOP);
            let (what, e) = if circle { ("cannot stat", Errno::ELOOP) } else { ("cannot create directory", e) };
            report::fault(format_args!("{what} {}", locale(&path)), e);
            status = 1;
        }
    }
    report::finish(&mut maker.out, status)
}

impl Maker {
    fn make(&mut self, path: &[u8]) -> Result<(), (Vec<u8>, Errno)> {
        if self.parents {
            let parent = dir_name(path);
            if parent != b"." && parent != b"/" && !is_directory(parent) {
                self.ancestors(parent)?;
            }
        }
        let mode = self.mode.as_ref().map(|change| change.apply(0o777, true, self.umask));
        match mkdir(path, mode.unwrap_or(0o777)) {
            Ok(()) => {
                self.tell(path);
                let (Some(mode), Some(change)) = (mode, &self.mode) else { return Ok(()) };
                let (low, high) = (change.apply(0, true, self.umask), change.apply(0o7777, true, self.umask));
                // The umask took bits away, and mkdir sets no set-id bits. Those that -m does not speak of are as the
                // directory has them.
                let spoken_of = !(low ^ high) | 0o777;
                let made = stat(path).map_err(|e| (path.to_vec(), e))?.mode;
                let mode = (mode & spoken_of) | (made & !spoken_of);
                if mode == made { Ok(()) } else { chmod(path, mode).map_err(|e| (path.to_vec(), e)) }
            }
            Err(_) if self.parents && is_directory(path) => Ok(()),
            Err(e) => Err((path.to_vec(), e)),
        }
    }

    /// Makes the directories above the one asked for, from the top: always searchable and writable by their owner.
    fn ancestors(&mut self, path: &[u8]) -> Result<(), (Vec<u8>, Errno)> {
        for path in from_the_top(path) {
            match mkdir(path, 0o777) {
                Ok(()) => self.tell(path),
                Err(Errno::EEXIST) if !is_directory(path) => return Err((path.to_vec(), Errno::ENOTDIR)),
                Err(_) if is_directory(path) => continue,
                Err(e) => return Err((path.to_vec(), e)),
            }
            if self.umask & 0o300 != 0 {
                chmod(path, 0o777 & !self.umask | 0o300).map_err(|e| (path.to_vec(), e))?;
            }
        }
        Ok(())
    }

    fn tell(&mut self, path: &[u8]) {
        if self.verbose {
            let line = format!("{}: created directory {}\n", report::program(), quoted(path));
            self.out.write(line.as_bytes());
        }
    }
}

fn is_directory(path: &[u8]) -> bool {
    stat(path).is_ok_and(|s| s.kind == FileType::Directory)
}
