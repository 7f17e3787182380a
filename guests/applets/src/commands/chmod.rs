use crate::input::join;
use crate::mode::{self, Change};
use crate::options::{NO, Options, REQ, only};
use crate::quote::{locale, quoted};
use crate::{Args, Outcome, report};
use capsule_sys::{Errno, FileType, Out, chmod, lstat, read_dir, stat, umask};

pub const HELP: &str = "\
Usage: chmod [OPTION]... MODE[,MODE]... FILE...
  or:  chmod [OPTION]... OCTAL-MODE FILE...
  or:  chmod [OPTION]... --reference=RFILE FILE...
Give each FILE the permissions MODE,
or those that RFILE has.

  -c, --changes          tell about the files that change
  -f, --silent, --quiet  keep quiet about most errors
  -v, --verbose          tell about every file
      --no-preserve-root  let -R work on / like on any other (so it is)
      --preserve-root    refuse -R on /
      --reference=RFILE  the permissions of RFILE
  -R, --recursive        go down into directories
      --help        print this help
      --version     print the version

MODE is octal, or clauses such as u+x, go-w, a=rX or g=u with commas between.
";

const REFERENCE: char = only(0);
const PRESERVE: char = only(1);
const NO_PRESERVE: char = only(2);

struct Changer {
    change: Change,
    umask: u32,
    changes: bool,
    verbose: bool,
    silent: bool,
    recursive: bool,
    failed: bool,
    out: Out,
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("changes", NO, 'c'),
        ("silent", NO, 'f'),
        ("quiet", NO, 'f'),
        ("verbose", NO, 'v'),
        ("no-preserve-root", NO, NO_PRESERVE),
        ("preserve-root", NO, PRESERVE),
        ("recursive", NO, 'R'),
        ("reference", REQ, REFERENCE),
    ];
    let (args, dashed) = dashed_modes(args);
    let mut options = Options::new(&args, "cfvR", long);
    let (mut changes, mut verbose, mut silent, mut recursive) = (false, false, false, false);
    let (mut reference, mut preserve) = (None, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'c' => changes = true,
            'v' => verbose = true,
            'f' => silent = true,
            'R' => recursive = true,
            REFERENCE => reference = Some(opt.value()),
            other => preserve = other == PRESERVE,
        }
    }
    let mut operands = options.operands();
    if reference.is_some() && dashed.is_some() {
        return Err(report::usage(1, "cannot combine mode and --reference options"));
    }
    let mode = match (&dashed, reference) {
        (Some(mode), _) => Some(mode.as_slice()),
        (None, None) if operands.is_empty() => return Err(report::usage(1, "missing operand")),
        (None, None) => Some(operands.remove(0)),
        (None, Some(_)) => None,
    };
    if operands.is_empty() {
        return Err(match mode {
            Some(mode) if dashed.is_none() => report::usage(1, format_args!("missing operand after {}", locale(mode))),
            _ => report::usage(1, "missing operand"),
        });
    }
    let change = match (mode, reference) {
        (Some(text), _) => {
            Change::parse(text).ok_or_else(|| report::usage(1, format_args!("invalid mode: {}", locale(text))))?
        }
        (None, file) => {
            let file = file.unwrap_or_default();
            let s = stat(file)
                .map_err(|e| report::die(1, format_args!("failed to get attributes of {}: {e}", quoted(file))))?;
            Change::Octal(s.mode, true)
        }
    };
    let mask = umask(0);
    umask(mask);
    let mut changer =
        Changer { change, umask: mask, changes, verbose, silent, recursive, failed: false, out: Out::stdout() };
    for operand in operands {
        if recursive && preserve && operand == b"/" {
            report::error("it is dangerous to operate recursively on '/'");
            report::error("use --no-preserve-root to override this failsafe");
            changer.failed = true;
            continue;
        }
        changer.one(operand, true, dashed.is_some());
    }
    let status = u8::from(changer.failed);
    report::finish(&mut changer.out, status)
}

/// `chmod -w file`: what looks like an option is a mode. The arguments without it, and the mode.
fn dashed_modes(args: &Args) -> (Args, Option<Vec<u8>>) {
    let mut argv = Vec::new();
    let mut mode: Option<Vec<u8>> = None;
    let mut options = true;
    for (i, arg) in args.argv.iter().enumerate() {
        options &= arg != b"--";
        let is_mode = i > 0 && options && arg.len() > 1 && arg[0] == b'-' && b"rwxXstugoa,+=01234567".contains(&arg[1]);
        if is_mode && Change::parse(arg).is_some() {
            match &mut mode {
                Some(before) => before.extend([b",", arg.as_slice()].concat()),
                None => mode = Some(arg.clone()),
            }
        } else {
            argv.push(arg.clone());
        }
    }
    (Args::new(argv), mode)
}

impl Changer {
    fn one(&mut self, path: &[u8], top: bool, dashed: bool) {
        let found = if top { stat(path) } else { lstat(path) };
        let s = match found {
            Ok(s) => s,
            Err(e) => {
                self.failed = true;
                if !self.silent {
                    let dangling = top && e == Errno::ENOENT && lstat(path).is_ok();
                    if dangling {
                        report::error(format_args!("cannot operate on dangling symlink {}", quoted(path)));
                    } else {
                        report::fault(format_args!("cannot access {}", quoted(path)), e);
                    }
                }
                if self.verbose {
                    let text = format!("{} could not be accessed\n", quoted(path));
                    self.out.write(text.as_bytes());
                }
                return;
            }
        };
        // Links met on the way are left alone.
        if s.kind == FileType::Symlink {
            if self.verbose {
                let text = format!("neither symbolic link {} nor referent has been changed\n", quoted(path));
                self.out.write(text.as_bytes());
            }
            return;
        }
        let directory = s.kind == FileType::Directory;
        let wanted = self.change.apply(s.mode, directory, self.umask);
        let result = chmod(path, wanted);
        self.tell(path, s.mode, wanted, result.is_ok());
        if let Err(e) = result {
            self.failed = true;
            if !self.silent {
                report::fault(format_args!("changing permissions of {}", quoted(path)), e);
            }
        } else if dashed {
            // A mode that looks like an option means the whole of it, umask or not.
            let plain = self.change.apply(s.mode, directory, 0);
            if wanted & !plain != 0 {
                let new = &mode::show(wanted)[1..];
                let naive = &mode::show(plain)[1..];
                report::error(format_args!("{}: new permissions are {new}, not {naive}", crate::quote::name(path)));
                self.failed = true;
            }
        }
        if self.recursive && directory {
            match read_dir(path).and_then(|dir| dir.map(|e| e.map(|e| e.name)).collect::<Result<Vec<_>, _>>()) {
                Ok(names) => names.iter().for_each(|name| self.one(&join(path, name), false, dashed)),
                Err(e) => {
                    self.failed = true;
                    if !self.silent {
                        report::fault(format_args!("cannot read directory {}", quoted(path)), e);
                    }
                }
            }
        }
    }

    fn tell(&mut self, path: &[u8], old: u32, new: u32, done: bool) {
        let show = |mode: u32| format!("{mode:04o} ({})", &mode::show(mode)[1..]);
        let changed = old != new;
        if !(self.verbose || (self.changes && changed && done)) {
            return;
        }
        let text = if !done {
            format!("failed to change mode of {} from {} to {}\n", quoted(path), show(old), show(new))
        } else if changed {
            format!("mode of {} changed from {} to {}\n", quoted(path), show(old), show(new))
        } else {
            format!("mode of {} retained as {}\n", quoted(path), show(old))
        };
        self.out.write(text.as_bytes());
    }
}
